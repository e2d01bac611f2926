#include "sightglass/methods/local/lime_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/base/deflate.h"
#include "sightglass/base/error.h"
#include "sightglass/data/pictures/slic.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/result/shapes/marked_picture.h"
#include "support/text_model.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;
using testing::text_table;
using testing::TextModel;

Result explain(const Model& model, const Table& table, const Value& options = Value::object(), int threads = 1) {
  Context context(threads);
  return run("lime-image", model, table, options, context);
}

const MarkedPicture& picture_of(const Result& result) { return result.results.at(0).get<MarkedPicture>(); }

// Cells of different colours, so that segments are near them.
Picture checkered(std::size_t width, std::size_t height, std::size_t cell) {
  Picture picture{.width = width, .height = height};
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      const std::size_t place = x / cell + 7 * (y / cell);
      for (const std::size_t times : {37, 91, 151})
        picture.rgb.push_back(static_cast<std::uint8_t>(place * times % 250));
    }
  }
  return picture;
}

// How much of one rectangle is as it was.
TextModel rectangle_model(const Picture& whole, std::size_t left, std::size_t top, std::size_t right,
                          std::size_t bottom) {
  return TextModel("text", [=](const std::string& text) {
    const Picture picture = picture_from_text(text, "test");
    double same = 0;
    for (std::size_t y = top; y < bottom; ++y) {
      for (std::size_t x = left; x < right; ++x) {
        const std::size_t at = 3 * (y * picture.width + x);
        same += std::equal(picture.rgb.begin() + at, picture.rgb.begin() + at + 3, whole.rgb.begin() + at) ? 1 : 0;
      }
    }
    return std::vector<double>{same / static_cast<double>((right - left) * (bottom - top))};
  });
}

// A model that looks at one rectangle is linear in which segments are hidden (grey): each adds its share of it.
TEST(LimeImage, AModelThatLooksAtOneRectangle) {
  const Picture picture = checkered(60, 40, 10);
  const TextModel model = rectangle_model(picture, 10, 10, 30, 30);
  const Result result = explain(model, text_table({picture_text(picture)}),
                                Value::object({{"segments", 24}, {"hide", "grey"}, {"penalty", 0}, {"samples", 500}}));
  const MarkedPicture& marked = picture_of(result);
  EXPECT_EQ(marked.width, 60U);
  EXPECT_EQ(marked.prediction, 1);
  const std::vector<std::uint32_t> segments = segment_of_pixels(marked);
  ASSERT_EQ(segments.size(), 2400U);
  EXPECT_EQ(segments, superpixels(picture, 24, Context(1)).of);
  std::vector<double> wanted(marked.values.size());
  for (std::size_t y = 10; y < 30; ++y) {
    for (std::size_t x = 10; x < 30; ++x) wanted[segments[y * 60 + x]] += 1.0 / 400;
  }
  ASSERT_GT(wanted.size(), 10U);
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(marked.values[i], wanted[i], 1e-9) << i;
  EXPECT_NEAR(*marked.base, 0, 1e-9);
  const Picture kept = read_picture(bytes_of_base64(marked.picture, "test"), "test");
  EXPECT_EQ(kept.rgb, picture.rgb);
}

TEST(LimeImage, HiddenRegionsHaveTheirMeanColour) {
  // One segment of two colours: hidden, it is their mean.
  Picture picture{.width = 2, .height = 1, .rgb = {10, 20, 30, 20, 40, 61}};
  std::vector<Picture> seen;
  const TextModel model("text", [&](const std::string& text) {
    seen.push_back(picture_from_text(text, "test"));
    return std::vector<double>{static_cast<double>(seen.back().rgb[0])};
  });
  const Result result =
      explain(model, text_table({picture_text(picture)}), Value::object({{"segments", 1}, {"hide", "mean"}}));
  EXPECT_THAT(seen,
              ::testing::Contains(::testing::Field(&Picture::rgb, std::vector<std::uint8_t>{15, 30, 46, 15, 30, 46})));
  EXPECT_EQ(picture_of(result).values.size(), 1U);
}

TEST(LimeImage, OnePixel) {
  const Picture picture{.width = 1, .height = 1, .rgb = {200, 100, 50}};
  const TextModel model = rectangle_model(picture, 0, 0, 1, 1);
  const Result result =
      explain(model, text_table({picture_text(picture)}), Value::object({{"hide", "grey"}, {"penalty", 0}}));
  EXPECT_NEAR(picture_of(result).values[0], 1, 1e-9);
}

TEST(LimeImage, SameBytesForAnyThreads) {
  const Picture picture = checkered(40, 40, 8);
  const TextModel model = rectangle_model(picture, 5, 5, 21, 13);
  const Value options = Value::object({{"segments", 25}, {"samples", 200}});
  EXPECT_EQ(picture_of(explain(model, text_table({picture_text(picture)}), options, 1)).values,
            picture_of(explain(model, text_table({picture_text(picture)}), options, 4)).values);
}

TEST(LimeImage, NoPicture) {
  const TextModel model("text", [](const std::string&) { return std::vector<double>{1}; });
  try {
    (void)explain(model, text_table({"blue"}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_THAT(error.what(), HasSubstr("row 0, column text has no picture"));
  }
}

TEST(LimeImage, AModelThatFailsMidway) {
  std::size_t asked = 0;
  const TextModel model("text", [&](const std::string&) -> std::vector<double> {
    if (++asked > 50) throw Error(ErrorKind::prediction, "out of memory");
    return {1.0};
  });
  try {
    (void)explain(model, text_table({picture_text(checkered(60, 60, 10))}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("out of memory (asked about made-up pictures"));
  }
}

}  // namespace
}  // namespace sightglass
