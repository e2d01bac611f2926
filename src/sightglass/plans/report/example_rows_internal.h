// Which rows of many stand for the others: extremes and the middle of the predictions, and the largest errors.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sightglass/data/table.h"
#include "sightglass/methods/run/method.h"
#include "sightglass/result/result.h"

namespace sightglass {

struct ExampleRow {
  std::uint64_t row = 0;
  std::string why;  // "highest prediction"
};

// What is known about rows beside their predictions.
struct RowFacts {
  std::function<double(std::uint64_t row)> weight = {};                // empty: all count alike
  std::function<std::optional<double>(std::uint64_t row)> truth = {};  // empty: not known
  std::size_t classes = 0;  // truths are classes, counted from 0; 0: numbers in the unit of the predictions
};
// By the data's weights and the target, if there is one. used: the rows of the table that are explained.
[[nodiscard]] RowFacts row_facts(const Table& table, const Source& used, const MethodInput& input);

// From the rows of attributions, one item per output of the model. hidden: classes that are not shown; they count where
// classes are compared, but no row that is predicted to be one of them is chosen.
[[nodiscard]] std::vector<ExampleRow> example_rows(const std::vector<const Attributions*>& outputs, std::size_t most,
                                                   const RowFacts& facts, const std::set<std::string>& hidden = {});

// Their part of a result with the attributions of many rows; details.why says why each is there. Nothing if there is no
// example.
[[nodiscard]] std::optional<Result> examples_of(const Result& result, const std::vector<ExampleRow>& examples);

}  // namespace sightglass
