#include "sightglass/learn/optimal_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"
#include "sightglass/learn/decision_tree.h"
#include "sightglass/learn/fit.h"
#include "sightglass/learn/training_fit.h"
#include "sightglass/learn/tree/cuts.h"
#include "sightglass/result/json.h"
#include "sightglass/result/shapes/tree.h"

namespace sightglass {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double uniform(std::uint64_t seed, std::uint64_t index) {
  return static_cast<double>(random_bits(seed, 78, index) >> 11) * 0x1.0p-53;
}

TrainingFeature numeric(std::string name, std::vector<double> values) {
  return {{.name = std::move(name)}, std::move(values)};
}

// Few values, levels, missing ones: few cuts.
TrainingData random_data(std::uint64_t seed, std::size_t rows, std::size_t classes, bool weighted) {
  TrainingData data;
  data.rows = rows;
  std::vector<double> x, z, c;
  for (std::size_t row = 0; row < rows; ++row) {
    x.push_back(std::floor(uniform(seed, 7 * row) * 4));
    z.push_back(uniform(seed, 7 * row + 1) < 0.2 ? nan : std::floor(uniform(seed, 7 * row + 2) * 2));
    c.push_back(std::floor(uniform(seed, 7 * row + 4) * 3));
    const bool odd = (static_cast<int>(x[row]) + static_cast<int>(c[row])) % 2 == 1;
    const double signal = (odd ? 1 : 0) + (std::isnan(z[row]) ? 0.7 : 0) + 1.5 * uniform(seed, 7 * row + 5);
    data.outcome.push_back(classes == 0 ? signal : std::min(static_cast<double>(classes - 1), std::floor(signal)));
    if (weighted) data.weights.push_back(1 + std::floor(uniform(seed, 7 * row + 6) * 3));
  }
  data.features = {numeric("x", x), numeric("z", z), numeric("c", c)};
  data.features[2].info.categorical = true;
  data.features[2].info.levels = {"a", "b", "c"};
  for (std::size_t k = 0; k < classes; ++k) data.classes.push_back("class " + std::to_string(k));
  return data;
}

Learned fit_tree(const TrainingData& data, const Value& options, int threads = 1) {
  const Context context(threads);
  return optimal_tree().fit(data, options, context);
}

// weight · impurity by its definition.
double disorder(const TrainingData& data, const std::vector<std::size_t>& rows, const std::string& criterion) {
  double weight = 0, sum = 0, total = 0;
  std::vector<double> classes(std::max<std::size_t>(1, data.classes.size()));
  for (const std::size_t row : rows) {
    weight += data.weight(row);
    sum += data.weight(row) * data.outcome[row];
    if (!data.classes.empty()) classes[static_cast<std::size_t>(data.outcome[row])] += data.weight(row);
  }
  if (criterion == "variance") {
    for (const std::size_t row : rows) total += data.weight(row) * std::pow(data.outcome[row] - sum / weight, 2);
    return total;
  }
  if (criterion == "misclassification") return weight - *std::max_element(classes.begin(), classes.end());
  for (const double part : classes) total += part * (1 - part / weight);
  return total;
}

// The least weight · impurity of all trees, by trying each.
double least_by_trying(const TrainingData& data, const std::vector<Cut>& cuts, const std::vector<std::size_t>& rows,
                       const std::string& criterion, std::size_t depth, std::size_t leaves, std::size_t min_rows) {
  double least = disorder(data, rows, criterion);
  if (depth == 0 || leaves < 2) return least;
  for (const Cut& cut : cuts) {
    const TrainingFeature& feature = data.features[cut.feature];
    std::vector<std::size_t> yes, no;
    for (const std::size_t row : rows) {
      (meets(cut, feature.info.categorical, feature.values[row]) ? yes : no).push_back(row);
    }
    if (yes.empty() || no.empty() || yes.size() < min_rows || no.size() < min_rows) continue;
    const std::size_t most = std::size_t{1} << (depth - 1);
    for (std::size_t left = 1; left < leaves; ++left) {
      if (left > most || leaves - left > most) {
        if (leaves <= 2 * most) continue;  // covered by another division
      }
      const double on_yes = least_by_trying(data, cuts, yes, criterion, depth - 1, left, min_rows);
      const double on_no = least_by_trying(data, cuts, no, criterion, depth - 1, leaves - left, min_rows);
      least = std::min(least, on_yes + on_no);
    }
  }
  return least;
}

TEST(OptimalTree, NoTreeIsBetter) {
  const Context context(1);
  const std::vector<std::pair<std::size_t, std::string>> cases = {
      {0, "variance"}, {2, "gini"}, {2, "misclassification"}, {3, "gini"}, {3, "misclassification"}};
  for (const auto& [classes, criterion] : cases) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const TrainingData data = random_data(seed, 40, classes, seed == 1);
      const auto chosen = choose_cuts(data, 100, context);
      ASSERT_TRUE(chosen.all);
      std::vector<std::size_t> all(data.rows);
      std::iota(all.begin(), all.end(), std::size_t{0});
      for (const std::size_t depth : {1U, 2U, 3U}) {
        for (const std::size_t leaves : {2U, 3U, 4U, 5U}) {
          if (leaves > 1U << depth || (depth == 3 && leaves < 4)) continue;
          const std::size_t min_rows = seed == 2 ? 4 : 1;
          const double least = least_by_trying(data, chosen.cuts, all, criterion, depth, leaves, min_rows);
          const Learned learned =
              fit_tree(data, Value::object({{"criterion", criterion},
                                            {"max_depth", static_cast<std::int64_t>(depth)},
                                            {"max_leaves", static_cast<std::int64_t>(leaves)},
                                            {"min_leaf_rows", static_cast<std::int64_t>(min_rows)}}));
          const auto& tree = learned.shown[0].get<ShownTree>();
          EXPECT_NEAR(tree.details.find("objective")->as_number() * tree.nodes[0].count, least, 1e-9)
              << criterion << " depth " << depth << " leaves " << leaves << " seed " << seed;
          EXPECT_LE(learned.size, leaves);
          ASSERT_TRUE(tree.proof);
          EXPECT_EQ(tree.proof->status, ProofStatus::optimal);
        }
      }
    }
  }
}

