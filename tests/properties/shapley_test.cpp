// Shapley values of random ensembles against their definition: a sum over all coalitions of features.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <random>

#include "sightglass/base/error.h"
#include "sightglass/model/trees/shapley/tree_shapley_internal.h"
#include "support/random_trees.h"

namespace sightglass {
namespace {

using testing::tree_families;
using testing::TreeBuilder;

using Parts = TreeEnsemble::Parts;
using Row = std::vector<std::uint16_t>;                      // codes by slot
using Worth = std::function<double(std::size_t coalition)>;  // by bits of slots

// Training rows that passed each node: at some nodes none.
void add_covers(Parts& parts, std::mt19937_64& random) {
  parts.covers.assign(parts.nodes.size(), 0);
  for (const Tree& tree : parts.trees) {
    std::vector<std::uint32_t> order = {tree.root};
    for (std::size_t at = 0; at < order.size(); ++at) {
      const TreeNode& node = parts.nodes[order[at]];
      if (node.is_leaf()) continue;
      order.push_back(static_cast<std::uint32_t>(node.left));
      order.push_back(static_cast<std::uint32_t>(node.right));
    }
    for (std::size_t at = order.size(); at-- > 0;) {
      const TreeNode& node = parts.nodes[order[at]];
      parts.covers[order[at]] = node.is_leaf() ? static_cast<double>(random() % 4)
                                               : parts.covers[static_cast<std::size_t>(node.left)] +
                                                     parts.covers[static_cast<std::size_t>(node.right)];
    }
  }
}

// Trees of numeric splits on any number of features.
class ManyFeatures {
 public:
  ManyFeatures(std::uint64_t seed, std::size_t features) : random_(seed) {
    for (std::size_t f = 0; f < features; ++f) parts_.signature.features.push_back({.name = "f" + std::to_string(f)});
    parts_.signature.outputs = {"y"};
    parts_.base = {0.5};
    parts_.divisor = 2;
  }
  Parts full(int trees, int depth) {
    for (int t = 0; t < trees; ++t) parts_.trees.push_back({grow(depth), 0});
    add_covers(parts_, random_);
    return std::move(parts_);
  }
  // Each tree asks for every feature in turn, and leaves at once on the other side; then some once more.
  Parts chains(int trees, std::size_t more) {
    for (int t = 0; t < trees; ++t) {
      const std::size_t features = parts_.signature.features.size();
      std::vector<std::int32_t> order;
      for (std::size_t f = 0; f < features; ++f) order.push_back(static_cast<std::int32_t>(f));
      std::shuffle(order.begin(), order.end(), random_);
      for (std::size_t k = 0; k < more; ++k) order.push_back(static_cast<std::int32_t>(random_() % features));
      std::uint32_t below = leaf();
      for (const std::int32_t feature : order) {
        const std::uint32_t other = leaf();
        below = random_() % 2 == 0 ? split(feature, below, other) : split(feature, other, below);
      }
      parts_.trees.push_back({below, 0});
    }
    add_covers(parts_, random_);
    return std::move(parts_);
  }

 private:
  std::uint32_t leaf() {
    parts_.nodes.push_back({.threshold = static_cast<double>(random_() % 2000) / 1000 - 1});
    return static_cast<std::uint32_t>(parts_.nodes.size() - 1);
  }
  std::uint32_t split(std::int32_t feature, std::uint32_t left, std::uint32_t right) {
    parts_.nodes.push_back({.left = static_cast<std::int32_t>(left),
                            .right = static_cast<std::int32_t>(right),
                            .feature = feature,
                            .threshold = static_cast<double>(random_() % 4),
                            .missing_left = random_() % 2 == 0});
    return static_cast<std::uint32_t>(parts_.nodes.size() - 1);
  }
  std::uint32_t grow(int depth) {
    if (depth == 0 || random_() % 9 == 0) return leaf();
    const auto feature = static_cast<std::int32_t>(random_() % parts_.signature.features.size());
    const std::uint32_t left = grow(depth - 1), right = grow(depth - 1);
    return split(feature, left, right);
  }
  std::mt19937_64 random_;
  Parts parts_;
};

struct Data {
  std::vector<Row> rows;
  std::vector<std::uint64_t> weights;  // 0: the row is not there

