#include <gtest/gtest.h>

#include "sightglass/result/json.h"
#include "sightglass/result/legacy_internal.h"

namespace sightglass {
namespace {

// A result as the first version of the schema had it, without what it means.
Result old_file(const std::string& method, const std::string& items) {
  return result_from_json(R"({"schema": "sightglass.result/1", "method": ")" + method +
                              R"(", "version": "0.1.0", "model": {}, "data": {}, "options": {}, "results": [)" + items +
                              R"(], "caveats": [{"id": "some-curves", "severity": "note", "message": "3 of 9 curves",
                              "evidence": {}, "advice": "set curves to 0 to keep every curve"}]})",
                          "old.json");
}

std::string curve(const std::string& series, const std::string& measure = "mean") {
  return R"({"type": "curve", "feature": "a", "kind": "numeric", "output": "y", "series": ")" + series +
         R"(", "measure": ")" + measure + R"(", "grid": [0, 1], "mean": [1, 2], "count": [3, 4]})";
}

TEST(OldFiles, SayWhatTheirMethodIs) {
  const Result result = old_file("m-plot", curve(""));
  EXPECT_EQ(result.about.title, "M-plot");
  EXPECT_EQ(result.about.family, Family::effects);
  EXPECT_EQ(result.results[0].get<Curve>().estimand, Estimand::conditional_mean);
  // Without references advice is shown as it stands.
  EXPECT_EQ(result.caveats[0].advice.plain(), "set curves to 0 to keep every curve");
  EXPECT_TRUE(result.caveats[0].advice.references().empty());
  EXPECT_TRUE(old_file("of-tomorrow", curve("")).about.title.empty());
}

TEST(OldFiles, SayWhatTheirCurvesAndFiguresAre) {
  const Result compared =
      old_file("compare", curve("partial dependence") + "," + curve("M-plot") + "," + curve("ALE + mean prediction"));
  EXPECT_EQ(compared.results[0].get<Curve>().estimand, Estimand::partial_dependence);
  EXPECT_EQ(compared.results[1].get<Curve>().estimand, Estimand::conditional_mean);
  EXPECT_EQ(compared.results[2].get<Curve>().estimand, Estimand::accumulated_local_effect);
  const Result noise = old_file("permutation-importance", curve("absolute error", "loss"));
  EXPECT_EQ(noise.results[0].get<Curve>().loss, LossKind::absolute);
  const Result figures = old_file("regional-effects", R"({"type": "figure", "name": "a: share explained", "value": 0.5},
                                  {"type": "figure", "name": "skill by rmse", "value": 0.5},
                                  {"type": "figure", "name": "auc", "value": 0.5})");
  EXPECT_EQ(figures.results[0].get<Figure>().id, FigureId::heterogeneity_explained);
  EXPECT_EQ(figures.results[0].get<Figure>().feature, "a");
  EXPECT_EQ(figures.results[1].get<Figure>().id, FigureId::skill);
  EXPECT_EQ(figures.results[1].get<Figure>().loss, LossKind::rmse);
  EXPECT_EQ(figures.results[2].get<Figure>().id, FigureId::loss);
}

TEST(NewFiles, KeepWhatTheyMean) {
  Result result = old_file("ale", curve(""));
  result.caveats[0].advice = marked("set {option:curves} to 0 to keep {{every} curve");
  result.results.emplace_back(
      Importance{.feature = "a",
                 .measure = {.kind = MeasureKind::reliance, .loss = LossKind::brier, .change = LossChange::ratio}});
  const Result again = result_from_json(to_json(result), "again.json");
  EXPECT_EQ(again.caveats[0].advice, result.caveats[0].advice);
  EXPECT_EQ(again.caveats[0].advice.plain(), "set curves to 0 to keep {every} curve");
  EXPECT_EQ(again.results[1].get<Importance>().measure, result.results[1].get<Importance>().measure);
  EXPECT_EQ(again.about, result.about);
  EXPECT_EQ(to_json(again), to_json(result));
}

}  // namespace
}  // namespace sightglass
