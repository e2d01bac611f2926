// How much of a report fits into a time.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/methods/run/session.h"

namespace sightglass {

// "90s", "1.5m", "2h", or a number of seconds. Throws Error(usage).
[[nodiscard]] double seconds_of(const std::string& duration);

// Seconds that the model takes for a row, from at most a few thousand rows and a quarter of a second.
[[nodiscard]] double seconds_per_row(const RunSession& session);

// A part of a report: what it costs (in predictions, or in seconds once it was tried), for each row and in all, and how
// much it is wanted.
struct Price {
  double per_row = 0, fixed = 0;
  int rank = 0;                           // 0: never left out; else the lowest is wanted most
  std::optional<std::size_t> needs = {};  // the part without which it is not there either; is wanted more
  std::uint64_t most_rows = std::numeric_limits<std::uint64_t>::max();  // more cost nothing

  [[nodiscard]] double of(std::uint64_t rows) const;
  [[nodiscard]] Price times(double factor) const;
};
// How long a part took on so many rows.
struct Trial {
  std::uint64_t rows = 0;
  double seconds = 0;
};
// What was made, and how long it took; nothing: it was stopped.
struct TimedRun {
  std::optional<Result> result;
  double seconds = 0;
};
// twice: the second time counts, where the first finds out what is found once for all.
[[nodiscard]] TimedRun run_in_time(Context& context, double seconds, bool twice, const std::function<Result()>& run);
// In seconds, from one trial: what a row takes as the price says, at the most; the rest goes with no row.
[[nodiscard]] Price timed(const Price& price, const Trial& few);
// From two: what each further row took.
[[nodiscard]] Price timed(const Price& price, const Trial& few, const Trial& more);

struct Fit {
  std::uint64_t rows = 0;   // to use
  std::vector<bool> keeps;  // per part
};
// As many rows as the time allows, all if possible. A part that would leave fewer than `fewest` rows is left out, the
// others that are wanted less may still be in.
[[nodiscard]] Fit fit(const std::vector<Price>& seconds_of_parts, std::uint64_t rows, std::uint64_t fewest,
                      double seconds);
// Where the time decides how many rows are used, it leaves so many.
inline constexpr std::uint64_t fewest_rows = 300;
// Of what must be there, whatever it costs.
inline constexpr std::uint64_t least_rows = 20;

}  // namespace sightglass
