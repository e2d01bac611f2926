#include "sightglass/render/diagram_view.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t most_points = 400;  // of a line in a chart
constexpr std::size_t most_levels = 30;   // on an axis
constexpr std::size_t drawn_in_text = 3;  // items; of more only numbers are told
constexpr std::size_t figures_as_chips = 4;

std::vector<const Diagram*> diagrams_of(const ItemGroup& group) {
  std::vector<const Diagram*> list;
  for (const ResultItem* item : static_cast<const PlainItems&>(group).items) list.push_back(item->as<Diagram>());
  return list;
}

std::string name_with_unit(const DiagramAxis& axis) {
  const std::string name = printable(axis.name, 80);
  return axis.unit.empty() ? name : name + " (" + printable(axis.unit, 30) + ")";
}

std::string number_text(double value) { return readable(value); }

std::string figure_text_of(const DiagramFigure& figure) {
  std::string text = printable(figure.name, 60) + " " + number_text(figure.value);
  if (figure.low && figure.high) text += " (" + number_text(*figure.low) + " to " + number_text(*figure.high) + ")";
  return text;
}

std::string figures_line(const Diagram& diagram, const char* between) {
  std::string text;
  for (const DiagramFigure& figure : diagram.figures) text += (text.empty() ? "" : between) + figure_text_of(figure);
  return text;
}

// Points between which the line runs straight on say nothing; of more than can be told apart some go.
std::vector<std::size_t> drawn_points(const DiagramSeries& series) {
  std::vector<std::size_t> kept;
  const std::size_t size = series.x.size();
  for (std::size_t i = 0; i < size; ++i) {
    if (series.mark == SeriesMark::line && !kept.empty() && i + 1 < size) {
      const std::size_t before = kept.back();
      const double turn = (series.x[i] - series.x[before]) * (series.y[i + 1] - series.y[i]) -
                          (series.y[i] - series.y[before]) * (series.x[i + 1] - series.x[i]);
      if (std::abs(turn) <= 1e-15) continue;
    }
    kept.push_back(i);
  }
  const bool line = series.mark == SeriesMark::line || series.mark == SeriesMark::steps;
  if (!line || kept.size() <= most_points) return kept;
  std::vector<std::size_t> some;
  for (const std::size_t place : text::spread(kept.size(), most_points)) some.push_back(kept[place]);
  return some;
}

vega::Domain domain_of(const std::vector<const Diagram*>& diagrams, bool along_x) {
  vega::Domain domain;
  const DiagramAxis& axis = along_x ? diagrams[0]->x : diagrams[0]->y;
  for (const Diagram* diagram : diagrams) {
    for (const DiagramSeries& series : diagram->series) {
      domain.add(along_x ? series.x : series.y);
      if (along_x) continue;
      domain.add(series.low);
      domain.add(series.high);
    }
  }
  if (axis.share) {
    domain.add(0);
    domain.add(1);
  }
  return domain;
}

// As features have it: of dates, ticks and numbers are told as such.
Axis feature_axis(const DiagramAxis& axis, std::vector<double> numbers) {
  Axis made{.feature = axis.name, .unit = axis.unit, .numbers = std::move(numbers), .levels = {}};
  made.dates = axis.dates;
  return made;
}

Value quantity(const char* name, const DiagramAxis& axis, const vega::Domain& domain) {
  Value encoding = vega::field(name, "quantitative");
  const double margin = (axis.share ? 0.01 : 0.03) * domain.span();
  encoding.set("scale", Value::object({{"domain", Value::array()
                                                      .push_back(vega::plotted(domain.low - margin))
                                                      .push_back(vega::plotted(domain.high + margin))},
                                       {"nice", false},
                                       {"zero", false}}));
  Value guide = Value::object({{"title", ordinary_name(name_with_unit(axis))},
                               {"format", axis.share ? ",.4~p" : ",.4~r"},
                               {"labelOverlap", "greedy"},
                               {"labelSeparation", 6},
                               {"tickCount", 6},
                               {"titleLimit", *name == 'x' ? 480 : vega::chart_height + 40}});
  if (*name == 'x') guide.set("grid", false);
  if (axis.dates) {
    Value dated = Value::object();
    for (const auto& [key, value] : guide.as_object()) {
      if (key != "format" && key != "tickCount") dated.set(key, value);
    }
    guide = std::move(dated);
    vega::add_date_ticks(guide, feature_axis(axis, {}), domain, 6);
  }
  return encoding.set("axis", guide).set("stack", Value());
}

