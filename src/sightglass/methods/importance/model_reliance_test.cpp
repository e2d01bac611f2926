#include "sightglass/methods/importance/model_reliance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/result/json.h"
#include "support/caveats.h"
#include "support/function_model.h"
#include "support/law_cases.h"
#include "support/number_tables.h"
#include "support/random_data.h"
#include "support/random_trees.h"

namespace sightglass {
namespace {

using testing::FunctionModel;
using testing::has_caveat;
using ::testing::HasSubstr;
using testing::numbers_table;
using testing::random_table;
using testing::rows_of;
using Texts = std::vector<std::string>;

// Without e_divide, which is made of the order of rows.
const testing::LawCase laws("model-reliance", {.options = Value::object({{"losses", Texts{"squared", "absolute"}},
                                                                         {"features", Texts{"a", "b", "c", "d"}},
                                                                         {"groups", Texts{"pair=a,c"}},
                                                                         {"divide", false}})});

constexpr std::size_t weight_column = 4, target_column = 5;

std::vector<double> entangled(const std::vector<double>& x) {
  const double b = std::isnan(x[1]) ? 0.3 : x[1];
  const double c = std::isnan(x[2]) ? -1 : x[2];
  return {std::sin(x[0]) * b + (x[3] > 5 ? 2.0 : -1.0) * c + 0.1 * x[0]};
}

FunctionModel model() { return FunctionModel({"a", "b", "c", "d"}, entangled); }

Result reliance(const Model& model, const Source& source, Value options) {
  Context context(2);
  if (options.find("target") == nullptr) options.set("target", "y");
  return run("model-reliance", model, source, options, context);
}

const Importance& entry_of(const Result& result, const std::string& feature, const std::string& measure) {
  for (const auto& item : result.results) {
    const auto* entry = item.as<Importance>();
    if (entry != nullptr && entry->feature == feature && entry->measure.text() == "reliance: " + measure) return *entry;
  }
  throw std::runtime_error("no entry " + feature + " " + measure);
}

double detail(const Importance& entry, const char* name) { return entry.details.find(name)->as_number(); }

// The formula, word by word: Σ_i w_i [Σ_j w_j L_ij − L_ii] / (W (W − 1)).
struct Dense {
  double original = 0, switched = 0, divided = 0;
};

Dense dense(const Table& table, const std::vector<std::size_t>& switched, bool weighted, bool squared) {
  std::vector<std::vector<double>> rows;
  std::vector<double> y, w;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double weight = weighted ? table.column(weight_column).number(row) : 1;
    const double truth = table.column(target_column).number(row);
    if (weight == 0 || std::isnan(truth)) continue;
    rows.emplace_back();
    for (std::size_t column = 0; column < 4; ++column) rows.back().push_back(table.column(column).number(row));
    y.push_back(truth);
    w.push_back(weight);
  }
  const auto loss = [&](std::size_t i, std::size_t j) {
    std::vector<double> x = rows[i];
    for (const std::size_t column : switched) x[column] = rows[j][column];
    const double miss = y[i] - entangled(x)[0];
    return squared ? miss * miss : std::abs(miss);
  };
  Dense sums;
  double total = 0, halves = 0;
  const std::size_t half = rows.size() / 2;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    total += w[i];
    sums.original += w[i] * loss(i, i);
    double others = -loss(i, i);
    for (std::size_t j = 0; j < rows.size(); ++j) others += w[j] * loss(i, j);
    sums.switched += w[i] * others;
    if (i < 2 * half) {
      sums.divided += w[i] * loss(i, i < half ? i + half : i - half);
      halves += w[i];
    }
  }
  sums.original /= total;
  sums.switched /= total * (total - 1);
  sums.divided /= halves;
  return sums;
}

