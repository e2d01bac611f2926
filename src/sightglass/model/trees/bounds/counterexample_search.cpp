#include <algorithm>
#include <bit>
#include <limits>
#include <queue>

#include "sightglass/model/trees/bounds/counterexample_search_internal.h"

namespace sightglass {

namespace {

// Of parts that wait to be divided: more are not kept, whatever the limit.
constexpr std::size_t most_open_bytes = 64 << 20;
constexpr std::uint32_t no_condition = std::numeric_limits<std::uint32_t>::max();
// Looking for an input takes as long as bounding some parts.
constexpr std::uint64_t parts_per_input = 16;

}  // namespace

// Inputs by the codes that each slot may have.
class CounterexampleSearch::Region {
 public:
  struct Range {
    std::uint32_t first = 0, end = 0;  // of numbers
    bool missing = false;
  };
  std::vector<Range> ranges;  // per slot; empty where it has bits
  std::vector<std::uint64_t> bits;
};

CounterexampleSearch::CounterexampleSearch(const TreeEnsemble::Parts& parts, const FeatureCodes& codes,
                                           std::vector<Violation> violations, Row row,
                                           std::function<bool(std::span<const std::uint32_t>)> broken)
    : parts_(parts),
      codes_(codes),
      violations_(std::move(violations)),
      row_(std::move(row)),
      broken_(std::move(broken)) {
  for (std::size_t slot = 0; slot < codes.slots(); ++slot) {
    axes_.push_back({.in_order = !codes.categorical(slot) && !codes.asks_for_zero(slot),
                     .codes = codes.codes(slot),
                     .first_word = words_});
    if (!axes_.back().in_order) words_ += (codes.codes(slot) + 63) / 64;
  }
  for (const auto& condition : codes.conditions()) {
    first_mask_.push_back(static_cast<std::uint32_t>(masks_.size()));
    const Axis& axis = axes_[condition.slot];
    if (axis.in_order) continue;
    masks_.resize(masks_.size() + (axis.codes + 63) / 64);
    for (std::uint32_t code = 0; code < axis.codes; ++code) {
      if (codes.goes_right(condition, code)) masks_[first_mask_.back() + code / 64] |= std::uint64_t{1} << (code % 64);
    }
  }
}

CounterexampleSearch::Region CounterexampleSearch::region(const std::vector<bool>& fixed) const {
  Region region;
  region.ranges.resize(axes_.size());
  region.bits.resize(words_);
  for (std::size_t slot = 0; slot < axes_.size(); ++slot) {
    const std::uint32_t own = row_.own[slot], missing = codes_.missing(slot);
    if (axes_[slot].in_order) {
      Region::Range& range = region.ranges[slot];
      if (!fixed[slot]) {
        range = {.first = 0, .end = missing, .missing = row_.may_miss[slot] || own == missing};
      } else if (own == missing) {
        range.missing = true;
      } else {
        range = {.first = own, .end = own + 1};
      }
      continue;
    }
    for (std::uint32_t code = 0; code < axes_[slot].codes; ++code) {
      if (code == own || (!fixed[slot] && (code != missing || row_.may_miss[slot])))
        region.bits[axes_[slot].first_word + code / 64] |= std::uint64_t{1} << (code % 64);
    }
  }
  return region;
}

// What is left of the trees in a region, with what their leaves add to the sums of a violation.
class CounterexampleSearch::Trees {
 public:
  Trees(const CounterexampleSearch& of, const Violation& violation, const Region& region)
      : of_(of), violation_(violation), sums_(violation.sums.size()), start_(sums_) {
    const TreeEnsemble::Parts& parts = of.parts_;
    for (std::size_t s = 0; s < sums_; ++s) {
      for (std::size_t k = 0; k < parts.base.size(); ++k) start_[s] += violation.sums[s].factors[k] * parts.base[k];
    }
    for (const Tree& tree : parts.trees) {
      const bool counts = !parts.leaf_values.empty() ||
                          std::any_of(violation.sums.begin(), violation.sums.end(),
                                      [&](const Violation::Sum& sum) { return sum.factors[tree.output] != 0; });
      if (!counts) continue;
      const std::uint32_t root = keep(tree.root, tree.output, region);
      if (nodes_[root].condition != no_condition) {
        roots_.push_back(root);
        continue;
      }
      for (std::size_t s = 0; s < sums_; ++s) start_[s] += value(nodes_[root], s);
    }
    for (double& sum : start_) sum /= parts.divisor;
  }

