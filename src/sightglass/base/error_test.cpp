#include "sightglass/base/error.h"

#include <gtest/gtest.h>

namespace sightglass {
namespace {

TEST(Error, OneLineHoldsMessageAndAdvice) {
  const Error error(ErrorKind::data, "bike.csv has no column temperature", "did you mean temp?");
  EXPECT_STREQ(error.what(), "bike.csv has no column temperature; did you mean temp?");
  EXPECT_EQ(exit_code(error.kind()), 3);
}

TEST(Printable, ReplacesWhatWouldBreakALine) {
  EXPECT_EQ(printable("a\nb\tc"), "a b c");
  EXPECT_EQ(printable("x\x1b[31m"), "x\xEF\xBF\xBD[31m");
  EXPECT_EQ(printable("\xff\xfe"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(printable("a\xC2\x9B"
                      "31m\xE2\x80\xAE"),
            "a\xEF\xBF\xBD"
            "31m\xEF\xBF\xBD");  // C1 and bidi controls
  EXPECT_EQ(printable("°C"), "°C");
  EXPECT_EQ(printable(std::string(500, 'a'), 10), "aaaaaaa…");
}

}  // namespace
}  // namespace sightglass
