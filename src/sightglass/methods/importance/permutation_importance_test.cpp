#include "sightglass/methods/importance/permutation_importance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sightglass/base/error.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/result/json.h"
#include "support/function_model.h"
#include "support/law_cases.h"
#include "support/number_tables.h"
#include "support/random_data.h"

namespace sightglass {
namespace {

using testing::FunctionModel;
using ::testing::HasSubstr;
using testing::numbers_table;
using testing::random_table;
using Texts = std::vector<std::string>;

const testing::LawCase laws("permutation-importance",
                            {.options = Value::object({{"repeats", 3},
                                                       {"losses", Texts{"rmse", "absolute", "r2"}},
                                                       {"noise", std::vector<double>{0.3, 1}},
                                                       {"features", Texts{"a", "b", "c", "d"}},
                                                       {"groups", Texts{"pair=a,c"}}})});
const testing::LawCase laws_expected("permutation-importance:expected",
                                     {.options = Value::object({{"estimator", "expected"},
                                                                {"losses", Texts{"rmse", "absolute", "r2"}},
                                                                {"features", Texts{"a", "b", "c", "d"}},
                                                                {"groups", Texts{"pair=a,c"}}}),
                                      .draws = false});

Result pfi(const Model& model, const Source& source, Value options) {
  Context context(2);
  if (options.find("target") == nullptr) options.set("target", "y");
  return run("pfi", model, source, options, context);
}

const Importance& entry_of(const Result& result, const std::string& feature, const std::string& measure = "") {
  for (const auto& item : result.results) {
    const auto* entry = item.as<Importance>();
    if (entry != nullptr && entry->feature == feature && (measure.empty() || entry->measure.text() == measure))
      return *entry;
  }
  throw std::runtime_error("no entry " + feature);
}

double figure_of(const Result& result, const std::string& name) {
  for (const auto& item : result.results) {
    const auto* figure = item.as<Figure>();
    if (figure != nullptr && figure->name == name) return figure->value;
  }
  return NAN;
}

std::vector<std::string> caveat_ids(const Result& result) {
  std::vector<std::string> ids;
  for (const Caveat& caveat : result.caveats) ids.push_back(caveat.id);
  return ids;
}

// y = 2a − b + noise, the model knows it: shuffling x raises the squared error by 2β²Var(x).
TEST(PermutationImportance, OfALinearModelIsTwiceTheVarianceItExplains) {
  const std::size_t rows = 20000;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> columns(4, std::vector<double>(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    columns[0][i] = normal(random);
    columns[1][i] = 3 * normal(random);
    columns[2][i] = normal(random);
    columns[3][i] = 2 * columns[0][i] - columns[1][i] + normal(random);
  }
  const FunctionModel model({"a", "b", "c"},
                            [](const auto& x) { return std::vector<double>{2 * x[0] - x[1] + 0 * x[2]}; });
  const Result result = pfi(model, numbers_table({"a", "b", "c", "y"}, columns),
                            Value::object({{"losses", Texts{"squared"}}, {"repeats", 5}}));
  const Importance& a = entry_of(result, "a");
  EXPECT_EQ(a.measure.text(), "increase of squared error");
  ASSERT_TRUE(a.se.has_value());
  EXPECT_NEAR(a.importance, 2 * 4, 4 * *a.se);
  EXPECT_LT(*a.se, 0.2);
  const Importance& b = entry_of(result, "b");
  EXPECT_NEAR(b.importance, 2 * 9, 4 * *b.se);
  EXPECT_EQ(a.details.find("rank")->as_integer(), 2);
  EXPECT_EQ(b.details.find("rank")->as_integer(), 1);
  EXPECT_EQ(a.details.find("repeats")->as_array().size(), 5U);
  // Not used: exactly nothing.
  EXPECT_EQ(entry_of(result, "c").importance, 0);
  EXPECT_EQ(entry_of(result, "c").sd, 0);
  EXPECT_NEAR(figure_of(result, "squared error"), 1, 0.05);
  EXPECT_NEAR(figure_of(result, "skill by squared error"), 1 - 1.0 / 14, 0.01);
}

// Two rows have two permutations: nothing, or an exchange.
TEST(PermutationImportance, LiteralNumbers) {
  const FunctionModel model({"a"}, [](const auto& x) { return std::vector<double>{x[0]}; });
  const Table table = numbers_table({"a", "y"}, {{1, 5}, {1, 5}});
  const Result result =
      pfi(model, table, Value::object({{"losses", Texts{"squared", "rmse", "absolute"}}, {"repeats", 40}}));
  std::size_t exchanged = 0;
  for (const Value& value : entry_of(result, "a", "increase of squared error").details.find("repeats")->as_array()) {
    EXPECT_TRUE(value.as_number() == 0 || value.as_number() == 16);
    exchanged += value.as_number() == 16 ? 1 : 0;
  }
  EXPECT_GT(exchanged, 8U);
  EXPECT_LT(exchanged, 32U);
  const double share = static_cast<double>(exchanged) / 40;
  EXPECT_DOUBLE_EQ(entry_of(result, "a", "increase of squared error").importance, 16 * share);
  EXPECT_DOUBLE_EQ(entry_of(result, "a", "increase of rmse").importance, 4 * share);
  EXPECT_DOUBLE_EQ(entry_of(result, "a", "increase of absolute error").importance, 4 * share);
  EXPECT_EQ(*entry_of(result, "a", "increase of rmse").low, 0);
  EXPECT_EQ(*entry_of(result, "a", "increase of rmse").high, 4);
}

TEST(PermutationImportance, GroupsShareOnePermutation) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  std::vector<double> a(300), b(300), y(300);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = normal(random);
    b[i] = -a[i];
    y[i] = normal(random);
  }
  // The sum is always 0, as long as both come from the same row.
  const FunctionModel model({"a", "b"}, [](const auto& x) { return std::vector<double>{x[0] + x[1]}; });
  const Table table = numbers_table({"a", "b", "y"}, {a, b, y});
  for (const char* group : {"both=a,b", " both = a, b "}) {
    const Result result = pfi(model, table, Value::object({{"groups", Texts{group}}}));
    EXPECT_EQ(entry_of(result, "both").importance, 0);
    EXPECT_EQ(entry_of(result, "both").features, (Texts{"a", "b"}));
  }
  EXPECT_EQ(entry_of(pfi(model, table, Value::object({{"groups", Texts{"a,b"}}})), "a + b").importance, 0);
  const Result all = pfi(model, table, Value::object({{"groups", Texts{"a,b"}}, {"features", Texts{"a"}}}));
  EXPECT_GT(entry_of(all, "a").importance, 0);
  EXPECT_EQ(entry_of(all, "a + b").importance, 0);
}

TEST(PermutationImportance, RatiosAndScores) {
  const Table table = random_table(3, 400);
  const FunctionModel model({"a", "d"}, [](const auto& x) { return std::vector<double>{x[0] + 0.2 * x[1]}; });
  const Result difference = pfi(model, table, Value::object({{"losses", Texts{"squared", "r2"}}}));
  const Result ratio = pfi(model, table, Value::object({{"losses", Texts{"squared", "r2"}}, {"kind", "ratio"}}));
  const Importance& by_difference = entry_of(difference, "a", "increase of squared error");
  const Importance& by_ratio = entry_of(ratio, "a", "ratio of squared error");
  const double baseline = by_difference.details.find("baseline")->as_number();
  EXPECT_NEAR(by_ratio.importance, 1 + by_difference.importance / baseline, 1e-12);
  EXPECT_NEAR(by_ratio.importance, by_difference.details.find("ratio")->as_number(), 1e-12);
  EXPECT_GT(*by_ratio.se, 0);
  const Importance& r2 = entry_of(difference, "a", "decrease of r2");
  EXPECT_GT(r2.importance, 0);
  EXPECT_NEAR(r2.importance, r2.details.find("baseline")->as_number() - r2.details.find("after")->as_number(), 1e-12);
  EXPECT_NE(std::find(caveat_ids(difference).begin(), caveat_ids(difference).end(), "missing-target"),
            caveat_ids(difference).end());
}

TEST(PermutationImportance, ClassesAndAuc) {
  const std::size_t rows = 500;
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  std::vector<double> a(rows), b(rows);
  std::vector<std::int32_t> y(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    a[i] = std::round(normal(random) * 2) / 2;
    b[i] = normal(random);
    y[i] = normal(random) < a[i] ? 1 : 0;
  }
  const auto dictionary = std::make_shared<Dictionary>(Texts{"no", "yes"});
  const Table table(
      Schema({{.name = "a"}, {.name = "b"}, {.name = "y", .type = DType::categorical, .dictionary = dictionary}}),
      {column_of(a), column_of(b), column_of(y, dictionary.get())});
  const FunctionModel model({"a", "b"},
                            [](const auto& x) { return std::vector<double>{1 / (1 + std::exp(-2 * x[0]))}; }, {"yes"});
  const Result result =
      pfi(model, table, Value::object({{"losses", Texts{"auc", "log-loss", "brier", "accuracy", "f1"}}}));
  EXPECT_GT(figure_of(result, "auc"), 0.75);
  // Shuffled, the score says nothing.
  EXPECT_NEAR(entry_of(result, "a", "decrease of auc").details.find("after")->as_number(), 0.5, 0.03);
  EXPECT_FALSE(entry_of(result, "a", "decrease of auc").se.has_value());
  EXPECT_GT(*entry_of(result, "a", "increase of log-loss").se, 0);
  for (const char* measure :
       {"decrease of auc", "increase of log-loss", "increase of brier", "decrease of accuracy", "decrease of f1"}) {
    EXPECT_GT(entry_of(result, "a", measure).importance, 0) << measure;
    EXPECT_EQ(entry_of(result, "b", measure).importance, 0) << measure;
  }
}

TEST(PermutationImportance, NoiseGrowsTheLoss) {
  const Table other = random_table(5, 400);
  std::vector<double> a(400), y(400);
  std::vector<std::int32_t> c(400);
  for (std::size_t i = 0; i < 400; ++i) {
    a[i] = other.column(0).number(i);
    const double code = other.column(2).number(i);
    c[i] = std::isnan(code) ? -1 : static_cast<std::int32_t>(code);
    y[i] = a[i] + (c[i] < 0 ? 0.5 : c[i]) + other.column(1).number(i) / 5;
  }
  const Dictionary* dictionary = other.schema()[2].dictionary.get();
  const Table table(Schema({{.name = "a"}, other.schema()[2], {.name = "y"}}),
                    {column_of(a), column_of(c, dictionary), column_of(y)});
  const FunctionModel model({"a", "c"},
                            [](const auto& x) { return std::vector<double>{x[0] + (std::isnan(x[1]) ? 0.5 : x[1])}; });
  const Result result = pfi(model, table, Value::object({{"noise", std::vector<double>{2, 0.5, 1}}, {"repeats", 4}}));
  std::size_t curves = 0;
  for (const auto& item : result.results) {
    const auto* curve = item.as<Curve>();
    if (curve == nullptr) continue;
    ++curves;
    EXPECT_EQ(curve->measure, Measure::loss);
    EXPECT_EQ(curve->axis.numbers, (std::vector<double>{0, 0.5, 1, 2}));
    EXPECT_EQ(curve->mean[0], figure_of(result, "rmse"));
    EXPECT_LT(curve->mean[0], curve->mean[1]);
    EXPECT_LT(curve->mean[1], curve->mean[2]);
    EXPECT_LE(curve->mean[2], curve->mean[3]);
    if (curve->axis.feature != "c") continue;
    EXPECT_EQ(curve->axis.unit, "share of rows replaced");
    // Every row replaced is a shuffle.
    EXPECT_DOUBLE_EQ(curve->mean[2], entry_of(result, "c").details.find("after")->as_number());
  }
  EXPECT_EQ(curves, 2U);
}

// The model's input keeps its kind: integers stay integers, levels stay levels, missing values travel.
TEST(PermutationImportance, ValuesTravelWhole) {
  const Table table = random_table(6, 200);
  const FunctionModel model({"a", "b", "c", "d"}, [](const auto& x) {
    EXPECT_EQ(x[3], std::trunc(x[3]));
    EXPECT_TRUE(std::isnan(x[2]) || x[2] == 0 || x[2] == 1 || x[2] == 2);
    return std::vector<double>{(std::isnan(x[1]) ? 10 : 0) + x[0]};
  });
  const Result result = pfi(model, table, Value::object());
  EXPECT_GT(entry_of(result, "b").importance, 0);
  EXPECT_EQ(entry_of(result, "c").importance, 0);
}

TEST(PermutationImportance, OddInputIsLegal) {
  const FunctionModel model({"a"}, [](const auto& x) { return std::vector<double>{std::isnan(x[0]) ? 0 : x[0]}; });
  const auto run_on = [&](std::vector<double> a, std::vector<double> y, const char* loss = "rmse",
                          const char* kind = "difference") {
    const Result result = pfi(model, numbers_table({"a", "y"}, {std::move(a), std::move(y)}),
                              Value::object({{"losses", Texts{loss}}, {"kind", kind}}));
    EXPECT_EQ(to_json(result).find("NaN"), std::string::npos);
    return result;
  };
  const auto has = [](const Result& result, const std::string& id) {
    const auto ids = caveat_ids(result);
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  const Result constant = run_on({2, 2, 2}, {1, 2, 3});
  EXPECT_EQ(entry_of(constant, "a").importance, 0);
  EXPECT_TRUE(has(constant, "constant-feature"));
  const Result one = run_on({2}, {1});
  EXPECT_EQ(entry_of(one, "a").importance, 0);
  EXPECT_TRUE(has(one, "one-row"));
  EXPECT_TRUE(has(one, "constant-target"));
  EXPECT_TRUE(has(run_on({NAN, NAN}, {1, 2}), "no-values"));
  EXPECT_TRUE(has(run_on({1, 2, 3}, {4, 4, 4}, "r2"), "undefined-loss"));
  // A perfect model: the ratio has no value.
  const Result perfect = run_on({1, 2, 3}, {1, 2, 3}, "squared", "ratio");
  EXPECT_TRUE(has(perfect, "zero-loss"));
  EXPECT_THROW((void)entry_of(perfect, "a"), std::runtime_error);
  const Result huge = run_on({1e300, -1e300, 3}, {1, 2, 3}, "squared");
  EXPECT_TRUE(has(huge, "overflow"));
  const Result tiny = run_on({1e-300, -1e-300, 3}, {1, 2, 3}, "absolute");
  EXPECT_TRUE(std::isfinite(entry_of(tiny, "a").importance));
  const Result infinite = run_on({1, 2, 3}, {1, INFINITY, 3});
  EXPECT_TRUE(has(infinite, "missing-target"));
  EXPECT_THROW((void)run_on({1, 2}, {NAN, NAN}), Error);
}

// y = a and the model adds 1. Two rows lend each other 1 and 5, or keep their own: the squared errors are 1 as they
// are, 25 and 9 exchanged.
TEST(PermutationImportance, ExpectedLiteralNumbers) {
  const FunctionModel model({"a"}, [](const auto& x) { return std::vector<double>{x[0] + 1}; });
  const Table table = numbers_table({"a", "y"}, {{1, 5}, {1, 5}});
  Value options = Value::object({{"losses", Texts{"squared", "rmse", "r2", "absolute"}}, {"estimator", "expected"}});
  const Result result = pfi(model, table, options);
  const Importance& squared = entry_of(result, "a", "increase of squared error");
  EXPECT_EQ(squared.importance, (1 + 25 + 9 + 1) / 4.0 - 1);
  EXPECT_EQ(squared.details.find("estimator")->as_string(), "expected");
  EXPECT_EQ(squared.details.find("baseline")->as_number(), 1);
  EXPECT_EQ(squared.details.find("after")->as_number(), 9);
  EXPECT_EQ(squared.details.find("ratio")->as_number(), 9);
  EXPECT_EQ(squared.details.find("repeats"), nullptr);
  EXPECT_EQ(squared.sd, 0);
  EXPECT_FALSE(squared.low.has_value());
  // A + B − L: (1 + 25)/2 + (1 + 9)/2 − 1 and (9 + 1)/2 + (25 + 1)/2 − 1 are the same.
  EXPECT_EQ(squared.se, 0);
  // The root of the expected mean square, not the mean of roots: (1 + √17)/2.
  EXPECT_EQ(entry_of(result, "a", "increase of rmse").importance, 2);
  EXPECT_EQ(entry_of(result, "a", "decrease of r2").importance, 8 / 4.0);
  EXPECT_EQ(entry_of(result, "a", "increase of absolute error").importance, (1 + 5 + 3 + 1) / 4.0 - 1);
  const Result ratio = pfi(model, table, options.set("kind", "ratio"));
  EXPECT_EQ(entry_of(ratio, "a", "ratio of squared error").importance, 9);
  EXPECT_EQ(entry_of(ratio, "a", "ratio of rmse").importance, 3);
  // The shuffled one says so too.
  EXPECT_EQ(entry_of(pfi(model, table, Value::object()), "a").details.find("estimator")->as_string(), "shuffled");
}

TEST(PermutationImportance, ExpectedIsTheMeanOfManyShuffles) {
  const FunctionModel model({"a", "b", "c", "d"}, [](const auto& x) {
    const double b = std::isnan(x[1]) ? 0.3 : x[1];
    return std::vector<double>{std::sin(x[0]) * b + (std::isnan(x[2]) ? -1 : x[2]) + 0.1 * x[3]};
  });
  const int repeats = 1000;
  for (const bool weighted : {false, true}) {
    const Table plain = random_table(9, 120);
    const Table table = weighted ? plain.with_weights(4) : plain;
    Value options = Value::object({{"losses", Texts{"squared", "absolute", "r2", "rmse"}}, {"repeats", repeats}});
    const Result shuffled = pfi(model, table, options);
    const Result expected = pfi(model, table, options.set("estimator", "expected"));
    std::size_t compared = 0;
    for (const auto& item : shuffled.results) {
      const auto* entry = item.as<Importance>();
      if (entry == nullptr) continue;
      const Importance& exact = entry_of(expected, entry->feature, entry->measure.text());
      // The mean of roots is below the root of the mean, by their spread.
      const bool root = entry->measure.loss == LossKind::rmse;
      const double after = exact.details.find("after")->as_number();
      const double bend = root ? *entry->sd * *entry->sd / (2 * after) : 0;
      EXPECT_NEAR(entry->importance + bend, exact.importance,
                  4 * *entry->sd / std::sqrt(repeats) + (root ? 0.2 * bend : 0) + 1e-12)
          << entry->feature << " " << entry->measure.text();
      EXPECT_NEAR(*entry->se, *exact.se, 0.15 * *exact.se + 1e-12) << entry->feature << " " << entry->measure.text();
      ++compared;
    }
    EXPECT_EQ(compared, 16U);
  }
}

TEST(PermutationImportance, ExpectedIsThatOfModelReliance) {
  const FunctionModel model({"a", "b", "c", "d"}, [](const auto& x) {
    return std::vector<double>{x[0] * (std::isnan(x[1]) ? 0.3 : x[1]) + (std::isnan(x[2]) ? -1 : x[2]) + 0.1 * x[3]};
  });
  for (const bool weighted : {false, true}) {
    for (const int budget : {10'000'000, 3000}) {
      const Table plain = random_table(10, 130);
      const Table table = weighted ? plain.with_weights(4) : plain;
      Value options = Value::object({{"losses", Texts{"squared", "absolute"}},
                                     {"groups", Texts{"both=a,c"}},
                                     {"predictions", budget},
                                     {"target", "y"}});
      Context context(2);
      const Result reliance = run("model-reliance", model, table, options, context);
      const Result expected = pfi(model, table, options.set("estimator", "expected"));
      std::size_t compared = 0;
      for (const auto& item : reliance.results) {
        const auto* entry = item.as<Importance>();
        if (entry == nullptr || entry->measure.change != LossChange::increase) continue;
        const Importance& same =
            entry_of(expected, entry->feature, entry->measure.text().substr(std::string("reliance: ").size()));
        const double wanted = entry->details.find("expected_permutation_importance")->as_number();
        EXPECT_NEAR(same.importance, wanted, 1e-12 * std::abs(wanted)) << entry->feature;
        EXPECT_EQ(same.details.find("rows")->as_number(), entry->details.find("rows")->as_number());
        ++compared;
      }
      EXPECT_EQ(compared, 6U);
      const auto ids = caveat_ids(expected);
      EXPECT_EQ(std::find(ids.begin(), ids.end(), "sampled-rows") != ids.end(), budget == 3000);
    }
  }
}

TEST(PermutationImportance, ExpectedOfOddInput) {
  const FunctionModel model({"a"}, [](const auto& x) { return std::vector<double>{std::isnan(x[0]) ? 0 : x[0]}; });
  const auto run_on = [&](std::vector<double> a, std::vector<double> y, const char* loss = "rmse",
                          const char* kind = "difference") {
    const Result result = pfi(model, numbers_table({"a", "y"}, {std::move(a), std::move(y)}),
                              Value::object({{"losses", Texts{loss}}, {"kind", kind}, {"estimator", "expected"}}));
    EXPECT_EQ(to_json(result).find("NaN"), std::string::npos);
    return result;
  };
  const auto has = [](const Result& result, const std::string& id) {
    const auto ids = caveat_ids(result);
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  EXPECT_EQ(entry_of(run_on({2, 2, 2}, {1, 2, 3}), "a").importance, 0);
  EXPECT_EQ(entry_of(run_on({2}, {1}), "a").importance, 0);
  EXPECT_TRUE(has(run_on({2}, {1}), "one-row"));
  EXPECT_TRUE(has(run_on({NAN, NAN}, {1, 2}), "no-values"));
  EXPECT_TRUE(has(run_on({1, 2, 3}, {4, 4, 4}, "r2"), "undefined-loss"));
  EXPECT_TRUE(has(run_on({1, 2, 3}, {1, 2, 3}, "squared", "ratio"), "zero-loss"));
  EXPECT_TRUE(has(run_on({1e300, -1e300, 3}, {1, 2, 3}, "squared"), "overflow"));
  EXPECT_TRUE(std::isfinite(entry_of(run_on({1e-300, -1e-300, 3}, {1, 2, 3}, "absolute"), "a").importance));
  const auto message = [&](Value options) {
    try {
      (void)pfi(model, numbers_table({"a", "y"}, {{0.1, 0.9}, {0, 1}}), options.set("estimator", "expected"));
    } catch (const Error& error) {
      return error.message() + " | " + error.advice();
    }
    return std::string("no error");
  };
  EXPECT_THAT(message(Value::object({{"losses", Texts{"auc"}}})), HasSubstr("all rows together"));
  EXPECT_THAT(message(Value::object({{"losses", Texts{"f1"}}})), HasSubstr("estimator shuffled"));
  EXPECT_THAT(message(Value::object({{"noise", std::vector<double>{1}}})), HasSubstr("noise"));
  EXPECT_THAT(message(Value::object({{"predictions", 10}})), HasSubstr("predictions"));
}

TEST(PermutationImportance, AThousandLevels) {
  const std::size_t rows = 3000;
  Texts levels;
  for (int k = 0; k < 1000; ++k) levels.push_back("level " + std::to_string(1000 + k));
  const auto dictionary = std::make_shared<Dictionary>(levels);
  std::vector<std::int32_t> codes(rows);
  std::vector<double> y(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    codes[i] = static_cast<std::int32_t>(i * 7 % 1000);
    y[i] = codes[i] / 100.0;
  }
  const Table table(Schema({{.name = "c", .type = DType::categorical, .dictionary = dictionary}, {.name = "y"}}),
                    {column_of(codes, dictionary.get()), column_of(y)});
  const FunctionModel model({"c"}, [](const auto& x) { return std::vector<double>{x[0] / 100}; });
  EXPECT_NEAR(entry_of(pfi(model, table, Value::object({{"losses", Texts{"squared"}}})), "c").importance,
              2 * 100.0 / 12, 0.5);
}

TEST(PermutationImportance, RowsOfWeightZeroAreNotThere) {
  const Table table = random_table(7, 200);
  std::vector<std::uint64_t> there;
  for (std::uint64_t row = 0; row < table.rows(); ++row) {
    if (table.column(4).number(row) > 0) there.push_back(row);
  }
  const FunctionModel model({"a", "d"}, [](const auto& x) { return std::vector<double>{x[0] + 0.2 * x[1]}; });
  const auto weighted = pfi(model, table.with_weights(4), Value::object({{"repeats", 200}}));
  const auto gone = pfi(model, testing::rows_of(table, there).with_weights(4), Value::object({{"repeats", 200}}));
  EXPECT_DOUBLE_EQ(figure_of(weighted, "rmse"), figure_of(gone, "rmse"));
  // The same rows in the same order: the same exchanges.
  EXPECT_DOUBLE_EQ(entry_of(weighted, "a").importance, entry_of(gone, "a").importance);
}

TEST(PermutationImportance, CostsWhatItSays) {
  const Table table = random_table(8, 150);
  std::atomic<std::uint64_t> asked = 0;
  const FunctionModel model({"a", "d"}, [&](const auto& x) {
    ++asked;
    return std::vector<double>{x[0] + x[1]};
  });
  (void)pfi(model, table, Value::object({{"repeats", 7}, {"losses", Texts{"rmse", "r2", "absolute"}}}));
  // And once more for each row by which the skill of the model is judged.
  EXPECT_GE(asked, 150U * (7 * 2 + 1));
  EXPECT_LE(asked, 150U * (7 * 2 + 2));
}

TEST(PermutationImportance, Refuses) {
  const Table table = random_table(9, 50);
  const FunctionModel model({"a"}, [](const auto& x) { return std::vector<double>{x[0]}; });
  const auto message = [&](Value options) {
    try {
      (void)pfi(model, table, std::move(options));
    } catch (const Error& error) {
      return error.message() + " | " + error.advice();
    }
    return std::string("no error");
  };
  EXPECT_THAT(message(Value::object({{"target", ""}})), HasSubstr("with target"));
  EXPECT_THAT(message(Value::object({{"repeats", 0}})), HasSubstr("repeats"));
  EXPECT_THAT(message(Value::object({{"losses", Texts{"meansquare"}}})), HasSubstr("squared, absolute"));
  EXPECT_THAT(message(Value::object({{"noise", std::vector<double>{-1}}})), HasSubstr("noise"));
  EXPECT_THAT(message(Value::object({{"groups", Texts{"x=a,none"}}})),
              HasSubstr("groups: the data have no column none"));
  EXPECT_THAT(message(Value::object({{"groups", Texts{"x=a,a"}}})), HasSubstr("groups: x=a,a names a feature twice"));
  EXPECT_THAT(message(Value::object({{"groups", Texts{"x="}}})), HasSubstr("has no features"));
  EXPECT_THAT(message(Value::object({{"groups", Texts{"x=a", "a"}}})), HasSubstr("a is one feature, not a group"));
  EXPECT_THAT(message(Value::object({{"losses", Texts{"log-loss"}}})), HasSubstr("| use rmse"));
}

// The interval is about the importance, not about the loss: what is the same before and after must not widen it.
TEST(PermutationImportance, AFeatureThatIsNotUsedHasNoInterval) {
  const Table table = testing::random_table(3, 400);
  const testing::FunctionModel model(
      {"a", "b", "d"}, [](const std::vector<double>& x) { return std::vector<double>{3 * x[0] + 1e-3 * x[2]}; });
  const Result result =
      pfi(model, table, Value::object({{"target", "d"}, {"losses", Texts{"squared", "rmse"}}, {"repeats", 5}}));
  for (const char* measure : {"increase of squared error", "increase of rmse"}) {
    EXPECT_EQ(entry_of(result, "b", measure).importance, 0);
    EXPECT_LT(*entry_of(result, "b", measure).se, 1e-12);
    EXPECT_GT(*entry_of(result, "a", measure).se, *entry_of(result, "d", measure).se * 10);
    EXPECT_GT(*entry_of(result, "d", measure).se, 0);
  }
}

}  // namespace
}  // namespace sightglass
