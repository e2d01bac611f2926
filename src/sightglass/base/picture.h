// Pictures: read from PNG and JPEG files that may be hostile, written as PNG, and as the text in which they travel
// through tables to models. How large a picture is, is looked at before anything is unpacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sightglass {

// Of pictures that are read. A sample takes as much memory, and there are many.
inline constexpr std::size_t most_pixels = std::size_t{1} << 24;
inline constexpr std::size_t longest_side = 16384;

struct Picture {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // row by row, three bytes per pixel

  [[nodiscard]] std::size_t pixels() const { return width * height; }
};

// By the first bytes.
[[nodiscard]] bool is_picture_file(std::string_view bytes);
// What is transparent stands on white. Throws Error(data) that starts with `where` if the bytes are no such picture,
// are cut off or damaged, or if it is too large.
[[nodiscard]] Picture read_picture(std::string_view bytes, const std::string& where);
[[nodiscard]] std::string write_png(const Picture& picture);

// Whether it begins as one of the texts that picture_text() makes.
[[nodiscard]] bool is_picture_text(std::string_view text);
// "rgb:640x480:" and the bytes row by row in base64.
[[nodiscard]] std::string picture_text(const Picture& picture);
// Throws Error(data) that starts with `where` if it is none.
[[nodiscard]] Picture picture_from_text(std::string_view text, const std::string& where);
// Throws Error(data) where a letter does not belong.
[[nodiscard]] std::string bytes_of_base64(std::string_view text, const std::string& where);

}  // namespace sightglass
