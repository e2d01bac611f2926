#include <algorithm>
#include <charconv>

#include "sightglass/base/error.h"
#include "sightglass/plans/report/part_rows_internal.h"
#include "sightglass/plans/report/report.h"

namespace sightglass {

PartRows read_part_rows(const std::vector<std::string>& told) {
  PartRows rows;
  for (const std::string& each : told) {
    const std::size_t sign = std::min(each.find('='), each.size());
    const std::string name = each.substr(0, sign), number = each.substr(std::min(sign + 1, each.size()));
    std::int64_t count = 0;
    const auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), count);
    if (error != std::errc() || rest != number.data() + number.size() || count < 0)
      throw Error(ErrorKind::usage, option_text("part_rows") + ": " + printable(each) + " is no part with its rows",
                  "write ale=500; 0 = all");
    if (std::find(std::begin(own_rows_parts), std::end(own_rows_parts), name) == std::end(own_rows_parts))
      throw Error(ErrorKind::usage, option_text("part_rows") + ": there is no part " + printable(name),
                  "it is one of " + own_rows_names());
    rows[name] = static_cast<std::uint64_t>(count);
  }
  return rows;
}

std::vector<std::string> write_part_rows(const PartRows& rows) {
  std::vector<std::string> told;
  for (const auto& [name, count] : rows) told.push_back(name + "=" + std::to_string(count));
  return told;
}

std::string own_rows_names() {
  std::string names;
  for (const std::string_view name : own_rows_parts) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

}  // namespace sightglass
