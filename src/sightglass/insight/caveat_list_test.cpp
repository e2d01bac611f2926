#include "sightglass/insight/caveat_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/result_items.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;

Value about(const std::string& feature, std::vector<std::string> others = {}) {
  Value evidence = Value::object({{"feature", feature}});
  if (!others.empty()) evidence.set("other", others[0]);
  if (others.size() > 1) evidence.set("others", std::vector<std::string>(others.begin() + 1, others.end()));
  return evidence;
}

Caveat caveat(const std::string& message, Value evidence, Severity severity = Severity::caution,
              const std::string& id = "x") {
  return {.id = id, .severity = severity, .message = message, .evidence = std::move(evidence)};
}

Value list_of(const std::vector<std::string>& features) {
  Value list = Value::array();
  for (const auto& feature : features) list.push_back(about(feature));
  return Value::object({{"features", list}});
}

std::vector<std::string> said(const std::vector<std::vector<Caveat>>& of_results) {
  std::vector<Result> results;
  for (const auto& caveats : of_results) {
    results.push_back(testing::result_of("m"));
    results.back().caveats = caveats;
  }
  std::vector<std::string> messages;
  for (const ListedCaveat& each : caveats_once(results)) messages.push_back(each.caveat->message.plain());
  return messages;
}

TEST(CaveatList, IsSaidOnceByTheFirstOfTheWorst) {
  EXPECT_THAT(said({{caveat("note", about("a"), Severity::note)}, {caveat("worse", about("a"))}}),
              ElementsAre("worse"));
  EXPECT_THAT(said({{caveat("one", about("a"))}, {caveat("two", about("a"))}, {caveat("three", about("b"))}}),
              ElementsAre("one", "three"));
  // One result may say more than one thing about a feature.
  EXPECT_THAT(said({{caveat("one", about("a")), caveat("two", about("a"))}}), ElementsAre("one", "two"));
  EXPECT_THAT(said({{caveat("one", about("a"))}, {caveat("two", about("a"), Severity::caution, "y")}}),
              ElementsAre("one", "two"));
}

TEST(CaveatList, EveryModelAndEveryRegionHasItsOwn) {
  std::vector<Result> results;
  for (const char* file : {"a.json", "b.json", "b.json"}) {
    results.push_back(testing::result_of("m"));
    results.back().model.set("file", file);
    results.back().caveats = {caveat("weak", Value::object(), Severity::warning, "weak-model")};
  }
  EXPECT_EQ(caveats_once(results).size(), 2U);
  EXPECT_THAT(said({{caveat("all", about("a"))}, {caveat("region", about("a").set("group", "b > 1"))}}),
              ElementsAre("all", "region"));
}

TEST(CaveatList, PairsAreTheSameWhicheverWayRound) {
  EXPECT_THAT(said({{caveat("ab", about("a", {"b"}))}, {caveat("ba", about("b", {"a", "c"}))}}), ElementsAre("ab"));
  EXPECT_THAT(said({{caveat("ab", about("a", {"b"}))}, {caveat("ac", about("a", {"c"}))}}), ElementsAre("ab", "ac"));
}

TEST(CaveatList, ListsAndSingleOnesKnowOfEachOther) {
  EXPECT_THAT(said({{caveat("all", list_of({"a", "b"}))}, {caveat("a", about("a"))}, {caveat("c", about("c"))}}),
              ElementsAre("all", "c"));
  EXPECT_THAT(said({{caveat("a", about("a")), caveat("b", about("b"))}, {caveat("all", list_of({"a", "b"}))}}),
              ElementsAre("a", "b"));
  EXPECT_THAT(said({{caveat("all", list_of({"a", "b"}))}, {caveat("others", list_of({"c", "b"}))}}),
              ElementsAre("all"));
}

TEST(CaveatList, AModelIsWeakOnce) {
  const auto weak = [](const std::string& message) {
    return caveat(message, Value::object({{"value", 0.01}}), Severity::warning, "weak-model");
  };
  EXPECT_THAT(said({{weak("skill 0.01")}, {weak("skill 0.011")}}), ElementsAre("skill 0.01"));
  EXPECT_THAT(said({{caveat("100 of 200 rows", Value::object())},
                    {caveat("50 of 200 rows", Value::object())},
                    {caveat("100 of 200 rows", Value::object())}}),
              ElementsAre("100 of 200 rows", "50 of 200 rows"));
}

}  // namespace
}  // namespace sightglass
