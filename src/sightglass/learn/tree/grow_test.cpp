#include "sightglass/learn/tree/grow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"
#include "sightglass/learn/tree/prune.h"

namespace sightglass {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double uniform(std::uint64_t seed, std::uint64_t index) {
  return static_cast<double>(random_bits(seed, 77, index) >> 11) * 0x1.0p-53;
}

TrainingFeature numeric(std::string name, std::vector<double> values) {
  return {{.name = std::move(name)}, std::move(values)};
}
TrainingFeature categorical(std::string name, std::size_t levels, std::vector<double> values) {
  TrainingFeature feature{{.name = std::move(name), .categorical = true}, std::move(values)};
  for (std::size_t k = 0; k < levels; ++k) feature.info.levels.push_back(std::string(1, static_cast<char>('a' + k)));
  return feature;
}

// Numbers with ties, levels, missing values in both.
TrainingData random_data(std::uint64_t seed, std::size_t rows, std::size_t classes, bool weighted) {
  TrainingData data;
  data.rows = rows;
  std::vector<double> x, z, c, t;
  for (std::size_t row = 0; row < rows; ++row) {
    x.push_back(std::floor(uniform(seed, 7 * row) * 8));
    z.push_back(uniform(seed, 7 * row + 1) < 0.2 ? nan : std::floor(uniform(seed, 7 * row + 2) * 6));
    c.push_back(uniform(seed, 7 * row + 3) < 0.1 ? nan : std::floor(uniform(seed, 7 * row + 4) * 4));
    const double noise = uniform(seed, 7 * row + 5);
    const double signal = (x[row] > 3 ? 1 : 0) + (std::isnan(z[row]) ? 1.5 : 0) + (c[row] == 2 ? 1 : 0) + 2 * noise;
    data.outcome.push_back(classes == 0 ? signal : std::min(static_cast<double>(classes - 1), std::floor(signal)));
    if (weighted) data.weights.push_back(1 + std::floor(uniform(seed, 7 * row + 6) * 3));
  }
  data.features = {numeric("x", x), numeric("z", z), categorical("c", 4, c)};
  for (std::size_t k = 0; k < classes; ++k) data.classes.push_back("class " + std::to_string(k));
  return data;
}

TreeOutcome outcome_of(const TrainingData& data) { return {data.outcome, data.classes.size(), data.weights}; }

// weight · impurity by its definition.
double disorder(const TrainingData& data, const std::vector<std::size_t>& rows, Impurity impurity) {
  double weight = 0, sum = 0;
  std::vector<double> classes(std::max<std::size_t>(1, data.classes.size()));
  for (const std::size_t row : rows) {
    weight += data.weight(row);
    sum += data.weight(row) * data.outcome[row];
    if (!data.classes.empty()) classes[static_cast<std::size_t>(data.outcome[row])] += data.weight(row);
  }
  double total = 0;
  if (impurity == Impurity::variance) {
    for (const std::size_t row : rows) total += data.weight(row) * std::pow(data.outcome[row] - sum / weight, 2);
    return total;
  }
  for (const double part : classes) {
    if (part == 0) continue;
    total += impurity == Impurity::gini ? part * (1 - part / weight) : -part * std::log2(part / weight);
  }
  return total;
}

// The best decrease of weight · impurity among all ways to part the values of any feature: any threshold with missing
// values on either side, any subset of levels, missing values against all others.
double best_by_trying(const TrainingData& data, const std::vector<std::size_t>& rows, Impurity impurity,
                      std::size_t min_leaf_rows) {
  double best = 0;
  const double whole = disorder(data, rows, impurity);
  const auto try_parting = [&](const std::function<bool(std::size_t)>& is_left) {
    std::vector<std::size_t> left, right;
    for (const std::size_t row : rows) (is_left(row) ? left : right).push_back(row);
    if (left.size() < min_leaf_rows || right.size() < min_leaf_rows || left.empty() || right.empty()) return;
    best = std::max(best, whole - disorder(data, left, impurity) - disorder(data, right, impurity));
  };
  for (const TrainingFeature& feature : data.features) {
    for (const bool missing_left : {false, true}) {
      const auto parting = [&](auto&& present_left) {
        try_parting([&](std::size_t row) {
          return std::isnan(feature.values[row]) ? missing_left : present_left(feature.values[row]);
        });
      };
      if (feature.info.categorical) {
        for (unsigned set = 0; set < 1U << feature.info.levels.size(); ++set) {
          parting([&](double level) { return ((set >> static_cast<unsigned>(level)) & 1U) != 0; });
        }
      } else {
        for (const double threshold : feature.values) parting([&](double value) { return value <= threshold; });
      }
    }
  }
  return best;
}

std::vector<std::vector<std::size_t>> rows_of_nodes(const GrownTree& tree, const TrainingData& data) {
  std::vector<std::vector<std::size_t>> rows(tree.nodes.size());
  for (std::size_t row = 0; row < data.rows; ++row) {
    for (std::size_t node = 0;;) {
      rows[node].push_back(row);
      const GrownNode& at = tree.nodes[node];
      if (at.is_leaf()) break;
      const TrainingFeature& feature = data.features[at.feature];
      node =
          static_cast<std::size_t>(goes_left(at, feature.info.categorical, feature.values[row]) ? at.left : at.right);
    }
  }
  return rows;
}

struct GrowCase {
  std::size_t classes;
  Impurity impurity;
};

TEST(Grow, EverySplitIsTheBestOfAll) {
  const Context context(1);
  const std::vector<GrowCase> cases = {{0, Impurity::variance},
                                       {2, Impurity::gini},
                                       {2, Impurity::entropy},
                                       {3, Impurity::gini},
                                       {3, Impurity::entropy}};
  for (const GrowCase& tried : cases) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const TrainingData data = random_data(seed, 60, tried.classes, seed % 2 == 1);
      GrowOptions options{.impurity = tried.impurity, .max_depth = 3, .min_leaf_rows = 1 + seed % 4};
      const GrownTree tree = grow(SortedFeatures(data, context), outcome_of(data), options, context);
      ASSERT_GT(tree.nodes.size(), 3U);
      const auto rows = rows_of_nodes(tree, data);
      const double total = tree.nodes[0].weight;
      for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const GrownNode& node = tree.nodes[i];
        ASSERT_EQ(node.rows, rows[i].size());
        EXPECT_NEAR(node.impurity, disorder(data, rows[i], tried.impurity) / node.weight, 1e-12);
        if (node.is_leaf()) {
          for (const std::size_t row : rows[i]) EXPECT_EQ(tree.node_of_row[row], i);
          continue;
        }
        const double best = best_by_trying(data, rows[i], tried.impurity, options.min_leaf_rows);
        const double made = disorder(data, rows[i], tried.impurity) -
                            disorder(data, rows[static_cast<std::size_t>(node.left)], tried.impurity) -
                            disorder(data, rows[static_cast<std::size_t>(node.right)], tried.impurity);
        EXPECT_NEAR(made, best, 1e-9 * best) << "seed " << seed << " node " << i;
        EXPECT_NEAR(node.gain * total, made, 1e-9 * best);
      }
    }
  }
}

