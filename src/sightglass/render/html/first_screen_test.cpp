#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sightglass/render/html/payload_internal.h"
#include "support/golden_results.h"
#include "support/result_items.h"

namespace sightglass {
namespace {

using testing::golden;

Curve line_of(const std::string& feature, std::vector<double> heights) {
  Curve curve;
  curve.axis.feature = feature;
  curve.output = "prediction";
  for (std::size_t i = 0; i < heights.size(); ++i) {
    curve.axis.numbers.push_back(static_cast<double>(i) * 10);
    curve.count.push_back(100);
  }
  curve.mean = std::move(heights);
  curve.estimand = Estimand::partial_dependence;
  return curve;
}

Importance shuffled(const std::string& feature, double value) {
  Importance entry;
  entry.feature = feature;
  entry.features = {feature};
  entry.output = "prediction";
  entry.measure.kind = MeasureKind::permutation;
  entry.measure.loss = LossKind::rmse;
  entry.importance = value;
  return entry;
}

std::vector<Result> small_report() {
  Result performance = testing::result_of("performance"), importance = testing::result_of("permutation-importance"),
         effects = testing::result_of("partial-dependence");
  importance.about.family = Family::importance;
  effects.about.family = Family::effects;
  performance.results = {Figure{.name = "r2", .id = FigureId::loss, .loss = LossKind::r2, .value = 0.9}};
  importance.results = {shuffled("b", 8), shuffled("a", 4), shuffled("c", -1)};
  effects.results = {line_of("a", {0, 1, 2}), line_of("b", {5, 3, 1})};
  return {performance, importance, effects};
}

TEST(FirstScreen, HasAHeadlineScoresBarsAndTheFirstEffects) {
  const Value payload = page_payload(small_report(), "");
  const Value& first = *payload.find("first");
  EXPECT_THAT(first.find("headline")->as_string(), ::testing::HasSubstr("90 %"));
  EXPECT_EQ(first.find("scores")->as_array().size(), 1U);
  const auto& bars = first.find("matters")->find("rows")->as_array();
  ASSERT_EQ(bars.size(), 3U);
  EXPECT_EQ(bars[0].find("name")->as_string(), "b");
  EXPECT_EQ(bars[0].find("share")->as_number(), 1);
  EXPECT_EQ(bars[1].find("share")->as_number(), 0.5);
  // Less than nothing is no bar.
  EXPECT_EQ(bars[2].find("share")->as_number(), 0);
  // What matters most comes first, with its sentence; that is not told again below.
  const auto& effects = first.find("effects")->as_array();
  ASSERT_EQ(effects.size(), 2U);
  const auto section = static_cast<std::size_t>(effects[0].find("section")->as_integer());
  EXPECT_EQ(payload.find("sections")->as_array()[section].find("title")->as_string(), "b");
  for (const Value& finding : payload.find("findings")->as_array()) {
    EXPECT_NE(finding.find("text")->as_string(), effects[0].find("text")->as_string());
    EXPECT_NE(finding.find("text")->as_string(), first.find("headline")->as_string());
  }
  const Value& glance = payload.find("glance")->as_array()[0];
  EXPECT_EQ(glance.find("from")->as_string() + " " + glance.find("to")->as_string(), "0 20");
}

TEST(FirstScreen, OfManyLevelsTheHighestAndTheLowestAreKnownAndAllAreCounted) {
  auto results = small_report();
  Curve levels;
  levels.axis.feature = "city";
  levels.output = "prediction";
  levels.estimand = Estimand::partial_dependence;
  for (int i = 0; i < 500; ++i) {
    levels.axis.levels.push_back("city " + std::to_string(i));
    levels.count.push_back(100);
    levels.mean.push_back(i == 101 ? 50 : i == 333 ? -50 : i % 7);
  }
  results[2].results.emplace_back(levels);
  const Value payload = page_payload(results, "");
  const auto& glances = payload.find("glance")->as_array();
  const auto city = std::find_if(glances.begin(), glances.end(),
                                 [](const Value& glance) { return glance.find("title")->as_string() == "city"; });
  ASSERT_NE(city, glances.end());
  EXPECT_EQ(city->find("all_levels")->as_integer(), 500);
  const auto& names = city->find("levels")->as_array();
  EXPECT_EQ(names.size(), city->find("spark")->as_array().size());
  EXPECT_LT(names.size(), 100U);
  const auto height_of = [&](const std::string& name) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].as_string() == name) return city->find("spark")->as_array()[i].as_array()[1].as_number();
    }
    return -1.0;
  };
  EXPECT_EQ(height_of("city 101"), 1);
  EXPECT_EQ(height_of("city 333"), 0);
}

