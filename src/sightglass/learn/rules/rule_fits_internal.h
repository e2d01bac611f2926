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

class RuleFit {
 public:
  RuleFit(const RuleGram& gram, std::size_t left_out);
  virtual ~RuleFit() = default;

  // With the terms that joined; hands back terms that want to join, none where it is the solution among all.
  [[nodiscard]] virtual std::vector<std::uint32_t> solve(double penalty) = 0;
  // Their products must have been required.
  void join(std::span<const std::uint32_t> terms);

  // The smallest penalty without any term, for a fit that has none.
  [[nodiscard]] virtual double largest_penalty() const = 0;
  [[nodiscard]] virtual double loss() const = 0;           // mean of the rows it is fitted to
  [[nodiscard]] virtual double held_out_loss() const = 0;  // mean of the fold's rows
  [[nodiscard]] virtual RuleSolution solution() const = 0;

 protected:
  // Terms outside whose gradient is above the penalty; if there are any, with those that are close to it.
  [[nodiscard]] std::vector<std::uint32_t> violators(std::span<const double> gradient, double penalty) const;
  // Σ weight · x over positions between two words, added to out.
  void add_predictions(std::span<const double> weights, std::size_t first_word, std::size_t end_word,
                       double* out) const;
  [[nodiscard]] std::vector<TermWeight> sparse(std::span<const double> weights) const;
  [[nodiscard]] bool held_out(std::size_t position) const {
    return position >= first_held_out_ && position < end_held_out_;
  }
  virtual void after_join() = 0;

  const RuleGram& gram_;
  std::size_t left_out_;                       // a fold; the number of folds: none
  std::size_t first_held_out_, end_held_out_;  // positions
  double weight_;                              // of the rows it is fitted to
  std::vector<double> means_;                  // of each term there
  std::vector<std::uint32_t> members_;
  std::vector<std::uint8_t> is_member_;
  LeastSquares problem_;  // among members; products of centred terms
  std::optional<CoordinateDescent> descent_;
};

// `target_sums`: Σ w x y per fold and term. The outcome has about variance 1.
[[nodiscard]] std::unique_ptr<RuleFit> squared_fit(const RuleGram& gram, const std::vector<double>& outcome,
                                                   const std::vector<double>& target_sums, std::size_t left_out);
// The outcome is the number of the class; with one output 0 or 1.
[[nodiscard]] std::unique_ptr<RuleFit> logistic_fit(const RuleGram& gram, const std::vector<double>& outcome,
                                                    std::size_t outputs, std::size_t left_out);

}  // namespace sightglass
