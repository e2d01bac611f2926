// The best split of one node along one feature.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "sightglass/learn/tree/grow.h"
#include "sightglass/learn/tree/impurity_sums.h"

namespace sightglass {

struct Split {
  double gain = 0;  // 0: there is none
  std::uint32_t feature = 0;
  // Left go rows whose code is below this one, or is one of these levels.
  std::uint32_t end_code = 0;
  double threshold = 0;
  std::vector<std::uint32_t> levels = {};
  bool missing_left = false;
};

// Of a node's outcome: the range that monotone constraints above it leave.
struct MeanRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

template <class Measure>
struct SearchedNode {
  typename Measure::Sums total;
  double disorder = 0;  // weight · impurity
  MeanRange range = {};

  // Gains below are rounding.
  [[nodiscard]] double tolerance() const { return 1e-10 * disorder; }
};

template <class Measure>
class SplitSearch {
 public:
  using Sums = typename Measure::Sums;
  using Node = SearchedNode<Measure>;

  SplitSearch(const Measure& measure, const GrowOptions& options) : measure_(measure), options_(options) {}

  [[nodiscard]] Split best(const SortedFeature& sorted, std::uint32_t feature, std::span<const SortedEntry> entries,
                           const Node& node) const {
    Split split = sorted.categorical ? best_subset(entries, node) : best_threshold(sorted, feature, entries, node);
    split.feature = feature;
    return split;
  }

 private:
  [[nodiscard]] Split best_threshold(const SortedFeature& sorted, std::uint32_t feature,
                                     std::span<const SortedEntry> entries, const Node& node) const {
    std::size_t present = entries.size();
    Sums missing = measure_.none();
    for (; present > 0 && entries[present - 1].code == missing_code; --present) {
      measure_.add(entries[present - 1].row, missing);
    }
    const std::size_t missing_rows = entries.size() - present;
    const Monotone direction = options_.monotone.empty() ? Monotone::free : options_.monotone[feature];

    Split best;
    double to_beat = node.tolerance();
    const auto take_if_better = [&](const Sums& left, std::size_t rows, auto&& describe) {
      if (rows < options_.min_leaf_rows || entries.size() - rows < options_.min_leaf_rows) return;
      const double gain = measure_.gain(left, node.total);
      if (!(gain > to_beat) || !allowed(left, node, direction)) return;
      best.gain = gain;
      to_beat = gain + node.tolerance();
      describe();
    };
    const auto try_thresholds = [&](Sums left, std::size_t rows, bool missing_left) {
      for (std::size_t i = 0; i + 1 < present; ++i) {
        measure_.add(entries[i].row, left);
        if (entries[i].code == entries[i + 1].code) continue;
        take_if_better(left, rows + i + 1, [&] {
          best.end_code = entries[i + 1].code;
          best.threshold = threshold_between(sorted.values[entries[i].code], sorted.values[entries[i + 1].code]);
          best.missing_left = missing_rows > 0 ? missing_left : 2 * left.weight > node.total.weight;
        });
      }
    };
    try_thresholds(measure_.none(), 0, false);
    if (missing_rows > 0 && present > 0) {
      try_thresholds(missing, missing_rows, true);
      take_if_better(missing, missing_rows, [&] {
        best.end_code = 0;
        best.threshold = -std::numeric_limits<double>::infinity();
        best.missing_left = true;
      });
    }
    return best;
  }

  // Levels (missing values are one more) are cut in the order of their positions. The lighter part goes left, so that
  // levels that the node has not seen go with the heavier one.
  [[nodiscard]] Split best_subset(std::span<const SortedEntry> entries, const Node& node) const {
    std::vector<Sums> sums;
    std::vector<std::uint32_t> codes;
    std::vector<std::size_t> rows;
    for (const SortedEntry& entry : entries) {
      if (codes.empty() || codes.back() != entry.code) {
        sums.push_back(measure_.none());
        codes.push_back(entry.code);
        rows.push_back(0);
      }
      measure_.add(entry.row, sums.back());
      ++rows.back();
    }
    Split best;
    if (codes.size() < 2) return best;
    double best_weight = 0, to_beat = node.tolerance();
    const auto is_better = [&](const Sums& left, std::size_t left_rows) {
      if (left_rows < options_.min_leaf_rows || entries.size() - left_rows < options_.min_leaf_rows) return false;
      const double gain = measure_.gain(left, node.total);
      if (!(gain > to_beat)) return false;
      best.gain = gain;
      to_beat = gain + node.tolerance();
      best_weight = left.weight;
      return true;
    };
    std::vector<bool> in_part(codes.size());
    if (!Measure::ordered && codes.size() <= few_levels) {
      // No order of several classes' levels is sure to hold the best group: all are tried, without their complements.
      for (std::size_t members = 1; members < std::size_t{1} << (codes.size() - 1); ++members) {
        Sums left = measure_.none();
        std::size_t left_rows = 0;
        for (std::size_t i = 0; i < codes.size(); ++i) {
          if ((members >> i & 1) == 0) continue;
          left.add(sums[i]);
          left_rows += rows[i];
        }
        if (!is_better(left, left_rows)) continue;
        for (std::size_t i = 0; i < codes.size(); ++i) in_part[i] = (members >> i & 1) != 0;
      }
    } else {
      const std::vector<double> positions = level_positions(sums);
      std::vector<std::size_t> order(codes.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return positions[a] < positions[b]; });
      Sums left = measure_.none();
      std::size_t left_rows = 0, best_cut = 0;
      for (std::size_t cut = 1; cut < order.size(); ++cut) {
        left.add(sums[order[cut - 1]]);
        left_rows += rows[order[cut - 1]];
        if (is_better(left, left_rows)) best_cut = cut;
      }
      for (std::size_t i = 0; i < best_cut; ++i) in_part[order[i]] = true;
    }
    if (best.gain == 0) return best;
    const bool first_part = 2 * best_weight <= node.total.weight;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (in_part[i] != first_part) continue;
      const std::uint32_t code = codes[i];
      if (code == missing_code) {
        best.missing_left = true;
      } else {
        best.levels.push_back(code);
      }
    }
    std::sort(best.levels.begin(), best.levels.end());
    return best;
  }

  // Along a constrained feature both sides stand in the right order, and within what constraints above leave.
  [[nodiscard]] bool allowed(const Sums& left, const Node& node, Monotone direction) const {
    if constexpr (Measure::ordered) {
      if (direction == Monotone::free) return true;
      const double on_left = left.mean();
      const double on_right = (node.total.sum - left.sum) / (node.total.weight - left.weight);
      const auto inside = [&](double value) { return value >= node.range.low && value <= node.range.high; };
      return inside(on_left) && inside(on_right) && static_cast<double>(direction) * (on_right - on_left) >= 0;
    } else {
      return true;
    }
  }

  static constexpr std::size_t few_levels = 8;  // 127 groups

  const Measure& measure_;
  const GrowOptions& options_;
};

}  // namespace sightglass
