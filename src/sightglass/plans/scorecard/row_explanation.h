// What an explanation of one row says, whichever method made it, in a form in which explanations can be compared.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

struct RowExplanation {
  std::uint64_t row = 0;
  std::string output;                 // empty: of the class that is predicted
  std::string predicted_output = {};  // that class
  // What it names, with how much each counts and in which direction: features of a line, of Shapley values or of a
  // rule; of a change also where to.
  std::map<std::string, double> parts;
  bool weighed = true;                   // some parts count more than others, and it says how much
  std::optional<double> near, far;       // how well it follows the model near the row, and on made-up rows
  std::optional<double> doubt;           // how large the uncertainty is that it shows; 0: it is exact
  std::optional<double> covers;          // share of the rows that it speaks for
  std::optional<double> said;            // the prediction that it comes to
  std::optional<double> predicted = {};  // the model's
  std::string said_class = {};           // of several outputs
  bool same_class = true;                // as the model predicts
};

// By row, of each one the class that is predicted, where there are several; else one for each output.
[[nodiscard]] std::vector<RowExplanation> row_explanations(const Result& result, bool classes);

// How alike two explanations are, by what their parts have in common: Σ min / Σ max of their shares of the whole, where
// parts of opposite directions have nothing in common. 1: the same, 0: nothing.
[[nodiscard]] double likeness(const RowExplanation& a, const RowExplanation& b);

}  // namespace sightglass
