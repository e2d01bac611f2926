#include "sightglass/methods/local/lime_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/data/texts/word_breaks.h"
#include "sightglass/methods/local/pieces/piece_line.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/result/shapes/marked_text.h"
#include "support/law_cases.h"
#include "support/text_model.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;
using testing::text_table;
using testing::TextModel;

const testing::LawCase laws("lime-text",
                            {.options = Value::object({{"text_column", "c"}, {"explain", 12}, {"samples", 20}}),
                             .about_features = false});

Result explain(const Model& model, const Table& table, const Value& options = Value::object(), int threads = 1) {
  Context context(threads);
  return run("lime-text", model, table, options, context);
}

const MarkedText& text_of(const Result& result, std::size_t i = 0) { return result.results.at(i).get<MarkedText>(); }

std::string error_of(const Model& model, const Table& table, const Value& options = Value::object()) {
  try {
    (void)explain(model, table, options);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

const Caveat* caveat(const Result& result, const std::string& id) {
  for (const Caveat& each : result.caveats) {
    if (each.id == id) return &each;
  }
  return nullptr;
}

// Counts each distinct word once.
std::vector<double> bag_of_words(const std::string& text, const std::vector<std::pair<std::string, double>>& weights) {
  double sum = 0;
  std::vector<std::string> words;
  for (const TextPiece& piece : words_of(text)) words.emplace_back(piece.of(text));
  for (const auto& [word, weight] : weights) {
    if (std::find(words.begin(), words.end(), word) != words.end()) sum += weight;
  }
  return {sum};
}

std::string numbered_words(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i > 0 ? " w" : "w") + std::to_string(i);
  return text;
}

double value_of(const MarkedText& marked, std::size_t word) {
  for (const MarkedPiece& piece : marked.pieces) {
    if (piece.together == word) return piece.value;
  }
  return 0;
}

// A model that is linear in which words are there is what LIME finds, without a penalty to the last digits.
TEST(LimeText, LinearModelsAreFound) {
  const std::vector<std::pair<std::string, double>> weights{{"good", 2}, {"bad", -3}};
  const TextModel model("text", [&](const std::string& text) { return bag_of_words(text, weights); });
  const Result result =
      explain(model, text_table({"good but bad, so good"}), Value::object({{"penalty", 0}, {"terms", 0}}));
  const MarkedText& marked = text_of(result);
  EXPECT_EQ(marked.row, 0U);
  EXPECT_EQ(marked.prediction, -1);
  EXPECT_NEAR(*marked.base, 0, 1e-9);
  ASSERT_EQ(marked.pieces.size(), 5U);
  EXPECT_EQ(marked.pieces[0].start, 0U);
  EXPECT_EQ(marked.pieces[0].end, 4U);
  EXPECT_NEAR(marked.pieces[0].value, 2, 1e-9);
  EXPECT_NEAR(marked.pieces[1].value, 0, 1e-9);
  EXPECT_NEAR(marked.pieces[2].value, -3, 1e-9);
  EXPECT_EQ(marked.pieces[4].start, 17U);
  EXPECT_EQ(marked.pieces[4].together, 0U);
  EXPECT_NEAR(marked.pieces[4].value, 2, 1e-9);
  // Four different words: 16 samples are all there are.
  EXPECT_TRUE(marked.details.find("exact")->as_bool());
  EXPECT_EQ(marked.details.find("samples")->as_number(), 16);
  EXPECT_NEAR(marked.details.find("r2")->as_number(), 1, 1e-12);
  EXPECT_LE(model.asked, 20U);
}

// Every subset with the probability with which it is drawn, by plain loops: a product of words.
TEST(LimeText, ShortTextsAreWhatInfinitelyManySamplesSay) {
  const TextModel model("text", [](const std::string& text) {
    return std::vector<double>{text.find('a') != text.npos && text.find('b') != text.npos ? 1.0 : 0.0};
  });
  const double width = 0.25;
  double normal[4][5] = {};  // [1, a, b, c], then the right side
  for (int set = 0; set < 8; ++set) {
    const double x[] = {1, set & 1 ? 1.0 : 0.0, set & 2 ? 1.0 : 0.0, set & 4 ? 1.0 : 0.0};
    const int kept = (set & 1) + ((set >> 1) & 1) + ((set >> 2) & 1);
    const double ways[] = {1, 3, 3, 1};
    const double count = set == 7 ? 1 : 4999.0 / 3 / ways[3 - kept];
    const double distance = 1 - std::sqrt(kept / 3.0);
    const double weight = count * std::exp(-distance * distance / (2 * width * width));
    for (int j = 0; j < 4; ++j) {
      for (int k = 0; k < 4; ++k) normal[j][k] += weight * x[j] * x[k];
      normal[j][4] += weight * x[j] * x[1] * x[2];
    }
  }
  for (int j = 1; j < 4; ++j) normal[j][j] += 1;
  for (int j = 0; j < 4; ++j) {
    for (int other = 0; other < 4; ++other) {
      if (other == j) continue;
      const double factor = normal[other][j] / normal[j][j];
      for (int k = 0; k < 5; ++k) normal[other][k] -= factor * normal[j][k];
    }
  }
  const Result result = explain(model, text_table({"a b c"}));
  const MarkedText& marked = text_of(result);
  EXPECT_NEAR(*marked.base, normal[0][4] / normal[0][0], 1e-9);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(value_of(marked, j), normal[j + 1][4] / normal[j + 1][j + 1], 1e-9);
  EXPECT_FALSE(marked.pieces[0].se.has_value());
}

// Samples come near to it, within what their standard errors say.
TEST(LimeText, SamplesConvergeToTheLimit) {
  const TextModel model("text", [](const std::string& text) {
    const auto has = [&](const char* word) { return text.find(word) != text.npos; };
    return std::vector<double>{(has("w0") ? 1.0 : 0) * (has("w1") ? 2.0 : 0.5) + (has("w2") ? -1 : 0)};
  });
  const Table table = text_table({numbered_words(9)});
  const Value all = Value::object({{"terms", 0}, {"penalty", 0}, {"samples", 512}});
  const MarkedText exact = text_of(explain(model, table, all));
  ASSERT_TRUE(exact.details.find("exact")->as_bool());
  double worst = 0;
  for (std::int64_t seed = 0; seed < 5; ++seed) {
    const MarkedText sampled =
        text_of(explain(model, table, Value::object({{"terms", 0}, {"penalty", 0}, {"samples", 511}, {"seed", seed}})));
    ASSERT_FALSE(sampled.details.find("exact")->as_bool());
    for (std::size_t i = 0; i < 9; ++i)
      worst = std::max(worst, std::abs(sampled.pieces[i].value - exact.pieces[i].value) / *sampled.pieces[i].se);
  }
  EXPECT_GT(worst, 0.5);
  EXPECT_LT(worst, 5);
}

// Many words, a linear model: the words that count are the ones that are named, with their weights.
TEST(LimeText, TheWordsThatCountAreNamed) {
  const TextModel model(
      "text", [](const std::string& text) { return bag_of_words(text, {{"w3", 1}, {"w50", -2}, {"w77", 0.5}}); });
  const Result result = explain(model, text_table({numbered_words(100)}), Value::object({{"terms", 3}}));
  const MarkedText& marked = text_of(result);
  ASSERT_EQ(marked.pieces.size(), 3U);
  EXPECT_NEAR(value_of(marked, 3), 1, 0.05);
  EXPECT_NEAR(value_of(marked, 50), -2, 0.05);
  EXPECT_NEAR(value_of(marked, 77), 0.5, 0.05);
  EXPECT_EQ(marked.details.find("stability")->as_number(), 1);
  EXPECT_EQ(caveat(result, "unstable-local"), nullptr);
  const Result by_weight =
      explain(model, text_table({numbered_words(100)}), Value::object({{"terms", 3}, {"select", "weights"}}));
  EXPECT_NEAR(value_of(text_of(by_weight), 50), -2, 0.05);
}

TEST(LimeText, SameBytesForAnyThreadsAndOtherRows) {
  const TextModel model("text", [](const std::string& text) { return std::vector<double>{std::sin(text.size())}; });
  const Table table = text_table({numbered_words(30), numbered_words(40), numbered_words(35)});
  const Value options = Value::object({{"explain", 0}, {"samples", 300}});
  const Result one = explain(model, table, options, 1), many = explain(model, table, options, 4);
  ASSERT_EQ(one.results.size(), 3U);
  for (std::size_t row = 0; row < 3; ++row) {
    ASSERT_EQ(text_of(one, row).pieces.size(), 10U);
    for (std::size_t i = 0; i < 10; ++i)
      EXPECT_EQ(text_of(one, row).pieces[i].value, text_of(many, row).pieces[i].value);
  }
  const Result alone = explain(model, table, Value::object({{"rows", Value::array().push_back(2)}, {"samples", 300}}));
  EXPECT_EQ(text_of(alone).pieces[0].value, text_of(one, 2).pieces[0].value);
}

TEST(LimeText, WhatTheModelIsAsked) {
  std::vector<std::string> asked;
  const TextModel model("text", [&](const std::string& text) {
    asked.push_back(text);
    return std::vector<double>{1.0};
  });
  const Table table = text_table({"To be, or not to be"});
  (void)explain(model, table, Value::object({{"samples", 1000}}));
  EXPECT_THAT(asked, ::testing::Contains("To , or not to "));
  EXPECT_THAT(asked, ::testing::Not(::testing::Contains("To , or not to be")));
  asked.clear();
  (void)explain(model, table, Value::object({{"samples", 1000}, {"mask", "_"}, {"places", true}}));
  EXPECT_THAT(asked, ::testing::Contains("To _, or not to be"));
  EXPECT_THAT(asked, ::testing::Contains("_ _, _ _ _ _"));
}

TEST(LimeText, SeveralOutputsAndOneOfThem) {
  const TextModel model("text",
                        [](const std::string& text) {
                          const double p = text.find("good") != text.npos ? 0.9 : 0.2;
                          return std::vector<double>{1 - p, p};
                        },
                        {"no", "yes"});
  const Table table = text_table({"a good one"});
  const Result both = explain(model, table);
  ASSERT_EQ(both.results.size(), 2U);
  EXPECT_EQ(text_of(both, 0).output, "no");
  EXPECT_NEAR(value_of(text_of(both, 0), 1), -value_of(text_of(both, 1), 1), 1e-12);
  const Result one = explain(model, table, Value::object({{"output", "yes"}}));
  ASSERT_EQ(one.results.size(), 1U);
  EXPECT_EQ(value_of(text_of(one), 1), value_of(text_of(both, 1), 1));
}

TEST(LimeText, AConstantModel) {
  const TextModel model("text", [](const std::string&) { return std::vector<double>{0.1}; });
  const Result result = explain(model, text_table({numbered_words(40)}));
  for (const MarkedPiece& piece : text_of(result).pieces) EXPECT_EQ(piece.value, 0);
  EXPECT_NEAR(*text_of(result).base, 0.1, 1e-15);
  EXPECT_EQ(caveat(result, "unstable-local"), nullptr);
}

TEST(LimeText, ModelsThatNoLineFollows) {
  // Whether the number of words is even: no word says anything about it.
  const TextModel model("text", [](const std::string& text) {
    return std::vector<double>{static_cast<double>(words_of(text).size() % 2)};
  });
  const Result result = explain(model, text_table({numbered_words(40)}));
  ASSERT_NE(caveat(result, "local-line-off"), nullptr);
  EXPECT_LT(caveat(result, "local-line-off")->evidence.find("r2")->as_number(), 0.1);
  EXPECT_NE(caveat(result, "unstable-local"), nullptr);
}

TEST(LimeText, TextsWithoutWords) {
  const TextModel model("text", [](const std::string& text) { return std::vector<double>{double(text.size())}; });
  EXPECT_THAT(error_of(model, text_table({"", " ... "})), HasSubstr("there is no word in column text"));
  const Result result = explain(model, text_table({"", "one"}), Value::object({{"explain", 0}}));
  EXPECT_EQ(result.results.size(), 1U);
  ASSERT_NE(caveat(result, "no-words"), nullptr);
  EXPECT_THAT(caveat(result, "no-words")->message.plain(), HasSubstr("row 0"));
}

TEST(LimeText, LongTextsAreExplainedFromTheirBeginning) {
  const TextModel model("text", [](const std::string& text) { return bag_of_words(text, {{"w1", 1}, {"w70", 5}}); });
  const Result result =
      explain(model, text_table({numbered_words(80)}), Value::object({{"most_words", 50}, {"samples", 500}}));
  EXPECT_NEAR(value_of(text_of(result), 1), 1, 0.05);
  EXPECT_NEAR(*text_of(result).base, 5, 0.05);
  ASSERT_NE(caveat(result, "some-words"), nullptr);
  EXPECT_EQ(caveat(result, "some-words")->evidence.find("left_out")->as_number(), 30);
}

TEST(LimeText, BadInput) {
  const TextModel model("text", [](const std::string&) { return std::vector<double>{1.0}; });
  EXPECT_THAT(error_of(model, text_table({"good \xff bad"})), HasSubstr("row 0: a text is not UTF-8: byte 5"));
  EXPECT_THAT(error_of(model, text_table({"a"}), Value::object({{"rows", Value::array().push_back(7)}})),
              HasSubstr("row 7"));
  EXPECT_THAT(error_of(model, text_table({"a"}), Value::object({{"text_column", "txt"}})), HasSubstr("txt"));
  EXPECT_NE(error_of(model, text_table({"a"}), Value::object({{"samples", 1}})), "");
}

TEST(LimeText, AModelThatFailsMidway) {
  std::size_t texts = 0;
  const TextModel failing("text", [&](const std::string&) -> std::vector<double> {
    if (++texts > 100) throw Error(ErrorKind::prediction, "out of memory");
    return {1.0};
  });
  EXPECT_THAT(error_of(failing, text_table({numbered_words(40)})),
              HasSubstr("out of memory (asked about made-up texts 0 to "));
  const TextModel nan(
      "text", [](const std::string& text) { return std::vector<double>{text.find("w0") == text.npos ? NAN : 1.0}; });
  EXPECT_THAT(error_of(nan, text_table({numbered_words(40)})), HasSubstr("for row 0)"));
}

}  // namespace
}  // namespace sightglass
