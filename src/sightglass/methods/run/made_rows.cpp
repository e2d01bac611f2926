#include "sightglass/methods/run/made_rows.h"

#include "sightglass/base/error.h"
#include "sightglass/data/column_like.h"

namespace sightglass {

MadeRows::MadeRows(const Schema& schema, const std::vector<std::uint32_t>& columns,
                   const std::vector<std::vector<double>>& values)
    : views_(schema.size()) {
  rows_ = values.empty() ? 0 : values[0].size();
  if (rows_ == 0 || values.size() != columns.size()) throw Error(ErrorKind::internal, "rows were made without values");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (values[i].size() != rows_) throw Error(ErrorKind::internal, "columns of different lengths were made");
    const ColumnInfo& info = schema[columns[i]];
    const ColumnView like{.type = info.type, .dictionary = info.dictionary.get()};
    views_[columns[i]] = columns_.emplace_back(column_like(like, values[i])).view;
  }
}

}  // namespace sightglass
