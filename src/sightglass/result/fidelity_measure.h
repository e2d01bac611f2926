// How well one model follows another, by which measure: its name for people, and which way is better.
#pragma once

#include <string>
#include <string_view>

namespace sightglass {

// "R²", "agreement", "log loss"; what is not known is written as it is.
[[nodiscard]] std::string fidelity_title(std::string_view measure);
// R²: 1 is all that there is to follow, 0 nothing.
[[nodiscard]] bool is_share_of_variance(std::string_view measure);
// Of rows for which both say the same.
[[nodiscard]] bool is_share_of_rows(std::string_view measure);
[[nodiscard]] bool lower_is_better(std::string_view measure);
// What the number means, in a sentence.
[[nodiscard]] std::string fidelity_meaning(std::string_view measure);

}  // namespace sightglass
