#include "sightglass/methods/effects/ale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

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

const testing::LawCase laws("ale",
                            {.options = Value::object({{"bins", 9},
                                                       {"bins_rule", "adaptive"},
                                                       {"features", std::vector<std::string>{"a", "b", "c", "d"}},
                                                       {"pairs", std::vector<std::string>{"a:c", "b:d"}},
                                                       {"pair_bins", 5}})});

Result explain(const Model& model, const Table& table, const Value& options) {
  Context context(1);
  return run("ale", model, table, options, context);
}

Curve curve_of(const Result& result, std::size_t item = 0) { return result.results.at(item).get<Curve>(); }

Table small_table() {
  return Table(Schema({{.name = "x"}, {.name = "z"}}),
               {column_of(std::vector<double>{0, 1, 1, 4}), column_of(std::vector<double>{2, 0, 4, 6})});
}

TEST(Ale, OfAProductByHand) {
  const FunctionModel model({"x", "z"}, [](const auto& v) { return std::vector<double>{v[0] * v[1]}; });
  const Value options = Value::object({{"features", "x"}, {"bins", 2}});
  const Curve curve = curve_of(explain(model, small_table(), options));
  EXPECT_EQ(curve.measure, Measure::effect);
  EXPECT_THAT(curve.axis.numbers, ElementsAre(0, 1, 4));
  // Rows 0, 1 and 2 are in the first bin, row 3 in the second: differences 2, 0, 4 and 18.
  EXPECT_THAT(curve.bin_count, ElementsAre(3, 1));
  EXPECT_THAT(curve.slope, ElementsAre(2, 6));
  // 0, 2, 20 minus (3 · 1 + 1 · 11) / 4.
  EXPECT_THAT(curve.mean, ElementsAre(-3.5, -1.5, 16.5));
  // s² = 4 in the first bin, and of the single row; q = 5/8 and 1/8.
  EXPECT_THAT(curve.se_shape, ElementsAre(DoubleEq(std::sqrt(7.0 / 12)), DoubleEq(0.5), DoubleEq(std::sqrt(3.25))));
  EXPECT_THAT(curve.count, ElementsAre(1, 2, 1));
  EXPECT_EQ(curve.shape, CurveShape::monotone);

  const Value right = Value::object({{"features", "x"}, {"bins", 2}, {"centering", "right"}});
  // Minus (3 · 2 + 1 · 20) / 4.
  EXPECT_THAT(curve_of(explain(model, small_table(), right)).mean, ElementsAre(-6.5, -4.5, 13.5));
}

// The definition in plain loops.
struct BruteCurve {
  std::vector<double> edges, effect, se, slope, counts;
};
BruteCurve brute_numeric(const Table& table, const testing::RowFunction& f, std::size_t features, std::size_t column,
                         std::size_t bins, std::size_t output, bool right) {
  const auto weight = [&](std::size_t row) {
    return table.weight_column() ? table.column(*table.weight_column()).number(row) : 1.0;
  };
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (std::isfinite(table.column(column).number(row)) && weight(row) > 0) rows.push_back(row);
  }
  const auto x = [&](std::size_t row) { return table.column(column).number(row); };
  std::sort(rows.begin(), rows.end(), [&](auto a, auto b) { return x(a) < x(b); });
  double total = 0;
  for (const auto row : rows) total += weight(row);
  BruteCurve brute{.edges = {x(rows[0])}};
  for (std::size_t k = 1; k <= bins; ++k) {
    double below = 0;
    for (const auto row : rows) {
      below += weight(row);
      if (below * static_cast<double>(bins) < static_cast<double>(k) * total) continue;
      if (x(row) > brute.edges.back()) brute.edges.push_back(x(row));
      break;
    }
  }
  const std::size_t steps = brute.edges.size() - 1;
  std::vector<double> delta(steps), n(steps), effective(steps), spread(steps);
  double pooled = 0, freedom = 0;
  for (std::size_t s = 0; s < steps; ++s) {
    std::vector<double> differences, weights;
    for (const auto row : rows) {
      const bool inside = x(row) <= brute.edges[s + 1] && (s == 0 || x(row) > brute.edges[s]);
      if (!inside) continue;
      std::vector<double> v;
      for (std::size_t c = 0; c < features; ++c) v.push_back(table.column(c).number(row));
      v[column] = brute.edges[s + 1];
      const double high = f(v)[output];
      v[column] = brute.edges[s];
      differences.push_back(high - f(v)[output]);
      weights.push_back(weight(row));
    }
    double squares = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      n[s] += weights[i];
      squares += weights[i] * weights[i];
      delta[s] += weights[i] * differences[i];
    }
    delta[s] /= n[s];
    effective[s] = n[s] * n[s] / squares;
    for (std::size_t i = 0; i < weights.size(); ++i)
      spread[s] += weights[i] / n[s] * std::pow(differences[i] - delta[s], 2);
    if (weights.size() > 1) {
      pooled += spread[s] * effective[s];
      freedom += effective[s] - 1;
      spread[s] *= effective[s] / (effective[s] - 1);
    } else {
      spread[s] = -1;
    }
  }
  for (double& s2 : spread) s2 = s2 < 0 ? pooled / freedom : s2;
  std::vector<double> g = {0};
  double centre = 0;
  for (std::size_t s = 0; s < steps; ++s) {
    g.push_back(g.back() + delta[s]);
    centre += n[s] * (right ? g[s + 1] : (g[s] + g[s + 1]) / 2) / total;
    brute.slope.push_back(delta[s] / (brute.edges[s + 1] - brute.edges[s]));
  }
  for (std::size_t k = 0; k <= steps; ++k) {
    brute.effect.push_back(g[k] - centre);
    double squared = 0;
    for (std::size_t l = 0; l < steps; ++l) {
      double behind = right ? n[l] : n[l] / 2;
      for (std::size_t m = l + 1; m < steps; ++m) behind += n[m];
      squared += std::pow((l < k ? 1 : 0) - behind / total, 2) * spread[l] / effective[l];
    }
    brute.se.push_back(std::sqrt(squared));
  }
  brute.counts = n;
  return brute;
}