TEST(ModelReliance, EqualsTheSumOverAllPairs) {
  for (const bool weighted : {false, true}) {
    for (const std::uint64_t seed : {1, 2}) {
      // Ties, missing values, categories, integers, missing targets, weights of zero, an odd number of rows.
      const Table plain = random_table(seed, 251);
      const Table table = weighted ? plain.with_weights(weight_column) : plain;
      const Result result = reliance(model(), table,
                                     Value::object({{"losses", Texts{"squared", "absolute"}},
                                                    {"features", Texts{"a", "b", "c", "d"}},
                                                    {"groups", Texts{"pair=b,c"}},
                                                    {"batch", 64}}));
      const std::vector<std::pair<std::string, std::vector<std::size_t>>> units = {
          {"a", {0}}, {"b", {1}}, {"c", {2}}, {"d", {3}}, {"pair", {1, 2}}};
      for (const auto& [name, columns] : units) {
        for (const bool squared : {true, false}) {
          const Dense wanted = dense(table, columns, weighted, squared);
          const std::string loss = squared ? "squared error" : "absolute error";
          const Importance& ratio = entry_of(result, name, "ratio of " + loss);
          EXPECT_NEAR(detail(ratio, "e_orig"), wanted.original, 1e-12 * wanted.original);
          EXPECT_NEAR(detail(ratio, "e_switch"), wanted.switched, 1e-12 * wanted.switched) << name;
          EXPECT_NEAR(detail(ratio, "e_divide"), wanted.divided, 1e-12 * wanted.divided) << name;
          EXPECT_NEAR(ratio.importance, wanted.switched / wanted.original, 1e-11);
          EXPECT_NEAR(entry_of(result, name, "increase of " + loss).importance, wanted.switched - wanted.original,
                      1e-11);
          EXPECT_GT(*ratio.se, 0);
        }
      }
    }
  }
}

TEST(ModelReliance, DuplicatedRowsEqualWeights) {
  const Table table = random_table(3, 120);
  std::vector<std::uint64_t> duplicated;
  for (std::uint64_t row = 0; row < table.rows(); ++row) {
    for (int k = 0; k < static_cast<int>(table.column(weight_column).number(row)); ++k) duplicated.push_back(row);
  }
  const Result weighted = reliance(model(), table.with_weights(weight_column), Value::object());
  const Result repeated = reliance(model(), rows_of(table, duplicated), Value::object());
  for (const char* feature : {"a", "b", "c", "d"}) {
    EXPECT_NEAR(entry_of(weighted, feature, "ratio of squared error").importance,
                entry_of(repeated, feature, "ratio of squared error").importance, 1e-12);
  }
}

// Any weights, by the formula word by word. Those that are below 1 on average cannot be counts of rows: they are
// scaled.
TEST(ModelReliance, WeightsNeedNotBeWhole) {
  const std::vector<double> a = {1, 2, 3, 4, 2.5}, y = {1, 3, 2, 5, 1};
  const FunctionModel plain({"a"}, [](const auto& x) { return x; });
  const auto run_with = [&](const std::vector<double>& weights) {
    return entry_of(reliance(plain, numbers_table({"a", "y", "w"}, {a, y, weights}).with_weights(2), Value::object()),
                    "a", "ratio of squared error");
  };
  const auto dense_with = [&](const std::vector<double>& w) {
    double total = 0, original = 0, switched = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto loss = [&](std::size_t j) { return (y[i] - a[j]) * (y[i] - a[j]); };
      total += w[i];
      original += w[i] * loss(i);
      double others = -loss(i);
      for (std::size_t j = 0; j < a.size(); ++j) others += w[j] * loss(j);
      switched += w[i] * others;
    }
    return switched / (total * (total - 1)) / (original / total);
  };
  for (const std::vector<double>& w : std::vector<std::vector<double>>{
           {1, 1, 2, 1, 3}, {0.5, 1.5, 2.25, 0.125, 3}, {1e-6, 1, 1, 1, 7}, {0.25, 0.25, 0.25, 4, 0.25}}) {
    EXPECT_NEAR(run_with(w).importance, dense_with(w), 1e-12 * dense_with(w)) << w[0];
    EXPECT_EQ(run_with(w).details.find("weights"), nullptr);
    for (const double scale : {1e-3, 1e-90}) {
      std::vector<double> small = w, average = w;
      const double total = std::accumulate(w.begin(), w.end(), 0.0);
      for (double& weight : small) weight *= scale;
      for (double& weight : average) weight *= static_cast<double>(w.size()) / total;
      EXPECT_NEAR(run_with(small).importance, dense_with(average), 1e-12 * dense_with(average)) << w[0];
      EXPECT_NE(run_with(small).details.find("weights"), nullptr);
    }
  }
  // Equal weights are none.
  EXPECT_NEAR(run_with({0.2, 0.2, 0.2, 0.2, 0.2}).importance, run_with({1, 1, 1, 1, 1}).importance, 1e-12);
  EXPECT_NEAR(*run_with({0.2, 0.2, 0.2, 0.2, 0.2}).se, *run_with({1, 1, 1, 1, 1}).se, 1e-12);
}

