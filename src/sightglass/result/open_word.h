// A word that says what something is: one of those that this version knows, which are an enum in the program, or
// another. A method may bring its own, and so may a file of a newer version; they stay as they are.
//
//   figure.id == FigureId::skill      figure.id = "local-r2"      figure.id.text()
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace sightglass {

template <class Enum>
struct KnownWords {
  std::span<const std::string_view> words;  // in the order of the enum
  Enum other;                               // what a word counts as that is none of these
};
// Beside each enum.
template <class Enum>
inline constexpr KnownWords<Enum> known_words = {};

template <class Enum>
class OpenWord {
 public:
  OpenWord(Enum known) : known_(known) {}
  OpenWord(std::string_view word) : known_(known_words<Enum>.other) {
    constexpr std::span<const std::string_view> words = known_words<Enum>.words;
    const auto found = std::find(words.begin(), words.end(), word);
    if (found != words.end()) {
      known_ = static_cast<Enum>(found - words.begin());
    } else {
      new_ = word;
    }
  }
  OpenWord(const char* word) : OpenWord(std::string_view(word)) {}

  operator Enum() const { return known_; }
  [[nodiscard]] bool is_new() const { return !new_.empty(); }
  [[nodiscard]] std::string_view text() const {
    return is_new() ? std::string_view(new_) : known_words<Enum>.words[static_cast<std::size_t>(known_)];
  }

  friend bool operator==(const OpenWord& word, Enum known) { return word.known_ == known; }
  friend bool operator==(const OpenWord&, const OpenWord&) = default;
  friend auto operator<=>(const OpenWord&, const OpenWord&) = default;

 private:
  Enum known_;
  std::string new_;
};

}  // namespace sightglass
