#include "sightglass/render/marked_text_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/base/error.h"
#include "sightglass/render/html/payload_internal.h"
#include "sightglass/render/text/text_renderer.h"
#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/json.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Result result_with(MarkedText marked) {
  Result result;
  result.method = "lime-text";
  result.about = {.title = "LIME for texts", .short_name = "LIME", .family = Family::local};
  result.results.emplace_back(std::move(marked));
  return result;
}

MarkedText good_and_bad() {
  return {.output = "prediction",
          .row = 3,
          .text = "<b>Très bon</b>, not bad, bon",
          .base = 0.5,
          .prediction = 1.5,
          .pieces = {{.start = 3, .end = 7, .value = 0.001, .together = 0},
                     {.start = 8, .end = 11, .value = 2, .se = 0.1, .together = 1},
                     {.start = 21, .end = 24, .value = -1, .se = 0.1, .together = 2},
                     {.start = 26, .end = 29, .value = 2, .se = 0.1, .together = 1}}};
}

TEST(MarkedTextView, WordsAreMarkedInText) {
  const Result result = result_with(good_and_bad());
  const std::string plain = render_text(result, {.color = false});
  EXPECT_THAT(plain, HasSubstr("<b>Très [+bon]</b>, not [-bad], [+bon]"));
  EXPECT_THAT(plain, HasSubstr("bon (2 places)"));
  const std::string colored = render_text(result, {.color = true});
  EXPECT_THAT(colored, HasSubstr("\x1b[1;30;48;5;208mbon\x1b[0m"));
  EXPECT_THAT(colored, Not(HasSubstr("[+")));
}

// Of a row's explanations for each class the page opens on that of the class that is predicted.
TEST(MarkedTextView, APageOpensOnThePredictedClass) {
  Result result = result_with(good_and_bad());
  result.results.clear();
  for (const auto& [output, prediction] : {std::pair{"sad", 0.2}, {"glad", 0.7}, {"none", 0.1}}) {
    MarkedText marked = good_and_bad();
    marked.output = output;
    marked.prediction = prediction;
    result.results.emplace_back(marked);
  }
  result.model = Value::object(
      {{"task", "multiclass"}, {"outputs", Value::array().push_back("sad").push_back("glad").push_back("none")}});
  EXPECT_THAT(to_json(page_payload({result}, "")), HasSubstr(R"("options":["sad","glad","none"],"value":"glad")"));
  // Of numbers none is the one.
  result.model.set("task", "regression");
  EXPECT_THAT(to_json(page_payload({result}, "")), HasSubstr(R"("options":["sad","glad","none"],"value":"sad")"));
}

TEST(MarkedTextView, ARuleWithoutWordsSaysSo) {
  MarkedText marked = good_and_bad();
  marked.pieces.clear();
  EXPECT_THAT(render_text(result_with(marked), {.color = false}), HasSubstr("no word counts"));
  marked.base.reset();
  EXPECT_THAT(render_text(result_with(marked), {.color = false}), HasSubstr("no word is needed"));
}

TEST(MarkedTextView, HostileTextStaysOnItsLines) {
  MarkedText marked = good_and_bad();
  marked.text = "a\x1b[31m bon\r\nbad \u202e end";
  marked.pieces = {{.start = 7, .end = 10, .value = 1, .together = 1}};
  const std::string plain = render_text(result_with(marked), {.color = false});
  EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
  EXPECT_THAT(plain, HasSubstr("[+bon]\n"));
}

TEST(MarkedTextView, LongTextsAreCut) {
  MarkedText marked = good_and_bad();
  for (int i = 0; i < 40'000; ++i) marked.text += " word";
  EXPECT_LT(render_text(result_with(marked), {.color = false}).size(), 12'000U);
  const std::string page = to_json(page_payload({result_with(marked)}, ""));
  EXPECT_LT(page.size(), 200'000U);
  EXPECT_THAT(page, HasSubstr("\"all\":false"));
}

TEST(MarkedTextView, APageHasTheRuns) {
  const std::string payload = to_json(page_payload({result_with(good_and_bad())}, ""));
  EXPECT_THAT(payload, HasSubstr("{\"text\":\"bon\",\"strength\":4,\"hint\":\"+2\"}"));
  EXPECT_THAT(payload, HasSubstr("{\"text\":\"bad\",\"strength\":-2,\"hint\":"));
  EXPECT_THAT(payload, HasSubstr("{\"text\":\"Très\",\"strength\":0}"));
}

TEST(MarkedTextView, APictureAloneHasTheTextToo) {
  const Result result = result_with(good_and_bad());
  EXPECT_THAT(render_vega(result), HasSubstr("\"t\":\"bon\""));
  // On a page it stands above the chart.
  EXPECT_THAT(to_json(page_payload({result}, "")), Not(HasSubstr("\"t\":\"bon\"")));
}

TEST(MarkedText, JsonAndBack) {
  const Result result = result_with(good_and_bad());
  const Result back = result_from_json(to_json(result), "test");
  const auto& marked = back.results.at(0).get<MarkedText>();
  EXPECT_EQ(marked.text, good_and_bad().text);
  EXPECT_EQ(marked.row, 3U);
  ASSERT_EQ(marked.pieces.size(), 4U);
  EXPECT_EQ(marked.pieces[3].together, 1U);
  EXPECT_EQ(marked.pieces[2].se, 0.1);
  EXPECT_FALSE(marked.pieces[0].se.has_value());
  const auto bytes = piece_bytes(marked);
  EXPECT_EQ(marked.text.substr(bytes[1].first, bytes[1].second - bytes[1].first), "bon");
}

TEST(MarkedText, PiecesMustLieInTheText) {
  MarkedText marked = good_and_bad();
  marked.pieces[3].end = 30;
  EXPECT_THROW((void)result_from_json(to_json(result_with(marked)), "test"), Error);
  marked = good_and_bad();
  marked.pieces[2].start = 9;
  EXPECT_THROW((void)result_from_json(to_json(result_with(marked)), "test"), Error);
}

}  // namespace
}  // namespace sightglass
