#include "sightglass/base/dates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sightglass {
namespace {

constexpr DateKind days{DateUnit::days, DateDetail::day};
constexpr DateKind midnights{DateUnit::seconds, DateDetail::day};
constexpr DateKind minutes{DateUnit::seconds, DateDetail::minute};
constexpr DateKind seconds{DateUnit::seconds, DateDetail::second};
constexpr DateKind fractions{DateUnit::seconds, DateDetail::fraction};

TEST(Dates, AreToldAsFinelyAsTheirKind) {
  EXPECT_EQ(date_text(days, 18750), "2021-05-03");
  EXPECT_EQ(date_text(days, -1), "1969-12-31");
  EXPECT_EQ(date_text(days, 18750.99), "2021-05-03");
  EXPECT_EQ(date_text(midnights, 1620000000), "2021-05-03");
  EXPECT_EQ(date_text(minutes, 1620050400), "2021-05-03 14:00");
  EXPECT_EQ(date_text(seconds, 1620050405.75), "2021-05-03 14:00:05");
  EXPECT_EQ(date_text(fractions, 1620050405.25), "2021-05-03 14:00:05.25");
  EXPECT_EQ(date_text(fractions, 1620050405), "2021-05-03 14:00:05");
  EXPECT_EQ(date_text({DateUnit::seconds}, 1620000000), "2021-05-03");
  EXPECT_EQ(date_text({DateUnit::seconds}, 1620050400), "2021-05-03 14:00");
  EXPECT_EQ(date_text(minutes, -60), "1969-12-31 23:59");
  // 29 February; years before 1000 keep four digits.
  EXPECT_EQ(date_text(days, 18321), "2020-02-29");
  EXPECT_EQ(date_text(days, -719528), "0000-01-01");
}

TEST(Dates, WhatNoCalendarHasStaysANumber) {
  EXPECT_EQ(date_text(days, 1e7), "1e+07");
  EXPECT_EQ(date_text(days, -1e300), "-1e+300");
  EXPECT_EQ(date_text(days, std::nan("")), "NaN");
  EXPECT_EQ(date_text(days, std::numeric_limits<double>::infinity()), "infinity");
  EXPECT_TRUE(date_ticks(DateUnit::days, 1e300, INFINITY, 5).values.empty());
  EXPECT_TRUE(std::isnan(part_of(DatePart::month, DateUnit::seconds, 1e300)));
}

TEST(Dates, DetailIsTheCoarsestThatTellsAll) {
  EXPECT_EQ(detail_of(DateUnit::seconds, std::vector<double>{0, 86400, NAN, INFINITY}), DateDetail::day);
  EXPECT_EQ(detail_of(DateUnit::seconds, std::vector<double>{0, 60}), DateDetail::minute);
  EXPECT_EQ(detail_of(DateUnit::seconds, std::vector<double>{61, 60}), DateDetail::second);
  EXPECT_EQ(detail_of(DateUnit::seconds, std::vector<double>{0.5}), DateDetail::fraction);
  EXPECT_EQ(detail_of(DateUnit::days, std::vector<double>{1, 2.5}), DateDetail::minute);
  const std::vector<double> close{18750, 18750.25, 18750.5};
  EXPECT_EQ(date_texts(days, close),
            (std::vector<std::string>{"2021-05-03 00:00", "2021-05-03 06:00", "2021-05-03 12:00"}));
}

TEST(Dates, ABoundIsADateThatTheColumnMayHave) {
  EXPECT_EQ(date_bound(days, 18750.5).value, 18750);
  EXPECT_TRUE(date_bound(days, 18750.5).moved);
  EXPECT_FALSE(date_bound(days, 18750).moved);
  EXPECT_EQ(date_bound(midnights, 1620043200).value, 1620000000);
  EXPECT_EQ(date_bound(minutes, 1620000031).value, 1620000000);
  EXPECT_EQ(date_bound(fractions, 0.5).value, 0.5);
}

TEST(Dates, AreReadInTheirSpellings) {
  const auto in_days = [](const char* text) { return read_date(DateUnit::days, text); };
  const auto in_seconds = [](const char* text) { return read_date(DateUnit::seconds, text); };
  EXPECT_EQ(in_days("2021-05-03"), 18750);
  EXPECT_EQ(in_days("2021-05"), 18748);
  EXPECT_EQ(in_days("2021"), 18628);
  EXPECT_EQ(in_days("2021-05-03 12:00"), 18750.5);
  EXPECT_EQ(in_seconds("2021-05-03"), 1620000000);
  EXPECT_EQ(in_seconds("2021-05-03T14:00"), 1620050400);
  EXPECT_EQ(in_seconds(" 2021-05-03 14:00:05.25 "), 1620050405.25);
  EXPECT_EQ(in_seconds("2021-05-03T14:00:00Z"), 1620050400);
  EXPECT_EQ(in_seconds("2021-05-03 14:00+02:00"), 1620043200);
  EXPECT_EQ(in_seconds("2021-05-03 14:00 -0330"), 1620063000);
  for (const char* text : {"", "yesterday", "2021-13-01", "2021-02-29", "2021-5-3", "03.05.2021", "2021-05-03x",
                           "2021-05-03 25:00", "2021-05-03 14", "2021-05-03 14:61", "2021-05-03 14:00+", "20210503"})
    EXPECT_FALSE(in_seconds(text)) << text;
  // What is written is read again.
  for (const double value : {0.0, 86399.5, 1620050405.0, -62167219200.0, 951782400.0})
    EXPECT_EQ(in_seconds(date_text(fractions, value).c_str()), value);
}

TEST(Dates, HaveParts) {
  const auto part = [](DatePart wanted, double value) {
    return part_text(wanted, part_of(wanted, DateUnit::seconds, value));
  };
  EXPECT_EQ(part(DatePart::year, 1620050400), "2021");
  EXPECT_EQ(part(DatePart::quarter, 1620050400), "Q2");
  EXPECT_EQ(part(DatePart::month, 1620050400), "May");
  EXPECT_EQ(part(DatePart::weekday, 1620050400), "Monday");
  EXPECT_EQ(part(DatePart::hour, 1620050400), "14:00");
  EXPECT_EQ(part(DatePart::weekday, -1), "Wednesday");
  EXPECT_EQ(part(DatePart::hour, -1), "23:00");
  EXPECT_EQ(part_of(DatePart::weekday, DateUnit::days, 0), 4);
  EXPECT_EQ(date_part("MONTH"), DatePart::month);
  EXPECT_FALSE(date_part("minute"));
  EXPECT_EQ(read_part(DatePart::month, "may"), 5);
  EXPECT_EQ(read_part(DatePart::month, "Sep"), 9);
  EXPECT_EQ(read_part(DatePart::weekday, "sunday"), 7);
  EXPECT_EQ(read_part(DatePart::quarter, "Q3"), 3);
  EXPECT_EQ(read_part(DatePart::hour, "14:00"), 14);
  EXPECT_EQ(read_part(DatePart::hour, "7"), 7);
  EXPECT_FALSE(read_part(DatePart::month, "13"));
  EXPECT_FALSE(read_part(DatePart::quarter, "Q"));
}

TEST(Dates, TicksAreWhereMonthsAndDaysBegin) {
  const auto ticks = [](double low, double high) {
    const DateTicks found = date_ticks(DateUnit::days, low, high, 6);
    std::string text(found.format);
    for (const double value : found.values) text += " " + date_text(days, value);
    return text;
  };
  EXPECT_EQ(ticks(18262, 19723), "%Y 2020-01-01 2021-01-01 2022-01-01 2023-01-01 2024-01-01");
  EXPECT_EQ(ticks(18270, 18630), "%Y-%m 2020-03-01 2020-05-01 2020-07-01 2020-09-01 2020-11-01 2021-01-01");
  EXPECT_EQ(ticks(18750, 18757), "%Y-%m-%d 2021-05-03 2021-05-05 2021-05-07 2021-05-09");
  const DateTicks hours = date_ticks(DateUnit::seconds, 1620000000, 1620000000 + 86400, 6);
  EXPECT_EQ(hours.format, "%m-%d %H:%M");
  EXPECT_EQ(hours.values.size(), 5U);
  EXPECT_EQ(hours.values[1], 1620000000 + 6 * 3600);
  EXPECT_EQ(date_ticks(DateUnit::days, 18750, 18750, 6).values, std::vector<double>{18750});
}

}  // namespace
}  // namespace sightglass
