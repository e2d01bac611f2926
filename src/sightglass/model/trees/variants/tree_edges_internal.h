// The trees of an ensemble as the way down them: edge by edge, from the left, each with what it asks for and where to
// go on if nobody takes it. Walks of sets of rows, whatever they carry along, read this.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/model/trees/rows/feature_codes_internal.h"

namespace sightglass {

// From a node to one of its children.
struct TreeEdge {
  std::uint32_t condition = 0;
  std::uint32_t next = 0;   // the edge behind all that follow from here
  std::uint32_t depth = 0;  // of the node
  std::int32_t leaf = -1;   // the leaf that it ends in, numbered through all trees
  bool right = false;
};

class TreeEdges {
 public:
  TreeEdges(const TreeEnsemble::Parts& parts, const FeatureCodes& codes);

  [[nodiscard]] std::size_t trees() const { return first_.size() - 1; }
  // The edges of a tree; a tree that is one leaf has none.
  [[nodiscard]] std::uint32_t begin(std::size_t tree) const { return first_[tree]; }
  [[nodiscard]] std::uint32_t end(std::size_t tree) const { return first_[tree + 1]; }
  [[nodiscard]] const TreeEdge& operator[](std::size_t edge) const { return edges_[edge]; }
  // The tree that an edge is of.
  [[nodiscard]] std::size_t tree_of(std::uint32_t edge) const;
  // The edges with a condition, ascending.
  [[nodiscard]] std::span<const std::uint32_t> edges_of(std::uint32_t condition) const {
    return std::span(by_condition_)
        .subspan(first_of_condition_[condition], first_of_condition_[condition + 1] - first_of_condition_[condition]);
  }
  // Nodes of the ensemble, by the numbers of leaves.
  [[nodiscard]] const std::vector<std::uint32_t>& leaves() const { return leaves_; }
  [[nodiscard]] std::size_t depth() const { return depth_; }

 private:
  std::vector<TreeEdge> edges_;
  std::vector<std::uint32_t> first_;                              // per tree, and the end
  std::vector<std::uint32_t> by_condition_, first_of_condition_;  // edges; per condition, and the end
  std::vector<std::uint32_t> leaves_;
  std::size_t depth_ = 0;
};

}  // namespace sightglass
