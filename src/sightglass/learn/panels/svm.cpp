#include "sightglass/learn/panels/svm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sightglass/base/each_processor.h"
#include "sightglass/numeric/plain_exp.h"

namespace sightglass {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t lanes = 8;
constexpr std::size_t check_every = 4096;

// exp(-γ |x - z|²) of one point and all others.
SIGHTGLASS_FOR_EACH_PROCESSOR
void radial_row(const float* x, const float* y, std::size_t size, float at_x, float at_y, float gamma, float* out) {
  for (std::size_t i = 0; i < size; ++i) {
    const float dx = x[i] - at_x, dy = y[i] - at_y;
    out[i] = plain_exp(-gamma * (dx * dx + dy * dy));
  }
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void linear_row(const float* x, const float* y, std::size_t size, float at_x, float at_y, float* out) {
  for (std::size_t i = 0; i < size; ++i) out[i] = x[i] * at_x + y[i] * at_y;
}

struct Place {
  double value;
  std::size_t index;
};

// Places are kept as doubles, so that they go in the same lanes as the values.
struct Lanes {
  std::array<double, lanes> value, index;

  explicit Lanes(double start) {
    value.fill(start);
    index.fill(0);
  }
  // The largest; of equal ones the first.
  [[nodiscard]] Place best() const {
    std::size_t best = 0;
    for (std::size_t k = 1; k < lanes; ++k) {
      if (value[k] > value[best] || (value[k] == value[best] && index[k] < index[best])) best = k;
    }
    return {value[best], static_cast<std::size_t>(index[best])};
  }
};

// Takes a step along two rows of the kernel and finds where the gradient is largest among those that may rise.
SIGHTGLASS_FOR_EACH_PROCESSOR
Place step_and_find(double* gradient, const float* row_i, const float* row_j, double step, const double* rising,
                    std::size_t size) {
  Lanes found(-infinite);
  for (std::size_t first = 0; first < size; first += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) {
      const std::size_t at = first + k;
      gradient[at] -= step * (static_cast<double>(row_i[at]) - static_cast<double>(row_j[at]));
      const double value = gradient[at] + rising[at];
      const bool better = value > found.value[k];
      found.value[k] = better ? value : found.value[k];
      found.index[k] = better ? static_cast<double>(static_cast<std::int32_t>(at)) : found.index[k];
    }
  }
  return found.best();
}

struct Partner {
  Place best;     // how much the pair gains, and who
  double lowest;  // gradient of those that may fall
};

// Whom to lower while point i rises: the one with which the objective gains most.
SIGHTGLASS_FOR_EACH_PROCESSOR
Partner find_partner(const double* gradient, const float* row_i, const float* diagonal, double of_i, double diagonal_i,
                     const double* falling, std::size_t size) {
  Lanes found(-infinite);
  std::array<double, lanes> lowest;
  lowest.fill(infinite);
  for (std::size_t first = 0; first < size; first += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) {
      const std::size_t at = first + k;
      const double own = gradient[at] + falling[at];
      lowest[k] = own < lowest[k] ? own : lowest[k];
      const double difference = of_i - own;
      double curvature = diagonal_i + static_cast<double>(diagonal[at]) - 2 * static_cast<double>(row_i[at]);
      curvature = curvature > 1e-12 ? curvature : 1e-12;
      const double gain = difference > 0 ? difference * difference / curvature : -1.0;
      const bool better = (gain > found.value[k]) & (own < infinite);
      found.value[k] = better ? gain : found.value[k];
      found.index[k] = better ? static_cast<double>(static_cast<std::int32_t>(at)) : found.index[k];
    }
  }
  return {found.best(), *std::min_element(lowest.begin(), lowest.end())};
}

// Rows of the kernel, made when they are asked for; the one that was not asked for longest makes room.
class KernelRows {
 public:
  KernelRows(std::vector<float> x, std::vector<float> y, const SvmKernel& kernel, std::size_t bytes)
      : x_(std::move(x)), y_(std::move(y)), kernel_(kernel), place_(x_.size(), nowhere), diagonal_(x_.size(), 1.0F) {
    const std::size_t fit = bytes / (sizeof(float) * x_.size());
    slots_.resize(std::clamp<std::size_t>(fit, 4, x_.size()));
    if (!kernel.linear) return;
    for (std::size_t i = 0; i < x_.size(); ++i) diagonal_[i] = x_[i] * x_[i] + y_[i] * y_[i];
  }

  // Stays until two others were asked for.
  const float* row(std::size_t i) {
    ++time_;
    if (place_[i] == nowhere) make(i);
    Slot& slot = slots_[place_[i]];
    slot.used = time_;
    return slot.values.data();
  }
  [[nodiscard]] const float* diagonal() const { return diagonal_.data(); }

 private:
  static constexpr std::size_t nowhere = SIZE_MAX;
  struct Slot {
    std::vector<float> values = {};
    std::size_t owner = nowhere;
    std::uint64_t used = 0;
  };

