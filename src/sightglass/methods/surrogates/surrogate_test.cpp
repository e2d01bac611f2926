#include "sightglass/methods/surrogates/surrogate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sightglass/methods/run/session.h"
#include "sightglass/methods/surrogates/fidelity/fidelity_parts.h"
#include "sightglass/methods/surrogates/fidelity/knee.h"
#include "sightglass/model/evaluator.h"
#include "sightglass/model/learned/structure.h"
#include "sightglass/result/json.h"
#include "sightglass/result/shapes/fidelity.h"
#include "sightglass/result/shapes/frontier.h"
#include "sightglass/result/shapes/tree.h"
#include "support/caveats.h"
#include "support/function_model.h"
#include "support/law_cases.h"
#include "support/number_tables.h"
#include "support/random_data.h"
#include "support/random_trees.h"

namespace sightglass {
namespace {

using testing::FunctionModel;
using testing::has_caveat;
using testing::numbers_table;
using testing::random_table;

const testing::LawCase laws("surrogate",
                            {.options = Value::object({{"learner", Value(std::vector<std::string>{"tree"})},
                                                       {"size", 4},
                                                       {"refits", 2},
                                                       {"fit_rows", 0}}),
                             .engines = Value::object({{"proof", 0}}),
                             .about_features = false});

Result surrogates(const Model& model, const Source& source, const Value& options) {
  Context context(2);
  return run("surrogate", model, source, options, context);
}

template <class Shape>
const Shape& only(const Result& result) {
  const Shape* found = nullptr;
  for (const ResultItem& item : result.results) {
    if (item.is<Shape>()) {
      EXPECT_EQ(found, nullptr);
      found = item.as<Shape>();
    }
  }
  if (found == nullptr) throw std::runtime_error("no such item");
  return *found;
}

Value options_of(const std::vector<std::string>& learners, std::vector<Value::Member> more = {}) {
  Value options = Value::object({{"learner", learners}, {"frontier", false}, {"refits", 0}});
  for (auto& [name, value] : more) options.set(name, value);
  return options;
}

// x = 0 … 999: low below 300, high above 700, in between by whether y is even.
Table steps_table() {
  std::vector<double> x(1000), y(1000), noise(1000);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<double>(i * 37 % 1000);
    y[i] = static_cast<double>(i % 10);
    noise[i] = static_cast<double>(i * i % 101);
  }
  return numbers_table({"x", "y", "noise"}, {x, y, noise});
}
FunctionModel steps_model() {
  return FunctionModel({"x", "y", "noise"}, [](const auto& row) {
    return std::vector<double>{row[0] < 300 ? 1.0 : row[0] > 700 ? 9.0 : row[1] < 5 ? 4.0 : 6.0};
  });
}

TEST(Surrogate, ATreeFindsTheStepsOfAModelThatHasSome) {
  const Result result = surrogates(steps_model(), steps_table(), options_of({"tree"}));
  const auto& fidelity = only<Fidelity>(result);
  ASSERT_GE(fidelity.parts.size(), 2U);
  EXPECT_EQ(fidelity.parts[0].rows, FidelityRows::fitted);
  EXPECT_EQ(fidelity.parts[1].rows, FidelityRows::held_out);
  EXPECT_EQ(fidelity.parts[0].count, 750);
  EXPECT_EQ(fidelity.parts[1].count, 250);
  EXPECT_NEAR(fidelity.parts[0].fidelity, 1, 1e-12);
  EXPECT_GT(fidelity.parts[1].fidelity, 0.98);  // a threshold lies between the rows that it was fitted to
  EXPECT_EQ(fidelity.size, 4U);
  const auto& tree = only<ShownTree>(result);
  ASSERT_TRUE(tree.nodes[0].split.has_value());
  EXPECT_EQ(tree.nodes[0].split->feature, "x");
  for (const ShownNode& node : tree.nodes) EXPECT_TRUE(!node.split || node.split->feature != "noise");
}

// R² by its definition, from the tree that is shown.
TEST(Surrogate, FidelityIsWhatTheDefinitionSays) {
  const Table table = random_table(5, 400);
  const FunctionModel model({"a", "d"}, [](const auto& row) {
    return std::vector<double>{std::sin(3 * row[0]) + (std::isnan(row[1]) ? 0 : row[1] * row[1])};
  });
  const Result result = surrogates(model, table, options_of({"tree"}, {{"held_out", 0}, {"size", 5}, {"regions", 0}}));
  const auto& tree = only<ShownTree>(result);
  std::vector<double> a(table.rows()), d(table.rows());
  read_numbers(table.column(*table.schema().find("a")), a);
  read_numbers(table.column(*table.schema().find("d")), d);
  std::vector<double> says, follows;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::size_t node = 0;
    while (tree.nodes[node].split) {
      const ShownCondition& split = *tree.nodes[node].split;
      const double value = split.feature == "a" ? a[row] : d[row];
      const bool meets = std::isnan(value)
                             ? split.missing
                             : (!split.at_most || value <= *split.at_most) && (!split.above || value > *split.above);
      node = tree.nodes[node].children[meets ? 0 : 1];
    }
    says.push_back(std::sin(3 * a[row]) + (std::isnan(d[row]) ? 0 : d[row] * d[row]));
    follows.push_back(tree.nodes[node].value);
  }
  const double mean = std::accumulate(says.begin(), says.end(), 0.0) / static_cast<double>(says.size());
  double residual = 0, total = 0;
  for (std::size_t row = 0; row < says.size(); ++row) {
    residual += (says[row] - follows[row]) * (says[row] - follows[row]);
    total += (says[row] - mean) * (says[row] - mean);
  }
  EXPECT_NEAR(only<Fidelity>(result).parts.at(0).fidelity, 1 - residual / total, 1e-12);
  EXPECT_NEAR(*only<Fidelity>(result).parts.at(0).error, std::sqrt(residual / static_cast<double>(says.size())), 1e-12);
  EXPECT_TRUE(has_caveat(result, "fitted-fidelity"));
}

