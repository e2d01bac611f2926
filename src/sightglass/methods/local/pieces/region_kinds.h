// Which regions of different pictures look alike? Histograms of colours and of texture, and their clusters: "visual
// words", by which explanations of pictures can be compared (Ribeiro et al. 2016, §4).
//   look = (√share of pixels in each of 4 × 4 × 4 cells of colour, ½ √share in each of 6 sizes of change between
//   neighbouring pixels), each pixel divided among the cells around it
// Kinds: the look farthest from all kinds so far is the next one, until there are enough or all are near one; then
// k-means. No random numbers. Cost: pixels once, then regions × kinds in each of some rounds.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "sightglass/data/pictures/slic.h"

namespace sightglass {

inline constexpr std::size_t look_cells = 4 * 4 * 4 + 6;

struct RegionLook {
  std::array<double, look_cells> cells{};
  std::array<double, 3> colour{};  // mean, for its name
  double pixels = 0;
};

// Of each region.
[[nodiscard]] std::vector<RegionLook> region_looks(const Picture& picture, const Segments& segments);

struct RegionKinds {
  std::vector<std::size_t> of;     // of each look
  std::vector<std::string> names;  // "red", "dark blue", "red 2"
};

[[nodiscard]] RegionKinds region_kinds(const std::vector<RegionLook>& looks, std::size_t most);

}  // namespace sightglass
