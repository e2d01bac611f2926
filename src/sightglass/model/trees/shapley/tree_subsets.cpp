#include <algorithm>
#include <numeric>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/model/trees/shapley/tree_subsets_internal.h"

namespace sightglass {

namespace {

// What a group's patterns take of a processor, for 256 rows.
constexpr double cycles_per_group = 800;

bool is_there(const RowSet& rows, std::size_t row) { return (rows.words[row / 64] & row_bit(row)) != 0; }

// Entries are `words` numbers of pattern and one of count, ascending by pattern.
std::vector<std::uint64_t> merged(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b,
                                  std::size_t words) {
  std::vector<std::uint64_t> out;
  out.reserve(a.size() + b.size());
  const std::size_t entry = words + 1;
  std::size_t i = 0, j = 0;
  const auto take = [&](const std::vector<std::uint64_t>& from, std::size_t& at) {
    out.insert(out.end(), from.begin() + static_cast<std::ptrdiff_t>(at),
               from.begin() + static_cast<std::ptrdiff_t>(at + entry));
    at += entry;
  };
  while (i < a.size() && j < b.size()) {
    const auto order = std::lexicographical_compare_three_way(&a[i], &a[i] + words, &b[j], &b[j] + words);
    if (order < 0) {
      take(a, i);
    } else if (order > 0) {
      take(b, j);
    } else {
      take(a, i);
      out.back() += b[j + words];
      j += entry;
    }
  }
  while (i < a.size()) take(a, i);
  while (j < b.size()) take(b, j);
  return out;
}

// For each leaf with a long path, how many words its patterns have.
std::vector<std::size_t> long_path_words(const TreePatterns& patterns) {
  std::vector<std::size_t> words;
  for (const TreePatterns::Group& group : patterns.groups()) {
    if (group.is_long()) words.push_back(TreePatterns::words(group));
  }
  return words;
}

// From rows by pattern to rows by subset of conditions met: of one leaf of the group.
void add_leaf(const TreePatterns& patterns, const TreePatterns::Leaf& leaf,
              const std::vector<std::uint64_t>& by_pattern, std::vector<std::uint64_t>& by_subset,
              std::uint64_t* counts) {
  const auto positions = patterns.positions(leaf);
  const std::size_t size = std::size_t{1} << positions.size();
  by_subset.assign(size, 0);
  for (std::size_t pattern = 0; pattern < by_pattern.size(); ++pattern) {
    if (by_pattern[pattern] == 0) continue;
    by_subset[TreePatterns::met_by(positions, pattern)] += by_pattern[pattern];
  }
  // Whoever meets more meets less.
  for (std::size_t bit = 1; bit < size; bit *= 2) {
    for (std::size_t high = 0; high < size; high += 2 * bit) {
      for (std::size_t low = high; low < high + bit; ++low) by_subset[low] += by_subset[low + bit];
    }
  }
  for (std::size_t subset = 0; subset < size; ++subset) counts[subset] += by_subset[subset];
}

}  // namespace

void SubsetCounts::merge(const SubsetCounts& other, const TreePatterns& patterns) {
  if (other.subsets.size() != subsets.size() || other.long_paths.size() != long_paths.size())
    throw Error(ErrorKind::internal, "counts of other trees");
  total += other.total;
  for (std::size_t at = 0; at < subsets.size(); ++at) subsets[at] += other.subsets[at];
  const auto words = long_path_words(patterns);
  for (std::size_t at = 0; at < long_paths.size(); ++at)
    long_paths[at] = merged(long_paths[at], other.long_paths[at], words[at]);
}

void SubsetCounts::save(ByteSink& sink) const {
  sink.u64(total);
  sink.u64(subsets.size());
  for (const std::uint64_t count : subsets) sink.u64(count);
  sink.u64(long_paths.size());
  for (const auto& entries : long_paths) {
    sink.u64(entries.size());
    for (const std::uint64_t number : entries) sink.u64(number);
  }
}

void SubsetCounts::load(ByteSource& source, const TreePatterns& patterns) {
  const auto check = [](bool good) {
    if (!good) throw Error(ErrorKind::data, "the saved counts are not of these trees");
  };
  const auto words = long_path_words(patterns);
  total = source.u64();
  check(source.count(sizeof(std::uint64_t)) == patterns.subsets());
  subsets.resize(patterns.subsets());
  for (std::uint64_t& count : subsets) count = source.u64();
  check(source.count(sizeof(std::uint64_t)) == words.size());
  long_paths.resize(words.size());
  for (std::size_t at = 0; at < words.size(); ++at) {
    long_paths[at].resize(source.count(sizeof(std::uint64_t)));
    for (std::uint64_t& number : long_paths[at]) number = source.u64();
    const std::size_t entry = words[at] + 1;
    check(long_paths[at].size() % entry == 0);
    for (std::size_t next = entry; next < long_paths[at].size(); next += entry) {
      const std::uint64_t* before = long_paths[at].data() + next - entry;
      check(std::lexicographical_compare(before, before + words[at], before + entry, before + entry + words[at]));
    }
  }
}

SubsetCounter::SubsetCounter(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const TreePatterns& patterns)
    : codes_(codes), patterns_(patterns) {
  const auto& groups = patterns.groups();
  for (std::uint32_t first = 0, end = 0; first < groups.size(); first = end) {
    while (end < groups.size() && groups[end].tree == groups[first].tree) ++end;
    // Sets need the tree as a whole.
    if (patterns.whole_trees() && groups[first].bits > 0) {
      SubsetSets sets(parts, codes, groups[first].tree);
      if (sets.cost() < cycles_per_group * static_cast<double>(end - first)) {
        const std::size_t before = std::exchange(changes_, changes_ + sets.size());
        set_trees_.push_back({std::move(sets), first, end, before});
        continue;
      }
    }
    for (std::uint32_t group = first; group < end; ++group) other_groups_.push_back(group);
  }
  for (const SetTree& tree : set_trees_) tree.sets.add_conditions(conditions_);
  std::sort(conditions_.begin(), conditions_.end());
  conditions_.erase(std::unique(conditions_.begin(), conditions_.end()), conditions_.end());
  for (SetTree& tree : set_trees_) tree.sets.number_conditions(conditions_);
}

void SubsetCounter::add(const Rows& rows, SubsetCounts& counts, Workspace& workspace) const {
  std::uint64_t there = 0;
  for (std::size_t block = 0; block < rows.blocks; ++block) {
    for (std::size_t row = 0; row < set_rows; ++row) {
      if (is_there(rows.there[block], row)) there += rows.weights == nullptr ? 1 : rows.weights[block * set_rows + row];
    }
  }
  counts.total += there;
  if (rows.weights == nullptr) {
    add_sets(rows, there, counts, workspace);
  } else {
    for (const SetTree& tree : set_trees_) {
      if (workspace.context != nullptr) workspace.context->check();
      for (std::uint32_t group = tree.first_group; group < tree.end_group; ++group)
        add_short(patterns_.groups()[group], rows, counts, workspace);
    }
  }
  for (const std::uint32_t index : other_groups_) {
    const TreePatterns::Group& group = patterns_.groups()[index];
    if (workspace.context != nullptr) workspace.context->check();
    if (group.is_long()) {
      add_long(group, rows, counts, workspace);
    } else {
      add_short(group, rows, counts, workspace);
    }
  }
}

void SubsetCounter::add_sets(const Rows& rows, std::uint64_t there, SubsetCounts& counts, Workspace& workspace) const {
  if (set_trees_.empty()) return;
  workspace.changes.assign(changes_, 0);
  for (const SetTree& tree : set_trees_) tree.sets.prepare(workspace.sets);
  for (std::size_t begin = 0; begin < rows.blocks; begin += wide_sets) {
    if (workspace.context != nullptr) workspace.context->check();
    const std::size_t blocks = std::min(wide_sets, rows.blocks - begin);
    RowSet here[wide_sets] = {};
    std::copy_n(rows.there + begin, blocks, here);
    for (std::size_t block = 0; block < blocks; ++block)
      workspace.conditions.find(rows.codes + (begin + block) * patterns_.slots() * set_rows, set_rows, block);
    for (const SetTree& tree : set_trees_)
      tree.sets.add(workspace.conditions.sets(), here, workspace.changes.data() + tree.changes, workspace.sets);
  }
  for (const SetTree& tree : set_trees_) {
    const TreePatterns::Leaf& first = patterns_.leaves(patterns_.groups()[tree.first_group])[0];
    tree.sets.finish(workspace.changes.data() + tree.changes, there, counts.subsets.data() + first.subsets,
                     workspace.sets);
  }
}

void SubsetCounter::add_short(const TreePatterns::Group& group, const Rows& rows, SubsetCounts& counts,
                              Workspace& workspace) const {
  const std::size_t outside = std::size_t{1} << group.bits;  // where rows that are not there are counted
  workspace.by_pattern.assign(outside + 1, 0);
  workspace.patterns.resize(set_rows);
  std::uint64_t* by_pattern = workspace.by_pattern.data();
  std::uint16_t* found = workspace.patterns.data();
  for (std::size_t block = 0; block < rows.blocks; ++block) {
    patterns_.find(group, rows.codes + block * patterns_.slots() * set_rows, found);
    const RowWords absent = ~rows.there[block].words;
    if ((absent[0] | absent[1] | absent[2] | absent[3]) != 0) {
      for (std::size_t row = 0; row < set_rows; ++row) {
        if (!is_there(rows.there[block], row)) found[row] = static_cast<std::uint16_t>(outside);
      }
    }
    if (rows.weights == nullptr) {
      for (std::size_t row = 0; row < set_rows; ++row) ++by_pattern[found[row]];
    } else {
      for (std::size_t row = 0; row < set_rows; ++row) by_pattern[found[row]] += rows.weights[block * set_rows + row];
    }
  }
  workspace.by_pattern.pop_back();
  for (const TreePatterns::Leaf& leaf : patterns_.leaves(group))
    add_leaf(patterns_, leaf, workspace.by_pattern, workspace.by_subset, counts.subsets.data() + leaf.subsets);
}

void SubsetCounter::add_long(const TreePatterns::Group& group, const Rows& rows, SubsetCounts& counts,
                             Workspace& workspace) const {
  const std::size_t words = TreePatterns::words(group);
  workspace.long_patterns.resize(rows.blocks * set_rows * words);
  workspace.order.clear();
  const std::uint64_t* found = workspace.long_patterns.data();
  for (std::size_t block = 0; block < rows.blocks; ++block) {
    patterns_.find_long(group, rows.codes + block * patterns_.slots() * set_rows,
                        workspace.long_patterns.data() + block * set_rows * words);
    for (std::size_t row = 0; row < set_rows; ++row) {
      const std::size_t at = block * set_rows + row;
      if (is_there(rows.there[block], row) && (rows.weights == nullptr || rows.weights[at] > 0))
        workspace.order.push_back(static_cast<std::uint32_t>(at));
    }
  }
  PatternGroups& groups = workspace.groups;
  groups.find(found, words, workspace.order);
  workspace.sums.assign(groups.size(), 0);
  for (std::size_t at = 0; at < workspace.order.size(); ++at)
    workspace.sums[groups.of()[at]] += rows.weights == nullptr ? 1 : rows.weights[workspace.order[at]];
  const auto pattern = [&](std::uint32_t number) { return found + groups.first()[number] * words; };
  workspace.order.resize(groups.size());
  std::iota(workspace.order.begin(), workspace.order.end(), 0U);
  std::sort(workspace.order.begin(), workspace.order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::lexicographical_compare(pattern(a), pattern(a) + words, pattern(b), pattern(b) + words);
  });
  std::vector<std::uint64_t> here;
  here.reserve(groups.size() * (words + 1));
  for (const std::uint32_t number : workspace.order) {
    here.insert(here.end(), pattern(number), pattern(number) + words);
    here.push_back(workspace.sums[number]);
  }
  auto& known = counts.long_paths[patterns_.leaves(group)[0].subsets];
  known = known.empty() ? std::move(here) : merged(known, here, words);
}

}  // namespace sightglass
