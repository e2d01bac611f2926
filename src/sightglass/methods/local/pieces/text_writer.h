// A text with some of its words left out, or replaced by a mask, again and again. All that can become of a few places
// in a row is written beforehand, so that a text is put together of a quarter as many parts; long texts, of which that
// would take much memory, place by place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sightglass/methods/local/pieces/text_words.h"
#include "sightglass/model/made_values.h"

namespace sightglass {

class TextWriter {
 public:
  // The words must outlive this.
  TextWriter(const TextWords& words, std::string mask);

  // Bytes that no text exceeds.
  [[nodiscard]] std::size_t longest() const { return longest_; }
  // Adds the text with the words whose bits are set.
  void write(const std::uint64_t* bits, TextBatch& texts) const;

  // Places that are taken together, and bytes of a text whose places are.
  static constexpr std::size_t together = 4, longest_together = std::size_t{1} << 16;

 private:
  struct Part {
    std::uint32_t begin = 0, size = 0;  // among what was written beforehand
  };
  // Places in a row; by which of them stay, as bits.
  struct Group {
    std::array<std::uint32_t, together> word{};
    std::uint32_t places = 0;
    bool side_by_side = false;  // words that follow one another in one number of 64 bits
    std::array<Part, std::size_t{1} << together> parts{};

    [[nodiscard]] std::size_t staying(const std::uint64_t* bits) const;
  };
  void write_beforehand();
  [[nodiscard]] char* write_groups(const std::uint64_t* bits, char* to) const;
  [[nodiscard]] char* write_places(const std::uint64_t* bits, char* to) const;

  const TextWords& words_;
  std::string mask_;
  std::size_t longest_ = 0, first_ = 0;  // bytes of all, bytes before the first place
  std::vector<Group> groups_;
  std::string written_;
};

}  // namespace sightglass
