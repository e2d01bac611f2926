#include "sightglass/render/penalty_path_view.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"
#include "sightglass/render/vega/named_lines_internal.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t most_penalty_path_lines = 40;
constexpr double loss_height = 120;

const PenaltyPath& path_of(const ItemGroup& group) { return *group.item<PenaltyPath>(); }

// The penalty that the model has, or the last one.
std::size_t shown_place(const PenaltyPath& path) {
  return path.chosen ? static_cast<std::size_t>(*path.chosen) : path.penalties.size() - 1;
}

// Those that are largest where the path ends come first.
std::vector<std::size_t> by_size(const PenaltyPath& path) {
  std::vector<std::size_t> order(path.terms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto size = [&](std::size_t i) {
    const auto& values = path.terms[i].coefficients;
    const double last = values.empty() ? 0 : std::abs(values.back());
    return std::isnan(last) ? -1 : last;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
  return order;
}

// Words of each place that has some.
std::vector<std::pair<std::size_t, std::string>> marks_of(const PenaltyPath& path) {
  std::vector<std::pair<std::size_t, std::string>> marks;
  const auto add = [&](const std::optional<std::uint64_t>& at, const char* word) {
    if (!at || *at >= path.penalties.size()) return;
    const auto same = std::find_if(marks.begin(), marks.end(), [&](const auto& mark) { return mark.first == *at; });
    if (same != marks.end()) {
      same->second += ", " + std::string(word);
    } else {
      marks.emplace_back(static_cast<std::size_t>(*at), word);
    }
  };
  add(path.chosen, "chosen");
  add(path.minimum, "lowest loss");
  add(path.one_se, "one standard error");
  return marks;
}

void penalty_path_section(text::Page& page, const ItemGroup& group) {
  const PenaltyPath& path = path_of(group);
  const std::string qualifier = group_qualifier(page.result(), group);
  page.title(group_title(group) + (qualifier.empty() ? "" : page.dot() + qualifier),
             std::to_string(path.penalties.size()) + " penalties");
  if (path.penalties.empty()) return;
  const std::size_t last = path.penalties.size() - 1;
  std::vector<std::size_t> picked = text::spread(path.penalties.size(), 8);
  for (const auto& [place, words] : marks_of(path)) picked.push_back(place);
  std::sort(picked.begin(), picked.end());
  picked.erase(std::unique(picked.begin(), picked.end()), picked.end());
  std::vector<text::TableColumn> columns{page.number_column("penalty", path.penalties, picked)};
  for (std::size_t i = 0; i < picked.size(); ++i) columns[0].cells[i] = page.number(path.penalties[picked[i]]);
  if (!path.nonzero.empty()) {
    const std::vector<double> counts(path.nonzero.begin(), path.nonzero.end());
    columns.push_back(page.number_column("terms", counts, picked));
  }
  if (!path.cv_mean.empty()) columns.push_back(page.number_column(printable(path.loss, 24), path.cv_mean, picked));
  if (!path.cv_se.empty()) columns.push_back(page.number_column("se", path.cv_se, picked));
  text::TableColumn words{"", std::vector<std::string>(picked.size()), true};
  for (const auto& [place, mark] : marks_of(path))
    words.cells[static_cast<std::size_t>(std::find(picked.begin(), picked.end(), place) - picked.begin())] = mark;
  columns.push_back(std::move(words));
  page.table(columns);
  page.line();
  page.line(page.dim("  Standardized coefficients at penalty " + page.number(path.penalties[shown_place(path)]) +
                     ", and along the path:"));
  auto order = by_size(path);
  order.resize(std::min(order.size(), most_penalty_path_lines));
  for (const std::size_t t : order) {
    const PathTerm& term = path.terms[t];
    if (term.coefficients.size() <= last) continue;
    text::Range range;
    range.add(0);
    range.add(term.coefficients);
    std::vector<double> shown;
    for (const std::size_t i : text::spread(term.coefficients.size(), 30)) shown.push_back(term.coefficients[i]);
    page.line("  " + pad_right(page.fitted(printable(term.name), 28), 28) + "  " +
              pad_left(page.number(term.coefficients[shown_place(path)]), 10) + "  " +
              page.ink(sparkline(shown, range.low, range.high, page.unicode())));
  }
}

struct Span {
  double low = 1, high = 1;
};
// Of penalties on a logarithmic scale, which has no place for 0.
Span span_of(const PenaltyPath& path) {
  Span span;
  bool any = false;
  for (const double penalty : path.penalties) {
    if (!(penalty > 0) || !std::isfinite(penalty)) continue;
    span.low = any ? std::min(span.low, penalty) : penalty;
    span.high = any ? std::max(span.high, penalty) : penalty;
    any = true;
  }
  if (!(span.high > span.low)) span = {span.low / 2, span.low * 2};
  return span;
}

// Without an axis: another layer has it.
Value penalty_scale(const PenaltyPath& path) {
  const Span span = span_of(path);
  Value x = vega::field("x", "quantitative");
  x.set("scale",
        Value::object(
            {{"type", "log"},
             {"nice", false},
             {"reverse", true},
             {"domain", Value::array().push_back(vega::plotted(span.low)).push_back(vega::plotted(span.high))}}));
  return x;
}

Value penalty_encoding(const PenaltyPath& path, bool labelled) {
  const Span span = span_of(path);
  // Powers of ten alone, or with what lies between where the path is short.
  Value ticks = Value::array();
  const double decades = std::log10(span.high / span.low);
  for (int power = static_cast<int>(std::floor(std::log10(span.low))); power <= std::ceil(std::log10(span.high));
       ++power) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * std::pow(10, power);
      if ((factor == 1 || decades < 2.2) && tick >= span.low && tick <= span.high) ticks.push_back(vega::plotted(tick));
    }
  }
  Value guide = Value::object({{"grid", false}, {"format", "~g"}, {"labelOverlap", "greedy"}, {"values", ticks}});
  guide.set("title", labelled ? Value("penalty (weaker to the right)") : Value());
  if (!labelled) guide.set("labels", false).set("ticks", false);
  return penalty_scale(path).set("axis", guide);
}