// The outcome changes nothing about what is fitted.
TEST(Surrogate, TheTargetIsNotLearned) {
  const Table table = random_table(6, 300);
  const FunctionModel model({"a", "d"}, [](const auto& row) { return std::vector<double>{row[0]}; });
  std::vector<Column> columns = table.columns();
  std::vector<double> other(table.rows());
  for (std::size_t row = 0; row < other.size(); ++row) other[row] = static_cast<double>(row * row % 17);
  columns[*table.schema().find("y")] = column_of(other);
  const Table changed(table.schema(), columns);
  const Value options = options_of({"tree"}, {{"target", "y"}});
  const Result one = surrogates(model, table, options), two = surrogates(model, changed, options);
  const Result none = surrogates(model, table, options_of({"tree"}));
  const auto shown = [](const Result& result) {
    Result tree_only;
    tree_only.results = {only<ShownTree>(result)};
    return to_json(tree_only);
  };
  EXPECT_EQ(shown(one), shown(two));
  EXPECT_EQ(shown(one), shown(none));
  const auto& with = only<Fidelity>(one).parts.at(1);
  const auto& without = only<Fidelity>(none).parts.at(1);
  EXPECT_EQ(with.fidelity, without.fidelity);
  EXPECT_TRUE(with.model.has_value() && with.surrogate.has_value());
  EXPECT_FALSE(without.model.has_value());
  EXPECT_NE(*with.model, *only<Fidelity>(two).parts.at(1).model);
}

TEST(Surrogate, TheWorstRegionIsNamed) {
  // Flat but for the last tenth of x, where it goes up and down.
  std::vector<double> x(2000), z(2000);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<double>(i);
    z[i] = static_cast<double>(i * 7919 % 2000);
  }
  const FunctionModel model({"x", "z"}, [](const auto& row) {
    return std::vector<double>{row[0] < 1500 ? row[0] / 1000 : std::fmod(row[0] * 7, 11.0)};
  });
  const Result result = surrogates(model, numbers_table({"x", "z"}, {x, z}), options_of({"tree"}, {{"size", 3}}));
  EXPECT_TRUE(has_caveat(result, "uneven-fidelity"));
  const auto& parts = only<Fidelity>(result).parts;
  ASSERT_GT(parts.size(), 2U);
  EXPECT_EQ(parts[2].rows, FidelityRows::region);
  EXPECT_EQ(parts[2].conditions.at(0).feature, "x");
}

TEST(Surrogate, NearOneRowOnlyItsSurroundingsCount) {
  const Table table = steps_table();
  const FunctionModel model({"x", "y", "noise"},
                            [](const auto& row) { return std::vector<double>{row[0] < 500 ? row[1] : 100 * row[2]}; });
  // Row 0 has x = 0: far from where noise matters.
  const Result near = surrogates(model, table, options_of({"tree"}, {{"near", 0}, {"width", 0.2}, {"size", 2}}));
  EXPECT_EQ(only<ShownTree>(near).nodes[0].split->feature, "y");
  EXPECT_THROW(surrogates(model, table, options_of({"tree"}, {{"near", 5000}})), Error);
}

