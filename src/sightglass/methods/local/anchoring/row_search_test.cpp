#include "sightglass/methods/local/anchoring/row_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "sightglass/methods/local/anchoring/share_bounds.h"

namespace sightglass {
namespace {

// Rows with values 0, 1, 2, …, a cell each, and whether they have the outcome of the row that is explained.
struct Problem {
  std::vector<std::vector<double>> rows, perturbed;  // [feature][row]
  std::vector<bool> good, perturbed_good;
  std::vector<double> own;
  std::vector<double> weights;  // empty: each is one
};

Problem random_problem(std::uint64_t seed, std::size_t features, bool weighted) {
  std::mt19937_64 random(seed);
  Problem problem;
  // Of many perturbed rows with as many bad ones as a rule may have, most rules are known to be bad before all are
  // counted.
  const std::size_t n = 500 + random() % 100, m = seed % 4 < 2 ? 900 : 6000;
  const auto fill = [&](std::size_t count, std::vector<std::vector<double>>& values, std::vector<bool>& good,
                        double noise) {
    values.assign(features, std::vector<double>(count));
    good.resize(count);
    for (std::size_t row = 0; row < count; ++row) {
      for (auto& column : values) column[row] = static_cast<double>(random() % 4);
      const bool inside = values[0][row] >= 2 && (features < 2 || values[1][row] <= 2) &&
                          (features < 3 || values[2][row] >= 1) && (features < 4 || values[3][row] <= 2);
      good[row] = inside != (static_cast<double>(random() % 1000) < 1000 * noise);
    }
  };
  fill(n, problem.rows, problem.good, 0.03);
  fill(m, problem.perturbed, problem.perturbed_good, m == 900 ? 0.02 : 0.04);
  for (std::size_t j = 0; j < features; ++j) problem.own.push_back(j == 0 ? 3 : 1);
  if (weighted) {
    for (std::size_t row = 0; row < n; ++row) problem.weights.push_back(0.5 + 0.25 * static_cast<double>(random() % 5));
  }
  return problem;
}

struct Searched {
  std::vector<FeatureCells> features;
  CelledRows rows, perturbed;
  RowConditions conditions;
  AnchorSets sets;

  Searched(const Problem& problem, const MethodInput& input)
      : features(cells_of(problem)),
        rows(input, features, problem.rows),
        perturbed(input, features, problem.perturbed),
        conditions(features, problem.own, rows, perturbed),
        sets{.conditions = conditions,
             .every = rows.bits({}),
             .same = bits_of(problem.good),
             .every_perturbed = perturbed.bits({}),
             .same_perturbed = bits_of(problem.perturbed_good),
             .weights = problem.weights} {}