std::vector<double> tangled(const std::vector<double>& v) {
  const double b = std::isnan(v[1]) ? 7 : v[1];
  const double c = std::isnan(v[2]) ? -3 : v[2] * v[2];
  return {v[0] * b + c * v[3], v[3] * v[3] - c * std::sin(v[0])};
}

TEST(Ale, EqualsTheDefinitionOnOddData) {
  const FunctionModel model({"a", "b", "c", "d"}, tangled, {"first", "second"});
  for (const bool weighted : {false, true}) {
    const Table plain = random_table(11, 150);
    const Table table = weighted ? plain.with_weights(4) : plain;
    for (const std::int64_t bins : {1, 7, 40, 200}) {
      for (const bool right : {false, true}) {
        const Result result = explain(model, table,
                                      Value::object({{"features", std::vector<std::string>{"a", "b", "d"}},
                                                     {"bins", bins},
                                                     {"centering", right ? "right" : "midpoint"}}));
        ASSERT_EQ(result.results.size(), 6U);
        for (std::size_t item = 0; item < 6; ++item) {
          const std::size_t column = std::array{0, 1, 3}[item / 2];
          const Curve curve = curve_of(result, item);
          const BruteCurve brute =
              brute_numeric(table, tangled, 4, column, static_cast<std::size_t>(bins), item % 2, right);
          EXPECT_THAT(curve.axis.numbers, Pointwise(DoubleEq(), brute.edges));
          EXPECT_THAT(curve.bin_count, Pointwise(DoubleEq(), brute.counts));
          EXPECT_THAT(curve.mean, Pointwise(DoubleNear(1e-12 * 100), brute.effect));
          EXPECT_THAT(curve.slope, Pointwise(DoubleNear(1e-9), brute.slope));
          EXPECT_THAT(curve.se_shape, Pointwise(DoubleNear(1e-10), brute.se));
        }
      }
    }
  }
}

TEST(Ale, ALineHasItsSlopeEverywhereAndNoError) {
  const FunctionModel model({"a", "d"}, [](const auto& v) { return std::vector<double>{2.5 * v[0] - 0.5 * v[1]}; });
  const Result result = explain(model, random_table(3, 400), Value());
  for (const double slope : curve_of(result, 0).slope) EXPECT_NEAR(slope, 2.5, 1e-9);
  for (const double slope : curve_of(result, 1).slope) EXPECT_NEAR(slope, -0.5, 1e-12);
  for (const double se : curve_of(result, 0).se_shape) EXPECT_NEAR(se, 0, 1e-12);
  EXPECT_EQ(curve_of(result, 0).shape, CurveShape::linear);
}

