// A few rows whose explanations cover most of what the model does, as items of a result: which rows, what each adds to
// the coverage, and what they leave uncovered.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sightglass/methods/local/lime/submodular_pick.h"
#include "sightglass/methods/rows/labelled_rows.h"

namespace sightglass {

// What an explanation says of a feature. Terms of the same output, feature and cell are one, whatever the row.
struct PickTerm {
  std::size_t output = 0;  // among those that are explained
  std::size_t feature = 0;
  std::size_t cell = 0;
  double value = 0;    // that it adds
  std::size_t at = 0;  // among the terms of the row and output
};

struct PickRow {
  std::uint64_t row = 0;
  double count = 1;       // how much the row counts
  double prediction = 0;  // of the first output
  std::vector<PickTerm> terms;
};

struct ShownPick {
  const MethodInput* input = nullptr;
  std::vector<PickRow> rows;
  std::vector<std::string> features;  // of the examples
  std::function<std::string(std::size_t row, const PickTerm&)> term_name, feature_name;
  std::function<Value(std::size_t row)> data;  // own values
};

// The rows, by place in the list. Adds the examples and the share that they cover.
[[nodiscard]] std::vector<std::size_t> add_pick(const ShownPick& shown, std::size_t budget, Result& result);

// A row's own values by name, as examples have them; without the feature `but`.
[[nodiscard]] Value row_values(const MethodInput& input, const LabelledRow& row,
                               std::size_t but = static_cast<std::size_t>(-1));

}  // namespace sightglass