struct Drawing {
  Value x, y, color, tip;
  Axis across;  // as features have it
  vega::Domain x_domain, y_domain;
};

Value layer(const Value::Array& rows, const Value& mark, const Value& encoding) {
  const auto data = vega::packed(rows);
  return vega::with_date_texts(
      Value::object({{"data", data.data}, {"transform", data.transform}, {"mark", mark}, {"encoding", encoding}}));
}

Value::Array point_rows(const DiagramSeries& series, const std::string& label, const Drawing& drawing) {
  Value::Array rows;
  for (const std::size_t i : drawn_points(series)) {
    if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i])) continue;
    const Value x =
        drawing.across.dates ? vega::placed(drawing.across, series.x[i]) : drawing.x_domain.plotted(series.x[i]);
    Value row = Value::object({{"x", x}, {"y", drawing.y_domain.plotted(series.y[i])}});
    row.set("group", label);
    if (i < series.low.size()) row.set("low", drawing.y_domain.plotted(series.low[i]));
    if (i < series.high.size()) row.set("high", drawing.y_domain.plotted(series.high[i]));
    if (i < series.threshold.size()) {
      // The first threshold is above every prediction.
      row.set("threshold",
              std::isfinite(series.threshold[i]) ? Value(readable(series.threshold[i])) : Value("above all"));
    }
    if (i < series.count.size()) row.set("rows", vega::plotted(series.count[i]));
    if (i < series.rows.size()) row.set("row", "row " + std::to_string(series.rows[i]));
    rows.push_back(std::move(row));
  }
  return rows;
}

void add_reference(Value& layers, const Value::Array& rows, const Drawing& drawing) {
  layers.push_back(layer(rows,
                         Value::object({{"type", "line"},
                                        {"strokeWidth", 1.2},
                                        {"strokeDash", Value::array().push_back(5).push_back(4)},
                                        {"color", vega::muted_ink},
                                        {"tooltip", Value()}}),
                         Value::object({{"x", drawing.x}, {"y", drawing.y}})));
}

// A ring, and its name where there is room.
void add_ring(Value& layers, Value::Array rows, const Drawing& drawing) {
  for (Value& row : rows) row.set("label", row.find("group")->as_string());
  const double at = rows[0].find("x")->as_number();
  const bool right = at > drawing.x_domain.low + 0.55 * drawing.x_domain.span();
  const double height = rows[0].find("y")->as_number();
  const bool top = height > drawing.y_domain.low + 0.85 * drawing.y_domain.span();
  layers.push_back(layer(
      rows,
      Value::object({{"type", "point"}, {"size", 110}, {"filled", false}, {"strokeWidth", 2.2}, {"color", "#D55E00"}}),
      Value::object({{"x", drawing.x}, {"y", drawing.y}, {"tooltip", drawing.tip}})));
  layers.push_back(
      layer(rows,
            Value::object({{"type", "text"},
                           {"align", right ? "right" : "left"},
                           {"baseline", top ? "top" : "bottom"},
                           {"dx", right ? -9 : 9},
                           {"dy", top ? 7 : -6},
                           {"fontSize", 11},
                           {"style", "on-middle"},
                           {"tooltip", Value()}}),
            Value::object({{"x", drawing.x}, {"y", drawing.y}, {"text", vega::field("label", "nominal")}})));
}

void add_means(Value& layers, const Value::Array& rows, const Drawing& drawing, bool joined) {
  const Value color = drawing.color;
  const bool any_interval = !rows.empty() && rows[0].find("low") != nullptr;
  if (any_interval) {
    layers.push_back(layer(rows, Value::object({{"type", "rule"}, {"strokeWidth", 1.5}}),
                           Value::object({{"x", drawing.x},
                                          {"y", Value(drawing.y).set("field", "low")},
                                          {"y2", Value::object({{"field", "high"}})},
                                          {"color", color},
                                          {"tooltip", drawing.tip}})));
  }
  if (joined) {
    layers.push_back(layer(rows, Value::object({{"type", "line"}, {"strokeWidth", 1.4}, {"tooltip", Value()}}),
                           Value::object({{"x", drawing.x}, {"y", drawing.y}, {"color", color}})));
  }
  layers.push_back(
      layer(rows, Value::object({{"type", "point"}, {"filled", true}, {"size", 42}, {"opacity", 1}}),
            Value::object({{"x", drawing.x}, {"y", drawing.y}, {"color", color}, {"tooltip", drawing.tip}})));
}

