#include <algorithm>
#include <cmath>

#include "sightglass/learn/linear/cholesky.h"
#include "sightglass/learn/rules/rule_fits_internal.h"

namespace sightglass {

namespace {

constexpr int most_rounds = 100, most_conjugate_steps = 50, most_halvings = 20;
constexpr std::size_t most_passes = 200;
constexpr double of_newton_step = 1e-2;     // its equations are solved to this share of their right side
constexpr double largest_curvature = 0.25;  // of log loss, anywhere
constexpr double not_looked_at = 1e200;     // a penalty that keeps terms at 0
constexpr double large_change = 30;         // of a margin

// A block of coefficients at a time, those of an output: the loss is bent by at most p (1 − p) of its rows, for which
// one number stands, so that the products of all outputs and steps are the same (Böhning 1992, Multinomial logistic
// regression algorithm). It is what the last step has met, and more where that was too little.
class LogisticFit final : public RuleFit {
 public:
  LogisticFit(const RuleGram& gram, const std::vector<double>& outcome, std::size_t outputs, std::size_t left_out)
      : RuleFit(gram, left_out),
        outcome_(outcome),
        margins_(outputs),
        coefficients_(outputs),
        looked_at_(outputs),
        intercepts_(outputs),
        curvatures_(outputs) {
    start();
    for (std::size_t t = 0; t < gram.size(); ++t) all_terms_.push_back(static_cast<std::uint32_t>(t));
    find_gradients();
    for (const auto& gradient : gradients_) {
      for (const double g : gradient) largest_penalty_ = std::max(largest_penalty_, std::abs(g));
    }
    last_penalty_ = largest_penalty_;
    rows_ = {};
  }

  std::vector<std::uint32_t> solve(double penalty, double accuracy) override {
    precise_ = accuracy <= to_the_last_digits;
    enough_ = accuracy * null_loss_;
    find_probabilities();
    for (auto& looked_at : looked_at_) std::fill(looked_at.begin(), looked_at.end(), 0);
    (void)look_at(close_to(penalty));
    settled_ = true;
    do {
      if (!members_.empty()) settled_ = rounds(penalty);
      find_gradients();
    } while (settled_ && look_at(penalty * (1 + 1e-9)));
    rows_ = {};
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
  }

  [[nodiscard]] bool settled() const override { return settled_; }
  [[nodiscard]] double largest_penalty() const override { return largest_penalty_; }
  [[nodiscard]] double loss() const override { return loss_; }
  [[nodiscard]] double held_out_loss() const override {
    double sum = 0;
    for (std::size_t i = first_held_out_; i < end_held_out_; ++i) sum += gram_.terms().rows.weights[i] * row_loss(i);
    return sum / gram_.weight_sums()[left_out_];
  }
  [[nodiscard]] RuleSolution solution() const override {
    RuleSolution solution{intercepts_, {}};
    for (const auto& coefficients : coefficients_)
      solution.weights.push_back(coefficients.empty() ? std::vector<TermWeight>{} : sparse(coefficients));
    return solution;
  }

 private:
  // What is known of rows, while a penalty is solved. Those that are held out, and those without weight, have share 0.
  struct Rows {
    std::vector<double> shares;                      // of the weight
    std::vector<std::vector<double>> probabilities;  // per output
    std::vector<double> residuals;                   // of an output, times shares
    std::vector<double> change, growth;              // of its margins; e^change − 1
  };

  void after_join() override {
    for (std::size_t k = 0; k < coefficients_.size(); ++k) {
      coefficients_[k].resize(problem_.terms);
      looked_at_[k].resize(problem_.terms);
    }
    problem_.target.assign(problem_.terms, 0.0);
    if (!descents_.empty() && descents_[0].coefficients().size() == problem_.terms) return;
    descents_.clear();
    for (std::size_t k = 0; k < margins_.size(); ++k) descents_.emplace_back(problem_);
  }

  // Members whose gradient is above a bound are looked at in that output; says whether any was not before.
  [[nodiscard]] bool look_at(double bound) {
    bool more = false;
    for (std::size_t k = 0; k < margins_.size(); ++k) {
      for (std::size_t m = 0; m < members_.size(); ++m) {
        if (looked_at_[k][m] != 0 || (coefficients_[k][m] == 0 && !(std::abs(gradients_[k][members_[m]]) > bound)))
          continue;
        looked_at_[k][m] = 1;
        more = true;
      }
    }
    return more;
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
    find_probabilities();
    null_loss_ = loss_;
  }

