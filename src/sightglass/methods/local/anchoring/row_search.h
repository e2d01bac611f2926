// The rule with the largest coverage among all rules that hold for a row, by the data's own rows: sets of rows as bits,
// depth first, wide conditions before narrow ones, with two bounds. A longer rule covers no more rows than a shorter
// one, and has no more good ones; so neither a branch that covers fewer rows than what is known is looked at, nor one
// whose good rows are too few for the wanted precision at that coverage.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/methods/local/anchoring/anchor_rule.h"

namespace sightglass {

struct FoundAnchors {
  std::vector<AnchorRule> rules;      // that have the wanted precision, the best first
  std::optional<AnchorRule> nearest;  // the most precise of all, where none has
  std::uint64_t explored = 0;
  bool complete = true;  // no other rule of so many conditions is better
  double bound = 0;      // rows that a better one could cover; where it is complete, those of the best
};

// At most so many, for those to fall back on whose precision proves too low.
inline constexpr std::size_t kept_rules = 4;

[[nodiscard]] FoundAnchors search_rows(const AnchorSets& sets, const AnchorTerms& terms, const Context& context);

}  // namespace sightglass
