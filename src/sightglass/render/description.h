// A picture in words: what it shows, for those who cannot see it; how to read it; its verdicts.
#pragma once

#include <string>
#include <vector>

#include "sightglass/render/groups.h"

namespace sightglass {

// Where it starts, peaks and ends; of many lines only those that move most.
[[nodiscard]] std::string describe(const Result& result, const ItemGroup& group);
// What lines, bands, bars and shades mean.
[[nodiscard]] std::string how_to_read(const Result& result, const ItemGroup& group);
// Short verdicts: "monotone shape", "heterogeneity 12 %".
[[nodiscard]] std::vector<std::string> badges(const ItemGroup& group);

}  // namespace sightglass
