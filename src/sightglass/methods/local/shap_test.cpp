#include "sightglass/methods/local/shap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "sightglass/base/error.h"
#include "sightglass/methods/run/session.h"
#include "support/function_model.h"
#include "support/law_cases.h"
#include "support/random_data.h"
#include "support/random_trees.h"

namespace sightglass {
namespace {

using testing::FunctionModel;
using ::testing::HasSubstr;
using testing::random_table;
using testing::random_trees;
using testing::RowFunction;
using testing::rows_of;
using testing::tree_families;

// Trees are compared with all rows, and all are ranked.
const testing::LawCase laws(
    "shap", {.options = Value::object({{"explain", 12}, {"background_rows", 8}, {"interactions", true}}),
             .engines = Value::object({{"explain", 0}, {"background_rows", 0}, {"predictions", 0}})});
const testing::LawCase laws_sampling("shap:sampling", {.options = Value::object({{"estimator", "sampling"},
                                                                                 {"explain", 12},
                                                                                 {"background_rows", 8},
                                                                                 {"permutations", 4},
                                                                                 {"precision", 0.1}})});
const testing::LawCase laws_groups(
    "shap:groups",
    {.options = Value::object({{"groups", Value::array().push_back("b,c")}, {"explain", 12}, {"background_rows", 8}})});

std::vector<double> entangled(const std::vector<double>& x) {
  const double b = std::isnan(x[1]) ? 0.3 : x[1];
  const double c = std::isnan(x[2]) ? -1 : x[2];
  const double first = std::sin(x[0]) * b + (x[3] > 5 ? 2.0 : -1.0) * c * (1 + 0.5 * b) + 0.1 * x[0];
  return {first, 1 / (1 + std::exp(-first))};
}

Table numbers(std::vector<std::string> names, std::vector<std::vector<double>> values) {
  std::vector<ColumnInfo> infos;
  std::vector<Column> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    infos.push_back({.name = std::move(names[i])});
    columns.push_back(column_of(std::move(values[i])));
  }
  return Table(Schema(std::move(infos)), std::move(columns));
}

Result explain(const Model& model, const Table& table, const Value& options = Value::object(), int threads = 1) {
  Context context(threads);
  return run("shap", model, table, options, context);
}

const Attributions& attributions(const Result& result, std::size_t output = 0) {
  for (const ResultItem& item : result.results) {
    const auto* found = item.as<Attributions>();
    if (found != nullptr && output-- == 0) return *found;
  }
  throw std::runtime_error("no attributions");
}

const Importance& importance(const Result& result, const std::string& feature) {
  for (const ResultItem& item : result.results) {
    const auto* found = item.as<Importance>();
    if (found != nullptr && found->feature == feature) return *found;
  }
  throw std::runtime_error("no such importance");
}

const Caveat* caveat(const Result& result, const std::string& id) {
  for (const Caveat& each : result.caveats) {
    if (each.id == id) return &each;
  }
  return nullptr;
}

std::string error_of(const Model& model, const Table& table, const Value& options) {
  try {
    (void)explain(model, table, options);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

const Value exact_all =
    Value::object({{"estimator", "exact"}, {"background_rows", 0}, {"explain", 0}, {"predictions", 0}});

// Mean over all orders of the features of what each changes when it joins, against weighted background rows.
std::vector<double> by_orders(const RowFunction& f, std::size_t output, const std::vector<double>& x,
                              const std::vector<std::vector<double>>& background, const std::vector<double>& weights) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> values(x.size());
  double orders = 0;
  do {
    ++orders;
    for (std::size_t b = 0; b < background.size(); ++b) {
      std::vector<double> hybrid = background[b];
      double before = f(hybrid)[output];
      for (const std::size_t j : order) {
        hybrid[j] = x[j];
        const double after = f(hybrid)[output];
        values[j] += weights[b] / total * (after - before);
        before = after;
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  for (double& value : values) value /= orders;
  return values;
}

std::vector<std::vector<double>> rows_as_numbers(const Table& table, std::size_t features) {
  std::vector<std::vector<double>> rows(table.rows());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t j = 0; j < features; ++j) rows[row].push_back(table.column(j).number(row));
  }
  return rows;
}

TEST(Shap, AProductOfTwoFeatures) {
  // Background (0, 0) and (2, 4): the base is 4. Row (2, 4): v(a) = (0 + 8)/2 = 4, v(b) = (0 + 8)/2 = 4, all = 8.
  const FunctionModel model({"a", "b"}, [](const auto& x) { return std::vector{x[0] * x[1]}; });
  const Result result = explain(model, numbers({"a", "b"}, {{0, 2}, {0, 4}}));
  const Attributions& item = attributions(result);
  EXPECT_EQ(item.base, 4);
  EXPECT_EQ(item.rows, (std::vector<std::uint64_t>{0, 1}));
  EXPECT_EQ(item.prediction, (std::vector<double>{0, 8}));
  EXPECT_EQ(item.values, (std::vector<double>{-2, -2, 2, 2}));
  EXPECT_EQ(item.data, (std::vector<double>{0, 0, 2, 4}));
  EXPECT_TRUE(item.se.empty());
  EXPECT_EQ(importance(result, "a").importance, 2);
  EXPECT_EQ(importance(result, "a").measure.text(), "mean |SHAP|");
  EXPECT_EQ(importance(result, "a").se, 0);
}

TEST(Shap, PairsAreHalvedOffTheDiagonal) {
  const FunctionModel model({"a", "b"}, [](const auto& x) { return std::vector{x[0] * x[1]}; });
  const Result result = explain(model, numbers({"a", "b"}, {{0, 2}, {0, 4}}), Value::object({{"interactions", true}}));
  // Row (2, 4): together 8 − 4 − 4 + 4 = 4, two on each side; alone v(a) − base = 0 = φ_a − 2.
  EXPECT_EQ(attributions(result).interactions, (std::vector<double>{-4, 2, 2, -4, 0, 2, 2, 0}));
  EXPECT_EQ(importance(result, "a × b").importance, 4);
  EXPECT_EQ(importance(result, "a alone").importance, 2);
}

TEST(Shap, LinearModelsHaveAClosedForm) {
  const FunctionModel model({"a", "b", "c"}, [](const auto& x) { return std::vector{3 * x[0] - 2 * x[1] + 7}; });
  const std::vector<double> a{1, 5, 2, 8}, b{0, 1, 4, 3}, c{5, 6, 7, 8}, w{1, 2, 0, 5};
  const Table table = numbers({"a", "b", "c", "w"}, {a, b, c, w}).with_weights(3);
  const double mean_a = (1 + 10 + 40) / 8.0, mean_b = (0 + 2 + 15) / 8.0;
  for (const char* estimator : {"exact", "sampling"}) {
    const Result result = explain(model, table, Value::object({{"estimator", estimator}}));
    const Attributions& item = attributions(result);
    EXPECT_EQ(item.rows, (std::vector<std::uint64_t>{0, 1, 3})) << "a row of weight 0 is not there";
    EXPECT_NEAR(item.base, 3 * mean_a - 2 * mean_b + 7, 1e-12);
    for (std::size_t row = 0; row < item.rows.size(); ++row) {
      const std::size_t at = item.rows[row];
      EXPECT_NEAR(item.value(row, 0), 3 * (a[at] - mean_a), 1e-12);
      EXPECT_NEAR(item.value(row, 1), -2 * (b[at] - mean_b), 1e-12);
      EXPECT_EQ(item.value(row, 2), 0) << "the model does not use it";
    }
    double size = 0;
    for (const std::size_t at : {0, 1, 3}) size += w[at] * std::abs(3 * (a[at] - mean_a)) / 8;
    EXPECT_NEAR(importance(result, "a").importance, size, 1e-12);
  }
}

TEST(Shap, IsTheMeanOverAllOrders) {
  // Categories, missing values, integers, weights, two outputs at once.
  const Table table = random_table(11, 23).with_weights(4);
  const FunctionModel model({"a", "b", "c", "d"}, entangled, {"margin", "chance"});
  const Result result = explain(model, table, exact_all);
  auto rows = rows_as_numbers(table, 4);
  std::vector<std::vector<double>> background;
  std::vector<double> weights;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (table.column(4).number(row) == 0) continue;
    background.push_back(rows[row]);
    weights.push_back(table.column(4).number(row));
  }
  for (std::size_t output = 0; output < 2; ++output) {
    const Attributions& item = attributions(result, output);
    ASSERT_EQ(item.rows.size(), background.size());
    for (std::size_t row = 0; row < item.rows.size(); ++row) {
      const auto expected = by_orders(entangled, output, rows[item.rows[row]], background, weights);
      double sum = item.base;
      for (std::size_t j = 0; j < 4; ++j) {
        EXPECT_NEAR(item.value(row, j), expected[j], 1e-12);
        sum += item.value(row, j);
      }
      EXPECT_NEAR(sum, item.prediction[row], 1e-12);
    }
  }
}

TEST(Shap, TreesAgreeWithAllOrders) {
  for (const auto& [name, family] : tree_families()) {
    const auto model = random_trees(5, family);
    const Table table = random_table(12, 15);
    const Result result = explain(*model, table, exact_all);
    Value asked = exact_all;
    const Result by_predictions = explain(*model, table, asked.set("engine", "blackbox"));
    Context context(1);
    // The model itself as a function of one row.
    const RowFunction f = [&](const std::vector<double>& x) {
      Table row = table.slice(0, 1);
      const auto bound = model->bind(table.schema(), {});
      std::vector<Override> overrides;
      for (std::uint32_t j = 0; j < 4; ++j)
        overrides.push_back({j, std::isnan(x[j]) ? Scalar::missing() : Scalar::of(x[j])});
      std::vector<ColumnView> views;
      for (std::size_t j = 0; j < table.schema().size(); ++j) views.push_back(row.column(j));
      std::vector<double> out(bound->columns().empty() ? 1 : model->signature().outputs.size());
      bound->predict({.rows = 1, .columns = views, .overrides = overrides},
                     {.scale = model->signature().has_margin ? Scale::margin : Scale::response},
                     {out.data(), 1, out.size()}, context);
      return out;
    };
    const auto rows = rows_as_numbers(table, 4);
    const Attributions& item = attributions(result);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const auto expected = by_orders(f, 0, rows[row], rows, std::vector<double>(rows.size(), 1.0));
      for (std::size_t j = 0; j < 4; ++j) {
        EXPECT_NEAR(item.value(row, j), expected[j], 1e-9) << name;
        EXPECT_NEAR(attributions(by_predictions).value(row, j), expected[j], 1e-9) << name;
      }
    }
  }
}

TEST(Shap, TreesExplainAllRowsAndWriteSome) {
  const auto model = random_trees(6, tree_families().begin()->second);
  const Table table = random_table(19, 700).with_weights(4);
  const Result some = explain(*model, table, Value::object({{"explain", 25}, {"interactions", true}}), 2);
  const Result all = explain(*model, table, Value::object({{"explain", 0}, {"interactions", true}}));
  const Attributions& written = attributions(some);
  const Attributions& rows = attributions(all);
  EXPECT_EQ(*written.details.find("estimator"), Value("trees"));
  EXPECT_EQ(*written.details.find("background_rows"), Value(static_cast<std::uint64_t>(rows.rows.size())));
  EXPECT_EQ(written.rows.size(), 25U);
  EXPECT_THAT(caveat(some, "some-rows")->message.plain(),
              HasSubstr("are written out, drawn at random; mean |SHAP| is over all"));
  EXPECT_EQ(caveat(all, "some-rows"), nullptr);
  for (const char* feature : {"a", "b", "a × b"})
    EXPECT_EQ(importance(some, feature).importance, importance(all, feature).importance);
  std::size_t at = 0;
  for (std::size_t row = 0; row < written.rows.size(); ++row) {
    while (rows.rows[at] < written.rows[row]) ++at;
    double sum = written.base;
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_EQ(written.value(row, j), rows.value(at, j)) << "whatever rows are explained with it";
      sum += written.value(row, j);
    }
    EXPECT_NEAR(sum, written.prediction[row], 1e-9);
  }
}