TEST(Grow, LevelsOfSeveralClassesAreOrderedByTheirFirstComponent) {
  // Two groups of levels whose class shares differ along one line only: the best of all subsets is found, though these
  // are too many to be tried.
  TrainingData data;
  data.classes = {"r", "g", "b"};
  const std::vector<std::vector<int>> outcomes = {{0, 0, 0, 1}, {1, 2, 2, 1}, {0, 0, 1, 0}, {2, 1, 1, 2}, {0, 0, 0, 2}};
  std::vector<double> levels;
  for (std::size_t level = 0; level < 10; ++level) {
    for (const int outcome : outcomes[level % 5]) {
      levels.push_back(static_cast<double>(level));
      data.outcome.push_back(outcome);
    }
  }
  data.rows = levels.size();
  data.features = {categorical("c", 10, levels)};
  const Context context(1);
  const GrownTree tree =
      grow(SortedFeatures(data, context), outcome_of(data), {.impurity = Impurity::gini, .max_depth = 1}, context);
  EXPECT_EQ(tree.nodes[0].levels, (std::vector<std::uint32_t>{1, 3, 6, 8}));
  std::vector<std::size_t> all(data.rows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  EXPECT_NEAR(tree.nodes[0].gain * 40, best_by_trying(data, all, Impurity::gini, 1), 1e-12);
}

void expect_same_tree(const GrownTree& a, const GrownTree& b) {
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    EXPECT_EQ(a.nodes[i].left, b.nodes[i].left);
    EXPECT_EQ(a.nodes[i].right, b.nodes[i].right);
    if (!a.nodes[i].is_leaf()) {
      EXPECT_EQ(a.nodes[i].feature, b.nodes[i].feature);
    }
    EXPECT_EQ(a.nodes[i].threshold, b.nodes[i].threshold);
    EXPECT_EQ(a.nodes[i].levels, b.nodes[i].levels);
    EXPECT_EQ(a.nodes[i].missing_left, b.nodes[i].missing_left);
    EXPECT_NEAR(a.nodes[i].weight, b.nodes[i].weight, 1e-12 * a.nodes[i].weight);
    EXPECT_NEAR(a.nodes[i].impurity, b.nodes[i].impurity, 1e-12);
    EXPECT_NEAR(a.nodes[i].value, b.nodes[i].value, 1e-12);
  }
}