  [[nodiscard]] double is(std::size_t k, std::size_t i) const {
    return margins_.size() == 1 ? outcome_[i] : static_cast<double>(outcome_[i] == static_cast<double>(k));
  }

  // With the margin of one output changed.
  [[nodiscard]] double row_loss(std::size_t i, std::size_t output = 0, double change = 0) const {
    const auto margin = [&](std::size_t k) { return margins_[k][i] + (k == output ? change : 0); };
    if (margins_.size() == 1) {
      const double right = outcome_[i] > 0.5 ? margin(0) : -margin(0);
      return right > 0 ? std::log1p(std::exp(-right)) : std::log1p(std::exp(right)) - right;
    }
    double largest = margin(0), sum = 0;
    for (std::size_t k = 1; k < margins_.size(); ++k) largest = std::max(largest, margin(k));
    for (std::size_t k = 0; k < margins_.size(); ++k) sum += std::exp(margin(k) - largest);
    return std::log(sum) + largest - margin(static_cast<std::size_t>(outcome_[i]));
  }

  void find_row_probabilities(std::size_t i) {
    if (margins_.size() == 1) {
      rows_.probabilities[0][i] = 1 / (1 + std::exp(-margins_[0][i]));
      return;
    }
    double largest = margins_[0][i], sum = 0;
    for (const auto& margins : margins_) largest = std::max(largest, margins[i]);
    for (std::size_t k = 0; k < margins_.size(); ++k)
      sum += rows_.probabilities[k][i] = std::exp(margins_[k][i] - largest);
    for (auto& probabilities : rows_.probabilities) probabilities[i] /= sum;
  }

  void find_probabilities() {
    const std::vector<double>& weights = gram_.terms().rows.weights;
    const std::size_t size = outcome_.size();
    rows_ = {std::vector<double>(size), std::vector<std::vector<double>>(margins_.size(), std::vector<double>(size)),
             std::vector<double>(size), std::vector<double>(size), std::vector<double>(size)};
    loss_ = 0;
    for (std::size_t i = 0; i < size; ++i) {
      if (held_out(i) || weights[i] == 0) continue;
      rows_.shares[i] = weights[i] / weight_;
      find_row_probabilities(i);
      loss_ += rows_.shares[i] * row_loss(i);
    }
  }

  // Of the mean loss, negative, along centred terms; leaves residuals behind.
  std::vector<double> gradient(std::size_t k, std::span<const std::uint32_t> terms) {
    residual_mean_ = residual_square_ = mean_curvature_ = 0;
    for (std::size_t i = 0; i < outcome_.size(); ++i) {
      const double share = rows_.shares[i];
      if (share == 0) continue;
      const double p = rows_.probabilities[k][i], off = is(k, i) - p;
      rows_.residuals[i] = share * off;
      residual_mean_ += share * off;
      residual_square_ += share * off * off;
      mean_curvature_ += share * p * (1 - p);
    }
    std::vector<double> sums(terms.size());
    gram_.sums_without(left_out_, terms, rows_.residuals.data(), sums.data());
    for (std::size_t t = 0; t < terms.size(); ++t) sums[t] -= means_[terms[t]] * residual_mean_;
    return sums;
  }

  void find_gradients() {
    gradients_.resize(margins_.size());
    gradients_.back().assign(all_terms_.size(), 0);
    // Residuals of all classes have the sum 0, and so have gradients.
    for (std::size_t k = 0; k + 1 < margins_.size(); ++k) {
      gradients_[k] = gradient(k, all_terms_);
      add_row(gradients_[k].data(), -1, gradients_.back());
    }
    if (margins_.size() == 1) gradients_[0] = gradient(0, all_terms_);
  }

  [[nodiscard]] std::vector<double> times_products(std::span<const double> vector) const {
    std::vector<double> result(problem_.terms);
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (vector[m] != 0) add_row(problem_.products.data() + m * problem_.terms, vector[m], result);
    }
    return result;
  }
  static void add_row(const double* row, double factor, std::vector<double>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * row[i];
  }

