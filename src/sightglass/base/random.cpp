#include "sightglass/base/random.h"

#include <Random123/philox.h>

namespace sightglass {

std::array<std::uint64_t, 4> random_block(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const r123::Philox4x64::ctr_type counter = {{index, 0, 0, 0}};
  const r123::Philox4x64::key_type key = {{seed, stream}};
  const auto drawn = r123::Philox4x64()(counter, key);
  return {drawn[0], drawn[1], drawn[2], drawn[3]};
}

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return random_block(seed, stream, index)[0];
}

}  // namespace sightglass
