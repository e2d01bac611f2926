#include "sightglass/methods/surrogates/fidelity/fidelity_caveats.h"

#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/methods/caveats/caveat_text_internal.h"
#include "sightglass/result/fidelity_measure.h"

namespace sightglass {

namespace {

constexpr double low_fidelity = 0.5;
constexpr double unstable_share = 0.5;
constexpr double off_data_gap = 0.1;

// What there is to follow: of classes, more than the one that is named most often.
double share_followed(const Fidelity& fidelity, const FidelityPart& overall) {
  if (!is_share_of_rows(fidelity.measure)) return overall.fidelity;
  const Value* commonest = fidelity.details.find("commonest_class");
  const double known = commonest != nullptr ? commonest->as_number() : 0;
  return known < 1 ? (overall.fidelity - known) / (1 - known) : 1;
}

}  // namespace

std::vector<Caveat> fidelity_caveats(const Fidelity& fidelity, const std::optional<double>& stability,
                                     bool several_outputs) {
  std::vector<Caveat> caveats;
  const FidelityPart& overall = *overall_part(fidelity);
  const bool classes = is_share_of_rows(fidelity.measure);
  const std::string measure = fidelity_title(fidelity.measure);
  const std::string of_output =
      several_outputs && !fidelity.output.empty() ? " of output " + printable(fidelity.output, 60) : "";
  const std::string what = fidelity.title + " with " + std::to_string(fidelity.size) + " " + fidelity.size_unit;
  if (const double share = share_followed(fidelity, overall); share < low_fidelity) {
    const std::string said =
        classes ? " names the model's class for only " + percent_text(overall.fidelity) +
                      " of rows; naming its most frequent class each time is right for " +
                      percent_text(fidelity.details.find("commonest_class")->as_number())
                : " says only " + percent_text(std::max(0.0, share)) + " of what the model says" + of_output;
    caveats.push_back({.id = "low-fidelity",
                       .severity = Severity::caution,
                       .message = what + said + ": what it shows need not be how the model works",
                       .evidence = Value::object(
                           {{"surrogate", fidelity.surrogate}, {fidelity.measure, overall.fidelity}, {"share", share}}),
                       .advice = marked("raise {option:size}, or look at another {option:learner|learner}")});
  }
  const FidelityPart* worst = worst_region(fidelity);
  if (worst != nullptr && is_uneven(fidelity, *worst)) {
    caveats.push_back({.id = "uneven-fidelity",
                       .severity = Severity::caution,
                       .message = what + " follows the model worst where " + conditions_text(worst->conditions) +
                                  of_output + ": " + measure + " is " + number_text(worst->fidelity) + " there, " +
                                  number_text(overall.fidelity) + " over all rows",
                       .evidence = Value::object({{"surrogate", fidelity.surrogate},
                                                  {"region", conditions_text(worst->conditions)},
                                                  {fidelity.measure, worst->fidelity},
                                                  {"share", worst->count / overall.count},
                                                  {"overall", overall.fidelity}}),
                       .advice = marked("fit one of its own there with {option:where}")});
  }
  // Of a surrogate that was fitted to other rows: made ones, or prototypes.
  if (overall.rows == FidelityRows::data) {
    const bool prototypes = fidelity.details.find("fitted_to") != nullptr;
    const auto made = std::find_if(fidelity.parts.begin(), fidelity.parts.end(), [](const FidelityPart& part) {
      return part.rows == FidelityRows::held_out || part.rows == FidelityRows::fitted;
    });
    const double gap = made->fidelity - overall.fidelity;
    if (gap > off_data_gap) {
      caveats.push_back(
          {.id = "off-data-fidelity",
           .severity = Severity::caution,
           .message = what + of_output +
                      (prototypes ? " was fitted to prototypes: " : " was fitted to rows made of a grid of values: ") +
                      measure + " is " + number_text(made->fidelity) + " on such rows, only " +
                      number_text(overall.fidelity) + " on those of the data",
           .evidence =
               Value::object({{"surrogate", fidelity.surrogate}, {"made", made->fidelity}, {"data", overall.fidelity}}),
           .advice = marked(prototypes ? "raise {option:prototypes}, or lower {option:size}"
                                       : "fit it to the data: {option:rows_from} data")});
    }
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
