#include "sightglass/methods/surrogates/fidelity/agreement.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sightglass/learn/training_fit.h"
#include "sightglass/numeric/exact_sum.h"

namespace sightglass {

namespace {

// Surrogates of single classes know nothing of one another: theirs are put between these bounds and made to add up.
constexpr double least_probability = 1e-6;
// Of a prediction: where a model says the same everywhere, no more than that may still be between them.
constexpr double rounding = 1e-11;

void probabilities_of(std::span<const double> answer, std::vector<double>& out) {
  out.assign(answer.begin(), answer.end());
  if (out.size() == 1) out.insert(out.begin(), 1 - out[0]);
  double sum = 0;
  for (double& each : out) sum += each = std::clamp(each, least_probability, 1 - least_probability);
  for (double& each : out) each /= sum;
}

}  // namespace

Agreement agreement(std::span<const double> model, std::span<const double> surrogate, std::span<const double> weights,
                    const RowList& rows) {
  ExactSum weight, sum;
  for (const std::size_t row : rows) {
    weight.add(weights[row]);
    sum.add(weights[row] * model[row]);
  }
  Agreement found;
  found.weight = weight.value();
  if (!(found.weight > 0)) return found;
  const double mean = sum.value() / found.weight;
  ExactSum residual, total;
  for (const std::size_t row : rows) {
    double error = model[row] - surrogate[row];
    const double off = model[row] - mean;
    if (std::abs(error) <= rounding * std::abs(model[row])) error = 0;
    residual.add(weights[row] * error * error);
    total.add(weights[row] * off * off);
  }
  found.mean_square = residual.value() / found.weight;
  found.variance = total.value() / found.weight;
  if (!(found.variance > 0)) {
    found.r2 = residual.value() > 0 ? 0 : 1;
    return found;
  }
  const double left = residual.value() / total.value();
  found.r2 = 1 - left;
  // Each row's influence on SSE / SST.
  ExactSum influence;
  for (const std::size_t row : rows) {
    const double error = model[row] - surrogate[row], off = model[row] - mean;
    const double each = weights[row] * (error * error - left * off * off) / found.variance;
    influence.add(each * each);
  }
  found.se = std::sqrt(influence.value()) / found.weight;
  return found;
}

ClassAgreement class_agreement(MatrixSpan<const double> model, MatrixSpan<const double> surrogate,
                               std::span<const double> weights, const RowList& rows, double even) {
  ExactSum weight, same, loss, entropy;
  std::vector<ExactSum> of_class(std::max<std::size_t>(2, model.columns()));
  std::vector<double> p, q;
  for (const std::size_t row : rows) {
    const double w = weights[row];
    const std::size_t named = most_probable_class(model.row(row), even);
    weight.add(w);
    of_class[named].add(w);
    if (most_probable_class(surrogate.row(row), even) == named) same.add(w);
    probabilities_of(model.row(row), p);
    probabilities_of(surrogate.row(row), q);
    for (std::size_t k = 0; k < p.size(); ++k) {
      loss.add(-w * p[k] * std::log(q[k]));
      entropy.add(-w * p[k] * std::log(p[k]));
    }
  }
  ClassAgreement found;
  found.weight = weight.value();
  if (!(found.weight > 0)) return found;
  found.share = same.value() / found.weight;
  for (const ExactSum& each : of_class) found.commonest = std::max(found.commonest, each.value() / found.weight);
  found.log_loss = loss.value() / found.weight;
  found.entropy = entropy.value() / found.weight;
  // Each row's influence on the share.
  ExactSum influence;
  for (const std::size_t row : rows) {
    const bool alike = most_probable_class(model.row(row), even) == most_probable_class(surrogate.row(row), even);
    const double off = weights[row] * ((alike ? 1.0 : 0.0) - found.share);
    influence.add(off * off);
  }
  found.se = std::sqrt(influence.value()) / found.weight;
  return found;
}

}  // namespace sightglass
