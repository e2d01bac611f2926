// Each row's own curve: what a tree ensemble predicts of it under many values of some features. Rows that go similar
// ways down the trees are taken together, 256 at a time, and what is known of these serves the curves along all
// features.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sightglass/methods/run/method.h"

namespace sightglass {

class ConditionSets;
class TreeVariants;

// The rows of one block.
class TreeCurves {
 public:
  static constexpr std::size_t tile_rows = 256;

  // Whether a loss may tell a prediction from its rounding: of trees that average probabilities an impossible class has
  // to stay at 0 exactly.
  [[nodiscard]] static bool last_digit_counts(const MethodInput& input);
  // Under so many variants at a time.
  [[nodiscard]] static bool possible(const MethodInput& input, std::size_t variants);
  // Variants that set the same columns, each to one value for all rows. Not whole where the ways down the trees are too
  // many to be kept.
  [[nodiscard]] static TreeVariants variants(const MethodInput& input, std::span<const Variant> variants,
                                             const Context& context);

  // Whether they are whole, and rows under them take no more memory than a thread may have.
  [[nodiscard]] static bool fit(const TreeVariants& variants);

  // The block must outlive this.
  TreeCurves(const MethodInput& input, const RowBlock& block, Context& context);
  ~TreeCurves();

  // The block's rows, tile by tile: all but the last have tile_rows.
  [[nodiscard]] const std::vector<std::uint32_t>& rows() const { return order_; }
  [[nodiscard]] std::size_t tiles() const { return (order_.size() + tile_rows - 1) / tile_rows; }

  // Some tiles, with what one thread needs.
  class Tiles {
   public:
    explicit Tiles(const TreeCurves& curves);
    ~Tiles();
    // So many of them from one on.
    void take(std::size_t first, std::size_t count);
    // Of one of these. own: the variant that each row is as it is.
    void find(std::size_t tile, const TreeVariants& variants, std::span<const std::uint32_t> own);
    // Whether any row's prediction may be another than under the variant before.
    [[nodiscard]] bool changes(std::size_t variant) const;
    // Its rows' predictions under one of these variants. Valid until the next call. Throws Error(prediction) if one is
    // not finite.
    [[nodiscard]] MatrixSpan<const double> predictions(std::size_t variant);

   private:
    struct Work;
    void check_finite(std::size_t outputs) const;

    const TreeCurves& curves_;
    std::size_t first_ = 0;  // tile of those that were taken
    std::size_t tile_ = 0, rows_ = 0;
    const TreeVariants* variants_ = nullptr;
    std::unique_ptr<Work> work_;
  };

 private:
  const TreeRows& trees_;
  const RowBlock& block_;
  Scale scale_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint16_t> codes_;                 // [row of the block × slots + slot]
  Matrix margins_;                                   // rows of the block × outputs
  std::unique_ptr<const ConditionSets> conditions_;  // of which each tile gets a copy
};

}  // namespace sightglass
