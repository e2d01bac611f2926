// Rows under many variants at once. What a tree ensemble predicts if some features are set to given values depends on
// those values only through the splits that ask about them. One walk down each tree with the set of variants that come
// along finds what every other way down adds from which variant on; these ways are kept. A walk down them with the set
// of rows that come along meets every row under all variants, and sums along the variants then give every prediction.
// Leaves are whole numbers of a small unit, so that adding and taking away leaves nothing behind.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/model/trees/rows/row_sets_internal.h"
#include "sightglass/model/trees/variants/tree_edges_internal.h"

namespace sightglass {

// The values of an ensemble's leaves, rounded to whole numbers of a unit. It is, for each output, the smallest power of
// two with which doubles still add and subtract all that can come together without any rounding.
class LeafAmounts {
 public:
  // Nothing where a few leaves are so much larger than the others that these would vanish beside them, or where trees
  // are deeper than numbers of 16 bits.
  [[nodiscard]] static std::optional<LeafAmounts> of(const TreeEnsemble::Parts& parts, const TreeEdges& edges);

  // An output of every leaf, or the only one that it adds to.
  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] const double* operator[](std::size_t leaf) const { return amounts_.data() + leaf * width_; }

 private:
  std::size_t width_ = 1;
  std::vector<double> amounts_;
};

class TreeVariants {
 public:
  static constexpr std::size_t most_points = 65535;

  // What may bound the making of them.
  struct Limits {
    std::size_t bytes = std::numeric_limits<std::size_t>::max();
    const Context* context = nullptr;  // may be stopped
  };
  // set: the slots that variants set; codes: of each variant one code for each of them. At least one variant, and no
  // more than most_points.
  TreeVariants(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const TreeEdges& edges,
               const LeafAmounts& amounts, const std::vector<std::size_t>& set,
               const std::vector<std::vector<std::uint16_t>>& variants, const Limits& limits);
  TreeVariants(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const TreeEdges& edges,
               const LeafAmounts& amounts, const std::vector<std::size_t>& set,
               const std::vector<std::vector<std::uint16_t>>& variants)
      : TreeVariants(parts, codes, edges, amounts, set, variants, Limits{}) {}
  // False if they were beyond the limit: then nothing else may be asked of them.
  [[nodiscard]] bool whole() const { return whole_; }

  // Variants that no split tells apart are one point.
  [[nodiscard]] std::size_t points() const { return points_; }
  [[nodiscard]] std::size_t point_of(std::size_t variant) const { return point_of_[variant]; }

  // The conditions that matter, ascending. From now on find() wants the sets of these only.
  [[nodiscard]] std::vector<std::uint32_t> take_conditions();
  // Memory, in bytes.
  [[nodiscard]] std::size_t bytes() const;

  // Rows that have gone a way, and what is added to them.
  struct Gone {
    RowSet rows;
    std::uint32_t first_step = 0, steps = 0;
  };
  // What one thread needs, for any variants.
  struct Workspace {
    std::vector<RowSet> rows;  // [depth]
    std::vector<double> sums;  // [distinct point][bit of a row][output]
    // Per point: where its sums are. Points at which nothing changes for any of the rows share those of the one before.
    std::vector<std::uint32_t> sums_of_point;
    std::vector<Gone> gone;  // where there are many points
  };
  // Memory of that, in bytes: the most that rows can take.
  [[nodiscard]] std::size_t workspace_bytes() const;
  // For 256 rows: how much more each is predicted at each point than at the first one, before the divisor. context: may
  // be stopped.
  void find(const RowSet* conditions, const RowSet& rows, Workspace& workspace, const Context* context = nullptr) const;
  // What was found for a variant, [position_of_row(row)][output]. The same for another: it is the same for all rows.
  [[nodiscard]] const double* sums(const Workspace& workspace, std::size_t variant) const {
    return workspace.sums.data() + workspace.sums_of_point[point_of_[variant]] * set_rows * outputs_;
  }

 private:
  // What is added to rows from a point on.
  struct Step {
    std::uint32_t point = 0;
    std::uint32_t output = 0;  // that of the tree; unused if leaves have all outputs
  };
  // A way of the rows from one split about other features to the next. Small: there are many of them.
  struct Way {
    std::uint32_t branch = 0;  // twice the condition, and one more for those that go right
    std::uint32_t next = 0;    // the way behind all that follow from here
    std::uint32_t first_step = 0;
    std::uint16_t steps = 0;
    std::uint16_t depth = 0;  // of the rows that may go it
  };
  // The ways down one tree.
  struct Ways {
    std::uint32_t first = 0, end = 0;
    std::uint32_t first_step = 0, steps = 0;  // of all rows
  };
  class WayFinder;

  void walk(const Ways& ways, const RowSet* conditions, bool note, Workspace& workspace) const;
  void add_steps(const RowSet& rows, std::uint32_t first, std::uint32_t count, Workspace& workspace) const;

  std::size_t points_ = 0, outputs_ = 1, width_ = 1, depth_ = 0;
  bool whole_ = true;
  std::vector<std::uint32_t> point_of_;  // per variant
  std::vector<Ways> trees_;              // that tell points apart
  std::vector<Way> ways_;
  std::vector<Step> steps_;
  std::vector<double> amounts_;  // [step × width]
};

}  // namespace sightglass
