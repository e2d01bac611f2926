// The whole catalogue, methods and the plans that combine them, and the one way to run any of it: for all rows
// together or for each group of a column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/data/condition.h"
#include "sightglass/methods/run/other_tables.h"
#include "sightglass/methods/run/session.h"

namespace sightglass {

// Methods first, then plans.
[[nodiscard]] const std::vector<MethodEntry>& catalogue();

struct ExplainOptions {
  std::string by;

  static void fields(auto&& field) {
    field("by", &ExplainOptions::by,
          {.help =
               "column whose groups are explained one by one: its levels or values, or quarters of many numbers; or a "
               "part of its dates: month(column), year, quarter, weekday or hour",
           .type = OptionType::grouping});
  }
};

// The groups that are explained one by one, of the rows that fulfil a condition (empty: of all); those with most rows
// where there are too many. Throws Error.
[[nodiscard]] std::vector<RowGroup> groups_to_explain(const Table& table, const RowKey& key, const std::string& where);

// What everything in the catalogue can be told: RunOptions and ExplainOptions.
[[nodiscard]] std::vector<OptionSpec> shared_options();

// Runs a method or a plan over a source; model: no_model() for what needs none (MethodEntry::needs). `options` holds
// the shared options and the entry's own side by side, and those about other tables. sessions: of runs with the same
// model and source, about all rows; null: in sessions of its own. other: a second model, of which the options have the
// name; not given: it is loaded from the place that they name, if any; tables: the same of other tables.
[[nodiscard]] Result explain(std::string_view name, const Model& model, const Source& source, const Value& options,
                             Context& context, RunSessions* sessions = nullptr, const ModelOption& other = {},
                             const OtherTables& tables = {});

}  // namespace sightglass
