// Sums of products of rules and linear terms, without each fold, for the terms that somebody asks about. Of two rules
// it is the number of rows that both hold for: AND and a count of bits; weights that are whole numbers come bit by bit.
//
// Cost of a term's sums with K rules: K · n / 64 words; with other weights K · n / 8 sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/rules/rule_terms.h"

namespace sightglass {

class RuleGram {
 public:
  RuleGram(const RuleTerms& terms, const Context& context);

  // Finds the sums of these terms with all terms, where they are not known yet.
  void require(std::span<const std::uint32_t> terms, const Context& context);
  // Of a required term with each term: Σ w x_a x_b over all rows but those of a fold; over all for the fold behind the
  // last.
  [[nodiscard]] const double* products_without(std::size_t fold, std::size_t term) const {
    return products_[term].data() + fold * size_;
  }
  // Σ w x v over the rows of each fold and of all, for each term: [fold × terms + term]. `weighted` has w v per
  // position.
  [[nodiscard]] std::vector<double> sums(const double* weighted, const Context& context) const;
  // The same over all rows but those of a fold, for some terms only; out in their order.
  void sums_without(std::size_t fold, std::span<const std::uint32_t> terms, const double* weighted, double* out) const;

  [[nodiscard]] const RuleTerms& terms() const { return terms_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t folds() const { return folds_; }
  [[nodiscard]] const std::vector<double>& weight_sums() const { return weight_sums_; }  // per fold, and of all
  [[nodiscard]] const std::vector<double>& term_sums() const { return term_sums_; }      // Σ w x, as sums()

 private:
  void count_shared_rows(std::span<const std::uint32_t> rules);
  void find_products(std::uint32_t term);
  void add_linear(std::uint32_t rule);
  void take_from_totals(std::uint32_t term);

  const RuleTerms& terms_;
  std::size_t size_, folds_;
  std::vector<std::uint32_t> all_rules_;
  RowSetTable weight_bits_{0};  // rows whose weight has bit b; none: weights are not whole numbers
  std::vector<double> weight_sums_, term_sums_;
  std::vector<std::vector<double>> linear_sums_;  // of each linear term with all terms, as sums()
  std::vector<std::vector<double>> products_;     // per term; empty: not required yet
};

}  // namespace sightglass
