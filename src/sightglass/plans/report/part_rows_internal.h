// Parts of a report that use other rows than the others.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sightglass {

// How many, by Part::known_as(); 0: all.
using PartRows = std::map<std::string, std::uint64_t>;

// Of "ale=500". Throws Error(usage).
[[nodiscard]] PartRows read_part_rows(const std::vector<std::string>& told);
[[nodiscard]] std::vector<std::string> write_part_rows(const PartRows& rows);

}  // namespace sightglass
