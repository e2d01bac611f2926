// The standard normal distribution.
#pragma once

namespace sightglass {

// Of a 95 % interval, two-sided.
inline constexpr double z_95 = 1.959963984540054;

// Φ and its inverse (Wichura 1988, AS 241: 16 digits).
[[nodiscard]] double normal_share(double z);
[[nodiscard]] double normal_quantile(double share);
// Its density; 0 at infinity.
[[nodiscard]] double normal_density(double z);

}  // namespace sightglass
