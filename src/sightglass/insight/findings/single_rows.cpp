// A single row, where there is little else to say: the one that is predicted furthest from the average, if one
// feature makes most of that.
#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/attribution_view.h"
#include "sightglass/insight/findings/evidence_internal.h"
#include "sightglass/insight/readable.h"

namespace sightglass::finders {

namespace {

constexpr double most_of_it = 0.5;
// Another row that is nearly as far from the average: then neither stands out.
constexpr double as_far = 0.95;

std::optional<Candidate> furthest(const Result& result, const Attributions& item) {
  if (item.rows.empty() || item.features.empty() || !std::isfinite(item.base)) return std::nullopt;
  std::size_t row = 0;
  const auto distance = [&](std::size_t i) {
    const double found = std::abs(item.prediction[i] - item.base);
    return std::isfinite(found) ? found : 0;
  };
  for (std::size_t i = 0; i < item.rows.size(); ++i) {
    if (distance(i) > distance(row)) row = i;
  }
  if (!(distance(row) > 0)) return std::nullopt;
  for (std::size_t i = 0; i < item.rows.size(); ++i) {
    if (i != row && distance(i) > as_far * distance(row)) return std::nullopt;
  }
  const auto steps = attribution_steps(item, row);
  if (steps.empty() || !steps[0].feature) return std::nullopt;
  const double way = item.prediction[row] - item.base, part = steps[0].value;
  if (!(part / way >= most_of_it)) return std::nullopt;
  const std::string rows = item.rows.size() == 1
                               ? "For row " + std::to_string(item.rows[0])
                               : "Of " + std::to_string(item.rows.size()) + " rows explained, row " +
                                     std::to_string(item.rows[row]) + " is furthest from the average:";
  return Candidate{{rows + " " + predicted_quantity(result, item.output) + " is " +
                        amount_of(result, item.prediction[row]) + ", where the average is " + amount(item.base) + "; " +
                        printable(own_label(item, row, *steps[0].feature), 100) +
                        (part > 0 ? " adds " : " takes away ") + amount(std::abs(part)) + ".",
                    {},
                    "rows"},
                   Place::single,
                   20,
                   {}};
}

}  // namespace

std::vector<Candidate> single_rows(const Evidence& evidence) {
  for (const Result* result : evidence.results()) {
    for (const ResultItem& item : result->results) {
      const auto* attributions = item.as<Attributions>();
      if (attributions == nullptr || !attributions->group.empty()) continue;
      if (auto told = furthest(*result, *attributions)) return {*told};
    }
  }
  return {};
}

}  // namespace sightglass::finders
