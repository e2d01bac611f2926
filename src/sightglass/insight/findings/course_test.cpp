// Whatever is said of a curve must hold: checked on random curves of every kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "sightglass/insight/findings/course_internal.h"
#include "sightglass/insight/findings/evidence_internal.h"
#include "sightglass/insight/interval.h"

namespace sightglass::finders {
namespace {

Curve curve_of(const std::vector<double>& grid, const std::vector<double>& mean, double se = 0) {
  Curve curve;
  curve.axis.feature = "x";
  curve.axis.numbers = grid;
  curve.mean = mean;
  curve.se_shape.assign(mean.size(), se);
  curve.count.assign(mean.size(), 50);
  return curve;
}

std::vector<double> grid_of(std::size_t size, std::mt19937& random, double low = 0, double high = 1) {
  std::uniform_real_distribution<double> uniform(low, high);
  std::vector<double> grid(size);
  for (auto& value : grid) value = uniform(random);
  if (size > 0) grid[0] = low;
  if (size > 1) grid[1] = high;
  std::sort(grid.begin(), grid.end());
  return grid;
}

std::vector<double> heights(const std::vector<double>& grid, const std::function<double(double)>& function) {
  std::vector<double> mean;
  for (const double x : grid) mean.push_back(function(x));
  return mean;
}

// Every claim that a course makes, against the numbers.
void expect_true(const Curve& curve, const Course& course) {
  const auto y = [&](std::size_t i) { return curve.mean[i]; };
  const auto& trusted = course.trusted;
  ASSERT_GE(trusted.size(), 2u);
  ASSERT_FALSE(course.pieces.empty());
  double low = INFINITY, high = -INFINITY;
  for (const auto i : trusted) {
    ASSERT_TRUE(std::isfinite(y(i)));
    ASSERT_EQ(std::count(curve.sparse.begin(), curve.sparse.end(), i), 0);
    ASSERT_EQ(std::count(curve.extrapolated.begin(), curve.extrapolated.end(), i), 0);
    low = std::min(low, y(i));
    high = std::max(high, y(i));
  }
  EXPECT_EQ(course.range, high - low);
  EXPECT_EQ(y(course.low), low);
  EXPECT_EQ(y(course.high), high);
  EXPECT_GT(course.range, uncertainty(curve, course.low, course.high));
  const auto is_trusted = [&](std::size_t i) { return std::binary_search(trusted.begin(), trusted.end(), i); };
  EXPECT_EQ(course.pieces.front().from, trusted.front());
  EXPECT_EQ(course.pieces.back().to, trusted.back());
  const double se = curve.se_shape.empty() ? 0 : *std::max_element(curve.se_shape.begin(), curve.se_shape.end());
  const double allowed = std::max(course.turn * course.range, interval_width * std::sqrt(2.0) * se) * (1 + 1e-12);
  for (std::size_t k = 0; k < course.pieces.size(); ++k) {
    const Piece& piece = course.pieces[k];
    EXPECT_TRUE(is_trusted(piece.from) && is_trusted(piece.to));
    EXPECT_LT(piece.from, piece.to);
    if (k > 0) {
      EXPECT_EQ(piece.from, course.pieces[k - 1].to);
      EXPECT_NE(piece.move, course.pieces[k - 1].move);
    }
    double least = INFINITY, most = -INFINITY, against = 0;
    for (const auto i : trusted) {
      if (i < piece.from || i > piece.to) continue;
      if (piece.move == Move::up) against = std::max(against, most - y(i));
      if (piece.move == Move::down) against = std::max(against, y(i) - least);
      least = std::min(least, y(i));
      most = std::max(most, y(i));
    }
    if (piece.move == Move::level) {
      EXPECT_LE(most - least, 2 * level_share * course.range * (1 + 1e-12));
    } else {
      // Against the trend only by less than a turn, and the trend is there.
      EXPECT_LE(against, allowed);
      EXPECT_GT((piece.move == Move::up ? 1 : -1) * (y(piece.to) - y(piece.from)), -allowed);
      EXPECT_GE(most - least, level_share * course.range);
    }
  }
  if (course.step) {
    const auto [a, b] = *course.step;
    const double width = curve.axis.numbers[trusted.back()] - curve.axis.numbers[trusted.front()];
    EXPECT_GE(std::abs(y(b) - y(a)), step_share * course.range);
    EXPECT_LE(curve.axis.numbers[b] - curve.axis.numbers[a], step_width * width);
  }
}

TEST(Course, MonotoneCurvesGoOneWay) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const auto grid = grid_of(2 + random() % 60, random, -3, 12);
    std::vector<double> mean;
    double height = -5;
    std::exponential_distribution<double> step(1);
    const bool up = round % 2 == 0;
    for (std::size_t i = 0; i < grid.size(); ++i) mean.push_back(up ? height += step(random) : height -= step(random));
    const Curve curve = curve_of(grid, mean);
    const auto course = course_of(curve);
    ASSERT_TRUE(course);
    expect_true(curve, *course);
    for (const Piece& piece : course->pieces) EXPECT_NE(piece.move, up ? Move::down : Move::up);
    EXPECT_EQ(course->vertices.size(), 2u);
  }
}

