#include "sightglass/methods/local/pieces/region_kinds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

namespace sightglass {
namespace {

struct Paint {
  int red, green, blue, noise;
};

// Stripes side by side, each a region; and their looks.
std::vector<RegionLook> looks_of(const std::vector<Paint>& stripes, unsigned seed) {
  constexpr std::size_t width = 12, height = 20;
  std::mt19937 random(seed);
  Picture picture{.width = width * stripes.size(), .height = height};
  Segments segments{.count = stripes.size()};
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t i = 0; i < stripes.size(); ++i) {
      for (std::size_t x = 0; x < width; ++x) {
        const int change =
            static_cast<int>(random() % (2 * static_cast<unsigned>(stripes[i].noise) + 1)) - stripes[i].noise;
        for (const int channel : {stripes[i].red, stripes[i].green, stripes[i].blue})
          picture.rgb.push_back(static_cast<std::uint8_t>(std::clamp(channel + change, 0, 255)));
        segments.of.push_back(static_cast<std::uint32_t>(i));
      }
    }
  }
  return region_looks(picture, segments);
}

TEST(RegionKinds, RegionsOfTwoPicturesThatLookAlikeAreOfOneKind) {
  const Paint red{210, 20, 20, 8}, blue{20, 30, 220, 8}, smooth{128, 128, 128, 2}, rough{128, 128, 128, 100};
  std::vector<RegionLook> looks = looks_of({red, smooth, rough}, 1);
  for (const RegionLook& look : looks_of({blue, rough, red, smooth, blue}, 2)) looks.push_back(look);
  const RegionKinds kinds = region_kinds(looks, 40);
  ASSERT_EQ(kinds.names.size(), 4U);
  const auto& of = kinds.of;
  EXPECT_EQ((std::vector{of[5], of[6], of[4], of[7]}), (std::vector{of[0], of[1], of[2], of[3]}));
  EXPECT_EQ((std::set(of.begin(), of.end())).size(), 4U);
  EXPECT_EQ(kinds.names[of[0]], "red");
  EXPECT_EQ(kinds.names[of[3]], "blue");
  EXPECT_EQ((std::set{kinds.names[of[1]], kinds.names[of[2]]}), (std::set<std::string>{"grey", "grey 2"}));
  // As many as there may be: whatever is nearest goes together.
  EXPECT_EQ(region_kinds(looks, 2).names.size(), 2U);
  EXPECT_EQ(region_kinds(looks, 1).of, std::vector<std::size_t>(looks.size(), 0));
  EXPECT_TRUE(region_kinds({}, 5).of.empty());
}

// Each pixel is divided: shares are 1 together, whatever the colour.
TEST(RegionKinds, ALookIsSharesOfPixels) {
  for (const RegionLook& look : looks_of({{0, 0, 0, 0}, {255, 255, 255, 0}, {84, 86, 171, 60}}, 3)) {
    double colours = 0, texture = 0;
    for (std::size_t i = 0; i < 64; ++i) colours += look.cells[i] * look.cells[i];
    for (std::size_t i = 64; i < look_cells; ++i) texture += look.cells[i] * look.cells[i];
    EXPECT_NEAR(colours, 1, 1e-12);
    EXPECT_NEAR(texture, 0.25, 1e-12);
    EXPECT_EQ(look.pixels, 240);
  }
}

}  // namespace
}  // namespace sightglass
