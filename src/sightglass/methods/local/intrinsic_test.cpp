#include "sightglass/methods/local/intrinsic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "sightglass/base/error.h"
#include "sightglass/learn/fit.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/model/evaluator.h"
#include "sightglass/model/learned/structure.h"
#include "sightglass/result/json.h"
#include "sightglass/result/shapes/panels.h"
#include "sightglass/result/shapes/rules.h"
#include "sightglass/result/shapes/terms.h"
#include "support/function_model.h"
#include "support/law_cases.h"
#include "support/random_data.h"
#include "support/take_chain.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;
using testing::random_table;

const testing::LawCase laws("intrinsic", {.options = Value::object({{"explain", 4}}),
                                          .keeps_row_order = true,
                                          .about_features = false});

Result explained(const Model& model, const Source& source, Value options, int threads = 2) {
  Context context(threads);
  return run("intrinsic", model, source, options, context);
}

std::unique_ptr<Model> fitted(const char* learner, const Table& table, Value options) {
  Context context(2);
  std::vector<std::string> features;
  for (const char* name : {"a", "b", "c", "d"}) {
    if (options.find("target")->as_string() != name) features.emplace_back(name);
  }
  options.set("features", features);
  return fit(learner, table, options, context).model;
}

// A learner, and what it learns: a number, or several classes.
class OwnParts : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  [[nodiscard]] std::unique_ptr<Model> model(const Table& table) const {
    const std::string learner = std::get<0>(GetParam());
    Value options = Value::object({{"target", std::get<1>(GetParam())}});
    if (learner == "gam") options.set("pairs", 2).set("bags", 2);
    if (learner == "rulefit") options.set("max_rules", 100).set("folds", 3).set("honest_folds", 0);
    return fitted(learner.c_str(), table, options);
  }
};

TEST_P(OwnParts, AddUpToThePrediction) {
  const Table table = random_table(5, 300);
  const auto own = model(table);
  const Result result = explained(*own, table, Value::object({{"explain", 0}}));
  std::map<std::uint64_t, std::vector<std::pair<double, double>>> rows;  // sums and predictions of all outputs
  TermLink link = TermLink::identity;
  for (const ResultItem& item : result.results) {
    const auto* terms = item.as<Terms>();
    if (terms == nullptr) continue;
    double sum = terms->base.value();
    for (const LinearTerm& term : terms->terms) sum += term.contribution.value();
    link = terms->link;
    rows[*terms->row].emplace_back(sum, terms->prediction.value());
  }
  EXPECT_EQ(rows.size(), table.rows());
  for (auto& [row, outputs] : rows) {
    double total = 0;
    for (auto& [sum, prediction] : outputs) {
      if (link != TermLink::identity) sum = std::exp(sum);
      if (link == TermLink::logit) sum /= 1 + sum;
      total += sum;
    }
    for (const auto& [sum, prediction] : outputs) {
      const double linked = link == TermLink::softmax ? sum / total : sum;
      EXPECT_NEAR(linked, prediction, 1e-9 * std::max(1.0, std::abs(prediction))) << row;
    }
  }
}

void expect_same_bytes(const Model& own, const Table& table, const std::vector<std::int64_t>& rows) {
  const Value options = Value::object({{"rows", rows}});
  const std::string once = to_json(explained(own, table, options, 1));
  EXPECT_EQ(to_json(explained(own, table, options, 3)), once);
  Context context(1);
  const auto [told, given] = split_options(options, intrinsic().options);
  const RunSession session(own, table, read_options<RunOptions>(told), context);
  const std::vector<Table> parts = {table.slice(100, table.rows() - 100), table.slice(0, 100)};
  EXPECT_EQ(to_json(testing::take_method(session, intrinsic(), given, parts)), once);
}

TEST_P(OwnParts, AnyThreadsAndPartsGiveTheSameBytes) {
  const Table table = random_table(6, 200);
  expect_same_bytes(*model(table), table, {3, 120, 7});
}

