// Which outputs a report is about, where a model has more than a page can show.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "sightglass/methods/run/session.h"

namespace sightglass {

// All but those classes that are predicted most often for the rows; of outputs that are no classes, all but the first.
// In the model's order; none if all can be shown.
[[nodiscard]] std::vector<std::string> outputs_to_leave_out(const RunSession& session, std::size_t most);

// Takes out what is about these outputs.
void leave_out(Result& result, const std::set<std::string>& outputs);

}  // namespace sightglass
