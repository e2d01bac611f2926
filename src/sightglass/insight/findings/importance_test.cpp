// Measures that say "nothing" by a number other than 0.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/insight/findings.h"
#include "support/result_items.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;
using testing::importance_of;

Importance relied_on(const std::string& feature, double before, double after) {
  Importance entry = importance_of(feature, after / before, "reliance: ratio of rmse");
  entry.details.set("e_orig", before).set("e_switch", after);
  return entry;
}

std::string all_said(const Result& result) {
  std::string text;
  for (const Finding& finding : findings({result})) text += finding.text + "\n";
  return text;
}

TEST(FindingsOfImportance, ARatioBelowOneIsNoImportance) {
  const Result useless =
      testing::result_of("model-reliance", {relied_on("a", 10, 9.9), relied_on("b", 10, 9.8), relied_on("c", 10, 9.5)});
  EXPECT_EQ(all_said(useless), "");
  // Nor are all features but one unimportant because their ratios are small numbers.
  const auto ratio = [](const std::string& name, double value) { return importance_of(name, value, "ratio of rmse"); };
  const Result shuffled = testing::result_of("permutation-importance",
                                             {ratio("a", 3), ratio("b", 1.001), ratio("c", 0.999), ratio("d", 2)});
  EXPECT_THAT(all_said(shuffled), HasSubstr("Shuffling b and c, each alone, changes the rmse by next to nothing."));
}

TEST(FindingsOfImportance, WithinItsErrorARatioIsOne) {
  Importance first = relied_on("a", 10, 11);
  first.se = 0.2;
  EXPECT_EQ(all_said(testing::result_of("model-reliance", {first, relied_on("b", 10, 10)})), "");
}

TEST(FindingsOfImportance, RelianceIsToldByItsLosses) {
  EXPECT_THAT(all_said(testing::result_of("model-reliance", {relied_on("a", 10, 31), relied_on("b", 10, 12)})),
              HasSubstr("a matters most: exchanging its values between rows makes the rmse 3.1 times as large."));
  EXPECT_THAT(all_said(testing::result_of("model-reliance", {relied_on("a", 10, 13), relied_on("b", 10, 11)})),
              HasSubstr("a matters most: exchanging its values between rows makes the rmse 30 % larger."));
}

}  // namespace
}  // namespace sightglass
