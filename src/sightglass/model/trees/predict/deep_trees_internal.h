// Prediction of trees of any size on coded rows. The first levels are passed by sets of rows, as shallow trees are;
// then eight rows walk down in lockstep, without a branch, through nodes of eight bytes. Where missing values (and
// zeros that count as missing) go is settled beforehand, in columns of codes: one in which they are behind all split
// points, one in which they are before.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sightglass/model/trees/predict/exit_nodes_internal.h"

namespace sightglass {

class DeepTrees {
 public:
  // Whether columns and leaves can be numbered.
  [[nodiscard]] static bool suits(const TreeEnsemble::Parts& parts, const FeatureCodes& codes);
  DeepTrees(const TreeEnsemble::Parts& parts, const FeatureCodes& codes);

  [[nodiscard]] std::size_t tile_rows() const { return tile_rows_; }
  // What one thread needs.
  struct Workspace {
    explicit Workspace(const DeepTrees& trees);
    std::vector<std::uint16_t> codes;   // [slot][tile_rows]: to be filled
    std::vector<std::uint16_t> by_row;  // [row][column]
    std::optional<ConditionSets> conditions;
    std::vector<RowSet> reached;
    std::vector<std::uint8_t> exits;  // [tree][row]: behind the first levels
  };
  // sums[output * tile_rows() + row] += leaf, tree by tree in their order. Sums of rows up to a multiple of lane_rows
  // may be written.
  void add_leaves(Workspace& workspace, std::size_t rows, float* sums) const { add(workspace, rows, sums); }
  void add_leaves(Workspace& workspace, std::size_t rows, double* sums) const { add(workspace, rows, sums); }

 private:
  // A column of codes as nodes compare them: code >= first goes right.
  struct Column {
    std::uint32_t slot = 0;
    bool missing_right = false, zero_as_missing = false;
    friend bool operator==(const Column&, const Column&) = default;
  };
  struct Node {
    std::uint16_t column;  // a leaf's holds zeros
    std::uint16_t first;   // of a leaf: its number in the tree, from 1
    std::uint32_t left;    // the right child follows it; a leaf points at itself
  };
  struct DeepTree {
    std::uint32_t root = 0, leaves = 0;  // where its own begin
    std::uint32_t starts = 0;            // likewise: nodes by exit
    std::uint32_t output = 0, depth = 0;
    bool has_categories = false;
  };
  static constexpr std::size_t lane_rows = 8;
  static constexpr std::uint16_t categorical = 1U << 15;  // beside the column

  template <class Sum>
  void add(Workspace& workspace, std::size_t rows, Sum* sums) const;
  template <std::size_t width, class Sum>
  void walk(const Workspace& workspace, bool indexed, std::size_t rows, Sum* sums) const;
  template <std::size_t width, bool has_categories>
  void descend(std::uint32_t depth, const std::uint16_t* by_row, std::uint32_t* at) const;
  void turn(Workspace& workspace, std::size_t rows) const;
  void find_places(Workspace& workspace, std::size_t rows) const;

  const TreeEnsemble::Parts& parts_;
  const FeatureCodes& codes_;
  std::size_t outputs_, tile_rows_, width_;
  std::vector<Column> columns_;  // from column 1 on
  std::vector<Node> nodes_;
  std::vector<const std::uint64_t*> members_;  // per node; empty without splits by categories
  std::vector<DeepTree> trees_;
  std::uint32_t levels_;  // that sets pass
  ExitNodes exits_;
  std::vector<std::uint32_t> conditions_;  // of the first levels
  std::vector<std::uint32_t> starts_;
  std::vector<double> leaves_;            // empty with vector leaves
  std::vector<std::uint32_t> leaf_rows_;  // in the ensemble's leaf_values
};

}  // namespace sightglass
