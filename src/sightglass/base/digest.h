// A short number for long contents: the same contents have the same, others hardly ever. Not against forgery.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sightglass {

// FNV-1a (Fowler, Noll, Vo), 64 bits.
class Digest {
 public:
  Digest& bytes(std::string_view content) {
    for (const char byte : content) add(static_cast<unsigned char>(byte));
    return *this;
  }
  // With its length, so that two texts after one another are not one.
  Digest& text(std::string_view content) { return u64(content.size()).bytes(content); }
  Digest& u64(std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) add(static_cast<unsigned char>(number >> (8 * byte)));
    return *this;
  }
  Digest& f64(double number) { return u64(std::bit_cast<std::uint64_t>(number)); }

  // Lists, with their lengths.
  Digest& texts(const std::vector<std::string>& contents) {
    u64(contents.size());
    for (const std::string& content : contents) text(content);
    return *this;
  }
  Digest& numbers(const std::vector<double>& numbers) {
    u64(numbers.size());
    for (const double number : numbers) f64(number);
    return *this;
  }

  [[nodiscard]] std::uint64_t value() const { return value_; }
  // 16 hexadecimal digits.
  [[nodiscard]] std::string hex() const {
    std::string digits(16, '0');
    for (std::size_t i = 0; i < 16; ++i) digits[i] = "0123456789abcdef"[value_ >> (60 - 4 * i) & 15];
    return digits;
  }

 private:
  void add(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3; }
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace sightglass
