// What learners are fitted to: columns of numbers, an outcome, weights. All of it in memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/data/table.h"
#include "sightglass/model/model.h"

namespace sightglass {

struct TrainingFeature {
  FeatureInfo info;
  std::vector<double> values;  // numbers, or indices of info.levels; NaN: missing. Never beyond 1e100.
};

struct TrainingData {
  std::size_t rows = 0;
  std::vector<TrainingFeature> features;
  std::string target;                 // the outcome's name
  std::string output = "prediction";  // what predictions of a number are called
  std::vector<double> outcome;        // per row a number, or the index of its class
  std::vector<std::string> classes;   // empty: the outcome is a number
  std::vector<double> weights;        // per row, above 0; empty: every row weighs 1
  std::vector<std::string> notes;     // what was left out, and why

  [[nodiscard]] Task task() const;
  // What the model's outputs are called: the number, the second of two classes, or all of several.
  [[nodiscard]] std::vector<std::string> outputs() const;
  [[nodiscard]] double weight(std::size_t row) const { return weights.empty() ? 1.0 : weights[row]; }
  [[nodiscard]] double total_weight() const;
};

enum class OutcomeKind { automatic, number, classes };

struct TrainingColumns {
  std::string target;
  std::vector<std::string> features = {};  // none: every column but target and weights
  // What the outcome is; automatic: classes where the column holds text or true and false.
  OutcomeKind outcome = OutcomeKind::automatic;
};

// Rows without an outcome or without weight are left out, and columns without a value, with a note. Throws Error(usage)
// on columns that there are not, and Error(data) where nothing can be learned: no rows, no features, one class,
// infinite numbers.
[[nodiscard]] TrainingData training_data(const Table& given, const TrainingColumns& columns);

// These rows alone, in this order; a row may come more than once. Levels and classes stay, also those that no row has.
[[nodiscard]] TrainingData rows_of(const TrainingData& data, std::span<const std::uint32_t> rows);

// A threshold between two neighbouring values: the middle, or the lower one where no number lies between them, so that
// lower <= threshold < upper.
[[nodiscard]] double threshold_between(double lower, double upper);

// Whether predictions rise or fall with a feature.
enum class Monotone : std::int8_t { decreasing = -1, free = 0, increasing = 1 };
// The constraint of each feature, from "temp=increasing" and the like; empty if there is none. Throws Error(usage) on
// unknown features and words, on features without numbers, and on outcomes of more than two classes.
[[nodiscard]] std::vector<Monotone> read_monotone(const std::vector<std::string>& given, const TrainingData& data);

// The class with the largest share; of equals the first.
[[nodiscard]] std::size_t most_probable(std::span<const double> shares);

// The number of the fold, below `folds`, of each row: folds differ by one row at most, and which row is in which
// depends on the seed alone.
[[nodiscard]] std::vector<std::uint32_t> folds_of(std::size_t rows, std::uint32_t folds, std::uint64_t seed);

}  // namespace sightglass
