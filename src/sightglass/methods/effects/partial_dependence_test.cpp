#include "sightglass/methods/effects/partial_dependence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/base/error.h"
#include "sightglass/methods/run/session.h"
#include "support/function_model.h"
#include "support/law_cases.h"
#include "support/random_data.h"

namespace sightglass {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::FunctionModel;
using testing::random_table;

const testing::LawCase laws("partial-dependence",
                            {.options = Value::object({{"grid", 9},
                                                       {"pairs", std::vector<std::string>{"a:c", "b:d"}},
                                                       {"features", std::vector<std::string>{"a", "b", "c", "d"}}})});
const testing::LawCase laws_means("partial-dependence:means",
                                  {.options = Value::object({{"grid", 9}, {"spread", false}})});

Table small_table() {
  return Table(Schema({{.name = "x"}, {.name = "z"}}),
               {column_of(std::vector<double>{0, 1, 1, 4}), column_of(std::vector<double>{2, 0, 4, 6})});
}

Result explain(const Model& model, const Table& table, const Value& options) {
  Context context(1);
  return run("pdp", model, table, options, context);
}

TEST(PartialDependence, OfAProductByHand) {
  const FunctionModel model({"x", "z"}, [](const auto& v) { return std::vector<double>{v[0] * v[1]}; });
  const Result result = explain(model, small_table(), Value::object({{"features", "x"}}));
  ASSERT_EQ(result.results.size(), 1U);
  const auto& curve = result.results[0].get<Curve>();
  EXPECT_THAT(curve.axis.numbers, ElementsAre(0, 1, 4));
  EXPECT_THAT(curve.mean, ElementsAre(0, 3, 12));  // mean z = 3
  const double sd_z = std::sqrt(5.0);              // z = 2, 0, 4, 6
  EXPECT_THAT(curve.sd, ElementsAre(0, DoubleEq(sd_z), DoubleEq(4 * sd_z)));
  EXPECT_THAT(curve.se_level, ElementsAre(0, DoubleEq(sd_z / 2), DoubleEq(2 * sd_z)));
  // Each curve minus its own mean: z · (x − 5/3).
  EXPECT_THAT(curve.se_shape,
              ElementsAre(DoubleEq(sd_z / 2 * 5 / 3), DoubleEq(sd_z / 2 * 2 / 3), DoubleEq(sd_z / 2 * 7 / 3)));
  EXPECT_THAT(curve.count, ElementsAre(1, 2, 1));
  EXPECT_EQ(curve.shape, CurveShape::linear);
  // Var z / mean z² = 5 / 14.
  EXPECT_THAT(*curve.heterogeneity, DoubleNear(5.0 / 14, 1e-12));
}

TEST(PartialDependence, AnAdditiveModelHasNoHeterogeneity) {
  const FunctionModel model({"x", "z"}, [](const auto& v) { return std::vector<double>{std::exp(v[0]) - 1e6 * v[1]}; });
  const Result result = explain(model, small_table(), Value());
  for (const auto& item : result.results) EXPECT_LT(*item.get<Curve>().heterogeneity, 1e-9);
}

TEST(PartialDependence, EqualsTheDefinitionOnOddData) {
  const Table table = random_table(11, 150).with_weights(4);
  const auto f = [](const std::vector<double>& v) {
    const double b = std::isnan(v[1]) ? 7 : v[1];
    const double c = std::isnan(v[2]) ? -3 : v[2] * v[2];
    return std::vector<double>{v[0] * b + c * v[3], v[3] - c};
  };
  const FunctionModel model({"a", "b", "c", "d"}, f, {"first", "second"});
  const Result result =
      explain(model, table,
              Value::object(
                  {{"grid", 7}, {"features", std::vector<std::string>{"b", "c"}}, {"pairs", "b:c"}, {"pair_grid", 5}}));
  ASSERT_EQ(result.results.size(), 6U);

  const auto brute = [&](std::vector<std::pair<std::size_t, double>> forced, std::size_t output) {
    double sum = 0, weight = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      std::vector<double> v;
      for (std::size_t column = 0; column < 4; ++column) v.push_back(table.column(column).number(row));
      for (const auto& [column, value] : forced) v[column] = value;
      sum += table.column(4).number(row) * f(v)[output];
      weight += table.column(4).number(row);
    }
    return sum / weight;
  };
  for (std::size_t output = 0; output < 2; ++output) {
    const auto& b = result.results[output].get<Curve>();
    for (std::size_t k = 0; k < b.axis.size(); ++k)
      EXPECT_NEAR(b.mean[k], brute({{1, b.axis.numbers[k]}}, output), 1e-12);
    ASSERT_TRUE(b.missing);
    EXPECT_NEAR(b.missing->mean, brute({{1, NAN}}, output), 1e-12);
    const auto& c = result.results[2 + output].get<Curve>();
    EXPECT_THAT(c.axis.levels, ElementsAre("blue", "green", "red"));
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(c.mean[k], brute({{2, static_cast<double>(k)}}, output), 1e-12);
    const auto& surface = result.results[4 + output].get<Surface>();
    EXPECT_LE(surface.first.size(), 5U);
    double rows = 0;
    for (std::size_t i = 0; i < surface.first.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(surface.mean[i][k], brute({{1, surface.first.numbers[i]}, {2, static_cast<double>(k)}}, output),
                    1e-12);
        rows += surface.count[i][k];
      }
    }
    EXPECT_GT(rows, 100);
  }
}

