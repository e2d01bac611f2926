#include <algorithm>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/model/trees/tree_dependence_internal.h"

namespace sightglass {

namespace {

// Adds a number to all codes that meet a demand: numbers[code + 1] − numbers[code] are stored, and the code of missing
// values stands alone.
class CodeSteps {
 public:
  CodeSteps(const FeatureCodes& codes, const TreeCounts& counts, std::size_t slot)
      : counts_(counts), missing_(codes.missing(slot)) {}

  // Calls add(code, sign): the sum over codes up to c of what was added is what c gets; but for missing values, whose
  // code gets just its own.
  template <class Add>
  void each(const TreeCounts::Demand& demand, const Add& add) const {
    if (demand.members < 0) {
      if (demand.first < demand.end) {
        add(demand.first, 1.0);
        if (demand.end < missing_) add(demand.end, -1.0);
      }
      if (demand.missing) add(missing_, 1.0);
      return;
    }
    bool inside = false;
    for (std::uint32_t code = 0; code < missing_; ++code) {
      const bool meets = counts_.meets(demand, code);
      if (meets != inside) add(code, meets ? 1.0 : -1.0);
      inside = meets;
    }
    if (counts_.meets(demand, missing_)) add(missing_, 1.0);
  }

  // From steps to numbers, `stride` apart.
  void sum_up(double* steps, std::size_t stride) const {
    for (std::size_t code = 1; code < missing_; ++code) steps[code * stride] += steps[(code - 1) * stride];
  }

 private:
  const TreeCounts& counts_;
  std::uint32_t missing_;
};

}  // namespace

TreeDependence::TreeDependence(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const TreeCounts& counts,
                               std::vector<std::uint64_t> counted, std::uint64_t rows)
    : parts_(parts), codes_(codes), counts_(counts), counted_(std::move(counted)), rows_(static_cast<double>(rows)) {
  if (counted_.size() != counts.size() || rows == 0)
    throw Error(ErrorKind::internal, "counts of other trees, or of no rows");
}

double TreeDependence::value(const TreeCounts::Leaf& leaf, std::size_t output) const {
  const TreeNode& node = parts_.nodes[leaf.node];
  if (!parts_.leaf_values.empty())
    return parts_.leaf_values[static_cast<std::size_t>(node.leaf) * parts_.base.size() + output];
  return parts_.trees[leaf.tree].output == output ? node.threshold : 0;
}

std::size_t TreeDependence::position(const TreeCounts::Leaf& leaf, std::size_t slot) const {
  const auto demands = counts_.demands(leaf);
  return static_cast<std::size_t>(
      std::find_if(demands.begin(), demands.end(), [&](const auto& demand) { return demand.slot == slot; }) -
      demands.begin());
}

double TreeDependence::mean(std::size_t output) const {
  double sum = parts_.base[output];
  for (const TreeCounts::Leaf& leaf : counts_.leaves()) sum += value(leaf, output) * share(TreeCounts::all(leaf));
  return sum / parts_.divisor;
}

std::vector<double> TreeDependence::single(std::size_t slot, std::size_t output) const {
  const CodeSteps steps(codes_, counts_, slot);
  std::vector<double> numbers(codes_.codes(slot), 0.0);
  double elsewhere = parts_.base[output];
  for (const TreeCounts::Leaf& leaf : counts_.leaves()) {
    const double leaf_value = value(leaf, output);
    if (leaf_value == 0) continue;
    const std::size_t p = position(leaf, slot);
    if (p == counts_.demands(leaf).size()) {
      elsewhere += leaf_value * share(TreeCounts::all(leaf));
      continue;
    }
    const double part = leaf_value * share(counts_.without(leaf, p));
    steps.each(counts_.demands(leaf)[p], [&](std::uint32_t code, double sign) { numbers[code] += sign * part; });
  }
  steps.sum_up(numbers.data(), 1);
  for (double& number : numbers) number = (number + elsewhere) / parts_.divisor;
  return numbers;
}

std::vector<double> TreeDependence::pair(std::size_t first, std::size_t second, std::size_t output) const {
  if (counts_.order() < 2) throw Error(ErrorKind::internal, "pairs need counts of order 2");
  const CodeSteps first_steps(codes_, counts_, first), second_steps(codes_, counts_, second);
  const std::size_t height = codes_.codes(first), width = codes_.codes(second);
  std::vector<double> both(height * width, 0.0), only_first(height, 0.0), only_second(width, 0.0);
  double elsewhere = parts_.base[output];
  for (const TreeCounts::Leaf& leaf : counts_.leaves()) {
    const double leaf_value = value(leaf, output);
    if (leaf_value == 0) continue;
    const auto demands = counts_.demands(leaf);
    const std::size_t p = position(leaf, first), q = position(leaf, second);
    if (p < demands.size() && q < demands.size()) {
      const double part = leaf_value * share(counts_.without(leaf, std::min(p, q), std::max(p, q)));
      first_steps.each(demands[p], [&](std::uint32_t a, double sign) {
        second_steps.each(demands[q],
                          [&](std::uint32_t b, double other) { both[a * width + b] += sign * other * part; });
      });
    } else if (p < demands.size()) {
      const double part = leaf_value * share(counts_.without(leaf, p));
      first_steps.each(demands[p], [&](std::uint32_t code, double sign) { only_first[code] += sign * part; });
    } else if (q < demands.size()) {
      const double part = leaf_value * share(counts_.without(leaf, q));
      second_steps.each(demands[q], [&](std::uint32_t code, double sign) { only_second[code] += sign * part; });
    } else {
      elsewhere += leaf_value * share(TreeCounts::all(leaf));
    }
  }
  first_steps.sum_up(only_first.data(), 1);
  second_steps.sum_up(only_second.data(), 1);
  for (std::size_t b = 0; b < width; ++b) first_steps.sum_up(both.data() + b, width);
  for (std::size_t a = 0; a < height; ++a) {
    double* row = both.data() + a * width;
    second_steps.sum_up(row, 1);
    for (std::size_t b = 0; b < width; ++b)
      row[b] = (row[b] + only_first[a] + only_second[b] + elsewhere) / parts_.divisor;
  }
  return both;
}

}  // namespace sightglass
