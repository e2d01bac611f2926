#include <algorithm>
#include <cmath>

#include "sightglass/model/trees/bounds/cheapest_change_internal.h"
#include "sightglass/model/trees/predict/predict_codes_internal.h"

namespace sightglass {

namespace {

// What exp rounds is less than this share.
constexpr double rounding = 1e-11;
// The same in float32.
constexpr double float32_rounding = 1e-6;
// Ways down a tree that are walked one inside the other.
constexpr std::uint32_t deepest = 5000;

}  // namespace

CheapestChange::CheapestChange(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const LeafGoal& goal)
    : parts_(parts),
      codes_(codes),
      goal_(goal),
      parents_(parts),
      sums_(goal.sums.size()),
      gains_(parts.nodes.size() * sums_),
      base_(sums_),
      slack_(sums_) {
  const std::size_t outputs = parts.base.size();
  std::vector<double> sizes(sums_);
  for (std::size_t i = 0; i < sums_; ++i) {
    for (std::size_t k = 0; k < outputs; ++k) {
      const double each = goal.sums[i].weights[k] * parts.base[k] / parts.divisor;
      base_[i] += each;
      sizes[i] += std::abs(each);  // which may cancel out, but not what is lost beside it
    }
    sizes[i] += std::abs(goal.sums[i].least);
  }
  std::vector<std::uint32_t> stack;
  std::vector<double> largest(sums_);
  for (const Tree& tree : parts.trees) {
    std::fill(largest.begin(), largest.end(), 0.0);
    stack.assign(1, tree.root);
    while (!stack.empty()) {
      const std::uint32_t index = stack.back();
      stack.pop_back();
      const TreeNode& node = parts.nodes[index];
      if (!node.is_leaf()) {
        stack.insert(stack.end(), {static_cast<std::uint32_t>(node.right), static_cast<std::uint32_t>(node.left)});
        continue;
      }
      for (std::size_t i = 0; i < sums_; ++i) {
        double gain = 0, size = 0;
        const auto add = [&](double weight, double value) {
          gain += weight * value;
          size += std::abs(weight * value);
        };
        if (parts.leaf_values.empty()) {
          add(goal.sums[i].weights[tree.output], node.threshold);
        } else {
          const double* values = parts.leaf_values.data() + static_cast<std::size_t>(node.leaf) * outputs;
          for (std::size_t k = 0; k < outputs; ++k) add(goal.sums[i].weights[k], values[k]);
        }
        gains_[index * sums_ + i] = gain / parts.divisor;
        largest[i] = std::max(largest[i], size / parts.divisor);
      }
    }
    for (std::size_t i = 0; i < sums_; ++i) sizes[i] += largest[i];
  }
  for (std::size_t i = 0; i < sums_; ++i) {
    // Searches add up leaves one after the other, and take them off again.
    const double steps = 4 * static_cast<double>(parts.nodes.size()) * 0x1p-53;
    slack_[i] = summation_error(parts, sizes[i]) + steps * sizes[i];
  }
}

double CheapestChange::size(const TreeEnsemble::Parts& parts, const LeafGoal& goal) {
  double steps = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack;  // nodes and their depths
  for (const Tree& tree : parts.trees) {
    stack.assign(1, {tree.root, 0});
    while (!stack.empty()) {
      const auto [index, depth] = stack.back();
      stack.pop_back();
      const TreeNode& node = parts.nodes[index];
      if (depth > deepest) return std::numeric_limits<double>::infinity();
      if (node.is_leaf()) {
        steps += depth;
        continue;
      }
      stack.emplace_back(static_cast<std::uint32_t>(node.right), depth + 1);
      stack.emplace_back(static_cast<std::uint32_t>(node.left), depth + 1);
    }
  }
  return steps + static_cast<double>(parts.nodes.size()) * static_cast<double>(goal.sums.size());
}

bool CheapestChange::may_hold(std::span<const double> sums) const {
  if (goal_.rule == LeafGoal::Rule::each) {
    for (std::size_t i = 0; i < sums_; ++i) {
      if (!(sums[i] + slack_[i] >= goal_.sums[i].least)) return false;
    }
    return true;
  }
  const bool few = goal_.rule == LeafGoal::Rule::few_rest;
  double rest = 0;
  for (std::size_t i = 0; i < sums_; ++i) {
    const double sum = sums[i] + slack_[i];
    rest += std::exp(few ? -sum : sum);
  }
  const double share = parts_.float32_sums ? float32_rounding : rounding;
  return few ? rest * (1 - share) <= goal_.rest : rest * (1 + share) >= goal_.rest;
}

std::vector<double> CheapestChange::margins(std::span<const std::uint32_t> at) const {
  return predict_codes(parts_, codes_, {.scale = Scale::margin, .arithmetic = Arithmetic::framework}, at);
}

}  // namespace sightglass
