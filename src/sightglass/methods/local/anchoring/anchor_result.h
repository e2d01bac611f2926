// Anchors as results: the rule of each row with what is known of it, and what to beware of.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sightglass/methods/local/anchoring/anchor_rule.h"
#include "sightglass/methods/local/anchoring/certain_rule.h"
#include "sightglass/methods/local/anchoring/outcome.h"
#include "sightglass/methods/local/anchoring/row_search.h"
#include "sightglass/result/result.h"

namespace sightglass {

// The rule of one row for one outcome.
struct SettledAnchor {
  std::size_t row = 0;      // position among the rows that are explained
  std::size_t outcome = 0;  // position among the outcomes
  AnchorRule rule;
  RuleCheck check;           // after it was found
  std::size_t attempts = 1;  // rules that were checked so, this one the last
  bool holds = false;        // it has the precision that is wanted
  double base = 0;           // rows of the data with the same outcome, as those that the rule covers are counted
  double rows = 0;           // all of them
  double level = 0;          // of the bounds on the precision over the data's rows
  bool over_rows = false;    // how it was found
  std::uint64_t explored = 0;
  bool complete = false;
  double bound = 0;  // rows that a better one could cover
  std::optional<CertainRule> certain = std::nullopt;
};

struct AnchorResults {
  const MethodInput& input;
  const LabelledRows& rows;
  const AnchorTerms& terms;
  const std::vector<FeatureCells>& features;
  const CelledRows& celled;
  const std::vector<AnchorOutcome>& outcomes;
  const CertainRules* certain;  // null: not asked for

  void add_items(const std::vector<SettledAnchor>& anchors, Result& result) const;
  void add_caveats(const std::vector<SettledAnchor>& anchors, Result& result) const;

 private:
  [[nodiscard]] std::vector<ShownCondition> shown(const CellRule& rule) const;
  void add_failed(const std::vector<SettledAnchor>& anchors, Result& result) const;
  void add_tiny(const std::vector<SettledAnchor>& anchors, Result& result) const;
  void add_conflicts(const std::vector<SettledAnchor>& anchors, Result& result) const;
  void add_certain(const std::vector<SettledAnchor>& anchors, Result& result) const;
};

}  // namespace sightglass
