#include <gtest/gtest.h>

#include <vector>

#include "sightglass/model/trees/predict/leaf_sums_internal.h"
#include "sightglass/model/trees/rows/row_sets_internal.h"

namespace sightglass {

namespace {

// Whatever the number of leaves, and however rows are spread over them.
template <class T>
void add_to_all() {
  LeafTables<T> tables;
  std::size_t table = 0;
  for (const std::size_t count : {1, 2, 7, 16, 17, 33, 63, 64, 65, 200, 256}) {
    std::vector<T> leaves(count), sums(set_rows), expected(set_rows);
    std::vector<std::uint8_t> places(set_rows);
    for (std::size_t leaf = 0; leaf < count; ++leaf) leaves[leaf] = static_cast<T>(leaf) / 7 - 3;
    for (std::size_t row = 0; row < set_rows; ++row) {
      places[row] = static_cast<std::uint8_t>((row * row + 5 * row) % count);
      sums[row] = static_cast<T>(row) / 3;
      expected[row] = sums[row] + leaves[places[row]];
    }
    tables.add(leaves);
    tables.add_leaves(table++, places.data(), sums.data());
    EXPECT_EQ(sums, expected) << count << " leaves";
  }
}

TEST(LeafSums, AreThoseOfAPlainLoopInFloat) { add_to_all<float>(); }
TEST(LeafSums, AreThoseOfAPlainLoopInDouble) { add_to_all<double>(); }

}  // namespace

}  // namespace sightglass
