// What learned models are made of, and how they are written into files: a tree, terms that are added, steps along
// features, panels, or training rows. The model that predicts is made of the structure (make_model), never of anything
// that the learner knew besides.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "sightglass/base/value.h"
#include "sightglass/model/learned/panels.h"
#include "sightglass/model/link.h"
#include "sightglass/model/model.h"
#include "sightglass/model/trees/ensemble.h"

namespace sightglass {

// One decision tree whose root is node 0. Numbers are compared as doubles with <=; a threshold of -infinity: none goes
// left.
struct TreeStructure {
  std::vector<TreeNode> nodes;  // a child stands behind its parent
  std::vector<double> covers;   // (weighted) training rows of each node
  std::vector<CategorySet> category_sets;
  std::vector<double> leaf_values;  // of several outputs: those of one leaf after those of another
};

// What a row must meet in one feature.
struct TermCondition {
  std::uint32_t feature = 0;
  double above = -std::numeric_limits<double>::infinity();   // its number is greater; -infinity: any number is
  double at_most = std::numeric_limits<double>::infinity();  // and not greater than this
  std::vector<std::uint32_t> levels = {};                    // of a categorical feature: it is one of these, ascending
  bool missing = false;                                      // a missing value meets it
};

// What t(x) of a term is on the rows it was fitted to, by their weights.
struct TermMoments {
  double mean = 0;  // of a rule its support s
  double sd = 0;    // of a rule √(s(1 − s))
};

// weight · t(x) for each output. With conditions t(x) is 1 where all of them hold, else 0; without it is the feature's
// number, kept between low and high, or `missing` where there is none.
struct Term {
  std::vector<TermCondition> conditions = {};
  std::uint32_t feature = 0;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  double missing = 0;
  std::vector<double> weights;              // one per output
  std::optional<TermMoments> moments = {};  // older files have none
};

// Whether a feature's number, or the index of its level, meets the condition; NaN: missing, below 0: a level that was
// never seen.
[[nodiscard]] bool meets(const TermCondition& condition, double value);
// t(x) for a row with these values, one per feature.
[[nodiscard]] double term_value(const Term& term, std::span<const double> row);

struct TermStructure {
  std::vector<double> intercept;  // one per output
  std::vector<Term> terms;
  bool refuses_missing = false;  // rows with missing values are not predicted
};

// Steps along one feature, or along two. A number x is in the first bin whose edge is >= x, above all edges in the one
// behind them; a level is its own bin. The last bin is for what is missing, and for levels that were never seen.
struct StepTerm {
  std::vector<std::uint32_t> features;     // one or two
  std::vector<std::vector<double>> edges;  // of each feature, ascending; none of a categorical one
  std::vector<double> values;              // bin after bin (of the first feature, of the second), one per output each
};

struct StepStructure {
  std::vector<double> intercept;  // one per output
  std::vector<StepTerm> terms;
};

// Training rows whose nearest ones speak for a row: the first rows by Gower's distance whose weights add up to k, the
// last of them with what is missing to k. Gower's distance is the mean over the features that both rows have of |a - b|
// / range of numbers, and of 0 or 1 where levels are the same or not; features whose range is 0 do not count, nor does
// a number of the row that is infinite or more than 10^15 ranges away. Rows that share none are no neighbours; who has
// no neighbour gets what all rows say. Distances are compared to 40 binary digits; ties go to the row that stands
// first.
struct NeighborStructure {
  double k = 1;
  std::vector<double> ranges;               // of each feature; 1 of a categorical one, 0 of a constant one
  std::vector<std::vector<double>> values;  // [feature][row]: numbers, or indices of levels; NaN: missing
  std::vector<double> outcome;              // of each row: a number, or the index of its class
  std::vector<double> weights;              // of each row, above 0; empty: every row weighs 1
  std::vector<std::uint64_t> rows = {};     // places of the rows in the data; empty: they are the first, in this order
  std::vector<double> otherwise = {};       // per output, of who has no neighbour; empty: the mean of these rows

  [[nodiscard]] std::uint64_t row_id(std::size_t row) const { return rows.empty() ? row : rows[row]; }
};

using Structure =
    std::variant<TreeStructure, TermStructure, StepStructure, CoveringStructure, PanelTreeStructure, NeighborStructure>;

[[nodiscard]] Value to_value(const Structure& structure);
// Checks everything; throws Error(model) with `where` in front.
[[nodiscard]] std::unique_ptr<Model> make_model(Signature signature, LinkFunction link, Structure structure,
                                                std::string_view where);

}  // namespace sightglass
