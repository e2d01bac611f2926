#include "sightglass/learn/decision_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>

#include "sightglass/base/error.h"
#include "sightglass/learn/tree/prune.h"
#include "sightglass/result/json.h"
#include "sightglass/result/shapes/rules.h"
#include "sightglass/result/shapes/tree.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TrainingFeature numeric(std::string name, std::vector<double> values) {
  return {{.name = std::move(name)}, std::move(values)};
}
TrainingFeature categorical(std::string name, std::vector<std::string> levels, std::vector<double> values) {
  return {{.name = std::move(name), .categorical = true, .levels = std::move(levels)}, std::move(values)};
}

TrainingData bikes() {
  TrainingData data;
  data.rows = 8;
  data.target = "bikes";
  data.features = {numeric("temp", {2, 6, 9, 12, 15, 18, 21, nan}),
                   categorical("season", {"fall", "spring", "summer", "winter"}, {3, 3, 1, 1, 2, 2, 0, nan})};
  data.outcome = {10, 12, 30, 32, 80, 84, 60, 31};
  return data;
}

Learned fit_tree(const TrainingData& data, const Value& options) {
  const Context context(1);
  return decision_tree().fit(data, options, context);
}

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

TEST(DecisionTree, EqualsScikitLearnWithoutTies) {
  std::ifstream file(SIGHTGLASS_SOURCE_DIR "/tests/golden/learners/trees.json");
  std::stringstream text;
  text << file.rdbuf();
  const Value golden = value_from_json(text.str(), "trees.json");
  const auto numbers = [](const Value& values) {
    std::vector<double> list;
    for (const Value& value : values.as_array()) list.push_back(value.as_number());
    return list;
  };
  const Context context(1);
  TrainingData data;
  for (const Value& feature : golden.find("features")->as_array()) {
    data.features.push_back(numeric("f" + std::to_string(data.features.size()), numbers(feature)));
  }
  data.rows = data.features[0].values.size();
  for (const Value& each : golden.find("cases")->as_array()) {
    const std::string outcome = each.find("outcome")->as_string();
    data.outcome = numbers(*golden.find(outcome));
    data.classes.clear();
    if (outcome == "two") data.classes = {"low", "high"};
    if (outcome == "three") data.classes = {"low", "middle", "high"};
    data.weights.clear();
    if (each.find("weighted")->as_bool()) data.weights = numbers(*golden.find("weights"));
    Value options = *each.find("limits");
    options.set("criterion", each.find("criterion")->as_string());
    const Learned learned = fit_tree(data, options);
    const auto& tree = learned.shown[0].get<ShownTree>();
    const auto& expected = each.find("nodes")->as_array();
    ASSERT_EQ(tree.nodes.size(), expected.size()) << outcome;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const ShownNode& node = tree.nodes[i];
      const std::int64_t feature = expected[i].find("feature")->as_integer();
      EXPECT_EQ(node.split.has_value(), feature >= 0);
      if (node.split) {
        EXPECT_EQ(node.split->feature, "f" + std::to_string(feature));
        EXPECT_EQ(*node.split->at_most, expected[i].find("threshold")->as_number());
      }
      EXPECT_NEAR(node.count, expected[i].find("weight")->as_number(), 1e-9);
      EXPECT_NEAR(node.impurity.value(), expected[i].find("impurity")->as_number(), 1e-12);
      const std::vector<double> values = numbers(*expected[i].find("values"));
      if (outcome == "y") {
        EXPECT_NEAR(node.value, values[0], 1e-12);
      } else {
        for (std::size_t k = 0; k < values.size(); ++k) EXPECT_NEAR(node.shares[k], values[k], 1e-12);
      }
    }
    const Value* alphas = each.find("alphas");
    if (alphas == nullptr) continue;
    GrowOptions limits{.max_depth = 4};
    limits.min_leaf_rows = 5;
    limits.min_split_rows = 25;
    limits.impurity = each.find("criterion")->as_string() == "entropy" ? Impurity::entropy
                      : outcome == "y"                                 ? Impurity::variance
                                                                       : Impurity::gini;
    const PruningPath path = pruning_path(
        grow(SortedFeatures(data, context), {data.outcome, data.classes.size(), data.weights}, limits, context));
    ASSERT_EQ(path.steps.size(), alphas->as_array().size());
    for (std::size_t i = 0; i < path.steps.size(); ++i) {
      EXPECT_NEAR(path.steps[i].alpha, numbers(*alphas)[i], 1e-12);
      EXPECT_NEAR(path.steps[i].impurity, numbers(*each.find("impurities"))[i], 1e-12);
    }
  }
}

