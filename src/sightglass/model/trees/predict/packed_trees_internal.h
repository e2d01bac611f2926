// The trees of an ensemble laid out for prediction: siblings side by side, a leaf is its own left child, so
// that several rows walk down in lockstep without a branch per node.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "sightglass/model/trees/ensemble.h"

namespace sightglass {

// Rows that walk through one tree before the next tree's turn: few, so that their features stay in the cache, but
// more where the trees do not, so that each is fetched less often.
inline constexpr std::size_t least_tile_rows = 128;
inline constexpr std::size_t most_tile_rows = 1024;
// Rows in lockstep; a tile has a multiple.
inline constexpr std::size_t lane_rows = 8;

// The t' for which the framework's test equals value < t', where T is the type in which it compares.
template <class T>
[[nodiscard]] T less_than_threshold(Comparison comparison, double threshold) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  T rounded = static_cast<T>(threshold);
  if (comparison == Comparison::float32_less) return rounded;
  // value <= t: the largest T not above t is still left, the next one is right.
  if (static_cast<double>(rounded) > threshold) rounded = std::nextafter(rounded, -infinity);
  return std::nextafter(rounded, infinity);
}

// T is the type in which the framework compares: float or double.
template <class T>
class PackedTrees {
 public:
  // The parts must stay where they are.
  explicit PackedTrees(const TreeEnsemble::Parts& parts);

  // The features that any split looks at, ascending; a tile holds only these, column after column.
  [[nodiscard]] const std::vector<std::uint32_t>& used_features() const { return used_; }

  [[nodiscard]] std::size_t tile_rows() const { return tile_rows_; }

  // sums[output * tile_rows() + row] += leaf, tree by tree in their order; `rows` is rounded up to whole lanes,
  // so the tile and the sums must be readable there.
  template <class Sum>
  void add_leaves(const T* tile, std::size_t rows, Sum* sums) const {
    if (leaf_rows_.empty()) {
      walk(tile, rows, [&](const PackedTree& tree, std::size_t row, const std::uint32_t* at) {
        Sum* out = sums + tree.output * tile_rows_ + row;
        for (std::size_t k = 0; k < lane_rows; ++k) out[k] += static_cast<Sum>(leaves_[at[k]]);
      });
      return;
    }
    walk(tile, rows, [&](const PackedTree& /*tree*/, std::size_t row, const std::uint32_t* at) {
      for (std::size_t k = 0; k < lane_rows; ++k) {
        const double* values = parts_.leaf_values.data() + std::size_t{leaf_rows_[at[k]]} * outputs_;
        Sum* out = sums + row + k;
        for (std::size_t output = 0; output < outputs_; ++output, out += tile_rows_) {
          *out += static_cast<Sum>(values[output]);
        }
      }
    });
  }

 private:
  static constexpr std::uint32_t missing_right = 1U << 31;
  static constexpr std::uint32_t categorical = 1U << 30;
  static constexpr std::uint32_t members_left = 1U << 29;
  static constexpr std::uint32_t zero_missing = 1U << 28;
  static constexpr std::uint32_t offset_mask = zero_missing - 1;

  struct Node {
    T threshold;           // NaN in a leaf: no value is >= NaN, so every row stays
    std::uint32_t column;  // where the feature's values start in a tile, and the flags above
    std::uint32_t left;    // the right child follows it; a leaf points at itself
  };
  struct PackedTree {
    std::uint32_t root;
    std::uint32_t output;
    std::uint32_t depth;
    bool has_special_splits;  // by categories, or with zero as missing
  };

  // Calls visit(tree, row, leaves of the lane that starts there), tree by tree.
  template <class Visit>
  void walk(const T* tile, std::size_t rows, const Visit& visit) const {
    const std::size_t lanes = (rows + lane_rows - 1) / lane_rows * lane_rows;
    for (const PackedTree& tree : trees_) {
      for (std::size_t row = 0; row < lanes; row += lane_rows) {
        std::uint32_t at[lane_rows];
        std::fill(at, at + lane_rows, tree.root);
        if (tree.has_special_splits) {
          descend<true>(tree.depth, tile + row, at);
        } else {
          descend<false>(tree.depth, tile + row, at);
        }
        visit(tree, row, at);
      }
    }
  }

  [[nodiscard]] bool member(std::uint32_t node, T value) const {
    // A code is cut towards zero. XGBoost, which compares floats, knows no category below zero; to LightGBM,
    // which compares doubles, -0.5 is category 0.
    const bool category = std::is_same_v<T, float> ? value >= 0 : value > -1;
    if (!category || !(value < T{2147483648.0F})) return false;
    return parts_.category_sets[static_cast<std::size_t>(set_of_[node])].contains(static_cast<std::int64_t>(value));
  }

  template <bool has_special_splits>
  void descend(std::uint32_t depth, const T* tile, std::uint32_t* at) const {
    for (std::uint32_t level = 0; level < depth; ++level) {
      std::uint32_t moved = 0;
      for (std::size_t k = 0; k < lane_rows; ++k) {
        const Node& node = nodes_[at[k]];
        const T value = tile[(node.column & offset_mask) + k];
        // Not short-circuited: a branch here would be taken at random.
        std::uint32_t right = static_cast<std::uint32_t>(value >= node.threshold) |
                              (static_cast<std::uint32_t>(value != value) & (node.column >> 31));
        if constexpr (has_special_splits) {
          if ((node.column & categorical) != 0 && value == value) {
            right = member(at[k], value) != ((node.column & members_left) != 0) ? 1 : 0;
          }
          if ((node.column & zero_missing) != 0 && std::abs(static_cast<double>(value)) <= zero_threshold) {
            right = node.column >> 31;
          }
        }
        const std::uint32_t next = node.left + right;
        moved |= next ^ at[k];
        at[k] = next;
      }
      if (moved == 0) return;
    }
  }

  const TreeEnsemble::Parts& parts_;  // for category sets and vector leaves
  std::vector<Node> nodes_;
  std::vector<double> leaves_;            // per node; empty if the ensemble has vector leaves
  std::vector<std::uint32_t> leaf_rows_;  // per node: the row in leaf_values; empty if leaves hold one value
  std::size_t outputs_;
  std::size_t tile_rows_ = least_tile_rows;
  std::vector<std::int32_t> set_of_;  // per node; empty without categorical splits
  std::vector<PackedTree> trees_;
  std::vector<std::uint32_t> used_;
};

extern template class PackedTrees<float>;
extern template class PackedTrees<double>;

}  // namespace sightglass
