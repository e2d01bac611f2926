// Rows under many variants, and rows that take a step, against a plain walk under each.
#include <gtest/gtest.h>

#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/methods/effects/accumulated/tree_differences.h"
#include "sightglass/methods/importance/switching/tree_curves.h"
#include "sightglass/model/trees/rows/row_order_internal.h"
#include "sightglass/model/trees/tree_rows.h"
#include "sightglass/model/trees/variants/tree_variants_internal.h"
#include "support/plain_walks.h"
#include "support/random_data.h"
#include "support/random_trees.h"

namespace sightglass {
namespace {

using testing::hard_number;
using testing::random_table;
using testing::tree_families;
using testing::TreeBuilder;
using testing::TreeFamily;
using testing::walk;

using Parts = TreeEnsemble::Parts;
using Values = std::vector<double>;  // by feature

double hard_value(const FeatureCodes& codes, std::size_t slot, std::mt19937_64& random) {
  if (!codes.categorical(slot)) return hard_number(random);
  return random() % 6 == 0 ? NAN : static_cast<double>(random() % 5) - 1;
}

// What one variant sets: a value for each of some slots.
std::vector<Values> random_variants(const FeatureCodes& codes, const std::vector<std::size_t>& set, std::size_t count,
                                    std::mt19937_64& random) {
  std::vector<Values> variants(count);
  for (Values& variant : variants) {
    for (const std::size_t slot : set) variant.push_back(hard_value(codes, slot, random));
  }
  return variants;
}

// All rows under all variants; how many points there were.
std::size_t expect_what_walks_find(const Parts& parts, const std::vector<std::size_t>& set,
                                   const std::vector<Values>& variants, std::size_t rows, std::mt19937_64& random) {
  const FeatureCodes codes(parts);
  const TreeEdges edges(parts, codes);
  const auto amounts = LeafAmounts::of(parts, edges);
  EXPECT_TRUE(amounts);
  std::vector<std::vector<std::uint16_t>> coded;
  for (const Values& variant : variants) {
    auto& of_variant = coded.emplace_back();
    for (std::size_t i = 0; i < set.size(); ++i) of_variant.push_back(codes.code(set[i], variant[i]));
  }
  const TreeVariants together(parts, codes, edges, *amounts, set, coded);
  std::vector<Values> data(rows, Values(parts.signature.features.size(), 0.0));
  // Rows that are not there have any code.
  std::vector<std::uint16_t> row_codes(codes.slots() * set_rows);
  for (std::size_t slot = 0; slot < codes.slots(); ++slot) {
    for (std::size_t row = 0; row < set_rows; ++row) {
      const double value = hard_value(codes, slot, random);
      if (row < rows) data[row][codes.features()[slot]] = value;
      row_codes[slot * set_rows + row] = codes.code(slot, value);
    }
  }
  ConditionSets conditions(codes);
  conditions.find(row_codes.data());
  TreeVariants::Workspace workspace;
  // What was there before does not matter.
  together.find(conditions.sets(), first_rows(set_rows), workspace);
  together.find(conditions.sets(), first_rows(rows), workspace);
  const std::size_t outputs = parts.base.size();
  const auto walked = [&](std::size_t row, const Values& variant) {
    Values values = data[row];
    for (std::size_t i = 0; i < set.size(); ++i) values[codes.features()[set[i]]] = variant[i];
    return walk<double>(parts, values);
  };
  const auto found = [&](std::size_t variant, std::size_t row, std::size_t output) {
    return together.sums(workspace, variant)[position_of_row(row) * outputs + output] / parts.divisor;
  };
  for (std::size_t v = 0; v < variants.size(); ++v) {
    for (std::size_t row = 0; row < set_rows; ++row) {
      for (std::size_t k = 0; k < outputs; ++k) {
        const double here = found(v, row, k) - found(0, row, k);
        const double wanted = row < rows ? walked(row, variants[v])[k] - walked(row, variants[0])[k] : 0;
        EXPECT_NEAR(here, wanted, 1e-12) << "variant " << v << " row " << row << " output " << k;
        if (::testing::Test::HasFailure()) return 0;
      }
    }
  }
  const std::size_t first = [&] {
    std::size_t variant = 0;
    while (together.point_of(variant) != 0) ++variant;
    return variant;
  }();
  for (std::size_t row = 0; row < rows; ++row)
    EXPECT_EQ(found(first, row, 0), 0) << "the first point is where sums start";
  // Only many points share their sums, where few rows are.
  if (together.points() * outputs > 1024 && rows == 1) {
    EXPECT_LT(workspace.sums_of_point.back() + 1, together.points());
  } else if (together.points() * outputs <= 1024) {
    EXPECT_EQ(workspace.sums_of_point.back() + 1, together.points());
  }
  return together.points();
}

class Variants : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static const TreeFamily& family() { return tree_families().at(GetParam()); }
};

TEST_P(Variants, AreWhatWalksFind) {
  std::mt19937_64 random(3);
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Parts parts = TreeBuilder(seed, family()).build(20, 5);
    const FeatureCodes codes(parts);
    ASSERT_EQ(codes.slots(), 4U);
    for (const std::vector<std::size_t>& set :
         std::vector<std::vector<std::size_t>>{{0}, {1}, {2}, {3}, {0, 2}, {1, 3}, {0, 1, 2, 3}}) {
      for (const std::size_t rows : {std::size_t{1}, std::size_t{63}, set_rows}) {
        expect_what_walks_find(parts, set, random_variants(codes, set, 1 + random() % 12, random), rows, random);
        if (HasFailure()) FAIL() << "seed " << seed << ", " << set.size() << " features from " << set[0];
      }
    }
  }
}

