// One lasso fit over rules and linear terms, to all rows but those of a fold. It looks at few terms closely: those that
// joined, which are all that are not 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sightglass/learn/linear/coordinate_descent.h"
#include "sightglass/learn/rules/rule_gram.h"
#include "sightglass/learn/rules/rule_lasso.h"

namespace sightglass {

// Accuracies at and below this ask for all digits: gradients as the lasso demands, to this share of the penalty.
inline constexpr double to_the_last_digits = 1e-10, last_digits_of_gradient = 1e-5;

class RuleFit {
 public:
  RuleFit(const RuleGram& gram, std::size_t left_out);
  virtual ~RuleFit() = default;

  // Terms that will probably be in the solution at the next, smaller penalty: whose gradient at the last one is above
  // 2 λ − λ of the last (Tibshirani et al. 2012, Strong rules for discarding predictors in lasso-type problems).
  [[nodiscard]] std::vector<std::uint32_t> expected(double penalty) const;
  // Moves on to where the solution probably is: [output][term]. A coefficient that would change its sign is 0.
  virtual void start_along(const std::vector<std::vector<double>>& change) = 0;
  // With the terms that joined, until no more than `accuracy` times the loss without terms is to be gained; hands back
  // terms that want to join, none where it is the solution among all.
  [[nodiscard]] virtual std::vector<std::uint32_t> solve(double penalty, double accuracy) = 0;
  // Their products must have been required.
  void join(std::span<const std::uint32_t> terms);

  // Whether the last solve() reached its accuracy.
  [[nodiscard]] virtual bool settled() const = 0;
  // The smallest penalty without any term, for a fit that has none.
  [[nodiscard]] virtual double largest_penalty() const = 0;
  [[nodiscard]] virtual double loss() const = 0;           // mean of the rows it is fitted to
  [[nodiscard]] virtual double held_out_loss() const = 0;  // mean of the fold's rows
  [[nodiscard]] virtual RuleSolution solution() const = 0;

 protected:
  // Terms outside whose gradient in any output is above the penalty; if there are any, with those that are close to it.
  [[nodiscard]] std::vector<std::uint32_t> violators(double penalty);
  // Of coefficients before, with their change.
  [[nodiscard]] std::vector<double> moved(std::span<const double> coefficients, std::span<const double> change) const;
  // Σ weight · x over positions between two words, added to out.
  void add_predictions(std::span<const double> weights, std::size_t first_word, std::size_t end_word,
                       double* out) const;
  [[nodiscard]] std::vector<TermWeight> sparse(std::span<const double> weights) const;
  [[nodiscard]] bool held_out(std::size_t position) const {
    return position >= first_held_out_ && position < end_held_out_;
  }
  virtual void after_join() = 0;

  // Above this a gradient is looked at closer: where that is too few, others follow.
  [[nodiscard]] double close_to(double penalty) const;
  [[nodiscard]] double largest_gradient(std::size_t term) const;  // in any output
  [[nodiscard]] std::vector<std::uint32_t> outside_above(double bound) const;

  const RuleGram& gram_;
  std::size_t left_out_;                        // a fold; the number of folds: none
  std::size_t first_held_out_, end_held_out_;   // positions
  double weight_;                               // of the rows it is fitted to
  std::vector<double> means_;                   // of each term there
  std::vector<std::vector<double>> gradients_;  // of each output and term, at the last penalty
  double last_penalty_ = 0;
  std::vector<std::uint32_t> members_;
  std::vector<std::uint8_t> is_member_;
  // Among members, with room for more, which are constant 0; products of centred terms.
  LeastSquares problem_;
};

// `target_sums`: Σ w x y per fold and term. The outcome has about variance 1.
[[nodiscard]] std::unique_ptr<RuleFit> squared_fit(const RuleGram& gram, const std::vector<double>& outcome,
                                                   const std::vector<double>& target_sums, std::size_t left_out);
// The outcome is the number of the class; with one output 0 or 1.
[[nodiscard]] std::unique_ptr<RuleFit> logistic_fit(const RuleGram& gram, const std::vector<double>& outcome,
                                                    std::size_t outputs, std::size_t left_out);

}  // namespace sightglass
