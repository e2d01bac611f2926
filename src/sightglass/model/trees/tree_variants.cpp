#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "sightglass/model/trees/tree_variants_internal.h"

namespace sightglass {

namespace {

// From steps to sums.
SIGHTGLASS_FOR_EACH_PROCESSOR
void add_up(std::int64_t* sums, std::size_t points, std::size_t width) {
  for (std::size_t i = width; i < points * width; ++i) sums[i] += sums[i - width];
}

using FourSums = std::int64_t __attribute__((vector_size(32)));

// Adds to the sums of the rows in a set. Where a word has many, to all of its rows at once, zero to those that are not
// in it.
inline void add_to_rows(const RowSet& rows, std::int64_t amount, std::int64_t* sums) {
  constexpr int many = 8;
  constexpr FourSums bits = {1, 2, 4, 8};
  for (std::size_t word = 0; word < 4; ++word, sums += 64) {
    std::uint64_t left = rows.words[word];
    if (std::popcount(left) < many) {
      for (; left != 0; left &= left - 1) sums[std::countr_zero(left)] += amount;
      continue;
    }
    for (std::size_t row = 0; row < 64; row += 4) {
      FourSums four;
      std::memcpy(&four, sums + row, sizeof four);
      four += (((FourSums{} + static_cast<std::int64_t>(left >> row)) & bits) == bits) & amount;
      std::memcpy(sums + row, &four, sizeof four);
    }
  }
}

}  // namespace

std::optional<LeafAmounts> LeafAmounts::of(const TreeEnsemble::Parts& parts, const TreeEdges& edges) {
  LeafAmounts amounts;
  const bool vectors = !parts.leaf_values.empty();
  amounts.width_ = vectors ? parts.base.size() : 1;
  const auto value = [&](std::size_t leaf, std::size_t k) {
    const TreeNode& node = parts.nodes[edges.leaves()[leaf]];
    return vectors ? parts.leaf_values[static_cast<std::size_t>(node.leaf) * amounts.width_ + k] : node.threshold;
  };
  // No sum is larger than that of each tree's largest leaf.
  double largest = 0;
  std::vector<double> sizes;
  std::size_t leaf = 0;
  for (std::size_t tree = 0; tree < edges.trees(); ++tree) {
    // A tree of s splits has 2 s edges and s + 1 leaves.
    const std::size_t count = (edges.end(tree) - edges.begin(tree)) / 2 + 1;
    double most = 0;
    for (const std::size_t end = leaf + count; leaf < end; ++leaf) {
      for (std::size_t k = 0; k < amounts.width_; ++k) {
        const double size = std::abs(value(leaf, k));
        most = std::max(most, size);
        if (size > 0) sizes.push_back(size);
      }
    }
    largest += most;
  }
  if (!std::isfinite(largest)) return std::nullopt;
  if (largest > 0) {
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    if (largest > std::ldexp(*middle, 36)) return std::nullopt;
    const int exponent = std::ilogb(largest) - 60;
    if (exponent < -1000) return std::nullopt;
    amounts.unit_ = std::ldexp(1.0, exponent);
  }
  amounts.amounts_.reserve(edges.leaves().size() * amounts.width_);
  for (std::size_t at = 0; at < edges.leaves().size(); ++at) {
    for (std::size_t k = 0; k < amounts.width_; ++k)
      amounts.amounts_.push_back(std::llround(value(at, k) / amounts.unit_));
  }
  return amounts;
}

TreeVariants::TreeVariants(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const TreeEdges& edges,
                           const LeafAmounts& amounts, std::vector<std::size_t> set,
                           const std::vector<std::vector<std::uint16_t>>& variants)
    : parts_(parts), edges_(edges), amounts_(amounts), outputs_(parts.base.size()), point_of_(variants.size()) {
  // In the order of their codes, runs of variants are long.
  std::vector<std::uint32_t> order(variants.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return variants[a] < variants[b]; });
  std::vector<std::uint32_t> first_of;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k == 0 || variants[order[k - 1]] != variants[order[k]]) first_of.push_back(order[k]);
    point_of_[order[k]] = static_cast<std::uint32_t>(first_of.size() - 1);
  }
  points_ = first_of.size();
  words_ = (points_ + 63) / 64;
  set_by_.assign(codes.conditions().size(), -1);
  for (std::size_t place = 0; place < set.size(); ++place) {
    std::vector<std::uint16_t> at_point;
    for (const std::uint32_t first : first_of) at_point.push_back(variants[first][place]);
    find_right(codes, set[place], at_point);
  }
  const auto parts_points = [&](std::uint32_t condition) {
    const std::uint64_t* right = right_.data() + set_by_[condition];
    const bool first = (right[0] & 1) != 0;
    for (std::size_t point = 0; point < points_; point += 64) {
      const std::uint64_t used = points_ - point < 64 ? (std::uint64_t{1} << (points_ - point)) - 1 : ~std::uint64_t{0};
      if (right[point / 64] != (first ? used : 0)) return true;
    }
    return false;
  };
  for (const std::size_t slot : set) {
    for (const std::uint32_t edge : edges.edges_of(slot)) {
      if (parts_points(edges[edge].condition)) parting_.push_back(edge);
    }
  }
  std::sort(parting_.begin(), parting_.end());
  parting_.push_back(std::numeric_limits<std::uint32_t>::max());
}

