#include "sightglass/methods/surrogates/fitting/grid_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace sightglass {
namespace {

TEST(GridValues, QuantilesLevelsAndMissing) {
  EXPECT_EQ(grid_values({5, 1, 2, 4, 3}, false, 3), (std::vector<double>{1, 3, 5}));
  EXPECT_EQ(grid_values({7, 7, 7}, false, 10), (std::vector<double>{7}));
  EXPECT_EQ(grid_values({2, 0, 2, 1}, true, 2), (std::vector<double>{0, 1, 2}));  // every level, whatever the points
  const std::vector<double> with_missing = grid_values({1, std::nan(""), 2}, false, 2);
  ASSERT_EQ(with_missing.size(), 3U);
  EXPECT_TRUE(std::isnan(with_missing[2]));
  EXPECT_EQ(grid_values({INFINITY, 3}, false, 5), (std::vector<double>{3}));
}

struct Sample {
  MethodInput input;
  LabelledRows rows;
};
Sample sample() {
  Sample made;
  std::vector<ColumnInfo> columns(2);
  columns[0].name = "a";
  columns[1].name = "b";
  made.input.schema = Schema(columns);
  made.input.features = {0, 1};
  made.rows.values = {{0, 1, 2}, {10, 11, 12}};
  made.rows.ids = {0, 1, 2};
  made.rows.weights = {1, 1, 1};
  made.rows.of_data = 3;
  return made;
}

TEST(GridRows, EveryCombinationOnceWhereThereIsRoom) {
  const Sample made = sample();
  const auto rows = grid_rows(made.input, made.rows, {0, 1}, 3, 100);
  ASSERT_EQ(rows[0].size(), 9U);
  std::set<std::pair<double, double>> pairs;
  for (std::size_t i = 0; i < 9; ++i) pairs.emplace(rows[0][i], rows[1][i]);
  EXPECT_EQ(pairs.size(), 9U);
}

TEST(GridRows, OtherwiseASampleAndWhatIsNotChosenComesFromRows) {
  const Sample made = sample();
  EXPECT_EQ(grid_rows(made.input, made.rows, {0, 1}, 3, 5)[0].size(), 5U);
  const auto rows = grid_rows(made.input, made.rows, {0}, 3, 50);
  ASSERT_EQ(rows[1].size(), 50U);
  std::set<double> others(rows[1].begin(), rows[1].end());
  EXPECT_EQ(others, (std::set<double>{10, 11, 12}));
}

TEST(GridRows, MadeRowsStandBehindThoseOfTheData) {
  Sample made = sample();
  made.rows.outputs = 1;
  made.rows.predictions = {1, 2, 3};
  made.rows.truths = {4, 5, 6};
  Matrix predictions(2, 1);
  predictions.span()(0, 0) = 7;
  predictions.span()(1, 0) = 8;
  add_made_rows(made.rows, {{0, 2}, {12, 10}}, predictions);
  EXPECT_EQ(made.rows.rows(), 5U);
  EXPECT_EQ(made.rows.of_data, 3U);
  EXPECT_EQ(made.rows.prediction(4, 0), 8);
  EXPECT_EQ(made.rows.values[1][3], 12);
  EXPECT_TRUE(std::isnan(made.rows.truths[3]));
  EXPECT_GT(made.rows.ids[3], made.rows.ids[2]);
}

}  // namespace
}  // namespace sightglass
