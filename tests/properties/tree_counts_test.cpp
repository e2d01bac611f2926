// Counts of rows at leaves against their definition, row by row and condition by condition.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "sightglass/base/error.h"
#include "sightglass/model/trees/counts/tree_counts_internal.h"
#include "support/random_trees.h"

namespace sightglass {
namespace {

using testing::tree_families;
using testing::TreeBuilder;
using testing::TreeFamily;
using testing::wide_trees;
using Way = TreeCounts::Way;

struct CodedRows {
  CodedRows(const FeatureCodes& codes, std::size_t number, std::uint64_t seed) : rows(number) {
    std::mt19937_64 random(seed);
    values.resize(codes.slots() * rows);
    for (std::size_t slot = 0; slot < codes.slots(); ++slot) {
      for (std::size_t row = 0; row < rows; ++row)
        values[slot * rows + row] = static_cast<std::uint16_t>(random() % codes.codes(slot));
    }
    for (std::size_t row = 0; row < rows; ++row)
      units.push_back(random() % (seed % 2 == 0 ? 4 : std::uint64_t{1} << 40));
    units[random() % rows] = std::uint64_t{1} << 60;
  }
  [[nodiscard]] TreeCounts::Rows some(std::size_t begin, std::size_t end, bool weighted) const {
    return {values.data() + begin, rows, end - begin, weighted ? units.data() + begin : nullptr};
  }
  std::size_t rows;
  std::vector<std::uint16_t> values;
  std::vector<std::uint64_t> units;
};

std::vector<std::uint64_t> by_definition(const TreeCounts& counts, const CodedRows& data, bool weighted) {
  std::vector<std::uint64_t> numbers(counts.size(), 0);
  for (const TreeCounts::Leaf& leaf : counts.leaves()) {
    const auto path_conditions = counts.path_conditions(leaf);
    for (std::size_t row = 0; row < data.rows; ++row) {
      const std::uint64_t one = weighted ? data.units[row] : 1;
      std::vector<std::size_t> failed;
      for (std::size_t p = 0; p < path_conditions.size() && failed.size() < 3; ++p) {
        if (!counts.meets(path_conditions[p], data.values[path_conditions[p].slot * data.rows + row]))
          failed.push_back(p);
      }
      const auto within = [&](std::size_t p, std::size_t q) {
        return std::all_of(failed.begin(), failed.end(), [&](std::size_t f) { return f == p || f == q; });
      };
      if (failed.empty()) numbers[TreeCounts::all(leaf)] += one;
      for (std::size_t q = 0; q < path_conditions.size(); ++q) {
        if (within(q, q)) numbers[counts.without(leaf, q)] += one;
        for (std::size_t p = 0; p < q && counts.order() > 1; ++p) {
          if (within(p, q)) numbers[counts.without(leaf, p, q)] += one;
        }
      }
    }
  }
  return numbers;
}

std::vector<std::uint64_t> counted(const TreeCounts& counts, const TreeCounts::Rows& rows) {
  std::vector<std::uint64_t> numbers(counts.size(), 0);
  TreeCounts::Workspace workspace(counts);
  counts.add(counts.trees(), rows, numbers.data(), workspace);
  return numbers;
}

void expect_the_definition(const TreeEnsemble::Parts& parts, std::size_t rows, std::uint64_t seed) {
  const FeatureCodes codes(parts);
  const CodedRows data(codes, rows, seed);
  for (const int order : {1, 2}) {
    TreeCounts counts(parts, codes, order);
    for (const bool weighted : {false, true}) {
      const auto wanted = by_definition(counts, data, weighted);
      for (const Way way : {Way::by_size, Way::sets, Way::lists}) {
        counts.choose(way);
        ASSERT_EQ(counted(counts, data.some(0, rows, weighted)), wanted)
            << "order " << order << " weighted " << weighted << " way " << static_cast<int>(way) << " seed " << seed;
      }
    }
  }
}

class CountedTrees : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static const TreeFamily& family() { return tree_families().at(GetParam()); }
};

TEST_P(CountedTrees, AreCountedAsDefined) {
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    expect_the_definition(TreeBuilder(seed, family()).build(12, 4), 1 + 190 * seed, seed);
  expect_the_definition(TreeBuilder(3, family()).build(3, 8), 700, 1);
}

TEST_P(CountedTrees, MayBeChains) {
  for (const int depth : {1, 9, 63, 64, 65, 300})
    expect_the_definition(TreeBuilder(7, family()).chains(2, depth), 300, static_cast<std::uint64_t>(depth));
}

TEST_P(CountedTrees, MayBeBareLeavesOrNone) {
  expect_the_definition(TreeBuilder(1, family()).build(3, 0), 300, 5);
  expect_the_definition(TreeBuilder(1, family()).build(20, 1), 300, 5);
  expect_the_definition(TreeBuilder(1, family()).build(0, 1), 300, 5);
}

// A node's lists lie behind its parent's: of all rows at once, a deep chain would take all memory.
TEST(CountedChains, TakeFewerRowsAtATime) {
  const TreeEnsemble::Parts parts = TreeBuilder(7, tree_families().at("xgboost")).chains(1, 6000);
  const FeatureCodes codes(parts);
  const CodedRows data(codes, TreeCounts::list_rows, 2);
  TreeCounts counts(parts, codes, 1);
  counts.choose(Way::lists);
  std::vector<std::uint64_t> numbers(counts.size());
  TreeCounts::Workspace workspace(counts);
  counts.add(counts.trees(), data.some(0, data.rows, false), numbers.data(), workspace);
  EXPECT_LT(workspace.rows.capacity() * sizeof(std::uint16_t), std::size_t{3} << 27);
  Context context(1);
  context.cancel();
  TreeCounts::Workspace stopped(counts, &context);
  EXPECT_THROW(counts.add(counts.trees(), data.some(0, data.rows, false), numbers.data(), stopped), Cancelled);
}

// Conditions on categories are sets of them, at every split anew.
TEST(CountedCategories, TakeMemoryForTheirSets) {
  std::mt19937_64 random(1);
  TreeEnsemble::Parts parts;
  parts.signature.features = {{.name = "a", .categorical = true}};
  parts.signature.outputs = {"y"};
  parts.base = {0};
  constexpr std::size_t categories = 20'000, splits = 200;
  for (std::size_t split = 0; split < splits; ++split) {
    auto& set = parts.category_sets.emplace_back();
    for (std::size_t word = 0; word < categories / 64; ++word) set.bits.push_back(random());
    const auto at = static_cast<std::int32_t>(parts.nodes.size());
    parts.nodes.push_back({.left = at + 1, .right = at + 2, .feature = 0, .categories = static_cast<int>(split)});
    parts.nodes.push_back({.threshold = 1});
  }
  parts.nodes.push_back({.threshold = 2});
  parts.trees = {{0, 0}};
  std::size_t largest = 0;
  (void)TreeCounts::ranges(parts, 1, std::size_t{1} << 30, &largest);
  EXPECT_GT(largest, 2 * splits * (categories / 64) * 8);
  EXPECT_LT(largest, 3 * splits * (categories / 64) * 8);
  expect_the_definition(parts, 300, 1);
}

TEST(WideTrees, MayHaveAnyNumberOfFeaturesOnAPath) {
  expect_the_definition(wide_trees(60, 2, 40, true), 500, 1);
  expect_the_definition(wide_trees(15, 2, 15, true), 500, 2);
  expect_the_definition(wide_trees(3000, 3, 6, false), 400, 3);
}

TEST(WideTrees, AddUpOverRowsAndTrees) {
  const TreeEnsemble::Parts parts = wide_trees(9, 6, 7, false);
  const FeatureCodes codes(parts);
  const std::size_t rows = TreeCounts::list_rows + 3000;
  const CodedRows data(codes, rows, 4);
  for (const Way way : {Way::sets, Way::lists}) {
    TreeCounts counts(parts, codes, 2);
    counts.choose(way);
    const auto wanted = counted(counts, data.some(0, rows, true));
    std::vector<std::uint64_t> numbers(counts.size(), 0);
    TreeCounts::Workspace workspace(counts);
    for (const auto& [begin, end] : std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {1, 3000}, {3000, rows}}) {
      for (const TreeRange trees : {TreeRange{0, 2}, TreeRange{2, 2}, TreeRange{2, 6}})
        counts.add(trees, data.some(begin, end, true), numbers.data(), workspace);
    }
    EXPECT_EQ(numbers, wanted);
    // Range by range the same numbers, one after the other.
    const auto ranges = TreeCounts::ranges(parts, 2, 100'000);
    ASSERT_GT(ranges.size(), 1U);
    std::vector<std::uint64_t> joined;
    for (const TreeRange& range : ranges) {
      TreeCounts some(parts, codes, 2, range);
      some.choose(way);
      const auto here = counted(some, data.some(0, rows, true));
      joined.insert(joined.end(), here.begin(), here.end());
    }
    EXPECT_EQ(joined, wanted);
  }
}

TEST_P(CountedTrees, TakeWeightsForDuplicates) {
  const TreeEnsemble::Parts parts = TreeBuilder(5, family()).build(10, 5);
  const FeatureCodes codes(parts);
  const CodedRows once(codes, 300, 6);
  std::vector<std::uint64_t> units;
  for (std::size_t row = 0; row < once.rows; ++row) units.push_back(row % 4);
  std::vector<std::size_t> copies;
  for (std::size_t row = 0; row < once.rows; ++row) copies.insert(copies.end(), units[row], row);
  std::vector<std::uint16_t> values;
  for (std::size_t slot = 0; slot < codes.slots(); ++slot) {
    for (const std::size_t row : copies) values.push_back(once.values[slot * once.rows + row]);
  }
  for (const Way way : {Way::sets, Way::lists}) {
    TreeCounts counts(parts, codes, 2);
    counts.choose(way);
    EXPECT_EQ(counted(counts, {once.values.data(), once.rows, once.rows, units.data()}),
              counted(counts, {values.data(), copies.size(), copies.size()}));
  }
}

INSTANTIATE_TEST_SUITE_P(Families, CountedTrees, ::testing::Values("xgboost", "lightgbm", "catboost", "forest"),
                         [](const auto& family) { return family.param; });

}  // namespace
}  // namespace sightglass
