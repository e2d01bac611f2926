// Diagrams and confusion matrices in JSON, text, charts and pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/render/confusion_view.h"
#include "sightglass/render/csv/csv_renderer.h"
#include "sightglass/render/diagram_view.h"
#include "sightglass/render/text/text_renderer.h"
#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/json.h"
#include "support/result_items.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Diagram roc_of(const std::string& group) {
  return {.name = "ROC curve",
          .kind = DiagramKind::roc,
          .output = "male",
          .group = group,
          .x = {.name = "false positive rate", .share = true},
          .y = {.name = "true positive rate", .share = true},
          .series = {{.name = "guessing", .mark = SeriesMark::reference, .x = {0, 1}, .y = {0, 1}},
                     {.name = "model",
                      .mark = SeriesMark::line,
                      .x = {0, 0, 0.5, 1},
                      .y = {0, 0.5, 1, 1},
                      .threshold = {INFINITY, 0.9, 0.6, 0.1}},
                     {.name = "threshold 0.5", .mark = SeriesMark::ring, .x = {0.5}, .y = {1}}},
          .figures = {{.name = "AUC", .value = 0.875, .low = 0.8, .high = 0.95}},
          .meaning = "the higher, the better"};
}

Diagram residuals_of(std::size_t levels) {
  Diagram diagram{.name = "Residuals by <b>city</b>", .kind = DiagramKind::residuals};
  diagram.x = {.name = "city"};
  diagram.y = {.name = "residual", .unit = "€"};
  DiagramSeries means{.name = "mean", .mark = SeriesMark::means};
  for (std::size_t i = 0; i < levels; ++i) {
    diagram.x.levels.push_back("city " + std::to_string(i));
    means.x.push_back(static_cast<double>(i));
    means.y.push_back(static_cast<double>(i) - 2);
    means.low.push_back(static_cast<double>(i) - 3);
    means.high.push_back(static_cast<double>(i) - 1);
    means.count.push_back(static_cast<double>(1000 - i));
  }
  diagram.series = {means};
  return diagram;
}

Confusion confusion_of(std::size_t classes) {
  Confusion confusion{.output = "", .group = ""};
  confusion.count.assign(classes, std::vector<double>(classes, 1));
  for (std::size_t k = 0; k < classes; ++k) {
    confusion.classes.push_back("class " + std::to_string(k));
    confusion.count[k][k] = 10 + static_cast<double>(k);
  }
  return confusion;
}

TEST(DiagramView, ComesBackFromJson) {
  Result result = testing::result_of("roc", {roc_of("island = Dream"), residuals_of(3)});
  const Result read = result_from_json(to_json(result), "roc.json");
  EXPECT_EQ(to_json(read), to_json(result));
  const auto& back = read.results.at(0).get<Diagram>();
  EXPECT_EQ(back.series.at(1).threshold.at(0), INFINITY);
  EXPECT_EQ(back.kind, DiagramKind::roc);
  EXPECT_EQ(back.figures.at(0).high, 0.95);
  std::string cut = to_json(result);
  cut.replace(cut.find("[0,0.5,1,1]"), 11, "[0,0.5,1]");
  EXPECT_THROW((void)result_from_json(cut, "roc.json"), Error);
}

TEST(DiagramView, GroupsShareAPicture) {
  const Result two = testing::result_of("roc", {roc_of("island = Dream"), roc_of("island = Biscoe")});
  EXPECT_EQ(group_items(two).size(), 1U);
  const std::string chart = render_vega(two);
  EXPECT_THAT(chart, HasSubstr("island = Dream"));
  EXPECT_THAT(chart, HasSubstr("island = Biscoe"));
  EXPECT_THAT(chart, Not(HasSubstr("threshold 0.5"))) << "rings of groups would lie upon one another";
  const std::string text = render_text(two);
  EXPECT_THAT(text, HasSubstr("AUC 0.875 (0.8 to 0.95)"));
  // Several series of one group are told apart by their names, so that groups have pictures of their own.
  Diagram rates = roc_of("island = Dream");
  rates.series.push_back(rates.series[1]);
  Diagram others = rates;
  others.group = "island = Biscoe";
  EXPECT_EQ(group_items(testing::result_of("threshold", {rates, others})).size(), 2U);
}

