// Laws that hold for every method of the registry: the same bytes for any thread count, partitioning, order
// of partitions and block source; row order does not matter; duplicated rows equal weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "sightglass/methods/run/session.h"
#include "sightglass/result/json.h"
#include "support/fitted_model.h"
#include "support/function_model.h"
#include "support/law_cases.h"
#include "support/near_results.h"
#include "support/random_data.h"
#include "support/random_trees.h"
#include "support/take_chain.h"

namespace sightglass {
namespace {

using testing::averaged_classes;
using testing::expect_near;
using testing::FunctionModel;
using testing::random_table;
using testing::random_trees;
using testing::results_of;
using testing::rows_of;
using testing::take_method;
using testing::tree_families;
using testing::TreeBuilder;
using testing::with_classes;

// An interaction, a step, categories, missing values, two outputs.
std::vector<double> entangled(const std::vector<double>& x) {
  const double b = std::isnan(x[1]) ? 0.3 : x[1];
  const double c = std::isnan(x[2]) ? -1 : x[2];
  const double first = std::sin(x[0]) * b + (x[3] > 5 ? 2.0 : -1.0) * c + 0.1 * x[0];
  return {first, 1 / (1 + std::exp(-first))};
}

std::unique_ptr<Model> make_model(const std::string& family) {
  if (const auto trees = tree_families().find(family); trees != tree_families().end()) {
    return random_trees(9, trees->second);
  }
  const auto& learners = testing::fitted_learners();
  if (std::find(learners.begin(), learners.end(), family) != learners.end()) return testing::fitted_model(family);
  if (family == "classes") return random_trees(12, averaged_classes());
  if (family == "deep") {
    TreeBuilder builder(10, tree_families().at("lightgbm"));
    return std::make_unique<TreeEnsemble>(builder.build(6, 11), "deep trees");
  }
  if (family == "chains") {
    TreeBuilder builder(11, tree_families().at("forest"));
    return std::make_unique<TreeEnsemble>(builder.chains(5, 40), "chains");
  }
  if (family == "onnx") {
    // As ONNX files are read: what others begin with comes last, as trees of a single leaf.
    TreeBuilder builder(13, {.comparison = Comparison::float32_less_equal, .float32_sums = true});
    TreeEnsemble::Parts parts = builder.build(12, 4);
    for (std::uint32_t output = 0; output < parts.base.size(); ++output) {
      parts.trees.push_back({.root = static_cast<std::uint32_t>(parts.nodes.size()), .output = output});
      parts.nodes.push_back({.threshold = std::exchange(parts.base[output], 0)});
      if (!parts.covers.empty()) parts.covers.push_back(100);
    }
    return std::make_unique<TreeEnsemble>(std::move(parts), "trees of ONNX");
  }
  return std::make_unique<FunctionModel>(std::vector<std::string>{"a", "b", "c", "d"}, entangled,
                                         std::vector<std::string>{"margin", "chance"});
}

// A method of the registry and a family of models.
class Laws : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  [[nodiscard]] static std::string method() { return testing::method_of(variant()); }
  [[nodiscard]] static std::string variant() { return std::get<0>(GetParam()); }
  [[nodiscard]] static const testing::LawOptions& law_case() { return testing::law_case(variant()); }
  // Whether random numbers belong to rows.
  [[nodiscard]] static bool draws() { return find_method(method()).random && law_case().draws; }
  [[nodiscard]] static bool of_classes() { return law_case().target == testing::LawTarget::classes; }
  // With what the method needs for a target.
  [[nodiscard]] static Table table_for(const Table& table) { return of_classes() ? with_classes(table) : table; }
  [[nodiscard]] static Table data(std::uint64_t seed, std::size_t rows) { return table_for(random_table(seed, rows)); }
  [[nodiscard]] static Value options(const Model& model) {
    Value options = law_case().options;
    return needed(model, options.set("batch", 32));
  }
  [[nodiscard]] Value options() const { return options(*model_); }
  // What a method cannot do without: the target is a number, so one of the outputs is meant.
  [[nodiscard]] static Value needed(const Model& model, Value options) {
    for (const auto& [name, value] : law_case().required.as_object()) {
      if (options.find(name) == nullptr) options.set(name, value);
    }
    if (find_method(method()).needs.target != Need::required) return options;
    if (model.signature().task != Task::regression) {
      if (options.find("losses") != nullptr) options.set("losses", std::vector<std::string>{"log-loss", "brier"});
      return options.set("target", "class");
    }
    return options.set("target", "y").set("output", model.signature().outputs[0]);
  }
  [[nodiscard]] static std::vector<std::string> features() { return {"a", "b", "c", "d"}; }
  [[nodiscard]] std::string run_json(const Source& source, int threads = 1) const {
    Context context(threads);
    return to_json(run(method(), *model_, source, options(), context));
  }
  // All stages on separate parts, each partial saved and loaded before it is merged.
  [[nodiscard]] std::string run_in_parts(const Table& table, std::vector<std::size_t> cuts,
                                         std::mt19937_64& random) const {
    Context context(1);
    const MethodEntry& entry = find_method(method());
    const auto [told, own] = split_options(options(), entry.options);
    const RunSession session(*model_, table, read_options<RunOptions>(told), context);
    std::vector<Table> parts;
    cuts.push_back(table.rows());
    std::size_t begin = 0;
    for (const std::size_t end : cuts) {
      parts.push_back(table.slice(begin, end - begin));
      begin = end;
    }
    std::shuffle(parts.begin(), parts.end(), random);
    return to_json(take_method(session, entry, own, parts));
  }

