// LIME in the limit of infinitely many samples: models that add terms, and what the limit is good for behind a link.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sightglass/methods/run/session.h"
#include "sightglass/model/learned/structure.h"
#include "sightglass/model/linear_model.h"
#include "sightglass/result/shapes/terms.h"
#include "support/function_model.h"
#include "support/lime_lines.h"
#include "support/number_tables.h"
#include "support/random_data.h"
#include "support/random_trees.h"

namespace sightglass {
namespace {

using testing::coefficient;
using testing::column_values;
using testing::FunctionModel;
using testing::lime_result;
using testing::normals;
using testing::quartile;
using testing::random_table;
using testing::random_trees;
using testing::terms_of;
using testing::tree_families;

// Terms of one feature and of two, bounds, levels, a number that is missing and whole numbers.
std::unique_ptr<Model> terms_model(Link link) {
  Signature signature{.format = "terms"};
  signature.features = {
      {.name = "a"}, {.name = "b"}, {.name = "c", .categorical = true, .levels = {"x", "y", "z"}}, {.name = "d"}};
  signature.outputs = {"prediction"};
  signature.task = link == Link::logistic ? Task::binary : Task::regression;
  signature.has_margin = link != Link::identity;
  TermStructure structure;
  structure.intercept = {0.5};
  structure.terms.push_back({.feature = 0, .weights = {0.7}});
  structure.terms.push_back({.feature = 3, .low = -1, .high = 2, .missing = 0.3, .weights = {-0.4}});
  structure.terms.push_back({.conditions = {{.feature = 2, .levels = {1}}}, .weights = {0.9}});
  structure.terms.push_back(
      {.conditions = {{.feature = 0, .above = 0.1}, {.feature = 1, .at_most = 0.4, .missing = true}},
       .weights = {1.3}});
  return make_model(std::move(signature), {link, 1}, std::move(structure), "terms");
}

// Numbers, some missing; whole numbers; levels.
Table mixed_table(std::size_t rows) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> a(rows), b(rows);
  std::vector<std::int32_t> levels(rows);
  const auto d = std::make_shared<std::vector<std::int64_t>>(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    a[i] = normal(random);
    b[i] = i % 7 == 3 ? NAN : normal(random);
    levels[i] = static_cast<std::int32_t>(random() % 3);
    (*d)[i] = static_cast<std::int64_t>(std::round(1.5 * normal(random)));
  }
  const auto names = std::make_shared<const Dictionary>(std::vector<std::string>{"y", "z", "x"});
  return Table(Schema({{.name = "a"},
                       {.name = "b"},
                       {.name = "c", .type = DType::categorical, .dictionary = names},
                       {.name = "d", .type = DType::int64}}),
               {column_of(a), column_of(b), column_of(levels, names.get()),
                Column{.view = view_of(std::span<const std::int64_t>(*d), DType::int64), .owner = d}});
}

TEST(LimeLimits, SamplesOfAModelThatAddsTermsComeNearToItsExactLine) {
  const Table table = mixed_table(300);
  const auto model = terms_model(Link::identity);
  for (const char* bins : {"quartiles", "deciles", "none"}) {
    for (const char* draw : {"data", "normal"}) {
      if (std::string(bins) == "none" && std::string(draw) == "normal") continue;
      for (const std::int64_t row : {0, 3}) {
        const auto line = [&](const char* estimator, std::int64_t samples) {
          return lime_result(*model, table,
                             Value::object({{"rows", std::vector<std::int64_t>{row}},
                                            {"bins", bins},
                                            {"draw", draw},
                                            {"estimator", estimator},
                                            {"samples", samples},
                                            {"repeats", 1},
                                            {"width", 1.2},
                                            {"penalty", 0}}));
        };
        const Result exact = line("auto", 100), many = line("sampling", 200000);
        ASSERT_EQ(terms_of(exact).details.find("estimator")->as_string(), "exact");
        for (const LinearTerm& term : terms_of(many).terms) {
          EXPECT_NEAR(coefficient(terms_of(exact), term.features[0]), term.coefficient, 4.5 * *term.se + 1e-9)
              << bins << " " << draw << " " << row << " " << term.features[0];
          EXPECT_LT(*term.se, 0.02);
        }
        EXPECT_NEAR(*terms_of(exact).base, *terms_of(many).base, 0.02) << bins << " " << draw << " " << row;
      }
    }
  }
}

// b · (mean of the own bin − mean of the others), and b · sd without bins: to the last digits.
TEST(LimeLimits, LinearModelsAreExplainedExactly) {
  const LinearModel model(
      {.signature = {.format = "linear", .features = {{.name = "x0"}, {.name = "x1"}}, .outputs = {"prediction"}},
       .link = {Link::identity, 1},
       .base = {0.25},
       .bias = {0.75},
       .weights = {2, -3}},
      "linear");
  const Table table = normals(2, 1000);
  for (const char* bins : {"quartiles", "none"}) {
    const Result result =
        lime_result(model, table, Value::object({{"rows", std::vector<std::int64_t>{5}}, {"bins", bins}}));
    const Terms& terms = terms_of(result);
    ASSERT_EQ(terms.details.find("estimator")->as_string(), "exact");
    for (std::size_t j = 0; j < 2; ++j) {
      const auto values = column_values(table, j);
      double inside = 0, outside = 0, in = 0, out = 0;
      for (const double value : values) {
        const bool own = quartile(values, value) == quartile(values, values[5]);
        (own ? inside : outside) += value;
        (own ? in : out) += 1;
      }
      const double slope = j == 0 ? 2 : -3;
      EXPECT_NEAR(coefficient(terms, "x" + std::to_string(j)),
                  bins == std::string("none") ? slope : slope * (inside / in - outside / out), 1e-12);
    }
    if (bins == std::string("none")) {
      EXPECT_NEAR(terms.intercept, 1, 1e-12);
      EXPECT_NEAR(*terms.line, *terms.prediction, 1e-12);
    }
  }
}

// Behind a link: the mean over many draws is the same with the control and without, and the spread smaller.
// Each bin holds one value, of which the mean is rounded: normal draws in it are that value, as draws of the data are.
TEST(LimeLimits, BinsOfOneValueHaveNoSpread) {
  std::vector<double> a, b;
  for (int i = 0; i < 40; ++i) {
    a.push_back(i % 4 * 0.1);
    b.push_back(i / 4 % 4);
  }
  const LinearModel model(
      {.signature = {.format = "linear", .features = {{.name = "a"}, {.name = "b"}}, .outputs = {"prediction"}},
       .link = {Link::identity, 1},
       .base = {0},
       .bias = {0},
       .weights = {20, 1}},
      "linear");
  const Table table = testing::numbers_table({"a", "b"}, {a, b});
  const auto line = [&](const char* draw) {
    const Value options = Value::object({{"rows", std::vector<std::int64_t>{1}}, {"draw", draw}});
    return coefficient(terms_of(lime_result(model, table, options)), "a");
  };
  EXPECT_NE(line("data"), 0);
  EXPECT_NEAR(line("normal"), line("data"), 1e-9);
}

// Whole numbers of which the next one is not the next: ids, or times in nanoseconds.
TEST(LimeLimits, HugeWholeNumbersHaveAnEnd) {
  std::vector<double> id, b;
  for (int i = 0; i < 40; ++i) {
    id.push_back(0x1p60 + i * 256.0);
    b.push_back(i % 4);
  }
  const LinearModel model(
      {.signature = {.format = "linear", .features = {{.name = "id"}, {.name = "b"}}, .outputs = {"prediction"}},
       .link = {Link::identity, 1},
       .base = {0},
       .bias = {0},
       .weights = {0, 1}},
      "linear");
  const Table table = testing::numbers_table({"id", "b"}, {id, b});
  for (const char* bins : {"none", "deciles"}) {
    Value options = Value::object({{"rows", std::vector<std::int64_t>{1}}, {"bins", bins}});
    if (std::string_view(bins) == "deciles") options.set("draw", "normal");
    EXPECT_TRUE(std::isfinite(coefficient(terms_of(lime_result(model, table, options)), "b"))) << bins;
  }
}

TEST(LimeLimits, TheExactMarginTakesChanceOffSamples) {
  const Table table = random_table(5, 400), mixed = mixed_table(300);
  const auto trees = random_trees(9, tree_families().at("lightgbm"));
  const auto terms = terms_model(Link::logistic);
  const auto run_with = [](const Model& model, const Table& rows, const char* estimator, std::int64_t samples,
                           std::int64_t seed) {
    return lime_result(model, rows,
                       Value::object({{"rows", std::vector<std::int64_t>{7}},
                                      {"scale", "response"},
                                      {"estimator", estimator},
                                      {"samples", samples},
                                      {"repeats", 1},
                                      {"seed", seed},
                                      {"penalty", 0}}));
  };
  for (const bool of_trees : {true, false}) {
    const Model& model = of_trees ? *trees : *terms;
    const Table& rows = of_trees ? table : mixed;
    const Result truth = run_with(model, rows, "sampling", 400000, 99);
    ASSERT_EQ(terms_of(run_with(model, rows, "auto", 300, 1)).details.find("estimator")->as_string(), "controlled");
    double spread[2] = {0, 0}, said = 0;
    for (const char* name : {"a", "b", "c", "d"}) {
      double sums[2] = {0, 0}, squares[2] = {0, 0};
      constexpr int draws = 60;
      for (int seed = 0; seed < draws; ++seed) {
        for (const int way : {0, 1}) {
          const Result drawn = run_with(model, rows, way == 0 ? "sampling" : "controlled", 500, seed);
          const double value = coefficient(terms_of(drawn), name);
          sums[way] += value / draws;
          squares[way] += value * value / draws;
          for (const LinearTerm& term : terms_of(drawn).terms) {
            if (way == 1 && term.features[0] == name) said += *term.se * *term.se / draws;
          }
        }
      }
      const double limit = coefficient(terms_of(truth), name);
      for (const int way : {0, 1}) spread[way] += squares[way] - sums[way] * sums[way];
      EXPECT_NEAR(sums[1], limit, 4.5 * std::sqrt((squares[1] - sums[1] * sums[1]) / draws) + 0.002) << name;
    }
    EXPECT_LT(spread[1], spread[0] / 2) << of_trees;
    // Standard errors are those of what is left.
    EXPECT_NEAR(said / spread[1], 1, 0.4) << of_trees;
  }
}

// Whole weights are rows that are there so often.
TEST(LimeLimits, WeightsAreDuplicatedRows) {
  const std::size_t rows = 60;
  const Table once = normals(2, rows);
  std::vector<double> weights(rows), x[2], copies[2];
  for (std::size_t j = 0; j < 2; ++j) x[j] = column_values(once, j);
  for (std::size_t i = 0; i < rows; ++i) {
    weights[i] = static_cast<double>(1 + i % 4);
    for (std::size_t copy = 0; copy < 1 + i % 4; ++copy) {
      for (std::size_t j = 0; j < 2; ++j) copies[j].push_back(x[j][i]);
    }
  }
  const FunctionModel model({"x0", "x1"},
                            [](const std::vector<double>& v) { return std::vector<double>{v[0] * v[1] + v[0]}; });
  const Table weighted = testing::numbers_table({"x0", "x1", "w"}, {x[0], x[1], weights}).with_weights(2);
  const Table duplicated = testing::numbers_table({"x0", "x1"}, {copies[0], copies[1]});
  for (const char* bins : {"quartiles", "deciles", "none"}) {
    const Value options =
        Value::object({{"rows", std::vector<std::int64_t>{0}}, {"bins", bins}, {"samples", 500}, {"repeats", 1}});
    const Result a = lime_result(model, weighted, options), b = lime_result(model, duplicated, options);
    ASSERT_EQ(terms_of(a).terms.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(term_text(terms_of(a).terms[i]), term_text(terms_of(b).terms[i])) << bins;
      EXPECT_NEAR(terms_of(a).terms[i].coefficient, terms_of(b).terms[i].coefficient, 1e-9) << bins;
    }
  }
}

}  // namespace
}  // namespace sightglass
