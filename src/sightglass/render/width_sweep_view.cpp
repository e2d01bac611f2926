#include "sightglass/render/width_sweep_view.h"

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

void width_sweep_section(text::Page& page, const ItemGroup& group) {
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

Value width_scale(const WidthSweep& sweep) {
  Value x = vega::field("x", "quantitative");
  x.set("scale", Value::object({{"type", "log"},
                                {"nice", false},
                                {"domain", Value::array()
                                               .push_back(vega::plotted(sweep.widths.front()))
                                               .push_back(vega::plotted(sweep.widths.back()))}}));
  return x;
}

vega::NamedLine line_of(const WidthSweep& sweep, const SweptTerm& term) {
  vega::NamedLine line{.name = term.name};
  for (std::size_t w = 0; w < sweep.widths.size(); ++w) {
    if (!term.coefficients[w] || !std::isfinite(*term.coefficients[w])) continue;
    vega::LinePoint point{.x = sweep.widths[w], .y = *term.coefficients[w]};
    if (w < sweep.r2.size() && sweep.r2[w]) point.told.set("r2", vega::plotted(*sweep.r2[w], 3));
    if (w < sweep.locality.size() && std::isfinite(sweep.locality[w]))
      point.told.set("near", percent(sweep.locality[w]));
    line.points.push_back(std::move(point));
  }
  return line;
}

Value::Array chosen_width_layers(const WidthSweep& sweep) {
  if (!sweep.chosen) return {};
  const Value data =
      vega::inline_data({Value::object({{"x", vega::plotted(sweep.widths[*sweep.chosen])}, {"label", "chosen"}})});
  const Value rule = Value::object({{"type", "rule"},
                                    {"strokeDash", Value::array().push_back(4).push_back(3)},
                                    {"strokeWidth", 2},
                                    {"tooltip", Value()}});
  const Value text = Value::object({{"type", "text"},
                                    {"baseline", "bottom"},
                                    {"align", "center"},
                                    {"dy", -3},
                                    {"fontSize", 11},
                                    {"style", "on-middle"},
                                    {"tooltip", Value()}});
  return {Value::object({{"data", data},
                         {"mark", rule},
                         {"encoding", Value::object({{"x", width_scale(sweep)},
                                                     {"color", Value::object({{"value", vega::muted_ink}})}})}}),
          Value::object({{"data", data},
                         {"mark", text},
                         {"encoding", Value::object({{"x", width_scale(sweep)},
                                                     {"y", Value::object({{"value", 0}})},
                                                     {"text", vega::field("label", "nominal")}})}})};
}

Value width_sweep_chart(const Result&, const ItemGroup& group, int) {
  const WidthSweep& sweep = sweep_of(group);
  if (sweep.widths.size() < 2 || sweep.terms.empty()) return vega::message_chart("no widths to compare");
  vega::NamedLines lines{.y_title = "coefficient", .dots = true, .marks = chosen_width_layers(sweep)};
  for (const std::size_t t : by_size(sweep)) lines.lines.push_back(line_of(sweep, sweep.terms[t]));
  lines.x = width_scale(sweep).set(
      "axis", Value::object({{"grid", false},
                             {"format", ",.2~r"},
                             {"labelOverlap", "greedy"},
                             {"labelSeparation", 6},
                             {"title", "width of the kernel (near the row to the left, all of the data to the right)"},
                             {"titleLimit", 480}}));
  lines.tooltip = vega::tooltip({{"group", "term", false},
                                 {"x", "width"},
                                 {"y", "coefficient"},
                                 {"r2", "R² on made-up rows"},
                                 {"near", "weight near the row", false}});
  return vega::named_lines_panel(std::move(lines));
}

std::string width_sweep_description(const Result&, const ItemGroup& group) {
  const WidthSweep& sweep = sweep_of(group);
  if (sweep.widths.empty()) return "no widths.";
  std::string text = "the coefficients of a local line along " + std::to_string(sweep.widths.size()) +
                     " widths of its kernel from " + readable(sweep.widths.front()) + " to " +
                     readable(sweep.widths.back());
  if (sweep.chosen) text += ", of which " + readable(sweep.widths[*sweep.chosen]) + " was chosen";
  text += ".";
  const auto names = turning_names(sweep);
  if (names.empty()) return text + " No term changes its sign by more than a tenth of the largest coefficient.";
  text += " Terms that change their sign: ";
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : "; ") + names[i];
  return text + ".";
}

std::string width_sweep_reading(const Result&, const ItemGroup&) {
  return "Each line is a term of the explanation. To the left only made-up rows that are nearly the explained one "
         "count, "
         "to the right all count alike: a line that stays level says the same near the row and everywhere; one that "
         "crosses zero speaks for the prediction at one width and against it at another. Where lines begin late, too "
         "few samples count further left.";
}

std::vector<std::string> width_sweep_chips(const ItemGroup& group) {
  const WidthSweep& sweep = sweep_of(group);
  std::vector<std::string> shown;
  if (sweep.chosen) shown.push_back("width " + readable(sweep.widths[*sweep.chosen]));
  const std::size_t turning = turning_names(sweep).size();
  shown.push_back(turning == 0
                      ? "no clear change of sign"
                      : std::to_string(turning) + (turning == 1 ? " term changes" : " terms change") + " sign");
  return shown;
}

}  // namespace

ShapeView ViewOf<WidthSweep>::view() {
  return {
      .text = width_sweep_section,
      .chart = width_sweep_chart,
      .chapter = model_chapter(35),
      .words = {.describe = width_sweep_description, .how_to_read = width_sweep_reading, .badges = width_sweep_chips}};
}

}  // namespace sightglass
