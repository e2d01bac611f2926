#include "sightglass/learn/panels/svm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "sightglass/base/each_processor.h"
#include "sightglass/numeric/plain_exp.h"

namespace sightglass {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr std::size_t lanes = 8;
constexpr std::size_t check_every = 1 << 22;  // numbers that steps have gone through
constexpr std::size_t shrink_every = 1000;    // steps

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

void kernel_row(const SvmKernel& kernel, const std::vector<float>& x, const std::vector<float>& y, float at_x,
                float at_y, std::vector<float>& out) {
  if (kernel.linear) {
    linear_row(x.data(), y.data(), x.size(), at_x, at_y, out.data());
  } else {
    radial_row(x.data(), y.data(), x.size(), at_x, at_y, static_cast<float>(kernel.gamma), out.data());
  }
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

SIGHTGLASS_FOR_EACH_PROCESSOR
void add_row(const float* row, double factor, std::size_t size, double* sums) {
  for (std::size_t i = 0; i < size; ++i) sums[i] += factor * static_cast<double>(row[i]);
}

// Takes a step along two rows of the kernel and finds where the gradient is largest among those that may rise.
SIGHTGLASS_FOR_EACH_PROCESSOR
Place step_and_find(double* gradient, const float* row_i, const float* row_j, double step, const double* rising,
                    std::size_t size) {
  Lanes found(-unbounded);
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
  Lanes found(-unbounded);
  std::array<double, lanes> lowest;
  lowest.fill(unbounded);
  for (std::size_t first = 0; first < size; first += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) {
      const std::size_t at = first + k;
      const double own = gradient[at] + falling[at];
      lowest[k] = own < lowest[k] ? own : lowest[k];
      const double difference = of_i - own;
      double curvature = diagonal_i + static_cast<double>(diagonal[at]) - 2 * static_cast<double>(row_i[at]);
      curvature = curvature > 1e-12 ? curvature : 1e-12;
      const double gain = difference > 0 ? difference * difference / curvature : -1.0;
      const bool better = (gain > found.value[k]) & (own < unbounded);
      found.value[k] = better ? gain : found.value[k];
      found.index[k] = better ? static_cast<double>(static_cast<std::int32_t>(at)) : found.index[k];
    }
  }
  return {found.best(), *std::min_element(lowest.begin(), lowest.end())};
}

// Rows of the kernel, made when they are asked for; the one that was not asked for longest makes room.
class KernelRows {
 public:
  // Of points that fill their lanes. `room` is kept for whoever comes next.
  KernelRows(std::vector<float> x, std::vector<float> y, const SvmKernel& kernel, std::size_t bytes,
             std::vector<std::vector<float>>& room)
      : x_(std::move(x)),
        y_(std::move(y)),
        kernel_(kernel),
        room_(room),
        place_(x_.size(), nowhere),
        diagonal_(x_.size(), 1.0F) {
    const std::size_t fit = bytes / (sizeof(float) * x_.size());
    slots_.resize(std::clamp<std::size_t>(fit, 4, x_.size()));
    if (room_.size() < slots_.size()) room_.resize(slots_.size());
    if (!kernel.linear) return;
    for (std::size_t i = 0; i < x_.size(); ++i) diagonal_[i] = x_[i] * x_[i] + y_[i] * y_[i];
  }

  // Stays until two others were asked for.
  const float* row(std::size_t i) {
    ++time_;
    if (place_[i] == nowhere) make(i);
    slots_[place_[i]].used = time_;
    return room_[place_[i]].data();
  }
  [[nodiscard]] const float* diagonal() const { return diagonal_.data(); }

 private:
  static constexpr std::size_t nowhere = SIZE_MAX;
  struct Slot {
    std::size_t owner = nowhere;
    std::uint64_t used = 0;
  };

  void make(std::size_t i) {
    std::size_t place = filled_;
    if (filled_ < slots_.size()) {
      ++filled_;
      if (room_[place].size() < x_.size()) room_[place].resize(x_.size());
    } else {
      place = static_cast<std::size_t>(
          std::min_element(slots_.begin(), slots_.end(), [](const Slot& a, const Slot& b) { return a.used < b.used; }) -
          slots_.begin());
      place_[slots_[place].owner] = nowhere;
    }
    slots_[place].owner = i;
    place_[i] = place;
    kernel_row(kernel_, x_, y_, x_[i], y_[i], room_[place]);
  }

  std::vector<float> x_, y_;
  SvmKernel kernel_;
  std::vector<std::vector<float>>& room_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> place_;
  std::vector<float> diagonal_;
  std::size_t filled_ = 0;
  std::uint64_t time_ = 0;
};

// The dual problem and where its solution stands, of all points or of some of them.
struct Dual {
  std::vector<float> x, y;
  std::vector<double> beta, gradient, lowest, highest;