TEST(Shap, TheCoverOfTreesNeedsNoBackground) {
  const auto model = random_trees(6, tree_families().begin()->second);
  const Table table = random_table(20, 60);
  if (model->parts().covers.empty()) {
    EXPECT_THAT(error_of(*model, table, Value::object({{"background", "cover"}})), HasSubstr("training rows"));
    return;
  }
  const Result result = explain(*model, table, Value::object({{"background", "cover"}}));
  const Result few = explain(*model, table.slice(0, 5), Value::object({{"background", "cover"}}));
  EXPECT_EQ(attributions(result).base, attributions(few).base);
  for (std::size_t i = 0; i < attributions(few).values.size(); ++i)
    EXPECT_EQ(attributions(few).values[i], attributions(result).values[i]);
}

TEST(Shap, KeepsTheAxioms) {
  // a and b enter alike, d does not enter at all.
  const FunctionModel model({"a", "b", "c", "d"}, [](const auto& x) {
    return std::vector{std::exp(0.3 * (x[0] + x[1])) * (1 + x[2]) + std::max(x[0], x[1])};
  });
  std::vector<std::vector<double>> columns(4);
  for (int i = 0; i < 12; ++i) {
    const double a = std::sin(i * 1.7), b = std::cos(i * 2.3);
    // Each row and its mirror image: the background is symmetric in a and b.
    for (const bool mirrored : {false, true}) {
      columns[0].push_back(mirrored ? b : a);
      columns[1].push_back(mirrored ? a : b);
      columns[2].push_back(std::sin(i * 0.7));
      columns[3].push_back(i);
    }
  }
  const Table table = numbers({"a", "b", "c", "d"}, columns);
  for (const char* estimator : {"exact", "sampling"}) {
    const Result result = explain(model, table, Value::object({{"estimator", estimator}, {"permutations", 5}}));
    const Attributions& item = attributions(result);
    for (std::size_t row = 0; row < item.rows.size(); ++row) {
      const double sum = item.base + item.value(row, 0) + item.value(row, 1) + item.value(row, 2);
      EXPECT_NEAR(sum, item.prediction[row], 1e-12) << "efficiency, exact whatever the sample";
      EXPECT_EQ(item.value(row, 3), 0) << "dummy";
      if (std::string(estimator) == "exact" && row % 2 == 0) {
        EXPECT_NEAR(item.value(row, 0), item.value(row + 1, 1), 1e-12) << "symmetry";
      }
    }
  }
}

