#include "sightglass/learn/additive/pieces.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/base/each_processor.h"
#include "sightglass/base/random.h"

namespace sightglass::additive {

namespace {

// Levels with few rows are ordered as if they had so many more of no effect.
constexpr double order_smoothing = 10;

struct CutRange {
  const double *gradient, *curvature, *weight;  // running sums
  std::size_t begin, end;                       // of the bins
  std::size_t first, last;                      // of the cuts
  double least_weight, low, high, least_rise;
};

// What is gained by cuts before some bins; -1 where it is not allowed.
SIGHTGLASS_FOR_EACH_PROCESSOR
void cut_gains(const CutRange& range, double* __restrict gains) {
  const double *gradient = range.gradient, *curvature = range.curvature, *weight = range.weight;
  const double gradient_0 = gradient[range.begin], gradient_1 = gradient[range.end];
  const double curvature_0 = curvature[range.begin], curvature_1 = curvature[range.end];
  const double weight_0 = weight[range.begin], weight_1 = weight[range.end];
  const double least = range.least_weight, low = range.low, high = range.high, rise = range.least_rise;
  for (std::size_t at = range.first; at < range.last; ++at) {
    const double left = gradient[at] - gradient_0, right = gradient_1 - gradient[at];
    const double left_value = left / (curvature[at] - curvature_0), right_value = right / (curvature_1 - curvature[at]);
    const bool allowed = (weight[at] - weight_0 >= least) & (weight_1 - weight[at] >= least) & (left_value >= low) &
                         (right_value <= high) & (right_value - left_value >= rise);
    gains[at] = allowed ? left * left_value + right * right_value : -1.0;
  }
}

}  // namespace

double PieceFinder::Line::value(std::size_t begin, std::size_t end) const {
  const double sum = curvature[end] - curvature[begin];
  return sum > 0 ? (gradient[end] - gradient[begin]) / sum : 0;
}

double PieceFinder::Line::gain(std::size_t begin, std::size_t end) const {
  return (gradient[end] - gradient[begin]) * value(begin, end);
}

void PieceFinder::lay_out(const double* gradient, const double* curvature, const double* weight, std::size_t bins,
                          BinOrder order) {
  Line& line = line_;
  line.order.resize(bins);
  std::iota(line.order.begin(), line.order.end(), std::size_t{0});
  if (order == BinOrder::levels) {
    gains_.resize(bins);
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const double mean_curvature = weight[bin] > 0 ? curvature[bin] / weight[bin] : 1;
      gains_[bin] = gradient[bin] / (curvature[bin] + order_smoothing * mean_curvature);
    }
    std::stable_sort(line.order.begin(), line.order.end(), [&](auto a, auto b) { return gains_[a] < gains_[b]; });
  }
  for (auto* sums : {&line.gradient, &line.curvature, &line.weight}) {
    sums->resize(bins + 1);
    sums->front() = 0;
  }
  for (std::size_t i = 0; i < bins; ++i) {
    const std::size_t bin = line.order[i];
    line.gradient[i + 1] = line.gradient[i] + gradient[bin];
    line.curvature[i + 1] = line.curvature[i] + curvature[bin];
    line.weight[i + 1] = line.weight[i] + weight[bin];
  }
}

PieceFinder::Cut PieceFinder::best_cut(std::size_t begin, std::size_t end, const Bounds& bounds) {
  Cut best;
  if (end - begin < 2) return best;
  gains_.resize(std::max(gains_.size(), end));
  const std::size_t first = at_random_ ? draw_cut(begin, end) : begin + 1;
  const std::size_t last = at_random_ ? first + 1 : end;
  cut_gains({.gradient = line_.gradient.data(),
             .curvature = line_.curvature.data(),
             .weight = line_.weight.data(),
             .begin = begin,
             .end = end,
             .first = first,
             .last = last,
             .least_weight = rules_.least_weight,
             .low = bounds.low,
             .high = bounds.high,
             .least_rise = bounds.rising ? 0 : -std::numeric_limits<double>::infinity()},
            gains_.data());
  for (std::size_t at = first; at < last; ++at) {
    if (gains_[at] > best.gain) best = {at, gains_[at]};
  }
  best.gain -= line_.gain(begin, end);
  return best;
}