// More points than bits of a word, and all that there are.
TEST_P(Variants, MayBeMany) {
  std::mt19937_64 random(5);
  const Parts parts = TreeBuilder(8, family()).build(12, 6);
  const FeatureCodes codes(parts);
  EXPECT_GT(expect_what_walks_find(parts, {0, 3}, random_variants(codes, {0, 3}, 300, random), 100, random), 64U);
}

// So many that points at which nothing changes for the rows at hand share their sums.
TEST_P(Variants, MayBeMoreThanTheCacheHolds) {
  std::mt19937_64 random(6);
  const Parts parts = TreeBuilder(9, family()).build(12, 6);
  const FeatureCodes codes(parts);
  const std::vector<std::size_t> set = {0, 1, 3};
  for (const std::size_t rows : {std::size_t{1}, std::size_t{40}}) {
    const std::vector<Values> variants = random_variants(codes, set, 2500, random);
    ASSERT_GT(expect_what_walks_find(parts, set, variants, rows, random), 1024U);
    if (HasFailure()) FAIL() << rows << " rows";
  }
}

TEST_P(Variants, MayBeOfChains) {
  std::mt19937_64 random(7);
  const Parts parts = TreeBuilder(7, family()).chains(3, 300);
  const FeatureCodes codes(parts);
  expect_what_walks_find(parts, {1, 2}, random_variants(codes, {1, 2}, 9, random), 200, random);
}

TEST_P(Variants, MayBeOfBareLeaves) {
  std::mt19937_64 random(7);
  EXPECT_EQ(expect_what_walks_find(TreeBuilder(1, family()).build(3, 0), {}, {{}, {}, {}}, 10, random), 1U);
  EXPECT_EQ(expect_what_walks_find(TreeBuilder(1, family()).build(0, 0), {}, {{}}, 10, random), 1U);
}

TEST_P(Variants, ThatNoSplitTellsApartAreOnePoint) {
  std::mt19937_64 random(11);
  const Parts parts = TreeBuilder(2, family()).build(20, 4);
  // Splits are at multiples of a half, up to 10 in absolute value.
  EXPECT_EQ(expect_what_walks_find(parts, {0}, {{11}, {12}, {1e30}}, 100, random), 1U);
  EXPECT_EQ(expect_what_walks_find(parts, {0}, {{11}, {NAN}, {12}, {NAN}}, 100, random), 2U);
  EXPECT_EQ(expect_what_walks_find(parts, {0, 3}, {{0.1, 0.2}, {0.1, 0.3}, {0.2, 0.2}, {0.3, 0.4}}, 100, random), 1U);
  EXPECT_EQ(expect_what_walks_find(parts, {2}, {{-1}, {17}}, 100, random), 1U) << "categories that no split names";
  EXPECT_EQ(expect_what_walks_find(parts, {1}, {{0.7}}, 100, random), 1U);
}

