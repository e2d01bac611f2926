#include "sightglass/render/rank_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace sightglass {
namespace {

Importance entry_of(const std::string& feature, const std::string& measure, double importance,
                    const std::string& output = "") {
  Importance entry;
  entry.feature = feature;
  entry.features = {feature};
  entry.measure = measure;
  entry.importance = importance;
  entry.output = output;
  return entry;
}

Result result_of(const std::string& method, std::vector<ResultItem> items) {
  Result result;
  result.method = method;
  result.results = std::move(items);
  return result;
}

std::vector<std::string> names(const RankTable& table) {
  std::vector<std::string> list;
  for (const auto& row : table.rows) list.push_back(row.name);
  return list;
}

TEST(RankTable, PutsMeasuresSideBySideWhateverTheOrderOfResults) {
  Interaction total;
  total.features = {"a"};
  total.strength = 3;
  Importance sure = entry_of("b", "increase of rmse", 5);
  sure.se = 0.5;
  const RankTable table = rank_table({result_of("interactions", {total}),
                                      result_of("permutation-importance", {entry_of("a", "increase of rmse", 1), sure}),
                                      result_of("shap", {entry_of("c", "mean |SHAP|", 9)})});
  ASSERT_EQ(table.columns.size(), 3u);
  EXPECT_EQ(table.columns[0].title, "Increase of rmse");
  EXPECT_EQ(table.columns[1].title, "Mean |SHAP|");
  EXPECT_EQ(table.columns[2].title, "Interaction strength");
  // Those that the first column does not know come last.
  EXPECT_THAT(names(table), testing::ElementsAre("b", "a", "c"));
  EXPECT_DOUBLE_EQ(*table.rows[0].cells[0].low, 5 - 1.96 * 0.5);
  EXPECT_EQ(table.rows[0].cells[1].text, "–");
  EXPECT_FALSE(table.rows[0].cells[1].value);
  EXPECT_EQ(*table.rows[1].cells[2].value, 3);
  EXPECT_THAT(table.columns[0].hint, testing::HasSubstr("95 % intervals"));
}

TEST(RankTable, SeveralOutputsAreAveraged) {
  const RankTable table =
      rank_table({result_of("shap", {entry_of("a", "mean |SHAP|", 1, "x"), entry_of("a", "mean |SHAP|", 3, "y")})});
  EXPECT_EQ(*table.rows[0].cells[0].value, 2);
  EXPECT_THAT(table.columns[0].hint, testing::EndsWith("Here the mean over 2 outputs."));
  // Charts tell more then.
  EXPECT_FALSE(table.has("shap", "mean |SHAP|"));
}

TEST(RankTable, TheSameMeasureFromMoreRowsWins) {
  Importance few = entry_of("a", "mean |SHAP|", 1), many = entry_of("a", "mean |SHAP|", 2);
  few.details.set("rows", 10);
  many.details.set("rows", 1000);
  const RankTable table = rank_table({result_of("shap", {few}), result_of("shap", {many})});
  ASSERT_EQ(table.columns.size(), 1u);
  EXPECT_EQ(*table.rows[0].cells[0].value, 2);
}

TEST(RankTable, OtherModelsAndOutputsHaveColumnsOfTheirOwn) {
  Result one = result_of("shap", {entry_of("a", "mean |SHAP|", 1, "x")});
  Result other = result_of("shap", {entry_of("a", "mean |SHAP|", 2, "y")});
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
  Result margin = result_of("shap", {entry_of("a", "mean |SHAP|", 1)});
  margin.model = Value::object({{"task", "binary"}, {"objective", "binary:logistic"}});
  margin.options = Value::object({{"scale", "margin"}});
  Result response = result_of("pd-importance", {entry_of("a", "sd of partial dependence", 1)});
  response.model = margin.model;
  response.options = Value::object({{"scale", "response"}});
  const RankTable table = rank_table({margin, response});
  EXPECT_EQ(table.columns[0].title, "Mean |SHAP| (log-odds)");
  EXPECT_EQ(table.columns[1].title, "Sd of partial dependence (probability)");
  EXPECT_THAT(table.columns[1].hint, testing::HasSubstr("On the scale of probabilities."));
}

TEST(RankTable, PartialDependenceHasOneColumnAndGroupsOfRowsNone) {
  Importance of_some = entry_of("b", "increase of rmse", 7);
  of_some.group = "k = 1";
  const RankTable table =
      rank_table({result_of("pd-importance", {entry_of("a", "sd of partial dependence", 1),
                                              entry_of("a", "sd of partial dependence over the data", 2)}),
                  result_of("permutation-importance", {of_some})});
  ASSERT_EQ(table.columns.size(), 1u);
  EXPECT_EQ(table.columns[0].title, "Sd of partial dependence");
  EXPECT_EQ(*table.rows[0].cells[0].value, 2);
  EXPECT_TRUE(table.has("pd-importance", "sd of partial dependence"));
  EXPECT_TRUE(table.has("pd-importance", "sd of partial dependence over the data"));
  EXPECT_FALSE(table.has("permutation-importance", "increase of rmse"));
}

TEST(RankTable, WhatIsNoNumberIsLeftEmpty) {
  const RankTable table = rank_table({result_of("shap", {entry_of("a", "mean |SHAP|", std::nan(""))})});
  EXPECT_FALSE(table.rows[0].cells[0].value);
}

}  // namespace
}  // namespace sightglass
