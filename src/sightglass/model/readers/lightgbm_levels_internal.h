// The last line of LightGBM's text files: the levels of pandas' categories, as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sightglass/model/readers/json_document_internal.h"

namespace sightglass {

struct PandasLevels {
  std::vector<std::string> names;  // in the order of their codes
  bool numbers = true;             // all of them are
};

// One for each column that was a category, in the order of the columns; none for null.
[[nodiscard]] std::vector<PandasLevels> read_pandas_levels(std::string_view json, const JsonBlame& blame);

}  // namespace sightglass
