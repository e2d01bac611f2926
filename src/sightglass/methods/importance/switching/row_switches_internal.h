// Which rows are switched for a unit, and the different values that they lend one another.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "sightglass/methods/importance/switching/switched_losses.h"

namespace sightglass {

struct RowSwitches {
  static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

  std::size_t unit = 0;
  std::vector<std::size_t> rows;        // positions, ascending
  std::vector<std::uint64_t> donor_of;  // per row: which of the different values is its own
  std::vector<Variant> donors;          // the different values
  std::vector<double> donor_weights;    // of the rows that have each
  std::vector<std::size_t> partners;    // per row: the one it exchanges with, or nobody
  std::uint64_t needed = 0;             // of the budget, if all rows are used
};

// All rows where the budget allows it, else as many as it does, drawn at random. values: of the unit's columns, by
// position among the scored rows.
[[nodiscard]] RowSwitches choose_switches(const SwitchRequest& request, std::size_t unit,
                                          const std::map<std::uint32_t, std::vector<double>>& values);

}  // namespace sightglass
