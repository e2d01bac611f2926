#include "sightglass/base/deflate.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>

#include "sightglass/base/error.h"

namespace sightglass {

std::string deflated(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  const int done = compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                             bytes.size(), Z_BEST_COMPRESSION);
  if (done != Z_OK) throw Error(ErrorKind::internal, "zlib could not pack " + std::to_string(bytes.size()) + " bytes");
  out.resize(size);
  return out;
}

std::string base64(std::string_view bytes) {
  static constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) bits = bits << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i) text += i <= count ? letters[bits >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

}  // namespace sightglass
