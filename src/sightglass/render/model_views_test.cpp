// How trees, rules, terms, fidelity, frontiers and penalty paths are shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/render/csv/csv_renderer.h"
#include "sightglass/render/html/page_charts.h"
#include "sightglass/render/html/payload_internal.h"
#include "sightglass/render/shape_view.h"
#include "sightglass/render/text/text_renderer.h"
#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/json.h"
#include "sightglass/result/shapes/all_shapes.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;

const std::string hostile = "<b>\"q\" & \xD7\xA9\xD7\x9C {x} constructor";

ShownCondition winter() { return {.feature = "season", .categorical = true, .levels = {"winter"}}; }

// A full tree of so many levels.
ShownTree tree_of(std::size_t depth, const std::string& feature = "temp") {
  ShownTree tree;
  tree.nodes.resize((std::size_t{2} << depth) - 1);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    tree.nodes[i].value = static_cast<double>(i);
    tree.nodes[i].count = 1000.0 / static_cast<double>(i + 1);
    if (2 * i + 2 >= tree.nodes.size()) continue;
    tree.nodes[i].split = ShownCondition{.feature = feature, .above = static_cast<double>(i)};
    tree.nodes[i].children = {2 * i + 1, 2 * i + 2};
  }
  return tree;
}

Rules some_rules() {
  Rules rules;
  rules.unit = "bikes/hour";
  rules.intercept = 100;
  rules.rules.push_back({.conditions = {{.feature = "temp", .above = 13},
                                        {.feature = "workingday", .categorical = true, .levels = {"yes"}}},
                         .effect = 82,
                         .support = 0.31});
  rules.rules.push_back({.conditions = {winter()}, .effect = -20, .support = 0.25, .stability = 0.5});
  return rules;
}

Terms some_terms() {
  Terms terms;
  terms.intercept = -31;
  terms.terms.push_back({.features = {"hour"}, .coefficient = 0.5, .standardized = 3, .se = 0.1});
  terms.terms.push_back(
      {.features = {"season"}, .conditions = {winter()}, .coefficient = -48, .standardized = -20, .se = 4});
  return terms;
}

Fidelity some_fidelity() {
  Fidelity fidelity;
  fidelity.surrogate = "tree";
  fidelity.title = "Decision tree";
  fidelity.size = 8;
  fidelity.size_unit = "leaves";
  fidelity.parts = {
      {.rows = FidelityRows::region, .conditions = {winter()}, .count = 20, .fidelity = 0.6},
      {.rows = FidelityRows::region, .conditions = {{.feature = "temp", .above = 28}}, .count = 10, .fidelity = -3},
      {.rows = FidelityRows::fitted, .count = 200, .fidelity = 0.7},
      {.rows = FidelityRows::held_out, .count = 100, .fidelity = 0.66, .se = 0.01}};
  return fidelity;
}

Frontier some_frontier() {
  Frontier frontier;
  frontier.points = {
      {.learner = "tree", .title = "Decision tree", .size = 8, .value = 0.7, .best = true, .chosen = true},
      {.learner = "tree", .title = "Decision tree", .size = 2, .value = 0.3, .se = 0.05, .best = true},
      {.learner = "linear", .title = "Linear model", .size = 0, .value = -7}};
  return frontier;
}

PenaltyPath some_path() {
  PenaltyPath path;
  path.penalties = {10, 1, 0};
  path.nonzero = {0, 1, 2};
  for (int i = 0; i < 12; ++i) path.terms.push_back({"term " + std::to_string(i), {0, 1.0 * i, 2.0 * i}});
  path.loss = "mean squared error";
  path.cv_mean = {9, 4, 5};
  path.cv_se = {1, 1, 1};
  path.chosen = 1;
  path.one_se = 1;
  path.minimum = 2;
  return path;
}

Result result_with(std::vector<ResultItem> items, OpenWord<Family> family = Family::learners) {
  Result result;
  result.method = "made-up";
  result.about = {.title = "Made up", .short_name = "", .family = family};
  result.model = Value::object({{"task", "regression"}});
  result.data = Value::object({{"target", "rentals"}, {"target_unit", "bikes/hour"}});
  result.results = std::move(items);
  return result;
}

std::string chart(const ResultItem& item) {
  const Result result = result_with({item});
  return to_json(vega_spec(result, group_items(result).at(0)));
}

