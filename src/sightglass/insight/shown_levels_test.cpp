#include "sightglass/insight/shown_levels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "sightglass/insight/effects.h"
#include "sightglass/insight/groups.h"
#include "sightglass/render/data_table.h"
#include "sightglass/render/description.h"
#include "sightglass/render/text/text_renderer.h"
#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/json.h"
#include "sightglass/result/shapes/attributions.h"

namespace sightglass {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string level_name(std::size_t i) { return "level " + std::to_string(i); }

// Heights and rows by the level's number.
Curve made(std::size_t levels, auto height, auto rows, Estimand estimand = Estimand::partial_dependence) {
  Curve curve;
  curve.axis.feature = "city";
  curve.estimand = estimand;
  for (std::size_t i = 0; i < levels; ++i) {
    curve.axis.levels.push_back(level_name(i));
    curve.mean.push_back(height(i));
    curve.count.push_back(rows(i));
    curve.se_shape.push_back(0.1);
  }
  return curve;
}

double noise(std::size_t i) { return std::fmod(static_cast<double>(i) * 0.618033988749895, 1.0); }

Result of(std::vector<ResultItem> items) {
  Result result;
  result.method = "partial-dependence";
  result.results = std::move(items);
  return result;
}

std::vector<std::string> names(const Axis& axis, const std::vector<std::size_t>& places) {
  std::vector<std::string> list;
  for (const std::size_t place : places) list.push_back(axis.levels[place]);
  return list;
}

double total(const Curve& curve) {
  double sum = 0;
  for (std::size_t i = 0; i < curve.mean.size(); ++i) sum += curve.mean[i] * curve.count[i];
  return sum;
}

TEST(ShownLevels, AreThoseWithMostEffectTimesRows) {
  // Level 3: 4 × 20; level 1: 1 × 60; level 0: 0 × 500; level 2: 2 × 10.
  const std::vector<double> heights{0, 1, -2, 4, 0, 0}, rows{500, 60, 10, 20, 11, 12};
  const Curve curve = made(6, [&](std::size_t i) { return heights[i]; }, [&](std::size_t i) { return rows[i]; });
  const ShownLevels levels = choose_levels(level_plan(of({curve})), curve.axis, 3);
  // Highest first.
  EXPECT_THAT(names(curve.axis, levels.shown), ElementsAre("level 3", "level 1", "level 0"));
  EXPECT_THAT(names(curve.axis, levels.others), ElementsAre("level 2", "level 5", "level 4"));
  EXPECT_EQ(levels.size(), 4U);
  Curve ordered = curve;
  ordered.axis.ordered = true;
  const ShownLevels in_order = choose_levels(level_plan(of({ordered})), ordered.axis, 3);
  EXPECT_THAT(names(curve.axis, in_order.shown), ElementsAre("level 0", "level 1", "level 3"));
}

TEST(ShownLevels, FewRowsWithWildEffectsComeLast) {
  const Curve curve = made(
      100, [](std::size_t i) { return i % 2 == 0 ? 1000 : noise(i); },
      [](std::size_t i) { return i % 2 == 0 ? 2.0 : 50.0; });
  const ShownLevels levels = choose_levels(level_plan(of({curve})), curve.axis);
  for (const std::size_t place : levels.shown) EXPECT_EQ(place % 2, 1U);
  // Where all have few, they are chosen among.
  const Curve rare = made(100, noise, [](std::size_t) { return 3.0; });
  EXPECT_EQ(choose_levels(level_plan(of({rare})), rare.axis).shown.size(), levels_shown);
}

TEST(ShownLevels, TiesAreDecidedByRowsThenByName) {
  const Curve curve = made(5, [](std::size_t) { return 1.0; }, [](std::size_t i) { return i == 4 ? 20.0 : 10.0; });
  const ShownLevels levels = choose_levels(level_plan(of({curve})), curve.axis, 2);
  EXPECT_THAT(levels.shown, ElementsAre(0, 4));  // of one height: by name
  EXPECT_THAT(levels.others, ElementsAre(1, 2, 3));
}

TEST(ShownLevels, OneMoreRatherThanOthersThatAreOne) {
  const auto rows = [](std::size_t) { return 10.0; };
  const Curve all = made(levels_shown + 1, noise, rows), more = made(levels_shown + 2, noise, rows);
  EXPECT_TRUE(choose_levels(level_plan(of({all})), all.axis).others.empty());
  EXPECT_EQ(choose_levels(level_plan(of({more})), more.axis).others.size(), 2U);
  EXPECT_EQ(others_label(1970), "others (1,970 levels)");
}

TEST(ShownLevels, ShownAndOthersTogetherAreTheWhole) {
  const Curve curve = made(
      2000, [](std::size_t i) { return 10 * noise(i) - 3; },
      [](std::size_t i) { return std::floor(1 + 90 * noise(7 * i)); });
  const Result result = of({curve});
  const auto groups = group_items(result);
  const DrawnLines drawn = drawn_lines(groups[0]);
  const Curve& shown = *drawn.group.curve[0];
  ASSERT_EQ(shown.axis.size(), levels_shown + 1);
  EXPECT_EQ(shown.axis.levels.back(), "others (1,970 levels)");
  EXPECT_NEAR(total(shown), total(curve), 1e-9 * std::abs(total(curve)));
  EXPECT_DOUBLE_EQ(std::accumulate(shown.count.begin(), shown.count.end(), 0.0),
                   std::accumulate(curve.count.begin(), curve.count.end(), 0.0));
  EXPECT_TRUE(std::isnan(shown.se_shape.back()));
  for (std::size_t i = 0; i < levels_shown; ++i) {
    const auto place = static_cast<std::size_t>(std::stoi(shown.axis.levels[i].substr(6)));
    EXPECT_EQ(shown.mean[i], curve.mean[place]);
    EXPECT_EQ(shown.count[i], curve.count[place]);
  }
}

TEST(ShownLevels, StandInTheSameOrderInAllPicturesOfAPage) {
  const auto rows = [](std::size_t) { return 10.0; };
  Curve pdp = made(6, noise, rows);
  Curve ale = made(6, noise, rows, Estimand::accumulated_local_effect);
  std::reverse(ale.axis.levels.begin(), ale.axis.levels.end());
  Surface map;
  map.first = ale.axis;
  map.second = {"area", "", {0, 1, 2}, {}, false};
  map.estimand = Estimand::accumulated_local_effect;
  map.measure = Measure::effect;
  for (std::size_t i = 0; i < 6; ++i) map.mean.push_back({static_cast<double>(i), 0, 1});
  const LevelPlanPtr plan = level_plan({of({ale}), of({map}), of({pdp})});
  EXPECT_EQ(names(ale.axis, choose_levels(plan, ale.axis).shown), pdp.axis.levels);
  const DrawnSurface drawn = drawn_surface(map, plan, false);
  EXPECT_EQ(drawn.first.levels, pdp.axis.levels);
  EXPECT_EQ(drawn.mean[0][0], 5);
  // Alone it keeps the order in which similar levels are neighbours.
  EXPECT_EQ(names(ale.axis, choose_levels(level_plan(of({ale})), ale.axis).shown), ale.axis.levels);
}

TEST(ShownLevels, LinesWithDifferentLevelsShareTheirChoice) {
  const auto rows = [](std::size_t) { return 10.0; };
  Curve first = made(200, noise, rows), second = made(150, noise, rows);
  first.group = "size = small";
  second.group = "size = large";
  std::reverse(second.axis.levels.begin(), second.axis.levels.end());
  const Result result = of({first, second});
  const auto groups = group_items(result);
  ASSERT_EQ(groups.size(), 1U);
  const DrawnLines drawn = drawn_lines(groups[0]);
  EXPECT_EQ(drawn.left_out, 170U);
  EXPECT_EQ(drawn.shared.levels.size(), levels_shown + 1);
  for (std::size_t g = 0; g < 2; ++g) {
    const Curve& curve = *drawn.group.curve[g];
    ASSERT_EQ(curve.axis.size(), drawn.shared.place[g].size());
    for (std::size_t i = 0; i < curve.axis.size(); ++i)
      EXPECT_EQ(curve.axis.levels[i], drawn.shared.levels[drawn.shared.place[g][i]]);
    EXPECT_NEAR(total(curve), total(*groups[0].as<CurveLines>()->curve[g]), 1e-9);
  }
}

TEST(ShownLevels, MapsHaveOthersOnBothSides) {
  Surface map;
  map.first.feature = "city";
  map.second.feature = "shop";
  for (std::size_t i = 0; i < 200; ++i) map.first.levels.push_back(level_name(i));
  for (std::size_t j = 0; j < 60; ++j) map.second.levels.push_back("shop " + std::to_string(j));
  double whole = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    auto& mean = map.mean.emplace_back();
    auto& count = map.count.emplace_back();
    for (std::size_t j = 0; j < 60; ++j) {
      mean.push_back(noise(i));
      count.push_back(i == 5 ? 0 : 1 + static_cast<double>(i % 3));
      whole += mean.back() * count.back();
    }
  }
  const DrawnSurface drawn = drawn_surface(map, level_plan(of({map})), false);
  ASSERT_EQ(drawn.mean.size(), levels_across + 1);
  ASSERT_EQ(drawn.mean[0].size(), levels_shown + 1);
  EXPECT_EQ(drawn.first_left_out, 180U);
  EXPECT_EQ(drawn.second_left_out, 30U);
  double shown = 0;
  for (std::size_t i = 0; i < drawn.mean.size(); ++i) {
    for (std::size_t j = 0; j < drawn.mean[i].size(); ++j) shown += drawn.mean[i][j] * drawn.rows[i][j];
  }
  EXPECT_NEAR(shown, whole, 1e-9 * whole);
}

