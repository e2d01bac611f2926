// Which rows are worth reading, in this order: the worst errors, those that the model is least sure of, the extremes of
// its predictions, a typical one. They are sought among all rows that the report uses.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sightglass/data/table.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/result/result.h"

namespace sightglass {

struct ExampleRow {
  std::uint64_t row = 0;
  std::string why;   // "highest prediction"
  Value truth = {};  // a number, or the name of a class; null: not known
};

// What is known about rows beside their predictions.
struct RowFacts {
  std::function<double(std::uint64_t row)> weight = {};                // empty: all count alike
  std::function<std::optional<double>(std::uint64_t row)> truth = {};  // empty: not known
  std::size_t classes = 0;  // truths are classes, counted from 0; 0: numbers in the unit of the predictions
  std::vector<std::string> class_names = {};  // of the truths
};
// By the data's weights and the target, if there is one. used: the rows of the table that are explained.
[[nodiscard]] RowFacts row_facts(const Table& table, const Source& used, const MethodInput& input);

// What the model predicts for rows of the data, on the scale of the truth.
struct RowPredictions {
  std::vector<std::string> outputs;  // those that are explained
  bool classes = false;              // outputs are classes' probabilities
  std::vector<std::uint64_t> rows;   // ascending
  std::vector<double> values;        // [row × outputs + output]
  std::uint64_t total_rows = 0;      // how many there were to choose from

  [[nodiscard]] double at(std::size_t row, std::size_t output) const { return values[row * outputs.size() + output]; }
};
// Of all rows of the session, whose predictions are responses.
[[nodiscard]] RowPredictions row_predictions(const RunSession& session);

// hidden: outputs that are not shown; as classes they count where classes are compared, but no row that is predicted to
// be one of them is chosen.
[[nodiscard]] std::vector<ExampleRow> example_rows(const RowPredictions& predictions, std::size_t most,
                                                   const RowFacts& facts, const std::set<std::string>& hidden = {});

// Their part of a result with the attributions of many rows. Nothing if there is no example, or not all are among them.
[[nodiscard]] std::optional<Result> examples_of(const Result& result, const std::vector<ExampleRow>& examples);
// Says of each row of attributions why it is there (details.why), its place among the examples (details.place) and what
// is true (details.truth, if known).
void tell_examples(Result& result, const std::vector<ExampleRow>& examples);

}  // namespace sightglass
