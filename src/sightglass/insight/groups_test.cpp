#include "sightglass/insight/groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/insight/groups/curve_lines.h"
#include "sightglass/insight/shading.h"
#include "sightglass/render/data_table.h"
#include "sightglass/render/description.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Curve line(const std::string& feature, const std::string& output, std::vector<double> heights) {
  Curve curve;
  curve.axis.feature = feature;
  for (std::size_t i = 0; i < heights.size(); ++i) curve.axis.numbers.push_back(static_cast<double>(i));
  curve.output = output;
  curve.mean = std::move(heights);
  return curve;
}

Result of(std::vector<Curve> curves) {
  Result result;
  for (auto& curve : curves) result.results.emplace_back(std::move(curve));
  return result;
}

// "feature: line, line" per chart.
std::vector<std::string> charts(const Result& result) {
  std::vector<std::string> found;
  for (const auto& group : group_items(result)) {
    std::string text = group_title(group);
    if (const auto qualifier = group_qualifier(result, group); !qualifier.empty()) text += " · " + qualifier;
    if (const auto* lines = group.as<CurveLines>()) {
      text += ":";
      for (const auto& label : line_labels(*lines)) text += " " + label;
    }
    found.push_back(text);
  }
  return found;
}

// A shape that nothing here knows by name: which of its items share a picture, and along what, it says itself.
struct Leaflet {
  static constexpr std::string_view type = "leaflet";
  std::string output, group, series;
  Axis axis;
};
void describe_fields(Leaflet&, Fields&) {}
void tidy_rows(const Leaflet&, TidyRows&) {}
std::optional<std::string> item_picture_key(const Leaflet& leaflet) {
  return leaflet.series.empty() ? std::nullopt : std::optional(leaflet.series);
}
std::vector<const Axis*> item_axes(const Leaflet& leaflet) {
  if (leaflet.axis.feature.empty()) return {};
  return {&leaflet.axis};
}

TEST(Groups, AShapeSaysItselfWhichItemsShareAPicture) {
  const auto leaflet = [](std::string output, std::string series, std::string feature = "") {
    return Leaflet{.output = std::move(output),
                   .group = "k = 1",
                   .series = std::move(series),
                   .axis = {.feature = std::move(feature), .unit = "", .numbers = {1, 2}, .levels = {}}};
  };
  Result result;
  for (const auto& item : {leaflet("yes", "a"), leaflet("yes", ""), leaflet("no", "a"), leaflet("no", "b", "temp")})
    result.results.emplace_back(item);
  result.results.emplace_back(
      Figure{.name = "a number", .output = {}, .group = {}, .value = 1, .se = {}, .meaning = {}});
  const auto groups = group_items(result);
  EXPECT_THAT(charts(result),
              ElementsAre("Key figures", "Leaflet · k = 1", "Leaflet · yes · k = 1", "temp · no · k = 1"));
  const auto& shared = groups[1].as<PlainItems>()->items;
  EXPECT_THAT(shared, ElementsAre(&result.results[0], &result.results[2]));
  EXPECT_EQ(groups[3].item<Leaflet>()->output, "no");
  EXPECT_EQ(groups[3].item<Curve>(), nullptr);
  EXPECT_THROW((void)line_labels(groups[3]), std::bad_cast);
}

TEST(Groups, ClassesTimesGroupsOfRowsAreAChartPerClass) {
  std::vector<Curve> curves;
  for (const char* rows : {"k = 1", "k = 2"}) {
    for (const char* output : {"yes", "no"}) {
      curves.push_back(line("a", output, {1, 2}));
      curves.back().group = rows;
    }
  }
  curves.push_back(line("a", "yes", {0, 1}));
  EXPECT_THAT(charts(of(curves)), ElementsAre("a · yes: k = 1 k = 2 all rows", "a · no: k = 1 k = 2"));
}

TEST(Groups, SeriesShareAChartPerOutputAndGroupOfRows) {
  std::vector<Curve> curves;
  for (const char* series : {"PDP", "ALE"}) {
    for (const char* rows : {"", "k = 1"}) {
      curves.push_back(line("a", "y", {1, 2}));
      curves.back().series = series;
      curves.back().group = rows;
    }
  }
  EXPECT_THAT(charts(of(curves)), ElementsAre("a: PDP ALE", "a · k = 1: PDP ALE"));
}

TEST(Groups, LossesOfDifferentKindsDoNotShareAnAxis) {
  std::vector<Curve> curves{line("a", "y", {1, 2}), line("a", "y", {0.5, 0.4})};
  curves[0].series = "rmse";
  curves[1].series = "R2";
  for (auto& curve : curves) curve.measure = Measure::loss;
  const Result result = of(curves);
  const auto groups = group_items(result);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(height_title(result, groups[1], "y"), "loss (R2)");
}

