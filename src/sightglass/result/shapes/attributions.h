// Predictions of single rows, divided among the features.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/value.h"
#include "sightglass/result/named_row.h"
#include "sightglass/result/shapes/axis.h"

namespace sightglass {

class Fields;
class TidyRows;
struct ItemFeatures;

// What each feature adds to the predictions of single rows: base + Σ values = prediction (Shapley values). One
// item holds all rows of one output.
struct Attributions {
  static constexpr std::string_view type = "attributions";  // its name in JSON

  std::vector<Axis> features;  // without a grid; the levels of a categorical feature are those it may have
  std::string output;
  std::string group;                         // of rows; empty = all
  double base = 0;                           // what is predicted on average, before anything is known of a row
  std::uint64_t total_rows = 0;              // how many rows there were to choose from
  std::vector<std::uint64_t> rows;           // 0-based rows of the data, ascending
  std::vector<std::string> row_labels = {};  // what the rows are called; empty: by their numbers
  std::vector<double> prediction;            // per row
  std::vector<double> values;                // [row × features + feature]
  std::vector<double> se;                    // of the values, the same way; empty if they are exact
  std::vector<double> data;  // the row's own feature values: numbers, or positions of levels; NaN = missing
  // [(row × features + feature) × features + other]: what two features add together, half of it on each side of the
  // diagonal; a row of the matrix adds up to the feature's value. Empty if not asked for.
  std::vector<double> interactions;
  Value details = Value::object();  // how they were computed: {"estimator": "exact", "background_rows": 100, …}

  [[nodiscard]] double value(std::size_t row, std::size_t feature) const {
    return values[row * features.size() + feature];
  }
  [[nodiscard]] double own(std::size_t row, std::size_t feature) const { return data[row * features.size() + feature]; }
  [[nodiscard]] double interaction(std::size_t row, std::size_t feature, std::size_t other) const {
    return interactions[(row * features.size() + feature) * features.size() + other];
  }
};

void describe_fields(Attributions& item, Fields& fields);
void tidy_rows(const Attributions& item, TidyRows& rows);
void item_set_dates(Attributions& item, const Dates& dates);
void show_rows(Attributions& item, const RowVisitor& visit);
[[nodiscard]] ItemFeatures item_features(const Attributions& item);

}  // namespace sightglass
