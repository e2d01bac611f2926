// How far predictions are from the truth: which loss or score, by id; words are made of it at the end.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace sightglass {

enum class LossKind { squared, absolute, rmse, r2, log_loss, brier, auc, accuracy, f1, poisson };
inline constexpr std::string_view loss_names[] = {"squared", "absolute", "rmse",     "r2", "log-loss",
                                                  "brier",   "auc",      "accuracy", "f1", "poisson"};

// As options and JSON name it: "absolute".
[[nodiscard]] std::string_view to_string(LossKind loss);
// In a sentence: "absolute error".
[[nodiscard]] std::string_view label_of(LossKind loss);
[[nodiscard]] std::optional<LossKind> loss_by_label(std::string_view label);
// Whether higher is better.
[[nodiscard]] bool is_score(LossKind loss);
// Whether it is in units of the target.
[[nodiscard]] bool in_units_of_target(LossKind loss);

}  // namespace sightglass
