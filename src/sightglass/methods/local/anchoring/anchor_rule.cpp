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
static BitCount count_bits(const RowWord* a, const RowWord* b, const RowWord* same, std::size_t words) {
  BitCount count;
  for (std::size_t w = 0; w < words; ++w) {
    const RowWord met = a[w] & b[w];
    count.covered += static_cast<std::uint64_t>(std::popcount(met));
    count.good += static_cast<std::uint64_t>(std::popcount(met & same[w]));
  }
  return count;
}

static void write_shared(const RowWord* a, const RowWord* b, std::size_t words, RowWord* both) {
  if (both == nullptr) return;
  for (std::size_t w = 0; w < words; ++w) both[w] = a[w] & b[w];
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
  RuleCount count;
  if (weights.empty()) {
    count = as_count(count_bits(a, b, same.data(), same.size()));
  } else {
    for (std::size_t w = 0; w < same.size(); ++w) {
      for (RowWord left = a[w] & b[w]; left != 0; left &= left - 1) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(left));
        const double weight = weights[w * rows_per_word + bit];
        count.covered += weight;
        if ((same[w] >> bit & 1) != 0) count.good += weight;
      }
    }
  }
  write_shared(a, b, same.size(), both);
  return count;
}

RuleCount AnchorSets::count_perturbed(const RowWord* a, const RowWord* b, RowWord* both) const {
  const RuleCount count = as_count(count_bits(a, b, same_perturbed.data(), same_perturbed.size()));
  write_shared(a, b, same_perturbed.size(), both);
  return count;
}

double search_level(const RowConditions& conditions, std::size_t size, const AnchorTerms& terms) {
  const double lengths = static_cast<double>(terms.most_conditions + 1);
  return std::log(lengths * std::max(1.0, conditions.rules(size)) / terms.delta);
}

CheckedShare checked_share(const RuleCheck& check, std::size_t attempt, const AnchorTerms& terms) {
  const RuleCount& count = check.count;
  const double precision = count.precision(), tries = static_cast<double>(attempt);
  if (check.exact) return {.precision = precision, .low = precision, .high = precision};
  const double level = std::log(2 * tries * (tries + 1) / terms.delta);
  return {.precision = precision,
          .low = lower_share(count.good, count.covered, level),
          .high = upper_share(count.good, count.covered, level)};
}

}  // namespace sightglass
