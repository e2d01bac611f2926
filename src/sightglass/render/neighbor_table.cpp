#include "sightglass/render/neighbor_table.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"
#include "sightglass/render/vega/labelled_bars_internal.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t features_shown = 24, neighbors_shown = 7, neighbors_on_phones = 3;
constexpr double clear_difference = 0.1;  // of the range, from which on text marks it
constexpr const char* other_level_color = "#CC79A7";

std::string value_text(const Value* value, DateKind dates) {
  if (value == nullptr || value->is_null()) return "missing";
  return readable_value(*value, dates, 24);
}

const Oddity* difference_of(const Example& neighbor, const std::string& feature) {
  const auto found = std::find_if(neighbor.special.begin(), neighbor.special.end(),
                                  [&](const Oddity& oddity) { return oddity.feature == feature; });
  return found != neighbor.special.end() && found->difference ? &*found : nullptr;
}

std::vector<std::string> features_to_show(const Examples& neighbors, std::size_t most) {
  std::vector<std::string> shown = neighbors.features;
  if (shown.size() <= most) return shown;
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t j = 0; j < shown.size(); ++j) {
    double sum = 0;
    for (const Example& neighbor : neighbors.rows) {
      if (const Oddity* oddity = difference_of(neighbor, shown[j])) sum -= std::abs(*oddity->difference);
    }
    order.emplace_back(sum, j);
  }
  std::sort(order.begin(), order.end());
  order.resize(most);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<std::string> kept;
  for (const auto& [sum, j] : order) kept.push_back(shown[j]);
  return kept;
}

std::string own_prediction(const Examples& neighbors) {
  const Value* prediction = neighbors.details.find("own_prediction");
  return prediction != nullptr && prediction->is_number() ? readable(prediction->as_number()) : std::string();
}

}  // namespace

NeighborTable neighbor_table(const Examples& neighbors, std::size_t most_neighbors, std::size_t most_features) {
  NeighborTable table;
  const std::size_t count = std::min(neighbors.rows.size(), most_neighbors);
  table.neighbors_left_out = neighbors.rows.size() - count;
  table.columns = {"this row"};
  for (std::size_t i = 0; i < count; ++i)
    table.columns.push_back(row_name(neighbors.rows[i].row, neighbors.rows[i].row_label));
  const auto add = [&](std::string title, std::string own, const auto& cell) {
    NeighborTable::Line& line = table.lines.emplace_back();
    line.title = std::move(title);
    line.cells.push_back({.text = std::move(own)});
    for (std::size_t i = 0; i < count; ++i) line.cells.push_back(cell(neighbors.rows[i]));
  };
  using Cell = NeighborTable::Cell;
  const auto any = [&](const auto& has) { return std::any_of(neighbors.rows.begin(), neighbors.rows.end(), has); };
  if (any([](const Example& each) { return !each.predicted_class.empty(); })) {
    add("predicted class", printable(text_member(neighbors.details, "own_predicted"), 24),
        [](const Example& each) { return Cell{.text = printable(each.predicted_class, 24)}; });
  }
  if (any([](const Example& each) { return each.prediction.has_value(); })) {
    add("prediction", own_prediction(neighbors),
        [](const Example& each) { return Cell{.text = each.prediction ? readable(*each.prediction) : std::string()}; });
  }
  if (any([](const Example& each) { return !each.own_class.empty() || each.target; })) {
    const Value* own = neighbors.details.find("own_outcome");
    const std::string own_text = own == nullptr     ? std::string()
                                 : own->is_string() ? printable(own->as_string(), 24)
                                 : own->is_number() ? readable(own->as_number())
                                                    : std::string();
    add("outcome", own_text, [](const Example& each) {
      return Cell{.text = !each.own_class.empty() ? printable(each.own_class, 24)
                          : each.target           ? readable(*each.target)
                                                  : std::string()};
    });
  }
  if (std::any_of(neighbors.rows.begin(), neighbors.rows.end(),
                  [](const Example& each) { return each.stands_for && *each.stands_for != 1; }))
    add("counts", "", [](const Example& each) { return Cell{.text = readable(each.stands_for.value_or(1))}; });
  add("distance", "",
      [](const Example& each) { return Cell{.text = each.score ? readable(*each.score) : std::string()}; });
  const std::vector<std::string> features = features_to_show(neighbors, most_features);
  table.features_left_out = neighbors.features.size() - features.size();
  const Value* own = neighbors.details.find("own");
  for (const std::string& feature : features) {
    const bool known = own != nullptr && own->is_object();
    const DateKind dates = date_kind(neighbors.dates, feature);
    add(printable(feature, 60), known ? value_text(own->find(feature), dates) : "", [&](const Example& each) {
      const Value* value = each.data.find(feature);
      Cell cell{.text = value_text(value, dates)};
      if (const Oddity* oddity = difference_of(each, feature)) {
        cell.difference = *oddity->difference;
        cell.other_level = value != nullptr && value->is_string();
      }
      return cell;
    });
  }
  return table;
}

std::string left_out_features(const Examples& neighbors) {
  const std::size_t shown = std::min(neighbors.features.size(), features_shown),
                    rest = neighbors.features.size() - shown;
  if (rest == 0) return {};
  return " " + std::to_string(rest) +
         (rest == 1 ? " feature that differs less is left out." : " features that differ less are left out.");
}

