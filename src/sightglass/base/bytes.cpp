#include "sightglass/base/bytes.h"

#include <bit>

#include "sightglass/base/error.h"

namespace sightglass {

void ByteSink::u64(std::uint64_t value) {
  for (int byte = 0; byte < 8; ++byte) bytes_.push_back(static_cast<char>(value >> (8 * byte)));
}

void ByteSink::f64(double value) { u64(std::bit_cast<std::uint64_t>(value)); }

void ByteSink::text(std::string_view value) {
  u64(value.size());
  bytes_ += value;
}

std::uint64_t ByteSource::u64() {
  if (bytes_.size() < 8) throw Error(ErrorKind::data, "saved partial result ends too early");
  std::uint64_t value = 0;
  for (int byte = 0; byte < 8; ++byte) {
    value |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(bytes_[static_cast<std::size_t>(byte)]))
             << (8 * byte);
  }
  bytes_.remove_prefix(8);
  return value;
}

double ByteSource::f64() { return std::bit_cast<double>(u64()); }

std::string ByteSource::text() {
  const std::size_t size = count(1);
  std::string value(bytes_.substr(0, size));
  bytes_.remove_prefix(size);
  return value;
}

std::size_t ByteSource::count(std::size_t item_bytes) {
  const std::uint64_t size = u64();
  if (size > bytes_.size() / item_bytes) throw Error(ErrorKind::data, "saved partial result has an absurd count");
  return static_cast<std::size_t>(size);
}

}  // namespace sightglass
