#include "sightglass/methods/local/anchoring/share_bounds.h"

#include <cmath>
#include <limits>

namespace sightglass {

namespace {

// KL divergence of coins that show heads with probabilities p and q.
double divergence(double p, double q) {
  const auto term = [](double from, double to) {
    if (from == 0) return 0.0;
    return to == 0 ? std::numeric_limits<double>::infinity() : from * std::log(from / to);
  };
  return term(p, q) + term(1 - p, 1 - q);
}

// From `inside`, where the divergence is small enough, towards `outside`, where it is not. It is convex, so that
// Newton's steps from outside come nearer until they no longer move; bisection first, since at 0 and 1 it is infinite.
double farthest(double share, double all, double level, double inside, double outside) {
  if (all * divergence(share, outside) <= level) return outside;
  // By Pinsker's inequality the bound is no farther than this.
  const double reach = std::sqrt(level / (2 * all));
  if (reach < std::abs(outside - inside)) {
    outside = share + (outside > share ? reach : -reach);
  } else {
    for (int halving = 0; halving < 6; ++halving) {
      const double middle = inside + (outside - inside) / 2;
      (all * divergence(share, middle) <= level ? inside : outside) = middle;
    }
  }
  while (true) {
    const double excess = divergence(share, outside) - level / all;
    const double slope = (outside - share) / (outside * (1 - outside));
    const double next = outside - excess / slope;
    const bool nearer = std::isfinite(next) && std::abs(next - inside) < std::abs(outside - inside) &&
                        (next - inside) * (outside - inside) > 0;
    if (nearer) {
      outside = next;
      continue;
    }
    if (std::isfinite(excess)) return outside;
    // Still at the border.
    const double middle = inside + (outside - inside) / 2;
    if (middle == inside || middle == outside) return inside;
    (all * divergence(share, middle) <= level ? inside : outside) = middle;
  }
}

}  // namespace

double lower_share(double good, double all, double level) {
  return all > 0 ? farthest(good / all, all, level, good / all, 0) : 0;
}

bool upper_share_above(double good, double all, double level, double bound) {
  if (!(all > 0) || bound >= 1) return bound < 1;
  return bound < good / all || all * divergence(good / all, bound) < level;
}

bool lower_share_reaches(double good, double all, double level, double bound) {
  if (!(all > 0) || bound <= 0) return bound <= 0;
  return bound <= good / all && all * divergence(good / all, bound) >= level;
}

double upper_share(double good, double all, double level) {
  return all > 0 ? farthest(good / all, all, level, good / all, 1) : 1;
}

}  // namespace sightglass
