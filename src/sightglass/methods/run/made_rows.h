// Rows that a method makes up to ask the model about: neighbours of a row, mixtures of several.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/data/source.h"

namespace sightglass {

class MadeRows {
 public:
  // columns: of the data; those that the model is given (MethodInput::features) must be among them. values: as
  // RowSample has them, [column][row], at least one row: NaN = missing, levels are codes. The schema must outlive this.
  // Throws Error(internal) if the lengths differ.
  MadeRows(const Schema& schema, const std::vector<std::uint32_t>& columns,
           const std::vector<std::vector<double>>& values);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  // In the types of the data's columns, as if they had been read. Valid as long as this. Their row ids count from 0:
  // they are no rows of the data.
  [[nodiscard]] RowBlock block() const { return {.rows = rows_, .columns = views_, .made_up = true}; }

 private:
  std::size_t rows_ = 0;
  std::vector<Column> columns_;
  std::vector<ColumnView> views_;  // one for each of the schema
};

}  // namespace sightglass