TEST(ShownLevels, HostileNumbersAreChosenAmongToo) {
  Curve curve = made(
      100, [](std::size_t i) { return i % 3 == 0   ? NAN
                                      : i % 3 == 1 ? INFINITY
                                                   : 1e308 * noise(i); },
      [](std::size_t i) { return i % 5 == 0   ? -1
                                 : i % 5 == 1 ? NAN
                                              : 1e308; });
  curve.axis.levels[7] = curve.axis.levels[8];
  const Result result = of({curve});
  const auto groups = group_items(result);
  EXPECT_EQ(drawn_lines(groups[0]).shared.levels.size(), levels_shown + 1);
  EXPECT_FALSE(to_json(vega_spec(result)).empty());
}

double highest_chart(const Value& spec) {
  double found = 0;
  for (const auto& [key, value] : spec.as_object()) {
    if (key == "height" && value.is_number()) found = std::max(found, value.as_number());
    if (key == "vconcat") {
      for (const Value& part : value.as_array()) found = std::max(found, highest_chart(part));
    }
  }
  return found;
}

TEST(ShownLevels, NoPictureGrowsWithThem) {
  const auto rows = [](std::size_t i) { return 1.0 + static_cast<double>(i % 40); };
  std::vector<ResultItem> groups;
  for (int g = 0; g < 8; ++g) {
    Curve curve = made(2000, noise, rows);
    curve.group = "g = " + std::to_string(g);
    groups.emplace_back(curve);
  }
  Curves ice;
  ice.axis = made(2000, noise, rows).axis;
  ice.rows = {4};
  ice.values.emplace_back();
  for (std::size_t i = 0; i < 2000; ++i) ice.values[0].push_back(noise(i));
  ice.own_level = {"level 1234"};
  Surface map;
  map.first = ice.axis;
  map.second = ice.axis;
  map.second.feature = "shop";
  map.second.levels.resize(300);
  map.mean.assign(2000, std::vector<double>(300, 1));
  for (const Result& result : {of({made(2000, noise, rows)}), of(groups), of({ice}), of({map})}) {
    const Value spec = vega_spec(result);
    EXPECT_LT(highest_chart(spec), 3500);
    EXPECT_LT(to_json(spec).size(), 1'000'000U);
    EXPECT_LT(std::ranges::count(render_text(result), '\n'), 120);
    EXPECT_THAT(render_text(result), HasSubstr("csv and json have"));
  }
}

