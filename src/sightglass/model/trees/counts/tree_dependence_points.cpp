// What two features do together at single points. A table over all codes of both grows with their product, and deep
// forests have thousands of codes; here leaves and points are passed in the order of the first feature's codes, with
// only the second one's steps in memory. Sums of 128 of these are kept as well, so that a point adds up few numbers.
#include <algorithm>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/model/trees/counts/tree_dependence_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t block_codes = 128;

// Steps along the codes of a feature; that of missing values, the last, stands alone.
class RunningSteps {
 public:
  RunningSteps(std::size_t codes, std::size_t values)
      : values_(values), steps_(codes), blocks_(values / block_codes + 1) {}
  void clear() {
    std::fill(steps_.begin(), steps_.end(), 0.0);
    std::fill(blocks_.begin(), blocks_.end(), 0.0);
  }
  void add(std::size_t code, double amount) {
    steps_[code] += amount;
    if (code < values_) blocks_[code / block_codes] += amount;
  }
  [[nodiscard]] double at(std::size_t code) const {
    if (code >= values_) return steps_[code];
    const auto block = static_cast<std::ptrdiff_t>(code / block_codes);
    const double before = std::accumulate(blocks_.begin(), blocks_.begin() + block, 0.0);
    return std::accumulate(steps_.begin() + block * static_cast<std::ptrdiff_t>(block_codes),
                           steps_.begin() + static_cast<std::ptrdiff_t>(code) + 1, before);
  }

 private:
  std::size_t values_;
  std::vector<double> steps_, blocks_;
};

// The numbers 0, 1, … in ascending order of their codes, and where those of each code begin.
struct ByCode {
  template <class CodeOf>
  ByCode(std::size_t count, std::size_t codes, const CodeOf& code_of) : order(count), begins(codes + 1) {
    for (std::size_t i = 0; i < count; ++i) ++begins[code_of(i) + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<std::size_t> next = begins;
    for (std::size_t i = 0; i < count; ++i) order[next[code_of(i)]++] = i;
  }
  std::vector<std::size_t> order, begins;
};

}  // namespace

std::vector<double> TreeDependence::interaction_at(const TreeCounts& counts, std::span<const std::uint64_t> counted,
                                                   const Points& points, std::size_t output) const {
  if (counted.size() != counts.size() || counts.order() < 2)
    throw Error(ErrorKind::internal, "pairs need their counts");
  const Axis &rows = axes_[points.first], &columns = axes_[points.second];
  // At a code of the first feature a leaf adds its steps along the second.
  struct Entry {
    std::uint32_t at;
    std::size_t begin, end;  // of the steps
    double amount;
  };
  std::vector<Entry> entries;
  std::vector<Step> along, first_steps, second_steps;
  std::vector<double> only_first(rows.codes.size()), only_second(columns.codes.size());
  double constant = 0;
  for (const TreeCounts::Leaf& leaf : counts.leaves()) {
    const TreeNode& node = parts_.nodes[leaf.node];
    const bool one = parts_.leaf_values.empty();
    if (one && parts_.trees[leaf.tree].output != output) continue;
    const auto path_conditions = counts.path_conditions(leaf);
    std::size_t first = path_conditions.size(), second = path_conditions.size();
    for (std::size_t p = 0; p < path_conditions.size(); ++p) {
      if (path_conditions[p].slot == points.first) first = p;
      if (path_conditions[p].slot == points.second) second = p;
    }
    if (first == path_conditions.size() || second == path_conditions.size()) continue;
    const auto [low, high] = std::minmax(first, second);
    const auto others = static_cast<double>(counted[counts.without(leaf, low, high)]);
    if (others == 0) continue;  // then no row meets more
    const double value =
        one ? node.threshold : parts_.leaf_values[static_cast<std::size_t>(node.leaf) * parts_.base.size() + output];
    find_steps(counts, path_conditions[first], rows, first_steps);
    find_steps(counts, path_conditions[second], columns, second_steps);
    constant += value * static_cast<double>(counted[TreeCounts::all(leaf)]);
    const double without_first = value * static_cast<double>(counted[counts.without(leaf, first)]);
    const double without_second = value * static_cast<double>(counted[counts.without(leaf, second)]);
    for (const Step& step : second_steps) only_second[step.at] -= step.sign * without_second;
    const std::size_t begin = along.size();
    along.insert(along.end(), second_steps.begin(), second_steps.end());
    for (const Step& step : first_steps) {
      only_first[step.at] -= step.sign * without_first;
      entries.push_back({step.at, begin, along.size(), step.sign * (value * others)});
    }
  }
  sum_up(only_first.data(), rows.values, 1);
  sum_up(only_second.data(), columns.values, 1);

  const ByCode leaves(entries.size(), rows.codes.size(), [&](std::size_t i) { return entries[i].at; });
  const ByCode asked(points.first_codes.size(), rows.codes.size(),
                     [&](std::size_t i) { return points.first_codes[i]; });
  RunningSteps both(columns.codes.size(), columns.values);
  std::vector<double> numbers(points.first_codes.size());
  for (std::size_t code = 0; code < rows.codes.size(); ++code) {
    if (code == rows.values) both.clear();  // that of missing values stands alone
    for (std::size_t at = leaves.begins[code]; at < leaves.begins[code + 1]; ++at) {
      const Entry& entry = entries[leaves.order[at]];
      for (std::size_t step = entry.begin; step < entry.end; ++step)
        both.add(along[step].at, along[step].sign * entry.amount);
    }
    for (std::size_t at = asked.begins[code]; at < asked.begins[code + 1]; ++at) {
      const std::size_t point = asked.order[at], second = points.second_codes[point];
      const double sum = both.at(second) + only_first[code] + only_second[second] + constant;
      numbers[point] = sum / total_ / parts_.divisor;
    }
  }
  return numbers;
}

}  // namespace sightglass
