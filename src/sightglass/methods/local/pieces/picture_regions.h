// A picture, its superpixels, and what stands where they are hidden.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sightglass/data/pictures/slic.h"

namespace sightglass {

struct PictureRegions {
  // mean: hidden regions have their mean colour, else they are grey.
  PictureRegions(Picture picture, Segments parts, bool mean);

  Picture whole;
  Segments segments;

  // The picture with the regions whose bits are set.
  void write(const std::uint64_t* bits, std::uint8_t* rgb) const;

 private:
  // Pixels of one region that follow one another, up to where the next ones begin.
  struct Run {
    std::uint32_t begin = 0, region = 0;
  };
  std::vector<std::uint8_t> hidden_;
  std::vector<Run> runs_;
};

}  // namespace sightglass