  void make(std::size_t i) {
    std::size_t place = filled_;
    if (filled_ < slots_.size()) {
      ++filled_;
      slots_[place].values.resize(x_.size());
    } else {
      place = static_cast<std::size_t>(
          std::min_element(slots_.begin(), slots_.end(), [](const Slot& a, const Slot& b) { return a.used < b.used; }) -
          slots_.begin());
      place_[slots_[place].owner] = nowhere;
    }
    Slot& slot = slots_[place];
    slot.owner = i;
    place_[i] = place;
    if (kernel_.linear) {
      linear_row(x_.data(), y_.data(), x_.size(), x_[i], y_[i], slot.values.data());
    } else {
      radial_row(x_.data(), y_.data(), x_.size(), x_[i], y_[i], static_cast<float>(kernel_.gamma), slot.values.data());
    }
  }

  std::vector<float> x_, y_;
  SvmKernel kernel_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> place_;
  std::vector<float> diagonal_;
  std::size_t filled_ = 0;
  std::uint64_t time_ = 0;
};

std::vector<float> padded(const SvmPoints& points, std::size_t coordinate, std::size_t size) {
  std::vector<float> numbers(size, 0.0F);
  if (coordinate >= points.coordinates.size()) return numbers;
  const auto from = points.coordinates[coordinate];
  for (std::size_t i = 0; i < from.size(); ++i) numbers[i] = static_cast<float>(from[i]);
  return numbers;
}

}  // namespace

SvmFit train_svm(const SvmPoints& points, const SvmKernel& kernel, const SvmLimits& limits, const Context& context) {
  const std::size_t rows = points.labels.size();
  // Points that may neither rise nor fall fill the last lanes.
  const std::size_t size = (rows + lanes - 1) / lanes * lanes;
  KernelRows kernel_rows(padded(points, 0, size), padded(points, 1, size), kernel, limits.cache_bytes);
  std::vector<double> beta(size, 0.0), gradient(size, 0.0), lowest(size, 0.0), highest(size, 0.0);
  // Added to a gradient: 0, or what keeps the point from being chosen.
  std::vector<double> rising(size, -infinite), falling(size, infinite);
  const auto bound = [&](std::size_t i) {
    rising[i] = beta[i] < highest[i] ? 0 : -infinite;
    falling[i] = beta[i] > lowest[i] ? 0 : infinite;
  };
  for (std::size_t i = 0; i < rows; ++i) {
    gradient[i] = points.labels[i];
    (points.labels[i] > 0 ? highest[i] : lowest[i]) = points.labels[i] * points.costs[i];
    bound(i);
  }

  const std::size_t most_steps = 10000 + 100 * rows;
  const float* diagonal = kernel_rows.diagonal();
  Place riser = step_and_find(gradient.data(), diagonal, diagonal, 0, rising.data(), size);
  Partner partner{{0, 0}, 0};
  for (std::size_t step = 0;; ++step) {
    if (step % check_every == 0) context.check();
    if (riser.value == -infinite) break;
    const std::size_t i = riser.index;
    const float* row_i = kernel_rows.row(i);
    partner = find_partner(gradient.data(), row_i, diagonal, riser.value, diagonal[i], falling.data(), size);
    if (!(riser.value - partner.lowest > limits.tolerance) || step == most_steps) break;
    const std::size_t j = partner.best.index;
    const double curvature = std::max(
        static_cast<double>(diagonal[i]) + static_cast<double>(diagonal[j]) - 2 * static_cast<double>(row_i[j]), 1e-12);
    double move = (riser.value - gradient[j]) / curvature;
    const double room_i = highest[i] - beta[i], room_j = beta[j] - lowest[j];
    move = std::min({move, room_i, room_j});
    // Exactly at a bound, whatever rounding says.
    beta[i] = move == room_i ? highest[i] : beta[i] + move;
    beta[j] = move == room_j ? lowest[j] : beta[j] - move;
    bound(i);
    bound(j);
    const float* row_j = kernel_rows.row(j);
    riser = step_and_find(gradient.data(), kernel_rows.row(i), row_j, move, rising.data(), size);
  }

  SvmFit fit;
  fit.gap = std::max(0.0, riser.value - partner.lowest);
  double sum = 0;
  std::size_t free = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    if (rising[i] == 0 && falling[i] == 0) {
      sum += gradient[i];
      ++free;
    }
  }
  fit.bias = free > 0 ? sum / static_cast<double>(free) : (riser.value + partner.lowest) / 2;
  if (!std::isfinite(fit.bias)) fit.bias = 0;
  fit.coefficients.assign(beta.begin(), beta.begin() + static_cast<std::ptrdiff_t>(rows));
  fit.decisions.resize(rows);
  for (std::size_t i = 0; i < rows; ++i) fit.decisions[i] = points.labels[i] - gradient[i] + fit.bias;
  return fit;
}

}  // namespace sightglass
