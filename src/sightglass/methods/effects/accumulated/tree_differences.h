// What predictions do when rows are moved a step along one feature, for tree ensembles: only trees with a split between
// the two values can tell, and of these only the branches below it. Behind a link it also takes the way from where a
// row is to where it is moved from.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "sightglass/methods/run/method.h"

namespace sightglass {

// The rows of one block.
class TreeDifferences {
 public:
  // Whether leaves are of like sizes, and behind a link outputs few.
  [[nodiscard]] static bool possible(const MethodInput& input);

  // The block must outlive this. most_bytes: of what one call finds, as far as a single value allows.
  TreeDifferences(const MethodInput& input, const RowBlock& block, Context& context,
                  std::size_t most_bytes = std::size_t{1} << 25);
  ~TreeDifferences();

  // Of some rows, ascending or not: the prediction with the column at `to` minus that with it at `from`, as
  // differences[output × stride + row]. Safe for concurrent calls.
  void find(std::uint32_t column, double from, double to, std::span<const std::uint32_t> rows, double* differences,
            std::size_t stride) const;

 private:
  struct Scratch;  // what one call needs, kept for others
  [[nodiscard]] std::unique_ptr<Scratch> take() const;
  [[nodiscard]] std::uint16_t code_of(std::uint32_t row, std::size_t slot) const { return codes_[row * slots_ + slot]; }
  struct Step {
    std::uint32_t column;
    std::size_t slot;
    double from, to;
  };
  void find_in_halves(const Step& step, std::uint16_t middle, std::span<const std::uint32_t> rows, double* differences,
                      std::size_t stride) const;
  void respond(std::span<const std::uint32_t> rows, std::vector<double>& margins) const;

  Context& context_;
  const TreeRows& trees_;
  const RowBlock& block_;
  std::vector<std::size_t> explained_;
  std::size_t slots_, most_bytes_;
  bool linked_;                       // whether predictions are behind a link
  std::vector<std::uint16_t> codes_;  // [row × slots + slot]
  Matrix margins_;                    // rows × outputs; behind a link only
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Scratch>> kept_;
};

}  // namespace sightglass