// The points that go right at each condition of a slot. at_point: the code of each.
void TreeVariants::find_right(const FeatureCodes& codes, std::size_t slot, const std::vector<std::uint16_t>& at_point) {
  const auto& conditions = codes.conditions();
  const auto begin =
      std::lower_bound(conditions.begin(), conditions.end(), slot,
                       [](const auto& condition, std::size_t wanted) { return condition.slot < wanted; });
  const auto end = std::find_if(begin, conditions.end(), [&](const auto& condition) { return condition.slot != slot; });
  const std::size_t first = right_.size();
  right_.resize(first + static_cast<std::size_t>(end - begin) * words_);
  const auto add = [](std::uint64_t* set, std::size_t point) { set[point / 64] |= std::uint64_t{1} << (point % 64); };
  std::vector<std::uint32_t> order(points_);  // by code, the largest first
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return at_point[a] > at_point[b]; });
  std::vector<std::uint64_t> behind(words_), missing(words_), zero(words_);
  for (std::size_t point = 0; point < points_; ++point) {
    if (at_point[point] == codes.missing(slot)) add(missing.data(), point);
    if (codes.asks_for_zero(slot) && codes.is_zero(slot, at_point[point])) add(zero.data(), point);
  }
  // From the last condition down, a point joins those on the right at its own code.
  std::size_t next = 0;
  while (next < points_ && at_point[order[next]] == codes.missing(slot)) ++next;
  for (auto condition = end; condition-- != begin;) {
    const auto number = static_cast<std::size_t>(condition - conditions.begin());
    const std::size_t at = first + static_cast<std::size_t>(condition - begin) * words_;
    set_by_[number] = static_cast<std::int32_t>(at);
    std::uint64_t* right = right_.data() + at;
    if (condition->members >= 0) {
      for (std::size_t point = 0; point < points_; ++point) {
        if (codes.goes_right(*condition, at_point[point])) add(right, point);
      }
      continue;
    }
    for (; next < points_ && at_point[order[next]] >= condition->first_right; ++next) add(behind.data(), order[next]);
    for (std::size_t word = 0; word < words_; ++word) {
      right[word] = behind[word];
      if (condition->zero_as_missing)
        right[word] = condition->missing_right ? right[word] | zero[word] : right[word] & ~zero[word];
      if (condition->missing_right) right[word] |= missing[word];
    }
  }
}

std::size_t TreeVariants::workspace_bytes() const {
  return (edges_.depth() + 1) * (sizeof(RowSet) + words_ * 8 + 9) + points_ * set_rows * outputs_ * 8;
}

TreeVariants::Workspace::Workspace(const TreeVariants& variants, const Context* work)
    : context(work),
      rows(variants.edges_.depth() + 1),
      points((variants.edges_.depth() + 1) * variants.words_),
      at(variants.edges_.depth() + 1),
      parted(variants.edges_.depth() + 1),
      sums(variants.points_ * set_rows * variants.outputs_),
      runs(variants.points_ + 1) {}

void TreeVariants::find(const RowSet* conditions, const RowSet& rows, Workspace& workspace) const {
  std::fill(workspace.sums.begin(), workspace.sums.end(), 0);
  for (std::size_t word = 0; word < words_; ++word) workspace.points[word] = ~std::uint64_t{0};
  if (points_ % 64 != 0) workspace.points[words_ - 1] = (std::uint64_t{1} << (points_ % 64)) - 1;
  workspace.at[0] = workspace.points.data();
  workspace.parted[0] = 0;
  workspace.rows[0] = rows;
  const std::uint32_t* parting = parting_.data();
  while (parting + 1 < parting_.data() + parting_.size()) {
    if (workspace.context != nullptr) workspace.context->check();
    parting = walk(edges_.tree_of(*parting), parting, conditions, workspace);
  }
  add_up(workspace.sums.data(), points_, set_rows * outputs_);
}

