// Everything global about a tree ensemble follows from counting. A leaf demands something of each feature on its path;
// how many rows meet its demands, and how many would if one or two of the features were left out of account, are whole
// numbers that add up over blocks of rows and do not grow with them. Partial dependence of a feature, for one, is the
// sum over leaves of value × (does the feature's value meet the demand?) × (rows that meet all the other demands).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/model/trees/row_sets_internal.h"
#include "sightglass/model/trees/tree_demands_internal.h"

namespace sightglass {

class TreeCounts {
 public:
  // Whether no path has more different features than sets can be carried for.
  [[nodiscard]] static bool suits(const TreeEnsemble::Parts& parts);
  // order: features that may be left out at a time, 1 or 2.
  TreeCounts(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, int order);

  using Demand = TreeDemand;
  struct Leaf {
    std::uint32_t tree = 0, node = 0;
    std::uint32_t demands = 0, end = 0;  // its demands, in the order of its path
    std::size_t counts = 0;              // where its counts begin
  };
  [[nodiscard]] int order() const { return static_cast<int>(order_); }
  [[nodiscard]] const std::vector<Leaf>& leaves() const { return leaves_; }
  [[nodiscard]] std::span<const Demand> demands(const Leaf& leaf) const {
    return std::span(demands_).subspan(leaf.demands, leaf.end - leaf.demands);
  }
  [[nodiscard]] bool meets(const Demand& demand, std::uint32_t code) const { return made_.meets(demand, code); }

  // Counts of a leaf: of the rows that meet all demands, all but the one at position p, all but those at p and q (p <
  // q).
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] static std::size_t all(const Leaf& leaf) { return leaf.counts; }
  [[nodiscard]] std::size_t without(const Leaf& leaf, std::size_t p) const { return leaf.counts + first_set(p); }
  [[nodiscard]] std::size_t without(const Leaf& leaf, std::size_t p, std::size_t q) const {
    return leaf.counts + first_set(q) + 1 + p;
  }

  // What one thread needs.
  struct Workspace {
    explicit Workspace(const TreeCounts& counts);
    std::vector<RowSet> sets;            // [depth][set]
    std::vector<const RowSet*> current;  // [depth][set]: here or, where a feature is left out, further up
  };
  // Adds 256 rows, of which those in `rows` count.
  void add(const RowSet* conditions, const RowSet& rows, std::uint64_t* counts, Workspace& workspace) const;

 private:
  // From a node to one of its children.
  struct Edge {
    std::uint32_t condition = 0;
    std::int32_t leaf = -1;             // the leaf that it ends in
    std::uint16_t depth = 0;            // of the node
    std::uint16_t sets = 0;             // that the node has
    std::uint16_t position = 0;         // of the feature among those of the path
    bool right = false, fresh = false;  // fresh: the path has not met the feature before
  };
  [[nodiscard]] std::size_t first_set(std::size_t position) const {
    return order_ == 1 ? 1 + position : 1 + position + position * (position - 1) / 2;
  }
  void grow(const TreeEnsemble::Parts& parts, std::uint32_t tree);

  const FeatureCodes& codes_;
  std::size_t order_;
  std::vector<Leaf> leaves_;
  std::vector<Demand> demands_;
  TreeDemands made_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> first_edge_;  // per tree, and the end
  std::vector<std::uint8_t> leaves_out_;   // [position][set]: whether the set leaves the feature there out of account
  std::size_t size_ = 0, depth_ = 0, most_sets_ = 1;
};

}  // namespace sightglass
