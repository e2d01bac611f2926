#include "sightglass/model/derived/derived_column.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sightglass/base/error.h"
#include "support/plain_walks.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;
using Kind = Step::Kind;

std::vector<Step> steps_of_all_kinds() {
  std::vector<Step> steps = {
      {.kind = Kind::round, .float32 = true},
      {.kind = Kind::add, .a = 0.1},
      {.kind = Kind::subtract, .a = 3.7, .float32 = true},
      {.kind = Kind::multiply, .a = -1.3},
      {.kind = Kind::multiply, .a = 0},
      {.kind = Kind::divide, .a = 0.3},
      {.kind = Kind::clip, .a = -2, .b = 2.5},
      {.kind = Kind::replace, .a = NAN, .b = 0.5},
      {.kind = Kind::replace, .a = 0, .b = NAN},
      {.kind = Kind::equals, .a = 2},
      {.kind = Kind::equals, .a = NAN},
      {.kind = Kind::count_upto, .numbers = {-1, 0, 0.5, 3}},
      {.kind = Kind::count_below, .numbers = {-1, 0, 0.5, 3}},
      {.kind = Kind::look_up, .a = -1, .b = NAN, .numbers = {-2, 0, 1, 5}, .values = {3, 1, 1, 0.5}},
      {.kind = Kind::yeo_johnson, .a = 0.4},
      {.kind = Kind::yeo_johnson, .a = 2},
      {.kind = Kind::box_cox, .a = -0.5},
  };
  for (const Kind kind : {Kind::truncate,       Kind::floor,     Kind::ceil,   Kind::round_even,  Kind::logarithm,
                          Kind::log1p,          Kind::log2,      Kind::log10,  Kind::exponential, Kind::expm1,
                          Kind::square_root,    Kind::cube_root, Kind::square, Kind::absolute,    Kind::sign,
                          Kind::sinh,           Kind::tanh,      Kind::asinh,  Kind::logistic,    Kind::refuse_missing,
                          Kind::refuse_infinite})
    steps.push_back({.kind = kind});
  return steps;
}

TEST(DerivedColumn, StepsComputeWhatTheirNamesSay) {
  EXPECT_EQ(apply({.kind = Kind::add, .a = 0.1}, 0.2), 0.1 + 0.2);
  EXPECT_EQ(apply({.kind = Kind::multiply, .a = static_cast<double>(0.1F), .float32 = true}, 3),
            static_cast<double>(0.1F * 3.0F));
  EXPECT_EQ(apply({.kind = Kind::clip, .a = 0, .b = 1}, -INFINITY), 0);
  EXPECT_EQ(apply({.kind = Kind::count_upto, .numbers = {1, 2, 2}}, 2), 3);
  EXPECT_EQ(apply({.kind = Kind::count_below, .numbers = {1, 2, 2}}, 2), 1);
  EXPECT_EQ(apply({.kind = Kind::replace, .a = NAN, .b = 7}, NAN), 7);
  EXPECT_EQ(apply({.kind = Kind::equals, .a = NAN}, NAN), 1);
  EXPECT_EQ(apply({.kind = Kind::equals, .a = 1}, NAN), 0);
  EXPECT_EQ(apply({.kind = Kind::round_even}, 2.5), 2);
  EXPECT_NEAR(apply({.kind = Kind::yeo_johnson, .a = 0.4}, 2), (std::pow(3.0, 0.4) - 1) / 0.4, 1e-12);
  EXPECT_NEAR(apply({.kind = Kind::yeo_johnson, .a = 0.4}, -2), -(std::pow(3.0, 1.6) - 1) / 1.6, 1e-12);
  EXPECT_DOUBLE_EQ(apply({.kind = Kind::yeo_johnson, .a = 2}, -2), -std::log(3.0));
  EXPECT_TRUE(std::isnan(apply({.kind = Kind::logarithm}, -1)));
  EXPECT_TRUE(std::isnan(apply({.kind = Kind::add, .a = 1}, NAN)));
}

