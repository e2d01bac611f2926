// Between which values a share lies of which `good` of `all` were seen: the Chernoff bounds that KL-LUCB works with,
//   the least and the greatest p with all · KL(good/all, p) <= level,
// each of which is wrong with a probability of at most exp(−level), for any number of rows. By Newton's steps from
// outside, where the divergence is convex, until they no longer move.
#pragma once

namespace sightglass {

// 0 <= good <= all; with all = 0 nothing is known.
[[nodiscard]] double lower_share(double good, double all, double level);
[[nodiscard]] double upper_share(double good, double all, double level);
// Whether the upper one is above a bound, and the lower one not below it, in a fraction of the time.
[[nodiscard]] bool upper_share_above(double good, double all, double level, double bound);
[[nodiscard]] bool lower_share_reaches(double good, double all, double level, double bound);

}  // namespace sightglass