  struct Part {
    Region region;
    double slack = 0;                        // of the sum that is the least above its level
    std::uint32_t sum = 0;                   // that one
    std::uint32_t condition = no_condition;  // by which to divide it; none: all trees are decided
    [[nodiscard]] bool decided() const { return condition == no_condition; }
    bool operator<(const Part& other) const { return slack < other.slack; }
  };

  // What bounds a region, and where to divide it: at the tree that leaves most open.
  [[nodiscard]] Part look_at(Region region) const {
    std::vector<double> totals(sums_);
    Leaves found(sums_);
    double widest = -1;
    std::uint32_t condition = no_condition;
    for (const std::uint32_t root : roots_) {
      find_leaves(region, root, found);
      double width = 0;
      for (std::size_t s = 0; s < sums_; ++s) {
        totals[s] += found.greatest[s];
        width += found.greatest[s] - found.least[s];
      }
      if (found.undecided == no_condition || !(width > widest)) continue;
      widest = width;
      condition = found.undecided;
    }
    Part part{.region = std::move(region), .slack = std::numeric_limits<double>::infinity(), .condition = condition};
    for (std::size_t s = 0; s < sums_; ++s) {
      const double slack = start_[s] + totals[s] / of_.parts_.divisor - violation_.sums[s].level;
      if (!(slack < part.slack)) continue;
      part.slack = slack;
      part.sum = static_cast<std::uint32_t>(s);
    }
    return part;
  }

  // An input of a part that takes the greatest leaf of one tree after the other, as far as these go together.
  [[nodiscard]] std::vector<std::uint32_t> input(const Part& part) const {
    Region inner = part.region;
    Leaves left_leaves(sums_), right_leaves(sums_);
    for (std::uint32_t index : roots_) {
      while (nodes_[index].condition != no_condition) {
        const Node& node = nodes_[index];
        const Ways both = ways(inner, node.condition);
        bool right = both.right;
        if (both.left && both.right) {
          Region left = inner, other = inner;
          divide(node.condition, left, other);
          find_leaves(left, node.left, left_leaves);
          find_leaves(other, node.right, right_leaves);
          right = right_leaves.greatest[part.sum] > left_leaves.greatest[part.sum];
          inner = std::move(right ? other : left);
        }
        index = right ? node.right : node.left;
      }
    }
    return of_.pick(inner);
  }

  void divide(std::uint32_t index, Region& left, Region& right) const {
    const auto& condition = of_.codes_.conditions()[index];
    const Axis& axis = of_.axes_[condition.slot];
    if (axis.in_order) {
      Region::Range &below = left.ranges[condition.slot], &above = right.ranges[condition.slot];
      below.end = std::min(below.end, condition.first_right);
      above.first = std::max(above.first, condition.first_right);
      (condition.missing_right ? below : above).missing = false;
      return;
    }
    for (std::uint32_t word = 0; word < (axis.codes + 63) / 64; ++word) {
      const std::uint64_t mask = of_.masks_[of_.first_mask_[index] + word];
      left.bits[axis.first_word + word] &= ~mask;
      right.bits[axis.first_word + word] &= mask;
    }
  }

  // Whether the input is above all levels, but for rounding.
  [[nodiscard]] bool reaches(std::span<const std::uint32_t> at) const {
    std::vector<double> totals(sums_);
    for (std::uint32_t index : roots_) {
      while (nodes_[index].condition != no_condition) {
        const auto& condition = of_.codes_.conditions()[nodes_[index].condition];
        index = of_.codes_.goes_right(condition, at[condition.slot]) ? nodes_[index].right : nodes_[index].left;
      }
      for (std::size_t s = 0; s < sums_; ++s) totals[s] += value(nodes_[index], s);
    }
    for (std::size_t s = 0; s < sums_; ++s) {
      if (!(start_[s] + totals[s] / of_.parts_.divisor > violation_.sums[s].level)) return false;
    }
    return true;
  }

 private:
  struct Node {
    std::uint32_t condition = no_condition;  // none: a leaf
    std::uint32_t left = 0, right = 0;       // of a leaf: where its values begin
  };
  struct Ways {
    bool left = false, right = false;
  };
  // Of the sums, what a region can reach below a node.
  struct Leaves {
    explicit Leaves(std::size_t sums) : greatest(sums), least(sums) {}
    std::vector<double> greatest, least;
    std::uint32_t undecided = no_condition;  // the first condition on the way by which inputs go both ways
    std::vector<std::uint32_t> stack;        // nodes that are yet to be looked at
  };

