#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sightglass/model/trees/bounds/margin_range_internal.h"
#include "support/plain_walks.h"
#include "support/random_trees.h"

namespace sightglass {
namespace {

using testing::margin_of_codes;

// Every input of a box.
template <class Visit>
void each_input(const FeatureCodes& codes, const CodeBox& box, Visit visit) {
  std::vector<std::uint32_t> at(codes.slots(), 0);
  while (true) {
    bool inside = true;
    for (std::size_t slot = 0; slot < at.size(); ++slot) inside = inside && box.allows(slot, at[slot]);
    if (inside) visit(at);
    std::size_t slot = 0;
    while (slot < at.size() && ++at[slot] == codes.codes(slot)) at[slot++] = 0;
    if (slot == at.size()) return;
  }
}

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
      each_input(codes, box, [&](const std::vector<std::uint32_t>& at) {
        least = std::min(least, margin_of_codes(parts, codes, at, output));
        greatest = std::max(greatest, margin_of_codes(parts, codes, at, output));
      });
      const MarginRange all = margin_range(parts, codes, box, output, 1'000'000, context);
      EXPECT_NEAR(all.low, least, 1e-12);
      EXPECT_NEAR(all.high, greatest, 1e-12);
      EXPECT_TRUE(all.exact());
      for (const std::uint64_t limit : {1, 2, 5}) {
        const MarginRange some = margin_range(parts, codes, box, output, limit, context);
        EXPECT_LE(some.low, least + 1e-12);
        EXPECT_GE(some.high, greatest - 1e-12);
        EXPECT_NEAR(margin_of_codes(parts, codes, some.at_least, output), some.least, 1e-12);
        EXPECT_NEAR(margin_of_codes(parts, codes, some.at_greatest, output), some.greatest, 1e-12);
        for (std::size_t slot = 0; slot < codes.slots(); ++slot) EXPECT_TRUE(box.allows(slot, some.at_greatest[slot]));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, MarginRanges, ::testing::Values("xgboost", "lightgbm", "forest"),
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
