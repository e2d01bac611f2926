#include "sightglass/model/tiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace sightglass {
namespace {

using ::testing::ElementsAre;

// Three rows: a float, an integer with a gap in row 1, an integer without, a level that is missing in row 2.
struct Rows {
  std::vector<double> numbers = {0.5, 1.5, 2.5};
  std::vector<std::int64_t> gaps = {10, 0, 30}, whole = {1, 2, 3};
  std::vector<std::int32_t> codes = {1, 0, -1};
  std::uint8_t valid = 0b101;
  std::vector<ColumnView> columns = {view_of(std::span<const double>(numbers)),
                                     view_of(std::span<const std::int64_t>(gaps), DType::int64),
                                     view_of(std::span<const std::int64_t>(whole), DType::int64),
                                     view_of(std::span<const std::int32_t>(codes), DType::categorical)};
  RowBlock block;

  Rows() {
    columns[1].valid = &valid;
    block = {.rows = 3, .columns = columns};
  }
};

TEST(Tiles, KeepTheTypeWhereItHoldsTheValues) {
  const Rows rows;
  const Variant whole[] = {{{2, Scalar::of(7)}}, {}};
  const Variant fraction[] = {{{2, Scalar::of(7.5)}}};
  const Variant missing[] = {{{2, Scalar::missing()}, {1, Scalar::missing()}}};
  EXPECT_EQ(Tiles(rows.block, whole).type(2), DType::int64);
  EXPECT_EQ(Tiles(rows.block, fraction).type(2), DType::float64);
  EXPECT_EQ(Tiles(rows.block, missing).type(2), DType::float64);
  EXPECT_EQ(Tiles(rows.block, missing).type(1), DType::int64);
  EXPECT_TRUE(Tiles(rows.block, missing).marks_missing(1));
  EXPECT_FALSE(Tiles(rows.block, missing).marks_missing(2));
  const Variant beyond[] = {{{2, Scalar::of(1e19)}}};
  EXPECT_EQ(Tiles(rows.block, beyond).type(2), DType::float64);
}

TEST(Tiles, RepeatTheRowsForEachVariant) {
  const Rows rows;
  const Variant variants[] = {{{0, Scalar::of(9)}}, {{1, Scalar::of(5)}}, {{1, Scalar::missing()}}};
  const Tiles tiles(rows.block, variants);
  ASSERT_EQ(tiles.rows(), 9U);
  std::vector<double> numbers(9);
  tiles.write(0, {.type = DType::float64, .data = numbers.data(), .stride = sizeof(double)});
  EXPECT_THAT(numbers, ElementsAre(9, 9, 9, 0.5, 1.5, 2.5, 0.5, 1.5, 2.5));
  std::vector<std::int64_t> gaps(9);
  std::vector<std::uint8_t> missing(9, 7);
  tiles.write(1, {.type = DType::int64, .data = gaps.data(), .stride = 8, .missing = missing.data()});
  EXPECT_THAT(missing, ElementsAre(0, 1, 0, 0, 0, 0, 1, 1, 1));
  EXPECT_EQ(gaps[2], 30);
  EXPECT_EQ(gaps[4], 5);
  std::vector<std::int8_t> codes(9);
  tiles.write(3, {.type = DType::int8, .data = codes.data(), .stride = 1});
  EXPECT_THAT(codes, ElementsAre(1, 0, -1, 1, 0, -1, 1, 0, -1));
}

TEST(Tiles, AsAMatrix) {
  const Rows rows;
  Context context(2);
  const Variant variants[] = {{{0, Scalar::of(9)}}, {{3, Scalar::missing()}, {1, Scalar::of(4.5)}}};
  const std::uint32_t columns[] = {3, 0, 1};
  std::vector<double> matrix(18);
  Tiles(rows.block, variants).write_matrix(columns, DType::float64, matrix.data(), context);
  const auto row = [&](std::size_t i) {
    std::vector<double> values(matrix.begin() + static_cast<std::ptrdiff_t>(3 * i),
                               matrix.begin() + static_cast<std::ptrdiff_t>(3 * i + 3));
    for (double& value : values) value = std::isnan(value) ? -99 : value;
    return values;
  };
  EXPECT_THAT(row(0), ElementsAre(1, 9, 10));
  EXPECT_THAT(row(1), ElementsAre(0, 9, -99));
  EXPECT_THAT(row(2), ElementsAre(-99, 9, 30));
  EXPECT_THAT(row(3), ElementsAre(-99, 0.5, 4.5));
  EXPECT_THAT(row(5), ElementsAre(-99, 2.5, 4.5));
}

}  // namespace
}  // namespace sightglass
