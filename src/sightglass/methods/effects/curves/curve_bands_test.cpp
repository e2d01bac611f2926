#include "sightglass/methods/effects/curves/curve_bands.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sightglass {
namespace {

TEST(CurveBands, RelativeBinsHoldEverySizeToOnePercent) {
  const BandBins bins = BandBins::relative(10);
  EXPECT_EQ(bins.middle(bins.bin(0)), 0);
  for (double size = 10; size > 1e-5; size *= 0.97) {
    EXPECT_NEAR(bins.middle(bins.bin(size)), size, 0.008 * size);
    EXPECT_NEAR(bins.middle(bins.bin(-size)), -size, 0.008 * size);
  }
  EXPECT_EQ(bins.middle(bins.bin(1e-9)), 0);
  EXPECT_LT(bins.bin(-3), bins.bin(-2));
  EXPECT_LT(bins.bin(-2), bins.bin(0));
  EXPECT_LT(bins.bin(2), bins.bin(3));
}

TEST(CurveBands, BinsWithoutWidthOrBeyondAllNumbers) {
  for (const double largest : {0.0, 1e-320, 1e308}) {
    const BandBins bins = BandBins::relative(largest);
    for (const double value : {-largest, 0.0, largest, 1e300}) EXPECT_LT(bins.bin(value), bins.size());
  }
}

TEST(CurveBands, WiderBinsHoldWhatTheyWereWidenedFor) {
  const ValueRange seen{-7, 1e6};
  EXPECT_TRUE(BandBins::relative(1).widened(seen).holds(seen));
  EXPECT_TRUE(BandBins::equal({0, 1}).widened(seen).holds(seen));
  EXPECT_FALSE(BandBins::equal({0, 1}).holds(seen));
}

TEST(CurveBands, QuantilesOfWeightedValues) {
  const std::vector<BandBins> bins = {BandBins::equal({0, 100})};
  CurveBands bands(2, 1, bins), more(2, 1, bins);
  for (int i = 0; i < 100; ++i) (i % 2 == 0 ? bands : more).add(1, 0, i, 1, bins[0]);
  more.add(0, 0, 42, 3, bins[0]);
  merge_sums(bands, more);
  EXPECT_NEAR(bands.quantile(1, 0, 25, bins[0]), 24, 0.1);
  EXPECT_EQ(bands.quantile(0, 0, 95, bins[0]), 42);
  EXPECT_EQ(bands.extremes(0).high, 99);
}

}  // namespace
}  // namespace sightglass
