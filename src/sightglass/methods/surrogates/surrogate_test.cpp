#include "sightglass/methods/surrogates/surrogate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sightglass/methods/run/session.h"
#include "sightglass/methods/surrogates/fidelity/agreement.h"
#include "sightglass/methods/surrogates/fidelity/knee.h"
#include "sightglass/model/evaluator.h"
#include "sightglass/model/learned/structure.h"
#include "sightglass/result/json.h"
#include "sightglass/result/shapes/fidelity.h"
#include "sightglass/result/shapes/frontier.h"
#include "sightglass/result/shapes/rules.h"
#include "sightglass/result/shapes/scorecard.h"
#include "sightglass/result/shapes/terms.h"
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
  Value options = Value::object({{"learner", learners}, {"frontier", false}, {"refits", 0}, {"alternatives", 0}});
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
  const FidelityPart* worst = worst_region(only<Fidelity>(result));
  ASSERT_NE(worst, nullptr);
  EXPECT_EQ(worst->conditions.at(0).feature, "x");
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
  for (const Rule& leaf : only<Rules>(result).rules) {
    if (!leaf.range) continue;
    EXPECT_LE(leaf.range->low, leaf.range->least + 1e-12);
    EXPECT_GE(leaf.range->high, leaf.range->greatest - 1e-12);
    EXPECT_LE(leaf.range->high - *leaf.effect, most + 1e-12);
    EXPECT_LE(*leaf.effect - leaf.range->low, most + 1e-12);
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
    const auto& leaves = only<Rules>(result).rules;
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
      for (const Rule& leaf : leaves) {  // known by their value
        if (!leaf.range || *leaf.effect != tree.nodes[node].value) continue;
        low = leaf.range->low;
        high = leaf.range->high;
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
  EXPECT_NE(worst_region(fidelity), nullptr);
  // Nothing is below the entropy of the model's own probabilities.
  for (const FidelityPart& part : fidelity.parts) EXPECT_GE(*part.log_loss, *part.entropy);
  // One leaf for one class too few: what is left out is where it fails.
  const Result two = surrogates(*model, steps_table(), options_of({"tree"}, {{"votes", true}, {"size", 2}}));
  EXPECT_TRUE(has_caveat(two, "uneven-fidelity"));
  // One per class: together they name classes as well.
  const Result each = surrogates(*model, steps_table(), options_of({"tree"}));
  const auto together = std::find_if(each.results.begin(), each.results.end(), [](const ResultItem& item) {
    return item.is<Fidelity>() && item.as<Fidelity>()->measure == "agreement";
  });
  ASSERT_NE(together, each.results.end());
  EXPECT_GT(overall_part(*together->as<Fidelity>())->fidelity, 0.98);
}

// A claim about a rule is what the inputs say: where it is refuted, the model is asked about the input and agrees.
TEST(Surrogate, ARefutedClaimComesWithAnInputThatBreaksIt) {
  TreeStructure structure;
  structure.nodes.resize(5);
  structure.nodes[0] = {.left = 1, .right = 2, .feature = 0, .threshold = 500.5};
  structure.nodes[1].leaf = 0;  // 1 wherever x <= 500.5, where the surrogate will cut as well
  structure.nodes[2] = {.left = 3, .right = 4, .feature = 1, .threshold = 0};
  structure.nodes[3].leaf = 1;  // y = 0, a tenth of the rows: 0
  structure.nodes[4].leaf = 2;  // 11
  structure.leaf_values = {1, 0, 11};
  Signature signature;
  signature.features = {{.name = "x"}, {.name = "y"}, {.name = "noise"}};
  signature.outputs = {"prediction"};
  const auto model = make_model(signature, {}, structure, "test");
  const Result result = surrogates(*model, steps_table(), options_of({"tree"}, {{"size", 2}, {"held_out", 0}}));
  const auto& leaves = only<Rules>(result).rules;
  ASSERT_EQ(leaves.size(), 2U);
  ASSERT_EQ(leaves[0].conditions.at(0).feature, "x");
  for (const Rule& leaf : leaves) {
    ASSERT_TRUE(leaf.range.has_value());
    SCOPED_TRACE(conditions_text(leaf.conditions));
    EXPECT_NEAR(leaf.range->bound, 0.5 * 1 + 0.5 * 0.9 * 11, 0.2);
    if (*leaf.effect < 5) {
      EXPECT_EQ(leaf.range->status, ClaimStatus::proven);  // 1 is below the mean for every input
      EXPECT_EQ(leaf.range->low, 1);
      EXPECT_EQ(leaf.range->high, 1);
      EXPECT_FALSE(leaf.range->claims_more);
    } else {
      EXPECT_EQ(leaf.range->status, ClaimStatus::refuted);
      EXPECT_EQ(leaf.range->least, 0);
      EXPECT_EQ(leaf.range->at_least.find("y")->as_number(), 0);
      EXPECT_GT(leaf.range->at_least.find("x")->as_number(), 500.5);
    }
  }
}

// Rows made of a grid have combinations that the data lack: y = x in the data, the model tells them apart.
TEST(Surrogate, FittedToAGridItIsMeasuredOnTheDataToo) {
  std::vector<double> x(400), y(400);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = y[i] = static_cast<double>(i % 20);
  const FunctionModel model(
      {"x", "y"}, [](const auto& row) { return std::vector<double>{row[0] == row[1] ? row[0] / 10 : 10 + row[0]}; });
  const Table table = numbers_table({"x", "y"}, {x, y});
  const Result grid = surrogates(
      model, table,
      options_of({"tree"}, {{"rows_from", "grid"}, {"grid", 20}, {"size", 20}, {"held_out", 0.25}, {"regions", 0}}));
  const auto& parts = only<Fidelity>(grid).parts;
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].rows, FidelityRows::fitted);
  EXPECT_EQ(parts[0].count + parts[1].count, 400);  // all 20 × 20 combinations, each once
  EXPECT_EQ(parts[2].rows, FidelityRows::data);
  EXPECT_EQ(parts[2].count, 400);
  EXPECT_GT(parts[1].fidelity, 0.3);
  EXPECT_LT(parts[2].fidelity, 0);
  EXPECT_EQ(overall_part(only<Fidelity>(grid)), &parts[2]);
  EXPECT_TRUE(has_caveat(grid, "off-data-fidelity"));
  EXPECT_TRUE(has_caveat(grid, "made-rows"));
  // The other way round: made rows show how a surrogate of the data does off them.
  const Result data = surrogates(model, table, options_of({"tree"}, {{"regions", 0}, {"size", 20}}));
  EXPECT_EQ(only<Fidelity>(data).parts.back().rows, FidelityRows::made);
  EXPECT_GT(overall_part(only<Fidelity>(data))->fidelity, 0.9);
  EXPECT_LT(only<Fidelity>(data).parts.back().fidelity, 0);
  EXPECT_THROW(surrogates(model, table, options_of({"tree"}, {{"rows_from", "grid"}, {"near", 0}})), Error);
}

