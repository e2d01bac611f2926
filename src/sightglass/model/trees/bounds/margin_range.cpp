#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <queue>

#include "sightglass/model/trees/bounds/margin_range_internal.h"

namespace sightglass {

namespace {

// Looking for an input takes as long as bounding some boxes.
constexpr std::uint64_t boxes_per_input = 16;

// Where a box lets rows go at a node.
struct Ways {
  bool left = false, right = false;
};

// The greatest sum of the ensemble's margins, each times its factor.
class Maximum {
 public:
  Maximum(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, std::vector<double> factors)
      : parts_(parts), codes_(codes), factors_(std::move(factors)) {
    for (std::size_t k = 0; k < factors_.size(); ++k) {
      if (factors_[k] != 0) start_ += factors_[k] * parts.base[k];
    }
    for (const Tree& tree : parts.trees) {
      if (!parts.leaf_values.empty() || factors_[tree.output] != 0)
        roots_.push_back({.node = tree.root, .factor = factors_[tree.output]});
    }
  }

  struct Found {
    double bound = 0;    // of all inputs
    double reached = 0;  // by this one
    std::vector<std::uint32_t> at;
    std::uint64_t explored = 0;
  };

  // Until the bound is reached.
  Found search(const CodeBox& box, std::uint64_t limit, const Context& context) {
    Found found;
    found.reached = -std::numeric_limits<double>::infinity();
    std::priority_queue<Open> open;
    open.push(look_at(box));
    while (true) {
      context.check();
      const Open best = open.top();
      if (found.explored++ % boxes_per_input == 0 || best.decided() || found.explored >= limit)
        try_input(best.box, found);
      found.bound = std::max(best.bound, found.reached);
      if (!(best.bound > found.reached) || best.decided() || found.explored >= limit) break;
      open.pop();
      CodeBox left = best.box, right = best.box;
      divide(codes_.conditions()[best.condition], left, right);
      open.push(look_at(left));
      open.push(look_at(right));
    }
    return found;
  }

 private:
  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

  struct Open {
    CodeBox box;
    double bound = 0;
    std::uint32_t condition = nowhere;  // by which to divide it
    [[nodiscard]] bool decided() const { return condition == nowhere; }
    bool operator<(const Open& other) const { return bound < other.bound; }
  };

  struct Root {
    std::uint32_t node = 0;
    double factor = 0;  // where leaves have one value
  };

  [[nodiscard]] double value(const TreeNode& leaf, double factor) const {
    if (leaf.leaf < 0) return factor * leaf.threshold;
    const double* values = parts_.leaf_values.data() + static_cast<std::size_t>(leaf.leaf) * factors_.size();
    double sum = 0;
    for (std::size_t k = 0; k < factors_.size(); ++k) {
      if (factors_[k] != 0) sum += factors_[k] * values[k];
    }
    return sum;
  }

  [[nodiscard]] Ways ways(const CodeBox& box, std::size_t node) const {
    const auto& condition = codes_.conditions()[codes_.condition_of(node)];
    const std::uint32_t missing = codes_.missing(condition.slot);
    if (condition.members < 0 && !condition.zero_as_missing) {
      Ways found{.left = box.allows_any(condition.slot, 0, std::min(condition.first_right, missing)),
                 .right = box.allows_any(condition.slot, std::min(condition.first_right, missing), missing)};
      if (box.allows(condition.slot, missing)) (condition.missing_right ? found.right : found.left) = true;
      return found;
    }
    Ways found;
    for (std::uint32_t code = 0; code <= missing && !(found.left && found.right); ++code) {
      if (box.allows(condition.slot, code)) (codes_.goes_right(condition, code) ? found.right : found.left) = true;
    }
    return found;
  }

  // The greatest and the least leaf that a box can reach below a node.
  struct Leaves {
    double greatest = -std::numeric_limits<double>::infinity();
    double least = std::numeric_limits<double>::infinity();
    std::uint32_t undecided = nowhere;  // the first node on the way at which rows go both ways
  };
  [[nodiscard]] Leaves leaves(const CodeBox& box, Root root) {
    Leaves found;
    stack_.assign(1, root.node);
    while (!stack_.empty()) {
      const std::uint32_t index = stack_.back();
      stack_.pop_back();
      const TreeNode& node = parts_.nodes[index];
      if (node.is_leaf()) {
        const double reached = value(node, root.factor);
        found.greatest = std::max(found.greatest, reached);
        found.least = std::min(found.least, reached);
        continue;
      }
      const Ways both = ways(box, index);
      if (both.left && both.right && found.undecided == nowhere) found.undecided = index;
      if (both.right) stack_.push_back(static_cast<std::uint32_t>(node.right));
      if (both.left) stack_.push_back(static_cast<std::uint32_t>(node.left));
    }
    return found;
  }

