// What is called a 95 % interval: so many standard errors to either side.
#pragma once

namespace sightglass {

inline constexpr double interval_width = 1.96;

}  // namespace sightglass
