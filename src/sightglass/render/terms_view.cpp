#include "sightglass/render/terms_view.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/interval.h"
#include "sightglass/insight/ranking.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass {

namespace {

constexpr int row_step = 25;
constexpr int least_name = 22;  // of a term, in text
constexpr const char* raises = "#D55E00";
constexpr const char* lowers = "#0072B2";

const Terms& terms_of(const ItemGroup& group) { return *group.item<Terms>(); }

// What the terms add up to: the prediction itself, or what its link takes.
std::string sum_title(const Result& result, const Terms& terms) {
  switch (terms.link) {
    case TermLink::logit: return "log-odds of " + prediction_subject(result, terms.output);
    case TermLink::softmax: return "score of " + prediction_subject(result, terms.output);
    case TermLink::log: return "logarithm of the " + prediction_title(result, Quantity::single, terms.output);
    case TermLink::identity: break;
  }
  std::string title = prediction_title(result, Quantity::single, terms.output);
  if (!terms.unit.empty() && prediction_unit(result).empty()) title += " (" + printable(terms.unit, 40) + ")";
  return title;
}

bool all_standardized(const Terms& terms) {
  return std::all_of(terms.terms.begin(), terms.terms.end(),
                     [](const LinearTerm& term) { return term.standardized.has_value(); });
}

// What is drawn: standardized coefficients can be compared, the others only where nothing else is known.
struct DrawnTerm {
  double value = 0;
  std::optional<Interval> interval = std::nullopt;
};

DrawnTerm drawn(const LinearTerm& term, bool standardized) {
  if (term.contribution) {
    DrawnTerm shown{.value = *term.contribution};
    // Of a term that is there or not: its coefficient is what it adds.
    if (term.se && *term.contribution == term.coefficient)
      shown.interval = Interval{shown.value - interval_width * *term.se, shown.value + interval_width * *term.se};
    return shown;
  }
  DrawnTerm shown{.value = standardized ? *term.standardized : term.coefficient};
  const double scale = standardized ? *term.standardized / term.coefficient : 1;
  if (!std::isfinite(scale)) return shown;
  double low = term.low.value_or(std::nan("")), high = term.high.value_or(std::nan(""));
  if (std::isnan(low) && term.se) {
    low = term.coefficient - interval_width * *term.se;
    high = term.coefficient + interval_width * *term.se;
  }
  low *= scale;
  high *= scale;
  if (!std::isnan(low) && !std::isnan(high)) shown.interval = Interval{std::min(low, high), std::max(low, high)};
  return shown;
}

bool any(const Terms& terms, std::optional<double> LinearTerm::* member) {
  return std::any_of(terms.terms.begin(), terms.terms.end(),
                     [&](const LinearTerm& term) { return (term.*member).has_value(); });
}

// Whether they say what is added for one row.
bool of_a_row(const Terms& terms) { return any(terms, &LinearTerm::contribution); }

// Of a row: "temp = 9.8", "season = winter", "not (temp > 13 & workingday = yes)".
std::string name_of(const Terms& terms, const LinearTerm& term) {
  if (!term.contribution || !term.value) return term_text(term);
  if (term.conditions.empty()) {
    const DateKind dates = term.features.size() == 1 ? date_kind(terms.dates, term.features[0]) : DateKind{};
    return term_text(term) + " = " + readable_value(Value(*term.value), dates);
  }
  return *term.value == 0 ? "not (" + term_text(term) + ")" : term_text(term);
}

// Largest first, however a file has them; splits of a path one after the other.
std::vector<const LinearTerm*> ranked(const Terms& terms) {
  const bool standardized = all_standardized(terms);
  std::vector<const LinearTerm*> order;
  for (const LinearTerm& term : terms.terms) order.push_back(&term);
  if (terms.in_sequence) return order;
  const auto size = [&](const LinearTerm* term) {
    const double value = std::abs(drawn(*term, standardized).value);
    return std::isnan(value) ? -1 : value;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const LinearTerm* a, const LinearTerm* b) { return size(a) > size(b); });
  return order;
}