TEST(DecisionTree, ShowsItselfInWordsOfTheData) {
  const Learned learned = fit_tree(bikes(), Value::object({{"min_leaf_rows", 1}, {"max_leaves", 4}}));
  EXPECT_EQ(learned.size, 4U);
  const auto& tree = learned.shown[0].get<ShownTree>();
  EXPECT_EQ(tree.output, "prediction");
  ASSERT_EQ(tree.nodes.size(), 7U);
  // The three warm rows; the row without a value is like the cold ones.
  EXPECT_EQ(tree.nodes[0].split->feature, "temp");
  EXPECT_EQ(tree.nodes[0].split->at_most, 13.5);
  EXPECT_TRUE(tree.nodes[0].split->missing);
  EXPECT_EQ(tree.nodes[0].count, 8);
  EXPECT_NEAR(tree.nodes[0].value, 42.375, 1e-12);
  const auto& rules = learned.shown[1].get<Rules>();
  EXPECT_FALSE(rules.effects_add);
  ASSERT_EQ(rules.rules.size(), 4U);
  double support = 0;
  for (const Rule& rule : rules.rules) support += rule.support;
  EXPECT_NEAR(support, 1, 1e-12);
  EXPECT_EQ(conditions_text(rules.rules[0].conditions), "7.5 < temp <= 13.5 or missing");
  EXPECT_EQ(*rules.rules[0].effect, 31);
}

TEST(DecisionTree, StructureIsTheTree) {
  TrainingData data = bikes();
  data.features.erase(data.features.begin());
  const Learned learned = fit_tree(data, Value::object({{"min_leaf_rows", 1}, {"max_depth", 1}}));
  const auto& structure = std::get<TreeStructure>(learned.structure);
  ASSERT_EQ(structure.nodes.size(), 3U);
  // Fall and summer are lighter than the rest, so they go left, and what was never seen goes right.
  EXPECT_EQ(structure.category_sets.at(0).bits, (std::vector<std::uint64_t>{0b0101}));
  EXPECT_TRUE(structure.nodes[0].categories_left);
  EXPECT_FALSE(structure.nodes[0].missing_left);
  EXPECT_NEAR(structure.nodes[1].threshold, (80 + 84 + 60) / 3.0, 1e-12);
  EXPECT_NEAR(structure.nodes[2].threshold, (10 + 12 + 30 + 32 + 31) / 5.0, 1e-12);
  EXPECT_EQ(structure.covers, (std::vector<double>{8, 3, 5}));
  EXPECT_EQ(learned.shown[0].get<ShownTree>().nodes[0].split->levels, (std::vector<std::string>{"fall", "summer"}));
}

TEST(DecisionTree, ClassesHaveSharesAndAMostFrequentOne) {
  TrainingData data = bikes();
  data.classes = {"few", "some", "many"};
  data.outcome = {0, 0, 1, 1, 2, 2, 2, 1};
  Learned learned = fit_tree(data, Value::object({{"min_leaf_rows", 1}}));
  const auto& structure = std::get<TreeStructure>(learned.structure);
  EXPECT_EQ(structure.leaf_values.size(), 9U);
  EXPECT_EQ(learned.shown[0].get<ShownTree>().nodes[0].predicted_class, "some");
  EXPECT_EQ(learned.shown[0].get<ShownTree>().nodes[0].shares, (std::vector<double>{0.25, 0.375, 0.375}));
  EXPECT_EQ(*learned.shown[1].get<Rules>().rules[0].precision, 1);

  data.classes = {"few", "many"};
  data.outcome = {0, 0, 0, 0, 1, 1, 1, 0};
  learned = fit_tree(data, Value::object({{"min_leaf_rows", 1}}));
  EXPECT_EQ(learned.size, 2U);
  EXPECT_EQ(learned.shown[0].output(), "many");
  EXPECT_EQ(learned.shown[0].get<ShownTree>().nodes[0].value, 0.375);
}

TEST(DecisionTree, SmallAndOddDataGiveATree) {
  TrainingData three = bikes();
  three.rows = 3;
  three.outcome.resize(3);
  for (auto& feature : three.features) feature.values.resize(3);
  EXPECT_EQ(fit_tree(three, Value::object()).size, 1U);
  EXPECT_EQ(fit_tree(three, Value::object({{"min_leaf_rows", 1}})).size, 3U);
  EXPECT_EQ(fit_tree(three, Value::object({{"min_leaf_rows", 1}, {"prune", "cv"}, {"folds", 3}})).shown.size(), 4U);

  TrainingData constant = bikes();
  constant.outcome.assign(8, 5.0);
  EXPECT_EQ(fit_tree(constant, Value::object({{"min_leaf_rows", 1}, {"prune", "cv"}, {"folds", 2}})).size, 1U);

  TrainingData many;  // every row has a level of its own
  many.rows = 100000;
  TrainingFeature& feature = many.features.emplace_back(categorical("id", {}, {}));
  for (std::size_t row = 0; row < many.rows; ++row) {
    feature.info.levels.push_back(std::to_string(row));
    feature.values.push_back(static_cast<double>(row));
    many.outcome.push_back(static_cast<double>(row % 7));
  }
  EXPECT_EQ(fit_tree(many, Value::object({{"max_depth", 2}})).size, 4U);
}

