#include <algorithm>

#include "sightglass/model/trees/shapley/pattern_groups_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t least_table = 64;

std::uint64_t hash_of(const std::uint64_t* pattern, std::size_t words) {
  std::uint64_t hash = 0;
  for (std::size_t word = 0; word < words; ++word) {
    hash = (hash ^ pattern[word]) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

void PatternGroups::find(const std::uint64_t* patterns, std::size_t words, std::span<const std::uint32_t> rows) {
  first_.clear();
  hashes_.clear();
  of_.resize(rows.size());
  table_.assign(least_table, 0);
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const std::uint64_t* pattern = patterns + rows[at] * words;
    const std::uint64_t hash = hash_of(pattern, words);
    std::size_t bucket = hash & (table_.size() - 1);
    while (table_[bucket] != 0) {
      const std::uint32_t group = table_[bucket] - 1;
      if (hashes_[group] == hash && std::equal(pattern, pattern + words, patterns + first_[group] * words)) break;
      bucket = (bucket + 1) & (table_.size() - 1);
    }
    if (table_[bucket] == 0) {
      first_.push_back(rows[at]);
      hashes_.push_back(hash);
      table_[bucket] = static_cast<std::uint32_t>(first_.size());
      of_[at] = static_cast<std::uint32_t>(first_.size() - 1);
      if (2 * first_.size() > table_.size()) grow();
      continue;
    }
    of_[at] = table_[bucket] - 1;
  }
}

void PatternGroups::grow() {
  table_.assign(4 * table_.size(), 0);
  for (std::size_t group = 0; group < hashes_.size(); ++group) {
    std::size_t bucket = hashes_[group] & (table_.size() - 1);
    while (table_[bucket] != 0) bucket = (bucket + 1) & (table_.size() - 1);
    table_[bucket] = static_cast<std::uint32_t>(group + 1);
  }
}

}  // namespace sightglass