// What is known of how far a local line can be trusted.
std::vector<std::pair<std::string, double>> line_measures(const Terms& terms) {
  static constexpr std::pair<const char*, const char*> known[] = {{"r2", "R² on made-up rows"},
                                                                  {"r2_near", "R² on the nearest rows"},
                                                                  {"stability", "stability"},
                                                                  {"locality_share", "locality"}};
  std::vector<std::pair<std::string, double>> found;
  for (const auto& [key, words] : known) {
    const Value* value = terms.details.find(key);
    if (value != nullptr && value->is_number()) found.emplace_back(words, value->as_number());
  }
  return found;
}

// "The model says 77.5; the line comes to 152. R² on made-up rows 0.28, ..."
std::string line_words(const Terms& terms) {
  std::string text;
  if (terms.prediction)
    text = "The model says " + readable(*terms.prediction) + "; the line comes to " + readable(*terms.line) + ".";
  std::string measures;
  for (const auto& [words, value] : line_measures(terms))
    measures += (measures.empty() ? "" : ", ") + words + " " + readable_share(value);
  return measures.empty() ? text : text + (text.empty() ? "" : " ") + measures + ".";
}

// What each term adds for a row, from an average row to this one.
void row_section(text::Page& page, const Terms& terms, const std::string& qualifier) {
  page.title(item_title(terms) + (qualifier.empty() ? "" : page.dot() + qualifier),
             page.ascii(sum_title(page.result(), terms)));
  const auto order = ranked(terms);
  const std::size_t shown = std::min(order.size(), rows_per_ranking);
  std::vector<double> numbers{terms.base.value_or(terms.intercept)};
  text::TableColumn names{"term", {terms.line ? "(intercept)" : "(average row)"}, true};
  double rest = 0, sum = numbers[0];
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double adds = order[i]->contribution.value_or(0);
    sum += adds;
    if (i >= shown) {
      rest += adds;
      continue;
    }
    names.cells.push_back(page.ascii(name_of(terms, *order[i])));
    numbers.push_back(adds);
  }
  if (order.size() > shown) {
    names.cells.push_back("(" + std::to_string(order.size() - shown) + " more)");
    numbers.push_back(rest);
  }
  names.cells.push_back(terms.line ? "= line" : terms.link == TermLink::identity ? "= prediction" : "= sum");
  numbers.push_back(sum);
  const ColumnFormat format(numbers);
  text::TableColumn adds{"adds", {}, false};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool added = i > 0 && i + 1 < numbers.size() && numbers[i] > 0;
    adds.cells.push_back(page.ascii((added ? "+" : "") + format(numbers[i])));
  }
  int width = text_width(adds.title);
  for (const auto& cell : adds.cells) width = std::max(width, text_width(cell));
  for (auto& cell : names.cells) cell = page.fitted(cell, std::max(least_name, page.width() - width - 6));
  page.table({std::move(names), std::move(adds)});
  if (terms.line) page.wrapped(page.ascii(line_words(terms)), 2);
  if (terms.prediction && terms.link != TermLink::identity)
    page.wrapped("The link makes the prediction " + page.ascii(readable(*terms.prediction)) + " of " +
                     (terms.link == TermLink::softmax ? "the sums of all classes." : "this sum."),
                 2);
  if (terms.in_sequence) page.wrapped("Each split changes the mean of the rows that are left.", 2);
}