  Data(const FeatureCodes& codes, std::size_t count, std::mt19937_64& random) {
    for (std::size_t row = 0; row < count; ++row) {
      Row here;
      for (std::size_t slot = 0; slot < codes.slots(); ++slot)
        here.push_back(static_cast<std::uint16_t>(random() % codes.codes(slot)));
      rows.push_back(here);
      weights.push_back(random() % 4);
    }
  }
};

std::vector<std::uint16_t> blocks_of(const std::vector<Row>& rows, std::size_t slots) {
  std::vector<std::uint16_t> blocks((rows.size() + set_rows - 1) / set_rows * set_rows * slots, 0);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t slot = 0; slot < slots; ++slot)
      blocks[(row / set_rows * slots + slot) * set_rows + row % set_rows] = rows[row][slot];
  }
  return blocks;
}

// The engine, over ranges of trees of so many bytes.
struct Engine {
  const Parts& parts;
  const FeatureCodes& codes;
  std::size_t bytes = std::size_t{1} << 27;
  bool with_pairs = true;

  void count(const TreePatterns& patterns, const Data& data, bool weighted, std::size_t first, std::size_t end,
             SubsetCounts& counts) const {
    const std::vector<Row> part(data.rows.begin() + static_cast<std::ptrdiff_t>(first),
                                data.rows.begin() + static_cast<std::ptrdiff_t>(end));
    std::vector<RowSet> there((part.size() + set_rows - 1) / set_rows);
    std::vector<std::uint64_t> weights(there.size() * set_rows, 77);
    for (std::size_t row = 0; row < part.size(); ++row) {
      if (data.weights[first + row] > 0) there[row / set_rows].words[row % set_rows / 64] |= row_bit(row % set_rows);
      weights[row] = data.weights[first + row];
    }
    const SubsetCounter counter(parts, codes, patterns);
    SubsetCounter::Workspace workspace(counter);
    const auto blocks = blocks_of(part, codes.slots());
    counter.add({.codes = blocks.data(),
                 .there = there.data(),
                 .weights = weighted ? weights.data() : nullptr,
                 .blocks = there.size()},
                counts, workspace);
  }

  struct Numbers {
    std::vector<double> base, values, pairs;
  };
  template <class Make>
  Numbers run(const std::vector<Row>& rows, const Make& make) const {
    const ShapleyShape shape(parts, codes);
    const auto blocks = blocks_of(rows, codes.slots());
    Numbers out{std::vector<double>(shape.outputs), std::vector<double>(rows.size() * shape.row()),
                std::vector<double>(rows.size() * shape.pair_row())};
    for (std::size_t k = 0; k < shape.outputs; ++k) out.base[k] = parts.base[k] / parts.divisor;
    TreeShapley::Workspace workspace;
    for (const PatternRange& range : TreePatterns::ranges(parts, codes, bytes, 500)) {
      const TreePatterns patterns(parts, codes, range);
      make(patterns, [&](const TreeShapley& shapley) {
        shapley.add_base(out.base.data());
        shapley.add_values(blocks.data(), rows.size(), out.values.data(), workspace);
        if (with_pairs) shapley.add_pairs(blocks.data(), rows.size(), out.pairs.data(), workspace);
      });
    }
    return out;
  }
  [[nodiscard]] Numbers interventional(const std::vector<Row>& rows, const Data& background, bool weighted) const {
    return run(rows, [&](const TreePatterns& patterns, const auto& use) {
      SubsetCounts counts(patterns);
      count(patterns, background, weighted, 0, background.rows.size(), counts);
      use(TreeShapley(parts, codes, patterns, counts));
    });
  }
  [[nodiscard]] Numbers path_dependent(const std::vector<Row>& rows) const {
    return run(rows, [&](const TreePatterns& patterns, const auto& use) { use(TreeShapley(parts, codes, patterns)); });
  }
};