INSTANTIATE_TEST_SUITE_P(Learners, OwnParts,
                         ::testing::Combine(::testing::Values("sparse-linear", "tree", "optimal-tree", "rulefit",
                                                              "gam"),
                                            ::testing::Values("y", "c")),
                         [](const auto& test) {
                           std::string name = std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Three classes in a and b, values missing in both.
Table three_classes() {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> a, b;
  std::vector<std::int32_t> k;
  for (int row = 0; row < 150; ++row) {
    k.push_back(row % 3);
    a.push_back(row % 11 == 0 ? NAN : normal(random) + 2 * (row % 3));
    b.push_back(row % 13 == 0 ? NAN : normal(random) * (1 + row % 3));
  }
  const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"low", "middle", "high"});
  return Table(
      Schema({{.name = "a"}, {.name = "b"}, {.name = "k", .type = DType::categorical, .dictionary = dictionary}}),
      {column_of(std::move(a)), column_of(std::move(b)), column_of(std::move(k), dictionary.get())});
}

class OwnPanels : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static std::unique_ptr<Model> model(const Table& table) {
    Context context(2);
    Value options = Value::object({{"target", "k"}, {"features", std::vector<std::string>{"a", "b"}}});
    if (std::string(GetParam()) == "covering-2d") options.set("holdout_share", 0.0);
    return fit(GetParam(), table, options, context).model;
  }
};

// The class and the share that are shown are those that the model predicts, and a row is drawn where it lies.
TEST_P(OwnPanels, AgreeWithThePrediction) {
  const Table table = three_classes();
  const auto own = model(table);
  const Result result = explained(*own, table, Value::object({{"explain", 0}}));
  ASSERT_EQ(result.results.size(), table.rows());
  Context context(1);
  Evaluator evaluator(*own, table, {}, {}, context);
  Matrix predictions;
  const auto stream = table.open(evaluator.columns(), table.rows());
  evaluator.evaluate(*stream->next(), predictions);
  std::size_t met = 0;
  for (const ResultItem& one : result.results) {
    const ShownPanels& item = one.get<ShownPanels>();
    const auto row = static_cast<std::size_t>(*item.row);
    const auto shown = static_cast<std::size_t>(std::find(item.classes.begin(), item.classes.end(), item.predicted) -
                                                item.classes.begin());
    ASSERT_LT(shown, 3U);
    EXPECT_EQ(item.details.find("share")->as_number(), predictions(row, shown)) << row;
    for (std::size_t k = 0; k < 3; ++k) EXPECT_LE(predictions(row, k), predictions(row, shown)) << row;
    for (const ShownPanel& panel : item.panels) {
      ++met;
      const bool missing = std::any_of(panel.axes.begin(), panel.axes.end(), [&](const Axis& axis) {
        return std::isnan(table.column(axis.feature == "a" ? 0 : 1).number(row));
      });
      EXPECT_EQ(panel.decision.has_value(), !missing) << row;
      if (!missing) {
        EXPECT_EQ(panel.marks.x[0], table.column(panel.axes[0].feature == "a" ? 0 : 1).number(row));
        EXPECT_LE(panel.marks.above[0] != 0, *panel.decision > panel.threshold) << row;
      }
    }
  }
  EXPECT_GT(met, table.rows() / 2);
}

TEST_P(OwnPanels, AnyThreadsAndPartsGiveTheSameBytes) {
  const Table table = three_classes();
  expect_same_bytes(*model(table), table, {3, 120, 7});
}

INSTANTIATE_TEST_SUITE_P(Learners, OwnPanels, ::testing::Values("covering-2d", "hierarchical-2d"),
                         [](const auto& test) { return std::string(test.param).substr(0, 8); });

// Pictures are what takes room: of two panels of two features 5,000,000 / (2 · 41 · 41) rows are shown at once.
TEST(Intrinsic, AsManyRowsAsPicturesHaveRoom) {
  const Panel panel{.inputs = {{.feature = 0}, {.feature = 1}}, .linear = true, .coefficients = {1, 1}, .claims = 1};
  const CoveringStructure structure{.order = {0, 1}, .panels = {panel, panel}, .shares = {{1, 0}, {0, 1}}};
  const Signature signature{
      .objective = "test", .task = Task::binary, .features = {{.name = "a"}, {.name = "b"}}, .outputs = {"high"}};
  const auto model = make_model(signature, {}, structure, "made");
  const Table table = three_classes();
  try {
    (void)explained(*model, table, Value::object({{"explain", 1488}}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), HasSubstr("1487 at once"));
  }
  EXPECT_EQ(explained(*model, table, Value::object({{"explain", 1487}})).results.size(), 150U);
}

