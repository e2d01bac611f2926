// The charts of a page, one by one: for pictures of their own.
#pragma once

#include <string>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

struct PageChart {
  std::string name;                   // "effects/temp", "rows/row-12/what-if": unique on the page
  std::string title;                  // what stands above it
  std::string rows;                   // which ones it shows, if not all and the title does not say so
  std::vector<std::string> outputs;   // of which it shows one, the first if none is asked for; empty: there is but one
  std::vector<std::string> switches;  // what can be shown and hidden: "ale", "ice"
  std::vector<Value> specs;           // Vega-Lite: one for each output, or one that has a signal for it
};

// In the order of the page.
[[nodiscard]] std::vector<PageChart> page_charts(const std::vector<Result>& results);

// The chart of this name; the end of a name will do if there is one such chart. Throws Error(usage) with the names that
// there are.
[[nodiscard]] const PageChart& find_chart(const std::vector<PageChart>& charts, const std::string& name);

// Its specification with a title, for this output and with these parts shown; empty: as the page draws it at first.
[[nodiscard]] Value chart_alone(const PageChart& chart, const std::string& output,
                                const std::vector<std::string>& show);

}  // namespace sightglass
