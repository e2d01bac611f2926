#include "sightglass/learn/rules/rule_lasso.h"

#include <gtest/gtest.h>

#include "sightglass/learn/rules/rule_terms.h"
#include "sightglass/learn/rules/term_refit.h"
#include "support/rule_test_data.h"

namespace sightglass {
namespace {

const Context& context() {
  static const Context one(1);
  return one;
}

RuleTerms grow(const TrainingData& data, std::uint32_t folds, std::uint64_t max_rules = 300) {
  return find_rule_terms(data, fold_rows(folds_of(data.rows, folds, 1), folds), true,
                         {.max_rules = max_rules, .seed = 3}, context());
}

// Everything that bits avoid: rows × terms.
double value_at(const RuleTerms& terms, std::size_t term, std::size_t position) {
  return terms.value_at(term, position);
}

double predicted(const RuleTerms& terms, const RuleSolution& solution, std::size_t position) {
  double sum = solution.intercepts[0];
  for (const TermWeight& weight : solution.weights[0]) sum += weight.weight * value_at(terms, weight.term, position);
  return sum;
}

std::vector<std::uint32_t> all_terms(const RuleTerms& terms) {
  std::vector<std::uint32_t> all;
  for (std::size_t t = 0; t < terms.size(); ++t) all.push_back(static_cast<std::uint32_t>(t));
  return all;
}

void expect_products(const RuleTerms& terms) {
  RuleGram gram(terms, context());
  const auto all = all_terms(terms);
  gram.require(all, context());
  const FoldedRows& rows = terms.rows.rows;
  for (std::size_t fold = 0; fold <= rows.folds(); ++fold) {
    const std::size_t first = fold == rows.folds() ? 0 : rows.first_word[fold] * rows_per_word;
    const std::size_t end = fold == rows.folds() ? 0 : rows.first_word[fold + 1] * rows_per_word;
    for (std::size_t a = 0; a < terms.size(); a += 7) {
      for (std::size_t b = 0; b < terms.size(); ++b) {
        double sum = 0;
        for (std::size_t i = 0; i < rows.positions(); ++i) {
          if (i < first || i >= end) sum += terms.rows.weights[i] * value_at(terms, a, i) * value_at(terms, b, i);
        }
        ASSERT_NEAR(gram.products_without(fold, a)[b], sum, 1e-9 * (1 + std::abs(sum))) << a << " " << b << " " << fold;
      }
    }
  }
}

TEST(RuleGram, EqualsDenseProducts) {
  TrainingData data = testing::rule_data(333);
  expect_products(grow(data, 3));
  for (std::size_t i = 0; i < data.rows; ++i) data.weights.push_back(static_cast<double>(1 + i % 5));
  expect_products(grow(data, 3));  // bit by bit
  for (double& weight : data.weights) weight *= 0.3;
  expect_products(grow(data, 3));  // by sums
}

TEST(RuleGram, WeightsAreDuplicatedRows) {
  const TrainingData data = testing::rule_data(150);
  TrainingData weighted = data, twice = data;
  for (std::size_t i = 0; i < data.rows; ++i) {
    weighted.weights.push_back(i % 3 == 0 ? 3 : 1);
    for (int copy = 1; copy < (i % 3 == 0 ? 3 : 1); ++copy) {
      ++twice.rows;
      twice.outcome.push_back(data.outcome[i]);
      for (std::size_t f = 0; f < data.features.size(); ++f)
        twice.features[f].values.push_back(data.features[f].values[i]);
    }
  }
  // The same rules, as sets of the rows of either.
  const auto with_rules_of = [](RuleTerms terms, const RuleTerms& given, const TrainingData& rows) {
    terms.rules = given.rules;
    terms.sets = RowSetTable(terms.rows.rows.words());
    terms.supports.clear();
    std::vector<RowWord> next(terms.rows.rows.words());
    for (const CodedRule& rule : given.rules) {
      std::vector<RowWord> set = terms.rows.present;
      for (const auto& [feature, codes] : rule.conditions) {
        terms.rows.features[feature].find_rows(codes, next.data());
        for (std::size_t w = 0; w < set.size(); ++w) set[w] &= next[w];
      }
      terms.sets.push_back(set.data());
      terms.supports.push_back(0);
    }
    EXPECT_EQ(rows.rows, terms.rows.rows.position_of.size());
    return terms;
  };
  const RuleTerms given = grow(weighted, 1);
  const RuleTerms of_twice = with_rules_of(grow(twice, 1), given, twice);
  RuleGram one(given, context()), other(of_twice, context());
  const RulePathOptions options{.penalties = 20, .cross_validate = false};
  const auto a = fit_rule_path(one, given.rows.rows.placed(weighted.outcome), Task::regression, 0, options, context());
  const auto b =
      fit_rule_path(other, of_twice.rows.rows.placed(twice.outcome), Task::regression, 0, options, context());
  ASSERT_EQ(a.size(), b.size());
  const auto all = all_terms(given);
  one.require(all, context());
  other.require(all, context());
  for (std::size_t t = 0; t < given.size(); ++t) {
    for (std::size_t u = 0; u < given.size(); ++u)
      ASSERT_NEAR(one.products_without(1, t)[u], other.products_without(1, t)[u], 1e-9);
  }
  for (std::size_t place = 0; place < a.size(); ++place) {
    EXPECT_NEAR(a[place].penalty, b[place].penalty, 1e-9);
    // Of rules that say nearly the same one or another may be chosen: what is predicted is the same.
    for (std::size_t row = 0; row < data.rows; ++row) {
      EXPECT_NEAR(predicted(given, a[place].solution, given.rows.rows.position_of[row]),
                  predicted(of_twice, b[place].solution, of_twice.rows.rows.position_of[row]), 0.05);
    }
  }
}

// The gradient of the mean loss is −λ sign(β) where β is not 0, and at most λ in size elsewhere.
void expect_optimal(const TrainingData& data, const RuleTerms& terms, const RulePathPoint& point, double tolerance) {
  const auto outcome = terms.rows.rows.placed(data.outcome);
  const std::size_t outputs = point.solution.intercepts.size();
  std::vector<std::vector<double>> dense(outputs, std::vector<double>(terms.size()));
  for (std::size_t k = 0; k < outputs; ++k) {
    for (const TermWeight& weight : point.solution.weights[k]) dense[k][weight.term] = weight.weight;
  }
  std::vector<std::vector<double>> gradient(outputs, std::vector<double>(terms.size()));
  std::vector<double> of_intercept(outputs);
  double total = 0;
  for (const std::uint32_t i : terms.rows.rows.position_of) {
    std::vector<double> margin = point.solution.intercepts;
    for (std::size_t k = 0; k < outputs; ++k) {
      for (std::size_t t = 0; t < terms.size(); ++t) {
        if (dense[k][t] != 0) margin[k] += dense[k][t] * value_at(terms, t, i);
      }
    }
    double sum = 0;
    for (const double m : margin) sum += std::exp(m);
    for (std::size_t k = 0; k < outputs; ++k) {
      double residual = outcome[i] - margin[k];
      if (data.task() == Task::binary) residual = outcome[i] - 1 / (1 + std::exp(-margin[0]));
      if (data.task() == Task::multiclass)
        residual = (outcome[i] == static_cast<double>(k) ? 1 : 0) - std::exp(margin[k]) / sum;
      of_intercept[k] += terms.rows.weights[i] * residual;
      for (std::size_t t = 0; t < terms.size(); ++t)
        gradient[k][t] += terms.rows.weights[i] * residual * value_at(terms, t, i);
    }
    total += terms.rows.weights[i];
  }
  for (std::size_t k = 0; k < outputs; ++k) {
    EXPECT_NEAR(of_intercept[k] / total, 0, tolerance);
    for (std::size_t t = 0; t < terms.size(); ++t) {
      const double g = gradient[k][t] / total;
      EXPECT_LE(std::abs(g), point.penalty + tolerance) << t;
      if (dense[k][t] == 0) continue;
      EXPECT_NEAR(g, std::copysign(point.penalty, dense[k][t]), tolerance) << t;
    }
  }
}

TEST(RuleLasso, IsOptimalForEveryLoss) {
  for (const std::size_t classes : {0, 2, 3}) {
    TrainingData data = classes == 0 ? testing::rule_data(600) : testing::rule_classes(600, classes);
    for (std::size_t i = 0; i < data.rows; ++i) data.weights.push_back(0.5 + testing::uniform(7, i));
    const RuleTerms terms = grow(data, 4);
    RuleGram gram(terms, context());
    const auto path = fit_rule_path(gram, terms.rows.rows.placed(data.outcome), data.task(), classes,
                                    {.penalties = 30, .smallest = 0.02}, context());
    ASSERT_GT(path.size(), 10U);
    EXPECT_TRUE(path[0].solution.terms().empty());
    expect_optimal(data, terms, path[0], 2e-3);
    expect_optimal(data, terms, path[path.size() / 2], 2e-3);
    expect_optimal(data, terms, path.back(), 2e-3);
    EXPECT_LT(path[path_minimum(path)].cv_mean, 0.8 * path[0].cv_mean);
    EXPECT_LE(path_one_se(path), path_minimum(path));
  }
}

TEST(RuleLasso, HeldOutLossIsThatOfFitsWithoutTheFold) {
  const TrainingData data = testing::rule_data(240);
  const RuleTerms terms = grow(data, 3, 60);
  RuleGram gram(terms, context());
  const auto outcome = terms.rows.rows.placed(data.outcome);
  const auto path = fit_rule_path(gram, outcome, Task::regression, 0, {.penalties = 8, .smallest = 0.1}, context());
  // At the largest penalty each fold is predicted by the mean of the others, or nearly so.
  double sum = 0;
  const FoldedRows& rows = terms.rows.rows;
  for (std::size_t fold = 0; fold < 3; ++fold) {
    double mean = 0, count = 0;
    for (std::size_t i = 0; i < rows.positions(); ++i) {
      const bool held_out = i / rows_per_word >= rows.first_word[fold] && i / rows_per_word < rows.first_word[fold + 1];
      if (rows.row_at[i] == FoldedRows::no_row || held_out) continue;
      mean += outcome[i];
      ++count;
    }
    for (std::size_t i = rows.first_word[fold] * rows_per_word; i < rows.first_word[fold + 1] * rows_per_word; ++i) {
      if (rows.row_at[i] != FoldedRows::no_row) sum += (outcome[i] - mean / count) * (outcome[i] - mean / count);
    }
  }
  EXPECT_NEAR(path[0].cv_mean, sum / 240, 0.02);
}

// Terms, those only.
RuleTerms only(const RuleTerms& terms, std::span<const std::uint32_t> chosen) {
  RuleTerms few = terms;
  few.rules.clear();
  few.sets = RowSetTable(terms.sets.words());
  few.linear.clear();
  for (const std::uint32_t term : chosen) {
    if (term >= terms.rules.size()) {
      few.linear.push_back(terms.linear[term - terms.rules.size()]);
      continue;
    }
    few.rules.push_back(terms.rules[term]);
    few.sets.push_back(terms.sets[term]);
  }
  return few;
}

// Gauss's elimination, with the largest pivot.
std::vector<double> solved(std::vector<std::vector<double>> matrix, std::vector<double> right) {
  const std::size_t size = right.size();
  for (std::size_t c = 0; c < size; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < size; ++r) {
      if (std::abs(matrix[r][c]) > std::abs(matrix[pivot][c])) pivot = r;
    }
    std::swap(matrix[c], matrix[pivot]);
    std::swap(right[c], right[pivot]);
    for (std::size_t r = 0; r < size; ++r) {
      if (r == c) continue;
      const double factor = matrix[r][c] / matrix[c][c];
      for (std::size_t k = c; k < size; ++k) matrix[r][k] -= factor * matrix[c][k];
      right[r] -= factor * right[c];
    }
  }
  for (std::size_t c = 0; c < size; ++c) right[c] /= matrix[c][c];
  return right;
}

// Without a penalty, by Newton's steps in plain loops: of squared error one is enough.
std::vector<double> plain_fit(const RuleTerms& terms, std::span<const double> outcome,
                              std::span<const std::uint32_t> chosen, bool classes) {
  const std::size_t size = chosen.size() + 1;
  std::vector<double> found(size), x(size, 1.0);
  for (int step = 0; step < (classes ? 30 : 2); ++step) {
    std::vector<std::vector<double>> curvature(size, std::vector<double>(size));
    std::vector<double> slope(size);
    for (const std::uint32_t i : terms.rows.rows.position_of) {
      double margin = found[0];
      for (std::size_t t = 1; t < size; ++t) {
        x[t] = value_at(terms, chosen[t - 1], i);
        margin += found[t] * x[t];
      }
      const double p = 1 / (1 + std::exp(-margin));
      const double residual = outcome[i] - (classes ? p : margin), curved = classes ? p * (1 - p) : 1;
      for (std::size_t a = 0; a < size; ++a) {
        slope[a] += terms.rows.weights[i] * residual * x[a];
        for (std::size_t b = 0; b < size; ++b) curvature[a][b] += terms.rows.weights[i] * curved * x[a] * x[b];
      }
    }
    const std::vector<double> change = solved(curvature, slope);
    for (std::size_t t = 0; t < size; ++t) found[t] += change[t];
  }
  return found;
}

TEST(RuleLasso, RefitIsThatOfPlainLoops) {
  for (const std::size_t classes : {0, 2}) {
    TrainingData data = classes == 0 ? testing::rule_data(400) : testing::rule_classes(400, 2);
    // Noise, so that no rule tells the classes apart.
    for (std::size_t i = 0; classes > 0 && i < data.rows; i += 4)
      data.outcome[i] = testing::uniform(8, i) < 0.5 ? 0 : 1;
    for (std::size_t i = 0; i < data.rows; ++i) data.weights.push_back(0.5 + testing::uniform(7, i));
    const RuleTerms terms = grow(data, 2);
    const std::vector<std::uint32_t> few = {0, 5, static_cast<std::uint32_t>(terms.rules.size())};
    const auto outcome = terms.rows.rows.placed(data.outcome);
    const Refit refit = refit_terms(terms, outcome, data.task(), classes, few, context());
    const std::vector<double> expected = plain_fit(terms, outcome, few, classes > 0);
    EXPECT_EQ(refit.ridge, 0);
    EXPECT_NEAR(refit.solution.intercepts[0], expected[0], 1e-8);
    for (std::size_t t = 0; t < few.size(); ++t)
      EXPECT_NEAR(refit.solution.weight(0, few[t]), expected[t + 1], 1e-8) << t;
  }
}

TEST(RuleLasso, RefitOfSeveralClassesIsOptimal) {
  TrainingData data = testing::rule_classes(500, 3);
  for (std::size_t i = 0; i < data.rows; i += 3) data.outcome[i] = std::floor(3 * testing::uniform(8, i));
  const RuleTerms terms = grow(data, 2);
  const std::vector<std::uint32_t> few = {0, 5, static_cast<std::uint32_t>(terms.rules.size())};
  const Refit refit = refit_terms(terms, terms.rows.rows.placed(data.outcome), Task::multiclass, 3, few, context());
  RulePathPoint point{.penalty = 0, .solution = {refit.solution.intercepts, {{}, {}, {}}}};
  for (std::uint32_t t = 0; t < few.size(); ++t) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      point.solution.weights[k].push_back({t, refit.solution.weight(k, few[t])});
      sum += refit.solution.weight(k, few[t]);
    }
    EXPECT_NEAR(sum, 0, 1e-10);
  }
  EXPECT_EQ(refit.ridge, 0);
  expect_optimal(data, only(terms, few), point, 1e-9);
}