  // Until little is left to gain; says whether that was reached.
  bool rounds(double penalty) {
    double last = 0;
    for (int round = 0; round < most_rounds; ++round) {
      double gained = 0;
      off_ = 0;
      for (std::size_t k = 0; k < margins_.size(); ++k) gained += step(k, penalty);
      if (precise_ && off_ <= last_digits_of_gradient * penalty) return true;
      if (precise_) newton_step(penalty);
      // Each round gains about the same share of what the last one did.
      if (last > 0) rate_ = std::clamp(gained / last, 0.1, 0.9);
      if (!precise_ && gained * rate_ / (1 - rate_) < 0.5 * enough_) return true;
      last = gained;
    }
    return !precise_;
  }

  // By how much the mean loss changes with the margins of an output, and how much it is bent along that change.
  struct Effect {
    double loss = 0, bend = 0;
  };
  Effect effect_of_change(std::size_t k) {
    const std::vector<double>& p = rows_.probabilities[k];
    Effect effect;
    for (std::size_t i = 0; i < outcome_.size(); ++i) {
      const double share = rows_.shares[i], change = rows_.change[i];
      if (share == 0) continue;
      effect.bend += share * p[i] * (1 - p[i]) * change * change;
      if (std::abs(change) > large_change) {
        effect.loss += share * (row_loss(i, k, change) - row_loss(i));
        continue;
      }
      rows_.growth[i] = std::expm1(change);
      effect.loss += share * (std::log1p(p[i] * rows_.growth[i]) - is(k, i) * change);
    }
    return effect;
  }

  void make_change(std::size_t k) {
    for (std::size_t i = 0; i < outcome_.size(); ++i) {
      margins_[k][i] += rows_.change[i];
      if (rows_.shares[i] == 0) continue;
      if (std::abs(rows_.change[i]) > large_change) {
        find_row_probabilities(i);
        continue;
      }
      const double divisor = 1 + rows_.probabilities[k][i] * rows_.growth[i];
      rows_.probabilities[k][i] *= 1 + rows_.growth[i];
      for (auto& probabilities : rows_.probabilities) probabilities[i] /= divisor;
    }
  }

  // One step of an output's coefficients; hands back by how much the penalised loss fell.
  double step(std::size_t k, double penalty) {
    std::vector<std::uint32_t> terms, places;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      problem_.penalty[m] = looked_at_[k][m] != 0 ? 1 : not_looked_at;
      if (looked_at_[k][m] == 0) continue;
      terms.push_back(members_[m]);
      places.push_back(static_cast<std::uint32_t>(m));
    }
    const std::vector<double> slope = gradient(k, terms), before = coefficients_[k];
    const std::vector<double> along = times_products(before);
    off_ = std::max(off_, std::abs(residual_mean_));
    for (std::size_t t = 0; t < terms.size(); ++t) {
      const double b = before[places[t]];
      off_ = std::max(off_, b != 0 ? std::abs(slope[t] - std::copysign(penalty, b)) : std::abs(slope[t]) - penalty);
    }
    CoordinateDescent& descent = descents_[k];
    // As curved as the last step has met; at first, as rows are on average.
    double curvature = std::clamp(curvatures_[k] > 0 ? curvatures_[k] : mean_curvature_, 1e-6, largest_curvature);
    for (;;) {
      double square = 0;  // of the working outcome, by which the gap is measured
      problem_.target = along;
      for (std::size_t t = 0; t < terms.size(); ++t) {
        const std::uint32_t m = places[t];
        problem_.target[m] += slope[t] / curvature;
        square += before[m] * along[m] + 2 * before[m] * slope[t] / curvature;
      }
      const double off_mean = residual_square_ - residual_mean_ * residual_mean_;
      problem_.target_square = square + off_mean / (curvature * curvature);
      descent.start_from(before);
      const Penalty scaled{.lambda = penalty / curvature, .l1_ratio = 1};
      if (precise_) {
        (void)descent.settle(scaled, 1e-18 * null_loss_ / curvature, most_passes);
      } else {
        (void)descent.solve(scaled, 0.05 * enough_ / curvature, most_passes);
      }

      std::vector<double> change = descent.coefficients();
      double intercept = residual_mean_ / curvature, expected = -residual_mean_ * residual_mean_ / (2 * curvature);
      double penalised = 0, size = intercept * intercept;  // of the change of margins, squared
      for (std::size_t m = 0; m < members_.size(); ++m) {
        penalised += std::abs(change[m]) - std::abs(before[m]);
        change[m] -= before[m];
      }
      const std::vector<double> bent = times_products(change);
      for (std::size_t t = 0; t < terms.size(); ++t) expected -= slope[t] * change[places[t]];
      for (const std::uint32_t m : places) size += change[m] * bent[m];
      expected += 0.5 * curvature * (size - intercept * intercept);
      for (const std::uint32_t m : places) intercept -= change[m] * means_[members_[m]];

      std::fill(rows_.change.begin(), rows_.change.end(), intercept);
      add_predictions(change, 0, gram_.terms().sets.words(), rows_.change.data());
      const Effect effect = effect_of_change(k);
      const double met = size > 0 ? effect.bend / size : curvature;
      if (effect.loss > expected + 1e-14 * null_loss_ && curvature < largest_curvature) {
        curvature = std::min(std::max(1.5 * curvature, met), largest_curvature);
        continue;
      }
      make_change(k);
      coefficients_[k] = descent.coefficients();
      intercepts_[k] += intercept;
      curvatures_[k] = std::clamp(met, 0.5 * curvature, 2 * curvature);
      loss_ += effect.loss;
      return -effect.loss - penalty * penalised;
    }
  }