TEST(Grow, AWeightIsSoManyRows) {
  const Context context(1);
  for (const std::size_t classes : {0U, 2U, 3U}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const TrainingData data = random_data(seed, 80, classes, true);
      TrainingData repeated = data;
      repeated.weights.clear();
      repeated.outcome.clear();
      for (auto& feature : repeated.features) feature.values.clear();
      for (std::size_t row = 0; row < data.rows; ++row) {
        for (int copy = 0; copy < static_cast<int>(data.weights[row]); ++copy) {
          repeated.outcome.push_back(data.outcome[row]);
          for (std::size_t f = 0; f < 3; ++f) repeated.features[f].values.push_back(data.features[f].values[row]);
        }
      }
      repeated.rows = repeated.outcome.size();
      for (const std::size_t max_leaves : {6U, 1000U}) {
        const GrowOptions options{.impurity = classes == 0 ? Impurity::variance : Impurity::entropy,
                                  .max_depth = 5,
                                  .max_leaves = max_leaves};
        expect_same_tree(grow(SortedFeatures(data, context), outcome_of(data), options, context),
                         grow(SortedFeatures(repeated, context), outcome_of(repeated), options, context));
      }
    }
  }
}

TEST(Grow, RowsWithoutWeightAreNotThere) {
  const Context context(1);
  const TrainingData data = random_data(3, 90, 0, false);
  std::vector<double> weights(data.rows);
  TrainingData kept = data;
  kept.outcome.clear();
  for (auto& feature : kept.features) feature.values.clear();
  for (std::size_t row = 0; row < data.rows; ++row) {
    weights[row] = row % 3 == 0 ? 0 : 1;
    if (weights[row] == 0) continue;
    kept.outcome.push_back(data.outcome[row]);
    for (std::size_t f = 0; f < 3; ++f) kept.features[f].values.push_back(data.features[f].values[row]);
  }
  kept.rows = kept.outcome.size();
  const GrownTree tree = grow(SortedFeatures(data, context), {data.outcome, 0, weights}, {}, context);
  expect_same_tree(tree, grow(SortedFeatures(kept, context), outcome_of(kept), {}, context));
  EXPECT_EQ(tree.node_of_row[0], GrownTree::no_node);
  EXPECT_THROW(
      (void)grow(SortedFeatures(data, context), {data.outcome, 0, std::vector<double>(data.rows)}, {}, context), Error);
}