TEST(ModelViews, ASmallTreeGrowsDownwardsALargeOneToTheRight) {
  const auto shape = [](const Value& spec) {
    return std::pair(spec.find("width")->as_number(), spec.find("height")->as_number());
  };
  const Result small = result_with({tree_of(3)}), large = result_with({tree_of(5)});
  const auto [width, height] = shape(vega_spec(small, group_items(small)[0]));
  EXPECT_GT(width, height);
  // 32 leaves have a line each, and all conditions the same room.
  const Value spec = vega_spec(large, group_items(large)[0]);
  EXPECT_EQ(shape(spec), std::pair(6 * 168.0, 32 * 27.0));
  // On a phone a line per node.
  EXPECT_EQ(spec.find("usermeta")->find("narrow")->find("height")->as_number(), 63 * 26.0);
}

TEST(ModelViews, ATreeOfHostileNamesIsData) {
  Result result = result_with({tree_of(2, hostile)});
  const std::string spec = chart(result.results[0]);
  EXPECT_THAT(spec, HasSubstr("item.mark.group.width"));
  // Names stand in data only, never where an expression is made.
  for (std::size_t at = spec.find("\"expr\""); at != std::string::npos; at = spec.find("\"expr\"", at + 1))
    EXPECT_EQ(spec.substr(at, 120).find("<b>"), std::string::npos);
  EXPECT_THAT(render_text(result, {}), HasSubstr("<b>"));
}

TEST(ModelViews, ATreeInWords) {
  const Result result = result_with({tree_of(2)});
  const std::string text = render_text(result, {});
  EXPECT_THAT(text, HasSubstr("4 leaves · depth 2"));
  EXPECT_THAT(text, HasSubstr("├─ temp > 0"));
  EXPECT_THAT(text, HasSubstr("└─ temp <= 0"));
  EXPECT_THAT(text, HasSubstr("temp <= 0 → 6 (14 % of rows)"));
  EXPECT_THAT(render_text(result, {.unicode = false}), HasSubstr("|- temp > 0"));
  const auto groups = group_items(result);
  EXPECT_THAT(describe(result, groups[0]), HasSubstr("The first question is whether temp > 0"));
  EXPECT_THAT(badges(groups[0]), ::testing::ElementsAre("4 leaves", "1 feature"));
}

TEST(ModelViews, ATreeOfClassesNamesThem) {
  ShownTree tree = tree_of(1);
  tree.classes = {"calm", "busy"};
  for (auto& node : tree.nodes) {
    node.predicted_class = "busy";
    node.shares = {0.2, 0.8};
  }
  EXPECT_THAT(chart(tree), HasSubstr("busy 80 %"));
  EXPECT_THAT(render_text(result_with({tree}), {}), HasSubstr("busy (80 % of them)"));
}

TEST(ModelViews, OddTreesAreDrawn) {
  ShownTree tree = tree_of(0);
  EXPECT_THAT(chart(tree), HasSubstr("1,000 rows"));
  tree = tree_of(1);
  for (auto& node : tree.nodes) node = {.split = node.split, .children = node.children, .count = 0, .value = NAN};
  EXPECT_THAT(chart(tree), HasSubstr("temp"));
  EXPECT_FALSE(render_text(result_with({tree}), {}).empty());
  EXPECT_THAT(chart(tree_of(9)), HasSubstr("leaves"));
}

TEST(ModelViews, TermsAreRankedByTheStandardizedCoefficient) {
  const Result result = result_with({some_terms()});
  const std::string text = render_text(result, {});
  EXPECT_LT(text.find("season = winter"), text.find("\n  hour"));
  EXPECT_THAT(text, HasSubstr("standardized"));
  const std::string spec = chart(some_terms());
  EXPECT_THAT(spec, HasSubstr("change per standard deviation: prediction of rentals (bikes/hour)"));
  EXPECT_THAT(spec, HasSubstr(R"("domain":["season = winter","hour"])"));
  // The interval of the coefficient on the scale of what is drawn: 3 ± 1.96 · 0.1 · 6.
  EXPECT_THAT(spec, HasSubstr(R"("low":1.824,"high":4.176)"));
  EXPECT_THAT(chart(Terms()), HasSubstr("no terms: every prediction is 0"));
}

TEST(ModelViews, RulesAreSentences) {
  const std::string sentence = "temp > 13 & workingday = yes → +82 bikes/hour (31 % of rows)";
  EXPECT_THAT(render_text(result_with({some_rules()}), {}), HasSubstr("1. " + sentence));
  EXPECT_THAT(chart(some_rules()), HasSubstr(sentence));
  EXPECT_THAT(render_text(result_with({some_rules()}), {.unicode = false}), HasSubstr("yes -> +82"));
  EXPECT_THAT(chart(Rules()), HasSubstr("no rules"));
}

