#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "sightglass/methods/local/anchoring/certain_search_internal.h"
#include "support/plain_walks.h"
#include "support/random_trees.h"

namespace sightglass {
namespace {

using testing::margins_of_codes;
using Codes = std::vector<std::uint32_t>;

// Trees over ten numbers and two categories, with one to three outputs, of few splits each, so that all inputs can be
// tried.
TreeEnsemble::Parts small_trees(std::uint64_t seed, std::size_t outputs) {
  std::mt19937_64 random(seed);
  TreeEnsemble::Parts parts;
  parts.comparison = Comparison::float64_less_equal;
  constexpr std::size_t features = 9;
  for (std::size_t j = 0; j < features; ++j) {
    parts.signature.features.push_back({.name = std::to_string(j), .categorical = j == 4});
    if (j == 4) parts.signature.features.back().levels = {"x", "y", "z"};
  }
  for (std::size_t k = 0; k < outputs; ++k) {
    parts.signature.outputs.push_back("y" + std::to_string(k));
    parts.base.push_back(0.1 * static_cast<double>(random() % 5));
  }
  const auto leaf = [&] { return TreeNode{.threshold = static_cast<double>(random() % 2000) / 1000 - 1}; };
  for (std::uint32_t tree = 0; tree < 4 * outputs; ++tree) {
    parts.trees.push_back({static_cast<std::uint32_t>(parts.nodes.size()), static_cast<std::uint32_t>(tree % outputs)});
    const auto first = static_cast<std::int32_t>(parts.nodes.size());
    for (std::int32_t node = 0; node < 7; ++node) {
      if (node >= 3) {
        parts.nodes.push_back(leaf());
        continue;
      }
      TreeNode split{.left = first + 2 * node + 1,
                     .right = first + 2 * node + 2,
                     .feature = static_cast<std::int32_t>(random() % features),
                     .threshold = static_cast<double>(random() % 2),
                     .missing_left = random() % 2 == 0};
      if (split.feature == 4) {
        split.categories = static_cast<std::int32_t>(parts.category_sets.size());
        parts.category_sets.push_back({{1 + random() % 6}});
        split.threshold = 0;
      }
      parts.nodes.push_back(split);
    }
  }
  return parts;
}

struct Problem {
  std::vector<Violation> violations;
  std::function<bool(std::span<const std::uint32_t>)> broken;
};

// That one output stays on its side of zero; that a class stays the first; that a class does not become the first.
Problem problem(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const Codes& own, int kind) {
  const auto of = [&](std::span<const std::uint32_t> at) { return margins_of_codes(parts, codes, at); };
  const auto top = [of](std::span<const std::uint32_t> at) {
    const auto margins = of(at);
    return static_cast<std::size_t>(std::max_element(margins.begin(), margins.end()) - margins.begin());
  };
  constexpr double rounding = 1e-12;
  const std::size_t outputs = parts.base.size(), first = top(own);
  Problem found;
  if (kind == 0) {
    const bool above = of(own)[0] > 0;
    std::vector<double> factors(outputs);
    factors[0] = above ? -1 : 1;
    found.violations = {{.sums = {{.factors = factors, .level = -rounding}}}};
    found.broken = [=](std::span<const std::uint32_t> at) { return (of(at)[0] > 0) != above; };
  } else if (kind == 1) {
    for (std::size_t k = 0; k < outputs; ++k) {
      if (k == first) continue;
      std::vector<double> factors(outputs);
      factors[k] = 1;
      factors[first] = -1;
      found.violations.push_back({.sums = {{.factors = factors, .level = -rounding}}});
    }
    found.broken = [=](std::span<const std::uint32_t> at) { return top(at) != first; };
  } else {
    const std::size_t other = (first + 1) % outputs;
    found.violations.emplace_back();
    for (std::size_t k = 0; k < outputs; ++k) {
      if (k == other) continue;
      std::vector<double> factors(outputs);
      factors[other] = 1;
      factors[k] = -1;
      found.violations[0].sums.push_back({.factors = factors, .level = -rounding});
    }
    found.broken = [=](std::span<const std::uint32_t> at) { return top(at) == other; };
  }
  return found;
}

class FewestCertainSlots : public ::testing::TestWithParam<int> {};

TEST_P(FewestCertainSlots, AreThoseOfAllSubsets) {
  const Context context(1);
  std::size_t smaller_than_minimal = 0, bounded = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const TreeEnsemble model(small_trees(seed, GetParam() == 0 ? 1 : 3), "small trees");
    const FeatureCodes codes(model.parts());
    std::mt19937_64 random(seed);
    Codes own;
    std::vector<bool> may_miss;
    for (std::size_t slot = 0; slot < codes.slots(); ++slot) {
      own.push_back(static_cast<std::uint32_t>(random() % codes.codes(slot)));
      may_miss.push_back(random() % 3 == 0);
    }
    const Problem asked = problem(model.parts(), codes, own, GetParam());
    const CounterexampleSearch search(model.parts(), codes, asked.violations, {.own = own, .may_miss = may_miss},
                                      asked.broken);
    // A set settles it if no input that has another outcome has the row's codes in it.
    std::vector<std::uint32_t> differing;
    const auto possible = [&](std::size_t slot, std::uint32_t code) {
      return code != codes.missing(slot) || may_miss[slot] || own[slot] == code;
    };
    testing::each_input(codes, possible, [&](const Codes& at) {
      if (!asked.broken(at)) return;
      std::uint32_t differs = 0;
      for (std::size_t slot = 0; slot < at.size(); ++slot) differs |= at[slot] != own[slot] ? 1U << slot : 0;
      differing.push_back(differs);
    });
    std::sort(differing.begin(), differing.end());
    differing.erase(std::unique(differing.begin(), differing.end()), differing.end());
    const auto settles = [&](std::uint32_t chosen) {
      return std::all_of(differing.begin(), differing.end(),
                         [&](std::uint32_t differs) { return (differs & chosen) != 0; });
    };
    std::size_t fewest = codes.slots(), longest = 0;
    for (std::uint32_t chosen = 0; chosen < 1U << codes.slots(); ++chosen) {
      std::vector<bool> fixed(codes.slots());
      for (std::size_t slot = 0; slot < fixed.size(); ++slot) fixed[slot] = (chosen >> slot & 1) != 0;
      const bool known = settles(chosen);
      const CounterexampleAnswer answer = search.find(fixed, 100'000, context);
      ASSERT_EQ(answer.kind, known ? CounterexampleAnswer::Kind::none : CounterexampleAnswer::Kind::found)
          << seed << " " << chosen;
      if (!known) {
        EXPECT_TRUE(asked.broken(answer.at));
        for (std::size_t slot = 0; slot < fixed.size(); ++slot) {
          EXPECT_TRUE(!fixed[slot] || answer.at[slot] == own[slot]);
        }
        continue;
      }
      fewest = std::min(fewest, static_cast<std::size_t>(std::popcount(chosen)));
      bool minimal = true;
      for (std::size_t slot = 0; slot < codes.slots() && minimal; ++slot)
        minimal = (chosen >> slot & 1) == 0 || !settles(chosen & ~(1U << slot));
      if (minimal) longest = std::max(longest, static_cast<std::size_t>(std::popcount(chosen)));
    }
    smaller_than_minimal += longest > fewest;
    for (const std::uint64_t boxes : {100'000, 20, 3, 1}) {
      const CertainSlots found = fewest_certain_slots(search, own, asked.broken, boxes, context);
      std::uint32_t chosen = 0;
      for (const std::uint32_t slot : found.slots) chosen |= 1U << slot;
      EXPECT_TRUE(settles(chosen)) << seed << " " << boxes;
      EXPECT_LE(found.least, fewest) << seed << " " << boxes;
      EXPECT_GE(found.slots.size(), fewest);
      if (found.open == 0) {
        for (const std::uint32_t slot : found.slots)
          EXPECT_FALSE(settles(chosen & ~(1U << slot))) << seed << " " << boxes;
      }
      if (boxes == 100'000) {
        EXPECT_EQ(found.slots.size(), fewest) << seed;
        EXPECT_EQ(found.least, fewest) << seed;
      }
      bounded += found.least < found.slots.size();
    }
  }
  // There is something to be found that leaving out alone may miss, and limits that are felt.
  EXPECT_GT(smaller_than_minimal, 5U);
  EXPECT_GT(bounded, 5U);
}

INSTANTIATE_TEST_SUITE_P(OneSideFirstClassNotThatClass, FewestCertainSlots, ::testing::Values(0, 1, 2));

}  // namespace
}  // namespace sightglass
