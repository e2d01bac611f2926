#include "sightglass/methods/local/lime/shown_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "sightglass/data/new_rows.h"
#include "sightglass/methods/caveats/caveat_text_internal.h"

namespace sightglass {

namespace {

constexpr double low_r2 = 0.5;            // below it a line does not say what the model does
constexpr double unstable_overlap = 0.7;  // of the largest terms, over repeats
constexpr double large_error = 0.1;       // of the largest coefficient's standard error, as a share of it
constexpr double fewest_samples = 30;     // effective ones
constexpr double hardly_local = 0.1;      // share of the weight near the row
constexpr double off_data_gap = 0.5;      // of a tree's R² between rows of the data and samples

// "row 17", "row 17 and 4 more".
std::string these_rows(const std::vector<const RowLine*>& lines) {
  std::set<std::uint64_t> rows;
  for (const RowLine* line : lines) rows.insert(line->row);
  return row_text(lines.front()->row) + (rows.size() > 1 ? " and " + std::to_string(rows.size() - 1) + " more" : "");
}

Value row_numbers(const std::vector<const RowLine*>& lines) {
  std::set<std::uint64_t> rows;
  for (const RowLine* line : lines) rows.insert(line->row);
  Value numbers = Value::array();
  std::size_t count = 0;
  for (const std::uint64_t row : rows) {
    if (count++ < 100) numbers.push_back(Value(row));
  }
  return numbers;
}

double largest_coefficient(const RowLine& line) {
  double largest = 0;
  for (const double coefficient : line.line.coefficients) largest = std::max(largest, std::abs(coefficient));
  return largest;
}

// Of the largest coefficient.
double relative_error(const RowLine& line) {
  if (line.se.empty()) return 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < line.line.coefficients.size(); ++i) {
    if (std::abs(line.line.coefficients[i]) > std::abs(line.line.coefficients[at])) at = i;
  }
  const double size = std::abs(line.line.coefficients[at]);
  return size > 0 ? line.se[at] / size : 0;
}

std::optional<double> known(double number) { return std::isnan(number) ? std::nullopt : std::optional<double>(number); }

// Without names.
WidthSweep bare_sweep(const Perturbation& perturbation, const RowLine& line) {
  WidthSweep sweep;
  const auto widths = widths_around(perturbation.width());
  sweep.widths.assign(widths.begin(), widths.end());
  sweep.chosen = chosen_width;
  for (std::size_t i = 0; i < line.sweep.size(); ++i) {
    SweptTerm& term = sweep.terms.emplace_back();
    // As the line has it: numbers per unit.
    const double unit = line.kind[i] == TermKind::number ? perturbation.feature(line.line.terms[i]).sd : 1;
    for (const double coefficient : line.sweep[i]) term.coefficients.push_back(known(coefficient / unit));
  }
  return sweep;
}

}  // namespace

LinearTerm shown_term(const MethodInput& input, const Perturbation& perturbation, const RowLine& line, std::size_t term,
                      double own_value) {
  const std::size_t j = line.line.terms[term];
  const PerturbedFeature& feature = perturbation.feature(j);
  const double coefficient = line.line.coefficients[term];
  LinearTerm shown{.features = {input.schema[feature.column].name}};
  shown.contribution = coefficient * line.own[term];
  if (line.kind[term] == TermKind::cell) {
    shown.conditions = {perturbation.condition(j, line.cell[term])};
    shown.coefficient = coefficient;
    shown.standardized = coefficient * line.sd[term];
    shown.value = 1;
    if (!line.se.empty()) shown.se = line.se[term];
  } else {
    shown.coefficient = coefficient / feature.sd;
    shown.standardized = coefficient;
    shown.value = own_value;
    if (!line.se.empty()) shown.se = line.se[term] / feature.sd;
  }
  return shown;
}

