// The mean prediction of a tree ensemble with any number of features set, for one set of features at a time: first rows
// are counted at each leaf, whatever these features are; then a point (values of these features) gets of every leaf
// whose conditions on them it meets the value times the share of rows that were counted there.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/model/trees/rows/row_sets_internal.h"
#include "sightglass/model/trees/variants/tree_edges_internal.h"

namespace sightglass {

class TreeMeans {
 public:
  // set: slots. outputs: those that are wanted. All but these must stay where they are.
  TreeMeans(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const TreeEdges& edges,
            const std::vector<std::size_t>& set, const std::vector<std::size_t>& outputs);

  // What one thread needs.
  struct Workspace {
    explicit Workspace(const TreeMeans& means) : rows(means.edges_.depth() + 1), sizes(rows.size()) {}
    std::vector<RowSet> rows;  // [depth]
    struct Size {
      std::uint32_t depth = 0;  // where the rows became what they are
      std::uint64_t size = 0;   // what they count, if that is known; at that depth
      bool known = false;
    };
    std::vector<Size> sizes;  // [depth]
  };
  // Trees that follow one another: threads may share them.
  struct Trees {
    std::size_t begin, end;
  };
  [[nodiscard]] Trees all() const { return {0, edges_.trees()}; }
  // Adds to the counts of leaves, as TreeEdges numbers them: 256 rows, of which those in `rows` count, each once or as
  // many units as stand at its position (0 … 255).
  void count(Trees trees, const RowSet* conditions, const RowSet& rows, const std::uint64_t* units,
             std::uint64_t* counts, Workspace& workspace) const;
  // When all rows are counted.
  void finish(const std::vector<std::uint64_t>& counts, std::uint64_t total);
  // The margins of 256 points, of which those in `points` are wanted: means[row_of_row(point) × outputs + output],
  // of the outputs that are wanted.
  void find(const RowSet* conditions, const RowSet& points, double* means, Workspace& workspace) const;

 private:
  // Whether a tree adds to any output that is wanted.
  [[nodiscard]] bool counts(std::size_t tree) const { return vectors_ || position_of_[parts_.trees[tree].output] >= 0; }

  const TreeEnsemble::Parts& parts_;
  const TreeEdges& edges_;
  std::vector<std::size_t> wanted_;       // outputs
  std::vector<int> position_of_;          // [output of the model]: its position among those, or -1
  std::size_t outputs_;                   // that are wanted
  bool vectors_;                          // leaves have a value for each output
  std::vector<std::size_t> first_leaf_;   // per tree
  std::vector<std::uint8_t> is_set_;      // per condition
  std::vector<std::uint8_t> asks_below_;  // per edge: whether a split below it asks about a feature that is set
  std::vector<double> below_;     // [edge][wanted output]: mean over the counted rows of all leaves below, or its own
  std::vector<double> constant_;  // [wanted output]: of trees that ask about none of the features
};

}  // namespace sightglass
