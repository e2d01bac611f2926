#include "sightglass/model/model_categories.h"

#include "sightglass/model/feature_columns_internal.h"

namespace sightglass {

Table with_model_categories(Table table, const Signature& signature, std::span<const std::uint32_t> excluded) {
  const auto columns = find_columns(signature.features, table.schema(), excluded);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] && signature.features[i].categorical) table = table.with_categories(*columns[i]);
  }
  return table;
}

}  // namespace sightglass
