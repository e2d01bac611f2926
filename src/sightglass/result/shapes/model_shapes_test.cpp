// Trees, rules, terms, fidelity, frontiers, penalty paths and panels: JSON out and in, what files may not say, rows of
// tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "sightglass/base/error.h"
#include "sightglass/result/json.h"
#include "sightglass/result/result.h"
#include "sightglass/result/shapes/all_shapes.h"
#include "sightglass/result/tidy.h"

namespace sightglass {
namespace {

std::string file_with(const std::string& item) {
  return R"({"schema":"sightglass.result/1","method":"m","version":"1","model":{},"data":{},"options":{},"results":[)" +
         item + R"(],"caveats":[]})";
}

Result read(const std::string& item) { return result_from_json(file_with(item), "test"); }

// What is wrong with it, or nothing.
std::string complaint(const std::string& item) {
  try {
    static_cast<void>(read(item));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.what();
  }
  return "";
}

template <class Shape>
void expect_same_again(const Shape& shape) {
  Result result;
  result.results.push_back(shape);
  const std::string once = to_json(result);
  EXPECT_EQ(to_json(result_from_json(once, "test")), once);
}

std::string cell(const TidyFrame& frame, const std::string& column, std::size_t row) {
  for (const auto& each : frame.columns) {
    if (each.name != column) continue;
    if (const auto* text = std::get_if<std::string>(&each.cells[row])) return *text;
    if (const auto* number = std::get_if<double>(&each.cells[row])) return std::to_string(*number);
    if (const auto* whole = std::get_if<std::int64_t>(&each.cells[row])) return std::to_string(*whole);
  }
  return "";
}

ShownTree small_tree() {
  ShownTree tree;
  tree.nodes = {{.split = ShownCondition{.feature = "temp", .above = 13}, .children = {1, 2}, .count = 10, .value = 5},
                {.count = 4, .value = 8, .se = 0.5},
                {.split = ShownCondition{.feature = "season", .categorical = true, .levels = {"winter"}},
                 .children = {3, 4},
                 .count = 6,
                 .value = 3},
                {.count = 2, .value = 1},
                {.count = 4, .value = 4}};
  return tree;
}

TEST(ModelShapes, TreesTravel) {
  expect_same_again(small_tree());
  ShownTree classes = small_tree();
  classes.classes = {"a", "b"};
  for (auto& node : classes.nodes) {
    node.predicted_class = "b";
    node.shares = {0.25, 0.75};
  }
  classes.proof = Proof{.status = ProofStatus::bounded, .bound = 0.5, .among = "these cuts", .explored = 7};
  expect_same_again(classes);
  Result result;
  result.results.push_back(classes);
  const std::string text = to_json(result);
  EXPECT_THAT(text, ::testing::HasSubstr(R"("class":"b","shares":[0.25,0.75])"));
  EXPECT_THAT(text, ::testing::HasSubstr(
                        R"("split":{"feature":"season","kind":"categorical","levels":["winter"],"missing":false})"));
  EXPECT_EQ(result_from_json(text, "t").results[0].get<ShownTree>().proof, classes.proof);
}

TEST(ModelShapes, ATreeIsATree) {
  const std::string leaf = R"({"count":1,"value":2})";
  const auto tree = [](const std::string& nodes) { return R"({"type":"tree","nodes":[)" + nodes + "]}"; };
  const auto inner = [](const std::string& children) {
    return R"({"split":{"feature":"x","kind":"numeric","above":1},"children":)" + children + R"(,"count":1,"value":2})";
  };
  EXPECT_EQ(complaint(tree(leaf)), "");
  EXPECT_EQ(complaint(tree(inner("[1,2]") + "," + leaf + "," + leaf)), "");
  EXPECT_THAT(complaint(tree("")), ::testing::HasSubstr("at least one node"));
  EXPECT_THAT(complaint(tree(inner("[0,1]") + "," + leaf)), ::testing::HasSubstr("behind 0"));
  EXPECT_THAT(complaint(tree(inner("[1,9]") + "," + leaf)), ::testing::HasSubstr("below 2"));
  EXPECT_THAT(complaint(tree(inner("[1,1]") + "," + leaf)), ::testing::HasSubstr("has a parent already"));
  EXPECT_THAT(complaint(tree(inner("[1]") + "," + leaf)), ::testing::HasSubstr("2 are needed"));
  EXPECT_THAT(complaint(tree(inner("[]"))), ::testing::HasSubstr("belong together"));
  EXPECT_THAT(complaint(tree(leaf + "," + leaf)), ::testing::HasSubstr("no node before it"));
  EXPECT_THAT(complaint(tree(R"({"count":-1,"value":2})")), ::testing::HasSubstr("at least 0"));
  EXPECT_THAT(complaint(tree(R"({"count":"NaN","value":2})")), ::testing::HasSubstr("at least 0"));
  EXPECT_THAT(complaint(R"({"type":"tree","classes":["a"],"nodes":[{"count":1,"value":1,"shares":[0.5,0.5]}]})"),
              ::testing::HasSubstr("1 are needed"));
  EXPECT_THAT(complaint(R"({"type":"tree","classes":["a"],"nodes":[{"count":1,"value":1,"shares":[1.5]}]})"),
              ::testing::HasSubstr("between 0 and 1"));
  EXPECT_THAT(complaint(tree(R"({"split":{"feature":"x","kind":"other"},"count":1,"value":2})")), ::testing::Ne(""));
}

TEST(ModelShapes, NodesAreRows) {
  const TidyFrame frame = tidy_frame({std::vector<const ResultItem*>{}});
  EXPECT_TRUE(frame.columns.empty());
  const ResultItem item = small_tree();
  const TidyFrame nodes = tidy_frame(std::vector<const ResultItem*>{&item});
  EXPECT_EQ(cell(nodes, "condition", 1), "temp > 13");
  EXPECT_EQ(cell(nodes, "condition", 2), "temp <= 13");
  EXPECT_EQ(cell(nodes, "condition", 4), "season is not winter");
  EXPECT_EQ(cell(nodes, "parent", 4), "2");
  EXPECT_EQ(cell(nodes, "share", 2), "0.600000");
  EXPECT_EQ(item.features().together, (std::vector<std::vector<std::string>>{{"temp"}, {"season"}}));
  EXPECT_EQ(item.title(), "Decision tree");
}

TEST(ModelShapes, RulesTravelAndAreRows) {
  Rules rules;
  rules.unit = "bikes";
  rules.intercept = 3;
  rules.row = 17;
  rules.rules.push_back(
      {.conditions = {{.feature = "temp", .above = 13}}, .effect = 82, .support = 0.31, .importance = 9});
  rules.rules.push_back(
      {.conditions = {}, .predicted_class = "busy", .support = 1, .precision = 0.9, .low = 0.8, .high = 1});
  expect_same_again(rules);
  const ResultItem item = rules;
  const TidyFrame frame = tidy_frame(std::vector<const ResultItem*>{&item});
  EXPECT_EQ(cell(frame, "rule", 0), "temp > 13");
  EXPECT_EQ(cell(frame, "effect", 0), "82.000000");
  EXPECT_EQ(cell(frame, "class", 1), "busy");
  EXPECT_EQ(cell(frame, "rule", 2), "(intercept)");
  EXPECT_EQ(cell(frame, "row", 2), "17");
  EXPECT_THAT(complaint(R"({"type":"rules","rules":[{"conditions":[],"effect":1,"support":1.5}]})"),
              ::testing::HasSubstr("support: expected a share"));
  EXPECT_THAT(complaint(R"({"type":"rules","row":-1,"rules":[]})"), ::testing::HasSubstr("row"));
  EXPECT_EQ(complaint(R"({"type":"rules","row":null,"rules":[{"conditions":[],"effect":null,"support":1}]})"), "");
}

TEST(ModelShapes, TermsTravelAndAreRows) {
  Terms terms;
  terms.link = TermLink::logit;
  terms.intercept = -1;
  terms.intercept_se = 0.25;
  terms.terms.push_back({.features = {"temp", "hour"}, .coefficient = 2, .standardized = 4, .se = 0.5});
  terms.terms.push_back({.features = {"season"},
                         .conditions = {{.feature = "season", .categorical = true, .levels = {"winter"}}},
                         .coefficient = -3});
  expect_same_again(terms);
  EXPECT_EQ(term_text(terms.terms[0]), "temp × hour");
  EXPECT_EQ(term_text(terms.terms[1]), "season = winter");
  const ResultItem item = terms;
  const TidyFrame frame = tidy_frame(std::vector<const ResultItem*>{&item});
  EXPECT_EQ(cell(frame, "term", 0), "(intercept)");
  EXPECT_EQ(cell(frame, "term", 2), "season = winter");
  EXPECT_EQ(cell(frame, "standardized", 1), "4.000000");
  EXPECT_THAT(complaint(R"({"type":"terms","intercept":1,"terms":[{"features":[],"coefficient":1}]})"),
              ::testing::HasSubstr("at least one feature or condition"));
  EXPECT_THAT(complaint(R"({"type":"terms","intercept":1,"link":"probit","terms":[]})"), ::testing::HasSubstr("link"));
}

TEST(ModelShapes, FidelityTravelsAndIsRows) {
  Fidelity fidelity;
  fidelity.surrogate = "tree";
  fidelity.title = "Decision tree";
  fidelity.size = 8;
  fidelity.size_unit = "leaves";
  fidelity.parts = {
      {.rows = FidelityRows::held_out, .count = 100, .fidelity = 0.66, .se = 0.01, .model = 0.9},
      {.rows = FidelityRows::region, .conditions = {{.feature = "temp", .above = 13}}, .count = 10, .fidelity = -0.2}};
  expect_same_again(fidelity);
  const ResultItem item = fidelity;
  EXPECT_EQ(item.title(), "Fidelity: Decision tree");
  const TidyFrame frame = tidy_frame(std::vector<const ResultItem*>{&item});
  EXPECT_EQ(cell(frame, "rows", 0), "held_out");
  EXPECT_EQ(cell(frame, "region", 1), "temp > 13");
  EXPECT_THAT(complaint(R"({"type":"fidelity","measure":"r2","parts":[{"rows":"all","fidelity":1}]})"),
              ::testing::HasSubstr("rows"));
  EXPECT_THAT(complaint(R"({"type":"fidelity","measure":"r2","parts":[{"rows":"fitted","fidelity":1,"count":-3}]})"),
              ::testing::HasSubstr("count"));
}

TEST(ModelShapes, FrontiersTravelAndAreRows) {
  Frontier frontier;
  frontier.points = {
      {.learner = "tree", .title = "Decision tree", .size = 8, .value = 0.7, .best = true, .chosen = true},
      {.learner = "linear", .title = "Linear", .size = 3, .value = 0.4, .low = 0.3, .high = 0.5}};
  expect_same_again(frontier);
  const ResultItem item = frontier;
  const TidyFrame frame = tidy_frame(std::vector<const ResultItem*>{&item});
  EXPECT_EQ(cell(frame, "learner", 1), "linear");
  EXPECT_EQ(cell(frame, "size", 0), "8");
  EXPECT_THAT(complaint(R"({"type":"frontier","points":[{"learner":"tree","size":-1,"value":1}]})"),
              ::testing::HasSubstr("size"));
}

TEST(ModelShapes, PathsTravelAndAreRows) {
  PenaltyPath path;
  path.penalties = {10, 1, 0.1};
  path.nonzero = {0, 1, 2};
  path.terms = {{"temp", {0, 2, 3}}, {"hour", {0, 0, 1}}};
  path.loss = "mean squared error";
  path.cv_mean = {9, 4, 5};
  path.cv_se = {1, 1, 1};
  path.chosen = 1;
  path.minimum = 1;
  expect_same_again(path);
  const ResultItem item = path;
  const TidyFrame frame = tidy_frame(std::vector<const ResultItem*>{&item});
  EXPECT_EQ(cell(frame, "place", 1), "chosen, minimum");
  EXPECT_EQ(cell(frame, "nonzero", 2), "2");
  const auto with = [](const std::string& rest) {
    return R"({"type":"penalty_path","penalties":[2,1],"terms":[{"name":"a","coefficients":[0,1]}])" + rest + "}";
  };
  EXPECT_EQ(complaint(with("")), "");
  EXPECT_THAT(complaint(with(R"(,"chosen":2)")), ::testing::HasSubstr("only 2 penalties"));
  EXPECT_THAT(complaint(with(R"(,"nonzero":[1])")), ::testing::HasSubstr("2 are needed"));
  EXPECT_THAT(complaint(with(R"(,"cv_mean":[1,2,3])")), ::testing::HasSubstr("2 are needed"));
  EXPECT_THAT(complaint(R"({"type":"penalty_path","penalties":[1,2],"terms":[]})"), ::testing::HasSubstr("descending"));
  EXPECT_THAT(complaint(R"({"type":"penalty_path","penalties":[2,1],"terms":[{"name":"a","coefficients":[0]}]})"),
              ::testing::HasSubstr("2 are needed"));
}

ShownPanels small_panels() {
  ShownPanels item;
  item.form = PanelForm::covering;
  item.classes = {"no", "yes"};
  item.order = {"no", "yes"};
  item.unclaimed = 0.25;
  item.tolerated = {7};
  item.trade_off = {{0.1, 0.5, false}, {0.2, 0.25, true}};
  ShownPanel panel;
  panel.axes = {{.feature = "temp", .numbers = {0, 1, 2}},
                {.feature = "isle", .levels = {"a", "b"}, .categorical = true}};
  panel.region = {{-1, -1}, {-1, 2}, {0.5, 3}};
  panel.threshold = 1;
  panel.box = {0.5, 2, 0, 1};
  panel.claims = "yes";
  panel.count = 10;
  panel.claimed = 3;
  panel.score = 3;
  panel.runners_up = {{{"wind"}, 2}};
  panel.marks = {.rows = {4, 9}, .x = {1.5, 0}, .y = {1, 0}, .classes = {1, 0}, .above = {1, 0}};
  item.panels = {panel};
  ShownPanel alone = panel;
  alone.axes.pop_back();
  alone.region = {{-1}, {2}, {3}};
  alone.box = {0.5, 2};
  alone.marks.y.clear();
  item.panels.push_back(alone);
  return item;
}

ShownPanels small_panel_tree() {
  ShownPanels item = small_panels();
  item.form = PanelForm::hierarchical;
  item.order.clear();
  item.panels[0].above = PanelSide{.panel = 1, .predicted_class = "yes", .share = 0.75, .count = 6};
  item.panels[0].below = PanelSide{.panel = {}, .predicted_class = "no", .share = 1, .count = 4};
  item.panels[1].above = item.panels[1].below = item.panels[0].below;
  return item;
}

TEST(ModelShapes, PanelsTravel) {
  expect_same_again(small_panels());
  expect_same_again(small_panel_tree());
  Result result;
  result.results.push_back(small_panels());
  const TidyFrame frame = tidy_frame(result);
  EXPECT_EQ(cell(frame, "feature", 0), "temp");
  EXPECT_EQ(cell(frame, "feature_2", 0), "isle");
  EXPECT_EQ(cell(frame, "feature_2", 1), "");
  EXPECT_EQ(cell(frame, "claims", 1), "yes");
  EXPECT_EQ(ResultItem(small_panels()).features().together.size(), 2U);
}

TEST(ModelShapes, PanelsThatCannotBeDrawn) {
  const auto json = [](const ShownPanels& item) {
    Result result;
    result.results.push_back(item);
    const std::string all = to_json(result);
    const std::size_t first = all.find("\"results\":[") + 11, last = all.find("],\n\"caveats\"");
    return all.substr(first, last - first);
  };
  EXPECT_EQ(complaint(json(small_panels())), "");
  const auto refused = [&](const std::function<void(ShownPanels&)>& change, bool tree = false) {
    ShownPanels item = tree ? small_panel_tree() : small_panels();
    change(item);
    return complaint(json(item));
  };
  EXPECT_NE(refused([](ShownPanels& item) { item.panels[0].axes.clear(); }), "");
  EXPECT_NE(refused([](ShownPanels& item) { item.panels[0].region.pop_back(); }), "");
  EXPECT_NE(refused([](ShownPanels& item) { item.panels[0].box.pop_back(); }), "");
  EXPECT_NE(refused([](ShownPanels& item) { item.panels[0].marks.x.pop_back(); }), "");
  EXPECT_NE(refused([](ShownPanels& item) { item.panels[0].marks.y.pop_back(); }), "");
  EXPECT_NE(refused([](ShownPanels& item) { item.panels[0].marks.classes[0] = 2; }), "");
  EXPECT_NE(refused([](ShownPanels& item) { item.panels[0].marks.above.clear(); }), "");
  EXPECT_NE(refused([](ShownPanels& item) { item.panels[0].above = PanelSide{}; }), "");
  EXPECT_NE(refused([](ShownPanels& item) { item.panels[0].above->panel = 0; }, true), "");
  EXPECT_NE(refused([](ShownPanels& item) { item.panels[0].above->panel = 2; }, true), "");
  EXPECT_NE(refused([](ShownPanels& item) { item.panels[0].above->panel.reset(); }, true), "");
  EXPECT_NE(refused([](ShownPanels& item) { item.panels[1].below.reset(); }, true), "");
  EXPECT_NE(refused([](ShownPanels& item) { item.panels[0].below->panel = 1; }, true), "");
}

}  // namespace
}  // namespace sightglass
