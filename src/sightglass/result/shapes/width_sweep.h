// A local line over the widths of its kernel: what it says from very near the row to all of the data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/value.h"
#include "sightglass/result/named_row.h"

namespace sightglass {

class Fields;
class TidyRows;

struct SweptTerm {
  std::string name;                                 // "temp", "season = winter"
  std::vector<std::optional<double>> coefficients;  // one per width; none: not known there
};

struct WidthSweep {
  static constexpr std::string_view type = "width_sweep";  // its name in JSON

  std::string output;
  std::string group;
  std::optional<std::uint64_t> row = std::nullopt;     // that is explained
  std::string row_label = {};                          // what that row is called; empty: by its number
  std::vector<double> widths;                          // ascending
  std::optional<std::uint64_t> chosen = std::nullopt;  // place in widths of the one that the line has
  std::vector<SweptTerm> terms;                        // as the line has them
  std::vector<std::optional<double>> r2;               // of the line on made-up rows, per width; none: too few count
  std::vector<double> locality;                        // share of the weight near the row, per width
  Value details = Value::object();
};

// Whether a term speaks for a higher prediction at one width and against it at another, by more than a tenth of the
// largest coefficient at the chosen width.
[[nodiscard]] bool turns(const WidthSweep& sweep, const SweptTerm& term);

void describe_fields(WidthSweep& sweep, Fields& fields);
void tidy_rows(const WidthSweep& sweep, TidyRows& rows);
void show_rows(WidthSweep& sweep, const RowVisitor& visit);
[[nodiscard]] std::string item_title(const WidthSweep& sweep);

}  // namespace sightglass