  explicit Dual(std::size_t size)
      : x(size, 0), y(size, 0), beta(size, 0), gradient(size, 0), lowest(size, 0), highest(size, 0) {}
  void copy(std::size_t to, const Dual& other, std::size_t from) {
    x[to] = other.x[from];
    y[to] = other.y[from];
    beta[to] = other.beta[from];
    gradient[to] = other.gradient[from];
    lowest[to] = other.lowest[from];
    highest[to] = other.highest[from];
  }
  [[nodiscard]] bool may_rise(std::size_t i) const { return beta[i] < highest[i]; }
  [[nodiscard]] bool may_fall(std::size_t i) const { return beta[i] > lowest[i]; }
};

Dual dual_of(const SvmPoints& points) {
  const std::size_t rows = points.labels.size();
  Dual dual(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    if (!points.coordinates.empty()) dual.x[i] = static_cast<float>(points.coordinates[0][i]);
    if (points.coordinates.size() > 1) dual.y[i] = static_cast<float>(points.coordinates[1][i]);
    dual.gradient[i] = points.labels[i];
    (points.labels[i] > 0 ? dual.highest[i] : dual.lowest[i]) = points.labels[i] * points.costs[i];
  }
  return dual;
}

// Points that may neither rise nor fall fill the last lanes.
std::size_t filled_lanes(std::size_t rows) { return (rows + lanes - 1) / lanes * lanes; }

Dual part_of(const Dual& all, const std::vector<std::uint32_t>& members) {
  Dual part(filled_lanes(members.size()));
  for (std::size_t i = 0; i < members.size(); ++i) part.copy(i, all, members[i]);
  return part;
}

// Steps on some of the points, while the others stay where they are.
class ActivePoints {
 public:
  ActivePoints(const Dual& all, std::vector<std::uint32_t> members, const SvmKernel& kernel, std::size_t cache_bytes,
               std::vector<std::vector<float>>& room)
      : members_(std::move(members)),
        dual_(part_of(all, members_)),
        rising_(dual_.beta.size(), -unbounded),
        falling_(dual_.beta.size(), unbounded),
        kernel_rows_(dual_.x, dual_.y, kernel, cache_bytes, room) {
    for (std::size_t i = 0; i < members_.size(); ++i) bound(i);
    find_riser(kernel_rows_.diagonal(), kernel_rows_.diagonal(), 0);
    find_partner_of_riser();
  }

  [[nodiscard]] const std::vector<std::uint32_t>& members() const { return members_; }
  [[nodiscard]] std::size_t size() const { return dual_.beta.size(); }
  // By how much the conditions of an optimum are violated.
  [[nodiscard]] double gap() const { return riser_.value - partner_.lowest; }
  [[nodiscard]] double middle() const { return (riser_.value + partner_.lowest) / 2; }

  // Raises one point and lowers another as far as the objective gains by it.
  void step() {
    const std::size_t i = riser_.index, j = partner_.best.index;
    const float *row_j = kernel_rows_.row(j), *row_i = kernel_rows_.row(i), *diagonal = kernel_rows_.diagonal();
    const double curvature = std::max(
        static_cast<double>(diagonal[i]) + static_cast<double>(diagonal[j]) - 2 * static_cast<double>(row_i[j]), 1e-12);
    const double room_i = dual_.highest[i] - dual_.beta[i], room_j = dual_.beta[j] - dual_.lowest[j];
    const double move = std::min({(riser_.value - dual_.gradient[j]) / curvature, room_i, room_j});
    // Exactly at a bound, whatever rounding says.
    dual_.beta[i] = move == room_i ? dual_.highest[i] : dual_.beta[i] + move;
    dual_.beta[j] = move == room_j ? dual_.lowest[j] : dual_.beta[j] - move;
    bound(i);
    bound(j);
    find_riser(row_i, row_j, move);
    find_partner_of_riser();
  }

  // Those that are at no bound, or at one that their gradient does not keep them at.
  [[nodiscard]] std::vector<std::uint32_t> undecided() const {
    std::vector<std::uint32_t> kept;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const bool stays_up = rising_[i] != 0 && dual_.gradient[i] > riser_.value;
      const bool stays_down = falling_[i] != 0 && dual_.gradient[i] < partner_.lowest;
      if (!stays_up && !stays_down) kept.push_back(members_[i]);
    }
    return kept;
  }