void add_line(Value& layers, const Value::Array& rows, const Drawing& drawing, bool steps) {
  Value mark = Value::object({{"type", "line"}, {"strokeWidth", 2}, {"tooltip", Value()}});
  if (steps) mark.set("interpolate", "step-before");
  layers.push_back(layer(rows, mark, Value::object({{"x", drawing.x}, {"y", drawing.y}, {"color", drawing.color}})));
  // What tells its numbers under the pointer.
  layers.push_back(
      layer(rows, Value::object({{"type", "point"}, {"filled", true}, {"size", 60}, {"opacity", 0}}),
            Value::object({{"x", drawing.x}, {"y", drawing.y}, {"color", drawing.color}, {"tooltip", drawing.tip}})));
}

void add_rows(Value& layers, const Value::Array& rows, const Drawing& drawing) {
  layers.push_back(
      layer(rows, Value::object({{"type", "point"}, {"filled", true}, {"size", 16}, {"opacity", 0.4}}),
            Value::object({{"x", drawing.x}, {"y", drawing.y}, {"color", drawing.color}, {"tooltip", drawing.tip}})));
}

// What series have that a tooltip can tell.
Value tip_of(const std::vector<const Diagram*>& diagrams, bool several) {
  bool low = false, threshold = false, count = false, row = false;
  for (const Diagram* diagram : diagrams) {
    for (const DiagramSeries& series : diagram->series) {
      low = low || !series.low.empty();
      threshold = threshold || !series.threshold.empty();
      count = count || !series.count.empty();
      row = row || !series.rows.empty();
    }
  }
  std::vector<vega::TooltipField> fields;
  if (several) fields.push_back({"group", "of", false});
  if (row) fields.push_back({"row", "row", false});
  fields.push_back({"x", "across"});
  fields.push_back({"y", "up"});
  if (low) {
    fields.push_back({"low", "from"});
    fields.push_back({"high", "to"});
  }
  if (threshold) fields.push_back({"threshold", "threshold", false});
  if (count) fields.push_back({"rows", "rows"});
  return vega::tooltip(fields);
}

void add_series(Value& layers, const DiagramSeries& series, const std::string& label, const Drawing& drawing) {
  const Value::Array rows = point_rows(series, label, drawing);
  if (rows.empty()) return;
  switch (series.mark) {
    case SeriesMark::reference: return add_reference(layers, rows, drawing);
    case SeriesMark::ring: return add_ring(layers, rows, drawing);
    case SeriesMark::means: return add_means(layers, rows, drawing, true);
    case SeriesMark::rows: return add_rows(layers, rows, drawing);
    default: return add_line(layers, rows, drawing, series.mark == SeriesMark::steps);
  }
}

// Levels stand below one another, so that long names can be read.
Value level_diagram(const Diagram& diagram) {
  const DiagramSeries* means = nullptr;
  for (const DiagramSeries& series : diagram.series) {
    if (series.mark == SeriesMark::means) means = &series;
  }
  if (means == nullptr || means->x.empty()) return vega::message_chart("nothing was measured");
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < means->x.size(); ++i) places.push_back(i);
  if (places.size() > most_levels && means->count.size() == places.size()) {
    // The most frequent ones, in the order of the axis.
    std::stable_sort(places.begin(), places.end(),
                     [&](std::size_t a, std::size_t b) { return means->count[a] > means->count[b]; });
    places.resize(most_levels);
    std::sort(places.begin(), places.end());
  }
  vega::Domain domain;
  domain.add(0);
  std::vector<std::string> names;
  for (const std::size_t i : places) {
    names.push_back(diagram.x.levels[static_cast<std::size_t>(means->x[i])]);
    domain.add(means->y[i]);
    domain.add(vega::entry(means->low, i));
    domain.add(vega::entry(means->high, i));
  }
  const std::vector<std::string> labels = unique_labels(names);
  Value::Array rows;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const std::size_t i = places[k];
    rows.push_back(Value::object({{"level", labels[k]},
                                  {"y", domain.plotted(means->y[i])},
                                  {"low", domain.plotted(vega::entry(means->low, i))},
                                  {"high", domain.plotted(vega::entry(means->high, i))},
                                  {"rows", vega::plotted(vega::entry(means->count, i))}}));
  }
  Axis axis{.feature = diagram.x.name, .unit = diagram.x.unit, .numbers = {}, .levels = names};
  const Value level = vega::level_encoding(axis, labels, false).set("field", "level");
  const Value x = quantity("x", diagram.y, domain).set("field", "y");
  const Value tip =
      vega::tooltip({{"level", "value", false}, {"y", "mean"}, {"low", "from"}, {"high", "to"}, {"rows", "rows"}});
  Value layers = Value::array();
  layers.push_back(vega::zero_rule(true));
  layers.push_back(layer(rows, Value::object({{"type", "rule"}, {"strokeWidth", 1.5}, {"color", "#0072B2"}}),
                         Value::object({{"y", level},
                                        {"x", Value(x).set("field", "low")},
                                        {"x2", Value::object({{"field", "high"}})},
                                        {"tooltip", tip}})));
  layers.push_back(layer(
      rows, Value::object({{"type", "point"}, {"filled", true}, {"size", 46}, {"opacity", 1}, {"color", "#0072B2"}}),
      Value::object({{"y", level}, {"x", x}, {"tooltip", tip}})));
  return Value::object({{"width", vega::chart_width},
                        {"height", Value(static_cast<std::uint64_t>(24 * places.size()))},
                        {"layer", layers}});
}