TEST(DiagramView, PointsOnAStraightLineAreNotDrawn) {
  Diagram diagram = roc_of("");
  diagram.series[1] = {.name = "model", .mark = SeriesMark::line, .x = {0, 0.25, 0.5, 1}, .y = {0, 0.5, 1, 1}};
  const std::string chart = render_vega(testing::result_of("roc", {diagram}));
  EXPECT_THAT(chart, HasSubstr("\"x\":[0,0.5,1]"));
  EXPECT_THAT(chart, HasSubstr("threshold 0.5"));
  EXPECT_THAT(chart, Not(HasSubstr("Infinity")));
}

TEST(DiagramView, LevelsAreListedAndManyAreCut) {
  const std::string few = render_vega(testing::result_of("residuals", {residuals_of(3)}));
  EXPECT_THAT(few, HasSubstr("city 2"));
  const Result many = testing::result_of("residuals", {residuals_of(500)});
  const std::string chart = render_vega(many);
  EXPECT_THAT(chart, HasSubstr("city 29"));
  EXPECT_THAT(chart, Not(HasSubstr("city 30\"")));
  EXPECT_THAT(render_text(many), HasSubstr("30 of 500"));
  EXPECT_THAT(render_csv(many), HasSubstr("city 499"));
}

TEST(DiagramView, DatesAreTold) {
  Diagram diagram{.name = "Residuals by sold_on", .kind = DiagramKind::residuals};
  diagram.x = {.name = "sold_on", .dates = {.unit = DateUnit::days, .detail = DateDetail::day}};
  diagram.y = {.name = "residual"};
  diagram.series = {{.name = "mean", .mark = SeriesMark::means, .x = {18000, 18400}, .y = {1, 2}}};
  const Result result = testing::result_of("residuals", {diagram});
  EXPECT_THAT(render_csv(result), HasSubstr("2019-04-14"));
  EXPECT_THAT(render_text(result), HasSubstr("2019-04-14"));
  EXPECT_THAT(render_vega(result), HasSubstr("utcFormat"));
}

TEST(DiagramView, NothingToDrawIsSaid) {
  Diagram empty = roc_of("");
  empty.series.clear();
  const Result result = testing::result_of("roc", {empty});
  EXPECT_THAT(render_vega(result), HasSubstr("nothing was measured"));
  EXPECT_THAT(render_text(result), HasSubstr("nothing was measured"));
}

TEST(ConfusionView, TellsCountsAndShares) {
  const Result result = testing::result_of("confusion-matrix", {confusion_of(3)});
  const Result read = result_from_json(to_json(result), "confusion.json");
  EXPECT_EQ(to_json(read), to_json(result));
  const std::string text = render_text(result);
  EXPECT_THAT(text, HasSubstr("accuracy 85 %"));
  EXPECT_THAT(text, HasSubstr("recall"));
  EXPECT_THAT(render_csv(result), HasSubstr("confusion,12,class 2,class 2"));
  const std::string chart = render_vega(result);
  EXPECT_THAT(chart, HasSubstr("true class"));
  EXPECT_THAT(chart, Not(HasSubstr("NaN")));
}

TEST(ConfusionView, RareClassesOfManyShareAPlace) {
  const Result result = testing::result_of("confusion-matrix", {confusion_of(100)});
  const std::string chart = render_vega(result);
  EXPECT_THAT(chart, HasSubstr("71 others"));
  EXPECT_THAT(chart, HasSubstr("class 99"));
  EXPECT_THAT(chart, Not(HasSubstr("\"class 5\"")));
  Confusion nearly = confusion_of(2);
  nearly.count = {{999, 1}, {0, 1000}};
  EXPECT_THAT(render_text(testing::result_of("confusion-matrix", {nearly})), HasSubstr("accuracy 99.95 %"));
  Confusion none = confusion_of(2);
  for (auto& row : none.count) std::fill(row.begin(), row.end(), 0);
  EXPECT_THAT(render_text(testing::result_of("confusion-matrix", {none})), HasSubstr("accuracy none"));
}

}  // namespace
}  // namespace sightglass
