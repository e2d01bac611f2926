#include "sightglass/plans/explain.h"

#include <gtest/gtest.h>

#include "properties/function_model.h"
#include "properties/random_data.h"
#include "sightglass/base/error.h"
#include "sightglass/result/json.h"

namespace sightglass {
namespace {

using testing::FunctionModel;
using testing::random_table;

const FunctionModel& model() {
  static const FunctionModel model({"a", "b", "c", "d"}, [](const std::vector<double>& x) {
    return std::vector<double>{x[0] * (std::isnan(x[2]) ? 3 : x[2]) + x[3]};
  });
  return model;
}

Result explained(const Table& table, Value options) {
  Context context(1);
  return explain("pdp", model(), table, options, context);
}

// The rows that hold the condition, as a table of their own: the long way to the same numbers.
Result of_rows(const Table& table, const std::vector<std::uint64_t>& rows, const Value& options) {
  return explained(testing::rows_of(table, rows), options);
}

std::vector<double> first_mean(const Result& result) { return std::get<Curve>(result.results.at(0)).mean; }

TEST(Explain, WhereUsesTheRowsThatFulfilTheCondition) {
  const Table table = random_table(1, 200);
  std::vector<std::uint64_t> rows;
  for (std::uint64_t row = 0; row < table.rows(); ++row) {
    if (table.column(3).number(row) > 4 && table.column(2).number(row) == 1) rows.push_back(row);
  }
  const Value plain = Value::object({{"features", "a"}, {"grid", 7}});
  Value where = plain;
  where.set("where", "d > 4 and c = green");
  const Result result = explained(table, where);
  EXPECT_EQ(first_mean(result), first_mean(of_rows(table, rows, plain)));
  EXPECT_EQ(result.data.find("rows")->as_integer(), static_cast<std::int64_t>(rows.size()));
  EXPECT_EQ(result.data.find("rows_available")->as_integer(), 200);
  EXPECT_EQ(to_json(result).find("sampled-rows"), std::string::npos) << "a condition is no sample";
}

TEST(Explain, ByRepeatsItForEachGroup) {
  const Table table = random_table(2, 200);
  const Value plain = Value::object({{"features", "a"}, {"grid", 7}});
  Value by = plain;
  by.set("by", "c").set("where", "d > 2");
  const Result result = explained(table, by);
  ASSERT_EQ(result.results.size(), 4u);
  const std::vector<std::string> names = {"c = blue", "c = green", "c = red", "c is missing"};
  std::size_t total = 0;
  for (std::size_t g = 0; g < names.size(); ++g) {
    std::vector<std::uint64_t> rows;
    for (std::uint64_t row = 0; row < table.rows(); ++row) {
      const double code = table.column(2).number(row);
      const bool here = g == 3 ? std::isnan(code) : code == static_cast<double>(g);
      if (here && table.column(3).number(row) > 2) rows.push_back(row);
    }
    total += rows.size();
    const auto& curve = std::get<Curve>(result.results[g]);
    EXPECT_EQ(curve.group, names[g]);
    EXPECT_EQ(curve.mean, first_mean(of_rows(table, rows, plain)));
  }
  EXPECT_EQ(result.data.find("rows")->as_integer(), static_cast<std::int64_t>(total));
  EXPECT_EQ(result.options.find("by")->as_string(), "c");
}

TEST(Explain, SamplesWithinGroupsAndConditions) {
  const Table table = random_table(3, 300);
  const Result result = explained(
      table, Value::object({{"features", "a"}, {"grid", 3}, {"by", "c"}, {"where", "d < 9"}, {"sample", 20}}));
  EXPECT_EQ(result.data.find("rows")->as_integer(), 80);
  EXPECT_NE(to_json(result).find("sampled-rows"), std::string::npos);
}

TEST(Explain, AGroupWithoutWeightIsLeftOut) {
  const auto letters = std::make_shared<Dictionary>(std::vector<std::string>{"x", "y"});
  const FunctionModel identity({"a"}, [](const std::vector<double>& x) { return std::vector<double>{x[0]}; });
  const Table table(
      Schema({{.name = "a"}, {.name = "g", .type = DType::categorical, .dictionary = letters}, {.name = "w"}}),
      {column_of(std::vector<double>{0, 1, 2, 3}), column_of(std::vector<std::int32_t>{0, 0, 1, 1}, letters.get()),
       column_of(std::vector<double>{1, 2, 0, 0})});
  Context context(1);
  const Result result =
      explain("pdp", identity, table.with_weights(2), Value::object({{"features", "a"}, {"by", "g"}}), context);
  ASSERT_EQ(result.results.size(), 1u);
  EXPECT_EQ(std::get<Curve>(result.results[0]).group, "g = x");
  EXPECT_NE(to_json(result).find("group-left-out"), std::string::npos);
}

TEST(Explain, ComplainsAboutWhatIsNotThere) {
  const Table table = random_table(4, 50);
  const auto kind_of = [&](const Value& options) {
    try {
      (void)explained(table, options);
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  };
  EXPECT_EQ(kind_of(Value::object({{"by", "colour"}})), ErrorKind::usage);
  EXPECT_EQ(kind_of(Value::object({{"where", "colour = red"}})), ErrorKind::usage);
  EXPECT_EQ(kind_of(Value::object({{"where", "d > 1000"}})), ErrorKind::data);
  EXPECT_EQ(kind_of(Value::object({{"where", "d > 1000"}, {"by", "c"}})), ErrorKind::data);
}

}  // namespace
}  // namespace sightglass