TEST(OptimalTree, EqualsStreed) {
  std::ifstream file(SIGHTGLASS_SOURCE_DIR "/tests/golden/learners/optimal_trees.json");
  std::stringstream text;
  text << file.rdbuf();
  const Value golden = value_from_json(text.str(), "optimal_trees.json");
  const auto numbers = [](const Value& values) {
    std::vector<double> list;
    for (const Value& value : values.as_array()) list.push_back(value.as_number());
    return list;
  };
  TrainingData data;
  for (const Value& feature : golden.find("features")->as_array())
    data.features.push_back(numeric("f", numbers(feature)));
  data.rows = data.features[0].values.size();
  for (const Value& each : golden.find("cases")->as_array()) {
    for (const std::string criterion : {"variance", "misclassification"}) {
      const bool is_number = criterion == "variance";
      data.outcome = numbers(*golden.find(is_number ? "y" : "classes"));
      data.classes.clear();
      if (!is_number) data.classes = {"low", "middle", "high"};
      const Learned learned = fit_tree(data, Value::object({{"criterion", criterion},
                                                            {"max_depth", *each.find("depth")},
                                                            {"max_leaves", *each.find("leaves")},
                                                            {"min_leaf_rows", 1}}));
      EXPECT_NEAR(learned.detail.find("objective")->as_number(), each.find(criterion)->as_number(), 1e-9) << criterion;
      EXPECT_EQ(learned.shown[0].get<ShownTree>().proof->status, ProofStatus::optimal);
    }
  }
}

