// A surface: partial dependence and accumulated local effects of two features.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sightglass/result/estimand.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/shapes/measure.h"

namespace sightglass {

class Fields;
class TidyRows;
struct ItemFeatures;

// A function of two features.
struct Surface {
  static constexpr std::string_view type = "surface";  // its name in JSON

  Axis first, second;
  std::string output;
  std::string group;  // of rows; empty = all
  Measure measure = Measure::mean;
  OpenWord<Estimand> estimand = Estimand::other;
  std::vector<std::vector<double>> mean;  // [first][second]: the heights, whatever they measure
  // (Weighted) rows whose nearest grid point this is. Of effects: rows in the cell between this grid point and
  // the next in both directions, so one fewer each way.
  std::vector<std::vector<double>> count;
};

void describe_fields(Surface& surface, Fields& fields);
void tidy_rows(const Surface& surface, TidyRows& rows);
void item_set_dates(Surface& item, const Dates& dates);
[[nodiscard]] std::vector<const Axis*> item_axes(const Surface& surface);
[[nodiscard]] ItemFeatures item_features(const Surface& surface);

}  // namespace sightglass
