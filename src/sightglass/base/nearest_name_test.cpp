#include "sightglass/base/nearest_name.h"

#include <gtest/gtest.h>

namespace sightglass {
namespace {

TEST(NearestName, MindsNeitherCaseNorSeparators) {
  EXPECT_EQ(nearest_name("Area-M2", {"rooms", "area_m2"}), "area_m2");
  EXPECT_EQ(nearest_name("areaM2", {"area", "area_m2"}), "area_m2");
  EXPECT_EQ(nearest_name("--grid_resolution", {"--grid", "--grid-resolution"}), "--grid-resolution");
  EXPECT_EQ(nearest_name("Größe", {"grösse", "größe"}), "größe");
}

TEST(NearestName, KnowsBeginnings) {
  EXPECT_EQ(nearest_name("area", {"rooms", "area_m2", "year"}), "area_m2");
  EXPECT_EQ(nearest_name("temp", {"time", "type", "temperature"}), "temperature");
  EXPECT_EQ(nearest_name("hum", {"hour", "humidity"}), "humidity");
  // The shortest of several.
  EXPECT_EQ(nearest_name("temp", {"temperature_outside", "temperature"}), "temperature");
  EXPECT_EQ(nearest_name("price_eur", {"rooms", "price"}), "price");
  EXPECT_EQ(nearest_name("area", {"rooms", "living_area_m2"}), "living_area_m2");
  // Two letters begin too many names.
  EXPECT_EQ(nearest_name("te", {"temperature", "tenants"}), "");
}

TEST(NearestName, KnowsSlips) {
  EXPECT_EQ(nearest_name("humidty", {"humid_air", "humidity"}), "humidity");
  EXPECT_EQ(nearest_name("--featurs", {"--feature-list", "--features"}), "--features");
  // One slip is nearer than a beginning, a beginning nearer than two slips.
  EXPECT_EQ(nearest_name("temps", {"temp", "temps_of_day"}), "temp");
  EXPECT_EQ(nearest_name("xyz", {"temperature", "hour"}), "");
  EXPECT_EQ(nearest_name("", {"a"}), "");
  EXPECT_EQ(nearest_name("%", {"a", "%%%"}), "");
  EXPECT_EQ(nearest_name("x", {}), "");
}

TEST(NearestName, KnowsWordsOfOtherLibraries) {
  EXPECT_EQ(nearest_name("--n-jobs", {"--sample", "--threads"}), "--threads");
  EXPECT_EQ(nearest_name("scoring", {"sample", "losses"}), "losses");
  EXPECT_EQ(nearest_name("--metric", {"--losses", "--repeats"}), "--losses");
  EXPECT_EQ(nearest_name("max_samples", {"sample", "seed"}), "sample");
  EXPECT_EQ(nearest_name("n_permutations", {"sample", "repeats"}), "repeats");
  EXPECT_EQ(nearest_name("feature-importance", {"features", "permutation-importance"}), "permutation-importance");
  // A word that says nothing here is a name as any other.
  EXPECT_EQ(nearest_name("metric", {"metres", "rooms"}), "metres");
}

}  // namespace
}  // namespace sightglass
