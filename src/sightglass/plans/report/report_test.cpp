#include "sightglass/plans/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "sightglass/base/error.h"
#include "sightglass/plans/method_advice.h"
#include "sightglass/plans/report/example_rows_internal.h"
#include "sightglass/plans/report/report_budget_internal.h"
#include "sightglass/plans/report/report_outputs_internal.h"
#include "sightglass/plans/report/report_parts_internal.h"
#include "sightglass/result/importance_measure.h"
#include "sightglass/result/json.h"
#include "sightglass/result/shapes/examples.h"
#include "sightglass/result/shapes/figure.h"
#include "sightglass/result/shapes/panels.h"
#include "sightglass/result/shapes/rules.h"
#include "support/function_model.h"
#include "support/random_data.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using testing::FunctionModel;
using ::testing::HasSubstr;

using Texts = std::vector<std::string>;

TEST(ReportBudget, ReadsTimes) {
  EXPECT_EQ(seconds_of("90s"), 90);
  EXPECT_EQ(seconds_of("1.5m"), 90);
  EXPECT_EQ(seconds_of("2h"), 7200);
  EXPECT_EQ(seconds_of("0"), 0);
  for (const char* wrong : {"", "s", "-1s", "5 minutes", "1e400", "nan", "inf"})
    EXPECT_THROW((void)seconds_of(wrong), Error) << wrong;
}

Price price(double per_row, double fixed, int rank) { return {.per_row = per_row, .fixed = fixed, .rank = rank}; }

// Prices in predictions, each of which takes so long.
std::vector<Price> at(double seconds_each, std::vector<Price> prices) {
  for (Price& each : prices) each = each.times(seconds_each);
  return prices;
}

TEST(ReportBudget, UsesAllRowsWhereTheySuffice) {
  const Fit found = fit(at(1e-6, {price(10, 0, 0), price(90, 0, 1)}), 1000, fewest_rows, 1);
  EXPECT_EQ(found.rows, 1000U);
  EXPECT_THAT(found.keeps, ElementsAre(true, true));
}

