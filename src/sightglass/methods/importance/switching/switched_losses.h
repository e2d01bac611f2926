// Losses of rows that get the values of other rows: every row with the values of every other, nothing left to chance.
// What model reliance and the expected permutation importance are made of.
//   A_i = mean over rows j of L(y_i, f(x_j,S ; x_i,C)), B_j = the same mean over rows i
// Values of S that are the same are given to each row once, and so are values that the model's trees cannot tell
// apart. Where that is more than a budget of predictions, a sample of rows is drawn, all of whose pairs count.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sightglass/methods/grid/feature_groups.h"
#include "sightglass/methods/losses/scored_rows.h"

namespace sightglass {

struct SwitchRequest {
  MethodInput input;
  std::vector<FeatureGroup> units;  // whose values are switched, one after the other
  std::shared_ptr<const ScoredRows> scored;
  std::int64_t budget = 0;  // predictions per unit
  bool divide = false;      // also the exchange between the file's first half and its second
};

// What came out for a unit and a loss. Per row, in the order of `rows`.
struct SwitchedLoss {
  const Loss* loss = nullptr;
  std::vector<double> own;    // L_i: as it is
  std::vector<double> added;  // Σ_j w_j (L_ij − L_i)
  std::vector<double> lent;   // Σ_j w_j L_ji
  double original = 0;        // mean of L_i
  double switched = 0;        // Σ_i w_i of what was added
  // Mean loss after the exchange between halves; nothing without one.
  std::optional<double> divided;
};

struct SwitchedUnit {
  std::size_t unit = 0;
  std::vector<std::size_t> rows;  // positions among the scored rows, ascending
  std::vector<double> weights;    // of these, as counts of rows: at least 1 on average
  bool weighted = false;          // whether they differ
  bool scaled = false;            // whether they are others than the data's
  double total = 0;               // of the weights
  double effective = 0;           // rows
  std::size_t values = 0;         // different ones
  std::vector<SwitchedLoss> losses;

  // The standard error of the mean over these rows of a number of each, that came of a loss. 0 where switching does
  // nothing to any row.
  [[nodiscard]] std::optional<double> standard_error(const SwitchedLoss& loss, std::span<const double> parts) const;
};

// What methods make of it.
struct SwitchFindings {
  std::vector<std::vector<Importance>> rankings;
  std::vector<Caveat> caveats;
};

// Switches unit by unit: `take` adds what follows from each, in their order. Every loss must be the mean of a term per
// row, or a function of it.
[[nodiscard]] Chain<SwitchFindings> switch_rows(SwitchRequest request, SwitchFindings findings,
                                                std::function<void(const SwitchedUnit&, SwitchFindings&)> take);

}  // namespace sightglass
