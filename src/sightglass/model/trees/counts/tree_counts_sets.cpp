// Counting with sets of rows: down a tree go, for each node, the rows that meet all conditions of its path, those that
// meet all but the condition on one feature, and so on. A split divides all sets but those that leave its feature out
// of account. Of the two halves one is counted, the other is the rest.
#include <algorithm>
#include <cstring>

#include "sightglass/model/trees/counts/tree_counts_internal.h"

namespace sightglass {

namespace {

// Whose sets stay in a cache of 2 MB.
constexpr std::size_t group_conditions = std::size_t{1} << 12;

// What four rows of a set count, for whatever of them may be in it: small enough for the first cache.
constexpr std::size_t sums_of_set = set_rows / 4 * 16;
void find_sums(const std::uint64_t* units, std::size_t rows, std::uint64_t* sums) {
  std::uint64_t of_bit[set_rows] = {};
  for (std::size_t row = 0; row < rows; ++row) of_bit[position_of_row(row)] = units[row];
  for (std::size_t four = 0; four < set_rows; four += 4, sums += 16) {
    sums[0] = 0;
    for (std::size_t bit = 0; bit < 4; ++bit) {
      for (std::size_t below = 0; below < std::size_t{1} << bit; ++below)
        sums[(std::size_t{1} << bit) + below] = sums[below] + of_bit[four + bit];
    }
  }
}

}  // namespace

template <TreeCounts::Weighing weighing>
__attribute__((always_inline)) inline void TreeCounts::divide_sets(TreeRange trees, std::uint64_t* counts,
                                                                   Workspace& workspace) const {
  // What is in all sets that lie side by side.
  const auto size = [&](const RowSet* sets) __attribute__((always_inline)) {
    std::uint64_t total = 0;
    if constexpr (weighing == Weighing::sums) {
      const std::uint64_t* sums = workspace.sums.data();
      for (std::size_t lane = 0; lane < wide_sets; ++lane) {
        for (std::size_t word = 0; word < 4; ++word) {
          const std::uint64_t bits = sets[lane].words[word];
          for (std::size_t four = 0; four < 16; ++four, sums += 16) total += sums[bits >> (4 * four) & 15];
        }
      }
    } else {
      for (const Workspace::Bit& bit : workspace.bits) {
        std::uint64_t rows = 0;
        for (std::size_t lane = 0; lane < wide_sets; ++lane) {
          const RowWords having = sets[lane].words & bit.rows[lane];
          for (std::size_t word = 0; word < 4; ++word)
            rows += static_cast<std::uint64_t>(__builtin_popcountll(having[word]));
        }
        total += rows << bit.shift;
      }
    }
    return total;
  };
  const WideKernels kernels = wide_kernels();
  const std::size_t most_sets = first_set(set_conditions_);
  const RowSet* conditions = workspace.conditions->sets();
  RowSet nobody_there[wide_sets] = {}, scratch[wide_sets];
  workspace.current[0] = workspace.all.data();
  if constexpr (weighing == Weighing::none) {
    workspace.sizes[0] = kernels.count(workspace.all.data(), nobody_there);
  } else {
    workspace.sizes[0] = size(workspace.all.data());
  }

  for (std::uint32_t number = trees.begin; number < trees.end; ++number) {
    const CountedTree& tree = trees_[number];
    if (by_lists(tree, weighing)) continue;
    if (tree.splits == tree.end) {
      counts[leaves_[tree.leaves].counts] += workspace.sizes[0];
      continue;
    }
    for (std::uint32_t at = tree.splits; at < tree.end; ++at) {
      const Split& split = splits_[at];
      workspace.way[split.depth] = at;
      if (split.right) take_right(split, splits_[workspace.way[split.depth - 1]], workspace);
      const RowSet* const* from = workspace.current.data() + split.depth * most_sets;
      const std::uint64_t* from_sizes =
          workspace.sizes.data() + (std::size_t{2} * split.depth + (split.right ? 1 : 0)) * most_sets;
      const std::size_t below = (split.depth + std::size_t{1}) * most_sets;
      const std::size_t sets = first_set(split.path_conditions);
      const RowSet* right = conditions + split.local_condition * wide_sets;

      // Where a child's counts go: to the leaf, or down. Its sets too, if it is on the left.
      const bool leaf[2] = {split.children[0] < 0, split.children[1] < 0};
      std::uint64_t* out[2];
      for (std::size_t side = 0; side < 2; ++side) {
        out[side] = leaf[side] ? counts + leaves_[static_cast<std::size_t>(~split.children[side])].counts
                               : workspace.sizes.data() + 2 * below + side * most_sets;
        if (!leaf[side]) std::fill_n(out[side], sets, 0);
      }
      const RowSet** to = workspace.current.data() + below;
      RowSet* made = workspace.sets.data() + below * wide_sets;
      const auto divide = [&](std::size_t set) __attribute__((always_inline)) {
        std::uint64_t on_the_left;
        if constexpr (weighing == Weighing::none) {
          on_the_left =
              leaf[0] ? kernels.count(from[set], right) : kernels.divide(from[set], right, made + set * wide_sets);
        } else {
          RowSet* left = leaf[0] ? scratch : made + set * wide_sets;
          for (std::size_t lane = 0; lane < wide_sets; ++lane)
            left[lane].words = from[set][lane].words & ~right[lane].words;
          on_the_left = size(left);
        }
        if (!leaf[0]) to[set] = made + set * wide_sets;
        out[0][set] += on_the_left;
        out[1][set] += from_sizes[set] - on_the_left;
      };
      if (split.fresh) {
        for (std::size_t set = 0; set < sets; ++set) divide(set);
        // The feature can be left out from now on, alone or with another.
        const auto add = [&](std::size_t set, std::size_t parent) __attribute__((always_inline)) {
          for (std::size_t side = 0; side < 2; ++side) {
            if (leaf[side]) {
              out[side][set] += from_sizes[parent];
            } else {
              out[side][set] = from_sizes[parent];
            }
          }
          if (!leaf[0]) to[set] = from[parent];
        };
        add(sets, 0);
        for (std::size_t p = 0; p < split.path_conditions && order_ > 1; ++p) add(sets + 1 + p, first_set(p));
        continue;
      }
      for (const std::uint16_t set : keeps_[split.position]) {
        if (set >= sets) break;
        divide(set);
      }
      for (const std::uint16_t set : leaves_out_[split.position]) {
        if (set >= sets) break;
        for (std::size_t side = 0; side < 2; ++side) out[side][set] += from_sizes[set];
        if (!leaf[0]) to[set] = from[set];
      }
    }
  }
}

// The sets of a right child: made when it is its turn, so that only those on the way to it take room in the cache. How
// many rows they have is known.
__attribute__((always_inline)) inline void TreeCounts::take_right(const Split& split, const Split& parent,
                                                                  Workspace& workspace) const {
  const std::size_t most_sets = first_set(set_conditions_), sets = first_set(parent.path_conditions);
  const RowSet* const* from = workspace.current.data() + parent.depth * most_sets;
  const RowSet* right = workspace.conditions->sets() + parent.local_condition * wide_sets;
  const RowSet** to = workspace.current.data() + split.depth * most_sets;
  RowSet* made = workspace.sets.data() + split.depth * most_sets * wide_sets;
  const auto take = [&](std::size_t set) __attribute__((always_inline)) {
    RowSet* target = made + set * wide_sets;
    for (std::size_t lane = 0; lane < wide_sets; ++lane) target[lane].words = from[set][lane].words & right[lane].words;
    to[set] = target;
  };
  if (parent.fresh) {
    for (std::size_t set = 0; set < sets; ++set) take(set);
    to[sets] = from[0];
    for (std::size_t p = 0; p < parent.path_conditions && order_ > 1; ++p) to[sets + 1 + p] = from[first_set(p)];
    return;
  }
  for (const std::uint16_t set : keeps_[parent.position]) {
    if (set >= sets) break;
    take(set);
  }
  for (const std::uint16_t set : leaves_out_[parent.position]) {
    if (set >= sets) break;
    to[set] = from[set];
  }
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void TreeCounts::divide_counted_sets(TreeRange trees, std::uint64_t* counts, Workspace& workspace) const {
  divide_sets<Weighing::none>(trees, counts, workspace);
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void TreeCounts::divide_sets_of_bits(TreeRange trees, std::uint64_t* counts, Workspace& workspace) const {
  divide_sets<Weighing::bits>(trees, counts, workspace);
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void TreeCounts::divide_sets_of_sums(TreeRange trees, std::uint64_t* counts, Workspace& workspace) const {
  divide_sets<Weighing::sums>(trees, counts, workspace);
}

void TreeCounts::find_groups() {
  groups_.clear();
  std::vector<std::uint32_t> seen_in(codes_.conditions().size(), 0);  // number of the group, from 1
  for (std::uint32_t tree = 0; tree < trees_.size(); ++tree) {
    const CountedTree& counted = trees_[tree];
    const std::size_t more = counted.lists ? 0 : counted.end - counted.splits;
    if (groups_.empty() || groups_.back().conditions.size() + more > group_conditions)
      groups_.push_back({.trees = {tree, tree}});
    Group& group = groups_.back();
    group.trees.end = tree + 1;
    for (std::uint32_t at = counted.splits; at < counted.end && !counted.lists; ++at) {
      std::uint32_t& seen = seen_in[splits_[at].condition];
      if (seen == groups_.size()) continue;
      seen = static_cast<std::uint32_t>(groups_.size());
      group.conditions.push_back(splits_[at].condition);
    }
  }
  std::vector<std::uint32_t> local(seen_in.size());
  for (Group& group : groups_) {
    std::sort(group.conditions.begin(), group.conditions.end());
    for (std::uint32_t at = 0; at < group.conditions.size(); ++at) local[group.conditions[at]] = at;
    for (std::uint32_t tree = group.trees.begin; tree < group.trees.end; ++tree) {
      for (std::uint32_t at = trees_[tree].splits; at < trees_[tree].end && !trees_[tree].lists; ++at)
        splits_[at].local_condition = local[splits_[at].condition];
    }
  }
}

void TreeCounts::add_sets(TreeRange trees, const Rows& rows, std::uint64_t* counts, Workspace& workspace) const {
  if (workspace.weighing == Weighing::sums) workspace.sums.resize(wide_sets * sums_of_set);
  for (std::size_t number = 0; number < groups_.size(); ++number) {
    const Group& group = groups_[number];
    const TreeRange mine{std::max(trees.begin, group.trees.begin), std::min(trees.end, group.trees.end)};
    if (mine.begin >= mine.end) continue;
    if (!workspace.conditions || workspace.group != number) {
      workspace.conditions.emplace(codes_, group.conditions, wide_sets);
      workspace.group = number;
    }
    for (std::size_t begin = 0; begin < rows.rows; begin += wide_rows) {
      if (workspace.context != nullptr) workspace.context->check();
      for (std::size_t lane = 0; lane < wide_sets; ++lane) {
        const std::size_t first = begin + lane * set_rows;
        const std::size_t here = first < rows.rows ? std::min(set_rows, rows.rows - first) : 0;
        workspace.all[lane] = first_rows(here);
        if (workspace.weighing == Weighing::sums)
          find_sums(rows.units + first, here, workspace.sums.data() + lane * sums_of_set);
        for (Workspace::Bit& bit : workspace.bits) {
          bit.rows[lane] = RowWords{};
          for (std::size_t row = 0; row < here; ++row)
            bit.rows[lane][row / 64] |= (rows.units[first + row] >> bit.shift & 1) != 0 ? row_bit(row) : 0;
        }
        if (here == 0) continue;  // of no rows any condition will do
        if (here == set_rows) {
          workspace.conditions->find(rows.codes + first, rows.stride, lane);
          continue;
        }
        for (std::size_t slot = 0; slot < codes_.slots(); ++slot)
          std::copy_n(rows.codes + slot * rows.stride + first, here, workspace.padded.data() + slot * set_rows);
        workspace.conditions->find(workspace.padded.data(), set_rows, lane);
      }
      switch (workspace.weighing) {
        case Weighing::none: divide_counted_sets(mine, counts, workspace); break;
        case Weighing::bits: divide_sets_of_bits(mine, counts, workspace); break;
        case Weighing::sums: divide_sets_of_sums(mine, counts, workspace); break;
      }
    }
  }
}

}  // namespace sightglass
