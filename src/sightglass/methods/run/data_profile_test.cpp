#include "sightglass/methods/run/data_profile.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>

#include "support/random_data.h"

namespace sightglass {
namespace {

MethodInput input_of(const Table& table, std::vector<std::uint32_t> features, bool weighted = false) {
  return {.schema = table.schema(),
          .features = std::move(features),
          .rows = table.rows(),
          .weighted = weighted,
          .max_weight = 100};
}

RowSample sample_of(const Table& table, const std::vector<std::uint32_t>& columns, std::vector<double> weights = {}) {
  RowSample sample{.columns = columns, .available = table.rows()};
  for (const std::uint32_t column : columns) {
    sample.values.emplace_back(table.rows());
    read_numbers(table.column(column), sample.values.back());
  }
  for (std::uint64_t row = 0; row < table.rows(); ++row) sample.ids.push_back(row);
  sample.weights = weights.empty() ? std::vector<double>(table.rows(), 1.0) : std::move(weights);
  return sample;
}

// Two numeric columns that go together, missing values, a category that follows the first.
Table related(std::uint64_t seed, std::size_t rows) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> a(rows), b(rows), free(rows);
  std::vector<std::int32_t> c(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    a[i] = std::round(normal(random) * 8);
    b[i] = random() % 20 == 0 ? NAN : a[i] + 2 * normal(random);
    c[i] = a[i] > 4 ? 2 : a[i] < -4 ? 0 : random() % 10 == 0 ? -1 : 1;
    free[i] = normal(random);
  }
  const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"cold", "mild", "hot", "never"});
  return Table(Schema({{.name = "a"},
                       {.name = "b"},
                       {.name = "c", .type = DType::categorical, .dictionary = dictionary},
                       {.name = "free"}}),
               {column_of(a), column_of(b), column_of(c, dictionary.get()), column_of(free)});
}

// The cells of a column as text, from a sorted copy: type-1 deciles, levels, missing apart.
class BruteCells {
 public:
  BruteCells(const std::vector<double>& column, bool categorical) : categorical_(categorical) {
    std::vector<double> sorted;
    for (const double v : column) {
      if (std::isfinite(v)) sorted.push_back(v);
    }
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t k = 1; k <= 9; ++k) deciles_.push_back(sorted[(sorted.size() * k + 9) / 10 - 1]);
    for (const double v : column) rows.push_back(of(v));
  }
  [[nodiscard]] std::string of(double value) const {
    if (std::isnan(value)) return "missing";
    if (categorical_) return std::to_string(value);
    for (const double decile : deciles_) {
      if (value <= decile) return std::to_string(decile);
    }
    return "last";
  }
  std::vector<std::string> rows;

 private:
  bool categorical_;
  std::vector<double> deciles_;
};

