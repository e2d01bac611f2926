#include "sightglass/plans/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "properties/function_model.h"
#include "properties/random_data.h"
#include "sightglass/base/error.h"
#include "sightglass/plans/example_rows_internal.h"
#include "sightglass/plans/report_budget_internal.h"
#include "sightglass/result/json.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using testing::FunctionModel;
using ::testing::HasSubstr;

TEST(ReportBudget, ReadsTimes) {
  EXPECT_EQ(seconds_of("90s"), 90);
  EXPECT_EQ(seconds_of("1.5m"), 90);
  EXPECT_EQ(seconds_of("2h"), 7200);
  EXPECT_EQ(seconds_of("0"), 0);
  for (const char* wrong : {"", "s", "-1s", "5 minutes", "1e400", "nan", "inf"})
    EXPECT_THROW((void)seconds_of(wrong), Error) << wrong;
}

Price price(double per_row, double fixed, int rank) { return {.per_row = per_row, .fixed = fixed, .rank = rank}; }

TEST(ReportBudget, UsesAllRowsWhereTheySuffice) {
  const Fit found = fit({price(10, 0, 0), price(90, 0, 1)}, 1000, 1e-6, 1);
  EXPECT_EQ(found.rows, 1000U);
  EXPECT_THAT(found.keeps, ElementsAre(true, true));
}

