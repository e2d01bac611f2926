// From the margin, on which a model adds, to the response, which people read.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sightglass {

enum class Link : std::uint8_t {
  identity,
  logistic,        // 1 / (1 + exp(-scale · m)), each output on its own
  softmax,         // exp(m_k) / Σ exp(m)
  exponential,     // exp(m)
  signed_square,   // sign(m) · m²: LightGBM's reg_sqrt
  softplus,        // log(1 + exp(m)): LightGBM's cross_entropy_lambda
  step,            // 1 above zero, else 0: XGBoost's hinge
  negative_power,  // -2^-m: the score of an isolation forest
  variance,        // m, and exp(2·m) of the second output: CatBoost's mean with its variance
};

struct LinkFunction {
  Link link = Link::identity;
  double scale = 1;  // LightGBM's sigmoid; 2 for scikit-learn's exponential loss

  // One row's margins, `stride` apart, become responses. In float as the frameworks that compute in float do.
  void apply(double* margins, std::size_t outputs, std::size_t stride) const;
  void apply(float* margins, std::size_t outputs, std::size_t stride) const;
  // The same for many rows, each with its outputs side by side.
  void apply_all(double* margins, std::size_t rows, std::size_t outputs) const;
};

}  // namespace sightglass
