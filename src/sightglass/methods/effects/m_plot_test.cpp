#include "sightglass/methods/effects/m_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "sightglass/base/error.h"
#include "sightglass/methods/run/session.h"
#include "support/caveats.h"
#include "support/function_model.h"
#include "support/law_cases.h"
#include "support/random_data.h"

namespace sightglass {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::FunctionModel;
using testing::has_caveat;
using ::testing::Pointwise;
using testing::random_table;
using testing::rows_of;

const testing::LawCase laws("m-plot", {.options = Value::object({{"bins", 9}, {"smoothing", "kernel"}})});

Result explain(const Model& model, const Table& table, const Value& options) {
  Context context(1);
  return run("m-plot", model, table, options, context);
}

Curve curve_of(const Result& result, std::size_t item = 0) { return result.results.at(item).get<Curve>(); }

TEST(MPlot, ByHand) {
  const Table table(Schema({{.name = "x"}, {.name = "z"}}),
                    {column_of(std::vector<double>{0, 1, 1, 4, NAN}), column_of(std::vector<double>{2, 0, 4, 6, 5})});
  const FunctionModel model({"x", "z"}, [](const auto& v) { return std::vector<double>{v[1]}; });
  const Curve curve = curve_of(explain(model, table, Value::object({{"features", "x"}, {"bins", 2}})));
  EXPECT_EQ(curve.measure, Measure::mean);
  // ALE's edges are 0, 1, 4: the rows with z = 2, 0, 4 around x = 2/3, and the one with z = 6 at x = 4.
  EXPECT_THAT(curve.axis.numbers, ElementsAre(DoubleEq(2.0 / 3), 4));
  EXPECT_THAT(curve.mean, ElementsAre(2, 6));
  const double sd = std::sqrt(8.0 / 3);
  EXPECT_THAT(curve.sd, ElementsAre(DoubleEq(sd), 0));
  EXPECT_THAT(curve.se_level, ElementsAre(DoubleEq(sd / std::sqrt(3.0)), 0));
  EXPECT_THAT(curve.count, ElementsAre(3, 1));
  ASSERT_TRUE(curve.missing);
  EXPECT_EQ(curve.missing->mean, 5);
  EXPECT_EQ(curve.missing->count, 1);
}

Curve curve_of_z(const std::vector<double>& x, const std::vector<double>& z, std::int64_t bins,
                 const std::vector<double>& weights = {}) {
  std::vector<ColumnInfo> infos{{.name = "x"}, {.name = "z"}};
  std::vector<Column> columns;
  for (const auto* values : {&x, &z}) columns.push_back(column_of(*values));
  if (!weights.empty()) {
    infos.push_back({.name = "w"});
    columns.push_back(column_of(weights));
  }
  Table table(Schema(std::move(infos)), std::move(columns));
  if (!weights.empty()) table = table.with_weights(2);
  const FunctionModel model({"x", "z"}, [](const auto& v) { return std::vector<double>{v[1]}; });
  return curve_of(explain(model, table, Value::object({{"features", "x"}, {"bins", bins}})));
}

TEST(MPlot, ZeroAndOneAreTwoPoints) {
  const Curve curve = curve_of_z({0, 1, 0, 1, 1, NAN, INFINITY, -0.0}, {2, 10, 4, 20, 60, 7, 1000, 9}, 40);
  EXPECT_THAT(curve.axis.numbers, ElementsAre(0, 1));
  EXPECT_THAT(curve.mean, ElementsAre(5, 30));
  EXPECT_THAT(curve.count, ElementsAre(3, 3));
  EXPECT_THAT(curve.sd, ElementsAre(DoubleEq(std::sqrt(26.0 / 3)), DoubleEq(std::sqrt(1400.0 / 3))));
  EXPECT_THAT(curve.se_level, ElementsAre(DoubleEq(std::sqrt(26.0) / 3), DoubleEq(std::sqrt(1400.0) / 3)));
  ASSERT_TRUE(curve.missing);
  EXPECT_EQ(curve.missing->mean, 7);
}

TEST(MPlot, SmallWholeNumbersKeepTheirRows) {
  // Most have 3 rooms, so that quantiles would pass over the rare numbers.
  std::vector<double> rooms{1, 2, 2, 4, 4, 5, 6, 7, 8}, price{10, 30, 50, 80, 90, 100, 110, 130, 170};
  rooms.resize(100, 3);
  price.resize(100, 60);
  const Curve curve = curve_of_z(rooms, price, 8);
  EXPECT_THAT(curve.axis.numbers, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(curve.mean, ElementsAre(10, 40, 60, 85, 100, 110, 130, 170));
  EXPECT_THAT(curve.count, ElementsAre(1, 2, 91, 2, 1, 1, 1, 1));
  EXPECT_THAT(curve.sd, ElementsAre(0, 10, 0, 5, 0, 0, 0, 0));
}

TEST(MPlot, BinsBeginWithOneValueMoreThanThereAreBins) {
  const Curve values = curve_of_z({1, 2, 3, 4}, {10, 20, 30, 40}, 4);
  EXPECT_THAT(values.axis.numbers, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values.mean, ElementsAre(10, 20, 30, 40));
  // ALE's edges are 1, 2, 3, 4, 5: the first bin has 1 and 2.
  const Curve bins = curve_of_z({1, 2, 3, 4, 5}, {10, 20, 30, 40, 50}, 4);
  EXPECT_THAT(bins.axis.numbers, ElementsAre(1.5, 3, 4, 5));
  EXPECT_THAT(bins.mean, ElementsAre(15, 30, 40, 50));
  EXPECT_THAT(bins.count, ElementsAre(2, 1, 1, 1));
}

TEST(MPlot, AWeightIsThatManyRowsOfAValue) {
  const Curve weighted = curve_of_z({0, 0, 1, 1, 2}, {10, 40, 5, 7, 99}, 40, {2, 1, 3, 1, 0});
  const Curve repeated = curve_of_z({0, 0, 0, 1, 1, 1, 1}, {10, 10, 40, 5, 5, 5, 7}, 40);
  for (const Curve& curve : {weighted, repeated}) {
    EXPECT_THAT(curve.axis.numbers, ElementsAre(0, 1));
    EXPECT_THAT(curve.mean, ElementsAre(20, 5.5));
    EXPECT_THAT(curve.count, ElementsAre(3, 4));
    EXPECT_THAT(curve.sd, ElementsAre(DoubleEq(std::sqrt(200.0)), DoubleEq(std::sqrt(0.75))));
  }
}

std::vector<double> tangled(const std::vector<double>& v) {
  const double b = std::isnan(v[1]) ? 7 : v[1];
  const double c = std::isnan(v[2]) ? -3 : v[2] * v[2];
  return {v[0] * b + c * v[3], v[3] * v[3] - c * std::sin(v[0])};
}

// What is near is found from ALE's edges, which have tests of their own.
TEST(MPlot, EqualsTheDefinitionOnOddData) {
  const FunctionModel model({"a", "b", "c", "d"}, tangled, {"first", "second"});
  const Table table = random_table(17, 250).with_weights(4);
  Context context(1);
  const Result edges_of = run("ale", model, table, Value::object({{"bins", 8}}), context);
  for (const bool kernel : {false, true}) {
    const Result result = explain(
        model, table, Value::object({{"bins", 8}, {"smoothing", kernel ? "kernel" : "bins"}, {"bandwidth", 0.2}}));
    ASSERT_EQ(result.results.size(), 8U);
    for (std::size_t item = 0; item < 8; ++item) {
      const std::size_t column = item / 2;
      const Curve curve = curve_of(result, item);
      const std::vector<double> edges = edges_of.results[item].get<Curve>().axis.numbers;
      const auto& rug = curve.distribution.rug;
      if (kernel && column != 2) {
        EXPECT_EQ(curve.axis.numbers, edges);
      }
      for (std::size_t point = 0; point < curve.axis.size(); ++point) {
        double sum = 0, total = 0, squares = 0, position = 0, weights2 = 0;
        for (std::size_t row = 0; row < table.rows(); ++row) {
          std::vector<double> v;
          for (std::size_t c = 0; c < 4; ++c) v.push_back(table.column(c).number(row));
          double weight = table.column(4).number(row);
          if (std::isnan(v[column])) continue;
          if (column == 2) {
            if (curve.axis.levels[point] != table.schema()[2].dictionary->level(static_cast<int>(v[2]))) continue;
          } else if (kernel) {
            const double h = 0.2 * (rug.back() - rug.front());
            weight *= std::exp(-0.5 * std::pow((v[column] - edges[point]) / h, 2));
          } else if (v[column] > edges[point + 1] || (point > 0 && v[column] <= edges[point])) {
            continue;
          }
          const double f = tangled(v)[item % 2];
          sum += weight * f;
          squares += weight * f * f;
          position += weight * v[column];
          total += weight;
          weights2 += weight * weight;
        }
        const double mean = sum / total;
        const double sd = std::sqrt(squares / total - mean * mean);
        EXPECT_NEAR(curve.mean[point], mean, 1e-10);
        EXPECT_NEAR(curve.sd[point], sd, 1e-6);
        EXPECT_NEAR(curve.se_level[point], sd * std::sqrt(weights2) / total, 1e-6);
        if (!kernel && column != 2) {
          EXPECT_NEAR(curve.axis.numbers[point], position / total, 1e-12);
        }
        if (!kernel) {
          EXPECT_DOUBLE_EQ(curve.count[point], total);
        }
      }
    }
  }
}

// x is what the model uses, z only goes along: the M-plot cannot tell them apart, ALE can.
TEST(MPlot, ShowsWhatGoesAlong) {
  std::vector<double> x, z;
  for (int i = 0; i < 200; ++i) {
    x.push_back(i);
    z.push_back(2 * i);
  }
  const Table table(Schema({{.name = "x"}, {.name = "z"}}), {column_of(x), column_of(z)});
  const FunctionModel model({"x", "z"}, [](const auto& v) { return std::vector<double>{v[0]}; });
  const Curve curve = curve_of(explain(model, table, Value::object({{"features", "z"}})));
  for (std::size_t k = 0; k < curve.axis.size(); ++k) EXPECT_NEAR(curve.mean[k], curve.axis.numbers[k] / 2, 1e-12);
  Context context(1);
  const Result ale = run("ale", model, table, Value::object({{"features", "z"}}), context);
  for (const double effect : ale.results[0].get<Curve>().mean) EXPECT_EQ(effect, 0);
}

TEST(MPlot, AsksForEachRowOnce) {
  const Table table = random_table(4, 100);
  int asked = 0;
  const FunctionModel model(
      {"a", "b", "c", "d"},
      [&](const auto& v) {
        ++asked;
        return std::vector<double>{v[0]};
      },
      {"prediction"}, Concurrency::one_at_a_time);
  (void)explain(model, table, Value());
  EXPECT_EQ(asked, 100);
}

TEST(MPlot, OddDataHaveAResultAndAWord) {
  const double infinity = std::numeric_limits<double>::infinity();
  const FunctionModel model({"x"}, [](const auto& v) { return std::vector<double>{std::isfinite(v[0]) ? 1 : 2.0}; });
  for (const char* smoothing : {"bins", "kernel"}) {
    const auto of = [&](std::vector<double> x) {
      return explain(model, Table(Schema({{.name = "x"}}), {column_of(std::move(x))}),
                     Value::object({{"smoothing", smoothing}}));
    };
    const Result constant = of({3, 3, NAN});
    EXPECT_THAT(curve_of(constant).axis.numbers, ElementsAre(3));
    EXPECT_THAT(curve_of(constant).mean, ElementsAre(1));
    EXPECT_THAT(curve_of(constant).count, ElementsAre(2));
    EXPECT_EQ(curve_of(constant).missing->mean, 2);
    EXPECT_TRUE(has_caveat(constant, "constant-feature"));
    const Result none = of({NAN, infinity});
    EXPECT_TRUE(curve_of(none).mean.empty());
    EXPECT_TRUE(has_caveat(none, "no-values"));
    EXPECT_TRUE(has_caveat(none, "infinite-values"));
    const Result far = of({-1e300, 1e300, 1e-300, 0, infinity});
    for (const double height : curve_of(far).mean) EXPECT_EQ(height, 1);
  }
  const Table table(Schema({{.name = "x"}}), {column_of(std::vector<double>{1})});
  EXPECT_THROW((void)explain(model, table, Value::object({{"bandwidth", 0.0}})), Error);
  EXPECT_THROW((void)explain(model, table, Value::object({{"bins", 0}})), Error);
}

}  // namespace
}  // namespace sightglass
