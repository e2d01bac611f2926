#include "sightglass/result/dates.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/result/json.h"
#include "sightglass/result/shapes/counterfactuals.h"
#include "sightglass/result/shapes/examples.h"
#include "sightglass/result/shapes/rules.h"
#include "sightglass/result/shapes/tree.h"
#include "sightglass/result/tidy.h"

namespace sightglass {
namespace {

const Dates dates{{"seen", {DateUnit::seconds, DateDetail::minute}}, {"sold", {DateUnit::days, DateDetail::day}}};

ShownCondition bounds(std::optional<double> above, std::optional<double> at_most) {
  ShownCondition condition{.feature = "sold"};
  condition.above = above;
  condition.at_most = at_most;
  return condition;
}

TEST(ResultDates, TravelInTheDataAndReachEveryItem) {
  Result result;
  result.method = "m";
  result.data.set("dates", dates_value(dates));
  EXPECT_EQ(dates_of(result.data), dates);
  Curve curve;
  curve.axis = {.feature = "sold", .numbers = {18750, 18750.5}};
  curve.mean = {1, 2};
  Rules rules;
  rules.rules = {{.conditions = {bounds(18262, 18750.5)}}};
  ShownTree tree;
  tree.nodes = {{.split = bounds(std::nullopt, 18275.5), .children = {1, 2}, .count = 2}, {.count = 1}, {.count = 1}};
  Counterfactuals change;
  change.data = Value::object({{"sold", 18262}, {"price", 2}});
  change.changes = {{.values = Value::object({{"sold", 18750}, {"price", 3}})}};
  Examples examples;
  examples.features = {"seen"};
  examples.rows = {{.row = 3, .data = Value::object({{"seen", 1620050400}})}};
  result.results = {curve, rules, tree, change, examples};
  const Result read = result_from_json(to_json(result), "test");
  EXPECT_EQ(read.results[0].get<Curve>().axis.dates, dates.at("sold"));
  EXPECT_EQ(conditions_text(read.results[1].get<Rules>().rules[0].conditions), "2020-01-01 < sold <= 2021-05-03");
  const ShownCondition& split = *read.results[2].get<ShownTree>().nodes[0].split;
  EXPECT_EQ(condition_text(split), "sold <= 2020-01-14");
  EXPECT_EQ(opposite_text(split), "sold > 2020-01-14");
  const auto& changed = read.results[3].get<Counterfactuals>();
  EXPECT_EQ(changes_text(changed, changed.changes[0]), "sold from 2020-01-01 to 2021-05-03 and price from 2 up to 3");
  // Written again they are the same bytes.
  EXPECT_EQ(to_json(read), to_json(result));
}

TEST(ResultDates, ABoundBetweenTwoDaysIsOneOfThem) {
  ShownCondition condition{.feature = "sold", .dates = dates.at("sold")};
  condition.below = 18750.5;
  EXPECT_EQ(condition_text(condition), "sold <= 2021-05-03");
  condition.below = 18750;
  EXPECT_EQ(condition_text(condition), "sold < 2021-05-03");
  condition.below.reset();
  condition.at_least = 18750.5;
  EXPECT_EQ(condition_text(condition), "sold > 2021-05-03");
  condition.at_least = 18750;
  EXPECT_EQ(condition_text(condition), "sold >= 2021-05-03");
  EXPECT_EQ(opposite_text(condition), "sold < 2021-05-03");
}

TEST(ResultDates, AFrameHasThemAsDates) {
  Result result;
  Curve curve;
  curve.axis = {.feature = "sold", .numbers = {18750}, .dates = dates.at("sold")};
  curve.mean = {1};
  result.results = {curve};
  for (const auto& column : tidy_frame(result).columns) {
    if (column.name != "value") continue;
    EXPECT_EQ(column.cells[0], TidyFrame::Cell(TidyDate{dates.at("sold"), 18750}));
  }
  // A table has what lies between two days as it is.
  EXPECT_EQ(tidy_text({dates.at("sold"), 18750}), "2021-05-03");
  EXPECT_EQ(tidy_text({dates.at("sold"), 18750.5}), "2021-05-03 12:00");
}

TEST(ResultDates, HostileDataAreNoDates) {
  for (const char* text : {R"({"dates":3})", R"({"dates":{"a":"days"}})", R"({"dates":{"a":{"unit":"fortnights"}}})",
                           R"({"dates":{"a":{"unit":7}}})", R"({"dates":{"a":{"detail":"day"}}})"})
    EXPECT_TRUE(dates_of(value_from_json(text, "test")).empty()) << text;
}

}  // namespace
}  // namespace sightglass