TEST(DataProfile, OutsideSharesAreThoseOfDenseLoops) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Table table = related(seed, 900);
    const std::vector<std::uint32_t> columns{0, 1, 2, 3};
    const RowSample sample = sample_of(table, columns);
    const DataProfile profile(input_of(table, columns), sample);
    std::vector<BruteCells> cells;
    for (const std::uint32_t column : columns) cells.emplace_back(sample.values[column], column == 2);
    // Whether the outside cells of a pair of columns are more than chance.
    const auto counts = [&](std::uint32_t first, std::uint32_t second) {
      std::map<std::string, double> a, b;
      std::map<std::pair<std::string, std::string>, double> both;
      for (std::size_t row = 0; row < 900; ++row) {
        a[cells[first].rows[row]] += 1;
        b[cells[second].rows[row]] += 1;
        both[{cells[first].rows[row], cells[second].rows[row]}] += 1;
      }
      double looked_at = 0, outside = 0, surprise = 0;
      for (const auto& [x, in_x] : a) {
        for (const auto& [y, in_y] : b) {
          const double expected = in_x * in_y / 900, seen = both[{x, y}];
          if (expected < 5) continue;
          looked_at += 1;
          if (seen >= 0.1 * expected) continue;
          outside += 1;
          surprise += expected - seen + (seen > 0 ? seen * std::log(seen / expected) : 0);
        }
      }
      return outside > 0 && surprise >= outside * (1 + std::log(looked_at / outside)) + std::log(6 / 0.01);
    };
    for (const std::uint32_t column : columns) {
      const auto shares = profile.outside(column);
      const auto& own = sample.values[column];
      for (const double value : {own[0], own[1], own[2], own[3], -100.0, 100.0, 0.5}) {
        if (column == 2 && !(value >= 0 && value < 3 && value == std::floor(value))) continue;
        double largest = 0;
        for (const std::uint32_t other : columns) {
          if (other == column) continue;
          std::map<std::string, double> all, both;
          double here = 0;
          for (std::size_t row = 0; row < own.size(); ++row) {
            const double in = cells[column].rows[row] == cells[column].of(value) ? 1 : 0;
            all[cells[other].rows[row]] += 1;
            both[cells[other].rows[row]] += in;
            here += in;
          }
          double out = 0;
          for (const auto& [cell, count] : all) {
            const double expected = count * here / 900;
            if (expected >= 5 && both[cell] < 0.1 * expected) out += count / 900;
          }
          if (!counts(column, other)) continue;
          largest = std::max(largest, out);
        }
        EXPECT_NEAR(shares.at(value).share, largest, 1e-12) << column << " " << value;
      }
    }
    EXPECT_GT(profile.outside(0).at(15).share, 0.5);
    EXPECT_EQ(profile.outside(3).at(0.0).share, 0);
    EXPECT_TRUE(profile.outside_pair(0, 1)(15, -15));
    EXPECT_FALSE(profile.outside_pair(0, 1)(15, 15));
    // What is set together with a feature is no other feature.
    EXPECT_LT(profile.outside(0, DataProfile::all_others, std::vector<std::uint32_t>{1, 2}).at(15).share, 0.2);
  }
}

TEST(DataProfile, ManyIndependentFeaturesHaveNoEmptyCornersByChance) {
  std::vector<std::uint32_t> columns(100);
  std::iota(columns.begin(), columns.end(), 0U);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    // In 803 rows a decile is more than a tenth, so that one empty cell would be above the threshold of 0.1.
    std::vector<std::vector<double>> values(100, std::vector<double>(seed == 1 ? 800 : 803));
    for (auto& column : values) {
      for (double& value : column) value = normal(random);
    }
    const auto largest = [&](std::uint32_t of) {
      std::vector<ColumnInfo> infos;
      std::vector<Column> data;
      for (const auto& column : values) {
        infos.push_back({.name = "x" + std::to_string(infos.size())});
        data.push_back(column_of(column));
      }
      const Table table(Schema(std::move(infos)), std::move(data));
      const DataProfile profile(input_of(table, columns), sample_of(table, columns));
      const auto shares = profile.outside(of);
      double share = 0;
      for (const double value : values[of]) share = std::max(share, shares.at(value).share);
      return share;
    };
    for (const std::uint32_t column : {0U, 1U, 17U, 50U, 73U, 99U}) EXPECT_EQ(largest(column), 0) << seed << column;
    // No row has much of both: where one is above 0.5 (31 % of the rows), the other is not.
    for (std::size_t row = 0; row < values[0].size(); ++row) {
      if (values[0][row] > 0.5 && values[1][row] > 0.5) values[1][row] -= 3;
    }
    EXPECT_GT(largest(0), 0.15);
    EXPECT_GT(largest(1), 0.15);
    EXPECT_EQ(largest(2), 0);
  }
}

// Of each of these features with every feature; nothing with itself.
std::vector<std::vector<Association>> associations(const DataProfile& profile, const std::vector<std::uint32_t>& wanted,
                                                   const Context& context) {
  std::vector<std::vector<Association>> all(wanted.size(), std::vector<Association>(profile.columns().size()));
  const auto ties = profile.ties(wanted, -1, context);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(ties[i].size() + 1, profile.columns().size());
    for (const DataProfile::Tie& tie : ties[i]) all[i][tie.other] = tie.association;
  }
  return all;
}

