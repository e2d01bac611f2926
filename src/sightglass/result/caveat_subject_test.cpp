#include "sightglass/result/caveat_subject.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Caveat caveat_of(Value evidence, const std::string& id = "correlated-features", const std::string& message = "") {
  return {.id = id, .message = message, .evidence = std::move(evidence)};
}

Value pair(const std::string& feature, const std::string& other) {
  return Value::object({{"feature", feature}, {"other", other}});
}

TEST(CaveatSubject, IsReadInEveryForm) {
  EXPECT_THAT(subjects_of(caveat_of(Value())), IsEmpty());
  EXPECT_THAT(subjects_of(caveat_of(Value::object({{"rows", 3}}))), IsEmpty());
  EXPECT_THAT(features_named(caveat_of(pair("temp", "season"))), ElementsAre("season", "temp"));
  const Caveat several =
      caveat_of(Value::object({{"feature", "temp"}, {"others", std::vector<std::string>{"season", "month"}}}));
  EXPECT_THAT(features_named(several), ElementsAre("month", "season", "temp"));
  EXPECT_THAT(subjects_of(several).at(0).features, ElementsAre("temp"));
  Value list = Value::array();
  list.push_back(pair("temp", "season"));
  list.push_back(pair("wind", "hum"));
  const Caveat two = caveat_of(Value::object({{"features", list}}));
  ASSERT_EQ(subjects_of(two).size(), 2u);
  EXPECT_THAT(subjects_of(two)[1].features, ElementsAre("wind"));
  const auto names = subjects_of(caveat_of(Value::object({{"features", std::vector<std::string>{"temp", "wind"}}})));
  ASSERT_EQ(names.size(), 1u);
  EXPECT_THAT(names[0].features, ElementsAre("temp", "wind"));
}

TEST(CaveatSubject, MayBePartOfAnother) {
  Value list = Value::array();
  list.push_back(pair("temp", "season"));
  list.push_back(pair("wind", "hum"));
  const Caveat two = caveat_of(Value::object({{"features", list}}));
  EXPECT_TRUE(is_about_part_of(caveat_of(pair("season", "temp")), two));
  EXPECT_FALSE(is_about_part_of(two, caveat_of(pair("season", "temp"))));
  EXPECT_FALSE(is_about_part_of(caveat_of(pair("season", "month")), two));
  EXPECT_FALSE(is_about_part_of(caveat_of(pair("season", "temp"), "extrapolation"), two));
  EXPECT_FALSE(is_about_part_of(caveat_of(Value()), two));
}

TEST(CaveatSubject, TiesOnlyThoseItNamesTogether) {
  Value list = Value::array();
  list.push_back(pair("temp", "season"));
  list.push_back(pair("wind", "hum"));
  const Caveat two = caveat_of(Value::object({{"features", list}}));
  EXPECT_TRUE(ties_together(two, "temp", "season"));
  EXPECT_TRUE(ties_together(two, "hum", "wind"));
  EXPECT_FALSE(ties_together(two, "temp", "hum"));
  EXPECT_FALSE(ties_together(two, "temp", "temp"));
}

TEST(CaveatSubject, TheSameInOtherWords) {
  EXPECT_TRUE(about_the_same(caveat_of(pair("a", "b"), "x", "one"), caveat_of(pair("b", "a"), "x", "other")));
  EXPECT_FALSE(about_the_same(caveat_of(pair("a", "b"), "x", "one"), caveat_of(pair("a", "c"), "x", "other")));
  EXPECT_FALSE(about_the_same(caveat_of(pair("a", "b"), "x", "one"), caveat_of(pair("a", "b"), "y", "one")));
  EXPECT_FALSE(about_the_same(caveat_of(Value::object(), "x", "one"), caveat_of(Value::object(), "x", "other")));
  EXPECT_TRUE(about_the_same(caveat_of(Value::object(), "weak-model", "skill 0.05"),
                             caveat_of(Value::object(), "weak-model", "skill 0.06")));
}

}  // namespace
}  // namespace sightglass
