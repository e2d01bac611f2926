#include "sightglass/data/texts/word_breaks.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>

#include "sightglass/base/error.h"
#include "sightglass/base/utf8.h"
#include "sightglass/data/texts/word_break_table_internal.h"

namespace sightglass {

namespace {

// In the order of tools/make_word_breaks.py.
enum class WordBreak : std::uint8_t {
  other,
  cr,
  lf,
  newline,
  extend,
  zwj,
  regional_indicator,
  format,
  katakana,
  hebrew_letter,
  letter,
  single_quote,
  double_quote,
  mid_num_let,
  mid_letter,
  mid_num,
  numeric,
  extend_num_let,
  segment_space,
};
constexpr std::uint8_t class_bits = 31, pictograph_bit = 32, letter_bit = 64;

std::uint8_t look_up(std::uint32_t code) {
  const auto* behind =
      std::upper_bound(std::begin(word_break_starts), std::end(word_break_starts), (code << 8) | 0xFFU);
  return static_cast<std::uint8_t>(*(behind - 1) & 0xFFU);
}

std::uint8_t bits_of(std::uint32_t code) {
  static const auto common = [] {
    std::array<std::uint8_t, 0x500> table{};  // Latin, Greek, Cyrillic
    for (std::uint32_t i = 0; i < table.size(); ++i) table[i] = look_up(i);
    return table;
  }();
  return code < common.size() ? common[code] : look_up(code);
}

WordBreak class_of(std::uint8_t bits) { return static_cast<WordBreak>(bits & class_bits); }

bool is_letter(WordBreak kind) { return kind == WordBreak::letter || kind == WordBreak::hebrew_letter; }
bool ends_line(WordBreak kind) { return kind == WordBreak::cr || kind == WordBreak::lf || kind == WordBreak::newline; }
// What belongs to the character before it (rule 4).
bool is_attached(WordBreak kind) {
  return kind == WordBreak::extend || kind == WordBreak::format || kind == WordBreak::zwj;
}
bool joins_letters(WordBreak kind) {
  return kind == WordBreak::mid_letter || kind == WordBreak::mid_num_let || kind == WordBreak::single_quote;
}
bool joins_numbers(WordBreak kind) {
  return kind == WordBreak::mid_num || kind == WordBreak::mid_num_let || kind == WordBreak::single_quote;
}
bool joins_by_underscore(WordBreak kind) {
  return is_letter(kind) || kind == WordBreak::numeric || kind == WordBreak::katakana;
}

// The characters of a text, and what stands before the place that is looked at.
class Boundaries {
 public:
  explicit Boundaries(const std::vector<std::uint8_t>& bits) : bits_(bits) {}

  // Whether there is a boundary before character i > 0; asked for each in turn.
  bool before(std::size_t i) {
    const WordBreak next = class_of(bits_[i]);
    const WordBreak direct = class_of(bits_[i - 1]);
    if (i == 1) remember(direct);
    const bool boundary = is_boundary(i, direct, next);
    if (!(is_attached(next) && !ends_line(direct))) remember(next);
    return boundary;
  }

 private:
  void remember(WordBreak kind) {
    // Flags are pairs: an odd one joins the next.
    indicators_ = kind == WordBreak::regional_indicator ? indicators_ + 1 : 0;
    earlier_ = last_;
    last_ = kind;
  }

  [[nodiscard]] WordBreak following(std::size_t i) const {
    for (++i; i < bits_.size(); ++i) {
      const WordBreak kind = class_of(bits_[i]);
      if (!is_attached(kind)) return kind;
    }
    return WordBreak::other;
  }

  // The rules of UAX #29, by their numbers.
  [[nodiscard]] bool is_boundary(std::size_t i, WordBreak direct, WordBreak next) const {
    if (direct == WordBreak::cr && next == WordBreak::lf) return false;                        // 3
    if (ends_line(direct) || ends_line(next)) return true;                                     // 3a, 3b
    if (direct == WordBreak::zwj && (bits_[i] & pictograph_bit) != 0) return false;            // 3c
    if (direct == WordBreak::segment_space && next == WordBreak::segment_space) return false;  // 3d
    if (is_attached(next)) return false;                                                       // 4
    if (is_letter(last_) && is_letter(next)) return false;                                     // 5
    if (is_letter(last_) && joins_letters(next) && is_letter(following(i))) return false;      // 6
    if (is_letter(earlier_) && joins_letters(last_) && is_letter(next)) return false;          // 7
    if (last_ == WordBreak::hebrew_letter) {
      if (next == WordBreak::single_quote) return false;                                              // 7a
      if (next == WordBreak::double_quote && following(i) == WordBreak::hebrew_letter) return false;  // 7b
    }
    if (earlier_ == WordBreak::hebrew_letter && last_ == WordBreak::double_quote && next == WordBreak::hebrew_letter)
      return false;  // 7c
    const bool number = next == WordBreak::numeric;
    if ((last_ == WordBreak::numeric || is_letter(last_)) && number) return false;                               // 8, 9
    if (last_ == WordBreak::numeric && is_letter(next)) return false;                                            // 10
    if (earlier_ == WordBreak::numeric && joins_numbers(last_) && number) return false;                          // 11
    if (last_ == WordBreak::numeric && joins_numbers(next) && following(i) == WordBreak::numeric) return false;  // 12
    if (last_ == WordBreak::katakana && next == WordBreak::katakana) return false;                               // 13
    const bool underscore = last_ == WordBreak::extend_num_let;
    if ((underscore || joins_by_underscore(last_)) && next == WordBreak::extend_num_let) return false;  // 13a
    if (underscore && joins_by_underscore(next)) return false;                                          // 13b
    return !(next == WordBreak::regional_indicator && indicators_ % 2 == 1);                            // 15, 16, 999
  }

  const std::vector<std::uint8_t>& bits_;
  // The last two characters, without what is attached to them.
  WordBreak last_ = WordBreak::other, earlier_ = WordBreak::other;
  std::size_t indicators_ = 0;
};

template <class Visit>
void for_each_segment(std::string_view text, Visit&& visit) {
  std::vector<std::uint8_t> bits;
  bits.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::uint32_t code = 0;
    const std::size_t length = utf8_length(text.substr(at), &code);
    if (length == 0)
      throw Error(ErrorKind::data, "a text is not UTF-8: byte " + std::to_string(at) + " belongs to no character",
                  "save the data as UTF-8");
    bits.push_back(bits_of(code));
    at += length;
  }
  Boundaries boundaries(bits);
  TextPiece piece;
  bool word = false;
  const auto end = [&](std::size_t at, std::size_t character) {
    piece.end = at;
    piece.last = character;
    visit(piece, word);
    piece.begin = at;
    piece.first = character;
    word = false;
  };
  std::size_t at = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (i > 0 && boundaries.before(i)) end(at, i);
    word = word || (bits[i] & (pictograph_bit | letter_bit)) != 0 || class_of(bits[i]) == WordBreak::regional_indicator;
    at += utf8_length(text.substr(at));
  }
  if (!bits.empty()) end(text.size(), bits.size());
}

}  // namespace

std::vector<TextPiece> text_segments(std::string_view text) {
  std::vector<TextPiece> pieces;
  for_each_segment(text, [&](const TextPiece& piece, bool) { pieces.push_back(piece); });
  return pieces;
}

std::vector<TextPiece> words_of(std::string_view text) {
  std::vector<TextPiece> pieces;
  for_each_segment(text, [&](const TextPiece& piece, bool word) {
    if (word) pieces.push_back(piece);
  });
  return pieces;
}

}  // namespace sightglass
