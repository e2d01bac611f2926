#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/model/trees/counts/tree_dependence_internal.h"

namespace sightglass {

TreeDependence::Axis::Axis(const FeatureCodes& feature_codes, std::uint32_t of_slot, std::vector<std::uint32_t> wanted)
    : slot(of_slot), codes(std::move(wanted)) {
  const std::uint32_t all = feature_codes.codes(slot);
  if (!std::is_sorted(codes.begin(), codes.end(), std::less_equal<>()) || (!codes.empty() && codes.back() >= all))
    throw Error(ErrorKind::internal, "codes that do not ascend or do not exist");
  reached.reserve(all);
  for (std::uint32_t code = 0, below = 0; code < all; ++code) {
    reached.push_back(below);
    if (below < codes.size() && codes[below] == code) ++below;
  }
  values = reached[all - 1];
  mask.resize((all + 63) / 64);
  for (std::size_t at = 0; at < values; ++at) mask[codes[at] / 64] |= std::uint64_t{1} << (codes[at] % 64);
}

TreeDependence::TreeDependence(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, std::uint64_t total,
                               std::vector<Pair> pairs, std::vector<std::size_t> outputs)
    : parts_(parts),
      codes_(codes),
      total_(static_cast<double>(total)),
      wanted_(std::move(outputs)),
      position_of_(parts.base.size(), -1) {
  if (wanted_.empty()) {
    wanted_.resize(parts.base.size());
    std::iota(wanted_.begin(), wanted_.end(), std::size_t{0});
  }
  for (std::size_t k = 0; k < wanted_.size(); ++k) position_of_[wanted_[k]] = static_cast<int>(k);
  outputs_ = wanted_.size();
  sums_.assign(outputs_, 0.0);
  if (!parts.leaf_values.empty() && outputs_ < parts.base.size()) picked_.resize(outputs_);
  if (total == 0) throw Error(ErrorKind::internal, "dependence over no rows");
  for (std::uint32_t slot = 0; slot < codes.slots(); ++slot) {
    std::vector<std::uint32_t> all(codes.codes(slot));
    std::iota(all.begin(), all.end(), 0);
    axes_.emplace_back(codes, slot, std::move(all));
    steps_.emplace_back(codes.codes(slot) * outputs_, 0.0);
    having_.emplace_back(outputs_, 0.0);
  }
  axes_of_slot_.resize(codes.slots());
  partners_.resize(codes.slots());
  for (Pair& pair : pairs) {
    const auto [low, high] = std::minmax(pair.first, pair.second);
    if (low == high || high >= codes.slots()) throw Error(ErrorKind::internal, "a pair of one feature or of none");
    partners_[low].push_back({high, pairs_.size()});
    const std::size_t height = pair.first_codes.size(), width = pair.second_codes.size();
    const std::uint32_t first = find_axis(pair.first, std::move(pair.first_codes));
    const std::uint32_t second = find_axis(pair.second, std::move(pair.second_codes));
    pairs_.push_back({first, second, std::vector<double>(height * width * outputs_, 0.0),
                      std::vector<double>(height * outputs_, 0.0), std::vector<double>(width * outputs_, 0.0),
                      std::vector<double>(outputs_, 0.0)});
  }
  for (auto& partners : partners_)
    std::stable_sort(partners.begin(), partners.end(),
                     [](const Partner& a, const Partner& b) { return a.slot < b.slot; });
  axis_steps_.resize(pair_axes_.size());
}

std::uint32_t TreeDependence::find_axis(std::uint32_t slot, std::vector<std::uint32_t> codes) {
  for (const std::uint32_t axis : axes_of_slot_[slot]) {
    if (pair_axes_[axis].codes == codes) return axis;
  }
  axes_of_slot_[slot].push_back(static_cast<std::uint32_t>(pair_axes_.size()));
  pair_axes_.emplace_back(codes_, slot, std::move(codes));
  return axes_of_slot_[slot].back();
}

void TreeDependence::find_steps(const TreeCounts& counts, const PathCondition& path_condition, const Axis& axis,
                                std::vector<Step>& steps) {
  steps.clear();
  const auto values = static_cast<std::uint32_t>(axis.values);
  bool missing = path_condition.missing;
  if (path_condition.members < 0) {
    const std::uint32_t begin = axis.reached[path_condition.first], end = axis.reached[path_condition.end];
    if (begin < end) {
      steps.push_back({begin, 1});
      if (end < values) steps.push_back({end, -1});
    }
  } else {
    // Code after code that meets it, and nothing of those that do not: there may be tens of thousands.
    const auto& set = counts.members(path_condition);
    std::uint32_t open = values;  // where a run would go on
    for (std::size_t word = 0; word < set.size(); ++word) {
      for (std::uint64_t left = set[word] & axis.mask[word]; left != 0; left &= left - 1) {
        const std::uint32_t at = axis.reached[word * 64 + static_cast<std::size_t>(std::countr_zero(left))];
        if (open != at || steps.empty()) {
          if (!steps.empty()) steps.push_back({open, -1});
          steps.push_back({at, 1});
        }
        open = at + 1;
      }
    }
    if (!steps.empty() && open < values) steps.push_back({open, -1});
    missing = axis.codes.size() > values && counts.meets(path_condition, axis.codes.back());
  }
  if (missing && axis.codes.size() > values) steps.push_back({values, 1});
}

void TreeDependence::sum_up(double* steps, std::size_t values, std::size_t stride) {
  for (std::size_t at = stride; at < values * stride; ++at) steps[at] += steps[at - stride];
}

void TreeDependence::add(const TreeCounts& counts, std::span<const std::uint64_t> counted, std::size_t first,
                         std::size_t end) {
  if (counted.size() != counts.size()) throw Error(ErrorKind::internal, "counts of other trees");
  if (counts.trees().begin != trees_ || first != next_leaf_ || end > counts.leaves().size())
    throw Error(ErrorKind::internal, "trees out of their order");
  if (!pairs_.empty() && counts.order() < 2) throw Error(ErrorKind::internal, "pairs need counts of order 2");
  next_leaf_ = end;
  if (end == counts.leaves().size()) {
    trees_ = counts.trees().end;
    next_leaf_ = 0;
  }
  // A leaf has one value for its tree's output, or one for each.
  const bool one = parts_.leaf_values.empty();
  const std::size_t outputs = one ? 1 : outputs_;
  for (const TreeCounts::Leaf& leaf : std::span(counts.leaves()).subspan(first, end - first)) {
    const TreeNode& node = parts_.nodes[leaf.node];
    if (one && position_of_[parts_.trees[leaf.tree].output] < 0) continue;
    const std::size_t output = one ? position(parts_.trees[leaf.tree].output) : 0;
    const double* values =
        one ? &node.threshold : parts_.leaf_values.data() + static_cast<std::size_t>(node.leaf) * parts_.base.size();
    if (!picked_.empty()) {
      for (std::size_t k = 0; k < outputs_; ++k) picked_[k] = values[wanted_[k]];
      values = picked_.data();
    }
    const auto here = static_cast<double>(counted[TreeCounts::all(leaf)]);
    for (std::size_t k = 0; k < outputs; ++k) sums_[output + k] += values[k] * here;
    const auto path_conditions = counts.path_conditions(leaf);
    for (std::size_t p = 0; p < path_conditions.size(); ++p) {
      const std::uint32_t slot = path_conditions[p].slot;
      for (std::size_t k = 0; k < outputs; ++k) having_[slot][output + k] += values[k] * here;
      const auto others = static_cast<double>(counted[counts.without(leaf, p)]);
      if (others == 0) continue;
      find_steps(counts, path_conditions[p], axes_[slot], single_steps_);
      for (const Step& step : single_steps_) {
        double* to = steps_[slot].data() + step.at * outputs_ + output;
        for (std::size_t k = 0; k < outputs; ++k) to[k] += step.sign * (values[k] * others);
      }
    }
    if (!pairs_.empty()) add_pairs(counts, leaf, counted, values, output, outputs);
  }
}

void TreeDependence::add_pairs(const TreeCounts& counts, const TreeCounts::Leaf& leaf,
                               std::span<const std::uint64_t> counted, const double* values, std::size_t output,
                               std::size_t outputs) {
  const auto path_conditions = counts.path_conditions(leaf);
  const auto here = static_cast<double>(counted[TreeCounts::all(leaf)]);
  for (const PathCondition& path_condition : path_conditions) {
    for (const std::uint32_t axis : axes_of_slot_[path_condition.slot])
      find_steps(counts, path_condition, pair_axes_[axis], axis_steps_[axis]);
  }
  for (std::size_t q = 1; q < path_conditions.size(); ++q) {
    for (std::size_t p = 0; p < q; ++p) {
      const auto others = static_cast<double>(counted[counts.without(leaf, p, q)]);
      if (others == 0) continue;  // then no row meets more
      const auto [low, high] = std::minmax(path_conditions[p].slot, path_conditions[q].slot);
      const auto& partners = partners_[low];
      auto at = std::lower_bound(partners.begin(), partners.end(), high,
                                 [](const Partner& partner, std::uint32_t slot) { return partner.slot < slot; });
      for (; at != partners.end() && at->slot == high; ++at) {
        PairTable& table = pairs_[at->pair];
        const bool in_order = path_conditions[p].slot == pair_axes_[table.first].slot;
        const std::size_t first = in_order ? p : q, second = in_order ? q : p;
        const auto &first_steps = axis_steps_[table.first], &second_steps = axis_steps_[table.second];
        const auto without_first = static_cast<double>(counted[counts.without(leaf, first)]);
        const auto without_second = static_cast<double>(counted[counts.without(leaf, second)]);
        for (std::size_t k = 0; k < outputs; ++k) table.constant[output + k] += values[k] * here;
        for (const Step& b : second_steps) {
          double* to = table.only_second.data() + b.at * outputs_ + output;
          for (std::size_t k = 0; k < outputs; ++k) to[k] -= b.sign * (values[k] * without_second);
        }
        const std::size_t width = pair_axes_[table.second].codes.size() * outputs_;
        for (const Step& a : first_steps) {
          double* to = table.only_first.data() + a.at * outputs_ + output;
          for (std::size_t k = 0; k < outputs; ++k) to[k] -= a.sign * (values[k] * without_first);
          double* row = table.both.data() + a.at * width;
          for (const Step& b : second_steps) {
            double* cell = row + b.at * outputs_ + output;
            for (std::size_t k = 0; k < outputs; ++k) cell[k] += a.sign * b.sign * (values[k] * others);
          }
        }
      }
    }
  }
}

double TreeDependence::mean(std::size_t output) const {
  return (parts_.base[output] + sums_[position(output)] / total_) / parts_.divisor;
}

std::vector<double> TreeDependence::single(std::size_t slot, std::size_t output) const {
  std::vector<double> numbers;
  for (std::size_t code = 0; code < codes_.codes(slot); ++code)
    numbers.push_back(steps_[slot][code * outputs_ + position(output)]);
  sum_up(numbers.data(), axes_[slot].values, 1);
  const double elsewhere = sums_[position(output)] - having_[slot][position(output)];
  for (double& number : numbers) number = (parts_.base[output] + (number + elsewhere) / total_) / parts_.divisor;
  return numbers;
}

std::vector<double> TreeDependence::interaction(std::size_t number, std::size_t output) const {
  const PairTable& table = pairs_[number];
  const Axis &rows = pair_axes_[table.first], &columns = pair_axes_[table.second];
  const std::size_t height = rows.codes.size(), width = columns.codes.size();
  const std::size_t mine = position(output);
  const auto pick = [&](const std::vector<double>& of_outputs) {
    std::vector<double> picked(of_outputs.size() / outputs_);
    for (std::size_t at = 0; at < picked.size(); ++at) picked[at] = of_outputs[at * outputs_ + mine];
    return picked;
  };
  std::vector<double> first = pick(table.only_first), second = pick(table.only_second);
  sum_up(first.data(), rows.values, 1);
  sum_up(second.data(), columns.values, 1);
  // Steps are summed up along both axes in one go: `above` has the sums of a row's cells with those of all rows before.
  std::vector<double> both(height * width), above(width, 0.0);
  for (std::size_t a = 0; a < height; ++a) {
    if (a == rows.values) std::fill(above.begin(), above.end(), 0.0);  // that of missing values stands alone
    const auto step = [&](std::size_t b) { return table.both[(a * width + b) * outputs_ + mine]; };
    double along = 0;
    for (std::size_t b = 0; b < columns.values; ++b) above[b] += along += step(b);
    for (std::size_t b = columns.values; b < width; ++b) above[b] += step(b);
    const double rest = first[a] + table.constant[mine];
    for (std::size_t b = 0; b < width; ++b)
      both[a * width + b] = (above[b] + second[b] + rest) / total_ / parts_.divisor;
  }
  return both;
}

std::vector<double> TreeDependence::pair(std::size_t number, std::size_t output) const {
  const Axis &rows = pair_axes_[pairs_[number].first], &columns = pair_axes_[pairs_[number].second];
  std::vector<double> both = interaction(number, output);
  const std::vector<double> first = single(rows.slot, output), second = single(columns.slot, output);
  const double middle = mean(output);
  for (std::size_t a = 0, at = 0; a < rows.codes.size(); ++a) {
    for (std::size_t b = 0; b < columns.codes.size(); ++b, ++at)
      both[at] += first[rows.codes[a]] + second[columns.codes[b]] - middle;
  }
  return both;
}

}  // namespace sightglass
