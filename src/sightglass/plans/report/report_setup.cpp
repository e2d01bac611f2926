#include <algorithm>
#include <cmath>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/plans/explain.h"
#include "sightglass/plans/report/report_outputs_internal.h"
#include "sightglass/plans/report/report_setup_internal.h"
#include "sightglass/plans/report/telling_levels_internal.h"

namespace sightglass {

namespace {

// On a page, and in all: what is not shown is computed as well.
constexpr std::size_t most_shown = 10, most_outputs = 100;
// From so many rows it is learned which classes are predicted most.
constexpr std::uint64_t rows_for_outputs = 2000;

}  // namespace

void check_skipped(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const bool known = std::any_of(std::begin(skippable_parts), std::end(skippable_parts),
                                   [&](const SkippablePart& part) { return part.name == name; });
    if (!known)
      throw Error(ErrorKind::usage, option_text("skip") + ": there is no part " + printable(name),
                  "it is one of " + skippable_names());
  }
}

void count_values(const RunSession& session, ReportSetup& setup) {
  constexpr std::size_t most_values = 64, looked_at = 2000;
  const auto& input = session.input();
  const auto& wanted = setup.options.features;
  const auto stream = session.rows().open(input.features, looked_at);
  const auto block = stream->next();
  for (const std::uint32_t column : input.features) {
    const ColumnInfo& info = input.schema[column];
    const bool is_wanted = wanted.empty() || std::find(wanted.begin(), wanted.end(), info.name) != wanted.end();
    if (!is_wanted) continue;
    if (info.is_categorical()) setup.levels[info.name] = info.dictionary->size();
    if (!block) continue;
    std::set<double> values;
    bool missing = false;
    for (std::size_t row = 0; row < block->rows && values.size() < most_values; ++row) {
      const double value = block->columns[column].number(row);
      if (std::isnan(value))
        missing = true;
      else
        values.insert(value);
    }
    setup.values.push_back(values.size() + (missing ? 1 : 0));
  }
}

std::size_t groups_compared(const Table& table, const ReportOptions& options, const std::string& where) {
  const RowKey key = row_key(options.by, table.schema());
  const ColumnInfo& info = table.schema()[key.column];
  const bool levels = !key.part && info.dictionary != nullptr;
  if (options.no_rows && levels && 2 * levels_in(table.column(key.column), info.dictionary->size()) > table.rows())
    throw Error(ErrorKind::usage,
                option_text("by") + ": nearly each row has a " + printable(options.by) +
                    " of its own, and no rows are to be shown",
                "choose a column with fewer levels");
  return groups_to_explain(table, key, where).size();
}

ShownOutputs shown_outputs(const RunSession& session) {
  ShownOutputs found;
  const auto& input = session.input();
  const std::size_t count = input.explained.size();
  if (count <= most_shown) return found;
  if (count > most_outputs) {
    throw Error(ErrorKind::usage,
                "a report is about " + std::to_string(most_outputs) + " outputs at the most; the model has " +
                    std::to_string(count),
                marked("choose one of them with {option:output}"));
  }
  RunOptions some = session.options();
  if (input.rows > rows_for_outputs) some.sample = static_cast<std::int64_t>(rows_for_outputs);
  found.others = outputs_to_leave_out(RunSession(session, some), most_shown);
  found.told = std::to_string(most_shown) + " of " + std::to_string(count);
  std::string listed, shown;
  for (const std::size_t output : input.explained) {
    const std::string& name = input.outputs[output];
    const bool is_shown = std::find(found.others.begin(), found.others.end(), name) == found.others.end();
    if (is_shown) shown += (shown.empty() ? "" : ", ") + printable(name, 40);
  }
  found.told += ": " + printable(shown, 200);
  for (const std::string& name : found.others) listed += (listed.empty() ? "" : ", ") + printable(name, 40);
  const std::string which = input.task == Task::regression ? "first" : "most often predicted";
  found.left_out = "outputs " + printable(listed, 200) + ": the " + std::to_string(most_shown) + " " + which + " of " +
                   std::to_string(count) + " are shown; any one can be asked for by its name";
  return found;
}

std::vector<std::string> limits_of(const ReportSetup& setup, const std::function<bool(const std::string&)>& is_kept) {
  const ReportOptions& options = setup.options;
  std::vector<std::string> limits;
  const std::string count = std::to_string(setup.features);
  if (setup.features > most_pair_features(setup) && is_kept("interactions"))
    limits.push_back("pairs: looked for among the " + std::to_string(most_pair_features(setup)) +
                     " most important features");
  if (!options.features.empty() &&
      std::find(options.skip.begin(), options.skip.end(), "decomposition") == options.skip.end())
    limits.push_back("decomposition: it is about all features, of which some were chosen");
  if (setup.features > decomposed_features && is_kept("decomposition"))
    limits.push_back("decomposition: single features only, pairs of " + count + " features are too many");
  return limits;
}

}  // namespace sightglass