void terms_section(text::Page& page, const ItemGroup& group) {
  const Terms& terms = terms_of(group);
  if (of_a_row(terms)) {
    row_section(page, terms, group_qualifier(page.result(), group));
    return;
  }
  const std::string qualifier = group_qualifier(page.result(), group);
  page.title("Terms" + (qualifier.empty() ? "" : page.dot() + qualifier), page.ascii(sum_title(page.result(), terms)));
  const auto order = ranked(terms);
  const std::size_t shown = std::min(order.size(), rows_per_ranking);
  text::TableColumn names{"term", {"(intercept)"}, true};
  std::vector<double> coefficients{terms.intercept}, errors{terms.intercept_se.value_or(std::nan(""))};
  std::vector<double> standardized{std::nan("")}, low{std::nan("")}, high{std::nan("")}, p{std::nan("")},
      back{std::nan("")};
  const auto or_nan = [](const std::optional<double>& value) { return value.value_or(std::nan("")); };
  for (std::size_t i = 0; i < shown; ++i) {
    std::string name = term_text(*order[i]);
    if (!page.unicode()) {
      for (auto at = name.find("×"); at != std::string::npos; at = name.find("×")) name.replace(at, 2, "x");
    }
    names.cells.push_back(std::move(name));
    coefficients.push_back(order[i]->coefficient);
    standardized.push_back(or_nan(order[i]->standardized));
    errors.push_back(or_nan(order[i]->se));
    low.push_back(or_nan(order[i]->low));
    high.push_back(or_nan(order[i]->high));
    p.push_back(or_nan(order[i]->p_value));
    back.push_back(or_nan(order[i]->stability));
  }
  std::vector<text::TableColumn> columns{std::move(names)};
  int room = page.width() - least_name - 2;  // what has none is left to the files
  const auto add_column = [&](text::TableColumn column) {
    int width = text_width(column.title);
    for (const auto& cell : column.cells) width = std::max(width, text_width(cell));
    room -= width + 3;
    if (room >= 0) columns.push_back(std::move(column));
  };
  // Coefficients are in units of their own: each has its own digits.
  const auto add = [&](const char* title, const std::vector<double>& values, auto&& format) {
    if (std::all_of(values.begin(), values.end(), [](double value) { return std::isnan(value); })) return;
    text::TableColumn column{title, {}, false};
    for (const double value : values) column.cells.push_back(std::isnan(value) ? "" : page.ascii(format(value)));
    add_column(std::move(column));
  };
  const auto plain = [](double value) { return readable(value); };
  add("coefficient", coefficients, plain);
  add("standardized", standardized, ColumnFormat(standardized));
  add("se", errors, readable_error);
  if (any(terms, &LinearTerm::low) && any(terms, &LinearTerm::high)) {
    text::TableColumn intervals{"interval", {}, false};
    for (std::size_t i = 0; i < low.size(); ++i) {
      const std::string range = page.ascii(readable_error(low[i])) + " to " + page.ascii(readable_error(high[i]));
      intervals.cells.push_back(std::isnan(low[i]) ? "" : range);
    }
    add_column(std::move(intervals));
  }
  add("p", p, [](double value) { return value < 0.0001 ? std::string("<0.0001") : readable_share(value); });
  add("came back", back, [](double value) { return percent(value); });
  const int name_room = std::max(room, 0) + least_name;
  for (auto& cell : columns[0].cells) cell = page.fitted(cell, name_room);
  page.table(columns);
  if (order.size() > shown)
    page.line(page.dim("  " + std::to_string(order.size() - shown) + " more; csv and json have all"));
  page.wrapped("Prediction = " + std::string(terms.link == TermLink::identity ? "" : "inverse link of ") +
                   "intercept + sum of coefficient times value" +
                   (any(terms, &LinearTerm::standardized)
                        ? "; standardized: change for one standard deviation, comparable between terms."
                        : "."),
               2);
}

Value color_by_sign() {
  Value color = vega::field("group", "nominal");
  color.set("scale",
            Value::object({{"domain", vega::texts({"raises", "lowers"})}, {"range", vega::texts({raises, lowers})}}));
  return color.set("legend", Value());
}

