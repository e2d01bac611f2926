#include "sightglass/methods/local/pieces/text_columns.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/data/new_rows.h"

namespace sightglass {

static std::uint32_t text_column(const MethodInput& input, const std::string& name, std::string_view option) {
  if (!name.empty()) {
    const std::uint32_t column = input.schema.require(name, option_name(option));
    if (!input.schema[column].is_categorical())
      throw Error(ErrorKind::usage, option_name(option) + ": column " + printable(name, 60) + " has no text");
    if (std::find(input.features.begin(), input.features.end(), column) == input.features.end())
      throw Error(ErrorKind::usage, option_name(option) + ": the model is not given column " + printable(name, 60));
    return column;
  }
  std::vector<std::uint32_t> texts;
  for (const std::uint32_t column : input.features) {
    if (input.schema[column].is_categorical()) texts.push_back(column);
  }
  if (texts.size() != 1)
    throw Error(ErrorKind::usage,
                texts.empty() ? "no column that the model is given has text"
                              : std::to_string(texts.size()) + " columns have text: which one is to be explained?",
                marked("name it as {option:" + std::string(option) + "}"));
  return texts[0];
}

TextPlace text_place(const MethodInput& input, const std::string& name, std::string_view option) {
  const std::uint32_t column = text_column(input, name, option);
  const auto at = std::find(input.features.begin(), input.features.end(), column);
  return {.column = column, .feature = static_cast<std::size_t>(at - input.features.begin())};
}

const std::string* text_of(const MethodInput& input, const TextPlace& place, const LabelledRow& row) {
  const double code = row.values[place.feature];
  return std::isnan(code) ? nullptr : &input.schema[place.column].dictionary->level(static_cast<std::int32_t>(code));
}

MadePlace made_place(const MethodInput& input, const TextPlace& place, const LabelledRow& row) {
  return {.schema = &input.schema,
          .columns = input.features,
          .values = row.values,
          .column = place.column,
          .where = row_text(row.id)};
}

}  // namespace sightglass
