#include "sightglass/render/marked_picture_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/base/deflate.h"
#include "sightglass/base/error.h"
#include "sightglass/base/picture.h"
#include "sightglass/render/html/payload_internal.h"
#include "sightglass/render/text/text_renderer.h"
#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/json.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;

MarkedPicture halves() {
  const Picture white{.width = 40, .height = 20, .rgb = std::vector<std::uint8_t>(2400, 255)};
  MarkedPicture marked{.output = "prediction", .row = 0, .width = 40, .height = 20};
  marked.picture = base64(write_png(white));
  std::vector<std::uint32_t> segments;
  for (std::size_t i = 0; i < 800; ++i) segments.push_back(i % 40 < 20 ? 0 : i < 400 ? 1 : 2);
  marked.segments = segment_runs(segments);
  marked.values = {2, -2, 0.1};
  marked.se = {0.1, 0.1, 0.2};
  marked.prediction = 1.5;
  return marked;
}

Result result_with(MarkedPicture marked) {
  Result result;
  result.method = "lime-image";
  result.about = {.title = "LIME for pictures", .short_name = "LIME", .family = Family::local};
  result.results.emplace_back(std::move(marked));
  return result;
}

TEST(MarkedPictureView, BlocksInText) {
  const std::string text = render_text(result_with(halves()), {.color = false});
  EXPECT_THAT(text, HasSubstr("  ####################====================\n"));
  EXPECT_THAT(text, HasSubstr("  ####################....................\n"));
  EXPECT_THAT(text, HasSubstr("middle left"));
}

TEST(MarkedPictureView, APageHasAPictureWithTints) {
  const std::string payload = to_json(page_payload({result_with(halves())}, ""));
  constexpr std::string_view start = "\"picture\":\"data:image/png;base64,";
  const std::size_t at = payload.find(start);
  ASSERT_NE(at, std::string::npos);
  const std::size_t end = payload.find('"', at + start.size());
  const Picture shown =
      read_picture(bytes_of_base64(payload.substr(at + start.size(), end - at - start.size()), "test"), "test");
  ASSERT_EQ(shown.width, 40U);
  const auto pixel = [&](std::size_t x, std::size_t y) { return shown.rgb.data() + 3 * (y * 40 + x); };
  EXPECT_GT(pixel(5, 5)[0], pixel(5, 5)[2] + 50);    // orange
  EXPECT_GT(pixel(30, 5)[2], pixel(30, 5)[0] + 50);  // blue
  EXPECT_EQ(pixel(30, 15)[0], 255);                  // cannot be told from 0
  EXPECT_THAT(render_vega(result_with(halves())), HasSubstr("data:image/png;base64,"));
}

TEST(MarkedPictureView, ResultsWithoutTheirPictureOrWithAnother) {
  for (const char* content : {"", "not base64!", "iVBORw0KGgo="}) {
    MarkedPicture marked = halves();
    marked.picture = content;
    EXPECT_THAT(to_json(page_payload({result_with(marked)}, "")), HasSubstr("data:image/png;base64,"));
  }
}

TEST(MarkedPicture, JsonAndBack) {
  const Result back = result_from_json(to_json(result_with(halves())), "test");
  const auto& marked = back.results.at(0).get<MarkedPicture>();
  EXPECT_EQ(marked.values, halves().values);
  EXPECT_EQ(segment_of_pixels(marked), segment_of_pixels(halves()));
  const auto boxes = segment_boxes(marked);
  EXPECT_EQ(boxes[2].left, 20U);
  EXPECT_EQ(boxes[2].top, 10U);
  EXPECT_EQ(boxes[2].bottom, 19U);
  EXPECT_EQ(boxes[2].pixels, 200U);
}

TEST(MarkedPicture, RunsThatAreNone) {
  for (const char* runs :
       {"", "800", "800x", "799x0", "801x0", "800x3", "0x0 800x0", "-1x0", "99999999999999999999x0"}) {
    MarkedPicture marked = halves();
    marked.segments = runs;
    EXPECT_THROW((void)result_from_json(to_json(result_with(marked)), "test"), Error) << runs;
  }
  MarkedPicture huge = halves();
  huge.width = 4'000'000'000;
  huge.height = 4'000'000'000;
  EXPECT_THROW((void)result_from_json(to_json(result_with(huge)), "test"), Error);
}

}  // namespace
}  // namespace sightglass
