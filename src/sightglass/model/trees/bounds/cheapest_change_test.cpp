#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "sightglass/model/trees/bounds/cheapest_change_internal.h"
#include "support/plain_walks.h"
#include "support/random_trees.h"

namespace sightglass {
namespace {

using testing::framework_margins_of_codes;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Truth {
  std::map<std::set<std::uint32_t>, double> cheapest;  // of each set of slots that can do
  bool possible = false;
};

// Every input.
Truth all_changes(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const LeafGoal& goal,
                  const std::vector<SlotMoves>& moves) {
  Truth truth;
  const auto any = [](std::size_t, std::uint32_t) { return true; };
  testing::each_input(codes, any, [&](const std::vector<std::uint32_t>& at) {
    double cost = 0;
    std::set<std::uint32_t> changed;
    for (std::uint32_t slot = 0; slot < at.size(); ++slot) {
      if (at[slot] == moves[slot].own) continue;
      changed.insert(slot);
      cost += moves[slot].costs[at[slot]];
    }
    if (std::isfinite(cost) && goal.holds(framework_margins_of_codes(parts, codes, at))) {
      truth.possible = true;
      const auto known = truth.cheapest.find(changed);
      if (known == truth.cheapest.end() || cost < known->second) truth.cheapest[changed] = cost;
    }
  });
  return truth;
}

// Costs that grow with the distance of numbers, with codes that are not there; categories cost 1.
std::vector<SlotMoves> random_moves(const FeatureCodes& codes, std::mt19937_64& random) {
  std::vector<SlotMoves> moves(codes.slots());
  for (std::size_t slot = 0; slot < codes.slots(); ++slot) {
    const std::uint32_t missing = codes.missing(slot);
    SlotMoves& each = moves[slot];
    each.own = static_cast<std::uint32_t>(random() % (missing + 1));
    each.costs.assign(missing + 1, infinity);
    if (each.own != missing && random() % 6 != 0) {
      for (std::uint32_t code = 0; code < missing; ++code) {
        if (random() % 5 == 0) continue;
        const double steps = std::abs(static_cast<double>(code) - static_cast<double>(each.own));
        each.costs[code] = codes.categorical(slot) ? 1 : 0.25 * steps;
      }
    }
    each.costs[each.own] = 0;
  }
  return moves;
}

LeafGoal at_least(double least, std::size_t output, std::size_t outputs, double sign = 1) {
  LeafGoal goal;
  LeafGoal::Sum sum{.weights = std::vector<double>(outputs), .least = sign * least};
  sum.weights[output] = sign;
  goal.sums = {sum};
  goal.holds = [=](std::span<const double> margins) { return sign * margins[output] >= sign * least; };
  return goal;
}

// Class k is the likeliest.
LeafGoal most_likely(std::size_t k, std::size_t outputs) {
  LeafGoal goal;
  for (std::size_t other = 0; other < outputs; ++other) {
    if (other == k) continue;
    LeafGoal::Sum sum{.weights = std::vector<double>(outputs)};
    sum.weights[k] = 1;
    sum.weights[other] = -1;
    goal.sums.push_back(sum);
  }
  goal.holds = [=](std::span<const double> margins) {
    return std::max_element(margins.begin(), margins.end()) - margins.begin() == static_cast<std::ptrdiff_t>(k);
  };
  return goal;
}

// A share of softmax is at least (or at most) so much.
LeafGoal share(std::size_t k, std::size_t outputs, double wanted, bool more) {
  LeafGoal goal = most_likely(k, outputs);
  goal.rule = more ? LeafGoal::Rule::few_rest : LeafGoal::Rule::much_rest;
  goal.rest = (1 - wanted) / wanted;
  if (!more) {
    for (LeafGoal::Sum& sum : goal.sums) {
      for (double& weight : sum.weights) weight = -weight;
    }
  }
  goal.holds = [=](std::span<const double> margins) {
    std::vector<double> shares(margins.begin(), margins.end());
    LinkFunction{Link::softmax}.apply(shares.data(), shares.size(), 1);
    return more ? shares[k] >= wanted : shares[k] <= wanted;
  };
  return goal;
}

void expect_truth(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const LeafGoal& goal,
                  const std::vector<SlotMoves>& moves, const ChangeLimits& limits) {
  const Context context(1);
  const Truth truth = all_changes(parts, codes, goal, moves);
  std::vector<std::uint32_t> own;
  for (const SlotMoves& each : moves) own.push_back(each.own);
  if (goal.holds(framework_margins_of_codes(parts, codes, own))) return;  // nothing to look for
  const CheapestChange problem(parts, codes, goal);
  const ChangesFound found = problem.search(moves, limits, context);
  EXPECT_FALSE(found.impossible && truth.possible);
  // Sets that can do and contain none that can.
  std::vector<std::pair<std::size_t, double>> minimal;
  for (const auto& [set, cost] : truth.cheapest) {
    if (set.size() > limits.most_features) continue;
    const bool contains = std::any_of(truth.cheapest.begin(), truth.cheapest.end(), [&](const auto& other) {
      return other.first != set && std::includes(set.begin(), set.end(), other.first.begin(), other.first.end());
    });
    if (!contains) minimal.emplace_back(set.size(), cost);
  }
  std::sort(minimal.begin(), minimal.end());
  std::erase_if(minimal, [&, smallest = minimal.empty() ? 0 : minimal.front().first](const auto& each) {
    return each.first > smallest + 1;
  });
  ASSERT_EQ(found.changes.size(), std::min(minimal.size(), limits.count));
  for (std::size_t i = 0; i < found.changes.size(); ++i) {
    const CodeChange& change = found.changes[i];
    EXPECT_EQ(change.slots.size(), minimal[i].first);
    EXPECT_NEAR(change.cost, minimal[i].second, 1e-12);
    EXPECT_TRUE(change.cheapest);
    std::vector<std::uint32_t> at = own;
    for (std::size_t j = 0; j < change.slots.size(); ++j) at[change.slots[j]] = change.codes[j];
    EXPECT_TRUE(goal.holds(framework_margins_of_codes(parts, codes, at)));
  }
  for (const Rung& rung : found.ladder) {
    const bool reaches =
        std::any_of(minimal.begin(), minimal.end(), [&](const auto& each) { return each.first == rung.features; });
    if (!minimal.empty() && rung.features > minimal.front().first) continue;
    EXPECT_EQ(rung.reach, reaches ? RungReach::reached : RungReach::unreachable);
  }
}

class CheapestChanges : public ::testing::TestWithParam<std::string> {};

TEST_P(CheapestChanges, EqualThoseOfAllInputs) {
  std::mt19937_64 random(7);
  std::size_t looked = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto model = testing::random_trees(seed, testing::tree_families().at(GetParam()));
    TreeEnsemble::Parts parts = model->parts();
    parts.trees.resize(7);
    const FeatureCodes codes(parts);
    double inputs = 1;
    for (std::size_t slot = 0; slot < codes.slots(); ++slot) inputs *= codes.codes(slot);
    if (inputs > 60'000) continue;
    ++looked;
    for (int row = 0; row < 4; ++row) {
      const std::vector<SlotMoves> moves = random_moves(codes, random);
      std::vector<std::uint32_t> own;
      for (const SlotMoves& each : moves) own.push_back(each.own);
      const std::vector<double> here = framework_margins_of_codes(parts, codes, own);
      for (const std::size_t count : {1, 3}) {
        const ChangeLimits limits{.most_features = 3, .count = count};
        for (const double far : {0.2, 0.9, 1.7, 40.0}) {
          const double step = far / parts.divisor;
          expect_truth(parts, codes, at_least(here[0] + step, 0, 2), moves, limits);
          expect_truth(parts, codes, at_least(here[1] - step, 1, 2, -1), moves, limits);
        }
        expect_truth(parts, codes, most_likely(here[0] > here[1] ? 1 : 0, 2), moves, limits);
        expect_truth(parts, codes, share(0, 2, 0.6, true), moves, limits);
        expect_truth(parts, codes, share(0, 2, 0.4, false), moves, limits);
      }
    }
  }
  EXPECT_GE(looked, 3U);
}

// A sum of leaves that is exactly what is wanted counts, and one that misses it by the last digit does not.
TEST_P(CheapestChanges, ExactlyWhatIsWantedIsReached) {
  std::mt19937_64 random(8);
  const auto model = testing::random_trees(2, testing::tree_families().at(GetParam()));
  TreeEnsemble::Parts parts = model->parts();
  parts.trees.resize(5);
  const FeatureCodes codes(parts);
  for (int row = 0; row < 6; ++row) {
    const std::vector<SlotMoves> moves = random_moves(codes, random);
    // The margin of some other input.
    std::vector<std::uint32_t> at;
    for (const SlotMoves& each : moves) {
      std::vector<std::uint32_t> there;
      for (std::uint32_t code = 0; code < each.costs.size(); ++code) {
        if (std::isfinite(each.costs[code])) there.push_back(code);
      }
      at.push_back(there[random() % there.size()]);
    }
    const double margin = framework_margins_of_codes(parts, codes, at)[0];
    for (const double least : {margin, std::nextafter(margin, infinity)})
      expect_truth(parts, codes, at_least(least, 0, 2), moves, {.most_features = 4, .count = 2});
  }
}

// Leaves that are added to a large base lose digits in float32, which no difference of two outputs shows.
TEST_P(CheapestChanges, WhatTheFrameworkRoundsDecides) {
  std::mt19937_64 random(10);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const auto model = testing::random_trees(seed, testing::tree_families().at(GetParam()));
    TreeEnsemble::Parts parts = model->parts();
    parts.trees.resize(6);
    parts.base.assign(2, 1000);
    for (TreeNode& node : parts.nodes) {
      if (node.is_leaf() && node.leaf < 0) node.threshold = static_cast<float>(node.threshold * 1e-4);
    }
    for (double& value : parts.leaf_values) value = static_cast<float>(value * 1e-4);
    const FeatureCodes codes(parts);
    double inputs = 1;
    for (std::size_t slot = 0; slot < codes.slots(); ++slot) inputs *= codes.codes(slot);
    if (inputs > 60'000) continue;
    for (int row = 0; row < 3; ++row) {
      const std::vector<SlotMoves> moves = random_moves(codes, random);
      for (const std::size_t wanted : {0, 1})
        expect_truth(parts, codes, most_likely(wanted, 2), moves, {.most_features = 3, .count = 2});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, CheapestChanges, ::testing::Values("xgboost", "lightgbm", "catboost", "forest"),
                         [](const auto& family) { return family.param; });

// What is proven of a search that was cut short is true.
TEST(CheapestChange, BoundsHoldWhereverTheSearchStops) {
  std::mt19937_64 random(9);
  const Context context(1);
  std::size_t stopped = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const auto model = testing::random_trees(seed, testing::tree_families().at("xgboost"));
    const TreeEnsemble::Parts& parts = model->parts();
    const FeatureCodes codes(parts);
    const std::vector<SlotMoves> moves = random_moves(codes, random);
    std::vector<std::uint32_t> own;
    for (const SlotMoves& each : moves) own.push_back(each.own);
    const LeafGoal goal = at_least(framework_margins_of_codes(parts, codes, own)[0] + 2.5, 0, 2);
    const CheapestChange problem(parts, codes, goal);
    const ChangesFound whole = problem.search(moves, {.boxes = 10'000'000}, context);
    for (const std::uint64_t boxes : {1, 5, 20, 100}) {
      const ChangesFound some = problem.search(moves, {.boxes = boxes}, context);
      // Sizes that were not looked at are not refuted either.
      if (some.changes.empty() && !whole.changes.empty()) {
        ++stopped;
        ASSERT_GE(some.ladder.size(), whole.changes[0].slots.size());
        EXPECT_FALSE(some.impossible);
      }
      for (std::size_t i = 0; i < some.ladder.size(); ++i) {
        // Of a size that can do, no bound is above the least cost.
        if (i < whole.ladder.size() && whole.ladder[i].reach == RungReach::reached) {
          EXPECT_LE(some.ladder[i].bound, whole.changes[0].cost + 1e-12);
          EXPECT_NE(some.ladder[i].reach, RungReach::unreachable);
        }
      }
      for (const CodeChange& change : some.changes) {
        std::vector<std::uint32_t> at = own;
        for (std::size_t j = 0; j < change.slots.size(); ++j) at[change.slots[j]] = change.codes[j];
        EXPECT_TRUE(goal.holds(framework_margins_of_codes(parts, codes, at)));
        if (!whole.changes.empty() && whole.changes[0].slots.size() == change.slots.size()) {
          EXPECT_GE(change.cost, whole.changes[0].cost - 1e-12);
        }
      }
    }
  }
  EXPECT_GT(stopped, 0U);
}

}  // namespace
}  // namespace sightglass
