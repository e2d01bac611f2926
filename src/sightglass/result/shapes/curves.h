// Curves of single rows: individual conditional expectation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/result/named_row.h"
#include "sightglass/result/shapes/axis.h"

namespace sightglass {

class Fields;
class TidyRows;
struct ItemFeatures;

// Where the class that is predicted for a row changes when the feature does.
struct ClassFlip {
  std::uint64_t row = 0;
  std::optional<double> value = std::nullopt;  // of a numeric feature: `to` is predicted from here on, `from` below
  double within = 0;                           // how far below the value the change may be; 0: exactly there
  std::string level = {};                      // of a categorical feature: `to` is predicted at this level
  bool missing = false;                        // `to` is predicted where the feature has no value
  std::string from, to;                        // of levels and missing values `from` is the row's own class
};

// Many functions of one feature, one per row: individual conditional expectation.
struct Curves {
  static constexpr std::string_view type = "curves";  // its name in JSON

  Axis axis;  // of derivatives: the middles of the grid's steps
  std::string output;
  std::string group;                             // of rows; empty = all
  bool derivative = false;                       // values are slopes
  std::vector<std::uint64_t> rows;               // 0-based rows of the data, ascending
  std::vector<std::string> row_labels = {};      // what the rows are called; empty: by their numbers
  std::vector<std::vector<double>> values;       // per row, per grid point
  std::vector<std::optional<double>> missing;    // per row: the value where the feature is missing; may be empty
  std::vector<std::optional<double>> own_value;  // per row: its own value of a numeric feature
  std::vector<std::string> own_level;            // per row: its own level of a categorical feature
  std::optional<double> anchor;                  // centred curves: the grid value at which each is 0
  std::string anchor_level;
  std::vector<double> mean;                // over all rows, not only those kept
  std::vector<double> sd;                  // of derivatives, over all rows
  std::vector<double> band_levels;         // 0.05, 0.25, …
  std::vector<std::vector<double>> bands;  // per level, per grid point; over all rows
  std::uint64_t total_rows = 0;            // how many rows there were to choose from
  Distribution distribution;
  std::optional<double> heterogeneity;
  // Of rows that are explained one by one, else empty; each has one entry per row.
  std::vector<double> prediction;            // as the row is
  std::vector<std::string> predicted_class;  // as the row is; empty where the model predicts no classes
  std::vector<double> swing;                 // the highest value of the curve minus the lowest, missing included
  std::vector<ClassFlip> flips;              // in the order of the rows, along the axis
  // How far a number may fall and rise, all else equal, before the class is another; nothing: as far as was tried.
  std::vector<std::optional<double>> slack_down, slack_up;

  [[nodiscard]] bool explains_rows() const { return !prediction.empty(); }
};

void describe_fields(ClassFlip& flip, Fields& fields);

void describe_fields(Curves& curves, Fields& fields);
void tidy_rows(const Curves& curves, TidyRows& rows);
void item_set_dates(Curves& item, const Dates& dates);
void show_rows(Curves& curves, const RowVisitor& visit);
[[nodiscard]] std::vector<const Axis*> item_axes(const Curves& curves);
[[nodiscard]] ItemFeatures item_features(const Curves& curves);

}  // namespace sightglass
