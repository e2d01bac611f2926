// Rows that a model is asked about to explain another one, the subject: each has some of the subject's values, the
// others of one background row. They are written when they are asked about: where all columns are plain numbers and the
// model is asked in one call, one after the other, as a matrix where the model reads it; else column by column, in the
// types of the data.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/methods/run/row_sample.h"
#include "sightglass/model/evaluator.h"

namespace sightglass {

class MixedRows {
 public:
  // like: a block with the types of the data. features: the columns that the model is given, in its order; background
  // has them in this order. All must outlive this.
  MixedRows(const RowBlock& like, const std::vector<std::uint32_t>& features, const RowSample& background,
            Evaluator& evaluator);

  // Rows that should go to the model together: enough for a call to be worth it, few enough to stay in cache.
  [[nodiscard]] std::size_t rows_at_once() const;

  // The row that is explained from now on: its index in the data and its features' numbers.
  void set_subject(std::uint64_t id, std::span<const double> own);

  // 2 (count − 1) rows with a background row: forth, those with rank 0 join, then those with rank 1, until all but the
  // last have; then back, the last first. ranks: per feature, 0 … count − 1.
  void add_order(std::size_t background, std::span<const double> ranks, std::size_t count);
  // As many rows with a background row: in the i-th, features whose bit is in first + i are the subject's.
  void add_coalitions(std::size_t background, std::span<const std::uint64_t> bits, std::uint64_t first,
                      std::size_t rows);
  [[nodiscard]] std::size_t rows() const { return rows_; }

  // Predicts all rows that were added, in their order, and forgets them.
  void predict(Matrix& out);

 private:
  // What was added.
  struct Part {
    std::size_t background = 0, rows = 0;
    std::uint64_t first = 0;
    bool order = false;
    std::size_t keys = 0;  // where its ranks or bits begin
  };

  void keep(const Part& part);
  // [row × features + feature]
  void write_matrix(double* matrix);
  // Writes up to a group of lanes behind its rows.
  void write_part(const Part& part, double* out);
  [[nodiscard]] std::vector<double> laid_out(std::size_t feature) const;

  const RowBlock& like_;
  const std::vector<std::uint32_t>& features_;
  const RowSample& background_;
  Evaluator& evaluator_;
  bool as_matrix_ = false, written_there_ = true;  // a matrix; and by the model's own memory
  std::size_t padded_ = 0;                         // features, in whole groups of lanes
  std::vector<double> others_;                     // [background row × padded + feature], as a matrix only
  std::vector<double> own_;                        // padded
  std::vector<double> matrix_;                     // where the model has no memory for one
  std::vector<double> last_;                       // part
  std::vector<Part> parts_;
  std::vector<double> ranks_;        // padded
  std::vector<std::uint64_t> bits_;  // padded
  std::vector<double> turned_;       // ranks from the other end
  std::uint64_t id_ = 0;
  std::size_t rows_ = 0;
  std::vector<std::uint64_t> ids_;
};

}  // namespace sightglass
