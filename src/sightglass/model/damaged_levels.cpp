#include "sightglass/model/damaged_levels.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "sightglass/base/utf8.h"

namespace sightglass {

namespace {

using Names = std::vector<std::string>;

struct DamagedLevels {
  std::string bytes;                 // of all names
  std::vector<std::size_t> lengths;  // of each, in letters or in bytes
};

std::size_t letters_in(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

// The levels in their order are what was written, as far as it goes.
bool spell(std::span<const std::string> known, const DamagedLevels& damaged) {
  if (known.size() != damaged.lengths.size()) return false;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (letters_in(known[i]) != damaged.lengths[i]) return false;
  }
  return std::accumulate(known.begin(), known.end(), std::string()).starts_with(damaged.bytes);
}

// As if lengths were of bytes.
std::optional<Names> by_bytes(const DamagedLevels& damaged) {
  Names names;
  std::size_t at = 0;
  for (const std::size_t length : damaged.lengths) {
    names.push_back(damaged.bytes.substr(std::min(at, damaged.bytes.size()), length));
    at += length;
    if (!is_utf8(names.back())) return std::nullopt;
  }
  return at == damaged.bytes.size() ? std::optional(std::move(names)) : std::nullopt;
}

// The names that are whole, lengths being of letters, and how the next one begins; nothing if this is no text.
struct Whole {
  Names names;
  std::string begun;
};

std::optional<Whole> by_letters(const DamagedLevels& damaged) {
  Whole whole;
  std::string_view rest = damaged.bytes;
  for (const std::size_t length : damaged.lengths) {
    std::size_t end = 0, letters = 0;
    while (letters < length && end < rest.size()) {
      const std::size_t size = utf8_length(rest.substr(end));
      if (size == 0) break;
      end += size;
      ++letters;
    }
    if (letters < length) {
      // A letter may be cut through, which is nowhere but at the end.
      if (rest.size() - end > 3) return std::nullopt;
      whole.begun = std::string(rest);
      return whole;
    }
    whole.names.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  return whole;
}

std::size_t count_in(const Names& names, std::span<const std::string> known) {
  const std::unordered_set<std::string_view> set(names.begin(), names.end());
  return static_cast<std::size_t>(
      std::count_if(known.begin(), known.end(), [&](const std::string& level) { return set.contains(level); }));
}

// The whole names, and behind them levels that alone can be what was cut off, each for one place alone.
std::optional<MendedLevels> completed(const Whole& whole, const DamagedLevels& damaged,
                                      std::span<const std::string> known) {
  const std::size_t first = whole.names.size();
  MendedLevels mended{whole.names};
  for (std::size_t i = first; i < damaged.lengths.size(); ++i)
    mended.names.push_back("(cut off in the model file, code " + std::to_string(i) + ")");
  const std::unordered_set<std::string_view> told(whole.names.begin(), whole.names.end());
  // pandas sorts its categories, unless they were given an order.
  const bool sorted = first > 1 && std::is_sorted(whole.names.begin(), whole.names.end());
  std::vector<bool> taken(damaged.lengths.size());
  for (const std::string& level : known) {
    if (told.contains(level) || (sorted && level < whole.names.back())) continue;
    std::optional<std::size_t> place;
    for (std::size_t i = first; i < damaged.lengths.size(); ++i) {
      const bool fits =
          letters_in(level) == damaged.lengths[i] && (i > first || std::string_view(level).starts_with(whole.begun));
      if (!fits) continue;
      if (place || taken[i]) return std::nullopt;
      place = i;
    }
    if (!place) continue;
    taken[*place] = true;
    mended.names[*place] = level;
    mended.guessed = true;
  }
  return mended;
}

}  // namespace

std::optional<MendedLevels> mended_levels(std::span<const std::string> pieces, std::span<const std::string> known) {
  DamagedLevels damaged;
  for (const std::string& piece : pieces) {
    damaged.bytes += piece;
    damaged.lengths.push_back(piece.size());
  }
  if (spell(known, damaged)) return MendedLevels{Names(known.begin(), known.end())};
  const auto bytes = by_bytes(damaged);
  const auto letters = by_letters(damaged);
  const std::size_t of_bytes = bytes ? count_in(*bytes, known) : 0;
  const std::size_t of_letters = letters ? count_in(letters->names, known) : 0;
  if (bytes && of_bytes > of_letters) return MendedLevels{*bytes};
  if (!letters || (bytes && of_bytes == of_letters)) return std::nullopt;
  return completed(*letters, damaged, known);
}

}  // namespace sightglass