TEST(DataProfile, AssociationsAreOfTheRightKindAndSymmetric) {
  const Table table = related(4, 2000);
  const std::vector<std::uint32_t> columns{0, 1, 2, 3};
  const DataProfile profile(input_of(table, columns), sample_of(table, columns));
  Context context(2);
  const auto all = associations(profile, columns, context);
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < 4; ++b) {
      EXPECT_EQ(all[a][b].value, all[b][a].value);
      EXPECT_EQ(all[a][b].value, associations(profile, {columns[a]}, context)[0][b].value);
    }
    EXPECT_EQ(all[a][a].value, 0);
  }
  EXPECT_EQ(profile.measure(0, 1), "spearman");
  EXPECT_EQ(profile.measure(0, 2), "correlation-ratio");
  EXPECT_EQ(profile.measure(2, 2), "cramers-v");
  EXPECT_GT(all[0][1].lower, 0.9);
  EXPECT_GT(all[0][2].lower, 0.7);
  EXPECT_LT(all[0][3].lower, 0.1);
}

TEST(DataProfile, WeightsAreRepeatedRows) {
  const Table table = related(5, 600);
  std::mt19937_64 random(5);
  std::vector<double> weights;
  std::vector<std::uint64_t> repeated;
  for (std::uint64_t row = 0; row < table.rows(); ++row) {
    weights.push_back(1 + static_cast<double>(random() % 3));
    for (int k = 0; k < static_cast<int>(weights.back()); ++k) repeated.push_back(row);
  }
  const std::vector<std::uint32_t> columns{0, 1, 2, 3};
  const Table longer = testing::rows_of(table, repeated);
  const DataProfile weighted(input_of(table, columns, true), sample_of(table, columns, weights));
  const DataProfile plain(input_of(longer, columns), sample_of(longer, columns));
  Context context(1);
  const auto a = associations(weighted, columns, context), b = associations(plain, columns, context);
  for (const std::uint32_t column : columns) {
    for (const std::uint32_t other : columns) EXPECT_NEAR(a[column][other].value, b[column][other].value, 1e-12);
    for (const double value : {-20.0, 0.0, 1.0, 2.0, 20.0}) {
      EXPECT_NEAR(weighted.outside(column).at(value).share, plain.outside(column).at(value).share, 1e-12);
      EXPECT_NEAR(weighted.rows_near(column, value), plain.rows_near(column, value), 1e-9);
    }
  }
  // Only their ratios matter: weights that sum to 1 stand for as many rows as there are.
  std::vector<double> fractions;
  for (std::size_t row = 0; row < table.rows(); ++row) fractions.push_back(1.0 / 600);
  const DataProfile shares(input_of(table, columns, true), sample_of(table, columns, fractions));
  const DataProfile ones(input_of(table, columns), sample_of(table, columns));
  EXPECT_NEAR(shares.counted_rows(), 600, 1e-6);
  EXPECT_NEAR(shares.outside(0).at(15).share, ones.outside(0).at(15).share, 1e-9);
  EXPECT_NEAR(shares.weight_scale(), 600, 1e-6);
}

