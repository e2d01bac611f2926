#include "sightglass/methods/local/pieces/text_words.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace sightglass {

namespace {

constexpr std::size_t copied_at_once = 16;  // bytes that are copied at once, beyond the end of what is wanted

bool has(const std::uint64_t* bits, std::size_t piece) { return ((bits[piece / 64] >> (piece % 64)) & 1) != 0; }

}  // namespace

void TextWords::write(const std::uint64_t* bits, std::string_view mask, std::string& out) const {
  const std::size_t before = out.size();
  std::size_t room = text.size() + copied_at_once;
  if (!mask.empty()) room += places.size() * mask.size();
  out.resize(before + room);
  char* to = out.data() + before;
  const std::size_t first = places.empty() ? text.size() : places[0].begin;
  std::memcpy(to, text.data(), first);
  to += first;
  // Each word goes with what stands behind it, up to the next one.
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool stays = word[i] == none || has(bits, word[i]);
    const std::size_t from = stays ? places[i].begin : places[i].end;
    const std::size_t end = i + 1 < places.size() ? places[i + 1].begin : text.size();
    if (!stays && !mask.empty()) {
      std::memcpy(to, mask.data(), mask.size());
      to += mask.size();
    }
    if (end + copied_at_once <= text.size()) {
      for (std::size_t at = from; at < end; at += copied_at_once)
        std::memcpy(to + (at - from), text.data() + at, copied_at_once);
    } else {
      std::memcpy(to, text.data() + from, end - from);
    }
    to += end - from;
  }
  out.resize(static_cast<std::size_t>(to - out.data()));
}

TextWords text_words(std::string text, bool places_apart, std::size_t most) {
  TextWords words;
  words.text = std::move(text);
  words.places = words_of(words.text);
  std::unordered_map<std::string_view, std::size_t> known;
  for (std::size_t i = 0; i < words.places.size(); ++i) {
    std::size_t number = i;
    if (!places_apart) number = known.try_emplace(words.places[i].of(words.text), known.size()).first->second;
    words.word.push_back(number < most ? number : TextWords::none);
  }
  const std::size_t all = places_apart ? words.places.size() : known.size();
  words.words = std::min(all, most);
  words.left = all - words.words;
  return words;
}

}  // namespace sightglass
