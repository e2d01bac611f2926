#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/base/error.h"
#include "sightglass/data/scan/csv_header_internal.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;

CsvHeader header(std::string_view head, bool is_whole_file = true) { return read_csv_header(head, is_whole_file, "f"); }

TEST(CsvHeader, FindsTheDelimiterOnWhichLinesAgree) {
  EXPECT_EQ(header("a,b\n1,2\n").delimiter, ',');
  EXPECT_EQ(header("a;b\n1,5;2,5\n").delimiter, ';');
  EXPECT_EQ(header("a\tb,c\n1\tx,y\n2\tz\n").delimiter, '\t');
  EXPECT_EQ(header("a|b\n1|2\n").delimiter, '|');
  EXPECT_EQ(header("a,b;c\n1,2\n3,4\n").delimiter, ',');
  EXPECT_EQ(header("one column\n1\n").delimiter, ',');
  EXPECT_EQ(header("\"a;b;c\",d\n1,2\n").delimiter, ',');
  EXPECT_EQ(header("a;b\n\"x\n,,,\";2\n").delimiter, ';');
}

TEST(CsvHeader, Names) {
  EXPECT_THAT(header("\xEF\xBB\xBF"
                     "a , \"b \"\"c\"\"\",d e\r\n1,2,3\r\n")
                  .names,
              ElementsAre("a", "b \"c\"", "d e"));
  EXPECT_THAT(header("\"two\nlines\",b\n1,2\n").names, ElementsAre("two\nlines", "b"));
  EXPECT_EQ(header("\"two\nlines\",b\n1,2\n").lines, 2U);
  EXPECT_THAT(header("a,,b\n").names, ElementsAre("a", "Unnamed: 1", "b"));
  EXPECT_THAT(header("1,2,3\n").names, ElementsAre("1", "2", "3"));
  EXPECT_THAT(header("x\r1\r").names, ElementsAre("x"));
  EXPECT_THROW((void)header("1,3\n5,6\n"), Error);
  EXPECT_THROW((void)header("a,a\n"), Error);
  EXPECT_THROW((void)header("abc", false), Error) << "a line that does not end within the head";
}

}  // namespace
}  // namespace sightglass
