#include "sightglass/learn/rulefit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/learn/rules/rule_model.h"
#include "sightglass/result/shapes/figure.h"
#include "sightglass/result/shapes/importance.h"
#include "sightglass/result/shapes/penalty_path.h"
#include "sightglass/result/shapes/rules.h"
#include "sightglass/result/shapes/terms.h"
#include "support/rule_test_data.h"

namespace sightglass {
namespace {

Learned fit(const TrainingData& data, Value options = Value::object(), int threads = 1) {
  if (options.find("max_rules") == nullptr) options.set("max_rules", 300);
  if (options.find("honest_folds") == nullptr) options.set("honest_folds", 0);
  const Context context(threads);
  return rulefit().fit(data, options, context);
}

template <class Shape>
std::vector<Shape> shown(const Learned& learned) {
  std::vector<Shape> items;
  for (const ResultItem& item : learned.shown) {
    if (item.is<Shape>()) items.push_back(item.get<Shape>());
  }
  return items;
}

double figure(const Learned& learned, std::string_view id) {
  for (const Figure& next : shown<Figure>(learned)) {
    if (next.id.text() == id) return next.value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

double r2(const Learned& learned, const TrainingData& data) {
  double mean = 0, left = 0, all = 0;
  for (const double y : data.outcome) mean += y / static_cast<double>(data.rows);
  for (std::size_t row = 0; row < data.rows; ++row) {
    const double off =
        data.outcome[row] - margins(std::get<TermStructure>(learned.structure), testing::row_of(data, row))[0];
    left += off * off;
    all += (data.outcome[row] - mean) * (data.outcome[row] - mean);
  }
  return 1 - left / all;
}

TEST(RuleFit, FindsTheRuleTheLineAndTheLevel) {
  const TrainingData data = testing::rule_data(2000);
  const Learned learned = fit(data);
  EXPECT_GT(r2(learned, data), 0.97);
  const auto importances = shown<Importance>(learned);
  ASSERT_EQ(importances.size(), 4U);
  EXPECT_EQ(importances[0].feature, "a");
  EXPECT_EQ(importances[1].feature, "b");
  EXPECT_EQ(importances[2].feature, "c");
  EXPECT_LT(importances[3].importance, 0.1 * importances[2].importance);

  const Rules rules = shown<Rules>(learned).at(0);
  const Terms terms = shown<Terms>(learned).at(0);
  EXPECT_EQ(learned.size, rules.rules.size() + terms.terms.size());
  EXPECT_EQ(figure(learned, "rules-generated"), 300);
  EXPECT_EQ(figure(learned, "rules-kept"), static_cast<double>(rules.rules.size()));
  for (std::size_t i = 1; i < rules.rules.size(); ++i)
    EXPECT_GE(*rules.rules[i - 1].importance, *rules.rules[i].importance);
  for (const Rule& rule : rules.rules)
    EXPECT_NEAR(*rule.importance, std::abs(*rule.effect) * std::sqrt(rule.support * (1 - rule.support)), 1e-12);
  EXPECT_EQ(shown<PenaltyPath>(learned).size(), 1U);
}

TEST(RuleFit, FewRulesAreReadable) {
  const TrainingData data = testing::rule_data(2000, 0);
  const Learned learned = fit(data, Value::object({{"rules", 3}}));
  EXPECT_LE(learned.size, 3U);
  EXPECT_GT(r2(learned, data), 0.85);
  const Learned only_rules = fit(data, Value::object({{"rules", 5}, {"linear", false}}));
  EXPECT_LE(only_rules.size, 5U);
  EXPECT_TRUE(shown<Terms>(only_rules).empty());
  EXPECT_GT(r2(only_rules, data), 0.85);
}

TEST(RuleFit, ImportancesOfOneRow) {
  RuleModel model;
  model.structure.intercept = {1};
  model.structure.terms = {{.conditions = {{.feature = 0, .above = 2}, {.feature = 1, .at_most = 5}}, .weights = {-4}},
                           {.conditions = {{.feature = 1, .levels = {}, .missing = true}}, .weights = {1}},
                           {.feature = 0, .low = 0, .high = 3, .missing = 1.5, .weights = {2}}};
  model.structure.terms[1].conditions[0].above = std::numeric_limits<double>::infinity();
  model.structure.terms[0].moments = {0.25, std::sqrt(0.25 * 0.75)};
  model.structure.terms[1].moments = {0.1, 0.3};
  model.structure.terms[2].moments = {1.5, 0.5};
  model.rules = 2;
  const RuleImportance all = rule_importance(model, 0, 2);
  EXPECT_DOUBLE_EQ(all.terms[0], 4 * std::sqrt(0.25 * 0.75));
  EXPECT_DOUBLE_EQ(all.terms[2], 1);
  EXPECT_DOUBLE_EQ(all.features[0], 2 * std::sqrt(0.25 * 0.75) + 1);
  EXPECT_DOUBLE_EQ(all.features[1], 2 * std::sqrt(0.25 * 0.75) + 0.3);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_DOUBLE_EQ(margins(model.structure, std::vector<double>{10, 4})[0], 1 - 4 + 0 + 6);
  EXPECT_DOUBLE_EQ(margins(model.structure, std::vector<double>{nan, nan})[0], 1 + 1 + 3);
}

// What every term is on the rows, by weights, is in the structure.
TEST(RuleFit, TermsKnowTheirMeans) {
  TrainingData data = testing::rule_data(300);
  for (std::size_t i = 0; i < data.rows; ++i) data.weights.push_back(0.5 + static_cast<double>(i % 3));
  const Learned learned = fit(data);
  std::size_t linear = 0;
  for (const Term& term : std::get<TermStructure>(learned.structure).terms) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < data.rows; ++i) {
      const double value = term_value(term, testing::row_of(data, i));
      mean += data.weights[i] / data.total_weight() * value;
      square += data.weights[i] / data.total_weight() * value * value;
    }
    EXPECT_NEAR(term.moments->mean, mean, 1e-9);
    EXPECT_NEAR(term.moments->sd, std::sqrt(square - mean * mean), 1e-7);
    linear += term.conditions.empty() ? 1 : 0;
  }
  EXPECT_GT(linear, 0U);
}

TEST(RuleFit, HonestErrorIsNotBelowTheOptimisticOne) {
  // Noise alone: rules that were grown from all rows seem to predict some of it.
  TrainingData data = testing::rule_data(300);
  for (std::size_t i = 0; i < data.rows; ++i) data.outcome[i] = testing::uniform(11, i);
  const Learned learned = fit(data, Value::object({{"honest_folds", 5}}));
  EXPECT_GT(figure(learned, "held-out-loss"), figure(learned, "held-out-loss-optimistic"));
  EXPECT_NEAR(figure(learned, "held-out-loss"), 1.0 / 12, 0.03);
  EXPECT_TRUE(std::isnan(figure(fit(data), "held-out-loss")));
}

TEST(RuleFit, Classes) {
  for (const std::size_t classes : {2, 3}) {
    const TrainingData data = testing::rule_classes(500, classes);
    const Learned learned = fit(data, Value::object({{"honest_folds", 2}, {"folds", 3}, {"max_rules", 150}}));
    EXPECT_EQ(learned.link.link, classes == 2 ? Link::logistic : Link::softmax);
    std::size_t right = 0;
    for (std::size_t row = 0; row < data.rows; ++row) {
      std::vector<double> m = margins(std::get<TermStructure>(learned.structure), testing::row_of(data, row));
      if (classes == 2) m = {0, m[0]};
      right += static_cast<double>(std::max_element(m.begin(), m.end()) - m.begin()) == data.outcome[row] ? 1 : 0;
    }
    EXPECT_GT(right, 460U);
    EXPECT_EQ(shown<Rules>(learned).size(), classes == 2 ? 1U : 3U);
    EXPECT_LT(figure(learned, "held-out-loss"), 0.35);
  }
}

// Margins have no limit but the penalty's.
TEST(RuleFit, ClassesThatAreToldApartWithoutError) {
  TrainingData data = testing::rule_classes(400, 3);
  for (std::size_t row = 0; row < data.rows; ++row) data.outcome[row] = std::floor(3 * data.features[0].values[row]);
  const Learned learned = fit(data, Value::object({{"honest_folds", 0}, {"folds", 3}, {"max_rules", 150}}));
  EXPECT_TRUE(learned.caveats.empty());
  for (std::size_t row = 0; row < data.rows; ++row) {
    const auto m = margins(std::get<TermStructure>(learned.structure), testing::row_of(data, row));
    for (const double margin : m) ASSERT_TRUE(std::isfinite(margin));
    EXPECT_EQ(static_cast<double>(std::max_element(m.begin(), m.end()) - m.begin()), data.outcome[row]);
  }
}

TEST(RuleFit, AnyNumberOfThreadsFindsTheSame) {
  for (const std::size_t classes : {0, 2, 3}) {
    const TrainingData data = classes == 0 ? testing::rule_data(500) : testing::rule_classes(500, classes);
    const Value options = Value::object({{"honest_folds", 2}});
    EXPECT_EQ(to_value(fit(data, options, 1).structure), to_value(fit(data, options, 2).structure));
  }
}

TEST(RuleFit, SimilarRulesAreNamed) {
  const TrainingData data = testing::rule_data(1000);
  const Learned learned = fit(data, Value::object({{"max_rules", 2000}}));
  const Rules rules = shown<Rules>(learned).at(0);
  const Value* similar = rules.details.find("similar");
  ASSERT_NE(similar, nullptr);
  for (const Value& group : similar->as_array()) {
    ASSERT_GE(group.as_array().size(), 2U);
    const Rule& first = rules.rules[static_cast<std::size_t>(group.as_array()[0].as_integer())];
    for (const Value& place : group.as_array())
      EXPECT_NEAR(rules.rules[static_cast<std::size_t>(place.as_integer())].support, first.support, 0.06);
  }
}

TEST(RuleFit, FewRulesAreDifferentStatements) {
  const TrainingData data = testing::rule_data(1000);
  const Learned learned = fit(data, Value::object({{"rules", 8}, {"linear", false}, {"max_rules", 2000}}));
  const auto& terms = std::get<TermStructure>(learned.structure).terms;
  ASSERT_GT(terms.size(), 4U);
  for (std::size_t a = 0; a < terms.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      double same = 0, both = 0, either = 0;
      for (std::size_t row = 0; row < data.rows; ++row) {
        const auto values = testing::row_of(data, row);
        const double in_a = term_value(terms[a], values), in_b = term_value(terms[b], values);
        same += in_a == in_b ? 1 : 0;
        both += in_a * in_b;
        either += std::max(in_a, in_b);
      }
      EXPECT_LE(both, 0.95 * either) << a << " " << b;
      EXPECT_GT(same, 0) << a << " " << b;
    }
  }
  // What was left out is named, with the rule that stands for it.
  const Rules rules = shown<Rules>(learned).at(0);
  const Value* left_out = rules.details.find("left_out");
  ASSERT_NE(left_out, nullptr);
  ASSERT_FALSE(left_out->as_array().empty());
  for (const Value& cluster : left_out->as_array()) {
    const auto place = static_cast<std::size_t>(cluster.find("rule")->as_integer());
    ASSERT_LT(place, rules.rules.size());
    const auto& others = cluster.find("stands_for")->as_array();
    ASSERT_FALSE(others.empty());
    for (const Value& other : others) EXPECT_NE(other.as_string(), conditions_text(rules.rules[place].conditions));
  }
}

TEST(RuleFit, OneRowThatOutweighsAllOthers) {
  TrainingData data = testing::rule_data(500);
  data.weights.assign(data.rows, 1);
  data.weights[7] = 1e9;
  const Learned learned = fit(data, Value::object({{"honest_folds", 2}}));
  EXPECT_NEAR(margins(std::get<TermStructure>(learned.structure), testing::row_of(data, 7))[0], data.outcome[7], 1e-3);
  for (const Term& term : std::get<TermStructure>(learned.structure).terms) EXPECT_TRUE(std::isfinite(term.weights[0]));
}

TEST(RuleFit, WeightsOfZero) {
  TrainingData data = testing::rule_data(300), part = testing::rule_data(200);
  data.weights.assign(300, 1);
  for (std::size_t i = 200; i < 300; ++i) {
    data.weights[i] = 0;
    data.outcome[i] = 1e6;
  }
  EXPECT_GT(r2(fit(data, Value::object({{"honest_folds", 2}})), part), 0.9);
  data.weights.assign(300, 0);
  EXPECT_THROW((void)fit(data), Error);
}

TEST(RuleFit, ManyLevels) {
  TrainingData data = testing::rule_data(3000);
  TrainingFeature& many = data.features.emplace_back();
  many.info = {.name = "many", .categorical = true, .levels = {}};
  for (std::size_t level = 0; level < 100'000; ++level) many.info.levels.push_back(std::to_string(level));
  for (std::size_t i = 0; i < data.rows; ++i) many.values.push_back(static_cast<double>(i * 33 % 100'000));
  EXPECT_GT(r2(fit(data), data), 0.9);
}

TEST(RuleFit, MoreRulesWantedThanThereAre) {
  const TrainingData data = testing::rule_data(200);
  const Learned learned = fit(data, Value::object({{"rules", 100'000}, {"max_rules", 20}}));
  EXPECT_LE(learned.size, 23U);
  EXPECT_GT(learned.size, 0U);
}

TEST(RuleFit, OneClass) {
  TrainingData data = testing::rule_classes(100, 2);
  std::fill(data.outcome.begin(), data.outcome.end(), 1.0);
  const Learned learned = fit(data);  // `fit` refuses it before; resampled rows may be like this
  EXPECT_GT(margins(std::get<TermStructure>(learned.structure), testing::row_of(data, 0))[0], 5);
}

TEST(RuleFit, BadInput) {
  TrainingData data = testing::rule_data(60);
  std::fill(data.outcome.begin(), data.outcome.end(), 0.1);
  const Learned constant = fit(data, Value::object({{"honest_folds", 2}}));
  EXPECT_EQ(constant.size, 0U);
  EXPECT_DOUBLE_EQ(std::get<TermStructure>(constant.structure).intercept[0], 0.1);

  EXPECT_LE(fit(testing::rule_data(3), Value::object({{"honest_folds", 3}})).size, 10U);
  EXPECT_THROW((void)fit(testing::rule_data(2)), Error);
  EXPECT_THROW((void)fit(testing::rule_data(60), Value::object({{"honest_folds", 1}})), Error);

  data = testing::rule_data(60);
  std::fill(data.features[1].values.begin(), data.features[1].values.end(), std::numeric_limits<double>::quiet_NaN());
  data.features[3] = data.features[0];  // collinear
  EXPECT_GT(fit(data).size, 0U);

  // More features than rows.
  data = testing::rule_data(20);
  for (std::uint64_t f = 0; f < 50; ++f) {
    data.features.push_back({{.name = "n" + std::to_string(f)}, {}});
    for (std::size_t i = 0; i < data.rows; ++i) data.features.back().values.push_back(testing::uniform(20 + f, i));
  }
  EXPECT_LE(fit(data).size, 320U);

  // Classes that one cut tells apart, and a class seen once.
  data = testing::rule_classes(200, 2);
  for (std::size_t i = 0; i < data.rows; ++i) data.outcome[i] = data.features[0].values[i] > 0.5 ? 1 : 0;
  const Learned separable = fit(data);
  for (const Term& term : std::get<TermStructure>(separable.structure).terms)
    EXPECT_TRUE(std::isfinite(term.weights[0]));
  data = testing::rule_classes(200, 3);
  for (double& y : data.outcome) y = std::min(y, 1.0);
  data.outcome[17] = 2;
  (void)fit(data, Value::object({{"honest_folds", 3}}));

  // Numbers at the ends of what doubles hold.
  data = testing::rule_data(100);
  for (double& value : data.features[0].values) value = (value - 0.5) * 1e308;
  for (double& y : data.outcome) y *= 1e150;
  (void)fit(data);
}

}  // namespace
}  // namespace sightglass