TEST(OptimalTree, FourLevelsAreProvenOrBounded) {
  const Context context(1);
  TrainingData data = random_data(5, 30, 0, true);
  data.features.pop_back();
  const auto chosen = choose_cuts(data, 100, context);
  std::vector<std::size_t> all(data.rows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const double least = least_by_trying(data, chosen.cuts, all, "variance", 4, 6, 1);
  const Value options = Value::object({{"max_depth", 4}, {"max_leaves", 6}, {"min_leaf_rows", 1}});
  const Learned proven = fit_tree(data, options);
  const auto& tree = proven.shown[0].get<ShownTree>();
  const double weight = tree.nodes[0].count;
  EXPECT_EQ(tree.proof->status, ProofStatus::optimal);
  EXPECT_NEAR(tree.details.find("objective")->as_number() * weight, least, 1e-9);

  Value hurried = options;
  hurried.set("max_nodes", 0);
  const Learned bounded = fit_tree(data, hurried);
  const auto& other = bounded.shown[0].get<ShownTree>();
  EXPECT_EQ(other.proof->status, ProofStatus::bounded);
  EXPECT_LE(*other.proof->bound * weight, least + 1e-9);
  EXPECT_GE(other.details.find("objective")->as_number() * weight, least - 1e-9);
  ASSERT_EQ(bounded.caveats.size(), 1U);
  EXPECT_EQ(bounded.caveats[0].id, "unproven-tree");
}

TEST(OptimalTree, FindsWhatAGreedyTreeMisses) {
  // Exclusive or: no single split helps, two together explain all.
  TrainingData data;
  data.rows = 40;
  std::vector<double> a, b;
  for (std::size_t row = 0; row < data.rows; ++row) {
    a.push_back(static_cast<double>(row % 2));
    b.push_back(static_cast<double>(row / 2 % 2));
    data.outcome.push_back(a[row] == b[row] ? 3 : 8);
  }
  data.features = {numeric("a", a), numeric("b", b)};
  const Learned learned = fit_tree(data, Value::object());
  EXPECT_EQ(learned.size, 4U);
  EXPECT_EQ(learned.shown[0].get<ShownTree>().details.find("objective")->as_number(), 0);
  const auto& structure = std::get<TreeStructure>(learned.structure);
  EXPECT_EQ(structure.nodes[0].threshold, 0.5);
  EXPECT_EQ(structure.nodes[2].threshold, 3);
  const Context context(1);
  EXPECT_EQ(decision_tree().fit(data, Value::object(), context).size, 1U);
  // A leaf that costs more than it gains is not there.
  EXPECT_EQ(fit_tree(data, Value::object({{"alpha", 2.0}})).size, 4U);
  EXPECT_EQ(fit_tree(data, Value::object({{"alpha", 2.2}})).size, 1U);
}

TEST(OptimalTree, ManyValuesAreCutWhereBoostingDoes) {
  TrainingData data;
  data.rows = 3000;
  std::vector<double> x, z;
  for (std::size_t row = 0; row < data.rows; ++row) {
    x.push_back(uniform(2, 3 * row));
    z.push_back(uniform(2, 3 * row + 1));
    data.outcome.push_back((x[row] > 0.25 ? 1 : 0) * (z[row] > 0.75 ? 2 : 1) + 0.1 * uniform(2, 3 * row + 2));
  }
  data.features = {numeric("x", x), numeric("z", z)};
  const Learned one = fit_tree(data, Value::object({{"max_cuts", 30}, {"max_leaves", 3}}));
  const auto& tree = one.shown[0].get<ShownTree>();
  EXPECT_EQ(tree.details.find("cuts")->as_array().size(), 30U);
  EXPECT_EQ(tree.proof->among, "trees of depth 3 or less on these 30 cuts");
  ASSERT_EQ(tree.nodes.size(), 5U);
  for (const ShownNode& node : tree.nodes) {
    if (node.split) {
      EXPECT_NEAR(*node.split->at_most, node.split->feature == "x" ? 0.25 : 0.75, 0.02);
    }
  }
  // Threads change nothing.
  const Learned three = fit_tree(data, Value::object({{"max_cuts", 30}, {"max_leaves", 3}}), 3);
  EXPECT_EQ(to_value(one.structure), to_value(three.structure));
  EXPECT_EQ(one.detail, three.detail);
}

// With levels, missing values and weights: the model's mean squared error is what the leaves say.
TEST(OptimalTree, ModelsPredictTheirLeaves) {
  Context context(1);
  for (std::uint64_t seed = 20; seed < 26; ++seed) {
    const TrainingData data = random_data(seed, 80, 0, true);
    for (const LearnerEntry& entry : {optimal_tree(), decision_tree()}) {
      const Learned learned = entry.fit(data, Value::object({{"min_leaf_rows", 2}}), context);
      const auto model = make_model(entry, data, learned, "tree");
      const Matrix predicted = predict(*model, data, context);
      double error = 0, expected = 0;
      for (std::size_t row = 0; row < data.rows; ++row) {
        error += data.weight(row) * std::pow(predicted(row, 0) - data.outcome[row], 2);
      }
      for (const ShownNode& node : learned.shown[0].get<ShownTree>().nodes) {
        if (!node.split) expected += node.count * node.impurity.value();
      }
      EXPECT_NEAR(error, expected, 1e-9) << entry.name << " seed " << seed;
    }
  }
}

TEST(OptimalTree, AWeightIsSoManyRows) {
  const TrainingData data = random_data(9, 60, 3, true);
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
  const Value options = Value::object({{"min_leaf_rows", 1}});
  const Learned a = fit_tree(data, options), b = fit_tree(repeated, options);
  const auto& left = std::get<TreeStructure>(a.structure);
  const auto& right = std::get<TreeStructure>(b.structure);
  ASSERT_EQ(left.nodes.size(), right.nodes.size());
  EXPECT_EQ(left.covers, right.covers);
  for (std::size_t i = 0; i < left.nodes.size(); ++i) {
    EXPECT_EQ(left.nodes[i].feature, right.nodes[i].feature);
    EXPECT_EQ(left.nodes[i].threshold, right.nodes[i].threshold);
  }
}

TEST(OptimalTree, OddDataGiveATree) {
  TrainingData data;
  data.rows = 3;
  data.outcome = {1, 2, 3};
  data.features = {numeric("same", {7, 7, 7}), numeric("none", {nan, nan, nan})};
  EXPECT_EQ(fit_tree(data, Value::object()).size, 1U);
  data.features.push_back(numeric("x", {1, 2, 3}));
  EXPECT_EQ(fit_tree(data, Value::object({{"min_leaf_rows", 1}})).size, 3U);
  data.outcome = {4, 4, 4};
  EXPECT_EQ(fit_tree(data, Value::object({{"min_leaf_rows", 1}, {"max_depth", 4}})).size, 1U);

  TrainingData many;  // every row has a level of its own
  many.rows = 30000;
  TrainingFeature& feature = many.features.emplace_back(numeric("id", {}));
  feature.info.categorical = true;
  for (std::size_t row = 0; row < many.rows; ++row) {
    feature.info.levels.push_back(std::to_string(row));
    feature.values.push_back(static_cast<double>(row));
    many.outcome.push_back(static_cast<double>(row % 7));
  }
  EXPECT_GT(fit_tree(many, Value::object()).size, 1U);

  EXPECT_THROW((void)fit_tree(data, Value::object({{"criterion", "gini"}})), Error);
  EXPECT_THROW((void)fit_tree(data, Value::object({{"max_depth", 5}})), Error);
}

// Of few levels every group is a cut: no tree of depth 1 is better, whatever the classes are called.
TEST(OptimalTree, GroupsOfLevelsOfSeveralClasses) {
  const Context context(1);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    TrainingData data;
    data.rows = 60;
    data.classes = {"a", "b", "c"};
    TrainingFeature& feature = data.features.emplace_back(numeric("c", {}));
    feature.info.categorical = true;
    feature.info.levels = {"k", "l", "m", "n"};
    for (std::size_t row = 0; row < data.rows; ++row) {
      feature.values.push_back(std::floor(4 * uniform(seed, 2 * row)));
      const double turned = feature.values[row] + 2 * uniform(seed, 2 * row + 1);
      data.outcome.push_back(static_cast<double>(static_cast<int>(turned * 7) % 3));
    }
    const auto chosen = choose_cuts(data, 100, context);
    EXPECT_EQ(chosen.cuts.size(), 7U);
    EXPECT_TRUE(chosen.all);
    double least = 1e9;
    for (unsigned group = 1; group < 15; ++group) {
      std::vector<std::size_t> in, out;
      for (std::size_t row = 0; row < data.rows; ++row)
        ((group >> static_cast<unsigned>(feature.values[row]) & 1U) != 0 ? in : out).push_back(row);
      least = std::min(least, disorder(data, in, "gini") + disorder(data, out, "gini"));
    }
    for (const LearnerEntry& entry : {optimal_tree(), decision_tree()}) {
      const Learned learned = entry.fit(data, Value::object({{"max_depth", 1}, {"min_leaf_rows", 1}}), context);
      double left = 0;
      for (const ShownNode& node : learned.shown[0].get<ShownTree>().nodes)
        if (!node.split) left += node.count * node.impurity.value();
      EXPECT_NEAR(left, least, 1e-9) << entry.name << " seed " << seed;
    }
  }
}