  void put_back(Dual& all) const {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      all.beta[members_[i]] = dual_.beta[i];
      all.gradient[members_[i]] = dual_.gradient[i];
    }
  }

 private:
  void bound(std::size_t i) {
    rising_[i] = dual_.may_rise(i) ? 0 : -unbounded;
    falling_[i] = dual_.may_fall(i) ? 0 : unbounded;
  }
  void find_riser(const float* row_i, const float* row_j, double move) {
    riser_ = step_and_find(dual_.gradient.data(), row_i, row_j, move, rising_.data(), size());
  }
  void find_partner_of_riser() {
    partner_ = {{0, 0}, unbounded};
    if (riser_.value == -unbounded) return;
    const float* diagonal = kernel_rows_.diagonal();
    partner_ = find_partner(dual_.gradient.data(), kernel_rows_.row(riser_.index), diagonal, riser_.value,
                            static_cast<double>(diagonal[riser_.index]), falling_.data(), size());
  }

  std::vector<std::uint32_t> members_;
  Dual dual_;
  // Added to a gradient: 0, or what keeps the point from being chosen.
  std::vector<double> rising_, falling_;
  KernelRows kernel_rows_;
  Place riser_{-unbounded, 0};
  Partner partner_{{0, 0}, unbounded};
};

// Gradients of points that were left alone while others moved, from scratch.
void renew_gradients(Dual& all, const std::vector<std::uint32_t>& moved, std::span<const double> labels,
                     const SvmKernel& kernel, const Context& context) {
  std::vector<char> fresh(labels.size(), 0);
  for (const std::uint32_t i : moved) fresh[i] = 1;
  std::vector<std::uint32_t> stale;
  std::vector<float> x, y;
  for (std::uint32_t i = 0; i < labels.size(); ++i) {
    if (fresh[i] != 0) continue;
    stale.push_back(i);
    x.push_back(all.x[i]);
    y.push_back(all.y[i]);
  }
  std::vector<float> row(stale.size());
  std::vector<double> sums(stale.size(), 0);
  std::size_t work = 0;
  for (std::size_t j = 0; j < labels.size(); ++j) {
    if (all.beta[j] == 0) continue;
    if ((work += row.size()) >= check_every) {
      context.check();
      work = 0;
    }
    kernel_row(kernel, x, y, all.x[j], all.y[j], row);
    add_row(row.data(), all.beta[j], row.size(), sums.data());
  }
  for (std::size_t k = 0; k < stale.size(); ++k) all.gradient[stale[k]] = labels[stale[k]] - sums[k];
}

SvmFit fit_of(const Dual& dual, std::span<const double> labels, double middle, double gap) {
  SvmFit fit;
  fit.gap = std::max(0.0, gap);
  double sum = 0;
  std::size_t free = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (!dual.may_rise(i) || !dual.may_fall(i)) continue;
    sum += dual.gradient[i];
    ++free;
  }
  fit.bias = free > 0 ? sum / static_cast<double>(free) : middle;
  if (!std::isfinite(fit.bias)) fit.bias = 0;
  fit.decisions.resize(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) fit.decisions[i] = labels[i] - dual.gradient[i] + fit.bias;
  fit.coefficients = dual.beta;
  return fit;
}

}  // namespace

SvmFit train_svm(const SvmPoints& points, const SvmKernel& kernel, const SvmLimits& limits, const Context& context) {
  const std::size_t rows = points.labels.size();
  if (rows == 0) return {};
  Dual dual = dual_of(points);
  std::vector<std::uint32_t> all(rows);
  std::iota(all.begin(), all.end(), 0);
  const std::size_t most_steps = limits.most_steps > 0 ? limits.most_steps : 10000 + 100 * rows;
  std::size_t steps = 0, work = check_every;
  std::vector<std::vector<float>> room;
  std::optional<ActivePoints> active(std::in_place, dual, all, kernel, limits.cache_bytes, room);
  while (true) {
    const std::size_t until = std::min(most_steps, steps + std::min(shrink_every, rows));
    for (; steps < until && active->gap() > limits.tolerance; ++steps) {
      if ((work += active->size()) >= check_every) {
        context.check();
        work = 0;
      }
      active->step();
    }
    const bool solved = !(active->gap() > limits.tolerance), whole = active->members().size() == rows;
    if (whole && (solved || steps == most_steps)) break;
    std::vector<std::uint32_t> next = all;
    if (!solved && steps < most_steps) {
      next = active->undecided();
      // Kernels of the points that are left have to be made again.
      if (next.size() * 10 > active->members().size() * 9) continue;
    }
    active->put_back(dual);
    if (next.size() == rows) renew_gradients(dual, active->members(), points.labels, kernel, context);
    active.emplace(dual, std::move(next), kernel, limits.cache_bytes, room);
  }
  active->put_back(dual);
  return fit_of(dual, points.labels, active->middle(), active->gap());
}

}  // namespace sightglass
