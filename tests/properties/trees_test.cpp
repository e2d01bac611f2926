// Random ensembles of every family against the plainest possible walk through their trees.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sightglass/data/table.h"
#include "sightglass/model/trees/counts/tree_dependence_internal.h"
#include "sightglass/model/trees/rows/feature_codes_internal.h"
#include "support/plain_walks.h"
#include "support/random_data.h"
#include "support/random_trees.h"

namespace sightglass {
namespace {

using testing::goes_left;
using testing::hard_number;
using testing::random_trees;
using testing::tree_families;
using testing::TreeBuilder;
using testing::TreeFamily;
using testing::walk;
using testing::wide_trees;

// The columns of random_trees.h; c from codes of the dictionary, whatever is in its column of numbers.
Table table_of(const std::vector<std::vector<double>>& columns, const std::vector<std::int32_t>& colours,
               const std::shared_ptr<Dictionary>& dictionary) {
  return Table(
      Schema({{.name = "a"},
              {.name = "b"},
              {.name = "c", .type = DType::categorical, .dictionary = dictionary},
              {.name = "d"}}),
      {column_of(columns[0]), column_of(columns[1]), column_of(colours, dictionary.get()), column_of(columns[3])});
}

class RandomTrees : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static const TreeFamily& family() { return tree_families().at(GetParam()); }

  static Matrix predict(const Model& model, const Table& table, PredictOptions options) {
    const auto bound = model.bind(table.schema(), {});
    Matrix out(table.rows(), model.signature().outputs.size());
    Context context(1);
    const auto stream = table.open(bound->columns(), table.rows());
    const auto block = stream->next();
    bound->predict(*block, options, out.span(), context);
    return out;
  }
};

TEST_P(RandomTrees, PredictWhatAPlainWalkFinds) {
  std::mt19937_64 random(17);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto model = random_trees(seed, family());
    const auto& parts = model->parts();
    const std::size_t rows = 1 + random() % 400;
    std::vector<std::vector<double>> columns(4, std::vector<double>(rows));
    std::vector<std::int32_t> colours(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      for (const std::size_t column : {0, 1, 3}) columns[column][row] = hard_number(random);
      colours[row] = static_cast<std::int32_t>(random() % 5) - 1;
    }
    // Another order of levels than the model's, and one that it does not know.
    const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"green", "pink", "red", "blue"});
    const double codes[] = {2, -1, 0, 1};
    for (std::size_t row = 0; row < rows; ++row) {
      columns[2][row] = colours[row] < 0 ? NAN : codes[colours[row]];
    }
    const Table table = table_of(columns, colours, dictionary);
    const Matrix framework = predict(*model, table, {Scale::margin, Arithmetic::framework});
    const Matrix exact = predict(*model, table, {Scale::margin, Arithmetic::exact});
    const Matrix response = predict(*model, table, {Scale::response, Arithmetic::exact});
    for (std::size_t row = 0; row < rows; ++row) {
      const std::vector<double> x = {columns[0][row], columns[1][row], columns[2][row], columns[3][row]};
      const auto in_double = walk<double>(parts, x);
      const auto wanted = parts.float32_sums ? walk<float>(parts, x) : in_double;
      std::vector<double> responses = in_double;
      parts.link.apply(responses.data(), responses.size(), 1);
      for (std::size_t k = 0; k < 2; ++k) {
        ASSERT_EQ(framework(row, k), wanted[k]) << "seed " << seed << " row " << row;
        ASSERT_EQ(exact(row, k), in_double[k]) << "seed " << seed << " row " << row;
        ASSERT_EQ(response(row, k), responses[k]) << "seed " << seed << " row " << row;
      }
    }
  }
}

TEST_P(RandomTrees, CodesDecideAsValuesDo) {
  std::mt19937_64 random(23);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto model = random_trees(seed, family());
    const auto& parts = model->parts();
    const auto coded = FeatureCodes::of(parts);
    ASSERT_TRUE(coded);
    const FeatureCodes& codes = *coded;
    for (int trial = 0; trial < 500; ++trial) {
      for (std::size_t slot = 0; slot < codes.slots(); ++slot) {
        const double value = codes.categorical(slot)
                                 ? (random() % 9 == 0 ? NAN : static_cast<double>(random() % 7) - 2.5)
                                 : hard_number(random);
        const std::uint16_t code = codes.code(slot, value);
        ASSERT_LT(code, codes.codes(slot));
        ASSERT_EQ(code == codes.missing(slot), std::isnan(value));
        for (std::size_t index = 0; index < parts.nodes.size(); ++index) {
          const TreeNode& node = parts.nodes[index];
          if (node.is_leaf() || static_cast<std::uint32_t>(node.feature) != codes.features()[slot]) continue;
          const auto& condition = codes.conditions()[codes.condition_of(index)];
          ASSERT_EQ(condition.slot, slot);
          ASSERT_EQ(codes.goes_right(condition, code), !goes_left(parts, node, value)) << seed << ' ' << value;
        }
      }
    }
  }
}

