// Between which values a share lies of which `good` of `all` were seen: the Chernoff bounds that KL-LUCB works with,
//   the least and the greatest p with all · KL(good/all, p) <= level,
// each of which is wrong with a probability of at most exp(−level), for any number of rows. Bisected until no number
// lies between.
#pragma once

namespace sightglass {

// 0 <= good <= all; with all = 0 nothing is known.
[[nodiscard]] double lower_share(double good, double all, double level);
[[nodiscard]] double upper_share(double good, double all, double level);

}  // namespace sightglass
