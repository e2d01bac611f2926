// Does the model do with made-up rows what it does with rows of the data? A model can tell the two apart, and then show
// LIME another face (Slack et al. 2020, Fooling LIME and SHAP). A tree is fitted to what the model says of rows of the
// data alone: one that follows it on other rows of the data, but not at all on made-up ones, gives such a model away.
#pragma once

#include <optional>

#include "sightglass/methods/local/lime/perturbation.h"

namespace sightglass {

struct OffData {
  double on_rows = 0;     // R² on rows of the data that it was not fitted to
  double on_samples = 0;  // R² on made-up rows
};

// Of one output. Nothing where there are too few rows, or the model's predictions do not vary.
[[nodiscard]] std::optional<OffData> look_off_data(const MethodInput& input, const LabelledRows& rows,
                                                   const Samples& samples, std::size_t output);

}  // namespace sightglass
