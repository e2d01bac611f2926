#include "sightglass/methods/local/anchors_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/base/error.h"
#include "sightglass/data/texts/word_breaks.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/result/json.h"
#include "sightglass/result/shapes/marked_text.h"
#include "sightglass/result/shapes/rules.h"
#include "support/law_cases.h"
#include "support/text_model.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::text_table;
using testing::TextModel;

const testing::LawCase laws("anchors-text",
                            {.options = Value::object({{"text_column", "c"}, {"explain", 3}, {"samples", 100}}),
                             .about_features = false});

Result explain(const Model& model, const Table& table, Value options = Value::object(), int threads = 1) {
  Context context(threads);
  options.set("outcome", "label");
  return run("anchors-text", model, table, options, context);
}

bool has_word(const std::string& text, const std::string& word) {
  for (const TextPiece& piece : words_of(text)) {
    if (piece.of(text) == word) return true;
  }
  return false;
}

std::vector<std::string> words_of_rule(const Rules& rules) {
  std::vector<std::string> words;
  for (const ShownCondition& condition : rules.rules.at(0).conditions) words.push_back(condition.levels.at(0));
  return words;
}

const Caveat* caveat(const Result& result, const std::string& id) {
  for (const Caveat& each : result.caveats) {
    if (each.id == id) return &each;
  }
  return nullptr;
}

// A text of few words has few others that are made of it, each of which is asked about once.
TEST(AnchorsText, NoTextIsAskedAboutTwiceAtATime) {
  std::size_t asked = 0;
  const TextModel model("text", [&](const std::string& text) {
    ++asked;
    return std::vector{has_word(text, "good") ? 1.0 : 0.0};
  });
  (void)explain(model, text_table({"good food", "bad food"}), Value::object({{"rows", Value::array().push_back(0)}}));
  EXPECT_LT(asked, 60U);
}

// Longer rules are fewer than shorter ones where a text has two words: nothing of the shorter ones is asked again.
TEST(AnchorsText, TwoWordsThatDecideTogether) {
  const TextModel model("text", [](const std::string& text) {
    return std::vector{has_word(text, "not") && has_word(text, "bad") ? 1.0 : 0.0};
  });
  const Result result = explain(model, text_table({"not bad", "bad", "not", "fine"}),
                                Value::object({{"rows", Value::array().push_back(0)}, {"precision", 0.55}}));
  EXPECT_THAT(words_of_rule(result.results[0].get<Rules>()),
              ::testing::UnorderedElementsAre(HasSubstr("not"), HasSubstr("bad")));
}

TEST(AnchorsText, OneWordThatDecidesIsTheRule) {
  const TextModel model("text",
                        [](const std::string& text) { return std::vector{has_word(text, "good") ? 1.0 : 0.0}; });
  const Table table = text_table({"a good film, with a nice plot", "a bad film", "good food", "nothing"});
  const Result result = explain(model, table, Value::object({{"rows", Value::array().push_back(0)}}));
  ASSERT_EQ(result.results.size(), 2U);
  const auto& rules = result.results[0].get<Rules>();
  EXPECT_THAT(words_of_rule(rules), ElementsAre("… good …"));
  const Rule& rule = rules.rules[0];
  EXPECT_EQ(*rule.perturbed_precision, 1);
  EXPECT_GT(*rule.perturbed_low, 0.99);
  EXPECT_EQ(rule.support, 0.5);  // of the data's texts two of four have the word
  EXPECT_EQ(*rule.precision, 1);
  EXPECT_EQ(*rule.base_rate, 0.5);
  const auto& marked = result.results[1].get<MarkedText>();
  ASSERT_EQ(marked.pieces.size(), 1U);
  EXPECT_EQ(marked.pieces[0].start, 2U);
  EXPECT_EQ(marked.pieces[0].end, 6U);
  EXPECT_EQ(marked.pieces[0].value, 1);  // always with it, never without
  EXPECT_EQ(caveat(result, "no-anchor"), nullptr);
}

