// Which neighbouring pixels of a picture belong together? Superpixels by SLIC: k-means of colours and places, each
// centre looking only around itself, then what is not connected or too small is divided among the regions around it.
// Noise is measured first, and where it would count beside places, a Gaussian takes it away: else a noisy picture comes
// apart into pieces that are all too small.
//   D² = d(colour, CIELAB)² + (compactness / S)² d(place)²,   S = √(pixels / segments)
// Achanta et al. (2012), SLIC superpixels compared to state-of-the-art superpixel methods. Cost: 10 rounds over all
// pixels, each met by about four centres. No random numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/base/picture.h"

namespace sightglass {

struct Segments {
  std::vector<std::uint32_t> of;  // of each pixel, row by row
  std::size_t count = 0;          // near the number that was asked for
};

[[nodiscard]] Segments superpixels(const Picture& picture, std::size_t segments, const Context& context,
                                   double compactness = 10);

}  // namespace sightglass
