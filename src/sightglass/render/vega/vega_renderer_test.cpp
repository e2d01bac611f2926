#include "sightglass/render/vega/vega_renderer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "sightglass/insight/readable.h"
#include "sightglass/render/data_table.h"
#include "sightglass/render/description.h"
#include "sightglass/result/json.h"
#include "sightglass/result/legacy_internal.h"
#include "support/golden_results.h"

namespace sightglass {
namespace {

using testing::golden;

const Value& at(const Value& value, std::initializer_list<const char*> path) {
  const Value* found = &value;
  for (const char* key : path) {
    const bool index = found->is_array();
    found = index ? &found->as_array().at(std::stoul(key)) : found->find(key);
    if (found == nullptr) throw std::out_of_range(key);
  }
  return *found;
}

// Calls visit(key, value) for every member of every object, data rows left out.
template <class Visit>
void walk(const Value& value, Visit visit) {
  if (value.is_array()) {
    for (const auto& item : value.as_array()) walk(item, visit);
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.as_object()) {
      visit(key, member);
      if (key != "values") walk(member, visit);
    }
  }
}

Curve temperature() {
  Curve curve;
  curve.axis = {"temp", "°C", {0, 10, 20}, {}, false};
  curve.output = "prediction";
  curve.mean = {1, 2, std::nan("")};
  curve.se_shape = {0.5, 0, 0.5};
  curve.missing = MissingPoint{7, 0, 0, 0, 3};
  curve.distribution = {{0, 10, 20}, {5, 6}, {3}, 3};
  return curve;
}

TEST(Vega, NamesNeverReachExpressionsOrFieldNames) {
  const std::set<std::string> fields = {"x",    "y",     "low",  "high",  "half",  "group", "rows", "x2",
                                        "y2",   "mean",  "at_x", "at_y",  "shown", "label", "row",  "own",
                                        "why",  "rank",  "h2",   "h",     "se",    "o",     "to",   "adds",
                                        "next", "right", "edge", "shade", "other"};
  const std::set<std::string> expressions = {"expr", "signal", "calculate", "filter",   "labelExpr", "test",
                                             "href", "url",    "sort",      "timeUnit", "aggregate", "format_type"};
  const std::set<std::string> fixed = {"width < 320 ? split(datum.label, ' = ') : datum.label", "width < 320 ? -6 : 0"};
  for (const char* name : {"hostile.json", "hostile_shapes.json"}) {
    walk(vega_spec(golden(name)), [&](const std::string& key, const Value& value) {
      if (key == "field") {
        EXPECT_TRUE(fields.contains(value.as_string())) << value.as_string();
      }
      if (expressions.contains(key)) {
        EXPECT_TRUE(value.is_null() || fixed.contains(value.as_string())) << key << " " << to_json(value);
      }
    });
  }
}

// The same of a chart of several methods and classes, which has signals and filters.
TEST(Vega, NamesStayNamesWhereMethodsShareAChart) {
  const std::set<std::string> keys = {"expr", "signal", "calculate", "filter", "labelExpr", "test",
                                      "href", "url",    "field",     "as",     "fields",    "groupby"};
  const std::string hostile = "');alert(1)//<script>";
  for (const bool levels : {false, true}) {
    std::vector<Result> results(3);
    results[0].method = "partial-dependence";
    results[1].method = "ale";
    results[2].method = "ice";
    for (const std::string& output : {"a" + hostile, "b" + hostile}) {
      Curve curve = temperature();
      curve.axis.feature = curve.axis.unit = hostile;
      if (levels) curve.axis = {hostile, "", {}, {"u" + hostile, "v" + hostile, "__proto__"}, false};
      curve.output = output;
      curve.mean = {1, 2, 3};
      curve.count = {3, 3, 3};
      curve.sparse = {2};
      results[0].results.emplace_back(curve);
      curve.measure = Measure::effect;
      results[1].results.emplace_back(curve);
      Curves rows;
      rows.axis = curve.axis;
      rows.output = output;
      rows.rows = {0, 1};
      rows.values = {{1, 2, 3}, {3, 2, 1}};
      if (levels) {
        rows.anchor_level = "u" + hostile;
      } else {
        rows.anchor = 0;
      }
      results[2].results.emplace_back(rows);
    }
    for (Result& result : results) add_missing_meaning(result);
    const auto effects = merged_effects(results);
    ASSERT_EQ(effects.size(), 1u);
    walk(vega_spec(effects[0]), [&](const std::string& key, const Value& value) {
      EXPECT_EQ(key.find("alert"), std::string::npos);
      if (keys.contains(key)) {
        EXPECT_EQ(to_json(value).find("alert"), std::string::npos) << key << " " << to_json(value);
      }
    });
  }
}

TEST(Vega, AxesSayWhatIsShown) {
  Result result;
  result.data = Value::object({{"target", "rentals"}, {"target_unit", "bikes/hour"}});
  result.results.push_back(temperature());
  const Value spec = vega_spec(result);
  EXPECT_EQ(at(spec, {"vconcat", "0", "encoding", "y", "title"}).as_string(),
            "mean prediction of rentals (bikes/hour)");
  EXPECT_EQ(at(spec, {"vconcat", "1", "layer", "0", "encoding", "x", "axis", "title"}).as_string(), "temp (°C)");
  EXPECT_EQ(at(spec, {"background"}).as_string(), "transparent");
  // Vega-Lite would put titles into expressions that describe marks.
  EXPECT_FALSE(at(spec, {"config", "aria"}).as_bool());
}

TEST(Vega, DataHaveGapsInsteadOfNumbersThatJsonCannotHold) {
  Result result;
  result.results.push_back(temperature());
  const Value spec = vega_spec(result);
  EXPECT_EQ(to_json(at(spec, {"vconcat", "0", "data", "values"})),
            R"([{"x":0,"y":1,"group":"prediction","low":0.02,"high":1.98,"half":0.98},)"
            R"({"x":10,"y":2,"group":"prediction","low":2,"high":2,"half":0},{"x":20,"y":null,"group":"prediction"}])");
}

TEST(Vega, ClassesShareAChartInTheirOrder) {
  const Value spec = vega_spec(golden("multiclass.json"));
  const auto& charts = at(spec, {"vconcat"}).as_array();
  ASSERT_EQ(charts.size(), 2u);  // bill_length, island
  EXPECT_EQ(to_json(at(charts[0], {"vconcat", "0", "encoding", "color", "scale", "domain"})),
            R"(["Adelie","Chinstrap","Gentoo"])");
  EXPECT_EQ(to_json(at(charts[1], {"encoding", "y", "scale", "domain"})),
            R"(["Biscoe","Dream","Torgersen","missing"])");
}

TEST(Vega, AtMost250CurvesAreDrawn) {
  Curves curves;
  curves.axis = {"a", "", {0, 1}, {}, false};
  for (std::uint64_t i = 0; i < 1000; ++i) {
    curves.rows.push_back(i);
    curves.values.push_back({0, static_cast<double>(i)});
  }
  Result result;
  result.results.push_back(curves);
  const Value spec = vega_spec(result);
  const auto& rows = at(spec, {"layer", "0", "data", "values"}).as_array();
  EXPECT_EQ(rows.size(), 250u);
  EXPECT_EQ(rows.back().find("row")->as_integer(), 999);
}

// The marks of a chart's layers, in their order.
std::vector<std::string> marks(const Value& chart) {
  std::vector<std::string> found;
  for (const auto& layer : at(chart, {"layer"}).as_array()) {
    const Value* mark = layer.find("mark");
    found.push_back(mark != nullptr ? at(*mark, {"type"}).as_string() : "layers");
  }
  return found;
}

TEST(Vega, EffectsHaveTheirZeroTheirEdgesAndTheirDoubts) {
  Curve curve = temperature();
  curve.measure = Measure::effect;
  curve.mean = {-1, 0, 1};
  curve.bin_count = {4, 5};
  curve.sparse = {2};
  curve.missing.reset();
  Result result;
  result.results.push_back(curve);
  const Value spec = vega_spec(result);
  const Value& chart = at(spec, {"vconcat", "0"});
  EXPECT_THAT(marks(chart), ::testing::ElementsAre("rect", "rule", "tick", "area", "line", "point"));
  EXPECT_EQ(to_json(at(chart, {"layer", "0", "data", "values"})), R"([{"x":15,"x2":20,"why":"few rows here"}])");
  EXPECT_EQ(at(chart, {"encoding", "y", "title"}).as_string(), "effect on the prediction");
}

TEST(Vega, GroupsOfRowsAreLinesWithoutAHistogramOfOneOfThem) {
  Curve first = temperature(), second = temperature();
  first.group = "k = 1";
  second.group = "k = 2";
  Result result;
  result.results = {first, second};
  const Value spec = vega_spec(result);
  EXPECT_EQ(spec.find("vconcat"), nullptr);
  EXPECT_EQ(to_json(at(spec, {"encoding", "color", "scale", "domain"})), R"(["k = 1","k = 2"])");
}

TEST(Vega, BarsOfDoubtfulLevelsFade) {
  Curve curve;
  curve.axis = {"k", "", {}, {"constructor", "b"}, false};
  curve.mean = {1, 2};
  curve.sparse = {1};
  Result result;
  result.results.push_back(curve);
  const Value spec = vega_spec(result);
  const auto& rows = at(spec, {"data", "values"}).as_array();
  EXPECT_EQ(rows[0].find("shown")->as_number(), 1);
  EXPECT_LT(rows[1].find("shown")->as_number(), 0.5);
  EXPECT_THAT(marks(spec), ::testing::ElementsAre("bar"));
  // Vega would keep the stacked bars of a level in a property of its name.
  EXPECT_TRUE(at(spec, {"encoding", "x", "stack"}).is_null());
}

TEST(Vega, SlopesHaveTheirSpreadBelow) {
  Curves curves;
  curves.axis = {"a", "", {0, 1}, {}, false};
  curves.derivative = true;
  curves.rows = {0};
  curves.values = {{1, -1}};
  curves.sd = {0, 2};
  curves.missing = {5.0};
  Result result;
  result.results.push_back(curves);
  const Value spec = vega_spec(result);
  EXPECT_EQ(to_json(at(spec, {"vconcat", "1", "data", "values"})), R"([{"x":0,"y":0},{"x":1,"y":2}])");
  // The row where the value is missing stands apart, right of the data.
  const auto& layers = at(spec, {"vconcat", "0", "layer"}).as_array();
  EXPECT_EQ(to_json(at(layers.back(), {"data", "values"})), R"([{"x":1.09,"y":5,"row":0}])");
}

TEST(Vega, EffectsOfPairsAreDrawnBetweenGridPoints) {
  Surface surface;
  surface.first = {"a", "", {0, 1, 3}, {}, false};
  surface.second = {"b", "", {0, 2}, {}, false};
  surface.measure = Measure::effect;
  surface.mean = {{0, 4}, {2, 2}, {-8, 0}};
  surface.count = {{7}, {0}};
  Result result;
  result.results.push_back(surface);
  const Value spec = vega_spec(result);
  EXPECT_EQ(to_json(at(spec, {"data", "values"})),
            R"([{"mean":[2],"x":0,"x2":1,"at_x":0,"y":[0],"y2":[2],"at_y":[0],"rows":[7],"shown":[1]},)"
            R"({"mean":[-1],"x":1,"x2":3,"at_x":1,"y":[0],"y2":[2],"at_y":[0],"rows":[0],"shown":[0.3]}])");
  EXPECT_EQ(to_json(at(spec, {"transform"})), R"([{"flatten":["mean","y","y2","at_y","rows","shown"]}])");
  // Zero is in the middle of the colours; the cell without rows is hatched.
  EXPECT_EQ(to_json(at(spec, {"layer", "0", "encoding", "color", "scale", "domain"})), "[-2,2]");
  EXPECT_THAT(marks(spec), ::testing::ElementsAre("rect", "rule"));
}

TEST(Vega, YearsHaveNoThousands) {
  Surface surface;
  surface.first = {"year", "", {2005, 2014, 2023}, {}, false};
  surface.second = {"price", "", {1500, 2600}, {}, false};
  surface.mean = {{0, 4}, {2, 2}, {-8, 0}};
  Result result;
  result.results.push_back(surface);
  const Value spec = vega_spec(result);
  EXPECT_EQ(at(spec, {"layer", "0", "encoding", "x", "axis", "format"}).as_string(), "d");
  EXPECT_EQ(at(spec, {"layer", "0", "encoding", "y", "axis", "format"}).as_string(), ",d");
  EXPECT_THAT(axis_numbers(surface.first), ::testing::ElementsAre("2005", "2014", "2023"));
  EXPECT_THAT(axis_numbers(surface.second), ::testing::ElementsAre("1,500", "2,600"));
}

TEST(Vega, LevelsHaveTheSameColoursWhateverTheirOrder) {
  Surface surface;
  surface.first = {"a", "", {0, 1}, {}, false};
  surface.second = {"month", "", {}, {"10", "2", "1"}, false};
  surface.mean = {{1, 2, 3}, {4, 5, 6}};
  Result result;
  result.results.push_back(surface);
  EXPECT_EQ(to_json(at(vega_spec(result), {"encoding", "color", "scale", "domain"})), R"(["1","2","10"])");
}

TEST(Vega, ThinCellsFadeAndDoNotSetTheColours) {
  Surface surface;
  surface.first = {"a", "", {0, 1, 2}, {}, false};
  surface.second = {"b", "", {0, 2}, {}, false};
  surface.measure = Measure::effect;
  surface.mean = {{1, 1}, {3, 3}, {97, 97}};
  surface.count = {{3000}, {2}};
  Result result;
  result.results.push_back(surface);
  const Value spec = vega_spec(result);
  EXPECT_EQ(at(spec, {"data", "values", "0", "shown", "0"}).as_number(), 1);
  EXPECT_EQ(at(spec, {"data", "values", "1", "shown", "0"}).as_number(), 0.5);
  const Value& scale = at(spec, {"layer", "0", "encoding", "color", "scale"});
  EXPECT_EQ(to_json(at(scale, {"domain"})), "[-2,2]");
  EXPECT_TRUE(at(scale, {"clamp"}).as_bool());
}

Surface small_surface(const std::string& output, double height) {
  Surface surface;
  surface.first = {"a", "", {0, 2}, {}, false};
  surface.second = {"b", "", {0, 2}, {}, false};
  surface.output = output;
  surface.mean = {{0, height}, {0, height}};
  return surface;
}

TEST(Vega, SurfacesOfSeveralOutputsShareOneChartAndItsColours) {
  const Surface first = small_surface("it's", 1), second = small_surface("no", 5);
  Result result;
  result.results = {first, second};
  const Value spec = vega_spec(result, std::vector<const Surface*>{&first, &second});
  EXPECT_EQ(to_json(at(spec, {"params"})), R"([{"name":"output","value":"it's"}])");
  EXPECT_EQ(at(spec, {"title", "text", "expr"}).as_string(), "output");
  EXPECT_EQ(at(spec, {"transform", "0", "filter"}).as_string(), "datum.output == output");
  EXPECT_EQ(at(spec, {"data", "values"}).as_array().size(), 4u);
  EXPECT_EQ(at(spec, {"data", "values", "2", "output"}).as_string(), "no");
  EXPECT_EQ(to_json(at(spec, {"layer", "0", "encoding", "color", "scale", "domain"})), "[0,5]");
  // Alone it needs no choice.
  EXPECT_EQ(vega_spec(result, std::vector<const Surface*>{&first}).find("params"), nullptr);
  result.model = Value::object({{"task", "multiclass"}});
  const Value classes = vega_spec(result, std::vector<const Surface*>{&first, &second});
  EXPECT_EQ(at(classes, {"title", "text", "expr"}).as_string(), "'class ' + output");
}

Interaction pair_of(const std::string& a, const std::string& b, double strength, const std::string& output = "") {
  Interaction entry;
  entry.features = {a, b};
  entry.strength = strength;
  entry.h2 = 0.25;
  entry.output = output;
  return entry;
}

TEST(Vega, HeatMapOrdersFeaturesByStrengthAndLeadsToSections) {
  Result result;
  result.results = {pair_of("a", "b", 1), pair_of("a", "c", 2), pair_of("b", "c", 8)};
  PairMap map = pair_map(result);
  EXPECT_THAT(map.features, ::testing::ElementsAre("c", "b", "a"));
  EXPECT_EQ(map.cells[0].entry->strength, 8);
  map.cells[0].section = 7;
  const Value heat = vega_pair_map(map);
  EXPECT_EQ(at(heat, {"data", "values"}).as_array().size(), 6u);
  EXPECT_EQ(to_json(at(heat, {"data", "values", "0"})), R"({"x":"b","y":"c","mean":8,"h2":0.25,"section":7})");
  EXPECT_EQ(to_json(at(heat, {"encoding", "x", "scale", "domain"})), R"(["c","b","a"])");
  const Value bars = vega_pair_bars(map);
  EXPECT_EQ(at(bars, {"data", "values", "0", "y"}).as_string(), "b × c");
  EXPECT_EQ(bars.find("params"), nullptr);
}

TEST(Vega, HeatMapHasTheStrongestFeaturesAndOneOutputAtATime) {
  Result result;
  for (const char* output : {"yes", "no"}) {
    for (int i = 0; i < 30; ++i) result.results.emplace_back(pair_of("first", "f" + std::to_string(i), i, output));
  }
  const PairMap map = pair_map(result);
  EXPECT_EQ(map.features.size(), 31u);
  EXPECT_EQ(map.left_out, 6u);
  const Value heat = vega_pair_map(map);
  EXPECT_EQ(at(heat, {"encoding", "y", "scale", "domain"}).as_array().size(), features_in_map);
  EXPECT_EQ(at(heat, {"encoding", "y", "scale", "domain", "0"}).as_string(), "first");
  EXPECT_EQ(at(heat, {"params", "0", "value"}).as_string(), "yes");
}

Result ranked_by(const std::vector<std::string>& measures, double importance) {
  Result result;
  for (const auto& measure : measures) {
    Importance entry;
    entry.feature = "a";
    entry.measure = measure_from_text(measure);
    entry.importance = importance;
    result.results.emplace_back(entry);
  }
  return result;
}

TEST(Vega, BarsOfRatiosStartAtOne) {
  const Value spec = vega_spec(ranked_by({"ratio of rmse"}, 5));
  EXPECT_EQ(to_json(at(spec, {"layer", "0", "encoding", "x2"})), R"({"datum":1})");
  EXPECT_EQ(to_json(at(spec, {"encoding", "x", "scale"})), R"({"zero":false,"nice":false,"domain":[1,5]})");
  EXPECT_EQ(to_json(at(spec, {"encoding", "x", "axis", "values"})), "[1,2,3,4,5]");
  // Below 1 there is a line to see it by.
  const Value below = vega_spec(ranked_by({"ratio of rmse"}, 0.5));
  EXPECT_EQ(to_json(at(below, {"layer", "1", "data", "values"})), R"([{"x":1}])");
}

TEST(Vega, ManyPanelsStandInRowsOfEquallyMany) {
  const Value spec = vega_spec(ranked_by({"A", "B", "C", "D", "E"}, 1));
  EXPECT_EQ(at(spec, {"columns"}).as_integer(), 3);
  const auto& panels = at(spec, {"concat"}).as_array();
  ASSERT_EQ(panels.size(), 5u);
  // The first of each row has the features' names.
  for (std::size_t c = 0; c < panels.size(); ++c) {
    EXPECT_EQ(at(panels[c], {"encoding", "y", "axis"}).find("labels") == nullptr, c % 3 == 0) << c;
  }
}

TEST(Vega, PicturesOfSomeRowsSayWhich) {
  Result result = ranked_by({"A"}, 1);
  result.method = "shap";
  add_missing_meaning(result);
  EXPECT_EQ(at(vega_spec(result), {"title", "text"}).as_string(), "Feature importance");
  EXPECT_EQ(at(vega_spec(result), {"title", "subtitle"}).as_string(), "Shapley values · prediction");
  result.options.set("where", "age > 20");
  EXPECT_EQ(at(vega_spec(result), {"title", "subtitle"}).as_string(),
            "Shapley values · prediction · only rows where age > 20");
  result.results.emplace_back(temperature());
  EXPECT_EQ(at(vega_spec(result), {"title", "text"}).as_string(), "Shapley values");
  EXPECT_EQ(at(vega_spec(result), {"title", "subtitle"}).as_string(), "prediction · only rows where age > 20");
}

// Which colours effects have around zero depends on the paper: the page's dark theme replaces them.
TEST(Vega, ColoursOfEffectsAreTheConfigurations) {
  Surface surface;
  surface.first = {"a", "", {}, {"x", "y"}, false};
  surface.second = {"b", "", {}, {"u", "v"}, false};
  surface.measure = Measure::effect;
  surface.mean = {{-1, 0}, {0.1, 1}};
  Result result;
  result.results = {surface};
  const Value spec = vega_spec(result);
  EXPECT_EQ(at(spec, {"layer", "0", "encoding", "color", "scale", "range"}).as_string(), "diverging");
  EXPECT_EQ(at(spec, {"config", "range", "diverging", "scheme"}).as_string(), "blueorange");
  EXPECT_EQ(at(spec, {"layer", "1", "mark", "style"}).as_string(), "on-ends");
  EXPECT_EQ(at(spec, {"layer", "2", "mark", "style"}).as_string(), "on-middle");
  EXPECT_EQ(at(spec, {"config", "style", "on-ends", "color"}).as_string(), "#ffffff");
}

TEST(Vega, FewValuesAreTheTicks) {
  const auto axis = [](std::vector<double> numbers, bool missing) {
    Curve curve;
    curve.axis = {.feature = "a", .numbers = std::move(numbers)};
    curve.mean.resize(curve.axis.size());
    if (missing) curve.missing = MissingPoint{.mean = 1, .count = 3};
    Result result;
    result.method = "partial-dependence";
    result.results = {curve};
    const Value guide = at(vega_spec(result), {"encoding", "x", "axis"});
    const Value* values = guide.find("values");
    return (values == nullptr ? "" : to_json(*values)) + (guide.find("tickMinStep") != nullptr ? " whole" : "");
  };
  for (const bool missing : {false, true}) {
    EXPECT_EQ(axis({0, 1}, missing), "[0,1] whole");
    EXPECT_EQ(axis({0, 0.25, 0.5, 4}, missing), "[0,0.25,0.5,4]");
  }
  EXPECT_EQ(axis({0, 1, 2, 3, 4, 5, 6, 7}, false), " whole");
  EXPECT_EQ(axis({-1234, 0.5, 3}, false), "") << "three digits would make it -1230";
  EXPECT_EQ(axis({0.1234, 0.5}, false), "");
  EXPECT_EQ(axis({0.1234, 0.5}, true), "[0.2,0.3,0.4,0.5]");  // not where missing values are drawn
}

TEST(Vega, CentredRowsSayWhatTheyAreAndWhereTheyMeet) {
  Curves curves;
  curves.axis = {.feature = "temp", .unit = "°C", .numbers = {2.5, 10}};
  curves.rows = {0};
  curves.values = {{0, -1}};
  curves.mean = {0, 4};
  Result result;
  result.method = "ice";
  result.results = {curves};
  EXPECT_EQ(to_json(at(vega_spec(result), {"layer", "0", "encoding", "color", "scale", "domain"})),
            R"(["single rows","mean of all rows"])");
  EXPECT_THAT(at(vega_spec(result), {"title", "subtitle"}).as_string(),
              ::testing::Not(::testing::HasSubstr("centred")));
  curves.anchor = 2.5;
  result.results = {curves};
  EXPECT_THAT(at(vega_spec(result), {"title", "subtitle"}).as_string(), ::testing::HasSubstr(" · centred at 2.5 °C"));
}

TEST(Vega, BandsOfManyLinesHaveTheirEdgesOnTop) {
  Curves curves;
  curves.axis = {"a", "", {0, 1}, {}, false};
  curves.rows = {0};
  curves.values = {{1, -1}};
  curves.mean = {0, 0};
  curves.band_levels = {0.05, 0.95};
  curves.bands = {{-2, -3}, {2, 3}};
  Result result;
  result.results.push_back(curves);
  const Value spec = vega_spec(result);
  const auto& layers = at(spec, {"layer"}).as_array();
  ASSERT_EQ(layers.size(), 4u);  // band, lines, edges, mean
  EXPECT_EQ(to_json(at(layers[2], {"data", "values", "3"})), R"({"x":1,"y":3,"group":"high"})");
}

TEST(Vega, RankingsStandSideBySideInOneOrder) {
  const Value spec = vega_spec(golden("ranking.json"));
  const auto& panels = at(spec, {"hconcat"}).as_array();
  ASSERT_EQ(panels.size(), 4u);
  for (const auto& panel : panels) {
    EXPECT_EQ(at(panel, {"encoding", "y", "scale", "domain"}), at(panels[0], {"encoding", "y", "scale", "domain"}));
  }
  EXPECT_EQ(to_json(at(panels[1], {"encoding", "x", "title"})), R"(["sd of partial","dependence"])");
  EXPECT_THAT(marks(panels[0]), ::testing::ElementsAre("bar", "rule", "rule", "text"));
}

TEST(Vega, AtMostThirtyBars) {
  const Value spec = vega_spec(golden("ranking_many.json"));
  const Value& panel = at(spec, {"hconcat", "0"});
  EXPECT_EQ(at(panel, {"data", "values"}).as_array().size(), 30u);
  EXPECT_EQ(at(panel, {"encoding", "y", "scale", "domain"}).as_array().back().as_string(), "… 10 more");
}

TEST(Vega, AllPairsHaveAMatrixBelowTheirBars) {
  const Value spec = vega_spec(golden("interactions.json"));
  const Value& pairs = at(spec, {"vconcat", "1"});
  EXPECT_EQ(at(pairs, {"vconcat", "0", "data", "values"}).as_array().size(), 15u);
  EXPECT_EQ(at(pairs, {"vconcat", "1", "data", "values"}).as_array().size(), 30u);
  EXPECT_EQ(at(spec, {"vconcat", "2", "data", "values"}).as_array().size(), 6u);  // totals
  EXPECT_EQ(at(spec, {"vconcat", "0", "mark", "type"}).as_string(), "text");      // figures
}

TEST(Vega, RowsGoFromBaseToPrediction) {
  Attributions item;
  item.features = {{"temp", "°C", {}, {}, false}, {"weather", "", {}, {"clear", "rain"}, false}};
  item.base = 10;
  item.rows = {17};
  item.prediction = {8};
  item.values = {1, -3};
  item.data = {21.5, 1};
  Result result;
  result.data = Value::object({{"target", "rentals"}});
  result.results = {item};
  const Value spec = vega_spec(result);
  EXPECT_EQ(to_json(at(spec, {"encoding", "y", "scale", "domain"})), R"(["weather = rain","temp = 21.5 °C"])");
  EXPECT_EQ(at(spec, {"encoding", "x", "title"}).as_string(), "prediction of rentals");
  EXPECT_EQ(to_json(at(spec, {"data", "values"})),
            R"([{"y":"weather = rain","x":10,"to":7,"right":10,"adds":-3,"group":"lowers","label":"-3"},)"
            R"({"y":"temp = 21.5 °C","x":7,"to":8,"right":8,"adds":1,"group":"raises","label":"+1"}])");
}

TEST(Vega, ManyRowsAreSwarmsAndScatters) {
  const Value spec = vega_spec(golden("attributions.json"));
  const auto& charts = at(spec, {"vconcat"}).as_array();
  ASSERT_EQ(charts.size(), 5u);  // ranking, all rows, three features
  EXPECT_EQ(at(charts[1], {"title", "text"}).as_string(), "What features add, row by row");
  EXPECT_EQ(to_json(at(charts[1], {"layer", "1", "encoding", "y", "scale", "domain"})),
            R"(["hour","weather","temp","workingday","windspeed"])");
  EXPECT_EQ(at(charts[2], {"title", "text"}).as_string(), "hour (h) · what it adds");
  EXPECT_EQ(at(charts[2], {"layer", "1", "data", "values", "0", "y"}).as_array().size(), 200u);
}

TEST(Vega, EveryGoldenResultIsWritten) {
  for (const auto& entry : std::filesystem::directory_iterator(SIGHTGLASS_SOURCE_DIR "/tests/golden/results")) {
    const std::string text = render_vega(golden(entry.path().filename().string()));
    EXPECT_NO_THROW((void)value_from_json(text, "spec"));
  }
}

TEST(Labels, StayDifferentAfterCutting) {
  EXPECT_THAT(unique_labels({"a\x01", "a\x02", "", "missing", "missing"}),
              ::testing::ElementsAre("a\xEF\xBF\xBD", "a\xEF\xBF\xBD (2)", "(empty)", "missing", "missing (2)"));
}

TEST(Describe, SaysWhereTheCurveGoes) {
  Result result;
  Curve curve = temperature();
  curve.mean = {1, 5, 2};
  result.results.push_back(curve);
  EXPECT_EQ(describe(result, group_items(result)[0]),
            "Mean prediction against temp (°C). The mean starts at 1 at 0, peaks at 5 at 10, ends at 2 at 20; it is 7 "
            "where the feature is missing.");
}

TEST(DataTable, HasARowPerPointAndOneForMissing) {
  Result result;
  result.results.push_back(temperature());
  const DataTable table = data_table(group_items(result)[0]);
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_THAT(table.rows[1], ::testing::ElementsAre("10", "2", "0.00"));
  EXPECT_THAT(table.rows[2], ::testing::ElementsAre("20", "–", "0.98"));
  EXPECT_THAT(table.rows[3], ::testing::ElementsAre("missing", "7", "0.00"));
  EXPECT_EQ(data_table(group_items(result)[0], 3).left_out, 1u);
}

// The mean of an effect over a cell whose two ends are all there is would be 0.
TEST(Vega, TwoValuesOfANumberAreLevels) {
  Surface surface;
  surface.first = {.feature = "floor", .numbers = {0, 1, 5}};
  surface.second = {.feature = "lift", .numbers = {0, 1}};
  surface.measure = Measure::effect;
  surface.mean = {{-5, 5}, {0, 0}, {52, -52}};
  surface.count = {{10}, {20}};
  Result result;
  result.results = {surface};
  EXPECT_THAT(render_vega(result), ::testing::HasSubstr("52"));
  surface.first.numbers = {0, 1};
  surface.mean = {{-5, 5}, {52, -52}};
  surface.count = {{10}};
  result.results = {surface};
  EXPECT_THAT(render_vega(result), ::testing::HasSubstr("52"));
}

}  // namespace
}  // namespace sightglass