TEST(DataProfile, OddColumnsAreLegal) {
  const auto dictionary = std::make_shared<Dictionary>([] {
    std::vector<std::string> levels;
    for (int i = 0; i < 1000; ++i) levels.push_back("level " + std::to_string(i));
    return levels;
  }());
  for (const std::size_t rows : {std::size_t{1}, std::size_t{3000}}) {
    std::vector<double> same(rows, 3.5), none(rows, NAN), huge(rows), tiny(rows), infinite(rows);
    std::vector<std::int32_t> levels(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      huge[i] = (i % 2 == 0 ? 1 : -1) * 1e300 * static_cast<double>(i + 1) / static_cast<double>(rows);
      tiny[i] = 1e-300 * static_cast<double>(i % 17);
      infinite[i] = i % 3 == 0 ? INFINITY : i % 3 == 1 ? -INFINITY : 1;
      levels[i] = static_cast<std::int32_t>(i * 7919 % 1000);
    }
    const Table table(Schema({{.name = "same"},
                              {.name = "none"},
                              {.name = "huge"},
                              {.name = "tiny"},
                              {.name = "infinite"},
                              {.name = "levels", .type = DType::categorical, .dictionary = dictionary}}),
                      {column_of(same), column_of(none), column_of(huge), column_of(tiny), column_of(infinite),
                       column_of(levels, dictionary.get())});
    const std::vector<std::uint32_t> columns{0, 1, 2, 3, 4, 5};
    const DataProfile profile(input_of(table, columns), sample_of(table, columns));
    Context context(1);
    for (const auto& row : associations(profile, columns, context)) {
      for (const Association& found : row) {
        EXPECT_TRUE(found.value >= 0 && found.value <= 1);
        EXPECT_TRUE(found.lower >= 0 && found.lower <= found.value);
      }
    }
    for (const std::uint32_t column : columns) {
      for (const double value :
           {0.0, 1e300, -1e300, 1e-300, 999.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
        const double share = profile.outside(column).at(value).share;
        EXPECT_TRUE(share >= 0 && share <= 1);
        EXPECT_GE(profile.rows_near(column, value), 0);
      }
    }
  }
  // One feature only: nothing to be outside of.
  const Table one = related(6, 50);
  const DataProfile alone(input_of(one, {0}), sample_of(one, {0}));
  EXPECT_EQ(alone.outside(0).at(0).share, 0);
  // No row at all, as when every drawn row lacks weight.
  const DataProfile nothing(input_of(one, {0}), RowSample{.columns = {0}, .values = {{}}});
  EXPECT_EQ(nothing.outside(0).at(0).share, 0);
  EXPECT_EQ(nothing.rows_near(0, 1), 0);
  EXPECT_EQ(nothing.counted_rows(), 0);
}

TEST(DataProfile, ManyFeaturesAreHeldAgainstSomeOthersEach) {
  constexpr std::uint32_t count = 3000;
  const auto random = std::make_unique<std::mt19937_64>(7);
  std::vector<std::vector<double>> values(count, std::vector<double>(40));
  std::vector<ColumnInfo> infos;
  std::vector<Column> memory;
  std::vector<std::uint32_t> columns;
  for (std::uint32_t i = 0; i < count; ++i) {
    for (double& value : values[i]) value = static_cast<double>((*random)() % 1000);
    // Each odd feature is its neighbour's copy.
    if (i % 2 == 1) values[i] = values[i - 1];
    infos.push_back({.name = "f" + std::to_string(i)});
    memory.push_back(column_of(values[i]));
    columns.push_back(i);
  }
  const Table table(Schema(std::move(infos)), std::move(memory));
  const DataProfile profile(input_of(table, columns), sample_of(table, columns));
  EXPECT_EQ(profile.others_of_each(1), count);
  EXPECT_EQ(profile.others_of_each(1000), count);
  EXPECT_LT(profile.others_of_each(count), count / 2);
  const Context context(2);
  const auto ties = profile.ties(columns, 0.8, context);
  for (std::uint32_t i = 0; i < count; ++i) {
    ASSERT_EQ(ties[i].size(), 1U) << i;
    EXPECT_EQ(ties[i][0].other, i ^ 1U);
    EXPECT_EQ(ties[i][0].association.lower, ties[i ^ 1U][0].association.lower);
  }
  const std::vector<std::uint32_t> one{17};
  EXPECT_EQ(profile.ties(one, 0.8, context)[0][0].other, 16U);
}

TEST(DataProfile, FewerRowsForManyFeatures) {
  EXPECT_EQ(profile_rows(20000, 1), 20000U);
  EXPECT_EQ(profile_rows(20000, 100), 20000U);
  EXPECT_EQ(profile_rows(20000, 200), 10000U);
  EXPECT_EQ(profile_rows(20000, 2000), 2000U);
  EXPECT_EQ(profile_rows(500, 2000), 500U);
  EXPECT_EQ(profile_rows(0, 2000), 0U);
}

}  // namespace
}  // namespace sightglass