TEST(Ale, AnAdditiveModelIsTheSumOfItsEffects) {
  // Correlated features, as many bins as rows: every value is an edge.
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> x, z;
  for (int i = 0; i < 60; ++i) {
    x.push_back(normal(random));
    z.push_back(x.back() + 0.1 * normal(random));
  }
  const auto f = [](const std::vector<double>& v) { return std::vector<double>{std::exp(v[0]) + v[1] * v[1] * v[1]}; };
  const Table table(Schema({{.name = "x"}, {.name = "z"}}), {column_of(x), column_of(z)});
  const Result result = explain(FunctionModel({"x", "z"}, f), table, Value::object({{"bins", 60}}));
  const Curve first = curve_of(result, 0), second = curve_of(result, 1);
  const auto height = [](const Curve& curve, double value) {
    const auto at = std::lower_bound(curve.axis.numbers.begin(), curve.axis.numbers.end(), value);
    return curve.mean[static_cast<std::size_t>(at - curve.axis.numbers.begin())];
  };
  const double constant = f({x[0], z[0]})[0] - height(first, x[0]) - height(second, z[0]);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(f({x[i], z[i]})[0], constant + height(first, x[i]) + height(second, z[i]), 1e-9);
  }
  // Differences between edges are the component's, with any number of bins.
  const Curve coarse = curve_of(explain(FunctionModel({"x", "z"}, f), table, Value::object({{"bins", 7}})));
  for (std::size_t k = 1; k < coarse.axis.size(); ++k) {
    EXPECT_NEAR(coarse.mean[k] - coarse.mean[k - 1],
                std::exp(coarse.axis.numbers[k]) - std::exp(coarse.axis.numbers[k - 1]), 1e-9);
  }
}

TEST(Ale, AStepIsWhereItIs) {
  std::vector<double> x(10);
  std::iota(x.begin(), x.end(), 0.0);
  const FunctionModel model({"x"}, [](const auto& v) { return std::vector<double>{v[0] > 2.5 ? 10.0 : 0.0}; });
  const Curve curve = curve_of(explain(model, Table(Schema({{.name = "x"}}), {column_of(x)}), Value()));
  EXPECT_THAT(curve.slope, ElementsAre(0, 0, 10, 0, 0, 0, 0, 0, 0));
  // Ten rows: 3 before the bin of the step (0, 1, 2), 1 in it, 6 behind it.
  EXPECT_DOUBLE_EQ(curve.mean[0], -6.5);
  EXPECT_DOUBLE_EQ(curve.mean[3], 3.5);
}

// Categories in plain loops, in the order that was found.
TEST(Ale, OfCategoriesEqualsTheDefinition) {
  const FunctionModel model({"a", "b", "c", "d"}, tangled, {"first", "second"});
  for (const bool weighted : {false, true}) {
    const Table plain = random_table(13, 200);
    const Table table = weighted ? plain.with_weights(4) : plain;
    const Result result = explain(model, table, Value::object({{"features", "c"}}));
    for (std::size_t output = 0; output < 2; ++output) {
      const Curve curve = curve_of(result, output);
      const std::size_t levels = curve.axis.levels.size();
      ASSERT_EQ(levels, 3U);
      std::vector<double> codes, counts(levels, 0);
      for (const auto& level : curve.axis.levels) codes.push_back(*table.schema()[2].dictionary->find(level));
      std::vector<double> delta(levels - 1, 0), n(levels - 1, 0), squares(levels - 1, 0), spread(levels - 1, 0);
      double total = 0;
      for (int round = 0; round < 2; ++round) {  // means, then spreads
        for (std::size_t row = 0; row < table.rows(); ++row) {
          const double weight = weighted ? table.column(4).number(row) : 1;
          std::vector<double> v;
          for (std::size_t c = 0; c < 4; ++c) v.push_back(table.column(c).number(row));
          for (std::size_t k = 0; k < levels; ++k) {
            if (v[2] != codes[k]) continue;
            if (round == 0) counts[k] += weight;
            if (round == 0) total += weight;
            // Rows of level k make the step to k + 1, and that from k − 1.
            for (const std::size_t step : {k, k - 1}) {
              if (step >= levels - 1) continue;
              std::vector<double> low = v, high = v;
              low[2] = codes[step];
              high[2] = codes[step + 1];
              const double difference = tangled(high)[output] - tangled(low)[output];
              if (round == 0) {
                delta[step] += weight * difference;
                n[step] += weight;
                squares[step] += weight * weight;
              } else {
                spread[step] += weight * std::pow(difference - delta[step] / n[step], 2) / n[step];
              }
            }
          }
        }
      }
      std::vector<double> g = {0};
      for (std::size_t k = 0; k + 1 < levels; ++k) g.push_back(g.back() + delta[k] / n[k]);
      double centre = 0;
      for (std::size_t k = 0; k < levels; ++k) centre += counts[k] * g[k] / total;
      for (std::size_t k = 0; k < levels; ++k) {
        EXPECT_NEAR(curve.mean[k], g[k] - centre, 1e-12);
        EXPECT_DOUBLE_EQ(curve.count[k], counts[k]);
        double squared = 0;
        for (std::size_t l = 0; l + 1 < levels; ++l) {
          double behind = 0;
          for (std::size_t m = l + 1; m < levels; ++m) behind += counts[m];
          const double effective = n[l] * n[l] / squares[l];
          squared += std::pow((l < k ? 1 : 0) - behind / total, 2) * spread[l] / (effective - 1);
        }
        EXPECT_NEAR(curve.se_shape[k], std::sqrt(squared), 1e-12);
      }
      for (std::size_t k = 0; k + 1 < levels; ++k) EXPECT_DOUBLE_EQ(curve.bin_count[k], n[k]);
      EXPECT_TRUE(curve.slope.empty());
    }
  }
}

