// What an importance measures, recognised by its text ("increase of rmse") at one place.
#pragma once

#include <string>
#include <string_view>

#include "sightglass/result/result.h"

namespace sightglass {

enum class MeasureKind { permutation, reliance, dependence, shapley, variance, interaction, other };

[[nodiscard]] MeasureKind kind_of(const std::string& measure);
// Of partial dependence: over the rows rather than over the grid, which has most of its points where few rows are.
[[nodiscard]] bool is_over_rows(const std::string& measure);
// The measure over the grid that goes with one over the rows.
[[nodiscard]] std::string over_grid(const std::string& measure);
// Whether it is in units of the prediction; losses have their own.
[[nodiscard]] bool in_units_of_prediction(const std::string& measure);
// The loss whose change it is: "rmse" of "reliance: ratio of rmse". Else the measure itself.
[[nodiscard]] std::string loss_in(const std::string& measure);
// Whether it says how many times as large the loss becomes: 1 is nothing.
[[nodiscard]] bool is_ratio(const std::string& measure);

// How interactions of one feature with all others are called beside importances.
inline constexpr std::string_view interaction_strength = "interaction strength";

}  // namespace sightglass