Signature two_features() {
  return {.objective = "test",
          .features = {{.name = "temp"}, {.name = "season", .categorical = true, .levels = {"summer", "winter"}}},
          .outputs = {"bikes"}};
}

Table two_rows() {
  const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"summer", "winter"});
  Schema schema({{.name = "temp"}, {.name = "season", .type = DType::categorical, .dictionary = dictionary}});
  return Table(std::move(schema),
               {column_of(std::vector<double>{20, NAN}), column_of(std::vector<std::int32_t>{0, 1}, dictionary.get())});
}

TEST(Intrinsic, RulesAndLevelsAreComparedWithAnAverageRow) {
  // 10 + 2 · temp + 5 · [season = winter] + 8 · [temp > 15 & season = summer]
  TermStructure structure{.intercept = {10}};
  structure.terms.push_back({.feature = 0, .missing = 12, .weights = {2}, .moments = TermMoments{12, 3}});
  structure.terms.push_back(
      {.conditions = {{.feature = 1, .levels = {1}}}, .weights = {5}, .moments = TermMoments{0.4, 0.5}});
  structure.terms.push_back({.conditions = {{.feature = 0, .above = 15}, {.feature = 1, .levels = {0}}},
                             .weights = {8},
                             .moments = TermMoments{0.25, 0.4}});
  const auto model = make_model(two_features(), {}, structure, "made");
  const Table table = two_rows();
  const Result result = explained(*model, table, Value::object({{"rows", std::vector<std::int64_t>{0, 1}}}));
  ASSERT_EQ(result.results.size(), 2u);
  const Terms& warm = result.results[0].get<Terms>();
  EXPECT_DOUBLE_EQ(*warm.base, 10 + 2 * 12 + 5 * 0.4 + 8 * 0.25);
  EXPECT_DOUBLE_EQ(*warm.prediction, 10 + 40 + 8);
  ASSERT_EQ(warm.terms.size(), 3u);
  EXPECT_EQ(term_text(warm.terms[0]), "temp");  // largest first: 2 · (20 − 12)
  EXPECT_DOUBLE_EQ(*warm.terms[0].contribution, 16);
  EXPECT_DOUBLE_EQ(*warm.terms[0].value, 20);
  EXPECT_EQ(term_text(warm.terms[1]), "temp > 15 & season = summer");
  EXPECT_DOUBLE_EQ(*warm.terms[1].contribution, 8 * 0.75);
  EXPECT_EQ(term_text(warm.terms[2]), "season = summer");
  EXPECT_DOUBLE_EQ(*warm.terms[2].contribution, -2);
  const Terms& cold = result.results[1].get<Terms>();
  EXPECT_EQ(term_text(cold.terms[0]), "season = winter");
  EXPECT_DOUBLE_EQ(*cold.terms[0].contribution, 3);
  EXPECT_DOUBLE_EQ(*cold.terms[1].contribution, -2);  // the rule does not hold
  EXPECT_DOUBLE_EQ(*cold.terms[1].value, 0);
}

