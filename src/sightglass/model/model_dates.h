// Which number a date is: the one that the model was trained on, whatever kind of table the data come in.
#pragma once

#include <span>
#include <vector>

#include "sightglass/data/table.h"
#include "sightglass/model/model.h"

namespace sightglass {

// The table with each column of dates that is a feature counted as the model counts it. A model of our own says how;
// thresholds of trees do, as dates in the unit that brings them nearest to those of the data. Where neither does, dates
// are days if none has a time of day, else seconds. Models in Python get their dates as the data have them, so that
// theirs stay as they are. Texts that are dates are dates where the model wants numbers.
// `excluded` are columns that are no features (target, weights).
[[nodiscard]] Table with_model_dates(const Table& table, const Model& model, std::span<const std::uint32_t> excluded);

// A feature whose dates may be other numbers than the model takes them for: its splits are none in any unit, or it says
// nothing of itself.
[[nodiscard]] std::vector<FitNote> doubtful_dates(const Table& table, const Model& model,
                                                  std::span<const std::uint32_t> excluded);

}  // namespace sightglass
