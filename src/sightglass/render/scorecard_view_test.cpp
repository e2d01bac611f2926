#include "sightglass/render/scorecard_view.h"

#include <gtest/gtest.h>

#include "sightglass/render/csv/csv_renderer.h"
#include "sightglass/render/text/text_renderer.h"
#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/json.h"

namespace sightglass {
namespace {

Result card() {
  Scorecard scorecard{.name = "Scorecard of the surrogates", .output = "", .group = ""};
  const auto add = [&](const char* subject, const char* title, const char* quality, double value, const char* note) {
    scorecard.scores.push_back({.subject = subject, .title = title, .quality = quality, .value = value, .note = note});
  };
  add("tree", "Decision tree", "fidelity-near", 0.681, "");
  add("linear", "Sparse linear model", "fidelity-near", 0.422, "");
  add("tree", "Decision tree", "fidelity-worst", 0.232, "hour > 16.5");
  add("tree", "Decision tree", "stability", 0.86, "");
  add("tree", "Decision tree", "own-quality", 7, "");
  Result result;
  result.method = "surrogate";
  result.results = {scorecard};
  return result;
}

TEST(ScorecardView, ALinePerQualityAndAColumnPerExplanation) {
  const std::string text = render_text(card(), {});
  for (const char* part : {"fidelity on the data", "0.681", "0.422", "Decision tree", "Sparse linear model", "86 %",
                           "own-quality", "hour > 16.5"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(ScorecardView, WordsHaveLinesOfTheirOwn) {
  Scorecard trees{.name = "Other trees", .output = "", .group = ""};
  trees.scores.push_back({.subject = "tree", .title = "the tree shown", .quality = "size", .value = 8});
  trees.scores.push_back(
      {.subject = "tree", .title = "the tree shown", .quality = "features", .value = 2, .note = "hour, temp"});
  Result result;
  result.results = {trees};
  EXPECT_NE(render_text(result, {}).find("- the tree shown: size 8; features hour, temp"), std::string::npos);
}

TEST(ScorecardView, EveryScoreIsARowAndComesBackFromJson) {
  const std::string csv = render_csv(card());
  EXPECT_NE(csv.find("linear,fidelity-near,"), std::string::npos) << csv;
  EXPECT_EQ(to_json(result_from_json(to_json(card()), "test")), to_json(card()));
}

TEST(ScorecardView, APictureOfNothingSaysSo) {
  Result empty;
  empty.results = {Scorecard{}};
  EXPECT_NE(render_vega(empty).find("nothing was measured"), std::string::npos);
}

}  // namespace
}  // namespace sightglass
