#include "sightglass/render/text/text_renderer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sightglass/render/text/canvas_internal.h"
#include "sightglass/result/json.h"
#include "sightglass/result/legacy_internal.h"

namespace sightglass {
namespace {

Curve line_curve() {
  Curve curve;
  curve.axis = {"temp", "°C", {0, 10, 20}, {}, false};
  curve.output = "prediction";
  curve.mean = {1, 2, 3};
  curve.count = {5, 6, 7};
  curve.shape = CurveShape::linear;
  return curve;
}

Result with(ResultItem item) {
  Result result;
  result.method = "partial-dependence";
  result.data.set("target", "rentals");
  result.results.push_back(std::move(item));
  return result;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(TextRenderer, DrawsALineAndItsTable) {
  const std::string text = render_text(with(line_curve()), {60, false, false});
  EXPECT_EQ(text,
            "Partial dependence\n"
            "data    Target rentals\n"
            "shows   mean prediction of rentals\n"
            "\n"
            "temp (°C) -> rentals -------------------------------- linear\n"
            "        3 |                                            ****\n"
            "          |                                      ******\n"
            "          |                                ******\n"
            "          |                          ******\n"
            "          |                     *****\n"
            "          |               ******\n"
            "          |         ******\n"
            "          |   ******\n"
            "        1 |***\n"
            "          +------------------------------------------------\n"
            "           0                  temp (°C)                  20\n"
            "\n"
            "  temp (°C)   mean   rows\n"
            "          0      1      5\n"
            "         10      2      6\n"
            "         20      3      7\n");
}

TEST(TextRenderer, BarsStartAtZero) {
  Curve curve;
  curve.axis = {"weather", "", {}, {"clear", "rain"}, false};
  curve.mean = {2, -1};
  curve.count = {3, 4};
  const std::string text = render_text(with(curve), {60, false, false});
  EXPECT_THAT(text, ::testing::HasSubstr("  clear                #######################     2       3\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("  rain     ############                           -1       4\n"));
}

TEST(TextRenderer, RowsAddUpFromBaseToPrediction) {
  Attributions item;
  item.features = {{"temp", "°C", {}, {}, false}, {"weather", "", {}, {"clear", "rain"}, false}};
  item.base = 10;
  item.rows = {17};
  item.prediction = {8};
  item.values = {1, -3};
  item.se = {0.1, 0.25};
  item.data = {21.5, std::nan("")};
  Result result;
  result.results = {item};
  const std::string text = render_text(result, {60, false, false});
  EXPECT_THAT(text, ::testing::HasSubstr("Row 17 ----"));
  EXPECT_THAT(text, ::testing::HasSubstr("  base 10 -> prediction 8\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("  weather missing  ####################          -3  +- 0.49\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("  temp = 21.5 °C                       ######    +1  +- 0.20\n"));
}

TEST(TextRenderer, ManyRowsAreShownByQuantiles) {
  Attributions item;
  item.features = {{"a", "", {}, {}, false}, {"b", "", {}, {}, false}};
  for (std::uint64_t row = 0; row < 9; ++row) {
    item.rows.push_back(row);
    item.prediction.push_back(0);
    item.values.insert(item.values.end(), {0.0, static_cast<double>(row) - 4});
    item.data.insert(item.data.end(), {1.0, 2.0});
  }
  Result result;
  result.results = {item};
  const std::string text = render_text(result, {60, false, false});
  EXPECT_THAT(text, ::testing::HasSubstr("  9 rows, base 0\n"
                                         "  adds   lowest   25 %   median   75 %   highest\n"
                                         "  b          -4     -2        0      2         4\n"
                                         "  a           0      0        0      0         0\n"));
}

TEST(TextRenderer, NeverWiderThanAskedAndNeverControlCharacters) {
  for (const auto& entry : std::filesystem::directory_iterator(SIGHTGLASS_SOURCE_DIR "/tests/golden/results")) {
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    const Result result = result_from_json(text.str(), entry.path().string());
    for (const int width : {0, 60, 80, 200}) {
      for (const bool unicode : {true, false}) {
        for (const auto& line : lines_of(render_text(result, {width, unicode, false}))) {
          EXPECT_LE(text_width(line), std::max(width, 60)) << entry.path() << "\n" << line;
          EXPECT_EQ(line.find_first_of("\x1b\t\r\x7f"), std::string::npos) << line;
        }
      }
    }
  }
}

TEST(TextRenderer, MarksColumnsThatAreNotToBeTrusted) {
  Curve curve = line_curve();
  curve.measure = Measure::effect;
  curve.sparse = {0};
  curve.extrapolated = {2};
  const std::string text = render_text(with(curve), {60, false, false});
  EXPECT_THAT(text, ::testing::HasSubstr("shows   effect on the prediction of rentals\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("    trust  -------------                      xxxxxxxxxxxxx\n"
                                         "           - few rows here   x unusual combinations\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("  temp (°C)   effect   rows\n"));
}

TEST(TextRenderer, LinesThatAreComparedStandOnOneScale) {
  Curve first = line_curve(), second = line_curve();
  first.group = "k = 1";
  second.group = "k = 2";
  second.mean = {3, 2, 1};
  Result result = with(first);
  result.results.emplace_back(second);
  const std::string text = render_text(result, {60, false, false});
  EXPECT_THAT(text, ::testing::HasSubstr("temp (°C) -> rentals ------------------------------ 2 groups\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("  1 to 3\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("  temp (°C)   k = 1   k = 2\n"
                                         "          0       1       3\n"));
}

TEST(TextRenderer, RankingsAreBars) {
  Result result;
  result.method = "permutation-importance";
  for (const auto& [name, importance] : {std::pair("a", 1.0), {"b", 4.0}, {"c", -1.0}}) {
    Importance entry;
    entry.feature = name;
    entry.measure = measure_from_text("increase of rmse");
    entry.importance = importance;
    entry.se = 0.5;
    result.results.emplace_back(entry);
  }
  EXPECT_EQ(render_text(result, {60, false, false}),
            "Permutation importance\n"
            "\n"
            "increase of rmse -------------------------------------------\n"
            "                                  importance\n"
            "  b            #################        4.00    3.02 to 4.98\n"
            "  a            ####                     1.00    0.02 to 1.98\n"
            "  c        ####                        -1.00  -1.98 to -0.02\n"
            "  Intervals: 95 % intervals (+- 1.96 standard errors)\n");
}

TEST(TextRenderer, SideBySideRankingsLongNamesGetALetter) {
  Result result;
  for (const char* measure : {"a measure with a very long name indeed", "pd"}) {
    for (const char* name : {"a", "b"}) {
      Importance entry;
      entry.feature = name;
      entry.measure = measure_from_text(measure);
      entry.importance = *name == 'a' ? 2 : 1;
      result.results.emplace_back(entry);
    }
  }
  const std::string text = render_text(result, {60, false, false});
  EXPECT_THAT(text, ::testing::HasSubstr("  A  a measure with a very long name indeed\n  B  pd\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("  b    2 ##########           1    2 ##########           1\n"));
}

Result ranked_by(const std::vector<std::string>& measures) {
  Result result;
  for (const auto& measure : measures) {
    for (const auto& [name, importance] : {std::pair("income", 3.0), {"age", 1.5}}) {
      Importance entry;
      entry.feature = name;
      entry.features = {name};
      entry.measure = measure_from_text(measure);
      entry.importance = importance;
      entry.se = 0.5;
      result.results.emplace_back(entry);
    }
  }
  return result;
}

TEST(TextRenderer, ManyRankingsHaveTheirNumbersAndNoIntervalsThatAreNotShown) {
  EXPECT_EQ(render_text(ranked_by({"A", "B", "C", "D", "E"}), {80, false, false}),
            "\n\n"
            "Importance ---------------------------------------------------------------------\n"
            "           A             B             C             D             E\n"
            "  income    1 #### 3.0    1 #### 3.0    1 #### 3.0    1 #### 3.0    1 #### 3.0\n"
            "  age       2 ##   1.5    2 ##   1.5    2 ##   1.5    2 ##   1.5    2 ##   1.5\n");
  // What does not fit is divided evenly, with the same rows.
  const std::string text = render_text(ranked_by({"A", "B", "C", "D", "E"}), {60, false, false});
  EXPECT_THAT(text, ::testing::HasSubstr("C\n  income "));
  EXPECT_THAT(text, ::testing::HasSubstr("E\n  income "));
}

TEST(TextRenderer, RatiosStartAtOne) {
  const std::string text = render_text(ranked_by({"ratio of rmse"}), {60, false, false});
  // 3 is four times as far from 1 as 1.5.
  EXPECT_THAT(text, ::testing::HasSubstr("  income   #######################        3.00"));
  EXPECT_THAT(text, ::testing::HasSubstr("  age      ######                         1.50"));
  EXPECT_THAT(text, ::testing::HasSubstr("Bars of ratios start at 1"));
}

TEST(TextRenderer, GroupsOfFeaturesSayTheirMembers) {
  Result result = ranked_by({"increase of rmse"});
  result.results[0].get<Importance>().feature = "size";
  result.results[0].get<Importance>().features = {"rooms", "beds"};
  EXPECT_THAT(render_text(result, {60, false, false}), ::testing::HasSubstr("\n  size = rooms, beds\n"));
}

TEST(TextRenderer, TheConditionOnTheRowsIsInTheHeader) {
  Result result = with(line_curve());
  result.options.set("where", "age > 20 and region = north");
  EXPECT_THAT(render_text(result, {60, false, false}),
              ::testing::HasSubstr("data    Target rentals\nwhere   age > 20 and region = north\nshows "));
}

TEST(TextRenderer, FiguresFirstAndTheQuantityOfWhatFollows) {
  Curve curve = line_curve();
  curve.output = "yes";
  curve.measure = Measure::effect;
  Result result = ranked_by({"share of variance"});
  result.model = Value::object({{"task", "binary"}, {"objective", "binary sigmoid:1"}});
  result.data.set("target", "status");
  result.options.set("scale", "margin");
  result.results.emplace_back(curve);
  Figure figure;
  figure.name = "mean prediction";
  figure.id = FigureId::mean_prediction;
  figure.value = 0.25;
  result.results.emplace_back(figure);
  const std::string text = render_text(result, {60, false, false});
  EXPECT_THAT(text, ::testing::HasSubstr("shows   effect on the prediction of yes (log-odds)\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("\n  0.25  mean prediction (log-odds)\n"));
  EXPECT_LT(text.find("Key figures"), text.find("share of variance"));
}

TEST(TextRenderer, ComparedLinesHaveTheirMissingLevel) {
  Curve first;
  first.axis = {"weather", "", {}, {"clear", "rain"}, false};
  first.output = "prediction";
  first.series = "partial dependence";
  first.mean = {2, 1};
  Curve second = first;
  second.series = "M-plot";
  first.missing = MissingPoint{5, 0, 0, 0, 3};
  Result result = with(first);
  result.results.emplace_back(second);
  const std::string text = render_text(result, {60, false, false});
  EXPECT_THAT(text, ::testing::HasSubstr("  rain                       1        1\n"
                                         "  missing                    5        -\n"));
}

TEST(TextRenderer, ShadesAreExplainedOneByOne) {
  Surface surface;
  surface.first.feature = "a";
  surface.second.feature = "b";
  for (int i = 0; i < 10; ++i) {
    surface.first.numbers.push_back(i);
    surface.second.numbers.push_back(i);
    surface.mean.emplace_back(10, i == 9 ? 8 : -4);
  }
  surface.measure = Measure::effect;
  const std::string text = render_text(with(surface), {60, false, false});
  EXPECT_THAT(text, ::testing::HasSubstr("\n  [--] -8  [- ] -4  [. ] 0  [+ ] 4  [++] 8\n"));
  // What stands on few rows does not set the scale.
  surface.count.assign(9, std::vector<double>(9, 100));
  surface.count[8].assign(9, 1);
  const std::string scaled = render_text(with(surface), {60, false, false});
  EXPECT_THAT(scaled, ::testing::HasSubstr("[--] -4 or less"));
  EXPECT_THAT(scaled, ::testing::HasSubstr("shades are scaled to cells with enough rows"));
}

TEST(TextRenderer, ScoresAreNotCalledLosses) {
  Curve curve = line_curve();
  curve.measure = Measure::loss;
  curve.series = "accuracy";
  curve.loss = LossKind::accuracy;
  EXPECT_THAT(render_text(with(curve), {60, false, false}), ::testing::HasSubstr("  temp (°C)   accuracy   rows\n"));
}

TEST(TextRenderer, FiguresHaveTheirMeaning) {
  Figure figure;
  figure.name = "features used";
  figure.value = 8;
  figure.se = 0.123;
  figure.meaning = "of twelve";
  Interaction pair;
  pair.features = {"a", "b"};
  pair.strength = 2;
  pair.h2 = 0.123456;
  Result result = with(figure);
  result.results.emplace_back(pair);
  const std::string text = render_text(result, {60, false, false});
  EXPECT_THAT(text, ::testing::HasSubstr("  8 +- 0.24  features used\n             of twelve\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("  a x b"));
  EXPECT_THAT(text, ::testing::HasSubstr("12.3 %\n"));
}

TEST(TextRenderer, CaveatsComeWorstFirst) {
  Result result = with(line_curve());
  result.caveats = {{"a-note", Severity::note, "small", {}, ""}, {"bad", Severity::warning, "large", {}, "stop"}};
  const std::string text = render_text(result, {60, false, false});
  EXPECT_THAT(text, ::testing::HasSubstr("  warning  large -> stop [bad]\n  note     small [a-note]\n"));
}

TEST(TextRenderer, OddNumbersDoNotStopIt) {
  Curve curve = line_curve();
  curve.mean = {std::nan(""), INFINITY, 3};
  curve.axis.numbers = {-INFINITY, 5, 5};
  EXPECT_THAT(render_text(with(curve)), ::testing::HasSubstr("∞"));
  curve.mean = {7, 7, 7};
  EXPECT_THAT(render_text(with(curve)), ::testing::HasSubstr("7 │"));
}

TEST(TextWidth, CountsWideCharactersTwice) {
  EXPECT_EQ(text_width("abc"), 3);
  EXPECT_EQ(text_width("°C"), 2);
  EXPECT_EQ(text_width("温度"), 4);
  EXPECT_EQ(fit("温度計", 5, true), "温度…");
}

TEST(Text, SeveralResultsTellTheirModelOnce) {
  Result one;
  one.method = "report";
  one.model = Value::object({{"format", "xgboost-json"}, {"trees", 3}});
  one.data = Value::object({{"rows", 10}});
  Result other = one, third = one;
  other.method = third.method = "ale";
  other.model = Value::object({{"format", "xgboost-json"}});
  third.model = Value::object({{"format", "onnx"}});
  for (Result* each : {&one, &other, &third}) add_missing_meaning(*each);
  const std::string text = render_text({one, other, third}, {.width = 80, .unicode = true, .color = false});
  const auto times = [&](const std::string& words) {
    std::size_t found = 0;
    for (auto at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(times("xgboost-json"), 1U);
  EXPECT_EQ(times("onnx"), 1U);
  EXPECT_EQ(times("Rows 10"), 1U);
  EXPECT_EQ(times("no results"), 2U);
}

TEST(Text, SeveralResultsBewareOnce) {
  Result first, second;
  first.method = "ale";
  second.method = "m-plot";
  first.caveats = {{.id = "few-rows", .severity = Severity::note, .message = "few rows", .evidence = Value::object()}};
  second.caveats = first.caveats;
  second.caveats.push_back(
      {.id = "weak-model", .severity = Severity::warning, .message = "it knows little", .evidence = Value::object()});
  const std::string text = render_text({first, second}, {});
  const auto count = [&](const std::string& words) {
    std::size_t times = 0;
    for (auto at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++times;
    return times;
  };
  EXPECT_EQ(count("few rows ["), 1u);
  EXPECT_EQ(count("Cautions"), 1u);
  // Worst first, before the results.
  EXPECT_LT(text.find("it knows little"), text.find("few rows ["));
  EXPECT_LT(text.find("few rows ["), text.find("M-plot"));
  second.model.set("file", "other.json");
  EXPECT_NE(render_text({first, second}, {}).find("other.json: few rows ["), std::string::npos);
  EXPECT_NE(render_text(first, {}).find("few rows ["), std::string::npos);
}

}  // namespace
}  // namespace sightglass
