#include "sightglass/data/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "sightglass/base/error.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;

Table numbers(std::vector<double> a, std::vector<double> b) {
  return Table(Schema({{.name = "a"}, {.name = "b"}}), {column_of(std::move(a)), column_of(std::move(b))});
}

TEST(Table, BlocksAreCutAtFixedGlobalRows) {
  const Table table = numbers({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}).slice(3, 6);
  const std::uint32_t first[] = {0};
  const auto stream = table.open(first, 4);
  std::vector<std::uint64_t> starts;
  std::vector<double> seen;
  while (const auto block = stream->next()) {
    starts.push_back(block->first_row);
    for (std::size_t row = 0; row < block->rows; ++row) seen.push_back(block->columns[0].number(row));
    EXPECT_EQ(block->columns[1].data, nullptr) << "a column nobody asked for";
  }
  EXPECT_THAT(starts, ElementsAre(3, 4, 8));
  EXPECT_THAT(seen, ElementsAre(3, 4, 5, 6, 7, 8));
}

TEST(Table, PickedRowsKeepTheirGlobalIndices) {
  const auto table = std::make_shared<Table>(numbers({0, 1, 2, 3}, {5, 6, 7, 8}));
  const PickedRows picked(table, {3, 1});
  const std::uint32_t second[] = {1};
  const auto stream = picked.open(second, 10);
  const auto block = stream->next();
  ASSERT_TRUE(block);
  EXPECT_EQ(block->row_id(0), 3U);
  EXPECT_EQ(block->columns[1].number(0), 8);
  EXPECT_EQ(block->columns[1].number(1), 6);
  EXPECT_FALSE(stream->next());
  EXPECT_THROW(PickedRows(table, {4}), Error);
}

TEST(Table, MissingValuesBySentinelAndByBits) {
  const std::vector<std::int32_t> codes = {0, -1, 1};
  const Dictionary dictionary({"x", "y"});
  const Column categorical = column_of(codes, &dictionary);
  EXPECT_TRUE(std::isnan(categorical.view.number(1)));
  const std::vector<std::int64_t> integers = {1, 2, 3};
  const std::uint8_t bits[] = {0b1010};
  ColumnView view = view_of(std::span<const std::int64_t>(integers), DType::int64);
  view.valid = bits;
  view.valid_offset = 1;
  std::vector<double> out(3);
  read_numbers(view, out);
  EXPECT_EQ(out[0], 1);
  EXPECT_TRUE(std::isnan(out[1]));
  EXPECT_EQ(out[2], 3);
  const std::vector<std::uint64_t> rows = {2, 1};
  const Column gathered = gather(view, rows);
  EXPECT_EQ(gathered.view.number(0), 3);
  EXPECT_TRUE(std::isnan(gathered.view.number(1)));
}

TEST(Table, WeightsMustBeUsable) {
  EXPECT_THROW((void)numbers({1, 2}, {1, -1}).with_weights(1), Error);
  EXPECT_THROW((void)numbers({1, 2}, {0, 0}).with_weights(1), Error);
  EXPECT_THROW((void)numbers({1, 2}, {1, NAN}).with_weights(1), Error);
  EXPECT_EQ(numbers({1, 2}, {0, 3}).with_weights(1).weight_column(), 1U);
}

TEST(Schema, NamesTheNearestColumn) {
  const Schema schema({{.name = "temp"}, {.name = "humidity"}});
  try {
    (void)schema.require("tmep", "--features");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "--features: the data have no column tmep; did you mean temp?");
  }
  EXPECT_THROW(Schema({{.name = "a"}, {.name = "a"}}), Error);
}

TEST(SampleRows, IsASubsetThatDoesNotDependOnItsSize) {
  const auto rows = [](std::size_t count) {
    std::vector<std::uint64_t> all(count);
    std::iota(all.begin(), all.end(), std::uint64_t{0});
    return all;
  };
  const auto ten = sample_rows(rows(1000), 10, 7, 1);
  const auto hundred = sample_rows(rows(1000), 100, 7, 1);
  EXPECT_EQ(ten.size(), 10U);
  EXPECT_TRUE(std::includes(hundred.begin(), hundred.end(), ten.begin(), ten.end()));
  EXPECT_NE(ten, sample_rows(rows(1000), 10, 8, 1));
  EXPECT_EQ(sample_rows(rows(3), 10, 7, 1), (std::vector<std::uint64_t>{0, 1, 2}));
}

TEST(Table, NumbersBecomeCategoriesInTheirOrder) {
  const Table table = numbers({10, NAN, -1, 2.5, 10, 1e20}, {0, 1, 2, 3, 4, 5}).with_categories(0);
  const ColumnInfo& info = table.schema()[0];
  ASSERT_TRUE(info.is_categorical());
  EXPECT_THAT(info.dictionary->levels(), ElementsAre("-1", "2.5", "10", "1e+20"));
  std::vector<double> codes(6);
  read_numbers(table.column(0), codes);
  EXPECT_THAT(codes, ElementsAre(2, ::testing::IsNan(), 0, 1, 2, 3));
  EXPECT_FALSE(table.schema()[1].is_categorical());
}

}  // namespace
}  // namespace sightglass