// More values than cuts are taken: those of the greedy tree are among them.
TEST(OptimalTree, IsNeverWorseThanTheGreedyTree) {
  const Context context(1);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    TrainingData data;
    data.rows = 400;
    for (const char* name : {"a", "b", "c"}) {
      TrainingFeature& feature = data.features.emplace_back(numeric(name, {}));
      for (std::size_t row = 0; row < data.rows; ++row)
        feature.values.push_back(uniform(seed, 5 * row + data.features.size()));
    }
    for (std::size_t row = 0; row < data.rows; ++row) {
      const auto& features = data.features;
      data.outcome.push_back(std::sin(6 * features[0].values[row]) * features[1].values[row] + uniform(seed, 5 * row));
    }
    const auto left = [&](const LearnerEntry& entry) {
      const Value options = Value::object({{"max_depth", 2}, {"min_leaf_rows", 5}});
      const Learned learned = entry.fit(data, options, context);
      double sum = 0;
      for (const ShownNode& node : learned.shown[0].get<ShownTree>().nodes) {
        if (!node.split) sum += node.count * node.impurity.value();
      }
      return sum;
    };
    EXPECT_LE(left(optimal_tree()), left(decision_tree()) * (1 + 1e-9)) << seed;
  }
}

// Of many levels not all groups are cuts, and the result does not say so.
TEST(OptimalTree, ManyLevelsAreNotExhaustive) {
  const Context context(1);
  TrainingData data = random_data(3, 60, 3, false);
  for (const char* level : {"d", "e"}) data.features[2].info.levels.emplace_back(level);
  for (std::size_t row = 0; row < data.rows; ++row) data.features[2].values[row] = static_cast<double>(row % 5);
  EXPECT_FALSE(choose_cuts(data, 100, context).all);
}

