// Rules that hold for certain: the fewest features whose values settle the outcome of a tree ensemble whatever the
// others are, not only for rows that there are (certain_search_internal.h). An input has another outcome where the
// ensemble says so, in its own arithmetic or in that of the framework that it comes from; all inputs that are left are
// bounded by branch and bound (model/trees/bounds/counterexample_search_internal.h). Shih, Choi & Darwiche 2018;
// Ignatiev, Narodytska & Marques-Silva 2019, Abduction-based explanations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/methods/local/anchoring/outcome.h"
#include "sightglass/methods/rows/labelled_rows.h"
#include "sightglass/methods/run/method.h"
#include "sightglass/result/shapes/shown_condition.h"

namespace sightglass {

struct Violation;

struct CertainRule {
  std::vector<std::uint32_t> features;  // positions in MethodInput::features, ascending
  std::size_t open = 0;                 // of these, might be left out: the boxes did not suffice to know
  std::size_t least = 0;                // proven: no fewer features settle the outcome
  std::uint64_t explored = 0;           // boxes
  [[nodiscard]] bool smallest() const { return least == features.size(); }
};

// Whether a value of the column is what the condition says.
[[nodiscard]] bool row_meets(const ShownCondition& condition, const ColumnInfo& column, double value);

class CertainRules {
 public:
  // boxes: looked at for each question. All must outlive this.
  CertainRules(const MethodInput& input, const LabelledRows& rows, std::uint64_t boxes);

  // Whether the model can be asked; else nothing else may be.
  [[nodiscard]] bool available(const AnchorOutcome& outcome) const;
  // Nothing where the outcome of the row itself is a matter of rounding: it lies on the border.
  [[nodiscard]] std::optional<CertainRule> find(const LabelledRow& row, const AnchorOutcome& outcome) const;
  // That each feature is where the row is, as far as the trees can tell.
  [[nodiscard]] std::vector<ShownCondition> conditions(const CertainRule& rule, const LabelledRow& row) const;
  // Share of the data's (weighted) rows that meet these.
  [[nodiscard]] double support(const CertainRule& rule, const std::vector<ShownCondition>& conditions) const;
  // Features that any split looks at.
  [[nodiscard]] std::size_t features() const;

  // Whether all inputs that meet the conditions, which the row does, have the outcome of the row; nothing: the boxes do
  // not tell. Conditions on features that the model is not given count for nothing.
  [[nodiscard]] std::optional<bool> settled_by(const std::vector<ShownCondition>& conditions, const LabelledRow& row,
                                               const AnchorOutcome& outcome) const;

 private:
  struct Question;
  [[nodiscard]] std::vector<bool> allowed_codes(std::size_t slot, const ColumnInfo& column,
                                                const ShownCondition& condition) const;
  [[nodiscard]] Question question(const LabelledRow& row, const AnchorOutcome& outcome) const;
  [[nodiscard]] std::vector<Violation> violations(const LabelledRow& row, const AnchorOutcome& outcome) const;
  [[nodiscard]] double margin_of(double prediction) const;
  [[nodiscard]] double same_margins() const;

  const MethodInput& input_;
  const LabelledRows& rows_;
  std::uint64_t boxes_;
  std::vector<bool> has_missing_;     // by feature
  std::vector<double> margin_sizes_;  // of each output, see summation_error()
};

}  // namespace sightglass