// Features that are not chosen keep the values of a row of the data.
TEST(Surrogate, AGridOfSomeFeaturesTakesTheOthersFromTheData) {
  const Result result = surrogates(
      steps_model(), steps_table(),
      options_of({"tree"}, {{"rows_from", "grid"}, {"features", std::vector<std::string>{"x"}}, {"fit_rows", 600}}));
  const auto& parts = only<Fidelity>(result).parts;
  EXPECT_EQ(parts[0].count + parts[1].count, 600);
  EXPECT_GT(overall_part(only<Fidelity>(result))->fidelity, 0.8);
}

TEST(Surrogate, RegionsOfAPartitionAverageToTheWhole) {
  const Table table = steps_table();
  const FunctionModel model({"x", "y", "noise"}, [](const auto& row) {
    return std::vector<double>{row[0] / 100 + (row[1] < 5 ? row[2] / 10 : 0)};
  });
  const Result result =
      surrogates(model, table, options_of({"tree"}, {{"held_out", 0}, {"size", 3}, {"far_rows", 0}, {"regions", 2}}));
  const auto& parts = only<Fidelity>(result).parts;
  double sum = 0, count = 0;
  for (const FidelityPart& part : parts) {
    if (part.rows != FidelityRows::region || part.conditions.size() != 1 || part.conditions[0].feature != "y") continue;
    sum += part.count * part.fidelity;
    count += part.count;
  }
  ASSERT_EQ(count, 1000);
  EXPECT_NEAR(sum / count, parts[0].fidelity, 1e-12);
  // One definition of the worst: the largest error, which is the lowest fidelity, and the first among the regions.
  const FidelityPart* worst = worst_region(only<Fidelity>(result));
  ASSERT_EQ(worst, &parts[1]);
  for (const FidelityPart& part : parts) {
    if (part.rows == FidelityRows::region) {
      EXPECT_LE(*part.error, *worst->error + 1e-12);
    }
  }
}

