// Surfaces: the second-order effects of pairs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "sightglass/base/error.h"
#include "sightglass/methods/run/session.h"
#include "support/caveats.h"
#include "support/function_model.h"
#include "support/random_data.h"

namespace sightglass {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::FunctionModel;
using testing::has_caveat;
using ::testing::Pointwise;
using testing::random_table;

Result explain(const Model& model, const Table& table, const Value& options) {
  Context context(1);
  return run("ale", model, table, options, context);
}

std::vector<double> tangled(const std::vector<double>& v) {
  const double b = std::isnan(v[1]) ? 7 : v[1];
  const double c = std::isnan(v[2]) ? -3 : v[2] * v[2];
  return {v[0] * b + c * v[3], v[3] * v[3] - c * std::sin(v[0])};
}

// A surface in plain loops, as ALEPlot does it: numbers × numbers, numbers × levels, levels × levels. Rows of a numeric
// feature lie in bins, rows of a categorical feature at levels, from which they step both ways.
struct BruteAxis {
  std::vector<double> points;
  bool levels;
  // The bin or level of a value; -1: none.
  [[nodiscard]] int place(double value) const {
    if (!std::isfinite(value)) return -1;
    if (levels) {
      const auto at = std::find(points.begin(), points.end(), value);
      return at == points.end() ? -1 : static_cast<int>(at - points.begin());
    }
    for (std::size_t k = 1; k < points.size(); ++k) {
      if (value <= points[k]) return static_cast<int>(k) - 1;
    }
    return -1;
  }
  [[nodiscard]] int steps() const { return static_cast<int>(points.size()) - 1; }
  [[nodiscard]] bool takes(int place, int step) const { return place == step || (levels && place == step + 1); }
  [[nodiscard]] double middle(int step) const {
    const double low = levels ? step : points[step], high = levels ? step + 1 : points[step + 1];
    const double range = levels ? steps() : points.back() - points.front();
    return (low + high) / 2 / range;
  }
  // The height of a row at this place, from the heights at the points.
  [[nodiscard]] double height(const std::function<double(int)>& at, int place) const {
    return levels ? at(place) : (at(place) + at(place + 1)) / 2;
  }
};

std::vector<std::vector<double>> brute_surface(const Table& table, const testing::RowFunction& f, std::size_t output,
                                               std::size_t first, std::size_t second, const BruteAxis& a,
                                               const BruteAxis& b) {
  struct Row {
    std::vector<double> v;
    int i, k;
    double weight;
  };
  std::vector<Row> rows;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    Row row{.weight = table.weight_column() ? table.column(*table.weight_column()).number(r) : 1};
    for (std::size_t c = 0; c < 4; ++c) row.v.push_back(table.column(c).number(r));
    row.i = a.place(row.v[first]);
    row.k = b.place(row.v[second]);
    if (row.i >= 0 && row.k >= 0 && row.weight > 0) rows.push_back(row);
  }
  const auto value = [&](Row row, int i, int k) {
    row.v[first] = a.points[i];
    row.v[second] = b.points[k];
    return f(row.v)[output];
  };
  std::vector<std::vector<double>> delta(a.steps(), std::vector<double>(b.steps())), n = delta;
  for (int i = 0; i < a.steps(); ++i) {
    for (int k = 0; k < b.steps(); ++k) {
      for (const Row& row : rows) {
        if (!a.takes(row.i, i) || !b.takes(row.k, k)) continue;
        n[i][k] += row.weight;
        delta[i][k] +=
            row.weight * (value(row, i + 1, k + 1) - value(row, i, k + 1) - value(row, i + 1, k) + value(row, i, k));
      }
      if (n[i][k] > 0) delta[i][k] /= n[i][k];
    }
  }
  const auto known = delta;
  for (int i = 0; i < a.steps(); ++i) {
    for (int k = 0; k < b.steps(); ++k) {
      if (n[i][k] > 0) continue;
      double nearest = INFINITY;
      for (int p = 0; p < a.steps(); ++p) {
        for (int q = 0; q < b.steps(); ++q) {
          const double distance = std::pow(a.middle(p) - a.middle(i), 2) + std::pow(b.middle(q) - b.middle(k), 2);
          if (n[p][q] == 0 || distance > nearest - 1e-12) continue;
          nearest = distance;
          delta[i][k] = known[p][q];
        }
      }
    }
  }
  std::vector<std::vector<double>> g(a.points.size(), std::vector<double>(b.points.size(), 0));
  for (int i = 1; i <= a.steps(); ++i) {
    for (int k = 1; k <= b.steps(); ++k) {
      for (int p = 0; p < i; ++p) {
        for (int q = 0; q < k; ++q) g[i][k] += delta[p][q];
      }
    }
  }
  // Main effects of g over the rows, one axis after the other.
  std::vector<double> main_a = {0}, main_b = {0};
  for (int i = 0; i < a.steps(); ++i) {
    double sum = 0, total = 0;
    for (const Row& row : rows) {
      if (!a.takes(row.i, i)) continue;
      sum += row.weight * b.height([&](int k) { return g[i + 1][k] - g[i][k]; }, row.k);
      total += row.weight;
    }
    main_a.push_back(main_a.back() + sum / total);
  }
  for (int k = 0; k < b.steps(); ++k) {
    double sum = 0, total = 0;
    for (const Row& row : rows) {
      if (!b.takes(row.k, k)) continue;
      sum += row.weight * a.height([&](int i) { return g[i][k + 1] - g[i][k]; }, row.i);
      total += row.weight;
    }
    main_b.push_back(main_b.back() + sum / total);
  }
  double sum = 0, total = 0;
  for (int i = 0; i <= a.steps(); ++i) {
    for (int k = 0; k <= b.steps(); ++k) g[i][k] -= main_a[i] + main_b[k];
  }
  for (const Row& row : rows) {
    sum += row.weight * a.height([&](int i) { return b.height([&](int k) { return g[i][k]; }, row.k); }, row.i);
    total += row.weight;
  }
  for (auto& line : g) {
    for (double& height : line) height -= sum / total;
  }
  return g;
}

