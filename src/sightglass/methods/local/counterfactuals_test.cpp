#include "sightglass/methods/local/counterfactuals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/methods/all_methods.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/result/shapes/counterfactuals.h"
#include "sightglass/result/shapes/figure.h"
#include "sightglass/result/shapes/importance.h"
#include "support/caveats.h"
#include "support/function_model.h"
#include "support/law_cases.h"
#include "support/random_data.h"
#include "support/random_trees.h"

namespace sightglass {
namespace {

const testing::LawCase laws("counterfactuals", {.options = Value::object({{"change", 0.3}, {"explain", 6}}),
                                                .required = Value::object({{"change", 0.3}}),
                                                .engines = Value::object({{"search", "asking"}}),
                                                .about_features = false});

using testing::FunctionModel;
using testing::random_table;

Result explain(const Model& model, const Table& table, Value options, int threads = 1) {
  Context context(threads);
  return run("counterfactuals", model, table, options, context);
}
std::vector<Counterfactuals> items_of(const Result& result) {
  std::vector<Counterfactuals> items;
  for (const ResultItem& item : result.results) {
    if (const auto* found = item.as<Counterfactuals>()) items.push_back(*found);
  }
  return items;
}
std::string message_of(const Model& model, const Table& table, const Value& options) {
  try {
    (void)explain(model, table, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.message_text().plain() + " | " + error.advice_text().plain();
  }
  return "no error";
}

// x: 0, 1, …, 10; z: 0.0, 0.5, …, 5.0; level: a, b, c in turn.
Table small_table() {
  std::vector<double> z;
  auto x = std::make_shared<std::vector<std::int32_t>>();
  std::vector<std::int32_t> level;
  for (int i = 0; i <= 10; ++i) {
    x->push_back(i);
    z.push_back(0.5 * i);
    level.push_back(i % 3);
  }
  const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"a", "b", "c"});
  Schema schema({{.name = "x", .type = DType::int32},
                 {.name = "z"},
                 {.name = "level", .type = DType::categorical, .dictionary = dictionary}});
  Column whole{.view = view_of(std::span<const std::int32_t>(*x), DType::int32), .owner = x};
  return Table(std::move(schema),
               {std::move(whole), column_of(std::move(z)), column_of(std::move(level), dictionary.get())});
}

// 10 if x >= 6.5, 4 more if z < 2.25, 3 more if level is b or c: thresholds between values of the data.
TreeEnsemble small_trees() {
  TreeEnsemble::Parts parts;
  parts.signature.features = {
      {.name = "x"}, {.name = "z"}, {.name = "level", .categorical = true, .levels = {"a", "b", "c"}}};
  parts.signature.outputs = {"prediction"};
  parts.comparison = Comparison::float64_less_equal;
  parts.base = {0};
  const auto add = [&](TreeNode split, double left, double right) {
    const auto root = static_cast<std::uint32_t>(parts.nodes.size());
    split.left = static_cast<std::int32_t>(root + 1);
    split.right = static_cast<std::int32_t>(root + 2);
    parts.nodes.push_back(split);
    parts.nodes.push_back({.threshold = left});
    parts.nodes.push_back({.threshold = right});
    parts.trees.push_back({root, 0});
  };
  add({.feature = 0, .threshold = 6.5}, 0, 10);
  add({.feature = 1, .threshold = 2.25}, 4, 0);
  parts.category_sets.push_back({{6}});
  add({.feature = 2, .categories = 0}, 0, 3);
  return TreeEnsemble(std::move(parts), "small trees");
}

TEST(Counterfactuals, SmallestChangesByHand) {
  const TreeEnsemble model = small_trees();
  // Row 0: x = 0, z = 0, a: predicts 4. Row 10: x = 10, z = 5, b: predicts 13.
  const auto items = items_of(explain(
      model, small_table(), Value::object({{"at_least", 14}, {"rows", std::vector<int>{0, 10}}, {"count", 5}})));
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].prediction, 4);
  EXPECT_EQ(items[0].status, RecourseStatus::found);
  ASSERT_EQ(items[0].changes.size(), 1U);
  // The median of x is 5, its MAD 3: from 0 to 7.
  EXPECT_EQ(items[0].changes[0].values, Value::object({{"x", 7.0}}));
  EXPECT_DOUBLE_EQ(items[0].changes[0].cost, 7.0 / 3);
  EXPECT_EQ(items[0].changes[0].prediction, 14);
  EXPECT_EQ(items[0].proof->status, ProofStatus::optimal);
  // Row 10 needs a z of at most 2.25, with one decimal as in the data: 2.2; MAD of z is 1.5.
  ASSERT_EQ(items[1].changes.size(), 1U);
  EXPECT_EQ(items[1].changes[0].values, Value::object({{"z", 2.2}}));
  EXPECT_DOUBLE_EQ(items[1].changes[0].cost, 2.8 / 1.5);
  EXPECT_EQ(items[1].changes[0].prediction, 17);
  // No row of the data has 14 or more.
  EXPECT_FALSE(items[1].changes[0].nearest_row);
}

