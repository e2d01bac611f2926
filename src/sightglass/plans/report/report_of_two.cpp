#include "sightglass/base/error.h"
#include "sightglass/plans/explain.h"
#include "sightglass/plans/report/report.h"
#include "sightglass/plans/report/report_of_two_internal.h"

namespace sightglass {

std::vector<Result> report_of_two(const Model& model, const ModelOption& other, const Source& source,
                                  const Value& given, Context& context) {
  const auto [run_values, own] = split_options(given, describe_options<ReportOptions>());
  const auto told = read_options<ReportOptions>(own);
  if (!told.by.empty()) {
    throw Error(ErrorKind::usage, marked("a report of two models compares no groups: {option:by}"),
                marked("leave it out, or choose a group with {option:where}"));
  }
  Value options = run_values;
  for (const char* name : {"other_model", "names", "features"}) {
    if (const Value* value = own.find(name)) options.set(name, *value);
  }
  if (own.find("top") != nullptr) options.set("top", told.top);
  if (told.no_rows || own.find("examples") != nullptr) options.set("examples", told.no_rows ? 0 : told.examples);
  Result result = explain("compare-models", model, source, options, context, nullptr, other);
  result.options.set("title", told.title)
      .set("no_rows", told.no_rows)
      .set("skip", std::vector<std::string>())
      .set("predictions", 0)
      .set("left_out", std::vector<std::string>())
      .set("decided_by_time", std::vector<std::string>());
  return {std::move(result)};
}

}  // namespace sightglass
