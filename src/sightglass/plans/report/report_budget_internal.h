// How much of a report fits into a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/methods/run/session.h"

namespace sightglass {

// "90s", "1.5m", "2h", or a number of seconds. Throws Error(usage).
[[nodiscard]] double seconds_of(const std::string& duration);

// Seconds that the model takes for a row, from at most a few thousand rows and a quarter of a second.
[[nodiscard]] double seconds_per_row(const RunSession& session);

// A part of a report: what it costs, in predictions of each row and in all, and how much it is wanted.
struct Price {
  double per_row = 0, fixed = 0;
  int rank = 0;                           // 0: never left out; else the lowest is wanted most
  std::optional<std::size_t> needs = {};  // the part without which it is not there either; is wanted more
};
struct Fit {
  std::uint64_t rows = 0;   // to use
  std::vector<bool> keeps;  // per part
};
// As many rows as the time allows, all if possible. A part that would leave only a few hundred rows is left out, the
// others that are wanted less may still be in.
[[nodiscard]] Fit fit(const std::vector<Price>& parts, std::uint64_t rows, double seconds_per_row, double seconds);

}  // namespace sightglass