// What is proven is about the ranges and levels of all rows, however few rows others are compared with.
// Sums in float32 may be above what is wanted where the exact one is below, and the other way round: the model's own
// predictions count, and so do those of inputs that the search leaves out.
TEST(Counterfactuals, WhatTheModelPredictsDecidesToTheLastDigit) {
  std::size_t above = 0, below = 0;
  for (int i = 1; i < 40; ++i) {
    TreeEnsemble::Parts parts = small_trees().parts();
    parts.comparison = Comparison::float32_less;
    parts.float32_sums = true;
    parts.base = {0.1F};
    for (TreeNode& node : parts.nodes) {
      if (node.is_leaf()) node.threshold = static_cast<float>(0.1 * i * node.threshold);
    }
    const TreeEnsemble model(std::move(parts), "float32");
    const auto sum = [&](auto zero) {
      auto total = zero;
      total = static_cast<float>(0.1F);
      for (const double leaf : {10, 0, 3}) total += static_cast<float>(0.1 * i * leaf);
      return static_cast<double>(total);
    };
    // Row 10 has these three leaves.
    const double in_float = sum(0.0F), in_double = sum(0.0);
    above += in_float > in_double;
    below += in_float < in_double;
    for (const double wanted : {in_float, in_double}) {
      const auto items = items_of(
          explain(model, small_table(),
                  Value::object({{"at_least", wanted}, {"rows", std::vector<int>{9, 10}}, {"max_changes", 3}})));
      const bool own = in_float >= wanted;
      EXPECT_EQ(items[1].prediction, in_float);
      EXPECT_EQ(items[1].status == RecourseStatus::already, own);
      // Row 9 is level a: with b it has the leaves of row 10.
      ASSERT_EQ(items[0].status, RecourseStatus::found) << i;
      EXPECT_EQ(items[0].changes[0].values.find("level") != nullptr, own) << i;
    }
  }
  EXPECT_GT(above, 0U);
  EXPECT_GT(below, 0U);
}

// Probabilities of large margins are all 1, and the first of them wins: trees cannot tell which by margins.
TEST(Counterfactuals, ClassesWhoseProbabilitiesAreTheSame) {
  TreeEnsemble::Parts parts = small_trees().parts();
  parts.signature.outputs = {"first", "second"};
  parts.signature.task = Task::multiclass;
  parts.link = {Link::logistic};
  parts.base = {29, 45};
  const TreeEnsemble model(std::move(parts), "one against the rest");
  const auto items = items_of(explain(
      model, small_table(), Value::object({{"want", "first"}, {"rows", std::vector<int>{1}}, {"max_changes", 1}})));
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].predicted_class, "second");
  ASSERT_EQ(items[0].status, RecourseStatus::found);
  EXPECT_EQ(items[0].proof->status, ProofStatus::sampled);
}

TEST(Counterfactuals, ProofsDoNotDependOnTheRowsThatAreCompared) {
  const Table table = small_table();
  const TreeEnsemble trees = small_trees();
  for (int seed = 0; seed < 5; ++seed) {
    const Result result = explain(
        trees, table,
        Value::object({{"rows", Value::array().push_back(0)}, {"at_least", 17}, {"compare_rows", 1}, {"seed", seed}}));
    const auto items = items_of(result);
    ASSERT_EQ(items.size(), 1U);
    EXPECT_EQ(items[0].status, RecourseStatus::found) << seed;
    EXPECT_TRUE(testing::has_caveat(result, "sampled-rows"));
    ASSERT_FALSE(items[0].changes.empty());
    EXPECT_EQ(items[0].changes[0].values.as_object().size(), 2U);  // x to 7, level to b or c
  }
}

