#include "sightglass/result/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "sightglass/base/error.h"
#include "sightglass/result/legacy_internal.h"

namespace sightglass {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Result sample() {
  Result result;
  result.method = "partial-dependence";
  result.version = "0.1.0";
  result.model = Value::object({{"format", "xgboost"}, {"outputs", Value(std::vector<std::string>{"y"})}});
  result.options = Value::object({{"grid", 64}, {"low", -0.0}, {"high", infinity}});

  Curve curve;
  curve.axis = {"temp", "°C", {-infinity, 0.1, 1e22}, {}, false};
  curve.output = "y";
  curve.mean = {1, 2.5, std::nan("")};
  curve.sd = {0, 0, 0.30000000000000004};
  curve.se_level = {0.1, 0.1, 0.1};
  curve.se_shape = {0, 0, 0};
  curve.count = {3, 4, 5};
  curve.missing = MissingPoint{7, 1, 0.1, 0.05, 2};
  curve.distribution = {{0, 1, 2}, {4, 8}, {0.5}, 2};
  curve.shape = CurveShape::monotone;
  curve.heterogeneity = 0.25;
  result.results.push_back(curve);

  Curves curves;
  curves.axis = {"weather \"x\"\n", "", {}, {"clear", "rain"}, true};
  curves.rows = {3, 17};
  curves.values = {{1, 2}, {3, 4}};
  curves.missing = {std::nullopt, 5.0};
  curves.own_level = {"rain", "clear"};
  curves.anchor_level = "clear";
  curves.mean = {2, 3};
  curves.band_levels = {0.05, 0.95};
  curves.bands = {{1, 2}, {3, 4}};
  curves.total_rows = 400;
  result.results.push_back(curves);

  Surface surface;
  surface.first = {"a", "m", {1, 2}, {}, false};
  surface.second = {"b", "", {}, {"x", "y", "z"}, false};
  surface.mean = {{1, 2, 3}, {4, 5, 6}};
  surface.count = {{1, 0, 3}, {0, 5, 6}};
  result.results.push_back(surface);

  Curve effect;
  effect.axis = {"hour", "", {0, 12, 23}, {}, false};
  effect.group = "day = \"free\"";
  effect.series = "ALE";
  effect.measure = Measure::effect;
  effect.mean = {-1, 0, infinity};
  effect.se_shape = {0.1, 0.2, 0.3};
  effect.bin_count = {7, 8};
  effect.slope = {0.5, std::nan("")};
  effect.sparse = {2};
  effect.extrapolated = {0, 2};
  effect.outside = {0.25, 0, 1};
  result.results.push_back(effect);

  Curve loss = effect;
  loss.measure = Measure::loss;
  loss.bin_count = loss.slope = {};
  result.results.push_back(loss);

  Curves slopes = curves;
  slopes.derivative = true;
  slopes.group = "k = 1";
  slopes.sd = {1, 2};
  result.results.push_back(slopes);

  Surface cells = surface;
  cells.measure = Measure::effect;
  cells.group = "k = 1";
  cells.count = {{4, 0}};
  result.results.push_back(cells);

  Importance importance;
  importance.feature = "weather and wind";
  importance.features = {"weather", "wind"};
  importance.output = "y";
  importance.group = "k = 1";
  importance.measure = measure_from_text("increase of rmse");
  importance.importance = 1.5;
  importance.se = infinity;
  importance.low = -0.5;
  importance.details = Value::object({{"repeats", Value(std::vector<double>{1, 2})}});
  result.results.push_back(importance);

  Interaction interaction;
  interaction.features = {"a", "b", "c"};
  interaction.h2 = 0.25;
  interaction.h = 0.5;
  interaction.strength = std::nan("");
  interaction.details = Value::object({{"in_findings", false}});
  result.results.push_back(interaction);

  result.results.push_back(
      Figure{.name = "features used", .output = "y", .group = "k = 1", .value = 3, .se = 0.5, .meaning = "of 12"});