TEST(ModelViews, ARuleOfARowIsACard) {
  Rules rules;
  rules.name = "Anchor of row 7";
  rules.row = 7;
  rules.effects_add = false;
  rules.rules.push_back({.conditions = {winter()},
                         .predicted_class = "2",
                         .support = 0.25,
                         .precision = 0.97,
                         .low = 0.93,
                         .high = 0.99,
                         .perturbed_precision = 0.96,
                         .perturbed_low = 0.95,
                         .perturbed_high = 0.97,
                         .base_rate = 0.4,
                         .proof = Proof{.status = ProofStatus::optimal, .among = "rules of one condition"}});
  rules.rules.push_back({.conditions = {winter(), {.feature = "temp", .above = 13}},
                         .predicted_class = "2",
                         .support = 0.1,
                         .certain = true,
                         .minimal = true,
                         .proof = Proof{.status = ProofStatus::optimal, .bound = 2}});
  const std::string text = render_text(result_with({rules}, Family::local), {.width = 200});
  EXPECT_THAT(text, HasSubstr("If season = winter → class 2"));
  EXPECT_THAT(text, HasSubstr("Certain           season = winter & temp > 13: class 2 whatever else, proven for every "
                              "input; no fewer features do that (proven)"));
  EXPECT_THAT(text, HasSubstr("Perturbed rows    right for 96 % (95 % to 97 %)"));
  EXPECT_THAT(text,
              HasSubstr("Rows of the data  holds for 25 % of rows, right for 97 % (93 % to 99 %) of these; of all "
                        "rows it would be for 40 %"));
  EXPECT_THAT(text, HasSubstr("Proven to be the best among rules of one condition."));
  EXPECT_LT(text.find("Certain"), text.find("Perturbed"));
  EXPECT_LT(text.find("Perturbed"), text.find("Rows of the data"));
  const auto with_proof = [&](Proof proof, bool minimal) {
    rules.rules[1].proof = std::move(proof);
    rules.rules[1].minimal = minimal;
    return render_text(result_with({rules}), {.width = 250});
  };
  rules.details = Value::object({{"holds", false}, {"wanted_precision", 0.95}});
  EXPECT_THAT(render_text(result_with({rules}), {.width = 250}),
              HasSubstr("No rule is sure to reach 95 %; the best that was found: if season = winter"));
  rules.details = Value::object({{"holds", true}, {"wanted_precision", 0.95}});
  EXPECT_THAT(render_text(result_with({rules}), {.width = 250}), ::testing::Not(HasSubstr("No rule")));
  // Files of older versions say no bound.
  EXPECT_THAT(with_proof({.status = ProofStatus::optimal}, false), HasSubstr("input; none of these can be left out"));
  EXPECT_THAT(with_proof({.status = ProofStatus::bounded, .bound = 3}, true),
              HasSubstr("input; fewer than 3 features cannot (proven), and none of these can be left out"));
  EXPECT_THAT(with_proof({.status = ProofStatus::bounded, .bound = 3}, false),
              HasSubstr("input; fewer than 3 features cannot (proven); more than that is open"));
  EXPECT_THAT(with_proof({.status = ProofStatus::bounded}, false),
              HasSubstr("input; whether all of these are needed is open"));
  rules.rules[1].conditions.clear();
  EXPECT_THAT(render_text(result_with({rules}), {}), HasSubstr("the model says class 2 for every input"));
  const std::string spec = chart(rules);
  EXPECT_THAT(spec, HasSubstr(R"("low":0.93,"high":0.99)"));
  EXPECT_THAT(spec, HasSubstr("All rows, without a rule"));
  // Of a number: within what it is held.
  rules.rules.resize(1);
  rules.unit = "bikes/hour";
  rules.rules[0].predicted_class.clear();
  rules.rules[0].effect = 26;
  rules.rules[0].tolerance = 13;
  EXPECT_THAT(render_text(result_with({rules}), {}), HasSubstr("If season = winter → 26 ± 13 bikes/hour"));
}

TEST(ModelViews, TheWorstRegionComesFirst) {
  const Result result = result_with({some_fidelity()});
  const std::string text = render_text(result, {});
  EXPECT_LT(text.find("held-out rows"), text.find("rows it was fitted to"));
  EXPECT_LT(text.find("rows it was fitted to"), text.find("temp > 28"));
  EXPECT_LT(text.find("temp > 28"), text.find("season = winter"));
  EXPECT_THAT(describe(result, group_items(result)[0]), HasSubstr("Worst where temp > 28: -3."));
  // R² has no lower end; the axis has.
  EXPECT_THAT(chart(some_fidelity()), HasSubstr(R"("domain":[-1,1])"));
  EXPECT_THAT(chart(Fidelity()), HasSubstr("nothing was measured"));
}