TEST(Counterfactuals, WhatTwoFeaturesCan) {
  const TreeEnsemble model = small_trees();
  const auto items =
      items_of(explain(model, small_table(), Value::object({{"at_least", 17}, {"rows", std::vector<int>{0}}})));
  ASSERT_EQ(items[0].changes.size(), 1U);
  const Value& values = items[0].changes[0].values;
  EXPECT_EQ(*values.find("x"), Value(7.0));
  EXPECT_TRUE(*values.find("level") == Value("b") || *values.find("level") == Value("c"));
  EXPECT_DOUBLE_EQ(items[0].changes[0].cost, 7.0 / 3 + 1);
  // Of three features only sets were looked at that hold none which can: that says nothing of three features together.
  ASSERT_EQ(items[0].ladder.size(), 2U);
  EXPECT_EQ(items[0].ladder[0].status, RungStatus::unreachable);
  EXPECT_EQ(items[0].ladder[1].status, RungStatus::reached);
}

TEST(Counterfactuals, FixedAndOneWayFeatures) {
  const TreeEnsemble model = small_trees();
  const auto status = [&](Value options) {
    options.set("at_least", 14).set("rows", std::vector<int>{0});
    return items_of(explain(model, small_table(), options))[0].status;
  };
  EXPECT_EQ(status(Value::object()), RecourseStatus::found);
  EXPECT_EQ(status(Value::object({{"fixed", "x"}})), RecourseStatus::unreachable);
  EXPECT_EQ(status(Value::object({{"only_fall", "x"}})), RecourseStatus::unreachable);
  EXPECT_EQ(status(Value::object({{"only_rise", "x"}})), RecourseStatus::found);
  EXPECT_EQ(status(Value::object({{"fixed", std::vector<std::string>{"x", "z", "level"}}})),
            RecourseStatus::unreachable);
}

TEST(Counterfactuals, AsksWithoutTreesAndProvesNothing) {
  const TreeEnsemble model = small_trees();
  const auto items = items_of(explain(
      model, small_table(), Value::object({{"at_least", 17}, {"rows", std::vector<int>{0}}, {"search", "asking"}})));
  ASSERT_EQ(items[0].status, RecourseStatus::found);
  EXPECT_DOUBLE_EQ(items[0].changes[0].cost, 7.0 / 3 + 1);
  EXPECT_EQ(items[0].proof->status, ProofStatus::sampled);
  EXPECT_EQ(items[0].ladder[0].status, RungStatus::not_found);
  // What cannot be is not found, which is no proof.
  const auto none = items_of(explain(
      model, small_table(), Value::object({{"at_least", 100}, {"rows", std::vector<int>{0}}, {"search", "asking"}})));
  EXPECT_EQ(none[0].status, RecourseStatus::not_found);
  const auto proven =
      items_of(explain(model, small_table(), Value::object({{"at_least", 100}, {"rows", std::vector<int>{0}}})));
  EXPECT_EQ(proven[0].status, RecourseStatus::unreachable);
}

// A search that may look at hardly anything still finds something, and what it says of it is true.
TEST(Counterfactuals, WhereTheLimitEndsTheSearchTheModelIsAsked) {
  const auto model = testing::random_trees(3, testing::tree_families().at("xgboost"));
  const Table table = random_table(5, 200);
  const Value options = Value::object({{"change", 0.6}, {"explain", 30}, {"count", 1}});
  Value hurried = options;
  const auto whole = items_of(explain(*model, table, options));
  const auto cut = items_of(explain(*model, table, hurried.set("boxes", 1)));
  std::size_t asked = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (cut[i].status != RecourseStatus::found) continue;
    ASSERT_FALSE(whole[i].changes.empty());
    const std::size_t few = whole[i].changes[0].values.as_object().size();
    EXPECT_LE(few, cut[i].changes[0].values.as_object().size());
    if (cut[i].proof->status == ProofStatus::optimal) continue;
    ++asked;
    EXPECT_LE(cut[i].proof->bound.value_or(0), whole[i].changes[0].cost + 1e-9);
  }
  EXPECT_GT(asked, 5U);
}

