// Between which values the margins of a tree ensemble lie for all inputs of a box, proven, and inputs that come near.
//
// Inside a box each tree can only end in some of its leaves, so that the sum of the greatest of them bounds all margins
// there. Boxes are halved where that helps most, the most promising first (branch and bound), until the bound is
// reached by an input or so many boxes were looked at. What is proven holds either way, of exact sums: a framework that
// adds up in float32 may be off by what summation_error() says.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/model/trees/rows/feature_codes_internal.h"

namespace sightglass {

// Inputs by the codes that each slot may have.
class CodeBox {
 public:
  // All of them.
  explicit CodeBox(const FeatureCodes& codes);

  [[nodiscard]] bool allows(std::size_t slot, std::uint32_t code) const {
    return ((bits_[first_[slot] + code / 64] >> (code % 64)) & 1) != 0;
  }
  void forbid(std::size_t slot, std::uint32_t code) {
    bits_[first_[slot] + code / 64] &= ~(std::uint64_t{1} << (code % 64));
  }
  // Whether any code from `begin` to before `end` is allowed.
  [[nodiscard]] bool allows_any(std::size_t slot, std::uint32_t begin, std::uint32_t end) const;
  // The first one; the slot's number of codes if there is none.
  [[nodiscard]] std::uint32_t first_allowed(std::size_t slot, std::uint32_t codes) const;
  [[nodiscard]] std::size_t slots() const { return first_.size() - 1; }

 private:
  std::vector<std::uint64_t> bits_;
  std::vector<std::size_t> first_;  // word of each slot, and the end
};

struct MarginRange {
  double low = 0, high = 0;                          // no input of the box has a margin outside
  double least = 0, greatest = 0;                    // margins of the inputs below
  std::vector<std::uint32_t> at_least, at_greatest;  // a code per slot
  std::uint64_t explored = 0;                        // boxes
  [[nodiscard]] bool exact() const { return low == least && high == greatest; }
};

// Of one output; every slot of the box allows some code. limit: of the boxes that are looked at, for each side.
[[nodiscard]] MarginRange margin_range(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const CodeBox& box,
                                       std::size_t output, std::uint64_t limit, const Context& context);

}  // namespace sightglass