  Attributions attributions;
  attributions.features = {{"temp", "°C", {}, {}, false}, {"weather", "", {}, {"clear", "Infinity"}, true}};
  attributions.output = "y";
  attributions.group = "k = 1";
  attributions.base = 1.5;
  attributions.total_rows = 400;
  attributions.rows = {3, 17};
  attributions.prediction = {2, infinity};
  attributions.values = {0.25, 0.25, -0.0, std::nan("")};
  attributions.se = {0.1, 0.2, 0, 0.4};
  attributions.data = {infinity, 1, std::nan(""), std::nan("")};
  attributions.interactions = {0.125, 0.125, 0.125, 0.125, 1, 2, 2, 3};
  attributions.details = Value::object({{"estimator", "exact"}});
  result.results.push_back(attributions);

  result.caveats.push_back(
      {"sparse-region", Severity::warning, "few rows above 30", Value::object({{"rows", 3}}), "x"});
  add_missing_meaning(result);
  return result;
}

std::string error_of(std::string_view text) {
  try {
    (void)result_from_json(text, "r.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.what();
  }
  return "no error";
}

// A document with one result item.
std::string with_item(const std::string& item) {
  return R"({"schema":"sightglass.result/1","method":"m","results":[)" + item + "]}";
}

TEST(ResultJson, ComesBackAsTheSameBytes) {
  const std::string text = to_json(sample());
  EXPECT_EQ(to_json(result_from_json(text, "test")), text);
}

TEST(ResultJson, CaveatsKeepTheirReferences) {
  Result result;
  result.caveats.push_back({.id = "some", .message = feature_name("a}b") + " is {odd}", .advice = option_name("grid")});
  const std::string text = to_json(result);
  EXPECT_THAT(text, ::testing::HasSubstr(R"("message":"a}b is {odd}","message_markup":"{feature:a%7Db} is {{odd}")"));
  EXPECT_EQ(result_from_json(text, "test").caveats[0].message, result.caveats[0].message);
  EXPECT_EQ(to_json(result_from_json(text, "test")), text);
  // Where the words were changed, and in files that have the words alone, they refer to nothing.
  std::string changed = text;
  changed.replace(changed.find("a}b is {odd}"), 3, "abc");
  EXPECT_EQ(result_from_json(changed, "test").caveats[0].message, Text("abc is {odd}"));
}

TEST(ResultJson, KeepsEveryField) {
  const Result back = result_from_json(to_json(sample()), "test");
  const auto& curve = back.results[0].get<Curve>();
  EXPECT_EQ(curve.axis.unit, "°C");
  EXPECT_EQ(curve.axis.numbers[0], -infinity);
  EXPECT_TRUE(std::isnan(curve.mean[2]));
  EXPECT_EQ(curve.sd[2], 0.30000000000000004);
  EXPECT_EQ(curve.se_level.size(), 3u);
  EXPECT_EQ(curve.missing->se_shape, 0.05);
  EXPECT_EQ(curve.shape, CurveShape::monotone);
  const auto& curves = back.results[1].get<Curves>();
  EXPECT_EQ(curves.axis.feature, "weather \"x\"\n");
  EXPECT_TRUE(curves.axis.ordered);
  EXPECT_EQ(curves.own_level[0], "rain");
  EXPECT_EQ(curves.anchor_level, "clear");
  EXPECT_EQ(curves.missing[0], std::nullopt);
  EXPECT_EQ(curves.bands[1][0], 3);
  const auto& surface = back.results[2].get<Surface>();
  EXPECT_EQ(surface.second.levels[2], "z");
  EXPECT_EQ(surface.mean[1][2], 6);
  EXPECT_EQ(back.caveats[0].severity, Severity::warning);
  const auto& effect = back.results[3].get<Curve>();
  EXPECT_EQ(effect.group, "day = \"free\"");
  EXPECT_EQ(effect.series, "ALE");
  EXPECT_EQ(effect.measure, Measure::effect);
  EXPECT_EQ(effect.mean[2], infinity);
  EXPECT_EQ(effect.se_shape[1], 0.2);
  EXPECT_THAT(effect.bin_count, ::testing::ElementsAre(7, 8));
  EXPECT_TRUE(std::isnan(effect.slope[1]));
  EXPECT_THAT(effect.sparse, ::testing::ElementsAre(2));
  EXPECT_THAT(effect.extrapolated, ::testing::ElementsAre(0, 2));
  EXPECT_EQ(effect.outside[2], 1);
  EXPECT_EQ(back.results[4].get<Curve>().measure, Measure::loss);
  const auto& slopes = back.results[5].get<Curves>();
  EXPECT_TRUE(slopes.derivative);
  EXPECT_THAT(slopes.sd, ::testing::ElementsAre(1, 2));
  const auto& cells = back.results[6].get<Surface>();
  EXPECT_EQ(cells.measure, Measure::effect);
  EXPECT_EQ(cells.count[0].size(), 2u);
  const auto& importance = back.results[7].get<Importance>();
  EXPECT_THAT(importance.features, ::testing::ElementsAre("weather", "wind"));
  EXPECT_EQ(importance.se, infinity);
  EXPECT_EQ(importance.low, -0.5);
  EXPECT_EQ(importance.high, std::nullopt);
  EXPECT_EQ(to_json(importance.details), R"({"repeats":[1,2]})");
  const auto& interaction = back.results[8].get<Interaction>();
  EXPECT_EQ(interaction.features.size(), 3u);
  EXPECT_TRUE(std::isnan(interaction.strength));
  const auto& figure = back.results[9].get<Figure>();
  EXPECT_EQ(figure.meaning, "of 12");
  EXPECT_EQ(figure.se, 0.5);
  const auto& attributions = back.results[10].get<Attributions>();
  EXPECT_EQ(attributions.features[0].unit, "°C");
  EXPECT_FALSE(attributions.features[0].is_categorical());
  EXPECT_TRUE(attributions.features[1].ordered);
  EXPECT_EQ(attributions.group, "k = 1");
  EXPECT_EQ(attributions.base, 1.5);
  EXPECT_EQ(attributions.total_rows, 400u);
  EXPECT_THAT(attributions.rows, ::testing::ElementsAre(3, 17));
  EXPECT_EQ(attributions.prediction[1], infinity);
  EXPECT_EQ(attributions.value(0, 1), 0.25);
  EXPECT_TRUE(std::isnan(attributions.value(1, 1)));
  EXPECT_THAT(attributions.se, ::testing::ElementsAre(0.1, 0.2, 0, 0.4));
  EXPECT_EQ(attributions.own(0, 0), infinity);
  EXPECT_EQ(attributions.own(0, 1), 1) << "a level that is called like a number";
  EXPECT_TRUE(std::isnan(attributions.own(1, 0)));
  EXPECT_EQ(attributions.interaction(1, 0, 1), 2);
  EXPECT_EQ(*attributions.details.find("estimator"), Value("exact"));
}

TEST(ResultJson, AttributionsAreOneObjectPerRow) {
  EXPECT_THAT(to_json(sample()),
              ::testing::HasSubstr("\n{\"row\":3,\"output\":\"y\",\"base\":1.5,\"prediction\":2,"
                                   "\"values\":{\"temp\":0.25,\"weather\":0.25},\"se\":{\"temp\":0.1,\"weather\":0.2},"
                                   "\"data\":{\"temp\":\"Infinity\",\"weather\":\"Infinity\"},"
                                   "\"interactions\":[[0.125,0.125],[0.125,0.125]]},"));
  // Another tool may have put the keys into another order.
  const std::string head =
      R"({"type":"attributions","base":0,"features":[{"feature":"a","kind":"numeric"},{"feature":"b","kind":"numeric"}],)";
  const Result back = result_from_json(
      with_item(head + R"("attributions":[{"row":1,"prediction":3,"values":{"b":2,"a":1},"data":{"b":4,"a":null}}]})"),
      "test");
  const auto& item = back.results[0].get<Attributions>();
  EXPECT_THAT(item.values, ::testing::ElementsAre(1, 2));
  EXPECT_EQ(item.own(0, 1), 4);
}

TEST(ResultJson, SpellsWhatJsonCannotHold) {
  const std::string text = to_json(sample());
  EXPECT_THAT(text, ::testing::HasSubstr(R"("grid":["-Infinity",0.1,1e+22])"));
  EXPECT_THAT(text, ::testing::HasSubstr(R"("mean":[1,2.5,"NaN"])"));
  EXPECT_THAT(text, ::testing::HasSubstr(R"("options":{"grid":64,"low":-0.0,"high":"Infinity"})"));
  EXPECT_THAT(text, ::testing::HasSubstr(R"("empty":[[0,1],[1,0]])"));
}

TEST(ResultJson, InvalidUtf8BecomesAReplacementCharacter) {
  Result result;
  result.method = "caf\xe9 \xf0\x9f\x98\x80 \xed\xa0\x80";
  EXPECT_EQ(result_from_json(to_json(result), "test").method,
            "caf\xEF\xBF\xBD \xf0\x9f\x98\x80 \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(ResultJson, IgnoresUnknownKeys) {
  EXPECT_EQ(result_from_json(R"({"schema":"sightglass.result/1","method":"m","results":[],"new":1})", "t").method, "m");
}

TEST(ResultJson, ItemsOfUnknownTypesPassThrough) {
  const std::string item =
      R"({"type":"something_new","output":"y","group":"g = 1","numbers":[1,2.5,"NaN",-0.0],"inside":{"a":null}})";
  const Result read = result_from_json(with_item(item), "t");
  ASSERT_EQ(read.results.size(), 1u);
  EXPECT_EQ(read.results[0].type(), "something_new");
  EXPECT_EQ(read.results[0].title(), "Something new");
  EXPECT_EQ(read.results[0].output(), "y");
  EXPECT_EQ(read.results[0].group(), "g = 1");
  EXPECT_THAT(to_json(read), ::testing::HasSubstr(item));
}

// A newer version knows more words and keys: one of them is no reason to refuse the file, or to lose it.
TEST(ResultJson, NewerWordsAndKeysComeBack) {
  const std::string head =
      R"({"schema":"sightglass.result/1","method":"new","about":{"title":"New","short_name":"","family":"causes",)"
      R"("terms":[{"term":"Cause","meaning":"What makes it so."}],"since":3},"results":[)";
  const std::string curve = R"({"type":"curve","feature":"a","kind":"numeric","grid":[1,2],"mean":[1,2],)"
                            R"("estimand":"average-cause","verdict":"periodic","wave":{"length":2}})";
  const std::string figure =
      R"({"type":"figure","name":"mean prediction","id":"local-r2","loss":"pinball","value":0.5,"unit":"%"})";
  const std::string importance =
      R"({"type":"importance","feature":"a","importance":1,"measure":"share of causes",)"
      R"("measured":{"kind":"causes","loss":"pinball","change":"square","over_rows":false,"by":"hand"}})";
  const Result read = result_from_json(
      head + curve + "," + figure + "," + importance +
          R"(],"caveats":[{"id":"x","severity":"alarm","message":"m","evidence":{},"advice":""}],"signature":"abc"})",
      "t");
  EXPECT_EQ(read.about.family, Family::other);
  EXPECT_THAT(read.about.terms, ::testing::ElementsAre(GlossaryTerm{"Cause", "What makes it so."}));
  EXPECT_EQ(read.results[0].get<Curve>().estimand, Estimand::other);
  EXPECT_EQ(read.results[0].get<Curve>().shape, std::nullopt);
  EXPECT_EQ(read.results[1].get<Figure>().id, FigureId::other) << "not guessed by its name";
  EXPECT_EQ(read.results[1].get<Figure>().id, OpenWord<FigureId>("local-r2"));
  EXPECT_EQ(read.results[2].get<Importance>().measure.text(), "share of causes");
  EXPECT_EQ(read.caveats[0].severity, Severity::caution);

  const std::string once = to_json(read);
  for (const char* kept :
       {R"("family":"causes")", R"("terms":[{"term":"Cause","meaning":"What makes it so."}])", R"("since":3)",
        R"("estimand":"average-cause")", R"("verdict":"periodic")", R"("wave":{"length":2})", R"("id":"local-r2")",
        R"("loss":"pinball","feature")", R"("unit":"%")",
        R"("measured":{"kind":"causes","loss":"pinball","change":"square","over_rows":false,"by":"hand"})",
        R"("severity":"alarm")", R"("signature":"abc")"})
    EXPECT_THAT(once, ::testing::HasSubstr(kept));
  EXPECT_EQ(to_json(result_from_json(once, "again")), once);
  // A copy has all of it too.
  const Result copy = read;
  EXPECT_EQ(to_json(copy), once);
}

TEST(ResultJson, AMethodBringsAnIdOfItsOwn) {
  Result result;
  result.method = "lime";
  result.results.push_back(Figure{.name = "local R²", .id = "local-r2", .output = "", .group = "", .value = 0.9});
  const Result back = result_from_json(to_json(result), "t");
  EXPECT_EQ(back.results[0].get<Figure>().id.text(), "local-r2");
  EXPECT_EQ(back.results[0].get<Figure>().id, FigureId::other);
  EXPECT_EQ(OpenWord<FigureId>("skill"), FigureId::skill);
}

TEST(ResultJson, RefusesOtherDocumentsByName) {
  EXPECT_THAT(error_of("[1]"), ::testing::HasSubstr("r.json is not a saved result"));
  EXPECT_THAT(error_of(R"({"schema":"sightglass.result/2"})"),
              ::testing::HasSubstr("has the schema sightglass.result/2; this version reads sightglass.result/1"));
  EXPECT_THAT(error_of(R"({"schema":"other/1"})"), ::testing::HasSubstr("its schema is \"other/1\""));
  EXPECT_THAT(error_of("{\"a\":1,\n \"b\" 2}"), ::testing::HasSubstr("r.json: not JSON at line 2, column 6"));
  EXPECT_THAT(error_of(R"({"a":1,"b":2,"a":3})"), ::testing::HasSubstr("\"a\" stands twice"));
  EXPECT_THAT(error_of(std::string(100000, '[')), ::testing::HasSubstr("nested deeper than 64"));
  EXPECT_THAT(error_of(""), ::testing::HasSubstr("not JSON"));
  EXPECT_THAT(error_of("{\"a\":\"\xff\"}"), ::testing::HasSubstr("not JSON"));
  EXPECT_THAT(error_of("{\"a\":1e999}"), ::testing::HasSubstr("not JSON"));
  EXPECT_THAT(error_of("{} x"), ::testing::HasSubstr("not JSON"));
}

TEST(ResultJson, NamesTheSpotThatDoesNotFit) {
  const std::string head = R"({"type":"curve","feature":"a","kind":"numeric","grid":[1,2],)";
  EXPECT_THAT(error_of(with_item(head + R"("mean":[1]})")),
              ::testing::HasSubstr("results[0].mean: has 1 entries, 2 are needed"));
  EXPECT_THAT(error_of(with_item(head + R"("mean":[1,"x"]})")),
              ::testing::HasSubstr("results[0].mean[1]: expected a number"));
  EXPECT_THAT(error_of(with_item(head + R"("mean":[1,2],"sd":[1,2,3]})")),
              ::testing::HasSubstr("results[0].sd: has 3"));
  EXPECT_THAT(error_of(with_item(head + R"("mean":[1,2],"distribution":{"edges":[1],"counts":[1]}})")),
              ::testing::HasSubstr("distribution.edges: has 1 entries, 2 are needed"));
  EXPECT_THAT(error_of(with_item(head + R"("mean":[1,2],"verdict":7})")), ::testing::HasSubstr("verdict"));
  EXPECT_THAT(error_of(with_item("7")), ::testing::HasSubstr("results[0]: expected an object"));
  EXPECT_THAT(error_of(with_item(R"({"type":"surface","features":["a"]})")),
              ::testing::HasSubstr("features: has 1 entries, 2 are needed"));
  EXPECT_THAT(error_of(with_item(head + R"("measure":"effect","effect":[1,2],"slope":[1,2]})")),
              ::testing::HasSubstr("results[0].slope: has 2 entries, 1 are needed"));
  EXPECT_THAT(error_of(with_item(head + R"("mean":[1,2],"sparse":[2]})")),
              ::testing::HasSubstr("results[0].sparse[0]: there are only 2 grid points"));
  EXPECT_THAT(error_of(with_item(head + R"("mean":[1,2],"measure":"odd"})")), ::testing::HasSubstr("measure"));
  EXPECT_THAT(error_of(with_item(R"({"type":"importance","feature":"a","importance":1,"details":7})")),
              ::testing::HasSubstr("details: expected an object"));
  EXPECT_THAT(error_of(with_item(R"({"type":"interaction","features":[],"h2":0,"h":0,"strength":0})")),
              ::testing::HasSubstr("at least one feature"));
  EXPECT_THAT(error_of(with_item(R"({"type":"figure","name":"a"})")), ::testing::HasSubstr("value"));
  const std::string rows =
      R"({"type":"attributions","base":0,"features":[{"feature":"a","kind":"numeric"},)"
      R"({"feature":"b","kind":"categorical","levels":["x"]}],"attributions":[{"row":1,"prediction":3,)";
  EXPECT_THAT(error_of(with_item(rows + R"("values":{"a":1}}]})")),
              ::testing::HasSubstr("attributions[0].values: has 1 entries, 2 are needed"));
  EXPECT_THAT(error_of(with_item(rows + R"("values":{"a":1,"c":1}}]})")),
              ::testing::HasSubstr("values: the key \"b\" is missing"));
  EXPECT_THAT(error_of(with_item(rows + R"("values":{"a":1,"b":1},"data":{"a":1,"b":"y"}}]})")),
              ::testing::HasSubstr("data.b: not a level of the feature"));
  EXPECT_THAT(error_of(with_item(rows + R"("values":{"a":1,"b":1},"data":{"a":1,"b":"x"},"interactions":[[1]]}]})")),
              ::testing::HasSubstr("interactions[0]: has 1 entries, 2 are needed"));
  EXPECT_THAT(error_of(with_item(rows + R"("values":{"a":1,"b":1},"data":{"a":1,"b":"x"}},)"
                                        R"({"row":2,"prediction":3,"values":{"a":1,"b":1},"se":{"a":1,"b":1}}]})")),
              ::testing::HasSubstr("attributions[1]: all rows have \"se\""));
  EXPECT_THAT(error_of(with_item(R"({"type":"attributions","base":0,"features":[],"attributions":[)"
                                 R"({"row":1,"prediction":3,"values":{},"data":{}}]})")),
              ::testing::HasSubstr("at least one feature"));
  EXPECT_THAT(error_of(with_item(R"({"type":"curves","feature":"a","kind":"numeric","grid":[1],"rows":[-1]})")),
              ::testing::HasSubstr("rows[0]: expected a whole number"));
}

TEST(ResultJson, GoldenResultsSettleAfterOneReading) {
  for (const auto& entry : std::filesystem::directory_iterator(SIGHTGLASS_SOURCE_DIR "/tests/golden/results")) {
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    const std::string once = to_json(result_from_json(text.str(), entry.path().string()));
    EXPECT_EQ(to_json(result_from_json(once, "again")), once) << entry.path();
  }
}

TEST(ResultJson, DoesNotDependOnTheLocale) {
  const std::string text = to_json(sample());
  if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) GTEST_SKIP() << "no German locale here";
  const std::string again = to_json(result_from_json(text, "test"));
  std::setlocale(LC_ALL, "C");
  EXPECT_EQ(again, text);
}

TEST(ValueJson, ReadsAndWritesPlainValues) {
  const std::string text = R"({"a":[1,2.5,true,null,"é\u0001"],"b":{}})";
  EXPECT_EQ(to_json(value_from_json(text, "t")), text);
  EXPECT_EQ(to_json(value_from_json(R"({"a":[1,{}],"b":[]})", "t"), 2),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}");
  EXPECT_EQ(value_from_json("18446744073709551615", "t").as_number(), 18446744073709551615.0);
  EXPECT_THROW((void)value_from_json("[[1]]", "t", 1), Error);
}

}  // namespace
}  // namespace sightglass
