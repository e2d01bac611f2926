#include "sightglass/model/model_dates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/model/trees/ensemble.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two splits on `day`.
TreeEnsemble splits(double first, double second, DateUnit known = DateUnit::none) {
  TreeEnsemble::Parts parts;
  parts.signature.features = {{.name = "day", .dates = {.unit = known}}};
  parts.signature.outputs = {"prediction"};
  parts.comparison = Comparison::float64_less_equal;
  parts.base = {0};
  parts.nodes.resize(5);
  parts.nodes[0] = {.left = 1, .right = 2, .feature = 0, .threshold = first};
  parts.nodes[2] = {.left = 3, .right = 4, .feature = 0, .threshold = second};
  parts.trees = {{0, 0}};
  return TreeEnsemble(std::move(parts), "t");
}

// 2021-05-03 and 2021-05-13.
constexpr double first_day = 18750, last_day = 18760;

Table table(DateUnit unit, std::vector<double> values) {
  return Table(Schema({{.name = "day", .dates = {.unit = unit}}}), {column_of(std::move(values))},
               {"column day became a number: seconds since 1970-01-01", "another note"});
}

Table days() { return table(DateUnit::days, {first_day, last_day, std::nan("")}); }
Table seconds(double more = 0) {
  return table(DateUnit::seconds, {first_day * 86400, last_day * 86400 + more, std::nan("")});
}

std::vector<double> numbers(const Table& table) {
  std::vector<double> values(table.rows());
  read_numbers(table.column(0), values);
  values.pop_back();
  return values;
}

TEST(ModelDates, TheSplitsSayWhatIsCounted) {
  for (const Table& given : {days(), seconds()}) {
    EXPECT_THAT(numbers(with_model_dates(given, splits(18753.5, 18757.5), {})), ElementsAre(first_day, last_day));
    const Table counted = with_model_dates(given, splits(18753.5 * 86400, 18757.5 * 86400), {});
    EXPECT_THAT(numbers(counted), ElementsAre(first_day * 86400, last_day * 86400));
    EXPECT_EQ(counted.schema()[0].dates.unit, DateUnit::seconds);
    EXPECT_TRUE(std::isnan(counted.column(0).number(2)));
    // No calendar counts these: they are numbers.
    const Table fine = with_model_dates(given, splits(18753.5 * 86400e9, 18757.5 * 86400e9), {});
    EXPECT_THAT(numbers(fine), ElementsAre(first_day * 86400e9, last_day * 86400e9));
    EXPECT_FALSE(fine.schema()[0].dates);
    EXPECT_THAT(numbers(with_model_dates(given, splits(18753.5 * 86400e3, 18757.5 * 86400e3), {})),
                ElementsAre(first_day * 86400e3, last_day * 86400e3));
  }
}

TEST(ModelDates, TimesOfDayAreFractionsOfDays) {
  EXPECT_THAT(numbers(with_model_dates(seconds(43200), splits(18753.5, 18757.5), {})),
              ElementsAre(first_day, last_day + 0.5));
}

TEST(ModelDates, RowsBehindAllSplitsAreStillDates) {
  // The model was trained on the years before.
  EXPECT_THAT(numbers(with_model_dates(seconds(), splits(17000, 18500), {})), ElementsAre(first_day, last_day));
  // One that was trained on seconds, asked about a column that reaches back to 1960.
  const Table old = table(DateUnit::days, {-3650, last_day, std::nan("")});
  EXPECT_THAT(numbers(with_model_dates(old, splits(1.2e9, 1.5e9), {})), ElementsAre(-3650 * 86400.0, last_day * 86400));
  EXPECT_THAT(numbers(with_model_dates(old, splits(13000, 17000), {})), ElementsAre(-3650, last_day));
}

TEST(ModelDates, WithoutSplitsTheContainerDoesNotMatter) {
  const TreeEnsemble none = splits(INFINITY, INFINITY);
  for (const Table& given : {days(), seconds()})
    EXPECT_THAT(numbers(with_model_dates(given, none, {})), ElementsAre(first_day, last_day));
  EXPECT_THAT(numbers(with_model_dates(seconds(60), none, {})), ElementsAre(first_day * 86400, last_day * 86400 + 60));
  EXPECT_TRUE(doubtful_dates(seconds(), none, {}).empty());
}

TEST(ModelDates, AModelOfOurOwnKnowsThem) {
  const TreeEnsemble model = splits(18753.5, 18757.5, DateUnit::seconds);
  EXPECT_THAT(numbers(with_model_dates(days(), model, {})), ElementsAre(first_day * 86400, last_day * 86400));
}

TEST(ModelDates, SplitsThatAreNoDatesAreDoubted) {
  const TreeEnsemble model = splits(20210503, 20210508);
  EXPECT_THAT(numbers(with_model_dates(seconds(), model, {})), ElementsAre(first_day, last_day));
  const auto doubts = doubtful_dates(seconds(), model, {});
  ASSERT_EQ(doubts.size(), 1);
  EXPECT_EQ(doubts[0].column, "day");
  EXPECT_THAT(doubts[0].message,
              HasSubstr("between 2.02105e+07 and 2.02105e+07, which are none near these in any unit"));
  EXPECT_TRUE(doubtful_dates(seconds(), splits(18753.5, 18757.5), {}).empty());
}

TEST(ModelDates, TextsMayBeDates) {
  const auto text = [](std::vector<std::string> levels) {
    auto dictionary = std::make_shared<const Dictionary>(std::move(levels));
    Column codes = column_of(std::vector<std::int32_t>{1, 0, -1}, dictionary.get());
    return Table(Schema({{.name = "day", .type = DType::categorical, .dictionary = dictionary}}), {codes});
  };
  const TreeEnsemble model = splits(18753.5, 18757.5);
  EXPECT_THAT(numbers(with_model_dates(text({"2021-05-03", "2021-05-13"}), model, {})), ElementsAre(18760, 18750));
  EXPECT_THAT(numbers(with_model_dates(text({"2021-05-03 12:00", "2021-05-13"}), model, {})),
              ElementsAre(18760, 18750.5));
  EXPECT_TRUE(with_model_dates(text({"2021-05-03", "soon"}), model, {}).schema()[0].is_categorical());
  EXPECT_TRUE(with_model_dates(text({"2021", "2022"}), model, {}).schema()[0].is_categorical());
}

TEST(ModelDates, NotesSayWhatHolds) {
  EXPECT_THAT(with_model_dates(seconds(), splits(18753.5, 18757.5), {}).notes(),
              ElementsAre("another note",
                          "column day became a number: days since 1970-01-01, because the model splits them there"));
}

}  // namespace
}  // namespace sightglass
