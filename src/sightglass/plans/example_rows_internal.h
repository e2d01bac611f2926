// Which rows of many stand for the others: extremes and the middle of the predictions, and the largest errors.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

struct ExampleRow {
  std::uint64_t row = 0;
  std::string why;  // "highest prediction"
};

// From the rows of attributions, one item per output. truth: of a row, in the unit of the predictions; may be empty.
[[nodiscard]] std::vector<ExampleRow> example_rows(
    const std::vector<const Attributions*>& outputs, std::size_t most,
    const std::function<std::optional<double>(std::uint64_t row)>& truth);

// Their part of a result with the attributions of many rows; details.why says why each is there. Nothing if there is no
// example.
[[nodiscard]] std::optional<Result> examples_of(const Result& result, const std::vector<ExampleRow>& examples);

}  // namespace sightglass
