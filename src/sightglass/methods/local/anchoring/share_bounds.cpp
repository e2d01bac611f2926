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

// From `inside`, where the divergence is small enough, towards `outside`, where it is not.
double farthest(double share, double all, double level, double inside, double outside) {
  if (all * divergence(share, outside) <= level) return outside;
  while (true) {
    const double middle = inside + (outside - inside) / 2;
    if (middle == inside || middle == outside) return inside;
    (all * divergence(share, middle) <= level ? inside : outside) = middle;
  }
}

}  // namespace

double lower_share(double good, double all, double level) {
  return all > 0 ? farthest(good / all, all, level, good / all, 0) : 0;
}

double upper_share(double good, double all, double level) {
  return all > 0 ? farthest(good / all, all, level, good / all, 1) : 1;
}

}  // namespace sightglass