Value diagram_chart(const Result&, const ItemGroup& group, int) {
  const auto diagrams = diagrams_of(group);
  const Diagram& first = *diagrams[0];
  if (!first.x.levels.empty()) return level_diagram(first);
  std::vector<std::string> names;
  const bool groups = diagrams.size() > 1;
  if (groups) {
    for (const Diagram* diagram : diagrams) names.push_back(rows_label(diagram->group));
  } else {
    for (const DiagramSeries* series : own_series(first)) names.push_back(series->name);
  }
  if (names.empty()) return vega::message_chart("nothing was measured");
  const std::vector<std::string> labels = unique_labels(names);
  Drawing drawing{.x = {},
                  .y = {},
                  .color = vega::group_color(labels, ""),
                  .tip = {},
                  .across = feature_axis(first.x, {}),
                  .x_domain = domain_of(diagrams, true),
                  .y_domain = domain_of(diagrams, false)};
  for (const Diagram* diagram : diagrams) {
    for (const DiagramSeries& series : diagram->series)
      drawing.across.numbers.insert(drawing.across.numbers.end(), series.x.begin(), series.x.end());
  }
  std::sort(drawing.across.numbers.begin(), drawing.across.numbers.end());
  drawing.tip = tip_of(diagrams, labels.size() > 1);
  std::vector<std::string_view> shares;
  if (first.x.share) shares.emplace_back("x");
  if (first.y.share) shares.insert(shares.end(), {"y", "low", "high"});
  drawing.tip = vega::in_percent(drawing.tip, shares);
  // Without dates numbers are told as they are.
  if (drawing.across.dates) drawing.tip = vega::tooltip_along(drawing.across, "x", drawing.tip);
  drawing.x = quantity("x", first.x, drawing.x_domain);
  drawing.y = quantity("y", first.y, drawing.y_domain);
  Value layers = Value::array();
  // What there is to compare with lies behind, rings lie above.
  for (const auto wanted : {SeriesMark::reference, SeriesMark::line, SeriesMark::ring}) {
    for (std::size_t k = 0; k < diagrams.size(); ++k) {
      std::size_t own = 0;
      for (const DiagramSeries& series : diagrams[k]->series) {
        const bool apart = series.mark == SeriesMark::reference || series.mark == SeriesMark::ring;
        const std::string label = apart ? printable(series.name, 60) : labels[groups ? k : own];
        if (!apart) ++own;
        if ((apart ? series.mark : SeriesMark::line) != wanted) continue;
        // One line is enough of what is the same for all groups.
        if (series.mark == SeriesMark::reference && k > 0 && series.x == diagrams[0]->series[0].x &&
            series.y == diagrams[0]->series[0].y)
          continue;
        // Rings of several groups would lie upon one another.
        if (series.mark == SeriesMark::ring && groups) continue;
        add_series(layers, series, label, drawing);
      }
    }
  }
  return Value::object({{"width", vega::chart_width}, {"height", vega::chart_height}, {"layer", layers}});
}

// Bars of a level's mean.
void level_section(text::Page& page, const Diagram& diagram) {
  for (const DiagramSeries& series : diagram.series) {
    if (series.mark != SeriesMark::means) continue;
    std::vector<text::Bar> bars;
    const std::size_t shown = std::min(series.x.size(), most_levels);
    for (std::size_t i = 0; i < shown; ++i) {
      const std::string low = i < series.low.size() ? page.number(series.low[i]) : "";
      const std::string high = i < series.high.size() ? page.number(series.high[i]) : "";
      bars.push_back({.name = page.fitted(printable(diagram.x.levels[static_cast<std::size_t>(series.x[i])]), 28),
                      .value = series.y[i],
                      .cells = {page.number(series.y[i]), low.empty() ? "" : low + " to " + high,
                                i < series.count.size() ? page.number(series.count[i]) : ""}});
    }
    page.bars(bars, {"mean", "95 %", "rows"});
    page.shown_of(shown, series.x.size(), "levels");
  }
}

