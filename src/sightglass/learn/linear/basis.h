// The terms whose coefficients are searched for. A column of the design is a term of its own; the levels of a feature
// that is one grouped term are taken as contrasts: each level against those before it, orthogonal and of variance 1
// over the rows, so that the group's penalty is on the standard deviation of its effect, whichever level comes first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/learn/linear/design.h"
#include "sightglass/learn/linear/gram.h"

namespace sightglass {

class Basis {
 public:
  Basis(const Design& design, bool grouped);

  [[nodiscard]] std::size_t terms() const { return penalty_.size(); }
  // The relative penalty of each term; that of a group is the root of its size.
  [[nodiscard]] const std::vector<double>& penalty() const { return penalty_; }

  // What is in the model as a whole or not at all: terms from `first_term` on, made of columns from `first_column` on.
  struct Unit {
    std::uint32_t first_term, terms;
    std::uint32_t first_column, columns;
    [[nodiscard]] bool grouped() const { return columns > terms; }
  };
  [[nodiscard]] const std::vector<Unit>& units() const { return units_; }

  // The coefficients of columns that those of the terms stand for. A group's have the weighted mean 0.
  [[nodiscard]] std::vector<double> to_columns(std::span<const double> coefficients) const;
  // Sums of columns become sums of terms, of these units. Those of `besides` columns in front stay.
  [[nodiscard]] std::vector<double> from_columns(std::span<const double> sums, std::span<const std::uint32_t> units,
                                                 std::size_t besides = 0) const;
  [[nodiscard]] Products from_columns(const Products& products, std::span<const std::uint32_t> units,
                                      std::size_t besides) const;
  [[nodiscard]] std::vector<std::uint32_t> columns_of(std::span<const std::uint32_t> units) const;
  [[nodiscard]] std::vector<std::uint32_t> all_units() const;

 private:
  std::vector<double> penalty_;
  std::vector<Unit> units_;
  // Of a group's contrast, which stands with the column of its level: what the level has, and those before it.
  struct Contrast {
    double own = 0, before = 0;
  };
  std::vector<Contrast> contrasts_;  // per column
};

}  // namespace sightglass
