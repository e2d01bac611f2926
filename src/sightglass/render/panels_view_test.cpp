#include "sightglass/render/panels_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/render/html/payload_internal.h"
#include "sightglass/render/text/text_renderer.h"
#include "sightglass/render/vega/panels_chart_internal.h"
#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/json.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ShownPanels covering(const std::string& first = "temp") {
  ShownPanels item;
  item.form = PanelForm::covering;
  item.classes = {"no", "yes"};
  item.order = {"no", "yes"};
  item.unclaimed = 0.25;
  ShownPanel panel;
  panel.axes = {{.feature = first, .numbers = {0, 1, 2}}, {.feature = "wind", .numbers = {0, 10}}};
  panel.region = {{-1, -1}, {-1, 2}, {0.5, 3}};
  panel.threshold = 1;
  panel.box = {0.5, 2, 5, 10};
  panel.claims = "yes";
  panel.count = 10;
  panel.claimed = 3;
  panel.score = 3;
  panel.runners_up = {{{"wind"}, 0.5}};
  panel.marks = {.rows = {4, 9}, .x = {1.5, 0}, .y = {10, 0}, .classes = {1, 0}, .above = {1, 0}};
  item.panels = {panel};
  return item;
}

Result result_with(const ShownPanels& item) {
  Result result;
  result.method = "covering-2d";
  result.results.push_back(item);
  return result;
}

TEST(PanelsView, RegionIsAboveTheThresholdAndInTheBox) {
  ShownPanels item = covering();
  const ShownPanel& panel = item.panels[0];
  EXPECT_TRUE(in_region(panel, 1, 1));
  EXPECT_TRUE(in_region(panel, 2, 1));
  EXPECT_FALSE(in_region(panel, 2, 0));
  item.panels[0].box[1] = 1.5;
  EXPECT_FALSE(in_region(panel, 2, 1));
  item.panels[0].box.clear();
  EXPECT_TRUE(in_region(panel, 2, 1));
}

TEST(PanelsView, TextSaysWhatIsClaimed) {
  const std::string text = render_text(result_with(covering()), {.unicode = false});
  EXPECT_THAT(text, HasSubstr("No training row of no is claimed for another class"));
  EXPECT_THAT(text, HasSubstr("25 % of the other rows"));
  EXPECT_THAT(text, HasSubstr("claims 3 of 10 rows as yes, 0 wrongly"));
  EXPECT_THAT(text, HasSubstr("Nearly as good: wind (50 % of what it claimed)"));
  EXPECT_THAT(text, HasSubstr("o yes"));
}

TEST(PanelsView, TreeInText) {
  ShownPanels item = covering();
  item.form = PanelForm::hierarchical;
  item.panels[0].above = PanelSide{.panel = {}, .predicted_class = "yes", .share = 0.75, .count = 6};
  item.panels[0].below = PanelSide{.panel = {}, .predicted_class = "no", .share = 1, .count = 4};
  const std::string text = render_text(result_with(item), {.unicode = false});
  EXPECT_THAT(text, HasSubstr("|- on the side of yes: yes (75 % of 6 rows)"));
  EXPECT_THAT(text, HasSubstr("`- else: no (100 % of 4 rows)"));
}

// Three leaves: the second panel stands behind the first one's other side.
ShownPanels tree_of_two() {
  ShownPanels item = covering();
  item.form = PanelForm::hierarchical;
  item.order.clear();
  item.panels.push_back(item.panels[0]);
  item.panels[0].above = PanelSide{.panel = {}, .predicted_class = "yes", .share = 0.75, .count = 6};
  item.panels[0].below = PanelSide{.panel = 1, .predicted_class = "no", .share = 1, .count = 4};
  item.panels[1].above = PanelSide{.panel = {}, .predicted_class = "yes", .share = 1, .count = 1};
  item.panels[1].below = PanelSide{.panel = {}, .predicted_class = "no", .share = 1, .count = 3};
  return item;
}

TEST(PanelsView, TreeOfPanels) {
  const std::string spec = to_json(vega::panels_chart(tree_of_two(), 2));
  EXPECT_THAT(spec, HasSubstr(R"("text":"The tree")"));
  EXPECT_THAT(spec, HasSubstr(R"("text":"Panel 2, from panel 1, else")"));
  EXPECT_THAT(spec, HasSubstr(R"({"x":0.5,"y":-0.8,"group":"yes"})"));  // the first leaf, below the root
  EXPECT_THAT(spec, HasSubstr(R"({"x":2.5,"y":-1.8,"group":"no"})"));   // the last one, below the second panel
  EXPECT_THAT(spec, HasSubstr(R"("label":"75 % of 6")"));
  // Nine panels have more leaves than a phone is wide.
  ShownPanels many = tree_of_two();
  for (std::uint64_t i = 1; i < 9; ++i) {
    many.panels[i].below->panel = i + 1;
    many.panels.push_back(many.panels[i]);
  }
  many.panels[9].below->panel.reset();
  EXPECT_THAT(to_json(vega::panels_chart(many, 2)), Not(HasSubstr("The tree")));
}