// Whatever was found does what it says, and none is outside what is allowed.
void expect_sound(const Model& model, const Table& table, const Value& options) {
  const Result result = explain(model, table, options);
  for (const Counterfactuals& item : items_of(result)) {
    for (const CounterfactualRow& change : item.changes) {
      EXPECT_TRUE(!item.at_least || change.prediction >= *item.at_least);
      EXPECT_TRUE(!item.at_most || change.prediction <= *item.at_most);
      EXPECT_TRUE(item.wanted_class.empty() || item.wanted_class == change.predicted_class);
      double cost = 0;
      for (const auto& [feature, each] : change.costs.as_object()) cost += each.as_number();
      EXPECT_NEAR(cost, change.cost, 1e-9);
      EXPECT_LE(change.values.as_object().size(), 3U);
      EXPECT_EQ(change.values.find("d") == nullptr ||
                    std::floor(change.values.find("d")->as_number()) == change.values.find("d")->as_number(),
                true);
      for (const auto& [feature, value] : change.values.as_object()) {
        ASSERT_NE(item.data.find(feature), nullptr);
        EXPECT_FALSE(item.data.find(feature)->is_null()) << "what is missing stays missing";
        EXPECT_FALSE(value == *item.data.find(feature));
      }
    }
  }
}

TEST(Counterfactuals, EveryChangeOfEveryFamilyDoesWhatItSays) {
  for (const auto& [name, family] : testing::tree_families()) {
    const auto model = testing::random_trees(5, family);
    const Table table = random_table(4, 200);
    for (const char* scale : {"response", "margin"}) {
      for (const double change : {0.1, -0.15}) {
        expect_sound(*model, table, Value::object({{"change", change}, {"scale", scale}, {"explain", 12}}));
        expect_sound(*model, table,
                     Value::object({{"change", change}, {"scale", scale}, {"explain", 4}, {"search", "asking"}}));
      }
    }
  }
  const auto classes = testing::random_trees(12, testing::averaged_classes());
  expect_sound(*classes, random_table(4, 200), Value::object({{"explain", 20}}));
  expect_sound(*classes, random_table(4, 200), Value::object({{"explain", 20}, {"search", "asking"}}));
}

// What was found by asking is never smaller than what is proven to be smallest.
TEST(Counterfactuals, AskingFindsNothingSmallerThanWhatIsProven) {
  std::size_t compared = 0;
  for (const auto& [name, family] : testing::tree_families()) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const auto model = testing::random_trees(seed, family);
      const Table table = random_table(seed, 200);
      Value options = Value::object({{"change", 0.2}, {"scale", "margin"}, {"explain", 10}, {"count", 1}});
      const auto proven = items_of(explain(*model, table, options));
      const auto asked = items_of(explain(*model, table, options.set("search", "asking")));
      ASSERT_EQ(proven.size(), asked.size());
      for (std::size_t i = 0; i < proven.size(); ++i) {
        if (asked[i].changes.empty()) continue;
        ASSERT_FALSE(proven[i].changes.empty()) << name << " row " << proven[i].row;
        const std::size_t few = proven[i].changes[0].values.as_object().size();
        const std::size_t also = asked[i].changes[0].values.as_object().size();
        EXPECT_LE(few, also);
        if (few != also) continue;
        EXPECT_LE(proven[i].changes[0].cost, asked[i].changes[0].cost + 1e-9)
            << name << " row " << proven[i].row << ": " << changes_text(proven[i], proven[i].changes[0]) << " or "
            << changes_text(asked[i], asked[i].changes[0]);
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 50U);
}

// Values are compared as floats by some frameworks: 40.9 is not below a split at 40.9f.
TEST(Counterfactuals, NearestValueThatTheFrameworkSendsThere) {
  for (const Comparison comparison :
       {Comparison::float32_less, Comparison::float64_less_equal, Comparison::float32_less_equal}) {
    TreeEnsemble::Parts parts;
    parts.signature.features = {{.name = "v"}};
    parts.signature.outputs = {"prediction"};
    parts.comparison = comparison;
    parts.base = {0};
    parts.nodes = {{.left = 1, .right = 2, .feature = 0, .threshold = static_cast<double>(40.9F)},
                   {.threshold = 1},
                   {.threshold = 2}};
    parts.trees = {{0, 0}};
    const TreeEnsemble model(std::move(parts), "one split");
    const Table table(Schema({{.name = "v"}}), {column_of(std::vector<double>{40.0, 40.1, 40.9, 41.0, 41.7})});
    const auto items = items_of(explain(model, table, Value::object({{"at_least", 2}, {"rows", std::vector<int>{0}}})));
    const double expected = comparison == Comparison::float32_less ? 40.9 : 41.0;
    EXPECT_EQ(items[0].changes.at(0).values, Value::object({{"v", expected}}));
    const auto down = items_of(explain(model, table, Value::object({{"at_most", 1}, {"rows", std::vector<int>{4}}})));
    const double below = comparison == Comparison::float32_less ? 40.8 : 40.9;
    EXPECT_EQ(down[0].changes.at(0).values, Value::object({{"v", below}}));
  }
}