double leaf_value(const Parts& parts, const Tree& tree, const TreeNode& leaf, std::size_t output) {
  if (!parts.leaf_values.empty())
    return parts.leaf_values[static_cast<std::size_t>(leaf.leaf) * parts.base.size() + output];
  return tree.output == output ? leaf.threshold : 0;
}

constexpr std::size_t everyone = ~std::size_t{0};

// The margin where `slot` is the row's if it is in the coalition and goes by covers otherwise; all slots: a prediction.
double walk(const Parts& parts, const FeatureCodes& codes, const Tree& tree, std::size_t index, std::size_t output,
            const Row& row, std::size_t coalition) {
  const TreeNode& node = parts.nodes[index];
  if (node.is_leaf()) return leaf_value(parts, tree, node, output);
  const auto& condition = codes.conditions()[codes.condition_of(index)];
  const auto left = static_cast<std::size_t>(node.left), right = static_cast<std::size_t>(node.right);
  const auto follow = [&](std::size_t child) { return walk(parts, codes, tree, child, output, row, coalition); };
  if (coalition == everyone || ((coalition >> condition.slot) & 1) != 0)
    return follow(codes.goes_right(condition, row[condition.slot]) ? right : left);
  const double all = parts.covers[index];
  if (all == 0) return (follow(left) + follow(right)) / 2;
  return parts.covers[left] / all * follow(left) + parts.covers[right] / all * follow(right);
}

double margin(const Parts& parts, const FeatureCodes& codes, std::size_t output, const Row& row,
              std::size_t coalition) {
  double sum = parts.base[output];
  for (const Tree& tree : parts.trees) sum += walk(parts, codes, tree, tree.root, output, row, coalition);
  return sum / parts.divisor;
}

Worth interventional_worth(const Parts& parts, const FeatureCodes& codes, std::size_t output, const Row& row,
                           const Data& background, bool weighted) {
  return [&, output, weighted](std::size_t coalition) {
    double sum = 0, total = 0;
    for (std::size_t at = 0; at < background.rows.size(); ++at) {
      Row mixed = background.rows[at];
      for (std::size_t slot = 0; slot < mixed.size(); ++slot) {
        if (((coalition >> slot) & 1) != 0) mixed[slot] = row[slot];
      }
      const double weight =
          weighted ? static_cast<double>(background.weights[at]) : (background.weights[at] > 0 ? 1.0 : 0.0);
      if (weight == 0) continue;
      sum += weight * margin(parts, codes, output, mixed, everyone);
      total += weight;
    }
    return sum / total;
  };
}

double factorial(std::size_t n) { return std::tgamma(static_cast<double>(n) + 1); }

// By the definition: values, and the matrix of interaction values.
struct Definition {
  std::vector<double> values, matrix;

  Definition(std::size_t players, const Worth& worth) : values(players, 0.0), matrix(players * players, 0.0) {
    std::vector<double> worths;
    for (std::size_t set = 0; set < (std::size_t{1} << players); ++set) worths.push_back(worth(set));
    std::vector<double> of_one, of_two;  // weights by members before them
    for (std::size_t members = 0; members < players; ++members) {
      of_one.push_back(factorial(members) * factorial(players - members - 1) / factorial(players));
      if (members + 1 < players)
        of_two.push_back(factorial(members) * factorial(players - members - 2) / (2 * factorial(players - 1)));
    }
    for (std::size_t set = 0; set < worths.size(); ++set) {
      const auto members = static_cast<std::size_t>(std::popcount(set));
      for (std::size_t a = 0; a < players; ++a) {
        const std::size_t with_a = set | (std::size_t{1} << a);
        if (with_a == set) continue;
        values[a] += of_one[members] * (worths[with_a] - worths[set]);
        for (std::size_t b = 0; b < players; ++b) {
          const std::size_t with_b = set | (std::size_t{1} << b);
          if (b == a || with_b == set) continue;
          matrix[a * players + b] +=
              of_two[members] * (worths[with_a | with_b] - worths[with_a] - worths[with_b] + worths[set]);
        }
      }
    }
    for (std::size_t a = 0; a < players; ++a) {
      double rest = values[a];
      for (std::size_t b = 0; b < players; ++b) rest -= a == b ? 0 : matrix[a * players + b];
      matrix[a * players + a] = rest;
    }
  }
};