TEST(Ale, OfCategoriesByHand) {
  const auto names = std::make_shared<Dictionary>(std::vector<std::string>{"a", "b", "c"}, true);
  // f = level² · z. Rows: a (z = 1), b (z = 2), b (z = 4), c (z = 3); nobody has d.
  const Table table(Schema({{.name = "x", .type = DType::categorical, .dictionary = names}, {.name = "z"}}),
                    {column_of(std::vector<std::int32_t>{0, 1, 1, 2, -1}, names.get()),
                     column_of(std::vector<double>{1, 2, 4, 3, 1})});
  const FunctionModel model(
      {"x", "z"}, [](const auto& v) { return std::vector<double>{std::isnan(v[0]) ? 0 : v[0] * v[0] * v[1]}; });
  const Curve curve = curve_of(explain(model, table, Value::object({{"features", "x"}})));
  EXPECT_THAT(curve.axis.levels, ElementsAre("a", "b", "c"));
  // a → b: z of a and b rows, mean 7/3. b → c: 3 z of b and c rows, mean 9. g = 0, 7/3, 34/3.
  const double centre = (2 * 7.0 / 3 + 34.0 / 3) / 4;
  EXPECT_THAT(curve.mean, ElementsAre(DoubleEq(-centre), DoubleEq(7.0 / 3 - centre), DoubleEq(34.0 / 3 - centre)));
  EXPECT_THAT(curve.bin_count, ElementsAre(3, 3));
  EXPECT_THAT(curve.count, ElementsAre(1, 2, 1));
  EXPECT_EQ(curve.distribution.missing, 1);
}

TEST(Ale, BooleansAndIntegersKeepTheirTypes) {
  auto flags = std::make_shared<std::vector<std::uint8_t>>(std::vector<std::uint8_t>{0, 1, 1, 0});
  auto numbers = std::make_shared<std::vector<std::int64_t>>(std::vector<std::int64_t>{-5, 0, 7, 9});
  const Table table(Schema({{.name = "t", .type = DType::boolean}, {.name = "i", .type = DType::int64}}),
                    {{.view = view_of(std::span<const std::uint8_t>(*flags), DType::boolean), .owner = flags},
                     {.view = view_of(std::span<const std::int64_t>(*numbers), DType::int64), .owner = numbers}});
  for (const auto concurrency : {Concurrency::parallel, Concurrency::one_at_a_time}) {
    const FunctionModel model(
        {"t", "i"}, [](const auto& v) { return std::vector<double>{3 * v[0] + v[1]}; }, {"prediction"}, concurrency);
    const Result result = explain(model, table, Value());
    EXPECT_THAT(curve_of(result, 0).axis.levels, ElementsAre("false", "true"));
    EXPECT_THAT(curve_of(result, 0).mean, ElementsAre(-1.5, 1.5));
    EXPECT_THAT(curve_of(result, 1).slope, ElementsAre(1, 1, 1));
  }
}