  // Coefficients that are not 0, by their places among members, and the centred intercept behind them.
  struct Direction {
    std::vector<std::vector<double>> parts;  // per output
    [[nodiscard]] double dot(const Direction& other) const {
      double sum = 0;
      for (std::size_t k = 0; k < parts.size(); ++k) {
        for (std::size_t i = 0; i < parts[k].size(); ++i) sum += parts[k][i] * other.parts[k][i];
      }
      return sum;
    }
    void add(const Direction& other, double factor) {
      for (std::size_t k = 0; k < parts.size(); ++k) {
        for (std::size_t i = 0; i < parts[k].size(); ++i) parts[k][i] += factor * other.parts[k][i];
      }
    }
  };
  using Places = std::vector<std::vector<std::uint32_t>>;

  // The change of margins of all rows.
  [[nodiscard]] std::vector<std::vector<double>> margins_along(const Direction& direction, const Places& places) const {
    std::vector<std::vector<double>> margins;
    for (std::size_t k = 0; k < places.size(); ++k) {
      std::vector<double> weights(problem_.terms);
      double intercept = direction.parts[k].back();
      for (std::size_t i = 0; i < places[k].size(); ++i) {
        weights[places[k][i]] = direction.parts[k][i];
        intercept -= direction.parts[k][i] * means_[members_[places[k][i]]];
      }
      margins.emplace_back(outcome_.size(), intercept);
      add_predictions(weights, 0, gram_.terms().sets.words(), margins[k].data());
    }
    return margins;
  }

