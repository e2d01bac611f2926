#include "sightglass/insight/ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/render/data_table.h"
#include "sightglass/render/description.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Importance entry(const std::string& feature, double importance, const std::string& measure = "increase of rmse") {
  Importance item;
  item.feature = feature;
  item.features = {feature};
  item.measure = measure_from_text(measure);
  item.importance = importance;
  return item;
}

Result of(const std::vector<Importance>& entries) {
  Result result;
  for (const auto& item : entries) result.results.emplace_back(item);
  return result;
}

std::vector<std::string> order(const Result& result) {
  std::vector<std::string> labels;
  for (const auto& row : ranking_of(group_items(result)[0]).rows) labels.push_back(row.label);
  return labels;
}

Interaction pair(const std::string& a, const std::string& b, double strength) {
  Interaction item;
  item.features = {a, b};
  item.strength = strength;
  item.h2 = 0.25;
  return item;
}

TEST(Ranking, MostImportantFirstTiesByName) {
  EXPECT_THAT(order(of({entry("b", 1), entry("nan", std::nan("")), entry("a", 1), entry("c", 2), entry("d", -1)})),
              ElementsAre("c", "a", "b", "d", "nan"));
}

TEST(Ranking, MeasuresStandSideBySideByMeanRank) {
  const Result result = of({entry("a", 9, "pfi"), entry("b", 5, "pfi"), entry("c", 1, "pfi"), entry("a", 2, "pd"),
                            entry("b", 0, "pd"), entry("c", 1, "pd")});
  const auto groups = group_items(result);
  ASSERT_EQ(groups.size(), 1u);
  const Ranking ranking = ranking_of(groups[0]);
  EXPECT_THAT(ranking.columns, ElementsAre("pfi", "pd"));
  EXPECT_EQ(ranking.rows[1].label, "b");
  EXPECT_EQ(ranking.rows[1].cells[0].rank, 2u);
  EXPECT_EQ(ranking.rows[1].cells[1].rank, 3u);
  EXPECT_EQ(describe(result, groups[0]),
            "3 features ranked by 2 measures. All put a first. They disagree most about b: rank 2 by pfi, 3 by pd.");
}

TEST(Ranking, OneOutputIsTheSameNamedOrNot) {
  Importance named = entry("a", 2, "pd");
  named.output = "prediction";
  EXPECT_EQ(group_items(of({entry("a", 1, "pfi"), named})).size(), 1u);
  named.measure = measure_from_text("increase of rmse");
  named.feature = "b";
  const Result result = of({entry("a", 1), named});
  EXPECT_EQ(ranking_of(group_items(result)[0]).columns.size(), 1u);
}

TEST(Ranking, GroupsOfRowsAndOutputsStandSideBySideToo) {
  Importance first = entry("a", 1), second = entry("a", 2);
  first.group = "k = 0";
  second.group = "k = 1";
  const Result by_rows = of({first, second});
  EXPECT_EQ(ranking_of(group_items(by_rows)[0]).by, RankingBy::group);
  EXPECT_THAT(ranking_of(group_items(by_rows)[0]).columns, ElementsAre("k = 0", "k = 1"));
  first.group = second.group = "";
  first.output = "yes";
  second.output = "no";
  EXPECT_THAT(ranking_of(group_items(of({first, second}))[0]).columns, ElementsAre("yes", "no"));
}

TEST(Ranking, ManyColumnsAreDividedEvenly) {
  const auto columns = [](int count) {
    std::vector<Importance> entries;
    for (int i = 0; i < count; ++i) entries.push_back(entry("a", 1, "measure " + std::to_string(i)));
    const Result result = of(entries);
    std::vector<std::size_t> sizes;
    for (const auto& group : group_items(result)) sizes.push_back(ranking_of(group).columns.size());
    return sizes;
  };
  EXPECT_THAT(columns(5), ElementsAre(5));
  EXPECT_THAT(columns(8), ElementsAre(8));
  EXPECT_THAT(columns(9), ElementsAre(5, 4));
  EXPECT_EQ(evenly(5, 4), 3u);
  EXPECT_EQ(evenly(0, 4), 1u);
}

TEST(Ranking, RatiosStartAtOne) {
  EXPECT_EQ(baseline_of(measure_from_text("ratio of rmse")), 1);
  EXPECT_EQ(baseline_of(measure_from_text("reliance: ratio of log-loss")), 1);
  EXPECT_EQ(baseline_of(measure_from_text("reliance: increase of log-loss")), 0);
  EXPECT_EQ(baseline_of(measure_from_text("increase of ratio of things")), 0);
  const Result result = of({entry("a", 2, "ratio of rmse")});
  EXPECT_THAT(how_to_read(result, group_items(result)[0]), HasSubstr("Ratios start at 1"));
}