  std::unique_ptr<Model> model_ = make_model(of_classes() ? "classes" : std::get<1>(GetParam()));
};

TEST_P(Laws, AnyThreadCountGivesTheSameBytes) {
  const Table table = data(1, 500);
  const std::string once = run_json(table, 1);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(run_json(table, threads), once) << threads;
}

TEST_P(Laws, AnyKindOfConcurrencyGivesTheSameBytes) {
  if (find_method(method()).needs.learned || of_classes())
    GTEST_SKIP() << "takes no opaque model, or none that predicts numbers";
  const Table table = data(2, 300);
  std::string once;
  for (const Concurrency concurrency :
       {Concurrency::parallel, Concurrency::one_at_a_time, Concurrency::caller_thread}) {
    const FunctionModel opaque(features(), entangled, {"margin", "chance"}, concurrency);
    Context context(2);
    const std::string json = to_json(run(method(), opaque, table, options(opaque), context));
    if (once.empty()) once = json;
    EXPECT_EQ(json, once);
  }
}

TEST_P(Laws, AnyPartitionInAnyOrderGivesTheSameBytes) {
  std::mt19937_64 random(3);
  const Table table = data(3, 400).with_weights(4);
  const std::string whole = run_json(table);
  for (int trial = 0; trial < 5; ++trial) {
    std::vector<std::size_t> cuts;
    for (int i = 0; i < 4; ++i) cuts.push_back(random() % (table.rows() + 1));
    std::sort(cuts.begin(), cuts.end());
    EXPECT_EQ(run_in_parts(table, cuts, random), whole);
  }
}

TEST_P(Laws, SamplesDependOnTheSeedAlone) {
  const Table table = data(4, 400);
  Value sampled = options();
  sampled.set("sample", 100).set("seed", 5);
  Context one(1);
  Context four(4);
  const std::string first = to_json(run(method(), *model_, table, sampled, one));
  EXPECT_EQ(to_json(run(method(), *model_, table, sampled, four)), first);
  EXPECT_NE(first.find("sampled-rows"), std::string::npos) << "sampling is never silent";
  sampled.set("seed", 6);
  EXPECT_NE(to_json(run(method(), *model_, table, sampled, one)), first);
}

// Numbers of two results side by side, but for those that legitimately differ: standard errors know how many
// rows there are, verdicts on shapes know standard errors, and single curves belong to single rows.
void expect_same_numbers(const Value& a, const Value& b, const std::string& path) {
  for (const char* per_row : {"/se", "/se_level", "/se_shape", "/total_rows", "/rows", "/values", "/missing", "/own",
                              "/own_value", "/own_level", "/verdict"}) {
    if (path.ends_with(per_row)) return;
  }
  // Intervals of diagrams.
  const bool of_diagram = path.find("/series/") != std::string::npos || path.find("/figures/") != std::string::npos;
  if (of_diagram && (path.ends_with("/low") || path.ends_with("/high"))) return;
  if (a.is_number() && b.is_number()) {
    EXPECT_NEAR(a.as_number(), b.as_number(), 1e-12 * std::max(1.0, std::abs(a.as_number()))) << path;
  } else if (a.is_array() && b.is_array()) {
    ASSERT_EQ(a.as_array().size(), b.as_array().size()) << path;
    for (std::size_t i = 0; i < a.as_array().size(); ++i) expect_same_numbers(a.as_array()[i], b.as_array()[i], path);
  } else if (a.is_object() && b.is_object()) {
    for (const auto& [key, value] : b.as_object()) EXPECT_NE(a.find(key), nullptr) << path << "/" << key;
    for (const auto& [key, value] : a.as_object()) {
      ASSERT_NE(b.find(key), nullptr) << path << "/" << key;
      expect_same_numbers(value, *b.find(key), path + "/" + key);
    }
  } else {
    EXPECT_EQ(a, b) << path;
  }
}

TEST_P(Laws, DuplicatedRowsEqualWeights) {
  if (draws()) GTEST_SKIP() << "draws per row";
  const Table table = data(5, 200);
  std::vector<std::uint64_t> duplicated;
  for (std::uint64_t row = 0; row < table.rows(); ++row) {
    for (int k = 0; k < static_cast<int>(table.column(4).number(row)); ++k) duplicated.push_back(row);
  }
  expect_same_numbers(results_of(run_json(table.with_weights(4))), results_of(run_json(rows_of(table, duplicated))),
                      "");
}

TEST_P(Laws, RowOrderDoesNotMatter) {
  if (draws()) GTEST_SKIP() << "draws per row";
  std::mt19937_64 random(6);
  const Table table = data(6, 300);
  std::vector<std::uint64_t> order(table.rows());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::shuffle(order.begin(), order.end(), random);
  const std::string shuffled = run_json(rows_of(table, order));
  expect_same_numbers(results_of(shuffled), results_of(run_json(table)), "");
  if (!law_case().keeps_row_order) {
    EXPECT_EQ(shuffled, run_json(table));
  }
}

TEST_P(Laws, OneRowAndConstantsAndAllMissingAreLegal) {
  std::vector<double> same(50, 3.5), none(50, NAN), varied(50);
  std::iota(varied.begin(), varied.end(), 0.0);
  const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"blue", "red"});
  const Table odd(Schema({{.name = "a"},
                          {.name = "b"},
                          {.name = "c", .type = DType::categorical, .dictionary = dictionary},
                          {.name = "d"},
                          {.name = "y"}}),
                  {column_of(same), column_of(none), column_of(std::vector<std::int32_t>(50, 1), dictionary.get()),
                   column_of(varied), column_of(varied)});
  for (const std::size_t rows : {std::size_t{1}, std::size_t{50}}) {
    const Value plain = needed(*model_, Value::object());
    Context context(1);
    const std::string json = to_json(run(method(), *model_, table_for(odd.slice(0, rows)), plain, context));
    EXPECT_EQ(json.find("NaN"), std::string::npos);
    if (!law_case().about_features) continue;
    EXPECT_NE(json.find("constant-feature"), std::string::npos);
    EXPECT_NE(json.find("no-values"), std::string::npos);
  }
}

