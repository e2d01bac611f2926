#include <algorithm>
#include <cmath>

#include "sightglass/base/each_processor.h"
#include "sightglass/learn/rules/rule_fits_internal.h"

namespace sightglass {

namespace {

// How close to the best a solution is, in units of the outcome's variance. What folds are for needs less.
constexpr double gap = 1e-5, gap_of_folds = 1e-3;

SIGHTGLASS_FOR_EACH_PROCESSOR
void subtract(const double* row, double factor, std::size_t size, double* out) {
  for (std::size_t i = 0; i < size; ++i) out[i] -= factor * row[i];
}

class SquaredFit final : public RuleFit {
 public:
  SquaredFit(const RuleGram& gram, const std::vector<double>& outcome, const std::vector<double>& target_sums,
             std::size_t left_out)
      : RuleFit(gram, left_out), outcome_(outcome), correlations_(gram.size()) {
    const std::vector<double>& weights = gram.terms().rows.weights;
    for (std::size_t i = 0; i < outcome.size(); ++i) {
      if (held_out(i)) continue;
      mean_ += weights[i] * outcome[i];
      square_ += weights[i] * outcome[i] * outcome[i];
    }
    mean_ /= weight_;
    square_ = square_ / weight_ - mean_ * mean_;
    const double* all = target_sums.data() + gram.folds() * gram.size();
    const double* fold = target_sums.data() + left_out_ * gram.size();
    for (std::size_t t = 0; t < gram.size(); ++t) {
      const double sum = left_out_ == gram.folds() ? all[t] : all[t] - fold[t];
      correlations_[t] = sum / weight_ - means_[t] * mean_;
    }
    gradient_ = correlations_;
    problem_.target_square = square_;
  }

  std::vector<std::uint32_t> solve(double penalty) override {
    if (!members_.empty()) {
      (void)descent_->solve({.lambda = penalty, .l1_ratio = 1}, left_out_ == gram_.folds() ? gap : gap_of_folds);
      find_gradient();
    }
    return violators(gradient_, penalty);
  }

  [[nodiscard]] double largest_penalty() const override {
    double largest = 0;
    for (const double correlation : correlations_) largest = std::max(largest, std::abs(correlation));
    return largest;
  }

  [[nodiscard]] double loss() const override { return members_.empty() ? square_ : descent_->mean_square(); }

  [[nodiscard]] double held_out_loss() const override {
    std::vector<double> predicted(end_held_out_ - first_held_out_, intercept());
    if (!members_.empty()) {
      add_predictions(descent_->coefficients(), first_held_out_ / rows_per_word, end_held_out_ / rows_per_word,
                      predicted.data());
    }
    const std::vector<double>& weights = gram_.terms().rows.weights;
    double sum = 0;
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      const double off = outcome_[first_held_out_ + i] - predicted[i];
      sum += weights[first_held_out_ + i] * off * off;
    }
    return sum / gram_.weight_sums()[left_out_];
  }

  [[nodiscard]] RuleSolution solution() const override {
    return {{intercept()}, {members_.empty() ? std::vector<TermWeight>{} : sparse(descent_->coefficients())}};
  }

 private:
  void after_join() override {
    std::vector<double> before = descent_ ? descent_->coefficients() : std::vector<double>{};
    before.resize(members_.size());
    problem_.target.resize(members_.size());
    for (std::size_t m = 0; m < members_.size(); ++m) problem_.target[m] = correlations_[members_[m]];
    descent_.emplace(problem_);
    descent_->start_from(before);
  }

  [[nodiscard]] double intercept() const {
    double intercept = mean_;
    for (std::size_t m = 0; m < members_.size(); ++m) intercept -= descent_->coefficients()[m] * means_[members_[m]];
    return intercept;
  }

  // c − Gβ for all terms, from the products of those that are not 0.
  void find_gradient() {
    const std::size_t size = gram_.size();
    gradient_ = correlations_;
    double at_means = 0;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      const double coefficient = descent_->coefficients()[m];
      if (coefficient == 0) continue;
      at_means += coefficient * means_[members_[m]];
      subtract(gram_.products_without(left_out_, members_[m]), coefficient / weight_, size, gradient_.data());
    }
    subtract(means_.data(), -at_means, size, gradient_.data());
  }

