#include "sightglass/methods/grid/level_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "sightglass/methods/run/session.h"
#include "support/function_model.h"
#include "support/random_data.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using testing::FunctionModel;
using testing::rows_of;

struct Rows {
  std::vector<std::int32_t> level;
  std::vector<double> number;
  std::vector<std::int32_t> other;  // -1 = missing
};

Table table_of(const Rows& rows, std::vector<std::string> names, bool ordered = false) {
  const auto levels = std::make_shared<Dictionary>(std::move(names), ordered);
  const auto others = std::make_shared<Dictionary>(std::vector<std::string>{"p", "q"});
  return Table(Schema({{.name = "c", .type = DType::categorical, .dictionary = levels},
                       {.name = "x"},
                       {.name = "o", .type = DType::categorical, .dictionary = others}}),
               {column_of(rows.level, levels.get()), column_of(rows.number), column_of(rows.other, others.get())});
}

const FunctionModel& model() {
  static const FunctionModel model(
      {"c", "x", "o"}, [](const auto& v) { return std::vector<double>{std::isnan(v[0]) ? 0 : v[0] * v[0]}; });
  return model;
}

Result explain(const Table& table, const Value& options = Value::object({{"features", "c"}})) {
  Context context(1);
  return run("ale", model(), table, options, context);
}

std::vector<std::string> order_of(const Table& table) { return explain(table).results[0].get<Curve>().axis.levels; }

// Levels that differ along one number are put in its order; the lower name of the two ends comes first.
TEST(LevelOrder, FollowsTheOtherFeatures) {
  Rows rows;
  const double centre[] = {5, 0, 10, 2.5};  // a, b, c, d: b d a c in their order
  for (std::int32_t level = 0; level < 4; ++level) {
    for (int i = 0; i < 20; ++i) {
      rows.level.push_back(level);
      rows.number.push_back(centre[level] + 0.4 * i);
      rows.other.push_back(0);
    }
  }
  EXPECT_THAT(order_of(table_of(rows, {"a", "b", "c", "d"})), ElementsAre("b", "d", "a", "c"));
  // The same levels with other names: the end "aa" is lower than "z".
  EXPECT_THAT(order_of(table_of(rows, {"m", "z", "aa", "k"})), ElementsAre("aa", "m", "k", "z"));
  EXPECT_THAT(order_of(table_of(rows, {"a", "b", "c", "d"}, true)), ElementsAre("a", "b", "c", "d"));
}

// By total variation over p, q and missing. Shares (p, q, missing): a (1, 0, 0), b (0, 0, 1), c (½, 0, ½): distances
// ab 1, ac ½, bc ½, so c is between.
TEST(LevelOrder, MissingIsALevelOfCategories) {
  Rows rows;
  const auto add = [&](std::int32_t level, std::int32_t other) {
    rows.level.push_back(level);
    rows.number.push_back(1);
    rows.other.push_back(other);
  };
  for (int i = 0; i < 4; ++i) {
    add(0, 0);
    add(1, -1);
    add(2, i % 2 == 0 ? 0 : -1);
  }
  EXPECT_THAT(order_of(table_of(rows, {"a", "b", "c"})), ElementsAre("a", "c", "b"));
}

TEST(LevelOrder, EqualLevelsGoByName) {
  Rows rows;
  for (std::int32_t i = 0; i < 12; ++i) {
    rows.level.push_back(i % 3);
    rows.number.push_back(7);
    rows.other.push_back(0);
  }
  EXPECT_THAT(order_of(table_of(rows, {"z", "k", "b"})), ElementsAre("b", "k", "z"));
}

TEST(LevelOrder, DoesNotDependOnTheOrderOfRows) {
  std::mt19937_64 random(8);
  Rows rows;
  for (int i = 0; i < 500; ++i) {
    rows.level.push_back(static_cast<std::int32_t>(random() % 12) - 1);
    rows.number.push_back(random() % 9 == 0 ? NAN : static_cast<double>(random() % 30) + rows.level.back() % 5);
    rows.other.push_back(static_cast<std::int32_t>(random() % 3) - 1);
  }
  const Table table = table_of(rows, {"l", "k", "j", "i", "h", "g", "f", "e", "d", "c", "b"});
  std::vector<std::uint64_t> order(500);
  for (std::size_t i = 0; i < 500; ++i) order[i] = i;
  const auto expected = order_of(table);
  for (int trial = 0; trial < 5; ++trial) {
    std::shuffle(order.begin(), order.end(), random);
    EXPECT_EQ(order_of(rows_of(table, order)), expected);
  }
}

// Many levels in more rows than are compared, which is said.
TEST(LevelOrder, AThousandLevels) {
  std::mt19937_64 random(9);
  Rows rows;
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) names.push_back("level " + std::to_string(10000 + i));
  for (int i = 0; i < 30000; ++i) {
    rows.level.push_back(static_cast<std::int32_t>(random() % 1000));
    rows.number.push_back(static_cast<double>(random() % 1000) + rows.level.back());
    rows.other.push_back(static_cast<std::int32_t>(random() % 3) - 1);
  }
  const Table table = table_of(rows, names);
  const Result result = explain(table);
  const auto& curve = result.results[0].get<Curve>();
  EXPECT_EQ(curve.axis.levels.size(), 1000U);
  EXPECT_EQ(curve.bin_count.size(), 999U);
  bool said = false;
  for (const auto& caveat : result.caveats) said = said || caveat.id == "sampled-level-order";
  EXPECT_TRUE(said);
  // The number grows with the level: the order found has to follow it, on the whole.
  double low = 0, high = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    const double code = std::stod(curve.axis.levels[i].substr(6)) - 10000;
    (i < 500 ? low : high) += code / 500;
  }
  EXPECT_GT(std::abs(high - low), 400);
}

}  // namespace
}  // namespace sightglass
