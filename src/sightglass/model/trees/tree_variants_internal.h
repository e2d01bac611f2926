// Rows under many variants at once. What a tree ensemble predicts if some features are set to given values depends on
// those values only through the splits that ask about them: one walk down the trees with the set of rows that come
// along whatever these features are, and the set of variants that do, meets every pair of row and variant at its leaf.
// There the leaf's value is added where the run of variants begins and taken away where it ends; sums along the
// variants then give every prediction. Leaves are whole numbers of a small unit, so that adding and taking away leaves
// nothing behind.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/model/trees/row_sets_internal.h"
#include "sightglass/model/trees/tree_edges_internal.h"

namespace sightglass {

// The values of an ensemble's leaves in whole numbers of a unit, a power of two so small that doubles could not add
// them up any better.
class LeafAmounts {
 public:
  // Nothing where a few leaves are so much larger than the others that these would vanish beside them.
  [[nodiscard]] static std::optional<LeafAmounts> of(const TreeEnsemble::Parts& parts, const TreeEdges& edges);

  // An output of every leaf, or the only one that it adds to.
  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] const std::int64_t* operator[](std::size_t leaf) const { return amounts_.data() + leaf * width_; }
  [[nodiscard]] double unit() const { return unit_; }

 private:
  std::size_t width_ = 1;
  std::vector<std::int64_t> amounts_;
  double unit_ = 1;
};

class TreeVariants {
 public:
  // set: the slots that variants set, ascending; codes: of each variant one code for each of them. At least one of
  // each.
  TreeVariants(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const TreeEdges& edges,
               const LeafAmounts& amounts, std::vector<std::size_t> set,
               const std::vector<std::vector<std::uint16_t>>& variants);

  // Variants that no split tells apart are one point.
  [[nodiscard]] std::size_t points() const { return points_; }
  [[nodiscard]] std::size_t point_of(std::size_t variant) const { return point_of_[variant]; }
  // Memory of a workspace, in bytes.
  [[nodiscard]] std::size_t workspace_bytes() const;

  // What one thread needs.
  struct Workspace {
    // work: may be stopped.
    explicit Workspace(const TreeVariants& variants, const Context* work = nullptr);
    const Context* context;
    std::vector<RowSet> rows;              // [depth]
    std::vector<std::uint64_t> points;     // [depth][word]
    std::vector<const std::uint64_t*> at;  // [depth]: its points, here or further up
    std::vector<std::uint8_t> parted;      // [depth]: whether a split has sent points either way
    std::vector<std::int64_t> sums;        // [point][bit of a row][output]
    std::vector<std::uint32_t> runs;       // begin and end of each
  };
  // For 256 rows: how much more each is predicted at each point than at the first one, in units:
  // workspace.sums[(point * set_rows + place_of_row(row)) * outputs + output], times unit() / divisor.
  void find(const RowSet* conditions, const RowSet& rows, Workspace& workspace) const;

 private:
  void find_right(const FeatureCodes& codes, std::size_t slot, const std::vector<std::uint16_t>& at_point);
  // parting: the first of the tree's edges that part points, and the next tree's.
  const std::uint32_t* walk(std::size_t tree, const std::uint32_t* parting, const RowSet* conditions,
                            Workspace& workspace) const;
  void add_leaf(std::size_t leaf, std::size_t output, const RowSet& rows, const std::uint64_t* points,
                Workspace& workspace) const;

  const TreeEnsemble::Parts& parts_;
  const TreeEdges& edges_;
  const LeafAmounts& amounts_;
  std::size_t points_ = 0, words_ = 0, outputs_ = 1;
  std::vector<std::uint32_t> point_of_;  // per variant
  std::vector<std::int32_t> set_by_;     // per condition: where its points are; -1 = it asks about another feature
  std::vector<std::uint32_t> parting_;   // edges behind which not all points go the same way, ascending, and an end
  std::vector<std::uint64_t> right_;     // sets of points
};

}  // namespace sightglass
