// What is special about a row: numbers far from the mean, rare levels, values that are missing.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sightglass/learn/prototypes/scaled_rows.h"
#include "sightglass/methods/run/row_sample.h"
#include "sightglass/result/shapes/examples.h"

namespace sightglass {

class RowOddities {
 public:
  // scales: of the columns. All must outlive it.
  RowOddities(const Schema& schema, const std::vector<std::uint32_t>& columns, const RowSample& sample,
              const std::vector<ColumnScale>& scales);

  // A few, the oddest first.
  [[nodiscard]] std::vector<Oddity> of(std::uint32_t row) const;

 private:
  const Schema& schema_;
  const std::vector<std::uint32_t>& columns_;
  const RowSample& sample_;
  const std::vector<ColumnScale>& scales_;
  std::vector<std::map<double, double>> shares_;  // of levels, and at −1 of rows without a value
};

}  // namespace sightglass
