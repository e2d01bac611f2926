// A text and its words, by which of the explained ones they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/data/texts/word_breaks.h"
#include "sightglass/methods/local/pieces/text_columns.h"

namespace sightglass {

struct TextWords {
  std::string text;
  std::vector<TextPiece> places;  // of the words that are explained; the others are text like any other
  std::vector<std::size_t> word;  // of each place
  std::size_t words = 0;          // that are explained
  std::size_t left = 0;           // different ones beyond the limit

  // As it stands in the text.
  [[nodiscard]] std::string name(std::size_t of_word) const;
};

// places_apart: each place is a word of its own. most: words that are explained. Throws as words_of().
[[nodiscard]] TextWords text_words(std::string text, bool places_apart, std::size_t most);

// The words of row after row, and which texts have none or too many.
class RowWords {
 public:
  RowWords(bool places_apart, std::size_t most) : places_apart_(places_apart), most_(most) {}

  // Throws Error(data) that names the row.
  [[nodiscard]] TextWords of(const MethodInput& input, const TextPlace& place, const LabelledRow& row);
  // What is to be said of these texts. Throws Error(data) where none of them had a word.
  void add_caveats(const MethodInput& input, const TextPlace& place, Result& result) const;

 private:
  bool places_apart_;
  std::size_t most_, left_ = 0;
  std::vector<std::uint64_t> without_words_, cut_;
};

}  // namespace sightglass
