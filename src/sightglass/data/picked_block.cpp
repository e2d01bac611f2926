#include "sightglass/data/picked_block.h"

namespace sightglass {

PickedBlock::PickedBlock(const RowBlock& block, std::span<const std::uint64_t> rows) : block_(block) {
  if (rows.size() == block.rows) return;
  views_.resize(block.columns.size());
  for (std::size_t column = 0; column < views_.size(); ++column) {
    if (block.columns[column].data == nullptr) continue;  // was not asked for
    owners_.push_back(gather(block.columns[column], rows));
    views_[column] = owners_.back().view;
  }
  for (const std::uint64_t row : rows) ids_.push_back(block.row_id(row));
  block_ = {.first_row = ids_.front(), .rows = rows.size(), .columns = views_, .row_ids = ids_};
  if (block.weights.size == 0) return;
  owners_.push_back(gather(block.weights, rows));
  block_.weights = owners_.back().view;
}

}  // namespace sightglass
