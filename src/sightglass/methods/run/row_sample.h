// Some rows of the data, or all of them, in memory: for methods that need values from several rows at once.
// Drawn in a pass, so it works on streams and partitions: the rows with the smallest random numbers win.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct RowSample {
  std::vector<std::uint32_t> columns;       // of the schema
  std::vector<std::vector<double>> values;  // [column][row] as ColumnView::number: NaN = missing, levels are codes
  std::vector<std::uint64_t> ids;           // global row indices, ascending
  std::vector<double> weights;              // 1 where the data have none
  std::uint64_t available = 0;              // rows with weight that there were to draw from

  [[nodiscard]] std::size_t rows() const { return ids.size(); }
  [[nodiscard]] bool complete() const { return ids.size() == available; }
  // A column by its index in the schema; it must have been asked for.
  [[nodiscard]] const std::vector<double>& of(std::uint32_t column) const;
  // Where a global row index is; rows() if it was not drawn.
  [[nodiscard]] std::size_t find(std::uint64_t id) const;
};

// Draws at most `limit` rows (0 = all) without replacement; rows of weight zero count as not there. `stream`
// keeps different uses of one seed apart.
[[nodiscard]] Chain<RowSample> draw_rows(const MethodInput& input, std::vector<std::uint32_t> columns,
                                         std::uint64_t limit, std::uint64_t stream);

}  // namespace sightglass
