#include "sightglass/data/condition.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sightglass/base/error.h"

namespace sightglass {
namespace {

Table small_table() {
  const auto seasons = std::make_shared<Dictionary>(std::vector<std::string>{"autumn", "summer", "winter"});
  const auto sizes = std::make_shared<Dictionary>(std::vector<std::string>{"s", "m", "l"}, true);
  const auto places = std::make_shared<Dictionary>(std::vector<std::string>{"bay", "bay area", "north-east"});
  return Table(Schema({{.name = "temp"},
                       {.name = "season", .type = DType::categorical, .dictionary = seasons},
                       {.name = "size", .type = DType::categorical, .dictionary = sizes},
                       {.name = "odd name"},
                       {.name = "a/b-c"},
                       {.name = "place", .type = DType::categorical, .dictionary = places}}),
               {column_of(std::vector<double>{-2, 0, 3.5, NAN, 20, 1e-3}),
                column_of(std::vector<std::int32_t>{0, 1, 2, 2, -1, 1}, seasons.get()),
                column_of(std::vector<std::int32_t>{0, 1, 2, 0, 1, 2}, sizes.get()),
                column_of(std::vector<double>{1, 1, 2, 2, 3, 3}), column_of(std::vector<double>{1, 1, 2, 2, 3, 3}),
                column_of(std::vector<std::int32_t>{0, 1, 2, 0, 1, 2}, places.get())});
}

std::vector<std::uint64_t> rows(std::string_view text) {
  const Table table = small_table();
  return Condition(text, table.schema()).rows(table);
}

using Rows = std::vector<std::uint64_t>;

TEST(Condition, ComparesNumbers) {
  EXPECT_EQ(rows("temp > 0"), (Rows{2, 4, 5}));
  EXPECT_EQ(rows("temp>=0 and temp<=3.5"), (Rows{1, 2, 5}));
  EXPECT_EQ(rows("temp = -2"), (Rows{0}));
  EXPECT_EQ(rows("temp≥0 and temp ≤ 3.5 and temp≠0"), (Rows{2, 5})) << "as groups are called";
  EXPECT_EQ(rows("temp == 1e-3"), (Rows{5}));
  EXPECT_EQ(rows("temp between 0 and 4"), (Rows{1, 2, 5}));
  EXPECT_EQ(rows("temp not in (0, 20)"), (Rows{0, 2, 5}));
  EXPECT_EQ(rows("\"odd name\" = 2 or `odd name` = 3"), (Rows{2, 3, 4, 5}));
}

TEST(Condition, ComparesLevels) {
  EXPECT_EQ(rows("season = winter"), (Rows{2, 3}));
  EXPECT_EQ(rows("season != 'winter'"), (Rows{0, 1, 5})) << "a missing value is not unequal either";
  EXPECT_EQ(rows("season in (summer, \"autumn\")"), (Rows{0, 1, 5}));
  EXPECT_EQ(rows("size >= m"), (Rows{1, 2, 4, 5}));
}

TEST(Condition, MissingIsNeitherTrueNorFalse) {
  EXPECT_EQ(rows("temp is missing"), (Rows{3}));
  EXPECT_EQ(rows("season is not missing"), (Rows{0, 1, 2, 3, 5}));
  EXPECT_EQ(rows("not temp > 0"), (Rows{0, 1}));
  EXPECT_EQ(rows("not (temp > 0 and season = winter)"), (Rows{0, 1, 5}));
  EXPECT_EQ(rows("temp > 0 or season = winter"), (Rows{2, 3, 4, 5}));
}

TEST(Condition, MayBeLong) {
  std::string text = "temp = 20";
  for (int i = 0; i < 20000; ++i) text += " or temp = 3.5";
  EXPECT_EQ(rows(text), (Rows{2, 4}));
}

TEST(Condition, AndBindsTighterThanOr) {
  EXPECT_EQ(rows("season = summer or season = winter and temp > 0"), (Rows{1, 2, 5}));
  EXPECT_EQ(rows("(season = summer or season = winter) AND temp > 0"), (Rows{2, 5}));
}

std::string complaint(std::string_view text) {
  try {
    (void)rows(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  ADD_FAILURE() << text << " was accepted";
  return "";
}

TEST(Condition, SaysWhatIsWrong) {
  EXPECT_NE(complaint("tmp > 3").find("temp"), std::string::npos);
  EXPECT_NE(complaint("season = wintr").find("did you mean winter"), std::string::npos);
  EXPECT_NE(complaint("season > winter").find("without an order"), std::string::npos);
  EXPECT_NE(complaint("temp > warm").find("holds numbers"), std::string::npos);
  EXPECT_NE(complaint("temp > 3 temp").find("character 10"), std::string::npos);
  for (const char* broken : {"", "temp", "temp >", "(temp > 3", "temp > 3)", "temp = 'x", "temp in ()", "and",
                             "temp ; 3", "temp > -", "not", "temp is", "temp between 1", "season not winter"}) {
    (void)complaint(broken);
  }
  (void)complaint(std::string(100000, '('));
  (void)complaint([] {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += "not ";
    return text;
  }());
}

TEST(Condition, SaysWhatNeedsQuotes) {
  EXPECT_TRUE(complaint("odd name > 2").ends_with("no column odd; put quotes around it: 'odd name'"));
  EXPECT_TRUE(complaint("temp > 2 and a/b-c > 2").ends_with("put quotes around it: 'a/b-c'"));
  EXPECT_TRUE(complaint("place = bay area").ends_with("put quotes around it: 'bay area'"));
  EXPECT_TRUE(complaint("place in (bay, north-east)").ends_with("put quotes around it: 'north-east'"));
  EXPECT_EQ(rows("place = 'bay area' and 'odd name' = 1"), (Rows{1})) << "as it was told";
  // Quotes would not help here.
  EXPECT_EQ(complaint("place = bay and temp ; 3").find("quotes"), std::string::npos);
  EXPECT_EQ(complaint("odd names > 2").find("quotes"), std::string::npos);
}

TEST(RowGroups, FollowTheColumn) {
  const Table table = small_table();
  const Rows all{0, 1, 2, 3, 4, 5};
  const auto seasons = group_rows(table, 1, all, 12);
  ASSERT_EQ(seasons.size(), 4u);
  EXPECT_EQ(seasons[0].name, "season = autumn");
  EXPECT_EQ(seasons[2].rows, (Rows{2, 3}));
  EXPECT_EQ(seasons[3].name, "season is missing");
  const auto values = group_rows(table, 3, {0, 2, 4}, 12);
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(values[1].name, "odd name = 2");
  const auto quarters = group_rows(table, 0, all, 2);
  ASSERT_EQ(quarters.size(), 5u);
  EXPECT_EQ(quarters[0].name, "temp ≤ 0");
  EXPECT_EQ(quarters[1].name, "0 < temp ≤ 0.001");
  EXPECT_EQ(quarters[3].name, "temp > 3.5");
  std::vector<double> mostly(40, 999);
  std::iota(mostly.begin(), mostly.begin() + 5, 0.0);
  const Table days(Schema({{.name = "days"}}), {column_of(mostly)});
  std::vector<std::uint64_t> forty(40);
  std::iota(forty.begin(), forty.end(), std::uint64_t{0});
  const auto uncut = group_rows(days, 0, forty, 3);
  ASSERT_EQ(uncut.size(), 1u);
  EXPECT_EQ(uncut[0].rows, forty);
  // The first 20 of 60 numbers count three times: quarters of 30. Rows without weight are not there.
  std::vector<double> numbers(80), weights(80, 1);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  std::fill_n(weights.begin(), 20, 3.0);
  std::fill(weights.begin() + 60, weights.end(), 0.0);
  const Table weighted(Schema({{.name = "x"}, {.name = "w"}}), {column_of(numbers), column_of(weights)});
  std::vector<std::uint64_t> eighty(80);
  std::iota(eighty.begin(), eighty.end(), std::uint64_t{0});
  const auto quarter = group_rows(weighted.with_weights(1), 0, eighty, 12);
  ASSERT_EQ(quarter.size(), 4u);
  EXPECT_EQ(quarter[0].name, "x ≤ 8");
  EXPECT_EQ(quarter[1].name, "8 < x ≤ 16");
  EXPECT_EQ(quarter[3].rows.size(), 25u);
  const auto largest = group_rows(table, 1, all, 2);
  ASSERT_EQ(largest.size(), 3u);
  EXPECT_EQ(largest[0].name, "season = summer");
}

Table dated_table() {
  // 2019-12-31, 2020-01-01, 2020-01-31, 2020-02-29, 2021-01-01, missing; the same at noon.
  std::vector<double> days{18261, 18262, 18292, 18321, 18628, NAN}, noons;
  for (const double day : days) noons.push_back(day * 86400 + 43200);
  return Table(Schema({{.name = "day", .dates = {.unit = DateUnit::days}},
                       {.name = "noon", .dates = {.unit = DateUnit::seconds}},
                       {.name = "month"}}),
               {column_of(days), column_of(noons), column_of(std::vector<double>{1, 2, 3, 4, 5, 6})});
}

std::vector<std::uint64_t> dated(std::string_view text) {
  const Table table = dated_table();
  return Condition(text, table.schema()).rows(table);
}

TEST(Condition, ComparesDates) {
  EXPECT_EQ(dated("day > '2020-01-01'"), (Rows{2, 3, 4}));
  EXPECT_EQ(dated("day >= 2020-01-01 and day < 2021"), (Rows{1, 2, 3}));
  EXPECT_EQ(dated("day = 2020-01"), (Rows{1, 2})) << "all of the month";
  EXPECT_EQ(dated("day != '2020'"), (Rows{0, 4}));
  EXPECT_EQ(dated("day in (2019-12-31, '2021-01-01')"), (Rows{0, 4}));
  EXPECT_EQ(dated("day between 2020-01-31 and 2020-02-29"), (Rows{2, 3}));
  EXPECT_EQ(dated("noon <= 2020-01-31"), (Rows{0, 1, 2})) << "to its end";
  EXPECT_EQ(dated("noon > 2020-01-31"), (Rows{3, 4}));
  EXPECT_EQ(dated("noon < 2020-01-31 12:00"), (Rows{0, 1}));
  EXPECT_EQ(dated("noon = '2020-01-31T12:00:00Z'"), (Rows{2}));
  EXPECT_EQ(dated("noon = '2020-01-31 13:00+01:00'"), (Rows{2}));
  EXPECT_EQ(dated("not day > 2020-01-01 or day is missing"), (Rows{0, 1, 5}));
  EXPECT_EQ(dated("day = 18262"), (Rows{1})) << "the model's number";
}

TEST(Condition, ComparesPartsOfDates) {
  EXPECT_EQ(dated("month(day) = January"), (Rows{1, 2, 4}));
  EXPECT_EQ(dated("month(day) in (feb, 12)"), (Rows{0, 3}));
  EXPECT_EQ(dated("year(noon) ≤ 2020 and quarter(noon) = Q1"), (Rows{1, 2, 3}));
  EXPECT_EQ(dated("weekday(day) = Friday"), (Rows{2, 4}));
  EXPECT_EQ(dated("hour(noon) = 12:00 and not hour(day) > 0"), (Rows{0, 1, 2, 3, 4}));
  EXPECT_EQ(dated("month > 4"), (Rows{4, 5})) << "a column of that name";
  EXPECT_EQ(dated("month(day) is missing"), (Rows{5}));
}

TEST(Condition, SaysWhatADateIs) {
  const auto message = [](std::string_view text) {
    try {
      (void)dated(text);
    } catch (const Error& error) {
      return error.message() + " | " + error.advice();
    }
    return std::string("read");
  };
  EXPECT_NE(message("day > soon").find("day holds dates, soon is none | write it as '2020-01-31'"), std::string::npos);
  EXPECT_NE(message("day > 2020-02-30").find("2020-02-30 is none"), std::string::npos);
  EXPECT_NE(message("month(month) = 1").find("month() needs a column of dates, and month holds numbers"),
            std::string::npos);
  EXPECT_NE(message("hour(noon) = 25").find("25 is no hour"), std::string::npos);
  EXPECT_NE(message("month(").find("where"), std::string::npos);
}

TEST(RowGroups, ArePartsOfDatesInTheirOrder) {
  const Table table = dated_table();
  std::vector<std::uint64_t> all(6);
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  const auto months = group_rows(table, row_key("month(day)", table.schema()), all, 12);
  ASSERT_EQ(months.size(), 4U);
  EXPECT_EQ(months[0].name, "month(day) = January");
  EXPECT_EQ(months[0].rows, (Rows{1, 2, 4}));
  EXPECT_EQ(months[1].name, "month(day) = February");
  EXPECT_EQ(months[2].name, "month(day) = December");
  EXPECT_EQ(months[3].name, "day is missing");
  const auto days = group_rows(table, row_key("day", table.schema()), all, 12);
  EXPECT_EQ(days[0].name, "day = 2019-12-31");
  const auto quarters = group_rows(table, row_key("noon", table.schema()), all, 3);
  EXPECT_EQ(quarters[0].name, "noon ≤ 2020-01-01 12:00");
  // Their names are conditions.
  for (const auto& groups : {months, days}) {
    for (const RowGroup& group : groups) EXPECT_EQ(dated(group.name), group.rows) << group.name;
  }
  EXPECT_THROW((void)row_key("decade(day)", table.schema()), Error);
  EXPECT_THROW((void)row_key("month(month)", table.schema()), Error);
}

}  // namespace
}  // namespace sightglass
