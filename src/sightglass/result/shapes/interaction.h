// How strongly features interact.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/value.h"

namespace sightglass {

class Fields;
class TidyRows;
struct ItemFeatures;

// How much of the effect of two or three features is not the sum of what fewer do; of one feature: with all
// others together.
struct Interaction {
  static constexpr std::string_view type = "interaction";  // its name in JSON

  std::vector<std::string> features;
  std::string output;
  std::string group;
  double h2 = 0, h = 0;
  double strength = 0;       // √ of the mean squared interaction effect, in units of the prediction
  std::optional<double> se;  // of h2, over samples
  Value details = Value::object();
};

void describe_fields(Interaction& entry, Fields& fields);
void tidy_rows(const Interaction& entry, TidyRows& rows);
[[nodiscard]] ItemFeatures item_features(const Interaction& entry);

}  // namespace sightglass