// y = x: two rows, 1 and 5. Switched, both are wrong by 4.
TEST(ModelReliance, LiteralNumbers) {
  const FunctionModel plain({"a"}, [](const auto& x) { return std::vector<double>{x[0] + 1}; });
  const Result result = reliance(plain, numbers_table({"a", "y"}, {{1, 5}, {1, 5}}), Value::object());
  const Importance& ratio = entry_of(result, "a", "ratio of squared error");
  EXPECT_EQ(detail(ratio, "e_orig"), 1);
  EXPECT_EQ(detail(ratio, "e_switch"), (25 + 9) / 2);
  EXPECT_EQ(detail(ratio, "e_divide"), (25 + 9) / 2);
  EXPECT_EQ(ratio.importance, 17);
  EXPECT_EQ(entry_of(result, "a", "increase of squared error").importance, 16);
  EXPECT_EQ(detail(ratio, "expected_permutation_importance"), 8);
  EXPECT_EQ(detail(ratio, "rank"), 1);
}

TEST(ModelReliance, IsWhatPermutationImportanceExpects) {
  for (const bool weighted : {false, true}) {
    const Table plain = random_table(4, 150);
    const Table table = weighted ? plain.with_weights(weight_column) : plain;
    const Result exact = reliance(model(), table, Value::object({{"losses", Texts{"absolute"}}}));
    Context context(2);
    const int repeats = 400;
    const Result shuffled =
        run("pfi", model(), table,
            Value::object({{"target", "y"}, {"losses", Texts{"absolute"}}, {"repeats", repeats}}), context);
    for (const auto& item : shuffled.results) {
      const auto* entry = item.as<Importance>();
      if (entry == nullptr) continue;
      const Importance& expected = entry_of(exact, entry->feature, "increase of absolute error");
      EXPECT_NEAR(entry->importance, detail(expected, "expected_permutation_importance"),
                  4 * *entry->sd / std::sqrt(repeats))
          << entry->feature;
      EXPECT_NEAR(*entry->se, *expected.se, 0.25 * *expected.se) << entry->feature;
    }
  }
}

TEST(ModelReliance, ClassesAndScores) {
  const Table table = random_table(5, 200);
  std::vector<double> a(200), y(200);
  for (std::size_t i = 0; i < 200; ++i) {
    a[i] = table.column(0).number(i);
    y[i] = a[i] + table.column(3).number(i) / 6 > 1 ? 1 : 0;
  }
  const FunctionModel chance({"a"}, [](const auto& x) { return std::vector<double>{1 / (1 + std::exp(-2 * x[0]))}; });
  const Result result = reliance(chance, numbers_table({"a", "y"}, {a, y}),
                                 Value::object({{"losses", Texts{"log-loss", "brier", "accuracy"}}}));
  EXPECT_GT(entry_of(result, "a", "ratio of log-loss").importance, 1);
  EXPECT_GT(entry_of(result, "a", "decrease of accuracy").importance, 0);
  EXPECT_GT(entry_of(result, "a", "ratio of accuracy").importance, 1);
}

TEST(ModelReliance, KeepsToItsBudgetAndSaysSo) {
  const Table table = random_table(6, 300);
  std::atomic<std::uint64_t> asked = 0;
  const FunctionModel counted({"a", "c"}, [&](const auto& x) {
    ++asked;
    return std::vector<double>{x[0] + (std::isnan(x[1]) ? 0 : x[1])};
  });
  const Result all = reliance(counted, table, Value::object());
  const std::uint64_t scored =
      static_cast<std::uint64_t>(detail(entry_of(all, "a", "increase of squared error"), "rows"));
  // And once more for each row by which the skill of the model is judged.
  EXPECT_GE(asked, 300 + scored * scored + scored * 4);
  EXPECT_LE(asked, 600 + scored * scored + scored * 4);
  EXPECT_FALSE(has_caveat(all, "sampled-rows"));
  asked = 0;
  const Result some = reliance(counted, table, Value::object({{"predictions", 10000}}));
  EXPECT_LE(asked, 600U + 2 * 10000U);
  EXPECT_TRUE(has_caveat(some, "sampled-rows"));
  EXPECT_EQ(detail(entry_of(some, "a", "increase of squared error"), "rows"), 100);
  // Four different values: all rows fit.
  EXPECT_EQ(detail(entry_of(some, "c", "increase of squared error"), "rows"), static_cast<double>(scored));
  const Importance& exact = entry_of(all, "a", "increase of squared error");
  const Importance& sampled = entry_of(some, "a", "increase of squared error");
  EXPECT_NEAR(sampled.importance, exact.importance, 4 * *sampled.se);
}

