#include "sightglass/numeric/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace sightglass {
namespace {

double sum_of(const std::vector<double>& values) {
  ExactSum sum;
  for (const double value : values) sum.add(value);
  return sum.value();
}

TEST(ExactSum, KeepsWhatPlainSumsLose) {
  EXPECT_EQ(sum_of({1e100, 1.0, -1e100}), 1.0);
  EXPECT_EQ(sum_of({0.1, 0.2, -0.3}), std::ldexp(1.0, -55));
  EXPECT_EQ(sum_of({5e-324, 5e-324}), 1e-323);
  EXPECT_EQ(sum_of({-5e-324, 5e-324}), 0.0);
  EXPECT_EQ(sum_of({1.7976931348623157e308, -1.7976931348623157e308, 3}), 3.0);
  EXPECT_EQ(sum_of({-2.5, -4}), -6.5);
  EXPECT_EQ(sum_of({}), 0.0);
}

TEST(ExactSum, RoundsHalfToEvenOnce) {
  const double ulp = std::ldexp(1.0, -52);
  EXPECT_EQ(sum_of({1.0, ulp / 2}), 1.0);
  EXPECT_EQ(sum_of({1.0 + ulp, ulp / 2}), 1.0 + 2 * ulp);
  EXPECT_EQ(sum_of({1.0, ulp / 2, 5e-324}), 1.0 + ulp);
}

TEST(ExactSum, InfinityAndNanAreRemembered) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(sum_of({1, infinity}), infinity);
  EXPECT_TRUE(std::isnan(sum_of({infinity, -infinity})));
  EXPECT_TRUE(std::isnan(sum_of({NAN, 1})));
  EXPECT_EQ(sum_of({1e308, 1e308, 1e308}), infinity);
}

TEST(ExactSum, AnyOrderAndGroupingGivesTheSameBits) {
  std::mt19937_64 random(1);
  std::vector<double> values(1000);
  for (double& value : values) {
    value = std::ldexp(static_cast<double>(random()) - 9e18, static_cast<int>(random() % 400) - 200);
  }
  const double expected = sum_of(values);
  for (int trial = 0; trial < 20; ++trial) {
    std::shuffle(values.begin(), values.end(), random);
    ExactSum total;
    for (std::size_t begin = 0; begin < values.size();) {
      const std::size_t end = std::min(values.size(), begin + 1 + random() % 100);
      ExactSum part;
      for (std::size_t i = begin; i < end; ++i) part.add(values[i]);
      ByteSink sink;
      part.save(sink);
      ByteSource source(sink.bytes());
      ExactSum loaded;
      loaded.load(source);
      EXPECT_TRUE(source.done());
      total.merge(loaded);
      begin = end;
    }
    EXPECT_EQ(total.value(), expected);
  }
}

TEST(ExactMoments, VarianceSurvivesALargeMean) {
  ExactMoments moments;
  for (const double value : {1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4}) moments.add(value, 1);
  EXPECT_DOUBLE_EQ(moments.mean(4), 1e9 + 2.5);
  EXPECT_DOUBLE_EQ(moments.variance(4), 1.25);
}

TEST(ExactMoments, ASpreadTooLargeToSayIsNotZero) {
  ExactMoments moments;
  for (const double value : {1e200, -1e200}) moments.add(value, 1);
  EXPECT_EQ(moments.variance(2), std::numeric_limits<double>::infinity());
}

TEST(ExactMoments, WeightsAreDuplicatedRows) {
  ExactMoments weighted;
  ExactMoments duplicated;
  for (const double value : {0.1, 0.7, -3.3}) {
    weighted.add(value, 3);
    for (int i = 0; i < 3; ++i) duplicated.add(value, 1);
  }
  EXPECT_EQ(weighted.mean(9), duplicated.mean(9));
  EXPECT_DOUBLE_EQ(weighted.variance(9), duplicated.variance(9));
}

}  // namespace
std::string saved(const auto& sums) {
  ByteSink sink;
  sums.save(sink);  // in normal form: equal numbers, equal bytes
  return sink.bytes();
}

TEST(ExactSum, ManyAtOnceGivesTheSameBits) {
  std::mt19937_64 random(7);
  // From values of one size to values so far apart that they have no bits in common.
  for (const int spread : {1, 8, 30, 60, 200, 1000}) {
    std::vector<double> values = {0.0, -0.0};
    if (spread == 1000) values.insert(values.end(), {1e308, -1e308, 5e-324, 1e-300, 7e200});
    for (int i = 0; i < 9001; ++i) {
      const double mantissa = std::uniform_real_distribution<double>(-1, 1)(random);
      values.push_back(std::ldexp(mantissa, static_cast<int>(random() % static_cast<unsigned>(spread)) - spread / 2));
    }
    ExactSum one_by_one, at_once;
    ExactMoments moments, moments_at_once;
    for (const double value : values) {
      one_by_one.add(value);
      moments.add(value, 1.0);
    }
    at_once.add_all(values);
    moments_at_once.add_all(values);
    EXPECT_EQ(saved(at_once), saved(one_by_one)) << spread;
    EXPECT_EQ(saved(moments_at_once), saved(moments)) << spread;
  }
  const std::vector<double> special = {1.0, std::numeric_limits<double>::infinity(), 2.0};
  ExactSum infinite;
  infinite.add_all(special);
  EXPECT_TRUE(std::isinf(infinite.value()));
}

}  // namespace sightglass
