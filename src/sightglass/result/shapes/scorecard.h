// How good several explanations are, each by the same qualities: a number for each.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/value.h"

namespace sightglass {

class Fields;
class TidyRows;

struct Score {
  std::string subject;  // which explanation, by its name: "tree"
  std::string title;    // of it: "Decision tree"
  std::string quality;  // which quality: "stability" (quality.h)
  double value = 0;
  std::optional<double> low = std::nullopt, high = std::nullopt;  // an interval
  std::string note = {};                                          // what there is to say of it: the worst region
};

struct Scorecard {
  static constexpr std::string_view type = "scorecard";  // its name in JSON

  std::string name;  // what is compared: "Scorecard of surrogates"
  std::string output;
  std::string group;
  std::string measure = "r2";  // of fidelity and accuracy
  std::vector<Score> scores;   // in the order in which they are shown
  Value details = Value::object();
};

void describe_fields(Scorecard& scorecard, Fields& fields);
void tidy_rows(const Scorecard& scorecard, TidyRows& rows);
[[nodiscard]] std::string item_title(const Scorecard& scorecard);

}  // namespace sightglass
