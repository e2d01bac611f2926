#include "sightglass/insight/effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/json.h"
#include "support/result_items.h"

namespace sightglass {
namespace {

using testing::result_of;

Curve curve_of(Measure measure, std::vector<double> heights, const std::string& output = "prediction") {
  return testing::curve_of("a", std::move(heights), measure, output);
}

Curves centred(std::vector<std::vector<double>> values, double anchor) {
  Curves curves;
  curves.axis = {"a", "", {0, 1, 2}, {}, false};
  curves.output = "prediction";
  curves.anchor = anchor;
  for (std::size_t i = 0; i < values.size(); ++i) curves.rows.push_back(10 + i);
  curves.values = std::move(values);
  return curves;
}

const Value& at(const Value& value, std::initializer_list<const char*> path) {
  const Value* found = &value;
  for (const char* key : path) found = found->is_array() ? &found->as_array()[std::stoul(key)] : found->find(key);
  return *found;
}

TEST(Effects, AleStandsAtTheMeanPredictionAndRowsStartAtTheAverage) {
  const std::vector<Result> results{result_of("ale", {curve_of(Measure::effect, {-1, 0, 1})}),
                                    result_of("m-plot", {curve_of(Measure::mean, {4, 5, 9})}),
                                    result_of("partial-dependence", {curve_of(Measure::mean, {5, 6, 8})}),
                                    result_of("ice", {centred({{-2, 0, 1}}, 1)})};
  const auto effects = merged_effects(results);
  ASSERT_EQ(effects.size(), 1u);
  const Effect& effect = effects[0];
  EXPECT_THAT(effect.methods,
              ::testing::ElementsAre(EffectMethod::partial_dependence, EffectMethod::m_plot, EffectMethod::ale));
  // The M-plot says that the mean prediction is 6.
  EXPECT_THAT(effect.curves[2].mean, ::testing::ElementsAre(5, 6, 7));
  EXPECT_EQ(effect.curves[2].measure, Measure::mean);
  // Partial dependence is 6 where single rows are 0.
  ASSERT_EQ(effect.rows.size(), 1u);
  EXPECT_THAT(effect.rows[0].values[0], ::testing::ElementsAre(4, 6, 7));
  EXPECT_TRUE(effect.shows(EffectMethod::ale));
  EXPECT_TRUE(effect.shows(EffectMethod::partial_dependence));
  EXPECT_FALSE(effect.shows(EffectMethod::m_plot));
  EXPECT_EQ(effect.items.size(), 4u);
}

TEST(Effects, ManyRowsAreThinnedOutEvenly) {
  const std::vector<Result> results{result_of("partial-dependence", {curve_of(Measure::mean, {5, 6, 8})}),
                                    result_of("ice", {centred(std::vector<std::vector<double>>(200, {0, 1, 2}), 0)})};
  const auto effects = merged_effects(results);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(effects[0].rows[0].values.size(), rows_in_effect);
  EXPECT_EQ(effects[0].rows[0].rows.front(), 10u);
  EXPECT_EQ(effects[0].rows[0].rows.back(), 209u);
}

TEST(Effects, OneMethodOrGroupsOfRowsAreNotMerged) {
  Curve of_some = curve_of(Measure::mean, {1, 2, 3});
  of_some.group = "k = 1";
  EXPECT_TRUE(merged_effects({result_of("partial-dependence", {curve_of(Measure::mean, {1, 2, 3})})}).empty());
  EXPECT_TRUE(merged_effects(
                  {result_of("partial-dependence", {curve_of(Measure::mean, {1, 2, 3})}), result_of("ale", {of_some})})
                  .empty());
}

TEST(Effects, ResultsThatContradictOneAnotherAreNotMerged) {
  const Result first = result_of("partial-dependence", {curve_of(Measure::mean, {1, 2, 3})});
  const Result other = result_of("partial-dependence", {curve_of(Measure::mean, {1, 2, 4})});
  const Result local = result_of("ale", {curve_of(Measure::effect, {-1, 0, 1})});
  EXPECT_TRUE(merged_effects({first, other, local}).empty());
  EXPECT_EQ(merged_effects({first, first, local}).size(), 1u);
  // A curve that only came along with pairs gives way.
  Result beside = other;
  beside.results.emplace_back(Surface());
  const std::vector<Result> results{beside, first, local};
  const auto effects = merged_effects(results);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(effects[0].curves[0].mean[2], 3);
  // Another quantity cannot share the chart.
  Result margin = local;
  margin.model = Value::object({{"task", "binary"}});
  margin.options.set("scale", "margin");
  EXPECT_TRUE(merged_effects({first, margin}).empty());
}

TEST(Effects, WhereFeaturesGoTogetherAleIsShownAlone) {
  Result local = result_of("ale", {curve_of(Measure::effect, {-1, 0, 1})});
  Caveat caveat;
  caveat.id = "correlated-features";
  caveat.severity = Severity::caution;
  caveat.evidence = Value::object({{"feature", "b"}, {"other", "c"}, {"others", Value(std::vector<std::string>{"a"})}});
  Result dependence = result_of("partial-dependence", {curve_of(Measure::mean, {1, 2, 3})});
  dependence.caveats = {caveat};
  const std::vector<Result> results{dependence, local};
  const auto effects = merged_effects(results);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_TRUE(effects[0].goes_together);
  EXPECT_TRUE(effects[0].shows(EffectMethod::ale));
  EXPECT_FALSE(effects[0].shows(EffectMethod::partial_dependence));
  const Value spec = vega_spec(effects[0]);
  EXPECT_EQ(to_json(at(spec, {"params"})), R"([{"name":"show_pdp","value":false},{"name":"show_ale","value":true}])");
}

TEST(Effects, TheChartHasSignalsAndEveryNumberOnce) {
  const std::vector<Result> results{
      result_of("partial-dependence",
                {curve_of(Measure::mean, {5, 6, 8}, "yes"), curve_of(Measure::mean, {1, 1, 1}, "it's \"no\"\\")}),
      result_of("ale",
                {curve_of(Measure::effect, {-1, 0, 1}, "yes"), curve_of(Measure::effect, {0, 0, 0}, "it's \"no\"\\")})};
  const auto effects = merged_effects(results);
  ASSERT_EQ(effects.size(), 1u);
  const Value spec = vega_spec(effects[0]);
  EXPECT_EQ(to_json(at(spec, {"data", "values", "0"})),
            R"({"x":[0,1,2],"y":[5,6,8],"group":"partial dependence","output":"yes","half":[],"rows":[100,100,100]})");
  EXPECT_EQ(at(spec, {"data", "values"}).as_array().size(), 4u);
  EXPECT_EQ(at(spec, {"params", "2", "value"}).as_string(), "yes");
  // Names are data and values of signals, never parts of expressions.
  const std::string filter = at(spec, {"transform", "0", "filter"}).as_string();
  EXPECT_THAT(filter, ::testing::StartsWith("datum.output == output && "));
  EXPECT_THAT(filter, ::testing::Not(::testing::HasSubstr("it's")));
}

}  // namespace
}  // namespace sightglass
