#include "sightglass/model/inspect.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sightglass/base/error.h"

namespace sightglass {

Value describe_model(const Model& model) {
  const Signature& signature = model.signature();
  Value features = Value::array();
  for (const FeatureInfo& feature : signature.features) {
    Value entry = Value::object({{"name", feature.name}, {"type", feature.categorical ? "categorical" : "numeric"}});
    if (feature.categorical) entry.set("levels", feature.levels);
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

Value describe_data(const Table& table) {
  Value columns = Value::array();
  for (std::size_t i = 0; i < table.schema().size(); ++i) {
    const ColumnInfo& column = table.schema()[i];
    Value entry = Value::object({{"name", column.name}, {"type", std::string(to_string(column.type))}});
    if (column.is_categorical()) entry.set("levels", column.dictionary->levels());
    std::vector<double> values(table.rows());
    read_numbers(table.column(i), values);
    const auto missing = std::count_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
    entry.set("missing", static_cast<std::int64_t>(missing));
    if (!column.unit.empty()) entry.set("unit", column.unit);
    columns.push_back(std::move(entry));
  }
  Value data = Value::object({{"rows", table.rows()}, {"columns", std::move(columns)}});
  if (!table.notes().empty()) data.set("notes", table.notes());
  return data;
}

Value describe_fit(const Model& model, const Table& table, const std::string& target, std::string_view what) {
  std::vector<std::uint32_t> excluded;
  if (!target.empty()) excluded.push_back(table.schema().require(target, what));
  if (const auto weights = table.weight_column()) excluded.push_back(*weights);
  try {
    const auto bound = model.bind(table.schema(), excluded);
    std::vector<std::string> used;
    for (const std::uint32_t column : bound->columns()) used.push_back(table.schema()[column].name);
    Value fit = Value::object({{"fits", true}, {"used_columns", used}});
    if (!bound->notes().empty()) fit.set("notes", bound->notes());
    return fit;
  } catch (const Error& error) {
    return Value::object({{"fits", false}, {"why", std::string(error.what())}});
  }
}

}  // namespace sightglass
