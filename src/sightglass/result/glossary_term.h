// A word that results use, explained in a sentence or two for readers who meet it for the first time.
#pragma once

#include <string>

namespace sightglass {

struct GlossaryTerm {
  std::string term, meaning;

  friend bool operator==(const GlossaryTerm&, const GlossaryTerm&) = default;
};

// Of the method and of rankings by it.
[[nodiscard]] inline GlossaryTerm shapley_values_term() {
  return {
      "Shapley values (SHAP)",
      "What each feature adds to the prediction of one row, compared with the average prediction: they add up to the "
      "difference. They explain the model, not the world."};
}

}  // namespace sightglass