TEST(Course, TurnsWhereTheCurveTurns) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(0.25, 0.75);
  for (int round = 0; round < 200; ++round) {
    const double top = uniform(random);
    std::vector<double> grid;
    for (int i = 0; i <= 50; ++i) grid.push_back(i / 50.0);
    const double sign = round % 2 == 0 ? -1 : 1;
    const Curve curve = curve_of(grid, heights(grid, [&](double x) { return sign * (x - top) * (x - top); }));
    const auto course = course_of(curve);
    ASSERT_TRUE(course);
    expect_true(curve, *course);
    ASSERT_EQ(course->vertices.size(), 3u);
    EXPECT_NEAR(grid[course->vertices[1]], top, 0.011);
    EXPECT_EQ(course->pieces.front().move, sign < 0 ? Move::up : Move::down);
    EXPECT_EQ(course->pieces.back().move, sign < 0 ? Move::down : Move::up);
  }
}

TEST(Course, NoiseBelowItsErrorSaysNothing) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> noise(-0.9, 0.9);
  for (int round = 0; round < 200; ++round) {
    const auto grid = grid_of(3 + random() % 40, random);
    EXPECT_FALSE(course_of(curve_of(grid, heights(grid, [&](double) { return 7 + noise(random); }), 1)));
    // On a slope it makes no turns.
    const Curve slope = curve_of(grid, heights(grid, [&](double x) { return 40 * x + noise(random); }), 1);
    const auto course = course_of(slope);
    ASSERT_TRUE(course);
    expect_true(slope, *course);
    EXPECT_EQ(course->vertices.size(), 2u);
    EXPECT_EQ(course->pieces.front().move == Move::down, false);
  }
}

TEST(Course, RandomWalksWithGapsAreToldTruly) {
  std::mt19937 random(4);
  std::normal_distribution<double> step;
  int told = 0;
  for (int round = 0; round < 2000; ++round) {
    const auto grid = grid_of(random() % 40, random, -1e3, 1e3);
    std::vector<double> mean;
    double height = 0;
    for (std::size_t i = 0; i < grid.size(); ++i) mean.push_back(height += step(random));
    for (auto& value : mean) {
      if (random() % 15 == 0) value = random() % 2 == 0 ? NAN : INFINITY;
    }
    Curve curve = curve_of(grid, mean, round % 3 == 0 ? 0.3 : 0);
    for (std::size_t i = 0; i < mean.size(); ++i) {
      if (random() % 12 == 0) curve.sparse.push_back(i);
      if (random() % 12 == 0) curve.extrapolated.push_back(i);
    }
    const auto course = course_of(curve);
    if (!course) continue;
    ++told;
    expect_true(curve, *course);
    const Clause clause = clause_of(Result{}, curve);
    EXPECT_FALSE(clause.text.empty());
    EXPECT_TRUE(course->everywhere || !clause.domain.empty());
  }
  EXPECT_GT(told, 1000);
}

TEST(Course, NothingWhereThereIsNothing) {
  EXPECT_FALSE(course_of(curve_of({}, {})));
  EXPECT_FALSE(course_of(curve_of({1}, {2})));
  EXPECT_FALSE(course_of(curve_of({1, 2, 3}, {2, 2, 2})));
  EXPECT_FALSE(course_of(curve_of({1, 2, 3}, {2, 2 + 1e-13, 2})));
  EXPECT_FALSE(course_of(curve_of({1, 2, 3}, {NAN, NAN, NAN})));
  EXPECT_FALSE(course_of(curve_of({1, 2, 3}, {NAN, 1, INFINITY})));
  // Every point is outside the data.
  Curve outside = curve_of({1, 2, 3}, {1, 2, 3});
  outside.extrapolated = {0, 1, 2};
  EXPECT_FALSE(course_of(outside));
  // What is left stands for few rows.
  Curve few = curve_of({1, 2, 3, 4}, {1, 2, 3, 9});
  few.sparse = {2, 3};
  few.count = {10, 10, 500, 500};
  EXPECT_FALSE(course_of(few));
}

TEST(Course, ExtremeHeightsDoNotOverflow) {
  const Curve curve = curve_of({0, 1, 2}, {-1.7e308, 0, 1.7e308});
  EXPECT_FALSE(course_of(curve));
  const auto course = course_of(curve_of({-1e300, 0, 1e300}, {1, 2, 3}));
  ASSERT_TRUE(course);
}

