#include "sightglass/methods/grid/feature_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/base/error.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Texts = std::vector<std::string>;

MethodInput input() {
  MethodInput input;
  input.schema = Schema({{.name = "rooms"}, {.name = "beds"}, {.name = "age"}, {.name = "a,b"}, {.name = "price"}});
  input.features = {0, 1, 2, 3};
  input.outputs = {"prediction"};
  return input;
}

Texts names(const Texts& features, const Texts& groups) {
  Texts names;
  for (const FeatureGroup& group : chosen_groups(input(), features, groups)) names.push_back(group.name);
  return names;
}

std::string complaint(const Texts& groups) {
  try {
    (void)names({}, groups);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(FeatureGroups, FeaturesInNoGroupStay) {
  EXPECT_THAT(names({}, {}), ElementsAre("rooms", "beds", "age", "a,b"));
  EXPECT_THAT(names({}, {"size=rooms,beds"}), ElementsAre("age", "a,b", "size"));
  EXPECT_THAT(names({}, {"size=rooms,beds", "old=age,beds"}), ElementsAre("a,b", "size", "old")) << "one in two groups";
  EXPECT_THAT(names({"rooms", "age"}, {"size=rooms,beds"}), ElementsAre("rooms", "age", "size"));
}

TEST(FeatureGroups, NamesAreReadAsTheyAreMeant) {
  EXPECT_THAT(names({" age"}, {" size = rooms , beds "}), ElementsAre("age", "size"));
  EXPECT_THAT(names({"age"}, {"rooms,beds"}), ElementsAre("age", "rooms + beds"));
  const auto odd = chosen_groups(input(), {"age"}, {"odd=a,b,rooms"});
  EXPECT_THAT(odd.back().features, ElementsAre("a,b", "rooms")) << "a name with a comma";
}

TEST(FeatureGroups, WhatIsNoGroupIsRefused) {
  EXPECT_THAT(complaint({"size=rooms,beds", "age"}), HasSubstr("groups: age is one feature, not a group; write each"));
  EXPECT_THAT(complaint({"size=rooms,rooms"}), HasSubstr("names a feature twice"));
  EXPECT_THAT(complaint({"size=rooms,bedz"}), HasSubstr("groups: the data have no column bedz; did you mean beds?"));
  EXPECT_THAT(complaint({"size=rooms,price"}), HasSubstr("groups: the model does not use price"));
  EXPECT_THAT(complaint({"size="}), HasSubstr("has no features"));
  EXPECT_THAT(complaint({"bedz"}), HasSubstr("did you mean beds?"));
  EXPECT_THAT(complaint({"age=rooms,beds"}), HasSubstr("groups: age is also the name of a feature"));
  EXPECT_THAT(complaint({"x=rooms,beds", "x=age,beds"}), HasSubstr("groups: x is the name of two groups"));
}

}  // namespace
}  // namespace sightglass
