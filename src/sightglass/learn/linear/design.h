// The columns of a linear model, made of features: numbers as they are, 1 where a value is missing, 1 where a level is
// there. They are never in memory as a matrix: blocks of numbers, and codes of levels.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/training_data.h"

namespace sightglass {

struct DesignColumn {
  enum class Kind : std::uint8_t { number, missing, level };
  Kind kind = Kind::number;
  std::uint32_t feature = 0;
  std::uint32_t level = 0;  // of a level; one more than there are: the value is missing
  double mean = 0;          // weighted
  double deviation = 0;     // weighted standard deviation
  double centre = 0;        // subtracted from a number; where it is missing nothing is left
  double scale = 1;         // divides it then
  bool gaps = false;        // some of its numbers are missing
};

struct DesignOptions {
  bool standardize = true;
  bool first_level = true;  // false: a feature's first level has no column, the others are differences to it
  bool grouped = false;     // levels of a feature are one term: they are not scaled one by one
};

class Design {
 public:
  Design(const TrainingData& data, const DesignOptions& options, const Context& context);

  [[nodiscard]] const TrainingData& data() const { return *data_; }
  [[nodiscard]] std::size_t rows() const { return data_->rows; }
  [[nodiscard]] std::size_t size() const { return columns_.size(); }
  // Those of one feature are neighbours. Constant ones are left out.
  [[nodiscard]] const std::vector<DesignColumn>& columns() const { return columns_; }
  // Those that are no levels.
  [[nodiscard]] const std::vector<std::uint32_t>& dense() const { return dense_; }
  // Features of which nothing is left, because they are constant.
  [[nodiscard]] const std::vector<std::uint32_t>& constant_features() const { return constant_; }

  // Categorical features that have columns.
  struct Levels {
    std::uint32_t feature;
    std::vector<std::int32_t> column;  // of each code, the last for a missing value; -1: none
  };
  [[nodiscard]] const std::vector<Levels>& levels() const { return levels_; }
  // The code of a row, whose last is "missing".
  [[nodiscard]] std::uint32_t code(const Levels& levels, std::size_t row) const {
    const double value = data_->features[levels.feature].values[row];
    return value == value ? static_cast<std::uint32_t>(value) : static_cast<std::uint32_t>(levels.column.size() - 1);
  }
  // The values of a column that are only to be shifted and scaled; null: fill() makes it.
  [[nodiscard]] const double* as_it_is(std::size_t column) const {
    const DesignColumn& made = columns_[column];
    const bool plain = made.kind == DesignColumn::Kind::number && !made.gaps;
    return plain ? data_->features[made.feature].values.data() : nullptr;
  }
  // A number's or a missing value's column in these rows.
  void fill(std::size_t column, std::size_t begin, std::size_t rows, double* out) const;

 private:
  void add_number(std::uint32_t feature, bool standardize);
  void add_levels(std::uint32_t feature, const DesignOptions& options);

  const TrainingData* data_;
  std::vector<DesignColumn> columns_;
  std::vector<Levels> levels_;
  std::vector<std::uint32_t> dense_, constant_;
};

// Σ over columns of coefficient · column, per row.
[[nodiscard]] std::vector<double> times(const Design& design, std::span<const double> coefficients,
                                        const Context& context);
// The same of as many rows as there are sums, from `begin` on, added to these.
void add_columns(const Design& design, std::span<const double> coefficients, std::size_t begin, std::span<double> sums);
// Σ amount · column over as many rows as there are amounts, from `begin` on; of a column that is no level.
[[nodiscard]] double column_product(const Design& design, std::size_t column, std::size_t begin,
                                    std::span<const double> amounts);
// Σ amount · column over all rows, of each column that is a level; others stay as they are.
void level_sums(const Design& design, std::span<const double> amounts, std::span<double> sums, const Context& context);

}  // namespace sightglass
