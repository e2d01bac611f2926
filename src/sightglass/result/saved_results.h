// The results of a report in a folder, one file each: "01-report.json", "06-ale.json".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

// All of them or none: a write that fails leaves the folder as it was. Results of an earlier report there are replaced,
// because two in one folder would be drawn as one; files that are no results stay, and are not written over. Throws
// Error(output). check: called as long as nothing has changed in the folder; what it throws leaves it so.
void save_results(const std::vector<Result>& results, const std::string& folder,
                  const std::function<void()>& check = {});

// The files of the report in a folder, in its order.
[[nodiscard]] std::vector<std::string> saved_results(const std::string& folder);

}  // namespace sightglass