std::vector<std::uint32_t> some_codes(const FeatureCodes& codes, std::size_t slot, std::mt19937_64& random) {
  std::vector<std::uint32_t> some;
  for (std::uint32_t code = 0; code < codes.codes(slot); ++code) {
    if (random() % 2 == 0) some.push_back(code);
  }
  return some;
}

// Counts over rows, and what follows from them, against the mean over rows of a plain walk.
TEST_P(RandomTrees, CountsGivePartialDependence) {
  std::mt19937_64 random(29);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto model = random_trees(seed, family());
    const auto& parts = model->parts();
    const FeatureCodes codes(parts);
    const TreeCounts order1(parts, codes, 1);
    const std::size_t rows = 1 + random() % 700;
    std::vector<std::vector<double>> data(rows, std::vector<double>(4));
    for (auto& row : data) {
      for (std::size_t column = 0; column < 4; ++column)
        row[column] = column == 2 ? (random() % 6 == 0 ? NAN : static_cast<double>(random() % 4)) : hard_number(random);
    }
    std::vector<std::uint16_t> coded(codes.slots() * rows);
    for (std::size_t slot = 0; slot < codes.slots(); ++slot) {
      for (std::size_t row = 0; row < rows; ++row)
        coded[slot * rows + row] = codes.code(slot, data[row][codes.features()[slot]]);
    }
    const auto counted = [&](const TreeCounts& counts) {
      std::vector<std::uint64_t> numbers(counts.size(), 0);
      TreeCounts::Workspace workspace(counts);
      counts.add(counts.trees(), {coded.data(), rows, rows}, numbers.data(), workspace);
      return numbers;
    };
    TreeDependence singles(parts, codes, rows);
    singles.add(order1, counted(order1));
    std::vector<TreeDependence::Pair> wanted;
    for (std::uint32_t a = 0; a < codes.slots(); ++a) {
      for (std::uint32_t b = 0; b < codes.slots(); ++b) {
        if (a != b) wanted.push_back({a, b, some_codes(codes, a, random), some_codes(codes, b, random)});
      }
    }
    TreeDependence pairs(parts, codes, rows, wanted);
    for (const TreeRange& range : TreeCounts::ranges(parts, 2, 20'000)) {
      const TreeCounts some(parts, codes, 2, range);
      pairs.add(some, counted(some));
    }
    // Of one output alone, leaf by leaf: the same numbers.
    TreeDependence of_one(parts, codes, rows, wanted, {1});
    const TreeCounts order2(parts, codes, 2);
    const auto counted2 = counted(order2);
    for (std::size_t leaf = 0; leaf < order2.leaves().size(); ++leaf) of_one.add(order2, counted2, leaf, leaf + 1);
    ASSERT_EQ(of_one.mean(1), pairs.mean(1));
    for (std::size_t number = 0; number < wanted.size(); ++number)
      ASSERT_EQ(of_one.pair(number, 1), pairs.pair(number, 1)) << seed;
    const auto brute = [&](const std::vector<std::pair<std::size_t, double>>& fixed, std::size_t output) {
      double sum = 0;
      for (std::vector<double> row : data) {
        for (const auto& [feature, value] : fixed) row[feature] = value;
        sum += walk<double>(parts, row)[output];
      }
      return sum / static_cast<double>(rows);
    };
    for (std::size_t output = 0; output < 2; ++output) {
      EXPECT_NEAR(singles.mean(output), brute({}, output), 1e-12);
      for (std::size_t a = 0; a < codes.slots(); ++a) {
        const std::size_t first = codes.features()[a];
        const double value = data[random() % rows][first];
        const auto numbers = singles.single(a, output);
        ASSERT_NEAR(numbers[codes.code(a, value)], brute({{first, value}}, output), 1e-12) << seed;
        ASSERT_NEAR(numbers[codes.missing(a)], brute({{first, NAN}}, output), 1e-12) << seed;
        ASSERT_EQ(pairs.single(a, output), numbers) << seed;
      }
      // A code stands for all values that have it.
      std::vector<std::vector<double>> value_of(codes.slots());
      for (std::size_t slot = 0; slot < codes.slots(); ++slot) {
        value_of[slot].assign(codes.codes(slot), std::numeric_limits<double>::infinity());
        for (const auto& row : data) {
          const double value = row[codes.features()[slot]];
          value_of[slot][codes.code(slot, value)] = value;
        }
      }
      for (std::size_t number = 0; number < wanted.size(); ++number) {
        const TreeDependence::Pair& asked = wanted[number];
        const auto table = pairs.pair(number, output), beyond = pairs.interaction(number, output);
        const std::size_t width = asked.second_codes.size();
        ASSERT_EQ(table.size(), asked.first_codes.size() * width);
        if (table.empty()) continue;
        // Without a table, point by point.
        std::vector<std::uint32_t> first_codes, second_codes;
        for (const std::uint32_t a : asked.first_codes) {
          for (const std::uint32_t b : asked.second_codes) {
            first_codes.push_back(a);
            second_codes.push_back(b);
          }
        }
        const auto at_points =
            singles.interaction_at(order2, counted2, {asked.first, asked.second, first_codes, second_codes}, output);
        for (std::size_t cell = 0; cell < beyond.size(); ++cell)
          ASSERT_NEAR(at_points[cell], beyond[cell], 1e-12) << seed;
        for (int trial = 0; trial < 3; ++trial) {
          const std::size_t a = random() % asked.first_codes.size(), b = random() % width;
          const std::uint32_t first_code = asked.first_codes[a], second_code = asked.second_codes[b];
          const double first = value_of[asked.first][first_code], second = value_of[asked.second][second_code];
          if (std::isinf(first) || std::isinf(second)) continue;
          const double both =
              brute({{codes.features()[asked.first], first}, {codes.features()[asked.second], second}}, output);
          ASSERT_NEAR(table[a * width + b], both, 1e-12) << seed << ' ' << asked.first << ' ' << asked.second;
          ASSERT_NEAR(beyond[a * width + b],
                      both - singles.single(asked.first, output)[first_code] -
                          singles.single(asked.second, output)[second_code] + singles.mean(output),
                      1e-12);
        }
      }
    }
  }
}

