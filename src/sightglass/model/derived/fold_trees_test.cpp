#include "sightglass/model/derived/fold_trees.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sightglass/base/error.h"
#include "sightglass/data/table.h"
#include "support/plain_walks.h"
#include "support/random_trees.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = Step::Kind;

// x of the given feature (< or <=) t ? -1 : 1
TreeEnsemble::Parts stump(Comparison comparison, double threshold) {
  TreeEnsemble::Parts parts;
  parts.signature.features = {{.name = "z"}};
  parts.signature.outputs = {"prediction"};
  parts.comparison = comparison;
  parts.base = {0};
  parts.nodes = {{.left = 1, .right = 2, .feature = 0, .threshold = threshold}, {.threshold = -1}, {.threshold = 1}};
  parts.covers = {10, 4, 6};
  parts.trees = {{0, 0}};
  return parts;
}

TEST(FoldTrees, AScaledThresholdIsAThreshold) {
  const TreeEnsemble::Parts folded =
      fold(stump(Comparison::float32_less_equal, 0.5), {{.name = "x"}},
           std::vector<DerivedColumn>{{.steps = {{.kind = Kind::subtract, .a = 10}, {.kind = Kind::divide, .a = 4}}}});
  ASSERT_EQ(folded.nodes.size(), 3U);
  EXPECT_EQ(folded.comparison, Comparison::float64_less_equal);
  // 12 is the middle; what float32 takes for 0.5 reaches a little above it.
  EXPECT_NEAR(folded.nodes[0].threshold, 12, 1e-6);
  EXPECT_GT(folded.nodes[0].threshold, 12);
  EXPECT_THAT(folded.covers, ElementsAre(10, 4, 6));
  EXPECT_EQ(TreeEnsemble(folded, "t").signature().features[0].name, "x");
}

TEST(FoldTrees, OneHotColumnsBecomeSplitsByLevels) {
  // is_b > 0.5 ? (is_c > 0.5 ? never : 1) : (is_c > 0.5 ? 2 : 3)
  TreeEnsemble::Parts parts = stump(Comparison::float32_less_equal, 0.5);
  parts.signature.features = {{.name = "is_b"}, {.name = "is_c"}};
  parts.covers.clear();
  parts.nodes = {{.left = 1, .right = 2, .feature = 0, .threshold = 0.5},
                 {.left = 3, .right = 4, .feature = 1, .threshold = 0.5},
                 {.left = 5, .right = 6, .feature = 1, .threshold = 0.5},
                 {.threshold = 3},
                 {.threshold = 2},
                 {.threshold = 1},
                 {.threshold = 99}};
  const auto is = [](std::vector<double> values) {
    return DerivedColumn{.levels = LevelTable{.values = std::move(values), .unseen = 0, .missing = 0}};
  };
  const TreeEnsemble::Parts folded = fold(parts, {{.name = "x", .categorical = true, .levels = {"a", "b", "c"}}},
                                          std::vector<DerivedColumn>{is({0, 1, 0}), is({0, 0, 1})});
  EXPECT_EQ(folded.nodes.size(), 5U) << "no level is b and c at once";
  const auto at = [&](double code) { return testing::walk<double>(folded, {code})[0]; };
  EXPECT_EQ(at(0), 3);
  EXPECT_EQ(at(1), 1);
  EXPECT_EQ(at(2), 2);
  EXPECT_EQ(at(-1), 3) << "a level never seen is neither";
  EXPECT_EQ(at(NAN), 3);
}

TEST(FoldTrees, UnionsOfIntervalsRepeatBranches) {
  // |x| <= 2
  const TreeEnsemble::Parts folded = fold(stump(Comparison::float64_less_equal, 2), {{.name = "x"}},
                                          std::vector<DerivedColumn>{{.steps = {{.kind = Kind::absolute}}}});
  EXPECT_EQ(folded.nodes.size(), 5U);
  EXPECT_TRUE(folded.covers.empty()) << "how many rows went through each of two branches, nobody knows";
  for (const double x : {-3.0, -2.0, 0.0, 2.0, 3.0})
    EXPECT_EQ(testing::walk<double>(folded, {x})[0], std::abs(x) <= 2 ? -1 : 1);
}

TEST(FoldTrees, MissingValuesAloneAreSplitOff) {
  const TreeEnsemble::Parts folded = fold(stump(Comparison::float64_less_equal, 0.5), {{.name = "x"}},
                                          std::vector<DerivedColumn>{{.steps = {{.kind = Kind::equals, .a = NAN}}}});
  const auto at = [&](double x) { return testing::walk<double>(folded, {x})[0]; };
  EXPECT_EQ(at(NAN), 1);
  for (const double x : std::vector<double>{-INFINITY, 0, 1e308, INFINITY}) EXPECT_EQ(at(x), -1);
  EXPECT_NO_THROW(TreeEnsemble(folded, "t"));
}

TEST(FoldTrees, WhatStepsRefuseIsRefusedOfTheSource) {
  TreeEnsemble::Parts parts = stump(Comparison::float32_less_equal, 0.5);
  parts.refuses_missing = parts.refuses_infinite = true;
  const std::vector<DerivedColumn> derived = {{.steps = {{.kind = Kind::multiply, .a = 1e30}}}};
  const TreeEnsemble::Parts folded = fold(parts, {{.name = "x"}}, derived);
  EXPECT_EQ(folded.nodes.size(), 3U) << "what is refused takes no split of its own";
  EXPECT_FALSE(folded.covers.empty());
  const TreeEnsemble model(folded, "t");
  const auto message = [&](double value) {
    const Table table(Schema({{.name = "x"}}), {column_of({value})});
    const auto bound = model.bind(table.schema(), {});
    const auto stream = table.open(bound->columns(), 4);
    double out = 0;
    Context context(1);
    try {
      bound->predict(*stream->next(), {}, {&out, 1, 1}, context);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      return error.message();
    }
    return std::string("none");
  };
  EXPECT_EQ(message(1e8), "none");
  EXPECT_THAT(message(1e9), HasSubstr("row 0 of x is infinite or too large, which this model refuses"))
      << "1e39 is no float32";
  EXPECT_THAT(message(NAN), HasSubstr("row 0 of x is missing"));
}