TEST(PartialDependence, GridRules) {
  std::vector<double> x(101);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * i);
  const Table table(Schema({{.name = "x"}}), {column_of(x)});
  const FunctionModel model({"x"}, [](const auto& v) { return v; });
  const auto grid = [&](const Value& options) {
    return explain(model, table, options).results[0].get<Curve>().axis.numbers;
  };
  EXPECT_THAT(grid(Value::object({{"grid", 5}})), ElementsAre(0, 625, 2500, 5625, 10000));
  EXPECT_THAT(grid(Value::object({{"grid", 5}, {"grid_rule", "uniform"}})), ElementsAre(0, 2500, 5000, 7500, 10000));
  EXPECT_THAT(grid(Value::object({{"grid_rule", "values"}, {"values", std::vector<double>{3, -1, 3}}})),
              ElementsAre(-1, 3));
  EXPECT_THROW((void)grid(Value::object({{"grid_rule", "breakpoints"}})), Error);
  EXPECT_THROW((void)grid(Value::object({{"grid_rule", "values"}})), Error);
  EXPECT_THROW((void)grid(Value::object({{"values", 3.0}})), Error);
  EXPECT_THROW((void)grid(Value::object({{"grid", 0}})), Error);
  EXPECT_THROW((void)grid(Value::object({{"gird", 3}})), Error);
}

TEST(PartialDependence, NamesWhatItCannotFind) {
  const FunctionModel model({"x"}, [](const auto& v) { return v; });
  const auto message = [&](const Value& options) {
    try {
      (void)explain(model, small_table(), options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(Value::object({{"features", "y"}})), ::testing::HasSubstr("no column y"));
  EXPECT_THAT(message(Value::object({{"features", "z"}})), ::testing::HasSubstr("does not use z"));
  EXPECT_THAT(message(Value::object({{"pairs", "x"}})), ::testing::HasSubstr("is not a pair"));
  EXPECT_THAT(message(Value::object({{"pairs", "x:x"}})), ::testing::HasSubstr("twice"));
  EXPECT_THAT(message(Value::object({{"output", "cat"}})), ::testing::HasSubstr("no output cat"));
}

TEST(PartialDependence, PairsSayThatMissingValuesHaveNoCell) {
  const FunctionModel model({"x", "z"}, [](const auto& v) { return std::vector<double>{std::isnan(v[0]) ? 9 : v[0]}; });
  const Table table(Schema({{.name = "x"}, {.name = "z"}}),
                    {column_of(std::vector<double>{0, 1, NAN, NAN}), column_of(std::vector<double>{2, 0, 4, 6})});
  const auto said = [&](const Table& rows) {
    std::vector<double> missing;
    for (const Caveat& caveat : explain(model, rows, Value::object({{"pairs", "x:z"}})).caveats) {
      if (caveat.id == "missing-not-drawn") missing.push_back(caveat.evidence.find("rows")->as_number());
    }
    return missing;
  };
  EXPECT_THAT(said(table), ElementsAre(2));
  EXPECT_THAT(said(small_table()), ElementsAre());
}

}  // namespace
}  // namespace sightglass
