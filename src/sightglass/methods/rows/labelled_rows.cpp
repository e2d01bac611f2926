#include "sightglass/methods/rows/labelled_rows.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/data/new_rows.h"
#include "sightglass/data/picked_block.h"
#include "sightglass/methods/run/row_sample.h"

namespace sightglass {

namespace {

constexpr std::uint64_t draw_stream = 0x7375'7272'6f67;  // "surrog"

// Features, truth, weight and predictions of the drawn rows.
class LabelPass : public Pass<RowNumbers, LabelledRows> {
 public:
  LabelPass(const MethodInput& input, RowSample drawn, RowIds named, std::string_view option)
      : input_(input), drawn_(std::move(drawn)), named_(std::move(named)), option_(option) {}

  [[nodiscard]] std::vector<std::uint32_t> columns() const override {
    std::vector<std::uint32_t> columns = input_.features;
    if (input_.target) columns.push_back(*input_.target);
    return columns;
  }
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> rows() const override {
    // New rows are in no pass that does not name them.
    if (drawn_.complete() && (named_.empty() || !is_new_row(named_.back()))) return std::nullopt;
    std::vector<std::uint64_t> wanted;
    std::set_union(drawn_.ids.begin(), drawn_.ids.end(), named_.begin(), named_.end(), std::back_inserter(wanted));
    return wanted;
  }
  [[nodiscard]] bool needs_model() const override { return true; }
  [[nodiscard]] std::uint64_t cost_per_row() const override { return 1; }
  [[nodiscard]] RowNumbers empty() const override { return RowNumbers(width()); }

  void map(const RowBlock& block, RowNumbers& sums, Evaluator& evaluator) const override {
    std::vector<std::uint64_t> chosen;
    for (std::size_t row = 0; row < block.rows; ++row) {
      const std::uint64_t id = block.row_id(row);
      if (is_named(id) || is_drawn(id)) chosen.push_back(row);
    }
    if (chosen.empty()) return;
    const PickedBlock picked(block, chosen);
    const RowBlock rows = picked.block();
    Matrix predictions;
    evaluator.evaluate(rows, predictions);
    for (std::size_t row = 0; row < rows.rows; ++row) {
      sums.rows.push_back(rows.row_id(row));
      for (const std::uint32_t column : input_.features) sums.numbers.push_back(rows.columns[column].number(row));
      sums.numbers.push_back(rows.weight(row));
      if (input_.target) sums.numbers.push_back(rows.columns[*input_.target].number(row));
      for (std::size_t k = 0; k < input_.outputs.size(); ++k) sums.numbers.push_back(predictions(row, k));
    }
  }

  [[nodiscard]] LabelledRows find(const RowNumbers& sums) const override {
    LabelledRows found;
    const std::size_t features = input_.features.size();
    found.outputs = input_.outputs.size();
    found.available = drawn_.available;
    found.values.resize(features);
    std::vector<std::size_t> order(sums.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sums.rows[a] < sums.rows[b]; });
    for (const std::size_t at : order) {
      const double* numbers = sums.numbers.data() + at * width();
      const double* predictions = numbers + width() - found.outputs;
      if (is_named(sums.rows[at])) {
        LabelledRow& row = found.named.emplace_back();
        row.id = sums.rows[at];
        row.values.assign(numbers, numbers + features);
        row.predictions.assign(predictions, predictions + found.outputs);
        if (input_.target) row.truth = numbers[features + 1];
      }
      if (!is_drawn(sums.rows[at])) continue;
      found.ids.push_back(sums.rows[at]);
      for (std::size_t j = 0; j < features; ++j) found.values[j].push_back(numbers[j]);
      found.weights.push_back(numbers[features]);
      if (input_.target) found.truths.push_back(numbers[features + 1]);
      found.predictions.insert(found.predictions.end(), predictions, predictions + found.outputs);
    }
    found.of_data = found.rows();
    check_named(found);
    return found;
  }

