#include "sightglass/learn/hierarchical_panels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "sightglass/learn/fit.h"
#include "sightglass/learn/training_fit.h"
#include "sightglass/result/json.h"
#include "support/panel_test_data.h"

namespace sightglass {
namespace {

using testing::panel_item;
using testing::random_classes;
using testing::row_values;

Learned fit(const TrainingData& data, const Value& options = Value::object(), int threads = 1) {
  const Context context(threads);
  return hierarchical_panels().fit(data, options, context);
}

const PanelTreeStructure& tree(const Learned& learned) { return std::get<PanelTreeStructure>(learned.structure); }

// Inside or outside a ring of a and b; c is noise.
TrainingData ring(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  TrainingData data;
  data.rows = 300;
  data.target = "y";
  data.classes = {"inside", "outside"};
  for (const char* name : {"c", "a", "b"}) data.features.push_back({.info = {.name = name}, .values = {}});
  for (std::size_t row = 0; row < data.rows; ++row) {
    const double a = normal(random), b = normal(random);
    data.features[0].values.push_back(normal(random));
    data.features[1].values.push_back(a);
    data.features[2].values.push_back(b);
    data.outcome.push_back(a * a + b * b > 1.2 ? 1 : 0);
  }
  return data;
}

double accuracy(const PanelTreeStructure& structure, const TrainingData& data) {
  std::size_t right = 0;
  for (std::size_t row = 0; row < data.rows; ++row) {
    if (panel_way(structure, row_values(data, row)).predicted == static_cast<std::size_t>(data.outcome[row])) ++right;
  }
  return static_cast<double>(right) / static_cast<double>(data.rows);
}

TEST(HierarchicalPanels, FindsTheRingInTwoOfThreeFeatures) {
  const TrainingData data = ring(1);
  const Learned learned = fit(data);
  ASSERT_FALSE(tree(learned).nodes.empty());
  const Panel& root = tree(learned).nodes[0].panel;
  ASSERT_EQ(root.inputs.size(), 2U);
  EXPECT_EQ(root.inputs[0].feature, 1U);
  EXPECT_EQ(root.inputs[1].feature, 2U);
  EXPECT_FALSE(root.linear);
  EXPECT_EQ(root.claims, 1U);
  EXPECT_GT(accuracy(tree(learned), data), 0.95);
  EXPECT_GT(accuracy(tree(learned), ring(2)), 0.93);
  const ShownPanels shown = panel_item(learned);
  EXPECT_EQ(shown.form, PanelForm::hierarchical);
  EXPECT_EQ(shown.panels[0].count, 300);
  EXPECT_NEAR(shown.panels[0].above->count + shown.panels[0].below->count, 300, 1e-9);
}

// Leaves have the shares of the rows that end there, by a plain loop; the model predicts them.
TEST(HierarchicalPanels, LeavesAreSharesOfTheirRows) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const std::size_t classes = 2 + seed % 3;
    const TrainingData data = random_classes(seed, 240, classes);
    const Value options = Value::object({{"min_gain", 0.01}, {"max_depth", 3}});
    const Learned learned = fit(data, options);
    const PanelTreeStructure& structure = tree(learned);
    std::vector<std::vector<double>> sums(structure.leaves.size(), std::vector<double>(classes, 0));
    for (std::size_t row = 0; row < data.rows; ++row) {
      const PanelWay way = panel_way(structure, row_values(data, row));
      sums[way.end][static_cast<std::size_t>(data.outcome[row])] += data.weight(row);
      const bool heard = std::any_of(way.visits.begin(), way.visits.end(),
                                     [](const PanelVisit& visit) { return !std::isnan(visit.decision); });
      EXPECT_EQ(way.vote.has_value(), classes == 2 && heard);
    }
    for (std::size_t leaf = 0; leaf < sums.size(); ++leaf) {
      double total = 0;
      for (const double sum : sums[leaf]) total += sum;
      ASSERT_GT(total, 0);
      for (std::size_t c = 0; c < classes; ++c) EXPECT_NEAR(structure.leaves[leaf][c], sums[leaf][c] / total, 1e-12);
    }
    const auto model = make_model(hierarchical_panels(), data, learned, "test");
    Context context(2);
    const Matrix predicted = predict(*model, data, context);
    for (std::size_t row = 0; row < data.rows; ++row) {
      const auto& shares = structure.leaves[panel_way(structure, row_values(data, row)).end];
      for (std::size_t k = 0; k < (classes == 2 ? 1 : classes); ++k) {
        EXPECT_EQ(predicted(row, k), shares[classes == 2 ? 1 : k]) << row;
      }
    }
    EXPECT_EQ(to_json(to_value(learned.structure)), to_json(to_value(fit(data, options, 3).structure)));
  }
}

