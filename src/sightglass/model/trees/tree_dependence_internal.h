// Partial dependence of a tree ensemble's margin, read off its counts: exact over all rows that were counted, at every
// code of a feature at once.
#pragma once

#include <vector>

#include "sightglass/model/trees/tree_counts_internal.h"

namespace sightglass {

class TreeDependence {
 public:
  // counts: of `rows` rows, as TreeCounts has them.
  TreeDependence(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const TreeCounts& counts,
                 std::vector<std::uint64_t> counted, std::uint64_t rows);

  // The mean margin of an output.
  [[nodiscard]] double mean(std::size_t output) const;
  // At every code of a feature.
  [[nodiscard]] std::vector<double> single(std::size_t slot, std::size_t output) const;
  // At every pair of codes of two features, those of the second one after the other: codes × codes numbers. Counts of
  // order 2.
  [[nodiscard]] std::vector<double> pair(std::size_t first, std::size_t second, std::size_t output) const;

 private:
  [[nodiscard]] double value(const TreeCounts::Leaf& leaf, std::size_t output) const;
  [[nodiscard]] double share(std::size_t count) const { return static_cast<double>(counted_[count]) / rows_; }
  // Where a leaf demands something of a feature; as many as there are demands if it does not.
  [[nodiscard]] std::size_t position(const TreeCounts::Leaf& leaf, std::size_t slot) const;

  const TreeEnsemble::Parts& parts_;
  const FeatureCodes& codes_;
  const TreeCounts& counts_;
  std::vector<std::uint64_t> counted_;
  double rows_;
};

}  // namespace sightglass