// Chains are deep but have few leaves: places are numbers then, not paths.
TEST_P(RandomTrees, ChainsPredictWhatAPlainWalkFinds) {
  std::mt19937_64 random(31);
  for (const int depth : {9, 40, 255, 256, 700}) {
    TreeBuilder builder(7, family());
    const TreeEnsemble model(builder.chains(5, depth), "chains");
    const auto& parts = model.parts();
    const std::size_t rows = 300;
    std::vector<std::vector<double>> columns(4, std::vector<double>(rows));
    std::vector<std::int32_t> colours(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      for (const std::size_t column : {0, 1, 3}) columns[column][row] = hard_number(random);
      colours[row] = static_cast<std::int32_t>(random() % 4) - 1;
      columns[2][row] = colours[row] < 0 ? NAN : static_cast<double>(colours[row]);
    }
    const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"red", "blue", "green"});
    const Table table = table_of(columns, colours, dictionary);
    const Matrix exact = predict(model, table, {Scale::margin, Arithmetic::exact});
    for (std::size_t row = 0; row < rows; ++row) {
      const auto wanted = walk<double>(parts, {columns[0][row], columns[1][row], columns[2][row], columns[3][row]});
      for (std::size_t k = 0; k < 2; ++k) ASSERT_EQ(exact(row, k), wanted[k]) << "depth " << depth << " row " << row;
    }
  }
}

TEST(BucketSearch, CountsAsSortingDoes) {
  std::mt19937_64 random(37);
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> all = {{}, {0}, {-999999}, {-1e300, 1e300}, {-infinity, 0}};
  std::vector<double> sentinel = {-999999}, lognormal;
  for (int i = 0; i < 3000; ++i) {
    sentinel.push_back(static_cast<double>(random() % 100000) / 100000);
    lognormal.push_back(
        static_cast<double>(static_cast<float>(std::exp(8 * std::normal_distribution<double>()(random)))));
  }
  all.insert(all.end(), {sentinel, lognormal});
  for (std::vector<double>& cuts : all) {
    for (double& cut : cuts) cut = std::abs(cut) > 1e38 ? cut : static_cast<double>(static_cast<float>(cut));
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    const BucketSearch<double> search(cuts);
    std::vector<double> values = {-infinity, infinity, 0, -1e308, 1e308};
    for (const double cut : cuts)
      values.insert(values.end(), {cut, std::nextafter(cut, infinity), std::nextafter(cut, -infinity)});
    for (const double value : values) {
      const auto reached = std::upper_bound(cuts.begin(), cuts.end(), value) - cuts.begin();
      ASSERT_EQ(search.reached(value), static_cast<std::uint32_t>(reached)) << value;
    }
  }
}

