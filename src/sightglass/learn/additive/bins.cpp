#include "sightglass/learn/additive/bins.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace sightglass::additive {

namespace {

// Sums of weights that differ by rounding are the same: what is found does not depend on the unit of the weights.
constexpr double rounding = 1 + 1e-12;

struct Distinct {
  std::vector<double> values, weights;
};

Distinct distinct_values(const TrainingData& data, const std::vector<double>& values) {
  Distinct distinct;
  const auto add = [&](double value, double weight) {
    if (!distinct.values.empty() && distinct.values.back() == value) {
      distinct.weights.back() += weight;
    } else {
      distinct.values.push_back(value);
      distinct.weights.push_back(weight);
    }
  };
  if (data.weights.empty()) {
    std::vector<double> sorted;
    sorted.reserve(values.size());
    std::copy_if(values.begin(), values.end(), std::back_inserter(sorted), [](double x) { return !std::isnan(x); });
    std::sort(sorted.begin(), sorted.end());
    for (const double value : sorted) add(value, 1);
  } else {
    std::vector<std::uint32_t> order;
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (!std::isnan(values[row])) order.push_back(static_cast<std::uint32_t>(row));
    }
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
    for (const std::uint32_t row : order) add(values[row], data.weights[row]);
  }
  return distinct;
}

// The first edge >= x, or the number of edges: eight halvings, without branches, of edges that are filled up.
std::vector<std::uint8_t> code_numbers(const std::vector<double>& values, const std::vector<double>& edges) {
  std::array<double, most_bins> filled;
  filled.fill(std::numeric_limits<double>::infinity());
  std::copy(edges.begin(), edges.end(), filled.begin());
  std::vector<std::uint8_t> codes(values.size());
  const auto missing = static_cast<std::uint8_t>(edges.size() + 1);
  for (std::size_t row = 0; row < values.size(); ++row) {
    const double value = values[row];
    std::size_t code = 0;
    for (std::size_t half = most_bins / 2; half > 0; half /= 2) code += filled[code + half - 1] < value ? half : 0;
    codes[row] = std::isnan(value) ? missing : static_cast<std::uint8_t>(code);
  }
  return codes;
}

void bin_numbers(const TrainingData& data, const std::vector<double>& values, std::size_t most, FeatureBins& feature) {
  const Distinct distinct = distinct_values(data, values);
  std::size_t begin = 0;
  for (const std::size_t end : equal_groups(distinct.weights, most)) {
    double weight = 0, sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      weight += distinct.weights[i];
      sum += distinct.weights[i] * (distinct.values[i] - distinct.values[begin]);
    }
    feature.centers.push_back(distinct.values[begin] + sum / weight);
    if (begin > 0) feature.edges.push_back(threshold_between(distinct.values[begin - 1], distinct.values[begin]));
    begin = end;
  }
  feature.bins = feature.centers.size();
  feature.single_values = feature.bins == distinct.values.size();
  if (feature.bins == 0) {  // every value is missing
    feature.codes.assign(values.size(), 0);
    return;
  }
  feature.low = distinct.values.front();
  feature.high = distinct.values.back();
  const double total = std::accumulate(distinct.weights.begin(), distinct.weights.end(), 0.0);
  double below = 0;
  for (std::size_t i = 0; i < distinct.values.size() && feature.deciles.size() < 9; ++i) {
    below += distinct.weights[i];
    while (feature.deciles.size() < 9 &&
           below * rounding >= total * static_cast<double>(feature.deciles.size() + 1) / 10)
      feature.deciles.push_back(distinct.values[i]);
  }
  feature.codes = code_numbers(values, feature.edges);
}

