// The model and the rows of a measurement: rows as they are, and rows in codes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/data/table.h"
#include "sightglass/model/model.h"
#include "sightglass/model/trees/rows/feature_codes_internal.h"
#include "sightglass/model/trees/rows/row_sets_internal.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

// A file that the library reads; or, ending in .forest, the arrays of a scikit-learn forest as trees.py writes them,
// which the library otherwise takes from the living object only.
[[nodiscard]] std::unique_ptr<Model> read_bench_model(const std::string& path);

class BenchData {
 public:
  // matrix: float64, row after row; target: float64, or empty for none. Reads nothing yet.
  BenchData(const Model& model, std::string matrix, std::string target, std::size_t rows, std::size_t columns);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] const BoundModel& bound() const { return *bound_; }
  [[nodiscard]] const TreeRows& trees() const { return *bound_->tree_rows(); }
  // All of it, read when it is first asked for.
  [[nodiscard]] const Table& table();
  // One block of all rows.
  [[nodiscard]] RowBlock block();

  // Codes as counting wants them: codes[slot × rows + row].
  [[nodiscard]] const std::vector<std::uint16_t>& by_slot();
  // Codes as Shapley values want them: of each 256 rows, those of each slot. And which of the rows are there.
  [[nodiscard]] const std::vector<std::uint16_t>& by_set();
  [[nodiscard]] const std::vector<RowSet>& there() const { return there_; }
  void forget_by_slot() { std::vector<std::uint16_t>().swap(by_slot_); }
  [[nodiscard]] std::size_t coded_bytes() const { return rows_ * trees().codes().slots() * sizeof(std::uint16_t); }

 private:
  [[nodiscard]] Table read(std::size_t first, std::size_t count, bool with_target) const;

  std::string matrix_, target_;
  std::size_t rows_, columns_;
  std::vector<std::string> names_;
  Schema schema_;
  std::unique_ptr<BoundModel> bound_;
  std::unique_ptr<Table> table_;
  std::vector<ColumnView> views_;
  std::vector<std::uint16_t> by_slot_, by_set_;
  std::vector<RowSet> there_;
};

}  // namespace sightglass