// Slopes that change at 2 and at 5: bins as wide as the slopes stay alike, and the same curve at their edges.
TEST(Ale, AdaptiveBinsFollowTheSlopes) {
  std::vector<double> x, z;
  for (int i = 0; i <= 1000; ++i) {
    x.push_back(i / 100.0);
    z.push_back(i % 7);
  }
  const auto f = [](const std::vector<double>& v) {
    return std::vector<double>{(v[0] < 2 ? 0 : v[0] < 5 ? 4 * (v[0] - 2) : 12 - (v[0] - 5)) + v[1]};
  };
  const Table table(Schema({{.name = "x"}, {.name = "z"}}), {column_of(x), column_of(z)});
  const Value options = Value::object({{"bins_rule", "adaptive"}});
  const Result result = explain(FunctionModel({"x", "z"}, f), table, options);
  const Curve curve = curve_of(result, 0);
  ASSERT_EQ(curve.axis.numbers.size(), 4U) << ::testing::PrintToString(curve.axis.numbers);
  EXPECT_EQ(curve.axis.numbers.front(), 0);
  EXPECT_NEAR(curve.axis.numbers[1], 2, 0.06);
  EXPECT_NEAR(curve.axis.numbers[2], 5, 0.06);
  EXPECT_EQ(curve.axis.numbers.back(), 10);
  for (std::size_t k = 1; k < 4; ++k) {
    EXPECT_NEAR(curve.mean[k] - curve.mean[k - 1],
                f({curve.axis.numbers[k], 0})[0] - f({curve.axis.numbers[k - 1], 0})[0], 1e-9);
  }
  // A straight line needs one bin.
  EXPECT_THAT(curve_of(result, 1).axis.numbers, ElementsAre(0, 6));
  const Value few = Value::object({{"bins_rule", "adaptive"}, {"bins", 2}});
  EXPECT_LE(curve_of(explain(FunctionModel({"x", "z"}, f), table, few)).axis.numbers.size(), 3U);
}

TEST(Ale, DuplicatedRowsEqualWeights) {
  const Table table = random_table(21, 120);
  std::vector<std::uint64_t> duplicated;
  for (std::uint64_t row = 0; row < table.rows(); ++row) {
    for (int k = 0; k < static_cast<int>(table.column(4).number(row)); ++k) duplicated.push_back(row);
  }
  const FunctionModel model({"a", "b", "c", "d"}, tangled, {"first", "second"});
  const Result weighted = explain(model, table.with_weights(4), Value());
  const Result repeated = explain(model, rows_of(table, duplicated), Value());
  for (std::size_t i = 0; i < weighted.results.size(); ++i) {
    EXPECT_THAT(curve_of(weighted, i).mean, Pointwise(DoubleNear(1e-12), curve_of(repeated, i).mean));
    EXPECT_EQ(curve_of(weighted, i).bin_count, curve_of(repeated, i).bin_count);
    EXPECT_EQ(curve_of(weighted, i).axis.levels, curve_of(repeated, i).axis.levels);
  }
}

TEST(Ale, MissingAndInfiniteValuesAreCountedNotUsed) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Table table(Schema({{.name = "x"}}), {column_of(std::vector<double>{1, NAN, 2, infinity, 3, -infinity, NAN})});
  const FunctionModel model({"x"},
                            [](const auto& v) { return std::vector<double>{std::isfinite(v[0]) ? 2 * v[0] : 1000.0}; });
  const Result result = explain(model, table, Value());
  const Curve curve = curve_of(result);
  EXPECT_THAT(curve.axis.numbers, ElementsAre(1, 2, 3));
  EXPECT_THAT(curve.bin_count, ElementsAre(2, 1));
  EXPECT_THAT(curve.slope, ElementsAre(2, 2));
  EXPECT_EQ(curve.distribution.missing, 2);
  EXPECT_TRUE(has_caveat(result, "missing-values"));
  EXPECT_TRUE(has_caveat(result, "infinite-values"));
}

TEST(Ale, MissingRowsAreCountedOrWeighed) {
  const FunctionModel model({"x"}, [](const auto& v) { return std::vector<double>{std::isnan(v[0]) ? 0 : v[0]}; });
  const auto told = [&](const Table& table) {
    for (const Caveat& caveat : explain(model, table, Value()).caveats) {
      if (caveat.id == "missing-values") return caveat.message.plain();
    }
    return std::string();
  };
  const std::vector<double> x = {1, NAN, 2, 3};
  EXPECT_THAT(told(Table(Schema({{.name = "x"}}), {column_of(x)})), ::testing::StartsWith("x is missing in 1 row: "));
  const Table weighted(Schema({{.name = "x"}, {.name = "w"}}),
                       {column_of(x), column_of(std::vector<double>{1, 5, 3, 1})});
  EXPECT_THAT(told(weighted.with_weights(1)), ::testing::StartsWith("x is missing in rows with 50 % of the weight: "));
}