TEST(RuleLasso, RefitOfWhatIsToldApartHasARidge) {
  TrainingData data = testing::rule_classes(200, 2);
  const RuleTerms terms = grow(data, 2);
  std::vector<double> outcome(terms.rows.rows.positions());
  for (std::size_t i = 0; i < outcome.size(); ++i) outcome[i] = value_at(terms, 0, i);
  const std::vector<std::uint32_t> one = {0};
  const Refit refit = refit_terms(terms, outcome, Task::binary, 2, one, context());
  EXPECT_GT(refit.ridge, 0);
  EXPECT_TRUE(std::isfinite(refit.solution.weight(0, 0)));
  EXPECT_GT(refit.solution.weight(0, 0), 5);
}

TEST(RuleLasso, TheChosenPointIsOptimalToTheLastDigits) {
  for (const std::size_t classes : {0, 2, 3}) {
    TrainingData data = classes == 0 ? testing::rule_data(600) : testing::rule_classes(600, classes);
    for (std::size_t i = 0; i < data.rows; ++i) data.weights.push_back(0.5 + testing::uniform(7, i));
    const RuleTerms terms = grow(data, 4);
    RuleGram gram(terms, context());
    const auto outcome = terms.rows.rows.placed(data.outcome);
    const auto path =
        fit_rule_path(gram, outcome, data.task(), classes, {.penalties = 30, .smallest = 0.02}, context());
    RulePathPoint chosen = path[path_minimum(path)];
    const PolishedRules polished = polish(gram, outcome, data.task(), classes, chosen, context());
    EXPECT_TRUE(polished.settled);
    chosen.solution = polished.solution;
    EXPECT_GT(chosen.solution.terms().size(), 1U);
    expect_optimal(data, terms, chosen, 1e-6);
  }
}

