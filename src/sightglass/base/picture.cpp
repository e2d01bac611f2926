#include "sightglass/base/picture.h"

#include <spng.h>
// In this order: jpeglib.h takes FILE for known.
#include <cstdio>
// clang-format off
#include <jpeglib.h>
// clang-format on
#include <zlib.h>

#include <array>
#include <charconv>
#include <csetjmp>
#include <cstring>
#include <memory>

#include "sightglass/base/deflate.h"
#include "sightglass/base/error.h"

namespace sightglass {

namespace {

constexpr std::size_t largest_chunk = std::size_t{16} << 20;  // of texts and profiles beside the picture
constexpr int most_scans = 200;                               // of a progressive JPEG; real ones have about ten
constexpr std::string_view png_start = "\x89PNG\r\n\x1a\n", jpeg_start = "\xff\xd8\xff";
constexpr std::string_view text_start = "rgb:";

void check_size(std::uint64_t width, std::uint64_t height, const std::string& where) {
  if (width == 0 || height == 0) throw Error(ErrorKind::data, where + ": the picture has no pixels");
  if (width > longest_side || height > longest_side || width * height > most_pixels)
    throw Error(ErrorKind::data,
                where + ": the picture has " + std::to_string(width) + " × " + std::to_string(height) +
                    " pixels; what has more than 16 million, or a side above " + std::to_string(longest_side) +
                    ", is not unpacked",
                "make it smaller first, as the model takes it");
}

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
  throw Error(ErrorKind::data, where + ": the picture cannot be read: " + why, "it may be cut off or damaged");
}

Picture read_png(std::string_view bytes, const std::string& where) {
  const std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)> png(spng_ctx_new(0), &spng_ctx_free);
  if (png == nullptr) throw Error(ErrorKind::internal, "no memory for a picture");
  const auto check = [&](int code) {
    if (code != 0) refuse(where, spng_strerror(code));
  };
  check(spng_set_chunk_limits(png.get(), largest_chunk, largest_chunk));
  check(spng_set_png_buffer(png.get(), bytes.data(), bytes.size()));
  spng_ihdr header{};
  check(spng_get_ihdr(png.get(), &header));
  check_size(header.width, header.height, where);
  Picture picture{.width = header.width, .height = header.height};
  std::vector<std::uint8_t> rgba(picture.pixels() * 4);
  check(spng_decode_image(png.get(), rgba.data(), rgba.size(), SPNG_FMT_RGBA8, SPNG_DECODE_TRNS));
  check(spng_decode_chunks(png.get()));  // to its end: what is cut off there may be cut off elsewhere
  picture.rgb.resize(picture.pixels() * 3);
  for (std::size_t i = 0; i < picture.pixels(); ++i) {
    const unsigned alpha = rgba[4 * i + 3];
    for (std::size_t c = 0; c < 3; ++c)
      picture.rgb[3 * i + c] =
          static_cast<std::uint8_t>((rgba[4 * i + c] * alpha + 255U * (255U - alpha) + 127U) / 255U);
  }
  return picture;
}

struct JpegFailure {
  jpeg_error_mgr manager;
  std::jmp_buf back;
};

// The library leaves by longjmp: nothing with a destructor may live in here.
bool decode_jpeg(std::string_view bytes, Picture& picture, char* why, bool* too_large, bool* for_print) {
  jpeg_decompress_struct jpeg{};
  JpegFailure failure{};
  jpeg.err = jpeg_std_error(&failure.manager);
  failure.manager.error_exit = [](j_common_ptr common) {
    std::longjmp(reinterpret_cast<JpegFailure*>(common->err)->back, 1);
  };
  failure.manager.emit_message = [](j_common_ptr common, int level) {
    if (level < 0) ++common->err->num_warnings;
  };
  jpeg_progress_mgr progress{};
  progress.progress_monitor = [](j_common_ptr common) {
    if (reinterpret_cast<j_decompress_ptr>(common)->input_scan_number > most_scans) common->err->error_exit(common);
  };
  if (setjmp(failure.back) != 0) {  // NOLINT(cert-err52-cpp): the library knows no other way
    failure.manager.format_message(reinterpret_cast<j_common_ptr>(&jpeg), why);
    jpeg_destroy_decompress(&jpeg);
    return false;
  }
  jpeg_create_decompress(&jpeg);
  jpeg.progress = &progress;
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  (void)jpeg_read_header(&jpeg, TRUE);
  picture.width = jpeg.image_width;
  picture.height = jpeg.image_height;
  if (picture.width > longest_side || picture.height > longest_side || picture.pixels() > most_pixels) {
    *too_large = true;
    jpeg_destroy_decompress(&jpeg);
    return true;
  }
  if (jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK) {
    *for_print = true;
    jpeg_destroy_decompress(&jpeg);
    return true;
  }
  jpeg.out_color_space = JCS_RGB;
  (void)jpeg_start_decompress(&jpeg);
  picture.rgb.resize(picture.pixels() * 3);
  while (jpeg.output_scanline < jpeg.output_height) {
    unsigned char* line = picture.rgb.data() + std::size_t{jpeg.output_scanline} * picture.width * 3;
    (void)jpeg_read_scanlines(&jpeg, &line, 1);
  }
  (void)jpeg_finish_decompress(&jpeg);
  const bool whole = failure.manager.num_warnings == 0;
  if (!whole) std::strcpy(why, "it ends too early or is damaged");
  jpeg_destroy_decompress(&jpeg);
  return whole;
}

