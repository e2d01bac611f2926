#include "sightglass/numeric/hitting_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

namespace sightglass {
namespace {

using Sets = std::vector<std::vector<std::uint32_t>>;

TEST(HittingSets, OfAFewSets) {
  EXPECT_THAT(*smallest_hitting_set(3, {}, 0, 4, 100).elements, ::testing::IsEmpty());
  EXPECT_THAT(*smallest_hitting_set(4, {{0, 1}, {1, 2}, {1, 3}}, 0, 5, 100).elements, ::testing::ElementsAre(1));
  EXPECT_THAT(*smallest_hitting_set(4, {{0, 1}, {2, 3}}, 0, 5, 100).elements, ::testing::ElementsAre(0, 2));
  // Nothing hits a set without elements.
  EXPECT_FALSE(smallest_hitting_set(4, {{}}, 0, 5, 100).elements);
}

TEST(HittingSets, AreTheSmallestOfAllSubsets) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 3 + random() % 8;
    Sets sets(random() % 14);
    for (auto& set : sets) {
      for (std::uint32_t element = 0; element < count; ++element) {
        if (random() % 3 == 0) set.push_back(element);
      }
      if (set.empty()) set.push_back(static_cast<std::uint32_t>(random() % count));
    }
    const auto hits = [&](std::uint32_t chosen) {
      return std::all_of(sets.begin(), sets.end(), [&](const auto& set) {
        return std::any_of(set.begin(), set.end(), [&](std::uint32_t element) { return (chosen >> element & 1) != 0; });
      });
    };
    std::size_t fewest = count;
    for (std::uint32_t chosen = 0; chosen < 1U << count; ++chosen) {
      if (hits(chosen)) fewest = std::min(fewest, static_cast<std::size_t>(std::popcount(chosen)));
    }
    const HittingSet found = smallest_hitting_set(count, sets, 0, count + 1, 1'000'000);
    ASSERT_TRUE(found.elements);
    EXPECT_EQ(found.elements->size(), fewest);
    EXPECT_EQ(found.least, fewest);
    std::uint32_t chosen = 0;
    for (const std::uint32_t element : *found.elements) chosen |= 1U << element;
    EXPECT_TRUE(hits(chosen));
    // None so small: what is proven is that there is none.
    const HittingSet none = smallest_hitting_set(count, sets, 0, fewest, 1'000'000);
    EXPECT_FALSE(none.elements);
    EXPECT_EQ(none.least, fewest);
    // With few steps the bound is lower, never wrong.
    EXPECT_LE(smallest_hitting_set(count, sets, 0, count + 1, 3).least, fewest);
  }
}

}  // namespace
}  // namespace sightglass