TEST(FoldTrees, ManyNodesAreAnError) {
  const std::vector<DerivedColumn> derived = {{.steps = {{.kind = Kind::absolute}}}};
  try {
    (void)fold(stump(Comparison::float64_less_equal, 2), {{.name = "x"}}, derived, 4);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    EXPECT_THAT(error.message(), HasSubstr("more than 4 nodes"));
  }
}

Step random_step(std::mt19937_64& random) {
  const auto number = [&] { return static_cast<double>(random() % 41) / 4 - 5; };
  const bool float32 = random() % 4 == 0;
  switch (random() % 12) {
    case 0: return {.kind = Kind::add, .a = number(), .float32 = float32};
    case 1: return {.kind = Kind::divide, .a = number() + 7, .float32 = float32};
    case 2: return {.kind = Kind::multiply, .a = number(), .float32 = float32};
    case 3: return {.kind = Kind::replace, .a = NAN, .b = number()};
    case 4: return {.kind = Kind::replace, .a = number(), .b = random() % 2 == 0 ? NAN : number()};
    case 5: return {.kind = Kind::clip, .a = -4, .b = number() + 6};
    case 6: return {.kind = Kind::count_upto, .numbers = {-3, -1, 0, 2, 4}};
    case 7: return {.kind = Kind::equals, .a = static_cast<double>(random() % 3)};
    case 8: return {.kind = Kind::absolute};
    case 9: return {.kind = Kind::log1p};
    case 10: return {.kind = Kind::truncate};
    default: return {.kind = Kind::square_root};
  }
}

// Random ensembles of every family behind random steps, against a plain walk over the derived values.
TEST(FoldTrees, PredictsAsTheTreesBehindTheSteps) {
  std::mt19937_64 random(17);
  const std::vector<FeatureInfo> sources = {
      {.name = "x"}, {.name = "y"}, {.name = "k", .categorical = true, .levels = {"p", "q", "r", "s", "t"}}};
  std::size_t folds = 0, repeated = 0;
  for (const auto& [name, family] : testing::tree_families()) {
    for (int round = 0; round < 40; ++round) {
      TreeEnsemble::Parts parts = testing::TreeBuilder(random(), family).build(6, 3);
      FeatureInfo& categories = parts.signature.features[2];
      const bool codes = round % 3 == 0;
      if (!codes) categories.levels = {"0", "1.5", "-2"};
      categories.numeric_levels = !codes;
      if (round % 3 == 1) categories.levels.clear();
      parts.unseen_is_missing = round % 2 == 0;
      std::vector<DerivedColumn> derived;
      for (std::size_t feature = 0; feature < 4; ++feature) {
        DerivedColumn column{.source = static_cast<std::uint32_t>(random() % 3)};
        if (column.source == 2) {
          column.levels = LevelTable{.unseen = static_cast<double>(random() % 3), .missing = round % 4 == 0 ? NAN : 1};
          for (std::size_t level = 0; level < 5; ++level)
            column.levels->values.push_back(random() % 6 == 0 ? NAN : static_cast<double>(random() % 7) / 2 - 2);
        }
        for (std::size_t count = random() % 4; count > 0; --count) column.steps.push_back(random_step(random));
        column.codes = codes && feature == 2;
        derived.push_back(column);
      }
      const TreeEnsemble::Parts folded = fold(parts, sources, derived);
      ASSERT_NO_THROW(TreeEnsemble(folded, "folded")) << name;
      ++folds;
      if (folded.nodes.size() > parts.nodes.size()) ++repeated;
      std::vector<std::vector<double>> rows;
      for (int i = 0; i < 300; ++i) {
        rows.push_back({testing::hard_number(random), testing::hard_number(random),
                        random() % 7 == 0 ? NAN : static_cast<double>(random() % 6) - 1});
      }
      // Where the folded trees decide, and the doubles beside.
      for (const TreeNode& node : folded.nodes) {
        if (node.is_leaf() || node.categories >= 0) continue;
        for (const double x : {node.threshold, std::nextafter(node.threshold, INFINITY)}) {
          rows.push_back(rows[random() % 300]);
          rows.back()[static_cast<std::size_t>(node.feature)] = x;
        }
      }
      for (const auto& row : rows) {
        std::vector<double> values;
        for (std::size_t feature = 0; feature < 4; ++feature) {
          double value = *derive(derived[feature], row[derived[feature].source]);
          if (feature == 2 && !codes && !categories.levels.empty() && !std::isnan(value)) {
            const double unseen = parts.unseen_is_missing ? NAN : -1;
            value = value == 0 ? 0 : value == 1.5 ? 1 : value == -2 ? 2 : unseen;
          }
          const bool as_float = parts.comparison != Comparison::float64_less_equal;
          values.push_back(feature == 2 && as_float ? static_cast<double>(static_cast<float>(value)) : value);
        }
        ASSERT_EQ(testing::walk<double>(parts, values), testing::walk<double>(folded, row))
            << name << " round " << round << ": " << row[0] << " " << row[1] << " " << row[2];
      }
    }
  }
  EXPECT_EQ(folds, 40 * testing::tree_families().size());
  EXPECT_GT(repeated, 5U);
}

}  // namespace
}  // namespace sightglass
