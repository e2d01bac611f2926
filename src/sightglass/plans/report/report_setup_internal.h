// What is found out before a report is made.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sightglass/plans/report/report_parts_internal.h"

namespace sightglass {

// Throws Error(usage) if there is no such part.
void check_skipped(const std::vector<std::string>& names);

// How many different values each of the features has, about, and how many levels. Of values nothing is known where
// there are no rows.
void count_values(const RunSession& session, ReportSetup& setup);

// In how many groups rows are compared. Before any work it is said that there is no such column.
[[nodiscard]] std::size_t groups_compared(const Table& table, const ReportOptions& options, const std::string& where);

// Which outputs a page shows, where there are too many for one.
struct ShownOutputs {
  std::vector<std::string> others;  // that it does not show
  std::string told, left_out;       // in words; empty: all are shown
};
// Throws Error(usage) if there are too many for a report.
[[nodiscard]] ShownOutputs shown_outputs(const RunSession& session);

// What is smaller than one would expect, whatever the time, in words. is_kept: whether a part is there, by its name.
[[nodiscard]] std::vector<std::string> limits_of(const ReportSetup& setup,
                                                 const std::function<bool(const std::string&)>& is_kept);

}  // namespace sightglass
