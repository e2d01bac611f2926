// A single row, where there is little else to say: the one that is predicted furthest from the average, if one
// feature makes most of that.
#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/attribution_view.h"
#include "sightglass/insight/findings/evidence_internal.h"
#include "sightglass/insight/probabilities.h"
#include "sightglass/insight/readable.h"
#include "sightglass/result/highest_output.h"

namespace sightglass::finders {

namespace {

constexpr double most_of_it = 0.5;
// Another row that is nearly as far from the average: then neither stands out.
constexpr double as_far = 0.95;

// among: those that it may be, by their places.
std::optional<Candidate> furthest(const Result& result, const Attributions& item,
                                  const std::vector<std::size_t>& among) {
  if (among.empty() || item.features.empty() || !std::isfinite(item.base)) return std::nullopt;
  std::size_t row = among[0];
  const auto distance = [&](std::size_t i) {
    const double found = std::abs(item.prediction[i] - item.base);
    return std::isfinite(found) ? found : 0;
  };
  for (const std::size_t i : among) {
    if (distance(i) > distance(row)) row = i;
  }
  if (!(distance(row) > 0)) return std::nullopt;
  for (const std::size_t i : among) {
    if (i != row && distance(i) > as_far * distance(row)) return std::nullopt;
  }
  const auto steps = attribution_steps(item, row);
  if (steps.empty() || !steps[0].feature) return std::nullopt;
  const double way = item.prediction[row] - item.base, part = steps[0].value;
  if (!(part / way >= most_of_it)) return std::nullopt;
  const std::string rows = item.rows.size() == 1
                               ? "For " + row_name(item.rows, item.row_labels, 0)
                               : "Of " + std::to_string(item.rows.size()) + " rows explained, " +
                                     row_name(item.rows, item.row_labels, row) + " is furthest from the average:";
  const auto so_far = running_probabilities(result, item, row, steps);
  const auto beside = [&](bool end) {
    return so_far.empty() ? std::string() : " (" + probability_text(end ? so_far.back() : so_far.front()) + ")";
  };
  return Candidate{
      {rows + " " + predicted_quantity(result, item.output) + " is " + level_of(result, item.prediction[row]) +
           beside(true) + ", where the average is " +
           (predicts_probabilities(result) ? percent(item.base) : amount(item.base)) + beside(false) + "; " +
           printable(own_label(item, row, *steps[0].feature), 100) + (part > 0 ? " adds " : " takes away ") +
           (predicts_probabilities(result) ? amount_of(result, std::abs(part)) : amount(std::abs(part))) + ".",
       {},
       "rows"},
      Place::single,
      20,
      {}};
}

// A row is told by the class that is predicted for it.
std::vector<std::size_t> rows_to_tell(const Result& result, const std::vector<const Attributions*>& outputs,
                                      std::size_t output) {
  const bool alike = std::all_of(outputs.begin(), outputs.end(),
                                 [&](const Attributions* other) { return other->rows == outputs[0]->rows; });
  const bool compete = predicts_classes(result) && alike;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < outputs[output]->rows.size(); ++row) {
    if (!compete || highest_output(outputs, row) == output) rows.push_back(row);
  }
  return rows;
}

}  // namespace

std::vector<Candidate> single_rows(const Evidence& evidence) {
  for (const Result* result : evidence.results()) {
    std::vector<const Attributions*> outputs;
    for (const ResultItem& item : result->results) {
      const auto* attributions = item.as<Attributions>();
      if (attributions != nullptr && attributions->group.empty()) outputs.push_back(attributions);
    }
    for (std::size_t output = 0; output < outputs.size(); ++output) {
      if (auto told = furthest(*result, *outputs[output], rows_to_tell(*result, outputs, output))) return {*told};
    }
  }
  return {};
}

}  // namespace sightglass::finders
