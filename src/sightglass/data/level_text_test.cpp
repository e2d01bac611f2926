#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sightglass/data/level_text_internal.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;

template <class T>
std::string printed(T value) {
  char buffer[number_text_bytes];
  return std::string(print_number(buffer, value));
}

TEST(LevelText, NumbersAreWrittenShortest) {
  EXPECT_EQ(printed(100000.0), "100000");
  EXPECT_EQ(printed(-0.0), "0");
  EXPECT_EQ(printed(0.1), "0.1");
  EXPECT_EQ(printed(0.1F), "0.1");
  EXPECT_EQ(printed(1e300), "1e+300");
  EXPECT_EQ(printed(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(printed(-std::numeric_limits<double>::max()), "-1.7976931348623157e+308");
}

TEST(LevelText, NumbersInText) {
  EXPECT_EQ(parse_number(" 1.5 "), 1.5);
  EXPECT_EQ(parse_number("+2"), 2);
  EXPECT_EQ(parse_number("-1e3"), -1000);
  EXPECT_EQ(parse_number("1e999"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_number("-1e999"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_number("1e-999"), 0);
  EXPECT_TRUE(std::isnan(parse_number("NA").value()));
  EXPECT_TRUE(std::isnan(parse_number("  ").value()));
  for (const char* text : {"1,5", "1x", "0x10", "+", "++1", "1 2", "e5", "."}) EXPECT_FALSE(parse_number(text)) << text;
}

TEST(LevelText, Times) {
  EXPECT_EQ(print_time(TimeKind::date, 18263), "2020-01-02");
  EXPECT_EQ(print_time(TimeKind::date, -1), "1969-12-31");
  EXPECT_EQ(print_time(TimeKind::timestamp, -0.5), "1969-12-31 23:59:59.5");
  EXPECT_EQ(print_time(TimeKind::timestamp, 86400), "1970-01-02 00:00:00");
  EXPECT_EQ(print_time(TimeKind::time, 3661.000001), "01:01:01.000001");
  EXPECT_EQ(print_time(TimeKind::date, std::numeric_limits<double>::infinity()), "infinity");
}

TEST(LevelText, CollectedLevelsAreBounded) {
  LevelCollector collector;
  for (const char* level : {"10", "9", "-1", "10", "2.5"}) collector.add(level);
  EXPECT_THAT(collector.sorted(true), ElementsAre("-1", "2.5", "9", "10"));
  EXPECT_THAT(collector.sorted(false), ElementsAre("-1", "10", "2.5", "9"));
  for (std::size_t i = 0; i <= most_levels; ++i) collector.add(std::to_string(i));
  EXPECT_TRUE(collector.is_full());
  LevelCollector few_but_long;
  for (int i = 0; i < 65; ++i) few_but_long.add(std::string(1U << 20, static_cast<char>('0' + i)));
  EXPECT_TRUE(few_but_long.is_full());
}

}  // namespace
}  // namespace sightglass
