// Shapley values of a tree ensemble's margin, exactly. A tree is a sum over leaves of value × product over the features
// of the path of "meets the leaf's condition": a game of few players, whose worth for each coalition follows from
// counts (features outside the coalition are those of rows of a background: "interventional") or from the training rows
// that passed the splits (they go either way as those did: "path-dependent"). Per leaf, sums over subsets turn the
// 2^features worths into a table of all values by the set of conditions that a row meets; a row then only looks them
// up. Path-dependent values are those of Lundberg et al. (2020), From local explanations to global understanding with
// explainable AI for trees; counting rows by which conditions they meet, as Nadel & Wettenstein (2025), From decision
// trees to Boolean logic: a fast and unified SHAP algorithm (WOODELF).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sightglass/model/trees/shapley/shapley_leaf_internal.h"
#include "sightglass/model/trees/shapley/tree_subsets_internal.h"

namespace sightglass {

// Where numbers stand. Of each row, output after output: one number per slot, or one per pair of slots.
struct ShapleyShape {
  std::size_t outputs = 0, slots = 0;

  ShapleyShape(const TreeEnsemble::Parts& parts, const FeatureCodes& codes)
      : outputs(parts.base.size()), slots(codes.slots()) {}
  // Numbers per output and per row: some are there only to fill up.
  [[nodiscard]] std::size_t width() const { return (slots + 3) / 4 * 4; }
  [[nodiscard]] std::size_t row() const { return outputs * width(); }
  // Pairs of two different slots.
  [[nodiscard]] static std::size_t pair(std::size_t a, std::size_t b) {
    return a < b ? b * (b - 1) / 2 + a : a * (a - 1) / 2 + b;
  }
  [[nodiscard]] std::size_t pair_width() const { return (slots * (slots - 1) / 2 + 3) / 4 * 4; }
  [[nodiscard]] std::size_t pair_row() const { return outputs * pair_width(); }

  // Of one row and output: from values (slots) and pairs to the matrix of interaction values (slots × slots). A pair's
  // interaction stands in both places, half in each; the diagonal is what is left of the feature's own value.
  void interactions(const double* values, const double* pairs, double* matrix) const;
};

class TreeShapley {
 public:
  // All must stay where they are. Interventional: against the rows that were counted.
  TreeShapley(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const TreePatterns& patterns,
              const SubsetCounts& counts);
  // Path-dependent: Error(usage) if the model does not say how many training rows passed its nodes.
  TreeShapley(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const TreePatterns& patterns);

  [[nodiscard]] const ShapleyShape& shape() const { return shape_; }
  // Adds what the range of trees has of the mean margin that values start from, per output. Apart from trees it is
  // base / divisor.
  void add_base(double* base) const;

  // What one thread needs.
  struct Workspace {
    struct alignas(32) Four {
      double __attribute__((vector_size(32))) numbers;
    };
    struct Tile {  // the table of a group
      std::size_t table = 0, rows = 0;
      std::uint32_t group = 0;
      std::uint32_t first_line = 0, lines = 0;
    };
    const Context* context = nullptr;  // may stop the work
    std::vector<Tile> tiles;
    std::vector<Four> tables;
    std::vector<Four> leaf_lines;    // of a leaf, by what is met of it
    std::vector<std::uint16_t> met;  // of a leaf, by pattern
    std::vector<const Four*> tile_tables;
    std::vector<std::uint32_t> lines;  // of tiles: which four columns at a time
    std::vector<std::uint32_t> line_of;
    std::vector<std::uint32_t> columns;
    std::vector<double> background, sums, leaf;
    std::vector<GaussPoint> points;
    std::vector<std::uint16_t> patterns;
    std::vector<std::uint64_t> long_patterns;
    std::vector<std::uint32_t> order;
    PatternGroups groups;
    std::vector<std::uint32_t> next;  // per group: where its next row goes
  };
  // codes: of each block of 256 rows, set_rows of each slot. Adds to the numbers of each row, tree by tree in their
  // order: whether a range of trees is taken at once or in parts makes no difference to any bit. Tables are made anew
  // at each call: give many rows at a time.
  void add_values(const std::uint16_t* codes, std::size_t rows, double* values, Workspace& workspace) const {
    add(codes, rows, {.pairs = false, .width = shape_.width(), .numbers = values}, workspace);
  }
  // Half of the interaction of each pair.
  void add_pairs(const std::uint16_t* codes, std::size_t rows, double* pairs, Workspace& workspace) const {
    add(codes, rows, {.pairs = true, .width = shape_.pair_width(), .numbers = pairs}, workspace);
  }

 private:
  struct Target {
    bool pairs;
    std::size_t width;
    double* numbers;
  };
  void add(const std::uint16_t* codes, std::size_t rows, const Target& target, Workspace& workspace) const;
  void make_tile(std::uint32_t group, const Target& target, Workspace& workspace) const;
  void look_up(const std::uint16_t* codes, std::size_t rows, const Target& target, Workspace& workspace) const;
  void add_long(const TreePatterns::Group& group, const std::uint16_t* codes, std::size_t rows, const Target& target,
                Workspace& workspace) const;
  [[nodiscard]] bool is_alone(const TreePatterns::Group& group, std::size_t rows, const Target& target) const;
  void add_alone(const TreePatterns::Group& group, const std::uint16_t* codes, std::size_t rows, const Target& target,
                 Workspace& workspace) const;
  void sum_leaf(const TreePatterns::Leaf& leaf, bool pairs, Workspace& workspace) const;
  void long_leaf(const TreePatterns::Leaf& leaf, const std::uint64_t* met, bool pairs, Workspace& workspace) const;
  void find_background(const TreePatterns::Leaf& leaf, std::vector<double>& background) const;
  void find_columns(const TreePatterns::Leaf& leaf, bool pairs, std::vector<std::uint32_t>& columns) const;
  [[nodiscard]] std::pair<std::size_t, std::size_t> outputs(const TreePatterns::Group& group) const;
  [[nodiscard]] double value(const TreePatterns::Leaf& leaf, std::size_t output) const;

  const TreeEnsemble::Parts& parts_;
  const TreePatterns& patterns_;
  const SubsetCounts* counts_;  // none: covers
  ShapleyShape shape_;
};

}  // namespace sightglass
