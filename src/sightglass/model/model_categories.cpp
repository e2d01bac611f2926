#include "sightglass/model/model_categories.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "sightglass/base/error.h"
#include "sightglass/model/feature_columns_internal.h"

namespace sightglass {

namespace {

// A model that knows hashes of names takes whole numbers by their digits; how a fraction was spelled nobody knows.
void refuse_fractions(const Table& table, std::uint32_t column) {
  const ColumnInfo& info = table.schema()[column];
  if (info.type != DType::float32 && info.type != DType::float64) return;
  std::vector<double> values(table.rows());
  read_numbers(table.column(column), values);
  const auto fraction = std::find_if(values.begin(), values.end(),
                                     [](double value) { return !std::isnan(value) && value != std::floor(value); });
  if (fraction == values.end()) return;
  char text[32];
  const char* const end = std::to_chars(text, text + sizeof text, *fraction).ptr;
  throw Error(ErrorKind::data,
              "column " + printable(info.name, 60) + " holds fractions (" +
                  std::string(text, static_cast<std::size_t>(end - text)) + ") where the model wants categories",
              "give categories as text or whole numbers, as for training");
}

}  // namespace

Table with_model_categories(Table table, const Signature& signature, std::span<const std::uint32_t> excluded) {
  const auto columns = find_columns(signature.features, table.schema(), excluded);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i] || !signature.features[i].categorical) continue;
    if (signature.features[i].hashes) refuse_fractions(table, *columns[i]);
    table = table.with_categories(*columns[i]);
  }
  return table;
}

}  // namespace sightglass
