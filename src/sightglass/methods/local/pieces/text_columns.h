// Which column has the texts (or the pictures, which travel as texts), and what stands in it?
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sightglass/methods/rows/labelled_rows.h"
#include "sightglass/methods/run/made_texts.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

struct TextPlace {
  std::uint32_t column = 0;
  std::size_t feature = 0;  // place of the column among the model's
};

// By its name, else the only one that the model is given. Throws Error(usage) that refers to `option` where that does
// not settle it.
[[nodiscard]] TextPlace text_place(const MethodInput& input, const std::string& name, std::string_view option);
// Null: the row has none.
[[nodiscard]] const std::string* text_of(const MethodInput& input, const TextPlace& place, const LabelledRow& row);
// Where texts or pictures that are made up stand in place of the row's own. The input must outlive it.
[[nodiscard]] MadePlace made_place(const MethodInput& input, const TextPlace& place, const LabelledRow& row);

}  // namespace sightglass