// A number is in the preimage just where its result is in the set, and the doubles beside each end as well.
TEST(DerivedColumn, PreimagesHoldToTheLastBit) {
  std::mt19937_64 random(5);
  for (const Step& step : steps_of_all_kinds()) {
    const bool refuses = step.kind == Kind::refuse_missing || step.kind == Kind::refuse_infinite;
    for (int attempt = 0; attempt < 40; ++attempt) {
      std::vector<NumberSet::Interval> wanted;
      for (std::size_t i = random() % 3; i < 3; ++i) {
        double a = testing::hard_number(random), b = testing::hard_number(random);
        if (std::isnan(a) || std::isnan(b)) continue;
        wanted.push_back({std::min(rank_of(a), rank_of(b)), std::max(rank_of(a), rank_of(b))});
      }
      const NumberSet set = NumberSet::of(wanted, random() % 2 == 0);
      const NumberSet before = preimage(step, set);
      std::vector<double> tried = {NAN, INFINITY, -INFINITY, 0, -1, 2, 5};
      for (const auto& interval : before.intervals) {
        for (const std::int64_t rank : {interval.first - 1, interval.first, interval.last, interval.last + 1}) {
          if (std::abs(rank) <= rank_of(INFINITY)) tried.push_back(number_at(rank));
        }
      }
      for (int i = 0; i < 200; ++i) tried.push_back(testing::hard_number(random));
      for (const double x : tried) {
        const auto result = derive({.steps = {step}}, x);
        ASSERT_TRUE(result || refuses);
        ASSERT_EQ(before.contains(x), result && set.contains(*result))
            << "step " << static_cast<int>(step.kind) << " with " << step.a << " at " << x;
      }
    }
  }
}

TEST(DerivedColumn, LevelsAreLookedUpBeforeTheSteps) {
  const DerivedColumn column{.levels = LevelTable{.values = {1, 5, NAN}, .unseen = -1, .missing = 5},
                             .steps = {{.kind = Kind::multiply, .a = 2}}};
  EXPECT_EQ(derive(column, 1), 10);
  EXPECT_EQ(derive(column, -1), -2);
  EXPECT_EQ(derive(column, NAN), 10);
  EXPECT_TRUE(std::isnan(*derive(column, 2)));
  const NumberSet above_nine = NumberSet::of({{rank_of(9), rank_of(INFINITY)}}, false);
  EXPECT_EQ(preimage(column, above_nine), (NumberSet{.intervals = {{1, 1}}, .missing = true}));
  DerivedColumn strict = column;
  strict.levels->refuses_unseen = true;
  EXPECT_EQ(derive(strict, -1), std::nullopt);
  EXPECT_EQ(preimage(strict, NumberSet::all()), (NumberSet{.intervals = {{0, 2}}, .missing = true}));
}

TEST(DerivedColumn, RefusesStepsThatAreNone) {
  const auto message = [](Step step) {
    try {
      check({.steps = {std::move(step)}}, "prep");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::model);
      return error.message();
    }
    return std::string("none");
  };
  EXPECT_THAT(message({.kind = Kind::divide, .a = 0}), HasSubstr("prep: a preparation step divides by 0"));
  EXPECT_THAT(message({.kind = Kind::add, .a = NAN}), HasSubstr("not finite"));
  EXPECT_THAT(message({.kind = Kind::clip, .a = 2, .b = 1}), HasSubstr("bounds"));
  EXPECT_THAT(message({.kind = Kind::count_upto, .numbers = {2, 1}}), HasSubstr("ascend"));
  EXPECT_THAT(message({.kind = Kind::look_up, .numbers = {1, 1}, .values = {1, 2}}), HasSubstr("ascend"));
  EXPECT_THAT(message({.kind = Kind::look_up, .numbers = {1}}), HasSubstr("another number of values"));
  EXPECT_EQ(message({.kind = Kind::count_upto, .numbers = {1, 1}}), "none");
}

}  // namespace
}  // namespace sightglass
