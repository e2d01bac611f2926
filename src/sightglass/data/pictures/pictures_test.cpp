#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "sightglass/base/deflate.h"
#include "sightglass/base/error.h"
#include "sightglass/base/picture.h"
#include "sightglass/data/pictures/slic.h"
#include "sightglass/data/scan/scan.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;

// Left half red, right half blue, with a green square in the middle.
Picture colored(std::size_t width, std::size_t height) {
  Picture picture{.width = width, .height = height};
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      const bool square = x >= width / 4 && x < 3 * width / 4 && y >= height / 4 && y < 3 * height / 4;
      const bool left = x < width / 2;
      picture.rgb.push_back(!square && left ? 220 : 10);
      picture.rgb.push_back(square ? 200 : 20);
      picture.rgb.push_back(!square && !left ? 230 : 30);
    }
  }
  return picture;
}

std::string error_of(const std::string& bytes) {
  try {
    (void)read_picture(bytes, "cat.png");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.message();
  }
  return "";
}

// Readable for those who print, and whole: only its colours are not ours.
TEST(Picture, ColoursOfPrintAreNotCalledDamage) {
  const unsigned char header[] = {0xff, 0xd8, 0xff, 0xc0, 0, 20,   8, 0, 1,    0, 1,    4,    1, 0x11,
                                  0,    2,    0x11, 0,    3, 0x11, 0, 4, 0x11, 0, 0xff, 0xda, 0, 14,
                                  4,    1,    0,    2,    0, 3,    0, 4, 0,    0, 63,   0};
  try {
    (void)read_picture(std::string(reinterpret_cast<const char*>(header), sizeof header), "a.jpg");
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("CMYK"), std::string::npos) << error.what();
    EXPECT_EQ(error.advice().find("damaged"), std::string::npos);
  }
}

TEST(Picture, PngAndBack) {
  for (const auto& [width, height] : {std::pair<std::size_t, std::size_t>{1, 1}, {3, 2}, {64, 40}}) {
    const Picture picture = colored(width, height);
    const Picture back = read_picture(write_png(picture), "test");
    EXPECT_EQ(back.width, width);
    EXPECT_EQ(back.height, height);
    EXPECT_EQ(back.rgb, picture.rgb);
  }
}

// 8 × 8 pixels, blue on the left and red on the right.
TEST(Picture, Jpeg) {
  const std::string jpeg = bytes_of_base64(
      "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxO"
      "UlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09P"
      "T09PT09PT0//wAARCAAIAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAb/xAAXEAEAAwAAAAAAAAAAAAAAAAAABEKB"
      "/8QAFQEBAQAAAAAAAAAAAAAAAAAAAAb/xAAaEQAABwAAAAAAAAAAAAAAAAAAAQIFNIGx/9oADAMBAAIRAxEAPwCdh3wAdJS6whQN"
      "0ZN6Y//Z",
      "test");
  const Picture picture = read_picture(jpeg, "test");
  ASSERT_EQ(picture.width, 8U);
  ASSERT_EQ(picture.rgb.size(), 192U);
  EXPECT_GT(picture.rgb[2], picture.rgb[0] + 80);
  EXPECT_GT(picture.rgb[21], picture.rgb[23] + 80);
  for (std::size_t size = 3; size < jpeg.size() - 2; size += 11) EXPECT_NE(error_of(jpeg.substr(0, size)), "") << size;
}

TEST(Picture, TextAndBack) {
  const Picture picture = colored(5, 3);
  const std::string text = picture_text(picture);
  EXPECT_THAT(text, ::testing::StartsWith("rgb:5x3:"));
  EXPECT_EQ(picture_from_text(text, "test").rgb, picture.rgb);
  for (const char* bad : {"", "blue", "rgb:", "rgb:5:", "rgb:0x0:", "rgb:5x3:AAAA", "rgb:5x3:A?", "rgb:99999999x1:"})
    EXPECT_THROW((void)picture_from_text(bad, "test"), Error) << bad;
}

