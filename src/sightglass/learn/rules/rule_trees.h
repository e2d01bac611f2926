// Rules from small boosted trees (Friedman & Popescu 2008, §2–3): each tree sees few rows, is as large as chance will
// have it, and changes the prediction only a little, so that trees differ. Every node but the root is a rule, the
// conditions on the way to it: Σ 2(t_m − 1) of trees with t_m leaves.
//
// Cost: trees × (sampled rows × features + words of the row sets × nodes); a tree samples 100 + 6√n rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/rules/coded_rows.h"
#include "sightglass/learn/rules/row_bits.h"
#include "sightglass/model/model.h"

namespace sightglass {

// At most one condition per feature; features ascending.
struct CodedRule {
  std::vector<std::pair<std::uint32_t, CodeSet>> conditions;
};

// Rules that differ on the rows: none that holds for all or for no row, for the same rows as another, or for exactly
// the other rows. Of two that say the same the shorter stays, of equally long ones the first.
class DistinctRules {
 public:
  explicit DistinctRules(std::span<const RowWord> present);
  void add(const CodedRule& rule, const RowWord* rows);
  [[nodiscard]] const std::vector<CodedRule>& rules() const { return rules_; }
  [[nodiscard]] const RowSetTable& rows() const { return rows_; }
  [[nodiscard]] RowSetTable take_rows() { return std::move(rows_); }

 private:
  std::vector<RowWord> present_;
  std::size_t first_row_ = 0;
  std::uint64_t count_ = 0;
  std::vector<CodedRule> rules_;
  RowSetTable rows_;
  std::unordered_map<std::uint64_t, std::vector<std::pair<std::uint64_t, std::uint32_t>>>
      by_digest_;  // half of it, the other half
};

struct RuleTreeOptions {
  std::uint64_t max_rules = 2000;  // before those that say the same are left out
  double mean_leaves = 4;
  double learning_rate = 0.01;
  std::uint64_t seed = 0;
};

struct RuleTrees {
  DistinctRules rules;
  std::uint64_t generated = 0;
  std::vector<std::uint32_t> leaves;  // of each tree
};

// What is boosted: squared error of numbers, log loss of two classes or of several, one tree for each class in turn.
// `outcome` is per position.
[[nodiscard]] RuleTrees grow_rules(const CodedRows& rows, std::span<const double> outcome, Task task,
                                   std::size_t classes, const RuleTreeOptions& options, const Context& context);

[[nodiscard]] std::size_t sampled_rows(std::size_t rows);

}  // namespace sightglass
