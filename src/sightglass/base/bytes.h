// Little-endian bytes for saving and loading partial results.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sightglass {

class ByteSink {
 public:
  void u64(std::uint64_t value);
  void i64(std::int64_t value) { u64(static_cast<std::uint64_t>(value)); }
  void f64(double value);
  void text(std::string_view value);
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Every read is checked; running out of bytes is an Error(data).
class ByteSource {
 public:
  explicit ByteSource(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t u64();
  [[nodiscard]] std::int64_t i64() { return static_cast<std::int64_t>(u64()); }
  [[nodiscard]] double f64();
  [[nodiscard]] std::string text();
  // A count of items that each take at least `item_bytes`: cannot exceed what is left.
  [[nodiscard]] std::size_t count(std::size_t item_bytes);
  [[nodiscard]] bool done() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

}  // namespace sightglass
