// Texts and pictures that a method makes by the thousand, as a model may take them without detours: a model that does
// not know how gets texts as levels of a column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sightglass {

// One after the other in one piece of memory.
struct TextBatch {
  std::string bytes;
  std::vector<std::int64_t> offsets{0};  // text i: from offsets[i] to offsets[i + 1]

  [[nodiscard]] std::size_t size() const { return offsets.size() - 1; }
  [[nodiscard]] std::string_view text(std::size_t i) const {
    const auto begin = static_cast<std::size_t>(offsets[i]);
    return std::string_view(bytes).substr(begin, static_cast<std::size_t>(offsets[i + 1]) - begin);
  }
  // What was appended to the bytes is a text.
  void end_text() { offsets.push_back(static_cast<std::int64_t>(bytes.size())); }
};

// Written where the model looks at them.
struct PictureBatch {
  std::size_t width = 0, height = 0, count = 0;
  std::function<void(std::size_t i, std::uint8_t* rgb)> write;  // picture i, row by row, three bytes per pixel

  [[nodiscard]] std::size_t bytes_each() const { return 3 * width * height; }
};

}  // namespace sightglass