void bin_levels(const TrainingData& data, const TrainingFeature& given, std::size_t most, FeatureBins& feature) {
  std::vector<double> weights(given.info.levels.size());
  for (std::size_t row = 0; row < data.rows; ++row) {
    if (std::isnan(given.values[row])) continue;
    const auto level = static_cast<std::size_t>(given.values[row]);
    if (level >= weights.size()) weights.resize(level + 1);
    weights[level] += data.weight(row);
  }
  std::vector<std::size_t> present;
  for (std::size_t level = 0; level < weights.size(); ++level) {
    if (weights[level] > 0) present.push_back(level);
  }
  const std::size_t own = present.size() <= most ? present.size() : most - 1;
  std::stable_sort(present.begin(), present.end(), [&](auto a, auto b) { return weights[a] > weights[b]; });
  feature.grouped_levels = present.size() - own;
  feature.bins = own + (feature.grouped_levels > 0 ? 1 : 0);
  std::sort(present.begin(), present.begin() + static_cast<std::ptrdiff_t>(own));
  feature.bin_of_level.assign(weights.size(), static_cast<std::uint8_t>(feature.bins));
  for (std::size_t i = 0; i < present.size(); ++i)
    feature.bin_of_level[present[i]] = static_cast<std::uint8_t>(std::min(i, own));
  feature.codes.resize(data.rows);
  for (std::size_t row = 0; row < data.rows; ++row) {
    const double level = given.values[row];
    feature.codes[row] = std::isnan(level) ? static_cast<std::uint8_t>(feature.bins)
                                           : feature.bin_of_level[static_cast<std::size_t>(level)];
  }
}

void weigh_codes(const TrainingData& data, FeatureBins& feature) {
  feature.weights.assign(feature.bins + 1, 0);
  for (std::size_t row = 0; row < data.rows; ++row) feature.weights[feature.codes[row]] += data.weight(row);
}

void bin_for_pairs(std::size_t most, FeatureBins& feature) {
  feature.pair_bin.resize(feature.bins + 1);
  const std::span<const double> weights(feature.weights.data(), feature.bins);
  if (feature.categorical) {
    // The heaviest have a bin each, the others one together.
    std::vector<std::size_t> order(feature.bins);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return weights[a] > weights[b]; });
    feature.pair_bins = std::min(feature.bins, most);
    const std::size_t own = feature.bins <= most ? feature.bins : most - 1;
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(own));
    for (std::size_t i = 0; i < feature.bins; ++i)
      feature.pair_bin[order[i]] = static_cast<std::uint8_t>(std::min(i, own));
  } else {
    std::size_t begin = 0;
    for (const std::size_t end : equal_groups(weights, most)) {
      for (std::size_t bin = begin; bin < end; ++bin)
        feature.pair_bin[bin] = static_cast<std::uint8_t>(feature.pair_bins);
      if (begin > 0) feature.pair_edges.push_back(feature.edges[begin - 1]);
      begin = end;
      ++feature.pair_bins;
    }
  }
  feature.pair_bin[feature.bins] = static_cast<std::uint8_t>(feature.pair_bins);
}

}  // namespace

std::vector<std::size_t> equal_groups(std::span<const double> weights, std::size_t most) {
  std::vector<std::size_t> ends;
  double left = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::size_t begin = 0;
  while (begin < weights.size()) {
    const std::size_t groups_left = most - ends.size(), items_left = weights.size() - begin;
    std::size_t end = begin + 1;
    double group = weights[begin];
    if (items_left > groups_left) {
      const double share = left / static_cast<double>(groups_left);
      while (end < weights.size() && (groups_left == 1 || group + weights[end] / 2 <= share * rounding))
        group += weights[end++];
    }
    ends.push_back(end);
    left -= group;
    begin = end;
  }
  return ends;
}

std::vector<FeatureBins> bin_features(const TrainingData& data, std::size_t bins, std::size_t pair_bins,
                                      const Context& context) {
  std::vector<FeatureBins> features(data.features.size());
  context.parallel_for(features.size(), [&](std::size_t i) {
    context.check();
    const TrainingFeature& given = data.features[i];
    features[i].categorical = given.info.categorical;
    if (given.info.categorical) {
      bin_levels(data, given, bins - 1, features[i]);
    } else {
      bin_numbers(data, given.values, bins - 1, features[i]);
    }
    weigh_codes(data, features[i]);
    bin_for_pairs(pair_bins - 1, features[i]);
  });
  return features;
}

}  // namespace sightglass::additive
