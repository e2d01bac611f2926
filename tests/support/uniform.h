// Random numbers of test data.
#pragma once

#include <cstdint>

#include "sightglass/base/random.h"

namespace sightglass::testing {

// Between 0 and 1.
inline double uniform(std::uint64_t stream, std::uint64_t index) {
  return static_cast<double>(random_bits(5, stream, index) >> 11) * 0x1p-53;
}

}  // namespace sightglass::testing
