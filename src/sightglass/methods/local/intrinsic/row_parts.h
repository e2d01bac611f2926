// What the parts of a model that explains itself say of one row.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sightglass/model/learned/learned_model.h"
#include "sightglass/result/item.h"

namespace sightglass {

class NeighborSearch;

struct ExplainedRow {
  std::uint64_t row = 0;
  std::span<const double> values;       // of each feature: its number or the index of its level; NaN: missing
  std::span<const std::string> unseen;  // of each feature: a level that the model has never seen; empty: it has no such
  std::span<const double> predictions;  // of each output
};

// What a level that was never seen becomes among the values.
[[nodiscard]] double unseen_level(const Structure& structure);

// All classes, also the first of two, which has no output; none of a number.
[[nodiscard]] std::vector<std::string> class_names(const Signature& signature);

// Reads the model once, then row after row.
class StructureReader {
 public:
  // predicted: the scale of the predictions.
  StructureReader(const LearnedModel& model, std::span<const std::size_t> outputs, Scale predicted);

  ~StructureReader();

  // For each of the outputs, in words of the model's features.
  [[nodiscard]] std::vector<ResultItem> of(const ExplainedRow& row) const;

 private:
  const LearnedModel& model_;
  std::vector<std::size_t> outputs_;
  Scale predicted_;
  std::vector<double> node_means_;                // of a tree, [node × outputs]
  std::unique_ptr<const NeighborSearch> search_;  // of neighbours
};

}  // namespace sightglass