void expect_definition(const Parts& parts, const FeatureCodes& codes, const Engine::Numbers& numbers, std::size_t row,
                       std::size_t output, const Worth& worth, double margin_here) {
  const ShapleyShape shape(parts, codes);
  const Definition wanted(shape.slots, worth);
  const double* values = numbers.values.data() + row * shape.row() + output * shape.width();
  const double* pairs = numbers.pairs.data() + row * shape.pair_row() + output * shape.pair_width();
  std::vector<double> matrix(shape.slots * shape.slots);
  shape.interactions(values, pairs, matrix.data());
  double sum = numbers.base[output];
  ASSERT_NEAR(sum, worth(0), 1e-12);
  for (std::size_t a = 0; a < shape.slots; ++a) {
    ASSERT_NEAR(values[a], wanted.values[a], 1e-12) << "row " << row << " slot " << a;
    sum += values[a];
    double line = 0;
    for (std::size_t b = 0; b < shape.slots; ++b) {
      ASSERT_NEAR(matrix[a * shape.slots + b], wanted.matrix[a * shape.slots + b], 1e-12)
          << row << ' ' << a << ' ' << b;
      ASSERT_EQ(matrix[a * shape.slots + b], matrix[b * shape.slots + a]);
      line += matrix[a * shape.slots + b];
    }
    ASSERT_NEAR(line, values[a], 1e-12);
  }
  ASSERT_NEAR(sum, margin_here, 1e-12);
}

