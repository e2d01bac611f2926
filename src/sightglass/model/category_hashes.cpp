#include "sightglass/model/category_hashes.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "sightglass/base/digest.h"
#include "sightglass/base/error.h"

namespace sightglass {

namespace {

// Primes between 2^63 and 2^64 that define the hash.
constexpr std::uint64_t k0 = 0xc3a5c85c97cb3127, k1 = 0xb492b66fbe98f273, k2 = 0x9ae16a3b2f90404f,
                        k3 = 0xc949d7c7509e6557;

// The first bytes of a text, little endian, whatever the machine.
template <class T>
T load(const char* at) {
  T value = 0;
  for (std::size_t byte = 0; byte < sizeof(T); ++byte) {
    value |= static_cast<T>(static_cast<T>(static_cast<unsigned char>(at[byte])) << (8 * byte));
  }
  return value;
}

std::uint64_t word(const char* at) { return load<std::uint64_t>(at); }

std::uint64_t mixed(std::uint64_t value) { return value ^ (value >> 47); }

// Two words to one.
std::uint64_t joined(std::uint64_t low, std::uint64_t high) {
  constexpr std::uint64_t factor = 0x9ddfea08eb382d69;
  const std::uint64_t first = mixed((low ^ high) * factor);
  return mixed((high ^ first) * factor) * factor;
}

struct Pair {
  std::uint64_t first, second;
};

// 32 bytes and two seeds to two words.
Pair of_32_bytes(const char* at, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t start = a + word(at);
  const std::uint64_t end = start + word(at + 8) + word(at + 16);
  b = std::rotr(b + start + word(at + 24), 21) + std::rotr(end, 44);
  return {end + word(at + 24), b + start};
}

std::uint64_t up_to_16(const char* text, std::size_t size) {
  if (size > 8) {
    const std::uint64_t last = word(text + size - 8);
    return joined(word(text), std::rotr(last + size, static_cast<int>(size))) ^ last;
  }
  if (size >= 4) {
    const std::uint64_t first = load<std::uint32_t>(text);
    return joined(size + (first << 3), load<std::uint32_t>(text + size - 4));
  }
  if (size == 0) return k2;
  const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(text[i])}; };
  const std::uint64_t front = byte(0) + (byte(size / 2) << 8);
  const std::uint64_t back = size + (byte(size - 1) << 2);
  return mixed((front * k2) ^ (back * k3)) * k2;
}

std::uint64_t up_to_32(const char* text, std::size_t size) {
  const std::uint64_t a = word(text) * k1, b = word(text + 8);
  const std::uint64_t c = word(text + size - 8) * k2, d = word(text + size - 16) * k0;
  return joined(std::rotr(a - b, 43) + std::rotr(c, 30) + d, a + std::rotr(b ^ k3, 20) - c + size);
}

// Of up to 64 bytes each half is hashed by itself: 32 bytes, a seed, and a word from the other end.
Pair half(const char* at, std::uint64_t seed, std::uint64_t other) {
  const std::uint64_t a = seed, b = a + word(at + 8), c = b + word(at + 16);
  const std::uint64_t turned = std::rotr(a + other, 52) + std::rotr(a, 37) + std::rotr(b, 7);
  return {c + other, turned + std::rotr(c, 31)};
}

std::uint64_t up_to_64(const char* text, std::size_t size) {
  const Pair v = half(text, word(text) + (size + word(text + size - 16)) * k0, word(text + 24));
  const Pair w = half(text + size - 32, word(text + 16) + word(text + size - 32), word(text + size - 8));
  return mixed(mixed((v.first + w.second) * k2 + (w.first + v.second) * k0) * k0 + v.second) * k2;
}

std::uint64_t of_long(const char* text, std::size_t size) {
  std::uint64_t x = word(text), y = word(text + size - 16) ^ k1, z = word(text + size - 56) ^ k0;
  Pair v = of_32_bytes(text + size - 64, size, y);
  Pair w = of_32_bytes(text + size - 32, size * k1, k0);
  z += mixed(v.second) * k1;
  x = std::rotr(z + x, 39) * k1;
  y = std::rotr(y, 33) * k1;
  const char* const end = text + (size - 1) / 64 * 64;
  for (const char* at = text; at != end; at += 64) {
    x = std::rotr(x + y + v.first + word(at + 16), 37) * k1;
    y = std::rotr(y + v.second + word(at + 48), 42) * k1;
    x ^= w.second;
    y ^= v.first;
    z = std::rotr(z ^ w.first, 33);
    v = of_32_bytes(at, v.second * k1, x + w.first);
    w = of_32_bytes(at + 32, z + w.second, y);
    std::swap(z, x);
  }
  return joined(joined(v.first, w.first) + mixed(y) * k1 + z, joined(v.second, w.second) + x);
}

}  // namespace

std::uint32_t category_hash(std::string_view name) {
  const char* const text = name.data();
  const std::size_t size = name.size();
  const std::uint64_t whole = size <= 16   ? up_to_16(text, size)
                              : size <= 32 ? up_to_32(text, size)
                              : size <= 64 ? up_to_64(text, size)
                                           : of_long(text, size);
  return static_cast<std::uint32_t>(whole);
}

CategoryHashes::CategoryHashes(std::vector<std::pair<std::uint32_t, std::uint32_t>> codes)
    : all_known_(false), codes_(std::move(codes)) {
  std::sort(codes_.begin(), codes_.end());
}

std::optional<double> CategoryHashes::code(std::string_view name) const {
  const std::uint32_t hash = category_hash(name);
  if (all_known_) return hash;
  const auto at = std::lower_bound(codes_.begin(), codes_.end(), std::pair{hash, std::uint32_t{0}});
  if (at == codes_.end() || at->first != hash) return std::nullopt;
  return at->second;
}

std::optional<double> CategoryHashes::code(double number) const {
  constexpr double most = 0x1p63;
  char text[32];
  if (number != std::trunc(number) || std::abs(number) >= most) {
    const char* const end = std::to_chars(text, text + sizeof text, number).ptr;
    throw Error(
        ErrorKind::data,
        "the number " + std::string(text, static_cast<std::size_t>(end - text)) + " where the model wants a category",
        "give categories as text or whole numbers, as for training");
  }
  const char* const end = std::to_chars(text, text + sizeof text, static_cast<std::int64_t>(number)).ptr;
  return code(std::string_view(text, static_cast<std::size_t>(end - text)));
}

void CategoryHashes::add_to(Digest& digest) const {
  digest.u64(all_known_ ? 1 : 0).u64(codes_.size());
  for (const auto& [hash, code] : codes_) digest.u64(std::uint64_t{hash} << 32 | code);
}

}  // namespace sightglass
