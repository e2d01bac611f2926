#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <ranges>
#include <span>
#include <utility>

#include "sightglass/model/trees/rows/row_sums_internal.h"
#include "sightglass/model/trees/variants/tree_variants_internal.h"

namespace sightglass {

namespace {

// Sums at more points, of all outputs, leave the cache; then it pays to find out first at which anything changes.
constexpr std::size_t many_points = 1024;

// From steps to sums.
SIGHTGLASS_FOR_EACH_PROCESSOR
void add_up(double* sums, std::size_t points, std::size_t width) {
  for (std::size_t i = width; i < points * width; ++i) sums[i] += sums[i - width];
}

// Points as bits: those that go right at each condition of the features that are set.
class PointSets {
 public:
  PointSets(const FeatureCodes& codes, std::size_t points)
      : codes_(codes),
        points_(points),
        words_((points + 63) / 64),
        all_(words_, ~std::uint64_t{0}),
        begin_(codes.conditions().size(), -1) {
    if (points % 64 != 0) all_.back() = (std::uint64_t{1} << (points % 64)) - 1;
  }
  // at_point: the code of each. Returns the slot's conditions.
  auto add(std::size_t slot, const std::vector<std::uint16_t>& at_point);

  [[nodiscard]] std::size_t words() const { return words_; }
  [[nodiscard]] const std::vector<std::uint64_t>& all() const { return all_; }
  // Null for conditions about other features.
  [[nodiscard]] const std::uint64_t* right(std::uint32_t condition) const {
    return begin_[condition] < 0 ? nullptr : sets_.data() + begin_[condition];
  }
  // Whether not all points go the same way.
  [[nodiscard]] bool parted_by(std::uint32_t condition) const {
    const std::span<const std::uint64_t> set(right(condition), words_);
    return !std::equal(set.begin(), set.end(), all_.begin()) &&
           std::any_of(set.begin(), set.end(), [](std::uint64_t word) { return word != 0; });
  }

