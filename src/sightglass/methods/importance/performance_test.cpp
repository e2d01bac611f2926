#include "sightglass/methods/importance/performance.h"

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

using testing::FunctionModel;
using ::testing::HasSubstr;

const testing::LawCase laws("performance", {.about_features = false});

Table table_of(std::vector<double> x, std::vector<double> y) {
  return Table(Schema({{.name = "x"}, {.name = "y"}}), {column_of(std::move(x)), column_of(std::move(y))});
}

Result measured(const Model& model, const Table& table, Value options = Value::object()) {
  Context context(1);
  options.set("target", "y");
  return run("performance", model, table, options, context);
}

const Figure& figure(const Result& result, std::size_t index) { return result.results.at(index).get<Figure>(); }

double constant(const Result& result, const char* loss) {
  return result.data.find("best_constant")->find(loss)->as_number();
}

// Errors 1, −1, 2, 0 around truths 0, 2, 4, 6.
TEST(Performance, OfNumbersByHand) {
  const FunctionModel model({"x"}, [](const auto& x) { return std::vector<double>{x[0]}; });
  const Result result = measured(model, table_of({1, 1, 6, 6}, {0, 2, 4, 6}));
  ASSERT_EQ(result.results.size(), 3U);
  EXPECT_EQ(figure(result, 0).name, "r2");
  EXPECT_DOUBLE_EQ(figure(result, 0).value, 1 - 6.0 / 20);
  EXPECT_EQ(figure(result, 1).name, "rmse");
  EXPECT_DOUBLE_EQ(figure(result, 1).value, std::sqrt(6.0 / 4));
  // Squared errors 1, 1, 4, 0 have variance 9/4; the root of their mean changes by 1 / (2 rmse) of what that does.
  EXPECT_NEAR(figure(result, 1).se.value(), 0.75 / (2 * std::sqrt(1.5)), 1e-12);
  // Rows change R² by (0.3 · 9 − 1) / 5, (0.3 − 1) / 5, (0.3 − 4) / 5 and 0.3 · 9 / 5.
  EXPECT_NEAR(figure(result, 0).se.value(), std::sqrt(0.2436 / 4), 1e-12);
  EXPECT_EQ(figure(result, 2).name, "absolute error");
  EXPECT_DOUBLE_EQ(figure(result, 2).value, 1);
  // |errors| 1, 1, 2, 0 have variance ½; over four rows.
  EXPECT_DOUBLE_EQ(figure(result, 2).se.value(), std::sqrt(0.5 / 4));
  // The median, 3 at the best, is off by 2 on average.
  EXPECT_THAT(figure(result, 2).meaning, HasSubstr("the best constant prediction has 2"));
  EXPECT_DOUBLE_EQ(constant(result, "absolute error"), 2);
  EXPECT_DOUBLE_EQ(constant(result, "rmse"), std::sqrt(5));
  EXPECT_DOUBLE_EQ(constant(result, "r2"), 0);
  EXPECT_EQ(result.data.find("scored_rows"), nullptr) << "all rows are";
}

// The third row is not there, the second twice.
TEST(Performance, WeightsCountRows) {
  const FunctionModel model({"x"}, [](const auto& x) { return std::vector<double>{x[0]}; });
  const Schema schema({{.name = "x"}, {.name = "y"}, {.name = "w"}});
  const Table table(schema, {column_of({1, 1, 6, 6}), column_of({0, 2, 4, 6}), column_of({1, 2, 0, 1})});
  const Result result = measured(model, table.with_weights(2));
  EXPECT_DOUBLE_EQ(figure(result, 0).value, 1 - 3.0 / 19);
  EXPECT_DOUBLE_EQ(figure(result, 1).value, std::sqrt(3.0 / 4));
  EXPECT_DOUBLE_EQ(figure(result, 2).value, 3.0 / 4);
  EXPECT_DOUBLE_EQ(constant(result, "absolute error"), 6.0 / 4);
  EXPECT_EQ(result.data.find("scored_rows")->as_integer(), 3);
  const Result same = measured(model, table_of({1, 1, 1, 6}, {0, 2, 2, 6}));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(figure(result, i).value, figure(same, i).value);
}

// A probability of the second class.
class Classifier : public FunctionModel {
 public:
  Classifier() : FunctionModel({"x"}, [](const auto& x) { return std::vector<double>{x[0]}; }) {
    signature_ = FunctionModel::signature();
    signature_.task = Task::binary;
  }
  [[nodiscard]] const Signature& signature() const override { return signature_; }

 private:
  Signature signature_;
};

TEST(Performance, OfClassesByHand) {
  const Result result = measured(Classifier(), table_of({0.8, 0.4, 0.6, 0.1}, {1, 1, 0, 0}));
  ASSERT_EQ(result.results.size(), 4U);
  EXPECT_EQ(figure(result, 0).name, "accuracy");
  EXPECT_DOUBLE_EQ(figure(result, 0).value, 0.5);
  EXPECT_EQ(figure(result, 1).name, "auc");
  EXPECT_DOUBLE_EQ(figure(result, 1).value, 0.75);  // of four pairs of rows one is in the wrong order
  EXPECT_EQ(figure(result, 2).name, "log-loss");
  EXPECT_NEAR(figure(result, 2).value, -(std::log(0.8) + 2 * std::log(0.4) + std::log(0.9)) / 4, 1e-12);
  EXPECT_EQ(figure(result, 3).name, "brier");
  EXPECT_NEAR(figure(result, 3).value, (0.04 + 0.36 + 0.36 + 0.01) / 4, 1e-12);
  EXPECT_DOUBLE_EQ(constant(result, "accuracy"), 0.5);
  EXPECT_DOUBLE_EQ(constant(result, "auc"), 0.5);
  EXPECT_NEAR(constant(result, "log-loss"), std::log(2), 1e-12);
}

TEST(Performance, OfClassesLeavesOutRowsWithoutTruth) {
  const Result result = measured(Classifier(), table_of({0.8, 0.4, 0.6}, {1, NAN, 0}));
  EXPECT_DOUBLE_EQ(figure(result, 0).value, 0.5);
  EXPECT_EQ(result.data.find("scored_rows")->as_integer(), 2);
}

// The mean of seven times 0.3 is not 0.3 to the last bit.
TEST(Performance, OfEqualTruthsThereIsNoVariance) {
  const FunctionModel model({"x"}, [](const auto& x) { return std::vector<double>{x[0]}; });
  for (const std::size_t rows : {3U, 7U, 10U, 137U}) {
    for (const double value : {0.1, 0.3, 3.3, 1e9 + 0.1}) {
      const Result result = measured(model, table_of(std::vector<double>(rows, 5), std::vector<double>(rows, value)));
      EXPECT_EQ(figure(result, 0).value, 0) << rows << " " << value;
      EXPECT_TRUE(std::any_of(result.caveats.begin(), result.caveats.end(),
                              [](const Caveat& caveat) { return caveat.id == "undefined-loss"; }));
    }
  }
}

TEST(Performance, OfATargetThatDoesNotVaryIsDoubted) {
  const FunctionModel model({"x"}, [](const auto& x) { return std::vector<double>{x[0]}; });
  const Result result = measured(model, table_of({1, 2, 3}, {4, 4, 4}));
  EXPECT_TRUE(std::any_of(result.caveats.begin(), result.caveats.end(),
                          [](const Caveat& caveat) { return caveat.id == "constant-target"; }));
  EXPECT_DOUBLE_EQ(constant(result, "absolute error"), 0);
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
