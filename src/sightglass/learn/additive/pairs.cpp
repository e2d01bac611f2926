#include "sightglass/learn/additive/pairs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/base/random.h"

namespace sightglass::additive {

namespace {

constexpr std::uint64_t pair_stream = 0x67616d2d70616972;  // "gam-pair"
constexpr std::size_t most_rows = 200'000;

struct Cell {
  double gradient = 0, curvature = 0, weight = 0;

  Cell& operator+=(const Cell& other) {
    gradient += other.gradient;
    curvature += other.curvature;
    weight += other.weight;
    return *this;
  }
  friend Cell operator-(const Cell& a, const Cell& b) {
    return {a.gradient - b.gradient, a.curvature - b.curvature, a.weight - b.weight};
  }
};

// What is left over by one score, row after row.
struct Leftover {
  std::vector<float> gradient, curvature;
  double dispersion = 0;  // what a gain is on average for a contrast that was chosen beforehand, if nothing is there
};

struct Rows {
  std::vector<std::vector<std::uint8_t>> bins;  // of each candidate, row after row
  std::vector<float> weights;
  std::vector<Leftover> leftover;  // of each score
};

Rows gather(const std::vector<FeatureBins>& features, const std::vector<std::size_t>& candidates,
            const Outcome& outcome, const std::vector<float>& scores, std::uint64_t seed) {
  const std::size_t all = outcome.values.size();
  std::vector<std::uint32_t> chosen(all);
  std::iota(chosen.begin(), chosen.end(), 0U);
  if (all > most_rows) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;
    for (const std::uint32_t row : chosen) keys.emplace_back(random_bits(seed, pair_stream, row), row);
    std::nth_element(keys.begin(), keys.begin() + most_rows, keys.end());
    chosen.clear();
    for (std::size_t i = 0; i < most_rows; ++i) chosen.push_back(keys[i].second);
    std::sort(chosen.begin(), chosen.end());
  }
  Parabolas parabolas{.z = std::vector<float>(scores.size()), .h = std::vector<float>(scores.size())};
  expand(outcome, {.values = outcome.values, .weights = outcome.weights}, all, all, scores, parabolas);
  Rows rows;
  for (const std::uint32_t row : chosen) rows.weights.push_back(outcome.weights[row]);
  for (std::size_t k = 0; k < outcome.scores; ++k) {
    Leftover& leftover = rows.leftover.emplace_back();
    for (const std::uint32_t row : chosen) {
      const std::size_t at = k * all + row;
      leftover.gradient.push_back(parabolas.z[at] - parabolas.h[at] * scores[at]);
      leftover.curvature.push_back(parabolas.h[at]);
    }
    double squares = 0, curvatures = 0;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      squares += double{leftover.gradient[i]} * double{leftover.gradient[i]};
      curvatures += double{leftover.curvature[i]};
    }
    leftover.dispersion = squares / curvatures;
  }
  for (const std::size_t feature : candidates) {
    std::vector<std::uint8_t>& bins = rows.bins.emplace_back();
    for (const std::uint32_t row : chosen) bins.push_back(features[feature].pair_bin[features[feature].codes[row]]);
  }
  return rows;
}

// What four means explain beyond the best sum of two steps: a contrast of the means, squared, over its variance.
double quadrant_gain(const Cell& a, const Cell& b, const Cell& c, const Cell& d, double least_weight) {
  if (std::min({a.weight, b.weight, c.weight, d.weight}) < least_weight) return 0;
  const double contrast =
      a.gradient / a.curvature - b.gradient / b.curvature - c.gradient / c.curvature + d.gradient / d.curvature;
  return contrast * contrast / (1 / a.curvature + 1 / b.curvature + 1 / c.curvature + 1 / d.curvature);
}

// Cells become sums over one side of a cut: of numbers all cells up to it, of levels the one.
double best_quadrants(std::vector<Cell>& cells, const FeatureBins& first, const FeatureBins& second,
                      double least_weight) {
  const std::size_t width = second.pair_bins + 1, height = first.pair_bins + 1;
  std::vector<Cell> rows(height), columns(width);
  Cell total;
  for (std::size_t a = 0; a < height; ++a) {
    for (std::size_t b = 0; b < width; ++b) {
      rows[a] += cells[a * width + b];
      columns[b] += cells[a * width + b];
    }
    total += rows[a];
  }
  if (!first.categorical) {
    for (std::size_t a = 1; a < height; ++a) {
      rows[a] += rows[a - 1];
      for (std::size_t b = 0; b < width; ++b) cells[a * width + b] += cells[(a - 1) * width + b];
    }
  }
  if (!second.categorical) {
    for (std::size_t b = 1; b < width; ++b) {
      columns[b] += columns[b - 1];
      for (std::size_t a = 0; a < height; ++a) cells[a * width + b] += cells[a * width + b - 1];
    }
  }
  double best = 0;
  for (std::size_t a = 0; a < height; ++a) {
    for (std::size_t b = 0; b < width; ++b) {
      const Cell& both = cells[a * width + b];
      best = std::max(best, quadrant_gain(both, rows[a] - both, columns[b] - both,
                                          total - rows[a] - (columns[b] - both), least_weight));
    }
  }
  return best;
}

}  // namespace

std::vector<PairStrength> rank_pairs(const std::vector<FeatureBins>& features,
                                     const std::vector<std::size_t>& candidates, const Outcome& outcome,
                                     const std::vector<float>& scores, double least_weight, std::uint64_t seed,
                                     const Context& context) {
  const Rows rows = gather(features, candidates, outcome, scores, seed);
  struct Place {
    std::size_t first, second;  // among the candidates
  };
  std::vector<Place> places;
  std::vector<PairStrength> pairs;
  for (std::size_t first = 0; first < candidates.size(); ++first) {
    for (std::size_t second = first + 1; second < candidates.size(); ++second) {
      places.push_back({first, second});
      pairs.push_back({candidates[first], candidates[second]});
    }
  }
  // A gain is about a χ² of one degree of freedom, times the dispersion; the largest of so many is beyond this in one
  // of twenty data sets in which no pair says anything (P(χ² > t) < e^(−t/2)). Neighbouring cuts tell nearly the same,
  // so that those along both features count, not their products.
  const auto chance_limit = [&](const FeatureBins& first, const FeatureBins& second) {
    const std::size_t looked_at = (first.pair_bins + second.pair_bins) * pairs.size() * outcome.scores;
    return 2 * std::log(20.0 * static_cast<double>(looked_at));
  };
  context.parallel_for(pairs.size(), [&](std::size_t i) {
    context.check();
    const FeatureBins &first = features[pairs[i].first], &second = features[pairs[i].second];
    const std::size_t width = second.pair_bins + 1;
    const std::uint8_t *a = rows.bins[places[i].first].data(), *b = rows.bins[places[i].second].data();
    for (const Leftover& leftover : rows.leftover) {
      std::vector<Cell> cells((first.pair_bins + 1) * width);
      for (std::size_t row = 0; row < rows.weights.size(); ++row) {
        Cell& cell = cells[a[row] * width + b[row]];
        cell.gradient += double{leftover.gradient[row]};
        cell.curvature += double{leftover.curvature[row]};
        cell.weight += double{rows.weights[row]};
      }
      const double gain = best_quadrants(cells, first, second, least_weight);
      pairs[i].gain += gain;
      pairs[i].by_chance = pairs[i].by_chance && !(gain > leftover.dispersion * chance_limit(first, second));
    }
  });
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const PairStrength& a, const PairStrength& b) { return a.gain > b.gain; });
  return pairs;
}

}  // namespace sightglass::additive
