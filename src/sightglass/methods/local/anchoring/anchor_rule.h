// A rule that may be an anchor, what was counted of it, and when it is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/methods/local/anchoring/conditions.h"

namespace sightglass {

// What a rule has to be.
struct AnchorTerms {
  double precision = 0.95;  // τ
  double delta = 0.05;      // how often a bound may be wrong
  double epsilon = 0.1;     // how far below τ a lower bound may be, and how far apart rules of equal worth are
  std::size_t most_conditions = 5;
  double fewest_rows = 10;
  std::size_t beam = 4;
  std::uint64_t most_rules = 0;  // looked at over the data's rows
};

// Rows, or as many as weighted ones are worth.
struct RuleCount {
  double covered = 0;  // that meet it
  double good = 0;     // of these, with the outcome of the row that is explained

  [[nodiscard]] double precision() const { return covered > 0 ? good / covered : 0; }
};

struct AnchorRule {
  CellRule conditions;
  RuleCount rows;       // of the data
  RuleCount perturbed;  // of rows drawn once for all rules
};

// Largest coverage first, then fewer conditions, then features that come first.
[[nodiscard]] bool comes_before(const AnchorRule& a, const AnchorRule& b);

// All that is known of a row when its rule is searched.
struct AnchorSets {
  const RowConditions& conditions;
  std::vector<RowWord> every, same;                      // rows of the data: all, and those with the same outcome
  std::vector<RowWord> every_perturbed, same_perturbed;  // the same of perturbed rows
  std::span<const double> weights;                       // of the data's rows; empty: each is one

  // Of rows that are in both sets; these are written to `both`, if that is given.
  RuleCount count(const RowWord* a, const RowWord* b, RowWord* both) const;
  RuleCount count_perturbed(const RowWord* a, const RowWord* b, RowWord* both) const;
};

// How sure a bound on the precision over rows has to be: rules were looked for among many, and the longer they are the
// more there are, so each length has a share of δ, and each rule of it a share of that.
[[nodiscard]] double search_level(const RowConditions& conditions, std::size_t size, const AnchorTerms& terms);

// A rule that was found is checked on perturbed rows that had no part in finding it, or on all that there are.
struct RuleCheck {
  RuleCount count;
  bool exact = false;  // all: each counts as often as it would be drawn
};
// attempt: how many rules of the row were checked so far, with this one; all their bounds hold together.
struct CheckedShare {
  double precision = 0, low = 0, high = 0;
  [[nodiscard]] bool suffices(const AnchorTerms& terms) const {
    return precision >= terms.precision && low >= terms.precision - terms.epsilon;
  }
};
[[nodiscard]] CheckedShare checked_share(const RuleCheck& check, std::size_t attempt, const AnchorTerms& terms);

}  // namespace sightglass
