// What is drawn upwards.
#pragma once

#include <string_view>

namespace sightglass {

class Fields;

// What the heights of a curve or a surface are: predictions, effects around zero (ALE), or the model's loss.
enum class Measure { mean, effect, loss };
[[nodiscard]] std::string_view to_string(Measure measure);

void describe_measure(Measure& measure, Fields& fields);
// The column of a tidy table that holds the heights.
[[nodiscard]] std::string_view height_column(Measure measure);

}  // namespace sightglass
