#include <algorithm>
#include <limits>

#include "sightglass/model/trees/predict/predict_codes_internal.h"

namespace sightglass {

namespace {

template <class Sum>
std::vector<double> predict_in(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, Scale scale,
                               std::span<const std::uint32_t> at) {
  const std::size_t outputs = parts.base.size();
  std::vector<Sum> sums(outputs);
  if (!parts.base_last) sums.assign(parts.base.begin(), parts.base.end());
  for (const Tree& tree : parts.trees) {
    const TreeNode& leaf = codes.leaf(tree, at);
    if (leaf.leaf < 0) {
      sums[tree.output] += static_cast<Sum>(leaf.threshold);
      continue;
    }
    const double* values = parts.leaf_values.data() + static_cast<std::size_t>(leaf.leaf) * outputs;
    for (std::size_t k = 0; k < outputs; ++k) sums[k] += static_cast<Sum>(values[k]);
  }
  for (std::size_t k = 0; k < outputs && parts.base_last; ++k) sums[k] += static_cast<Sum>(parts.base[k]);
  if (parts.divisor != 1) {
    for (Sum& sum : sums) sum /= static_cast<Sum>(parts.divisor);
  }
  if (scale == Scale::response) parts.link.apply(sums.data(), outputs, 1);
  return {sums.begin(), sums.end()};
}

}  // namespace

std::vector<double> predict_codes(const TreeEnsemble::Parts& parts, const FeatureCodes& codes,
                                  const PredictOptions& options, std::span<const std::uint32_t> at) {
  const bool in_float = parts.float32_sums && options.arithmetic == Arithmetic::framework;
  return in_float ? predict_in<float>(parts, codes, options.scale, at)
                  : predict_in<double>(parts, codes, options.scale, at);
}

void apply_link(const TreeEnsemble::Parts& parts, std::span<double> margins) {
  if (!parts.float32_sums) return parts.link.apply(margins.data(), margins.size(), 1);
  std::vector<float> sums(margins.begin(), margins.end());
  parts.link.apply(sums.data(), sums.size(), 1);
  std::copy(sums.begin(), sums.end(), margins.begin());
}

double summation_error(const TreeEnsemble::Parts& parts, double sizes) {
  // Besides additions: the base and leaves become float, and the sum is divided.
  const double operations = static_cast<double>(parts.trees.size()) + 4;
  const auto lost = [&](double unit) {
    const double share = operations * unit;
    return share < 1 ? share / (1 - share) : std::numeric_limits<double>::infinity();
  };
  return sizes * (lost(parts.float32_sums ? 0x1p-24 : 0x1p-53) + lost(0x1p-53));
}

}  // namespace sightglass
