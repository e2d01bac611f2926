#include "sightglass/learn/tree/sorted_features.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "sightglass/base/error.h"

namespace sightglass {

namespace {

struct Keyed {
  std::uint64_t key = 0;
  std::uint32_t row = 0;
};

// Unsigned numbers in the order of the doubles. Adding zero makes one of the two zeros.
std::uint64_t key_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

double value_of(std::uint64_t key) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return std::bit_cast<double>((key & sign) != 0 ? key & ~sign : ~key);
}

// Digit after digit, the lowest first; digits that all keys share cost nothing.
void radix_sort(std::vector<Keyed>& keyed) {
  constexpr int digit_bits = 11, digits = 6;
  constexpr std::size_t buckets = std::size_t{1} << digit_bits;
  if (keyed.size() < buckets) {
    std::sort(keyed.begin(), keyed.end(),
              [](const Keyed& a, const Keyed& b) { return a.key != b.key ? a.key < b.key : a.row < b.row; });
    return;
  }
  const auto digit_of = [](std::uint64_t key, int digit) { return (key >> (digit * digit_bits)) & (buckets - 1); };
  std::vector<std::array<std::uint32_t, buckets>> counts(digits);
  for (const Keyed& item : keyed) {
    for (int digit = 0; digit < digits; ++digit) ++counts[digit][digit_of(item.key, digit)];
  }
  std::vector<Keyed> other(keyed.size());
  for (int digit = 0; digit < digits; ++digit) {
    auto& starts = counts[digit];
    if (starts[digit_of(keyed[0].key, digit)] == keyed.size()) continue;
    std::uint32_t start = 0;
    for (std::uint32_t& count : starts) start += std::exchange(count, start);
    for (const Keyed& item : keyed) other[starts[digit_of(item.key, digit)]++] = item;
    keyed.swap(other);
  }
}

}  // namespace

SortedFeature sort_feature(const TrainingFeature& feature) {
  SortedFeature sorted;
  sorted.categorical = feature.info.categorical;
  std::vector<Keyed> keyed;
  std::vector<std::uint32_t> missing;
  keyed.reserve(feature.values.size());
  for (std::uint32_t row = 0; row < feature.values.size(); ++row) {
    const double value = feature.values[row];
    if (std::isnan(value)) {
      missing.push_back(row);
    } else {
      keyed.push_back({key_of(value), row});
    }
  }
  radix_sort(keyed);
  sorted.entries.reserve(feature.values.size());
  for (std::size_t i = 0; i < keyed.size(); ++i) {
    if (sorted.categorical) {
      sorted.entries.push_back({keyed[i].row, static_cast<std::uint32_t>(value_of(keyed[i].key))});
      continue;
    }
    if (i == 0 || keyed[i].key != keyed[i - 1].key) sorted.values.push_back(value_of(keyed[i].key));
    sorted.entries.push_back({keyed[i].row, static_cast<std::uint32_t>(sorted.values.size() - 1)});
  }
  sorted.codes = sorted.entries.empty() ? 0 : std::size_t{sorted.entries.back().code} + 1;
  for (const std::uint32_t row : missing) sorted.entries.push_back({row, missing_code});
  return sorted;
}

SortedFeatures::SortedFeatures(const TrainingData& data, const Context& context)
    : rows(data.rows), features(data.features.size()) {
  if (rows >= missing_code) {
    throw Error(ErrorKind::data, "a tree cannot be grown on " + std::to_string(rows) + " rows",
                "take a sample of at most 4 billion rows");
  }
  context.parallel_for(features.size(), [&](std::size_t index) {
    context.check();
    features[index] = sort_feature(data.features[index]);
  });
}

}  // namespace sightglass
