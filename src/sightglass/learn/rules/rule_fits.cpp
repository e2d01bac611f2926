#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "sightglass/base/each_processor.h"
#include "sightglass/learn/rules/rule_fits_internal.h"

namespace sightglass {

namespace {

// Of the penalty.
constexpr double close = 0.95;
// Where rounding leaves more than the accuracy that is asked for (a row that outweighs all others), passes would not
// end.
constexpr std::size_t most_lasso_passes = 500;  // more only for
constexpr double last_digits = 1e-8;

constexpr std::size_t words_at_once = 32;

// Several rows in one go, as reading and writing `out` is half the work.
constexpr std::size_t rows_at_once = 4;
SIGHTGLASS_FOR_EACH_PROCESSOR
void subtract_rows(const std::array<const double*, rows_at_once>& rows, const std::array<double, rows_at_once>& factors,
                   std::size_t size, double* out) {
  const double *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
  for (std::size_t i = 0; i < size; ++i)
    out[i] -= (factors[0] * a[i] + factors[1] * b[i]) + (factors[2] * c[i] + factors[3] * d[i]);
}

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
    gradients_ = {correlations_};
    last_penalty_ = largest_penalty();
    problem_.target_square = square_;
  }

  std::vector<std::uint32_t> solve(double penalty, double accuracy) override {
    if (!members_.empty()) {
      settled_ = descent_->solve({.lambda = penalty, .l1_ratio = 1}, accuracy * square_,
                                 accuracy < last_digits ? 20 * most_lasso_passes : most_lasso_passes);
      find_gradient();
    }
    return violators(penalty);
  }

  void start_along(const std::vector<std::vector<double>>& change) override {
    if (!members_.empty()) descent_->start_from(moved(descent_->coefficients(), change[0]));
  }

  [[nodiscard]] bool settled() const override { return settled_; }

  [[nodiscard]] double largest_penalty() const final {
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
    before.resize(problem_.terms);
    problem_.target.resize(problem_.terms);
    for (std::size_t m = 0; m < members_.size(); ++m) problem_.target[m] = correlations_[members_[m]];
    if (!descent_ || descent_->coefficients().size() < problem_.terms) descent_.emplace(problem_);
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
    std::vector<double>& gradient = gradients_[0];
    gradient = correlations_;
    double at_means = 0;
    std::array<const double*, rows_at_once> rows{};
    std::array<double, rows_at_once> factors{};
    std::size_t waiting = 0;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      const double coefficient = descent_->coefficients()[m];
      if (coefficient == 0) continue;
      at_means += coefficient * means_[members_[m]];
      rows[waiting] = gram_.products_without(left_out_, members_[m]);
      factors[waiting++] = coefficient / weight_;
      if (waiting < rows_at_once) continue;
      subtract_rows(rows, factors, size, gradient.data());
      waiting = 0;
    }
    for (std::size_t i = 0; i < waiting; ++i) subtract(rows[i], factors[i], size, gradient.data());
    subtract(means_.data(), -at_means, size, gradient.data());
  }

  const std::vector<double>& outcome_;
  std::optional<CoordinateDescent> descent_;
  bool settled_ = true;
  double mean_ = 0, square_ = 0;  // of the outcome; the square of what is off the mean
  std::vector<double> correlations_;
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
  std::vector<double>& products = problem_.products;
  if (after > problem_.terms) {
    const std::size_t room = std::max<std::size_t>({after, problem_.terms * 3 / 2, 64});
    std::vector<double> larger(room * room);
    for (std::size_t m = 0; m < before; ++m)
      std::copy_n(products.data() + m * problem_.terms, before, larger.data() + m * room);
    products = std::move(larger);
    problem_.terms = room;
    problem_.penalty.assign(room, 1.0);
  }
  const std::size_t stride = problem_.terms;
  for (const std::uint32_t term : terms) {
    members_.push_back(term);
    is_member_[term] = 1;
  }
  for (std::size_t m = before; m < after; ++m) {
    const double* sums = gram_.products_without(left_out_, members_[m]);
    for (std::size_t other = 0; other <= m; ++other) {
      const std::uint32_t t = members_[other];
      const double product = sums[t] / weight_ - means_[members_[m]] * means_[t];
      products[m * stride + other] = products[other * stride + m] = product;
    }
    // Constant there but for rounding.
    double& own = products[m * stride + m];
    if (own < 1e-12) own = 0;
  }
  after_join();
}

std::vector<std::uint32_t> RuleFit::outside_above(double bound) const {
  std::vector<std::uint32_t> terms;
  for (std::size_t t = 0; t < gram_.size(); ++t) {
    if (is_member_[t] == 0 && largest_gradient(t) > bound) terms.push_back(static_cast<std::uint32_t>(t));
  }
  return terms;
}

double RuleFit::largest_gradient(std::size_t term) const {
  double largest = 0;
  for (const auto& gradient : gradients_) largest = std::max(largest, std::abs(gradient[term]));
  return largest;
}

std::vector<std::uint32_t> RuleFit::expected(double penalty) const { return outside_above(close_to(penalty)); }

double RuleFit::close_to(double penalty) const {
  return std::min(penalty * (1 - 1e-9), std::max(close * penalty, 2 * penalty - last_penalty_));
}

std::vector<std::uint32_t> RuleFit::violators(double penalty) {
  last_penalty_ = penalty;
  return outside_above(penalty * (1 + 1e-9)).empty() ? std::vector<std::uint32_t>{} : outside_above(close * penalty);
}

std::vector<double> RuleFit::moved(std::span<const double> coefficients, std::span<const double> change) const {
  std::vector<double> next(coefficients.begin(), coefficients.end());
  for (std::size_t m = 0; m < members_.size(); ++m) {
    next[m] += change[members_[m]];
    if (coefficients[m] * next[m] < 0) next[m] = 0;
  }
  return next;
}

void RuleFit::add_predictions(std::span<const double> weights, std::size_t first_word, std::size_t end_word,
                              double* out) const {
  // Some rows at a time, so that what is added to stays close.
  for (std::size_t word = first_word; word < end_word; word += words_at_once) {
    const std::size_t end = std::min(word + words_at_once, end_word);
    double* rows = out + (word - first_word) * rows_per_word;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (weights[m] != 0) gram_.terms().add_predictions(members_[m], weights[m], word, end, rows);
    }
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