INSTANTIATE_TEST_SUITE_P(Families, Variants, ::testing::Values("xgboost", "lightgbm", "forest"),
                         [](const auto& family) { return family.param; });

// One tree with a leaf for each value.
Parts with_leaves(const std::vector<double>& values) {
  Parts parts;
  parts.signature.features = {{.name = "a"}, {.name = "b"}};
  parts.signature.outputs = {"y"};
  parts.base = {0};
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const auto at = static_cast<std::int32_t>(parts.nodes.size());
    parts.nodes.push_back({.left = at + 1, .right = at + 2, .feature = 0, .threshold = 10 - static_cast<double>(i)});
    std::swap(parts.nodes.back().left, parts.nodes.back().right);
    parts.nodes.push_back({.threshold = values[i]});  // on the right
  }
  parts.nodes.push_back({.threshold = values.back()});
  parts.trees = {{0, 0}};
  return parts;
}

std::optional<LeafAmounts> amounts_of(const Parts& parts) {
  const FeatureCodes codes(parts);
  return LeafAmounts::of(parts, TreeEdges(parts, codes));
}

TEST(LeafAmounts, AreAsExactAsSumsOfDoubles) {
  const std::vector<double> values = {1, -0.1, 0, 1e-9, 0.3333333333333333, -7};
  const Parts parts = with_leaves(values);
  const FeatureCodes codes(parts);
  const TreeEdges edges(parts, codes);
  const auto amounts = LeafAmounts::of(parts, edges);
  ASSERT_TRUE(amounts);
  EXPECT_EQ(amounts->width(), 1U);
  for (std::size_t leaf = 0; leaf < values.size(); ++leaf) {
    const double value = parts.nodes[edges.leaves()[leaf]].threshold;
    EXPECT_NEAR((*amounts)[leaf][0], value, 7 * 0x1p-51) << value;
    const double units = (*amounts)[leaf][0] * 0x1p49;  // 7 is below 2^3
    EXPECT_EQ(units, std::round(units)) << value;
  }
}

TEST(LeafAmounts, OfVectorsHaveANumberPerOutput) {
  const Parts parts = TreeBuilder(4, tree_families().at("forest")).build(5, 3);
  const FeatureCodes codes(parts);
  const TreeEdges edges(parts, codes);
  const auto amounts = LeafAmounts::of(parts, edges);
  ASSERT_TRUE(amounts);
  ASSERT_EQ(amounts->width(), 2U);
  for (std::size_t leaf = 0; leaf < edges.leaves().size(); ++leaf) {
    for (std::size_t k = 0; k < 2; ++k) {
      const auto row = static_cast<std::size_t>(parts.nodes[edges.leaves()[leaf]].leaf);
      EXPECT_NEAR((*amounts)[leaf][k], parts.leaf_values[row * 2 + k], 1e-15);
    }
  }
}

// A class in millions beside one in millionths: neither loses digits to the other.
TEST(LeafAmounts, OfOutputsOfDifferentSizesHaveUnitsOfTheirOwn) {
  Parts vectors = TreeBuilder(4, tree_families().at("forest")).build(5, 3);
  for (std::size_t at = 1; at < vectors.leaf_values.size(); at += 2) vectors.leaf_values[at] *= 1e-6 / 3;
  for (std::size_t at = 0; at < vectors.leaf_values.size(); at += 2) vectors.leaf_values[at] *= 1e6;
  Parts trees = TreeBuilder(4, tree_families().at("xgboost")).build(6, 3);
  const FeatureCodes codes(trees);
  const TreeEdges ways(trees, codes);
  std::vector<std::size_t> output_of;
  for (std::size_t tree = 0; tree < ways.trees(); ++tree)
    output_of.resize(output_of.size() + (ways.end(tree) - ways.begin(tree)) / 2 + 1, trees.trees[tree].output);
  for (std::size_t leaf = 0; leaf < output_of.size(); ++leaf)
    trees.nodes[ways.leaves()[leaf]].threshold *= output_of[leaf] == 0 ? 1e6 : 1e-6 / 3;
  for (const Parts& parts : {vectors, trees}) {
    const auto amounts = amounts_of(parts);
    ASSERT_TRUE(amounts);
    const FeatureCodes of_features(parts);
    const TreeEdges edges(parts, of_features);
    for (std::size_t leaf = 0; leaf < edges.leaves().size(); ++leaf) {
      const TreeNode& node = parts.nodes[edges.leaves()[leaf]];
      for (std::size_t k = 0; k < amounts->width(); ++k) {
        const double value =
            amounts->width() == 2 ? parts.leaf_values[static_cast<std::size_t>(node.leaf) * 2 + k] : node.threshold;
        EXPECT_NEAR((*amounts)[leaf][k], value, std::abs(value) > 0.1 ? 1e-8 : 1e-20);
      }
    }
  }
}

