#include "sightglass/methods/examples/prototypes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/model/no_model.h"
#include "sightglass/result/json.h"
#include "sightglass/result/shapes/examples.h"
#include "sightglass/result/shapes/fidelity.h"
#include "sightglass/result/shapes/tree.h"
#include "support/caveats.h"
#include "support/function_model.h"
#include "support/law_cases.h"
#include "support/number_tables.h"
#include "support/random_data.h"

namespace sightglass {
namespace {

using testing::FunctionModel;
using testing::has_caveat;
using testing::numbers_table;
using testing::random_table;

const testing::LawCase laws("prototypes", {.options = Value::object({{"prototypes", 5}, {"criticisms", 3}}),
                                           .engines = Value::object({{"attributions", 0}}),
                                           .draws = false,
                                           .keeps_row_order = true});
const testing::LawCase surrogate_laws(
    "prototypes:surrogate",
    {.options = Value::object({{"prototypes", 12}, {"surrogate", Value(std::vector<std::string>{"linear"})}}),
     .engines = Value::object({{"attributions", 0}})});

Result found(const Source& source, std::vector<Value::Member> told, const Model& model = no_model()) {
  Value options = Value::object();
  for (auto& [name, value] : told) options.set(name, value);
  Context context(2);
  return run("prototypes", model, source, options, context);
}

const Examples& of_role(const Result& result, ExampleRole role) {
  for (const ResultItem& item : result.results) {
    const auto* examples = item.as<Examples>();
    if (examples != nullptr && examples->role == role) return *examples;
  }
  throw std::runtime_error("no such item");
}

std::set<std::uint64_t> rows_in(const Examples& examples) {
  std::set<std::uint64_t> rows;
  for (const Example& example : examples.rows) rows.insert(example.row);
  return rows;
}

// Three clusters of 40 rows around 0, 10 and 20 with a class each, and two rows far from all.
Table clusters() {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> a, b;
  std::vector<std::int32_t> kind;
  for (int i = 0; i < 120; ++i) {
    a.push_back(10 * (i % 3) + 0.3 * normal(random));
    b.push_back(5 * (i % 3 == 1 ? 1 : 0) + 0.3 * normal(random));
    kind.push_back(i % 3);
  }
  a.insert(a.end(), {10, 30});
  b.insert(b.end(), {-20, 25});
  kind.insert(kind.end(), {0, 2});
  const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"first", "second", "third"});
  return Table(
      Schema({{.name = "a"}, {.name = "b"}, {.name = "kind", .type = DType::categorical, .dictionary = dictionary}}),
      {column_of(a), column_of(b), column_of(kind, dictionary.get())});
}

TEST(PrototypesMethod, CoverEveryClusterAndCriticiseWhatIsFarFromAll) {
  const Result result = found(clusters(), {{"target", "kind"}, {"prototypes", 3}, {"criticisms", 4}});
  const Examples& prototypes = of_role(result, ExampleRole::prototype);
  ASSERT_EQ(prototypes.rows.size(), 3U);
  std::set<std::string> classes;
  for (const Example& example : prototypes.rows) {
    classes.insert(example.own_class);
    EXPECT_NEAR(*example.stands_for, 40, 2);
  }
  EXPECT_EQ(classes.size(), 3U);
  EXPECT_EQ(prototypes.rows[0].data.find("a")->is_number(), true);
  EXPECT_GT(*prototypes.rows[2].accuracy, 0.98);
  EXPECT_LT(*prototypes.rows[2].objective, *prototypes.rows[0].objective / 10);
  // The first one is where rows are denser than prototypes; then those that nothing stands for.
  const Examples& criticisms = of_role(result, ExampleRole::criticism);
  EXPECT_TRUE(rows_in(criticisms).contains(120));
  EXPECT_TRUE(rows_in(criticisms).contains(121));
  for (const Example& odd : criticisms.rows) {
    if (odd.row < 120) continue;
    EXPECT_EQ(odd.special[0].feature, "b");
    EXPECT_GT(std::abs(*odd.special[0].deviation), 4);
  }
  EXPECT_FALSE(has_caveat(result, "kernel-decides"));
  ASSERT_TRUE(prototypes.map.has_value());
  EXPECT_NEAR(*prototypes.map->shown, 1, 1e-9);
  EXPECT_EQ(prototypes.map->x.size(), 122U);
}

TEST(PrototypesMethod, EachClassHasItsOwn) {
  const Result result =
      found(clusters(), {{"target", "kind"}, {"per_class", true}, {"prototypes", 7}, {"criticisms", 3}});
  std::map<std::string, int> counts;
  for (const Example& example : of_role(result, ExampleRole::prototype).rows) ++counts[example.own_class];
  EXPECT_EQ(counts, (std::map<std::string, int>{{"first", 3}, {"second", 2}, {"third", 2}}));
  EXPECT_EQ(of_role(result, ExampleRole::criticism).rows.size(), 3U);
  EXPECT_THROW((void)found(clusters(), {{"per_class", true}}), Error);
}

