// Which rows a method explains that explains single ones: those that are named, else some drawn at random.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sightglass/methods/run/method.h"
#include "sightglass/methods/run/named_rows.h"

namespace sightglass {

struct ExplainedRows {
  RowIds ids;                   // ascending
  bool named = false;           // by the user
  std::uint64_t available = 0;  // rows with weight that there were to draw from; 0 where they are named
};

// rows, explain: the options of these names; 0 = all rows. Throws Error(usage) on numbers that are no rows.
[[nodiscard]] Chain<ExplainedRows> rows_to_explain(const MethodInput& input, const std::vector<std::int64_t>& rows,
                                                   std::int64_t explain);

// Says how many of how many, where rows were drawn.
void add_some_rows_caveat(const ExplainedRows& rows, std::vector<Caveat>& caveats);

}  // namespace sightglass