TEST(Picture, FilesThatAreNoPictures) {
  EXPECT_THAT(error_of(""), HasSubstr("cat.png is no picture"));
  EXPECT_THAT(error_of("a,b\n1,2\n"), HasSubstr("is no picture"));
  EXPECT_THAT(error_of("\x89PNG\r\n\x1a\n"), HasSubstr("cannot be read"));
}

TEST(Picture, CutOffAndDamaged) {
  const std::string png = write_png(colored(40, 30));
  for (std::size_t size = 8; size + 8 < png.size(); size += 7) EXPECT_NE(error_of(png.substr(0, size)), "") << size;
  std::string damaged = png;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
  EXPECT_NE(error_of(damaged), "");
}

TEST(Picture, TooLargeIsSaidBeforeItIsUnpacked) {
  // A header that promises 10 GB.
  std::string png = write_png(colored(4, 4));
  std::string header = png.substr(12, 17);
  header[4] = header[8] = 0;
  header[5] = header[9] = 0;
  header[6] = header[10] = '\xf0';
  std::string huge = png;
  huge.replace(12, 17, header);
  EXPECT_NE(error_of(huge), "");
  EXPECT_THROW((void)picture_from_text("rgb:16384x16384:", "test"), Error);
}

std::string file_bytes(const std::string& name) {
  std::ifstream file(SIGHTGLASS_SOURCE_DIR "/tests/fuzz/pictures/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The same 12 × 8 pixels in every kind of file that there is (tests/fuzz/make_pictures.py).
TEST(Picture, EveryKindOfFile) {
  const Picture rgb = read_picture(file_bytes("rgb.png"), "rgb.png");
  ASSERT_EQ(rgb.width, 12U);
  ASSERT_EQ(rgb.height, 8U);
  for (const char* same : {"palette.png", "alpha.png", "rgb16.png", "interlaced.png", "texts.png"})
    EXPECT_EQ(read_picture(file_bytes(same), same).rgb, rgb.rgb) << same;
  // A camera that was turned says so beside the picture (EXIF); its pixels are taken as they stand, as by Pillow.
  for (const char* near : {"plain.jpg", "progressive.jpg", "restarts.jpg", "turned.jpg"}) {
    const Picture picture = read_picture(file_bytes(near), near);
    ASSERT_EQ(picture.width, 12U) << near;
    ASSERT_EQ(picture.rgb.size(), rgb.rgb.size()) << near;
    for (std::size_t i = 0; i < rgb.rgb.size(); ++i) EXPECT_NEAR(picture.rgb[i], rgb.rgb[i], 60) << near << ' ' << i;
  }
  for (const char* grey : {"grey.png", "grey16.png", "grey_alpha.png", "one_bit.png", "grey.jpg"}) {
    const Picture picture = read_picture(file_bytes(grey), grey);
    ASSERT_EQ(picture.rgb.size(), rgb.rgb.size()) << grey;
    for (std::size_t i = 0; i < picture.rgb.size(); i += 3) {
      EXPECT_EQ(picture.rgb[i], picture.rgb[i + 1]) << grey;
      EXPECT_EQ(picture.rgb[i], picture.rgb[i + 2]) << grey;
    }
  }
  // The high byte of 16 bits, the red channel here.
  const Picture deep = read_picture(file_bytes("grey16.png"), "grey16.png");
  for (std::size_t i = 0; i < deep.rgb.size(); i += 3) EXPECT_EQ(deep.rgb[i], rgb.rgb[i]);
  EXPECT_EQ(read_picture(file_bytes("transparent_palette.png"), "a").pixels(), 96U);
  EXPECT_THAT(error_of(file_bytes("cmyk.jpg")), HasSubstr("CMYK"));
}

TEST(Picture, EveryKindOfFileCutOff) {
  for (const char* name : {"rgb.png", "palette.png", "interlaced.png", "rgb16.png", "plain.jpg", "progressive.jpg"}) {
    const std::string bytes = file_bytes(name);
    ASSERT_GT(bytes.size(), 50U) << name;
    for (std::size_t size = 0; size + 12 < bytes.size(); size += 5)
      EXPECT_NE(error_of(bytes.substr(0, size)), "") << name;
  }
}

// A JPEG's header that promises a picture of 65,500 × 65,500 pixels, or of none.
TEST(Picture, SizesOfJpegsAreSaidBeforeTheyAreUnpacked) {
  std::string bytes = file_bytes("plain.jpg");
  const std::size_t frame = bytes.find("\xff\xc0") + 5;
  bytes[frame] = bytes[frame + 2] = '\xff';
  EXPECT_THAT(error_of(bytes), HasSubstr("is not unpacked"));
  bytes[frame] = bytes[frame + 1] = 0;
  EXPECT_NE(error_of(bytes), "");
}

TEST(Picture, AFileIsATable) {
  const auto path = std::filesystem::temp_directory_path() / "sightglass_picture_test.png";
  std::ofstream(path, std::ios::binary) << write_png(colored(6, 4));
  Context context(1);
  const Table table = scan_table({.path = path.string()}, context);
  std::filesystem::remove(path);
  ASSERT_EQ(table.rows(), 1U);
  EXPECT_EQ(table.schema()[0].name, "image");
  EXPECT_EQ(table.schema()[0].dictionary->level(0), picture_text(colored(6, 4)));
}

TEST(Picture, AFolderHasARowForEachOfItsPictures) {
  const auto folder = std::filesystem::temp_directory_path() / "sightglass_picture_folder_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "more");
  const auto write = [&](const char* name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
  };
  Context context(1);
  EXPECT_THROW((void)scan_table({.path = folder.string()}, context), Error);
  write("b.png", write_png(colored(6, 4)));
  write("a.png", write_png(colored(3, 2)));
  write("c.png", write_png(colored(3, 2)));
  write("notes.txt", "not a picture");
  const Table table = scan_table({.path = folder.string()}, context);
  std::vector<std::string> texts;
  const std::vector<std::uint32_t> columns = {0};
  const auto stream = table.open(columns, 10);
  const auto block = stream->next();
  for (std::size_t row = 0; row < block->rows; ++row)
    texts.push_back(table.schema()[0].dictionary->level(static_cast<std::int32_t>(block->columns[0].number(row))));
  EXPECT_EQ(texts,
            (std::vector{picture_text(colored(3, 2)), picture_text(colored(6, 4)), picture_text(colored(3, 2))}));
  write("d.png", write_png(colored(6, 4)).substr(0, 60));
  try {
    (void)scan_table({.path = folder.string()}, context);
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("d.png: the picture cannot be read"));
  }
  std::filesystem::remove_all(folder);
}

TEST(Slic, SegmentsFollowColours) {
  const Picture picture = colored(80, 60);
  const Segments segments = superpixels(picture, 24, Context(1));
  EXPECT_GE(segments.count, 8U);
  EXPECT_LE(segments.count, 48U);
  std::vector<std::vector<std::uint8_t>> colour(segments.count);
  std::size_t mixed = 0;
  for (std::size_t i = 0; i < segments.of.size(); ++i) {
    ASSERT_LT(segments.of[i], segments.count);
    const std::vector<std::uint8_t> own(picture.rgb.begin() + static_cast<std::ptrdiff_t>(3 * i),
                                        picture.rgb.begin() + static_cast<std::ptrdiff_t>(3 * i + 3));
    auto& known = colour[segments.of[i]];
    if (known.empty()) known = own;
    mixed += known != own ? 1 : 0;
  }
  EXPECT_LT(mixed, picture.pixels() / 50);
}

// Filled from its first pixel, each segment has as many pixels as it is said to have.
void expect_connected(const Segments& segments, std::size_t width) {
  std::vector<std::size_t> sizes(segments.count), reached(segments.count);
  for (const std::uint32_t segment : segments.of) ++sizes[segment];
  std::vector<bool> seen(segments.of.size());
  for (std::size_t start = 0; start < seen.size(); ++start) {
    const std::uint32_t segment = segments.of[start];
    if (reached[segment] > 0) continue;
    std::vector<std::size_t> open{start};
    seen[start] = true;
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      ++reached[segment];
      const auto visit = [&](bool inside, std::size_t other) {
        if (!inside || seen[other] || segments.of[other] != segment) return;
        seen[other] = true;
        open.push_back(other);
      };
      visit(at % width > 0, at - 1);
      visit(at % width < width - 1, at + 1);
      visit(at >= width, at - width);
      visit(at + width < seen.size(), at + width);
    }
  }
  EXPECT_EQ(reached, sizes);
}

