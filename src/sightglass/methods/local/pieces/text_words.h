// A text and its words, by which of the explained ones they are; and the text with some of them left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/data/texts/word_breaks.h"
#include "sightglass/methods/local/pieces/piece_samples.h"

namespace sightglass {

struct TextWords {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::string text;
  std::vector<TextPiece> places;
  std::vector<std::size_t> word;  // of each place; none: beyond the limit
  std::size_t words = 0;          // that are explained
  std::size_t left = 0;           // different ones beyond the limit

  // Appends the text with the words whose bits are set, and with the others replaced by the mask.
  void write(const std::uint64_t* bits, std::string_view mask, std::string& out) const;
};

// places_apart: each place is a word of its own. most: words that are explained. Throws as words_of().
[[nodiscard]] TextWords text_words(std::string text, bool places_apart, std::size_t most);

}  // namespace sightglass
