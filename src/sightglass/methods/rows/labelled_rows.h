// Rows of the data with what the model predicts for them: what surrogates are fitted to and single rows are compared
// with.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sightglass/learn/training_data.h"
#include "sightglass/methods/run/method.h"
#include "sightglass/methods/run/named_rows.h"

namespace sightglass {

// Rows by their positions.
using RowList = std::vector<std::size_t>;

// One that was asked for by its index.
struct LabelledRow {
  std::uint64_t id = 0;
  std::vector<double> values;  // of the features, as ColumnView::number
  std::vector<double> predictions;
  std::optional<double> truth = std::nullopt;
};

// Rows of the data, then rows that were made of their values (grid_rows.h), if any.
struct LabelledRows {
  std::vector<std::uint64_t> ids;           // global row indices, ascending; of made rows above all of these
  std::vector<std::vector<double>> values;  // [feature][row] as ColumnView::number
  std::vector<double> predictions;          // [row × outputs + output]
  std::vector<double> truths;               // as ColumnView::number; empty without a target; NaN of made rows
  std::vector<double> weights;              // 1 where the data have none
  std::size_t outputs = 0;
  std::size_t of_data = 0;         // how many come from the data
  std::uint64_t available = 0;     // rows with weight that there were to draw from
  std::vector<LabelledRow> named;  // those that were asked for, ascending; they may be among the others, too

  [[nodiscard]] std::size_t rows() const { return ids.size(); }
  [[nodiscard]] double prediction(std::size_t row, std::size_t output) const {
    return predictions[row * outputs + output];
  }
  // All outputs of one row.
  [[nodiscard]] std::span<const double> answer(std::size_t row) const {
    return std::span(predictions).subspan(row * outputs, outputs);
  }
};

// At most `limit` rows (0 = all), drawn at random, and those that were asked for (ascending, whatever they weigh), with
// what the model says of them. Throws Error(usage) that refers to `option` where one of these is not in the data.
[[nodiscard]] Chain<LabelledRows> label_rows(const MethodInput& input, std::uint64_t limit, RowIds named = {},
                                             std::string_view option = "rows");

// Some columns of some rows; nothing is in them of any outcome.
[[nodiscard]] TrainingData features_of(const MethodInput& input, const LabelledRows& rows,
                                       const std::vector<std::uint32_t>& columns,
                                       const std::vector<std::size_t>& chosen);

// Weights by how near rows are to one: exp(−d² / (p · width²)), where a feature adds to d² the square of its difference
// in standard deviations, or 1 if it is another level.
[[nodiscard]] std::vector<double> proximities(const MethodInput& input, const LabelledRows& rows, const LabelledRow& to,
                                              double width);

}  // namespace sightglass