// As many leaves as rows: what is shown at a node costs what its levels do, not what all of them do.
TEST(DecisionTree, ManyLevelsAtManyNodes) {
  TrainingData data;
  data.rows = 20000;
  data.features = {categorical("id", {}, {})};
  for (std::size_t row = 0; row < data.rows; ++row) {
    data.features[0].info.levels.push_back(std::to_string(row));
    data.features[0].values.push_back(static_cast<double>(row));
    data.outcome.push_back(static_cast<double>((row * 7919) % 20011));
  }
  const Learned learned = fit_tree(data, Value::object({{"max_depth", 0}, {"min_leaf_rows", 1}}));
  EXPECT_EQ(learned.size, 20000U);
  const auto& rules = learned.shown[1].get<Rules>().rules;
  for (const std::size_t rule : {0U, 9999U, 19999U}) {
    ASSERT_EQ(rules[rule].conditions.size(), 1U);
    ASSERT_EQ(rules[rule].conditions[0].levels.size(), 1U);
    const auto row = static_cast<std::size_t>(std::stoul(rules[rule].conditions[0].levels[0]));
    EXPECT_EQ(rules[rule].effect, data.outcome[row]);
  }
}

TEST(DecisionTree, BothBranchesSayWhereMissingValuesGo) {
  TrainingData data;
  data.rows = 8;
  data.features = {numeric("x", {1, 1, 1, 1, 2, 2, nan, nan})};
  data.outcome = {0, 0, 0, 0, 9, 9, 9, 9};
  const Value options = Value::object({{"min_leaf_rows", 1}});
  Learned learned = fit_tree(data, options);
  ShownCondition split = *learned.shown[0].get<ShownTree>().nodes[0].split;
  EXPECT_EQ(condition_text(split), "x <= 1.5");
  EXPECT_EQ(opposite_text(split), "x > 1.5 or missing");
  EXPECT_EQ(condition_text(learned.shown[1].get<Rules>().rules[1].conditions[0]), "x > 1.5 or missing");
  data.outcome = {0, 0, 0, 0, 9, 9, 0, 0};
  split = *fit_tree(data, options).shown[0].get<ShownTree>().nodes[0].split;
  EXPECT_EQ(condition_text(split), "x <= 1.5 or missing");
  EXPECT_EQ(opposite_text(split), "x > 1.5");
  data.features = {categorical("c", {"a", "b"}, {0, 0, 0, 1, 1, 1, nan, nan})};
  data.outcome = {9, 9, 9, 0, 0, 0, 0, 0};
  split = *fit_tree(data, options).shown[0].get<ShownTree>().nodes[0].split;
  EXPECT_EQ(condition_text(split), "c = a");
  EXPECT_EQ(opposite_text(split), "c is not a or missing");
}

TEST(DecisionTree, RefusesWhatMakesNoSense) {
  const auto message = [](const Value& options, const TrainingData& data = bikes()) {
    return message_of([&] { (void)fit_tree(data, options); });
  };
  EXPECT_THAT(message(Value::object({{"criterion", "gini"}})), HasSubstr("the outcome is a number"));
  EXPECT_THAT(message(Value::object({{"monotone", "temp"}})), HasSubstr("neither increasing nor decreasing"));
  EXPECT_THAT(message(Value::object({{"monotone", "wind=increasing"}})), HasSubstr("no feature wind"));
  EXPECT_THAT(message(Value::object({{"monotone", "season=increasing"}})), HasSubstr("is categorical"));
  EXPECT_THAT(message(Value::object({{"prune", "cv"}, {"folds", 9}})), HasSubstr("only 8 rows"));
  EXPECT_THAT(message(Value::object({{"prune", "cv"}, {"folds", 2}, {"alpha", 1}})), HasSubstr("chooses it"));
  TrainingData classes = bikes();
  classes.classes = {"a", "b", "c"};
  classes.outcome = {0, 1, 2, 0, 1, 2, 0, 1};
  EXPECT_THAT(message(Value::object({{"criterion", "variance"}}), classes), HasSubstr("the outcome is a class"));
  EXPECT_THAT(message(Value::object({{"monotone", "temp=increasing"}}), classes), HasSubstr("3 classes"));
  EXPECT_EQ(message(Value::object({{"monotone", "temp=decreasing"}, {"min_leaf_rows", 1}})), "no error");
}

}  // namespace
}  // namespace sightglass
