#include "sightglass/render/width_sweep_view.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t named_lines = 8;
constexpr double lines_height = 250;
constexpr double label_gap = 13;  // pixels between names at the ends of lines

const WidthSweep& sweep_of(const ItemGroup& group) { return *group.item<WidthSweep>(); }

// Those that are largest at the chosen width come first.
std::vector<std::size_t> by_size(const WidthSweep& sweep) {
  std::vector<std::size_t> order(sweep.terms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t at = sweep.chosen ? static_cast<std::size_t>(*sweep.chosen) : sweep.widths.size() - 1;
  const auto size = [&](std::size_t i) {
    const auto& values = sweep.terms[i].coefficients;
    return at < values.size() && values[at] ? std::abs(*values[at]) : -1;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
  return order;
}

std::vector<std::string> turning_names(const WidthSweep& sweep) {
  std::vector<std::string> names;
  for (const SweptTerm& term : sweep.terms) {
    if (turns(sweep, term)) names.push_back(printable(term.name, 60));
  }
  return names;
}

void section(text::Page& page, const ItemGroup& group) {
  const WidthSweep& sweep = sweep_of(group);
  const std::string qualifier = group_qualifier(page.result(), group);
  page.title(group_title(group) + (qualifier.empty() ? "" : page.dot() + qualifier),
             std::to_string(sweep.widths.size()) + " widths");
  if (sweep.widths.empty() || sweep.terms.empty()) return;
  const std::size_t chosen = sweep.chosen ? static_cast<std::size_t>(*sweep.chosen) : sweep.widths.size() - 1;
  page.line(page.dim("  Coefficients at width " + page.number(sweep.widths[chosen]) + ", and from width " +
                     page.number(sweep.widths.front()) + " to " + page.number(sweep.widths.back()) + ":"));
  for (const std::size_t t : by_size(sweep)) {
    const SweptTerm& term = sweep.terms[t];
    std::vector<double> shown;
    text::Range range;
    range.add(0);
    for (const auto& value : term.coefficients) {
      if (value && std::isfinite(*value)) shown.push_back(*value);
    }
    range.add(shown);
    page.line("  " + pad_right(page.fitted(printable(term.name), 34), 34) + "  " +
              pad_left(term.coefficients[chosen] ? page.number(*term.coefficients[chosen]) : "", 10) + "  " +
              page.ink(sparkline(shown, range.low, range.high, page.unicode())) +
              (turns(sweep, term) ? "  changes its sign" : ""));
  }
}

// Names at the ends of lines, moved apart so that each can be read; in units of the axis.
std::vector<double> apart(std::vector<double> heights, double gap, double low, double high) {
  std::vector<std::size_t> order(heights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return heights[a] < heights[b]; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    double& height = heights[order[i]];
    height = std::max(height, i == 0 ? low : heights[order[i - 1]] + gap);
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    double& height = heights[order[i]];
    height = std::min(height, i + 1 == order.size() ? high : heights[order[i + 1]] - gap);
  }
  return heights;
}

Value width_scale(const WidthSweep& sweep) {
  Value x = vega::field("x", "quantitative");
  x.set("scale", Value::object({{"type", "log"},
                                {"nice", false},
                                {"domain", Value::array()
                                               .push_back(vega::plotted(sweep.widths.front()))
                                               .push_back(vega::plotted(sweep.widths.back()))}}));
  return x;
}

Value chart(const Result&, const ItemGroup& group, int) {
  const WidthSweep& sweep = sweep_of(group);
  if (sweep.widths.size() < 2 || sweep.terms.empty()) return vega::message_chart("no widths to compare");
  const auto order = by_size(sweep);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(order.size(), named_lines); ++i) names.push_back(sweep.terms[order[i]].name);
  const std::vector<std::string> labels = unique_labels(names);
  vega::Domain domain;
  domain.add(0);
  for (const SweptTerm& term : sweep.terms) {
    for (const auto& value : term.coefficients) {
      if (value && std::isfinite(*value)) domain.add(*value);
    }
  }
  Value::Array named, others, ends;
  std::vector<double> heights;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const SweptTerm& term = sweep.terms[order[i]];
    double end = std::nan("");
    for (std::size_t w = 0; w < sweep.widths.size(); ++w) {
      if (!term.coefficients[w] || !std::isfinite(*term.coefficients[w])) continue;
      end = *term.coefficients[w];
      Value row = Value::object({{"x", vega::plotted(sweep.widths[w], 4)}, {"y", domain.plotted(end)}});
      row.set("group", i < labels.size() ? labels[i] : printable(term.name))
          .set("line", Value(static_cast<std::uint64_t>(i)));
      if (w < sweep.r2.size() && sweep.r2[w]) row.set("r2", vega::plotted(*sweep.r2[w], 3));
      if (w < sweep.locality.size() && std::isfinite(sweep.locality[w])) row.set("near", percent(sweep.locality[w]));
      (i < labels.size() ? named : others).push_back(std::move(row));
    }
    if (i >= labels.size() || std::isnan(end)) continue;
    heights.push_back(end);
    ends.push_back(Value::object({{"x", vega::plotted(sweep.widths.back())}, {"group", labels[i]}}));
  }
  const double margin = 0.04 * domain.span();
  const double low = domain.low - margin, high = domain.low + domain.span() + margin;
  const auto placed = apart(heights, label_gap * (high - low) / lines_height, low, high);
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i].set("y", domain.plotted(placed[i]));
  Value x = width_scale(sweep);
  x.set("axis",
        Value::object({{"grid", false},
                       {"format", ",.2~r"},
                       {"labelOverlap", "greedy"},
                       {"title", "width of the kernel (near the row to the left, all of the data to the right)"},
                       {"titleLimit", 480}}));
  Value y = vega::quantity_encoding("y", "coefficient", false, domain.any);
  y.set("scale", Value::object({{"domain", Value::array().push_back(vega::plotted(low)).push_back(vega::plotted(high))},
                                {"nice", false},
                                {"zero", false}}));
  Value color = vega::group_color(labels, "");
  color.set("legend", Value());
  const Value tip = vega::tooltip({{"group", "term", false},
                                   {"x", "width"},
                                   {"y", "coefficient"},
                                   {"r2", "R² on made-up rows"},
                                   {"near", "weight near the row", false}});
  Value layers = Value::array();
  layers.push_back(vega::zero_rule());
  if (!others.empty()) {
    layers.push_back(Value::object({{"data", vega::inline_data(std::move(others))},
                                    {"mark", Value::object({{"type", "line"}, {"strokeWidth", 1}, {"opacity", 0.55}})},
                                    {"encoding", Value::object({{"x", x},
                                                                {"y", y},
                                                                {"detail", vega::field("line", "nominal")},
                                                                {"color", Value::object({{"value", vega::muted_ink}})},
                                                                {"tooltip", tip}})}}));
  }
  layers.push_back(
      Value::object({{"data", vega::inline_data(std::move(named))},
                     {"mark", Value::object({{"type", "line"}, {"strokeWidth", 1.8}, {"point", true}})},
                     {"encoding", Value::object({{"x", x}, {"y", y}, {"color", color}, {"tooltip", tip}})}}));
  if (sweep.chosen) {
    const Value data =
        vega::inline_data({Value::object({{"x", vega::plotted(sweep.widths[*sweep.chosen])}, {"label", "chosen"}})});
    layers.push_back(Value::object(
        {{"data", data},
         {"mark", Value::object({{"type", "rule"},
                                 {"strokeDash", Value::array().push_back(4).push_back(3)},
                                 {"strokeWidth", 2},
                                 {"tooltip", Value()}})},
         {"encoding",
          Value::object({{"x", width_scale(sweep)}, {"color", Value::object({{"value", vega::muted_ink}})}})}}));
    layers.push_back(Value::object({{"data", data},
                                    {"mark", Value::object({{"type", "text"},
                                                            {"baseline", "bottom"},
                                                            {"align", "left"},
                                                            {"dx", 5},
                                                            {"dy", -2},
                                                            {"fontSize", 11},
                                                            {"style", "on-middle"},
                                                            {"tooltip", Value()}})},
                                    {"encoding", Value::object({{"x", width_scale(sweep)},
                                                                {"y", Value::object({{"value", "height"}})},
                                                                {"text", vega::field("label", "nominal")}})}}));
  }
  layers.push_back(Value::object({{"data", vega::inline_data(std::move(ends))},
                                  {"mark", Value::object({{"type", "text"},
                                                          {"align", "left"},
                                                          {"baseline", "middle"},
                                                          {"dx", 6},
                                                          {"fontSize", 11},
                                                          {"limit", 150},
                                                          {"tooltip", Value()}})},
                                  {"encoding", Value::object({{"x", Value::object({{"value", "width"}})},
                                                              {"y", y},
                                                              {"text", vega::field("group", "nominal")},
                                                              {"color", color}})}}));
  return Value::object({{"width", vega::chart_width}, {"height", lines_height}, {"layer", layers}});
}

