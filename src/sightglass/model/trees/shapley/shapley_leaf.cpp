#include <bit>
#include <cmath>
#include <numbers>

#include "sightglass/model/trees/rows/row_sets_internal.h"
#include "sightglass/model/trees/shapley/shapley_leaf_internal.h"
#include "sightglass/numeric/shapley.h"

namespace sightglass {

namespace {

// From a number per set to sums over its subsets, of `size` sets.
SIGHTGLASS_FOR_EACH_PROCESSOR
void sum_subsets(double* numbers, std::size_t size) {
  for (std::size_t bit = 1; bit < size; bit *= 2) {
    for (std::size_t high = 0; high < size; high += 2 * bit) {
      for (std::size_t low = high; low < high + bit; ++low) numbers[low + bit] += numbers[low];
    }
  }
}

// Sums over the subsets of each set of weights[|subset| - before] b(all ∖ subset), for several `before`.
void weighted_sums(std::size_t players, const std::vector<double>& background, const std::vector<double>& weights,
                   std::size_t several, std::vector<double>& sums) {
  const std::size_t size = std::size_t{1} << players;
  sums.resize(several * size);
  for (std::size_t before = 0; before < several; ++before) {
    double* here = sums.data() + before * size;
    for (std::size_t set = 0; set < size; ++set) {
      const auto members = static_cast<std::size_t>(std::popcount(set));
      const bool possible = members >= before && members - before < weights.size();
      here[set] = possible ? weights[members - before] * background[size - 1 - set] : 0;
    }
    sum_subsets(here, size);
  }
}

// (a - 1)! b! / (a + b)!
double pair_weight(std::size_t a, std::size_t b) {
  const std::size_t fewer = a < b ? a : b, more = a < b ? b : a;
  double ways = 1;  // a + b over a
  for (std::size_t i = 1; i <= fewer; ++i) ways = ways * static_cast<double>(more + i) / static_cast<double>(i);
  return 1 / (static_cast<double>(a) * ways);
}

struct Sides {
  std::vector<std::uint32_t> row, other;  // players whose conditions only the row meets, or only the other row
};

// Calls game(sides, count) for each background pattern with which the row can reach the leaf at all.
template <class Game>
void each_game(std::size_t players, const std::uint64_t* met, std::span<const std::uint64_t> entries,
               const Game& game) {
  const std::size_t words = (players + 63) / 64;
  const std::uint64_t last = players % 64 == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << (players % 64)) - 1;
  Sides sides;
  for (std::size_t at = 0; at + words < entries.size(); at += words + 1) {
    const std::uint64_t* other = entries.data() + at;
    bool reached = (met[words - 1] | other[words - 1]) == last;
    for (std::size_t w = 0; w + 1 < words && reached; ++w) reached = (met[w] | other[w]) == ~std::uint64_t{0};
    if (!reached) continue;
    sides.row.clear();
    sides.other.clear();
    for (std::size_t w = 0; w < words; ++w) {
      for (std::uint64_t left = met[w] ^ other[w]; left != 0; left &= left - 1) {
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(left));
        (((met[w] >> bit) & 1) != 0 ? sides.row : sides.other).push_back(static_cast<std::uint32_t>(64 * w) + bit);
      }
    }
    game(sides, static_cast<double>(other[words]));
  }
}

std::size_t pair_at(std::size_t players, std::size_t a, std::size_t b) {
  if (a > b) std::swap(a, b);
  return a * players - a * (a + 1) / 2 + b - a - 1;
}

// Calls at(weight, factors, before, behind) at each point: the factor of each player, and the products of those before
// it and from it on.
template <class At>
void each_point(std::span<const GaussPoint> points, const std::uint64_t* met, std::span<const double> shares,
                const At& at) {
  const std::size_t players = shares.size();
  std::vector<double> factors(players), before(players + 1, 1.0), from(players + 1, 1.0);
  for (const GaussPoint& point : points) {
    for (std::size_t p = 0; p < players; ++p) {
      const double meets = ((met[p / 64] >> (p % 64)) & 1) != 0 ? 1 : 0;
      factors[p] = point.t * meets + (1 - point.t) * shares[p];
      before[p + 1] = before[p] * factors[p];
    }
    for (std::size_t p = players; p-- > 0;) from[p] = from[p + 1] * factors[p];
    at(point.weight, factors, before, from);
  }
}

}  // namespace

// Gauss–Legendre on 0 to 1: exact for polynomials of up to twice as many coefficients as there are points. Roots of the
// Legendre polynomial by Newton's method.
std::vector<GaussPoint> gauss_points(std::size_t players) {
  const std::size_t count = (players + 1) / 2;
  std::vector<GaussPoint> points(count);
  const auto n = static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) {
    double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (n + 0.5));
    double slope = 1;
    for (int round = 0; round < 100; ++round) {
      double before = 1, here = x;
      for (std::size_t k = 2; k <= count; ++k) {
        const auto order = static_cast<double>(k);
        const double next = ((2 * order - 1) * x * here - (order - 1) * before) / order;
        before = here;
        here = next;
      }
      slope = n * (x * here - before) / (x * x - 1);
      const double step = here / slope;
      x -= step;
      if (std::abs(step) < 1e-15) break;
    }
    points[i] = {(1 - x) / 2, 1 / ((1 - x * x) * slope * slope)};
  }
  return points;
}

