#include "sightglass/model/link.h"

#include <algorithm>
#include <cmath>

namespace sightglass {

namespace {

template <class T>
T response(const LinkFunction& function, T margin) {
  switch (function.link) {
    case Link::logistic: return T{1} / (T{1} + std::exp(-static_cast<T>(function.scale) * margin));
    case Link::exponential: return std::exp(margin);
    case Link::signed_square: return std::copysign(margin * margin, margin);
    // exp overflows above 709, where log(1 + exp(m)) is m.
    case Link::softplus: return std::max(margin, T{0}) + std::log1p(std::exp(-std::abs(margin)));
    case Link::step: return margin > 0 ? T{1} : T{0};
    case Link::negative_power: return -std::exp2(-margin);
    case Link::identity:
    case Link::variance:
    case Link::softmax: break;
  }
  return margin;
}

template <class T>
void softmax(T* margins, std::size_t outputs, std::size_t stride) {
  T largest = margins[0];
  for (std::size_t k = 1; k < outputs; ++k) largest = std::max(largest, margins[k * stride]);
  double total = 0;
  for (std::size_t k = 0; k < outputs; ++k) {
    margins[k * stride] = std::exp(margins[k * stride] - largest);
    total += static_cast<double>(margins[k * stride]);
  }
  for (std::size_t k = 0; k < outputs; ++k) margins[k * stride] /= static_cast<T>(total);
}

template <class T>
void apply_to(const LinkFunction& function, T* margins, std::size_t outputs, std::size_t stride) {
  if (function.link == Link::identity) return;
  if (function.link == Link::softmax) return softmax(margins, outputs, stride);
  if (function.link == Link::variance) {
    if (outputs > 1) margins[stride] = std::exp(2 * margins[stride]);
    return;
  }
  for (std::size_t k = 0; k < outputs; ++k) margins[k * stride] = response(function, margins[k * stride]);
}

}  // namespace

void LinkFunction::apply(double* margins, std::size_t outputs, std::size_t stride) const {
  apply_to(*this, margins, outputs, stride);
}

void LinkFunction::apply(float* margins, std::size_t outputs, std::size_t stride) const {
  apply_to(*this, margins, outputs, stride);
}

void LinkFunction::apply_all(double* margins, std::size_t rows, std::size_t outputs) const {
  if (link == Link::identity) return;
  const bool each_by_itself = link != Link::softmax && link != Link::variance;
  if (each_by_itself) return apply_to(*this, margins, rows * outputs, 1);
  for (std::size_t row = 0; row < rows; ++row) apply_to(*this, margins + row * outputs, outputs, 1);
}

}  // namespace sightglass
