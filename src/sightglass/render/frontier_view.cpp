#include "sightglass/render/frontier_view.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sightglass/base/error.h"
#include "sightglass/insight/interval.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"
#include "sightglass/render/vega/parts_internal.h"
#include "sightglass/result/fidelity_measure.h"

namespace sightglass {

namespace {

constexpr double lowest_shown = -0.5;  // of R², which has no lower end

const Frontier& frontier_of(const ItemGroup& group) { return *group.item<Frontier>(); }

std::string learner_text(const FrontierPoint& point) {
  return printable(point.title.empty() ? point.learner : point.title, 60);
}

std::vector<const FrontierPoint*> by_size(const Frontier& frontier) {
  std::vector<const FrontierPoint*> points;
  for (const FrontierPoint& point : frontier.points) points.push_back(&point);
  std::stable_sort(points.begin(), points.end(),
                   [](const FrontierPoint* a, const FrontierPoint* b) { return a->size < b->size; });
  return points;
}

const FrontierPoint* chosen_of(const Frontier& frontier) {
  const auto found = std::find_if(frontier.points.begin(), frontier.points.end(),
                                  [](const FrontierPoint& point) { return point.chosen; });
  return found != frontier.points.end() ? &*found : nullptr;
}

// Losses are in units of their own.
std::string value_text(const Frontier& frontier, double value) {
  return frontier.loss && in_units_of_target(*frontier.loss) ? readable(value) : readable_share(value);
}

bool is_lower_better(const Frontier& frontier) {
  return frontier.loss ? !is_score(*frontier.loss) : lower_is_better(frontier.measure);
}

std::string point_text(const Frontier& frontier, const FrontierPoint& point) {
  if (frontier.loss)
    return std::to_string(point.size) + " " + printable(frontier.size_name, 60) + ": " +
           value_text(frontier, point.value);
  return learner_text(point) + ", size " + std::to_string(point.size) + ": " + value_text(frontier, point.value);
}

struct Band {
  double low, high;
};
std::optional<Band> band_of(const FrontierPoint& point) {
  if (point.low && point.high) return Band{*point.low, *point.high};
  if (point.se) return Band{point.value - interval_width * *point.se, point.value + interval_width * *point.se};
  return std::nullopt;
}

std::string frontier_reading(const Result&, const ItemGroup& group) {
  const Frontier& frontier = frontier_of(group);
  if (frontier.loss) {
    return "Few " + printable(frontier.size_name, 60) +
           " follow single rows, many blur what differs. Bands show how sure these numbers are.";
  }
  std::string text =
      "Each dot is a model: the farther right, the larger it is (each step doubles the size), the higher, the better "
      "it follows "
      "the model on rows that it was not fitted to. The broad grey line joins those to which no smaller one is "
      "superior.";
  if (chosen_of(frontier) != nullptr) text += " The ring marks the one from which on more size brings little.";
  if (std::any_of(frontier.points.begin(), frontier.points.end(),
                  [](const FrontierPoint& point) { return band_of(point).has_value(); }))
    text += " Bands show how sure these numbers are.";
  return text;
}

std::string frontier_description(const Result&, const ItemGroup& group) {
  const Frontier& frontier = frontier_of(group);
  if (frontier.loss) {
    std::string left = std::string(label_of(*frontier.loss)) + " (" + (is_lower_better(frontier) ? "less" : "more") +
                       " is better) of rows that are predicted by the others, with more and more " +
                       printable(frontier.size_name, 60) + ".";
    if (const FrontierPoint* point = chosen_of(frontier))
      left += " The model has " + point_text(frontier, *point) + ".";
    return left;
  }
  std::string text = "fidelity (" + fidelity_title(frontier.measure) + ") against size of " +
                     std::to_string(frontier.points.size()) + " models.";
  if (const FrontierPoint* point = chosen_of(frontier))
    text += " Chosen: " + point_text(frontier, *point) + "; from there on more size brings little.";
  const bool lower = is_lower_better(frontier);
  const FrontierPoint* top = nullptr;
  for (const FrontierPoint& point : frontier.points) {
    const bool better = top == nullptr || (lower ? point.value < top->value : point.value > top->value);
    if (std::isfinite(point.value) && better) top = &point;
  }
  if (top != nullptr) text += " Best: " + point_text(frontier, *top) + ".";
  return text;
}

void frontier_section(text::Page& page, const ItemGroup& group) {
  const Frontier& frontier = frontier_of(group);
  const std::string qualifier = group_qualifier(page.result(), group);
  std::string measure = fidelity_title(frontier.measure);
  if (!page.unicode()) {
    if (const auto at = measure.find("²"); at != std::string::npos) measure.replace(at, 2, "^2");
  }
  page.title(group_title(group) + (qualifier.empty() ? "" : page.dot() + qualifier), measure);
  std::vector<text::Bar> bars;
  for (const FrontierPoint* point : by_size(frontier)) {
    const auto band = band_of(*point);
    bars.push_back({.name = page.fitted(std::to_string(point->size) + "  " +
                                            (frontier.loss ? printable(frontier.size_name, 60) : learner_text(*point)),
                                        34),
                    .value = std::max(point->value, lowest_shown),
                    .cells = {page.ascii(value_text(frontier, point->value)),
                              band ? page.ascii(value_text(frontier, band->low)) + " to " +
                                         page.ascii(value_text(frontier, band->high))
                                   : "",
                              point->chosen ? "chosen"
                              : point->best ? "best"
                                            : ""},
                    .faded = !point->best});
  }
  page.bars(bars, {frontier.loss ? "left out" : "held out", "", ""});
  if (frontier.loss) return page.wrapped(frontier_description(page.result(), group), 2);
  page.wrapped("Sizes are " + printable(frontier.size_name, 60) +
                   "; best: no smaller one is better; chosen: from there on more size brings little.",
               2);
}

Value size_encoding(const Frontier& frontier) {
  double low = INFINITY, high = 1;
  for (const FrontierPoint& point : frontier.points) {
    const auto size = static_cast<double>(std::max<std::uint64_t>(point.size, 1));
    low = std::min(low, size);
    high = std::max(high, size);
  }
  low = std::min(low, high);
  Value ticks = Value::array();
  const int first = static_cast<int>(std::floor(std::log2(low))), last = static_cast<int>(std::ceil(std::log2(high)));
  const int step = std::max(1, (last - first) / 8);
  for (int power = first; power <= last; power += step) ticks.push_back(std::exp2(power));
  Value x = vega::field("x", "quantitative");
  x.set("scale",
        Value::object(
            {{"type", "log"},
             {"base", 2},
             {"nice", false},
             {"domain", Value::array().push_back(vega::plotted(low / 1.18)).push_back(vega::plotted(high * 1.18))}}));
  x.set("axis", Value::object({{"title", ordinary_name(printable(frontier.size_name, 80))},
                               {"values", ticks},
                               {"format", ",d"},
                               {"grid", false}}));
  return x;
}

Value frontier_chart(const Result&, const ItemGroup& group, int) {
  const Frontier& frontier = frontier_of(group);
  if (frontier.points.empty()) return vega::message_chart("nothing was measured");
  std::vector<std::string> learners, titles;
  for (const FrontierPoint& point : frontier.points) {
    if (std::find(learners.begin(), learners.end(), point.learner) != learners.end()) continue;
    learners.push_back(point.learner);
    titles.push_back(learner_text(point));
  }
  const std::vector<std::string> labels = unique_labels(titles);
  std::map<std::string, std::string> label_of;
  for (std::size_t i = 0; i < learners.size(); ++i) label_of[learners[i]] = labels[i];

  Value::Array rows, best, knee;
  vega::Domain domain;
  bool any_band = false;
  for (const FrontierPoint* point : by_size(frontier)) {
    if (!std::isfinite(point->value)) continue;
    const double size = static_cast<double>(std::max<std::uint64_t>(point->size, 1));
    Value row = Value::object({{"x", vega::plotted(size)},
                               {"y", vega::plotted(point->value)},
                               {"size", Value(point->size)},
                               {"group", label_of[point->learner]},
                               {"kind", point->chosen   ? "chosen"
                                        : frontier.loss ? "tried"
                                        : point->best   ? "on the frontier"
                                                        : "not on the frontier"},
                               {"shown", point->best || frontier.loss ? 1.0 : 0.45}});
    domain.add(std::max(point->value, lowest_shown));
    if (const auto band = band_of(*point); band && std::isfinite(band->low) && std::isfinite(band->high)) {
      any_band = true;
      row.set("low", vega::plotted(band->low)).set("high", vega::plotted(band->high));
      domain.add(std::max(band->low, lowest_shown));
      domain.add(band->high);
    }
    if (point->best) best.push_back(Value::object({{"x", vega::plotted(size)}, {"y", vega::plotted(point->value)}}));
    if (point->chosen && knee.empty()) {
      Value label = row;
      knee.push_back(label.set("label", point_text(frontier, *point)));
    }
    rows.push_back(std::move(row));
  }
  Value y =
      vega::quantity_encoding("y",
                              frontier.loss ? std::string(sightglass::label_of(*frontier.loss)) + " of rows left out"
                                            : "fidelity on held-out rows (" + fidelity_title(frontier.measure) + ")",
                              false, domain.any);
  const double margin = 0.04 * domain.span();
  y.set("scale", Value::object({{"domain", Value::array()
                                               .push_back(vega::plotted(domain.low - margin))
                                               .push_back(vega::plotted(domain.high + 2 * margin))},
                                {"nice", false},
                                {"zero", false}}));
  const Value x = size_encoding(frontier);
  Value color = vega::group_color(labels, "");
  if (labels.size() > 1) color.set("legend", vega::line_legend("").set("offset", 24));  // room for the knee's name
  std::vector<vega::TooltipField> fields{{"group", "model", false},
                                         {"size", "size"},
                                         {"y", frontier.loss ? "value" : "fidelity"},
                                         {"kind", "which is", false}};
  if (any_band) {
    fields.push_back({"low", "low"});
    fields.push_back({"high", "high"});
  }
  const Value tip = vega::tooltip(fields);

  Value layers = Value::array();
  if (best.size() > 1) {  // behind everything, as broad as a road
    layers.push_back(Value::object(
        {{"data", vega::inline_data(std::move(best))},
         {"mark", Value::object({{"type", "line"},
                                 {"strokeWidth", 11},
                                 {"strokeCap", "round"},
                                 {"strokeJoin", "round"},
                                 {"opacity", 0.22},
                                 {"tooltip", Value()}})},
         {"encoding", Value::object({{"x", x}, {"y", y}, {"color", Value::object({{"value", vega::muted_ink}})}})}}));
  }
  const Value data = vega::inline_data(std::move(rows));
  if (any_band) {
    layers.push_back(Value::object(
        {{"data", data},
         {"mark", Value::object({{"type", "area"}, {"opacity", 0.13}, {"clip", true}, {"tooltip", Value()}})},
         {"encoding", Value::object({{"x", x},
                                     {"y", Value(y).set("field", "low")},
                                     {"y2", Value::object({{"field", "high"}})},
                                     {"color", color}})}}));
  }
  layers.push_back(Value::object(
      {{"data", data},
       {"mark", Value::object({{"type", "line"}, {"strokeWidth", 1.6}, {"clip", true}, {"tooltip", Value()}})},
       {"encoding", Value::object({{"x", x}, {"y", y}, {"color", color}})}}));
  Value opacity = vega::field("shown", "quantitative");
  layers.push_back(Value::object(
      {{"data", data},
       {"mark", Value::object({{"type", "point"}, {"filled", true}, {"size", 62}, {"clip", true}})},
       {"encoding",
        Value::object(
            {{"x", x}, {"y", y}, {"color", color}, {"opacity", opacity.set("scale", Value())}, {"tooltip", tip}})}}));
  if (!knee.empty()) {
    const Value::Array& ends = x.find("scale")->find("domain")->as_array();
    const double low = std::log2(ends[0].as_number()), high = std::log2(ends[1].as_number());
    const double share = (std::log2(knee[0].find("x")->as_number()) - low) / (high - low);
    const Value knees = vega::inline_data(std::move(knee));
    layers.push_back(Value::object(
        {{"data", knees},
         {"mark",
          Value::object({{"type", "point"}, {"filled", false}, {"size", 260}, {"strokeWidth", 2}, {"opacity", 1}})},
         {"encoding", Value::object({{"x", x}, {"y", y}, {"color", color}, {"tooltip", tip}})}}));
    // Its name above all lines, with a thread down to the ring.
    const Value ink = Value::object({{"value", vega::muted_ink}});
    layers.push_back(Value::object(
        {{"data", knees},
         {"mark", Value::object(
                      {{"type", "rule"}, {"strokeWidth", 1}, {"opacity", 0.8}, {"yOffset", -9}, {"tooltip", Value()}})},
         {"encoding", Value::object({{"x", x}, {"y", y}, {"y2", Value::object({{"value", 0}})}, {"color", ink}})}}));
    Value mark = Value::object({{"type", "text"}, {"style", "on-middle"}, {"baseline", "bottom"}, {"dy", -3}});
    mark.set("align", share < 0.3 ? "left" : share > 0.7 ? "right" : "center");
    mark.set("fontSize", 12).set("fontWeight", 600).set("limit", 300).set("tooltip", Value());
    layers.push_back(Value::object({{"data", knees},
                                    {"mark", mark},
                                    {"encoding", Value::object({{"x", x},
                                                                {"y", Value::object({{"value", 0}})},
                                                                {"text", vega::field("label", "nominal")}})}}));
  }
  return Value::object({{"width", vega::chart_width}, {"height", vega::chart_height + 30}, {"layer", layers}});
}

std::vector<std::string> frontier_chips(const ItemGroup& group) {
  const FrontierPoint* point = chosen_of(frontier_of(group));
  return point == nullptr ? std::vector<std::string>{}
                          : std::vector<std::string>{"chosen: " + point_text(frontier_of(group), *point)};
}

}  // namespace

ShapeView ViewOf<Frontier>::view() {
  return {.text = frontier_section,
          .chart = frontier_chart,
          .chapter = model_chapter(10),
          .words = {.describe = frontier_description, .how_to_read = frontier_reading, .badges = frontier_chips}};
}

}  // namespace sightglass
