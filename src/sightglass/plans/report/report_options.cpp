#include "sightglass/methods/run/run_options.h"
#include "sightglass/plans/report/report.h"

namespace sightglass {

std::vector<OptionSpec> report_options() {
  std::vector<OptionSpec> specs = describe_options<ReportOptions>();
  for (OptionSpec& spec : describe_options<RunOptions>()) specs.push_back(std::move(spec));
  return specs;
}

Repetition repetition(const Value& recorded) {
  Repetition again{.replaced = {"budget", "sample", "skip", "predictions", "part_rows"}};
  again.instead.set("budget", 0);
  const std::int64_t sample = recorded.find("sample")->as_integer();
  if (sample > 0) again.instead.set("sample", sample);
  if (const Value& skip = *recorded.find("skip"); !skip.as_array().empty()) again.instead.set("skip", skip);
  const std::int64_t predictions = recorded.find("predictions")->as_integer();
  if (predictions > 0) again.instead.set("predictions", predictions);
  if (const Value& rows = *recorded.find("part_rows"); !rows.as_array().empty()) again.instead.set("part_rows", rows);
  return again;
}

}  // namespace sightglass
