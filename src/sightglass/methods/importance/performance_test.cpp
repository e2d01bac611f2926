#include "sightglass/methods/importance/performance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "properties/function_model.h"
#include "sightglass/base/error.h"
#include "sightglass/methods/registry.h"

namespace sightglass {
namespace {

using testing::FunctionModel;
using ::testing::HasSubstr;

Table table_of(std::vector<double> x, std::vector<double> y) {
  return Table(Schema({{.name = "x"}, {.name = "y"}}), {column_of(std::move(x)), column_of(std::move(y))});
}

Result measured(const Model& model, const Table& table, Value options = Value::object()) {
  Context context(1);
  options.set("target", "y");
  return run("performance", model, table, options, context);
}

const Figure& figure(const Result& result, std::size_t index) { return std::get<Figure>(result.results.at(index)); }

// Errors 1, −1, 2, 0 around truths 0, 2, 4, 6.
TEST(Performance, OfNumbersByHand) {
  const FunctionModel model({"x"}, [](const auto& x) { return std::vector<double>{x[0]}; });
  const Result result = measured(model, table_of({1, 1, 6, 6}, {0, 2, 4, 6}));
  ASSERT_EQ(result.results.size(), 3U);
  EXPECT_EQ(figure(result, 0).name, "r2");
  EXPECT_DOUBLE_EQ(figure(result, 0).value, 1 - 6.0 / 20);
  EXPECT_EQ(figure(result, 1).name, "rmse");
  EXPECT_DOUBLE_EQ(figure(result, 1).value, std::sqrt(6.0 / 4));
  EXPECT_EQ(figure(result, 2).name, "absolute error");
  EXPECT_DOUBLE_EQ(figure(result, 2).value, 1);
  // |errors| 1, 1, 2, 0 have variance ½; over four rows.
  EXPECT_DOUBLE_EQ(figure(result, 2).se.value(), std::sqrt(0.5 / 4));
  // The median, 3 at the best, is off by 2 on average.
  EXPECT_THAT(figure(result, 2).meaning, HasSubstr("the best constant prediction has 2"));
}

TEST(Performance, OfLossesThatAreAskedFor) {
  const FunctionModel model({"x"}, [](const auto& x) { return std::vector<double>{x[0]}; });
  const Result result =
      measured(model, table_of({1, 1}, {0, 2}), Value::object({{"losses", std::vector<std::string>{"squared"}}}));
  ASSERT_EQ(result.results.size(), 1U);
  EXPECT_DOUBLE_EQ(figure(result, 0).value, 1);
}

TEST(Performance, NeedsATarget) {
  const FunctionModel model({"x"}, [](const auto& x) { return std::vector<double>{x[0]}; });
  Context context(1);
  EXPECT_THROW((void)run("performance", model, table_of({1}, {0}), Value::object(), context), Error);
}

}  // namespace
}  // namespace sightglass