void expect_both(const Parts& parts, std::mt19937_64& random, std::size_t background_rows, std::size_t rows) {
  const FeatureCodes codes(parts);
  if (codes.slots() == 0) return;
  const Engine engine{parts, codes};
  Data background(codes, background_rows, random);
  background.weights[0] = 2;
  const Data explained(codes, rows, random);
  for (const bool weighted : {false, true}) {
    const auto numbers = engine.interventional(explained.rows, background, weighted);
    for (std::size_t trial = 0; trial < 4; ++trial) {
      const std::size_t row = random() % rows;
      for (std::size_t output = 0; output < parts.base.size(); ++output) {
        expect_definition(parts, codes, numbers, row, output,
                          interventional_worth(parts, codes, output, explained.rows[row], background, weighted),
                          margin(parts, codes, output, explained.rows[row], everyone));
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
  const auto numbers = engine.path_dependent(explained.rows);
  for (std::size_t trial = 0; trial < 8; ++trial) {
    const std::size_t row = random() % rows;
    for (std::size_t output = 0; output < parts.base.size(); ++output) {
      const Row& x = explained.rows[row];
      expect_definition(
          parts, codes, numbers, row, output,
          [&](std::size_t coalition) { return margin(parts, codes, output, x, coalition); },
          margin(parts, codes, output, x, everyone));
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

class ShapleyFamilies : public ::testing::TestWithParam<std::string> {};

TEST_P(ShapleyFamilies, EqualTheirDefinition) {
  std::mt19937_64 random(3);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    TreeBuilder builder(seed, tree_families().at(GetParam()));
    Parts parts = seed % 2 == 0 ? builder.build(6, 1 + static_cast<int>(seed % 5)) : builder.chains(3, 9);
    add_covers(parts, random);
    expect_both(parts, random, 1 + random() % 40, 1 + random() % 600);
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, ShapleyFamilies, ::testing::Values("xgboost", "lightgbm", "catboost", "forest"));

TEST(Shapley, DeepTreesOfSevenFeaturesEqualTheirDefinition) {
  std::mt19937_64 random(5);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    expect_both(ManyFeatures(seed, 7).full(3, 4 + static_cast<int>(seed) * 2), random, 9, 300);
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
  }
}

// A tree that is one leaf has no players; a stump one.
TEST(Shapley, LeavesAndStumps) {
  std::mt19937_64 random(7);
  Parts parts = ManyFeatures(1, 2).full(3, 1);
  parts.trees.push_back({static_cast<std::uint32_t>(parts.nodes.size()), 0});
  parts.nodes.push_back({.threshold = 3});
  parts.covers.push_back(5);
  expect_both(parts, random, 12, 20);

  parts.trees = {parts.trees.back()};
  const FeatureCodes codes(parts);
  const Data data(codes, 5, random);
  const auto numbers = Engine{parts, codes}.path_dependent(data.rows);
  EXPECT_EQ(numbers.base[0], (0.5 + 3) / 2);
  EXPECT_TRUE(numbers.values.empty());
}

// More features on a path than there are tables for.
TEST(Shapley, LongPathsEqualTheirDefinition) {
  std::mt19937_64 random(11);
  const Parts parts = ManyFeatures(2, 16).chains(2, 3);
  const FeatureCodes codes(parts);
  const Engine engine{parts, codes};
  const Data background(codes, 6, random), explained(codes, 300, random);
  const auto against = engine.interventional(explained.rows, background, true);
  const auto by_covers = engine.path_dependent(explained.rows);
  for (const std::size_t row : {0, 299}) {
    const Row& x = explained.rows[row];
    expect_definition(parts, codes, against, row, 0, interventional_worth(parts, codes, 0, x, background, true),
                      margin(parts, codes, 0, x, everyone));
    expect_definition(
        parts, codes, by_covers, row, 0, [&](std::size_t set) { return margin(parts, codes, 0, x, set); },
        margin(parts, codes, 0, x, everyone));
  }
}

// Against one background row at a time, each leaf's game has a solution in closed form; and values add up.
TEST(Shapley, VeryLongPathsEqualTheClosedForm) {
  std::mt19937_64 random(13);
  for (const std::size_t features : {20, 63, 64, 65, 200}) {
    Parts parts = ManyFeatures(features, features).chains(1, 5);
    const FeatureCodes codes(parts);
    const Engine engine{.parts = parts, .codes = codes, .with_pairs = false};
    // Rows that mostly go on, so that they come to the end of the chain.
    const auto rows_near = [&](std::size_t count) {
      Data data(codes, count, random);
      for (Row& row : data.rows) {
        for (std::size_t index = 0; index < parts.nodes.size(); ++index) {
          const TreeNode& node = parts.nodes[index];
          if (node.is_leaf() || random() % 12 == 0) continue;
          const bool right = !parts.nodes[static_cast<std::size_t>(node.right)].is_leaf();
          const auto& condition = codes.conditions()[codes.condition_of(index)];
          for (std::uint32_t code = 0; code < codes.codes(condition.slot); ++code) {
            if (codes.goes_right(condition, code) == right) row[condition.slot] = static_cast<std::uint16_t>(code);
          }
        }
      }
      return data;
    };
    const Data background = rows_near(40), explained = rows_near(30);
    const auto numbers = engine.interventional(explained.rows, background, true);
    const auto by_covers = engine.path_dependent(explained.rows);
    const ShapleyShape shape(parts, codes);
    for (std::size_t row = 0; row < explained.rows.size(); ++row) {
      const Row& x = explained.rows[row];
      std::vector<double> wanted(shape.slots, 0.0);
      double total = 0;
      // Down the chain, with the conditions of each feature as sides of splits that were taken.
      for (std::size_t at = 0; at < background.rows.size(); ++at) {
        const Row& z = background.rows[at];
        const auto weight = static_cast<double>(background.weights[at]);
        total += weight;
        std::vector<int> x_meets(shape.slots, -1), z_meets(shape.slots, -1);
        const std::function<void(std::size_t, std::vector<int>, std::vector<int>)> down =
            [&](std::size_t index, std::vector<int> by_x, std::vector<int> by_z) {
              const TreeNode& node = parts.nodes[index];
              if (node.is_leaf()) {
                double a = 0, b = 0;
                for (std::size_t s = 0; s < shape.slots; ++s) {
                  if (by_x[s] == 0 && by_z[s] == 0) return;
                  a += by_x[s] == 1 && by_z[s] == 0 ? 1 : 0;
                  b += by_x[s] == 0 && by_z[s] == 1 ? 1 : 0;
                }
                for (std::size_t s = 0; s < shape.slots; ++s) {
                  if (by_x[s] == by_z[s]) continue;
                  const double plus = std::exp(std::lgamma(a) + std::lgamma(b + 1) - std::lgamma(a + b + 1));
                  const double minus = std::exp(std::lgamma(a + 1) + std::lgamma(b) - std::lgamma(a + b + 1));
                  wanted[s] += weight * node.threshold / parts.divisor * (by_x[s] == 1 ? plus : -minus);
                }
                return;
              }
              const auto& condition = codes.conditions()[codes.condition_of(index)];
              for (const bool right : {false, true}) {
                auto next_x = by_x, next_z = by_z;
                next_x[condition.slot] =
                    next_x[condition.slot] != 0 && codes.goes_right(condition, x[condition.slot]) == right ? 1 : 0;
                next_z[condition.slot] =
                    next_z[condition.slot] != 0 && codes.goes_right(condition, z[condition.slot]) == right ? 1 : 0;
                down(static_cast<std::size_t>(right ? node.right : node.left), next_x, next_z);
              }
            };
        down(parts.trees[0].root, x_meets, z_meets);
      }
      double sum = numbers.base[0], other_sum = by_covers.base[0];
      for (std::size_t s = 0; s < shape.slots; ++s) {
        ASSERT_NEAR(numbers.values[row * shape.row() + s], wanted[s] / total, 1e-12) << features << ' ' << s;
        sum += numbers.values[row * shape.row() + s];
        other_sum += by_covers.values[row * shape.row() + s];
      }
      ASSERT_NEAR(sum, margin(parts, codes, 0, x, everyone), 1e-12);
      ASSERT_NEAR(other_sum, margin(parts, codes, 0, x, everyone), 1e-12);
    }
  }
}

TEST(Shapley, CountsOfPartsAddUp) {
  std::mt19937_64 random(17);
  for (const bool chain : {false, true}) {
    const Parts parts = chain ? ManyFeatures(3, 18).chains(2, 4) : ManyFeatures(3, 7).full(4, 6);
    const FeatureCodes codes(parts);
    const Engine engine{parts, codes};
    const Data data(codes, 700, random);
    const TreePatterns patterns(parts, codes, {0, static_cast<std::uint32_t>(parts.trees.size())});
    for (const bool weighted : {false, true}) {
      SubsetCounts whole(patterns), one(patterns), two(patterns), saved(patterns);
      engine.count(patterns, data, weighted, 0, 700, whole);
      engine.count(patterns, data, weighted, 0, 301, one);
      engine.count(patterns, data, weighted, 301, 500, two);
      engine.count(patterns, data, weighted, 500, 700, two);
      two.merge(one, patterns);
      ByteSink sink;
      two.save(sink);
      ByteSource source(sink.bytes());
      saved.load(source, patterns);
      EXPECT_TRUE(source.done());
      EXPECT_EQ(saved.total, whole.total);
      EXPECT_EQ(saved.subsets, whole.subsets);
      EXPECT_EQ(saved.long_paths, whole.long_paths);
    }
  }
}

TEST(Shapley, WeightsAreDuplicates) {
  std::mt19937_64 random(19);
  const Parts parts = ManyFeatures(4, 17).chains(2, 4);
  const FeatureCodes codes(parts);
  const Engine engine{parts, codes};
  const Data data(codes, 100, random);
  Data copies(codes, 0, random);
  for (std::size_t row = 0; row < 100; ++row) {
    for (std::uint64_t copy = 0; copy < data.weights[row]; ++copy) copies.rows.push_back(data.rows[row]);
  }
  copies.weights.assign(copies.rows.size(), 1);
  const auto weighted = engine.interventional(data.rows, data, true);
  const auto copied = engine.interventional(data.rows, copies, false);
  EXPECT_EQ(weighted.base, copied.base);
  EXPECT_EQ(weighted.values, copied.values);
  EXPECT_EQ(weighted.pairs, copied.pairs);
}

// A chain whose every split asks another feature: paths are as long as it is, and count as what they take.
TEST(Shapley, RangesOfALongChain) {
  constexpr std::size_t features = 20'000;
  Parts parts;
  parts.signature.outputs = {"y"};
  parts.base = {0};
  for (std::size_t f = 0; f < features; ++f) {
    parts.signature.features.push_back({.name = std::to_string(f)});
    const auto at = static_cast<std::int32_t>(parts.nodes.size());
    // What waits while the walk goes on to the left are leaves.
    parts.nodes.push_back({.left = at + 2, .right = at + 1, .feature = static_cast<std::int32_t>(f)});
    parts.nodes.push_back({.threshold = 1});
  }
  parts.nodes.push_back({.threshold = 2});
  parts.trees = {{0, 0}};
  const FeatureCodes codes(parts);
  const auto ranges = TreePatterns::ranges(parts, codes, std::size_t{1} << 24, 10);
  std::size_t bytes = 0;
  for (const PatternRange& range : ranges) bytes += range.bytes;
  EXPECT_GT(bytes, features * features / 2 * sizeof(TreePatterns::Position));
  EXPECT_GT(ranges.size(), 200U);
  const TreePatterns last(parts, codes, ranges.back());
  EXPECT_EQ(last.leaves(last.groups().back())[0].size(), 1U) << "the leaf beside the root";
}

TEST(Shapley, RangesOfTreesMakeNoDifference) {
  std::mt19937_64 random(23);
  for (const std::size_t features : {6, 30}) {
    const Parts parts = ManyFeatures(5, features).full(5, 7);
    const FeatureCodes codes(parts);
    const Data data(codes, 300, random);
    const Engine whole{parts, codes};
    EXPECT_EQ(TreePatterns::ranges(parts, codes, whole.bytes, 500).size(), 1);
    const auto wanted = whole.interventional(data.rows, data, true);
    const auto wanted_by_covers = whole.path_dependent(data.rows);
    for (const std::size_t bytes : {0, 5000, 20000}) {
      const Engine parted{parts, codes, bytes};
      EXPECT_GT(TreePatterns::ranges(parts, codes, bytes, 500).size(), 1);
      const auto numbers = parted.interventional(data.rows, data, true);
      EXPECT_EQ(numbers.base, wanted.base);
      EXPECT_EQ(numbers.values, wanted.values);
      EXPECT_EQ(numbers.pairs, wanted.pairs);
      EXPECT_EQ(parted.path_dependent(data.rows).values, wanted_by_covers.values);
    }
  }
}

TEST(Shapley, RowsTakenTogetherMakeNoDifference) {
  std::mt19937_64 random(29);
  for (const std::size_t features : {7, 12, 20}) {
    const Parts parts = features < 20 ? ManyFeatures(8, features).full(1, 12) : ManyFeatures(8, features).chains(1, 3);
    const FeatureCodes codes(parts);
    const Data background(codes, 50, random), data(codes, 300, random);
    const Engine engine{parts, codes};
    const ShapleyShape shape(parts, codes);
    const auto all = engine.interventional(data.rows, background, false);
    for (const std::size_t row : {0, 255, 256, 299}) {
      const auto one = engine.interventional({data.rows[row]}, background, false);
      EXPECT_TRUE(std::equal(one.values.begin(), one.values.end(),
                             all.values.begin() + static_cast<std::ptrdiff_t>(row * shape.row())));
      EXPECT_TRUE(std::equal(one.pairs.begin(), one.pairs.end(),
                             all.pairs.begin() + static_cast<std::ptrdiff_t>(row * shape.pair_row())));
    }
  }
}

TEST(Shapley, WithoutCoversThereAreNoPathDependentOnes) {
  Parts parts = ManyFeatures(6, 3).full(2, 3);
  parts.covers.clear();
  const FeatureCodes codes(parts);
  const TreePatterns patterns(parts, codes, {0, 2});
  try {
    const TreeShapley shapley(parts, codes, patterns);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
  }
}

}  // namespace
}  // namespace sightglass
