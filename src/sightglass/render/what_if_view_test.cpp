#include "sightglass/render/what_if_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/render/html/payload_internal.h"
#include "sightglass/render/text/text_renderer.h"
#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/json.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Row 4, predicted "no": "yes" below 2 and from 7.5 on; of three levels one flips.
Result explained() {
  Curves x{.axis = {.feature = "x", .numbers = {0, 2, 5, 7.5, 10}}, .output = "yes", .rows = {4}, .total_rows = 9};
  x.values = {{0.8, 0.3, 0.3, 0.9, 0.9}};
  x.prediction = {0.3};
  x.predicted_class = {"no"};
  x.own_value = {5};
  x.swing = {0.6};
  x.flips = {{.row = 4, .value = 2, .from = "yes", .to = "no"}, {.row = 4, .value = 7.5, .from = "no", .to = "yes"}};
  x.slack_down = {3};
  x.slack_up = {2.5};
  Curves level = x;
  level.axis = {.feature = "season", .levels = {"dry", "wet", "cold"}};
  level.values = {{0.3, 0.7, 0.2}};
  level.own_value.clear();
  level.own_level = {"dry"};
  level.flips = {{.row = 4, .level = "wet", .from = "no", .to = "yes"}};
  level.slack_down.clear();
  level.slack_up.clear();
  Result result;
  result.method = "what-if";
  result.about = {.title = "What if", .family = Family::local};
  result.results.emplace_back(std::move(x));
  result.results.emplace_back(std::move(level));
  return result;
}

TEST(WhatIfView, TellsHowFarEachValueCanMove) {
  const std::string text = render_text(explained(), {.width = 160});
  EXPECT_THAT(text, HasSubstr("Before the class changes: x can fall by 3 or rise by less than 2.5; season can also be "
                              "cold."));
}

TEST(WhatIfView, SlackIsWrittenAsAPersonWould) {
  const auto told = [](std::optional<double> down, std::optional<double> up) {
    Result result = explained();
    result.results[0].as<Curves>()->slack_down = {down};
    result.results[0].as<Curves>()->slack_up = {up};
    return render_text(result, {.width = 160});
  };
  EXPECT_THAT(told(0, std::nullopt), HasSubstr("x can rise freely, but not fall;"));
  EXPECT_THAT(told(std::nullopt, 149), HasSubstr("x can fall freely or rise by less than 149;"));
  Result all = explained();
  Curves& season = *all.results[1].as<Curves>();
  season.flips.push_back({.row = 4, .level = "cold", .from = "no", .to = "yes"});
  EXPECT_THAT(render_text(all, {.width = 160}), HasSubstr("season cannot be another level."));
}

TEST(WhatIfView, AMissingValueIsOnNoSideOfAChange) {
  Result result = explained();
  result.results.pop_back();
  Curves& x = *result.results[0].as<Curves>();
  x.own_value = {std::nullopt};
  x.slack_down.clear();
  x.slack_up.clear();
  const std::string text = render_text(result, {.width = 160});
  EXPECT_THAT(text, Not(HasSubstr("Before the class changes")));
  EXPECT_THAT(text, HasSubstr("class changes with x below 2: yes; from 2 on: no; from 7.5 on: yes"));
}

TEST(WhatIfView, SlackBarsAreSharesOfTheRange) {
  const std::string chart = render_vega(explained());
  EXPECT_THAT(chart, HasSubstr("before the class changes"));
  // The class holds from 2 to 7.5 of 0 to 10, and the row is in the middle.
  EXPECT_THAT(chart, HasSubstr(R"("from":0.2,"to":0.75,"range":"2 to 7.5","predicted":"no")"));
  EXPECT_THAT(chart, HasSubstr(R"("from":0.5,"moves":"can fall by 3 or rise by less than 2.5")"));
  Result still = explained();
  for (ResultItem& item : still.results) item.as<Curves>()->flips.clear();
  EXPECT_THAT(render_vega(still), Not(HasSubstr("before the class changes")));
}

TEST(WhatIfView, APageHasTheBarsAsAChartOfTheirOwn) {
  const auto charts = [](const Result& result) {
    std::vector<std::string> names;
    const Value payload = page_payload({result}, "");
    for (const Value& chart : payload.find("sections")->as_array()[0].find("charts")->as_array())
      names.push_back(chart.find("method")->as_string());
    return names;
  };
  EXPECT_THAT(charts(explained()), ::testing::ElementsAre("What if", "How far each value can move"));
  Result still = explained();
  for (ResultItem& item : still.results) item.as<Curves>()->flips.clear();
  EXPECT_THAT(charts(still), ::testing::ElementsAre("What if"));
}

TEST(WhatIfView, SlackSurvivesJson) {
  const std::string json = to_json(explained());
  EXPECT_THAT(json, HasSubstr(R"("slack_down":[3])"));
  EXPECT_EQ(to_json(result_from_json(json, "test")), json);
}

}  // namespace
}  // namespace sightglass