// random_table with a second categorical column in the place of d.
Table two_categories(std::uint64_t seed, std::size_t rows) {
  const Table table = random_table(seed, rows);
  std::mt19937_64 random(seed);
  std::vector<std::int32_t> codes;
  for (std::size_t i = 0; i < rows; ++i) codes.push_back(static_cast<std::int32_t>(random() % 5) - 1);
  const auto names = std::make_shared<Dictionary>(std::vector<std::string>{"n", "e", "s", "w"});
  std::vector<ColumnInfo> infos = table.schema().columns();
  infos[3] = {.name = "d", .type = DType::categorical, .dictionary = names};
  std::vector<Column> columns = table.columns();
  columns[3] = column_of(codes, names.get());
  return Table(Schema(std::move(infos)), std::move(columns));
}

TEST(AlePairs, SurfacesEqualTheDefinitionOnOddData) {
  const auto f = [](const std::vector<double>& v) {
    std::vector<double> whole = v;
    if (std::isnan(v[3])) whole[3] = 1.5;
    return tangled(whole);
  };
  const FunctionModel model({"a", "b", "c", "d"}, f, {"first", "second"});
  const std::vector<std::string> pairs = {"a:b", "b:a", "a:d", "c:a", "b:c", "c:d"};
  for (const bool weighted : {false, true}) {
    for (const bool categories : {false, true}) {
      Table table = categories ? two_categories(15, 250) : random_table(15, 250);
      if (weighted) table = table.with_weights(4);
      const Result result = explain(model, table, Value::object({{"pairs", pairs}, {"pair_bins", 12}}));
      ASSERT_EQ(result.results.size(), 2 * pairs.size());
      for (std::size_t item = 0; item < result.results.size(); ++item) {
        const auto& surface = result.results[item].get<Surface>();
        EXPECT_EQ(surface.measure, Measure::effect);
        const auto axis = [&](const Axis& from) {
          BruteAxis to{.points = from.numbers, .levels = from.is_categorical()};
          const auto& dictionary = table.schema()[*table.schema().find(from.feature)].dictionary;
          for (const auto& level : from.levels) to.points.push_back(*dictionary->find(level));
          return to;
        };
        const auto brute =
            brute_surface(table, f, item % 2, *table.schema().find(surface.first.feature),
                          *table.schema().find(surface.second.feature), axis(surface.first), axis(surface.second));
        ASSERT_EQ(surface.mean.size(), brute.size());
        for (std::size_t i = 0; i < brute.size(); ++i)
          EXPECT_THAT(surface.mean[i], Pointwise(DoubleNear(1e-10), brute[i])) << pairs[item / 2] << " " << i;
      }
    }
  }
}