TEST(OptimalTree, OneRowIsEnoughForALeafWhateverItWeighs) {
  TrainingData data;
  data.rows = 4;
  data.outcome = {0, 0, 0, 9};
  data.weights = {5, 5, 5, 0.001};
  data.features = {numeric("x", {1, 2, 3, 4})};
  const Learned one = fit_tree(data, Value::object({{"min_leaf_rows", 1}}));
  ASSERT_EQ(one.size, 2U);
  EXPECT_EQ(std::get<TreeStructure>(one.structure).nodes[0].threshold, 3.5);
  EXPECT_EQ(fit_tree(data, Value::object({{"min_leaf_rows", 2}})).size, 1U);
}

// Beside the largest weight others can vanish, as they do near one row.
TEST(OptimalTree, WeightsOfVeryDifferentSizes) {
  TrainingData data;
  data.rows = 300;
  data.target = "y";
  TrainingFeature& feature = data.features.emplace_back();
  feature.info.name = "a";
  for (std::size_t row = 0; row < data.rows; ++row) {
    feature.values.push_back(static_cast<double>(row));
    data.outcome.push_back(static_cast<double>(row % 7));
    data.weights.push_back(row % 3 == 0 ? 1e100 : 1e-300);
  }
  const Context context(1);
  for (const int min_leaf_rows : {1, 5}) {
    const Learned learned =
        optimal_tree().fit(data, Value::object({{"max_cuts", 20}, {"min_leaf_rows", min_leaf_rows}}), context);
    EXPECT_GE(learned.size, 1U);
    EXPECT_LE(learned.size, 8U);
  }
}

}  // namespace
}  // namespace sightglass
