#include "sightglass/methods/effects/ice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "properties/function_model.h"
#include "sightglass/base/error.h"
#include "sightglass/methods/registry.h"

namespace sightglass {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::FunctionModel;

Table small_table() {
  return Table(Schema({{.name = "x"}, {.name = "z"}}),
               {column_of(std::vector<double>{0, 1, 1, NAN}), column_of(std::vector<double>{2, 0, 4, 6})});
}

const FunctionModel product({"x", "z"},
                            [](const auto& v) { return std::vector<double>{std::isnan(v[0]) ? -1 : v[0] * v[1]}; });

Curves explain(const Value& options, const Table& table = small_table()) {
  Context context(1);
  return std::get<Curves>(run("ice", product, table, options, context).results.at(0));
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
}

}  // namespace
}  // namespace sightglass