TEST(Slic, SegmentsHangTogether) { expect_connected(superpixels(colored(50, 50), 20, Context(1)), 50); }

Picture noisy(Picture picture, double sd) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (std::uint8_t& value : picture.rgb)
    value = static_cast<std::uint8_t>(std::clamp(std::lround(value + sd * normal(random)), 0L, 255L));
  return picture;
}

// How many pixels have another colour in the picture without noise than most of their segment.
double mixed_share(const Picture& clean, const Segments& segments) {
  std::vector<std::map<std::array<std::uint8_t, 3>, std::size_t>> counts(segments.count);
  for (std::size_t i = 0; i < segments.of.size(); ++i)
    ++counts[segments.of[i]][{clean.rgb[3 * i], clean.rgb[3 * i + 1], clean.rgb[3 * i + 2]}];
  std::size_t mixed = clean.pixels();
  for (const auto& of : counts) {
    std::size_t most = 0;
    for (const auto& [colour, count] : of) most = std::max(most, count);
    mixed -= most;
  }
  return static_cast<double>(mixed) / static_cast<double>(clean.pixels());
}

// Noise neither joins all regions nor parts them.
TEST(Slic, AsManySegmentsOfNoisyPictures) {
  const Picture clean = colored(160, 120);
  for (const double sd : {0.0, 5.0, 10.0, 20.0, 40.0, 60.0, 120.0}) {
    const Picture picture = noisy(clean, sd);
    for (const std::size_t asked : {2, 10, 60, 300}) {
      SCOPED_TRACE(std::to_string(sd) + " " + std::to_string(asked));
      const Segments segments = superpixels(picture, asked, Context(1));
      EXPECT_GE(2 * segments.count, asked);
      EXPECT_LE(segments.count, 2 * asked);
      expect_connected(segments, 160);
      if (asked >= 60 && sd <= 60) {
        EXPECT_LT(mixed_share(clean, segments), 0.03);
      }
      EXPECT_EQ(superpixels(picture, asked, Context(2)).of, segments.of);
    }
  }
}

