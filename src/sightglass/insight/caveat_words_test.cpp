#include "sightglass/insight/caveat_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/insight/findings.h"
#include "sightglass/insight/glossary.h"
#include "support/result_items.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

CaveatWords said(const Text& message, const Text& advice) {
  return caveat_words({.id = "x", .severity = Severity::caution, .message = message, .advice = advice});
}

TEST(CaveatWords, WhatToTypeIsATipAsTheFrontEndSpellsIt) {
  const Text advice = marked("use {method:ale}, which stays inside the data; {option:caveat_rows} 0 looks at all rows");
  const CaveatWords plain = said("rows are few", advice);
  EXPECT_EQ(plain.message, "Rows are few");
  EXPECT_EQ(plain.advice, "Use ALE, which stays inside the data");
  EXPECT_EQ(plain.tip, "caveat_rows 0 looks at all rows");
  const auto flags = [](const Reference& reference) {
    return reference.kind == Reference::Kind::option ? "--caveat-rows" : reference.name;
  };
  const CaveatWords spelled = said("rows are few", advice.spelled(flags));
  EXPECT_EQ(spelled.advice, plain.advice);
  EXPECT_EQ(spelled.tip, "--caveat-rows 0 looks at all rows");
}

TEST(CaveatWords, EachThingToDoIsOneOrTheOther) {
  const CaveatWords both = said("x", marked("raise {option:terms}, or read the values as tendencies"));
  EXPECT_EQ(both.advice, "Read the values as tendencies");
  EXPECT_EQ(both.tip, "raise terms");
  // Words that the writer gave are plain ones.
  EXPECT_EQ(said("x", marked("use more rows or fewer {option:bins|bins}")).advice, "Use more rows or fewer bins");
  EXPECT_EQ(said("x", marked("name others with {option:split_by}")).advice, "");
  EXPECT_EQ(said("x", "").tip, "");
}

TEST(CaveatWords, MessagesHaveNoOptionsEither) {
  const auto flags = [](const Reference&) { return "--pair-grid"; };
  const Text message = marked("{option:pair_grid} is coarse");
  EXPECT_EQ(said(message, "").message, "Pair grid is coarse");
  EXPECT_EQ(said(message.spelled(flags), "").message, "Pair grid is coarse");
}

TEST(CaveatWords, NamesFromTheDataStayAsTheyAre) {
  EXPECT_EQ(said(feature_name("{option:a}; b") + " is constant", "").message, "{option:a}; b is constant");
  EXPECT_EQ(said("x", "drop " + feature_name("a; b, or c") + "; look again").advice, "Drop a; b, or c; look again");
  EXPECT_EQ(said("x", Text("{option:sample} of a file")).tip, "");
}

Caveat of_feature(const std::string& id, const std::string& feature, const std::string& other = "") {
  Caveat caveat{.id = id, .severity = Severity::caution, .message = feature_name(feature) + " and numbers"};
  caveat.evidence = Value::object({{"feature", feature}});
  if (!other.empty()) caveat.evidence.set("other", other);
  return caveat;
}

std::vector<std::string> sentences(const std::vector<Caveat>& caveats) {
  Result result = testing::result_of("m");
  result.caveats = caveats;
  std::vector<ListedCaveat> list;
  for (const Caveat& caveat : result.caveats) list.push_back({&caveat, &result});
  std::vector<std::string> said;
  for (const CaveatKind& kind : caveat_kinds(list)) said.push_back(kind.sentence);
  return said;
}

TEST(CaveatKinds, TellManyInOneSentence) {
  EXPECT_THAT(sentences({of_feature("hidden-heterogeneity", "hour")}),
              ElementsAre("What hour does differs from row to row; its average curve hides that."));
  EXPECT_THAT(sentences({of_feature("hidden-heterogeneity", "a"), of_feature("hidden-heterogeneity", "b"),
                         of_feature("hidden-heterogeneity", "c"), of_feature("hidden-heterogeneity", "d"),
                         of_feature("hidden-heterogeneity", "e")}),
              ElementsAre("What a, b, c and 2 others do differs from row to row; their average curves hide that."));
  // Of two that are each other's nearest once is enough.
  EXPECT_THAT(sentences({of_feature("correlated-features", "a", "b"), of_feature("correlated-features", "b", "a")}),
              ElementsAre("a goes together with b: what one of them does may be credited to the other."));
}

TEST(CaveatKinds, OneCaveatMayBeAboutMany) {
  Caveat caveat = of_feature("sparse-region", "a");
  caveat.evidence.set(
      "features",
      Value::array().push_back(Value::object({{"feature", "a"}})).push_back(Value::object({{"feature", "b"}})));
  EXPECT_THAT(sentences({caveat}), ElementsAre("Few rows stand behind parts of the curves of a and b."));
  EXPECT_EQ(caveat_about(caveat, subjects_of(caveat).back()), "Few rows stand behind part of the curve of b.");
  EXPECT_EQ(caveat_about(of_feature("x", "a"), {{"a"}, {}}), "");
}

TEST(CaveatKinds, TheWorstAndTheWholeComeFirstAndIdleNotesNever) {
  Caveat note{.id = "n", .severity = Severity::note, .message = "nobody can help it"};
  Caveat useful{.id = "u", .severity = Severity::note, .message = "some rows", .advice = "use more"};
  Caveat whole{.id = "w", .severity = Severity::caution, .message = "trained on these"};
  Caveat weak{.id = "weak-model", .severity = Severity::warning, .message = "hardly better"};
  EXPECT_THAT(
      sentences({note, useful, of_feature("sparse-region", "a"), whole, weak}),
      ElementsAre("Hardly better", "Trained on these", "Few rows stand behind part of the curve of a.", "Some rows"));
}

TEST(Scores, AreFewAndInPlainWords) {
  Result result = testing::result_of("performance");
  result.data.set("target_unit", "bikes/hour");
  const auto loss = [](LossKind kind, double value) {
    return Figure{.name = std::string(label_of(kind)), .id = FigureId::loss, .loss = kind, .value = value};
  };
  result.results = {loss(LossKind::rmse, 30.24), loss(LossKind::r2, 0.951), loss(LossKind::absolute, 19.41),
                    loss(LossKind::squared, 900)};
  const auto found = scores({result});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].value, "95 %");
  EXPECT_EQ(found[0].name, "R²");
  EXPECT_EQ(found[1].value, "19 bikes/hour");
  EXPECT_EQ(found[1].words, "off on average");
  EXPECT_EQ(found[2].value, "30 bikes/hour");
  result.results = {loss(LossKind::accuracy, 0.912), loss(LossKind::auc, 0.9531)};
  const auto classes = scores({result});
  ASSERT_EQ(classes.size(), 2U);
  EXPECT_EQ(classes[0].value, "91 %");
  EXPECT_EQ(classes[1].value, "0.953");
  EXPECT_TRUE(scores({}).empty());
}

TEST(Findings, OneOfThemIsTheHeadline) {
  Result result = testing::result_of("performance");
  result.results = {Figure{.name = "r2", .id = FigureId::loss, .loss = LossKind::r2, .value = 0.9}};
  const auto told = findings({result});
  ASSERT_FALSE(told.empty());
  EXPECT_TRUE(told[0].is_headline);
  EXPECT_THAT(told[0].text, HasSubstr("90 %"));
  EXPECT_THAT(told[0].text, Not(HasSubstr("heterogeneity")));
}

}  // namespace
}  // namespace sightglass
