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
#include "sightglass/result/shapes/figure.h"
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

std::optional<Severity> severity_of(const Result& result, std::string_view id) {
  for (const Caveat& caveat : result.caveats) {
    if (caveat.id == id) return caveat.severity;
  }
  return std::nullopt;
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
  // Other rows of the same clusters would do as well.
  EXPECT_EQ(severity_of(result, "kernel-decides"), Severity::note);
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
    EXPECT_EQ(fidelity->parts[0].count, 20);
    EXPECT_EQ(fidelity->parts[1].count, 122);
  }
  EXPECT_EQ(fidelities, 2);
  EXPECT_THROW((void)found(clusters(), {{"surrogate", Value(std::vector<std::string>{"tree"})}}), Error);
}

TEST(PrototypesMethod, SaysWhereASurrogateHasTooFewPrototypes) {
  const FunctionModel model(
      {"a", "b"}, [](const std::vector<double>& x) { return std::vector<double>{2 * x[0] + x[1]}; }, {"number"});
  const Value tree(std::vector<std::string>{"tree"});
  const Result few = found(clusters(), {{"prototypes", 3}, {"criticisms", 0}, {"surrogate", tree}}, model);
  EXPECT_EQ(severity_of(few, "few-prototypes"), Severity::caution);
  for (const Caveat& caveat : few.caveats) EXPECT_EQ(caveat.message.plain().find("grid"), std::string::npos);
}

TEST(PrototypesMethod, SaysWhereThereAreMoreOrFewerRowsThanAskedFor) {
  const Result one = found(clusters(), {{"target", "kind"}, {"per_class", true}, {"prototypes", 1}, {"criticisms", 0}});
  EXPECT_EQ(severity_of(one, "one-per-class"), Severity::note);
  const Table few = testing::numbers_table({"a"}, {{1, 2, 3, 3, INFINITY}});
  const Result scarce = found(few, {{"prototypes", 3}, {"criticisms", 3}});
  EXPECT_EQ(severity_of(scarce, "few-criticisms"), Severity::note);
  EXPECT_EQ(severity_of(scarce, "infinite-values"), Severity::note);
  EXPECT_EQ(severity_of(found(few, {{"prototypes", 9}}), "few-distinct-rows"), Severity::note);
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
    EXPECT_EQ(severity_of(result, "kernel-decides"), Severity::caution) << gamma;
    EXPECT_EQ(of_role(result, ExampleRole::prototype).rows.size(), 30U);
  }
  EXPECT_THROW((void)found(table, {{"gamma", 0.0}}), Error);
  EXPECT_THROW((void)found(table, {{"gamma", INFINITY}}), Error);
  EXPECT_THROW((void)found(table, {{"gamma", 1e308}}), Error);
  EXPECT_THROW((void)found(table, {{"prototypes", 10001}}), Error);
  EXPECT_THROW((void)found(table, {{"criticisms", 501}}), Error);
  EXPECT_THROW((void)found(table, {{"prototypes", 0}}), Error);
  EXPECT_THROW((void)found(table, {{"map", Value(std::vector<std::string>{"a"})}}), Error);
  EXPECT_THROW((void)found(table, {{"map", Value(std::vector<std::string>{"a", "c"})}}), Error);
}

// What the sweep says is what another γ would have chosen.
TEST(PrototypesMethod, TheSweepComparesTheRowsChosen) {
  const Table table = random_table(9, 200);
  const std::vector<Value::Member> told{{"features", Value(std::vector<std::string>{"a", "b", "c"})},
                                        {"prototypes", 10}};
  const Result result = found(table, told);
  const Examples& own = of_role(result, ExampleRole::prototype);
  const double gamma = own.details.find("gamma")->as_number();
  for (const Value& other : own.details.find("sweep")->as_array()) {
    std::vector<Value::Member> also = told;
    also.emplace_back("gamma", other.find("gamma")->as_number());
    const auto theirs = rows_in(of_role(found(table, also), ExampleRole::prototype));
    double common = 0;
    for (const Example& example : own.rows) common += theirs.contains(example.row) ? 1 : 0;
    EXPECT_NEAR(other.find("overlap")->as_number(), common / 10, 1e-12);
    EXPECT_GT(std::abs(std::log(other.find("gamma")->as_number() / gamma)), 1);
  }
}

class Classifier : public FunctionModel {
 public:
  Classifier(const testing::RowFunction& function, std::vector<std::string> outputs)
      : FunctionModel({"a"}, function, std::move(outputs)), own_(FunctionModel::signature()) {
    own_.task = own_.outputs.size() == 1 ? Task::binary : Task::multiclass;
  }
  [[nodiscard]] const Signature& signature() const override { return own_; }

 private:
  Signature own_;
};

class TwoClasses : public Classifier {
 public:
  explicit TwoClasses(const std::string& output)
      : Classifier([](const auto& x) { return std::vector<double>{x[0] > 2 ? 0.9 : 0.2}; }, {output}) {}
};

