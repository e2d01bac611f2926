// How a row with one value changed at a time is shown: a panel per feature, in words, as a table.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sightglass/insight/what_if.h"
#include "sightglass/render/data_table.h"

namespace sightglass {

namespace text {
class Page;
}

void what_if_section(text::Page& page, const RowPanels& panels);
[[nodiscard]] std::string describe_what_if(const WhatIf& picture);
[[nodiscard]] std::string read_what_if(const WhatIf& picture);
// What the row is, and what changes its class first.
[[nodiscard]] std::vector<std::string> what_if_badges(const WhatIf& picture);
[[nodiscard]] DataTable what_if_table(const WhatIf& picture);
// How far values can move before the class changes: by feature, in words and as a table.
[[nodiscard]] std::string describe_slack(const WhatIf& picture);
[[nodiscard]] DataTable slack_table(const WhatIf& picture);

}  // namespace sightglass
