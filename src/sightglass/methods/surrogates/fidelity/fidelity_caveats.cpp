#include "sightglass/methods/surrogates/fidelity/fidelity_caveats.h"

#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/methods/caveats/caveat_text_internal.h"

namespace sightglass {

namespace {

constexpr double low_fidelity = 0.5;
constexpr double uneven_ratio = 2;     // a region's mean squared difference against that of all rows
constexpr double region_share = 0.05;  // of the rows, at the least
constexpr double unstable_share = 0.5;

}  // namespace

std::vector<Caveat> fidelity_caveats(const Fidelity& fidelity, const std::optional<double>& stability,
                                     bool several_outputs) {
  std::vector<Caveat> caveats;
  const bool held_out = fidelity.parts.size() > 1 && fidelity.parts[1].rows == FidelityRows::held_out;
  const FidelityPart& overall = fidelity.parts[held_out ? 1 : 0];
  const std::string of_output = several_outputs ? " of " + printable(fidelity.output, 60) : "";
  const std::string what = fidelity.title + " with " + std::to_string(fidelity.size) + " " + fidelity.size_unit;
  if (overall.fidelity < low_fidelity) {
    caveats.push_back({.id = "low-fidelity",
                       .severity = Severity::caution,
                       .message = what + " says only " + percent_text(std::max(0.0, overall.fidelity)) +
                                  " of what the model says" + of_output +
                                  ": what it shows need not be how the model works",
                       .evidence = Value::object({{"surrogate", fidelity.surrogate}, {"r2", overall.fidelity}}),
                       .advice = marked("raise {option:size}, or look at another {option:learner|learner}")});
  }
  const double square = *overall.error * *overall.error;
  for (const FidelityPart& part : fidelity.parts) {
    if (part.rows != FidelityRows::region || part.count < region_share * overall.count) continue;
    const double ratio = square > 0 ? *part.error * *part.error / square : 1;
    if (ratio < uneven_ratio) break;  // the others are better
    caveats.push_back({.id = "uneven-fidelity",
                       .severity = Severity::caution,
                       .message = what + " follows the model worst where " + conditions_text(part.conditions) +
                                  of_output + ": R² is " + number_text(part.fidelity) + " there, " +
                                  number_text(overall.fidelity) + " over all rows",
                       .evidence = Value::object({{"surrogate", fidelity.surrogate},
                                                  {"region", conditions_text(part.conditions)},
                                                  {"r2", part.fidelity},
                                                  {"share", part.count / overall.count},
                                                  {"ratio", ratio}}),
                       .advice = marked("fit one of its own there with {option:where}")});
    break;
  }
  if (stability && *stability < unstable_share) {
    caveats.push_back({.id = "unstable-surrogate",
                       .severity = Severity::caution,
                       .message = what + " changes with the rows" + of_output + ": on resampled rows " +
                                  percent_text(*stability) + " of what it shows comes back",
                       .evidence = Value::object({{"surrogate", fidelity.surrogate}, {"stability", *stability}}),
                       .advice = marked("do not read it as the only explanation; lower {option:size}")});
  }
  return caveats;
}

}  // namespace sightglass
