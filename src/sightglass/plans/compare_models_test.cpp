#include "sightglass/plans/compare_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sightglass/base/error.h"
#include "sightglass/insight/findings.h"
#include "sightglass/plans/explain.h"
#include "sightglass/plans/report/report.h"
#include "sightglass/result/shapes/curve.h"
#include "sightglass/result/shapes/examples.h"
#include "sightglass/result/shapes/figure.h"
#include "sightglass/result/shapes/importance.h"
#include "sightglass/result/shapes/rules.h"
#include "support/function_model.h"
#include "support/number_tables.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using testing::FunctionModel;
using ::testing::HasSubstr;
using testing::numbers_table;

using Row = std::vector<double>;

// x and z from a small lattice, y = x + 2 z.
struct Data {
  std::vector<double> x, z, y;
  explicit Data(std::size_t rows) {
    for (std::size_t i = 0; i < rows; ++i) {
      x.push_back(static_cast<double>(i * 7 % 20));
      z.push_back(static_cast<double>(i * 13 % 11));
      y.push_back(x.back() + 2 * z.back());
    }
  }
  [[nodiscard]] Table table() const { return numbers_table({"x", "z", "y"}, {x, z, y}); }
};

ModelOption second(FunctionModel model) { return {std::make_shared<FunctionModel>(std::move(model)), "b.json"}; }

Result compared(const Model& first, const ModelOption& other, const Table& table, Value options) {
  Context context(1);
  if (options.find("names") == nullptr) options.set("names", std::vector<std::string>{"a", "b"});
  return explain("compare-models", first, table, options, context, nullptr, other);
}

double figure(const Result& result, std::string_view id) {
  for (const ResultItem& item : result.results) {
    const auto* found = item.as<Figure>();
    if (found != nullptr && found->id.text() == id) return found->value;
  }
  ADD_FAILURE() << "no figure " << id;
  return std::nan("");
}

TEST(CompareModels, RowsAreShownOfASampleToo) {
  const Data data(300);
  const FunctionModel f({"x", "z"}, [](const Row& v) { return Row{v[0] + 2 * v[1] + 1}; });
  const Result result =
      compared(f, second(FunctionModel({"x", "z"}, [](const Row& v) { return Row{v[1]}; })), data.table(),
               Value::object({{"target", "y"}, {"examples", 4}, {"repeats", 1}, {"sample", 100}}));
  std::size_t rows = 0;
  for (const ResultItem& item : result.results) {
    if (const auto* examples = item.as<Examples>()) rows += examples->rows.size();
  }
  EXPECT_EQ(rows, 4U);
  std::string said;
  for (const Finding& finding : findings({result})) said += finding.text + "\n";
  EXPECT_THAT(said, HasSubstr("The predictions of a and b are"));
  for (const ResultItem& item : result.results) {
    const auto* told = item.as<Figure>();
    if (told != nullptr && told->id.text() == "error-difference") {
      EXPECT_EQ(told->name, "mean absolute error of a minus that of b");
    }
  }
}