 private:
  static std::vector<FeatureCells> cells_of(const Problem& problem) {
    std::vector<FeatureCells> cells;
    for (const auto& column : problem.rows)
      cells.emplace_back(ColumnInfo{.name = "x"}, column, std::vector<double>(column.size(), 1.0), 4, std::nullopt);
    return cells;
  }
  static std::vector<RowWord> bits_of(const std::vector<bool>& flags) {
    std::vector<RowWord> bits((flags.size() + 63) / 64);
    for (std::size_t i = 0; i < flags.size(); ++i) bits[i / 64] |= RowWord{flags[i]} << (i % 64);
    return bits;
  }
};

// Every rule of at most so many conditions, each feature between two of its values or free.
std::vector<CellRule> all_rules(const std::vector<double>& own, std::size_t most) {
  std::vector<CellRule> rules;
  const std::function<void(std::size_t, const CellRule&)> extend = [&](std::size_t feature, const CellRule& rule) {
    if (feature == own.size()) {
      if (rule.size() <= most) rules.push_back(rule);
      return;
    }
    extend(feature + 1, rule);
    for (std::uint32_t first = 0; first <= own[feature]; ++first) {
      for (auto last = static_cast<std::uint32_t>(own[feature]); last < 4; ++last) {
        if (first == 0 && last == 3) continue;
        CellRule longer = rule;
        longer.push_back({static_cast<std::uint32_t>(feature), first, last});
        extend(feature + 1, longer);
      }
    }
  };
  extend(0, {});
  return rules;
}

RuleCount counted(const CellRule& rule, const std::vector<std::vector<double>>& values, const std::vector<bool>& good,
                  const std::vector<double>& weights) {
  RuleCount count;
  for (std::size_t row = 0; row < good.size(); ++row) {
    bool meets = true;
    for (const CellCondition& condition : rule) {
      const double value = values[condition.feature][row];
      meets = meets && value >= condition.first && value <= condition.last;
    }
    if (!meets) continue;
    const double weight = weights.empty() ? 1 : weights[row];
    count.covered += weight;
    if (good[row]) count.good += weight;
  }
  return count;
}

TEST(RowSearch, FindsTheRuleWithTheLargestCoverageOfAll) {
  const Context context(1);
  MethodInput input;
  input.context = &context;
  std::size_t found_some = 0, found_none = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::size_t features = 1 + seed % 5;
    const Problem problem = random_problem(seed, features, seed % 3 == 2);
    const AnchorTerms terms{.precision = seed % 2 == 0 ? 0.9 : 0.95,
                            .epsilon = 0.15,
                            .most_conditions = 1 + seed % 4,
                            .fewest_rows = 10,
                            .most_rules = 1'000'000};
    const Searched searched(problem, input);
    const FoundAnchors found = search_rows(searched.sets, terms, context);
    std::optional<AnchorRule> best;
    const auto rules = all_rules(problem.own, terms.most_conditions);
    std::vector<double> of_size(terms.most_conditions + 1);
    for (const CellRule& rule : rules) of_size[rule.size()] += 1;
    for (const CellRule& rule : rules) {
      const RuleCount rows = counted(rule, problem.rows, problem.good, problem.weights);
      const RuleCount perturbed = counted(rule, problem.perturbed, problem.perturbed_good, {});
      const double level =
          std::log(static_cast<double>(terms.most_conditions + 1) * of_size[rule.size()] / terms.delta);
      if (rows.covered < 10 || rows.precision() < terms.precision ||
          lower_share(rows.good, rows.covered, level) < terms.precision - terms.epsilon ||
          (perturbed.covered >= 50 && perturbed.precision() < terms.precision))
        continue;
      const AnchorRule candidate{.conditions = rule, .rows = rows, .perturbed = perturbed};
      if (!best || comes_before(candidate, *best)) best = candidate;
    }
    EXPECT_TRUE(found.complete);
    ASSERT_EQ(found.rules.empty(), !best.has_value()) << seed;
    if (!best) {
      ++found_none;
      ASSERT_TRUE(found.nearest) << seed;
      continue;
    }
    ++found_some;
    EXPECT_EQ(found.rules[0].conditions, best->conditions) << seed;
    EXPECT_DOUBLE_EQ(found.rules[0].rows.covered, best->rows.covered) << seed;
    EXPECT_DOUBLE_EQ(found.rules[0].rows.good, best->rows.good) << seed;
    EXPECT_EQ(found.rules[0].perturbed.covered, best->perturbed.covered) << seed;
    EXPECT_LE(found.explored, rules.size()) << seed;
    for (std::size_t i = 1; i < found.rules.size(); ++i)
      EXPECT_TRUE(comes_before(found.rules[i - 1], found.rules[i])) << seed;
  }
  EXPECT_GT(found_some, 5U);
  EXPECT_GT(found_none, 1U);
}

TEST(RowSearch, AtTheLimitTheBoundIsTold) {
  const Context context(1);
  MethodInput input;
  input.context = &context;
  const Problem problem = random_problem(3, 4, false);
  const Searched searched(problem, input);
  AnchorTerms terms{
      .precision = 0.9, .epsilon = 0.15, .most_conditions = 4, .fewest_rows = 10, .most_rules = 1'000'000};
  const FoundAnchors whole = search_rows(searched.sets, terms, context);
  ASSERT_FALSE(whole.rules.empty());
  for (const std::uint64_t limit : {1, 2, 7, 30}) {
    terms.most_rules = limit;
    const FoundAnchors part = search_rows(searched.sets, terms, context);
    EXPECT_FALSE(part.complete);
    EXPECT_LE(part.explored, limit);
    EXPECT_GE(part.bound, whole.rules[0].rows.covered) << limit;
  }
}

}  // namespace
}  // namespace sightglass
