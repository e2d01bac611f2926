// The rows whose truth is known beside what the model predicts for them: where every picture of a model's performance
// begins.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sightglass/methods/losses/scored_rows.h"
#include "sightglass/methods/run/method.h"
#include "sightglass/methods/run/row_sample.h"

namespace sightglass {

struct PredictedRows {
  std::shared_ptr<const ScoredRows> known;
  RowSample sample;                 // the columns that were asked for, of these rows and those without a truth
  std::vector<double> predictions;  // [row × outcome.outputs() + output]

  [[nodiscard]] std::size_t rows() const { return known->rows(); }
  [[nodiscard]] const Outcome& outcome() const { return known->outcome; }
  [[nodiscard]] std::size_t outputs() const { return outcome().outputs().size(); }
  [[nodiscard]] double prediction(std::size_t row, std::size_t output = 0) const {
    return predictions[row * outputs() + output];
  }
  // Of a column that was asked for, by row.
  [[nodiscard]] std::vector<double> values_of(std::uint32_t column) const { return known->values_of(sample, column); }
  // Says in data how many rows count if some do not, and adds caveats.
  [[nodiscard]] Result result() const;
};

// What predictions are of: numbers; classes, by anything that puts rows in an order; classes, by probabilities.
enum class PredictedAs { numbers, scores, probabilities };

// Throws Error(usage) where the target does not fit, or there is none; Error(prediction) where probabilities are none.
// columns: of the schema, besides the target.
[[nodiscard]] Chain<std::shared_ptr<const PredictedRows>> predict_rows(const MethodInput& input, PredictedAs wanted,
                                                                       std::vector<std::uint32_t> columns = {});

// A class against the rest: the rows by their score.
struct ClassScores {
  std::string output;  // empty where there is but one
  std::string name;    // of the class
  std::string other;   // what all else is called
  // Of rows with weight, the highest score first; equal ones in an order that does not depend on that of the rows.
  struct Row {
    double score, weight;
    bool positive;
  };
  std::vector<Row> rows;
  double positives = 0, negatives = 0;  // weight
  std::uint64_t positive_rows = 0, negative_rows = 0;
  [[nodiscard]] bool both() const { return positives > 0 && negatives > 0; }
  [[nodiscard]] double total() const { return positives + negatives; }
};
// What is predicted as the class if rows from a score on are, by weight: one entry per score, the highest first.
struct FromScore {
  double score, right, wrong;  // rows of the class, and others
};
[[nodiscard]] std::vector<FromScore> from_scores(const ClassScores& scores);

// One per class; of two classes the second alone.
[[nodiscard]] std::vector<ClassScores> class_scores(const MethodInput& input, const PredictedRows& rows);
// Names of all classes, in the order of the truths' codes.
[[nodiscard]] std::vector<std::string> class_names(const MethodInput& input, const Outcome& outcome);

// Caveats on classes with few rows, whose curves are jumpy, or without any, which have none.
void add_rare_classes(const MethodInput& input, const std::vector<ClassScores>& classes, std::vector<Caveat>& caveats);

}  // namespace sightglass