TEST(Shap, RowsOfInteractionsAddUpToTheValues) {
  const Table table = random_table(13, 20);
  const FunctionModel model({"a", "b", "c", "d"}, entangled, {"margin", "chance"});
  Value options = exact_all;
  const Result result = explain(model, table, options.set("interactions", true));
  for (std::size_t output = 0; output < 2; ++output) {
    const Attributions& item = attributions(result, output);
    for (std::size_t row = 0; row < item.rows.size(); ++row) {
      for (std::size_t j = 0; j < 4; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < 4; ++k) {
          sum += item.interaction(row, j, k);
          EXPECT_EQ(item.interaction(row, j, k), item.interaction(row, k, j));
        }
        EXPECT_NEAR(sum, item.value(row, j), 1e-12);
      }
      // a and d enter the margin in different summands.
      if (output == 0) {
        EXPECT_NEAR(item.interaction(row, 0, 3), 0, 1e-12);
      }
    }
  }
}

// Eight features that interact by products, thresholds and a conjunction of four of them, which is rarely seen.
std::vector<double> rough(const std::vector<double>& x) {
  const double conjunction = x[0] > 0 && x[3] > 0 && x[6] > 0 && x[7] > 0 ? 2.0 : 0.0;
  return {x[0] * x[1] * x[2] + (x[3] > 0 ? x[4] : -x[5]) + std::sin(x[5] * x[6]) + conjunction};
}

