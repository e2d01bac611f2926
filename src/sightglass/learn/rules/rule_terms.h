// What the lasso chooses from: rules, as sets of rows, and the features themselves, kept between their outer quantiles.
// (Friedman & Popescu 2008, §5: without linear terms many rules are spent on what a line says.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/rules/coded_rows.h"
#include "sightglass/learn/rules/row_bits.h"
#include "sightglass/learn/rules/rule_trees.h"
#include "sightglass/learn/training_data.h"

namespace sightglass {

// A feature's number l, kept between two quantiles, as (l − mean) · 0.4 / sd: its coefficient is then as easily had as
// that of a typical rule.
struct LinearColumn {
  std::uint32_t feature = 0;
  double low = 0, high = 0;         // quantiles 0.025 and 0.975
  double mean = 0, sd = 0;          // of the kept number; missing values count as the mean
  double scale = 0;                 // 0.4 / sd
  std::vector<double> values = {};  // per position, centred and scaled; 0 where there is none
};

// Rules come first, then linear terms.
struct RuleTerms {
  CodedRows rows;
  std::vector<CodedRule> rules;
  RowSetTable sets;              // the rows of each rule
  std::vector<double> supports;  // share of the weight for which each rule holds
  std::vector<LinearColumn> linear;
  std::uint64_t generated = 0;        // rules before those that say the same were left out
  std::vector<std::uint32_t> leaves;  // of each tree

  [[nodiscard]] std::size_t size() const { return rules.size() + linear.size(); }
  [[nodiscard]] std::vector<TermCondition> conditions(std::size_t rule) const;
  [[nodiscard]] double value_at(std::size_t term, std::size_t position) const;
  // weight · term of the positions between two words, to be added to out.
  void add_predictions(std::size_t term, double weight, std::size_t first_word, std::size_t end_word,
                       double* out) const;
  [[nodiscard]] double sd(std::size_t term) const;
  // Two rules that share more than 95 % of the rows for which either holds.
  [[nodiscard]] bool share_rows(std::size_t a, std::size_t b) const;
  // Or that do so once one of them is turned into its opposite.
  [[nodiscard]] bool nearly_same(std::size_t a, std::size_t b) const;
};

[[nodiscard]] std::vector<LinearColumn> linear_columns(const TrainingData& data, const FoldedRows& rows);

[[nodiscard]] RuleTerms find_rule_terms(const TrainingData& data, FoldedRows rows, bool linear,
                                        const RuleTreeOptions& options, const Context& context);

}  // namespace sightglass