TEST(ReportBudget, UsesFewerRowsBeforePartsAreLeftOut) {
  const Fit found = fit(at(1e-6, {price(10, 0, 0), price(90, 0, 1)}), 100'000, fewest_rows, 1);
  EXPECT_NEAR(static_cast<double>(found.rows), 10'000, 1);
  EXPECT_THAT(found.keeps, ElementsAre(true, true));
  // What is asked for whatever the rows comes off first.
  const Fit less = fit(at(1e-6, {price(10, 0, 0), price(90, 500'000, 1)}), 100'000, fewest_rows, 1);
  EXPECT_NEAR(static_cast<double>(less.rows), 5'000, 1);
  // What asks for no more rows than so many leaves the time to the others.
  Price limited = price(90, 0, 1);
  limited.most_rows = 5000;
  const Fit more = fit(at(1e-6, {price(10, 0, 0), limited}), 100'000, fewest_rows, 1);
  EXPECT_NEAR(static_cast<double>(more.rows), 55'000, 1);
}

// 100 predictions of 300 rows at 1 ms take 30 s; the costly part goes, the cheap one that is wanted less stays.
TEST(ReportBudget, LeavesOutWhatIsTooDear) {
  const auto fitted = [](std::vector<Price> prices, double seconds) {
    return fit(at(1e-3, std::move(prices)), 100'000, fewest_rows, seconds);
  };
  EXPECT_THAT(fitted({price(10, 0, 0), price(40, 0, 2), price(50, 0, 3)}, 20).keeps, ElementsAre(true, true, false));
  const Fit found = fitted({price(10, 0, 0), price(40, 0, 2), price(5, 0, 3)}, 6);
  EXPECT_THAT(found.keeps, ElementsAre(true, false, true));
  EXPECT_NEAR(static_cast<double>(found.rows), 400, 1);
  // At 1 ms, 6 s leave 297 rows for 20.2 predictions each: too few; 7 s leave enough.
  EXPECT_THAT(fitted({price(10, 0, 0), price(10.2, 0, 1)}, 6).keeps, ElementsAre(true, false));
  EXPECT_THAT(fitted({price(10, 0, 0), price(10.2, 0, 1)}, 7).keeps, ElementsAre(true, true));
  // What is wanted most comes first, wherever it stands.
  EXPECT_THAT(fitted({price(40, 0, 3), price(40, 0, 1)}, 15).keeps, ElementsAre(false, true));
  // What needs another part goes with it, and costs nothing then.
  Price follower = price(1, 0, 3);
  follower.needs = 1;
  EXPECT_THAT(fitted({price(10, 0, 0), price(40, 0, 2), follower}, 6).keeps, ElementsAre(true, false, false));
  // What is never left out is done, on few rows if need be.
  EXPECT_EQ(fit({price(10, 0, 0)}, 100'000, fewest_rows, 1).rows, 20U);
  // Rows that were asked for are not made fewer: what does not fit with all of them goes.
  EXPECT_THAT(fit(at(1e-3, {price(10, 0, 0), price(40, 0, 2)}), 1000, 1000, 20).keeps, ElementsAre(true, false));
}

TEST(ReportBudget, LearnsPricesFromTrials) {
  // 0.64 s of 1.5 s go with the rows.
  const Price once = timed(price(0.01, 0.1, 3), {.rows = 64, .seconds = 1.5});
  EXPECT_DOUBLE_EQ(once.of(64), 1.5);
  EXPECT_DOUBLE_EQ(once.of(164), 2.5);
  EXPECT_EQ(once.rank, 3);
  // Quicker than it was said to be.
  EXPECT_DOUBLE_EQ(timed(price(0.01, 0.1, 3), {.rows = 100, .seconds = 0.1}).of(1000), 1);
  const Price twice = timed(once, {.rows = 100, .seconds = 1}, {.rows = 400, .seconds = 5});
  EXPECT_DOUBLE_EQ(twice.of(400), 5);
  EXPECT_DOUBLE_EQ(twice.of(800), 10);  // but for the noise of the clock: 0.25 s
  // What grows faster than the rows goes on as it grew last, and costs nothing without rows.
  EXPECT_DOUBLE_EQ(timed(once, {.rows = 100, .seconds = 1}, {.rows = 400, .seconds = 20}).of(700), 38);
  EXPECT_DOUBLE_EQ(timed(once, {.rows = 100, .seconds = 1}, {.rows = 400, .seconds = 20}).of(1), 0);
  // A clock that is disturbed: more rows never cost less, and a little more is no slope.
  EXPECT_DOUBLE_EQ(timed(once, {.rows = 100, .seconds = 2}, {.rows = 400, .seconds = 1}).of(10'000), 1);
  EXPECT_DOUBLE_EQ(timed(once, {.rows = 100, .seconds = 2}, {.rows = 400, .seconds = 2.1}).of(10'000), 2.1);
  Price limited = once;
  limited.most_rows = 300;
  EXPECT_DOUBLE_EQ(timed(limited, {.rows = 100, .seconds = 2}, {.rows = 400, .seconds = 4}).of(10'000), 4);
  EXPECT_DOUBLE_EQ(timed(limited, {.rows = 400, .seconds = 4}, {.rows = 800, .seconds = 5}).of(10'000), 5);
  EXPECT_DOUBLE_EQ(timed(price(0, 0, 1), {.rows = 64, .seconds = 3}).of(1000), 3);
}

// Of one output: a number, or a class.
RowPredictions predicted(std::vector<std::uint64_t> rows, std::vector<double> values, bool classes = false) {
  const std::size_t count = rows.size();
  return {.outputs = {"yes"},
          .classes = classes,
          .rows = std::move(rows),
          .values = std::move(values),
          .total_rows = count};
}

// One after the other: what is worth reading first.
TEST(ExampleRows, AreTheWorstErrorsTheExtremesAndATypicalOne) {
  const RowPredictions rows = predicted({3, 5, 8, 9, 12}, {1, 5, 3, 2, 4});
  const auto truth = [](std::uint64_t row) -> std::optional<double> { return row == 9 ? 12.0 : row == 5 ? 0.0 : 3.0; };
  const auto found = example_rows(rows, 10, {.truth = truth});
  ASSERT_EQ(found.size(), 5U);
  EXPECT_EQ(found[0].row, 5U);
  EXPECT_EQ(found[0].why, "most overestimated, highest prediction");
  EXPECT_EQ(found[0].truth.as_number(), 0);
  EXPECT_EQ(found[1].row, 12U);
  EXPECT_EQ(found[1].why, "2nd most overestimated");
  EXPECT_EQ(found[2].row, 9U);
  EXPECT_EQ(found[2].why, "most underestimated");
  EXPECT_EQ(found[2].truth.as_number(), 12);
  EXPECT_EQ(found[3].row, 3U);
  EXPECT_EQ(found[3].why, "2nd most underestimated, lowest prediction");
  EXPECT_EQ(found[4].row, 8U);
  EXPECT_EQ(found[4].why, "typical (the median prediction)");
  EXPECT_EQ(example_rows(rows, 2, {.truth = truth}).size(), 2U);
  EXPECT_TRUE(example_rows({}, 5, {}).empty());
}

// Which of how many, where not all rows are looked at.
TEST(ExampleRows, SayAmongHowManyTheyAre) {
  RowPredictions rows = predicted({3, 5, 8}, {1, 5, 3});
  rows.total_rows = 100;
  const auto found = example_rows(rows, 10, {});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].why, "highest prediction of 3 rows");
  EXPECT_TRUE(found[0].truth.is_null());
}

TEST(ExampleRows, TakeTheirPartOfAllThatIsKnown) {
  Attributions all{.output = "prediction", .rows = {3, 5, 8}, .prediction = {1, 2, 3}};
  all.features = {{.feature = "a"}, {.feature = "b"}};
  all.values = {1, 2, 3, 4, 5, 6};
  all.se = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
  all.data = {10, 20, 30, 40, 50, 60};
  all.interactions = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  Result result;
  result.results = {all, Importance{}};
  const auto found = examples_of(result, {{8, "highest", 2.5}, {3, "lowest", Value()}});
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->results.size(), 1U);
  const auto& some = found->results[0].get<Attributions>();
  EXPECT_THAT(some.rows, ElementsAre(3, 8));
  EXPECT_THAT(some.prediction, ElementsAre(1, 3));
  EXPECT_THAT(some.values, ElementsAre(1, 2, 5, 6));
  EXPECT_THAT(some.se, ElementsAre(0.1, 0.2, 0.5, 0.6));
  EXPECT_THAT(some.data, ElementsAre(10, 20, 50, 60));
  EXPECT_THAT(some.interactions, ElementsAre(1, 2, 3, 4, 9, 10, 11, 12));
  EXPECT_EQ(to_json(*some.details.find("why")), R"(["lowest","highest"])");
  EXPECT_EQ(to_json(*some.details.find("place")), "[1,0]");
  EXPECT_EQ(to_json(*some.details.find("truth")), "[null,2.5]");
  EXPECT_EQ(to_json(*found->options.find("rows")), "[8,3]");
  EXPECT_FALSE(examples_of(result, {}).has_value());
  // Of rows that were not drawn nothing is known yet.
  EXPECT_FALSE(examples_of(result, {{8, "highest"}, {4, "lowest"}}).has_value());
}

// Of rows 0, 1, …
RowPredictions of_classes(std::vector<std::string> classes, std::vector<double> values) {
  RowPredictions rows{.outputs = std::move(classes), .classes = true, .values = std::move(values)};
  rows.total_rows = rows.values.size() / rows.outputs.size();
  for (std::uint64_t row = 0; row < rows.total_rows; ++row) rows.rows.push_back(row);
  return rows;
}

TEST(ExampleRows, OfClassesAreTheSurestAndTheLeastSure) {
  const RowPredictions rows = of_classes({"a", "b"}, {0.9, 0.1, 0.4, 0.6, 0.2, 0.8});
  const auto found = example_rows(rows, 10, {});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].row, 1U);
  EXPECT_EQ(found[0].why, "closest call");
  EXPECT_EQ(found[1].row, 0U);
  EXPECT_EQ(found[1].why, "clearest a");
  EXPECT_EQ(found[2].row, 2U);
  EXPECT_EQ(found[2].why, "clearest b, typical (half of the rows are clearer)");
  // The second row is b by a little, the third by much: both are a in truth.
  const auto wrong = example_rows(
      rows, 10, {.truth = [](std::uint64_t) { return std::optional(0.0); }, .classes = 2, .class_names = {"a", "b"}});
  EXPECT_EQ(wrong[0].row, 2U);
  EXPECT_EQ(wrong[0].why, "most clearly wrong, clearest b, typical (half of the rows are clearer)");
  EXPECT_EQ(wrong[0].truth.as_string(), "a");
  EXPECT_EQ(wrong[1].why, "2nd most clearly wrong, closest call");
  const auto right = example_rows(
      rows, 10, {.truth = [](std::uint64_t row) { return std::optional(row > 0 ? 1.0 : 0.0); }, .classes = 2});
  EXPECT_EQ(right[0].why, "closest call");
}

// The second row is sure to be of the hidden class, and between the shown ones a tie.
TEST(ExampleRows, AreOfClassesThatAreShown) {
  const RowPredictions rows = of_classes({"a", "b", "c"}, {0.9, 0.1, 0.0, 0.0, 0.0, 1.0, 0.2, 0.8, 0.0, 0.5, 0.1, 0.4});
  const auto found = example_rows(rows, 10, {}, {"c"});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].row, 3U);
  EXPECT_EQ(found[0].why, "closest call");  // the hidden class is next
  EXPECT_EQ(found[2].row, 2U);
  const auto told = example_rows(
      rows, 10,
      {.truth = [](std::uint64_t) { return std::optional(2.0); }, .classes = 3, .class_names = {"a", "b", "c"}}, {"c"});
  EXPECT_EQ(told[0].why, "most clearly wrong, clearest a");
  EXPECT_EQ(told[0].truth.as_string(), "c");
  EXPECT_TRUE(example_rows(rows, 10, {}, {"a", "b", "c"}).empty());
}

TEST(ExampleRows, OfClassesHaveAWeight) {
  const RowPredictions rows = of_classes({"a", "b"}, {0.9, 0.1, 0.7, 0.3, 0.2, 0.8, 0.5, 0.5});
  const auto found = example_rows(rows, 10, {.weight = [](std::uint64_t row) { return row % 3 == 0 ? 0.0 : 1.0; }});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].row, 1U);
  EXPECT_EQ(found[0].why, "closest call, clearest a, typical (half of the rows are clearer)");
  EXPECT_EQ(found[1].row, 2U);
  EXPECT_TRUE(example_rows(rows, 10, {.weight = [](std::uint64_t) { return 0.0; }}).empty());
}

TEST(ExampleRows, OfOneClassAreThoseThatAreFarthestFromTheTruth) {
  const auto found = example_rows(predicted({0, 1, 2, 3}, {0.9, 0.4, 0.2, 0.6}, true), 10,
                                  {.truth = [](std::uint64_t row) { return std::optional(row >= 2 ? 1.0 : 0.0); },
                                   .classes = 2,
                                   .class_names = {"no", "yes"}});
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].row, 0U);
  EXPECT_EQ(found[0].why, "highest prediction where the truth is no, highest prediction");
  EXPECT_EQ(found[0].truth.as_string(), "no");
  EXPECT_EQ(found[2].row, 2U);
  EXPECT_THAT(found[2].why, HasSubstr("lowest prediction where the truth is yes"));
  EXPECT_THAT(found[1].why, HasSubstr("closest to 50 %"));
}

// A prediction that is no number is compared with nothing.
TEST(ExampleRows, HavePredictionsThatAreNumbers) {
  const auto found = example_rows(predicted({0, 1, 2}, {NAN, 1, 2}), 10, {});
  for (const ExampleRow& example : found) EXPECT_NE(example.row, 0U);
  EXPECT_TRUE(example_rows(predicted({0}, {NAN}), 10, {}).empty());
}

// A weight of 3 is the row three times, and one of 0 no row.
TEST(ExampleRows, CountByWeight) {
  RowPredictions weighted = predicted({}, {}), repeated = predicted({}, {});
  const std::vector<double> weights = {3, 1, 1, 0, 2, 1};
  for (std::uint64_t i = 0; i < weights.size(); ++i) {
    const auto height = static_cast<double>((5 * i) % 6);
    weighted.rows.push_back(i);
    weighted.values.push_back(height);
    for (double copy = 0; copy < weights[i]; ++copy) {
      repeated.rows.push_back(100 * i + static_cast<std::uint64_t>(copy));
      repeated.values.push_back(height);
    }
  }
  std::map<std::uint64_t, std::set<std::string>> by_weight, by_rows;
  const auto add = [](std::map<std::uint64_t, std::set<std::string>>& to, std::uint64_t row, const std::string& why) {
    std::stringstream words(why);
    for (std::string each; std::getline(words, each, ',');) to[row].insert(each.substr(each.find_first_not_of(' ')));
  };
  for (const auto& example : example_rows(weighted, 20, {.weight = [&](std::uint64_t row) { return weights[row]; }}))
    add(by_weight, example.row, example.why);
  repeated.total_rows = repeated.rows.size();
  weighted.total_rows = weighted.rows.size();
  for (const auto& example : example_rows(repeated, 20, {})) add(by_rows, example.row / 100, example.why);
  EXPECT_EQ(by_weight, by_rows);
}

std::vector<std::string> methods_of(const std::vector<Result>& results) {
  std::vector<std::string> names;
  for (const Result& result : results) names.push_back(result.method);
  return names;
}

Texts left_out_of(const std::vector<Result>& results) {
  Texts list;
  for (const Value& each : results[0].options.find("left_out")->as_array()) list.push_back(each.as_string());
  return list;
}

class Reports : public ::testing::Test {
 protected:
  std::vector<Result> made(Value options) {
    Context context(2);
    // A prediction takes a microsecond, nothing else any time: what fits into a time is the same on every machine.
    context.clock = [&] { return 1e-6 * static_cast<double>(predicted_); };
    return report(model_, table_, options, context);
  }
  std::atomic<std::uint64_t> predicted_ = 0;
  Table table_ = testing::random_table(4, 200);
  FunctionModel model_{{"a", "b", "d"}, [this](const auto& x) {
                         ++predicted_;
                         const auto number = [](double value) { return std::isnan(value) ? 0 : value; };
                         return std::vector<double>{number(x[0]) * number(x[2]) + number(x[1])};
                       }};
};

TEST_F(Reports, HaveTheirResultsInReadingOrder) {
  EXPECT_THAT(methods_of(made(Value::object({{"target", "y"}}))),
              ElementsAre("report", "performance", "permutation-importance", "residuals", "error-regions",
                          "pd-importance", "shap", "shap", "partial-dependence", "ale", "m-plot", "ice",
                          "regional-effects", "interactions", "decomposition", "ale", "partial-dependence", "surrogate",
                          "prototypes", "shap", "what-if", "anchors", "neighbors"));
  EXPECT_THAT(methods_of(made(Value::object({}))),
              ElementsAre("report", "pd-importance", "shap", "shap", "partial-dependence", "ale", "m-plot", "ice",
                          "regional-effects", "interactions", "decomposition", "ale", "partial-dependence", "surrogate",
                          "prototypes", "shap", "what-if", "anchors", "neighbors"));
}

TEST_F(Reports, ExplainTheRowsThatStandForOthersOneByOne) {
  const std::vector<Result> results = made(Value::object({{"target", "y"}}));
  std::set<std::uint64_t> chosen, explained, changed, held, compared;
  for (const Result& result : results) {
    for (const Examples* examples : items_of<Examples>(result)) {
      if (examples->of_row) compared.insert(*examples->of_row);
      for (const Example& example : examples->rows) {
        if (!examples->of_row) chosen.insert(example.row);
      }
    }
    for (const Rules* rules : items_of<Rules>(result)) {
      if (rules->row) held.insert(*rules->row);
    }
  }
  ASSERT_GT(chosen.size(), 10U);
  ASSERT_EQ(results[results.size() - 3].method, "what-if");
  for (const Attributions* values : items_of<Attributions>(results[results.size() - 4]))
    explained.insert(values->rows.begin(), values->rows.end());
  for (const Curves* curves : items_of<Curves>(results[results.size() - 3]))
    changed.insert(curves->rows.begin(), curves->rows.end());
  EXPECT_EQ(explained, chosen);
  EXPECT_TRUE(std::includes(changed.begin(), changed.end(), chosen.begin(), chosen.end()));
  EXPECT_EQ(held, changed);
  EXPECT_EQ(compared, changed);
  // Their ranking would be one of some odd rows.
  EXPECT_TRUE(items_of<Importance>(results[results.size() - 4]).empty());
}

// The row that is most wrong may not be among those of which Shapley values are drawn.
TEST_F(Reports, SeekTheWorstErrorsAmongAllRows) {
  const Table table = testing::random_table(4, 2000);
  Context context(2);
  const auto results =
      report(model_, table, Value::object({{"target", "y"}, {"budget", "0"}, {"examples", 5}}), context);
  const auto predictions = [&](std::uint64_t row) {
    const auto number = [&](const char* name) {
      const double value = table.column(*table.schema().find(name)).number(row);
      return std::isnan(value) ? 0 : value;
    };
    return number("a") * number("d") + number("b");
  };
  std::uint64_t worst = 0;
  double most = -INFINITY;
  for (std::uint64_t row = 0; row < table.rows(); ++row) {
    const double error = predictions(row) - table.column(*table.schema().find("y")).number(row);
    if (error > most) {
      most = error;
      worst = row;
    }
  }
  const Attributions* examples = nullptr;
  for (const Result& result : results) {
    for (const Attributions* rows : items_of<Attributions>(result)) {
      if (rows->details.find("place") != nullptr) examples = rows;
    }
  }
  ASSERT_NE(examples, nullptr);
  EXPECT_EQ(examples->rows.size(), 5U);
  const auto& places = examples->details.find("place")->as_array();
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].as_integer() != 0) continue;
    EXPECT_EQ(examples->rows[i], worst);
    EXPECT_NEAR(examples->prediction[i] - examples->details.find("truth")->as_array()[i].as_number(), most, 1e-9);
  }
}

TEST_F(Reports, WithoutRowsShowNone) {
  for (const Result& result : made(Value::object({{"no_rows", true}}))) {
    for (const ResultItem& item : result.results) {
      EXPECT_FALSE(item.is<Curves>()) << result.method;
      EXPECT_FALSE(item.is<Attributions>()) << result.method;
      EXPECT_FALSE(item.is<Examples>()) << result.method;
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

// Rows that were asked for are used; the time then decides on the rest.
TEST_F(Reports, KeepToTheTimeWithRowsThatWereAskedFor) {
  const auto results = made(Value::object({{"budget", "0.000001s"}, {"sample", 50}}));
  EXPECT_EQ(to_json(*results[0].options.find("decided_by_time")), R"(["predictions","skip"])");
  EXPECT_THAT(methods_of(results), ElementsAre("report", "ale", "m-plot"));
  EXPECT_EQ(results[1].data.find("rows")->as_integer(), 50);
}

// What time decided is recorded, and given as options it makes the same results.
TEST_F(Reports, AreRepeatedByWhatTheyRecord) {
  const auto first = made(Value::object({{"budget", "0.002s"}}));
  const Value& decided = first[0].options;
  ASSERT_FALSE(decided.find("skip")->as_array().empty());
  const auto second = made(Value::object({{"skip", *decided.find("skip")},
                                          {"predictions", *decided.find("predictions")},
                                          {"sample", *decided.find("sample")},
                                          {"budget", "0"}}));
  EXPECT_EQ(methods_of(first), methods_of(second));
  for (std::size_t i = 1; i < first.size(); ++i) EXPECT_EQ(to_json(first[i]), to_json(second[i]));
}

// Nothing depends on the clock unless the time decides, and then the options say what.
TEST_F(Reports, AreTheSameWhereTimeDecidesNothing) {
  const auto first = made(Value::object({})), second = made(Value::object({}));
  EXPECT_EQ(to_json(*first[0].options.find("decided_by_time")), "[]");
  EXPECT_EQ(to_json(first[0]), to_json(second[0]));
  const auto short_of_time = made(Value::object({{"budget", "0.000001s"}}));
  EXPECT_EQ(to_json(*short_of_time[0].options.find("decided_by_time")), R"(["predictions","skip","sample"])");
}

TEST_F(Reports, NameWhatGoesWithAPartThatIsLeftOut) {
  EXPECT_THAT(
      left_out_of(made(Value::object({{"skip", "interactions"}}))),
      ElementsAre("interactions: as was asked for", "pairs by accumulated local effects: not without interactions",
                  "pairs by partial dependence: not without interactions"));
  EXPECT_THAT(left_out_of(made(Value::object({{"skip", Texts{"shap", "partial-dependence"}}}))),
              ElementsAre("Shapley values: as was asked for",
                          "Shapley values of the rows worth reading: not without Shapley values",
                          "partial dependence: as was asked for",
                          "effects in regions of the data: not without partial dependence",
                          "Shapley values of prototypes and criticisms: not without Shapley values",
                          "what if a row were different: not without Shapley values",
                          "rules that hold the predictions of rows: not without Shapley values",
                          "the most similar rows: not without Shapley values"));
  // Nobody needs to be told twice.
  EXPECT_THAT(left_out_of(made(Value::object({{"skip", Texts{"shap", "what-if"}}}))),
              ElementsAre("Shapley values: as was asked for",
                          "Shapley values of the rows worth reading: not without Shapley values",
                          "Shapley values of prototypes and criticisms: not without Shapley values",
                          "what if a row were different: as was asked for",
                          "rules that hold the predictions of rows: not without Shapley values",
                          "the most similar rows: not without Shapley values"));
}

TEST_F(Reports, AskedForAndTooDearIsOneReasonNotTwo) {
  const auto results = made(Value::object({{"budget", "0.000001s"}, {"skip", Texts{"shap", "interactions"}}}));
  const Texts left_out = left_out_of(results);
  EXPECT_THAT(left_out, ::testing::Contains("Shapley values: as was asked for"));
  EXPECT_THAT(left_out, ::testing::Contains("pairs by partial dependence: not without interactions"));
  std::multiset<std::string> skipped;
  for (const Value& part : results[0].options.find("skip")->as_array()) skipped.insert(part.as_string());
  EXPECT_EQ(skipped.count("shap"), 1U);
  EXPECT_EQ(skipped.count("pd-pairs"), 0U);
}

// 20 µs for a row and 0.4 seconds: partial dependence takes most of it, without it there is time for Shapley values.
TEST_F(Reports, WhatIsSkippedLeavesTimeForTheRest) {
  double now = 0;
  const FunctionModel slow({"a", "b", "d"}, [&](const auto& x) {
    now += 20e-6;
    return std::vector<double>{std::isnan(x[0]) ? 0 : x[0]};
  });
  Context context(1);
  context.clock = [&] { return now; };
  const auto methods = [&](const Value& skip) {
    return methods_of(report(slow, table_, Value::object({{"budget", "0.4s"}, {"skip", skip}}), context));
  };
  EXPECT_THAT(methods(Value::array()), ::testing::Not(::testing::Contains("shap")));
  EXPECT_THAT(methods(Value("partial-dependence")), ::testing::Contains("shap"));
}

// A model that takes a millisecond for a row, and more work than there is time for.
TEST_F(Reports, TakeTheTimeThatTheyAreGiven) {
  const Table many = testing::random_table(4, 20'000);
  // Twice as slow once it is being made: other programs are at work.
  for (const double later : {1.0, 2.0}) {
    for (const double budget : {20.0, 60.0, 240.0}) {
      double now = 0;
      const FunctionModel slow({"a", "b", "d"}, [&](const auto& x) {
        now += now < budget / 5 ? 1e-3 : later * 1e-3;
        return std::vector<double>{(std::isnan(x[0]) ? 0 : x[0]) * (std::isnan(x[2]) ? 0 : x[2])};
      });
      Context context(1);
      context.clock = [&] { return now; };
      const auto results =
          report(slow, many, Value::object({{"target", "y"}, {"budget", std::to_string(budget) + "s"}}), context);
      // With three features much is asked only once.
      EXPECT_GT(now, 0.7 * budget) << later;
      EXPECT_LT(now, 1.2 * budget) << later;
      EXPECT_THAT(to_json(*results[0].options.find("decided_by_time")), HasSubstr("sample"));
    }
  }
}

// All is as quick as when it was tried, but for one part, which takes a hundred times as long: it is stopped, and those
// that are wanted more are there.
TEST_F(Reports, StopAPartThatTakesTooLong) {
  const Table many = testing::random_table(4, 5'000);
  double now = 0, each = 1e-6;
  const FunctionModel model({"a", "b", "d"}, [&](const auto& x) {
    now += each;
    return std::vector<double>{(std::isnan(x[0]) ? 0 : x[0]) * (std::isnan(x[2]) ? 0 : x[2])};
  });
  Context context(1);
  context.clock = [&] { return now; };
  context.on_progress = [&](const Progress& progress) {
    each = progress.task.ends_with(" curves of single rows") ? 1e-4 : 1e-6;
  };
  const auto made = [&](const char* budget) {
    now = 0;
    return report(model, many, Value::object({{"target", "y"}, {"budget", budget}}), context);
  };
  const auto results = made("20s");
  EXPECT_LT(now, 1.2 * 20);
  EXPECT_THAT(left_out_of(results), ElementsAre("curves of single rows: the time did not suffice"));
  EXPECT_THAT(to_json(*results[0].options.find("decided_by_time")), HasSubstr("skip"));
  EXPECT_THAT(methods_of(results), ::testing::Not(::testing::Contains("ice")));
  EXPECT_THAT(methods_of(made("0")), ::testing::Contains("ice"));
}

// What must be there is made of fewer rows, and both are said, and give the same numbers again.
TEST_F(Reports, MakeWhatMustBeThereOfFewerRows) {
  const Table many = testing::random_table(4, 5'000);
  double now = 0, each = 1e-6;
  const FunctionModel model({"a", "b", "d"}, [&](const auto& x) {
    now += each;
    return std::vector<double>{(std::isnan(x[0]) ? 0 : x[0]) * (std::isnan(x[2]) ? 0 : x[2])};
  });
  Context context(1);
  context.clock = [&] { return now; };
  context.on_progress = [&](const Progress& progress) {
    each = progress.task.ends_with(" permutation importance") ? 2e-3 : 1e-6;
  };
  const auto results = report(model, many, Value::object({{"target", "y"}, {"budget", "60s"}}), context);
  EXPECT_LT(now, 1.2 * 60);
  const Value& options = results[0].options;
  EXPECT_EQ(to_json(*options.find("part_rows")), R"(["permutation-importance=78"])");
  EXPECT_THAT(to_json(*options.find("decided_by_time")), HasSubstr("part_rows"));
  EXPECT_THAT(left_out_of(results),
              ::testing::Contains("permutation importance: rows beyond 78, the time did not suffice"));
  ASSERT_EQ(results[2].method, "permutation-importance");
  EXPECT_EQ(results[2].data.find("rows")->as_integer(), 78);
  EXPECT_EQ(results[0].data.find("rows")->as_integer(), 5'000);
  const auto again =
      report(model, many, Value(repetition(options).instead).set("target", "y").set("budget", "0"), context);
  EXPECT_EQ(methods_of(again), methods_of(results));
  for (std::size_t i = 1; i < results.size(); ++i) EXPECT_EQ(to_json(results[i]), to_json(again[i]));
}

std::map<std::string, double> scores_of(const Result& result) {
  std::map<std::string, double> scores;
  for (const Figure* figure : items_of<Figure>(result)) scores[figure->name] = figure->value;
  return scores;
}

// A score is that of all rows wherever that takes little of the time, to the last digit.
TEST_F(Reports, ScoreAllRows) {
  const Table many = testing::random_table(4, 20'000);
  const auto scores = [&](double each, const Value& sample) {
    double now = 0;
    const FunctionModel model({"a", "b", "d"}, [&](const auto& x) {
      now += each;
      return std::vector<double>{(std::isnan(x[0]) ? 0 : x[0]) * (std::isnan(x[2]) ? 0 : x[2])};
    });
    Context context(1);
    context.clock = [&] { return now; };
    auto results =
        report(model, many, Value::object({{"target", "y"}, {"budget", "60s"}, {"sample", sample}}), context);
    EXPECT_EQ(results.at(1).method, "performance");
    EXPECT_LT(now, 1.2 * 60) << each;
    const Result own =
        run("performance", model, many,
            Value::object({{"target", "y"}, {"sample", results[1].options.find("sample")->as_integer()}}), context);
    EXPECT_EQ(scores_of(results[1]), scores_of(own));
    return std::pair(std::move(results[0]), std::move(results[1]));
  };
  // 8 s of 60, and 20 s, in place of which it has the rows of the others.
  const auto [summary, performance] = scores(4e-4, 0);
  EXPECT_EQ(performance.data.find("rows")->as_integer(), 20'000);
  EXPECT_LT(summary.data.find("rows")->as_integer(), 20'000);
  EXPECT_EQ(to_json(*summary.options.find("part_rows")), R"(["performance=0"])");
  const auto [slow_summary, slow] = scores(1e-3, 0);
  EXPECT_EQ(*slow.data.find("rows"), *slow_summary.data.find("rows"));
  EXPECT_EQ(to_json(*slow_summary.options.find("part_rows")), "[]");
  // Rows that were asked for are used, unless it is told otherwise.
  EXPECT_EQ(scores(4e-4, 500).second.data.find("rows")->as_integer(), 500);
}

TEST_F(Reports, OfTwoModelsTakeTheTimeThatTheyAreGiven) {
  const Table many = testing::random_table(4, 20'000);
  for (const double budget : {20.0, 60.0, 240.0}) {
    double now = 0;
    const auto slow = [&](double factor) {
      return FunctionModel({"a", "b", "d"}, [&now, factor](const auto& x) {
        now += 1e-3;
        return std::vector<double>{factor * (std::isnan(x[0]) ? 0 : x[0]) * (std::isnan(x[2]) ? 0 : x[2])};
      });
    };
    const FunctionModel first = slow(1);
    const auto second = std::make_shared<FunctionModel>(slow(2));
    Context context(1);
    context.clock = [&] { return now; };
    const auto results =
        report(first, many,
               Value::object({{"target", "y"}, {"budget", std::to_string(budget) + "s"}, {"other_model", "second"}}),
               context, {}, {second, "second"});
    EXPECT_GT(now, 0.7 * budget);
    EXPECT_LT(now, 1.2 * budget);
    EXPECT_EQ(to_json(*results[0].options.find("decided_by_time")), R"(["sample"])");
    EXPECT_EQ(results[0].data.find("rows")->as_integer(), results[0].options.find("sample")->as_integer());
  }
}

// Data that were long to read leave less.
TEST_F(Reports, CountTheTimeThatIsOver) {
  const auto rows = [&](double spent) {
    double now = 0;
    const FunctionModel slow({"a", "b", "d"}, [&](const auto& x) {
      now += 1e-3;
      return std::vector<double>{std::isnan(x[0]) ? 0 : x[0]};
    });
    Context context(1);
    context.clock = [&] { return now; };
    const Table many = testing::random_table(4, 20'000);
    const auto results =
        report(slow, many, Value::object({{"target", "y"}, {"budget", "60s"}}), context, {}, {}, spent);
    return std::pair(results[0].options.find("sample")->as_integer(), now);
  };
  EXPECT_LT(rows(40).second, 30);
  EXPECT_GT(rows(0).second, 48);
}

// Trials on few rows find out what predictions do not tell: here the clock stands still while the model predicts.
TEST_F(Reports, TryWhatTheirPartsTake) {
  double now = 0;
  std::uint64_t tried = 0;
  Context context(1);
  context.clock = [&] { return now += 1e-5; };
  context.on_progress = [&](const Progress& progress) { tried += progress.task == "finding out how long it takes"; };
  const Table many = testing::random_table(4, 2'000);
  const auto results = report(model_, many, Value::object({{"target", "y"}, {"budget", "10m"}}), context);
  EXPECT_GT(tried, 0U);
  EXPECT_EQ(to_json(*results[0].options.find("decided_by_time")), "[]");
  const auto unlimited = report(model_, many, Value::object({{"target", "y"}, {"budget", "0"}}), context);
  EXPECT_EQ(methods_of(results), methods_of(unlimited));
  for (std::size_t i = 1; i < results.size(); ++i) EXPECT_EQ(to_json(results[i]), to_json(unlimited[i]));
}

TEST_F(Reports, CompareGroups) {
  const auto results = made(Value::object({{"target", "y"}, {"by", "b"}, {"sample", 80}}));
  std::map<std::string, std::set<std::string>> groups;
  std::map<std::string, std::int64_t> rows;
  for (const Result& result : results) {
    const Value* by = result.options.find("by");
    if (result.method == "report" || by == nullptr || by->as_string().empty()) continue;
    EXPECT_EQ(by->as_string(), "b");
    rows[result.method] = result.data.find("rows")->as_integer();
    for (const ResultItem& item : result.results) groups[result.method].insert(item.group());
  }
  EXPECT_EQ(groups.size(), 3U);
  for (const char* method : {"performance", "permutation-importance", "ale"}) {
    EXPECT_GT(groups[method].size(), 1U) << method;
    EXPECT_FALSE(groups[method].contains("")) << method;
    // Of all groups together about as many rows as everything else looks at.
    EXPECT_GE(rows[method], 60) << method;
    EXPECT_LE(rows[method], 100) << method;
  }
  const auto message = [&](Value options) -> std::string {
    try {
      (void)made(std::move(options));
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(message(Value::object({{"by", "bee"}})), HasSubstr("the data have no column bee"));
  EXPECT_THAT(methods_of(made(Value::object({{"target", "y"}, {"by", "b"}, {"skip", Texts{"performance-by"}}}))),
              ::testing::Contains("permutation-importance").Times(2));
}

TEST_F(Reports, CountOnlyThePartsThatTheyHave) {
  Context context(2);
  std::set<std::string> ends;
  std::uint64_t furthest = 0;
  context.on_progress = [&](const Progress& progress) {
    const auto slash = progress.task.find('/');
    if (slash == std::string_view::npos) return;  // the model's speed is being measured
    ends.emplace(progress.task.substr(slash + 1, progress.task.find(' ') - slash - 1));
    furthest = std::max(furthest, progress.done);
  };
  const Texts skip = {"pd-importance", "shap",          "partial-dependence", "ice",
                      "interactions",  "decomposition", "surrogates",         "prototypes"};
  (void)report(model_, table_, Value::object({{"skip", skip}}), context);
  EXPECT_THAT(ends, ElementsAre("2"));  // ALE and M-plots
  EXPECT_GT(furthest, 900'000U);
}

TEST_F(Reports, SayLimitsOnlyOfWhatIsThere) {
  std::vector<ColumnInfo> names;
  std::vector<Column> columns;
  Texts features;
  for (int k = 0; k < 24; ++k) {
    features.push_back("x" + std::to_string(k));
    names.push_back({.name = features.back()});
    columns.push_back(column_of(std::vector<double>{1, 2, 3.0 + k}));
  }
  const FunctionModel sum(features, [](const auto& x) { return std::vector<double>{x[0] + x[1]}; });
  const Table table(Schema(names), std::move(columns));
  const auto told = [&](const Texts& skip) {
    Context context(1);
    Texts dear = {"pd-importance", "shap", "partial-dependence", "ice", "regional-effects"};
    dear.insert(dear.end(), skip.begin(), skip.end());
    return left_out_of(report(sum, table, Value::object({{"skip", dear}}), context));
  };
  EXPECT_THAT(told({}),
              ::testing::IsSupersetOf({HasSubstr("pairs: looked for among"), HasSubstr("single features only")}));
  EXPECT_THAT(told({"interactions", "decomposition"}),
              ::testing::Each(::testing::Not(::testing::AnyOf(HasSubstr("looked for"), HasSubstr("single features")))));
}

// Maps of 800 × 600 levels are beyond what anybody computes or looks at; other pairs have theirs, and all else is
// there.
TEST_F(Reports, APairOfTooManyLevelsIsLeftOutAlone) {
  const auto levels_of = [](const std::string& name, std::size_t count) {
    Texts levels;
    for (std::size_t k = 0; k < count; ++k) levels.push_back(name + std::to_string(k));
    return std::make_shared<Dictionary>(levels);
  };
  const auto cities = levels_of("c", 800), shops = levels_of("s", 600);
  std::vector<double> x;
  std::vector<std::int32_t> city, shop;
  for (int i = 0; i < 1600; ++i) {
    x.push_back(i % 17);
    city.push_back(i % 800);
    shop.push_back(i * 7 % 600);
  }
  const Table table(Schema({{.name = "city", .type = DType::categorical, .dictionary = cities},
                            {.name = "shop", .type = DType::categorical, .dictionary = shops},
                            {.name = "x"}}),
                    {column_of(city, cities.get()), column_of(shop, shops.get()), column_of(x)});
  const FunctionModel product({"city", "shop", "x"}, [](const auto& v) {
    return std::vector<double>{std::fmod(v[0], 2) * std::fmod(v[1], 3) * 10 + std::fmod(v[0], 2) * v[2] / 10};
  });
  Context context(2);
  const Texts skip = {"ice", "shap", "surrogates", "prototypes", "decomposition", "regional-effects"};
  const auto results = report(product, table, Value::object({{"skip", skip}, {"sample", 200}}), context);
  EXPECT_THAT(left_out_of(results), ::testing::Contains(::testing::StartsWith(
                                        "map of city and shop: too many levels (800 of city and 600 of shop)")));
  EXPECT_THAT(left_out_of(results), ::testing::Not(::testing::Contains(HasSubstr("pairs by"))));
  std::set<std::string> maps;
  for (const Result& result : results) {
    for (const Surface* map : items_of<Surface>(result)) maps.insert(map->first.feature + ":" + map->second.feature);
  }
  EXPECT_THAT(maps, ::testing::Contains(::testing::HasSubstr("x")));
}

TEST_F(Reports, ShowSomeOfManyOutputs) {
  Texts outputs;
  for (int k = 0; k < 12; ++k) outputs.push_back("out" + std::to_string(k));
  const FunctionModel many(
      {"a", "b", "d"},
      [](const auto& x) {
        std::vector<double> all(12, std::isnan(x[0]) ? 0 : x[0]);
        for (std::size_t k = 0; k < all.size(); ++k) all[k] *= static_cast<double>(k);
        return all;
      },
      outputs);
  Context context(2);
  const auto results = report(many, table_, Value::object({{"skip", Texts{"interactions", "decomposition"}}}), context);
  EXPECT_THAT(left_out_of(results)[0], ::testing::StartsWith("outputs out10, out11: the 10 first of 12 are shown"));
  std::set<std::string> shown;
  for (const Result& result : results) {
    for (const ResultItem& item : result.results) shown.insert(item.output());
  }
  shown.erase("");
  EXPECT_EQ(shown, std::set<std::string>(outputs.begin(), outputs.begin() + 10));
}

// Outputs are classes, not numbers.
class ClassModel : public FunctionModel {
 public:
  ClassModel(Texts features, testing::RowFunction function, Texts classes)
      : FunctionModel(std::move(features), std::move(function), std::move(classes)),
        signature_(FunctionModel::signature()) {
    signature_.task = Task::multiclass;
  }
  [[nodiscard]] const Signature& signature() const override { return signature_; }

 private:
  Signature signature_;
};

// Two of twelve classes have one row each.
TEST_F(Reports, ExplainNoRowOfAClassThatIsNotShown) {
  Texts classes;
  for (int k = 0; k < 12; ++k) classes.push_back("c" + std::to_string(k));
  const ClassModel twelve(
      {"a"},
      [](const auto& x) {
        std::vector<double> shares(12, 0.01);
        const auto which = static_cast<std::size_t>(x[0]);
        shares[which] = which >= 10 ? 0.89 : 0.6;
        shares[(which + 1) % 10] += which >= 10 ? 0.0 : 0.29;
        return shares;
      },
      classes);
  std::vector<double> values;
  for (int k = 0; k < 40; ++k) values.push_back(k % 10);
  values.insert(values.end(), {10, 11});
  const Table table(Schema({{.name = "a"}}), {column_of(values)});
  Context context(2);
  const auto results = report(twelve, table, Value::object({{"examples", 12}}), context);
  EXPECT_THAT(left_out_of(results)[0],
              ::testing::StartsWith("outputs c10, c11: the 10 most often predicted of 12 are shown"));
  EXPECT_EQ(results[0].model.find("outputs_shown")->as_string(), "10 of 12: c0, c1, c2, c3, c4, c5, c6, c7, c8, c9");
  std::set<std::uint64_t> examples;
  for (const Result& result : results) {
    for (const Attributions* rows : items_of<Attributions>(result)) {
      if (rows->details.find("why") != nullptr) examples.insert(rows->rows.begin(), rows->rows.end());
    }
  }
  EXPECT_FALSE(examples.empty());
  EXPECT_THAT(examples, ::testing::Each(::testing::Lt(40U)));
}

TEST(ReportOptionsTest, NameThePartsThatCanBeLeftOut) {
  for (const OptionSpec& spec : report_options()) {
    if (spec.name == "skip") {
      EXPECT_THAT(spec.help.plain(),
                  HasSubstr("ale-pairs, pd-pairs, what-if, anchors, counterfactuals, neighbors, surrogates"));
    }
  }
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
  std::size_t surfaces = 0;
  for (const Result& result : results) {
    for (const ResultItem& item : result.results) {
      if (const auto* surface = item.as<Surface>()) {
        EXPECT_EQ(surface->first.feature + surface->second.feature, "x14x15");
        ++surfaces;
      }
    }
  }
  EXPECT_EQ(surfaces, 2U);
}

std::vector<const Caveat*> caveats_of(const std::vector<Result>& results, const std::string& id) {
  std::vector<const Caveat*> found;
  for (const Result& result : results) {
    for (const Caveat& caveat : result.caveats) {
      if (caveat.id == id) found.push_back(&caveat);
    }
  }
  return found;
}

TEST_F(Reports, NoticeAModelThatChangesItsMind) {
  std::atomic<int> asked = 0;
  const FunctionModel fickle({"a", "b", "d"}, [&](const auto& x) {
    return std::vector<double>{(std::isnan(x[0]) ? 0 : x[0]) + (++asked % 7)};
  });
  Context context(2);
  const auto found = caveats_of(report(fickle, table_, Value::object({}), context), "changing-answers");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(caveats_of(made(Value::object({})), "changing-answers").size(), 0U);
}

// The last digits of a float32 are no change of mind, and what is no number stays so.
TEST_F(Reports, DoNotMindRoundingNorWhatIsNoNumber) {
  std::atomic<int> asked = 0;
  const FunctionModel rounding({"a", "b", "d"}, [&](const auto& x) {
    return std::vector<double>{(std::isnan(x[0]) ? 0 : x[0]) + 1000 + (++asked % 7) * 1e-5};
  });
  Context context(2);
  EXPECT_TRUE(caveats_of(report(rounding, table_, Value::object({}), context), "changing-answers").empty());
}

// Every part's measures are known where sentences and tables are made of them.
TEST_F(Reports, HaveMeasuresThatAreKnown) {
  std::set<MeasureKind> kinds;
  for (const Result& result : made(Value::object({{"target", "y"}}))) {
    for (const ResultItem& item : result.results) {
      const auto* entry = item.as<Importance>();
      if (entry == nullptr) continue;
      EXPECT_NE(entry->measure.kind, MeasureKind::other) << entry->measure.text();
      kinds.insert(entry->measure.kind);
    }
  }
  EXPECT_THAT(kinds, ElementsAre(MeasureKind::permutation, MeasureKind::dependence, MeasureKind::shapley,
                                 MeasureKind::variance));
}

// a and d act together, b alone. What a does differs little between rows, what d does much.
TEST_F(Reports, LookForRegionsWhereOneCurveDoesNotDo) {
  const auto results = made(Value::object({{"target", "y"}}));
  const auto regional = std::find_if(results.begin(), results.end(),
                                     [](const Result& result) { return result.method == "regional-effects"; });
  ASSERT_NE(regional, results.end());
  std::set<std::string> divided;
  for (const ResultItem& item : regional->results) {
    if (const auto* curve = item.as<Curve>()) divided.insert(curve->axis.feature);
    const auto* figure = item.as<Figure>();
    EXPECT_FALSE(figure != nullptr && figure->name.starts_with("b: "));
  }
  EXPECT_THAT(divided, ElementsAre("d"));
  const auto without = made(Value::object({{"skip", "regional-effects"}}));
  EXPECT_THAT(methods_of(without), ::testing::Not(::testing::Contains("regional-effects")));
  // Of a sum every row's curve is the average's: there is nothing to divide.
  const FunctionModel sum({"a", "b", "d"}, [](const auto& x) {
    return std::vector<double>{(std::isnan(x[0]) ? 0 : x[0]) + 2 * (std::isnan(x[1]) ? 0 : x[1])};
  });
  Context context(2);
  EXPECT_THAT(methods_of(report(sum, table_, Value::object({}), context)),
              ::testing::Not(::testing::Contains("regional-effects")));
}

TEST(MethodAdvice, SaysWhoseOptionItIs) {
  const auto within = [](const char* method, const char* advice) {
    return advice_within(report_options(), marked(advice), find_method(method)).plain();
  };
  EXPECT_EQ(within("ice", "set {option:curves} to 0 to keep every curve"),
            "with ice by itself: set curves to 0 to keep every curve");
  EXPECT_EQ(within("interactions", "set {option:sample_rows} to 300 to compare each row with all"),
            "with interactions by itself: set sample_rows to 300 to compare each row with all");
  // The report's own says how many pairs are drawn.
  EXPECT_EQ(within("interactions", "name the {option:pairs|pairs} that matter"),
            "with interactions by itself: name the pairs that matter");
  EXPECT_EQ(within("ale", "use more rows or fewer {option:bins|bins}"),
            "with ale by itself: use more rows or fewer bins");
  // What a report can do as well, options of other methods, and words that only look like options.
  EXPECT_EQ(within("ice", "leave out {option:sample} to use all rows"), "leave out sample to use all rows");
  EXPECT_EQ(within("shap", "raise {option:predictions}"), "raise predictions");
  EXPECT_EQ(within("ale", "{method:ice} with {the option:ice.center}"), "ice with the option center");
  EXPECT_EQ(within("ice", "read their curves together"), "read their curves together");
}

TEST_F(Reports, GiveAdviceThatCanBeFollowed) {
  std::size_t some_curves = 0;
  for (const Result& result : made(Value::object({{"target", "y"}}))) {
    for (const Caveat& caveat : result.caveats) {
      EXPECT_THAT(caveat.advice.plain(), ::testing::Not(HasSubstr("--"))) << result.method;
      if (caveat.id != "some-curves") continue;
      ++some_curves;
      EXPECT_THAT(caveat.advice.plain(), ::testing::StartsWith("with ice by itself: "));
    }
  }
  EXPECT_EQ(some_curves, 1U);
}

TEST_F(Reports, RefuseWhatMakesNoSense) {
  EXPECT_THROW((void)made(Value::object({{"top", -1}})), Error);
  EXPECT_THROW((void)made(Value::object({{"budget", "soon"}})), Error);
  EXPECT_THROW((void)made(Value::object({{"tpo", 1}})), Error);
  EXPECT_THROW((void)made(Value::object({{"skip", "lime"}})), Error);
}

TEST_F(Reports, AModelsOwnExplanationComesSecond) {
  Result own;
  own.method = "nearest-prototype";
  own.model = Value::object({{"format", "sightglass"}, {"objective", "nearest-prototype"}});
  own.data = Value::object({{"rows", 7}});
  Examples rows{.output = {}, .group = {}, .role = ExampleRole::prototype};
  rows.rows = {{.row = 3}};
  ShownPanel panel{.claims = "yes"};
  panel.marks.rows = {4};
  ShownPanels panels{.panels = {panel}};
  panels.tolerated = {5};
  own.results = {rows, panels};
  Context context(1);
  const Value skip = Value::object({{"skip", Texts{"shap", "interactions", "surrogates", "prototypes"}}});
  const auto results = report(model_, table_, skip, context, own);
  EXPECT_EQ(results[1].method, own.method);
  EXPECT_EQ(to_json(results[1].model), to_json(results[0].model));
  EXPECT_EQ(to_json(results[1].data), to_json(own.data));
  EXPECT_EQ(results[1].results.size(), 2U);
  EXPECT_EQ(report(model_, table_, skip, context).size(), results.size() - 1);

  const auto discreet = report(model_, table_, Value(skip).set("no_rows", true), context, own);
  ASSERT_EQ(discreet[1].results.size(), 1U);
  const auto& left = discreet[1].results[0].get<ShownPanels>();
  EXPECT_TRUE(left.tolerated.empty());
  EXPECT_TRUE(left.panels[0].marks.rows.empty());
  EXPECT_EQ(left.panels[0].claims, "yes");
}

}  // namespace
}  // namespace sightglass
