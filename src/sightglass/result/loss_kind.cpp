#include "sightglass/result/loss_kind.h"

#include <iterator>

namespace sightglass {

namespace {

struct LossWords {
  std::string_view label;
  bool score, in_units;
};
// In the order of the enum.
constexpr LossWords words[] = {
    {"squared error", false, false},
    {"absolute error", false, true},
    {"rmse", false, true},
    {"r2", true, false},
    {"log-loss", false, false},
    {"brier", false, false},
    {"auc", true, false},
    {"accuracy", true, false},
    {"f1", true, false},
    {"poisson deviance", false, false},
};
static_assert(std::size(words) == std::size(loss_names));

const LossWords& words_of(LossKind loss) { return words[static_cast<std::size_t>(loss)]; }

}  // namespace

std::string_view to_string(LossKind loss) { return loss_names[static_cast<std::size_t>(loss)]; }

std::string_view label_of(LossKind loss) { return words_of(loss).label; }

std::optional<LossKind> loss_by_label(std::string_view label) {
  for (std::size_t i = 0; i < std::size(words); ++i) {
    if (words[i].label == label) return static_cast<LossKind>(i);
  }
  return std::nullopt;
}

bool is_score(LossKind loss) { return words_of(loss).score; }

bool in_units_of_target(LossKind loss) { return words_of(loss).in_units; }

}  // namespace sightglass
