#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sightglass/model/trees/bounds/margin_range_internal.h"
#include "support/plain_walks.h"
#include "support/random_trees.h"

namespace sightglass {
namespace {

using testing::margins_of_codes;

class MarginRanges : public ::testing::TestWithParam<std::string> {};

TEST_P(MarginRanges, HoldAllInputsAndAreReached) {
  const Context context(1);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto model = testing::random_trees(seed, testing::tree_families().at(GetParam()));
    TreeEnsemble::Parts parts = model->parts();
    parts.trees.resize(std::min<std::size_t>(parts.trees.size(), 6));  // so that all inputs can be tried
    const FeatureCodes codes(parts);
    CodeBox box(codes);
    for (std::size_t slot = 0; slot < codes.slots(); ++slot) {
      for (std::uint32_t code = 1; code < codes.codes(slot); ++code) {
        if ((seed + 7 * slot + 3 * code) % 4 == 0) box.forbid(slot, code);
      }
    }
    for (std::size_t output = 0; output < parts.base.size(); ++output) {
      double least = std::numeric_limits<double>::infinity(), greatest = -least;
      const auto allowed = [&](std::size_t slot, std::uint32_t code) { return box.allows(slot, code); };
      testing::each_input(codes, allowed, [&](const std::vector<std::uint32_t>& at) {
        const double margin = margins_of_codes(parts, codes, at)[output];
        least = std::min(least, margin);
        greatest = std::max(greatest, margin);
      });
      const MarginRange all = margin_range(parts, codes, box, output, 1'000'000, context);
      EXPECT_NEAR(all.low, least, 1e-12);
      EXPECT_NEAR(all.high, greatest, 1e-12);
      EXPECT_TRUE(all.exact());
      for (const std::uint64_t limit : {1, 2, 5}) {
        const MarginRange some = margin_range(parts, codes, box, output, limit, context);
        EXPECT_LE(some.low, least + 1e-12);
        EXPECT_GE(some.high, greatest - 1e-12);
        EXPECT_NEAR(margins_of_codes(parts, codes, some.at_least)[output], some.least, 1e-12);
        EXPECT_NEAR(margins_of_codes(parts, codes, some.at_greatest)[output], some.greatest, 1e-12);
        for (std::size_t slot = 0; slot < codes.slots(); ++slot) EXPECT_TRUE(box.allows(slot, some.at_greatest[slot]));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, MarginRanges, ::testing::Values("xgboost", "lightgbm", "catboost", "forest"),
                         [](const auto& family) { return family.param; });

TEST(CodeBoxes, KnowWhichCodesAreLeft) {
  const auto model = testing::random_trees(3, testing::tree_families().at("xgboost"));
  const FeatureCodes codes(model->parts());
  CodeBox box(codes);
  const std::uint32_t count = codes.codes(0);
  ASSERT_GT(count, 3U);
  EXPECT_TRUE(box.allows_any(0, 0, count));
  EXPECT_FALSE(box.allows_any(0, 2, 2));
  for (std::uint32_t code = 0; code + 1 < count; ++code) box.forbid(0, code);
  EXPECT_FALSE(box.allows_any(0, 0, count - 1));
  EXPECT_TRUE(box.allows_any(0, count - 1, count));
  EXPECT_EQ(box.first_allowed(0, count), count - 1);
  box.forbid(0, count - 1);
  EXPECT_EQ(box.first_allowed(0, count), count);
}

}  // namespace
}  // namespace sightglass