Table waves(std::size_t rows) {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns(8);
  for (std::size_t j = 0; j < 8; ++j) {
    names.push_back("f" + std::to_string(j));
    for (std::size_t row = 0; row < rows; ++row)
      columns[j].push_back(1.5 * std::sin(1.3 * static_cast<double>((row + 1) * (j + 2)) + static_cast<double>(j)));
  }
  return numbers(names, columns);
}

// Over many seeds, 95 % intervals hold the truth in 93 % of cases at the least, whatever the number of background rows
// and however few the rounds. None is off by more than six standard errors where there are enough pairs of orders to
// tell: four rounds over two other rows may all divide the one product of three features in the same way, and then show
// no spread at all.
TEST(Shap, IntervalsOfSampledValuesHoldWhatTheyPromise) {
  for (const std::size_t background : {3, 12, 40}) {
    const Table table = waves(background);
    const FunctionModel model({"f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7"}, rough);
    Value options = exact_all;
    options.set("rows", std::vector<std::int64_t>{1, 2});
    const Attributions truth = attributions(explain(model, table, options));
    for (const int rounds : {4, 20}) {
      options.set("estimator", "sampling").set("precision", 0.03).set("permutations", rounds);
      std::size_t inside = 0, all = 0;
      double farthest = 0;
      for (int seed = 0; seed < 200; ++seed) {
        const Attributions item = attributions(explain(model, table, options.set("seed", seed)));
        for (std::size_t i = 0; i < item.values.size(); ++i) {
          const double apart = std::abs(item.values[i] - truth.values[i]);
          ASSERT_GT(item.se[i], 0);
          farthest = std::max(farthest, apart / item.se[i]);
          ++all;
          inside += apart <= 1.96 * item.se[i] ? 1 : 0;
        }
      }
      EXPECT_GE(static_cast<double>(inside) / static_cast<double>(all), 0.93) << background << " " << rounds;
      if (background * static_cast<std::size_t>(rounds) >= 32) {
        EXPECT_LE(farthest, 6) << background << " " << rounds;
      }
    }
  }
}

