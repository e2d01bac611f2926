// Rows of the data as a bound tree ensemble sees them: the way into the exact engine.
#pragma once

#include <cstdint>
#include <optional>

#include "sightglass/base/context.h"
#include "sightglass/base/matrix.h"
#include "sightglass/data/source.h"
#include "sightglass/model/trees/ensemble.h"

namespace sightglass {

class FeatureCodes;
class LeafAmounts;
class TreeEdges;

class TreeRows {
 public:
  virtual ~TreeRows() = default;
  [[nodiscard]] virtual const TreeEnsemble::Parts& parts() const = 0;
  [[nodiscard]] virtual const FeatureCodes& codes() const = 0;
  // Whether predictions on a scale are sums of leaves: on the margin, or without a link.
  [[nodiscard]] bool adds_up(Scale scale) const {
    return scale == Scale::margin || parts().link.link == Link::identity;
  }
  // The way down the trees, and what their leaves add; null where leaves are of too different sizes.
  [[nodiscard]] virtual const TreeEdges* edges() const = 0;
  [[nodiscard]] virtual const LeafAmounts* amounts() const = 0;
  // The slot of a column of the data; nothing if no split looks at it.
  [[nodiscard]] virtual std::optional<std::size_t> slot(std::uint32_t column) const = 0;
  // The code of a number of that column (as ColumnView::number has it: levels are codes of the data, missing is NaN).
  [[nodiscard]] virtual std::uint16_t code(std::size_t slot, double number) const = 0;
  // Of some rows of a block: codes[slot × stride + row].
  virtual void encode(const RowBlock& block, std::size_t first, std::size_t rows, std::uint16_t* codes,
                      std::size_t stride) const = 0;
  // Predictions of the rows from `first` on, as many as there is room for.
  virtual void margins(const RowBlock& block, std::size_t first, MatrixSpan<double> out, Context& context) const = 0;
};

}  // namespace sightglass
