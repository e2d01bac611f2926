#include "sightglass/data/picked_block.h"

#include <gtest/gtest.h>

#include "sightglass/data/table.h"

namespace sightglass {
namespace {

TEST(PickedBlock, HasTheRowsTheirNumbersAndTheirWeights) {
  const Table table(Schema({{.name = "a"}, {.name = "w"}, {.name = "unread"}}),
                    {column_of(std::vector<double>{10, 11, 12, 13}), column_of(std::vector<double>{1, 2, 3, 4}),
                     column_of(std::vector<double>{0, 0, 0, 0})});
  const Table weighted = table.with_weights(1);
  const std::vector<std::uint32_t> read = {0};
  const auto stream = weighted.open(read, 4);
  const auto block = stream->next();
  RowBlock partly = *block;
  std::vector<ColumnView> columns(block->columns.begin(), block->columns.end());
  columns[2].data = nullptr;
  partly.columns = columns;

  const std::vector<std::uint64_t> rows = {1, 3};
  const PickedBlock picked(partly, rows);
  ASSERT_EQ(picked.block().rows, 2U);
  EXPECT_EQ(picked.block().columns[0].number(0), 11);
  EXPECT_EQ(picked.block().columns[0].number(1), 13);
  EXPECT_EQ(picked.block().columns[2].data, nullptr);
  EXPECT_EQ(picked.block().row_id(1), 3U);
  EXPECT_EQ(picked.block().weight(0), 2);
  EXPECT_EQ(picked.block().weight(1), 4);

  const std::vector<std::uint64_t> all = {0, 1, 2, 3};
  EXPECT_EQ(PickedBlock(partly, all).block().columns.data(), columns.data()) << "nothing is copied";
}

}  // namespace
}  // namespace sightglass