TEST(ModelReliance, WhatTreesCannotTellApartIsOneValue) {
  const auto trees = testing::random_trees(3, testing::tree_families().at("xgboost"));
  const Table table = random_table(8, 300);
  Value options = Value::object({{"losses", Texts{"squared", "absolute"}},
                                 {"groups", Texts{"pair=a,c"}},
                                 {"features", Texts{"a", "b", "c", "d"}},
                                 {"output", trees->signature().outputs[0]}});
  const Result exact = reliance(*trees, table, options);
  const Result plain = reliance(*trees, table, Value(options).set("engine", "blackbox"));
  for (const char* feature : {"a", "b", "c", "d", "pair"}) {
    const Importance& by_trees = entry_of(exact, feature, "increase of squared error");
    const Importance& by_values = entry_of(plain, feature, "increase of squared error");
    EXPECT_NEAR(by_trees.importance, by_values.importance, 1e-12 * std::max(1.0, by_values.importance)) << feature;
    EXPECT_NEAR(*by_trees.se, *by_values.se, 1e-9 * std::max(1.0, *by_values.se)) << feature;
    EXPECT_NEAR(detail(by_trees, "e_divide"), detail(by_values, "e_divide"), 1e-9) << feature;
    EXPECT_LE(detail(by_trees, "values"), detail(by_values, "values")) << feature;
  }
  EXPECT_LT(detail(entry_of(exact, "a", "increase of squared error"), "values"),
            detail(entry_of(plain, "a", "increase of squared error"), "values"));
  // A budget that allows only a sample of predictions is enough for all rows of trees.
  options.set("predictions", 2000);
  EXPECT_FALSE(has_caveat(reliance(*trees, table, options), "sampled-rows"));
  EXPECT_TRUE(has_caveat(reliance(*trees, table, Value(options).set("engine", "blackbox")), "sampled-rows"));
}

// Of rows that are but a sample of the data.
TEST(ModelReliance, ProgressEndsWithAll) {
  const auto trees = testing::random_trees(3, testing::tree_families().at("xgboost"));
  const Table table = random_table(8, 5000);
  Context context(2);
  std::vector<double> shares;
  context.on_progress = [&](const Progress& progress) {
    if (progress.task != "switched losses") return;
    EXPECT_LE(progress.done, progress.total);
    shares.push_back(static_cast<double>(progress.done) / static_cast<double>(progress.total));
  };
  const Value options = Value::object({{"target", "y"}, {"sample", 600}, {"output", trees->signature().outputs[0]}});
  (void)run("model-reliance", *trees, table, options, context);
  ASSERT_FALSE(shares.empty());
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.back(), 1);
}

