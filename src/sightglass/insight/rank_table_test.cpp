#include "sightglass/insight/rank_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/result_items.h"

namespace sightglass {
namespace {

using testing::importance_of;
using testing::result_of;

std::vector<std::string> names(const RankTable& table) {
  std::vector<std::string> list;
  for (const auto& row : table.rows) list.push_back(row.name);
  return list;
}

TEST(RankTable, KnowsWhereBarsStart) {
  const RankTable table =
      rank_table({result_of("model-reliance", {importance_of("a", 1.5, "reliance: ratio of rmse"),
                                               importance_of("a", 3, "reliance: increase of rmse")})});
  ASSERT_EQ(table.columns.size(), 2u);
  for (const auto& column : table.columns)
    EXPECT_EQ(column.base, column.title.find("atio") != std::string::npos ? 1 : 0);
}

TEST(RankTable, PutsMeasuresSideBySideWhateverTheOrderOfResults) {
  Interaction total;
  total.features = {"a"};
  total.strength = 3;
  Importance sure = importance_of("b", 5, "increase of rmse");
  sure.se = 0.5;
  const RankTable table =
      rank_table({result_of("interactions", {total}),
                  result_of("permutation-importance", {importance_of("a", 1, "increase of rmse"), sure}),
                  result_of("shap", {importance_of("c", 9, "mean |SHAP|")})});
  ASSERT_EQ(table.columns.size(), 3u);
  EXPECT_EQ(table.columns[0].title, "Increase of rmse");
  EXPECT_EQ(table.columns[1].title, "Mean |SHAP|");
  EXPECT_EQ(table.columns[2].title, "Interaction strength");
  // Those that the first column does not know come last.
  EXPECT_THAT(names(table), ::testing::ElementsAre("b", "a", "c"));
  EXPECT_DOUBLE_EQ(*table.rows[0].cells[0].low, 5 - 1.96 * 0.5);
  EXPECT_EQ(table.rows[0].cells[1].text, "–");
  EXPECT_FALSE(table.rows[0].cells[1].value);
  EXPECT_EQ(*table.rows[1].cells[2].value, 3);
  EXPECT_THAT(table.columns[0].hint, ::testing::HasSubstr("95 % intervals"));
}

TEST(RankTable, SeveralOutputsAreAveraged) {
  const RankTable table = rank_table(
      {result_of("shap", {importance_of("a", 1, "mean |SHAP|", "x"), importance_of("a", 3, "mean |SHAP|", "y")})});
  EXPECT_EQ(*table.rows[0].cells[0].value, 2);
  EXPECT_THAT(table.columns[0].hint, ::testing::EndsWith("Here the mean over 2 outputs."));
  // Charts tell more then.
  EXPECT_FALSE(table.has("shap", measure_from_text("mean |SHAP|")));
}

TEST(RankTable, TheSameMeasureFromMoreRowsWins) {
  Importance few = importance_of("a", 1, "mean |SHAP|"), many = importance_of("a", 2, "mean |SHAP|");
  few.details.set("rows", 10);
  many.details.set("rows", 1000);
  const RankTable table = rank_table({result_of("shap", {few}), result_of("shap", {many})});
  ASSERT_EQ(table.columns.size(), 1u);
  EXPECT_EQ(*table.rows[0].cells[0].value, 2);
}

TEST(RankTable, OtherModelsAndOutputsHaveColumnsOfTheirOwn) {
  Result one = result_of("shap", {importance_of("a", 1, "mean |SHAP|", "x")});
  Result other = result_of("shap", {importance_of("a", 2, "mean |SHAP|", "y")});
  const RankTable by_output = rank_table({one, other});
  ASSERT_EQ(by_output.columns.size(), 2u);
  EXPECT_EQ(by_output.columns[0].title, "Mean |SHAP| (x)");
  EXPECT_EQ(by_output.columns[1].title, "Mean |SHAP| (y)");
  other = one;
  one.model = Value::object({{"file", "a.json"}});
  other.model = Value::object({{"file", "b.json"}});
  const RankTable by_model = rank_table({one, other});
  ASSERT_EQ(by_model.columns.size(), 2u);
  EXPECT_EQ(by_model.columns[1].title, "Mean |SHAP| (b.json)");
  other.model = Value::object({{"file", "a.json"}, {"version", "2"}});
  EXPECT_EQ(rank_table({one, other}).columns[1].title, "Mean |SHAP| · 2");
}

TEST(RankTable, ColumnsOnDifferentScalesSaySo) {
  Result margin = result_of("shap", {importance_of("a", 1, "mean |SHAP|")});
  margin.model = Value::object({{"task", "binary"}, {"objective", "binary:logistic"}});
  margin.options = Value::object({{"scale", "margin"}});
  Result response = result_of("pd-importance", {importance_of("a", 1, "sd of partial dependence")});
  response.model = margin.model;
  response.options = Value::object({{"scale", "response"}});
  const RankTable table = rank_table({margin, response});
  EXPECT_EQ(table.columns[0].title, "Mean |SHAP| (log-odds)");
  EXPECT_EQ(table.columns[1].title, "Sd of partial dependence (probability)");
  EXPECT_THAT(table.columns[1].hint, ::testing::HasSubstr("On the scale of probabilities."));
}

TEST(RankTable, PartialDependenceHasOneColumnAndGroupsOfRowsNone) {
  Importance of_some = importance_of("b", 7, "increase of rmse");
  of_some.group = "k = 1";
  const RankTable table =
      rank_table({result_of("pd-importance", {importance_of("a", 1, "sd of partial dependence"),
                                              importance_of("a", 2, "sd of partial dependence over the data")}),
                  result_of("permutation-importance", {of_some})});
  ASSERT_EQ(table.columns.size(), 1u);
  EXPECT_EQ(table.columns[0].title, "Sd of partial dependence");
  EXPECT_EQ(*table.rows[0].cells[0].value, 2);
  EXPECT_TRUE(table.has("pd-importance", measure_from_text("sd of partial dependence")));
  EXPECT_TRUE(table.has("pd-importance", measure_from_text("sd of partial dependence over the data")));
  EXPECT_FALSE(table.has("permutation-importance", measure_from_text("increase of rmse")));
}

TEST(RankTable, WhatIsNoNumberIsLeftEmpty) {
  const RankTable table = rank_table({result_of("shap", {importance_of("a", std::nan(""), "mean |SHAP|")})});
  EXPECT_FALSE(table.rows[0].cells[0].value);
}

}  // namespace
}  // namespace sightglass
