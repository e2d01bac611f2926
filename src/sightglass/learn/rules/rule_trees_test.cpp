#include "sightglass/learn/rules/rule_trees.h"

#include <gtest/gtest.h>

#include <set>

#include "sightglass/learn/rules/rule_model.h"
#include "sightglass/learn/rules/rule_terms.h"
#include "support/rule_test_data.h"

namespace sightglass {
namespace {

RuleTerms grow(const TrainingData& data, std::uint64_t max_rules, std::uint32_t folds = 4, int threads = 1) {
  const Context context(threads);
  return find_rule_terms(data, fold_rows(folds_of(data.rows, folds, 1), folds), true,
                         {.max_rules = max_rules, .seed = 3}, context);
}

TEST(RuleTrees, EveryNodeButTheRootIsARule) {
  for (const std::size_t classes : {0, 2, 3}) {
    const TrainingData data = classes == 0 ? testing::rule_data(500) : testing::rule_classes(500, classes);
    for (const std::uint64_t wanted : {2, 101, 400}) {
      const RuleTerms terms = grow(data, wanted);
      std::uint64_t rules = 0;
      for (const std::uint32_t leaves : terms.leaves) {
        EXPECT_GE(leaves, 1U);
        rules += 2 * (leaves - 1);
      }
      EXPECT_EQ(terms.generated, rules);
      EXPECT_EQ(terms.generated, wanted / 2 * 2);
      EXPECT_LT(terms.rules.size(), terms.generated);  // one of two complements at least
    }
  }
}

TEST(RuleTrees, TreesHaveAboutTheWantedLeaves) {
  const RuleTerms terms = grow(testing::rule_data(2000), 4000);
  double sum = 0;
  for (const std::uint32_t leaves : terms.leaves) sum += leaves;
  // 2 + ⌊Exp(2)⌋ is 2 + 1 / (e^½ − 1) on average, if the rows allow for that many.
  EXPECT_NEAR(sum / static_cast<double>(terms.leaves.size()), 3.54, 0.2);
  EXPECT_EQ(sampled_rows(20'000), 948U);
  EXPECT_EQ(sampled_rows(100), 50U);
  EXPECT_EQ(sampled_rows(3), 2U);
}

TEST(RuleTrees, BitsAreTheRowsThatMeetTheConditions) {
  const TrainingData data = testing::rule_data(700);
  const RuleTerms terms = grow(data, 600);
  ASSERT_GT(terms.rules.size(), 50U);
  bool missing = false, levels = false, both_bounds = false;
  for (std::size_t rule = 0; rule < terms.rules.size(); ++rule) {
    const Term term{.conditions = terms.conditions(rule), .weights = {1}};
    std::set<std::uint32_t> features;
    for (const TermCondition& condition : term.conditions) {
      EXPECT_TRUE(features.insert(condition.feature).second) << "bounds are merged";
      missing = missing || condition.missing;
      levels = levels || !condition.levels.empty();
      both_bounds = both_bounds || (std::isfinite(condition.above) && std::isfinite(condition.at_most));
    }
    std::size_t count = 0;
    for (std::size_t row = 0; row < data.rows; ++row) {
      const bool holds = term_value(term, testing::row_of(data, row)) == 1;
      ASSERT_EQ(has_row(terms.sets[rule], terms.rows.rows.position_of[row]), holds) << rule << " " << row;
      count += holds ? 1 : 0;
    }
    EXPECT_EQ(count_rows(terms.sets[rule], terms.sets.words()), count);  // and nothing between folds
    EXPECT_DOUBLE_EQ(terms.supports[rule], static_cast<double>(count) / 700);
    EXPECT_GT(count, 0U);
    EXPECT_LT(count, data.rows);
  }
  EXPECT_TRUE(missing && levels && both_bounds);
}

TEST(RuleTrees, RulesDiffer) {
  const TrainingData data = testing::rule_data(300);
  const RuleTerms terms = grow(data, 800);
  const auto rows = [&](std::size_t rule, bool turned) {
    std::vector<bool> result;
    for (const std::uint32_t position : terms.rows.rows.position_of)
      result.push_back(has_row(terms.sets[rule], position) != turned);
    return result;
  };
  std::set<std::vector<bool>> seen;
  for (std::size_t rule = 0; rule < terms.rules.size(); ++rule) {
    EXPECT_TRUE(seen.insert(rows(rule, false)).second);
    EXPECT_TRUE(seen.insert(rows(rule, true)).second);
  }
}

TEST(RuleTrees, OfEqualRulesTheShorterStays) {
  const std::vector<RowWord> present = {0b1111};
  DistinctRules rules(present);
  const CodedRule one{{{0, {}}}}, two{{{0, {}}, {1, {}}}};
  const std::vector<RowWord> some = {0b0110}, others = {0b1001}, all = {0b1111}, none = {0};
  rules.add(two, some.data());
  rules.add(one, others.data());
  rules.add(two, some.data());
  rules.add(one, all.data());
  rules.add(one, none.data());
  ASSERT_EQ(rules.rules().size(), 1U);
  EXPECT_EQ(rules.rules()[0].conditions.size(), 1U);
  EXPECT_EQ(rules.rows()[0][0], 0b1001U);
}

TEST(RuleTrees, AnyNumberOfThreadsGrowsTheSame) {
  const TrainingData data = testing::rule_data(400);
  const RuleTerms one = grow(data, 300, 4, 1), two = grow(data, 300, 4, 2);
  ASSERT_EQ(one.rules.size(), two.rules.size());
  for (std::size_t rule = 0; rule < one.rules.size(); ++rule) {
    for (std::size_t w = 0; w < one.sets.words(); ++w) ASSERT_EQ(one.sets[rule][w], two.sets[rule][w]);
  }
}

TEST(CodedRows, CutsAreShortNumbers) {
  EXPECT_EQ(readable_cut(77, 78), 77);
  EXPECT_EQ(readable_cut(10, 20), 15);
  EXPECT_EQ(readable_cut(12.93, 13.18), 13);  // in the middle half
  EXPECT_EQ(readable_cut(0.121, 0.129), 0.125);
  EXPECT_EQ(readable_cut(-2, 2), 0);
  const double tiny = std::nextafter(1.0, 2.0);
  EXPECT_EQ(readable_cut(1.0, tiny), 1.0);
  EXPECT_GE(readable_cut(-1e308, 1e308), -1e308);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const double a = testing::uniform(8, i) * 1000, b = a + testing::uniform(9, i);
    const double cut = readable_cut(a, b);
    EXPECT_GE(cut, a);
    EXPECT_LT(cut, b);
  }
}

TEST(CodedRows, RareLevelsMeetNoCondition) {
  TrainingData data;
  data.rows = 2000;
  data.target = "y";
  data.features = {{{.name = "c", .categorical = true}, {}}};
  for (int level = 0; level < 1000; ++level) data.features[0].info.levels.push_back(std::to_string(level));
  for (std::size_t i = 0; i < data.rows; ++i) {
    const double level = i < 1000 ? static_cast<double>(i) : static_cast<double>(i % 10);
    data.features[0].values.push_back(level);
    data.outcome.push_back(level < 5 ? 1 : 0);
  }
  const RuleTerms terms = grow(data, 50);
  ASSERT_GT(terms.rules.size(), 0U);
  for (std::size_t rule = 0; rule < terms.rules.size(); ++rule) {
    const Term term{.conditions = terms.conditions(rule), .weights = {1}};
    EXPECT_LE(term.conditions[0].levels.size(), 254U);
    for (std::size_t row = 0; row < data.rows; ++row) {
      ASSERT_EQ(has_row(terms.sets[rule], terms.rows.rows.position_of[row]),
                term_value(term, testing::row_of(data, row)) == 1);
    }
  }
}

}  // namespace
}  // namespace sightglass