TEST(CompareModels, NumbersEqualTheDefinition) {
  const Data data(300);
  const auto f = [](const Row& v) { return std::vector<double>{v[0] + 2 * v[1] + 1}; };
  const auto g = [](const Row& v) { return std::vector<double>{v[0] + (v[0] > 14 ? 0 : 2 * v[1])}; };
  const Result result = compared(FunctionModel({"x", "z"}, f), second(FunctionModel({"x", "z"}, g)), data.table(),
                                 Value::object({{"target", "y"}, {"examples", 4}, {"repeats", 1}}));
  double apart = 0, less = 0, nearer = 0;
  std::vector<std::pair<double, std::uint64_t>> farthest;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    const double a = f({data.x[i], data.z[i]})[0], b = g({data.x[i], data.z[i]})[0];
    apart += std::abs(b - a) / 300;
    const double first = std::abs(a - data.y[i]), other = std::abs(b - data.y[i]);
    less += (first - other) / 300;
    nearer += other < first ? 1 : 0;
    farthest.emplace_back(-std::abs(b - a), i);
  }
  std::sort(farthest.begin(), farthest.end());
  EXPECT_NEAR(figure(result, "mean-distance"), apart, 1e-12);
  EXPECT_NEAR(figure(result, "error-difference"), less, 1e-12);
  EXPECT_NEAR(figure(result, "second-better"), nearer / 300, 1e-12);
  const Examples* examples = nullptr;
  const Rules* rules = nullptr;
  std::map<std::string, std::vector<std::string>> series;
  std::map<std::string, int> ranked;
  for (const ResultItem& item : result.results) {
    if (const auto* found = item.as<Examples>()) examples = found;
    if (const auto* found = item.as<Rules>()) rules = found;
    if (const auto* curve = item.as<Curve>()) series[curve->axis.feature].push_back(curve->series);
    if (const auto* entry = item.as<Importance>()) ++ranked[entry->group];
  }
  ASSERT_NE(examples, nullptr);
  ASSERT_EQ(examples->rows.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    const Example& example = examples->rows[k];
    EXPECT_EQ(example.row, farthest[k].second);
    const Row values = {data.x[example.row], data.z[example.row]};
    EXPECT_DOUBLE_EQ(*example.prediction, f(values)[0]);
    EXPECT_DOUBLE_EQ(*example.other_prediction, g(values)[0]);
    EXPECT_DOUBLE_EQ(*example.target, data.y[example.row]);
    EXPECT_DOUBLE_EQ(*example.score, g(values)[0] - f(values)[0]);
  }
  EXPECT_THAT(series["x"], ElementsAre("a", "b"));
  EXPECT_THAT(series["z"], ElementsAre("a", "b"));
  EXPECT_EQ(ranked["a"], 2);
  EXPECT_EQ(ranked["b"], 2);
  // They differ by 2 z + 1 where x is above 14, and by 1 elsewhere.
  ASSERT_NE(rules, nullptr);
  ASSERT_FALSE(rules->rules[0].conditions.empty());
  EXPECT_THAT(conditions_text(rules->rules[0].conditions), HasSubstr("x > 14"));
}

TEST(CompareModels, ClassesAreApartByWhatWouldHaveToMove) {
  const Data data(60);
  const auto f = [](const Row& v) {
    const double p = v[0] / 40;
    return std::vector<double>{0.5 - p / 2, p, 0.5 - p / 2};
  };
  const auto g = [](const Row& v) {
    const double p = v[1] / 20;
    return std::vector<double>{p, 0.4, 0.6 - p};
  };
  const std::vector<std::string> classes = {"r", "s", "t"};
  const FunctionModel first({"x", "z"}, f, classes, Concurrency::parallel, Task::multiclass);
  const Result result =
      compared(first, second(FunctionModel({"x", "z"}, g, classes, Concurrency::parallel, Task::multiclass)),
               data.table(), Value::object());
  double apart = 0, same = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    const auto a = f({data.x[i], data.z[i]}), b = g({data.x[i], data.z[i]});
    for (std::size_t k = 0; k < 3; ++k) apart += std::abs(a[k] - b[k]) / 2 / 60;
    same +=
        std::max_element(a.begin(), a.end()) - a.begin() == std::max_element(b.begin(), b.end()) - b.begin() ? 1 : 0;
  }
  EXPECT_NEAR(figure(result, "mean-distance"), apart, 1e-12);
  EXPECT_NEAR(figure(result, "class-agreement"), same / 60, 1e-12);
}

TEST(CompareModels, OtherFeaturesAndOtherOrdersOfClasses) {
  const Data data(50);
  const auto x_only = [](const Row& v) { return std::vector<double>{v[0] > 9 ? 0.8 : 0.3, v[0] > 9 ? 0.2 : 0.7}; };
  const auto turned = [](const Row& v) { return std::vector<double>{v[0] > 9 ? 0.2 : 0.7, v[0] > 9 ? 0.8 : 0.3}; };
  const FunctionModel first({"x"}, x_only, {"p", "q"}, Concurrency::parallel, Task::multiclass);
  const Result same =
      compared(first, second(FunctionModel({"x"}, turned, {"q", "p"}, Concurrency::parallel, Task::multiclass)),
               data.table(), Value::object());
  EXPECT_EQ(figure(same, "mean-distance"), 0);
  EXPECT_EQ(figure(same, "class-agreement"), 1);
  const FunctionModel of_z({"z"}, [](const Row& v) { return std::vector<double>{v[0]}; });
  EXPECT_GT(figure(compared(FunctionModel({"x"}, [](const Row& v) { return v; }), second(of_z), data.table(),
                            Value::object()),
                   "mean-distance"),
            0);
}