TEST(Ranking, GroupsSayTheirMembers) {
  Importance size = entry("size", 3), pair = entry("age:rooms", 1), rest = entry("remainder", 1);
  size.features = {"rooms", "beds"};
  pair.features = {"age", "rooms"};
  rest.features = {};
  const Result result = of({size, entry("age", 2), pair, rest});
  const ItemGroup group = group_items(result)[0];
  EXPECT_THAT(members_of(group), ElementsAre("size = rooms, beds"));
  EXPECT_THAT(describe(result, group), HasSubstr("size = rooms, beds."));
  const DataTable table = data_table(group);
  EXPECT_EQ(table.columns[1].title, "stands for");
  EXPECT_EQ(table.rows[0][1], "rooms, beds");
}

TEST(Ranking, IntervalsSayWhatTheyCover) {
  Importance item = entry("a", 5);
  item.low = 4;
  item.high = 7;
  item.details = Value::object({{"interval", "shuffling only"}});
  Result result = of({item});
  EXPECT_EQ(interval_of(item)->low, 4);
  EXPECT_EQ(interval_meaning(group_items(result)[0]), "intervals from low to high (shuffling only)");
  // Standard errors cover the data, too.
  item.se = 1;
  result = of({item});
  EXPECT_DOUBLE_EQ(interval_of(item)->low, 3.04);
  EXPECT_EQ(interval_meaning(group_items(result)[0]), "95 % intervals (± 1.96 standard errors)");
  item.se = INFINITY;
  EXPECT_EQ(interval_of(item)->high, 7);
  item.high = INFINITY;
  EXPECT_FALSE(interval_of(item).has_value());
}

TEST(Ranking, TablesHaveEveryDetail) {
  Importance first = entry("a", 2), second = entry("b", 1);
  first.sd = 0.5;
  first.details = Value::object({{"ratio", 1.5}, {"note", "x"}});
  second.features = {"c", "d"};
  const Result result = of({first, second});
  const DataTable table = data_table(group_items(result)[0]);
  std::vector<std::string> titles;
  for (const auto& column : table.columns) titles.push_back(column.title);
  EXPECT_THAT(titles, ElementsAre("feature", "stands for", "measure", "rank", "importance", "sd", "ratio", "note"));
  EXPECT_THAT(table.rows[0], ElementsAre("a", "", "increase of rmse", "1", "2", "0.5", "1.5", "x"));
  EXPECT_THAT(table.rows[1], ElementsAre("b", "c, d", "increase of rmse", "2", "1", "–", "–", "–"));
}

TEST(Interactions, StandApartByOrderStrongestFirst) {
  Result result;
  Interaction total = pair("a", "b", 1);
  total.features = {"a"};
  Interaction weak = pair("a", "b", 0.5);
  weak.details = Value::object({{"in_findings", false}});
  result.results = {weak, total, pair("b", "c", 2), pair("a", "c", 1)};
  const auto groups = group_items(result);
  ASSERT_EQ(groups.size(), 2u);
  const auto ranked = ranked_interactions(groups[0]);
  EXPECT_EQ(ranked[0].label, "b × c");
  EXPECT_TRUE(ranked[2].faded);
  EXPECT_EQ(group_qualifier(result, groups[1]), "each feature with all others");
  EXPECT_EQ(
      describe(result, groups[0]),
      "Interaction strength of pairs of features. Strongest of the 3 examined: b × c (2, H² 25 %), then a × c (1, "
      "H² 25 %), then a × b (0.5).");
  EXPECT_THAT(how_to_read(result, groups[0]), HasSubstr("Faded"));
}

TEST(Interactions, AMatrixNeedsEveryPairOnce) {
  Result result;
  result.results = {pair("a", "b", 1), pair("c", "a", 2), pair("b", "c", 3)};
  const PairMatrix matrix = pair_matrix(group_items(result)[0]);
  EXPECT_THAT(matrix.names, ElementsAre("a", "b", "c"));
  EXPECT_EQ(matrix.entry[0][2]->strength, 2);
  EXPECT_EQ(matrix.entry[2][0]->strength, 2);
  EXPECT_EQ(matrix.entry[1][1], nullptr);
  result.results[2] = pair("b", "a", 3);
  EXPECT_TRUE(pair_matrix(group_items(result)[0]).names.empty());
  result.results.pop_back();
  EXPECT_TRUE(pair_matrix(group_items(result)[0]).names.empty());
}

}  // namespace
}  // namespace sightglass
