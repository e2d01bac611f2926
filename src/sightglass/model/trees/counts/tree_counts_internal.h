// Everything global about a tree ensemble follows from counting. A leaf has a condition on each feature of its path;
// how many rows meet its conditions, and how many would if one or two of the features were left out of account, are
// whole numbers that add up over blocks of rows and do not grow with them. Partial dependence of a feature, for one, is
// the sum over leaves of value × (does the feature's value meet the condition?) × (rows that meet all the other
// conditions): Friedman's (2001) weighted traversal, with counts of the rows given instead of the training covers.
//
// Small trees are counted with sets of rows (tree_counts_sets.cpp), large ones with lists of rows
// (tree_counts_lists.cpp): a set costs the same whether rows are in it or not, a list what rows there are.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/model/trees/counts/path_conditions_internal.h"
#include "sightglass/model/trees/rows/code_tests_internal.h"
#include "sightglass/model/trees/rows/row_sets_internal.h"
#include "sightglass/model/trees/rows/wide_sets_internal.h"

namespace sightglass {

struct TreeRange {
  std::uint32_t begin = 0, end = 0;
};

class TreeCounts {
 public:
  // order: features that may be left out at a time, 1 or 2. Only those trees are counted.
  TreeCounts(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, int order, TreeRange trees);
  TreeCounts(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, int order)
      : TreeCounts(parts, codes, order, {0, static_cast<std::uint32_t>(parts.trees.size())}) {}
  // A leaf whose path has d features needs 1 + d counts, or 1 + d + d (d − 1) / 2: much for deep forests. This cuts an
  // ensemble into ranges whose counts with all that belongs to them take so many bytes at the most (but a tree is not
  // cut).
  // most_needed: what the largest tree takes, if it is wanted.
  [[nodiscard]] static std::vector<TreeRange> ranges(const TreeEnsemble::Parts& parts, int order, std::size_t bytes,
                                                     std::size_t* most_needed = nullptr);

  struct Leaf {
    std::uint32_t tree = 0, node = 0;
    std::uint32_t path_conditions = 0, end = 0;  // its conditions, in the order of its path
    std::size_t counts = 0;                      // where its counts begin
  };
  [[nodiscard]] int order() const { return static_cast<int>(order_); }
  [[nodiscard]] TreeRange trees() const { return range_; }
  [[nodiscard]] const std::vector<Leaf>& leaves() const { return leaves_; }
  [[nodiscard]] std::span<const PathCondition> path_conditions(const Leaf& leaf) const {
    return std::span(path_conditions_).subspan(leaf.path_conditions, leaf.end - leaf.path_conditions);
  }
  [[nodiscard]] bool meets(const PathCondition& path_condition, std::uint32_t code) const {
    return made_.meets(path_condition, code);
  }
  // Of a condition that is no range: a bit for each code that meets it.
  [[nodiscard]] const std::vector<std::uint64_t>& members(const PathCondition& path_condition) const {
    return made_.members(path_condition);
  }

  // Counts of a leaf: of the rows that meet all conditions, all but the one at position p, all but those at p and q (p
  // < q).
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] static std::size_t all(const Leaf& leaf) { return leaf.counts; }
  [[nodiscard]] std::size_t without(const Leaf& leaf, std::size_t p) const { return leaf.counts + first_set(p); }
  [[nodiscard]] std::size_t without(const Leaf& leaf, std::size_t p, std::size_t q) const {
    return leaf.counts + first_set(q) + 1 + p;
  }

  // Rows by their codes: that of a row in a slot is codes[slot × stride + row].
  struct Rows {
    const std::uint16_t* codes = nullptr;
    std::size_t stride = 0, rows = 0;
    const std::uint64_t* units = nullptr;  // how much each row counts; null: 1
  };
  // What one thread needs.
  struct Workspace;
  // Adds rows to the counts of some of the trees, those in `trees`. Lists are best served with many rows at a time
  // (list_rows or more), sets with multiples of wide_rows. Threads may share the rows, each with counts of its own, or
  // the trees with the same counts, since no two trees write to the same place.
  void add(TreeRange trees, const Rows& rows, std::uint64_t* counts, Workspace& workspace) const;
  static constexpr std::size_t list_rows = std::size_t{1} << 15;

  // Which way trees are counted: by a rule (measured) unless somebody, such as a test, knows better.
  enum class Way : std::uint8_t { by_size, sets, lists };
  void choose(Way way);

 private:
  struct Split {
    std::uint32_t condition = 0;
    std::uint32_t local_condition = 0;  // its number among those of its tree's group
    std::int32_t children[2] = {0, 0};  // left, right: number of the split, or ~number of the leaf
    std::uint32_t depth = 0;
    std::uint32_t path_conditions = 0;  // features on the path so far
    std::uint32_t position = 0;         // of the feature among them
    bool right = false, fresh = false;  // right: a right child; fresh: the path has not met the feature before
  };
  struct CountedTree {
    std::uint32_t splits = 0, end = 0;  // its splits: a node's left subtree comes directly behind it
    std::uint32_t leaves = 0;           // its first leaf
    std::uint32_t depth = 0, most_conditions = 0;
    std::uint64_t set_steps = 0;  // sets to be divided
    bool lists = false;           // counted with lists
    bool heavy_lists = false;     // if rows count differently
  };
  // The two positions that a set leaves out of account.
  struct LeftOut {
    std::uint32_t p, q;
  };
  static constexpr std::uint32_t nobody = 0xFFFFFFFF;