// With up to five features there is nothing to estimate: all coalitions are fewer rows than four orders.
TEST(Shap, FewFeaturesAreNeverEstimated) {
  const Table table = random_table(14, 60);
  const FunctionModel model({"a", "b", "c", "d"}, entangled, {"margin", "chance"});
  const Result exact = explain(model, table, exact_all);
  Value options = exact_all;
  const Result sampled = explain(model, table, options.set("estimator", "sampling"));
  ASSERT_NE(caveat(sampled, "sampled-values"), nullptr);
  for (std::size_t output = 0; output < 2; ++output) {
    const Attributions& truth = attributions(exact, output);
    const Attributions& item = attributions(sampled, output);
    for (std::size_t i = 0; i < item.values.size(); ++i) {
      EXPECT_NEAR(item.values[i], truth.values[i], 1e-12);
      EXPECT_EQ(item.se[i], 0);
    }
  }
}

// A group joins as a whole: the orders are those of the groups.
TEST(Shap, AGroupIsOnePlayer) {
  const Table table = random_table(15, 30);
  const FunctionModel model({"a", "b", "c", "d"}, entangled, {"margin", "chance"});
  const Value groups = Value::array().push_back("both=b,c");
  const auto rows = rows_as_numbers(table, 4);
  const std::vector<std::vector<std::size_t>> players{{0}, {3}, {1, 2}};
  for (const char* estimator : {"exact", "sampling"}) {
    Value options = exact_all;
    options.set("groups", groups).set("estimator", estimator).set("permutations", 400).set("precision", 0.001);
    const Result result = explain(model, table, options);
    const Attributions& item = attributions(result);
    ASSERT_EQ(item.features.size(), 3U);
    EXPECT_EQ(item.features[2].feature, "both");
    EXPECT_EQ(item.features[2].levels, std::vector<std::string>{"b, c"});
    EXPECT_EQ(importance(result, "both").features, (std::vector<std::string>{"b", "c"}));
    for (std::size_t row = 0; row < item.rows.size(); ++row) {
      const std::vector<double>& x = rows[item.rows[row]];
      std::vector<double> expected(3);
      std::vector<std::size_t> order{0, 1, 2};
      do {
        for (const auto& other : rows) {
          std::vector<double> hybrid = other;
          double before = entangled(hybrid)[0];
          for (const std::size_t player : order) {
            for (const std::size_t j : players[player]) hybrid[j] = x[j];
            const double after = entangled(hybrid)[0];
            expected[player] += (after - before) / 6 / static_cast<double>(rows.size());
            before = after;
          }
        }
      } while (std::next_permutation(order.begin(), order.end()));
      const double near = std::string(estimator) == "exact" ? 1e-12 : 0.05;
      for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(item.value(row, j), expected[j], near) << estimator;
    }
  }
}

