#include "sightglass/methods/local/pieces/text_words.h"

#include <algorithm>
#include <unordered_map>

#include "sightglass/base/error.h"
#include "sightglass/data/new_rows.h"

namespace sightglass {

namespace {

// "rows 1, 2, 3, 4, 5 and 3 more"
std::string row_list(const std::vector<std::uint64_t>& rows) {
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), 5); ++i)
    list += (i > 0 ? ", " : "") + std::to_string(rows[i]);
  if (rows.size() > 5) list += " and " + std::to_string(rows.size() - 5) + " more";
  return (rows.size() == 1 ? "row " : "rows ") + list;
}

}  // namespace

std::string TextWords::name(std::size_t of_word) const {
  const auto at = std::find(word.begin(), word.end(), of_word);
  return at == word.end() ? "" : std::string(places[static_cast<std::size_t>(at - word.begin())].of(text));
}

TextWords text_words(std::string text, bool places_apart, std::size_t most) {
  TextWords words;
  words.text = std::move(text);
  std::unordered_map<std::string_view, std::size_t> known;
  std::size_t all = 0;
  for (const TextPiece& place : words_of(words.text)) {
    const std::size_t number = places_apart ? all : known.try_emplace(place.of(words.text), all).first->second;
    all += number == all ? 1 : 0;
    if (number >= most) continue;
    words.places.push_back(place);
    words.word.push_back(number);
  }
  words.words = std::min(all, most);
  words.left = all - words.words;
  return words;
}

TextWords RowWords::of(const MethodInput& input, const TextPlace& place, const LabelledRow& row) {
  TextWords words;
  const std::string* text = text_of(input, place, row);
  try {
    if (text != nullptr) words = text_words(*text, places_apart_, most_);
  } catch (const Error& error) {
    throw Error(error.kind(), row_text(row.id) + ": " + error.message(), error.advice_text());
  }
  // A row may be asked about more than once.
  const auto note = [&row](std::vector<std::uint64_t>& rows) {
    if (rows.empty() || rows.back() != row.id) rows.push_back(row.id);
  };
  if (words.words == 0) note(without_words_);
  if (words.left > 0) note(cut_);
  left_ = std::max(left_, words.left);
  return words;
}

void RowWords::add_caveats(const MethodInput& input, const TextPlace& place, Result& result) const {
  const std::string column = printable(input.schema[place.column].name, 60);
  if (result.results.empty())
    throw Error(ErrorKind::data, row_list(without_words_) + ": there is no word in column " + column);
  if (!without_words_.empty()) {
    result.caveats.push_back({.id = "no-words",
                              .severity = Severity::note,
                              .message = row_list(without_words_) + " left out: the text has no word",
                              .evidence = Value::object({{"rows", without_words_.size()}}),
                              .advice = marked("name other {option:rows|rows}")});
  }
  if (!cut_.empty()) {
    result.caveats.push_back({.id = "some-words",
                              .severity = Severity::caution,
                              .message = row_list(cut_) + ": only the first " + std::to_string(most_) +
                                         (places_apart_ ? " words" : " different words") +
                                         " are explained, the others stay in every sample",
                              .evidence = Value::object({{"texts", cut_.size()}, {"left_out", left_}}),
                              .advice = marked("raise {option:most_words}, and {option:samples} with it")});
  }
  if (!input.level_order(place.column).empty()) {
    result.caveats.push_back(
        {.id = "text-as-category",
         .severity = Severity::warning,
         .message = "the model takes column " + column +
                    " as categories: a text with a word left out is just one that it does not know",
         .evidence = Value::object({{"column", input.schema[place.column].name}}),
         .advice = "explain a model that reads texts"});
  }
}

}  // namespace sightglass
