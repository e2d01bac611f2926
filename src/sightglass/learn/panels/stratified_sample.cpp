#include "sightglass/learn/panels/stratified_sample.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sightglass/base/random.h"

namespace sightglass {

namespace {

constexpr std::uint64_t sample_stream = 0x70616e656c73;  // "panels"
constexpr std::size_t parts_of_an_equal_share = 5;

}  // namespace

std::vector<std::uint32_t> sampled_rows(std::span<const std::uint32_t> rows, std::size_t most, std::uint64_t seed) {
  std::vector<std::uint32_t> kept(rows.begin(), rows.end());
  if (most == 0 || kept.size() <= most) return kept;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  for (const std::uint32_t row : kept) order.emplace_back(random_bits(seed, sample_stream, row), row);
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end());
  kept.clear();
  for (std::size_t i = 0; i < most; ++i) kept.push_back(order[i].second);
  std::sort(kept.begin(), kept.end());
  return kept;
}

StratifiedSample stratified_sample(std::span<const std::uint32_t> kinds, std::size_t number_of_kinds, std::size_t most,
                                   std::uint64_t seed) {
  StratifiedSample sample;
  if (most == 0 || kinds.size() <= most) {
    sample.places.resize(kinds.size());
    std::iota(sample.places.begin(), sample.places.end(), 0);
    sample.factors.assign(kinds.size(), 1.0);
    return sample;
  }
  std::vector<std::vector<std::uint32_t>> of_kind(number_of_kinds);
  for (std::uint32_t place = 0; place < kinds.size(); ++place) of_kind[kinds[place]].push_back(place);
  const std::size_t least = most / (parts_of_an_equal_share * number_of_kinds);
  std::vector<std::size_t> quota(number_of_kinds);
  std::size_t sum = 0;
  for (std::size_t kind = 0; kind < number_of_kinds; ++kind) {
    const auto share = static_cast<std::size_t>(static_cast<double>(of_kind[kind].size()) * static_cast<double>(most) /
                                                static_cast<double>(kinds.size()));
    quota[kind] = std::max(share, std::min(least, of_kind[kind].size()));
    sum += quota[kind];
  }
  // What the rarer kinds were given is taken from the most frequent one; what rounding left over is its own.
  const auto largest =
      static_cast<std::size_t>(std::max_element(of_kind.begin(), of_kind.end(),
                                                [](const auto& a, const auto& b) { return a.size() < b.size(); }) -
                               of_kind.begin());
  quota[largest] = std::max<std::size_t>(1, quota[largest] + most - std::min(sum, quota[largest] + most));
  std::vector<double> factor(number_of_kinds, 1.0);
  std::size_t drawn = 0;
  for (std::size_t kind = 0; kind < number_of_kinds; ++kind) {
    if (of_kind[kind].empty() || quota[kind] == 0) continue;
    const std::vector<std::uint32_t> kept = sampled_rows(of_kind[kind], quota[kind], seed);
    sample.places.insert(sample.places.end(), kept.begin(), kept.end());
    factor[kind] = static_cast<double>(of_kind[kind].size()) / static_cast<double>(kept.size());
    drawn += kept.size();
  }
  std::sort(sample.places.begin(), sample.places.end());
  const double rate = static_cast<double>(drawn) / static_cast<double>(kinds.size());
  for (const std::uint32_t place : sample.places) sample.factors.push_back(factor[kinds[place]] * rate);
  return sample;
}

}  // namespace sightglass
