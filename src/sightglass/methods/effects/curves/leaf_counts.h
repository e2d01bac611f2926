// Mean predictions of a tree ensemble with one or two features set, off counts of rows at its leaves (model/trees): all
// values of all features and pairs at the cost of a few predictions of each row.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sightglass/methods/run/method.h"

namespace sightglass {

class TreeCounts;
class TreeDependence;

// The rows of the data, or of one sample of them.
class LeafCounts {
 public:
  // Whether a run is about a sum of trees, on the margin scale or without a link, and whether the counts fit into
  // memory. order: features that are set together, 1 or 2.
  [[nodiscard]] static bool possible(const MethodInput& input, int order, std::size_t samples = 1);

  LeafCounts(const MethodInput& input, std::shared_ptr<const TreeCounts> counts,
             std::shared_ptr<const std::vector<std::uint64_t>> counted, std::uint64_t total);

  // A column of the data, and values that it is set to (as ColumnView::number has them).
  struct Axis {
    std::uint32_t column = 0;
    std::vector<double> values;
  };
  using Pair = std::pair<Axis, Axis>;
  // [value × outputs + output], for some of the model's outputs.
  [[nodiscard]] std::vector<std::vector<double>> singles(const std::vector<Axis>& axes,
                                                         const std::vector<std::size_t>& outputs) const;
  // [(value of the first × values of the second + value of the second) × outputs + output]
  [[nodiscard]] std::vector<std::vector<double>> pairs(const std::vector<Pair>& pairs,
                                                       const std::vector<std::size_t>& outputs) const;
  // The same at some points only, given by the numbers of their two values: [point × outputs + output]. For pairs of so
  // many values that a table of all would be large.
  struct PairPoints {
    Pair axes;
    std::span<const std::uint32_t> first, second;
  };
  [[nodiscard]] std::vector<std::vector<double>> at_points(const std::vector<PairPoints>& pairs,
                                                           const std::vector<std::size_t>& outputs) const;

 private:
  // Adds all leaves to these, which the run's threads share.
  void add_to(std::vector<TreeDependence>& dependences) const;

  MethodInput input_;
  const TreeRows& trees_;
  std::shared_ptr<const TreeCounts> counts_;
  std::shared_ptr<const std::vector<std::uint64_t>> counted_;
  std::uint64_t total_;  // what all rows count
};

using LeafCountsPtr = std::shared_ptr<const LeafCounts>;

// Counts the rows of so many samples; sample_of: of a row by its global index, or `samples` if it is in none.
[[nodiscard]] Chain<std::vector<LeafCountsPtr>> count_leaves(const MethodInput& input, int order, std::size_t samples,
                                                             std::function<std::size_t(std::uint64_t)> sample_of);

// The same of all rows.
[[nodiscard]] Chain<LeafCountsPtr> count_leaves(const MethodInput& input, int order);

}  // namespace sightglass
