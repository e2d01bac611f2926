#include <algorithm>
#include <numeric>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/model/trees/tree_subsets_internal.h"

namespace sightglass {

namespace {

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

// From rows by pattern to rows by subset of demands met: of one leaf of the group.
void add_leaf(const TreePatterns& patterns, const TreePatterns::Leaf& leaf,
              const std::vector<std::uint64_t>& by_pattern, std::vector<std::uint64_t>& by_subset,
              std::uint64_t* counts) {
  const auto positions = patterns.positions(leaf);
  const std::size_t size = std::size_t{1} << positions.size();
  by_subset.assign(size, 0);
  for (std::size_t pattern = 0; pattern < by_pattern.size(); ++pattern) {
    if (by_pattern[pattern] == 0) continue;
    std::size_t met = 0;
    for (std::size_t at = 0; at < positions.size(); ++at) {
      if ((pattern & positions[at].mask) == positions[at].value) met |= std::size_t{1} << at;
    }
    by_subset[met] += by_pattern[pattern];
  }
  // Whoever meets more meets less.
  for (std::size_t bit = 1; bit < size; bit *= 2) {
    for (std::size_t high = 0; high < size; high += 2 * bit) {
      for (std::size_t low = high; low < high + bit; ++low) by_subset[low] += by_subset[low + bit];
    }
  }
  for (std::size_t subset = 0; subset < size; ++subset) counts[subset] += by_subset[subset];
}

void count_short(const TreePatterns& patterns, const TreePatterns::Group& group, const std::uint16_t* codes,
                 const RowSet* rows, const std::uint64_t* weights, std::size_t blocks, SubsetCounts& counts,
                 SubsetWorkspace& workspace) {
  const std::size_t outside = std::size_t{1} << group.bits;  // where rows that are not there are counted
  workspace.by_pattern.assign(outside + 1, 0);
  workspace.patterns.resize(set_rows);
  std::uint64_t* by_pattern = workspace.by_pattern.data();
  std::uint16_t* found = workspace.patterns.data();
  for (std::size_t block = 0; block < blocks; ++block) {
    patterns.find(group, codes + block * patterns.slots() * set_rows, found);
    const RowWords absent = ~rows[block].words;
    if ((absent[0] | absent[1] | absent[2] | absent[3]) != 0) {
      for (std::size_t row = 0; row < set_rows; ++row) {
        if (!is_there(rows[block], row)) found[row] = static_cast<std::uint16_t>(outside);
      }
    }
    if (weights == nullptr) {
      for (std::size_t row = 0; row < set_rows; ++row) ++by_pattern[found[row]];
    } else {
      for (std::size_t row = 0; row < set_rows; ++row) by_pattern[found[row]] += weights[block * set_rows + row];
    }
  }
  workspace.by_pattern.pop_back();
  for (const TreePatterns::Leaf& leaf : patterns.leaves(group))
    add_leaf(patterns, leaf, workspace.by_pattern, workspace.by_subset, counts.subsets.data() + leaf.subsets);
}

void count_long(const TreePatterns& patterns, const TreePatterns::Group& group, const std::uint16_t* codes,
                const RowSet* rows, const std::uint64_t* weights, std::size_t blocks, SubsetCounts& counts,
                SubsetWorkspace& workspace) {
  const std::size_t words = TreePatterns::words(group);
  workspace.long_patterns.resize(blocks * set_rows * words);
  workspace.order.clear();
  const std::uint64_t* found = workspace.long_patterns.data();
  for (std::size_t block = 0; block < blocks; ++block) {
    patterns.find_long(group, codes + block * patterns.slots() * set_rows,
                       workspace.long_patterns.data() + block * set_rows * words);
    for (std::size_t row = 0; row < set_rows; ++row) {
      const std::size_t at = block * set_rows + row;
      if (is_there(rows[block], row) && (weights == nullptr || weights[at] > 0))
        workspace.order.push_back(static_cast<std::uint32_t>(at));
    }
  }
  const auto pattern = [&](std::uint32_t row) { return found + row * words; };
  std::sort(workspace.order.begin(), workspace.order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::lexicographical_compare(pattern(a), pattern(a) + words, pattern(b), pattern(b) + words);
  });
  std::vector<std::uint64_t> here;
  for (std::size_t at = 0; at < workspace.order.size(); ++at) {
    const std::uint32_t row = workspace.order[at];
    if (at == 0 || !std::equal(pattern(row), pattern(row) + words, pattern(workspace.order[at - 1]))) {
      here.insert(here.end(), pattern(row), pattern(row) + words);
      here.push_back(0);
    }
    here.back() += weights == nullptr ? 1 : weights[row];
  }
  auto& known = counts.long_paths[patterns.leaves(group)[0].subsets];
  known = merged(known, here, words);
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

void count_subsets(const TreePatterns& patterns, const std::uint16_t* codes, const RowSet* rows,
                   const std::uint64_t* weights, std::size_t blocks, SubsetCounts& counts, SubsetWorkspace& workspace) {
  for (std::size_t block = 0; block < blocks; ++block) {
    for (std::size_t row = 0; row < set_rows; ++row) {
      if (is_there(rows[block], row)) counts.total += weights == nullptr ? 1 : weights[block * set_rows + row];
    }
  }
  for (const TreePatterns::Group& group : patterns.groups()) {
    if (group.is_long()) {
      count_long(patterns, group, codes, rows, weights, blocks, counts, workspace);
    } else {
      count_short(patterns, group, codes, rows, weights, blocks, counts, workspace);
    }
  }
}

}  // namespace sightglass