  [[nodiscard]] double value(const Node& leaf, std::size_t sum) const { return values_[leaf.left + sum]; }

  [[nodiscard]] Ways ways(const Region& region, std::uint32_t index) const {
    const auto& condition = of_.codes_.conditions()[index];
    const Axis& axis = of_.axes_[condition.slot];
    Ways found;
    if (axis.in_order) {
      const Region::Range& range = region.ranges[condition.slot];
      found.left = range.first < std::min(range.end, condition.first_right);
      found.right = std::max(range.first, condition.first_right) < range.end;
      if (range.missing) (condition.missing_right ? found.right : found.left) = true;
      return found;
    }
    for (std::uint32_t word = 0; word < (axis.codes + 63) / 64; ++word) {
      const std::uint64_t mask = of_.masks_[of_.first_mask_[index] + word], bits = region.bits[axis.first_word + word];
      found.left = found.left || (bits & ~mask) != 0;
      found.right = found.right || (bits & mask) != 0;
    }
    return found;
  }

  // Copies what of a tree can be reached, without the splits that are decided.
  std::uint32_t keep(std::uint32_t root, std::uint32_t output, const Region& region) {
    struct Way {
      std::uint32_t from = 0, parent = no_condition;
      bool right = false;
    };
    const auto first = static_cast<std::uint32_t>(nodes_.size());
    std::vector<Way> stack = {{.from = root}};
    while (!stack.empty()) {
      Way way = stack.back();
      stack.pop_back();
      Ways both;
      const TreeNode* node = &of_.parts_.nodes[way.from];
      while (!node->is_leaf()) {
        both = ways(region, of_.codes_.condition_of(way.from));
        if (both.left && both.right) break;
        way.from = static_cast<std::uint32_t>(both.right ? node->right : node->left);
        node = &of_.parts_.nodes[way.from];
      }
      const auto at = static_cast<std::uint32_t>(nodes_.size());
      if (way.parent != no_condition) (way.right ? nodes_[way.parent].right : nodes_[way.parent].left) = at;
      if (node->is_leaf()) {
        nodes_.push_back({.left = static_cast<std::uint32_t>(values_.size())});
        for (const Violation::Sum& sum : violation_.sums) values_.push_back(leaf_value(*node, output, sum.factors));
        continue;
      }
      nodes_.push_back({.condition = of_.codes_.condition_of(way.from)});
      stack.push_back({.from = static_cast<std::uint32_t>(node->right), .parent = at, .right = true});
      stack.push_back({.from = static_cast<std::uint32_t>(node->left), .parent = at});
    }
    return first;
  }

  [[nodiscard]] double leaf_value(const TreeNode& leaf, std::uint32_t output,
                                  const std::vector<double>& factors) const {
    if (leaf.leaf < 0) return factors[output] * leaf.threshold;
    const double* values = of_.parts_.leaf_values.data() + static_cast<std::size_t>(leaf.leaf) * factors.size();
    double sum = 0;
    for (std::size_t k = 0; k < factors.size(); ++k) {
      if (factors[k] != 0) sum += factors[k] * values[k];
    }
    return sum;
  }

  void find_leaves(const Region& region, std::uint32_t root, Leaves& found) const {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    std::fill(found.greatest.begin(), found.greatest.end(), -infinite);
    std::fill(found.least.begin(), found.least.end(), infinite);
    found.undecided = no_condition;
    found.stack.assign(1, root);
    while (!found.stack.empty()) {
      std::uint32_t index = found.stack.back();
      found.stack.pop_back();
      while (nodes_[index].condition != no_condition) {
        const Node& node = nodes_[index];
        const Ways both = ways(region, node.condition);
        if (both.left && both.right) {
          if (found.undecided == no_condition) found.undecided = node.condition;
          found.stack.push_back(node.left);
        }
        index = both.right ? node.right : node.left;
      }
      for (std::size_t s = 0; s < sums_; ++s) {
        const double reached = value(nodes_[index], s);
        found.greatest[s] = std::max(found.greatest[s], reached);
        found.least[s] = std::min(found.least[s], reached);
      }
    }
  }