std::string description(const Result&, const ItemGroup& group) {
  const WidthSweep& sweep = sweep_of(group);
  if (sweep.widths.empty()) return "no widths.";
  std::string text = "the coefficients of a local line along " + std::to_string(sweep.widths.size()) +
                     " widths of its kernel from " + readable(sweep.widths.front()) + " to " +
                     readable(sweep.widths.back());
  if (sweep.chosen) text += ", of which " + readable(sweep.widths[*sweep.chosen]) + " was chosen";
  text += ".";
  const auto names = turning_names(sweep);
  if (names.empty()) return text + " No term changes its sign.";
  text += " Terms that change their sign: ";
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : "; ") + names[i];
  return text + ".";
}

std::string reading(const Result&, const ItemGroup&) {
  return "Each line is a term of the explanation. To the left only made-up rows that are nearly the explained one "
         "count, "
         "to the right all count alike: a line that stays level says the same near the row and everywhere; one that "
         "crosses zero speaks for the prediction at one width and against it at another. Where lines begin late, too "
         "few samples count further left.";
}

std::vector<std::string> chips(const ItemGroup& group) {
  const WidthSweep& sweep = sweep_of(group);
  std::vector<std::string> shown;
  if (sweep.chosen) shown.push_back("width " + readable(sweep.widths[*sweep.chosen]));
  const std::size_t turning = turning_names(sweep).size();
  shown.push_back(turning == 0
                      ? "no sign changes"
                      : std::to_string(turning) + (turning == 1 ? " term changes" : " terms change") + " sign");
  return shown;
}

}  // namespace

ShapeView ViewOf<WidthSweep>::view() {
  return {.text = section,
          .chart = chart,
          .chapter = model_chapter(35),
          .words = {.describe = description, .how_to_read = reading, .badges = chips}};
}

}  // namespace sightglass