// Losses far above all that the model has as it is: their sums are exact all the same.
TEST(ModelReliance, StandardErrorsOfAModelThatIsNearlyPerfect) {
  const std::size_t rows = 700;
  std::vector<double> a(rows), y(rows), w(rows), repeated_a, repeated_y;
  const Table other = random_table(9, rows);
  for (std::size_t i = 0; i < rows; ++i) {
    a[i] = other.column(0).number(i);
    y[i] = a[i] + 1e-9 * static_cast<double>(i % 3);
    w[i] = static_cast<double>(1 + i % 2);
  }
  a[5] = y[5] = 1e7;
  const FunctionModel plain({"a"}, [](const auto& x) { return std::vector<double>{x[0]}; });
  for (const bool weighted : {false, true}) {
    const Table table = numbers_table({"a", "y", "w"}, {a, y, w});
    const Result result = reliance(plain, weighted ? table.with_weights(2) : table, Value::object());
    // A + B − L of every row, word by word.
    std::vector<long double> parts(rows);
    long double total = 0, squares = 0, mean = 0, variance = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      total += weighted ? w[i] : 1;
      squares += weighted ? w[i] * w[i] : 1;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      const auto loss = [&](std::size_t k, std::size_t j) {
        const long double miss = static_cast<long double>(y[k]) - a[j];
        return miss * miss;
      };
      long double got = -loss(i, i), lent = -loss(i, i);
      for (std::size_t j = 0; j < rows; ++j) {
        got += (weighted ? w[j] : 1) * loss(i, j);
        lent += (weighted ? w[j] : 1) * loss(j, i);
      }
      parts[i] = (got + lent) / (total - 1) - loss(i, i);
      mean += (weighted ? w[i] : 1) * parts[i] / total;
    }
    for (std::size_t i = 0; i < rows; ++i)
      variance += (weighted ? w[i] : 1) * (parts[i] - mean) * (parts[i] - mean) / total;
    const auto wanted = static_cast<double>(std::sqrt(variance / (total * total / squares)));
    EXPECT_NEAR(*entry_of(result, "a", "increase of squared error").se, wanted, 1e-9 * wanted) << weighted;
  }
}

TEST(ModelReliance, OddInputIsLegal) {
  const FunctionModel plain({"a", "b"}, [](const auto& x) { return std::vector<double>{std::isnan(x[0]) ? 0 : x[0]}; });
  const auto run_on = [&](std::vector<double> a, std::vector<double> y) {
    const std::vector<double> b(a.size(), 1.5);
    const Result result =
        reliance(plain, numbers_table({"a", "b", "y"}, {std::move(a), b, std::move(y)}), Value::object());
    EXPECT_EQ(to_json(result).find("NaN"), std::string::npos);
    return result;
  };
  const Result constant = run_on({2, 2, 2}, {1, 2, 3});
  EXPECT_EQ(entry_of(constant, "a", "increase of squared error").importance, 0);
  EXPECT_EQ(entry_of(constant, "b", "ratio of squared error").importance, 1);
  EXPECT_TRUE(has_caveat(constant, "constant-feature"));
  const Result one = run_on({2}, {1});
  EXPECT_EQ(entry_of(one, "a", "increase of squared error").importance, 0);
  EXPECT_TRUE(has_caveat(one, "one-row"));
  EXPECT_TRUE(has_caveat(run_on({NAN, NAN}, {1, 2}), "no-values"));
  const Result perfect = run_on({1, 2, 3}, {1, 2, 3});
  EXPECT_TRUE(has_caveat(perfect, "zero-loss"));
  EXPECT_DOUBLE_EQ(entry_of(perfect, "a", "increase of squared error").importance, 2);
  // Not used by the model: exactly nothing, although b has many values and weights do not matter.
  const FunctionModel ignores({"a", "b"}, [](const auto& x) { return std::vector<double>{x[0]}; });
  const Result unused =
      reliance(ignores, numbers_table({"a", "b", "y"}, {{1, 2, 3.3}, {0.1, 0.2, 0.7}, {3, 2, 1}}), Value::object());
  EXPECT_EQ(entry_of(unused, "b", "increase of squared error").importance, 0);
  EXPECT_EQ(entry_of(unused, "b", "increase of squared error").se, 0) << "whatever rows there are";
  EXPECT_EQ(entry_of(unused, "b", "ratio of squared error").importance, 1);
  EXPECT_TRUE(has_caveat(run_on({1e200, -1e200, 3}, {1, 2, 3}), "overflow"));
}

TEST(ModelReliance, Refuses) {
  const auto message = [&](Value options) {
    try {
      (void)reliance(model(), random_table(7, 30), std::move(options));
    } catch (const Error& error) {
      return error.message() + " | " + error.advice();
    }
    return std::string("no error");
  };
  EXPECT_THAT(message(Value::object({{"losses", Texts{"auc"}}})), HasSubstr("not a mean over rows"));
  EXPECT_THAT(message(Value::object({{"losses", Texts{"rmse"}}})), HasSubstr("squared"));
  EXPECT_THAT(message(Value::object({{"predictions", 10}})), HasSubstr("predictions"));
  EXPECT_THAT(message(Value::object({{"target", ""}})), HasSubstr("with target"));
}

}  // namespace
}  // namespace sightglass