TEST(Shap, GroupsOfTreesAgreeWithPredictionsAlone) {
  const Table table = random_table(16, 40);
  const auto trees = random_trees(3, tree_families().at("xgboost"));
  Value options = exact_all;
  options.set("groups", Value::array().push_back("a,d"));
  const Result by_trees = explain(*trees, table, options);
  const Result asked = explain(*trees, table, options.set("engine", "blackbox"));
  EXPECT_EQ(attributions(by_trees).features[2].feature, "a + d");
  for (std::size_t i = 0; i < attributions(asked).values.size(); ++i)
    EXPECT_NEAR(attributions(by_trees).values[i], attributions(asked).values[i], 1e-6);
}

TEST(Shap, AFeatureIsInOneGroup) {
  const FunctionModel model({"a", "b", "c", "d"}, entangled, {"margin", "chance"});
  const auto refused = [&](const Value& options) {
    try {
      (void)explain(model, random_table(16, 10), options);
      return std::string();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.message();
    }
  };
  EXPECT_THAT(refused(Value::object({{"groups", Value::array().push_back("a,b").push_back("b,c")}})),
              HasSubstr("b is in two groups"));
  EXPECT_THAT(refused(Value::object({{"groups", Value::array().push_back("a,nothing")}})), HasSubstr("nothing"));
  EXPECT_EQ(refused(Value::object({{"groups", Value::array().push_back("all=a,b,c,d")}})), "") << "one player";
}

// Where the row and a background row have the same value there is nothing to ask.
TEST(Shap, AsksNothingTwice) {
  std::size_t asked = 0;
  const FunctionModel model(
      {"x", "y", "z"},
      [&](const std::vector<double>& v) {
        ++asked;
        return std::vector<double>{v[0] * v[1] + v[2]};
      },
      {"prediction"}, Concurrency::one_at_a_time);
  // Two background rows: one differs in x and y, the other in nothing.
  const Table table = numbers({"x", "y", "z"}, {{1, 2}, {3, 4}, {5, 5}});
  for (const char* estimator : {"exact", "sampling"}) {
    asked = 0;
    Value options = Value::object({{"rows", Value::array().push_back(0)},
                                   {"background_rows", 0},
                                   {"estimator", estimator},
                                   {"permutations", 4},
                                   {"caveat_rows", 1}});
    const Attributions item = attributions(explain(model, table, options));
    // Against row 1, x and y in both orders; against itself nothing; the mean of the two.
    EXPECT_NEAR(item.value(0, 0), ((1 * 4 - 2 * 4) + (1 * 3 - 2 * 3)) / 2.0 / 2, 1e-12);
    EXPECT_NEAR(item.value(0, 1), ((2 * 3 - 2 * 4) + (1 * 3 - 1 * 4)) / 2.0 / 2, 1e-12);
    EXPECT_EQ(item.value(0, 2), 0);
    // The row, the background, and two coalitions.
    EXPECT_EQ(asked, 1 + 2 + 2) << estimator;
  }
}

TEST(Shap, DuplicatedRowsEqualWeights) {
  const Table table = random_table(15, 25);
  std::vector<std::uint64_t> duplicated;
  for (std::uint64_t row = 0; row < table.rows(); ++row) {
    for (int k = 0; k < static_cast<int>(table.column(4).number(row)); ++k) duplicated.push_back(row);
  }
  const FunctionModel model({"a", "b", "c", "d"}, entangled, {"margin", "chance"});
  Value options = exact_all;
  options.set("interactions", true);
  const Result weighted = explain(model, table.with_weights(4), options);
  const Result repeated = explain(model, rows_of(table, duplicated), options);
  EXPECT_NEAR(attributions(weighted).base, attributions(repeated).base, 1e-12);
  for (const char* feature : {"a", "b", "c", "d", "a × b", "c × d", "c alone"}) {
    EXPECT_NEAR(importance(weighted, feature).importance, importance(repeated, feature).importance, 1e-12) << feature;
    EXPECT_NEAR(*importance(weighted, feature).sd, *importance(repeated, feature).sd, 1e-12) << feature;
  }
}

