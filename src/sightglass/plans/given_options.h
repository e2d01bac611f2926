// Options as people give them become what the engine takes: names of rows their numbers, dates among the values of
// features the numbers that the model sees.
#pragma once

#include <vector>

#include "sightglass/base/options.h"
#include "sightglass/base/value.h"
#include "sightglass/data/source.h"
#include "sightglass/data/table.h"

namespace sightglass {

// A list of rows, or one: numbers are numbers, a text is what rows of the table are called, and stands for all of them.
// Throws Error(usage) that names what is near where no row is called so.
[[nodiscard]] Value row_numbers(const Value& given, const Text& option, const Table* table);

// The same options, by their own names, with numbers for the dates among values of features (OptionType::numbers).
// Throws Error(usage) on what is neither a number nor a date of these features.
[[nodiscard]] Value with_dates_as_numbers(const Value& named, const std::vector<OptionSpec>& specs,
                                          const Schema& schema);

}  // namespace sightglass