SIGHTGLASS_FOR_EACH_PROCESSOR
const std::uint32_t* TreeVariants::walk(std::size_t tree, const std::uint32_t* parting, const RowSet* conditions,
                                        Workspace& workspace) const {
  const std::size_t output = parts_.trees[tree].output;
  RowSet* rows = workspace.rows.data();
  const std::uint32_t end = edges_.end(tree);
  for (std::uint32_t at = edges_.begin(tree); at < end;) {
    const TreeEdge& edge = edges_[at];
    const std::size_t from = edge.depth, to = from + 1;
    while (*parting < at) ++parting;
    // Where all points go on together, the leaf does not tell them apart.
    if (workspace.parted[from] == 0 && *parting >= edge.next) {
      at = edge.next;
      continue;
    }
    const std::int32_t set = set_by_[edge.condition];
    if (set < 0) {
      const RowWords right = conditions[edge.condition].words;
      const RowWords here = rows[from].words & (edge.right ? right : ~right);
      if ((here[0] | here[1] | here[2] | here[3]) == 0) {
        at = edge.next;
        continue;
      }
      rows[to].words = here;
      workspace.at[to] = workspace.at[from];
      workspace.parted[to] = workspace.parted[from];
    } else {
      const std::uint64_t* right = right_.data() + set;
      const std::uint64_t* points = workspace.at[from];
      std::uint64_t* made = workspace.points.data() + to * words_;
      std::uint64_t any = 0, lost = 0;
      for (std::size_t word = 0; word < words_; ++word) {
        made[word] = points[word] & (edge.right ? right[word] : ~right[word]);
        any |= made[word];
        lost |= made[word] ^ points[word];
      }
      if (any == 0) {
        at = edge.next;
        continue;
      }
      rows[to] = rows[from];
      workspace.at[to] = made;
      workspace.parted[to] = workspace.parted[from] != 0 || lost != 0 ? 1 : 0;
    }
    if (edge.leaf >= 0 && workspace.parted[to] != 0)
      add_leaf(static_cast<std::size_t>(edge.leaf), output, rows[to], workspace.at[to], workspace);
    ++at;
  }
  while (*parting < end) ++parting;
  return parting;
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void TreeVariants::add_leaf(std::size_t leaf, std::size_t output, const RowSet& rows, const std::uint64_t* points,
                            Workspace& workspace) const {
  // Where runs of points begin and end.
  std::uint32_t* runs = workspace.runs.data();
  std::size_t count = 0;
  std::uint64_t before = 0;
  for (std::size_t word = 0; word < words_; ++word) {
    for (std::uint64_t changes = points[word] ^ (points[word] << 1 | before); changes != 0; changes &= changes - 1)
      runs[count++] = static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(changes));
    before = points[word] >> 63;
  }
  // One that goes on to the last point needs no end, and what is so at the first point and all others is no difference.
  const auto steps = std::span(runs, count);
  const std::int64_t* amounts = amounts_[leaf];
  const std::size_t outputs = outputs_;
  for (std::size_t step = 0; step < steps.size() && steps[step] < points_; ++step) {
    if (steps[step] == 0) continue;
    const std::int64_t sign = step % 2 == 0 ? 1 : -1;
    std::int64_t* sums = workspace.sums.data() + steps[step] * set_rows * outputs;
    if (outputs == 1) {
      add_to_rows(rows, sign * amounts[0], sums);
      continue;
    }
    const bool one = amounts_.width() == 1;
    for (std::size_t word = 0; word < 4; ++word) {
      for (std::uint64_t left = rows.words[word]; left != 0; left &= left - 1) {
        std::int64_t* sum = sums + (word * 64 + static_cast<std::size_t>(std::countr_zero(left))) * outputs;
        if (one) {
          sum[output] += sign * amounts[0];
        } else {
          for (std::size_t k = 0; k < outputs; ++k) sum[k] += sign * amounts[k];
        }
      }
    }
  }
}

}  // namespace sightglass
