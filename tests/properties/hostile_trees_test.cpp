// Ensembles that no sane training makes but the checks allow: every method that trees answer ends with the right
// numbers or with an error that says what to do, within seconds and with bounded memory.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sightglass/base/error.h"
#include "sightglass/data/table.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/model/trees/ensemble.h"
#include "support/law_cases.h"
#include "support/near_results.h"

namespace sightglass {
namespace {

using testing::expect_near;
using testing::results_of;

using Parts = TreeEnsemble::Parts;

Parts empty_parts(std::size_t features) {
  Parts parts;
  for (std::size_t f = 0; f < features; ++f) parts.signature.features.push_back({.name = "x" + std::to_string(f)});
  parts.signature.outputs = {"prediction"};
  parts.base = {0.5};
  return parts;
}

void add_covers(Parts& parts) {
  parts.covers.assign(parts.nodes.size(), 0);
  for (std::size_t at = parts.nodes.size(); at-- > 0;) {
    const TreeNode& node = parts.nodes[at];
    parts.covers[at] = node.is_leaf() ? 1.0 + static_cast<double>(at % 5)
                                      : parts.covers[static_cast<std::size_t>(node.left)] +
                                            parts.covers[static_cast<std::size_t>(node.right)];
  }
}

// Features in turn; a leaf on one side of each split.
Parts chain(std::size_t depth, std::size_t features, double spread) {
  Parts parts = empty_parts(features);
  std::mt19937_64 random(5);
  for (std::size_t level = 0; level < depth; ++level) {
    const auto at = static_cast<std::int32_t>(parts.nodes.size());
    const double threshold = (static_cast<double>(random() % 1000) / 1000 - 0.5) * spread + (level % 2 == 0 ? -2 : 2);
    TreeNode split{.left = at + 1,
                   .right = at + 2,
                   .feature = static_cast<std::int32_t>(level % features),
                   .threshold = threshold,
                   .missing_left = random() % 2 == 0};
    // On goes the side that most rows take.
    if (level % 2 != 0) std::swap(split.left, split.right);
    parts.nodes.push_back(split);
    parts.nodes.push_back({.threshold = static_cast<double>(random() % 2000) / 1000 - 1});
  }
  parts.nodes.push_back({.threshold = 1});
  parts.trees = {{0, 0}};
  add_covers(parts);
  return parts;
}

// Balanced over any number of leaves, all thresholds different.
Parts bushy(std::size_t leaves, std::size_t features) {
  Parts parts = empty_parts(features);
  std::mt19937_64 random(7);
  const auto grow = [&](auto& self, std::size_t count) -> std::int32_t {
    const auto at = static_cast<std::int32_t>(parts.nodes.size());
    parts.nodes.push_back({.threshold = static_cast<double>(random() % 2000) / 1000 - 1});
    if (count == 1) return at;
    const std::int32_t left = self(self, count / 2), right = self(self, count - count / 2);
    parts.nodes[static_cast<std::size_t>(at)] = {.left = left,
                                                 .right = right,
                                                 .feature = static_cast<std::int32_t>(random() % features),
                                                 .threshold = std::normal_distribution<double>()(random)};
    return at;
  };
  parts.trees = {{static_cast<std::uint32_t>(grow(grow, leaves)), 0}};
  add_covers(parts);
  return parts;
}

// Numbers from a normal distribution, some missing; y.
Table table_of(std::size_t features, std::size_t rows) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<ColumnInfo> infos;
  std::vector<Column> columns;
  for (std::size_t f = 0; f <= features; ++f) {
    std::vector<double> values(rows);
    for (double& value : values) value = f < features && random() % 20 == 0 ? NAN : normal(random);
    infos.push_back({.name = f < features ? "x" + std::to_string(f) : "y"});
    columns.push_back(column_of(std::move(values)));
  }
  return Table(Schema(infos), columns);
}

// By structure and by predictions the same; of methods and options that take no more than a few features.
void expect_engines_agree(const Model& model, const Table& table) {
  const std::vector<std::string> two = {"x0", "x1"};
  const std::vector<std::pair<std::string, Value>> requests = {
      {"partial-dependence", Value::object({{"spread", false}, {"grid", 7}, {"features", two}})},
      {"partial-dependence", Value::object({{"grid", 5}, {"features", two}, {"pairs", "x0:x1"}})},
      {"ice", Value::object({{"grid", 5}, {"features", "x0"}})},
      {"ale", Value::object({{"bins", 6}, {"features", two}, {"pairs", "x0:x1"}, {"pair_bins", 3}})},
      {"m-plot", Value::object({{"bins", 6}, {"features", two}})},
      {"interactions", Value::object({{"features", two}, {"pairs", "x0:x1"}})},
      {"pd-importance", Value::object({{"grid", 7}, {"features", two}})},
      {"model-reliance", Value::object({{"target", "y"}, {"features", two}})},
      {"permutation-importance", Value::object({{"target", "y"}, {"features", two}, {"estimator", "expected"}})}};
  for (const auto& [method, options] : requests) {
    Context context(2);
    Value given = options;
    const std::string trees = to_json(run(method, model, table, given.set("engine", "trees"), context));
    const std::string plain = to_json(run(method, model, table, given.set("engine", "blackbox"), context));
    expect_near(results_of(trees), results_of(plain), method);
    EXPECT_NE(trees.find("\"engine\":\"trees\""), std::string::npos) << method;
  }
}

// Shapley values add up to the prediction.
void expect_sums(const Model& model, const Table& table, const Value& options) {
  Context context(2);
  Value given = options;
  const Result result = run("shap", model, table, given.set("engine", "trees").set("explain", 5), context);
  ASSERT_FALSE(result.results.empty());
  for (const ResultItem& item : result.results) {
    const auto* found = item.as<Attributions>();
    if (found == nullptr) continue;
    const std::size_t features = found->features.size();
    for (std::size_t row = 0; row < found->prediction.size(); ++row) {
      double sum = found->base;
      for (std::size_t j = 0; j < features; ++j) sum += found->values[row * features + j];
      EXPECT_NEAR(sum, found->prediction[row], 1e-9) << row;
    }
  }
}

void expect_values_that_add_up(const Model& model, const Table& table, bool pairs) {
  expect_sums(model, table, Value::object({{"interactions", pairs}}));
  expect_sums(model, table, Value::object({{"interactions", pairs}, {"background", "cover"}}));
}

TEST(HostileTrees, AChainOfManySplits) {
  const TreeEnsemble model(chain(5000, 20, 1), "chain");
  expect_engines_agree(model, table_of(20, 120));
  expect_values_that_add_up(model, table_of(20, 60), false);
}

TEST(HostileTrees, OneTreeOfManyLeaves) {
  const TreeEnsemble model(bushy(100'000, 8), "bushy");
  expect_engines_agree(model, table_of(8, 300));
  expect_sums(model, table_of(8, 40), Value::object());
}

TEST(HostileTrees, PathsOfManyFeatures) {
  const TreeEnsemble model(chain(40, 40, 3), "forty features");
  expect_engines_agree(model, table_of(40, 300));
  expect_values_that_add_up(model, table_of(40, 300), true);
  const TreeEnsemble longest(chain(300, 300, 3), "three hundred features");
  expect_values_that_add_up(longest, table_of(300, 40), false);
}

TEST(HostileTrees, ASplitOfManyCategories) {
  Parts parts = empty_parts(2);
  std::vector<std::string> levels;
  CategorySet set;
  set.bits.resize(2048 / 64);
  for (std::size_t level = 0; level < 2048; ++level) {
    levels.push_back("level " + std::to_string(level));
    if (level % 3 != 0) set.bits[level / 64] |= std::uint64_t{1} << (level % 64);
  }
  parts.signature.features[1].categorical = true;
  parts.signature.features[1].levels = levels;
  parts.category_sets = {set};
  parts.nodes = {{.left = 1, .right = 2, .feature = 1, .categories = 0},
                 {.left = 3, .right = 4, .feature = 0, .threshold = 0.1},
                 {.threshold = 0.3},
                 {.threshold = -1},
                 {.threshold = 2}};
  parts.trees = {{0, 0}};
  add_covers(parts);
  const TreeEnsemble model(std::move(parts), "categories");
  const Table numbers = table_of(2, 900);
  const auto dictionary = std::make_shared<Dictionary>(levels);
  std::vector<std::int32_t> codes(900);
  for (std::size_t row = 0; row < codes.size(); ++row) codes[row] = static_cast<std::int32_t>(row * 7 % 2049) - 1;
  std::vector<double> x0(900), y(900);
  read_numbers(numbers.column(0), x0);
  read_numbers(numbers.column(2), y);
  const Table table(
      Schema({{.name = "x0"}, {.name = "x1", .type = DType::categorical, .dictionary = dictionary}, {.name = "y"}}),
      {column_of(x0), column_of(codes, dictionary.get()), column_of(y)});
  expect_values_that_add_up(model, table, true);
  for (const char* method : {"partial-dependence", "pd-importance", "interactions"}) {
    Context context(2);
    Value options = Value::object();
    const std::string trees = to_json(run(method, model, table, options.set("engine", "trees"), context));
    const std::string plain = to_json(run(method, model, table, options.set("engine", "blackbox"), context));
    expect_near(results_of(trees), results_of(plain), method);
  }
}

TEST(HostileTrees, MoreSplitPointsThanCodes) {
  Parts parts = empty_parts(2);
  for (int i = 0; i < 70'000; ++i) {
    const auto at = static_cast<std::int32_t>(parts.nodes.size());
    parts.trees.push_back({static_cast<std::uint32_t>(at), 0});
    parts.nodes.push_back({.left = at + 1, .right = at + 2, .feature = 0, .threshold = i / 70'000.0});
    parts.nodes.insert(parts.nodes.end(), {{.threshold = 0}, {.threshold = 1e-4}});
  }
  const TreeEnsemble model(std::move(parts), "split points");
  EXPECT_FALSE(model.codable());
  const Table table = table_of(2, 50);
  Context context(1);
  const Value options = Value::object({{"grid", 5}, {"features", "x0"}});
  const std::string plain = to_json(run("partial-dependence", model, table, options, context));
  EXPECT_NE(plain.find("\"engine\":\"blackbox\""), std::string::npos);
  EXPECT_NE(plain.find("trees-by-predictions"), std::string::npos) << "nobody asked for that";
  Value insisting = options;
  const std::string asked =
      to_json(run("partial-dependence", model, table, insisting.set("engine", "blackbox"), context));
  EXPECT_EQ(asked.find("trees-by-predictions"), std::string::npos);
  try {
    (void)run("partial-dependence", model, table, insisting.set("engine", "trees"), context);
    FAIL() << "codes have 16 bits";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("split points"), std::string::npos) << error.what();
  }
}

TEST(HostileTrees, BareLeavesOnly) {
  Parts parts = empty_parts(2);
  for (std::uint32_t tree = 0; tree < 5; ++tree) {
    parts.nodes.push_back({.threshold = 0.25});
    parts.trees.push_back({tree, 0});
  }
  add_covers(parts);
  const TreeEnsemble model(std::move(parts), "leaves");
  expect_engines_agree(model, table_of(2, 100));
  expect_values_that_add_up(model, table_of(2, 100), true);
}

TEST(HostileTrees, LeavesMustBeFinite) {
  for (const double value : {NAN, INFINITY, -INFINITY}) {
    Parts parts = bushy(4, 2);
    for (TreeNode& node : parts.nodes) node.threshold = node.is_leaf() ? value : node.threshold;
    try {
      const TreeEnsemble model(std::move(parts), "leaves");
      FAIL() << value;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::model);
    }
  }
  // Finite, but their sum is not: said when it is predicted.
  Parts parts = bushy(4, 2);
  for (TreeNode& node : parts.nodes) node.threshold = node.is_leaf() ? 1.7e308 : node.threshold;
  const std::size_t nodes = parts.nodes.size();
  for (std::size_t at = 0; at < nodes; ++at) {
    TreeNode copy = parts.nodes[at];
    if (!copy.is_leaf()) {
      copy.left += static_cast<std::int32_t>(nodes);
      copy.right += static_cast<std::int32_t>(nodes);
    }
    parts.nodes.push_back(copy);
  }
  parts.trees.push_back({parts.trees[0].root + static_cast<std::uint32_t>(nodes), 0});
  add_covers(parts);
  const TreeEnsemble model(std::move(parts), "huge leaves");
  for (const auto& entry : methods()) {
    if (entry.needs.model == Need::none || entry.needs.learned || entry.needs.texts || entry.needs.pictures) continue;
    if (testing::law_case(entry.name).target == testing::LawTarget::classes) continue;  // the model predicts numbers
    Context context(2);
    Value options = Value::object({{"engine", "trees"}});
    for (const auto& [name, value] : testing::law_case(entry.name).required.as_object()) options.set(name, value);
    if (entry.needs.target == Need::required) options.set("target", "y");
    try {
      (void)run(entry.name, model, table_of(2, 50), options, context);
      ADD_FAILURE() << entry.name << " made something of infinity";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::prediction) << entry.name << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace sightglass