TEST(FirstScreen, WithoutMeasuresOfImportanceRangesAreTheBars) {
  auto results = small_report();
  results[1] = testing::result_of("interactions");
  results[1].about.family = Family::interactions;
  Interaction pair;
  pair.features = {"a", "b"};
  pair.output = "prediction";
  results[1].results = {pair};
  const Value payload = page_payload(results, "");
  const auto& bars = payload.find("first")->find("matters")->find("rows")->as_array();
  ASSERT_EQ(bars.size(), 2U);
  EXPECT_EQ(bars[0].find("name")->as_string(), "b");
  EXPECT_EQ(bars[0].find("text")->as_string(), "4");
}

TEST(FirstScreen, IsNotForPagesOfOneChapter) {
  EXPECT_TRUE(page_payload({golden("numeric.json")}, "").find("first")->is_null());
}

TEST(Cautions, FewStandInFrontAndTheOthersBesideTheirChart) {
  auto results = small_report();
  const auto add = [&](const std::string& id, Severity severity, const std::string& feature) {
    Caveat caveat{.id = id, .severity = severity, .message = "said of " + feature_name(feature)};
    caveat.advice = marked("look at it; raise {option:sample}");
    if (!feature.empty()) caveat.evidence = Value::object({{"feature", feature}});
    results[2].caveats.push_back(std::move(caveat));
  };
  add("one", Severity::warning, "");
  add("sparse-region", Severity::caution, "a");
  add("sparse-region", Severity::caution, "b");
  for (const char* id : {"x", "y", "z"}) add(id, Severity::caution, "a");
  add("note", Severity::note, "");
  const Value payload = page_payload(results, "");
  std::size_t front = 0;
  for (const Value& kind : payload.find("cautions")->as_array()) front += kind.find("front")->as_bool() ? 1 : 0;
  EXPECT_EQ(payload.find("cautions")->as_array().size(), 6U);
  EXPECT_EQ(front, 3U);
  const auto& asides = payload.find("asides")->as_array();
  ASSERT_EQ(asides.size(), 2U);  // the same words of one feature once
  EXPECT_EQ(asides[0].find("text")->as_string(), "Said of a");
  EXPECT_EQ(asides[0].find("advice")->as_string(), "Look at it");
  EXPECT_EQ(asides[0].find("tip")->as_string(), "raise sample");
}

TEST(Cautions, ThoseInFrontDoNotSayNearlyTheSame) {
  auto results = small_report();
  const auto add = [&](const std::string& id, const std::string& feature, const std::string& group = {}) {
    Caveat caveat{.id = id, .severity = Severity::caution, .message = "said of " + feature_name(feature)};
    caveat.evidence = Value::object({{"feature", feature}});
    if (!group.empty()) caveat.evidence.set("group", group);
    results[2].caveats.push_back(std::move(caveat));
  };
  add("extrapolation", "a");
  add("sparse-region", "b");
  add("sparse-region", "a", "b > 3");
  add("hidden-heterogeneity", "a");
  const Value payload = page_payload(results, "");
  std::vector<std::string> front;
  for (const Value& kind : payload.find("cautions")->as_array()) {
    if (kind.find("front")->as_bool()) front.push_back(kind.find("text")->as_string());
  }
  EXPECT_THAT(front,
              ::testing::ElementsAre("Part of the curve of a rests on combinations that the data do not contain.",
                                     "What a does differs from row to row; its average curve hides that."));
  EXPECT_EQ(payload.find("cautions")->as_array().size(), 4U);
}

}  // namespace
}  // namespace sightglass
