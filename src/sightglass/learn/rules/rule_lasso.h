// The lasso over rules and linear terms, along its penalty, for all rows and for all rows but each fold's: the folds
// tell which penalty predicts best. One table of products (rule_gram.h) serves all of them and every loss.
//
// Minimises mean loss + λ Σ |coefficient|, of terms as they are (a rule is 0 or 1): rules for few rows are shrunk most.
// Squared error is least squares on sums of products. Log loss is a sequence of these (proximal Newton), whose
// curvature is that of the products times a number that is raised until the step is safe; at most a quarter. Several
// classes come in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/rules/rule_gram.h"
#include "sightglass/model/model.h"

namespace sightglass {

struct TermWeight {
  std::uint32_t term = 0;
  double weight = 0;
};

// A solution, per output.
struct RuleSolution {
  std::vector<double> intercepts;
  std::vector<std::vector<TermWeight>> weights;                               // those that are not 0, terms ascending
  [[nodiscard]] std::vector<std::uint32_t> terms() const;                     // in any output, ascending
  [[nodiscard]] double weight(std::size_t output, std::uint32_t term) const;  // 0 where it is not among them
  void scale_by(double factor);
};

// At one penalty.
struct RulePathPoint {
  double penalty = 0;
  RuleSolution solution;          // of all rows
  double cv_mean = 0, cv_se = 0;  // loss of held-out rows: mean squared error, log loss
};

struct RulePathOptions {
  std::size_t penalties = 50;
  double smallest = 1e-3;             // penalty, as a share of the largest
  double down_to = 0;                 // no penalty below this; 0: as far as the smallest
  bool cross_validate = true;         // else the folds are not fitted
  std::size_t most_terms = SIZE_MAX;  // the path ends where there are more that are distinct
};

// `outcome` is per position: numbers, or the number of the class.
[[nodiscard]] std::vector<RulePathPoint> fit_rule_path(RuleGram& gram, std::span<const double> outcome, Task task,
                                                       std::size_t classes, const RulePathOptions& options,
                                                       const Context& context);

// The place of the smallest held-out loss, and of the largest penalty whose loss is within one standard error of it.
[[nodiscard]] std::size_t path_minimum(const std::vector<RulePathPoint>& path);
[[nodiscard]] std::size_t path_one_se(const std::vector<RulePathPoint>& path);

// A point of the path, to the last digits: neighbours on a path only have to be close.
struct PolishedRules {
  RuleSolution solution;
  bool settled = true;  // the last digits were reached
};
[[nodiscard]] PolishedRules polish(RuleGram& gram, std::span<const double> outcome, Task task, std::size_t classes,
                                   const RulePathPoint& point, const Context& context);

// The terms of a solution, most important first, without rules that say nearly the same as an earlier one: they, or all
// rows but theirs, share more than 95 % of the rows for which either holds.
[[nodiscard]] std::vector<std::uint32_t> distinct_terms(const RuleTerms& terms, const RuleSolution& solution);

}  // namespace sightglass