 private:
  const FeatureCodes& codes_;
  std::size_t points_, words_;
  std::vector<std::uint64_t> all_;
  std::vector<std::int64_t> begin_;  // per condition: where its set is, or -1
  std::vector<std::uint64_t> sets_;
};

auto PointSets::add(std::size_t slot, const std::vector<std::uint16_t>& at_point) {
  const auto& conditions = codes_.conditions();
  const auto begin =
      std::lower_bound(conditions.begin(), conditions.end(), slot,
                       [](const auto& condition, std::size_t wanted) { return condition.slot < wanted; });
  const auto end = std::find_if(begin, conditions.end(), [&](const auto& condition) { return condition.slot != slot; });
  const std::size_t first = sets_.size();
  sets_.resize(first + static_cast<std::size_t>(end - begin) * words_);
  const auto add = [](std::uint64_t* set, std::size_t point) { set[point / 64] |= std::uint64_t{1} << (point % 64); };
  std::vector<std::uint32_t> order(points_);  // by code, the largest first
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return at_point[a] > at_point[b]; });
  std::vector<std::uint64_t> behind(words_), missing(words_), zero(words_);
  for (std::size_t point = 0; point < points_; ++point) {
    if (at_point[point] == codes_.missing(slot)) add(missing.data(), point);
    if (codes_.asks_for_zero(slot) && codes_.is_zero(slot, at_point[point])) add(zero.data(), point);
  }
  // From the last condition down, a point joins those on the right at its own code.
  std::size_t next = 0;
  while (next < points_ && at_point[order[next]] == codes_.missing(slot)) ++next;
  for (auto condition = end; condition-- != begin;) {
    const auto number = static_cast<std::size_t>(condition - conditions.begin());
    const std::size_t at = first + static_cast<std::size_t>(condition - begin) * words_;
    begin_[number] = static_cast<std::int64_t>(at);
    std::uint64_t* right = sets_.data() + at;
    if (condition->members >= 0) {
      for (std::size_t point = 0; point < points_; ++point) {
        if (codes_.goes_right(*condition, at_point[point])) add(right, point);
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
  return std::views::iota(static_cast<std::uint32_t>(begin - conditions.begin()),
                          static_cast<std::uint32_t>(end - conditions.begin()));
}

}  // namespace

namespace {

// What the leaves of one output come to.
struct OutputSizes {
  double largest = 0;         // no sum is larger than that of each tree's largest leaf
  std::vector<double> sizes;  // of leaves, but for those that are 0

  // Nothing where it would have to be too coarse, or too small.
  [[nodiscard]] std::optional<double> unit() {
    // Of 52 bits, these may go to what is larger than most leaves.
    constexpr int most_bits_above = 27;
    if (!std::isfinite(largest)) return std::nullopt;
    if (largest == 0) return 1;
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    if (largest > std::ldexp(*middle, most_bits_above)) return std::nullopt;
    // Sums of all trees are below 2^52 units, and differences of two such sums below 2^53.
    const int exponent = std::ilogb(largest) - 51;
    if (exponent < -1000) return std::nullopt;
    return std::ldexp(1.0, exponent);
  }
};

}  // namespace

std::optional<LeafAmounts> LeafAmounts::of(const TreeEnsemble::Parts& parts, const TreeEdges& edges) {
  LeafAmounts amounts;
  if (edges.depth() > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
  const bool vectors = !parts.leaf_values.empty();
  const std::size_t width = amounts.width_ = vectors ? parts.base.size() : 1;
  // Calls visit(output, value) for what each leaf of a tree adds, and returns the number of the next tree's first one.
  const auto visit_leaves = [&](std::size_t tree, std::size_t leaf, const auto& visit) {
    // A tree of s splits has 2 s edges and s + 1 leaves.
    const std::size_t end = leaf + (edges.end(tree) - edges.begin(tree)) / 2 + 1;
    for (; leaf < end; ++leaf) {
      const TreeNode& node = parts.nodes[edges.leaves()[leaf]];
      if (!vectors) visit(parts.trees[tree].output, node.threshold);
      for (std::size_t k = 0; vectors && k < width; ++k)
        visit(k, parts.leaf_values[static_cast<std::size_t>(node.leaf) * width + k]);
    }
    return end;
  };
  std::vector<OutputSizes> outputs(parts.base.size());
  std::vector<double> most(outputs.size());
  for (std::size_t tree = 0, leaf = 0; tree < edges.trees(); ++tree) {
    std::fill(most.begin(), most.end(), 0.0);
    leaf = visit_leaves(tree, leaf, [&](std::size_t output, double value) {
      most[output] = std::max(most[output], std::abs(value));
      if (value != 0) outputs[output].sizes.push_back(std::abs(value));
    });
    for (std::size_t k = 0; k < outputs.size(); ++k) outputs[k].largest += most[k];
  }
  std::vector<double> units;
  for (OutputSizes& output : outputs) {
    const auto unit = output.unit();
    if (!unit) return std::nullopt;
    units.push_back(*unit);
  }
  amounts.amounts_.reserve(edges.leaves().size() * width);
  for (std::size_t tree = 0, leaf = 0; tree < edges.trees(); ++tree) {
    leaf = visit_leaves(tree, leaf, [&](std::size_t output, double value) {
      amounts.amounts_.push_back(std::nearbyint(value / units[output]) * units[output]);
    });
  }
  return amounts;
}

// Finds the ways down the trees, with the points that come along.
class TreeVariants::WayFinder {
 public:
  WayFinder(TreeVariants& variants, const TreeEdges& edges, const LeafAmounts& amounts, const PointSets& points,
            const Limits& limits)
      : variants_(variants), edges_(edges), amounts_(amounts), points_(points), limits_(limits) {}

  // parting: the edges behind which not all points go the same way, ascending.
  void find(std::span<const std::uint32_t> parting, const TreeEnsemble::Parts& parts) {
    for (std::size_t at = 0; at < parting.size() && variants_.whole_;) {
      const std::size_t tree = edges_.tree_of(parting[at]), first = at;
      while (at < parting.size() && parting[at] < edges_.end(tree)) ++at;
      parting_ = parting.subspan(first, at - first);
      output_ = static_cast<std::uint32_t>(parts.trees[tree].output);
      find(tree);
    }
  }

 private:
  // Where sets of points are kept; all points are at 0.
  using Points = std::size_t;
  struct Waiting {
    std::uint32_t edge = 0, depth = 0;
    Points points = 0;  // that come to the node
  };
  struct Node {
    std::uint32_t left = 0;  // edge
    Points points = 0;
  };

  void find(std::size_t tree) {
    kept_ = points_.all();
    Ways ways{.first = static_cast<std::uint32_t>(variants_.ways_.size()),
              .first_step = static_cast<std::uint32_t>(variants_.steps_.size())};
    visit_children({edges_.begin(tree), 0}, 0);
    ways.steps = make_steps();
    while (!waiting_.empty()) {
      if (!keep_going()) return;
      const Waiting next = waiting_.back();
      waiting_.pop_back();
      const TreeEdge& edge = edges_[next.edge];
      Way way{.branch = 2 * edge.condition + (edge.right ? 1 : 0),
              .first_step = static_cast<std::uint32_t>(variants_.steps_.size()),
              .depth = static_cast<std::uint16_t>(next.depth)};
      if (edge.leaf < 0) {
        visit_children({next.edge + 1, next.points}, next.depth + 1);
      } else {
        note_leaf(static_cast<std::size_t>(edge.leaf), next.points);
      }
      way.steps = static_cast<std::uint16_t>(make_steps());
      variants_.ways_.push_back(way);
      variants_.depth_ = std::max<std::size_t>(variants_.depth_, next.depth + 1);
    }
    ways.end = static_cast<std::uint32_t>(variants_.ways_.size());
    // From the back: what follows from a way ends where the next one of its depth or above begins.
    std::vector<std::uint32_t> behind(1, ways.end);
    for (std::uint32_t at = ways.end; at-- > ways.first;) {
      Way& way = variants_.ways_[at];
      behind.resize(way.depth + std::size_t{1}, behind.back());
      way.next = behind[way.depth];
      behind[way.depth] = at;
    }
    variants_.trees_.push_back(ways);
  }

  // Looks at the limits, now and then.
  [[nodiscard]] bool keep_going() {
    constexpr std::size_t ways_between = 256;
    if (!variants_.whole_) return false;
    if (++looked_ % ways_between != 0) return true;
    if (limits_.context != nullptr) limits_.context->check();
    variants_.whole_ = variants_.bytes() + kept_.size() * sizeof(kept_[0]) <= limits_.bytes;
    return variants_.whole_;
  }

  // The edges of a node. Those that only divide points are gone at once: all rows come along.
  void visit_children(Node first, std::uint32_t depth) {
    nodes_.push_back(first);
    while (!nodes_.empty() && keep_going()) {
      const Node node = nodes_.back();
      nodes_.pop_back();
      for (const std::uint32_t edge : {node.left, edges_[node.left].next}) {
        if (points_.right(edges_[edge].condition) == nullptr) {
          // Where all points go on together, a leaf does not tell them apart.
          if (node.points != 0 || parts_below(edge)) waiting_.push_back({edge, depth, node.points});
          continue;
        }
        const auto here = divide(node.points, edges_[edge]);
        if (!here) continue;
        if (edges_[edge].leaf < 0) {
          nodes_.push_back({edge + 1, *here});
        } else {
          note_leaf(static_cast<std::size_t>(edges_[edge].leaf), *here);
        }
      }
    }
  }
  // The points that go along an edge; nothing if there are none.
  std::optional<Points> divide(Points from, const TreeEdge& edge) {
    const std::uint64_t* right = points_.right(edge.condition);
    const std::size_t to = kept_.size(), words = points_.words();
    kept_.resize(to + words);
    std::uint64_t any = 0, lost = 0;
    for (std::size_t word = 0; word < words; ++word) {
      kept_[to + word] = kept_[from + word] & (edge.right ? right[word] : ~right[word]);
      any |= kept_[to + word];
      lost |= kept_[to + word] ^ kept_[from + word];
    }
    if (any != 0 && lost != 0) return to;
    kept_.resize(to);
    return any != 0 ? std::optional(from) : std::nullopt;
  }
  [[nodiscard]] bool parts_below(std::uint32_t edge) const {
    const auto at = std::lower_bound(parting_.begin(), parting_.end(), edge);
    return at != parting_.end() && *at < edges_[edge].next;
  }

  // Where runs of points begin and end. One that goes on to the last point needs no end, and what is so at the first
  // point is no difference to it.
  void note_leaf(std::size_t leaf, Points points) {
    if (points == 0) return;
    std::uint64_t before = kept_[points] & 1;
    bool inside = before != 0;
    for (std::size_t word = 0; word < points_.words(); ++word) {
      const std::uint64_t here = kept_[points + word];
      std::uint64_t changes = (here ^ (here << 1 | before)) & points_.all()[word];
      for (; changes != 0; changes &= changes - 1) {
        inside = !inside;
        const auto bit = static_cast<std::size_t>(std::countr_zero(changes));
        changes_.push_back({static_cast<std::uint32_t>(word * 64 + bit), inside, leaf});
      }
      before = here >> 63;
    }
  }
  // What the noted leaves change at each point; returns at how many.
  std::uint32_t make_steps() {
    std::sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) { return a.point < b.point; });
    const std::size_t width = variants_.width_, before = variants_.steps_.size();
    for (std::size_t at = 0; at < changes_.size();) {
      const std::uint32_t point = changes_[at].point;
      variants_.steps_.push_back({point, output_});
      variants_.amounts_.resize(variants_.amounts_.size() + width);
      double* sums = variants_.amounts_.data() + variants_.amounts_.size() - width;
      for (; at < changes_.size() && changes_[at].point == point; ++at) {
        const double* amounts = amounts_[changes_[at].leaf];
        for (std::size_t k = 0; k < width; ++k) sums[k] += changes_[at].begins ? amounts[k] : -amounts[k];
      }
    }
    changes_.clear();
    return static_cast<std::uint32_t>(variants_.steps_.size() - before);
  }

  struct Change {
    std::uint32_t point;
    bool begins;
    std::size_t leaf;
  };
  TreeVariants& variants_;
  const TreeEdges& edges_;
  const LeafAmounts& amounts_;
  const PointSets& points_;
  const Limits& limits_;
  std::size_t looked_ = 0;
  std::span<const std::uint32_t> parting_;  // of the tree at work
  std::uint32_t output_ = 0;
  std::vector<std::uint64_t> kept_;  // sets of points
  std::vector<Waiting> waiting_;
  std::vector<Node> nodes_;
  std::vector<Change> changes_;
};

TreeVariants::TreeVariants(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const TreeEdges& edges,
                           const LeafAmounts& amounts, const std::vector<std::size_t>& set,
                           const std::vector<std::vector<std::uint16_t>>& variants, const Limits& limits)
    : outputs_(parts.base.size()), width_(amounts.width()), point_of_(variants.size()) {
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
  PointSets points(codes, points_);
  std::vector<std::uint32_t> parting;
  for (std::size_t at = 0; at < set.size(); ++at) {
    std::vector<std::uint16_t> at_point;
    for (const std::uint32_t first : first_of) at_point.push_back(variants[first][at]);
    for (const std::uint32_t condition : points.add(set[at], at_point)) {
      if (!points.parted_by(condition)) continue;
      const auto with_it = edges.edges_of(condition);
      parting.insert(parting.end(), with_it.begin(), with_it.end());
    }
  }
  std::sort(parting.begin(), parting.end());
  WayFinder(*this, edges, amounts, points, limits).find(parting, parts);
  whole_ = whole_ && bytes() <= limits.bytes;
}

std::vector<std::uint32_t> TreeVariants::take_conditions() {
  std::vector<std::uint32_t> number, conditions;
  for (const Way& way : ways_) {
    if (way.branch / 2 >= number.size()) number.resize(way.branch / 2 + std::size_t{1}, 0);
    number[way.branch / 2] = 1;
  }
  for (std::uint32_t condition = 0; condition < number.size(); ++condition) {
    if (number[condition] == 0) continue;
    number[condition] = static_cast<std::uint32_t>(conditions.size());
    conditions.push_back(condition);
  }
  for (Way& way : ways_) way.branch = 2 * number[way.branch / 2] + way.branch % 2;
  return conditions;
}

std::size_t TreeVariants::bytes() const {
  return ways_.size() * sizeof(Way) + steps_.size() * sizeof(Step) + amounts_.size() * sizeof(double);
}

std::size_t TreeVariants::workspace_bytes() const {
  const std::size_t noted = points_ * outputs_ > many_points ? (ways_.size() + trees_.size()) * sizeof(Gone) : 0;
  return (depth_ + 1) * sizeof(RowSet) + points_ * (set_rows * outputs_ * sizeof(double) + sizeof(std::uint32_t)) +
         noted;
}

void TreeVariants::find(const RowSet* conditions, const RowSet& rows, Workspace& workspace,
                        const Context* context) const {
  const std::size_t width = set_rows * outputs_;
  const bool note = points_ * outputs_ > many_points;
  if (workspace.rows.size() <= depth_) workspace.rows.resize(depth_ + 1);
  workspace.rows[0] = rows;
  workspace.gone.clear();
  workspace.sums_of_point.resize(points_);
  std::iota(workspace.sums_of_point.begin(), workspace.sums_of_point.end(), 0U);
  std::size_t distinct = points_;
  const auto make_room = [&] {
    if (workspace.sums.size() < distinct * width) workspace.sums.resize(distinct * width);
    std::fill_n(workspace.sums.begin(), distinct * width, 0.0);
  };
  if (!note) make_room();
  for (const Ways& tree : trees_) {
    if (context != nullptr) context->check();
    walk(tree, conditions, note, workspace);
  }
  if (note) {
    std::fill(workspace.sums_of_point.begin(), workspace.sums_of_point.end(), 0U);
    for (const Gone& gone : workspace.gone) {
      for (std::uint32_t step = gone.first_step; step < gone.first_step + gone.steps; ++step)
        workspace.sums_of_point[steps_[step].point] = 1;
    }
    workspace.sums_of_point[0] = 0;
    for (std::size_t point = 1; point < points_; ++point)
      workspace.sums_of_point[point] += workspace.sums_of_point[point - 1];
    distinct = workspace.sums_of_point.back() + std::size_t{1};
    make_room();
    for (const Gone& gone : workspace.gone) add_steps(gone.rows, gone.first_step, gone.steps, workspace);
  }
  add_up(workspace.sums.data(), distinct, width);
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void TreeVariants::walk(const Ways& tree, const RowSet* conditions, bool note, Workspace& workspace) const {
  const auto go = [&](const RowSet& rows, std::uint32_t first, std::uint32_t count) {
    if (note) {
      workspace.gone.push_back({rows, first, count});
    } else {
      add_steps(rows, first, count, workspace);
    }
  };
  RowSet* rows = workspace.rows.data();
  if (tree.steps > 0) go(rows[0], tree.first_step, tree.steps);
  for (std::uint32_t at = tree.first; at < tree.end;) {
    const Way& way = ways_[at];
    const RowWords right = conditions[way.branch / 2].words;
    const RowWords here = rows[way.depth].words & (way.branch % 2 != 0 ? right : ~right);
    if ((here[0] | here[1] | here[2] | here[3]) == 0) {
      at = way.next;
      continue;
    }
    rows[way.depth + 1].words = here;
    if (way.steps > 0) go(rows[way.depth + 1], way.first_step, way.steps);
    ++at;
  }
}

void TreeVariants::add_steps(const RowSet& rows, std::uint32_t first, std::uint32_t count, Workspace& workspace) const {
  for (std::uint32_t step = first; step < first + count; ++step) {
    double* at_point = workspace.sums.data() + workspace.sums_of_point[steps_[step].point] * set_rows * outputs_;
    const double* amounts = amounts_.data() + step * width_;
    if (outputs_ == 1) {
      add_to_rows(rows, amounts[0], at_point);
      continue;
    }
    for (std::size_t word = 0; word < 4; ++word) {
      for (std::uint64_t left = rows.words[word]; left != 0; left &= left - 1) {
        double* sum = at_point + (word * 64 + static_cast<std::size_t>(std::countr_zero(left))) * outputs_;
        if (width_ == 1) {
          sum[steps_[step].output] += amounts[0];
        } else {
          for (std::size_t k = 0; k < outputs_; ++k) sum[k] += amounts[k];
        }
      }
    }
  }
}

}  // namespace sightglass
