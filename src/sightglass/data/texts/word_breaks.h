// Which words does a text have? By the word boundaries of Unicode (UAX #29), whatever the script; scripts without
// spaces (Chinese, Thai) come apart into single characters, as that standard says. A word has a letter, a number or a
// pictograph; spaces and punctuation are none. Cost: one look at each character.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace sightglass {

// Bytes [begin, end) of a text, which are its Unicode characters [first, last).
struct TextPiece {
  std::size_t begin = 0, end = 0;
  std::size_t first = 0, last = 0;

  [[nodiscard]] std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
};

// Everything between two boundaries, words or not: together they are the whole text. Throws Error(data) where the text
// is not UTF-8.
[[nodiscard]] std::vector<TextPiece> text_segments(std::string_view text);
// Only words.
[[nodiscard]] std::vector<TextPiece> words_of(std::string_view text);

}  // namespace sightglass
