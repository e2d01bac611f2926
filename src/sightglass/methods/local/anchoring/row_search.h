// The rule with the largest coverage among all rules that hold for a row, by the data's own rows: sets of rows as bits,
// depth first, wide conditions before narrow ones. What cannot become better than what is known is not looked at:
// - a rule with one condition more covers no more rows, and has no more good ones, than either of the two rules that
//   are one condition shorter; so it must not be when these are too few;
// - it gets rid of no more bad rows than each of its conditions does by itself; so it must not be when too many are
//   left;
// - a rule over too few rows cannot be sure, even if it is right about all of them.
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
