// Which rows stand for all the others when not every row's curve can be shown: those at evenly spaced ranks of the
// prediction. Of several outputs the one whose predictions vary most (by sd; the first of equals) ranks the rows.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/methods/effects/curves/curve_bands.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

struct CurvePicks {
  std::vector<std::uint64_t> rows;      // ascending
  std::size_t output = 0;               // the explained output that ranked them
  std::vector<ValueRange> predictions;  // lowest and highest per explained output, over all rows
};

// One prediction per row, and one more before it where there are several outputs; keeps 16 bytes per row. Rows of
// weight zero count as not there.
[[nodiscard]] Chain<CurvePicks> pick_curves(const MethodInput& input, std::size_t wanted);

}  // namespace sightglass
