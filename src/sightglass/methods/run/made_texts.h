// Texts that a method makes up to ask the model about, all in the place of one row's own text; the row's other columns
// stay as they are. They are written when they are asked about, some at a time, so that memory is bounded by the
// longest text and not by how many there are.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sightglass/methods/run/chain.h"

namespace sightglass {

struct MadeTexts {
  const Schema* schema = nullptr;      // must outlive this
  std::vector<std::uint32_t> columns;  // that the model is given (MethodInput::features)
  std::vector<double> values;          // of the row, as ColumnView::number, one for each of these
  std::uint32_t column = 0;            // with texts
  std::size_t rows = 0;                // texts, at least one
  std::function<void(std::size_t i, std::string& text)> write;  // appends text i
  std::string where;                                            // for messages: "row 3"

  // The model's predictions. Throws Error(prediction) that says which texts the model failed for.
  [[nodiscard]] Matrix ask(Evaluator& evaluator) const;
};

// The model's predictions of made-up texts: rows × outputs.
[[nodiscard]] Chain<Matrix> ask(MadeTexts texts);

}  // namespace sightglass