void add_marks(const PenaltyPath& path, bool labelled, Value::Array& layers) {
  const Span span = span_of(path);
  const double middle = std::sqrt(span.low) * std::sqrt(span.high);
  Value::Array rules;
  double level = 0;
  for (const auto& [place, words] : marks_of(path)) {
    if (!(path.penalties[place] > 0)) continue;
    rules.push_back(Value::object({{"x", vega::plotted(path.penalties[place])},
                                   {"label", words},
                                   {"level", level++},
                                   {"middle", vega::plotted(middle)},
                                   {"width", words.starts_with("chosen") ? 2.0 : 1.0}}));
  }
  if (rules.empty()) return;
  const Value ink = Value::object({{"value", vega::muted_ink}});
  const Value data = vega::inline_data(std::move(rules));
  layers.push_back(Value::object({{"data", data},
                                  {"mark", Value::object({{"type", "rule"},
                                                          {"strokeDash", Value::array().push_back(4).push_back(3)},
                                                          {"strokeWidth", Value::object({{"expr", "datum.width"}})},
                                                          {"tooltip", Value()}})},
                                  {"encoding", Value::object({{"x", penalty_scale(path)}, {"color", ink}})}}));
  if (!labelled) return;
  // One above the other, away from the nearer edge.
  for (const bool rim : {true, false}) {
    Value mark = Value::object({{"type", "text"}, {"baseline", "top"}, {"fontSize", 11}, {"tooltip", Value()}});
    mark.set("align", Value::object({{"expr", "datum.x < datum.middle ? 'right' : 'left'"}}));
    mark.set("dx", Value::object({{"expr", "datum.x < datum.middle ? -5 : 5"}}));
    mark.set("dy", Value::object({{"expr", "2 + 13 * datum.level"}}));
    mark.set("style", rim ? "rim" : "on-middle");
    layers.push_back(Value::object({{"data", data},
                                    {"mark", mark},
                                    {"encoding", Value::object({{"x", penalty_scale(path)},
                                                                {"y", Value::object({{"value", 0}})},
                                                                {"text", vega::field("label", "nominal")}})}}));
  }
}

vega::NamedLine line_of(const PenaltyPath& path, const PathTerm& term) {
  vega::NamedLine line{.name = term.name};
  for (std::size_t p = 0; p < path.penalties.size(); ++p) {
    if (path.penalties[p] > 0 && std::isfinite(term.coefficients[p]))
      line.points.push_back({.x = path.penalties[p], .y = term.coefficients[p]});
  }
  return line;
}

Value lines_panel(const PenaltyPath& path, bool last_panel) {
  auto order = by_size(path);
  order.resize(std::min(order.size(), most_penalty_path_lines));
  vega::NamedLines lines{.x = penalty_encoding(path, last_panel), .y_title = "standardized coefficient"};
  for (const std::size_t t : order) lines.lines.push_back(line_of(path, path.terms[t]));
  lines.tooltip = vega::tooltip({{"group", "term", false}, {"x", "penalty"}, {"y", "coefficient"}});
  add_marks(path, false, lines.marks);
  return vega::named_lines_panel(std::move(lines));
}