TEST(PrototypesMethod, OfTwoClassesTheModelSaysOneAndWhetherItIsTrue) {
  const auto names = std::make_shared<Dictionary>(std::vector<std::string>{"cat", "dog"});
  const Table table(
      Schema({{.name = "a"}, {.name = "kind", .type = DType::categorical, .dictionary = names}}),
      {column_of(std::vector<double>{1, 2, 3, 4}), column_of(std::vector<std::int32_t>{0, 1, 1, 1}, names.get())});
  const auto said = [](const Result& result) {
    std::map<std::uint64_t, std::string> rows;
    for (const Example& each : of_role(result, ExampleRole::prototype).rows) {
      rows[each.row] = each.predicted_class;
      if (each.error) rows[each.row] += *each.error != 0 ? " wrong" : " right";
    }
    return rows;
  };
  const Result result = found(table, {{"target", "kind"}}, TwoClasses("dog"));
  EXPECT_EQ(said(result), (std::map<std::uint64_t, std::string>{
                              {0, "cat right"}, {1, "cat wrong"}, {2, "dog right"}, {3, "dog right"}}));
  EXPECT_EQ(of_role(result, ExampleRole::prototype).details.find("prediction_of")->as_string(), "dog");
  // Without a target the output is all that is known, and without its name nothing.
  EXPECT_EQ(said(found(table, {}, TwoClasses("dog"))),
            (std::map<std::uint64_t, std::string>{{0, "not dog"}, {1, "not dog"}, {2, "dog"}, {3, "dog"}}));
  const Table numbers = numbers_table({"a", "y"}, {{1, 2, 3, 4}, {0, 0, 1, 0}});
  EXPECT_EQ(said(found(numbers, {{"target", "y"}}, TwoClasses("prediction"))),
            (std::map<std::uint64_t, std::string>{{0, "0 right"}, {1, "0 right"}, {2, "1 right"}, {3, "1 wrong"}}));
}

// Three clusters whose classes are numbers that differ in the last digit only.
TEST(PrototypesMethod, ClassesThatAreNumbersKeepTheirDigits) {
  const Table table = clusters();
  std::vector<double> a, b, kind;
  for (std::size_t row = 0; row < 120; ++row) {
    a.push_back(table.column(0).number(row));
    b.push_back(table.column(1).number(row));
    kind.push_back(1000001 + table.column(2).number(row));
  }
  const Result result = found(numbers_table({"a", "b", "kind"}, {a, b, kind}),
                              {{"target", "kind"}, {"per_class", true}, {"prototypes", 3}});
  const Examples& prototypes = of_role(result, ExampleRole::prototype);
  std::map<std::uint64_t, std::string> expected, names;
  for (const Example& example : prototypes.rows) {
    names[example.row] = example.own_class;
    expected[example.row] = std::to_string(1000001 + example.row % 3);
  }
  EXPECT_EQ(names.size(), 3U);
  EXPECT_EQ(names, expected);
  EXPECT_EQ(*prototypes.rows.back().accuracy, 1);
  EXPECT_DOUBLE_EQ(*prototypes.rows.front().accuracy, 1.0 / 3);
}

TEST(PrototypesMethod, NumbersThatAClassifierTellsApartAreClasses) {
  const Table numbers = numbers_table({"a", "y"}, {{1, 2, 3, 4}, {0, 0, 1, 1}});
  const Result result = found(numbers, {{"target", "y"}, {"prototypes", 2}}, TwoClasses("prediction"));
  const Examples& prototypes = of_role(result, ExampleRole::prototype);
  for (const Example& example : prototypes.rows) {
    EXPECT_EQ(example.own_class, example.row < 2 ? "0" : "1");
    EXPECT_TRUE(example.accuracy.has_value());
  }
  const bool told = std::any_of(result.results.begin(), result.results.end(), [](const ResultItem& item) {
    return item.is<Figure>() && item.get<Figure>().id.text() == "nearest-prototype-accuracy";
  });
  EXPECT_TRUE(told);
  // A number stays one without such a model.
  EXPECT_TRUE(of_role(found(numbers, {{"target", "y"}}), ExampleRole::prototype).rows[0].target.has_value());
}

// Of a class that is asked for, prediction and attributions are those of its own output.
TEST(PrototypesMethod, TheClassAskedForIsTheOneExplained) {
  const Classifier three(
      [](const std::vector<double>& x) {
        const double first = x[0] < 5 ? 0.8 : 0.1;
        return std::vector<double>{first, 0.05, 0.95 - first};
      },
      {"first", "second", "third"});
  const Result result = found(clusters(), {{"target", "kind"}, {"prototypes", 6}, {"output", "first"}}, three);
  const Examples& prototypes = of_role(result, ExampleRole::prototype);
  EXPECT_EQ(prototypes.output, "first");
  EXPECT_EQ(prototypes.details.find("prediction_of")->as_string(), "first");
  std::set<std::string> likely;
  for (const Example& example : prototypes.rows) {
    const bool low = example.data.find("a")->as_number() < 5;
    likely.insert(example.predicted_class);
    EXPECT_EQ(example.predicted_class, low ? "first" : "third");
    EXPECT_EQ(*example.error, example.predicted_class == example.own_class ? 0 : 1);
    EXPECT_EQ(*example.prediction, low ? 0.8 : 0.1);
    ASSERT_FALSE(example.attributions.empty());
    EXPECT_EQ(example.attributions[0].value > 0, low) << example.row;
  }
  EXPECT_EQ(likely.size(), 2U);
}

TEST(PrototypesMethod, NumbersHaveTheirError) {
  const FunctionModel model({"a"}, [](const auto& x) { return std::vector<double>{10 * x[0]}; });
  const Result result = found(numbers_table({"a", "y"}, {{1, 2, 3}, {8, 25, NAN}}), {{"target", "y"}}, model);
  std::map<std::uint64_t, double> errors;
  for (const Example& each : of_role(result, ExampleRole::prototype).rows) {
    if (each.error) errors[each.row] = *each.error;
  }
  EXPECT_EQ(errors, (std::map<std::uint64_t, double>{{0, 2}, {1, -5}}));
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