Terms shown_line(const MethodInput& input, const RowExplainer& explainer, const LabelledRow& row, const RowLine& line) {
  const Perturbation& perturbation = explainer.perturbation();
  Terms shown{.output = input.outputs[input.explained[line.output]], .group = {}};
  shown.row = line.row;
  shown.base = line.line.intercept;
  shown.intercept = line.line.intercept;
  shown.prediction = line.prediction;
  shown.line = line.value();
  for (std::size_t i = 0; i < line.line.terms.size(); ++i) {
    const std::size_t j = line.line.terms[i];
    shown.terms.push_back(shown_term(input, perturbation, line, i, row.values[j]));
    if (line.kind[i] == TermKind::number)
      shown.intercept -= shown.terms.back().coefficient * perturbation.feature(j).mean;
  }
  std::stable_sort(shown.terms.begin(), shown.terms.end(), [](const LinearTerm& a, const LinearTerm& b) {
    return std::abs(*a.standardized) > std::abs(*b.standardized);
  });
  shown.details.set("estimator", to_string(explainer.estimator()))
      .set("r2", line.r2)
      .set("r2_se", line.r2_se)
      .set("r2_near", line.r2_near ? Value(*line.r2_near) : Value())
      .set("near_rows", line.near_rows)
      .set("stability", line.stability)
      .set("stability_terms", line.compared)
      .set("locality_share", line.locality)
      .set("effective_share", line.effective_share)
      .set("mean_prediction", line.mean)
      .set("width", perturbation.width())
      .set("samples", explainer.samples() + 1)
      .set("repeats", explainer.repeats());
  return shown;
}

WidthSweep shown_sweep(const MethodInput& input, const RowExplainer& explainer, const LabelledRow& row,
                       const RowLine& line) {
  WidthSweep sweep = bare_sweep(explainer.perturbation(), line);
  sweep.output = input.outputs[input.explained[line.output]];
  sweep.row = line.row;
  for (std::size_t i = 0; i < sweep.terms.size(); ++i) {
    const double own = row.values[line.line.terms[i]];
    sweep.terms[i].name = term_text(shown_term(input, explainer.perturbation(), line, i, own));
  }
  for (const double r2 : line.sweep_r2) sweep.r2.push_back(known(r2));
  sweep.locality.assign(line.sweep_locality.begin(), line.sweep_locality.end());
  return sweep;
}

