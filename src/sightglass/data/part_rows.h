// A part of data that lie elsewhere too: its rows keep the indices that they have in all the data, so that what is
// drawn for a row does not depend on how the data were cut.
#pragma once

#include "sightglass/data/source.h"

namespace sightglass {

class PartRows : public Source {
 public:
  // rows: counted from 0. first_row: the index of row 0 in all the data. The source must outlive this one.
  PartRows(const Source& rows, std::uint64_t first_row) : rows_(rows), first_row_(first_row) {}

  [[nodiscard]] const Schema& schema() const override { return rows_.schema(); }
  [[nodiscard]] std::unique_ptr<BlockStream> open(std::span<const std::uint32_t> columns,
                                                  std::size_t block_rows) const override {
    return std::make_unique<Stream>(rows_.open(columns, block_rows), first_row_);
  }
  [[nodiscard]] std::optional<std::uint64_t> row_count() const override { return rows_.row_count(); }
  [[nodiscard]] const std::vector<std::string>& notes() const override { return rows_.notes(); }
  [[nodiscard]] std::optional<std::uint32_t> weight_column() const override { return rows_.weight_column(); }

 private:
  class Stream : public BlockStream {
   public:
    Stream(std::unique_ptr<BlockStream> blocks, std::uint64_t first_row)
        : blocks_(std::move(blocks)), first_row_(first_row) {}
    [[nodiscard]] std::optional<RowBlock> next() override {
      auto block = blocks_->next();
      if (block) block->first_row += first_row_;
      return block;
    }

   private:
    std::unique_ptr<BlockStream> blocks_;
    std::uint64_t first_row_;
  };

  const Source& rows_;
  std::uint64_t first_row_;
};

}  // namespace sightglass
