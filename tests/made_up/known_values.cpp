#include "made_up/known_values.h"

#include <cmath>

#include "made_up/ladder.h"
#include "sightglass/methods/run/row_sample.h"

namespace sightglass {

namespace {

Result result_of(const RowSample& rows, const std::vector<std::string>& names) {
  Ladder ladder;
  for (std::size_t i = 0; i < names.size(); ++i) {
    Rung& rung = ladder.rungs.emplace_back(Rung{.name = names[i], .loose = i == 0, .feet = {}});
    for (const double value : rows.values[i]) rung.height += std::isnan(value) ? 0 : 1;
    if (i > 0) rung.feet = {i};
  }
  Result result;
  result.results.push_back(std::move(ladder));
  return result;
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<KnownValuesOptions>(given);
  std::vector<std::uint32_t> columns;
  std::vector<std::string> names;
  for (const std::uint32_t feature : input.features) {
    if (static_cast<std::int64_t>(columns.size()) == options.rungs) break;
    columns.push_back(feature);
    names.push_back(input.schema[feature].name);
  }
  return draw_rows(input, columns, 0, 1).then([names](const RowSample& rows) { return result_of(rows, names); });
}

}  // namespace

MethodEntry known_values() {
  return {.name = "known-values",
          .alias = "",
          .about = {.title = "Known values", .short_name = "", .family = "counts"},
          .question = "How many rows have a value of each feature?",
          .when = "trying out what a new method takes",
          .when_not = "explaining anything",
          .formula = "number of rows with a value",
          .paper = "none",
          .results = {"ladder"},
          .expresses = "numbers of rows",
          .cost = "one pass over the rows",
          .needs = {.model = Need::none},
          .access = Access::columns,
          .change = RowChange::none,
          .options = describe_options<KnownValuesOptions>(),
          .start = start};
}

}  // namespace sightglass
