// What a model says of rows that were chosen: its predictions, and what features add to them.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/methods/losses/losses.h"
#include "sightglass/methods/run/row_sample.h"
#include "sightglass/result/shapes/examples.h"

namespace sightglass {

struct AnsweredRow {
  std::uint64_t row = 0;
  std::vector<double> predictions;   // of all outputs
  std::vector<double> attributions;  // [explained output × features + feature]; empty if none were asked for
};
// In ascending order of the rows; attributions are Shapley values, exact where the model shows its trees.
[[nodiscard]] Chain<std::vector<AnsweredRow>> explain_rows(const MethodInput& input, std::vector<std::uint64_t> rows,
                                                           bool attributions);

// The outcomes of rows, as the model's outputs know them.
class TrueOutcomes {
 public:
  // Of the sample's rows; knows nothing where there is no target, or one that does not fit the model.
  TrueOutcomes(const MethodInput& input, const RowSample& sample);

  // A number, or the place of a class among the outputs (of two classes with one output: 0 or 1).
  [[nodiscard]] std::optional<double> of(std::uint64_t row) const;
  [[nodiscard]] bool are_classes() const { return outcome_ && outcome_->classes() > 0; }
  // Of the two that a single output tells apart, as the target calls them or else the output.
  [[nodiscard]] const std::string& name(bool second) const { return names_[second ? 1 : 0]; }

 private:
  std::optional<Outcome> outcome_;
  std::vector<std::uint64_t> rows_;
  std::vector<double> values_;
  std::string names_[2] = {"0", "1"};
};

// The prediction (of classes that of the most likely one, or of the one that was asked for), how far it is from the
// truth, and the `most` features that add most to it.
void add_explanations(const MethodInput& input, const std::vector<AnsweredRow>& explained, const TrueOutcomes& truths,
                      std::size_t most, Examples& examples);

}  // namespace sightglass