TEST(Surrogate, ProvenLeavesHoldEveryPredictionOfTheModel) {
  const auto model = testing::random_trees(4, {.comparison = Comparison::float64_less_equal});
  const Table table = random_table(8, 500);
  const Result result =
      surrogates(*model, table, options_of({"tree"}, {{"output", "first"}, {"proof", 2000}, {"held_out", 0}}));
  double most = -1;
  for (const ResultItem& item : result.results) {
    const auto* figure = item.as<Figure>();
    if (figure != nullptr && figure->id.text() == "largest-disagreement") most = figure->value;
  }
  ASSERT_GE(most, 0);
  const Value* proven = only<ShownTree>(result).details.find("proven_leaves");
  ASSERT_NE(proven, nullptr);
  for (const Value& leaf : proven->as_array()) {
    const auto number = [&](const char* key) { return leaf.find(key)->as_number(); };
    EXPECT_LE(number("low"), number("least") + 1e-12);
    EXPECT_GE(number("high"), number("greatest") - 1e-12);
    EXPECT_LE(number("high") - number("value"), most + 1e-12);
    EXPECT_LE(number("value") - number("low"), most + 1e-12);
  }
  // No row contradicts the bound.
  EXPECT_LE(*only<Fidelity>(result).parts.at(0).error, most);
}

// Every row that is in a leaf is predicted within what is proven of it, also rows that nothing was fitted to.
TEST(Surrogate, NoRowContradictsAProvenLeaf) {
  const Table table = random_table(9, 600);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto model = testing::random_trees(seed, {.comparison = Comparison::float64_less_equal});
    const Result result = surrogates(*model, table, options_of({"tree"}, {{"output", "first"}, {"proof", 20}}));
    const auto& tree = only<ShownTree>(result);
    std::map<std::string, std::pair<double, double>> proven;
    for (const Value& leaf : tree.details.find("proven_leaves")->as_array()) {
      proven[leaf.find("leaf")->as_string()] = {leaf.find("low")->as_number(), leaf.find("high")->as_number()};
    }
    Context context(1);
    Evaluator evaluator(*model, table, {}, {.predict = {.scale = Scale::response}}, context);
    evaluator.begin("test", table.rows());
    Matrix predictions;
    const auto stream = table.open(evaluator.columns(), 1000);
    const auto block = stream->next();
    evaluator.evaluate(*block, predictions);
    std::size_t seen = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      std::size_t node = 0;
      while (tree.nodes[node].split) {
        const ShownCondition& split = *tree.nodes[node].split;
        const std::uint32_t column = *table.schema().find(split.feature);
        const double value = table.column(column).number(row);
        bool meets = split.missing;
        if (!std::isnan(value) && split.categorical) {
          const std::string level = table.schema()[column].levels()[static_cast<std::size_t>(value)];
          meets = std::find(split.levels.begin(), split.levels.end(), level) != split.levels.end();
        } else if (!std::isnan(value)) {
          meets = split.at_most ? value <= *split.at_most : split.above ? value > *split.above : !split.missing;
        }
        node = tree.nodes[node].children[meets ? 0 : 1];
      }
      double low = -1e300, high = 1e300;
      for (const auto& [leaf, range] : proven) {
        // Leaves are known by their value.
        for (const Value& each : tree.details.find("proven_leaves")->as_array()) {
          if (each.find("leaf")->as_string() == leaf && each.find("value")->as_number() == tree.nodes[node].value) {
            low = range.first;
            high = range.second;
          }
        }
      }
      if (low == -1e300) continue;
      ++seen;
      EXPECT_GE(predictions(row, 0), low - 1e-9);
      EXPECT_LE(predictions(row, 0), high + 1e-9);
    }
    EXPECT_GT(seen, table.rows() / 2);
  }
}

// All kinds at once, with their sizes and refits.
TEST(Surrogate, UsualKindsInOneRun) {
  const Result result =
      surrogates(steps_model(), steps_table(), Value::object({{"refits", 4}, {"learner", Value::array()}}));
  std::map<std::string, double> shares;
  for (const ResultItem& item : result.results) {
    const auto* fidelity = item.as<Fidelity>();
    if (fidelity != nullptr) shares[fidelity->surrogate] = fidelity->parts.at(1).fidelity;
  }
  ASSERT_EQ(shares.size(), 5U);
  EXPECT_GT(shares.at("tree"), 0.98);
  EXPECT_GT(shares.at("optimal-tree"), 0.98);
  EXPECT_GT(shares.at("rules"), 0.9);
  EXPECT_GT(shares.at("gam"), 0.9);
  EXPECT_GT(shares.at("linear"), 0.6);
  const auto& frontier = only<Frontier>(result);
  EXPECT_EQ(std::count_if(frontier.points.begin(), frontier.points.end(), [](const auto& p) { return p.chosen; }), 1);
  for (const FrontierPoint& point : frontier.points) EXPECT_GT(point.size, 0U) << point.learner;
}