TEST(Groups, AtMostEightLines) {
  std::vector<Curve> curves;
  for (int i = 0; i < 11; ++i) {
    curves.push_back(line("a", "y", {1, 2}));
    curves.back().group = "k = " + std::to_string(i);
  }
  const Result result = of(curves);
  const auto groups = group_items(result);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].as<CurveLines>()->curve.size(), 8u);
  EXPECT_EQ(groups[1].as<CurveLines>()->curve.size(), 3u);
}

TEST(Groups, EffectsBesidePredictionsShareTheirAxis) {
  std::vector<Curve> curves{line("a", "y", {10, 20}), line("a", "y", {-1, 1})};
  curves[0].series = "PDP";
  curves[0].count = {1, 3};
  curves[1].series = "ALE";
  curves[1].measure = Measure::effect;
  const Result result = of(curves);
  const LineHeights heights = line_heights(group_items(result)[0]);
  EXPECT_TRUE(heights.shifted);
  EXPECT_EQ(heights.measure, Measure::effect);
  EXPECT_THAT(heights.offset, ElementsAre(17.5, 0));
  // The table has both the numbers and what is drawn.
  const DataTable table = data_table(group_items(result)[0]);
  EXPECT_THAT(table.rows[1], ElementsAre("PDP", "1", "20", "2.5", "3"));
  EXPECT_FALSE(line_heights(group_items(of({curves[0]}))[0]).shifted);
}

TEST(Groups, LevelsOfGroupsAreJoined) {
  Curve first, second;
  first.axis = {"k", "", {}, {"a", "b"}, false};
  second.axis = {"k", "", {}, {"c", "b", "b"}, false};
  first.mean = {1, 2};
  second.mean = {3, 4, 5};
  const Result result = of({first, second});
  const SharedLevels shared = shared_levels(group_items(result)[0]);
  EXPECT_THAT(shared.levels, ElementsAre("a", "b", "c", "b"));
  EXPECT_THAT(shared.place[1], ElementsAre(2, 1, 3));
}

TEST(Groups, NamesOfJavaScriptAreOrdinaryLabels) {
  for (const auto& label : unique_labels({"__proto__", "constructor", "toString"})) {
    EXPECT_TRUE(label.starts_with("\xE2\x81\xA0")) << label;
  }
}

TEST(Shading, SpansReachHalfWayToTheirNeighbours) {
  Curve curve = line("a", "y", {1, 2, 3, 4, 5});
  curve.sparse = {0, 1, 4};
  curve.extrapolated = {4};
  const auto spans = shaded_spans(curve);
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_EQ(spans[0].range.low, 0);
  EXPECT_EQ(spans[0].range.high, 1.5);
  EXPECT_EQ(spans[1].range.low, 3.5);
  EXPECT_EQ(spans[1].range.high, 4);
  EXPECT_TRUE(spans[2].extrapolated);
  EXPECT_EQ(data_table(group_items(of({curve}))[0]).rows[4].back(), "few rows, unusual combinations");
}

TEST(Shading, EffectsHaveNoRowsWhereNothingAroundWasCounted) {
  Surface surface;
  surface.first = {"a", "", {}, {"x", "y", "z"}, false};
  surface.second = {"b", "", {}, {"p", "q"}, false};
  surface.measure = Measure::effect;
  surface.count = {{3}, {0}};
  EXPECT_FALSE(no_rows_at(surface, 0, 0));
  EXPECT_FALSE(no_rows_at(surface, 1, 1));
  EXPECT_TRUE(no_rows_at(surface, 2, 0));
}

Surface effects(std::vector<double> first, std::vector<std::vector<double>> count) {
  Surface surface;
  surface.first = {"a", "", std::move(first), {}, false};
  surface.second = {"b", "", {}, {}, false};
  for (std::size_t j = 0; j <= count[0].size(); ++j) surface.second.numbers.push_back(static_cast<double>(j));
  surface.measure = Measure::effect;
  surface.mean.assign(surface.first.size(), std::vector<double>(surface.second.size(), 1));
  surface.count = std::move(count);
  return surface;
}

TEST(Shading, CellsWithFewRowsOrFewForTheirSizeAreThin) {
  // The last step covers 90 of 100 units: 100 rows in it are 100 · 5/90 · 5 %/50 % = 0.6 in a window.
  const Surface surface = effects({0, 5, 10, 100}, {{50, 4}, {0, 50}, {100, 300}});
  const ThinCells thin(surface);
  EXPECT_TRUE(thin.any());
  EXPECT_FALSE(thin.between(0, 0));
  EXPECT_TRUE(thin.between(0, 1));
  EXPECT_FALSE(thin.between(1, 0));  // no rows at all is another matter
  EXPECT_TRUE(thin.between(2, 0));
  EXPECT_FALSE(thin.between(2, 1));
  // A grid point is thin if all around it is.
  EXPECT_FALSE(thin.at(0, 1));
  EXPECT_TRUE(thin.at(0, 2));
  EXPECT_TRUE(thin.at(3, 0));
}