Value terms_chart(const Result& result, const ItemGroup& group, int) {
  const Terms& terms = terms_of(group);
  if (terms.terms.empty()) return vega::message_chart("no terms: every prediction is " + readable(terms.intercept));
  const bool standardized = all_standardized(terms);
  const auto order = ranked(terms);
  const std::size_t shown = std::min(order.size(), rows_per_ranking);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < shown; ++i) names.push_back(name_of(terms, *order[i]));
  const bool row_alone = of_a_row(terms);
  std::vector<std::string> labels = unique_labels(names);
  Value::Array rows;
  vega::Domain domain;
  domain.add(0);
  bool any_interval = false;
  for (std::size_t i = 0; i < shown; ++i) {
    const LinearTerm& term = *order[i];
    const DrawnTerm value = drawn(term, standardized);
    if (!std::isfinite(value.value)) continue;
    domain.add(value.value);
    Value row = Value::object(
        {{"y", labels[i]},
         {"x", vega::plotted(value.value)},
         {"from", 0},
         {"full", printable(term_text(term, 40), 400)},
         {"coefficient", vega::plotted(term.coefficient)},
         {"label", row_alone ? (value.value > 0 ? "+" : "") + readable(value.value) : readable(term.coefficient)},
         {"group", value.value < 0 ? "lowers" : "raises"}});
    if (value.interval) {
      any_interval = true;
      row.set("low", vega::plotted(value.interval->low)).set("high", vega::plotted(value.interval->high));
      domain.add(value.interval->low);
      domain.add(value.interval->high);
    }
    if (term.se) row.set("se", vega::plotted(*term.se, 3));
    if (term.p_value) row.set("p", vega::plotted(*term.p_value, 3));
    if (term.stability) row.set("back", percent(*term.stability));
    rows.push_back(std::move(row));
  }
  std::vector<vega::TooltipField> fields{{"full", "term", false}, {"coefficient", "coefficient"}};
  if (row_alone) fields.push_back({"x", "adds"});
  if (standardized && !row_alone) fields.push_back({"x", "standardized"});
  if (any(terms, &LinearTerm::se)) fields.push_back({"se", "se of the coefficient"});
  if (any(terms, &LinearTerm::p_value)) fields.push_back({"p", "p"});
  if (any(terms, &LinearTerm::stability)) fields.push_back({"back", "came back in refits", false});
  const Value tip = vega::tooltip(fields);
  if (order.size() > shown) labels.push_back("… " + std::to_string(order.size() - shown) + " more");

  Value y = vega::field("y", "nominal");
  y.set("scale", Value::object({{"domain", vega::texts(labels)}})).set("sort", Value());
  y.set("axis",
        Value::object({{"title", Value()}, {"labelLimit", 210}, {"grid", false}, {"ticks", false}, {"domain", false}}));
  const std::string per = row_alone      ? "adds to the "
                          : standardized ? "change per standard deviation: "
                                         : "change per unit: ";
  Value x = vega::quantity_encoding("x", per + sum_title(result, terms), true, domain.any);
  x.set("axis", Value::object({{"format", ",.4~r"}, {"tickCount", 5}, {"titleLimit", 480}}));
  // Dots at the ends of the axis would stand on the names.
  const auto margin = [&](double end) { return end != 0 ? 0.05 * domain.span() : 0; };
  x.set("scale",
        Value::object({{"domain", Value::array()
                                      .push_back(vega::plotted(domain.low - margin(domain.low)))
                                      .push_back(vega::plotted(domain.low + domain.span() + margin(domain.high)))},
                       {"nice", true},
                       {"zero", true}}));
  Value layers = Value::array();
  layers.push_back(vega::zero_rule(true));
  layers.push_back(Value::object(
      {{"mark", Value::object({{"type", "rule"}, {"strokeWidth", 1.5}, {"opacity", 0.45}})},
       {"encoding",
        Value::object({{"x2", Value::object({{"field", "from"}})}, {"color", color_by_sign()}, {"tooltip", tip}})}}));
  if (any_interval) {
    layers.push_back(Value::object(
        {{"mark", Value::object({{"type", "rule"}, {"strokeWidth", 4}, {"opacity", 0.35}, {"strokeCap", "round"}})},
         {"encoding", Value::object({{"x", vega::field("low", "quantitative")},
                                     {"x2", Value::object({{"field", "high"}})},
                                     {"color", color_by_sign()},
                                     {"tooltip", tip}})}}));
  }
  layers.push_back(
      Value::object({{"mark", Value::object({{"type", "point"}, {"filled", true}, {"size", 75}, {"opacity", 1}})},
                     {"encoding", Value::object({{"color", color_by_sign()}, {"tooltip", tip}})}}));
  // The coefficient itself at the right edge, in its own units.
  layers.push_back(Value::object(
      {{"mark", Value::object({{"type", "text"}, {"align", "left"}, {"dx", 8}, {"style", "guide-label"}})},
       {"encoding", Value::object({{"x", Value::object({{"value", "width"}})},
                                   {"text", vega::field("label", "nominal")},
                                   {"color", Value::object({{"value", vega::muted_ink}})}})}}));
  if (standardized && !row_alone) {
    layers.push_back(Value::object(
        {{"data", vega::inline_data({Value::object({{"label", "per unit"}})})},
         {"mark", Value::object({{"type", "text"}, {"align", "left"}, {"dx", 8}, {"style", "guide-label"}})},
         {"encoding", Value::object({{"x", Value::object({{"value", "width"}})},
                                     {"y", Value::object({{"value", -7}})},
                                     {"text", vega::field("label", "nominal")},
                                     {"color", Value::object({{"value", vega::muted_ink}})}})}}));
  }
  return Value::object({{"width", vega::chart_width},
                        {"height", row_step * static_cast<int>(labels.size())},
                        {"data", vega::inline_data(std::move(rows))},
                        {"encoding", Value::object({{"y", y}, {"x", x}})},
                        {"layer", layers}});
}