TEST(Grow, ThreadsDoNotChangeAByte) {
  const TrainingData data = random_data(5, 20000, 0, true);
  const Context one(1), three(3);
  const GrownTree a = grow(SortedFeatures(data, one), outcome_of(data), {.max_depth = 8}, one);
  const GrownTree b = grow(SortedFeatures(data, three), outcome_of(data), {.max_depth = 8}, three);
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    EXPECT_EQ(a.nodes[i].value, b.nodes[i].value);
    EXPECT_EQ(a.nodes[i].gain, b.nodes[i].gain);
  }
}

TEST(Grow, BestFirstMakesTheLargestGainsAndNothingElse) {
  const Context context(1);
  const TrainingData data = random_data(8, 300, 0, false);
  const SortedFeatures sorted(data, context);
  const GrownTree whole = grow(sorted, outcome_of(data), {}, context);
  for (const std::size_t leaves : {1U, 2U, 5U, 9U}) {
    const GrownTree tree = grow(sorted, outcome_of(data), {.max_leaves = leaves}, context);
    EXPECT_EQ(tree.leaves(), leaves);
    // By hand: the best split of all leaves of the tree before.
    std::vector<double> gains, open = {whole.nodes[0].gain};
    std::vector<std::size_t> at = {0};
    while (gains.size() + 1 < leaves) {
      const auto best = static_cast<std::size_t>(std::max_element(open.begin(), open.end()) - open.begin());
      gains.push_back(open[best]);
      const GrownNode& node = whole.nodes[at[best]];
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(best));
      at.erase(at.begin() + static_cast<std::ptrdiff_t>(best));
      for (const std::int32_t child : {node.left, node.right}) {
        open.push_back(whole.nodes[static_cast<std::size_t>(child)].gain);
        at.push_back(static_cast<std::size_t>(child));
      }
    }
    std::vector<double> made;
    for (const GrownNode& node : tree.nodes) {
      if (!node.is_leaf()) made.push_back(node.gain);
    }
    std::sort(gains.begin(), gains.end());
    std::sort(made.begin(), made.end());
    EXPECT_EQ(made, gains);
  }
}

TEST(Grow, TiesGoToTheFirstFeatureAndTheLowestThreshold) {
  TrainingData data;
  data.rows = 4;
  data.outcome = {0, 1, 1, 0};
  // Both cuts of a and both of b gain the same; b is a backwards.
  data.features = {numeric("a", {1, 2, 3, 4}), numeric("b", {4, 3, 2, 1})};
  const Context context(1);
  const GrownTree tree = grow(SortedFeatures(data, context), outcome_of(data), {.max_depth = 1}, context);
  EXPECT_EQ(tree.nodes[0].feature, 0U);
  EXPECT_EQ(tree.nodes[0].threshold, 1.5);
}

TEST(Grow, ThresholdIsTheMiddleButBelowTheUpperValue) {
  TrainingData data;
  data.rows = 2;
  data.outcome = {0, 1};
  const double next = std::nextafter(1.0, 2.0), huge = std::numeric_limits<double>::max();
  data.features = {numeric("a", {1.0, next})};
  const Context context(1);
  EXPECT_EQ(grow(SortedFeatures(data, context), outcome_of(data), {}, context).nodes[0].threshold, 1.0);
  data.features = {numeric("a", {-huge, huge})};
  EXPECT_EQ(grow(SortedFeatures(data, context), outcome_of(data), {}, context).nodes[0].threshold, 0.0);
  data.features = {numeric("a", {-0.0, 0.0})};
  EXPECT_EQ(grow(SortedFeatures(data, context), outcome_of(data), {}, context).leaves(), 1U);
}

