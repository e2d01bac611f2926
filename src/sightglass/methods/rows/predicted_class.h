// Which class a model's outputs mean: the highest of several, or which side of the middle a single one is on.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sightglass/methods/run/method.h"

namespace sightglass {

class PredictedClass {
 public:
  explicit PredictedClass(const MethodInput& input);

  // False where the model predicts numbers.
  [[nodiscard]] bool any() const { return !names_.empty(); }
  // Of all outputs of a row; ties go to the first. 0 where there are no classes.
  [[nodiscard]] std::size_t of(std::span<const double> outputs) const;
  [[nodiscard]] const std::string& name(std::size_t place) const { return names_[place]; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  // Two classes share one output: the second is predicted where it is above the middle.
  [[nodiscard]] bool one_output() const { return one_output_; }
  [[nodiscard]] double middle() const { return middle_; }
  // Which output speaks of a class.
  [[nodiscard]] std::size_t output_of(std::size_t place) const { return one_output_ ? 0 : place; }

 private:
  std::vector<std::string> names_;
  bool one_output_ = false;
  double middle_ = 0;  // of a single output
};

}  // namespace sightglass
