// Who computes what each feature adds to the predictions of single rows. The method that asks does not know: any
// model can be asked about coalitions of features (coalitions.h), a model whose structure is known may do better.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sightglass/methods/run/method.h"

namespace sightglass {

// Of some rows; `outputs` are those explained, `features` the model's, in the model's order.
struct BlockAttributions {
  std::vector<double> base;        // [output]
  std::vector<double> prediction;  // [row × outputs + output]
  std::vector<double> values;      // [(row × outputs + output) × features + feature]
  std::vector<double> se;          // the same way; empty if the values are exact
  std::vector<double>
      interactions;  // [((row × outputs + output) × features + feature) × features + other]; may be empty
};

class RowAttributor {
 public:
  virtual ~RowAttributor() = default;
  // Model rows that one row takes, at the most: for progress.
  [[nodiscard]] virtual std::uint64_t cost_per_row() const = 0;
  [[nodiscard]] virtual bool estimates() const = 0;  // values come with standard errors
  // Whether more rows at a time than a model is asked for serve it better.
  [[nodiscard]] virtual bool wants_many_rows() const { return false; }
  // Base + Σ values = prediction for each row and output. What a row gets depends on nothing else in the block.
  // Called as Pass::map: from one thread, which may use the evaluator.
  virtual void attribute(const RowBlock& rows, Evaluator& evaluator, BlockAttributions& out) const = 0;
  // How it was done, for the record: {"estimator": "exact", "background_rows": 100, …}.
  [[nodiscard]] virtual Value details() const = 0;
  // What the reader should know about how it was done.
  virtual void add_caveats(std::vector<Caveat>& caveats) const = 0;
  // Whether all rows that features were compared with are alike in one: nothing, or the value they have.
  [[nodiscard]] virtual std::optional<double> only_value(std::size_t feature) const = 0;
};

using AttributorPtr = std::shared_ptr<const RowAttributor>;

}  // namespace sightglass