TEST(RuleTerms, NearlyTheSame) {
  const TrainingData data = testing::rule_data(400);
  RuleTerms terms = grow(data, 1);
  terms.sets = RowSetTable(terms.rows.rows.words());
  const auto add = [&](std::size_t first, std::size_t end) {
    std::vector<RowWord> set(terms.rows.rows.words());
    for (std::size_t i = first; i < end; ++i) set[i / rows_per_word] |= RowWord{1} << (i % rows_per_word);
    terms.sets.push_back(set.data());
  };
  add(0, 100);
  add(2, 100);    // 98 of 100
  add(4, 100);    // 96 of 100
  add(5, 100);    // 95 of 100
  add(102, 400);  // all but the first, and two
  EXPECT_TRUE(terms.share_rows(0, 1));
  EXPECT_TRUE(terms.share_rows(0, 2));
  EXPECT_FALSE(terms.share_rows(0, 3));
  EXPECT_FALSE(terms.share_rows(0, 4));
  EXPECT_TRUE(terms.nearly_same(0, 4));
  EXPECT_FALSE(terms.nearly_same(0, 3));
  const RuleSolution solution{{0}, {{{0, 1}, {1, 2}, {3, 0.5}, {4, 0.1}}}};
  terms.supports = {0.25, 0.245, 0.24, 0.2375, 0.745};
  EXPECT_EQ(distinct_terms(terms, solution), (std::vector<std::uint32_t>{1}));  // 3 shares 95 of 98 with it
}

}  // namespace
}  // namespace sightglass