TEST(PrototypesMethod, AModelSaysWhatItPredictsAndWhy) {
  const FunctionModel model(
      {"a", "b"}, [](const std::vector<double>& x) { return std::vector<double>{2 * x[0] + x[1]}; }, {"number"});
  const Result result = found(
      clusters(),
      {{"prototypes", 20}, {"criticisms", 1}, {"surrogate", Value(std::vector<std::string>{"linear", "tree"})}}, model);
  const Examples& prototypes = of_role(result, ExampleRole::prototype);
  for (const Example& example : prototypes.rows) {
    const double a = example.data.find("a")->as_number(), b = example.data.find("b")->as_number();
    EXPECT_NEAR(*example.prediction, 2 * a + b, 1e-12);
    ASSERT_EQ(example.attributions.size(), 2U);
    EXPECT_GE(std::abs(example.attributions[0].value), std::abs(example.attributions[1].value));
  }
  int fidelities = 0;
  for (const ResultItem& item : result.results) {
    const auto* fidelity = item.as<Fidelity>();
    if (fidelity == nullptr) continue;
    ++fidelities;
    // A line is found from twenty rows; measured on all rows.
    if (fidelity->surrogate == "linear") {
      EXPECT_GT(fidelity->parts[1].fidelity, 0.99);
    }
    EXPECT_EQ(fidelity->parts[0].count, 122);
    EXPECT_EQ(fidelity->parts[1].count, 122);
  }
  EXPECT_EQ(fidelities, 2);
  EXPECT_THROW((void)found(clusters(), {{"surrogate", Value(std::vector<std::string>{"tree"})}}), Error);
}

TEST(PrototypesMethod, DuplicatedRowsAreWeights) {
  const Table table = random_table(5, 150);
  std::vector<std::uint64_t> duplicated;
  for (std::uint64_t row = 0; row < table.rows(); ++row) {
    for (int k = 0; k < static_cast<int>(table.column(4).number(row)); ++k) duplicated.push_back(row);
  }
  const std::vector<Value::Member> told{{"features", Value(std::vector<std::string>{"a", "b", "c", "d"})},
                                        {"prototypes", 12}};
  const Result weighted = found(table.with_weights(4), told);
  const Result repeated = found(testing::rows_of(table, duplicated), told);
  for (const ExampleRole role : {ExampleRole::prototype, ExampleRole::criticism}) {
    const Examples &a = of_role(weighted, role), &b = of_role(repeated, role);
    ASSERT_EQ(a.rows.size(), b.rows.size());
    for (std::size_t i = 0; i < a.rows.size(); ++i) {
      EXPECT_EQ(duplicated[b.rows[i].row], a.rows[i].row);
      EXPECT_NEAR(*a.rows[i].objective, *b.rows[i].objective, 1e-12);
      EXPECT_EQ(a.rows[i].stands_for, b.rows[i].stands_for);
    }
  }
}

TEST(PrototypesMethod, OddDataAreLegal) {
  // Fewer rows than prototypes, and duplicates only.
  const Result few = found(numbers_table({"a"}, {{1, 2, 3}}), {});
  EXPECT_EQ(of_role(few, ExampleRole::prototype).rows.size(), 3U);
  EXPECT_TRUE(has_caveat(few, "few-distinct-rows"));
  const Result same = found(numbers_table({"a", "b"}, {{1, 1, 1, 1}, {2, 2, 2, 2}}), {});
  ASSERT_EQ(of_role(same, ExampleRole::prototype).rows.size(), 1U);
  EXPECT_EQ(*of_role(same, ExampleRole::prototype).rows[0].stands_for, 4);
  EXPECT_EQ(*of_role(same, ExampleRole::prototype).rows[0].objective, 0);
  EXPECT_TRUE(has_caveat(same, "constant-feature"));
  const Result none = found(numbers_table({"a", "b"}, {{NAN, NAN, NAN}, {1, 2, 4}}), {{"prototypes", 2}});
  EXPECT_EQ(of_role(none, ExampleRole::prototype).rows.size(), 2U);
  EXPECT_TRUE(has_caveat(none, "no-values"));
}

TEST(PrototypesMethod, SaysWhenTheKernelDecides) {
  const Table table = random_table(9, 300);
  for (const double gamma : {1e-6, 1e6}) {
    const Result result = found(table, {{"gamma", gamma}, {"features", Value(std::vector<std::string>{"a", "b"})}});
    EXPECT_TRUE(has_caveat(result, "kernel-decides")) << gamma;
    EXPECT_EQ(of_role(result, ExampleRole::prototype).rows.size(), 30U);
  }
  EXPECT_THROW((void)found(table, {{"gamma", 0.0}}), Error);
  EXPECT_THROW((void)found(table, {{"gamma", INFINITY}}), Error);
  EXPECT_THROW((void)found(table, {{"prototypes", 0}}), Error);
  EXPECT_THROW((void)found(table, {{"map", Value(std::vector<std::string>{"a"})}}), Error);
  EXPECT_THROW((void)found(table, {{"map", Value(std::vector<std::string>{"a", "c"})}}), Error);
}

TEST(PrototypesMethod, AMapOfTwoFeatures) {
  const Result result = found(clusters(), {{"map", Value(std::vector<std::string>{"b", "a"})}, {"prototypes", 2}});
  const Examples& prototypes = of_role(result, ExampleRole::prototype);
  EXPECT_EQ(prototypes.map->axes, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(*prototypes.rows[0].x, prototypes.rows[0].data.find("b")->as_number());
  EXPECT_FALSE(prototypes.map->shown.has_value());
}

TEST(PrototypesMethod, JsonIsReadAsItWasWritten) {
  const Result result = found(clusters(), {{"target", "kind"}, {"prototypes", 3}});
  const std::string json = to_json(result);
  EXPECT_EQ(to_json(result_from_json(json, "test")), json);
}

}  // namespace
}  // namespace sightglass
