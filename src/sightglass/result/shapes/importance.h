// An entry of a ranking of features.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/value.h"
#include "sightglass/result/importance_measure.h"

namespace sightglass {

class Fields;
class TidyRows;
struct ItemFeatures;

// How much one feature (or a group of features, or what is left) matters. Entries of the same measure, output
// and group of rows are one ranking.
struct Importance {
  static constexpr std::string_view type = "importance";  // its name in JSON

  std::string feature;                // how the entry is called
  std::vector<std::string> features;  // the features it stands for; empty: none ("remainder")
  std::string output;                 // empty: all outputs together
  std::string group;                  // of rows; empty = all
  ImportanceMeasure measure;          // "increase of rmse"
  double importance = 0;
  std::optional<double> se, sd, low, high;  // low and high: an interval, of which `details` says what it covers
  Value details = Value::object();          // what else was measured: {"ratio": 1.4, …}
};

void describe_fields(Importance& entry, Fields& fields);
void tidy_rows(const Importance& entry, TidyRows& rows);
[[nodiscard]] ItemFeatures item_features(const Importance& entry);

}  // namespace sightglass