// f = x z: all that is left of it is (x − x̄)(z − z̄) where the features are independent, here on a full grid of rows.
TEST(AlePairs, TheSurfaceOfAProduct) {
  std::vector<double> x, z;
  for (int i = 0; i <= 6; ++i) {
    for (int k = 0; k <= 4; ++k) {
      x.push_back(i);
      z.push_back(10 * k);
    }
  }
  const Table table(Schema({{.name = "x"}, {.name = "z"}}), {column_of(x), column_of(z)});
  const FunctionModel model({"x", "z"}, [](const auto& v) { return std::vector<double>{v[0] * v[1] + v[0] - v[1]}; });
  const auto surface =
      explain(model, table, Value::object({{"pairs", "x:z"}, {"pair_bins", 50}})).results[0].get<Surface>();
  ASSERT_THAT(surface.first.numbers, ElementsAre(0, 1, 2, 3, 4, 5, 6));
  ASSERT_THAT(surface.second.numbers, ElementsAre(0, 10, 20, 30, 40));
  // Rows count in the middle of their bin; the first bin has the rows of two values.
  const double x_mean = (2 * 0.5 + 1.5 + 2.5 + 3.5 + 4.5 + 5.5) / 7, z_mean = (2 * 5.0 + 15 + 25 + 35) / 5;
  for (std::size_t i = 0; i < 7; ++i) {
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_NEAR(surface.mean[i][k], (static_cast<double>(i) - x_mean) * (10 * static_cast<double>(k) - z_mean), 1e-9);
    }
  }
  EXPECT_THAT(surface.count[0], ElementsAre(4, 2, 2, 2));
  EXPECT_THAT(surface.count[5], ElementsAre(2, 1, 1, 1));
  // An additive model has no second-order effect.
  const FunctionModel sum({"x", "z"}, [](const auto& v) { return std::vector<double>{std::exp(v[0]) + v[1] * v[1]}; });
  const Result flat = explain(sum, table, Value::object({{"pairs", "x:z"}}));
  for (const auto& line : flat.results[0].get<Surface>().mean) {
    for (const double height : line) EXPECT_NEAR(height, 0, 1e-9);
  }
}

TEST(AlePairs, EmptyCellsTakeTheNearestAndAreMarked) {
  // Rows on the diagonal only: two cells of four are empty.
  const Table table(Schema({{.name = "x"}, {.name = "z"}}),
                    {column_of(std::vector<double>{0, 1, 2}), column_of(std::vector<double>{0, 1, 2})});
  const FunctionModel model({"x", "z"}, [](const auto& v) { return std::vector<double>{v[0] * v[0] * v[1]}; });
  const Result result = explain(model, table, Value::object({{"pairs", "x:z"}, {"pair_bins", 3}}));
  const auto& surface = result.results[0].get<Surface>();
  EXPECT_THAT(surface.count[0], ElementsAre(2, 0));
  EXPECT_THAT(surface.count[1], ElementsAre(0, 1));
  EXPECT_TRUE(has_caveat(result, "empty-cells"));
  // Differences 1 and 3 on the diagonal; both empty cells are as near to either and take the first: 1.
  const double second = surface.mean[2][2] - surface.mean[1][2] - surface.mean[2][1] + surface.mean[1][1];
  const double empty = surface.mean[1][2] - surface.mean[0][2] - surface.mean[1][1] + surface.mean[0][1];
  EXPECT_NEAR(second, 3, 1e-12);
  EXPECT_NEAR(empty, 1, 1e-12);
}

TEST(AlePairs, MoreCellsThanAnyoneLooksAtAreRefused) {
  std::vector<std::string> names;
  std::vector<std::int32_t> codes;
  for (int i = 0; i < 800; ++i) {
    names.push_back("level" + std::to_string(i));
    codes.push_back(i);
  }
  const auto levels = std::make_shared<Dictionary>(names);
  const ColumnInfo column{.name = "p", .type = DType::categorical, .dictionary = levels};
  ColumnInfo other = column;
  other.name = "q";
  const Table table(Schema({column, other}), {column_of(codes, levels.get()), column_of(codes, levels.get())});
  const FunctionModel model({"p", "q"}, [](const auto& v) { return std::vector<double>{v[0] + v[1]}; });
  Context context(1);
  for (const char* method : {"ale", "partial-dependence"}) {
    try {
      (void)run(method, model, table, Value::object({{"pairs", "p:q"}}), context);
      ADD_FAILURE() << method;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(error.message().find("800 × 800"), std::string::npos) << error.message();
    }
  }
}

TEST(AlePairs, OddPairsHaveAResultAndAWord) {
  const Table table(Schema({{.name = "x"}, {.name = "z"}, {.name = "u"}, {.name = "v"}}),
                    {column_of(std::vector<double>{1, 2, NAN, NAN}), column_of(std::vector<double>{3, 3, 3, 3}),
                     column_of(std::vector<double>{NAN, NAN, 1, 2}), column_of(std::vector<double>(4, NAN))});
  const FunctionModel model({"x", "z", "u", "v"}, [](const auto&) { return std::vector<double>{1}; });
  const Result constant = explain(model, table, Value::object({{"pairs", "x:z"}}));
  EXPECT_THAT(constant.results[0].get<Surface>().mean, ElementsAre(ElementsAre(0), ElementsAre(0)));
  EXPECT_TRUE(has_caveat(constant, "constant-feature"));
  const Result apart = explain(model, table, Value::object({{"pairs", "x:u"}}));
  EXPECT_THAT(apart.results[0].get<Surface>().mean, ElementsAre(ElementsAre(0, 0), ElementsAre(0, 0)));
  EXPECT_TRUE(has_caveat(apart, "no-rows"));
  EXPECT_TRUE(has_caveat(explain(model, table, Value::object({{"pairs", "x:v"}})), "no-values"));
  EXPECT_THROW((void)explain(model, table, Value::object({{"pairs", "x"}})), Error);
}

}  // namespace
}  // namespace sightglass