Value loss_panel(const PenaltyPath& path) {
  Value::Array rows;
  vega::Domain domain;
  for (std::size_t p = 0; p < path.penalties.size() && p < path.cv_mean.size(); ++p) {
    if (!(path.penalties[p] > 0) || !std::isfinite(path.cv_mean[p])) continue;
    const double se = p < path.cv_se.size() && std::isfinite(path.cv_se[p]) ? path.cv_se[p] : 0;
    domain.add(path.cv_mean[p] - se);
    domain.add(path.cv_mean[p] + se);
    Value row = Value::object({{"x", vega::plotted(path.penalties[p], 4)},
                               {"y", vega::plotted(path.cv_mean[p])},
                               {"low", vega::plotted(path.cv_mean[p] - se)},
                               {"high", vega::plotted(path.cv_mean[p] + se)},
                               {"se", vega::plotted(se, 3)},
                               {"group", "loss"}});
    if (p < path.nonzero.size()) row.set("terms", Value(path.nonzero[p]));
    rows.push_back(std::move(row));
  }
  const Value x = penalty_encoding(path, true);
  Value y = vega::quantity_encoding("y", path.loss.empty() ? "loss" : printable(path.loss, 40), false, domain.any);
  const Value color = vega::group_color({"loss"}, "");
  const Value tip =
      vega::tooltip({{"x", "penalty"}, {"terms", "terms"}, {"y", "cross-validated loss"}, {"se", "± standard error"}});
  Value::Array layers;
  const Value data = vega::inline_data(std::move(rows));
  layers.push_back(Value::object({{"data", data},
                                  {"mark", Value::object({{"type", "area"}, {"opacity", 0.2}, {"tooltip", Value()}})},
                                  {"encoding", Value::object({{"x", x},
                                                              {"y", Value(y).set("field", "low")},
                                                              {"y2", Value::object({{"field", "high"}})},
                                                              {"color", color}})}}));
  layers.push_back(
      Value::object({{"data", data},
                     {"mark", Value::object({{"type", "line"}, {"strokeWidth", 2}})},
                     {"encoding", Value::object({{"x", x}, {"y", y}, {"color", color}, {"tooltip", tip}})}}));
  layers.push_back(
      Value::object({{"data", data},
                     {"mark", Value::object({{"type", "point"}, {"filled", true}, {"size", 30}, {"opacity", 0}})},
                     {"encoding", Value::object({{"x", x}, {"y", y}, {"tooltip", tip}})}}));
  add_marks(path, true, layers);
  return Value::object({{"width", vega::chart_width}, {"height", loss_height}, {"layer", layers}});
}

Value penalty_path_chart(const Result&, const ItemGroup& group, int) {
  const PenaltyPath& path = path_of(group);
  if (path.penalties.empty() || path.terms.empty()) return vega::message_chart("no terms along the path");
  const bool validated = !path.cv_mean.empty();
  return vega::stacked({lines_panel(path, !validated), validated ? loss_panel(path) : Value()});
}

std::string penalty_path_description(const Result&, const ItemGroup& group) {
  const PenaltyPath& path = path_of(group);
  if (path.penalties.empty()) return "no penalties.";
  std::string text = "standardized coefficients along " + std::to_string(path.penalties.size()) + " penalties from " +
                     readable(path.penalties.front()) + " to " + readable(path.penalties.back()) + ".";
  if (path.chosen) {
    text += " Chosen: " + readable(path.penalties[*path.chosen]);
    if (*path.chosen < path.nonzero.size()) text += ", with " + std::to_string(path.nonzero[*path.chosen]) + " terms";
    if (*path.chosen < path.cv_mean.size())
      text +=
          ", " + (path.loss.empty() ? "loss" : printable(path.loss, 40)) + " " + readable(path.cv_mean[*path.chosen]);
    text += ".";
  }
  return text;
}

std::string penalty_path_reading(const Result&, const ItemGroup& group) {
  const PenaltyPath& path = path_of(group);
  std::string text =
      "From left to right the penalty becomes weaker, and one term after the other enters the model: those that enter "
      "first "
      "carry most. ";
  if (!path.cv_mean.empty()) {
    text +=
        "Below is the loss on rows left out in cross-validation, with one standard error to either side: lowest loss "
        "is the "
        "best guess, one standard error the simplest model that is about as good. ";
  }
  return text + "Dashed lines mark the penalties that matter.";
}

std::vector<std::string> penalty_path_chips(const ItemGroup& group) {
  const PenaltyPath& path = path_of(group);
  if (!path.chosen || *path.chosen >= path.nonzero.size()) return {};
  return {std::to_string(path.nonzero[*path.chosen]) + " terms", "penalty " + readable(path.penalties[*path.chosen])};
}

}  // namespace

ShapeView ViewOf<PenaltyPath>::view() {
  return {.text = penalty_path_section,
          .chart = penalty_path_chart,
          .chapter = model_chapter(40),
          .words = {
              .describe = penalty_path_description, .how_to_read = penalty_path_reading, .badges = penalty_path_chips}};
}

}  // namespace sightglass
