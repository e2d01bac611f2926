// How far each feature of a row may move, what that costs, and which values there are on the way.
//
// A number costs |change| / MAD (its range where the median absolute deviation is 0), another level 1. Numbers keep to
// the digits that the data have (whole numbers stay whole), levels to those that rows have; what is missing stays
// missing, as no distance from it is known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/methods/local/recourse/data_values.h"
#include "sightglass/methods/rows/labelled_rows.h"

namespace sightglass {

// What the user allows, by names of features.
struct AllowedMoves {
  std::vector<std::string> fixed, only_rise, only_fall;
  bool anywhere = false;  // also outside the range of the data, and to levels that no row has
};

struct FeatureMoves {
  std::uint32_t column = 0;
  std::string name;
  bool levels = false;  // any two values are as far apart as any others
  bool fixed = false;
  bool may_rise = true, may_fall = true;
  double unit = 1;              // of cost
  double low = 0, high = 0;     // where numbers may go
  std::optional<double> scale;  // values are whole numbers of 1 / scale; nothing: any number
  bool single = false;          // float32 numbers
  std::vector<double> seen;     // distinct values of rows, ascending
  std::vector<double> weights;  // of the rows with each

  // Whether the row's value can change at all.
  [[nodiscard]] bool moves(double own) const;
  // Whether it may become this one, where that is a value of the feature.
  [[nodiscard]] bool allows(double own, double to) const;
  [[nodiscard]] double cost(double own, double to) const;
  // The nearest value of the feature that is not before this one, seen from the row's own.
  [[nodiscard]] double settled(double own, double to) const;
};

// Of all features of the model, in its order: where they may go by all rows (`data`), what that costs by those that
// rows are compared with. Throws Error(usage) on names that are no features, and where a feature without an order is to
// rise or fall.
[[nodiscard]] std::vector<FeatureMoves> feature_moves(const MethodInput& input, const LabelledRows& rows,
                                                      const std::vector<FeatureValues>& data,
                                                      const AllowedMoves& allowed);
// Throws the same errors, before any row was read.
void check_allowed(const MethodInput& input, const AllowedMoves& allowed);

}  // namespace sightglass