Picture read_jpeg(std::string_view bytes, const std::string& where) {
  Picture picture;
  char why[JMSG_LENGTH_MAX] = "";
  bool too_large = false, for_print = false;
  const bool read = decode_jpeg(bytes, picture, why, &too_large, &for_print);
  if (too_large) check_size(picture.width, picture.height, where);
  if (for_print)
    throw Error(ErrorKind::data, where + ": the picture has the colours of print (CMYK), which are not read",
                "save it with RGB colours");
  if (!read) refuse(where, printable(why, 120));
  return picture;
}

void append_big_endian(std::string& out, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((number >> shift) & 0xFFU);
}

void append_chunk(std::string& out, std::string_view kind, std::string_view content) {
  append_big_endian(out, static_cast<std::uint32_t>(content.size()));
  const std::size_t start = out.size();
  out.append(kind).append(content);
  append_big_endian(out, static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(out.data() + start),
                                                          static_cast<uInt>(out.size() - start))));
}

}  // namespace

bool is_picture_file(std::string_view bytes) { return bytes.starts_with(png_start) || bytes.starts_with(jpeg_start); }

Picture read_picture(std::string_view bytes, const std::string& where) {
  if (bytes.starts_with(png_start)) return read_png(bytes, where);
  if (bytes.starts_with(jpeg_start)) return read_jpeg(bytes, where);
  throw Error(ErrorKind::data, where + " is no picture", "PNG and JPEG are read");
}

std::string write_png(const Picture& picture) {
  std::string lines;
  lines.reserve(picture.rgb.size() + picture.height);
  for (std::size_t y = 0; y < picture.height; ++y) {
    lines += '\0';  // no filter
    lines.append(reinterpret_cast<const char*>(picture.rgb.data() + y * picture.width * 3), picture.width * 3);
  }
  std::string header;
  append_big_endian(header, static_cast<std::uint32_t>(picture.width));
  append_big_endian(header, static_cast<std::uint32_t>(picture.height));
  header += {8, 2, 0, 0, 0};  // eight bits, RGB
  std::string png(png_start);
  append_chunk(png, "IHDR", header);
  append_chunk(png, "IDAT", deflated(lines));
  append_chunk(png, "IEND", "");
  return png;
}

bool is_picture_text(std::string_view text) { return text.starts_with(text_start); }

std::string picture_text(const Picture& picture) {
  return std::string(text_start) + std::to_string(picture.width) + "x" + std::to_string(picture.height) + ":" +
         base64({reinterpret_cast<const char*>(picture.rgb.data()), picture.rgb.size()});
}

std::string bytes_of_base64(std::string_view text, const std::string& where) {
  static const auto values = [] {
    std::array<std::int8_t, 256> table{};
    table.fill(-1);
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t i = 0; i < letters.size(); ++i)
      table[static_cast<unsigned char>(letters[i])] = static_cast<std::int8_t>(i);
    return table;
  }();
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t kept = 0;
  int bits = 0;
  for (const char letter : text) {
    const std::int8_t value = values[static_cast<unsigned char>(letter)];
    if (value < 0) throw Error(ErrorKind::data, where + ": a letter that base64 does not have");
    kept = (kept << 6) | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>((kept >> bits) & 0xFFU);
  }
  return bytes;
}

Picture picture_from_text(std::string_view text, const std::string& where) {
  const auto no_picture = [&]() -> Error {
    return Error(ErrorKind::data, where + " has no picture: a text such as rgb:640x480:… is needed",
                 "give a PNG or JPEG file as the data, or pictures as an array in Python");
  };
  if (!is_picture_text(text)) throw no_picture();
  text.remove_prefix(text_start.size());
  std::uint64_t sides[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), sides[i]);
    const auto length = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || length >= text.size() || text[length] != (i == 0 ? 'x' : ':')) throw no_picture();
    text.remove_prefix(length + 1);
  }
  check_size(sides[0], sides[1], where);
  const std::string bytes = bytes_of_base64(text, where);
  if (bytes.size() != 3 * sides[0] * sides[1])
    throw Error(ErrorKind::data, where + ": " + std::to_string(bytes.size()) + " bytes for a picture of " +
                                     std::to_string(sides[0]) + " × " + std::to_string(sides[1]) + " pixels");
  return {.width = sides[0], .height = sides[1], .rgb = std::vector<std::uint8_t>(bytes.begin(), bytes.end())};
}

}  // namespace sightglass