TEST(Surrogate, ClassesByVotes) {
  TreeStructure structure;
  structure.nodes.resize(5);
  structure.nodes[0] = {.left = 1, .right = 2, .feature = 0, .threshold = 299};
  structure.nodes[1].leaf = 0;
  structure.nodes[2] = {.left = 3, .right = 4, .feature = 0, .threshold = 700};
  structure.nodes[3].leaf = 1;
  structure.nodes[4].leaf = 2;
  structure.leaf_values = {0.8, 0.1, 0.1, 0.2, 0.2, 0.6, 0.1, 0.7, 0.2};
  Signature signature;
  signature.task = Task::multiclass;
  signature.features = {{.name = "x"}, {.name = "y"}, {.name = "noise"}};
  signature.outputs = {"red", "green", "blue"};
  const auto model = make_model(signature, {}, structure, "test");
  const Result result = surrogates(*model, steps_table(), options_of({"tree"}, {{"votes", true}}));
  const auto& fidelity = only<Fidelity>(result);
  EXPECT_EQ(fidelity.measure, "agreement");
  EXPECT_GT(fidelity.parts.at(1).fidelity, 0.98);
  EXPECT_EQ(only<ShownTree>(result).classes, (std::vector<std::string>{"red", "green", "blue"}));
}

TEST(Surrogate, RefusesWhatMakesNoSense) {
  const Table table = steps_table();
  EXPECT_THROW(surrogates(steps_model(), table, options_of({"forest"})), Error);
  EXPECT_THROW(surrogates(steps_model(), table, options_of({"tree"}, {{"held_out", 1}})), Error);
  EXPECT_THROW(surrogates(steps_model(), table, options_of({"tree"}, {{"votes", true}})), Error);
  const Result few = surrogates(steps_model(), table.slice(0, 5), options_of({"tree"}));
  EXPECT_TRUE(few.results.empty());
  EXPECT_TRUE(has_caveat(few, "too-few-rows"));
}

TEST(Agreement, LiteralNumbers) {
  const std::vector<double> f = {1, 2, 3, 4}, g = {1, 2, 3, 2}, w = {1, 1, 1, 1};
  const Agreement all = agreement(f, g, w, {0, 1, 2, 3});
  EXPECT_NEAR(all.r2, 1 - 4.0 / 5, 1e-15);
  EXPECT_NEAR(all.mean_square, 1, 1e-15);
  // A row twice is a row of weight 2.
  const Agreement twice = agreement(std::vector<double>{1, 1, 2, 3}, std::vector<double>{1, 1, 3, 3}, w, {0, 1, 2, 3});
  const Agreement weighted =
      agreement(std::vector<double>{1, 2, 3}, std::vector<double>{1, 3, 3}, std::vector<double>{2, 1, 1}, {0, 1, 2});
  EXPECT_NEAR(twice.r2, weighted.r2, 1e-15);
  // A model that does not vary.
  EXPECT_EQ(agreement(std::vector<double>{2, 2}, std::vector<double>{2, 2}, w, {0, 1}).r2, 1);
  EXPECT_EQ(agreement(std::vector<double>{2, 2}, std::vector<double>{2, 3}, w, {0, 1}).r2, 0);
}

TEST(Knee, IsWhereMoreStopsPaying) {
  Frontier frontier;
  const auto add = [&](const char* learner, std::uint64_t size, double value) {
    frontier.points.push_back({.learner = learner, .title = learner, .size = size, .value = value});
  };
  add("tree", 2, 0.3);
  add("tree", 4, 0.7);
  add("tree", 8, 0.75);
  add("tree", 16, 0.78);
  add("linear", 4, 0.5);
  mark_frontier(frontier);
  EXPECT_TRUE(frontier.points[1].chosen);
  EXPECT_FALSE(frontier.points[3].chosen);
  EXPECT_TRUE(frontier.points[3].best);
  EXPECT_FALSE(frontier.points[4].best);
}

}  // namespace
}  // namespace sightglass
