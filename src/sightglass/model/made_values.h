// Texts and pictures that a method makes by the thousand, as a model may take them without detours: a model that does
// not know how gets texts as levels of a column.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sightglass {

// One after the other in one piece of memory, which is written once: nothing is cleared before.
class TextBatch {
 public:
  [[nodiscard]] std::size_t size() const { return offsets_.size() - 1; }
  [[nodiscard]] std::string_view text(std::size_t i) const {
    const auto begin = static_cast<std::size_t>(offsets_[i]);
    return {memory_.get() + begin, static_cast<std::size_t>(offsets_[i + 1]) - begin};
  }
  [[nodiscard]] std::string_view bytes() const { return {memory_.get(), used()}; }
  // Text i: from offsets[i] to offsets[i + 1].
  [[nodiscard]] const std::vector<std::int64_t>& offsets() const { return offsets_; }

  // Where the next text may be written, of so many bytes at the most.
  [[nodiscard]] char* room(std::size_t bytes) {
    if (room_ - used() < bytes) grow(bytes);
    return memory_.get() + used();
  }
  // What was written there up to `end` is a text.
  void end_text(const char* end) { offsets_.push_back(end - memory_.get()); }
  void add(std::string_view text) { end_text(std::copy(text.begin(), text.end(), room(text.size()))); }

 private:
  [[nodiscard]] std::size_t used() const { return static_cast<std::size_t>(offsets_.back()); }
  void grow(std::size_t bytes) {
    room_ = std::max(2 * room_, used() + bytes);
    auto memory = std::make_unique_for_overwrite<char[]>(room_);
    std::copy_n(memory_.get(), used(), memory.get());
    memory_ = std::move(memory);
  }

  std::unique_ptr<char[]> memory_;
  std::size_t room_ = 0;
  std::vector<std::int64_t> offsets_{0};
};

// Written where the model looks at them.
struct PictureBatch {
  std::size_t width = 0, height = 0, count = 0;
  std::function<void(std::size_t i, std::uint8_t* rgb)> write;  // picture i, row by row, three bytes per pixel

  [[nodiscard]] std::size_t bytes_each() const { return 3 * width * height; }
};

// Rows of plain numbers, written where the model reads them.
struct NumberBatch {
  std::size_t rows = 0, columns = 0;          // those of the model, in its order
  std::function<void(double* matrix)> write;  // [row × columns + column]
};

}  // namespace sightglass
