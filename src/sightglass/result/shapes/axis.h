// What curves and surfaces stand on: the values of a feature, and how the feature is distributed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/dates.h"

namespace sightglass {

class Fields;

// One axis of an effect: the values of a feature at which it was computed.
struct Axis {
  std::string feature;
  std::string unit;                 // empty if unknown
  std::vector<double> numbers;      // numeric features: ascending grid
  std::vector<std::string> levels;  // categorical features: one per level
  bool ordered = false;             // levels have an order of their own
  bool categorical = false;         // also where there is no level, because every row misses the feature
  DateKind dates = {};              // what the numbers mean, where they are dates; files say it once, for all items

  [[nodiscard]] bool is_categorical() const { return categorical || !levels.empty(); }
  [[nodiscard]] std::size_t size() const { return is_categorical() ? levels.size() : numbers.size(); }
};

// How a feature is distributed in the data: drawn under its curve.
struct Distribution {
  std::vector<double> edges;   // numeric: histogram edges, one more than counts
  std::vector<double> counts;  // (weighted) rows per histogram bin, or per level
  std::vector<double> rug;     // numeric: deciles (type 1)
  double missing = 0;          // (weighted) rows without a value
};

// The feature's name, kind, unit and whether its levels have an order.
void describe_feature(Axis& axis, Fields& fields);
// Its grid, which must come after its kind.
void describe_grid(Axis& axis, Fields& fields);
void describe_distribution(Distribution& distribution, const Axis& axis, Fields& fields);
[[nodiscard]] std::string_view kind_word(const Axis& axis);

// What all shapes have.
void describe_output(std::string& output, std::string& group, Fields& fields, std::string_view about_output = {});

}  // namespace sightglass