// 1 / (1 + exp(-d / spread)) of a linear panel, by hand.
TEST(HierarchicalPanels, Vote) {
  PanelTreeStructure structure;
  Panel first;
  first.inputs = {{.feature = 0, .center = 1, .scale = 2}};
  first.linear = true;
  first.coefficients = {3};
  first.bias = -1;
  first.spread = 2;
  first.claims = 1;
  Panel second = first;
  second.bias = 4;
  second.spread = 0.5;
  second.claims = 0;
  structure.nodes = {{.panel = first, .below = -1, .above = 1}, {.panel = second, .below = -2, .above = -3}};
  structure.leaves = {{1, 0}, {0, 1}, {0.75, 0.25}};
  const PanelWay way = panel_way(structure, std::vector<double>{3});  // z = 1, d = 2
  ASSERT_EQ(way.visits.size(), 2U);
  EXPECT_EQ(way.visits[0].decision, 2);
  EXPECT_EQ(way.end, 2U);
  EXPECT_EQ(way.predicted, 0U);
  EXPECT_EQ(way.visits[1].decision, 7);
  EXPECT_DOUBLE_EQ(*way.vote, (1 / (1 + std::exp(-1.0)) + 1 - 1 / (1 + std::exp(-14.0))) / 2);
  EXPECT_EQ(panel_way(structure, std::vector<double>{-1}).end, 0U);
  structure.nodes[0].missing_above = true;
  EXPECT_EQ(panel_way(structure, std::vector<double>{std::numeric_limits<double>::quiet_NaN()}).end, 1U);
}

// Three rows that weigh 50 times as much as all others: 60 rows then say hardly more than three.
TEST(HierarchicalPanels, FewRowsOfMuchWeightAreNoReasonForAPanel) {
  TrainingData data = ring(1);
  data.rows = 60;
  data.outcome.resize(60);
  for (TrainingFeature& feature : data.features) feature.values.resize(60);
  EXPECT_GT(fit(data).size, 0U);
  data.weights.assign(data.rows, 1);
  data.weights[0] = data.weights[1] = data.weights[2] = 1000;
  EXPECT_EQ(fit(data).size, 0U);
}

TEST(HierarchicalPanels, NumbersMayBeVeryLargeOrSmall) {
  const TrainingData data = ring(1);
  TrainingData scaled = data;
  for (double& value : scaled.features[1].values) value *= 0x1p600;
  for (double& value : scaled.features[2].values) value *= 0x1p-600;
  EXPECT_EQ(accuracy(tree(fit(scaled)), scaled), accuracy(tree(fit(data)), data));
  scaled.features[1].values[7] = std::numeric_limits<double>::infinity();
  EXPECT_GT(accuracy(tree(fit(scaled)), scaled), 0.95);
}

TEST(HierarchicalPanels, SaysWhichPanelsRanOutOfSteps) {
  const TrainingData data = random_classes(3, 240, 2, false);
  const Learned learned =
      fit(data, Value::object({{"cost", 1e9}, {"kernel", "linear"}, {"min_gain", 0.01}, {"max_depth", 1}}));
  ASSERT_EQ(learned.size, 1U);
  EXPECT_TRUE(std::any_of(learned.caveats.begin(), learned.caveats.end(),
                          [](const Caveat& caveat) { return caveat.id == "panels-not-converged"; }));
  for (const Caveat& caveat : fit(data, Value::object({{"max_depth", 1}})).caveats)
    EXPECT_NE(caveat.id, "panels-not-converged");
}

TEST(HierarchicalPanels, NothingSeparates) {
  TrainingData data = ring(1);
  std::mt19937_64 random(9);
  for (double& outcome : data.outcome) outcome = static_cast<double>(random() % 2);
  const Learned learned = fit(data);
  EXPECT_EQ(learned.size, 0U);
  EXPECT_EQ(tree(learned).leaves.size(), 1U);
  EXPECT_TRUE(std::any_of(learned.caveats.begin(), learned.caveats.end(),
                          [](const Caveat& caveat) { return caveat.id == "no-panel"; }));
  EXPECT_EQ(panel_way(tree(learned), row_values(data, 0)).end, 0U);
}

}  // namespace
}  // namespace sightglass
