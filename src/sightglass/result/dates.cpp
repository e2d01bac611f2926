#include "sightglass/result/dates.h"

#include <algorithm>
#include <span>

namespace sightglass {

namespace {

template <class Word>
Word word_in(const Value& object, std::string_view key, std::span<const std::string_view> words) {
  const Value* word = object.find(key);
  if (word == nullptr || !word->is_string()) return Word{};
  const auto found = std::find(words.begin(), words.end(), word->as_string());
  return found == words.end() ? Word{} : static_cast<Word>(found - words.begin());
}

}  // namespace

Value dates_value(const Dates& dates) {
  Value all = Value::object();
  for (const auto& [feature, kind] : dates) {
    all.set(feature, Value::object({{"unit", date_units[static_cast<std::size_t>(kind.unit)]},
                                    {"detail", date_details[static_cast<std::size_t>(kind.detail)]}}));
  }
  return all;
}

Dates dates_of(const Value& data) {
  Dates dates;
  const Value* all = data.find("dates");
  if (all == nullptr || !all->is_object()) return dates;
  for (const auto& [feature, kind] : all->as_object()) {
    if (!kind.is_object()) continue;
    const DateKind known{word_in<DateUnit>(kind, "unit", date_units),
                         word_in<DateDetail>(kind, "detail", date_details)};
    if (known) dates.emplace(feature, known);
  }
  return dates;
}

void set_dates(Result& result) {
  const Dates dates = dates_of(result.data);
  if (dates.empty()) return;
  for (ResultItem& item : result.results) item.set_dates(dates);
}

}  // namespace sightglass
