// What an importance measures: its kind and what it was measured by. The words ("increase of rmse") are made of it.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "sightglass/result/loss_kind.h"
#include "sightglass/result/open_word.h"

namespace sightglass {

enum class MeasureKind {
  permutation,
  reliance,
  dependence,     // how far partial dependence moves
  shapley,        // mean size of Shapley values
  shapley_pairs,  // of what two features add together
  variance,       // share of it, of a component
  interaction,
  recourse,  // share of rows that these features can bring to another outcome at the least cost
  other
};
inline constexpr std::string_view measure_kinds[] = {"permutation", "reliance",      "dependence",
                                                     "shapley",     "shapley-pairs", "variance",
                                                     "interaction", "recourse",      "other"};
template <>
inline constexpr KnownWords<MeasureKind> known_words<MeasureKind> = {measure_kinds, MeasureKind::other};

// What is done to the loss of permutation and reliance.
enum class LossChange { increase, decrease, ratio };
inline constexpr std::string_view loss_changes[] = {"increase", "decrease", "ratio"};
[[nodiscard]] std::string_view to_string(LossChange change);

struct ImportanceMeasure {
  OpenWord<MeasureKind> kind = MeasureKind::other;
  std::optional<LossKind> loss = std::nullopt;      // whose change it is
  std::optional<LossChange> change = std::nullopt;  // of the loss
  // Of partial dependence: over the rows rather than over the grid, which has most of its points where few rows are.
  bool over_rows = false;
  std::string other;  // words of what is none of these

  [[nodiscard]] bool empty() const { return kind == MeasureKind::other && other.empty(); }
  // "increase of rmse"
  [[nodiscard]] std::string text() const;
  // Whether it says how many times as large the loss becomes: 1 is nothing.
  [[nodiscard]] bool is_ratio() const { return change == LossChange::ratio; }
  // Whether it is in units of the prediction; losses have their own.
  [[nodiscard]] bool in_units_of_prediction() const;
  // The measure over the grid that goes with one over the rows.
  [[nodiscard]] ImportanceMeasure over_grid() const;

  friend bool operator==(const ImportanceMeasure&, const ImportanceMeasure&) = default;
  friend auto operator<=>(const ImportanceMeasure&, const ImportanceMeasure&) = default;
};

// How interactions of one feature with all others are called beside importances.
[[nodiscard]] inline ImportanceMeasure interaction_strength() { return {.kind = MeasureKind::interaction}; }

// What text() made: for results that were saved without the parts.
[[nodiscard]] ImportanceMeasure measure_from_text(std::string_view text);

}  // namespace sightglass