TEST(Grow, MissingValuesAgainstAllOthers) {
  TrainingData data;
  data.rows = 6;
  data.outcome = {1, 1, 1, 5, 5, 5};
  data.features = {numeric("a", {3, 1, 2, nan, nan, nan})};
  const Context context(1);
  const GrownTree tree = grow(SortedFeatures(data, context), outcome_of(data), {}, context);
  ASSERT_EQ(tree.leaves(), 2U);
  EXPECT_EQ(tree.nodes[0].threshold, -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(tree.nodes[0].missing_left);
  EXPECT_EQ(tree.nodes[1].value, 5);
  EXPECT_EQ(tree.nodes[2].value, 1);
}

TEST(Grow, HugeAndTinyOutcomesAndWeightsGiveTheSameTree) {
  const Context context(1);
  const TrainingData data = random_data(11, 100, 0, true);
  const SortedFeatures sorted(data, context);
  const GrownTree plain = grow(sorted, outcome_of(data), {.max_depth = 4}, context);
  for (const double factor : {0x1p900, 0x1p-900}) {
    TrainingData scaled = data;
    for (double& value : scaled.outcome) value *= factor;
    for (double& weight : scaled.weights) weight *= factor;
    const GrownTree tree = grow(sorted, outcome_of(scaled), {.max_depth = 4}, context);
    ASSERT_EQ(tree.nodes.size(), plain.nodes.size());
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      EXPECT_EQ(tree.nodes[i].threshold, plain.nodes[i].threshold);
      EXPECT_EQ(tree.nodes[i].value, plain.nodes[i].value * factor);
      EXPECT_EQ(tree.nodes[i].weight, plain.nodes[i].weight * factor);
    }
  }
}

TEST(Grow, MonotoneTreesRiseOrFall) {
  const Context context(1);
  for (const std::size_t classes : {0U, 2U}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const TrainingData data = random_data(seed, 200, classes, false);
      for (const Monotone direction : {Monotone::increasing, Monotone::decreasing}) {
        const GrowOptions options{.impurity = classes == 0 ? Impurity::variance : Impurity::gini,
                                  .max_depth = 6,
                                  .monotone = {direction, direction, Monotone::free}};
        const GrownTree tree = grow(SortedFeatures(data, context), outcome_of(data), options, context);
        TrainingData probe = data;
        for (std::size_t row = 0; row < 30; ++row) {
          for (const std::size_t feature : {0U, 1U}) {
            double before = nan;
            for (double value = -1; value < 9; ++value) {
              probe.features[feature].values[row] = value;
              const double now = tree.nodes[leaf_of(tree, probe, row)].value;
              if (!std::isnan(before)) {
                EXPECT_GE(static_cast<double>(direction) * (now - before), 0);
              }
              before = now;
            }
            probe.features[feature].values[row] = data.features[feature].values[row];
          }
        }
      }
    }
  }
}

TEST(Grow, ConstantOutcomesAndFeaturesGiveOneLeaf) {
  const Context context(1);
  TrainingData data;
  data.rows = 5;
  data.outcome = {0.1, 0.1, 0.1, 0.1, 0.1};
  data.features = {numeric("a", {1, 2, 3, 4, 5})};
  GrownTree tree = grow(SortedFeatures(data, context), outcome_of(data), {}, context);
  EXPECT_EQ(tree.nodes.size(), 1U);
  EXPECT_EQ(tree.nodes[0].value, 0.1);
  EXPECT_EQ(tree.nodes[0].impurity, 0);
  data.outcome = {1, 2, 3, 4, 5};
  data.features = {numeric("a", {7, 7, 7, 7, 7}), numeric("m", {nan, nan, nan, nan, nan})};
  EXPECT_EQ(grow(SortedFeatures(data, context), outcome_of(data), {}, context).nodes.size(), 1U);
}

