// Some rows of a block, in memory of their own; all of them where they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/data/source.h"

namespace sightglass {

class PickedBlock {
 public:
  // rows: positions in the block, ascending, at least one. The block must outlive this.
  PickedBlock(const RowBlock& block, std::span<const std::uint64_t> rows);
  PickedBlock(const PickedBlock&) = delete;  // its block refers to its own memory
  PickedBlock& operator=(const PickedBlock&) = delete;

  [[nodiscard]] const RowBlock& block() const { return block_; }

 private:
  std::vector<Column> owners_;
  std::vector<ColumnView> views_;
  std::vector<std::uint64_t> ids_;
  RowBlock block_;
};

}  // namespace sightglass
