#include "sightglass/result/fidelity_measure.h"

#include <algorithm>
#include <iterator>

#include "sightglass/base/error.h"

namespace sightglass {

namespace {

struct KnownMeasure {
  std::string_view name, title, meaning;
  bool lower = false;
};
constexpr KnownMeasure measures[] = {
    {"r2", "R²",
     "R² is the share of the predictions' variance that the small model reproduces: 1 is all of it, 0 is no more than "
     "their "
     "average does, below 0 is worse than that."},
    {"agreement", "agreement", "Agreement is the share of rows for which both models name the same class."},
    {"log-loss", "log loss", "Log loss is how badly the small model expects the other's classes; lower is better.",
     true},
};

const KnownMeasure* find_measure(std::string_view measure) {
  const auto* found = std::find_if(std::begin(measures), std::end(measures),
                                   [&](const KnownMeasure& known) { return known.name == measure; });
  return found != std::end(measures) ? found : nullptr;
}

}  // namespace

std::string fidelity_title(std::string_view measure) {
  const auto* known = find_measure(measure);
  return known != nullptr ? std::string(known->title) : printable(measure, 60);
}

bool is_share_of_variance(std::string_view measure) { return measure == measures[0].name; }

bool is_share_of_rows(std::string_view measure) { return measure == measures[1].name; }

bool lower_is_better(std::string_view measure) {
  const auto* known = find_measure(measure);
  return known != nullptr && known->lower;
}

std::string fidelity_meaning(std::string_view measure) {
  const auto* known = find_measure(measure);
  return known != nullptr ? std::string(known->meaning) : std::string();
}

}  // namespace sightglass
