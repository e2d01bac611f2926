// Where hardly two rows have the same level (a name, a number of a customer), levels are rows. Such features are not
// explained where no row is to be shown.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sightglass/data/table.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

struct TellingLevels {
  std::set<std::string> columns;           // whose levels tell rows apart
  std::vector<std::string> other_columns;  // of the model
  std::vector<std::string> kept;           // of the wanted features
  std::string left_out;                    // the others of these, in words; empty: none
  std::optional<Caveat> caveat;
};

// How many of its levels a column has.
[[nodiscard]] std::size_t levels_in(const ColumnView& column, std::size_t levels);
// wanted: features to explain; none: all. Throws Error(usage) where none would be kept.
[[nodiscard]] TellingLevels telling_levels(const Table& table, const MethodInput& input,
                                           const std::vector<std::string>& wanted);
// What the model does not know is named by its levels.
void leave_out_levels(const TellingLevels& telling, std::vector<Caveat>& caveats);

// Takes out the training rows by which a model explains itself.
void leave_out_rows(Result& own);

}  // namespace sightglass
