// What is drawn upwards.
#pragma once

#include <string_view>

namespace sightglass {

// What the heights of a curve or a surface are: predictions, effects around zero (ALE), or the model's loss.
enum class Measure { mean, effect, loss };
[[nodiscard]] std::string_view to_string(Measure measure);

}  // namespace sightglass