void draw_item(text::Page& page, const Diagram& diagram) {
  text::Range x, y;
  for (const DiagramSeries& series : diagram.series) {
    x.add(series.x);
    y.add(series.y);
  }
  if (!x.any || !y.any) return page.line("  nothing was measured");
  const int columns = page.width() - text::label_width - 3;
  DotCanvas canvas(columns, text::chart_rows, page.unicode());
  for (const DiagramSeries& series : diagram.series) {
    if (series.mark == SeriesMark::rows || series.mark == SeriesMark::ring) {
      for (std::size_t i = 0; i < series.x.size(); ++i) canvas.point(x.share(series.x[i]), y.share(series.y[i]));
      continue;
    }
    if (series.mark == SeriesMark::reference) {  // dotted
      for (std::size_t i = 1; i < series.x.size(); ++i) {
        for (int k = 0; k < columns; k += 4) {
          const double share = static_cast<double>(k) / columns;
          canvas.point(x.share(series.x[i - 1] + share * (series.x[i] - series.x[i - 1])),
                       y.share(series.y[i - 1] + share * (series.y[i] - series.y[i - 1])));
        }
      }
      continue;
    }
    text::Page::draw(canvas, series.x, series.y, x, y);
  }
  const Axis axis = feature_axis(diagram.x, {x.low, x.high});
  page.line(page.dim("  " + name_with_unit(diagram.y)));
  page.chart(canvas, columns, y, axis, {}, "");
}

void diagram_section(text::Page& page, const ItemGroup& group) {
  const auto diagrams = diagrams_of(group);
  for (std::size_t k = 0; k < diagrams.size(); ++k) {
    const Diagram& diagram = *diagrams[k];
    if (k > 0) page.line();
    std::string name = item_title(diagram);
    if (!diagram.output.empty()) name += page.dot() + printable(diagram.output, 60);
    if (!diagram.group.empty()) name += page.dot() + printable(diagram.group);
    page.title(name, "");
    if (!diagram.x.levels.empty()) {
      level_section(page, diagram);
    } else if (k < drawn_in_text) {
      draw_item(page, diagram);
    }
    if (!diagram.figures.empty()) page.wrapped(page.ascii(figures_line(diagram, page.dot())), 2);
    if (k + 1 == diagrams.size() && !diagram.meaning.empty())
      page.wrapped(page.ascii(capitalised(printable(diagram.meaning, 600))) + ".", 2);
  }
}

std::string diagram_description(const Result&, const ItemGroup& group) {
  const auto diagrams = diagrams_of(group);
  const Diagram& first = *diagrams[0];
  std::string text = name_with_unit(first.y) + " against " + name_with_unit(first.x) + ".";
  std::size_t told = 0;
  for (const Diagram* diagram : diagrams) {
    const std::string numbers = figures_line(*diagram, ", ");
    if (numbers.empty() || ++told > 12) continue;
    text += " " + (diagrams.size() > 1 ? rows_label(diagram->group) + ": " : std::string()) +
            (diagrams.size() > 1 ? numbers : capitalised(numbers)) + ".";
  }
  return text;
}

std::string diagram_reading(const Result&, const ItemGroup& group) {
  const Diagram& first = *diagrams_of(group)[0];
  std::string text = first.meaning.empty() ? "" : capitalised(printable(first.meaning, 600)) + ".";
  if (first.x.levels.size() > most_levels)
    text += " The " + std::to_string(most_levels) + " values with the most rows are drawn; the table has all.";
  return text;
}

std::vector<std::string> diagram_chips(const ItemGroup& group) {
  const auto diagrams = diagrams_of(group);
  std::vector<std::string> chips;
  if (diagrams.size() > 1) return chips;
  for (const DiagramFigure& figure : diagrams[0]->figures) {
    if (chips.size() < figures_as_chips) chips.push_back(figure_text_of(figure));
  }
  return chips;
}

}  // namespace

ShapeView ViewOf<Diagram>::view() {
  return {.text = diagram_section,
          .chart = diagram_chart,
          .chapter = PageChapter{"performance", "How good it is", "", 3},
          .words = {.describe = diagram_description, .how_to_read = diagram_reading, .badges = diagram_chips}};
}

}  // namespace sightglass
