#include <algorithm>
#include <cmath>

#include "sightglass/learn/rules/rule_fits_internal.h"

namespace sightglass {

namespace {

constexpr int most_rounds = 100;
constexpr double largest_curvature = 0.25;  // of log loss, anywhere

class LogisticFit final : public RuleFit {
 public:
  LogisticFit(const RuleGram& gram, const std::vector<double>& outcome, std::size_t outputs, std::size_t left_out)
      : RuleFit(gram, left_out),
        outcome_(outcome),
        margins_(outputs),
        coefficients_(outputs),
        intercepts_(outputs),
        curvatures_(outputs),
        residuals_(outcome.size()) {
    start();
    for (std::size_t t = 0; t < gram.size(); ++t) all_terms_.push_back(static_cast<std::uint32_t>(t));
    for (std::size_t k = 0; k < outputs; ++k) {
      gradients_.push_back(gradient(k, all_terms_));
      for (const double g : gradients_[k]) largest_penalty_ = std::max(largest_penalty_, std::abs(g));
    }
    last_penalty_ = largest_penalty_;
  }

  std::vector<std::uint32_t> solve(double penalty, double accuracy) override {
    enough_ = 0.1 * accuracy * null_loss_;
    if (!members_.empty()) {
      for (int round = 0; round < most_rounds; ++round) {
        double gained = 0;
        for (std::size_t k = 0; k < margins_.size(); ++k) gained += step(k, penalty);
        if (gained < enough_) break;
      }
    }
    for (std::size_t k = 0; k < margins_.size(); ++k) gradients_[k] = gradient(k, all_terms_);
    return violators(penalty);
  }

  void start_along(const std::vector<std::vector<double>>& change) override {
    if (members_.empty()) return;
    for (std::size_t k = 0; k < margins_.size(); ++k) {
      const std::vector<double> next = moved(coefficients_[k], change[k]);
      std::vector<double> by = next;
      double intercept = 0;
      for (std::size_t m = 0; m < members_.size(); ++m) {
        by[m] -= coefficients_[k][m];
        intercept -= by[m] * means_[members_[m]];
      }
      for (double& margin : margins_[k]) margin += intercept;
      add_predictions(by, 0, gram_.terms().sets.words(), margins_[k].data());
      coefficients_[k] = next;
      intercepts_[k] += intercept;
    }
    loss_ = find_loss();
  }

  [[nodiscard]] double largest_penalty() const override { return largest_penalty_; }
  [[nodiscard]] double loss() const override { return loss_; }
  [[nodiscard]] double held_out_loss() const override {
    double sum = 0;
    for (std::size_t i = first_held_out_; i < end_held_out_; ++i) sum += row_loss(i);
    return sum / gram_.weight_sums()[left_out_];
  }
  [[nodiscard]] RuleSolution solution() const override {
    RuleSolution solution{intercepts_, {}};
    for (const auto& coefficients : coefficients_)
      solution.weights.push_back(coefficients.empty() ? std::vector<TermWeight>{} : sparse(coefficients));
    return solution;
  }

 private:
  void after_join() override {
    for (auto& coefficients : coefficients_) coefficients.resize(problem_.terms);
    problem_.target.assign(problem_.terms, 0.0);
    if (!descent_ || descent_->coefficients().size() < problem_.terms) descent_.emplace(problem_);
  }

  // Without terms: as frequent as the classes are. A class that a training set does not have is taken for very rare.
  void start() {
    const std::vector<double>& weights = gram_.terms().rows.weights;
    std::vector<double> shares(margins_.size());
    for (std::size_t i = 0; i < outcome_.size(); ++i) {
      if (held_out(i) || weights[i] == 0) continue;
      if (margins_.size() == 1) {
        shares[0] += weights[i] * outcome_[i];
      } else {
        shares[static_cast<std::size_t>(outcome_[i])] += weights[i];
      }
    }
    const double rare = 1e-3 / (weight_ + 1);
    for (std::size_t k = 0; k < margins_.size(); ++k) {
      const double share = std::clamp(shares[k] / weight_, rare, 1 - rare);
      intercepts_[k] = margins_.size() == 1 ? std::log(share / (1 - share)) : std::log(share);
      margins_[k].assign(outcome_.size(), intercepts_[k]);
    }
    loss_ = null_loss_ = find_loss();
  }

  [[nodiscard]] double probability(std::size_t k, std::size_t i) const {
    if (margins_.size() == 1) return 1 / (1 + std::exp(-margins_[0][i]));
    double largest = margins_[0][i], sum = 0;
    for (const auto& margins : margins_) largest = std::max(largest, margins[i]);
    for (const auto& margins : margins_) sum += std::exp(margins[i] - largest);
    return std::exp(margins_[k][i] - largest) / sum;
  }

  // Weighted.
  [[nodiscard]] double row_loss(std::size_t i) const {
    const double weight = gram_.terms().rows.weights[i];
    if (weight == 0) return 0;
    if (margins_.size() == 1) {
      const double margin = outcome_[i] > 0.5 ? margins_[0][i] : -margins_[0][i];
      return weight * (margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin);
    }
    double largest = margins_[0][i], sum = 0;
    for (const auto& margins : margins_) largest = std::max(largest, margins[i]);
    for (const auto& margins : margins_) sum += std::exp(margins[i] - largest);
    return weight * (std::log(sum) + largest - margins_[static_cast<std::size_t>(outcome_[i])][i]);
  }

