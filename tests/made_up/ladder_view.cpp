#include "made_up/ladder_view.h"

#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass {

namespace {

void section(text::Page& page, const ItemGroup& group) {
  const Ladder& ladder = *group.item<Ladder>();
  page.title(group_title(group), "");
  std::vector<text::Bar> bars;
  for (const Rung& rung : ladder.rungs)
    bars.push_back({.name = rung.name, .value = rung.height, .cells = {page.number(rung.height)}});
  page.bars(bars, {"height"});
}

Value chart(const Result&, const ItemGroup& group, int) {
  const Ladder& ladder = *group.item<Ladder>();
  Value::Array rows;
  for (const Rung& rung : ladder.rungs)
    rows.push_back(Value::object({{"x", rung.name}, {"y", vega::plotted(rung.height)}}));
  return Value::object(
      {{"width", vega::chart_width},
       {"height", vega::chart_height},
       {"data", vega::inline_data(std::move(rows))},
       {"mark", "bar"},
       {"encoding", Value::object({{"x", vega::field("x", "nominal")}, {"y", vega::field("y", "quantitative")}})}});
}

std::string description(const Result&, const ItemGroup& group) {
  return "a ladder of " + std::to_string(group.item<Ladder>()->rungs.size()) + " rungs.";
}

}  // namespace

ShapeView ViewOf<Ladder>::view() {
  return {.text = section,
          .chart = chart,
          .chapter = PageChapter{"ladders", "How high it goes", "Ladders, from the ground up."},
          .words = {.describe = description}};
}

}  // namespace sightglass
