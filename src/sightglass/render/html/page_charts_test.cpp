#include "sightglass/render/html/page_charts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "sightglass/base/error.h"
#include "sightglass/insight/groups.h"
#include "sightglass/plans/report/report.h"
#include "sightglass/result/json.h"
#include "support/function_model.h"
#include "support/random_data.h"

namespace sightglass {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Result> two_classes() {
  const testing::FunctionModel model({"a", "b", "d"},
                                     [](const std::vector<double>& x) {
                                       const double first = x[0] > x[1] ? 0.8 : x[0] * x[2] > 2 ? 0.5 : 0.3;
                                       return std::vector<double>{first, 1 - first};
                                     },
                                     {"yes", "no"});
  Context context(1);
  return report(model, testing::random_table(5, 120), Value::object({{"budget", "0"}, {"examples", 3}}), context);
}

std::string message_of(const std::vector<PageChart>& charts, const std::string& name) {
  try {
    (void)find_chart(charts, name);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

const Value& signal(const Value& spec, const std::string& name) {
  for (const auto& param : spec.find("params")->as_array()) {
    if (param.find("name")->as_string() == name) return *param.find("value");
  }
  throw std::runtime_error("no signal " + name);
}

TEST(PageCharts, HaveNamesOfTheirOwn) {
  const auto charts = page_charts(two_classes());
  std::vector<std::string> names;
  for (const auto& chart : charts) names.push_back(chart.name);
  EXPECT_THAT(names, Contains("effects/a"));
  EXPECT_THAT(names, Contains("interactions/a:b/partial-dependence"));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  for (const auto& chart : charts) EXPECT_EQ(&find_chart(charts, chart.name), &chart);
  EXPECT_EQ(find_chart(charts, "a").name, "effects/a");
  EXPECT_THAT(message_of(charts, "partial-dependence"), HasSubstr("interactions/a:b/partial-dependence"));
  EXPECT_THAT(message_of(charts, "nothing"), HasSubstr("there is no chart nothing"));
  EXPECT_THAT(message_of({}, "a"), HasSubstr("nothing to draw"));
}

TEST(PageCharts, ShowWhatIsAskedFor) {
  const auto charts = page_charts(two_classes());
  const PageChart& effect = find_chart(charts, "effects/a");
  ASSERT_EQ(effect.outputs.size(), 2U);
  EXPECT_THAT(effect.switches, Contains("ice"));
  const Value first = chart_alone(effect, "", {});
  EXPECT_EQ(signal(first, "output").as_string(), effect.outputs[0]);
  EXPECT_TRUE(signal(first, "show_ale").as_bool());
  EXPECT_EQ(to_json(*first.find("title")->find("text")), R"(["a · Effect"])");
  const Value other = chart_alone(effect, effect.outputs[1], {"ice", "mplot"});
  EXPECT_EQ(signal(other, "output").as_string(), effect.outputs[1]);
  EXPECT_FALSE(signal(other, "show_ale").as_bool());
  EXPECT_TRUE(signal(other, "show_ice").as_bool());
  EXPECT_TRUE(signal(other, "show_mplot").as_bool());
  EXPECT_THROW((void)chart_alone(effect, "third", {}), Error);
  EXPECT_THROW((void)chart_alone(effect, "", {"lime"}), Error);
}

TEST(PageCharts, AClassMayHaveTheNameOfAProperty) {
  PageChart chart;
  chart.name = "effects/a";
  chart.outputs = {ordinary_name("constructor"), "b"};
  chart.specs = {Value::object({{"of", 0}}), Value::object({{"of", 1}})};
  EXPECT_EQ(chart_alone(chart, "constructor", {}).find("of")->as_integer(), 0);
}

TEST(PageCharts, OfEveryOutputItsOwn) {
  const auto charts = page_charts(two_classes());
  const auto found =
      std::find_if(charts.begin(), charts.end(), [](const PageChart& chart) { return chart.specs.size() > 1; });
  ASSERT_NE(found, charts.end());
  ASSERT_EQ(found->outputs.size(), found->specs.size());
  for (std::size_t k = 0; k < found->outputs.size(); ++k) {
    const Value alone = chart_alone(*found, found->outputs[k], {});
    EXPECT_EQ(alone.find("title")->find("subtitle")->as_string(), found->outputs[k]);
    for (const auto& [name, value] : found->specs[k].as_object()) {
      if (name == "title") continue;
      EXPECT_EQ(to_json(*alone.find(name)), to_json(value)) << name;
    }
  }
  EXPECT_NE(to_json(chart_alone(*found, found->outputs[0], {})), to_json(chart_alone(*found, found->outputs[1], {})));
}

}  // namespace
}  // namespace sightglass
