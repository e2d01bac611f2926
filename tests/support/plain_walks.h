// The plainest possible walk through trees, and numbers that are hard on it.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "sightglass/model/trees/ensemble.h"
#include "sightglass/model/trees/rows/feature_codes_internal.h"

namespace sightglass::testing {

inline bool goes_left(const TreeEnsemble::Parts& parts, const TreeNode& node, double x) {
  if (std::isnan(x)) return node.missing_left;
  if (node.categories >= 0) {
    const bool none = parts.comparison == Comparison::float64_less_equal ? x <= -1 : x < 0;
    const auto& set = parts.category_sets[static_cast<std::size_t>(node.categories)];
    const bool member = !none && x < 2147483648.0 && set.contains(static_cast<std::int64_t>(x));
    return member == node.categories_left;
  }
  if (node.zero_is_missing && x >= -zero_threshold && x <= zero_threshold) return node.missing_left;
  switch (parts.comparison) {
    case Comparison::float32_less: return static_cast<float>(x) < static_cast<float>(node.threshold);
    case Comparison::float64_less_equal: return x <= node.threshold;
    case Comparison::float32_less_equal: return static_cast<double>(static_cast<float>(x)) <= node.threshold;
  }
  return false;
}

template <class Sum>
std::vector<Sum> first_sums(const TreeEnsemble::Parts& parts) {
  if (parts.base_last) return std::vector<Sum>(parts.base.size());
  return {parts.base.begin(), parts.base.end()};
}
template <class Sum>
void add_base_last(const TreeEnsemble::Parts& parts, std::vector<Sum>& sums) {
  for (std::size_t k = 0; k < sums.size() && parts.base_last; ++k) sums[k] += static_cast<Sum>(parts.base[k]);
}

// The margins of a row, added up in some type.
template <class Sum>
std::vector<double> walk(const TreeEnsemble::Parts& parts, const std::vector<double>& row) {
  std::vector<Sum> sums = first_sums<Sum>(parts);
  for (const Tree& tree : parts.trees) {
    const TreeNode* node = &parts.nodes[tree.root];
    while (!node->is_leaf()) {
      const bool left = goes_left(parts, *node, row[static_cast<std::size_t>(node->feature)]);
      node = &parts.nodes[static_cast<std::size_t>(left ? node->left : node->right)];
    }
    if (parts.leaf_values.empty()) {
      sums[tree.output] += static_cast<Sum>(node->threshold);
      continue;
    }
    for (std::size_t k = 0; k < sums.size(); ++k) {
      sums[k] += static_cast<Sum>(parts.leaf_values[static_cast<std::size_t>(node->leaf) * sums.size() + k]);
    }
  }
  add_base_last(parts, sums);
  std::vector<double> margins;
  for (const Sum sum : sums) margins.push_back(static_cast<double>(sum / static_cast<Sum>(parts.divisor)));
  return margins;
}

// The margins of an input by its codes, tree by tree.
template <class Sum = double>
std::vector<double> margins_of_codes(const TreeEnsemble::Parts& parts, const FeatureCodes& codes,
                                     std::span<const std::uint32_t> at) {
  std::vector<Sum> sums = first_sums<Sum>(parts);
  for (const Tree& tree : parts.trees) {
    std::size_t index = tree.root;
    while (!parts.nodes[index].is_leaf()) {
      const auto& condition = codes.conditions()[codes.condition_of(index)];
      const TreeNode& node = parts.nodes[index];
      index = static_cast<std::size_t>(codes.goes_right(condition, at[condition.slot]) ? node.right : node.left);
    }
    const TreeNode& leaf = parts.nodes[index];
    if (leaf.leaf < 0) {
      sums[tree.output] += static_cast<Sum>(leaf.threshold);
      continue;
    }
    for (std::size_t k = 0; k < sums.size(); ++k)
      sums[k] += static_cast<Sum>(parts.leaf_values[static_cast<std::size_t>(leaf.leaf) * sums.size() + k]);
  }
  add_base_last(parts, sums);
  for (Sum& sum : sums) sum /= static_cast<Sum>(parts.divisor);
  return {sums.begin(), sums.end()};
}
// As the framework adds them up.
inline std::vector<double> framework_margins_of_codes(const TreeEnsemble::Parts& parts, const FeatureCodes& codes,
                                                      std::span<const std::uint32_t> at) {
  return parts.float32_sums ? margins_of_codes<float>(parts, codes, at) : margins_of_codes(parts, codes, at);
}

// Every input by its codes, of each slot those that are allowed.
template <class Allowed, class Visit>
void each_input(const FeatureCodes& codes, Allowed allowed, Visit visit) {
  std::vector<std::uint32_t> at(codes.slots(), 0);
  while (true) {
    bool inside = true;
    for (std::size_t slot = 0; slot < at.size(); ++slot) inside = inside && allowed(slot, at[slot]);
    if (inside) visit(at);
    std::size_t slot = 0;
    while (slot < at.size() && ++at[slot] == codes.codes(slot)) at[slot++] = 0;
    if (slot == at.size()) return;
  }
}

// Numbers that a comparison can get wrong: on thresholds, one float or double away, around zero, huge, none.
inline double hard_number(std::mt19937_64& random) {
  const double threshold = static_cast<double>(random() % 41) / 2 - 10;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (random() % 12) {
    case 0: return threshold;
    case 1: return std::nextafter(threshold, infinity);
    case 2: return std::nextafter(threshold, -infinity);
    case 3: return static_cast<double>(std::nextafter(static_cast<float>(threshold), INFINITY));
    case 4: return static_cast<double>(std::nextafter(static_cast<float>(threshold), -INFINITY));
    case 5: return NAN;
    case 6: return random() % 2 == 0 ? infinity : -infinity;
    case 7: return random() % 2 == 0 ? 0.0 : -0.0;
    case 8:
      return (random() % 2 == 0 ? 1 : -1) * (random() % 2 == 0 ? zero_threshold : std::nextafter(zero_threshold, 1));
    case 9: return random() % 2 == 0 ? 1e39 : -1e300;
    default: return std::normal_distribution<double>(0, 3)(random);
  }
}

}  // namespace sightglass::testing
