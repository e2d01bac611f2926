// What a row must meet in one feature: bounds of a number, or one of some levels.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/base/dates.h"

namespace sightglass {

class Fields;

struct ShownCondition {
  std::string feature;
  bool categorical = false;
  // Of a number; a bound that is not there does not count.
  std::optional<double> above, at_least, below, at_most;
  std::vector<std::string> levels = {};  // of a categorical feature: it is one of these
  bool missing = false;                  // a row without a value meets it too
  bool missing_otherwise = false;        // of a split: there are such rows, and they go where it is not met
  DateKind dates = {};                   // what the bounds mean, where they are dates

  friend bool operator==(const ShownCondition&, const ShownCondition&) = default;
};

void describe_fields(ShownCondition& condition, Fields& fields);

// "temp > 13", "7 < hour <= 9", "season = winter or spring", "humidity is missing", "temp > 13 or missing". Names are
// made safe to show and long ones are cut; of many levels the first ones stand for all ("a, b, c or 27 more").
constexpr std::size_t shown_levels = 4;
[[nodiscard]] std::string condition_text(const ShownCondition& condition, std::size_t most_levels = shown_levels);
// Joined by " & "; "all rows" if there are none.
[[nodiscard]] std::string conditions_text(const std::vector<ShownCondition>& conditions,
                                          std::size_t most_levels = shown_levels);

// What holds where a condition does not: "temp <= 13 or missing", "season is not winter or spring". Rows without a
// value are mentioned where there are some.
[[nodiscard]] std::string opposite_text(const ShownCondition& condition, std::size_t most_levels = shown_levels);
// The conditions of a result once it is known which features have dates.
void set_dates(std::vector<ShownCondition>& conditions, const Dates& dates);
// Six digits, and whole numbers in full: nobody reads 1.2e+06 or 13.120000000000001.
[[nodiscard]] std::string condition_number(double value);
// The same as a condition, if it can be one: of a number with one bound.
[[nodiscard]] std::optional<ShownCondition> opposite(const ShownCondition& condition);
// One condition that says what both say; none if there is no such one.
[[nodiscard]] std::optional<ShownCondition> both(const ShownCondition& first, const ShownCondition& second);

}  // namespace sightglass
