#include "sightglass/methods/rows/predicted_class.h"

#include <algorithm>

namespace sightglass {

PredictedClass::PredictedClass(const MethodInput& input) {
  if (input.task == Task::regression) return;
  if (input.outputs.size() > 1) {
    names_ = input.outputs;
    return;
  }
  if (input.outputs.empty() || input.task != Task::binary) return;
  one_output_ = true;
  middle_ = input.scale == Scale::response ? 0.5 : 0.0;
  const std::string& second = input.outputs[0];
  // A model without names of its own calls its output "prediction".
  names_ = second == "prediction" ? std::vector<std::string>{"0", "1"} : std::vector{"not " + second, second};
  if (!input.other_class.empty()) names_[0] = input.other_class;
  if (!input.target || !input.other_class.empty()) return;
  // The other of the target's two levels is what the output does not speak of.
  const std::vector<std::string> levels = input.schema[*input.target].levels();
  if (levels.size() == 2 && (levels[0] == second || levels[1] == second))
    names_[0] = levels[0] == second ? levels[1] : levels[0];
}

std::size_t PredictedClass::of(std::span<const double> outputs) const {
  if (names_.empty()) return 0;
  if (one_output_) return outputs[0] > middle_ ? 1 : 0;
  return static_cast<std::size_t>(std::max_element(outputs.begin(), outputs.end()) - outputs.begin());
}

}  // namespace sightglass