TEST(ReportBudget, UsesFewerRowsBeforePartsAreLeftOut) {
  const Fit found = fit({price(10, 0, 0), price(90, 0, 1)}, 100'000, 1e-6, 1);
  EXPECT_EQ(found.rows, 10'000U);
  EXPECT_THAT(found.keeps, ElementsAre(true, true));
  // What is asked for whatever the rows comes off first.
  EXPECT_EQ(fit({price(10, 0, 0), price(90, 500'000, 1)}, 100'000, 1e-6, 1).rows, 5'000U);
}

// 100 predictions of 300 rows at 1 ms take 30 s; the costly part goes, the cheap one that is wanted less stays.
TEST(ReportBudget, LeavesOutWhatIsTooDear) {
  EXPECT_THAT(fit({price(10, 0, 0), price(40, 0, 2), price(50, 0, 3)}, 100'000, 1e-3, 20).keeps,
              ElementsAre(true, true, false));
  const Fit found = fit({price(10, 0, 0), price(40, 0, 2), price(5, 0, 3)}, 100'000, 1e-3, 6);
  EXPECT_THAT(found.keeps, ElementsAre(true, false, true));
  EXPECT_EQ(found.rows, 400U);
  // What is never left out is done, on few rows if need be.
  EXPECT_EQ(fit({price(10, 0, 0)}, 100'000, 1, 1).rows, 20U);
}

TEST(ExampleRows, AreExtremesTheMiddleAndTheWorstErrors) {
  Attributions rows{.total_rows = 5, .rows = {3, 5, 8, 9, 12}, .prediction = {1, 5, 3, 2, 4}};
  const auto truth = [](std::uint64_t row) -> std::optional<double> { return row == 9 ? 12.0 : row == 5 ? 0.0 : 3.0; };
  const auto found = example_rows({&rows}, 10, truth);
  ASSERT_GE(found.size(), 4U);
  EXPECT_EQ(found[0].row, 5U);
  EXPECT_EQ(found[0].why, "highest prediction, most overestimated, in truth 0, 90 % of predictions are lower");
  EXPECT_EQ(found[1].row, 3U);
  EXPECT_EQ(found[2].row, 8U);
  EXPECT_EQ(found[3].row, 9U);
  EXPECT_THAT(found[3].why, HasSubstr("most underestimated, in truth 12"));
  EXPECT_EQ(example_rows({&rows}, 2, truth).size(), 2U);
  EXPECT_TRUE(example_rows({}, 5, {}).empty());
}

TEST(ExampleRows, OfClassesAreTheSurestAndTheLeastSure) {
  const Attributions a{.output = "a", .rows = {0, 1, 2}, .prediction = {0.9, 0.4, 0.2}};
  const Attributions b{.output = "b", .rows = {0, 1, 2}, .prediction = {0.1, 0.6, 0.8}};
  const auto found = example_rows({&a, &b}, 10, {});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].why, "surest of a");
  EXPECT_EQ(found[1].row, 2U);
  EXPECT_EQ(found[2].row, 1U);
  EXPECT_EQ(found[2].why, "least sure of any");
}

std::vector<std::string> methods_of(const std::vector<Result>& results) {
  std::vector<std::string> names;
  for (const Result& result : results) names.push_back(result.method);
  return names;
}

class Reports : public ::testing::Test {
 protected:
  std::vector<Result> made(Value options) {
    Context context(2);
    return report(model_, table_, options, context);
  }
  Table table_ = testing::random_table(4, 200);
  FunctionModel model_{{"a", "b", "d"}, [](const auto& x) {
                         const auto number = [](double value) { return std::isnan(value) ? 0 : value; };
                         return std::vector<double>{number(x[0]) * number(x[2]) + number(x[1])};
                       }};
};

TEST_F(Reports, HaveTheirResultsInReadingOrder) {
  EXPECT_THAT(methods_of(made(Value::object({{"target", "y"}}))),
              ElementsAre("report", "performance", "permutation-importance", "pd-importance", "shap", "shap",
                          "partial-dependence", "ale", "m-plot", "ice", "interactions", "decomposition", "ale",
                          "partial-dependence", "ice"));
  EXPECT_THAT(methods_of(made(Value::object({}))),
              ElementsAre("report", "pd-importance", "shap", "shap", "partial-dependence", "ale", "m-plot", "ice",
                          "interactions", "decomposition", "ale", "partial-dependence", "ice"));
}

TEST_F(Reports, WithoutRowsShowNone) {
  for (const Result& result : made(Value::object({{"no_rows", true}}))) {
    for (const ResultItem& item : result.results) {
      EXPECT_FALSE(std::holds_alternative<Curves>(item)) << result.method;
      EXPECT_FALSE(std::holds_alternative<Attributions>(item)) << result.method;
    }
  }
}

TEST_F(Reports, SayWhatTimeDecided) {
  // So little time that nothing but what must be there is.
  const auto results = made(Value::object({{"budget", "0.000001s"}}));
  const Value& options = results[0].options;
  EXPECT_EQ(options.find("sample")->as_integer(), 20);
  EXPECT_FALSE(options.find("left_out")->as_array().empty());
  EXPECT_THAT(methods_of(results), ElementsAre("report", "ale", "m-plot"));
  for (const Result& result : results) {
    if (result.method != "report") {
      EXPECT_EQ(result.data.find("rows")->as_integer(), 20);
    }
  }
}

// What time decided is recorded, and given as options it makes the same results.
TEST_F(Reports, AreRepeatedByWhatTheyRecord) {
  const auto first = made(Value::object({{"budget", "0.002s"}}));
  const Value& decided = first[0].options;
  ASSERT_FALSE(decided.find("skip")->as_array().empty());
  Value again = Value::object({{"skip", *decided.find("skip")}, {"predictions", *decided.find("predictions")}});
  const std::int64_t sample = decided.find("sample")->as_integer();
  if (sample > 0) {
    again.set("sample", sample);
  } else {
    again.set("budget", "0");
  }
  const auto second = made(again);
  EXPECT_EQ(methods_of(first), methods_of(second));
  for (std::size_t i = 1; i < first.size(); ++i) EXPECT_EQ(to_json(first[i]), to_json(second[i]));
}

// x3 and x4 act only together: their partial dependence is flat, and yet they are found.
TEST_F(Reports, FindPairsThatNoAverageShows) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<ColumnInfo> names;
  std::vector<Column> columns;
  std::vector<std::string> features;
  for (int k = 0; k < 16; ++k) {
    features.push_back("x" + std::to_string(k));
    names.push_back({.name = features.back()});
    std::vector<double> numbers(150);
    for (double& number : numbers) number = normal(random);
    columns.push_back(column_of(std::move(numbers)));
  }
  const FunctionModel model(features, [](const auto& x) {
    double sum = 5 * x[14] * x[15];
    for (std::size_t k = 0; k < 14; ++k) sum += x[k];
    return std::vector<double>{sum};
  });
  Context context(2);
  const auto results = report(model, Table(Schema(names), std::move(columns)), Value::object({{"pairs", 1}}), context);
  for (const Result& result : results) {
    for (const ResultItem& item : result.results) {
      if (const auto* surface = std::get_if<Surface>(&item)) {
        EXPECT_EQ(surface->first.feature + surface->second.feature, "x14x15");
      }
    }
  }
}

TEST_F(Reports, RefuseWhatMakesNoSense) {
  EXPECT_THROW((void)made(Value::object({{"top", -1}})), Error);
  EXPECT_THROW((void)made(Value::object({{"budget", "soon"}})), Error);
  EXPECT_THROW((void)made(Value::object({{"tpo", 1}})), Error);
  EXPECT_THROW((void)made(Value::object({{"skip", "lime"}})), Error);
}

}  // namespace
}  // namespace sightglass