void add_line_caveats(const MethodInput& input, const RowExplainer& explainer, const std::vector<RowLine>& lines,
                      std::vector<Caveat>& caveats) {
  std::vector<const RowLine*> poor, unstable, vague, turning;
  std::set<std::size_t> turned;
  double local = 0, fewest = std::numeric_limits<double>::infinity();
  for (const RowLine& line : lines) {
    const bool varies = explainer.variance(line.output) > 0 && largest_coefficient(line) > 0;
    if (varies && line.r2 < low_r2) poor.push_back(&line);
    if (varies && line.stability < unstable_overlap) unstable.push_back(&line);
    if (varies && relative_error(line) > large_error) vague.push_back(&line);
    const WidthSweep sweep = bare_sweep(explainer.perturbation(), line);
    bool any_turns = false;
    for (std::size_t i = 0; i < sweep.terms.size(); ++i) {
      if (!turns(sweep, sweep.terms[i])) continue;
      any_turns = true;
      turned.insert(line.line.terms[i]);
    }
    if (any_turns) turning.push_back(&line);
    local += line.locality / static_cast<double>(lines.size());
    fewest = std::min(fewest, 1 + line.effective_share * static_cast<double>(explainer.samples()));
  }
  // The worst comes first.
  const auto sort = [](std::vector<const RowLine*>& found, const auto& badness) {
    std::stable_sort(found.begin(), found.end(),
                     [&](const RowLine* a, const RowLine* b) { return badness(*a) > badness(*b); });
  };
  if (!poor.empty()) {
    const bool more_terms = poor.front()->line.terms.size() < input.features.size();
    sort(poor, [](const RowLine& line) { return -line.r2; });
    caveats.push_back(
        {.id = "low-fidelity",
         .severity = Severity::caution,
         .message = (lines.size() == 1
                         ? "the line of " + these_rows(poor) + " follows the model badly: R² on made-up rows is "
                         : std::to_string(poor.size()) + " of " + std::to_string(lines.size()) +
                               " lines follow the model badly: R² on made-up rows is below " + number_text(low_r2) +
                               ", least of all for " + row_text(poor.front()->row) + ", ") +
                    number_text(poor.front()->r2),
         .evidence = Value::object(
             {{"lines", poor.size()}, {"of", lines.size()}, {"rows", row_numbers(poor)}, {"r2", poor.front()->r2}}),
         .advice = marked((more_terms ? std::string("raise {option:terms}, ") : std::string()) +
                          "lower {option:width}, or ask the method {method:shap}")});
  }
  if (fewest < fewest_samples) {
    caveats.push_back(
        {.id = "few-near-rows",
         .severity = Severity::caution,
         .message = "the kernel is so narrow that no more than " + number_text(fewest) + " of " +
                    std::to_string(explainer.samples() + 1) + " samples count: " +
                    (explainer.exact() ? "lines are exact, but how well they follow the model cannot be measured"
                                       : "lines rest on next to nothing"),
         .evidence = Value::object({{"effective_samples", fewest}}),
         .advice = marked("raise {option:width} or {option:samples}")});
  }
  if (!unstable.empty()) {
    sort(unstable, [](const RowLine& line) { return -line.stability; });
    caveats.push_back(
        {.id = "unstable-local",
         .severity = Severity::warning,
         .message = "other samples give another explanation of " + these_rows(unstable) + ": of the " +
                    std::to_string(unstable.front()->compared) + " largest terms, two draws share " +
                    percent_text(unstable.front()->stability) + " (Jaccard)",
         .evidence = Value::object({{"rows", row_numbers(unstable)}, {"stability", unstable.front()->stability}}),
         .advice = marked("raise {option:samples}; tree ensembles are explained exactly on the margin scale")});
  } else if (!vague.empty()) {
    sort(vague, relative_error);
    caveats.push_back(
        {.id = "unstable-local",
         .severity = Severity::caution,
         .message = "the largest coefficient of " + these_rows(vague) + " has a standard error of " +
                    percent_text(relative_error(*vague.front())) + " of its size",
         .evidence = Value::object({{"rows", row_numbers(vague)}, {"se", relative_error(*vague.front())}}),
         .advice = marked("raise {option:samples}")});
  }
  if (!turning.empty()) {
    std::vector<Text> names;
    for (const std::size_t j : turned) names.push_back(feature_name(input.schema[input.features[j]].name));
    caveats.push_back({.id = "width-decides",
                       .severity = Severity::caution,
                       .message = Text("the width of the kernel decides whether ") + named(names) +
                                  (turned.size() > 1 ? " speak" : " speaks") + " for or against the prediction of " +
                                  these_rows(turning),
                       .evidence = Value::object({{"rows", row_numbers(turning)}, {"features", turned.size()}}),
                       .advice = marked("read the sweep over widths; name the {option:width} that you mean")});
  }
  if (!lines.empty() && local < hardly_local) {
    caveats.push_back({.id = "hardly-local",
                       .severity = Severity::note,
                       .message = "these lines are hardly local: " + percent_text(1 - local) +
                                  " of the weight lies on samples of which more than half of the features changed",
                       .evidence = Value::object({{"locality_share", local}}),
                       .advice = marked("lower {option:width}; the sweep over widths shows what changes")});
  }
}

void add_off_data_caveat(const MethodInput& input, const std::vector<RowLine>& lines, std::size_t output,
                         const OffData& off, std::vector<Caveat>& caveats) {
  if (off.on_rows < low_r2 || off.on_samples > off.on_rows - off_data_gap) return;
  std::vector<double> on_near, on_made;
  for (const RowLine& line : lines) {
    if (line.output != output || !line.r2_near) continue;
    on_near.push_back(*line.r2_near);
    on_made.push_back(line.r2);
  }
  const auto middle = [](std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? Value() : Value(values[values.size() / 2]);
  };
  const std::string of_output = input.explained.size() > 1 ? " of " + input.outputs[input.explained[output]] : "";
  caveats.push_back(
      {.id = "off-data-behaviour",
       .severity = Severity::warning,
       .message = "predictions" + of_output +
                  " of made-up rows, from which these lines come, follow other rules than those of the data: a tree "
                  "that learned from rows of the data has R² " +
                  number_text(off.on_rows) + " on others of them, but " + number_text(off.on_samples) +
                  " on made-up ones",
       .evidence = Value::object({{"r2_on_rows", off.on_rows},
                                  {"r2_on_samples", off.on_samples},
                                  {"line_r2_near", middle(on_near)},
                                  {"line_r2", middle(on_made)}}),
       .advice = marked("do not take the lines for what happens to real rows: ask the method {method:surrogate} or "
                        "{method:ale}, which stay on the data")});
}

}  // namespace sightglass
