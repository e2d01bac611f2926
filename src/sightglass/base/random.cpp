#include "sightglass/base/random.h"

#include <Random123/philox.h>

namespace sightglass {

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const r123::Philox4x64::ctr_type counter = {{index, 0, 0, 0}};
  const r123::Philox4x64::key_type key = {{seed, stream}};
  return r123::Philox4x64()(counter, key)[0];
}

std::array<std::uint64_t, 4> four_random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const r123::Philox4x64::ctr_type counter = {{index, 0, 0, 0}};
  const r123::Philox4x64::key_type key = {{seed, stream}};
  const auto made = r123::Philox4x64()(counter, key);
  return {made[0], made[1], made[2], made[3]};
}

}  // namespace sightglass