// Of several classes the text is shown with the one that its rule is about.
TEST(AnchorsText, TheMarkedTextHasThePredictionOfItsClass) {
  const TextModel model("text",
                        [](const std::string& text) {
                          const double good = has_word(text, "good") ? 0.7 : 0.1;
                          return std::vector{0.2, good, 0.8 - good};
                        },
                        {"none", "good", "bad"});
  Context context(1);
  const Result result =
      run("anchors-text", model, text_table({"a good film"}), Value::object({{"outcome", "class"}}), context);
  const auto& marked = result.results[1].get<MarkedText>();
  EXPECT_EQ(marked.output, "good");
  EXPECT_EQ(marked.prediction, 0.7);
}

TEST(AnchorsText, TwoWordsThatDecideTogetherAreTheRule) {
  const TextModel model("text", [](const std::string& text) {
    return std::vector{has_word(text, "not") && has_word(text, "boring") ? 1.0 : 0.0};
  });
  const Result result = explain(model, text_table({"this film was not at all boring to me", "boring"}),
                                Value::object({{"rows", Value::array().push_back(0)}}));
  EXPECT_THAT(words_of_rule(result.results[0].get<Rules>()), ElementsAre("… not …", "… boring …"));
  const auto& marked = result.results[1].get<MarkedText>();
  ASSERT_EQ(marked.pieces.size(), 2U);
  for (const MarkedPiece& piece : marked.pieces) EXPECT_EQ(piece.value, 1);
}

TEST(AnchorsText, WhatIsAlwaysSaidNeedsNoWord) {
  const TextModel model("text", [](const std::string&) { return std::vector{1.0}; });
  const Result result = explain(model, text_table({"one two three"}));
  EXPECT_THAT(words_of_rule(result.results[0].get<Rules>()), IsEmpty());
  EXPECT_THAT(result.results[1].get<MarkedText>().pieces, IsEmpty());
}

// A majority of nine words: no five of them settle it for 95 % of the others.
TEST(AnchorsText, NoRuleIsSaidPlainly) {
  const TextModel model("text",
                        [](const std::string& text) { return std::vector{words_of(text).size() >= 8 ? 1.0 : 0.0}; });
  const Result result = explain(model, text_table({"a b c d e f g h i"}));
  const Caveat* none = caveat(result, "no-anchor");
  ASSERT_NE(none, nullptr);
  EXPECT_THAT(none->message.plain(), HasSubstr("no rule reaches a precision of 0.95 for row 0"));
}

TEST(AnchorsText, SameBytesWhateverTheThreads) {
  const TextModel model("text", [](const std::string& text) {
    return std::vector{has_word(text, "good") || (has_word(text, "not") && has_word(text, "bad")) ? 1.0 : 0.0};
  });
  const Table table = text_table({"not a bad film but no good plot", "it is not so bad"});
  EXPECT_EQ(to_json(explain(model, table)), to_json(explain(model, table, Value::object(), 4)));
}

TEST(AnchorsText, TextsWithoutWordsAreLeftOut) {
  const TextModel model("text", [](const std::string& text) { return std::vector{has_word(text, "a") ? 1.0 : 0.0}; });
  const Result result = explain(model, text_table({"a b", "..."}), Value::object({{"explain", 0}}));
  EXPECT_EQ(result.results.size(), 2U);
  EXPECT_NE(caveat(result, "no-words"), nullptr);
  EXPECT_THROW((void)explain(model, text_table({"...", "!"}), Value::object({{"explain", 0}})), Error);
}

TEST(AnchorsText, HoweverManyTextsHaveNoWords) {
  std::vector<std::string> texts(30'000, "...");
  texts.push_back("a b");
  const TextModel model("text", [](const std::string& text) { return std::vector{has_word(text, "a") ? 1.0 : 0.0}; });
  EXPECT_EQ(explain(model, text_table(texts), Value::object({{"explain", 0}})).results.size(), 2U);
}

}  // namespace
}  // namespace sightglass
