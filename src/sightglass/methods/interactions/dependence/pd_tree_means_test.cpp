#include "sightglass/methods/interactions/dependence/pd_tree_means.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sightglass/base/error.h"
#include "sightglass/methods/run/prices.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/model/trees/ensemble.h"
#include "support/random_data.h"
#include "support/take_chain.h"

namespace sightglass {
namespace {

using testing::random_table;

// On a, b and d of random_data.h; a has hundreds of split points. Two outputs, of all leaves or of every other tree.
TreeEnsemble many_splits(bool vectors, bool refuses_missing = false, std::size_t features = 3,
                         std::size_t outputs = 2) {
  std::mt19937_64 random(6);
  TreeEnsemble::Parts parts;
  parts.signature.features = {{.name = "a"}, {.name = "b"}, {.name = "d"}};
  if (features > 3) parts.signature.features.push_back({.name = "e"});
  parts.signature.outputs = {"one", "two"};
  parts.base = {0.25, -0.5};
  for (std::size_t k = 2; k < outputs; ++k) {
    parts.signature.outputs.push_back("output " + std::to_string(k));
    parts.base.push_back(0);
  }
  parts.divisor = 3;
  parts.refuses_missing = refuses_missing;
  const auto grow = [&](auto& self, int depth) -> std::int32_t {
    const auto at = static_cast<std::int32_t>(parts.nodes.size());
    parts.nodes.push_back({.threshold = std::normal_distribution<double>()(random)});
    if (depth == 0 && vectors) {
      parts.nodes.back().leaf = static_cast<std::int32_t>(parts.leaf_values.size() / outputs);
      for (std::size_t k = 0; k < outputs; ++k) parts.leaf_values.push_back(std::normal_distribution<double>()(random));
    }
    if (depth == 0) return at;
    const std::int32_t left = self(self, depth - 1), right = self(self, depth - 1);
    const auto feature = static_cast<std::int32_t>(random() % features);
    const double threshold = std::normal_distribution<double>()(random);
    parts.nodes[static_cast<std::size_t>(at)] = {.left = left,
                                                 .right = right,
                                                 .feature = feature,
                                                 .threshold = feature == 2 ? 5 + 3 * threshold : threshold,
                                                 .missing_left = random() % 2 == 0};
    return at;
  };
  for (std::uint32_t tree = 0; tree < 80; ++tree)
    parts.trees.push_back({static_cast<std::uint32_t>(grow(grow, 6)), vectors ? 0 : tree % 2});
  return TreeEnsemble(std::move(parts), "many splits");
}

struct Computed {
  std::shared_ptr<const PdRows> rows;
  std::vector<PdFunction> functions;
  std::uint64_t model_rows = 0;
};

// Single features with complements, and no subset at all.
Computed singles(const Model& model, const Table& table, const char* engine, std::vector<std::size_t> explained,
                 bool pairs, std::int64_t sample_rows = 0, int threads = 2) {
  const std::vector<PdSubset> asked = {{}, {0}, {1}, {2}};
  Context context(threads);
  RunOptions told;
  told.engine = engine;
  told.scale = "margin";
  const RunSession session(model, table, told, context);
  MethodInput input = session.input();
  input.explained = std::move(explained);
  Computed run;
  PdRequest request{.features = input.features, .subsets = asked};
  if (pairs) request.subsets.push_back({0, 1});
  run.functions =
      *testing::take_chain(
           draw_pd_rows(input, {.predictions = 1'000'000'000, .sample_rows = sample_rows, .samples = 3}, request)
               .then([&](const std::shared_ptr<const PdRows>& rows) {
                 run.rows = rows;
                 auto tasks = next_pd_tasks(*rows, asked, 0, true, input.explained.size());
                 return pd_at_rows(input, rows, std::move(tasks));
               }),
           {table.slice(0, 100), table.slice(100, table.rows() - 100)}, session.evaluator(), 64)
           .value;
  run.model_rows = session.evaluator().model_rows();
  return run;
}

void expect_same(const Computed& a, const Computed& b) {
  ASSERT_EQ(a.functions.size(), b.functions.size());
  for (std::size_t i = 0; i < a.functions.size(); ++i) {
    EXPECT_EQ(a.functions[i].matters, b.functions[i].matters) << i;
    // Without trees every value is a point of its own: compared row by row.
    for (std::size_t sample = 0; sample < a.rows->samples().size(); ++sample) {
      const auto &own = a.functions[i].complement[sample], &other = b.functions[i].complement[sample];
      ASSERT_EQ(own.size(), other.size());
      for (std::size_t at = 0; at < own.size(); ++at) ASSERT_NEAR(own[at], other[at], 1e-12);
      const std::size_t rows = a.rows->samples()[sample].rows.rows(), outputs = own.size() / rows;
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t k = 0; k < outputs; ++k) {
          ASSERT_NEAR(a.functions[i].values[sample][a.functions[i].task.points[sample].of_row[row] * outputs + k],
                      b.functions[i].values[sample][b.functions[i].task.points[sample].of_row[row] * outputs + k],
                      1e-12);
        }
      }
    }
  }
}

TEST(PdTreeMeans, ComplementsAreThoseOfPredictions) {
  for (const bool vectors : {false, true}) {
    const TreeEnsemble model = many_splits(vectors);
    for (const bool weighted : {false, true}) {
      const Table plain = random_table(31, 900), table = weighted ? plain.with_weights(4) : plain;
      for (const bool pairs : {!weighted}) {
        for (const std::vector<std::size_t>& explained : std::vector<std::vector<std::size_t>>{{0, 1}, {1}}) {
          const Computed by_trees = singles(model, table, "trees", explained, pairs);
          const Computed asked = singles(model, table, "blackbox", explained, pairs);
          ASSERT_GT(by_trees.functions[1].task.points[0].size(), pd_means_least_points);
          expect_same(by_trees, asked);
          // No prediction is asked for under the many values of a.
          EXPECT_LT(by_trees.model_rows, 40 * table.rows());
        }
      }
    }
    const Table table = random_table(32, 2100);
    const Computed samples = singles(model, table, "trees", {0, 1}, true, 700);
    ASSERT_GT(samples.functions[1].task.points[0].size(), pd_means_least_points);
    expect_same(samples, singles(model, table, "blackbox", {0, 1}, true, 700));
  }
}

TEST(PdTreeMeans, AnyThreadCountGivesTheSameBits) {
  const TreeEnsemble model = many_splits(true);
  const Table table = random_table(33, 900);
  const Computed once = singles(model, table, "trees", {0, 1}, false, 0, 1);
  const Computed many = singles(model, table, "trees", {0, 1}, false, 0, 5);
  for (std::size_t i = 0; i < once.functions.size(); ++i) {
    EXPECT_EQ(once.functions[i].values, many.functions[i].values);
    EXPECT_EQ(once.functions[i].complement, many.functions[i].complement);
  }
}

// Total interactions of all rows against all: their points are many, but nothing is predicted at them.
TEST(PdTreeMeans, TotalInteractionsNeedNoSample) {
  const TreeEnsemble model = many_splits(false);
  Context context(2);
  const Result result = run("interactions", model, random_table(34, 3000),
                            Value::object({{"only_totals", true}, {"predictions", 9000}}), context);
  for (const Caveat& caveat : result.caveats) EXPECT_NE(caveat.id, "sampled-rows") << caveat.message.plain();
}

// Of so many values and outputs no table is made: points are looked up.
TEST(PdTreeMeans, PairsOfManyValuesAreThoseOfPredictions) {
  std::mt19937_64 random(35);
  std::vector<std::vector<double>> columns(4, std::vector<double>(200));
  for (auto& column : columns) {
    for (double& value : column) value = random() % 50 == 0 ? NAN : std::normal_distribution<double>()(random);
  }
  const Table table(Schema({{.name = "a"}, {.name = "b"}, {.name = "d"}, {.name = "e"}}),
                    {column_of(columns[0]), column_of(columns[1]), column_of(columns[2]), column_of(columns[3])});
  const TreeEnsemble model = many_splits(true, false, 4, 40);
  std::vector<std::vector<double>> strengths;
  for (const char* engine : {"trees", "blackbox"}) {
    Context context(2);
    const Result result =
        run("interactions", model, table,
            Value::object({{"pairs", "b:a"}, {"predictions", 1'000'000'000}, {"caveat_rows", 10}, {"engine", engine}}),
            context);
    strengths.emplace_back();
    for (const ResultItem& item : result.results) {
      const auto* pair = item.as<Interaction>();
      if (pair != nullptr && pair->features.size() == 2)
        strengths.back().insert(strengths.back().end(), {pair->strength, pair->h2});
    }
  }
  ASSERT_GE(strengths[0].size(), 4U);
  ASSERT_EQ(strengths[0].size(), strengths[1].size());
  for (std::size_t i = 0; i < strengths[0].size(); ++i) EXPECT_NEAR(strengths[0][i], strengths[1][i], 1e-12);
}

// A model that takes no missing values, and a row without weight that has one.
TEST(PdTreeMeans, RowsThatAreNotUsedAreNotLookedAt) {
  const TreeEnsemble model = many_splits(false, true);
  const std::size_t rows = 300;
  std::mt19937_64 random(3);
  std::vector<std::vector<double>> columns(4, std::vector<double>(rows));
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < 3; ++column)
      columns[column][row] = std::normal_distribution<double>()(random);
    columns[3][row] = row == 7 ? 0 : 1;
  }
  columns[1][7] = NAN;
  const Table table =
      Table(Schema({{.name = "a"}, {.name = "b"}, {.name = "d"}, {.name = "w"}}),
            {column_of(columns[0]), column_of(columns[1]), column_of(columns[2]), column_of(columns[3])})
          .with_weights(3);
  Context context(2);
  const Value options = Value::object({{"triples", std::vector<std::string>{"a:b:d"}}, {"caveat_rows", 10}});
  EXPECT_NO_THROW((void)run("interactions", model, table, options, context));
}

// What counts take is known before it is taken.
TEST(PdTreeMeans, AsManyFunctionsAtOnceAsMemoryAllows) {
  const Table table = random_table(35, 50);
  const TreeEnsemble model = many_splits(false);
  Context context(1);
  const RunSession session(model, table, RunOptions(), context);
  const MethodInput& input = session.input();
  RowSample drawn{.columns = input.features,
                  .values = std::vector<std::vector<double>>(3, std::vector<double>(50, 1)),
                  .ids = {},
                  .weights = std::vector<double>(50, 1),
                  .available = 50};
  for (std::uint64_t id = 0; id < 50; ++id) drawn.ids.push_back(id);
  PdRows rows(input, input.features, {}, {drawn});
  const std::vector<PdSubset> triples(20, PdSubset{0, 1, 2});
  rows.set_averaged(pd_means_bytes(input));
  EXPECT_EQ(next_pd_tasks(rows, triples, 0, false, 1).size(), 20U);
  rows.set_averaged(std::size_t{30} << 20);  // a million leaves
  EXPECT_EQ(next_pd_tasks(rows, triples, 0, false, 1).size(), 2U);
}

// Counts of one sample fit into memory, those of four do not: pairs of these are asked for, and cost as much.
TEST(PdTreeMeans, PairsArePricedByTheSamplesThatAreUsed) {
  std::mt19937_64 random(9);
  TreeEnsemble::Parts parts;
  constexpr std::size_t features = 30;
  for (std::size_t f = 0; f < features; ++f) parts.signature.features.push_back({.name = "x" + std::to_string(f)});
  parts.signature.outputs = {"y"};
  parts.base = {0};
  const auto grow = [&](auto& self, int depth) -> std::int32_t {
    const auto at = static_cast<std::int32_t>(parts.nodes.size());
    parts.nodes.push_back({.threshold = 1});
    if (depth == 0) return at;
    const std::int32_t left = self(self, depth - 1), right = self(self, depth - 1);
    parts.nodes[static_cast<std::size_t>(at)] = {.left = left,
                                                 .right = right,
                                                 .feature = static_cast<std::int32_t>(random() % features),
                                                 .threshold = static_cast<double>(random() % 1000)};
    return at;
  };
  for (int tree = 0; tree < 5; ++tree) parts.trees.push_back({static_cast<std::uint32_t>(grow(grow, 16)), 0});
  const TreeEnsemble model(std::move(parts), "large");
  std::vector<ColumnInfo> infos;
  std::vector<Column> columns;
  for (std::size_t f = 0; f < features; ++f) {
    std::vector<double> values(2000);
    for (double& value : values) value = static_cast<double>(random() % 1000);
    infos.push_back({.name = "x" + std::to_string(f)});
    columns.push_back(column_of(std::move(values)));
  }
  const Table table(Schema(infos), columns);
  Context context(1);
  const RunSession session(model, table, RunOptions(), context);
  const MethodInput& input = session.input();
  EXPECT_LT(pd_subset_cost(input, {}, 2000), 2000U);
  EXPECT_EQ(pd_subset_cost(input, {.samples = 4}, 100), 40'000U);
  const double budget = 800;  // all rows take 1200
  double cost = 0;
  const PdRowOptions options{.predictions = static_cast<std::int64_t>(budget)};
  const PdRequest request{.features = input.features, .subsets = {{0, 1}, {0, 2}, {1, 2}, {3, 4}, {5, 6}}};
  const auto rows = *testing::take_chain(draw_pd_rows(input, options, request), {table}, session.evaluator()).value;
  EXPECT_EQ(rows->samples().size(), 4U);
  for (const PdSample& sample : rows->samples()) {
    for (const PdSubset& subset : request.subsets)
      cost +=
          static_cast<double>(sample.rows.rows()) * Prices(input).of(static_cast<double>(sample.points(subset).size()));
  }
  EXPECT_GT(cost, 0);
  EXPECT_LE(cost, budget);
}

TEST(MethodInputs, WorkOnAllThreadsUntilTheyAreStopped) {
  Context context(3);
  MethodInput input;
  for (const Context* one : {static_cast<const Context*>(nullptr), static_cast<const Context*>(&context)}) {
    input.context = one;
    std::vector<int> done(100);
    input.for_each("test", done.size(), [&](std::size_t i) { ++done[i]; });
    EXPECT_EQ(done, std::vector<int>(100, 1));
  }
  int polls = 0;
  context.on_poll = [&] { ++polls; };
  std::atomic<int> done = 0;
  const auto stopped = [&](std::size_t) {
    if (++done == 10) context.cancel();
  };
  EXPECT_THROW(input.for_each("test", 100, stopped), Cancelled);
  EXPECT_LT(done, 20);
  EXPECT_GT(polls, 2);
}

}  // namespace
}  // namespace sightglass
