#include "sightglass/methods/effects/ice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/methods/run/session.h"
#include "support/function_model.h"
#include "support/law_cases.h"

namespace sightglass {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::FunctionModel;

const testing::LawCase laws("ice", {.options = Value::object({{"grid", 9}, {"curves", 20}}), .keeps_row_order = true});
const testing::LawCase laws_derivative("ice:derivative",
                                       {.options = Value::object({{"grid", 9}, {"curves", 20}, {"derivative", true}}),
                                        .keeps_row_order = true});

Table small_table() {
  return Table(Schema({{.name = "x"}, {.name = "z"}}),
               {column_of(std::vector<double>{0, 1, 1, NAN}), column_of(std::vector<double>{2, 0, 4, 6})});
}

const FunctionModel product({"x", "z"},
                            [](const auto& v) { return std::vector<double>{std::isnan(v[0]) ? -1 : v[0] * v[1]}; });

Curves explain(const Value& options, const Table& table = small_table()) {
  Context context(1);
  return run("ice", product, table, options, context).results.at(0).get<Curves>();
}

TEST(Ice, OneCurvePerRow) {
  const Curves curves = explain(Value::object({{"features", "x"}}));
  EXPECT_THAT(curves.axis.numbers, ElementsAre(0, 1));
  EXPECT_THAT(curves.rows, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(curves.values, ElementsAre(ElementsAre(0, 2), ElementsAre(0, 0), ElementsAre(0, 4), ElementsAre(0, 6)));
  EXPECT_THAT(curves.missing, ElementsAre(-1, -1, -1, -1));
  EXPECT_THAT(curves.own_value, ElementsAre(0, 1, 1, std::nullopt));
  EXPECT_THAT(curves.mean, ElementsAre(0, 3));
  EXPECT_THAT(curves.band_levels, ElementsAre(0.05, 0.25, 0.5, 0.75, 0.95));
  EXPECT_THAT(curves.bands[2], ElementsAre(0, 2));  // type-1 median of 0, 2, 4, 6
  EXPECT_THAT(*curves.heterogeneity, DoubleNear(5.0 / 14, 1e-12));
}

TEST(Ice, CentredCurvesAreZeroAtTheAnchor) {
  const Curves curves = explain(Value::object({{"features", "x"}, {"center", true}, {"anchor", 0.9}}));
  EXPECT_EQ(curves.anchor, 1);
  EXPECT_THAT(curves.values[2], ElementsAre(-4, 0));
  EXPECT_THAT(curves.mean, ElementsAre(-3, 0));
  EXPECT_THAT(curves.missing[2], -5);
}

TEST(Ice, NamedRowsAreComputedAlone) {
  const Curves curves =
      explain(Value::object({{"features", "x"}, {"rows", Value(Value::Array{Value(2), Value(0), Value(2)})}}));
  EXPECT_THAT(curves.rows, ElementsAre(0, 2));
  EXPECT_THAT(curves.values[1], ElementsAre(0, 4));
  EXPECT_TRUE(curves.mean.empty());
  EXPECT_EQ(curves.total_rows, 4U);
  EXPECT_THROW((void)explain(Value::object({{"rows", 4}})), Error);
  EXPECT_THROW((void)explain(Value::object({{"rows", -1}})), Error);
}

TEST(Ice, KeptCurvesStandForAllAndBandsCountAll) {
  constexpr std::size_t rows = 5000;
  std::vector<double> x(rows), z(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    x[i] = static_cast<double>(i % 2);
    z[i] = static_cast<double>((i * 7919) % rows);
  }
  const Table table(Schema({{.name = "x"}, {.name = "z"}}), {column_of(x), column_of(z)});
  const Curves curves = explain(Value::object({{"features", "x"}, {"curves", 10}}), table);
  EXPECT_EQ(curves.rows.size(), 10U);
  EXPECT_EQ(curves.total_rows, rows);
  EXPECT_DOUBLE_EQ(curves.mean[1], (rows - 1) / 2.0);
  // At x = 1 the prediction is z: its 25 % quantile is the 1250th, 1249.
  EXPECT_NEAR(curves.bands[1][1], 1249, rows / 600.0);
}

TEST(Ice, BandsFollowCurvesThatLeaveThePredictionsOfTheData) {
  // x is 1 only where z is small: setting it to 1 elsewhere gives predictions that no row of the data has.
  constexpr std::size_t rows = 1000;
  std::vector<double> x(rows), z(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    z[i] = static_cast<double>(i);
    x[i] = i < 10 ? 1 : 0;
  }
  const Table table(Schema({{.name = "x"}, {.name = "z"}}), {column_of(x), column_of(z)});
  for (const bool center : {false, true}) {
    const Curves curves = explain(Value::object({{"features", "x"}, {"curves", 10}, {"center", center}}), table);
    EXPECT_NEAR(curves.bands[4][1], 949, 1.0);
    EXPECT_NEAR(curves.bands[4][0], 0, 1.0);
  }
}

TEST(Ice, ARowOfWeightZeroIsNotThereUnlessItIsNamed) {
  const Table table = Table(Schema({{.name = "x"}, {.name = "z"}, {.name = "w"}}),
                            {column_of(std::vector<double>{0, 1, 1}), column_of(std::vector<double>{2, 4, 6}),
                             column_of(std::vector<double>{1, 0, 2})})
                          .with_weights(2);
  EXPECT_THAT(explain(Value::object({{"features", "x"}}), table).rows, ElementsAre(0, 2));
  EXPECT_THAT(explain(Value::object({{"features", "x"}, {"rows", 1}}), table).rows, ElementsAre(1));
}

TEST(Ice, OptionsThatMakeNoSense) {
  EXPECT_THROW((void)explain(Value::object({{"curves", -1}})), Error);
  EXPECT_THROW((void)explain(Value::object({{"anchor", 1.0}})), Error);
  EXPECT_THROW((void)explain(Value::object({{"center", true}, {"derivative", true}})), Error);
}

TEST(Ice, DerivativesAreSlopesPerStep) {
  const Table table(Schema({{.name = "x"}, {.name = "z"}}),
                    {column_of(std::vector<double>{0, 1, 3, NAN}), column_of(std::vector<double>{2, 0, 4, 6})});
  const FunctionModel square(
      {"x", "z"}, [](const auto& v) { return std::vector<double>{std::isnan(v[0]) ? -1 : v[0] * v[0] * v[1]}; });
  Context context(1);
  const Result result = run("ice", square, table, Value::object({{"features", "x"}, {"derivative", true}}), context);
  const auto& curves = result.results.at(0).get<Curves>();
  EXPECT_TRUE(curves.derivative);
  EXPECT_THAT(curves.axis.numbers, ElementsAre(0.5, 2));
  // z (1 − 0) / 1 and z (9 − 1) / 2.
  EXPECT_THAT(curves.values, ElementsAre(ElementsAre(2, 8), ElementsAre(0, 0), ElementsAre(4, 16), ElementsAre(6, 24)));
  EXPECT_TRUE(curves.missing.empty());
  EXPECT_THAT(curves.mean, ElementsAre(3, 12));
  EXPECT_THAT(curves.sd, ElementsAre(DoubleNear(std::sqrt(5.0), 1e-12), DoubleNear(4 * std::sqrt(5.0), 1e-12)));
  EXPECT_THAT(curves.bands[2], ElementsAre(2, 8));
  EXPECT_THAT(curves.own_value, ElementsAre(0, 1, 3, std::nullopt));
}

TEST(Ice, SlopesOfAnAdditiveModelDoNotSpread) {
  const FunctionModel additive({"x", "z"},
                               [](const auto& v) { return std::vector<double>{v[0] * v[0] + 100 * std::sin(v[1])}; });
  std::vector<double> x(3000), z(3000);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<double>(i % 100) / 10;
    z[i] = static_cast<double>((i * 7919) % x.size());
  }
  const Table table(Schema({{.name = "x"}, {.name = "z"}}), {column_of(x), column_of(z)});
  Context context(1);
  const Result result =
      run("ice", additive, table, Value::object({{"features", "x"}, {"derivative", true}, {"curves", 10}}), context);
  const auto& curves = result.results.at(0).get<Curves>();
  for (std::size_t k = 0; k < curves.mean.size(); ++k) {
    EXPECT_NEAR(curves.mean[k], 2 * curves.axis.numbers[k], 1e-9);
    EXPECT_LT(curves.sd[k], 1e-9);
    for (const auto& band : curves.bands) EXPECT_NEAR(band[k], curves.mean[k], 1e-9);
  }
}

TEST(Ice, BandsOfSlopesCountAllRows) {
  // Slopes are z: of both signs and of very different sizes.
  constexpr std::size_t rows = 4001;
  std::vector<double> x(rows), z(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    x[i] = static_cast<double>(i % 3);
    const double rank = static_cast<double>((i * 7919) % rows) - 2000;
    z[i] = rank * rank * rank;
  }
  const Table table(Schema({{.name = "x"}, {.name = "z"}}), {column_of(x), column_of(z)});
  const Curves curves = explain(Value::object({{"features", "x"}, {"derivative", true}, {"curves", 10}}), table);
  EXPECT_NEAR(curves.bands[0][0], -std::pow(1800, 3), 0.01 * std::pow(1800, 3));
  EXPECT_NEAR(curves.bands[1][1], -std::pow(1000, 3), 0.01 * std::pow(1000, 3));
  EXPECT_NEAR(curves.bands[2][1], 0, std::pow(2000, 3) * 1e-6);
  EXPECT_NEAR(curves.bands[4][1], std::pow(1800, 3), 0.01 * std::pow(1800, 3));
}

TEST(Ice, NoSlopesWithoutSteps) {
  const auto colours = std::make_shared<Dictionary>(std::vector<std::string>{"blue", "red"});
  const Table table(Schema({{.name = "x"}, {.name = "z", .type = DType::categorical, .dictionary = colours}}),
                    {column_of(std::vector<double>{3, 3}), column_of(std::vector<std::int32_t>{0, 1}, colours.get())});
  Context context(1);
  const Result result = run("ice", product, table, Value::object({{"derivative", true}}), context);
  EXPECT_TRUE(result.results.empty());
  std::size_t said = 0;
  for (const Caveat& caveat : result.caveats) said += caveat.id == "no-derivative" ? 1 : 0;
  EXPECT_EQ(said, 2U);
}

TEST(Ice, SlopesOverExtremeSteps) {
  const FunctionModel step({"x", "z"}, [](const auto& v) { return std::vector<double>{v[0] > 0 ? 1e10 : 0}; });
  Context context(1);
  for (const double size : {1e-300, 1e308}) {
    const Table table(Schema({{.name = "x"}, {.name = "z"}}),
                      {column_of(std::vector<double>{-size, size}), column_of(std::vector<double>{0, 1})});
    const Result result = run("ice", step, table, Value::object({{"features", "x"}, {"derivative", true}}), context);
    const auto& curves = result.results.at(0).get<Curves>();
    EXPECT_EQ(curves.axis.numbers[0], 0);
    if (size > 1) {
      EXPECT_NEAR(curves.mean[0] * 1e298, 0.5, 1e-6);
      EXPECT_TRUE(std::none_of(result.caveats.begin(), result.caveats.end(), [](auto& c) { return c.id == "steep"; }));
    } else {
      EXPECT_TRUE(std::any_of(result.caveats.begin(), result.caveats.end(), [](auto& c) { return c.id == "steep"; }));
    }
  }
}

TEST(Ice, CurvesArePickedByTheOutputThatVariesMost) {
  constexpr std::size_t rows = 100;
  std::vector<double> x(rows), z(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    x[i] = static_cast<double>(i % 2);
    z[i] = static_cast<double>((i * 37) % rows);
  }
  const Table table(Schema({{.name = "x"}, {.name = "z"}}), {column_of(x), column_of(z)});
  const FunctionModel model({"x", "z"}, [](const auto& v) { return std::vector<double>{0.1 * v[0], v[1], -v[1]}; },
                            {"dull", "up", "down"});
  Context context(1);
  const Result result = run("ice", model, table, Value::object({{"features", "x"}, {"curves", 4}}), context);
  const auto& curves = result.results.at(1).get<Curves>();
  std::vector<double> seen;
  for (const auto& values : curves.values) seen.push_back(values[0]);
  EXPECT_THAT(seen, ::testing::UnorderedElementsAre(12, 37, 62, 87));
  const auto said = std::find_if(result.caveats.begin(), result.caveats.end(),
                                 [](const Caveat& caveat) { return caveat.id == "some-curves"; });
  ASSERT_NE(said, result.caveats.end());
  EXPECT_NE(said->message.plain().find("of up"), std::string::npos);
}

}  // namespace
}  // namespace sightglass