TEST(CompareModels, WhatCannotBeComparedIsRefused) {
  const Data data(30);
  const FunctionModel numbers({"x"}, [](const Row& v) { return v; });
  const auto halves = [](const Row&) { return std::vector<double>{0.5, 0.5}; };
  const FunctionModel classes({"x"}, halves, {"p", "q"}, Concurrency::parallel, Task::multiclass);
  const FunctionModel others({"x"}, halves, {"p", "w"}, Concurrency::parallel, Task::multiclass);
  const auto refusal = [&](const Model& first, const ModelOption& other,
                           const Value& options = Value::object()) -> std::string {
    try {
      (void)compared(first, other, data.table(), options);
    } catch (const Error& error) {
      return error.message();
    }
    return "";
  };
  EXPECT_THAT(refusal(numbers, second(classes)), HasSubstr("one of the models predicts numbers"));
  EXPECT_THAT(refusal(classes, second(others)), HasSubstr("other classes: p, q the first, p, w the second"));
  EXPECT_THAT(refusal(numbers, {}), HasSubstr("there is one"));
  EXPECT_THAT(refusal(numbers, second(numbers), Value::object({{"names", std::vector<std::string>{"m", "m"}}})),
              HasSubstr("both models are called m"));
}

TEST(CompareModels, AReportOfTwoModelsSaysWhichIsBetter) {
  const Data data(400);
  const FunctionModel right({"x", "z"}, [](const Row& v) { return std::vector<double>{v[0] + 2 * v[1]}; });
  Context context(1);
  const auto results = report(
      right, data.table(),
      Value::object({{"target", "y"}, {"other_model", "b.json"}, {"names", std::vector<std::string>{"good", "bad"}}}),
      context, std::nullopt, second(FunctionModel({"x", "z"}, [](const Row& v) { return std::vector<double>{v[0]}; })));
  ASSERT_EQ(results.size(), 1U);
  const auto told = findings(results);
  ASSERT_FALSE(told.empty());
  EXPECT_TRUE(told[0].is_headline);
  EXPECT_THAT(told[0].text, HasSubstr("good is nearer to the truth than bad"));
  for (const Caveat& caveat : results[0].caveats) EXPECT_NE(caveat.id, "no-better-model");
}

// The headline of a model that is off by so much, compared with one that is off by so much.
std::string headline_of_errors(double first, double other) {
  const Data data(400);
  const auto off = [](double error) {
    return FunctionModel({"x", "z"}, [error](const Row& v) { return Row{v[0] + 2 * v[1] + error}; });
  };
  Context context(1);
  const auto results =
      report(off(first), data.table(),
             Value::object({{"target", "y"}, {"other_model", "b.json"}, {"names", std::vector<std::string>{"a", "b"}}}),
             context, std::nullopt, second(off(other)));
  return findings(results).front().text;
}

TEST(CompareModels, ErrorsHaveAsManyDigitsAsTellThemApart) {
  EXPECT_THAT(headline_of_errors(1.2, 1.5), HasSubstr(": 1.2 off on average, against 1.5 off on average"));
  EXPECT_THAT(headline_of_errors(1.231, 1.214), HasSubstr(": 1.21 off on average, against 1.23 off on average"));
  EXPECT_THAT(headline_of_errors(1.231, 1.232), HasSubstr(": 1.231 off on average, against 1.232 off on average"));
  EXPECT_THAT(headline_of_errors(1.23101, 1.23102), HasSubstr(": both are about 1.231 off on average"));
}

}  // namespace
}  // namespace sightglass
