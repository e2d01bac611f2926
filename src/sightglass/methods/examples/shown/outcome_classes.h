// The outcome of rows as classes.
#pragma once

#include <string>
#include <vector>

#include "sightglass/methods/run/row_sample.h"

namespace sightglass {

struct OutcomeClasses {
  std::vector<std::string> names;  // none: there are no classes
  std::vector<double> of_row;      // place among the names; NaN: unknown

  [[nodiscard]] std::string name_of(std::uint32_t row) const;  // empty: unknown
};

// Levels of the target; its numbers where `wanted`, or where the model tells classes apart. Throws Error(usage) where
// classes are wanted and there are none.
[[nodiscard]] OutcomeClasses outcome_classes(const MethodInput& input, bool wanted, const RowSample& sample);

}  // namespace sightglass
