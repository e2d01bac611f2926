// Prototypes and criticisms by the maximum mean discrepancy between the rows and the prototypes,
//   MMD² = 1/m² Σ_z Σ_z' k(z, z') − 2/m Σ_z c(z) + mean_x c(x),   c(x) = mean over all rows of k(x, ·), weighted,
// with k(x, z) = exp(−γ d²). Each step takes the row that lowers it most: with m rows that is the largest
//   2 c(x)/m − (2 Σ_z k(x, z) + 1)/m²
// so that c and the sums over the prototypes so far are all that is needed. Criticisms are rows where
//   witness(x) = c(x) − 1/m Σ_z k(x, z)
// is far from 0 and which differ from one another: each step takes the largest |witness(x)| + log det K_CC gains.
// Kim, Khanna & Koyejo, Examples are not enough, learn to criticize!, NIPS 2016. Cost: half the pairs of rows for c,
// then rows × (prototypes + criticisms). c is found in float where rows are many; who might then be chosen is looked at
// again in double. Ties go to the lower row.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/prototypes/scaled_rows.h"

namespace sightglass {

// k of one point with all.
[[nodiscard]] std::vector<double> kernel_row(const ScaledRows& rows, std::size_t point, double gamma,
                                             const Context& context);

// c(x) of all points under one γ, some of them exact.
class KernelMean {
 public:
  // error: by how much a mean can be off, of `columns` columns and for this place in the sweep; 0: they are exact.
  KernelMean(const ScaledRows& rows, double gamma, std::vector<double> means, std::vector<double> errors);

  [[nodiscard]] double gamma() const { return gamma_; }
  [[nodiscard]] double operator[](std::size_t point) const { return means_[point]; }
  [[nodiscard]] double error(std::size_t point) const { return errors_.empty() ? 0 : errors_[point]; }
  // In double, for good.
  void settle(const std::vector<std::size_t>& points, const Context& context);
  // The mean over all pairs, after which it is as good as in double.
  void correct_pairs(const Context& context);
  // Over all pairs of rows; over pairs of different points.
  [[nodiscard]] double of_pairs() const { return pairs_; }
  [[nodiscard]] double of_different() const { return different_; }

 private:
  const ScaledRows& rows_;
  double gamma_;
  std::vector<double> means_, errors_;
  double pairs_ = 0, different_ = 1;
};

[[nodiscard]] KernelMean kernel_mean(const ScaledRows& rows, double gamma, const Context& context);
// Under γ / 3, γ and 3γ, which must be finite.
[[nodiscard]] std::vector<KernelMean> kernel_means(const ScaledRows& rows, double gamma, const Context& context);

struct Prototypes {
  std::vector<std::size_t> points;  // in the order in which they were chosen
  std::vector<double> discrepancy;  // MMD² with each and those before it
  std::vector<double> kernel_sums;  // per point: Σ_z k(x, z)
};
// At most `count`; fewer if there are no more points.
[[nodiscard]] Prototypes choose_prototypes(const ScaledRows& rows, KernelMean& mean, std::size_t count,
                                           const Context& context);
// MMD² of any points.
[[nodiscard]] double discrepancy_of(const ScaledRows& rows, KernelMean& mean, const std::vector<std::size_t>& points,
                                    const Context& context);

struct Criticisms {
  std::vector<std::size_t> points;
  std::vector<double> witness;
  std::vector<double> objective;  // Σ|witness| + log det K_CC with each and those before it
};
[[nodiscard]] Criticisms choose_criticisms(const ScaledRows& rows, KernelMean& mean, const Prototypes& prototypes,
                                           std::size_t count, const Context& context);

}  // namespace sightglass