  const std::vector<double>& outcome_;
  double mean_ = 0, square_ = 0;  // of the outcome; the square of what is off the mean
  std::vector<double> correlations_, gradient_;
};

}  // namespace

RuleFit::RuleFit(const RuleGram& gram, std::size_t left_out)
    : gram_(gram), left_out_(left_out), means_(gram.size()), is_member_(gram.size()) {
  const FoldedRows& rows = gram.terms().rows.rows;
  const std::size_t folds = gram.folds(), size = gram.size();
  const bool all = left_out == folds;
  first_held_out_ = all ? rows.positions() : rows.first_word[left_out] * rows_per_word;
  end_held_out_ = all ? rows.positions() : rows.first_word[left_out + 1] * rows_per_word;
  weight_ = gram.weight_sums()[folds] - (all ? 0 : gram.weight_sums()[left_out]);
  for (std::size_t t = 0; t < size; ++t) {
    const double sum = gram.term_sums()[folds * size + t] - (all ? 0 : gram.term_sums()[left_out * size + t]);
    means_[t] = sum / weight_;
  }
}

void RuleFit::join(std::span<const std::uint32_t> terms) {
  const std::size_t before = members_.size(), after = before + terms.size();
  std::vector<double> products(after * after);
  for (std::size_t m = 0; m < before; ++m)
    std::copy_n(problem_.products.data() + m * before, before, products.data() + m * after);
  for (const std::uint32_t term : terms) {
    members_.push_back(term);
    is_member_[term] = 1;
  }
  for (std::size_t m = before; m < after; ++m) {
    const double* sums = gram_.products_without(left_out_, members_[m]);
    for (std::size_t other = 0; other <= m; ++other) {
      const std::uint32_t t = members_[other];
      const double product = sums[t] / weight_ - means_[members_[m]] * means_[t];
      products[m * after + other] = products[other * after + m] = product;
    }
    // Constant there but for rounding.
    double& own = products[m * after + m];
    if (own < 1e-12) own = 0;
  }
  problem_.terms = after;
  problem_.products = std::move(products);
  problem_.penalty.assign(after, 1.0);
  after_join();
}

std::vector<std::uint32_t> RuleFit::violators(std::span<const double> gradient, double penalty) const {
  std::vector<std::uint32_t> close;
  bool any = false;
  for (std::size_t t = 0; t < gradient.size(); ++t) {
    if (is_member_[t] != 0 || std::abs(gradient[t]) <= 0.9 * penalty) continue;
    close.push_back(static_cast<std::uint32_t>(t));
    any = any || std::abs(gradient[t]) > penalty * (1 + 1e-9);
  }
  if (!any) close.clear();
  return close;
}

void RuleFit::add_predictions(std::span<const double> weights, std::size_t first_word, std::size_t end_word,
                              double* out) const {
  const RuleTerms& terms = gram_.terms();
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (weights[m] == 0) continue;
    if (members_[m] < terms.rules.size()) {
      add_where(terms.sets[members_[m]] + first_word, end_word - first_word, weights[m], out);
      continue;
    }
    const double* values = terms.linear[members_[m] - terms.rules.size()].values.data() + first_word * rows_per_word;
    subtract(values, -weights[m], (end_word - first_word) * rows_per_word, out);
  }
}

std::vector<TermWeight> RuleFit::sparse(std::span<const double> weights) const {
  std::vector<TermWeight> result;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (weights[m] != 0) result.push_back({members_[m], weights[m]});
  }
  std::sort(result.begin(), result.end(), [](const TermWeight& a, const TermWeight& b) { return a.term < b.term; });
  return result;
}

std::unique_ptr<RuleFit> squared_fit(const RuleGram& gram, const std::vector<double>& outcome,
                                     const std::vector<double>& target_sums, std::size_t left_out) {
  return std::make_unique<SquaredFit>(gram, outcome, target_sums, left_out);
}

}  // namespace sightglass
