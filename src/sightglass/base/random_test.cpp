#include "sightglass/base/random.h"

#include <gtest/gtest.h>

#include <set>

namespace sightglass {
namespace {

TEST(RandomBits, FourAtOnceStartWithTheOne) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t index = 0; index < 100; ++index) {
    const auto four = random_block(3, 5, index);
    EXPECT_EQ(four[0], random_bits(3, 5, index));
    seen.insert(four.begin(), four.end());
  }
  EXPECT_EQ(seen.size(), 400U);
}

}  // namespace
}  // namespace sightglass
