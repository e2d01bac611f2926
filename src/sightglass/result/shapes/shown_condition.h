// What a row must meet in one feature: bounds of a number, or one of some levels.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sightglass {

class Fields;

struct ShownCondition {
  std::string feature;
  bool categorical = false;
  // Of a number; a bound that is not there does not count.
  std::optional<double> above, at_least, below, at_most;
  std::vector<std::string> levels = {};  // of a categorical feature: it is one of these
  bool missing = false;                  // a row without a value meets it too

  friend bool operator==(const ShownCondition&, const ShownCondition&) = default;
};

void describe_fields(ShownCondition& condition, Fields& fields);

// "temp > 13", "7 < hour <= 9", "season = winter or spring", "humidity is missing"; several are joined by " & ".
[[nodiscard]] std::string condition_text(const ShownCondition& condition);
[[nodiscard]] std::string conditions_text(const std::vector<ShownCondition>& conditions);

}  // namespace sightglass