  // The second derivatives of the mean loss times a direction.
  [[nodiscard]] Direction bent_along(const Direction& direction, const Places& places) const {
    std::vector<std::vector<double>> rows = margins_along(direction, places);
    for (std::size_t i = 0; i < outcome_.size(); ++i) {
      double mean = 0;
      for (std::size_t k = 0; k < rows.size(); ++k) mean += rows_.probabilities[k][i] * rows[k][i];
      for (std::size_t k = 0; k < rows.size(); ++k)
        rows[k][i] = rows_.shares[i] * rows_.probabilities[k][i] * (rows[k][i] - mean);
    }
    Direction bent;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      double sum = 0;
      for (const double row : rows[k]) sum += row;
      std::vector<std::uint32_t> terms;
      for (const std::uint32_t m : places[k]) terms.push_back(members_[m]);
      bent.parts.emplace_back(terms.size() + 1, sum);
      gram_.sums_without(left_out_, terms, rows[k].data(), bent.parts[k].data());
      for (std::size_t i = 0; i < terms.size(); ++i) bent.parts[k][i] -= means_[terms[i]] * sum;
    }
    return bent;
  }

  // All coefficients that are not 0, with their signs, as Newton would move them: by conjugate gradients, which need no
  // weighted products, and few steps where the products of all rows show the way.
  void newton_step(double penalty) {
    const std::size_t outputs = margins_.size();
    Places places(outputs);
    std::vector<std::vector<double>> factors(outputs);
    std::vector<double> curvatures(outputs);
    Direction left;  // of the right side
    for (std::size_t k = 0; k < outputs; ++k) {
      std::vector<std::uint32_t> terms;
      for (std::uint32_t m = 0; m < members_.size(); ++m) {
        if (coefficients_[k][m] == 0) continue;
        places[k].push_back(m);
        terms.push_back(members_[m]);
      }
      const std::size_t size = terms.size();
      left.parts.push_back(gradient(k, terms));
      left.parts[k].push_back(residual_mean_);
      curvatures[k] = std::max(mean_curvature_, 1e-6);
      factors[k].resize(size * size);
      for (std::size_t i = 0; i < size; ++i) {
        left.parts[k][i] -= std::copysign(penalty, coefficients_[k][places[k][i]]);
        for (std::size_t j = 0; j < size; ++j)
          factors[k][i * size + j] = problem_.products[places[k][i] * problem_.terms + places[k][j]];
        factors[k][i * size + i] += 1e-6;  // of terms that follow from others
      }
      if (!cholesky(factors[k], size, 0).empty()) return;
    }
    const auto shown_way = [&](Direction direction) {
      for (std::size_t k = 0; k < outputs; ++k) {
        std::vector<double> terms(direction.parts[k].begin(), direction.parts[k].end() - 1);
        cholesky_solve(factors[k], terms.size(), terms);
        std::copy(terms.begin(), terms.end(), direction.parts[k].begin());
        for (double& part : direction.parts[k]) part /= curvatures[k];
      }
      return direction;
    };
    Direction found = left, way = shown_way(left), along = way;
    found.add(found, -1);
    double size = left.dot(way);
    const double enough = of_newton_step * of_newton_step * size;
    for (int i = 0; i < most_conjugate_steps && size > enough; ++i) {
      const Direction bent = bent_along(along, places);
      const double bend = along.dot(bent);
      if (!(bend > 0)) break;
      found.add(along, size / bend);
      left.add(bent, -size / bend);
      way = shown_way(left);
      const double next = left.dot(way);
      std::swap(along, way);
      along.add(way, next / size);
      size = next;
    }
    go_along(found, places, penalty);
  }

  // As far as the penalised loss falls; what would change its sign is 0.
  void go_along(const Direction& found, const Places& places, double penalty) {
    const auto coefficients = coefficients_, margins = margins_;
    const auto intercepts = intercepts_;
    const double loss = loss_;
    double part = 1;
    for (int halving = 0; halving < most_halvings; ++halving, part *= 0.5) {
      Direction change = found;
      double penalised = 0;
      for (std::size_t k = 0; k < margins_.size(); ++k) {
        for (double& c : change.parts[k]) c *= part;
        intercepts_[k] += change.parts[k].back();
        for (std::size_t i = 0; i < places[k].size(); ++i) {
          const std::uint32_t m = places[k][i];
          const double before = coefficients[k][m], moved = before + change.parts[k][i];
          coefficients_[k][m] = before * moved > 0 ? moved : 0;
          change.parts[k][i] = coefficients_[k][m] - before;
          intercepts_[k] -= change.parts[k][i] * means_[members_[m]];
          penalised += penalty * (std::abs(coefficients_[k][m]) - std::abs(before));
        }
      }
      const auto by = margins_along(change, places);
      for (std::size_t k = 0; k < margins_.size(); ++k) {
        for (std::size_t i = 0; i < by[k].size(); ++i) margins_[k][i] += by[k][i];
      }
      find_probabilities();
      if (loss_ + penalised <= loss + 1e-14 * null_loss_) return;
      coefficients_ = coefficients;
      margins_ = margins;
      intercepts_ = intercepts;
    }
    find_probabilities();
  }

  const std::vector<double>& outcome_;
  bool precise_ = false, settled_ = true;
  double enough_ = 0;                              // no more than this is to be left to gain
  double off_ = 0;                                 // how far a gradient is from where it has to be, at most
  double rate_ = 0.5;                              // what a round gains, as a share of what the one before did
  std::vector<std::vector<double>> margins_;       // per output and position
  std::vector<std::vector<double>> coefficients_;  // per output, of members
  std::vector<std::vector<std::uint8_t>> looked_at_;
  std::vector<CoordinateDescent> descents_;  // per output
  std::vector<double> intercepts_, curvatures_;
  Rows rows_;
  std::vector<std::uint32_t> all_terms_;
  double residual_mean_ = 0, residual_square_ = 0, mean_curvature_ = 0, largest_penalty_ = 0, loss_ = 0, null_loss_ = 0;
};

}  // namespace

std::unique_ptr<RuleFit> logistic_fit(const RuleGram& gram, const std::vector<double>& outcome, std::size_t outputs,
                                      std::size_t left_out) {
  return std::make_unique<LogisticFit>(gram, outcome, outputs, left_out);
}

}  // namespace sightglass