TEST(PanelsView, TheWayOfARow) {
  ShownPanels item = covering();
  item.form = PanelForm::hierarchical;
  item.order.clear();
  item.row = 4;
  item.predicted = "yes";
  item.details.set("share", 0.75).set("vote", 0.625);
  item.panels.push_back(item.panels[0]);
  item.panels[0].number = 0;
  item.panels[0].decision = -0.5;
  item.panels[0].marks.above = {0, 0};
  item.panels[1].number = 6;
  item.panels[1].decision = 2;
  const std::string text = render_text(result_with(item), {.unicode = true});
  EXPECT_THAT(text, HasSubstr("not on the side of yes (-0.5, threshold 1) → panel 7"));
  EXPECT_THAT(render_text(result_with(item), {.unicode = false}), HasSubstr("threshold 1) -> panel 7"));
  EXPECT_THAT(text, HasSubstr("Panel 7: temp"));
  EXPECT_THAT(text, HasSubstr("on the side of yes (2, threshold 1) → yes"));
  EXPECT_THAT(text, HasSubstr("a share of 75 % in the leaf"));
  EXPECT_THAT(text, HasSubstr("vote 62 % for yes"));
  const std::string spec = to_json(vega::panels_chart(item, 2));
  EXPECT_THAT(spec, HasSubstr("→ panel 7"));
  EXPECT_THAT(spec, HasSubstr(R"("size":130)"));
}

// Lines wider than a phone would leave no room for the panel.
TEST(PanelsView, LongWordsStandInLines) {
  ShownPanels item = covering();
  item.panels[0].runners_up = {{{"worst concave points", "standard error of fractal dimension"}, 0.9}};
  for (const int columns : {1, 2}) {
    const Value chart = vega::panels_chart(item, columns);
    const auto& lines = chart.find("title")->find("subtitle")->as_array();
    EXPECT_GT(lines.size(), 2U);
    for (const Value& line : lines) EXPECT_LE(line.as_string().size(), columns == 1 ? 45U : 57U);  // × has two bytes
  }
}

TEST(PanelsView, SaysWhatIsNotAsPromised) {
  ShownPanels item = covering();
  item.details.set("preferred_by", "rarest");
  EXPECT_THAT(render_text(result_with(item), {.unicode = false}), HasSubstr("Most critical is no because"));
  item.details.set("preferred_by", "first");
  EXPECT_THAT(render_text(result_with(item), {.width = 200, .unicode = false}),
              HasSubstr("Most critical is no: no class is rarer"));
  item.missed = 2;
  const std::string text = render_text(result_with(item), {.unicode = false});
  EXPECT_THAT(text, HasSubstr("2 training rows of no are claimed for another class"));
  EXPECT_THAT(text, Not(HasSubstr("No training row")));
  item.tolerated = {7};
  EXPECT_THAT(render_text(result_with(item), {.unicode = false}), HasSubstr(": 1 tolerated;"));
  item.row = 4;
  item.predicted = "no";
  item.details.set("verdict", "contradiction");
  EXPECT_THAT(render_text(result_with(item), {.unicode = false}),
              HasSubstr("most critical of the classes that panels claim"));
  item.details.set("verdict", "none");
  EXPECT_THAT(render_text(result_with(item), {.unicode = false}), HasSubstr("no panel claims it for any"));
}

TEST(PanelsView, ChartShadesTheRegionAndMarksRows) {
  const std::string spec = to_json(vega::panels_chart(covering(), 2));
  // At 5/6 of the way from the first to the second column values go from -1 to 1.5 and cross 1 at 8; behind the second
  // column the box ends the region at 5.
  EXPECT_THAT(spec, HasSubstr(R"({"group":"yes","x":0.666667,"x2":1,"y":8,"y2":10})"));
  EXPECT_THAT(spec, HasSubstr(R"({"group":"yes","x":1.33333,"x2":2,"y":5,"y2":10})"));
  EXPECT_THAT(spec, HasSubstr(R"("above":"claimed")"));
  EXPECT_THAT(spec, HasSubstr(R"("above":"not claimed")"));
  EXPECT_THAT(spec, Not(HasSubstr("concat")));
  ShownPanels several = covering();
  several.trade_off = {{0.1, 0.5, true}};
  EXPECT_THAT(to_json(vega::panels_chart(several, 2)), HasSubstr("Safety against coverage"));
  EXPECT_THAT(to_json(vega::panels_chart(several, 1)), HasSubstr("vconcat"));
  several.panels.clear();
  EXPECT_THAT(to_json(vega::panels_chart(several, 2)), HasSubstr("No panel claims rows"));
}

TEST(PanelsView, HostileNamesAndLevels) {
  ShownPanels item = covering("<b>\"q\" & {x} constructor");
  item.panels[0].axes[1] = {.feature = "isle", .levels = {"constructor", "<i>"}, .categorical = true};
  item.panels[0].region = {{2, 2}, {2, 2}, {2, 2}};
  item.panels[0].box = {0, 2, 0, 1};
  item.panels[0].marks.y = {0, 1};
  EXPECT_NO_THROW(static_cast<void>(render_text(result_with(item))));
  EXPECT_NO_THROW(static_cast<void>(to_json(vega::panels_chart(item, 2))));
  item.panels[0].marks.y = {1e300, -5};  // places that there are not
  EXPECT_NO_THROW(static_cast<void>(render_text(result_with(item))));
  EXPECT_NO_THROW(static_cast<void>(to_json(vega::panels_chart(item, 2))));
}

}  // namespace
}  // namespace sightglass
