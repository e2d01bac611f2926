// What a rule promises: that the model says the same of other rows as of the one that is explained. Of classes that is
// the most probable one, of a label whether it is there, of a number that it is within a tolerance.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/methods/rows/labelled_rows.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

enum class AnchorOutcomeKind {
  number,     // an output within the tolerance
  label,      // whether an output is above one half
  labels,     // which of the outputs are: their set
  top_class,  // the most probable class
  one_class,  // whether the most probable class is a certain one
};

struct AnchorOutcome {
  AnchorOutcomeKind kind = AnchorOutcomeKind::number;
  std::size_t output = 0;  // of number, label and one_class
  double even = 0.5;       // above which a label is there
  double tolerance = 0;    // of number

  // Of the predictions of two rows.
  [[nodiscard]] bool same(std::span<const double> a, std::span<const double> b) const;
};

// asked: the option: auto, number, label, labels or class. tolerance: in standard deviations of the predictions.
[[nodiscard]] std::vector<AnchorOutcome> outcomes_of(const MethodInput& input, const LabelledRows& rows,
                                                     std::string_view asked, double tolerance);
// The name of the model's output that it is about, and of what the model says there, if that has a name.
[[nodiscard]] std::string outcome_output(const MethodInput& input, const AnchorOutcome& outcome,
                                         std::span<const double> predictions);
[[nodiscard]] std::string outcome_class(const MethodInput& input, const AnchorOutcome& outcome,
                                        std::span<const double> predictions);
// Ties: the first.
[[nodiscard]] std::size_t top_class(std::span<const double> predictions);

}  // namespace sightglass
