#include "sightglass/model/inspect.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/model/feature_columns_internal.h"

namespace sightglass {

namespace {

// What is wrong or worth knowing, feature by feature, of a model that knows its features.
void compare(const Signature& signature, const Schema& schema, std::span<const std::uint32_t> excluded, Value& fit) {
  const ColumnMatch match = compare_columns(signature.features, schema, excluded);
  Value missing = Value::array();
  for (const auto& [feature, nearest] : match.missing) {
    Value entry = Value::object({{"feature", feature}});
    if (!nearest.empty()) entry.set("nearest", nearest);
    missing.push_back(std::move(entry));
  }
  if (!match.missing.empty()) fit.set("missing_columns", std::move(missing));
  if (signature.opaque) return;  // it may take what we know nothing about
  Value wrong = Value::array();
  for (const auto& [column, problem] : match.wrong) {
    wrong.push_back(Value::object({{"column", column}, {"problem", problem}}));
  }
  if (!match.wrong.empty()) fit.set("wrong_columns", std::move(wrong));
  Value unknown = Value::object();
  for (const auto& [column, levels] : match.unknown) unknown.set(column, levels);
  if (!match.unknown.empty()) fit.set("unknown_categories", std::move(unknown));
  if (match.missing.empty()) {
    const bool in_order = std::is_sorted(match.columns.begin(), match.columns.end());
    fit.set("order", match.nameless ? "by position: the model has no names of its own"
                     : in_order     ? "as in the model"
                                    : "another than the model's: columns are matched by name");
  }
}

}  // namespace

Value describe_model(const Signature& signature) {
  Value features = Value::array();
  for (const FeatureInfo& feature : signature.features) {
    Value entry = Value::object({{"name", feature.name},
                                 {"type", signature.opaque      ? "unknown"
                                          : feature.categorical ? "categorical"
                                                                : "numeric"}});
    // What is left of damaged names is none.
    if (feature.categorical) entry.set("levels", feature.levels_lost ? std::vector<std::string>() : feature.levels);
    features.push_back(std::move(entry));
  }
  return Value::object({{"format", signature.format},
                        {"version", signature.version},
                        {"objective", signature.objective},
                        {"task", std::string(to_string(signature.task))},
                        {"outputs", signature.outputs},
                        {"detail", signature.detail},
                        {"features", std::move(features)}});
}

// A column of ids is not listed to its end.
constexpr std::size_t most_told_levels = 100;

Value describe_data(const Table& table) {
  Value columns = Value::array();
  for (std::size_t i = 0; i < table.schema().size(); ++i) {
    const ColumnInfo& column = table.schema()[i];
    Value entry = Value::object({{"name", column.name}, {"type", std::string(to_string(column.type))}});
    if (column.is_categorical()) {
      const auto& levels = column.dictionary->levels();
      const std::size_t told = std::min(levels.size(), most_told_levels);
      entry.set("levels", std::vector<std::string>(levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(told)));
      if (told < levels.size()) entry.set("level_count", levels.size());
    }
    std::vector<double> values(table.rows());
    read_numbers(table.column(i), values);
    const auto missing = std::count_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
    entry.set("missing", static_cast<std::int64_t>(missing));
    if (!column.unit.empty()) entry.set("unit", column.unit);
    if (column.dates) entry.set("dates", date_units[static_cast<std::size_t>(column.dates.unit)]);
    columns.push_back(std::move(entry));
  }
  Value data = Value::object({{"rows", table.rows()}, {"columns", std::move(columns)}});
  if (!table.notes().empty()) data.set("notes", table.notes());
  return data;
}

Value describe_fit(const Model& model, const Schema& schema, std::span<const std::uint32_t> excluded) {
  Value fit = Value::object({{"fits", true}});
  if (model.signature().features_known) compare(model.signature(), schema, excluded, fit);
  try {
    const auto bound = model.bind(schema, excluded);
    std::vector<std::string> used, unused;
    for (const std::uint32_t column : bound->columns()) used.push_back(schema[column].name);
    for (std::uint32_t column = 0; column < schema.size(); ++column) {
      const auto in = [&](const auto& list) { return std::find(list.begin(), list.end(), column) != list.end(); };
      if (!in(bound->columns()) && !in(excluded)) unused.push_back(schema[column].name);
    }
    fit.set("used_columns", used);
    if (!unused.empty()) fit.set("unused_columns", unused);
    std::vector<std::string> notes;
    for (const FitNote& note : bound->notes()) notes.push_back(note.message);
    if (!notes.empty()) fit.set("notes", notes);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw;
    fit.set("fits", false);
    fit.set("why", std::string(error.what()));
  }
  return fit;
}

}  // namespace sightglass
