#include "sightglass/result/highest_output.h"

#include <algorithm>

namespace sightglass {

std::size_t highest_output(const std::vector<const Attributions*>& outputs, std::size_t row) {
  const auto lower = [row](const Attributions* a, const Attributions* b) {
    return a->prediction[row] < b->prediction[row];
  };
  return static_cast<std::size_t>(std::max_element(outputs.begin(), outputs.end(), lower) - outputs.begin());
}

}  // namespace sightglass