TEST(Intrinsic, ATreeIsReadSplitBySplit) {
  // temp <= 15 (or missing): 1 of 10 rows; else winter: 4 of 10 rows, summer: 7 of 20 rows.
  TreeStructure tree;
  tree.nodes = {{.left = 1, .right = 2, .feature = 0, .threshold = 15, .missing_left = true},
                {.threshold = 1},
                {.left = 3, .right = 4, .feature = 1, .categories = 0, .categories_left = true},
                {.threshold = 4},
                {.threshold = 7}};
  tree.covers = {40, 10, 30, 10, 20};
  tree.category_sets = {{.bits = {2}}};
  const auto model = make_model(two_features(), {}, tree, "made");
  const Table table = two_rows();
  const Result result = explained(*model, table, Value::object({{"rows", std::vector<std::int64_t>{0, 1}}}));
  ASSERT_EQ(result.results.size(), 4u);
  const Terms& warm = result.results[0].get<Terms>();
  EXPECT_TRUE(warm.in_sequence);
  EXPECT_DOUBLE_EQ(*warm.base, (10 * 1 + 10 * 4 + 20 * 7) / 40.0);
  ASSERT_EQ(warm.terms.size(), 2u);
  EXPECT_EQ(term_text(warm.terms[0]), "temp > 15");
  EXPECT_DOUBLE_EQ(*warm.terms[0].contribution, 6 - 4.75);
  EXPECT_DOUBLE_EQ(*warm.terms[1].contribution, 1);
  const Rules& rule = result.results[1].get<Rules>();
  EXPECT_EQ(conditions_text(rule.rules[0].conditions), "temp > 15 & season = summer");
  EXPECT_DOUBLE_EQ(*rule.rules[0].effect, 7);
  EXPECT_DOUBLE_EQ(rule.rules[0].support, 0.5);
  EXPECT_EQ(term_text(result.results[2].get<Terms>().terms[0]), "temp is missing");
  // The rule is that of the leaf, whose rows are counted.
  EXPECT_EQ(conditions_text(result.results[3].get<Rules>().rules[0].conditions), "temp <= 15 or missing");
  EXPECT_DOUBLE_EQ(result.results[3].get<Rules>().rules[0].support, 0.25);
}

TEST(Intrinsic, LevelsThatWereNeverSeenAreNamed) {
  TreeStructure tree;
  tree.nodes = {{.left = 1, .right = 2, .feature = 1, .categories = 0, .missing_left = true, .categories_left = true},
                {.threshold = 4},
                {.threshold = 7}};
  tree.covers = {40, 10, 30};
  tree.category_sets = {{.bits = {2}}};
  const auto model = make_model(two_features(), {}, tree, "made");
  const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"monsoon", "winter"});
  const Table table(
      Schema({{.name = "temp"}, {.name = "season", .type = DType::categorical, .dictionary = dictionary}}),
      {column_of(std::vector<double>{20, 20}), column_of(std::vector<std::int32_t>{0, 1}, dictionary.get())});
  const Result result = explained(*model, table, Value::object({{"rows", std::vector<std::int64_t>{0}}}));
  EXPECT_EQ(term_text(result.results[0].get<Terms>().terms[0]), "season = monsoon");
}

TEST(Intrinsic, OnTheMarginNothingIsLinked) {
  TermStructure structure{.intercept = {0.5}};
  structure.terms.push_back({.feature = 0, .weights = {0.1}, .moments = TermMoments{10, 3}});
  Signature signature = two_features();
  signature.task = Task::binary;
  signature.has_margin = true;
  const auto model = make_model(signature, {Link::logistic}, structure, "made");
  const Value rows = Value(std::vector<std::int64_t>{0});
  const Table table = two_rows();
  const auto terms = [&](const char* scale) {
    return explained(*model, table, Value::object({{"rows", rows}, {"scale", scale}})).results[0].get<Terms>();
  };
  EXPECT_EQ(terms("response").link, TermLink::logit);
  EXPECT_DOUBLE_EQ(*terms("response").prediction, 1 / (1 + std::exp(-2.5)));
  EXPECT_EQ(terms("margin").link, TermLink::identity);
  EXPECT_DOUBLE_EQ(*terms("margin").prediction, 2.5);
}

TEST(Intrinsic, ModelsThatDoNotExplainThemselvesAreRefused) {
  const testing::FunctionModel model({"a"}, [](const auto& row) { return row; });
  try {
    (void)explained(model, random_table(1, 20), Value::object());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), HasSubstr("explain themselves"));
  }
}

TEST(Intrinsic, RowsThatThereAreNotAreNamed) {
  const Table table = random_table(7, 50);
  const auto model = fitted("tree", table, Value::object({{"target", "y"}}));
  EXPECT_THROW((void)explained(*model, table, Value::object({{"rows", std::vector<std::int64_t>{50}}})), Error);
  EXPECT_EQ(explained(*model, table, Value::object()).results.size(), 6u);  // three rows by chance
}

}  // namespace
}  // namespace sightglass