TEST(LeafAmounts, AreNoneWhereLeavesAreOfVeryDifferentSizes) {
  EXPECT_TRUE(amounts_of(with_leaves({1e-3, 1e-3, 1e-3, 1e4})));
  EXPECT_FALSE(amounts_of(with_leaves({1e-3, 1e-3, 1e-3, 1e6})));
  EXPECT_TRUE(amounts_of(with_leaves({1e9, 1e9, 1e9, 1e-3}))) << "one small leaf vanishes in any sum with the others";
  EXPECT_FALSE(amounts_of(with_leaves({1e-320, 2e-320}))) << "no unit is so small";
  EXPECT_FALSE(amounts_of(with_leaves({1.7e308, 1, 1})));
  EXPECT_TRUE(amounts_of(with_leaves({0, 0, 0})));
  EXPECT_TRUE(amounts_of(with_leaves({5})));
  Parts many = with_leaves({1e308, -1e308});
  many.trees = {{0, 0}, {0, 0}};  // no sum of so large ones is finite
  EXPECT_FALSE(amounts_of(many));
}

TEST(TreeVariants, KeepToALimit) {
  const Parts parts = TreeBuilder(21, tree_families().at("xgboost")).build(60, 8);
  const FeatureCodes codes(parts);
  const TreeEdges edges(parts, codes);
  const auto amounts = LeafAmounts::of(parts, edges);
  std::vector<std::vector<std::uint16_t>> variants;
  for (std::uint16_t code = 0; code < codes.codes(0); ++code) variants.push_back({code});
  const TreeVariants all(parts, codes, edges, *amounts, {0}, variants);
  ASSERT_TRUE(all.whole());
  ASSERT_GT(all.bytes(), 50'000U);
  EXPECT_FALSE(TreeVariants(parts, codes, edges, *amounts, {0}, variants, {.bytes = all.bytes() - 1}).whole());
  const TreeVariants some(parts, codes, edges, *amounts, {0}, variants, {.bytes = 20'000});
  EXPECT_FALSE(some.whole());
  EXPECT_LT(some.bytes(), all.bytes() / 2) << "it does not go on";
  Context context(1);
  context.cancel();
  EXPECT_THROW(TreeVariants(parts, codes, edges, *amounts, {0}, variants, {.context = &context}), Cancelled);
}

// The block of all rows of a table, a model bound to it, and plain walks.
struct Bound {
  Table table;
  TreeEnsemble model;
  Context context{2};
  Evaluator evaluator;
  std::unique_ptr<BlockStream> stream;
  std::optional<RowBlock> block;
  std::vector<Values> rows;

  Bound(Parts parts, std::size_t count, Scale scale)
      : table(random_table(13, count)),
        model(std::move(parts), "trees"),
        evaluator(model, table, {}, {.predict = {.scale = scale}}, context),
        stream(table.open(evaluator.columns(), count)),
        block(stream->next()) {
    for (std::size_t row = 0; row < count; ++row) {
      Values values;
      for (std::size_t column = 0; column < 4; ++column) values.push_back(table.column(column).number(row));
      rows.push_back(values);
    }
  }
  // With some columns set, as numbers of the table.
  [[nodiscard]] Values walked(std::size_t row, const std::vector<std::pair<std::uint32_t, double>>& set,
                              Scale scale) const {
    Values values = rows[row];
    for (const auto& [column, value] : set) values[column] = value;
    const double codes[] = {1, 2, 0};  // the table: blue, green, red; the model: red, blue, green
    if (model.parts().signature.features.size() > 2 && !std::isnan(values[2]))
      values[2] = codes[static_cast<std::size_t>(values[2])];
    Values margins = walk<double>(model.parts(), values);
    if (scale == Scale::response) model.parts().link.apply(margins.data(), margins.size(), 1);
    return margins;
  }
  void expect_variants(const std::vector<std::vector<std::pair<std::uint32_t, double>>>& wanted, Scale scale,
                       double tolerance) {
    std::vector<Variant> variants;
    for (const auto& set : wanted) {
      auto& variant = variants.emplace_back();
      for (const auto& [column, value] : set) variant.push_back({column, Scalar{.number = value}});
    }
    Matrix found;
    evaluator.evaluate(*block, variants, found);
    for (std::size_t v = 0; v < variants.size(); ++v) {
      for (std::size_t row = 0; row < rows.size(); ++row) {
        const Values margins = walked(row, wanted[v], scale);
        for (std::size_t k = 0; k < margins.size(); ++k)
          ASSERT_NEAR(found(v * rows.size() + row, k), margins[k], tolerance * std::max(1.0, std::abs(margins[k])))
              << "variant " << v << " row " << row;
      }
    }
  }
};

TEST_P(Variants, ArePredictedTogetherAsOneByOne) {
  for (const Scale scale : {Scale::margin, Scale::response}) {
    for (const std::size_t rows : {1, 63, 64, 300}) {
      Bound bound(TreeBuilder(21, family()).build(20, 5), rows, scale);
      bound.expect_variants({{{0, -1}}, {{0, 0}}, {{0, 0.25}}, {{0, NAN}}, {{0, 0}}}, scale, 1e-12);
      bound.expect_variants({{{2, 0}}, {{2, 1}}, {{2, 2}}, {{2, NAN}}}, scale, 1e-12);
      bound.expect_variants({{{3, 2}, {1, 0.5}}, {{3, 2}, {1, NAN}}, {{3, 7}, {1, -1}}, {{3, 0}, {1, 0}}}, scale,
                            1e-12);
      // What does not go together: other columns, too few.
      bound.expect_variants({{{0, 1}}, {{1, 1}}, {{0, 2}, {1, 1}}, {}}, scale, 1e-12);
      bound.expect_variants({{{0, 1}}, {{0, 2}}}, scale, 1e-12);
    }
  }
}

TEST(VariantsOfUnequalLeaves, ArePredictedOneByOne) {
  Bound bound(with_leaves({1e-3, 2e-3, 3e-3, 1e9}), 100, Scale::margin);
  bound.expect_variants({{{0, 0}}, {{0, 7.5}}, {{0, 8.5}}, {{0, 9.5}}, {{0, 20}}}, Scale::margin, 0);
}

MethodInput input_of(const Bound& bound, std::vector<std::size_t> explained, Scale scale) {
  MethodInput input;
  input.features = bound.evaluator.columns();
  input.explained = std::move(explained);
  input.scale = scale;
  input.trees = bound.evaluator.tree_rows();
  return input;
}

TEST_P(Variants, MovesAreDifferencesOfWalks) {
  std::mt19937_64 random(17);
  for (std::uint64_t seed = 30; seed < 34; ++seed) {
    const Scale scale = seed % 2 == 0 ? Scale::margin : Scale::response;
    for (const std::size_t rows : {5, 256, 700}) {
      Bound bound(TreeBuilder(seed, family()).build(20, 5), rows, scale);
      for (const std::vector<std::size_t>& explained : std::vector<std::vector<std::size_t>>{{0, 1}, {1}}) {
        const MethodInput input = input_of(bound, explained, scale);
        ASSERT_TRUE(TreeDifferences::possible(input));
        // Of some, all that is found at once is what rows at two values need.
        const std::size_t most_bytes = seed < 32 ? std::size_t{1} << 25 : 4 * set_rows * sizeof(double) * 2;
        const TreeDifferences steps(input, *bound.block, bound.context, most_bytes);
        for (const auto& [column, from, to] : std::vector<std::tuple<std::uint32_t, double, double>>{{0, -0.3, 0.4},
                                                                                                     {0, 100, 200},
                                                                                                     {1, NAN, 0},
                                                                                                     {1, 2, -2},
                                                                                                     {2, 0, 1},
                                                                                                     {2, 2, NAN},
                                                                                                     {3, 4, 5},
                                                                                                     {3, 0, 11}}) {
          // Some of the rows, in any order; more than one set of them, if there are.
          std::vector<std::uint32_t> some(rows);
          std::iota(some.begin(), some.end(), 0U);
          std::shuffle(some.begin(), some.end(), random);
          some.resize(1 + random() % rows);
          const std::size_t stride = some.size() + 3;
          std::vector<double> differences(explained.size() * stride, 77);
          steps.find(column, from, to, some, differences.data(), stride);
          for (std::size_t i = 0; i < some.size(); ++i) {
            const Values before = bound.walked(some[i], {{column, from}}, scale);
            const Values after = bound.walked(some[i], {{column, to}}, scale);
            for (std::size_t k = 0; k < explained.size(); ++k)
              ASSERT_NEAR(differences[k * stride + i], after[explained[k]] - before[explained[k]], 1e-12)
                  << "seed " << seed << " column " << column << " row " << some[i];
          }
          EXPECT_EQ(differences[some.size()], 77) << "nothing is written behind the rows";
        }
      }
    }
  }
}

TEST(TreeDifferences, NeedLeavesOfLikeSizes) {
  const Bound unequal(with_leaves({1e-3, 2e-3, 3e-3, 1e9}), 10, Scale::margin);
  EXPECT_FALSE(TreeDifferences::possible(input_of(unequal, {0}, Scale::margin)));
}

TEST(TreeDifferences, BehindALinkOfManyOutputsGoByPredictions) {
  Parts parts = with_leaves({1, 2, 3});
  parts.base.assign(65, 0);
  parts.signature.outputs.clear();
  for (std::size_t k = 0; k < parts.base.size(); ++k) parts.signature.outputs.push_back("class " + std::to_string(k));
  parts.link.link = Link::softmax;
  const Bound bound(std::move(parts), 10, Scale::response);
  EXPECT_FALSE(TreeDifferences::possible(input_of(bound, {0}, Scale::response)));
  EXPECT_TRUE(TreeDifferences::possible(input_of(bound, {0}, Scale::margin)));
}

TEST(TreeDifferences, BeyondTheLargestNumberAreAnError) {
  Parts parts = with_leaves({1, 2, 800});
  parts.link.link = Link::exponential;
  Bound bound(std::move(parts), 10, Scale::response);
  const TreeDifferences steps(input_of(bound, {0}, Scale::response), *bound.block, bound.context);
  std::vector<double> differences(1);
  steps.find(0, 100, 9.5, std::vector<std::uint32_t>{3}, differences.data(), 1);
  EXPECT_NEAR(differences[0], std::exp(2) - std::exp(1), 1e-12);
  EXPECT_THROW(steps.find(0, 100, -100, std::vector<std::uint32_t>{3}, differences.data(), 1), Error);
}

TEST(TreeDifferences, OfAFeatureThatNoSplitAsksForAreNone) {
  Bound bound(with_leaves({1, 2, 3}), 10, Scale::margin);
  const TreeDifferences steps(input_of(bound, {0}, Scale::margin), *bound.block, bound.context);
  std::vector<double> differences(2, 77);
  steps.find(1, 0, 100, std::vector<std::uint32_t>{3, 4}, differences.data(), 2);
  EXPECT_EQ(differences, (std::vector<double>{0, 0}));
}

// Tile by tile, with the rows in another order; each row is as it is at its own value.
TEST_P(Variants, CurvesAreWhatWalksFind) {
  for (const Scale scale : {Scale::margin, Scale::response}) {
    for (const std::size_t rows : {1, 64, 300, 1000}) {
      Bound bound(TreeBuilder(41, family()).build(20, 5), rows, scale);
      const MethodInput input = input_of(bound, {0}, scale);
      ASSERT_TRUE(TreeCurves::possible(input, rows));
      EXPECT_FALSE(TreeCurves::possible(input, 100'000)) << "hundreds of megabytes for every thread";
      const TreeCurves curves(input, *bound.block, bound.context);
      std::vector<std::uint32_t> order = curves.rows();
      std::sort(order.begin(), order.end());
      for (std::size_t row = 0; row < rows; ++row) ASSERT_EQ(order[row], row) << "every row is there once";
      TreeCurves::Tiles tiles(curves);
      tiles.take(0, curves.tiles());
      for (const std::uint32_t column : {0U, 2U, 3U}) {
        // The values of all rows, each as often as it occurs.
        std::vector<Variant> variants;
        for (const Values& values : bound.rows) variants.push_back({{column, Scalar{.number = values[column]}}});
        const TreeVariants together = TreeCurves::variants(input, variants, bound.context);
        for (std::size_t tile = 0; tile < curves.tiles(); ++tile) {
          const std::size_t first = tile * TreeCurves::tile_rows;
          const auto in_tile = std::span(curves.rows()).subspan(first, std::min(TreeCurves::tile_rows, rows - first));
          tiles.find(tile, together, in_tile);
          for (std::size_t v = 0; v < rows; v += 1 + rows / 50) {
            const auto found = tiles.predictions(v);
            for (std::size_t row = 0; row < in_tile.size(); ++row) {
              const Values wanted = bound.walked(in_tile[row], {{column, bound.rows[v][column]}}, scale);
              for (std::size_t k = 0; k < wanted.size(); ++k)
                ASSERT_NEAR(found(row, k), wanted[k], 1e-12 * std::max(1.0, std::abs(wanted[k])))
                    << "value of row " << v << " in row " << in_tile[row];
            }
          }
        }
      }
    }
  }
}

TEST(CurvesBeyondTheLargestNumber, AreAnError) {
  Parts parts = with_leaves({1, 2, 800});
  parts.link.link = Link::exponential;
  Bound bound(std::move(parts), 10, Scale::response);
  const MethodInput input = input_of(bound, {0}, Scale::response);
  const TreeCurves curves(input, *bound.block, bound.context);
  TreeCurves::Tiles tiles(curves);
  tiles.take(0, 1);
  const std::vector<Variant> variants = {{{0, Scalar{.number = -100}}}, {{0, Scalar{.number = 100}}}};
  const TreeVariants together = TreeCurves::variants(input, variants, bound.context);
  tiles.find(0, together, std::vector<std::uint32_t>(10, 1));
  const auto sizes = [&] {
    const auto low = tiles.predictions(0);
    return low.rows();
  };
  EXPECT_THROW(sizes(), Error);
}

// Rows in halves by the feature with most of the trees behind its splits: each word of 64 has a range of its own.
TEST(SimilarRows, LieTogether) {
  const Parts parts = with_leaves({1, 2, 3, 4, 5, 6, 7, 8, 9});
  const FeatureCodes codes(parts);
  const TreeEdges edges(parts, codes);
  ASSERT_EQ(codes.slots(), 1U);
  std::mt19937_64 random(5);
  std::vector<std::uint16_t> of_rows;
  for (std::size_t row = 0; row < 300; ++row) of_rows.push_back(static_cast<std::uint16_t>(random() % codes.codes(0)));
  const auto order = similar_rows(codes, edges, of_rows);
  ASSERT_EQ(order.size(), of_rows.size());
  std::vector<std::uint32_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t row = 0; row < sorted.size(); ++row) ASSERT_EQ(sorted[row], row);
  for (std::size_t word = 64; word < order.size(); word += 64) {
    std::uint16_t before = 0, behind = 0xFFFF;
    for (std::size_t row = 0; row < word; ++row) before = std::max(before, of_rows[order[row]]);
    for (std::size_t row = word; row < order.size(); ++row) behind = std::min(behind, of_rows[order[row]]);
    EXPECT_LE(before, behind) << word;
  }
}

}  // namespace
}  // namespace sightglass