TEST(Surrogate, OtherTreesThatAreAsGoodAreListed) {
  // b is a twin of a: a tree without either is as good.
  std::vector<double> a(600), b(600), c(600);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = b[i] = static_cast<double>(i * 7 % 600);
    c[i] = static_cast<double>(i % 3);
  }
  const FunctionModel model({"a", "b", "c"}, [](const auto& row) {
    return std::vector<double>{(row[0] > 300 ? 5.0 : 0.0) + (row[2] > 1 ? 2.0 : 0.0)};
  });
  const Result result = surrogates(model, numbers_table({"a", "b", "c"}, {a, b, c}),
                                   options_of({"tree"}, {{"size", 4}, {"alternatives", 0.01}}));
  std::vector<std::string> subjects;
  for (const ResultItem& item : result.results) {
    const auto* card = item.as<Scorecard>();
    if (card == nullptr || card->details.find("tolerance") == nullptr) continue;
    for (const Score& score : card->scores) {
      if (score.quality == "features") subjects.push_back(score.subject + ": " + score.note);
    }
  }
  EXPECT_EQ(subjects, (std::vector<std::string>{"tree: a, c", "without a: b, c"}));
}

// As one term they would be 599 coefficients, and a minute's work where they are thousands.
TEST(Surrogate, OfHundredsOfLevelsEachIsATermOfItsOwn) {
  constexpr std::size_t rows = 3000;
  std::vector<std::string> names;
  for (int i = 0; i < 600; ++i) names.push_back("city " + std::to_string(i));
  const auto dictionary = std::make_shared<Dictionary>(names);
  std::vector<std::int32_t> city(rows);
  std::vector<double> area(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    city[i] = static_cast<std::int32_t>(i % 3 == 0 ? 7 : i % 600);
    area[i] = static_cast<double>(i * 37 % 101);
  }
  Schema schema({{.name = "city", .type = DType::categorical, .dictionary = dictionary},
                 {.name = "area", .type = DType::float64}});
  const Table table(std::move(schema), {column_of(std::move(city), dictionary.get()), column_of(std::move(area))});
  const FunctionModel model({"city", "area"},
                            [](const auto& row) { return std::vector<double>{(row[0] == 7 ? 50.0 : 0.0) + row[1]}; });
  const Result result = surrogates(model, table, options_of({"linear"}));
  const auto& terms = only<Terms>(result);
  EXPECT_LE(terms.terms.size(), 8U);
  const auto of_city = std::find_if(terms.terms.begin(), terms.terms.end(),
                                    [](const LinearTerm& term) { return term.features[0] == "city"; });
  ASSERT_NE(of_city, terms.terms.end());
  EXPECT_EQ(term_text(*of_city), "city = city 7");
}

TEST(Surrogate, TheScorecardHasALinePerQuality) {
  const Result result =
      surrogates(steps_model(), steps_table(), options_of({"tree", "linear"}, {{"refits", 3}, {"held_out", 0.2}}));
  std::map<std::string, std::map<std::string, double>> scores;
  for (const Score& score : only<Scorecard>(result).scores) scores[score.quality][score.subject] = score.value;
  EXPECT_EQ(scores.at("size").at("tree"), 4);
  EXPECT_EQ(scores.at("depth").at("tree"), 3);
  EXPECT_EQ(scores.at("conditions").at("tree"), 3);
  EXPECT_EQ(scores.at("feature-count").at("tree"), 2);
  EXPECT_EQ(scores.at("representativeness").at("tree"), 1);
  EXPECT_EQ(scores.at("consistency").at("tree"), scores.at("consistency").at("linear"));
  EXPECT_GT(scores.at("fidelity-near").at("tree"), scores.at("fidelity-near").at("linear"));
  EXPECT_GT(scores.at("fidelity-far").at("tree"), 0.9);  // nothing in this model depends on what goes together
  EXPECT_EQ(scores.count("accuracy"), 0U);
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

TEST(ClassAgreement, LiteralNumbers) {
  Matrix model(2, 1), surrogate(2, 1);
  model.span()(0, 0) = 0.8;
  model.span()(1, 0) = 0.4;
  surrogate.span()(0, 0) = 0.6;
  surrogate.span()(1, 0) = 0.7;
  const Matrix &f = model, &g = surrogate;
  const ClassAgreement found = class_agreement(f.span(), g.span(), std::vector<double>{1, 3}, {0, 1});
  EXPECT_NEAR(found.share, 0.25, 1e-15);
  EXPECT_NEAR(found.commonest, 0.75, 1e-15);
  const double first = -(0.8 * std::log(0.6) + 0.2 * std::log(0.4));
  const double second = -(0.4 * std::log(0.7) + 0.6 * std::log(0.3));
  EXPECT_NEAR(found.log_loss, (first + 3 * second) / 4, 1e-12);
  const double own = -(0.8 * std::log(0.8) + 0.2 * std::log(0.2)), other = -(0.4 * std::log(0.4) + 0.6 * std::log(0.6));
  EXPECT_NEAR(found.entropy, (own + 3 * other) / 4, 1e-12);
  // The model against itself leaves nothing but its entropy.
  EXPECT_NEAR(class_agreement(f.span(), f.span(), std::vector<double>{1, 3}, {0, 1}).log_loss, found.entropy, 1e-15);
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