TEST(Shading, WhereNoCellHasEnoughRowsNoneIsCalledThin) {
  const Surface surface = effects({0, 1, 2}, {{0.1, 0.2}, {0.1, 0}});  // weights that sum to less than 1
  EXPECT_FALSE(ThinCells(surface).any());
  EXPECT_FALSE(ThinCells(surface).between(0, 0));
  EXPECT_FALSE(ThinCells(surface).at(0, 0));
  Surface predictions = effects({0, 1, 2}, {{50, 1}, {1, 1}});
  predictions.measure = Measure::mean;
  EXPECT_FALSE(ThinCells(predictions).any());
}

// As the map has it: the mean over a cell's corners.
TEST(Shading, WordsOnEffectsOfTwoAreAboutTheCellsThatAreDrawn) {
  Surface surface = effects({0, 5, 10}, {{50, 40}, {0, 50}});
  surface.mean = {{0, 8, 0}, {0, 0, 0}, {-4, 0, 0}};
  EXPECT_EQ(drawn_heights(surface), (std::vector<std::vector<double>>{{2, 2}, {-1, 0}}));
  Result result;
  result.results = {surface};
  EXPECT_THAT(describe(result, group_items(result)[0]),
              HasSubstr("Highest 2 at 0 to 5 and 0 to 1, lowest -1 at 5 to 10 and 0 to 1 (no rows)."));
  surface.measure = Measure::mean;
  EXPECT_EQ(drawn_heights(surface), surface.mean);
}

TEST(Groups, FiguresComeFirst) {
  Result result = of({line("a", "y", {1, 2}), line("b", "y", {1, 2})});
  Figure figure;
  figure.name = "skill";
  result.results.emplace_back(figure);
  EXPECT_THAT(charts(result), ElementsAre("Key figures", "a: y", "b: y"));
}

TEST(Describe, ScoresAreNotCalledLosses) {
  Curve curve = line("a", "y", {0.9, 0.7, 0.5});
  curve.measure = Measure::loss;
  curve.series = "auc";
  curve.loss = LossKind::auc;
  const Result result = of({curve});
  const ItemGroup group = group_items(result)[0];
  EXPECT_EQ(describe(result, group), "Auc against a. The auc starts at 0.9 at 0, ends at 0.5 at 2.");
  EXPECT_THAT(how_to_read(result, group), HasSubstr("The model's auc (higher is better) when"));
  EXPECT_EQ(data_table(group).columns[1].title, "auc");
  curve.series = "rmse";
  curve.loss = LossKind::rmse;
  const Result losses = of({curve});
  EXPECT_THAT(describe(losses, group_items(losses)[0]), HasSubstr("Loss (rmse) against a. The loss starts"));
}

TEST(Describe, OfManyLinesOnlyThoseThatMoveMost) {
  std::vector<Curve> curves;
  for (int i = 0; i < 5; ++i) {
    curves.push_back(line("a", "class " + std::to_string(i), {0.1, 0.1 + 0.15 * i}));
    curves.back().shape = i < 2 ? CurveShape::constant : CurveShape::linear;
    curves.back().heterogeneity = 0.1 * i;
  }
  const Result result = of(curves);
  const auto group = group_items(result)[0];
  EXPECT_EQ(describe(result, group),
            "Mean prediction against a, one line per output. class 4 rises from 0.1 to 0.7; class 3 rises from 0.10 to "
            "0.55; class 2 rises from 0.1 to 0.4. 2 more move less.");
  EXPECT_THAT(badges(group), ElementsAre("class 4: linear", "class 3: linear", "class 2: linear",
                                         "differs from row to row (up to 40 %)"));
}

TEST(Describe, EffectsLossesAndSlopes) {
  Result result;
  result.data = Value::object({{"target", "rentals"}, {"target_unit", "bikes"}});
  Curve curve = line("temp", "prediction", {-3, 4, 2});
  curve.axis.unit = "°C";
  curve.measure = Measure::effect;
  curve.sparse = {2};
  Curves slopes;
  slopes.axis = curve.axis;
  slopes.output = "prediction";
  slopes.derivative = true;
  slopes.mean = {1, 2, 3};
  slopes.sd = {0, 5, 1};
  result.results = {curve, slopes};
  const auto groups = group_items(result);
  EXPECT_EQ(
      describe(result, groups[0]),
      "Effect on the prediction of rentals (bikes) against temp (°C). The effect starts at -3 at 0, peaks at 4 at "
      "1, ends at 2 at 2. Few rows of the data: above 1.5.");
  EXPECT_THAT(describe(result, groups[1]), HasSubstr("Slope of the prediction of rentals (bikes per °C)"));
  EXPECT_THAT(describe(result, groups[1]), HasSubstr("The lines differ most at 1 (sd 5)."));
  EXPECT_EQ(group_qualifier(result, groups[1]), "slopes");
}

}  // namespace
}  // namespace sightglass
