// What predictions do when rows are moved a step along one feature, for tree ensembles: only trees with a split between
// the two values can tell, and of these only the branches below it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "sightglass/methods/method.h"

namespace sightglass {

// The rows of one block.
class TreeMoves {
 public:
  // Whether a run is about a sum of trees: on the margin scale, or without a link.
  [[nodiscard]] static bool possible(const MethodInput& input);

  TreeMoves(const MethodInput& input, const RowBlock& block, const Context& context);
  ~TreeMoves();

  // Of some rows, ascending or not: the prediction with the column at `to` minus that with it at `from`, as
  // differences[output × stride + row]. Safe for concurrent calls.
  void find(std::uint32_t column, double from, double to, std::span<const std::uint32_t> rows, double* differences,
            std::size_t stride) const;

 private:
  struct Scratch;  // what one call needs, kept for others
  [[nodiscard]] std::unique_ptr<Scratch> take() const;

  const Context& context_;
  const TreeRows& trees_;
  std::vector<std::size_t> explained_;
  std::size_t rows_;
  std::vector<std::uint16_t> codes_;  // [row × slots + slot]
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Scratch>> kept_;
};

}  // namespace sightglass