TEST(ModelViews, TheKneeIsNamed) {
  const std::string spec = chart(some_frontier());
  EXPECT_THAT(spec, HasSubstr("Decision tree, size 8: 0.7"));
  EXPECT_THAT(spec, HasSubstr(R"("values":[1,2,4,8])"));
  EXPECT_THAT(render_text(result_with({some_frontier()}), {}), HasSubstr("chosen"));
  EXPECT_THAT(chart(Frontier()), HasSubstr("nothing was measured"));
}

TEST(ModelViews, APathHasNamesAtTheEndsOfItsLines) {
  const std::string spec = chart(some_path());
  EXPECT_THAT(spec, HasSubstr("\"term 11\""));
  EXPECT_THAT(spec, HasSubstr("chosen, one standard error"));
  EXPECT_THAT(spec, HasSubstr("mean squared error"));
  EXPECT_THAT(render_text(result_with({some_path()}), {}), HasSubstr("chosen, one standard error"));
  EXPECT_THAT(chart(PenaltyPath()), HasSubstr("no terms along the path"));
  EXPECT_FALSE(render_text(result_with({PenaltyPath()}), {}).empty());
}

TEST(ModelViews, ChaptersTellTheModelsInTheirOrder) {
  const std::vector<ResultItem> items{some_path(), tree_of(2), some_fidelity(), some_frontier()};
  const Value page = page_payload({result_with(items, Family::surrogates)}, "");
  const Value& chapter = page.find("chapters")->as_array().at(0);
  EXPECT_EQ(chapter.find("title")->as_string(), "A simpler model");
  std::vector<std::string> titles;
  for (const Value& section : chapter.find("sections")->as_array())
    titles.push_back(
        page.find("sections")->as_array()[static_cast<std::size_t>(section.as_integer())].find("title")->as_string());
  EXPECT_THAT(titles, ::testing::ElementsAre("Fidelity against size", "Fidelity: Decision tree", "Decision tree",
                                             "Path of the penalty"));
  const Value own = page_payload({result_with(items, Family::learners)}, "");
  EXPECT_EQ(own.find("chapters")->as_array().at(0).find("title")->as_string(), "The model itself");
  EXPECT_EQ(
      page_payload({result_with(items, "models")}, "").find("chapters")->as_array().at(0).find("title")->as_string(),
      "The model itself");
}

TEST(ModelViews, AllOfThemHaveATable) {
  const Result result =
      result_with({tree_of(2), some_rules(), some_terms(), some_fidelity(), some_frontier(), some_path()});
  for (const ItemGroup& group : group_items(result)) EXPECT_GT(data_table(group).rows.size(), 1u) << group.type();
  EXPECT_THAT(render_csv(result), HasSubstr("temp > 13 & workingday = yes"));
  EXPECT_FALSE(to_json(vega_spec(result)).empty());
  EXPECT_EQ(to_json(vega_spec(result)).find("usermeta"), std::string::npos);
}

TEST(ModelViews, RowsLeftOutAreNoFidelity) {
  Frontier curve{.output = {}, .group = {}, .measure = "rmse"};
  curve.loss = LossKind::rmse;
  curve.size_name = "neighbours";
  curve.points = {{.learner = "knn", .title = "Nearest neighbours", .size = 1, .value = 31},
                  {.learner = "knn", .title = "Nearest neighbours", .size = 7, .value = 24.5, .chosen = true}};
  Result result;
  result.method = "knn";
  result.about = {.title = "Nearest neighbours", .short_name = "kNN", .family = Family::learners};
  result.results.emplace_back(curve);
  EXPECT_EQ(to_json(result_from_json(to_json(result), "test")), to_json(result));
  const std::string text = render_text(result, {.width = 100, .unicode = false});
  for (const char* said : {"Rows left out, by the number of neighbours", "7 neighbours: 24.5.", "less is better"})
    EXPECT_NE(text.find(said), std::string::npos) << said << "\n" << text;
  EXPECT_EQ(text.find("idelity"), std::string::npos) << text;
  EXPECT_NE(to_json(vega_spec(result)).find("rmse of rows left out"), std::string::npos);
}

}  // namespace
}  // namespace sightglass