double PieceFinder::draw() {
  return static_cast<double>(random_bits(rules_.seed, rules_.stream, drawn_++) >> 11U) * 0x1p-53;
}

std::size_t PieceFinder::draw_cut(std::size_t begin, std::size_t end) {
  const double* weights = line_.weight.data();
  const double below = weights[begin] + draw() * (weights[end] - weights[begin]);
  const auto cut = std::lower_bound(weights + begin + 1, weights + end - 1, below) - weights;
  return static_cast<std::size_t>(cut);
}

float PieceFinder::newton_step(double value) const {
  return static_cast<float>(rules_.learning_rate * std::clamp(value, -rules_.largest_step, rules_.largest_step));
}

bool PieceFinder::along_one(const BinSums& sums, BinOrder order, Monotone direction, std::span<float> step) {
  const bool falling = direction == Monotone::decreasing;
  const double* gradient = sums.gradient.data();
  if (falling) {  // the same with everything upside down
    turned_.gradient.resize(sums.size());
    std::transform(sums.gradient.begin(), sums.gradient.end(), turned_.gradient.begin(), std::negate<>());
    gradient = turned_.gradient.data();
  }
  const std::size_t missing = sums.size() - 1, bins = order == BinOrder::levels ? sums.size() : missing;
  lay_out(gradient, sums.curvature.data(), sums.weight.data(), bins, order);

  // Each leaf is cut where most is gained, the best one first.
  struct Leaf {
    std::size_t begin, end;
    Bounds bounds;
    Cut cut;
  };
  const Bounds anything{.rising = direction != Monotone::free};
  std::vector<Leaf> leaves;
  leaves.reserve(rules_.leaves);
  leaves.push_back({0, bins, anything, best_cut(0, bins, anything)});
  while (leaves.size() < rules_.leaves) {
    const auto best = std::max_element(leaves.begin(), leaves.end(),
                                       [](const Leaf& a, const Leaf& b) { return a.cut.gain < b.cut.gain; });
    if (best->cut.at == 0 || best->cut.gain <= 0) break;
    Leaf left = *best, right = *best;
    left.end = right.begin = best->cut.at;
    if (anything.rising) {
      // Leaves keep their order if none passes the middle between the two values.
      const double middle = (line_.value(left.begin, left.end) + line_.value(right.begin, right.end)) / 2;
      left.bounds.high = right.bounds.low = middle;
    }
    left.cut = best_cut(left.begin, left.end, left.bounds);
    right.cut = best_cut(right.begin, right.end, right.bounds);
    *best = left;
    leaves.push_back(right);
  }
  const bool own_leaf = bins == missing && sums.weight[missing] >= rules_.least_weight;
  if (leaves.size() == 1 && !own_leaf) return false;

  for (const Leaf& leaf : leaves) {
    const double value = line_.value(leaf.begin, leaf.end);
    const float one = newton_step(falling ? -value : value);
    for (std::size_t i = leaf.begin; i < leaf.end; ++i) step[line_.order[i]] = one;
  }
  if (bins == missing) step[missing] = own_leaf ? newton_step(sums.gradient[missing] / sums.curvature[missing]) : 0.0F;
  return true;
}

// The best cut of one side: what its leaves gain; their steps, where they are wanted.
double PieceFinder::cut_side(const BinSums& side, BinOrder order, std::vector<float>* step) {
  const std::size_t bins = side.size();
  lay_out(side.gradient.data(), side.curvature.data(), side.weight.data(), bins, order);
  if (line_.weight[bins] < rules_.least_weight) return -1;
  const Cut cut = best_cut(0, bins, {});
  const std::size_t at = cut.at > 0 && cut.gain > 0 ? cut.at : bins;
  if (step != nullptr) {
    step->resize(bins);
    const float left = newton_step(line_.value(0, at)), right = newton_step(line_.value(at, bins));
    for (std::size_t i = 0; i < bins; ++i) (*step)[line_.order[i]] = i < at ? left : right;
  }
  return line_.gain(0, bins) + (at < bins ? cut.gain : 0);
}

