// What both ways to explain trees by their leaves need: leaf_shapley.cpp, which counts all trees in one pass, and
// shapley_in_passes.cpp for ensembles whose counts do not fit into memory together.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sightglass/methods/local/shapley/leaf_shapley.h"
#include "sightglass/model/trees/shapley/tree_shapley_internal.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

// An ensemble is divided so that threads can count side by side: so many bytes of counts make a range of trees.
inline constexpr std::size_t range_bytes = std::size_t{1} << 21;

// Some of an ensemble's trees.
struct ShapleyRange {
  ShapleyRange(const TreeRows& trees, const PatternRange& range)
      : patterns(trees.parts(), trees.codes(), range), counter(trees.parts(), trees.codes(), patterns) {}
  TreePatterns patterns;
  SubsetCounter counter;
};

using ShapleyRanges = std::vector<std::shared_ptr<const ShapleyRange>>;
// Made by the run's threads.
[[nodiscard]] ShapleyRanges shapley_ranges(const MethodInput& input, std::span<const PatternRange> ranges);

// Rows of a block in codes: of each 256, those of each slot.
[[nodiscard]] std::vector<std::uint16_t> encode_sets(const TreeRows& trees, const RowBlock& block,
                                                     const Context& context);

// Says so where the covers of children are not those of their parent.
void add_cover_caveat(const TreeEnsemble::Parts& parts, std::vector<Caveat>& caveats);

// Whether a feature has but one value, missing being one more.
struct SeenValue {
  double value = 0;
  bool any = false, several = false;

  void add(double other);
  void merge(const SeenValue& other);
  void save(ByteSink& sink) const;
  void load(ByteSource& source);
};

// The rows that are compared with, ready to be counted.
struct BackgroundRows {
  std::vector<std::uint16_t> codes;
  std::vector<RowSet> there;
  std::vector<std::uint64_t> units;  // by row
  std::uint64_t rows = 0;            // with weight

  BackgroundRows(const MethodInput& input, const RowBlock& block, std::vector<SeenValue>& seen, const Context& context);
  void count(const ShapleyRange& range, bool weighted, SubsetCounts& counts, const Context& context) const;
};

// What the rows count in some ranges.
class BackgroundCounts {
 public:
  BackgroundCounts(ShapleyRanges ranges, std::size_t features);
  void merge(const BackgroundCounts& other);
  void save(ByteSink& sink) const;
  void load(ByteSource& source);
  // Threads share the ranges.
  void add(const MethodInput& input, const RowBlock& block, const Context& context);

  std::uint64_t rows = 0;  // with weight
  std::vector<SeenValue> seen;
  // Per range; shared, as they are large, with what is made of them.
  std::shared_ptr<std::vector<SubsetCounts>> counts = std::make_shared<std::vector<SubsetCounts>>();

 private:
  ShapleyRanges ranges_;
};

// In passes over the rows, range after range; numbers of all rows that are explained are kept.
[[nodiscard]] Chain<AttributorPtr> shapley_in_passes(const MethodInput& input, const LeafShapleyOptions& options);

}  // namespace sightglass