TEST(ShownLevels, EveryLevelIsInTheTable) {
  const auto rows = [](std::size_t i) { return 1.0 + static_cast<double>(i % 40); };
  Curve pdp = made(2000, noise, rows), ale = made(2000, noise, rows, Estimand::accumulated_local_effect);
  pdp.series = "PDP";
  ale.series = "ALE";
  const Result result = of({pdp, ale});
  const auto groups = group_items(result);
  ASSERT_EQ(groups.size(), 1U);
  const DataTable table = data_table(groups[0]);
  EXPECT_EQ(table.rows.size(), 4000U);
  EXPECT_EQ(table.left_out, 0U);
  ASSERT_TRUE(table.find);
  EXPECT_EQ(table.columns[*table.find].title, "city");
  const Result few = of({made(10, noise, rows)});
  EXPECT_FALSE(data_table(group_items(few)[0]).find);
}

TEST(ShownLevels, TheRestIsToldInWords) {
  const Curve curve = made(
      1000, [](std::size_t i) { return i < 30       ? 100.0
                                       : i % 2 == 0 ? 1.0
                                                    : 3.0; },
      [](std::size_t i) { return i < 30 ? 970.0 : 10.0; });
  const Result result = of({curve});
  const auto groups = group_items(result);
  EXPECT_THAT(describe(result, groups[0]), HasSubstr("The other 970 levels have 25 % of the rows; they are at 2 on "
                                                     "average, from 1 to 3."));
  EXPECT_THAT(how_to_read(result, groups[0]), HasSubstr("30 of 1,000 levels are shown"));
}

}  // namespace
}  // namespace sightglass
