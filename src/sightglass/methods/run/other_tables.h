// Other tables beside the data: for methods that explain single rows, these or all that they are compared with; for
// those that measure against the truth, the rows that the model was fitted to.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/base/options.h"
#include "sightglass/data/table.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

struct OtherTablesOptions {
  std::optional<std::string> rows_from;
  std::optional<std::string> background_data;

  static void fields(auto&& field) {
    field("rows_from", &OtherTablesOptions::rows_from,
          {.help = "another table whose rows are explained, all of them unless {option:rows} or {option:explain} say "
                   "otherwise; what they are compared with comes from the data",
           .type = OptionType::data});
    field("background_data", &OtherTablesOptions::background_data,
          {.help = "another table that rows are compared with, such as the training data: background, neighbourhood, "
                   "levels and quantiles come from there",
           .type = OptionType::data});
  }
};

struct TrainDataOptions {
  std::optional<std::string> train_data;

  static void fields(auto&& field) {
    field("train_data", &TrainDataOptions::train_data,
          {.help = "the table that the model was fitted to: measured as well, beside the data, which it is judged by",
           .type = OptionType::data});
  }
};

// Tables that are in memory; null: they are read from where the options say, if these say anything.
struct OtherTables {
  std::shared_ptr<const Table> rows_from = nullptr, background_data = nullptr, train_data = nullptr;
};

// Whether the method explains rows that can be named.
[[nodiscard]] inline bool takes_other_tables(const MethodEntry& entry) {
  return find_option(entry.options, OptionType::rows) != nullptr;
}

// Whether it measures predictions against the truth.
[[nodiscard]] inline bool takes_train_data(const MethodEntry& entry) {
  return entry.needs.target == Need::required && entry.plan == nullptr;
}

// Of all these, the entry's.
[[nodiscard]] inline std::vector<OptionSpec> table_options(const MethodEntry& entry) {
  if (takes_other_tables(entry)) return describe_options<OtherTablesOptions>();
  if (takes_train_data(entry)) return describe_options<TrainDataOptions>();
  return {};
}

}  // namespace sightglass
