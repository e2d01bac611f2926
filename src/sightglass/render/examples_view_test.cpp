#include "sightglass/render/examples_view.h"

#include <gtest/gtest.h>

#include "sightglass/base/error.h"
#include "sightglass/render/html/payload_internal.h"
#include "sightglass/render/text/text_renderer.h"
#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/json.h"

namespace sightglass {
namespace {

Result penguins() {
  Examples prototypes;
  prototypes.role = ExampleRole::prototype;
  prototypes.objective = "mmd2";
  prototypes.features = {"bill", "island"};
  for (std::uint64_t row : {7U, 3U}) {
    Example example{.row = row, .data = Value::object({{"bill", 39.5}, {"island", "Dream"}})};
    example.own_class = row == 7 ? "Adelie" : "Gentoo";
    example.objective = row == 7 ? 0.2 : 0.05;
    example.stands_for = 40;
    example.accuracy = row == 7 ? 0.5 : 0.9;
    example.x = static_cast<double>(row);
    example.y = 1;
    prototypes.rows.push_back(example);
  }
  prototypes.map =
      ExampleMap{.axes = {"first", "second"}, .shown = 0.75, .x = {1, 2}, .y = {3, 4}, .classes = {"Adelie", ""}};
  prototypes.details = Value::object({{"enough", 1}});
  Examples criticisms;
  criticisms.role = ExampleRole::criticism;
  criticisms.measure = "witness";
  criticisms.features = prototypes.features;
  Example odd{.row = 9, .data = Value::object({{"bill", Value()}, {"island", "<b>"}})};
  odd.score = -0.25;
  odd.x = 2;
  odd.y = 3.5;
  odd.special = {{.feature = "bill", .share = 0.01}, {.feature = "mass", .deviation = 2.94}};
  odd.attributions = {{.feature = "bill", .value = -1.5}};
  odd.prediction = 0.97;
  odd.predicted_class = "Gentoo";
  criticisms.rows.push_back(odd);
  Result result;
  result.method = "prototypes";
  result.about = {.title = "Prototypes and criticisms", .short_name = "", .family = Family::examples};
  result.results = {prototypes, criticisms};
  return result;
}

TEST(ExamplesView, TextHasARowEach) {
  const std::string text = render_text(penguins(), {.width = 100, .unicode = false});
  for (const char* said : {"row 7", "Adelie", "row 9", "-0.25", "bill is missing (1 % of rows), mass +2.9 sd",
                           "Gentoo (0.97)", "bill -1.5", "from 1 on", "For 90 % of the rows"})
    EXPECT_NE(text.find(said), std::string::npos) << said << "\n" << text;
}

TEST(ExamplesView, OfTwoClassesBothAreNamedAndMistakesMarked) {
  Result result = penguins();
  auto* criticisms = result.results[1].as<Examples>();
  criticisms->details.set("prediction_of", "Adelie");
  criticisms->rows[0].error = 1;
  const std::string text = render_text(result, {.width = 120, .unicode = false});
  EXPECT_NE(text.find("Gentoo (Adelie 0.97), wrong"), std::string::npos) << text;
  criticisms->rows[0].predicted_class.clear();
  criticisms->rows[0].error = -2.5;
  EXPECT_NE(render_text(result, {.width = 120, .unicode = false}).find("-2.5"), std::string::npos);
}

TEST(ExamplesView, ThePageShowsTheTableOfRowsThatWereChosen) {
  Result result = penguins();
  const auto page = [&] { return to_json(page_payload({result}, "")); };
  EXPECT_NE(page().find(R"("left_out":0,"open":true)"), std::string::npos) << page();
  for (ResultItem& item : result.results) item.as<Examples>()->role = ExampleRole::neighbor;
  EXPECT_EQ(page().find(R"("left_out":0,"open":true)"), std::string::npos);
}

TEST(ExamplesView, MapMarksRowsAndNamesAreData) {
  const std::string chart = to_json(vega_spec(penguins()));
  for (const char* said : {"\"role\":\"prototype\"", "\"role\":\"criticism\"", "first", "second", "MMD", "accuracy"})
    EXPECT_NE(chart.find(said), std::string::npos) << said;
}

TEST(ExamplesView, HostileItemsAreRefused) {
  const std::string json = to_json(penguins());
  EXPECT_EQ(to_json(result_from_json(json, "test")), json);
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string text = json;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  EXPECT_THROW((void)result_from_json(broken("\"y\":[3,4]", "\"y\":[3]"), "test"), Error);
  EXPECT_THROW((void)result_from_json(broken("\"axes\":[\"first\",\"second\"]", "\"axes\":[\"first\"]"), "test"),
               Error);
  EXPECT_THROW((void)result_from_json(broken("\"classes\":[\"Adelie\",\"\"]", "\"classes\":[\"Adelie\"]"), "test"),
               Error);
  EXPECT_THROW((void)result_from_json(broken("\"bill\":39.5", "\"bill\":[39.5]"), "test"), Error);
  EXPECT_THROW((void)result_from_json(broken("\"row\":7", "\"row\":-7"), "test"), Error);
}

}  // namespace
}  // namespace sightglass