// Every other pixel is black: as noise, but no accident.
TEST(Slic, AsManySegmentsOfFinePatterns) {
  Picture picture = colored(100, 80);
  for (std::size_t i = 0; i < picture.pixels(); ++i) {
    if ((i + i / 100) % 2 == 0) std::fill_n(picture.rgb.begin() + static_cast<std::ptrdiff_t>(3 * i), 3, 0);
  }
  const Segments segments = superpixels(picture, 40, Context(1));
  EXPECT_GE(segments.count, 20U);
  EXPECT_LE(segments.count, 80U);
  expect_connected(segments, 100);
}

TEST(Slic, AsManySegmentsOfLongPictures) {
  for (const auto& [width, height] :
       {std::pair<std::size_t, std::size_t>{10000, 1}, {1, 10000}, {4000, 5}, {300, 30}}) {
    const Segments segments = superpixels(noisy(colored(width, height), 20), 20, Context(1));
    EXPECT_GE(segments.count, 10U) << width;
    EXPECT_LE(segments.count, 40U) << width;
    expect_connected(segments, width);
  }
}

TEST(Slic, OnePixelAndFlatPictures) {
  EXPECT_EQ(superpixels(colored(1, 1), 60, Context(1)).count, 1U);
  const Picture flat{.width = 30, .height = 20, .rgb = std::vector<std::uint8_t>(1800, 7)};
  const Segments segments = superpixels(flat, 6, Context(1));
  EXPECT_EQ(segments.count, 6U);
}

}  // namespace
}  // namespace sightglass