  [[nodiscard]] std::size_t first_set(std::size_t position) const { return first_set(order_, position); }
  [[nodiscard]] static std::size_t first_set(std::size_t order, std::size_t position) {
    return order == 1 ? 1 + position : 1 + position + position * (position - 1) / 2;
  }
  void grow(const TreeEnsemble::Parts& parts, std::uint32_t tree);

  // Of trees by their number in the range.
  void find_groups();
  void add_sets(TreeRange trees, const Rows& rows, std::uint64_t* counts, Workspace& workspace) const;
  // How what is in sets is found: rows count 1; few bits tell what each counts; each counts what it likes.
  enum class Weighing : std::uint8_t { none, bits, sums };
  [[nodiscard]] static bool by_lists(const CountedTree& tree, Weighing weighing) {
    return weighing == Weighing::sums ? tree.heavy_lists : tree.lists;
  }
  template <Weighing weighing>
  void divide_sets(TreeRange trees, std::uint64_t* counts, Workspace& workspace) const;
  void take_right(const Split& split, const Split& parent, Workspace& workspace) const;
  void divide_counted_sets(TreeRange trees, std::uint64_t* counts, Workspace& workspace) const;
  void divide_sets_of_bits(TreeRange trees, std::uint64_t* counts, Workspace& workspace) const;
  void divide_sets_of_sums(TreeRange trees, std::uint64_t* counts, Workspace& workspace) const;
  void add_lists(TreeRange trees, const Rows& rows, std::uint64_t* counts, Workspace& workspace) const;
  template <bool weighted>
  void divide_lists(const CountedTree& tree, const Rows& rows, std::uint64_t* counts, Workspace& workspace) const;
  void add_failing(std::size_t path_conditions, std::uint64_t* failing, std::uint64_t* out) const;

  const FeatureCodes& codes_;
  std::size_t order_;
  TreeRange range_;
  std::vector<CountedTree> trees_;
  std::vector<Split> splits_;
  std::vector<Leaf> leaves_;
  std::vector<PathCondition> path_conditions_;
  PathConditions made_;
  std::size_t size_ = 0;

  // For sets.
  // Trees that follow one another and have no more different conditions than a cache holds sets of.
  struct Group {
    TreeRange trees;
    std::vector<std::uint32_t> conditions;
  };
  std::vector<Group> groups_;
  std::size_t set_depth_ = 0, set_conditions_ = 0;
  // [position]: the sets that do not leave it out of account, and those that do, ascending.
  std::vector<std::vector<std::uint16_t>> keeps_, leaves_out_;

  // For lists.
  std::vector<CodeTest> tests_;    // per condition
  std::vector<LeftOut> left_out_;  // per set
  std::size_t list_conditions_ = 0;
  int list_shift_ = 0;  // all codes of a row take 1 << list_shift_ numbers
};

struct TreeCounts::Workspace {
  // context: may stop the work.
  explicit Workspace(const TreeCounts& counts, const Context* context = nullptr);
  const Context* context;
  std::vector<std::uint16_t> padded;  // codes of a block that is not full

  // Sets: of the nodes on the way to where the work is, [depth][set]; how many rows are in them, [depth][side][set].
  std::optional<ConditionSets> conditions;
  std::size_t group = 0;  // whose they are
  std::vector<RowSet> all, sets;
  std::vector<const RowSet*> current;  // here or, where a feature is left out, further up
  std::vector<std::uint64_t> sizes;
  std::vector<std::uint32_t> way;  // [depth]: the split
  Weighing weighing = Weighing::none;
  struct alignas(RowSet) Bit {  // of what rows count
    int shift = 0;
    RowWords rows[wide_sets] = {};  // that have it
  };
  std::vector<Bit> bits;
  std::vector<std::uint64_t> sums;  // [lane][four rows of a set][which are in it]: what they count

  // Lists: of rows in one piece of memory, of which each node takes what is behind its parent's.
  struct Segment {  // rows that fail just the conditions that a set leaves out of account
    std::uint32_t set = 0;
    std::uint32_t size = 0;
    std::size_t first = 0;
    std::uint64_t units = 0;
  };
  struct Waiting {
    std::uint32_t split;
    std::size_t begin, end;  // its segments
    std::size_t top;         // the memory that is taken
  };
  std::vector<std::uint16_t> by_row;  // codes, all of a row together
  std::vector<std::uint16_t> rows;
  std::vector<Segment> segments, own[2], fresh[2];
  std::vector<Waiting> waiting;
  std::vector<std::uint64_t> failing[2];  // per set: rows at the leaf on that side that fail just it
};

}  // namespace sightglass
