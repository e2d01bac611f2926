#include "made_up/ladder_view.h"

#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass {

namespace {

void section(text::Page& page, const ItemGroup& group) {
  const auto& ladder = group.item->get<Ladder>();
  page.title(group_title(group), "");
  std::vector<text::Bar> bars;
  for (std::size_t i = 0; i < ladder.rungs.size(); ++i)
    bars.push_back({.name = ladder.rungs[i], .value = ladder.heights[i], .cells = {page.number(ladder.heights[i])}});
  page.bars(bars, {"height"});
}

Value chart(const Result&, const ItemGroup& group, int) {
  const auto& ladder = group.item->get<Ladder>();
  Value::Array rows;
  for (std::size_t i = 0; i < ladder.rungs.size(); ++i)
    rows.push_back(Value::object({{"x", ladder.rungs[i]}, {"y", vega::plotted(ladder.heights[i])}}));
  return Value::object(
      {{"width", vega::chart_width},
       {"height", vega::chart_height},
       {"data", vega::inline_data(std::move(rows))},
       {"mark", "bar"},
       {"encoding", Value::object({{"x", vega::field("x", "nominal")}, {"y", vega::field("y", "quantitative")}})}});
}

std::string description(const Result&, const ItemGroup& group) {
  return "a ladder of " + std::to_string(group.item->get<Ladder>().rungs.size()) + " rungs.";
}

}  // namespace

ShapeView ViewOf<Ladder>::view() {
  return {.text = section,
          .chart = chart,
          .chapter = PageChapter{"ladders", "How high it goes", "Ladders, from the ground up."},
          .words = {.describe = description}};
}

}  // namespace sightglass