void PieceFinder::best_first_cut(const BinSums& sums, BinOrder first, BinOrder second, std::size_t second_bins,
                                 bool swapped, FirstCut& best) {
  const std::size_t first_bins = sums.size() / second_bins;
  total_ = BinSums(second_bins);
  near_ = BinSums(second_bins);
  far_ = BinSums(second_bins);
  const auto add = [&](BinSums& to, std::size_t bin) {
    for (std::size_t b = 0; b < second_bins; ++b) {
      to.gradient[b] += sums.gradient[bin * second_bins + b];
      to.curvature[b] += sums.curvature[bin * second_bins + b];
      to.weight[b] += sums.weight[bin * second_bins + b];
    }
  };
  for (std::size_t bin = 0; bin < first_bins; ++bin) add(total_, bin);
  const std::size_t only = static_cast<std::size_t>(at_random_ ? draw() * static_cast<double>(first_bins) : 0);
  for (std::size_t bin = 0; bin < first_bins; ++bin) {
    if (first == BinOrder::levels) near_ = BinSums(second_bins);
    add(near_, bin);
    if (at_random_ && bin != only) continue;
    for (std::size_t b = 0; b < second_bins; ++b) {
      far_.gradient[b] = total_.gradient[b] - near_.gradient[b];
      far_.curvature[b] = total_.curvature[b] - near_.curvature[b];
      far_.weight[b] = total_.weight[b] - near_.weight[b];
    }
    const double near_gain = cut_side(near_, second, nullptr);
    const double far_gain = near_gain < 0 ? -1 : cut_side(far_, second, nullptr);
    if (far_gain >= 0 && near_gain + far_gain > best.gain) best = {near_gain + far_gain, swapped, bin};
  }
}

bool PieceFinder::along_two(const BinSums& sums, BinOrder first, BinOrder second, std::size_t second_bins,
                            std::span<float> step) {
  const std::size_t first_bins = sums.size() / second_bins;
  BinSums swapped(sums.size());
  for (std::size_t a = 0; a < first_bins; ++a) {
    for (std::size_t b = 0; b < second_bins; ++b) {
      swapped.gradient[b * first_bins + a] = sums.gradient[a * second_bins + b];
      swapped.curvature[b * first_bins + a] = sums.curvature[a * second_bins + b];
      swapped.weight[b * first_bins + a] = sums.weight[a * second_bins + b];
    }
  }
  FirstCut best;
  best_first_cut(sums, first, second, second_bins, false, best);
  best_first_cut(swapped, second, first, first_bins, true, best);
  if (best.gain <= 0) return false;

  const BinSums& cut = best.swapped ? swapped : sums;
  const BinOrder cut_order = best.swapped ? second : first, other_order = best.swapped ? first : second;
  const std::size_t width = best.swapped ? first_bins : second_bins, height = cut.size() / width;
  const auto is_near = [&](std::size_t bin) { return cut_order == BinOrder::levels ? bin == best.at : bin <= best.at; };
  near_ = BinSums(width);
  far_ = BinSums(width);
  for (std::size_t bin = 0; bin < height; ++bin) {
    BinSums& side = is_near(bin) ? near_ : far_;
    for (std::size_t b = 0; b < width; ++b) {
      side.gradient[b] += cut.gradient[bin * width + b];
      side.curvature[b] += cut.curvature[bin * width + b];
      side.weight[b] += cut.weight[bin * width + b];
    }
  }
  std::vector<float> near_step, far_step;
  cut_side(near_, other_order, &near_step);
  cut_side(far_, other_order, &far_step);
  for (std::size_t bin = 0; bin < height; ++bin) {
    const std::vector<float>& side = is_near(bin) ? near_step : far_step;
    for (std::size_t b = 0; b < width; ++b) step[best.swapped ? b * second_bins + bin : bin * width + b] = side[b];
  }
  return true;
}

}  // namespace sightglass::additive
