#include "sightglass/insight/probabilities.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/insight/attribution_view.h"
#include "sightglass/insight/groups.h"
#include "sightglass/render/data_table.h"
#include "sightglass/render/text/text_renderer.h"
#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/json.h"

namespace sightglass {
namespace {

Result about_margins(const char* inverse, std::vector<std::string> outputs) {
  Result result;
  result.method = "shap";
  result.options.set("scale", "margin");
  Value link = Value::object({{"inverse", inverse}});
  if (std::string(inverse) == "logistic") link.set("scale", 1);
  result.model = Value::object(
      {{"task", outputs.size() > 1 ? "multiclass" : "binary"}, {"outputs", outputs}, {"link", std::move(link)}});
  return result;
}

// One row that two features lead from log-odds of -2 to 0.
Attributions one_row(std::string output, double base, std::vector<double> values) {
  Attributions item{.features = {{.feature = "a"}, {.feature = "b"}}, .output = std::move(output), .base = base};
  item.rows = {7};
  item.total_rows = 1;
  item.prediction = {base + values[0] + values[1]};
  item.values = std::move(values);
  item.data = {1, 2};
  return item;
}

double logistic(double margin) { return 1 / (1 + std::exp(-margin)); }

TEST(Probabilities, OfOneOutputFollowFromItsMargin) {
  Result result = about_margins("logistic", {"yes"});
  result.results.emplace_back(one_row("yes", -2, {1.5, 0.5}));
  const auto& item = result.results[0].get<Attributions>();
  const auto way = running_probabilities(result, item, 0, attribution_steps(item, 0));
  ASSERT_EQ(way.size(), 3u);
  EXPECT_DOUBLE_EQ(way[0], logistic(-2));
  EXPECT_DOUBLE_EQ(way[1], logistic(-0.5));
  EXPECT_DOUBLE_EQ(way[2], 0.5);
  const std::string text = render_text(result, {});
  EXPECT_NE(text.find("base -2 (12 %) → prediction 0 (50 %)"), std::string::npos) << text;
  EXPECT_NE(text.find("38 %"), std::string::npos) << text;
  // On the other scale, or where the link is not known, there is nothing to say.
  result.options.set("scale", "response");
  EXPECT_TRUE(running_probabilities(result, item, 0, attribution_steps(item, 0)).empty());
  result.options.set("scale", "margin");
  result.model.set("link", Value::object({{"inverse", "step"}}));
  EXPECT_FALSE(ProbabilityScale::of(result));
  result.model.set("link", Value::object({{"inverse", "logistic"}, {"scale", "2"}}));
  EXPECT_FALSE(ProbabilityScale::of(result));
}

TEST(Probabilities, OfSeveralClassesTakeTheMarginsOfAll) {
  Result result = about_margins("softmax", {"x", "y"});
  result.results.emplace_back(one_row("x", 0, {1, 0.5}));
  result.results.emplace_back(one_row("y", 0, {-1, 0.25}));
  const auto& item = result.results[0].get<Attributions>();
  const auto way = running_probabilities(result, item, 0, attribution_steps(item, 0));
  ASSERT_EQ(way.size(), 3u);
  EXPECT_DOUBLE_EQ(way[0], 0.5);
  EXPECT_DOUBLE_EQ(way[1], logistic(2));
  EXPECT_DOUBLE_EQ(way[2], logistic(1.5 - -0.75));
  // Margins far from zero neither overflow nor lose the sum.
  const auto scale = ProbabilityScale::of(result);
  EXPECT_EQ(scale->at({1000, 0}, 0), 1);
  EXPECT_EQ(scale->at({1000, 0}, 1), 0);
  // With one of the classes left out nobody knows.
  result.results.pop_back();
  EXPECT_TRUE(running_probabilities(result, result.results[0].get<Attributions>(), 0, {}).empty());
}

TEST(Probabilities, OfEffectsStartAtTheAverageMargin) {
  Result result = about_margins("logistic", {"yes"});
  Curve curve;
  curve.axis.feature = "a";
  curve.axis.numbers = {0, 1};
  curve.output = "yes";
  curve.measure = Measure::effect;
  curve.mean = {0, 0.8};
  result.results.emplace_back(curve);
  // Nothing says where they start.
  EXPECT_FALSE(CurveProbabilities::of(result, curve));
  result.results.emplace_back(
      Figure{.name = "mean prediction", .id = FigureId::mean_prediction, .output = "yes", .value = -2});
  const auto known = CurveProbabilities::of(result, curve);
  ASSERT_TRUE(known);
  EXPECT_DOUBLE_EQ(known->at(0.8), logistic(-1.2));
  for (const ItemGroup& group : group_items(result)) {
    if (group.as<CurveLines>() == nullptr) continue;
    const DataTable table = data_table(group);
    ASSERT_EQ(table.columns[2].title, "probability");
    EXPECT_EQ(table.rows[0][2], "12 %");
    EXPECT_EQ(table.rows[1][2], "23 %");
    const std::string chart = to_json(vega_spec(result, group));
    EXPECT_NE(chart.find("1 / (1 + exp(-1 * (-2 + datum.value)))"), std::string::npos) << chart;
    EXPECT_NE(chart.find("and the probability it makes of the average, 12 %"), std::string::npos) << chart;
    EXPECT_NE(chart.find(R"("probability":"23 %")"), std::string::npos) << chart;
  }
  // Means are at their own height.
  curve.measure = Measure::mean;
  EXPECT_DOUBLE_EQ(CurveProbabilities::of(result, curve)->at(-1), logistic(-1));
}

TEST(Probabilities, ColumnsHaveOneNumberOfDigits) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(probability_texts({0.5, 0.123}), (Texts{"50 %", "12 %"}));
  EXPECT_EQ(probability_texts({0.5, 0.0123}), (Texts{"50.0 %", "1.2 %"}));
  EXPECT_EQ(probability_texts({0.5, 0.9999, 1, std::nan("")}), (Texts{"50.00 %", "99.99 %", "100.00 %", "–"}));
  EXPECT_EQ(probability_text(0.0004), "0.04 %");
  EXPECT_EQ(probability_text(0.004), "0.4 %");
  EXPECT_EQ(probability_text(1), "100 %");
  EXPECT_EQ(probability_text(1e-9), "< 0.01 %");
}

}  // namespace
}  // namespace sightglass