TEST(Counterfactuals, RefusesWhatMakesNoSense) {
  using ::testing::HasSubstr;
  const TreeEnsemble model = small_trees();
  const Table table = small_table();
  EXPECT_THAT(message_of(model, table, Value::object()), HasSubstr("at_least"));
  EXPECT_THAT(message_of(model, table, Value::object({{"want", "b"}})), HasSubstr("numbers, not classes"));
  EXPECT_THAT(message_of(model, table, Value::object({{"at_least", 3}, {"change", 1}})), HasSubstr("bounds"));
  EXPECT_THAT(message_of(model, table, Value::object({{"change", 0}})), HasSubstr("nothing"));
  EXPECT_THAT(message_of(model, table, Value::object({{"at_least", 3}, {"at_most", 2}})), HasSubstr("more than"));
  EXPECT_THAT(message_of(model, table, Value::object({{"at_least", 3}, {"fixed", "nobody"}})), HasSubstr("nobody"));
  EXPECT_THAT(message_of(model, table, Value::object({{"at_least", 3}, {"only_rise", "level"}})), HasSubstr("order"));
  EXPECT_THAT(message_of(model, table, Value::object({{"at_least", 3}, {"rows", std::vector<int>{99}}})),
              HasSubstr("99"));
  const auto classes = testing::random_trees(12, testing::averaged_classes());
  EXPECT_THAT(message_of(*classes, random_table(1, 50), Value::object({{"want", "most"}})),
              HasSubstr("none, some, all"));
  const FunctionModel plain({"x"}, [](const std::vector<double>& x) { return x; });
  EXPECT_THAT(message_of(plain, table, Value::object({{"at_least", 3}, {"search", "trees"}})), HasSubstr("trees"));
}

TEST(Counterfactuals, OddModels) {
  const Table table = small_table();
  // Constant, and one that has the outcome already.
  const FunctionModel constant({"x", "z"}, [](const std::vector<double>&) { return std::vector<double>{5}; });
  EXPECT_EQ(
      items_of(explain(constant, table, Value::object({{"at_least", 6}, {"rows", std::vector<int>{1}}})))[0].status,
      RecourseStatus::not_found);
  const auto already =
      items_of(explain(constant, table, Value::object({{"at_least", 5}, {"rows", std::vector<int>{1}}})));
  EXPECT_EQ(already[0].status, RecourseStatus::already);
  EXPECT_TRUE(already[0].changes.empty());
  // Rows without a value of any feature.
  const Table gaps(Schema({{.name = "x"}, {.name = "z"}}),
                   {column_of(std::vector<double>{NAN, 1, 2}), column_of(std::vector<double>{NAN, 4, 5})});
  const FunctionModel sums(
      {"x", "z"}, [](const std::vector<double>& x) { return std::vector<double>{std::isnan(x[0]) ? 0 : x[0] + x[1]}; });
  const Result missing = explain(sums, gaps, Value::object({{"at_least", 3}, {"rows", std::vector<int>{0}}}));
  EXPECT_EQ(items_of(missing)[0].status, RecourseStatus::not_found);
  EXPECT_TRUE(testing::has_caveat(missing, "missing-stays"));
  EXPECT_EQ(*items_of(missing)[0].details.find("may_change"), Value(0));
}

// A line: two of one feature, or one of each where a single one does not suffice.
TEST(Counterfactuals, SearchDrawsBackToTheEdge) {
  std::vector<double> x, z;
  for (int i = 0; i < 400; ++i) {
    x.push_back(std::sin(i) * 3 + 0.001234567 * i);
    z.push_back(std::cos(1.7 * i) * 3 + 0.00234567 * i);
  }
  const Table table(Schema({{.name = "x"}, {.name = "z"}}), {column_of(x), column_of(z)});
  const FunctionModel line({"x", "z"},
                           [](const std::vector<double>& at) { return std::vector<double>{at[0] + at[1]}; });
  const auto items = items_of(explain(line, table, Value::object({{"at_least", 0.5}, {"explain", 30}})));
  std::size_t found = 0;
  for (const Counterfactuals& item : items) {
    if (item.changes.empty()) continue;
    ++found;
    EXPECT_GE(item.changes[0].prediction, 0.5);
    EXPECT_TRUE(item.changes[0].values.as_object().size() > 1 || item.changes[0].prediction < 0.52);
  }
  EXPECT_GT(found, 5U);
}

