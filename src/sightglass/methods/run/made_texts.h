// Texts or pictures that a method makes up to ask the model about, all in the place of one row's own; the row's other
// columns stay as they are. They are written when they are asked about, some at a time, so that memory is bounded by
// the longest text and not by how many there are.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sightglass/methods/run/chain.h"

namespace sightglass {

// Whose place they take.
struct MadePlace {
  const Schema* schema = nullptr;      // must outlive this
  std::vector<std::uint32_t> columns;  // that the model is given (MethodInput::features)
  std::vector<double> values;          // of the row, as ColumnView::number, one for each of these
  std::uint32_t column = 0;            // with texts
  std::string where;                   // for messages: "row 3"
};

struct MadeTexts {
  MadePlace place;
  std::size_t rows = 0;                                        // texts, at least one
  std::size_t longest = 0;                                     // bytes of the longest, or more
  std::function<void(std::size_t i, TextBatch& texts)> write;  // adds text i
};

struct MadePictures {
  MadePlace place;
  std::size_t rows = 0;  // pictures, at least one
  std::size_t width = 0, height = 0;
  std::function<void(std::size_t i, std::uint8_t* rgb)> write;
};

// The model's predictions: rows × outputs. Throws Error(prediction) that says which ones the model failed for.
[[nodiscard]] Chain<Matrix> ask(MadeTexts texts);
[[nodiscard]] Chain<Matrix> ask(MadePictures pictures);

}  // namespace sightglass
