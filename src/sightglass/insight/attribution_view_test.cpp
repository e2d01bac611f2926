#include "sightglass/insight/attribution_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/insight/groups.h"
#include "sightglass/render/data_table.h"
#include "sightglass/render/description.h"

namespace sightglass {
namespace {

// Features f0 … with values and data from functions of row and feature.
template <class Values, class Data>
Attributions made(std::size_t rows, std::size_t features, Values values, Data data) {
  Attributions item;
  for (std::size_t j = 0; j < features; ++j) item.features.push_back({.feature = "f" + std::to_string(j)});
  for (std::size_t row = 0; row < rows; ++row) {
    item.rows.push_back(row);
    item.prediction.push_back(0);
    for (std::size_t j = 0; j < features; ++j) {
      item.values.push_back(values(row, j));
      item.data.push_back(data(row, j));
    }
  }
  return item;
}

TEST(AttributionView, SmallStepsAreOneTogether) {
  const Attributions item = made(
      1, 20, [](std::size_t, std::size_t j) { return static_cast<double>(j) * (j % 2 == 0 ? 1 : -1); },
      [](std::size_t, std::size_t) { return 1.0; });
  const auto steps = attribution_steps(item, 0);
  ASSERT_EQ(steps.size(), 13u);
  EXPECT_EQ(steps[0].label, "f19 = 1");
  EXPECT_EQ(steps[0].value, -19);
  EXPECT_EQ(steps[1].from, -19);
  EXPECT_EQ(steps[1].to, -1);
  EXPECT_EQ(steps[12].label, "8 other features");
  EXPECT_EQ(steps[12].value, 0 - 1 + 2 - 3 + 4 - 5 + 6 - 7);
  EXPECT_FALSE(steps[12].feature);
}

TEST(AttributionView, ShadesRunBetweenQuantiles) {
  Attributions item = made(
      100, 1, [](std::size_t, std::size_t) { return 0.0; },
      [](std::size_t row, std::size_t) { return row == 99 ? 1e9 : static_cast<double>(row); });
  const ValueShade shade(item, 0);
  EXPECT_EQ(shade.of(0), 0);
  EXPECT_EQ(shade.of(1e9), 1);
  EXPECT_NEAR(*shade.of(49.5), 0.5, 0.01);
  EXPECT_EQ(shade.of(std::nan("")), std::nullopt);
  // Levels without an order have none.
  item.features[0].levels = {"a", "b", "c"};
  EXPECT_EQ(ValueShade(item, 0).of(1), std::nullopt);
  // Nor has a constant.
  const Attributions same =
      made(5, 1, [](std::size_t, std::size_t) { return 0.0; }, [](std::size_t, std::size_t) { return 3.0; });
  EXPECT_EQ(ValueShade(same, 0).of(3), std::nullopt);
}

TEST(AttributionView, DotsOfOneValueStandSideBySide) {
  const Attributions item = made(
      30, 1, [](std::size_t row, std::size_t) { return row < 25 ? 0.0 : static_cast<double>(row); },
      [](std::size_t, std::size_t) { return 1.0; });
  const auto offsets = swarm_offsets(item, 0, shown_rows(item, 1000), 0, 29);
  EXPECT_EQ(offsets[0], 0);
  EXPECT_GT(offsets[1], 0);
  EXPECT_EQ(offsets[2], -offsets[1]);
  EXPECT_EQ(offsets[29], 0);
  for (const double offset : offsets) EXPECT_LE(std::abs(offset), 1);
}

TEST(AttributionView, TheCompanionTellsRowsApart) {
  // What f0 adds is its value times the sign of f2; f1 is noise.
  const auto own = [](std::size_t row, std::size_t j) {
    return j == 0         ? static_cast<double>(row % 20)
           : j == 1       ? std::sin(static_cast<double>(row * 7))
           : row % 3 == 0 ? 1
                          : -1;
  };
  const Attributions item =
      made(200, 3, [&](std::size_t row, std::size_t j) { return j == 0 ? own(row, 0) * own(row, 2) : 0; }, own);
  EXPECT_EQ(companion(item, 0), 2u);
  EXPECT_EQ(companion(item, 1), std::nullopt);
  // An additive effect has none.
  const Attributions additive = made(200, 3, [&](std::size_t row, std::size_t j) { return own(row, j); }, own);
  EXPECT_EQ(companion(additive, 0), std::nullopt);
  // Where interactions are known, they decide.
  Attributions known = additive;
  known.interactions.assign(200 * 9, 0.0);
  for (std::size_t row = 0; row < 200; ++row) known.interactions[row * 9 + 1] = known.interactions[row * 9 + 3] = 5;
  EXPECT_EQ(companion(known, 0), 1u);
}

TEST(AttributionView, FewRowsHaveAPictureEach) {
  const auto value = [](std::size_t row, std::size_t j) { return j == 0 ? 0.0 : static_cast<double>(row + j); };
  Result few, many;
  few.results = {made(3, 4, value, value)};
  many.results = {made(30, 4, value, value)};
  const auto rows = group_items(few);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(group_title(rows[2]), "Row 2");
  EXPECT_EQ(describe(few, rows[2]),
            "Prediction for row 2: 0, where the average is 0. f3 = 5 adds 5; f2 = 4 adds 4; f1 = 3 adds 3; f0 = 0 adds "
            "0.");
  const DataTable table = data_table(rows[2]);
  EXPECT_THAT(table.rows[0], ::testing::ElementsAre("f3", "5", "5"));
  const auto pictures = group_items(many);
  ASSERT_EQ(pictures.size(), 4u);  // all rows; three features, the one that adds nothing is left out
  EXPECT_EQ(group_title(pictures[1]), "f3");
  EXPECT_EQ(data_table(pictures[0]).rows.size(), 30u);
  EXPECT_EQ(data_table(pictures[1]).rows.size(), 30u);
  EXPECT_FALSE(pictures[1].is_empty());
}

}  // namespace
}  // namespace sightglass
