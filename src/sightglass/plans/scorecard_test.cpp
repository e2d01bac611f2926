#include "sightglass/plans/scorecard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/plans/explain.h"
#include "sightglass/plans/scorecard/row_explanation.h"
#include "sightglass/result/shapes/examples.h"
#include "sightglass/result/shapes/scorecard.h"
#include "support/function_model.h"
#include "support/random_data.h"

namespace sightglass {
namespace {

using testing::FunctionModel;
using ::testing::HasSubstr;

const FunctionModel linear({"a", "d"}, [](const auto& v) { return std::vector<double>{2 * v[0] + 0.5 * v[1]}; });
const FunctionModel product({"a", "d"}, [](const auto& v) { return std::vector<double>{v[0] * v[1]}; });

Value rows_option(const std::vector<std::int64_t>& rows) { return Value::object({{"rows", rows}}); }

Result explained(std::string_view method, const Model& model, const Value& options, std::size_t rows = 80) {
  Context context(1);
  return explain(method, model, testing::random_table(3, rows), options, context);
}

Result card_of(const Model& model, Value options, const std::vector<std::string>& of) {
  return explained("scorecard", model, options.set("of", of));
}

std::optional<double> score(const Result& result, std::string_view subject, std::string_view quality) {
  for (const Score& each : result.results.at(0).get<Scorecard>().scores) {
    if (each.subject == subject && each.quality == quality) return each.value;
  }
  return std::nullopt;
}

RowExplanation told(std::map<std::string, double> parts) {
  RowExplanation explanation;
  explanation.parts = std::move(parts);
  return explanation;
}

TEST(Likeness, IsWhatTheSharesHaveInCommon) {
  EXPECT_DOUBLE_EQ(likeness(told({{"a", 2}, {"b", -1}}), told({{"a", 4}, {"b", -2}})), 1);
  EXPECT_DOUBLE_EQ(likeness(told({{"a", 1}}), told({{"b", 1}})), 0);
  EXPECT_DOUBLE_EQ(likeness(told({{"a", 1}}), told({{"a", -1}})), 0);
  // Shares 3/4, 1/4 and 1/4, 3/4.
  EXPECT_DOUBLE_EQ(likeness(told({{"a", 3}, {"b", 1}}), told({{"a", 1}, {"b", 3}})), 0.5 / 1.5);
  EXPECT_DOUBLE_EQ(likeness(told({{"a", 3}, {"b", 1}}), told({{"a", 3}, {"b", -1}})), 0.75 / 1.25);
  EXPECT_DOUBLE_EQ(likeness(told({}), told({})), 1);
  EXPECT_DOUBLE_EQ(likeness(told({}), told({{"a", 1}})), 0);
}

TEST(RowExplanations, ALineOfALinearModelIsTheSameForAllRows) {
  const Value plain = rows_option({3, 17}).set("bins", "none").set("samples", 20000);
  const auto lines = row_explanations(explained("lime", linear, plain), false);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_NEAR(likeness(lines[0], lines[1]), 1, 0.01);
  EXPECT_NEAR(lines[0].far.value(), 1, 0.01);
  EXPECT_NEAR(lines[0].near.value(), 1, 0.01);
}

TEST(RowExplanations, OfSeveralClassesThePredictedOneIsTold) {
  const FunctionModel classes({"a", "d"},
                              [](const auto& v) {
                                return std::vector<double>{0.5 + 0.1 * std::tanh(v[0]), 0.3 - 0.1 * std::tanh(v[0]),
                                                           0.2 + 0 * v[1]};
                              },
                              {"x", "y", "z"});
  const auto all = row_explanations(explained("shap", classes, rows_option({3})), true);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].predicted_output, "x");
  EXPECT_TRUE(all[0].same_class);
}

TEST(ScorecardPlan, ShapleyValuesOfASumAreFaithful) {
  const Result sum = card_of(linear, rows_option({3, 17}), {"shap"});
  EXPECT_NEAR(score(sum, "shap", "fidelity-local").value(), 1, 1e-9);
  EXPECT_NEAR(score(sum, "shap", "fidelity-perturbed").value(), 1, 1e-9);
  EXPECT_EQ(score(sum, "shap", "doubt"), 0);
  EXPECT_EQ(score(sum, "shap", "parts"), 2);
  EXPECT_DOUBLE_EQ(score(sum, "shap", "coverage").value(), 1.0 / 80);
}

// v(without d) = a · mean d: all of it is the values' fault.
TEST(ScorecardPlan, ShapleyValuesOfAProductAreNot) {
  const Result values = explained("shap", product, rows_option({17}));
  const auto& item = values.results.at(0).get<Attributions>();
  const Table table = testing::random_table(3, 80);
  const double a = table.column(0).number(17), d = table.column(3).number(17), f = a * d;
  double mean_a = 0, mean_d = 0;
  for (std::size_t i = 0; i < 80; ++i) {
    mean_a += table.column(0).number(i) / 80;
    mean_d += table.column(3).number(i) / 80;
  }
  const double without_a = mean_a * d, without_d = a * mean_d;
  const double off =
      std::pow(without_a - (item.base + item.value(0, 1)), 2) + std::pow(without_d - (item.base + item.value(0, 0)), 2);
  const double all = std::pow(without_a - f, 2) + std::pow(without_d - f, 2);
  const Result card = card_of(product, rows_option({17}), {"shap"});
  EXPECT_NEAR(score(card, "shap", "fidelity-local").value(), 1 - off / all, 1e-9);
  EXPECT_LT(score(card, "shap", "fidelity-local").value(), 0.99);
}