void neighbor_section(text::Page& page, const Examples& neighbors) {
  if (neighbors.rows.empty()) {
    page.line(std::string("  ") + no_neighbors_text);
    return;
  }
  const NeighborTable table = neighbor_table(neighbors, neighbors.rows.size(), features_shown);
  std::vector<text::TableColumn> columns(1);
  columns[0].left = true;
  int used = 4;
  for (const NeighborTable::Line& line : table.lines) columns[0].cells.push_back(page.fitted(line.title, 24));
  const auto width_of = [](const text::TableColumn& column) {
    int width = text_width(column.title);
    for (const std::string& cell : column.cells) width = std::max(width, text_width(cell));
    return width + 3;
  };
  used += width_of(columns[0]);
  std::size_t shown = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    text::TableColumn column{table.columns[i], {}, false};
    for (const NeighborTable::Line& line : table.lines) {
      const NeighborTable::Cell& cell = line.cells[i];
      column.cells.push_back(page.fitted(page.ascii(cell.text), 18) +
                             (std::abs(cell.difference) >= clear_difference ? "*" : " "));
    }
    used += width_of(column);
    if (used > page.width() && i > 1) break;
    columns.push_back(std::move(column));
    shown = i;
  }
  page.table(columns);
  std::string note = "* another level, or another number by a tenth of the range or more.";
  note += left_out_features(neighbors);
  if (shown < neighbors.rows.size())
    note += " " + std::to_string(neighbors.rows.size() - shown) +
            (neighbors.rows.size() - shown == 1 ? " more neighbour" : " more neighbours") + ": csv and json have all.";
  page.wrapped(note, 2);
}

namespace {

// Small differences are to be seen too.
double shade_of(const NeighborTable::Cell& cell) {
  return cell.difference == 0 ? 0 : 0.05 + 0.65 * std::sqrt(std::min(1.0, std::abs(cell.difference)));
}

// Of classes that disagree.
Value vote_bars(const Examples& neighbors, bool narrow) {
  const Value* vote = neighbors.details.find("vote");
  if (vote == nullptr || !vote->is_object()) return {};
  vega::LabelledBars chart;
  chart.title = "share of the vote";
  chart.groups = {"all"};
  chart.domain.add(0);
  chart.domain.add(1);
  chart.fixed = true;
  for (const auto& [name, share] : vote->as_object()) {
    if (!share.is_number() || !(share.as_number() > 0)) continue;
    chart.bars.push_back({.label = printable(name, 60) + " · " + percent(share.as_number()),
                          .value = share.as_number(),
                          .group = "all"});
  }
  if (vote->as_object().size() < 2 || chart.bars.size() < 2) return {};
  return labelled_bars(chart, narrow ? vega::letters_per_narrow_line : vega::letters_per_line);
}

}  // namespace

Value neighbor_chart(const Examples& neighbors, bool narrow) {
  const NeighborTable table = neighbor_table(neighbors, narrow ? neighbors_on_phones : neighbors_shown, features_shown);
  std::vector<std::string> titles;
  for (const NeighborTable::Line& line : table.lines) titles.push_back(line.title);
  const std::vector<std::string> labels = unique_labels(titles);
  Value::Array cells;
  for (std::size_t l = 0; l < table.lines.size(); ++l) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const NeighborTable::Cell& cell = table.lines[l].cells[i];
      cells.push_back(Value::object({{"x", table.columns[i]},
                                     {"y", labels[l]},
                                     {"label", cell.text},
                                     {"kind", cell.other_level      ? "another level"
                                              : cell.difference > 0 ? "higher"
                                              : cell.difference < 0 ? "lower"
                                                                    : "same"},
                                     {"difference", vega::plotted(cell.difference, 3)},
                                     {"shown", vega::plotted(shade_of(cell), 3)}}));
    }
  }
  const int widest = narrow ? 64 : 100;  // of what stands in a column: a date, with its time where there is room
  const auto side = [&](const char* name, const std::vector<std::string>& domain, bool top) {
    Value encoding = vega::field(name, "nominal");
    encoding.set("scale", Value::object({{"domain", vega::texts(domain)}})).set("sort", Value());
    Value guide = Value::object({{"title", Value()}, {"grid", false}, {"ticks", false}, {"domain", false}});
    guide.set("labelAngle", 0).set("labelLimit", top ? widest : 150);
    if (top) guide.set("orient", "top");
    return encoding.set("axis", guide);
  };
  Value color = vega::field("kind", "nominal");
  color.set("scale", Value::object({{"domain", vega::texts({"higher", "lower", "another level", "same"})},
                                    {"range", vega::texts({vega::raises_color, vega::lowers_color, other_level_color,
                                                           vega::muted_ink})}}));
  color.set("legend", Value());
  Value opacity = vega::field("shown", "quantitative");
  Value layers = Value::array();
  layers.push_back(Value::object(
      {{"mark", Value::object({{"type", "rect"}})},
       {"encoding", Value::object({{"color", color},
                                   {"opacity", opacity.set("scale", Value())},
                                   {"tooltip", vega::tooltip({{"y", "feature", false},
                                                              {"x", "of", false},
                                                              {"label", "value", false},
                                                              {"difference", "difference / range"}})}})}}));
  layers.push_back(Value::object(
      {{"mark",
        Value::object(
            {{"type", "text"}, {"style", "on-middle"}, {"fontSize", 11}, {"limit", widest}, {"tooltip", Value()}})},
       {"encoding", Value::object({{"text", vega::field("label", "nominal")}})}}));
  const Value grid = Value::object(
      {{"width", vega::chart_width},
       {"height", 22 * static_cast<int>(labels.size())},
       {"data", vega::inline_data(std::move(cells))},
       {"encoding", Value::object({{"x", side("x", table.columns, true)}, {"y", side("y", labels, false)}})},
       {"layer", layers}});
  const Value votes = vote_bars(neighbors, narrow);
  if (votes.is_null()) return grid;
  // What colours mean in one says nothing of the other.
  return vega::stacked({votes, grid})
      .set("resolve", Value::object({{"scale", Value::object({{"color", "independent"}})}}));
}

}  // namespace sightglass