  const CounterexampleSearch& of_;
  const Violation& violation_;
  std::size_t sums_;
  std::vector<double> start_;
  std::vector<Node> nodes_;
  std::vector<double> values_;
  std::vector<std::uint32_t> roots_;  // of trees that are not decided
};

// The row's own code wherever that is left, so that the input differs in few features.
std::vector<std::uint32_t> CounterexampleSearch::pick(const Region& region) const {
  std::vector<std::uint32_t> at(axes_.size());
  for (std::size_t slot = 0; slot < at.size(); ++slot) {
    const std::uint32_t own = row_.own[slot];
    if (axes_[slot].in_order) {
      const Region::Range& range = region.ranges[slot];
      const bool has_own = own == codes_.missing(slot) ? range.missing : own >= range.first && own < range.end;
      at[slot] = has_own                    ? own
                 : range.first >= range.end ? codes_.missing(slot)
                 : own < range.first        ? range.first
                                            : range.end - 1;
      continue;
    }
    const std::uint64_t* bits = region.bits.data() + axes_[slot].first_word;
    if (((bits[own / 64] >> (own % 64)) & 1) != 0) {
      at[slot] = own;
      continue;
    }
    std::uint32_t word = 0;
    while (bits[word] == 0) ++word;
    at[slot] = 64 * word + static_cast<std::uint32_t>(std::countr_zero(bits[word]));
  }
  return at;
}

CounterexampleAnswer CounterexampleSearch::find(const std::vector<bool>& fixed, std::uint64_t limit,
                                                const Context& context) const {
  return find_in(region(fixed), limit, context);
}

CounterexampleAnswer CounterexampleSearch::find_among(const std::vector<std::vector<bool>>& allowed,
                                                      std::uint64_t limit, const Context& context) const {
  Region whole = region(std::vector<bool>(axes_.size()));
  for (std::size_t slot = 0; slot < axes_.size(); ++slot) {
    const std::vector<bool>& codes = allowed[slot];
    if (codes.empty()) continue;
    const auto last = codes.begin() + codes_.missing(slot);
    if (axes_[slot].in_order) {
      // Codes in order are a range: what lies between two that are allowed is looked at, too.
      const auto first = std::find(codes.begin(), last, true);
      auto end = last;
      while (end != first && !*(end - 1)) --end;
      whole.ranges[slot] = {.first = static_cast<std::uint32_t>(first - codes.begin()),
                            .end = static_cast<std::uint32_t>(end - codes.begin()),
                            .missing = *last};
      continue;
    }
    for (std::uint32_t code = 0; code < axes_[slot].codes; ++code) {
      std::uint64_t& word = whole.bits[axes_[slot].first_word + code / 64];
      const std::uint64_t bit = std::uint64_t{1} << (code % 64);
      word = codes[code] ? word | bit : word & ~bit;
    }
  }
  return find_in(whole, limit, context);
}

CounterexampleAnswer CounterexampleSearch::find_in(const Region& whole, std::uint64_t limit,
                                                   const Context& context) const {
  CounterexampleAnswer answer;
  for (const Violation& violation : violations_) {
    const Trees trees(*this, violation, whole);
    std::priority_queue<Trees::Part> open;
    open.push(trees.look_at(whole));
    const std::size_t most_open = most_open_bytes / (sizeof(Trees::Part) + codes_.slots() * sizeof(Region::Range) +
                                                     words_ * sizeof(std::uint64_t));
    for (std::uint64_t explored = 0; !open.empty() && open.top().slack > 0;) {
      context.check();
      if (explored >= limit || open.size() >= most_open) {
        answer.kind = CounterexampleAnswer::Kind::open;
        break;
      }
      const Trees::Part best = open.top();
      open.pop();
      ++answer.explored;
      if (explored++ % parts_per_input == 0 || best.decided()) {
        std::vector<std::uint32_t> at = trees.input(best);
        if ((best.decided() || trees.reaches(at)) && broken_(at)) {
          answer.kind = CounterexampleAnswer::Kind::found;
          answer.at = std::move(at);
          return answer;
        }
      }
      if (best.decided()) continue;
      Region left = best.region, right = best.region;
      trees.divide(best.condition, left, right);
      for (Region* half : {&left, &right}) {
        Trees::Part part = trees.look_at(std::move(*half));
        if (part.slack > 0) open.push(std::move(part));
      }
    }
  }
  return answer;
}

double CounterexampleSearch::reach(const std::vector<bool>& fixed) const {
  const Region whole = region(fixed);
  double most = -std::numeric_limits<double>::infinity();
  for (const Violation& violation : violations_)
    most = std::max(most, Trees(*this, violation, whole).look_at(whole).slack);
  return most;
}

}  // namespace sightglass