TEST(Shap, NamedRowsAreExplainedWhateverTheyWeigh) {
  const Table table = random_table(16, 50).with_weights(4);
  const FunctionModel model({"a", "b", "c", "d"}, entangled, {"margin", "chance"});
  std::int64_t light = 0;
  while (table.column(4).number(static_cast<std::size_t>(light)) > 0) ++light;
  Value options = Value::object({{"rows", std::vector<std::int64_t>{light, 0, light}}, {"background_rows", 0}});
  const Result some = explain(model, table, options);
  const Attributions& item = attributions(some);
  EXPECT_EQ(item.rows, (std::vector<std::uint64_t>{0, static_cast<std::uint64_t>(light)}));
  EXPECT_EQ(caveat(some, "some-rows"), nullptr);
  // The same numbers as among all rows.
  const Attributions all = attributions(explain(model, table, exact_all));
  for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(item.value(0, j), all.value(0, j));
  EXPECT_EQ(some.results.size(), 2U) << "two rows alone have no ranking";
  EXPECT_THAT(error_of(model, table, options.set("rows", std::vector<std::int64_t>{50})),
              HasSubstr("not all of these"));
  EXPECT_THAT(error_of(model, table, options.set("rows", std::vector<std::int64_t>{-1})), HasSubstr("-1 is not a row"));
  EXPECT_THAT(error_of(model, table, options.set("rows", std::vector<std::int64_t>{1}).set("sample", 10)),
              HasSubstr("do not go together"));
}

