#include "sightglass/methods/local/anchoring/anchor_rule.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sightglass/base/each_processor.h"
#include "sightglass/methods/local/anchoring/share_bounds.h"

namespace sightglass {

namespace {

struct BitCount {
  std::uint64_t covered = 0, good = 0;
};

}  // namespace

SIGHTGLASS_FOR_EACH_PROCESSOR
static BitCount count_bits(const RowWord* a, const RowWord* b, const RowWord* same, std::size_t words, RowWord* both) {
  BitCount count;
  for (std::size_t w = 0; w < words; ++w) {
    const RowWord met = a[w] & b[w];
    both[w] = met;
    count.covered += static_cast<std::uint64_t>(std::popcount(met));
    count.good += static_cast<std::uint64_t>(std::popcount(met & same[w]));
  }
  return count;
}

static RuleCount as_count(const BitCount& bits) {
  return {.covered = static_cast<double>(bits.covered), .good = static_cast<double>(bits.good)};
}

bool comes_before(const AnchorRule& a, const AnchorRule& b) {
  if (a.rows.covered != b.rows.covered) return a.rows.covered > b.rows.covered;
  if (a.conditions.size() != b.conditions.size()) return a.conditions.size() < b.conditions.size();
  return a.conditions < b.conditions;
}

RuleCount AnchorSets::count(const RowWord* a, const RowWord* b, RowWord* both) const {
  const RuleCount rows = as_count(count_bits(a, b, same.data(), same.size(), both));
  if (weights.empty()) return rows;
  RuleCount weighed;
  for (std::size_t w = 0; w < same.size(); ++w) {
    for (RowWord left = both[w]; left != 0; left &= left - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(left));
      const double weight = weights[w * rows_per_word + bit];
      weighed.covered += weight;
      if ((same[w] >> bit & 1) != 0) weighed.good += weight;
    }
  }
  return weighed;
}

RuleCount AnchorSets::count_perturbed(const RowWord* a, const RowWord* b, RowWord* both) const {
  return as_count(count_bits(a, b, same_perturbed.data(), same_perturbed.size(), both));
}

double search_level(const RowConditions& conditions, std::size_t size, const AnchorTerms& terms) {
  const double lengths = static_cast<double>(terms.most_conditions + 1);
  return std::log(lengths * std::max(1.0, conditions.rules(size)) / terms.delta);
}

CheckedShare checked_share(const RuleCount& count, std::size_t attempt, const AnchorTerms& terms) {
  const double tries = static_cast<double>(attempt);
  const double level = std::log(2 * tries * (tries + 1) / terms.delta);
  return {.precision = count.precision(),
          .low = lower_share(count.good, count.covered, level),
          .high = upper_share(count.good, count.covered, level)};
}

}  // namespace sightglass