TEST(ScorecardPlan, StabilityIsLikenessToTheNearestRows) {
  const Result near = explained("neighbors", linear, rows_option({17}).set("neighbors", 4));
  double sum = 0;
  std::vector<std::int64_t> rows;
  for (const Example& example : near.results.at(0).get<Examples>().rows)
    rows.push_back(static_cast<std::int64_t>(example.row));
  const auto own = row_explanations(explained("shap", linear, rows_option({17})), false);
  for (const RowExplanation& other : row_explanations(explained("shap", linear, rows_option(rows)), false))
    sum += likeness(own.at(0), other);
  const Result card = card_of(linear, rows_option({17}).set("neighbors", 4), {"shap"});
  EXPECT_NEAR(score(card, "shap", "stability-near").value(), sum / 4, 1e-12);
}

TEST(ScorecardPlan, ARowFarFromAllOthersIsNew) {
  std::vector<double> a, d;
  for (int i = 0; i < 60; ++i) {
    a.push_back(i < 59 ? i : 500);
    d.push_back(i % 7);
  }
  const Table table(Schema({{.name = "a"}, {.name = "d"}}), {column_of(std::move(a)), column_of(std::move(d))});
  Context context(1);
  const auto novelty = [&](std::int64_t row) {
    const Value options = rows_option({row}).set("of", std::vector<std::string>{"shap"}).set("neighbors", 3);
    return score(explain("scorecard", linear, table, options, context), "shap", "novelty").value();
  };
  EXPECT_DOUBLE_EQ(novelty(59), 59.0 / 60);
  EXPECT_LT(novelty(30), 0.9);
}

TEST(ScorecardPlan, TellsOfAllThatAModelAllows) {
  const Result card = explained("scorecard", linear, rows_option({17}), 300);
  EXPECT_TRUE(score(card, "lime", "fidelity-local"));
  EXPECT_TRUE(score(card, "anchors", "coverage"));
  EXPECT_FALSE(score(card, "anchors", "largest-part"));  // its parts are not weighed
  // What is wanted of a number nobody said.
  EXPECT_FALSE(score(card, "counterfactuals", "parts"));
  EXPECT_THAT(card.caveats.at(0).id, "part-left-out");
  const Result wanted = explained("scorecard", linear, rows_option({3, 17, 30}).set("change", 0.5), 300);
  EXPECT_EQ(wanted.results.size(), 1U);
  EXPECT_EQ(score(wanted, "counterfactuals", "fidelity-local"), 1);
}

Result two_models(const Model& model, std::shared_ptr<const Model> other, const std::vector<std::string>& of) {
  Context context(1);
  const Table table = testing::random_table(3, 80);
  return explain("scorecard", model, table, rows_option({3, 17}).set("of", of), context, nullptr,
                 ModelOption(std::move(other)));
}

TEST(ScorecardPlan, AModelIsConsistentWithItself) {
  const std::vector<std::string> of = {"lime", "shap", "anchors"};
  const Result same = two_models(linear, std::make_shared<FunctionModel>(linear), of);
  for (const std::string& method : of) {
    EXPECT_NEAR(score(same, method, "consistency-models").value(), 1, 1e-9) << method;
    EXPECT_NEAR(score(same, method, "agreement-models").value(), 1, 1e-9) << method;
  }
  EXPECT_FALSE(score(card_of(linear, rows_option({17}), {"shap"}), "shap", "consistency-models"));
}

TEST(ScorecardPlan, ModelsThatGoByOtherFeaturesAreNotConsistent) {
  const auto other = std::make_shared<FunctionModel>(
      std::vector<std::string>{"a", "d"}, [](const std::vector<double>& v) { return std::vector<double>{v[1]}; });
  const FunctionModel first({"a", "d"}, [](const auto& v) { return std::vector<double>{v[0]}; });
  const Result card = two_models(first, other, {"shap"});
  EXPECT_EQ(score(card, "shap", "consistency-models"), 0);
  EXPECT_LT(score(card, "shap", "agreement-models").value(), 0.5);
  // One that says the opposite is not of one mind with the first, however much it goes by the same.
  const auto opposite = std::make_shared<FunctionModel>(
      std::vector<std::string>{"a", "d"}, [](const std::vector<double>& v) { return std::vector<double>{-v[0]}; });
  EXPECT_LT(score(two_models(first, opposite, {"shap"}), "shap", "agreement-models").value(), 0);
}

TEST(ScorecardPlan, WithoutARowThereIsNothingToJudge) {
  try {
    (void)explained("scorecard", linear, Value::object());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.message(), HasSubstr("whose explanations"));
  }
}

}  // namespace
}  // namespace sightglass