std::string row_description(const Result& result, const Terms& terms) {
  std::string text = "what each term adds to the " + sum_title(result, terms);
  if (terms.row) text += " of " + row_name(*terms.row, terms.row_label);
  if (terms.base)
    text += ", from " + readable(*terms.base) + (terms.line ? " where none of them holds" : " of an average row");
  if (terms.prediction) text += ", predicted " + readable(*terms.prediction);
  if (terms.line) text += ", by the line " + readable(*terms.line);
  text += ".";
  const auto order = ranked(terms);
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 3); ++i)
    text += std::string(i == 0 ? " " : "; ") + name_of(terms, *order[i]) + ": " +
            readable(order[i]->contribution.value_or(0));
  return order.empty() ? text : text + ".";
}

std::string terms_description(const Result& result, const ItemGroup& group) {
  const Terms& terms = terms_of(group);
  if (of_a_row(terms)) return row_description(result, terms);
  std::string text = "a linear model of the " + sum_title(result, terms) + " with " +
                     std::to_string(terms.terms.size()) + (terms.terms.size() == 1 ? " term." : " terms.");
  const auto order = ranked(terms);
  const bool standardized = all_standardized(terms);
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 3); ++i) {
    text += std::string(i == 0 ? " Largest: " : "; ") + term_text(*order[i]) + ", " + readable(order[i]->coefficient) +
            " per unit";
    if (standardized) text += ", " + readable(*order[i]->standardized) + " per standard deviation";
  }
  return order.empty() ? text : text + ".";
}

std::string terms_reading(const Result&, const ItemGroup& group) {
  const Terms& terms = terms_of(group);
  if (terms.line) {
    return "A dot is what a term adds near this row, by a line fitted to what the model says of rows made up around "
           "it. "
           "Terms to the right of the middle speak for a higher prediction, those to the left for a lower one. The "
           "line "
           "only comes near the model: R² says how near.";
  }
  if (of_a_row(terms)) {
    return terms.in_sequence
               ? "From top to bottom the splits that the row passes; a dot is by how much the mean of the "
                 "rows changes there. All together lead from the mean of all rows to the prediction."
               : "A dot is what a term adds for this row, compared with an average row. All together lead "
                 "from what an average row has to what this one has.";
  }
  std::string text = all_standardized(terms) ? "A dot is what one standard deviation more of a term adds, so that "
                                               "terms in different units can be compared; the "
                                               "number at the right is the coefficient itself, per unit. "
                                             : "A dot is what one unit more of a term adds. ";
  text +=
      "A level or a rule is 1 where it holds and 0 elsewhere. Terms to the right of the line raise the prediction, "
      "those to "
      "the left lower it.";
  if (any(terms, &LinearTerm::low)) {
    text += " Pale bars are the intervals of the coefficients.";
  } else if (any(terms, &LinearTerm::se)) {
    text += " Pale bars are 95 % intervals from standard errors.";
  }
  return text;
}

std::vector<std::string> terms_chips(const ItemGroup& group) {
  const Terms& terms = terms_of(group);
  if (terms.line) {
    std::vector<std::string> shown{"line " + readable(*terms.line)};
    if (terms.prediction) shown.push_back("prediction " + readable(*terms.prediction));
    for (const auto& [words, value] : line_measures(terms)) shown.push_back(words + " " + readable_share(value));
    return shown;
  }
  if (of_a_row(terms)) {
    std::vector<std::string> shown{"average row " + readable(terms.base.value_or(terms.intercept))};
    if (terms.prediction) shown.push_back("prediction " + readable(*terms.prediction));
    return shown;
  }
  return {std::to_string(terms.terms.size()) + (terms.terms.size() == 1 ? " term" : " terms"),
          "intercept " + readable(terms.intercept)};
}

}  // namespace

ShapeView ViewOf<Terms>::view() {
  return {.text = terms_section,
          .chart = terms_chart,
          .chapter = model_chapter(30),
          .words = {.describe = terms_description, .how_to_read = terms_reading, .badges = terms_chips}};
}

}  // namespace sightglass