TEST(Ale, OddDataHaveAResultAndAWord) {
  const FunctionModel model({"x"}, [](const auto& v) { return std::vector<double>{std::isnan(v[0]) ? 0 : v[0]}; });
  const auto of = [&](std::vector<double> x) {
    return explain(model, Table(Schema({{.name = "x"}}), {column_of(std::move(x))}), Value());
  };
  const Result constant = of({3, 3, 3});
  EXPECT_THAT(curve_of(constant).mean, ElementsAre(0));
  EXPECT_TRUE(curve_of(constant).slope.empty());
  EXPECT_TRUE(has_caveat(constant, "constant-feature"));
  const Result one = of({3});
  EXPECT_THAT(curve_of(one).mean, ElementsAre(0));
  EXPECT_TRUE(has_caveat(one, "constant-feature"));
  const Result none = of({NAN, NAN});
  EXPECT_TRUE(curve_of(none).mean.empty());
  EXPECT_TRUE(has_caveat(none, "no-values"));
  // Fewer rows than bins, one per bin: nothing to estimate an error from.
  const Result few = of({5, 7});
  EXPECT_THAT(curve_of(few).mean, ElementsAre(-1, 1));
  EXPECT_FALSE(has_caveat(few, "one-row-bins"));  // the minimum joins the first bin: two rows
  const Result far = of({-1e300, 1e300, 1e-300, 0});
  for (const double height : curve_of(far).mean) EXPECT_TRUE(std::isfinite(height));
}

TEST(Ale, RowsThatMoveAgainstEachOtherAreSaid) {
  // By hand: differences 2, 0, 4 around 2 and 18 alone: (4 + 0 + 4) / (4 + 0 + 16 + 324).
  const FunctionModel product({"x", "z"}, [](const auto& v) { return std::vector<double>{v[0] * v[1]}; });
  const Value two_bins = Value::object({{"features", "x"}, {"bins", 2}});
  EXPECT_DOUBLE_EQ(*curve_of(explain(product, small_table(), two_bins)).heterogeneity, 8.0 / 344);

  const Table table = random_table(5, 400);
  const auto turns = [](double size) {
    return FunctionModel({"a", "d"}, [=](const auto& v) {
      return std::vector<double>{size * v[0] * (v[1] > 4 ? 1 : -1) + 1000 * v[1]};
    });
  };
  const Result opposed = explain(turns(1000), table, Value());
  EXPECT_GT(*curve_of(opposed).heterogeneity, 0.9);
  EXPECT_TRUE(has_caveat(opposed, "hidden-heterogeneity"));
  // Next to nothing beside the other feature's effect.
  EXPECT_FALSE(has_caveat(explain(turns(1e-3), table, Value()), "hidden-heterogeneity"));
  const FunctionModel sum({"a", "d"}, [](const auto& v) { return std::vector<double>{v[0] / 3 + v[1] * v[1]}; });
  const Result additive = explain(sum, table, Value());
  EXPECT_EQ(curve_of(additive, 0).heterogeneity, 0);
  EXPECT_FALSE(has_caveat(additive, "hidden-heterogeneity"));
}

TEST(Ale, DifferencesBeyondAllNumbersAreSaid) {
  const FunctionModel model({"x"}, [](const auto& v) { return std::vector<double>{v[0] > 1.5 ? 1.7e308 : -1.7e308}; });
  const Table table(Schema({{.name = "x"}}), {column_of(std::vector<double>{1, 2, 3})});
  EXPECT_TRUE(has_caveat(explain(model, table, Value()), "overflow"));
}

TEST(Ale, SaysWhatItCannotDo) {
  const FunctionModel model({"x"}, [](const auto& v) { return v; });
  EXPECT_THROW((void)explain(model, small_table(), Value::object({{"bins", 0}})), Error);
  EXPECT_THROW((void)explain(model, small_table(), Value::object({{"bins", 1000000}})), Error);
  EXPECT_THROW((void)explain(model, small_table(), Value::object({{"centering", "left"}})), Error);
  EXPECT_THROW((void)explain(model, small_table(), Value::object({{"features", "z"}})), Error);
}

}  // namespace
}  // namespace sightglass
