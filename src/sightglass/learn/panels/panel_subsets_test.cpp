#include "sightglass/learn/panels/panel_subsets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "sightglass/base/error.h"

namespace sightglass {
namespace {

// 120 features of noise; the class is whether two of them have the same sign, of which neither says anything alone.
TrainingData same_sign() {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  TrainingData data;
  data.rows = 600;
  data.target = "y";
  data.classes = {"no", "yes"};
  for (int f = 0; f < 120; ++f) {
    TrainingFeature& feature = data.features.emplace_back();
    feature.info.name = "f" + std::to_string(f);
    for (std::size_t row = 0; row < data.rows; ++row) feature.values.push_back(normal(random));
  }
  for (std::size_t row = 0; row < data.rows; ++row) {
    data.outcome.push_back(data.features[17].values[row] * data.features[90].values[row] > 0 ? 1 : 0);
  }
  return data;
}

TEST(PanelSubsets, AllWhereThereIsRoom) {
  TrainingData data = same_sign();
  data.features.resize(4);
  const PanelSubsets subsets = panel_subsets(data, {.max_subsets = 8, .veto = {"f1", "f2:f0"}}, Context(1));
  EXPECT_EQ(subsets.possible, 8U);  // without those that are vetoed
  EXPECT_EQ(subsets.pairs, 5U);
  EXPECT_EQ(subsets.screened, 0U);
  EXPECT_THAT(subsets.list,
              ::testing::ElementsAre(PanelSubset{0}, PanelSubset{2}, PanelSubset{3}, PanelSubset{0, 1},
                                     PanelSubset{0, 3}, PanelSubset{1, 2}, PanelSubset{1, 3}, PanelSubset{2, 3}));
}

// Refused before the list of them takes gigabytes.
TEST(PanelSubsets, MoreThanCanBeTried) {
  TrainingData data;
  data.rows = 2;
  data.outcome = {0, 1};
  data.classes = {"no", "yes"};
  for (int f = 0; f < 1500; ++f) data.features.push_back({.info = {.name = "f" + std::to_string(f)}, .values = {0, 1}});
  EXPECT_THROW((void)panel_subsets(data, {.max_subsets = 0, .veto = {}}, Context(1)), Error);
  EXPECT_EQ(panel_subsets(data, {.dimensions = 1, .max_subsets = 0, .veto = {}}, Context(1)).list.size(), 1500U);
  EXPECT_EQ(panel_subsets(data, {.max_subsets = 40, .veto = {}}, Context(1)).list.size(), 40U);
}

TEST(PanelSubsets, PairsThatSayNothingAloneSurvive) {
  const TrainingData data = same_sign();
  const PanelLimits limits{.max_subsets = 50, .veto = {}};
  const PanelSubsets subsets = panel_subsets(data, limits, Context(1));
  EXPECT_EQ(subsets.possible, 120U * 121 / 2);
  EXPECT_EQ(subsets.screened, 120U * 119 / 2);
  EXPECT_EQ(subsets.list.size(), 50U);
  EXPECT_EQ(std::count_if(subsets.list.begin(), subsets.list.end(), [](const auto& one) { return one.size() == 1; }),
            5);
  EXPECT_THAT(subsets.list, ::testing::Contains(PanelSubset{17, 90}));
  EXPECT_EQ(panel_subsets(data, limits, Context(3)).list, subsets.list);
  const PanelSubsets alone = panel_subsets(data, {.dimensions = 1, .max_subsets = 50, .veto = {}}, Context(1));
  EXPECT_EQ(alone.list.size(), 50U);
  EXPECT_EQ(alone.screened, 0U);
}

}  // namespace
}  // namespace sightglass
