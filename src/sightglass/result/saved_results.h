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

// Before the work: that a page can be written beside results in this folder, neither replacing the other. Throws Error.
void check_saved_beside(const std::string& folder, const std::string& page);

// The files of the report in a folder, in its order. Throws Error(data) if one is there by its name, but is no result.
[[nodiscard]] std::vector<std::string> saved_results(const std::string& folder);

}  // namespace sightglass