  // What bounds a box, and where to divide it: at the tree that leaves most open.
  [[nodiscard]] Open look_at(const CodeBox& box) {
    Open open{.box = box};
    double sum = start_, widest = 0;
    for (const Root& root : roots_) {
      const Leaves found = leaves(box, root);
      sum += found.greatest;
      if (found.undecided == nowhere || !(found.greatest - found.least > widest)) continue;
      widest = found.greatest - found.least;
      open.condition = codes_.condition_of(found.undecided);
    }
    open.bound = sum / parts_.divisor;
    return open;
  }

  // An input of the box that takes the greatest leaf of one tree after the other, as far as these go together.
  void try_input(const CodeBox& box, Found& found) {
    CodeBox inner = box;
    for (const Root& root : roots_) {
      std::uint32_t index = root.node;
      while (!parts_.nodes[index].is_leaf()) {
        const TreeNode& node = parts_.nodes[index];
        const Ways both = ways(inner, index);
        bool right = both.right;
        if (both.left && both.right) {
          CodeBox left = inner, other = inner;
          divide(codes_.conditions()[codes_.condition_of(index)], left, other);
          right = leaves(other, {static_cast<std::uint32_t>(node.right), root.factor}).greatest >
                  leaves(left, {static_cast<std::uint32_t>(node.left), root.factor}).greatest;
          inner = right ? other : left;
        }
        index = static_cast<std::uint32_t>(right ? node.right : node.left);
      }
    }
    std::vector<std::uint32_t> at(inner.slots());
    for (std::size_t slot = 0; slot < at.size(); ++slot) at[slot] = inner.first_allowed(slot, codes_.codes(slot));
    double sum = start_;
    for (const Root& root : roots_) {
      std::uint32_t index = root.node;
      while (!parts_.nodes[index].is_leaf()) {
        const auto& condition = codes_.conditions()[codes_.condition_of(index)];
        const TreeNode& node = parts_.nodes[index];
        index = static_cast<std::uint32_t>(codes_.goes_right(condition, at[condition.slot]) ? node.right : node.left);
      }
      sum += value(parts_.nodes[index], root.factor);
    }
    if (!(sum / parts_.divisor > found.reached)) return;
    found.reached = sum / parts_.divisor;
    found.at = std::move(at);
  }

  void divide(const FeatureCodes::Condition& condition, CodeBox& left, CodeBox& right) const {
    for (std::uint32_t code = 0; code <= codes_.missing(condition.slot); ++code) {
      (codes_.goes_right(condition, code) ? left : right).forbid(condition.slot, code);
    }
  }

  const TreeEnsemble::Parts& parts_;
  const FeatureCodes& codes_;
  std::vector<double> factors_;  // of each output
  double start_ = 0;
  std::vector<Root> roots_;
  std::vector<std::uint32_t> stack_;
};

}  // namespace

CodeBox::CodeBox(const FeatureCodes& codes) : first_(1, 0) {
  for (std::size_t slot = 0; slot < codes.slots(); ++slot) {
    const std::uint32_t count = codes.codes(slot);
    for (std::uint32_t word = 0; word < (count + 63) / 64; ++word) {
      const std::uint32_t left = count - 64 * word;
      bits_.push_back(left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1);
    }
    first_.push_back(bits_.size());
  }
}

bool CodeBox::allows_any(std::size_t slot, std::uint32_t begin, std::uint32_t end) const {
  while (begin < end) {
    const std::uint32_t word = begin / 64, offset = begin % 64;
    std::uint64_t bits = bits_[first_[slot] + word] >> offset;
    const std::uint32_t count = std::min(64 - offset, end - begin);
    if (count < 64) bits &= (std::uint64_t{1} << count) - 1;
    if (bits != 0) return true;
    begin += count;
  }
  return false;
}

std::uint32_t CodeBox::first_allowed(std::size_t slot, std::uint32_t codes) const {
  for (std::size_t word = first_[slot]; word < first_[slot + 1]; ++word) {
    if (bits_[word] != 0) {
      return static_cast<std::uint32_t>(64 * (word - first_[slot])) +
             static_cast<std::uint32_t>(std::countr_zero(bits_[word]));
    }
  }
  return codes;
}

MarginRange margin_range(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const CodeBox& box,
                         std::size_t output, std::uint64_t limit, const Context& context) {
  std::vector<double> factors(parts.base.size());
  factors[output] = 1;
  auto up = Maximum(parts, codes, factors).search(box, limit, context);
  factors[output] = -1;
  auto down = Maximum(parts, codes, factors).search(box, limit, context);
  return {.low = -down.bound,
          .high = up.bound,
          .least = -down.reached,
          .greatest = up.reached,
          .at_least = std::move(down.at),
          .at_greatest = std::move(up.at),
          .explored = up.explored + down.explored};
}

}  // namespace sightglass