TEST(Course, ADoubtfulEndCarriesNoTurn) {
  Curve curve = curve_of({0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 0});
  curve.sparse = {5};
  const auto course = course_of(curve);
  ASSERT_TRUE(course);
  ASSERT_EQ(course->pieces.size(), 1u);
  EXPECT_EQ(course->pieces[0].move, Move::up);
  EXPECT_FALSE(course->everywhere);
  EXPECT_EQ(clause_of(Result{}, curve).domain, "between 0 and 4");
  // One that goes on as told needs no restriction.
  curve.mean[5] = 4.2;
  EXPECT_TRUE(course_of(curve)->everywhere);
  EXPECT_EQ(clause_of(Result{}, curve).text, "rises evenly with x; range 4");
  // One that goes on further is in the range that is not told.
  curve.mean[5] = 9;
  EXPECT_EQ(clause_of(Result{}, curve).domain, "");
  EXPECT_EQ(clause_of(Result{}, curve).text, "rises evenly with x; range 4 between 0 and 4");
}

TEST(Course, ASmallTurnAtAnEndCountsIfTheRestGoesOn) {
  Curve curve = curve_of({0, 1, 2, 3, 4, 5, 6}, {0, 4, 9, 10, 9.6, 9.2, 1});
  curve.sparse = {6};
  EXPECT_EQ(clause_of(Result{}, curve).text, "rises with x up to 3, then falls; range 10");
  curve.mean[6] = 9.5;
  EXPECT_EQ(clause_of(Result{}, curve).text, "rises with x; range 10");
  std::reverse(curve.mean.begin(), curve.mean.end());
  curve.mean[0] = 1;
  curve.sparse = {0};
  EXPECT_EQ(clause_of(Result{}, curve).text, "rises with x up to 3, then falls; range 10");
}

TEST(Clause, Shapes) {
  const auto text = [](const std::vector<double>& mean) {
    std::vector<double> grid;
    for (std::size_t i = 0; i < mean.size(); ++i) grid.push_back(static_cast<double>(i));
    Curve curve = curve_of(grid, mean);
    curve.axis.unit = "m";
    return clause_of(Result{}, curve).text;
  };
  EXPECT_EQ(text({0, 2, 4, 6, 8}), "rises evenly with x, by about 2 per m; range 8");
  EXPECT_EQ(text({0, 9, 12, 13, 20}), "rises with x; range 20");
  EXPECT_EQ(text({0, 5, 9, 10, 7, 3}), "rises with x up to 3 m, then falls; range 10");
  EXPECT_EQ(text({10, 5, 2, 6, 9, 11}), "falls with x up to 2 m, then rises; range 9");
  EXPECT_EQ(text({0, 0, 0, 0, 0, 10, 10, 10, 10, 10}), "rises with x by 10, most of it (10) between 4 and 5 m");
  EXPECT_EQ(text({0, 0, 0, 0, 3, 5, 8, 10}), "hardly changes with x up to 3 m, then rises; range 10");
  EXPECT_EQ(text({10, 6, 3, 0, 0, 0, 0, 0}), "falls with x up to 3 m, then hardly changes; range 10");
  EXPECT_EQ(text({0, 3, 6, 10, 10, 10, 10, 6, 2}),
            "rises with x up to 3 m, hardly changes up to 6 m, then falls; range 10");
  EXPECT_EQ(text({0, 3, 5, 5, 5, 5, 8, 10}),
            "rises with x up to 2 m, hardly changes up to 5 m, then rises again; range 10");
  EXPECT_EQ(text({5, 0, 8, 3, 10, 4}),
            "goes up and down along x, with peaks at 2 and 4 m, the highest at 4 m, and is lowest at 1 m; range 10");
  EXPECT_EQ(text({0, 3, 1, 4, 2, 5, 4, 7, 6, 10}), "rises with x on the whole, with ups and downs; range 10");
  EXPECT_EQ(text({3, 3, 3}), "");
}

TEST(Clause, Levels) {
  Curve curve;
  curve.axis.feature = "day";
  curve.axis.levels = {"Mon", "Tue", "Sun"};
  curve.mean = {1, 5, 9};
  curve.count = {40, 40, 1};
  EXPECT_EQ(clause_of(Result{}, curve).text, "is highest where day is “Sun”, lowest where it is “Mon”: 8 apart");
  curve.sparse = {2};
  EXPECT_EQ(clause_of(Result{}, curve).text, "is 4 higher where day is “Tue” than where it is “Mon”");
  curve.se_shape = {3, 3, 3};
  EXPECT_EQ(clause_of(Result{}, curve).text, "");
}

}  // namespace
}  // namespace sightglass::finders