TEST(LawCases, EveryMethodHasOneBesideItAndNoneIsLeftOver) {
  std::set<std::string> seen;
  for (const auto& [name, options] : testing::law_cases()) {
    EXPECT_TRUE(seen.insert(name).second) << name << " is there twice";
    EXPECT_EQ(find_method(testing::method_of(name)).name, testing::method_of(name));
  }
  for (const auto& entry : methods()) {
    // The laws' table has no pictures.
    EXPECT_NE(seen.contains(entry.name), entry.needs.pictures) << "no testing::LawCase for " << entry.name;
  }
}

// What is computed from the structure of trees equals what predictions alone say.
class Engines : public Laws {};

TEST_P(Engines, Agree) {
  Context context(2);
  const bool classes = model_->signature().task != Task::regression;
  if (classes && law_case().target == testing::LawTarget::numbers) GTEST_SKIP() << "the model predicts classes";
  const Table table = classes ? with_classes(random_table(7, 300)) : random_table(7, 300);
  for (const bool weighted : {false, true}) {
    for (const char* scale : {"response", "margin"}) {
      // A target is on the response scale.
      if (find_method(method()).needs.target == Need::required && scale == std::string("margin")) continue;
      const Table data = weighted ? table.with_weights(4) : table;
      Value given = options();
      given.set("scale", scale);
      for (const auto& [name, value] : law_case().engines.as_object()) given.set(name, value);
      const std::string trees = to_json(run(method(), *model_, data, given.set("engine", "trees"), context));
      const std::string plain = to_json(run(method(), *model_, data, given.set("engine", "blackbox"), context));
      expect_near(results_of(trees), results_of(plain), scale);
      EXPECT_NE(trees.find("\"engine\":\"trees\""), std::string::npos);
    }
  }
}

std::string test_name(const ::testing::TestParamInfo<std::tuple<std::string, std::string>>& each) {
  std::string name = std::get<0>(each.param) + "_" + std::get<1>(each.param);
  std::replace(name.begin(), name.end(), '-', '_');
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Methods, Engines,
                         ::testing::Combine(::testing::ValuesIn(testing::law_variants()),
                                            ::testing::Values("xgboost", "lightgbm", "catboost", "forest", "deep",
                                                              "chains", "classes", "onnx")),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Methods, Laws,
                         ::testing::Combine(::testing::ValuesIn(testing::law_variants()),
                                            ::testing::Values("function", "xgboost", "lightgbm", "catboost", "forest")),
                         test_name);
INSTANTIATE_TEST_SUITE_P(OfLearnedModels, Laws,
                         ::testing::Combine(::testing::ValuesIn(testing::law_variants(true)),
                                            ::testing::ValuesIn(testing::fitted_learners())),
                         test_name);

}  // namespace
}  // namespace sightglass