 private:
  [[nodiscard]] bool is_named(std::uint64_t id) const { return std::binary_search(named_.begin(), named_.end(), id); }
  [[nodiscard]] bool is_drawn(std::uint64_t id) const {
    return std::binary_search(drawn_.ids.begin(), drawn_.ids.end(), id);
  }
  void check_named(const LabelledRows& found) const {
    for (std::size_t i = 0; i < named_.size(); ++i) {
      if (i < found.named.size() && found.named[i].id == named_[i]) continue;
      throw Error(ErrorKind::usage,
                  option_name(option_) + ": " + row_text(named_[i]) + " is not among the " +
                      std::to_string(input_.rows) + " rows used",
                  marked("rows are counted from 0 over all the data; with {option:where} or {option:sample} the row "
                         "must be one of those that are left"));
    }
  }
  [[nodiscard]] std::size_t width() const {
    return input_.features.size() + 1 + (input_.target ? 1 : 0) + input_.outputs.size();
  }

  MethodInput input_;
  RowSample drawn_;
  RowIds named_;
  std::string_view option_;  // that names them
};

}  // namespace

Chain<LabelledRows> label_rows(const MethodInput& input, std::uint64_t limit, RowIds named, std::string_view option) {
  return draw_rows(input, {}, limit, draw_stream).then([=](RowSample drawn) {
    return over_rows<LabelPass>(input, std::move(drawn), named, option);
  });
}

TrainingData features_of(const MethodInput& input, const LabelledRows& rows, const std::vector<std::uint32_t>& columns,
                         const std::vector<std::size_t>& chosen) {
  TrainingData data;
  data.rows = chosen.size();
  for (std::size_t j = 0; j < input.features.size(); ++j) {
    if (std::find(columns.begin(), columns.end(), input.features[j]) == columns.end()) continue;
    const ColumnInfo& column = input.schema[input.features[j]];
    TrainingFeature& feature = data.features.emplace_back();
    feature.info.name = column.name;
    feature.info.categorical = column.has_levels();
    feature.info.dates = column.dates;
    if (feature.info.categorical) feature.info.levels = column.levels();
    feature.values.resize(chosen.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const double value = rows.values[j][chosen[i]];
      // Larger than all others is all that learners need to know of such numbers.
      constexpr double largest = 1e100;
      feature.values[i] = std::isnan(value) ? value : std::clamp(value, -largest, largest);
    }
  }
  return data;
}

std::vector<double> proximities(const MethodInput& input, const LabelledRows& rows, const LabelledRow& to,
                                double width) {
  std::vector<double> squares(rows.rows(), 0.0);
  for (std::size_t j = 0; j < input.features.size(); ++j) {
    const std::vector<double>& values = rows.values[j];
    const double here = to.values[j];
    double scale = 1;
    if (!input.schema[input.features[j]].has_levels()) {
      double weight = 0, sum = 0, square = 0;
      for (std::size_t row = 0; row < rows.rows(); ++row) {
        if (!std::isfinite(values[row])) continue;
        weight += rows.weights[row];
        sum += rows.weights[row] * values[row];
      }
      for (std::size_t row = 0; row < rows.rows(); ++row) {
        const double off = values[row] - sum / weight;
        if (std::isfinite(values[row])) square += rows.weights[row] * off * off;
      }
      scale = weight > 0 ? std::sqrt(square / weight) : 0;
    }
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const double value = values[row];
      if (value == here || (std::isnan(value) && std::isnan(here))) continue;
      const bool comparable =
          std::isfinite(value) && std::isfinite(here) && scale > 0 && !input.schema[input.features[j]].has_levels();
      squares[row] += comparable ? (value - here) * (value - here) / (scale * scale) : 1.0;
    }
  }
  const double features = static_cast<double>(std::max<std::size_t>(1, input.features.size()));
  std::vector<double> weights(rows.rows());
  for (std::size_t row = 0; row < rows.rows(); ++row)
    weights[row] = std::exp(-squares[row] / (features * width * width));
  return weights;
}

}  // namespace sightglass