// Large trees over any number of features, with rows that come in any number.
TEST(WideTrees, PredictWhatAPlainWalkFinds) {
  std::mt19937_64 random(41);
  for (const std::size_t features : {3, 12, 20, 40, 150}) {
    auto parts = wide_trees(features, 5, 10, false);
    for (TreeNode& node : parts.nodes) {
      if (node.is_leaf()) node.threshold = static_cast<double>(random() % 1000) / 7;
    }
    // A node that no tree reaches, of a feature that none asks for.
    parts.signature.features.insert(parts.signature.features.begin(), {.name = "unused"});
    for (TreeNode& node : parts.nodes) node.feature += 1;
    parts.nodes.push_back({.left = 0, .right = 0, .feature = 0});
    const TreeEnsemble model(std::move(parts), "wide trees");
    for (const std::size_t rows : {70, 130, 300, 2500}) {
      std::vector<ColumnInfo> infos;
      std::vector<Column> columns;
      std::vector<std::vector<double>> data(rows, std::vector<double>(features + 1));
      for (std::size_t column = 0; column <= features; ++column) {
        std::vector<double> values;
        for (auto& row : data) {
          row[column] = random() % 9 == 0 ? NAN : static_cast<double>(random() % 15) / 2;
          values.push_back(row[column]);
        }
        infos.push_back({.name = model.signature().features[column].name});
        columns.push_back(column_of(std::move(values)));
      }
      const Table table(Schema(infos), columns);
      const auto bound = model.bind(table.schema(), {});
      Matrix out(rows, 1);
      Context context(1);
      const auto stream = table.open(bound->columns(), rows);
      bound->predict(*stream->next(), {Scale::margin, Arithmetic::exact}, out.span(), context);
      for (std::size_t row = 0; row < rows; ++row) ASSERT_EQ(out(row, 0), walk<double>(model.parts(), data[row])[0]);
    }
  }
}

// Trees that no cache holds take larger tiles of rows.
TEST_P(RandomTrees, PredictTheSameWhereTheyAreMany) {
  const TreeEnsemble model(TreeBuilder(3, family()).build(200, 14), "many trees");
  ASSERT_GT(model.parts().nodes.size(), 100'000U);
  const std::size_t rows = 2500;
  const Table table = testing::random_table(5, rows);
  const Matrix margins = predict(model, table, {Scale::margin, Arithmetic::exact});
  std::vector<std::vector<double>> columns(4, std::vector<double>(rows));
  for (std::size_t column = 0; column < 4; ++column) read_numbers(table.column(column), columns[column]);
  const double codes[] = {1, 2, 0};  // random_table: blue, green, red; the model: red, blue, green
  for (std::size_t row = 0; row < rows; row += 7) {
    std::vector<double> x;
    for (const auto& column : columns) x.push_back(column[row]);
    if (!std::isnan(x[2])) x[2] = codes[static_cast<std::size_t>(x[2])];
    const auto wanted = walk<double>(model.parts(), x);
    for (std::size_t k = 0; k < 2; ++k) ASSERT_EQ(margins(row, k), wanted[k]) << "row " << row;
  }
}

TEST_P(RandomTrees, AreConstantBetweenBreakpoints) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto model = random_trees(seed, family());
    for (const std::size_t feature : {0, 1, 3}) {
      auto points = model->breakpoints(feature);
      ASSERT_FALSE(points.empty());
      points.insert(points.begin(), -infinity);
      points.push_back(infinity);
      for (std::size_t i = 1; i < points.size(); ++i) {
        const double first = points[i - 1];
        const double last = std::nextafter(points[i], -infinity);
        const double middle = std::isinf(first) ? last - 1 : std::isinf(points[i]) ? first + 1 : (first + last) / 2;
        std::vector<double> x = {1, 2, 0, 3};
        x[feature] = first;
        const auto wanted = walk<double>(model->parts(), x);
        for (const double value : {middle, last}) {
          x[feature] = value;
          ASSERT_EQ(walk<double>(model->parts(), x), wanted) << first << " and " << value << " of feature " << feature;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, RandomTrees, ::testing::Values("xgboost", "lightgbm", "catboost", "forest"),
                         [](const auto& family) { return family.param; });

}  // namespace
}  // namespace sightglass
