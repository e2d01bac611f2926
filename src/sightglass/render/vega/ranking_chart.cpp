// What matters most: bars of importance or of interaction strength, longest first. Where several measures (or
// groups of rows, or outputs) rank the same features, their bars stand side by side in the same order.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "sightglass/base/error.h"
#include "sightglass/insight/ranking.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass::vega {

namespace {

constexpr int bar_step = 24;
constexpr int panel_gap = 34;
constexpr const char* accent = "#0072B2";

// Features down the page, in the order of the ranking; what does not fit is counted in a last line.
Value ranked_encoding(std::vector<std::string> labels, std::size_t left_out, bool labelled) {
  if (left_out > 0) labels.push_back("… " + std::to_string(left_out) + " more");
  Value y = field("y", "nominal");
  y.set("scale", Value::object({{"domain", texts(labels)}})).set("sort", Value());
  Value guide = Value::object({{"title", Value()}, {"labelLimit", 190}, {"grid", false}, {"ticks", false}});
  if (!labelled) guide.set("labels", false);
  return y.set("axis", guide.set("domain", false));
}

Value bar_layer(const Value& tip, bool faint, double base = 0) {
  Value encoding = Value::object({{"tooltip", tip}});
  if (base != 0) encoding.set("x2", Value::object({{"datum", base}}));
  if (faint) encoding.set("opacity", Value::object({{"field", "shown"}, {"type", "quantitative"}, {"scale", Value()}}));
  return Value::object({{"mark", Value::object({{"type", "bar"},
                                                {"height", Value::object({{"band", 0.66}})},
                                                {"fillOpacity", 0.6},
                                                {"cornerRadiusEnd", 2}})},
                        {"encoding", encoding}});
}

Value interval_layer() {
  return Value::object(
      {{"mark", Value::object({{"type", "rule"}, {"strokeWidth", 2}})},
       {"encoding", Value::object({{"x", field("low", "quantitative")}, {"x2", Value::object({{"field", "high"}})}})}});
}

// A word at the right edge of each bar's row.
Value edge_text() {
  return Value::object(
      {{"mark", Value::object({{"type", "text"}, {"align", "left"}, {"dx", 6}, {"style", "guide-label"}})},
       {"encoding", Value::object({{"x", Value::object({{"value", "width"}})},
                                   {"text", field("label", "nominal")},
                                   {"color", Value::object({{"value", muted_ink}})}})}});
}

// Broken at spaces into at most three lines, so that it stays above or below its own panel.
Value title_lines(const std::string& title, std::size_t letters) {
  std::vector<std::string> lines;
  std::istringstream words(title);
  for (std::string word; words >> word;) {
    const bool fits = !lines.empty() && (lines.back().size() + 1 + word.size() <= letters || lines.size() == 3);
    if (fits) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  if (lines.size() < 2) return Value(title);
  for (auto& line : lines) line = ordinary_name(line);
  return texts(lines);
}

Value bar_axis(Value title, const Domain& domain, int tick_count, double base = 0) {
  Value x = field("x", "quantitative");
  Value scale = Value::object({{"zero", base == 0}, {"nice", true}});
  const double high = domain.high > domain.low ? domain.high : domain.low + 1;
  scale.set("domain", Value::array().push_back(plotted(domain.low)).push_back(plotted(high)));
  Value guide = Value::object({{"format", ",.3~r"}, {"tickCount", tick_count}, {"titleLimit", 420}});
  if (base != 0) {
    // Round numbers and where the bars start, which need not be one of them.
    Value values = Value::array().push_back(base);
    const Value round = ticks({domain.low, high, true}, tick_count + 2);
    for (const auto& tick : round.as_array()) {
      if (std::abs(tick.as_number() - base) > 0.05 * (high - domain.low)) values.push_back(tick);
    }
    scale.set("nice", false);
    guide.set("values", values);
  }
  x.set("scale", scale).set("stack", Value()).set("title", std::move(title));
  return x.set("axis", guide);
}

// Bars all look alike; only charts with classes or methods need more colours.
Value one_color() { return group_color({"bar"}, ""); }

struct Panel {
  Value::Array rows;
  Domain domain;
  double base = 0;  // where the bars start
  bool any_interval = false;
};

Panel panel_of(const Ranking& ranking, std::size_t column, std::size_t shown) {
  Panel panel;
  for (const auto& row : ranking.rows) {
    if (row.cells[column].entry != nullptr) panel.base = baseline_of(row.cells[column].entry->measure);
  }
  panel.domain.add(panel.base);
  for (std::size_t r = 0; r < shown; ++r) {
    const auto& cell = ranking.rows[r].cells[column];
    if (cell.entry == nullptr || !std::isfinite(cell.entry->importance)) continue;
    const double value = cell.entry->importance;
    Value row = Value::object({{"y", ranking.rows[r].label}, {"x", plotted(value)}, {"group", "bar"}});
    row.set("rank", Value(static_cast<std::uint64_t>(cell.rank)));
    const bool share = cell.entry->measure.kind == MeasureKind::recourse;
    row.set("label", ranking.columns.size() > 1 ? "#" + std::to_string(cell.rank)
                     : share                    ? percent(value)
                                                : readable(value));
    panel.domain.add(value);
    if (const auto interval = interval_of(*cell.entry)) {
      row.set("low", plotted(interval->low)).set("high", plotted(interval->high));
      panel.domain.add(interval->low);
      panel.domain.add(interval->high);
      panel.any_interval = true;
    }
    panel.rows.push_back(std::move(row));
  }
  return panel;
}

// Strengths of all pairs as a symmetric matrix.
Value matrix_chart(const PairMatrix& matrix) {
  Value::Array cells;
  Domain domain;
  domain.add(0);
  for (std::size_t a = 0; a < matrix.names.size(); ++a) {
    for (std::size_t b = 0; b < matrix.names.size(); ++b) {
      const Interaction* entry = matrix.entry[a][b];
      if (entry == nullptr || !std::isfinite(entry->strength)) continue;
      domain.add(entry->strength);
      cells.push_back(Value::object({{"x", matrix.names[a]},
                                     {"y", matrix.names[b]},
                                     {"group", "bar"},
                                     {"mean", plotted(entry->strength)},
                                     {"h2", plotted(entry->h2)}}));
    }
  }
  const auto side = [&](const char* name, int angle) {
    Value encoding = field(name, "nominal");
    encoding.set("scale", Value::object({{"domain", texts(matrix.names)}})).set("sort", Value());
    Value guide = Value::object({{"title", Value()}, {"labelLimit", 130}, {"grid", false}, {"ticks", false}});
    return encoding.set("axis", guide.set("domain", false).set("labelAngle", angle));
  };
  // One colour, fainter for less: reads the same on light and dark paper.
  Value opacity = field("mean", "quantitative");
  opacity.set("scale", Value::object({{"domain", Value::array().push_back(0).push_back(plotted(domain.high))},
                                      {"range", Value::array().push_back(0.06).push_back(1)}}));
  opacity.set("legend", Value());  // the bars above have the scale
  const int height = std::clamp(26 * static_cast<int>(matrix.names.size()), 110, 420);
  return Value::object(
      {{"width", chart_width},
       {"height", height},
       {"data", inline_data(std::move(cells))},
       {"mark", Value::object({{"type", "rect"}})},
       {"encoding",
        Value::object(
            {{"x", side("x", -40)},
             {"y", side("y", 0)},
             {"color", one_color()},
             {"opacity", opacity},
             {"tooltip",
              tooltip({{"x", "feature", false}, {"y", "with", false}, {"mean", "strength"}, {"h2", "H²"}})}})}});
}

}  // namespace

Value importance_chart(const ImportanceEntries& group) {
  const Ranking ranking = ranking_of(group);
  const std::size_t shown = std::min(ranking.rows.size(), rows_per_ranking);
  const std::size_t left_out = ranking.rows.size() - shown;
  std::vector<std::string> labels;
  for (std::size_t r = 0; r < shown; ++r) labels.push_back(ranking.rows[r].label);
  const std::string measure = printable(group.importance[0]->measure.text(), 80);
  const std::size_t columns = ranking.columns.size();
  std::vector<Panel> panels;
  Domain all;
  for (std::size_t c = 0; c < columns; ++c) {
    panels.push_back(panel_of(ranking, c, shown));
    all.add(panels[c].domain.low);
    all.add(panels[c].domain.high);
  }
  // Side by side; too many in rows of equally many.
  const std::size_t per_row = evenly(columns, panels_per_row);
  const int width =
      columns == 1
          ? chart_width
          : std::max(110, (chart_width - panel_gap * static_cast<int>(per_row - 1)) / static_cast<int>(per_row));
  // The same measure keeps one scale over groups of rows and outputs; measures have one each.
  const bool same_measure = ranking.by != RankingBy::measure && columns > 1;
  Value::Array charts;
  for (std::size_t c = 0; c < columns; ++c) {
    Panel& panel = panels[c];
    std::vector<TooltipField> fields{{"y", "feature", false}, {"x", "importance"}, {"rank", "rank", false}};
    if (panel.any_interval) {
      fields.push_back({"low", "low"});
      fields.push_back({"high", "high"});
    }
    Value layers = Value::array();
    layers.push_back(bar_layer(tooltip(fields), false, panel.base));
    if (panel.any_interval) layers.push_back(interval_layer());
    if ((same_measure ? all : panel.domain).low < panel.base) layers.push_back(zero_rule(true, panel.base));
    layers.push_back(edge_text());
    const std::string title =
        columns == 1 || same_measure ? (measure.empty() ? "importance" : measure) : ranking.columns[c];
    Value chart = Value::object(
        {{"width", width},
         {"height", bar_step * static_cast<int>(shown + (left_out > 0 ? 1 : 0))},
         {"data", inline_data(std::move(panel.rows))},
         {"encoding",
          Value::object({{"y", ranked_encoding(labels, left_out, c % per_row == 0)},
                         {"x", bar_axis(columns == 1 ? Value(title) : title_lines(title, 22),
                                        same_measure ? all : panel.domain, columns == 1 ? 5 : 3, panel.base)},
                         {"color", one_color()}})},
         {"layer", layers}});
    if (same_measure) {
      chart.set("title", Value::object({{"text", title_lines(ranking.columns[c], 26)},
                                        {"anchor", "start"},
                                        {"frame", "group"},
                                        {"fontSize", 12},
                                        {"fontWeight", "normal"},
                                        {"limit", 220}}));
    }
    charts.push_back(std::move(chart));
  }
  if (charts.size() == 1) return charts[0];
  if (per_row == columns) return Value::object({{"spacing", panel_gap}, {"hconcat", Value(std::move(charts))}});
  return Value::object({{"spacing", panel_gap},
                        {"columns", Value(static_cast<std::uint64_t>(per_row))},
                        {"concat", Value(std::move(charts))}});
}

Value interaction_chart(const Result& result, const InteractionEntries& group) {
  const auto ranked = ranked_interactions(group);
  const std::size_t shown = std::min(ranked.size(), rows_per_ranking);
  std::vector<std::string> labels;
  Value::Array rows;
  Domain domain;
  domain.add(0);
  for (std::size_t i = 0; i < shown; ++i) {
    const Interaction& entry = *ranked[i].entry;
    labels.push_back(ranked[i].label);
    if (!std::isfinite(entry.strength)) continue;
    domain.add(entry.strength);
    Value row = Value::object({{"y", ranked[i].label}, {"x", plotted(entry.strength)}, {"group", "bar"}});
    row.set("h2", plotted(entry.h2)).set("h", plotted(entry.h)).set("shown", ranked[i].faded ? 0.4 : 1.0);
    // A share of next to nothing says nothing.
    row.set("label", ranked[i].faded ? "" : "H² " + percent(entry.h2));
    if (entry.se) row.set("se", plotted(*entry.se));
    rows.push_back(std::move(row));
  }
  const bool any_se = std::any_of(rows.begin(), rows.end(), [](const Value& row) { return row.find("se") != nullptr; });
  std::vector<TooltipField> fields{{"y", "features", false}, {"x", "strength"}, {"h2", "H²"}, {"h", "H"}};
  if (any_se) fields.push_back({"se", "se of H²"});
  Value layers = Value::array();
  layers.push_back(bar_layer(tooltip(fields), true));
  layers.push_back(edge_text());
  const std::string quantity = prediction_title(result, Quantity::single, group.interaction[0]->output);
  const std::size_t left_out = ranked.size() - shown;
  Value bars =
      Value::object({{"width", chart_width},
                     {"height", bar_step * static_cast<int>(shown + (left_out > 0 ? 1 : 0))},
                     {"data", inline_data(std::move(rows))},
                     {"encoding", Value::object({{"y", ranked_encoding(labels, left_out, true)},
                                                 {"x", bar_axis("interaction strength: " + quantity, domain, 5)},
                                                 {"color", one_color()}})},
                     {"layer", layers}});
  const PairMatrix matrix = pair_matrix(group);
  if (matrix.names.empty()) return bars;
  return Value::object(
      {{"spacing", 28},
       {"resolve",
        Value::object(
            {{"scale", Value::object({{"x", "independent"}, {"y", "independent"}, {"color", "independent"}})}})},
       {"vconcat", Value(Value::Array{std::move(bars), matrix_chart(matrix)})}});
}

namespace {

// A panel for each measure, a bar for each group of rows.
Value group_scores_chart(const Result& result, const Figures& figures) {
  std::vector<std::string> groups, measures;
  const auto place_of = [](std::vector<std::string>& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) names.push_back(name);
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  std::vector<Panel> panels;
  std::vector<std::pair<std::size_t, const Figure*>> placed;
  for (const Figure* figure : figures.figure) {
    const bool several = outputs_of(result).size() > 1 && !figure->output.empty();
    const std::string measure =
        figure_title(result, *figure) + (several ? ", " + printable(figure->output, 40) : std::string());
    (void)place_of(groups, printable(figure->group, 60));
    placed.emplace_back(place_of(measures, measure), figure);
  }
  const auto labels = unique_labels(groups);
  panels.resize(measures.size());
  for (const auto& [measure, figure] : placed) {
    Panel& panel = panels[measure];
    panel.domain.add(0);
    if (!std::isfinite(figure->value)) continue;
    panel.domain.add(figure->value);
    const FigureText text = figure_text(*figure);
    Value row = Value::object({{"y", labels[place_of(groups, printable(figure->group, 60))]},
                               {"x", plotted(figure->value)},
                               {"group", "bar"},
                               {"label", text.value}});
    if (figure->se && std::isfinite(*figure->se)) {
      const double half = interval_width * *figure->se;
      row.set("low", plotted(figure->value - half)).set("high", plotted(figure->value + half));
      panel.domain.add(figure->value - half);
      panel.domain.add(figure->value + half);
      panel.any_interval = true;
    }
    panel.rows.push_back(std::move(row));
  }
  const std::size_t per_row = evenly(panels.size(), panels_per_row);
  const int width = std::max(110, (chart_width - panel_gap * static_cast<int>(per_row - 1)) /
                                      static_cast<int>(std::max<std::size_t>(2, per_row)));
  Value::Array charts;
  for (std::size_t measure = 0; measure < panels.size(); ++measure) {
    Panel& panel = panels[measure];
    std::vector<TooltipField> fields{{"y", "rows", false}, {"x", "value"}};
    if (panel.any_interval) {
      fields.push_back({"low", "low"});
      fields.push_back({"high", "high"});
    }
    Value layers = Value::array();
    layers.push_back(bar_layer(tooltip(fields), false, 0));
    if (panel.any_interval) layers.push_back(interval_layer());
    layers.push_back(edge_text());
    charts.push_back(Value::object(
        {{"width", width},
         {"height", bar_step * static_cast<int>(labels.size())},
         {"data", inline_data(std::move(panel.rows))},
         {"encoding", Value::object({{"y", ranked_encoding(labels, 0, measure % per_row == 0)},
                                     {"x", bar_axis(title_lines(capitalised(measures[measure]), 22), panel.domain, 3)},
                                     {"color", one_color()}})},
         {"layer", layers}}));
  }
  if (charts.size() == 1) return charts[0];
  return Value::object({{"spacing", panel_gap},
                        {"columns", Value(static_cast<std::uint64_t>(per_row))},
                        {"concat", Value(std::move(charts))}});
}

}  // namespace

Value figure_chart(const Result& result, const Figures& group) {
  if (group.compares_groups()) return group_scores_chart(result, group);
  std::vector<std::string> names;
  for (const Figure* figure : group.figure) {
    const std::string about = figure_about(result, *figure, ", ");
    names.push_back(figure_title(result, *figure) + (about.empty() ? "" : ", " + about));
    if (names.size() == rows_per_ranking) break;
  }
  const auto labels = unique_labels(names);
  Value::Array rows;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    rows.push_back(Value::object({{"y", labels[i]}, {"label", readable(group.figure[i]->value)}}));
  }
  Value y = ranked_encoding(labels, group.figure.size() - labels.size(), true);
  Value axis = *y.find("axis");
  y.set("axis", axis.set("labelLimit", 400));
  return Value::object(
      {{"width", 120},
       {"height", bar_step * static_cast<int>(group.figure.size() > labels.size() ? labels.size() + 1 : labels.size())},
       {"data", inline_data(std::move(rows))},
       {"mark", Value::object({{"type", "text"}, {"align", "left"}, {"fontSize", 13}, {"color", accent}})},
       {"encoding",
        Value::object({{"y", y}, {"x", Value::object({{"value", 8}})}, {"text", field("label", "nominal")}})}});
}

}  // namespace sightglass::vega
