// What to know first: three to seven plain sentences made from the numbers of saved results, the things a careful
// analyst would say before anything else. Fewer where the results hold less. docs/findings.md has every rule and
// threshold.
#pragma once

#include <string>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

struct Finding {
  std::string text;                   // one sentence, plain text
  std::vector<std::string> features;  // whose section it belongs to; empty: none
  std::string chapter;                // importance, effects, interactions, rows, other
  bool is_headline = false;           // what the model is worth: stands above all others
};

// How good the predictions are, rounded, for somebody who has never heard of a loss: "19 bikes/hour", "off on average".
struct ShownScore {
  std::string value, words;
  std::string name;  // of the measure, "mean absolute error"
};

// In the order in which they are read: what the model is worth, what matters, how the top features act, what acts
// together, what differs between rows. Results of another model, or of other rows than the first, say nothing here.
[[nodiscard]] std::vector<Finding> findings(const std::vector<Result>& results);

// Three at the most, the best known first.
[[nodiscard]] std::vector<ShownScore> scores(const std::vector<Result>& results);

}  // namespace sightglass