TEST(Shap, SaysWhatItDidNotLookAt) {
  const Table table = random_table(17, 400);
  const FunctionModel model({"a", "b", "c", "d"}, entangled, {"margin", "chance"});
  const Result result = explain(model, table, Value::object({{"explain", 10}}));
  ASSERT_NE(caveat(result, "some-rows"), nullptr);
  EXPECT_EQ(caveat(result, "some-rows")->message.plain(),
            "10 of 400 rows are explained, drawn at random; mean |SHAP| is over these");
  ASSERT_NE(caveat(result, "sampled-background"), nullptr);
  EXPECT_THAT(caveat(result, "sampled-background")->message.plain(), HasSubstr("100 of 400 rows"));
  EXPECT_EQ(attributions(result).rows.size(), 10U);
  EXPECT_EQ(attributions(result).total_rows, 400U);
  EXPECT_EQ(*attributions(result).details.find("estimator"), Value("exact"));
  EXPECT_EQ(*attributions(result).details.find("background_rows"), Value(100));
  // A small budget: random orders instead of coalitions, then fewer rows.
  const Result cheap = explain(model, table, Value::object({{"predictions", 24'000}}));
  EXPECT_EQ(*attributions(cheap).details.find("estimator"), Value("sampling"));
  EXPECT_EQ(attributions(cheap).rows.size(), 10U);
  EXPECT_THAT(caveat(cheap, "some-rows")->message.plain(), HasSubstr("as many as predictions allow"));
  const Result costly = explain(model, table, Value::object({{"predictions", 14'000}, {"estimator", "exact"}}));
  EXPECT_EQ(attributions(costly).rows.size(), 10U);
}

TEST(Shap, UncertainValuesAreCalledSo) {
  // Twenty features of which any order matters: two rounds against one row say little.
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
  for (int j = 0; j < 20; ++j) {
    names.push_back("f" + std::to_string(j));
    columns.push_back({static_cast<double>(j % 2), static_cast<double>((j + 1) % 2)});
  }
  const FunctionModel model(names, [](const std::vector<double>& x) {
    double product = 1;
    for (std::size_t j = 0; j < x.size(); ++j) product *= 1 + x[j] * static_cast<double>(j);
    return std::vector{product};
  });
  const Table table = numbers(names, columns);
  const Result result = explain(model, table, Value::object({{"permutations", 4}}));
  EXPECT_NE(caveat(result, "unstable-local"), nullptr);
  EXPECT_THAT(error_of(model, table, Value::object({{"estimator", "exact"}})), HasSubstr("20 features are more than"));
  EXPECT_THAT(error_of(model, table, Value::object({{"interactions", true}})), HasSubstr("interactions: 20 features"));
}

TEST(Shap, OptionsThatMakeNoSenseAreRefused) {
  const Table table = random_table(18, 20);
  const FunctionModel model({"a", "b", "c", "d"}, entangled, {"margin", "chance"});
  const auto error = [&](const char* option, const Value& value) {
    return error_of(model, table, Value::object({{option, value}}));
  };
  EXPECT_THAT(error("background", "cover"),
              HasSubstr("only branches of trees have a cover, and the model shows no trees"));
  EXPECT_THAT(error_of(*random_trees(1, tree_families().begin()->second), table,
                       Value::object({{"background", "cover"}, {"engine", "blackbox"}})),
              HasSubstr("the engine is not trees"));
  EXPECT_THAT(error("explain", -1), HasSubstr("0 or more"));
  EXPECT_THAT(error("background_rows", -1), HasSubstr("0 or more"));
  EXPECT_THAT(error("permutations", 1), HasSubstr("at least 4"));
  EXPECT_THAT(error("precision", 2.0), HasSubstr("between 0 and 1"));
  EXPECT_THAT(error_of(model, table, Value::object({{"interactions", true}, {"estimator", "sampling"}})),
              HasSubstr("do not go together"));
}

TEST(Shap, OneFeatureGetsEverything) {
  const FunctionModel model({"a"}, [](const auto& x) { return std::vector{x[0] * x[0]}; });
  for (const char* estimator : {"exact", "sampling"}) {
    const Result result = explain(model, numbers({"a"}, {{1, 3}}), Value::object({{"estimator", estimator}}));
    EXPECT_EQ(attributions(result).values, (std::vector<double>{-4, 4}));
  }
}

TEST(Shap, AConstantModelAddsNothing) {
  const FunctionModel model({"a", "b"}, [](const auto&) { return std::vector{0.1}; });
  const Table table = numbers({"a", "b"}, {{1, 2, 3}, {3, 2, 1}});
  for (const char* estimator : {"exact", "sampling"}) {
    const Attributions item = attributions(explain(model, table, Value::object({{"estimator", estimator}})));
    EXPECT_EQ(item.base, 0.1);
    EXPECT_EQ(item.values, std::vector<double>(6, 0.0));
  }
}

// A few rows could be afforded exactly where all are sampled, for less in sum.
TEST(Shap, NamingRowsNeverAsksMoreThanExplainingAll) {
  constexpr std::size_t features = 13, rows = 40;
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;
  std::mt19937_64 random(5);
  for (std::size_t j = 0; j < features; ++j) {
    names.push_back("x" + std::to_string(j));
    auto& column = values.emplace_back();
    for (std::size_t i = 0; i < rows; ++i) column.push_back(static_cast<double>(random() % 10000));
  }
  std::uint64_t asked = 0;
  const FunctionModel model(
      names,
      [&](const std::vector<double>& x) {
        ++asked;
        return std::vector{x[0] + x[1] * x[2] + x[12]};
      },
      {"prediction"}, Concurrency::one_at_a_time);
  const Table table = numbers(names, values);
  const auto cost = [&](Value options) {
    asked = 0;
    const Result result = explain(model, table, options.set("predictions", 5'000'000));
    return std::pair(asked, attributions(result));
  };
  const auto [all, of_all] = cost(Value::object());
  for (const std::vector<std::int64_t>& named : {std::vector<std::int64_t>{7}, {3, 7, 11}, {0, 1, 2, 3, 4, 5, 6, 7}}) {
    const auto [few, of_few] = cost(Value::object({{"rows", named}}));
    EXPECT_LE(few, all) << named.size();
    for (std::size_t i = 0; i < named.size(); ++i)
      EXPECT_NEAR(of_few.value(i, 0), of_all.value(static_cast<std::size_t>(named[i]), 0), 1e-6);
  }
}

}  // namespace
}  // namespace sightglass