// Of all subtrees, by trying each.
TEST(Prune, EachAlphaHasTheBestSubtree) {
  const Context context(1);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const TrainingData data = random_data(seed, 60, seed % 2 == 0 ? 0 : 3, true);
    const GrownTree tree =
        grow(SortedFeatures(data, context), outcome_of(data),
             {.impurity = seed % 2 == 0 ? Impurity::variance : Impurity::gini, .max_leaves = 9}, context);
    const PruningPath path = pruning_path(tree);
    EXPECT_EQ(path.steps.front().leaves, tree.leaves());
    EXPECT_EQ(path.steps.back().leaves, 1U);
    const auto cost = [&](const GrownTree& kept, double alpha) {
      double sum = 0;
      for (const GrownNode& node : kept.nodes) {
        if (node.is_leaf()) sum += node.impurity * node.weight / tree.nodes[0].weight + alpha;
      }
      return sum;
    };
    std::vector<std::size_t> splits;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      if (!tree.nodes[i].is_leaf()) splits.push_back(i);
    }
    for (const PruningStep& step : path.steps) {
      const GrownTree kept = prune(tree, path, step.alpha);
      EXPECT_LE(kept.leaves(), step.leaves);
      double best = 1e300;
      for (unsigned set = 0; set < 1U << splits.size(); ++set) {
        std::vector<bool> becomes_leaf(tree.nodes.size());
        for (std::size_t k = 0; k < splits.size(); ++k) becomes_leaf[splits[k]] = ((set >> k) & 1U) != 0;
        best = std::min(best, cost(cut_back(tree, becomes_leaf), step.alpha));
      }
      EXPECT_NEAR(cost(kept, step.alpha), best, 1e-12);
      EXPECT_NEAR(cost(kept, 0), step.impurity, 1e-9 + (kept.leaves() < step.leaves ? 1 : 0));
    }
    const auto rows = rows_of_nodes(prune(tree, path, path.steps[3].alpha), data);
    const GrownTree kept = prune(tree, path, path.steps[3].alpha);
    for (std::size_t row = 0; row < data.rows; ++row) EXPECT_EQ(kept.node_of_row[row], leaf_of(kept, data, row));
  }
}

TEST(Prune, CrossValidationTakesNoiseBack) {
  const Context context(2);
  TrainingData data;
  data.rows = 600;
  std::vector<double> x, noise;
  for (std::size_t row = 0; row < data.rows; ++row) {
    x.push_back(uniform(1, 3 * row));
    noise.push_back(uniform(1, 3 * row + 1));
    data.outcome.push_back((x[row] > 0.5 ? 1 : 0) + 0.3 * (uniform(1, 3 * row + 2) - 0.5));
  }
  data.features = {numeric("x", x), numeric("noise", noise)};
  const SortedFeatures sorted(data, context);
  const GrownTree tree = grow(sorted, outcome_of(data), {}, context);
  EXPECT_GT(tree.leaves(), 300U);
  const PruningPath path = pruning_path(tree);
  for (const PruningRule rule : {PruningRule::minimum, PruningRule::one_standard_error}) {
    const PruningChoice choice = choose_alpha(data, sorted, outcome_of(data), path, {}, rule, 10, 4, context);
    EXPECT_EQ(prune(tree, path, choice.alpha).leaves(), 2U);
    EXPECT_EQ(choice.errors.size(), choice.alphas.size());
    // The same errors by pruning each fold's tree for each alpha.
    const auto fold_of_row = folds_of(data.rows, 10, 4);
    for (const std::size_t at : {std::size_t{0}, choice.alphas.size() / 2, choice.alphas.size() - 1}) {
      double mean = 0;
      for (std::uint32_t fold = 0; fold < 10; ++fold) {
        std::vector<double> weights(data.rows);
        for (std::size_t row = 0; row < data.rows; ++row) weights[row] = fold_of_row[row] == fold ? 0 : 1;
        const GrownTree grown = grow(sorted, {data.outcome, 0, weights}, {}, context);
        const GrownTree kept = prune(grown, pruning_path(grown), choice.alphas[at]);
        double sum = 0, count = 0;
        for (std::size_t row = 0; row < data.rows; ++row) {
          if (weights[row] > 0) continue;
          sum += std::pow(kept.nodes[leaf_of(kept, data, row)].value - data.outcome[row], 2);
          ++count;
        }
        mean += sum / count / 10;
      }
      EXPECT_NEAR(choice.errors[at], mean, 1e-12);
    }
  }
}

}  // namespace
}  // namespace sightglass
