#include "sightglass/methods/local/pieces/text_writer.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace sightglass {

namespace {

constexpr std::size_t copied_at_once = 32;

// Whole steps, beyond the end of what is wanted: most parts take one, of a length that is known.
void copy_in_steps(const char* from, std::size_t bytes, char* to) {
  std::memcpy(to, from, copied_at_once);
  for (std::size_t at = copied_at_once; at < bytes; at += copied_at_once)
    std::memcpy(to + at, from + at, copied_at_once);
}

bool has(const std::uint64_t* bits, std::size_t word) { return ((bits[word / 64] >> (word % 64)) & 1) != 0; }

}  // namespace

TextWriter::TextWriter(const TextWords& words, std::string mask) : words_(words), mask_(std::move(mask)) {
  first_ = words_.places.empty() ? words_.text.size() : words_.places[0].begin;
  longest_ = words_.text.size() + words_.places.size() * mask_.size() + copied_at_once;
  if (longest_ <= longest_together) write_beforehand();
}

// Each place goes with what stands behind it, up to the next one.
void TextWriter::write_beforehand() {
  const auto& places = words_.places;
  for (std::size_t begin = 0; begin < places.size(); begin += together) {
    Group& group = groups_.emplace_back();
    group.places = static_cast<std::uint32_t>(std::min(together, places.size() - begin));
    const std::size_t first = words_.word[begin];
    group.side_by_side = first % 64 + group.places <= 64;
    for (std::size_t k = 0; k < group.places; ++k) {
      group.word[k] = static_cast<std::uint32_t>(words_.word[begin + k]);
      group.side_by_side = group.side_by_side && group.word[k] == first + k;
    }
    for (std::size_t stay = 0; stay < std::size_t{1} << group.places; ++stay) {
      Part& part = group.parts[stay];
      part.begin = static_cast<std::uint32_t>(written_.size());
      for (std::size_t i = begin; i < begin + group.places; ++i) {
        const std::size_t next = i + 1 < places.size() ? places[i + 1].begin : words_.text.size();
        const bool stays = ((stay >> (i - begin)) & 1) != 0;
        if (!stays) written_ += mask_;
        const std::size_t from = stays ? places[i].begin : places[i].end;
        written_.append(words_.text, from, next - from);
      }
      part.size = static_cast<std::uint32_t>(written_.size()) - part.begin;
    }
  }
  written_.resize(written_.size() + copied_at_once);
}

std::size_t TextWriter::Group::staying(const std::uint64_t* bits) const {
  if (side_by_side) return (bits[word[0] / 64] >> (word[0] % 64)) & ((std::uint64_t{1} << places) - 1);
  std::size_t stay = 0;
  for (std::size_t k = 0; k < places; ++k) stay |= std::size_t{has(bits, word[k])} << k;
  return stay;
}

char* TextWriter::write_groups(const std::uint64_t* bits, char* to) const {
  for (const Group& group : groups_) {
    const Part part = group.parts[group.staying(bits)];
    copy_in_steps(written_.data() + part.begin, part.size, to);
    to += part.size;
  }
  return to;
}

char* TextWriter::write_places(const std::uint64_t* bits, char* to) const {
  const auto& places = words_.places;
  const std::string_view text = words_.text;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool stays = has(bits, words_.word[i]);
    if (!mask_.empty() && !stays) to = std::copy(mask_.begin(), mask_.end(), to);
    // Counted, not chosen: which words stay cannot be foreseen.
    const std::size_t from = places[i].begin + (places[i].end - places[i].begin) * static_cast<std::size_t>(!stays);
    const std::size_t next = i + 1 < places.size() ? places[i + 1].begin : text.size();
    if (next + copied_at_once <= text.size()) {
      copy_in_steps(text.data() + from, next - from, to);
    } else {
      std::copy_n(text.data() + from, next - from, to);
    }
    to += next - from;
  }
  return to;
}

void TextWriter::write(const std::uint64_t* bits, TextBatch& texts) const {
  char* to = texts.room(longest_);
  to = std::copy_n(words_.text.data(), first_, to);
  texts.end_text(groups_.empty() ? write_places(bits, to) : write_groups(bits, to));
}

}  // namespace sightglass
