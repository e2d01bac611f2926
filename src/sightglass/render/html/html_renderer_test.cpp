#include "sightglass/render/html/html_renderer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "sightglass/render/html/payload_internal.h"
#include "sightglass/result/json.h"
#include "sightglass/result/legacy_internal.h"
#include "sightglass/result/shapes/examples.h"
#include "sightglass/result/shapes/figure.h"
#include "support/golden_results.h"

namespace sightglass {
namespace {

using testing::golden;

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const auto start = text.find(from) + from.size();
  return text.substr(start, text.find(to, start) - start);
}

TEST(Html, DataCannotLeaveTheirElement) {
  const std::string page = render_html({golden("hostile.json")}, "</title><script>alert(1)</script>");
  const std::string data = between(page, "id=\"sightglass-data\">", "</script>");
  EXPECT_EQ(data.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(data.find("\xE2\x80\xA8"), std::string::npos);
  const Value payload = value_from_json(data, "payload");
  EXPECT_EQ(payload.find("title")->as_string(), "</title><script>alert(1)</script>");
  EXPECT_EQ(between(page, "<title>", "</title>"), "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
}

TEST(Html, IsCalledAfterTheFileOfAModelNotAfterItsCommand) {
  Result result = golden("numeric.json");
  result.data = Value::object();
  const auto title = [&](const char* file) {
    result.model = Value::object({{"file", file}});
    return page_payload({result}, "").find("title")->as_string();
  };
  EXPECT_EQ(title("model.json"), "What model.json says");
  EXPECT_EQ(title("exec:python3"), "What the model says");
  EXPECT_EQ(title("python:my.module:predict"), "What the model says");
}

TEST(Html, WithoutAModelIsCalledAfterTheData) {
  Result result = golden("numeric.json");
  result.model = Value::object();
  result.data = Value::object({{"target", "y"}, {"file", "some/rows.csv"}});
  EXPECT_EQ(page_payload({result}, "").find("title")->as_string(), "What rows.csv says");
}

TEST(Html, PolicyAllowsOnlyHashes) {
  const std::string page = render_html({golden("categorical.json")});
  const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\"");
  EXPECT_THAT(policy, ::testing::StartsWith("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(policy, ::testing::HasSubstr("style-src 'sha256-"));
  EXPECT_THAT(policy, ::testing::Not(::testing::HasSubstr("unsafe")));
  EXPECT_THAT(policy, ::testing::Not(::testing::HasSubstr("http")));
}

TEST(Html, OneSectionPerFeatureOverAllResults) {
  const Value payload = page_payload({golden("numeric.json"), golden("ice.json")}, "");
  std::vector<std::string> titles;
  for (const auto& section : payload.find("sections")->as_array()) {
    titles.push_back(section.find("title")->as_string() + " " +
                     std::to_string(section.find("charts")->as_array().size()));
  }
  EXPECT_THAT(titles, ::testing::ElementsAre("hour 1", "temp (°C) 2", "humidity (%) 1", "holiday_code 1",
                                             "feels_like (°C) 1", "weather 1"));
  // A caution about a feature stands in that feature's section; the worst comes first.
  const Value& first = payload.find("caveats")->as_array()[0];
  EXPECT_EQ(first.find("severity")->as_string(), "warning");
  EXPECT_EQ(first.find("section")->as_integer(), 1);
  // The largest effect leads the overview.
  EXPECT_EQ(payload.find("glance")->as_array()[0].find("title")->as_string(), "hour");
}

TEST(Html, TheSameChartTwiceIsShownOnce) {
  const Value payload = page_payload({golden("categorical.json"), golden("categorical.json")}, "");
  EXPECT_EQ(payload.find("sections")->as_array()[0].find("charts")->as_array().size(), 1u);
  EXPECT_EQ(payload.find("glance")->as_array().size(), 1u);
}

TEST(Html, RankingsHaveASectionAndFiguresAPlaceOfTheirOwn) {
  const Value payload = page_payload({golden("interactions.json"), golden("ranking.json")}, "");
  std::vector<std::string> titles;
  for (const auto& section : payload.find("sections")->as_array()) {
    titles.push_back(section.find("title")->as_string() + " " +
                     std::to_string(section.find("charts")->as_array().size()));
  }
  // Bars that are all in the table of rankings are not drawn again.
  EXPECT_THAT(titles, ::testing::ElementsAre("Pairs of features 2", "Interactions 1"));
  EXPECT_EQ(payload.find("figures")->as_array().size(), 4u);
  EXPECT_EQ(payload.find("figures")->as_array()[0].find("value")->as_string(), "0.231 ± 0.0078");
}

std::vector<std::string> chapter_ids(const Value& payload) {
  std::vector<std::string> ids;
  for (const auto& chapter : payload.find("chapters")->as_array()) ids.push_back(chapter.find("id")->as_string());
  return ids;
}

TEST(Html, ChaptersAreReadFromWhatMattersToSingleRows) {
  const Value payload = page_payload({golden("attribution_rows.json"), golden("surface.json"),
                                      golden("interactions.json"), golden("numeric.json"), golden("importance.json")},
                                     "");
  EXPECT_THAT(chapter_ids(payload), ::testing::ElementsAre("importance", "effects", "interactions", "rows"));
  // Every section stands in one chapter.
  std::multiset<std::int64_t> shown;
  for (const auto& chapter : payload.find("chapters")->as_array()) {
    for (const auto& section : chapter.find("sections")->as_array()) shown.insert(section.as_integer());
  }
  EXPECT_EQ(shown.size(), payload.find("sections")->as_array().size());
  EXPECT_EQ(std::set<std::int64_t>(shown.begin(), shown.end()).size(), shown.size());
}

TEST(Html, OneResultHasOneChapterAndNoTableOfRankings) {
  for (const char* name : {"importance.json", "ranking.json", "numeric.json", "ice.json", "compare.json"}) {
    const Value payload = page_payload({golden(name)}, "");
    ASSERT_EQ(payload.find("chapters")->as_array().size(), 1u) << name;
    EXPECT_TRUE(payload.find("chapters")->as_array()[0].find("ranking")->is_null()) << name;
    EXPECT_GT(payload.find("sections")->as_array().size(), 0u) << name;
  }
}

Result result_of(const std::string& method, std::vector<ResultItem> items) {
  Result result;
  result.method = method;
  result.results = std::move(items);
  add_missing_meaning(result);
  return result;
}

Curve plain_curve(const std::string& feature, Measure measure, std::vector<double> heights) {
  Curve curve;
  curve.axis = {feature, "", {0, 1}, {}, false};
  curve.output = "prediction";
  curve.measure = measure;
  curve.count = {1, 1};
  curve.mean = std::move(heights);
  return curve;
}

const Value& chapter_of(const Value& payload, const std::string& id) {
  for (const auto& chapter : payload.find("chapters")->as_array()) {
    if (chapter.find("id")->as_string() == id) return chapter;
  }
  throw std::runtime_error("no chapter " + id);
}

const Value& section_at(const Value& payload, const Value& place) {
  return payload.find("sections")->as_array()[static_cast<std::size_t>(place.as_integer())];
}

TEST(Html, SeveralMethodsOfAFeatureAreOneChartWithToggles) {
  const std::vector<Result> results{
      result_of("partial-dependence",
                {plain_curve("a", Measure::mean, {1, 2}), plain_curve("b", Measure::mean, {1, 9})}),
      result_of("ale", {plain_curve("a", Measure::effect, {-1, 1}), plain_curve("b", Measure::effect, {-4, 4})})};
  const Value payload = page_payload(results, "");
  const Value& effects = chapter_of(payload, "effects");
  // The one that moves the prediction most comes first.
  const Value& first = section_at(payload, effects.find("sections")->as_array()[0]);
  EXPECT_EQ(first.find("title")->as_string(), "b");
  EXPECT_EQ(first.find("kind")->as_string(), "feature");
  ASSERT_EQ(first.find("charts")->as_array().size(), 1u);
  EXPECT_EQ(to_json(*first.find("charts")->as_array()[0].find("toggles")->as_array()[0].find("signal")),
            R"("show_ale")");
}

// What a chart says of each of its outputs.
std::vector<std::string> said_of(const Value& chart) {
  std::vector<std::string> said;
  for (const auto& one : chart.find("words")->as_array()) {
    std::string words = one.find("output")->as_string() + "|";
    for (const auto& chip : one.find("chips")->as_array()) words += chip.as_string() + "|";
    words += one.find("description")->as_string();
    for (const auto& line : one.find("lines")->as_array())
      words += "|" + line.find("signal")->as_string() + ": " + line.find("chip")->as_string() + "; " +
               line.find("text")->as_string();
    said.push_back(words);
  }
  return said;
}

TEST(Html, ChipsAndDescriptionsAreThoseOfTheChosenOutput) {
  using ::testing::AllOf;
  using ::testing::HasSubstr;
  std::vector<ResultItem> dependence, local, surfaces, pairs;
  for (const auto& [output, range] : {std::pair("x", 2.0), {"y", 7.0}}) {
    Curve mean = plain_curve("a", Measure::mean, {0, range}), effect = plain_curve("a", Measure::effect, {0, range});
    mean.output = effect.output = output;
    mean.heterogeneity = range / 10;
    dependence.emplace_back(mean);
    local.emplace_back(effect);
    Surface surface;
    surface.first = {"a", "", {0, 1}, {}, false};
    surface.second = {"b", "", {0, 1}, {}, false};
    surface.output = output;
    surface.mean = {{0, range}, {range, 0}};
    surfaces.emplace_back(surface);
    for (const auto& names : std::vector<std::vector<std::string>>{{"a", "b"}, {"a", "c"}}) {
      Interaction pair;
      pair.features = names;
      pair.output = output;
      pair.strength = (names[1] == "b") == (range > 5) ? range : 1;
      pairs.emplace_back(pair);
    }
  }
  const Value payload = page_payload({result_of("partial-dependence", dependence), result_of("ale", local),
                                      result_of("interactions", pairs), result_of("ale", surfaces)},
                                     "");
  const auto charts = [&](const char* chapter, std::size_t section) {
    return section_at(payload, chapter_of(payload, chapter).find("sections")->as_array()[section])
        .find("charts")
        ->as_array();
  };
  // Of a method only while it is shown.
  EXPECT_THAT(said_of(charts("effects", 0)[0]),
              ::testing::ElementsAre(
                  "x|Mean prediction of x against a."
                  "|show_pdp: partial dependence: differs from row to row (20 %); Partial dependence rises from 0 to 2."
                  "|show_ale: ; ALE rises from 1 to 3.",
                  HasSubstr("|show_pdp: partial dependence: differs from row to row (70 %); ")));
  const auto overview = charts("interactions", 0);
  // The map, then the bars.
  EXPECT_THAT(said_of(overview[0]),
              ::testing::ElementsAre(HasSubstr("for x. The strongest of the 2 pairs examined is a × c (2)"),
                                     HasSubstr("for y. The strongest of the 2 pairs examined is a × b (7)")));
  EXPECT_THAT(said_of(overview[1]),
              ::testing::ElementsAre(HasSubstr("pairs of features for x."),
                                     AllOf(HasSubstr("pairs of features for y."), HasSubstr("a × b"))));
  EXPECT_THAT(said_of(charts("interactions", 1)[0]), ::testing::ElementsAre(HasSubstr(" of x "), HasSubstr(" of y ")));
}

Attributions rows_of(std::vector<std::uint64_t> rows, const std::string& output, double prediction) {
  Attributions item;
  item.features = {{"a", "", {}, {}, false}, {"b", "", {}, {"x", "y"}, false}};
  item.output = output;
  item.rows = std::move(rows);
  for (std::size_t i = 0; i < item.rows.size(); ++i) {
    item.prediction.push_back(prediction);
    item.values.insert(item.values.end(), {1, -3});
    item.data.insert(item.data.end(), {2.5, 1});
  }
  return item;
}

TEST(Html, SingleRowsHaveATableAndASectionEach) {
  Attributions rows = rows_of({3, 8}, "prediction", 7);
  rows.details.set("why", Value(std::vector<std::string>{"highest", "lowest"}));
  Curves changed;
  changed.axis = {"a", "", {0, 1, 5}, {}, false};
  changed.output = "prediction";
  changed.rows = {3, 8};
  changed.values = {{1, 2, 3}, {4, 5, 6}};
  changed.own_value = {2.5, 0.5};
  const Value payload = page_payload({result_of("shap", {rows}), result_of("ice", {changed})}, "");
  EXPECT_THAT(chapter_ids(payload), ::testing::ElementsAre("rows"));
  const Value& chapter = chapter_of(payload, "rows");
  const Value& table = *chapter.find("rows");
  // The feature that adds most comes first.
  EXPECT_EQ(to_json(*table.find("columns")),
            R"([{"title":"Prediction","numeric":true},{"title":"b","numeric":false},{"title":"a","numeric":true}])");
  EXPECT_EQ(to_json(table.find("rows")->as_array()[1]),
            R"({"title":"Row 8","why":"lowest","cells":["7","y","2.5"],"section":1})");
  const Value& section = section_at(payload, *table.find("rows")->as_array()[0].find("section"));
  EXPECT_EQ(section.find("kind")->as_string(), "row");
  ASSERT_EQ(section.find("charts")->as_array().size(), 2u);
  EXPECT_EQ(section.find("charts")->as_array()[1].find("method")->as_string(), "What if");
}

TEST(Html, PrototypesLeadToTheirRows) {
  Examples prototypes, criticisms;
  prototypes.role = ExampleRole::prototype;
  criticisms.role = ExampleRole::criticism;
  for (const std::uint64_t row : {8U, 3U}) {
    Example example{.row = row, .data = Value::object({{"a", 2.5}})};
    example.stands_for = 40;
    example.own_class = "yes";
    example.predicted_class = row == 3 ? "no" : "yes";
    example.error = row == 3 ? 1 : 0;
    example.x = example.y = 1;
    prototypes.rows.push_back(example);
  }
  Example odd{.row = 5, .data = Value::object({{"a", 9}})};
  odd.special = {{.feature = "a", .deviation = 3.2}};
  odd.x = odd.y = 2;
  criticisms.rows.push_back(odd);
  prototypes.map = ExampleMap{.axes = {"a", "b"}, .shown = {}, .x = {1}, .y = {1}, .classes = {}};
  Result chosen = result_of("prototypes", {prototypes, criticisms});
  chosen.about.family = Family::examples;
  // Other rows are explained besides.
  const Value payload = page_payload({result_of("shap", {rows_of({3, 9}, "prediction", 7)}),
                                      result_of("shap", {rows_of({3, 5, 8}, "prediction", 7)}), chosen},
                                     "");
  EXPECT_THAT(chapter_ids(payload), ::testing::ElementsAre("rows", "examples"));
  const Value& table = *chapter_of(payload, "examples").find("rows");
  std::vector<std::string> said;
  std::set<std::int64_t> sections;
  for (const Value& row : table.find("rows")->as_array()) {
    said.push_back(row.find("title")->as_string() + " " + row.find("why")->as_string() + " " +
                   to_json(*row.find("cells")));
    sections.insert(row.find("section")->as_integer());
    EXPECT_EQ(section_at(payload, *row.find("section")).find("title")->as_string(), row.find("title")->as_string());
  }
  EXPECT_THAT(said, ::testing::ElementsAre(R"(Row 8 prototype ["40","7","yes","","b -3, a +1"])",
                                           R"(Row 3 prototype ["40","7","yes, not no","","b -3, a +1"])",
                                           R"(Row 5 criticism ["","7","","a +3.2 sd","b -3, a +1"])"));
  // So do the marks of the map.
  const std::string map = to_json(payload);
  for (const std::int64_t section : sections)
    EXPECT_NE(map.find("\"section\":" + std::to_string(section) + "}"), std::string::npos) << section;
  EXPECT_EQ(chapter_of(payload, "rows").find("rows")->find("rows")->as_array().size(), 2U);
}

TEST(Html, RowsThatAreExplainedBeforeTheLinkHaveTheirProbability) {
  Attributions rows = rows_of({3, 8}, "yes", 1.5);
  rows.details.set("probability", Value(std::vector<double>{0.82, 0.75}));
  Result values = result_of("shap", {rows});
  values.model = Value::object({{"task", "binary"}});
  values.options = Value::object({{"scale", "margin"}});
  const Value payload = page_payload({values}, "");
  const Value& table = *chapter_of(payload, "rows").find("rows");
  EXPECT_EQ(table.find("columns")->as_array()[0].find("title")->as_string(), "Probability of yes");
  EXPECT_EQ(table.find("rows")->as_array()[1].find("cells")->as_array()[0].as_string(), "75 %");
  const Value& chart = section_at(payload, Value(std::uint64_t{1})).find("charts")->as_array()[0];
  EXPECT_EQ(to_json(*chart.find("chips")), R"(["average 0","this row 1.5","probability 75 %"])");
  EXPECT_THAT(chart.find("description")->as_string(), ::testing::HasSubstr("Probability 75 %."));
}

TEST(Html, WhatIfIsAboutFeaturesThatMoveThePrediction) {
  Curves moved, still;
  moved.axis = {"a", "", {0, 1, 5}, {}, false};
  moved.output = still.output = "prediction";
  moved.rows = still.rows = {3, 8};
  moved.values = {{1, 2, 3}, {7, 7, 7}};
  still.axis = {"b", "", {}, {"x", "y"}, false};
  still.values = {{0.99921, 0.99923}, {7, 7}};
  const Value payload =
      page_payload({result_of("shap", {rows_of({3, 8}, "prediction", 7)}), result_of("ice", {moved, still})}, "");
  const auto told = [&](std::uint64_t section) {
    return section_at(payload, Value(section)).find("charts")->as_array()[1].find("description")->as_string();
  };
  EXPECT_THAT(told(0), ::testing::AllOf(::testing::HasSubstr("a: between 1 and 3."),
                                        ::testing::Not(::testing::HasSubstr("b: "))));
  EXPECT_THAT(told(1), ::testing::AllOf(::testing::HasSubstr("None changes it."),
                                        ::testing::Not(::testing::HasSubstr("between"))));
}

TEST(Html, OfSeveralOutputsTheHighestIsToldFirst) {
  const Value payload =
      page_payload({result_of("shap", {rows_of({1, 2}, "low", 0.2), rows_of({1, 2}, "high", 0.8)})}, "");
  const Value& table = *chapter_of(payload, "rows").find("rows");
  EXPECT_EQ(table.find("rows")->as_array()[0].find("cells")->as_array()[0].as_string(), "high");
  EXPECT_EQ(table.find("rows")->as_array()[0].find("cells")->as_array()[1].as_string(), "0.8");
  const Value& section = section_at(payload, Value(0));
  // One chart, of which the page shows one output.
  ASSERT_EQ(section.find("charts")->as_array().size(), 1u);
  const Value& chart = section.find("charts")->as_array()[0];
  EXPECT_EQ(chart.find("output")->as_string(), "high");
  ASSERT_EQ(chart.find("versions")->as_array().size(), 1u);
  EXPECT_EQ(chart.find("versions")->as_array()[0].find("output")->as_string(), "low");
  EXPECT_EQ(to_json(*chart.find("choices")),
            R"([{"signal":"output","label":"Output","options":["low","high"],"value":"high"}])");
}

TEST(Html, OneChartForAllOutputsOfAMeasure) {
  const auto bar = [](const char* output, const char* feature, double value) {
    Importance entry;
    entry.feature = feature;
    entry.features = {feature};
    entry.output = output;
    entry.importance = value;
    return entry;
  };
  Interaction total;
  total.features = {"a"};
  std::vector<ResultItem> items;
  for (const char* output : {"x", "y", "z"}) {
    total.output = output;
    items.emplace_back(total);
  }
  const Value payload = page_payload({result_of("interactions", items)}, "");
  const auto& charts = section_at(payload, Value(0)).find("charts")->as_array();
  ASSERT_EQ(charts.size(), 1u);
  EXPECT_EQ(charts[0].find("versions")->as_array().size(), 2u);
  EXPECT_EQ(charts[0].find("choices")->as_array()[0].find("value")->as_string(), "x");
  // Few outputs of a ranking stand side by side, more are shown one at a time.
  for (const std::size_t outputs : {4, 5}) {
    std::vector<ResultItem> bars;
    for (std::size_t i = 0; i < outputs; ++i) {
      const std::string output = "o" + std::to_string(i);
      bars.insert(bars.end(), {bar(output.c_str(), "a", 1), bar(output.c_str(), "b", 2)});
    }
    const Value ranked = page_payload({result_of("shap", bars)}, "");
    const auto& shown = section_at(ranked, Value(0)).find("charts")->as_array();
    ASSERT_EQ(shown.size(), 1u);
    EXPECT_EQ(shown[0].find("versions") != nullptr, outputs == 5);
  }
  const Value alone = page_payload({result_of("pd-importance", {bar("", "a", 1), bar("", "b", 2)})}, "");
  const Value& chart = section_at(alone, Value(0)).find("charts")->as_array()[0];
  EXPECT_EQ(chart.find("output")->as_string(), "");
  EXPECT_EQ(chart.find("versions"), nullptr);
}

TEST(Html, TwoModelsAreNamedOneIsNot) {
  Result first = result_of("ale", {plain_curve("a", Measure::effect, {-1, 1})}), second = first;
  first.model.set("file", "old/model.json");
  second.model.set("file", "new/forest.json");
  const auto abouts = [](const Value& payload) {
    std::vector<std::string> found;
    for (const auto& chart : section_at(payload, Value(0)).find("charts")->as_array())
      found.push_back(chart.find("about")->as_string());
    return found;
  };
  EXPECT_THAT(abouts(page_payload({first, second}, "")), ::testing::ElementsAre("model.json", "forest.json"));
  const Value both = page_payload({first, second}, "");
  EXPECT_EQ(both.find("title")->as_string(), "What the models say");
  EXPECT_EQ(both.find("glance")->as_array()[0].find("line")->as_string(), "model.json");
  EXPECT_THAT(abouts(page_payload({first, first}, "")), ::testing::ElementsAre(""));
  second.model.set("file", "new/model.json");
  EXPECT_THAT(abouts(page_payload({first, second}, "")), ::testing::ElementsAre("old/model.json", "new/model.json"));
}

TEST(Html, SectionsAreNamedWithoutUnits) {
  const Value payload = page_payload({golden("numeric.json")}, "");
  EXPECT_EQ(section_at(payload, Value(1)).find("title")->as_string(), "temp (°C)");
  EXPECT_EQ(section_at(payload, Value(1)).find("name")->as_string(), "temp");
}

TEST(Html, PairsLeadToTheirCharts) {
  Interaction pair;
  pair.features = {"b", "a"};
  pair.strength = 2;
  Surface surface;
  surface.first = {"a", "", {0, 1}, {}, false};
  surface.second = {"b", "", {0, 1}, {}, false};
  surface.mean = {{0, 1}, {1, 0}};
  const Value payload = page_payload({result_of("interactions", {pair}), result_of("ale", {surface})}, "");
  const Value& chapter = chapter_of(payload, "interactions");
  const Value& overview = section_at(payload, chapter.find("sections")->as_array()[0]);
  EXPECT_EQ(overview.find("title")->as_string(), "Pairs of features");
  const Value& bars = overview.find("charts")->as_array()[0];
  EXPECT_EQ(bars.find("spec")->find("data")->find("values")->as_array()[0].find("section")->as_integer(), 0);
  EXPECT_EQ(section_at(payload, Value(0)).find("kind")->as_string(), "pair");
}

TEST(Html, TheReportSaysHowToRepeatItAndWhatWasLeftOut) {
  Result report = result_of("report", {});
  const std::string long_command = "sightglass report --features " + std::string(5000, 'x') + " -o r.html";
  report.options = Value::object({{"command", long_command}});
  EXPECT_EQ(page_payload({report}, "").find("repeat")->find("command")->as_string(), long_command);
  report.options = Value::object({{"command", "sightglass report"},
                                  {"left_out", Value(std::vector<std::string>{"pairs: no time"})},
                                  {"title", "Mine"},
                                  {"seed", 3}});
  const Value payload = page_payload({report, result_of("ale", {plain_curve("a", Measure::effect, {-1, 1})})}, "");
  EXPECT_EQ(payload.find("title")->as_string(), "Mine");
  EXPECT_EQ(to_json(*payload.find("repeat")), R"({"command":"sightglass report","options":[["Seed","3"]]})");
  EXPECT_EQ(to_json(*payload.find("left_out")), R"(["pairs: no time"])");
  EXPECT_EQ(payload.find("runs")->as_array().size(), 1u);
}

TEST(Html, TheGlossaryHasTheWordsOfThePageOnly) {
  const Value payload = page_payload({result_of("m-plot", {plain_curve("a", Measure::mean, {1, 2})})}, "");
  ASSERT_EQ(payload.find("glossary")->as_array().size(), 1u);
  EXPECT_EQ(payload.find("glossary")->as_array()[0].find("term")->as_string(), "M-plot");
}

TEST(Html, TheSameCautionOfSeveralResultsIsSaidOnce) {
  Caveat caveat;
  caveat.id = "correlated-features";
  caveat.severity = Severity::note;
  caveat.message = "first";
  caveat.evidence = Value::object({{"feature", "a"}, {"other", "b"}});
  Caveat turned = caveat;
  turned.severity = Severity::caution;
  turned.message = "second";
  turned.evidence = Value::object({{"feature", "b"}, {"other", "a"}});
  Result one = result_of("ale", {plain_curve("a", Measure::effect, {-1, 1})});
  Result two = result_of("m-plot", {plain_curve("a", Measure::mean, {1, 2})});
  one.caveats = {caveat};
  two.caveats = {turned};
  const Value payload = page_payload({one, two}, "");
  ASSERT_EQ(payload.find("caveats")->as_array().size(), 1u);
  EXPECT_EQ(payload.find("caveats")->as_array()[0].find("message")->as_string(), "Second");
}

TEST(Html, CautionsAreSentencesButNamesStayNames) {
  Result result = result_of("ale", {plain_curve("a", Measure::effect, {-1, 1})});
  const auto said = [&](const std::string& message, const std::string& advice) {
    Caveat caveat;
    caveat.id = "some";
    caveat.message = message;
    caveat.advice = marked(advice);
    caveat.evidence = Value::object({{"feature", "temp"}, {"others", Value(std::vector<std::string>{"humidity"})}});
    result.caveats = {caveat};
    const Value payload = page_payload({result}, "");
    const Value& shown = payload.find("caveats")->as_array()[0];
    return shown.find("message")->as_string() + "|" + shown.find("advice")->as_string();
  };
  EXPECT_EQ(said("few rows", "set --bins to 5"), "Few rows|Set --bins to 5");
  EXPECT_EQ(said("temp is rare", "{method:ice} shows it"), "temp is rare|ICE shows it");
  EXPECT_EQ(said("humidity goes with it", ""), "humidity goes with it|");
  Caveat caveat;
  caveat.message = feature_name("wind") + " is still";
  result.caveats = {caveat};
  EXPECT_EQ(page_payload({result}, "").find("caveats")->as_array()[0].find("message")->as_string(), "wind is still");
}

TEST(Html, AtAGlanceHasOneMethodPerFeature) {
  const Value payload = page_payload({golden("compare.json"), golden("ale.json"), golden("noise.json")}, "");
  std::vector<std::string> titles;
  for (const auto& glance : payload.find("glance")->as_array()) titles.push_back(glance.find("title")->as_string());
  EXPECT_THAT(titles, ::testing::UnorderedElementsAre("hour", "temp (°C)", "weather"));
}

Curve curve_of(const std::string& group, std::vector<double> grid, std::vector<double> heights) {
  Curve curve;
  curve.axis = {"a", "", std::move(grid), {}, false};
  curve.output = "prediction";
  curve.group = group;
  curve.mean = std::move(heights);
  return curve;
}

TEST(Html, AtAGlanceDrawsLinesAtTheirValuesAndSaysWhichOne) {
  Result result;
  result.results = {curve_of("k = 1", {0, 1, 10}, {0, 5, 10}), curve_of("k = 2", {0, 2, 10}, {1, 2, 3})};
  const Value payload = page_payload({result}, "");
  const Value& glance = payload.find("glance")->as_array()[0];
  EXPECT_EQ(glance.find("title")->as_string(), "a");
  EXPECT_EQ(glance.find("line")->as_string(), "where k = 1, which moves most of 2 groups of rows");
  EXPECT_EQ(to_json(*glance.find("spark")), "[[0,0],[0.1,0.5],[1,1]]");
  EXPECT_EQ(to_json(*glance.find("others")), "[[[0,0.4],[0.2,0.5],[1,0.6]]]");
}

TEST(Html, AtAGlanceOfMethodsComparedNamesItsMethodAndKnowsTheHeterogeneity) {
  Curve dependence = curve_of("", {0, 1}, {0, 5}), effect = curve_of("", {0, 1}, {0, 4});
  dependence.series = "partial dependence";
  dependence.heterogeneity = 0.25;
  effect.series = "ALE";
  effect.measure = Measure::effect;
  Result result;
  result.method = "compare";
  result.results = {dependence, effect};
  add_missing_meaning(result);
  const Value payload = page_payload({result}, "");
  const Value& glance = payload.find("glance")->as_array()[0];
  EXPECT_EQ(glance.find("line")->as_string(), "by ALE, of 2 methods");
  EXPECT_EQ(glance.find("differs")->as_string(), "25 %");
  EXPECT_TRUE(glance.find("others")->as_array().empty());
}

// As the sentence has it: by ALE, over what can be trusted; partial dependence knows how much rows differ.
TEST(Html, AFeatureHasOneRange) {
  Curve local = curve_of("", {0, 1, 2, 3}, {0, 1, 4, 50}), average = curve_of("", {0, 1, 2, 3}, {0, 2, 8, 9});
  local.count = average.count = {10, 10, 10, 1};
  local.measure = Measure::effect;
  local.sparse = {3};
  average.heterogeneity = 0.25;
  const Value payload = page_payload({result_of("partial-dependence", {average}), result_of("ale", {local})}, "");
  const Value& glance = payload.find("glance")->as_array()[0];
  EXPECT_EQ(glance.find("range")->as_string(), "4");
  EXPECT_EQ(glance.find("by")->as_string(), "ALE");
  EXPECT_EQ(glance.find("differs")->as_string(), "25 %");
}

TEST(Html, SomeRowsAreSaidToBeSome) {
  Result some;
  some.results = {curve_of("", {0, 1}, {0, 1})};
  Result all = some;
  some.options.set("where", "age > 20");
  const Value alone = page_payload({some}, "");
  EXPECT_EQ(to_json(*alone.find("runs")->as_array()[0].find("data")), R"([["Only rows where","age > 20"]])");
  const auto about = [](const Value& payload, std::size_t chart) {
    return payload.find("sections")->as_array()[0].find("charts")->as_array()[chart].find("about")->as_string();
  };
  EXPECT_EQ(about(alone, 0), "");
  // Beside results of other rows each picture says which.
  const Value both = page_payload({some, all}, "");
  EXPECT_EQ(about(both, 0), "rows where age > 20");
  EXPECT_EQ(about(both, 1), "all rows");
}

TEST(Html, AMeanOnTheMarginIsNoProbability) {
  Figure figure;
  figure.name = "mean prediction";
  figure.id = FigureId::mean_prediction;
  figure.value = 0.5;
  Result result;
  result.model = Value::object({{"task", "binary"}, {"objective", "binary:logistic"}});
  result.results = {figure};
  const auto name = [](const Result& of) {
    return page_payload({of}, "").find("figures")->as_array()[0].find("name")->as_string();
  };
  EXPECT_EQ(name(result), "Mean prediction");
  result.options.set("scale", "margin");
  EXPECT_EQ(name(result), "Mean prediction (log-odds)");
  result.model.set("objective", "binary:hinge");
  EXPECT_EQ(name(result), "Mean prediction (margin)");
}

// Of groups of rows the scores are bars below each other; the numbers of all rows stay where they were.
TEST(Html, ScoresOfGroupsHaveAPicture) {
  Result all = golden("numeric.json");
  all.method = "performance";
  all.about.family = Family::performance;
  all.results.clear();
  Figure figure{.name = "rmse", .id = FigureId::loss, .loss = LossKind::rmse, .output = "y"};
  figure.value = 3;
  all.results.emplace_back(figure);
  Result groups = all;
  groups.options.set("by", "season");
  groups.results.clear();
  for (const char* name : {"season = summer", "season = winter"}) {
    figure.group = name;
    figure.value += 1;
    figure.se = 0.25;
    groups.results.emplace_back(figure);
  }
  const Value payload = page_payload({all, groups, golden("categorical.json")}, "");
  const Value& chapter = payload.find("chapters")->as_array().at(0);
  EXPECT_EQ(chapter.find("id")->as_string(), "performance");
  const auto section = static_cast<std::size_t>(chapter.find("sections")->as_array().at(0).as_integer());
  const Value& shown = payload.find("sections")->as_array().at(section);
  EXPECT_EQ(shown.find("title")->as_string(), "By season");
  const std::string chart = to_json(*shown.find("charts"));
  EXPECT_THAT(chart, ::testing::HasSubstr("season = winter"));
  EXPECT_THAT(chart, ::testing::HasSubstr("\"low\":4.51"));
  EXPECT_EQ(payload.find("figures")->as_array().size(), 1U);
}

TEST(Html, NothingToShowIsStillAPage) {
  EXPECT_THAT(render_html({}), ::testing::HasSubstr("<title>Sightglass</title>"));
  EXPECT_EQ(render_html({golden("ice.json")}), render_html({golden("ice.json")}));
}

}  // namespace
}  // namespace sightglass
