#include "sightglass/methods/interactions/decomposition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/methods/effects/accumulated/ale_complexity.h"
#include "sightglass/methods/run/session.h"
#include "support/caveats.h"
#include "support/dense_pd.h"
#include "support/function_model.h"
#include "support/law_cases.h"
#include "support/number_tables.h"
#include "support/random_data.h"

namespace sightglass {
namespace {

using testing::DensePd;
using testing::FunctionModel;
using testing::has_caveat;
using testing::minus;
using testing::numbered_names;
using testing::plus;
using testing::random_table;
using testing::scattered_table;

const testing::LawCase laws("decomposition", {.options = Value::object({{"order", 3}, {"grid", 9}, {"pair_grid", 5}})});

std::vector<double> entangled(const std::vector<double>& x) {
  const double b = std::isnan(x[1]) ? 0.3 : x[1];
  const double c = std::isnan(x[2]) ? -1 : x[2];
  const double first = std::sin(x[0]) * b + (x[3] > 5 ? 2.0 : -1.0) * c * (1 + 0.5 * b) + 0.1 * x[0];
  return {first, 1 / (1 + std::exp(-first))};
}

const std::vector<std::string> names = {"a", "b", "c", "d"};
const FunctionModel entangled_model(names, entangled, {"margin", "chance"});

Result explain(const Model& model, const Table& table, const Value& options = Value::object()) {
  Context context(1);
  return run("decomposition", model, table, options, context);
}

const Importance& share(const Result& result, const std::string& name, const std::string& output = "prediction") {
  for (const ResultItem& item : result.results) {
    const auto* entry = item.as<Importance>();
    if (entry != nullptr && entry->feature == name && entry->output == output) return *entry;
  }
  throw std::runtime_error("no such component: " + name);
}

template <class Item>
std::vector<Item> all_of(const Result& result) {
  std::vector<Item> items;
  for (const ResultItem& item : result.results) {
    if (const auto* one = item.as<Item>()) items.push_back(*one);
  }
  return items;
}

double sum_of_shares(const Result& result, const std::string& output) {
  double sum = 0;
  for (const auto& entry : all_of<Importance>(result)) sum += entry.output == output ? entry.importance : 0;
  return sum;
}

// f_S at the rows, by the alternating sum over all subsets.
std::vector<long double> dense_component(const DensePd& dense, unsigned mask) {
  std::vector<long double> component(dense.rows(), 0.0L);
  for (unsigned inner = mask;; inner = (inner - 1) & mask) {
    const auto pd = inner == 15 ? dense.prediction() : dense.pd(inner);
    const bool odd = (__builtin_popcount(mask) - __builtin_popcount(inner)) % 2 != 0;
    component = odd ? minus(component, pd) : plus(component, pd);
    if (inner == 0) return component;
  }
}

std::string name_of(unsigned mask) {
  std::string name;
  for (unsigned j = 0; j < 4; ++j) {
    if ((mask >> j & 1U) != 0) name += (name.empty() ? "" : ":") + names[j];
  }
  return name;
}

TEST(Decomposition, EqualsTheDefinitionAtEveryOrder) {
  for (const bool weighted : {false, true}) {
    const Table plain = random_table(31, 60);
    const Table table = weighted ? plain.with_weights(4) : plain;
    for (const int order : {1, 2, 3, 4}) {
      const Result result = explain(entangled_model, table, Value::object({{"order", order}}));
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
        const std::string output = k == 0 ? "margin" : "chance";
        const DensePd dense(table, 4, [k](const auto& x) { return entangled(x)[k]; });
        const auto f = dense.prediction();
        const long double variance = dense.covariance(f, f);
        auto rest = f;
        for (unsigned mask = 0; mask < 16; ++mask) {
          if (__builtin_popcount(mask) > order) continue;
          const auto component = dense_component(dense, mask);
          rest = minus(rest, component);
          if (mask == 0) continue;
          SCOPED_TRACE(name_of(mask) + " " + output + " " + std::to_string(order));
          const Importance& entry = share(result, name_of(mask), output);
          EXPECT_EQ(entry.measure.kind, MeasureKind::variance);
          EXPECT_NEAR(entry.importance, static_cast<double>(dense.covariance(component, f) / variance), 1e-10);
          const auto sd = static_cast<double>(std::sqrt(dense.covariance(component, component)));
          EXPECT_NEAR(entry.details.find("sd")->as_number(), sd, 1e-10);
        }
        EXPECT_NEAR(share(result, "remainder", output).importance,
                    static_cast<double>(dense.covariance(rest, f) / variance), 1e-10);
        EXPECT_NEAR(sum_of_shares(result, output), 1, 1e-12);
        // All orders together return the prediction.
        if (order == 4) {
          EXPECT_EQ(share(result, "remainder", output).importance, 0);
          EXPECT_EQ(share(result, "remainder", output).details.find("sd")->as_number(), 0);
        }
      }
    }
  }
}

Table grid_table(std::size_t features, const std::vector<double>& values) {
  std::size_t rows = 1;
  for (std::size_t j = 0; j < features; ++j) rows *= values.size();
  std::vector<ColumnInfo> infos;
  std::vector<Column> columns;
  std::size_t step = 1;
  for (std::size_t j = 0; j < features; ++j) {
    std::vector<double> column(rows);
    for (std::size_t row = 0; row < rows; ++row) column[row] = values[row / step % values.size()];
    step *= values.size();
    infos.push_back({.name = "x" + std::to_string(j + 1)});
    columns.push_back(column_of(std::move(column)));
  }
  return Table(Schema(std::move(infos)), std::move(columns));
}

TEST(Decomposition, KnownAnswers) {
  // Var x = 2 on the grid; x1 x2 has variance 4, 3 x3 has 18.
  const FunctionModel model({"x1", "x2", "x3"},
                            [](const auto& x) { return std::vector<double>{7 + x[0] * x[1] + 3 * x[2]}; });
  const Result result = explain(model, grid_table(3, {-2, -1, 0, 1, 2}));
  EXPECT_NEAR(share(result, "x1:x2").importance, 4.0 / 22, 1e-12);
  EXPECT_NEAR(share(result, "x3").importance, 18.0 / 22, 1e-12);
  EXPECT_EQ(share(result, "x1").importance, 0);
  EXPECT_EQ(share(result, "remainder").importance, 0);
  EXPECT_NEAR(share(result, "x1:x2").details.find("sd")->as_number(), 2, 1e-12);
  EXPECT_EQ(all_of<Importance>(result).front().feature, "x3");
  EXPECT_EQ(all_of<Importance>(result).back().feature, "remainder");
  EXPECT_DOUBLE_EQ(all_of<Figure>(result).front().value, 7);
  const auto curves = all_of<Curve>(result);
  ASSERT_EQ(curves.size(), 3U);
  EXPECT_EQ(curves[2].measure, Measure::effect);
  EXPECT_THAT(curves[2].axis.numbers, ::testing::ElementsAre(-2, -1, 0, 1, 2));
  EXPECT_THAT(curves[2].mean, ::testing::Pointwise(::testing::DoubleNear(1e-12), {-6.0, -3.0, 0.0, 3.0, 6.0}));
  EXPECT_THAT(curves[0].mean, ::testing::Each(::testing::DoubleNear(0, 1e-12)));
  const auto surfaces = all_of<Surface>(result);
  ASSERT_EQ(surfaces.size(), 1U) << "pairs without effect are not drawn";
  for (std::size_t a = 0; a < 5; ++a) {
    for (std::size_t b = 0; b < 5; ++b)
      EXPECT_NEAR(surfaces[0].mean[a][b], (static_cast<double>(a) - 2) * (static_cast<double>(b) - 2), 1e-12);
  }
}

TEST(Decomposition, CurvesAndSurfacesAreTheComponentsAlsoWhereNoRowIs) {
  const Table table = random_table(32, 50);
  const Result result = explain(entangled_model, table, Value::object({{"output", "margin"}, {"grid", 10}}));
  const DensePd dense(table, 4, [](const auto& x) { return entangled(x)[0]; });
  const auto pd_at = [&](const std::map<std::size_t, double>& values) {
    double sum = 0;
    for (std::size_t row = 0; row < dense.rows(); ++row) {
      std::vector<double> x = dense.row(row);
      for (const auto& [feature, value] : values) x[feature] = value;
      sum += entangled(x)[0];
    }
    return sum / static_cast<double>(dense.rows());
  };
  const double mean = pd_at({});
  for (const Curve& curve : all_of<Curve>(result)) {
    const std::size_t feature = static_cast<std::size_t>(curve.axis.feature[0] - 'a');
    for (std::size_t i = 0; i < curve.axis.size(); ++i) {
      double value = curve.axis.is_categorical() ? static_cast<double>(i) : curve.axis.numbers[i];
      if (curve.axis.is_categorical()) {
        const auto& levels = table.schema()[feature].dictionary->levels();
        value = static_cast<double>(std::find(levels.begin(), levels.end(), curve.axis.levels[i]) - levels.begin());
      }
      EXPECT_NEAR(curve.mean[i], pd_at({{feature, value}}) - mean, 1e-12);
    }
    if (curve.missing) {
      EXPECT_NEAR(curve.missing->mean, pd_at({{feature, NAN}}) - mean, 1e-12);
    }
  }
  std::size_t numeric = 0;
  for (const Surface& surface : all_of<Surface>(result)) {
    if (surface.first.is_categorical() || surface.second.is_categorical()) continue;
    ++numeric;
    const std::size_t j = static_cast<std::size_t>(surface.first.feature[0] - 'a');
    const std::size_t k = static_cast<std::size_t>(surface.second.feature[0] - 'a');
    for (std::size_t a = 0; a < surface.first.size(); ++a) {
      for (std::size_t b = 0; b < surface.second.size(); ++b) {
        const double v = surface.first.numbers[a], w = surface.second.numbers[b];
        EXPECT_NEAR(surface.mean[a][b], pd_at({{j, v}, {k, w}}) - pd_at({{j, v}}) - pd_at({{k, w}}) + mean, 1e-12);
      }
    }
  }
  EXPECT_GT(numeric, 0U);
}

TEST(Decomposition, SharesCanBeNegativeAndAreSaidToBe) {
  // x2 follows x1 and works against it.
  std::vector<double> x1, x2;
  for (int i = 0; i < 40; ++i) {
    x1.push_back(i % 20);
    x2.push_back(i % 20 + i % 3);
  }
  const Table table(Schema({{.name = "x1"}, {.name = "x2"}}), {column_of(x1), column_of(x2)});
  const FunctionModel model({"x1", "x2"}, [](const auto& x) { return std::vector<double>{3 * x[0] - x[1]}; });
  const Result result = explain(model, table);
  EXPECT_LT(share(result, "x2").importance, 0);
  EXPECT_TRUE(has_caveat(result, "negative-share"));
  EXPECT_NEAR(sum_of_shares(result, "prediction"), 1, 1e-12);
  EXPECT_EQ(share(result, "x1:x2").importance, 0);
}

TEST(Decomposition, ASmallNegativeShareIsNotWorthAWord) {
  std::vector<double> x1, x2;
  for (int i = 0; i < 40; ++i) {
    x1.push_back(i % 20);
    x2.push_back(i % 20 + i % 3);
  }
  const Table table(Schema({{.name = "x1"}, {.name = "x2"}}), {column_of(x1), column_of(x2)});
  const auto with = [&](double slope) {
    return explain(
        FunctionModel({"x1", "x2"}, [slope](const auto& x) { return std::vector<double>{x[0] - slope * x[1]}; }),
        table);
  };
  EXPECT_LT(share(with(0.001), "x2").importance, -0.0005);
  EXPECT_FALSE(has_caveat(with(0.001), "negative-share"));
  EXPECT_LT(share(with(0.02), "x2").importance, -0.01);
  EXPECT_TRUE(has_caveat(with(0.02), "negative-share"));
}

TEST(Decomposition, SamplesHaveStandardErrorsAndStillAddUpToOne) {
  const Table table = random_table(33, 500).with_weights(4);
  const Result sampled =
      explain(entangled_model, table, Value::object({{"sample_rows", 60}, {"samples", 4}, {"output", "margin"}}));
  EXPECT_TRUE(has_caveat(sampled, "sampled-rows"));
  EXPECT_NEAR(sum_of_shares(sampled, "margin"), 1, 1e-12);
  const Result all = explain(entangled_model, table, Value::object({{"sample_rows", 500}, {"output", "margin"}}));
  EXPECT_FALSE(has_caveat(all, "sampled-rows"));
  for (const auto& entry : all_of<Importance>(sampled)) {
    ASSERT_TRUE(entry.se.has_value());
    EXPECT_NEAR(entry.importance, share(all, entry.feature, "margin").importance, 6 * *entry.se + 0.02);
  }
  ASSERT_EQ(all_of<Curve>(sampled).size(), 4U);
  EXPECT_EQ(all_of<Curve>(sampled)[0].mean.size(), 64U);
}

double figure(const Result& result, const std::string& name, const std::string& output = "prediction") {
  for (const Figure& one : all_of<Figure>(result)) {
    if (one.name == name && one.output == output) return one.value;
  }
  throw std::runtime_error("no such figure: " + name);
}

TEST(Decomposition, ComplexityOfModelsWhoseComplexityIsKnown) {
  const Table table = grid_table(3, {-2, -1, 0, 1, 2});
  const auto measure = [&](const testing::RowFunction& function) {
    return explain(FunctionModel({"x1", "x2", "x3"}, function), table);
  };
  const Result linear = measure([](const auto& x) { return std::vector<double>{3 * x[0] - x[2]}; });
  EXPECT_EQ(figure(linear, "features used"), 2);
  EXPECT_EQ(figure(linear, "interaction strength"), 0);
  EXPECT_EQ(figure(linear, "main-effect complexity"), 1);
  // |x1| needs two pieces and has variance 0.56, x3 needs one and has variance 2.
  const Result bent = measure([](const auto& x) { return std::vector<double>{std::abs(x[0]) + x[2]}; });
  EXPECT_NEAR(figure(bent, "main-effect complexity"), (2 * 0.56 + 2) / 2.56, 1e-12);
  EXPECT_EQ(figure(bent, "interaction strength"), 0);
  const Result product = measure([](const auto& x) { return std::vector<double>{x[0] * x[1]}; });
  EXPECT_EQ(figure(product, "features used"), 2);
  EXPECT_GT(figure(product, "interaction strength"), 0.9);
}

TEST(Decomposition, ComplexityIsLeftOutWhenItWouldCostTooMuch) {
  const Table table = random_table(34, 400);
  const Result result = explain(entangled_model, table, Value::object({{"predictions", 4000}}));
  EXPECT_TRUE(has_caveat(result, "complexity-left-out"));
  EXPECT_THROW((void)figure(result, "interaction strength", "margin"), std::runtime_error);
  EXPECT_EQ(figure(result, "features used", "margin"), 4);
}

TEST(Decomposition, PiecesNeeded) {
  const std::vector<double> x = {0, 1, 2, 3, 4, 5}, ones(6, 1.0);
  EXPECT_EQ(pieces_needed(x, std::vector<double>{0, 2, 4, 6, 8, 10}, ones, 0.05), 1U);
  EXPECT_EQ(pieces_needed(x, std::vector<double>{0, 0, 0, 5, 5, 5}, ones, 0.05), 2U);
  EXPECT_EQ(pieces_needed(x, std::vector<double>{0, 4, 0, 4, 0, 4}, ones, 0.05), 3U);
  EXPECT_EQ(pieces_needed(x, std::vector<double>{1, 1, 1, 1, 1, 1}, ones, 0.05), 0U);
  EXPECT_EQ(pieces_needed({}, std::vector<double>{0, 0, 0, 5, 5, 5}, ones, 0.05), 1U);
  EXPECT_EQ(pieces_needed({}, std::vector<double>{0, 1}, ones, 0.05), 1U);
  EXPECT_EQ(pieces_needed({}, std::vector<double>{}, {}, 0.05), 0U);
}

TEST(Decomposition, HugeAndTinyPredictions) {
  for (const double scale : {1e300, 1e-300}) {
    const FunctionModel model({"x1", "x2", "x3"}, [scale](const auto& x) {
      return std::vector<double>{scale * (7 + x[0] * x[1] + 3 * x[2])};
    });
    const Result result = explain(model, grid_table(3, {-2, -1, 0, 1, 2}));
    EXPECT_NEAR(share(result, "x1:x2").importance, 4.0 / 22, 1e-12);
    EXPECT_NEAR(all_of<Curve>(result)[2].mean[0] / scale, -6, 1e-12);
    EXPECT_NEAR(share(result, "x1:x2").details.find("sd")->as_number() / scale, 2, 1e-12);
  }
}

TEST(Decomposition, OddButLegal) {
  const FunctionModel model({"x1", "x2"},
                            [](const auto& x) {
                              return std::vector<double>{(std::isnan(x[0]) ? 1 : x[0]) * (std::isnan(x[1]) ? 1 : x[1]),
                                                         0.0};
                            },
                            {"some", "never"});
  const std::vector<double> none(6, NAN), same(6, 2.5), varied = {0, 1, 2, 3, 4, 5};
  for (const auto& first : {none, same, varied}) {
    for (const auto& second : {none, same, varied}) {
      const Table table(Schema({{.name = "x1"}, {.name = "x2"}}), {column_of(first), column_of(second)});
      const Result result = explain(model, table);
      EXPECT_TRUE(has_caveat(result, "constant-prediction"));
      for (const auto& entry : all_of<Importance>(result)) {
        EXPECT_TRUE(std::isfinite(entry.importance));
        if (entry.output == "never") {
          EXPECT_EQ(entry.importance, 0);
        }
      }
    }
  }
  const FunctionModel lone({"x1"}, [](const auto& x) { return std::vector<double>{x[0]}; });
  const Result one = explain(lone, grid_table(1, {1, 2, 4}));
  EXPECT_NEAR(share(one, "x1").importance, 1, 1e-12);
  EXPECT_TRUE(has_caveat(explain(lone, grid_table(1, {3})), "one-row"));
}

TEST(Decomposition, ManyFeaturesGetMainEffectsOnly) {
  const Table table = scattered_table(30);
  const FunctionModel model(numbered_names(30), [](const auto& x) { return std::vector<double>{x[3] * x[17] + x[5]}; });
  const Result result = explain(model, table, Value::object({{"predictions", 1'000'000}}));
  EXPECT_TRUE(has_caveat(result, "order-lowered"));
  EXPECT_NEAR(sum_of_shares(result, "prediction"), 1, 1e-12);
  EXPECT_THROW((void)explain(model, table, Value::object({{"order", 3}})), Error);
}

TEST(Decomposition, OptionsThatMakeNoSense) {
  const Table table = random_table(1, 20);
  for (const Value& options :
       {Value::object({{"order", 0}}), Value::object({{"surfaces", -1}}), Value::object({{"pair_grid", 1}}),
        Value::object({{"grid", 0}}), Value::object({{"predictions", 0}}), Value::object({{"samples", 0}})}) {
    EXPECT_THROW((void)explain(entangled_model, table, options), Error);
  }
}

}  // namespace
}  // namespace sightglass
