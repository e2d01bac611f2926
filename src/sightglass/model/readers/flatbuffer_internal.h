// FlatBuffers that may be hostile: tables, vectors and texts of a buffer, each offset and length checked before use.
// Tables may be shared, so that a short buffer could ask for a long result: what is read is counted, and bounded by the
// size of the buffer.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sightglass/model/readers/json_document_internal.h"

namespace sightglass {

class FlatBytes {
 public:
  FlatBytes(std::string_view bytes, const JsonBlame& blame)
      : bytes_(bytes), blame_(blame), left_(std::size_t{1} << 20) {
    left_ += 8 * bytes.size();
  }

  [[noreturn]] void fail(std::size_t at, std::string_view what) const {
    blame_.fail("byte " + std::to_string(at) + ": " + std::string(what));
  }
  void require(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) fail(at, "leads beyond the end");
  }
  template <class T>
  [[nodiscard]] T number(std::size_t at) const {
    static_assert(std::is_arithmetic_v<T>);
    require(at, sizeof(T));
    std::uint64_t bits = 0;
    for (std::size_t byte = 0; byte < sizeof(T); ++byte)
      bits |= std::uint64_t{static_cast<unsigned char>(bytes_[at + byte])} << (8 * byte);
    T value;
    if constexpr (sizeof(T) == 8) {
      std::memcpy(&value, &bits, sizeof value);
    } else if constexpr (sizeof(T) == 4) {
      const auto half = static_cast<std::uint32_t>(bits);
      std::memcpy(&value, &half, sizeof value);
    } else {
      value = static_cast<T>(bits);
    }
    return value;
  }
  // Where an offset that stands there leads to.
  [[nodiscard]] std::size_t target(std::size_t at) const {
    const auto offset = std::size_t{number<std::uint32_t>(at)};
    require(at, offset);
    return at + offset;
  }
  [[nodiscard]] std::string_view piece(std::size_t at, std::size_t size) const {
    require(at, size);
    if (size > left_) fail(at, "repeats itself beyond all proportion");
    left_ -= size;
    return bytes_.substr(at, size);
  }

 private:
  std::string_view bytes_;
  const JsonBlame& blame_;
  mutable std::size_t left_;
};

class FlatTable {
 public:
  FlatTable(const FlatBytes& bytes, std::size_t at) : bytes_(&bytes), at_(at) {
    const auto back = std::int64_t{bytes.number<std::int32_t>(at)};
    const std::int64_t layout = static_cast<std::int64_t>(at) - back;
    if (layout < 0) bytes.fail(at, "has its layout before the beginning");
    layout_ = static_cast<std::size_t>(layout);
    layout_size_ = bytes.number<std::uint16_t>(layout_);
    size_ = bytes.number<std::uint16_t>(layout_ + 2);
    (void)bytes.piece(layout_, layout_size_);
    (void)bytes.piece(at, size_);
  }
  // The root of a buffer.
  [[nodiscard]] static FlatTable root(const FlatBytes& bytes) { return {bytes, bytes.target(0)}; }

  template <class T>
  [[nodiscard]] T number(std::size_t slot, T otherwise) const {
    const auto at = field(slot, sizeof(T));
    return at ? bytes_->number<T>(*at) : otherwise;
  }
  [[nodiscard]] std::optional<FlatTable> table(std::size_t slot) const {
    const auto at = field(slot, 4);
    if (!at) return std::nullopt;
    return FlatTable(*bytes_, bytes_->target(*at));
  }
  [[nodiscard]] FlatTable require_table(std::size_t slot, std::string_view name) const {
    auto found = table(slot);
    if (!found) bytes_->fail(at_, "lacks " + std::string(name));
    return *found;
  }
  // The bytes of a vector or text; empty if there is none.
  [[nodiscard]] std::string_view content(std::size_t slot, std::size_t width = 1) const {
    const auto at = field(slot, 4);
    if (!at) return {};
    const std::size_t start = bytes_->target(*at);
    return bytes_->piece(start + 4, std::size_t{bytes_->number<std::uint32_t>(start)} * width);
  }
  [[nodiscard]] std::string text(std::size_t slot) const { return std::string(content(slot)); }
  template <class T>
  [[nodiscard]] std::vector<T> numbers(std::size_t slot) const {
    const std::string_view bytes = content(slot, sizeof(T));
    const JsonBlame nobody;
    const FlatBytes own(bytes, nobody);
    std::vector<T> numbers(bytes.size() / sizeof(T));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = own.number<T>(i * sizeof(T));
    return numbers;
  }
  template <class Visit>
  void each_table(std::size_t slot, Visit&& visit) const {
    each_target(slot, [&](std::size_t at) { visit(FlatTable(*bytes_, at)); });
  }
  [[nodiscard]] std::vector<std::string> texts(std::size_t slot) const {
    std::vector<std::string> texts;
    each_target(slot,
                [&](std::size_t at) { texts.emplace_back(bytes_->piece(at + 4, bytes_->number<std::uint32_t>(at))); });
    return texts;
  }

 private:
  template <class Visit>
  void each_target(std::size_t slot, const Visit& visit) const {
    const auto at = field(slot, 4);
    if (!at) return;
    const std::size_t start = bytes_->target(*at);
    const std::size_t count = bytes_->number<std::uint32_t>(start);
    (void)bytes_->piece(start + 4, 4 * count);
    for (std::size_t i = 0; i < count; ++i) visit(bytes_->target(start + 4 + 4 * i));
  }
  [[nodiscard]] std::optional<std::size_t> field(std::size_t slot, std::size_t width) const {
    const std::size_t entry = 4 + 2 * slot;
    if (entry + 2 > layout_size_) return std::nullopt;
    const std::size_t offset = bytes_->number<std::uint16_t>(layout_ + entry);
    if (offset == 0) return std::nullopt;
    if (offset + width > size_) bytes_->fail(at_, "has a field beyond its end");
    return at_ + offset;
  }

  const FlatBytes* bytes_;
  std::size_t at_, layout_ = 0, layout_size_ = 0, size_ = 0;
};

}  // namespace sightglass
