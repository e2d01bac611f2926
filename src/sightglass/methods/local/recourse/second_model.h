// Whether changes that a model promises still lead to what was wanted under a second one, a newer version of it most
// likely.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sightglass/methods/rows/predicted_class.h"
#include "sightglass/methods/run/method.h"
#include "sightglass/result/shapes/counterfactuals.h"

namespace sightglass {

class SecondModel {
 public:
  // Throws Error(usage) where the second model cannot be asked about the same rows, or knows other outcomes. Its input
  // must outlive this.
  SecondModel(const MethodInput& first, const MethodInput& second);

  // Of a changed row of an item: what it is about, and what is wanted, is the item's.
  [[nodiscard]] OtherAnswer answer(const Counterfactuals& item, std::span<const double> outputs) const;

 private:
  // What the second model says of the output that an item is about.
  [[nodiscard]] double answer_to(const Counterfactuals& item, std::span<const double> outputs) const;

  const MethodInput& second_;
  PredictedClass first_classes_, classes_;
};

// How many of the rows still get what was promised, and a caveat that names those that do not.
void add_kept_recourse(const std::vector<Counterfactuals>& items, Result& result);

}  // namespace sightglass