  [[nodiscard]] double find_loss() const {
    double sum = 0;
    for (std::size_t i = 0; i < outcome_.size(); ++i) {
      if (!held_out(i)) sum += row_loss(i);
    }
    return sum / weight_;
  }

  // Of the mean loss, negative, along centred terms; leaves residuals behind.
  std::vector<double> gradient(std::size_t k, std::span<const std::uint32_t> terms) {
    const std::vector<double>& weights = gram_.terms().rows.weights;
    residual_mean_ = residual_square_ = mean_curvature_ = 0;
    for (std::size_t i = 0; i < outcome_.size(); ++i) {
      residuals_[i] = 0;
      if (held_out(i) || weights[i] == 0) continue;
      const double p = probability(k, i);
      const double is = margins_.size() == 1 ? outcome_[i] : static_cast<double>(outcome_[i] == static_cast<double>(k));
      const double share = weights[i] / weight_;
      residuals_[i] = share * (is - p);
      residual_mean_ += residuals_[i];
      residual_square_ += residuals_[i] * (is - p);
      mean_curvature_ += share * p * (1 - p);
    }
    std::vector<double> sums(terms.size());
    gram_.sums_without(left_out_, terms, residuals_.data(), sums.data());
    for (std::size_t t = 0; t < terms.size(); ++t) sums[t] -= means_[terms[t]] * residual_mean_;
    return sums;
  }

  [[nodiscard]] std::vector<double> times_products(std::span<const double> vector) const {
    std::vector<double> result(problem_.terms);
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (vector[m] == 0) continue;
      for (std::size_t other = 0; other < members_.size(); ++other)
        result[other] += vector[m] * problem_.products[m * problem_.terms + other];
    }
    return result;
  }

  // One step of an output's coefficients; hands back by how much the penalised loss fell.
  double step(std::size_t k, double penalty) {
    const std::size_t size = members_.size();
    const std::vector<double> slope = gradient(k, members_), before = coefficients_[k], margins = margins_[k];
    const std::vector<double> along = times_products(before);
    // As curved as rows are on average, unless the last step needed more.
    double curvature = std::clamp(std::max(mean_curvature_, curvatures_[k] / 2), 1e-6, largest_curvature);
    for (;; curvature = std::min(2 * curvature, largest_curvature)) {
      double square = 0;  // of the working outcome, by which the gap is measured
      for (std::size_t m = 0; m < size; ++m) {
        problem_.target[m] = slope[m] / curvature + along[m];
        square += before[m] * along[m] + 2 * before[m] * slope[m] / curvature;
      }
      const double off_mean = residual_square_ - residual_mean_ * residual_mean_;
      problem_.target_square = square + off_mean / (curvature * curvature);
      descent_->start_from(before);
      (void)descent_->solve({.lambda = penalty / curvature, .l1_ratio = 1}, 0.3 * enough_ / curvature);

      std::vector<double> change = descent_->coefficients();
      double intercept = residual_mean_ / curvature, expected = -residual_mean_ * residual_mean_ / (2 * curvature);
      double penalised = 0;
      for (std::size_t m = 0; m < size; ++m) {
        penalised += std::abs(change[m]) - std::abs(before[m]);
        change[m] -= before[m];
        intercept -= change[m] * means_[members_[m]];
        expected -= slope[m] * change[m];
      }
      const std::vector<double> bent = times_products(change);
      for (std::size_t m = 0; m < size; ++m) expected += 0.5 * curvature * change[m] * bent[m];

      for (double& margin : margins_[k]) margin += intercept;
      add_predictions(change, 0, gram_.terms().sets.words(), margins_[k].data());
      const double loss = find_loss();
      if (loss > loss_ + expected + 1e-9 && curvature < largest_curvature) {
        margins_[k] = margins;
        continue;
      }
      coefficients_[k] = descent_->coefficients();
      intercepts_[k] += intercept;
      curvatures_[k] = curvature;
      const double gained = loss_ - loss - penalty * penalised;
      loss_ = loss;
      return gained;
    }
  }

  const std::vector<double>& outcome_;
  double enough_ = 0;                              // a round that gains less is the last
  std::vector<std::vector<double>> margins_;       // per output and position
  std::vector<std::vector<double>> coefficients_;  // per output, of members
  std::vector<double> intercepts_, curvatures_;
  std::vector<double> residuals_;
  std::vector<std::uint32_t> all_terms_;
  double residual_mean_ = 0, residual_square_ = 0, mean_curvature_ = 0, largest_penalty_ = 0, loss_ = 0, null_loss_ = 0;
};

}  // namespace

std::unique_ptr<RuleFit> logistic_fit(const RuleGram& gram, const std::vector<double>& outcome, std::size_t outputs,
                                      std::size_t left_out) {
  return std::make_unique<LogisticFit>(gram, outcome, outputs, left_out);
}

}  // namespace sightglass
