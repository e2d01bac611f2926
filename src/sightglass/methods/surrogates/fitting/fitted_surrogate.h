// Rows divided into those that surrogates are fitted to and others, and one surrogate with what it says of all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sightglass/base/matrix.h"
#include "sightglass/learn/learner.h"
#include "sightglass/methods/rows/labelled_rows.h"
#include "sightglass/methods/surrogates/fitting/surrogate_kinds.h"
#include "sightglass/model/model.h"
#include "sightglass/result/shapes/rules.h"
#include "sightglass/result/shapes/tree.h"

namespace sightglass {

struct RowDivision {
  std::vector<double> weights;  // of all rows
  RowList fitted, held_out;     // of the rows to fit to: those of the data, or those that were made
  RowList aside;                // the others
  bool on_grid = false;         // fitted to made rows

  // The rows by which surrogates are judged: of the data, and not fitted to if there are such.
  [[nodiscard]] const RowList& judged() const { return on_grid ? aside : held_out.empty() ? fitted : held_out; }
};
// held_out: a share of the rows to fit to, drawn at random. Rows without weight are in no list.
[[nodiscard]] RowDivision divide_rows(const LabelledRows& rows, std::vector<double> weights, double held_out,
                                      bool on_grid, std::uint64_t seed);

// What is learned: of all rows, and of those that are fitted to.
struct SurrogateTask {
  TrainingData all, training;
};
// outcome: per row a number, or the index of a class.
[[nodiscard]] SurrogateTask surrogate_task(const MethodInput& input, const LabelledRows& rows,
                                           const RowDivision& division, const std::vector<std::uint32_t>& columns,
                                           const std::vector<double>& outcome, const std::vector<std::string>& classes,
                                           const std::string& output);
// The same without some features.
[[nodiscard]] SurrogateTask without_features(const SurrogateTask& task, const std::vector<std::string>& names);

struct FittedSurrogate {
  const SurrogateKind* kind = nullptr;
  Learned learned;
  std::unique_ptr<Model> model;
  Matrix predicted;  // rows × outputs, of all rows

  [[nodiscard]] std::vector<double> column(std::size_t output) const;
  // The tree that it is, and its leaves as rules; null if it is none.
  [[nodiscard]] ShownTree* tree();
  [[nodiscard]] const ShownTree* tree() const;
  [[nodiscard]] const Rules* leaves() const;
};
[[nodiscard]] FittedSurrogate fit_surrogate(const SurrogateKind& kind, const SurrogateTask& task, std::uint64_t size,
                                            std::uint64_t seed, const Context& context);

}  // namespace sightglass