void sum_shapley_values(std::size_t players, const std::vector<double>& background, std::vector<double>& sums) {
  if (players > 0) weighted_sums(players, background, coalition_weights(players - 1), 2, sums);
}

void sum_shapley_pairs(std::size_t players, const std::vector<double>& background, std::vector<double>& sums) {
  if (players < 2) return;
  std::vector<double> weights = coalition_weights(players - 2);
  for (double& weight : weights) weight /= 2;
  weighted_sums(players, background, weights, 3, sums);
}

void shapley_values(std::size_t players, const std::vector<double>& sums, std::size_t met, double* values) {
  const double *without = sums.data(), *with = without + (std::size_t{1} << players);
  for (std::size_t player = 0; player < players; ++player) {
    const std::size_t others = met & ~(std::size_t{1} << player);
    values[player] = others == met ? -without[met] : with[met] - with[others] - without[others];
  }
}

void shapley_pairs(std::size_t players, const std::vector<double>& sums, std::size_t met, double* pairs) {
  const std::size_t size = std::size_t{1} << players;
  const double *none = sums.data(), *one = none + size, *both = one + size;
  for (std::size_t a = 0; a < players; ++a) {
    const std::size_t no_a = met & ~(std::size_t{1} << a);
    for (std::size_t b = a + 1; b < players; ++b) {
      const std::size_t no_b = met & ~(std::size_t{1} << b), neither = no_a & no_b;
      double pair = none[neither];
      if (no_a != met) pair -= one[no_b] - one[neither];
      if (no_b != met) pair -= one[no_a] - one[neither];
      if (no_a != met && no_b != met) pair += both[met] - both[no_a] - both[no_b] + both[neither];
      *pairs++ = pair;
    }
  }
}

void shapley_path_values(std::size_t players, const std::uint64_t* met, std::span<const std::uint64_t> entries,
                         double total, std::vector<double>& values) {
  values.assign(players, 0.0);
  each_game(players, met, entries, [&](const Sides& sides, double count) {
    const std::size_t a = sides.row.size(), b = sides.other.size();
    const double share = count / total;
    if (a > 0) {
      const double plus = share * pair_weight(a, b);
      for (const std::uint32_t player : sides.row) values[player] += plus;
    }
    if (b > 0) {
      const double minus = share * pair_weight(b, a);
      for (const std::uint32_t player : sides.other) values[player] -= minus;
    }
  });
}

void shapley_path_pairs(std::size_t players, const std::uint64_t* met, std::span<const std::uint64_t> entries,
                        double total, std::vector<double>& pairs) {
  pairs.assign(players * (players - 1) / 2, 0.0);
  each_game(players, met, entries, [&](const Sides& sides, double count) {
    const std::size_t a = sides.row.size(), b = sides.other.size();
    const double half = count / total / 2;
    const auto within = [&](const std::vector<std::uint32_t>& side, std::size_t others) {
      if (side.size() < 2) return;
      const double plus = half * pair_weight(side.size() - 1, others);
      for (std::size_t i = 0; i < side.size(); ++i) {
        for (std::size_t k = i + 1; k < side.size(); ++k) pairs[pair_at(players, side[i], side[k])] += plus;
      }
    };
    within(sides.row, b);
    within(sides.other, a);
    if (a == 0 || b == 0) return;
    const double minus = half * pair_weight(a, b - 1);
    for (const std::uint32_t i : sides.row) {
      for (const std::uint32_t k : sides.other) pairs[pair_at(players, i, k)] -= minus;
    }
  });
}

void shapley_path_values(std::span<const GaussPoint> points, const std::uint64_t* met, std::span<const double> shares,
                         std::vector<double>& values) {
  const std::size_t players = shares.size();
  values.assign(players, 0.0);
  each_point(points, met, shares, [&](double weight, const auto&, const auto& before, const auto& from) {
    for (std::size_t p = 0; p < players; ++p) {
      const double meets = ((met[p / 64] >> (p % 64)) & 1) != 0 ? 1 : 0;
      values[p] += weight * (meets - shares[p]) * before[p] * from[p + 1];
    }
  });
}

void shapley_path_pairs(std::span<const GaussPoint> points, const std::uint64_t* met, std::span<const double> shares,
                        std::vector<double>& pairs) {
  const std::size_t players = shares.size();
  pairs.assign(players * (players - 1) / 2, 0.0);
  const auto gain = [&](std::size_t p) { return (((met[p / 64] >> (p % 64)) & 1) != 0 ? 1 : 0) - shares[p]; };
  each_point(points, met, shares, [&](double weight, const auto& factors, const auto& before, const auto& from) {
    std::size_t at = 0;
    for (std::size_t a = 0; a < players; ++a) {
      double between = weight / 2 * gain(a) * before[a];
      for (std::size_t b = a + 1; b < players; ++b) {
        pairs[at++] += between * gain(b) * from[b + 1];
        between *= factors[b];
      }
    }
  });
}

}  // namespace sightglass