TEST(Counterfactuals, AMapOfLevers) {
  const TreeEnsemble model = small_trees();
  const Result result = explain(model, small_table(), Value::object({{"at_least", 17.5}, {"explain", 0}}));
  // No row reaches it: ten or more rows, none found.
  std::size_t entries = 0;
  for (const ResultItem& item : result.results) {
    const auto* entry = item.as<Importance>();
    if (entry == nullptr) continue;
    ++entries;
    EXPECT_EQ(entry->importance, 1);
  }
  EXPECT_EQ(entries, 1U);
}

// The newer model asks for a smaller z: of two promises one breaks.
TEST(Counterfactuals, ASecondModelKeepsAPromiseOrDoesNot) {
  const auto newer =
      std::make_shared<const FunctionModel>(std::vector<std::string>{"x", "z"}, [](const std::vector<double>& row) {
        return std::vector<double>{(row[0] >= 6.5 ? 10.0 : 0.0) + (row[1] < 2.1 ? 4 : 0)};
      });
  const Result result = counterfactuals(
      small_trees(), small_table(), {.rows = {0, 10}, .at_least = 14, .other_model = {newer, "/home/a/newer.json"}});
  const auto items = items_of(result);
  ASSERT_EQ(items.size(), 2U);
  ASSERT_TRUE(items[0].changes.at(0).other && items[1].changes.at(0).other);
  EXPECT_EQ(items[0].changes[0].other->prediction, 14);
  EXPECT_TRUE(items[0].changes[0].other->kept);
  EXPECT_EQ(items[1].changes[0].other->prediction, 10);
  EXPECT_FALSE(items[1].changes[0].other->kept);
  const auto& share = result.results.at(0).get<Figure>();
  EXPECT_EQ(share.id.text(), "recourse-kept");
  EXPECT_EQ(share.value, 0.5);
  const auto broken = std::find_if(result.caveats.begin(), result.caveats.end(),
                                   [](const Caveat& caveat) { return caveat.id == "recourse-breaks"; });
  ASSERT_NE(broken, result.caveats.end());
  EXPECT_EQ(
      broken->message.plain(),
      "of 2 rows with a change 1 would not get what is wanted by the smallest one under the other model, 1 by none "
      "that is shown: row 10");
  // No folders in results; without a second model nothing is said of one.
  EXPECT_EQ(*result.options.find("other_model"), Value("newer.json"));
  const Result alone = counterfactuals(small_trees(), small_table(), {.rows = {0, 10}, .at_least = 14});
  EXPECT_FALSE(items_of(alone).at(0).changes.at(0).other);
  EXPECT_TRUE(alone.options.find("other_model")->is_null());
}

TEST(Counterfactuals, ASecondModelMustBeAboutTheSame) {
  const Table table = small_table();
  const auto refusal = [&](const Model& first, CounterfactualsOptions options) {
    try {
      (void)counterfactuals(first, table, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.message();
    }
    return std::string("no error");
  };
  const auto own = [](const std::vector<double>& row) { return row; };
  const FunctionModel of_x({"x"}, own);
  EXPECT_EQ(refusal(of_x, {.at_least = 3,
                           .other_model = std::make_shared<FunctionModel>(std::vector<std::string>{"z"}, own)}),
            "the other model uses the feature z, which the first does not");
  const auto two = std::make_shared<FunctionModel>(
      std::vector<std::string>{"x"}, [](const std::vector<double>& row) { return std::vector<double>{row[0], 1}; },
      std::vector<std::string>{"a", "b"});
  EXPECT_EQ(refusal(of_x, {.at_least = 3, .other_model = two}), "the other model has 2 outputs, the first 1");
  CounterfactualsOptions missing{.at_least = 3, .other_model = "/nowhere/newer.json"};
  try {
    (void)counterfactuals(of_x, table, missing);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message().find("option other_model: "), 0U) << error.message();
    EXPECT_EQ(error.message().find("/nowhere"), std::string::npos) << error.message();
  }
}

}  // namespace
}  // namespace sightglass
