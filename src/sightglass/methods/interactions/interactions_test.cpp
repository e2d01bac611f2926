#include "sightglass/methods/interactions/interactions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/model/linear_model.h"
#include "support/caveats.h"
#include "support/dense_pd.h"
#include "support/function_model.h"
#include "support/law_cases.h"
#include "support/number_tables.h"
#include "support/random_data.h"
#include "support/random_trees.h"

namespace sightglass {
namespace {

using testing::DensePd;
using testing::FunctionModel;
using testing::has_caveat;
using ::testing::HasSubstr;
using testing::minus;
using testing::numbered_names;
using testing::plus;
using testing::random_table;
using testing::scattered_table;

const testing::LawCase laws("interactions",
                            {.options = Value::object({{"triples", std::vector<std::string>{"a:b:c", "b:c:d"}}})});

std::vector<double> entangled(const std::vector<double>& x) {
  const double b = std::isnan(x[1]) ? 0.3 : x[1];
  const double c = std::isnan(x[2]) ? -1 : x[2];
  const double first = std::sin(x[0]) * b + (x[3] > 5 ? 2.0 : -1.0) * c * (1 + 0.5 * b) + 0.1 * x[0];
  return {first, 1 / (1 + std::exp(-first))};
}

Result explain(const Model& model, const Table& table, const Value& options = Value::object(), int threads = 1) {
  Context context(threads);
  return run("interactions", model, table, options, context);
}

const Interaction& find(const Result& result, const std::vector<std::string>& features,
                        const std::string& output = "prediction") {
  for (const ResultItem& item : result.results) {
    const auto* interaction = item.as<Interaction>();
    if (interaction != nullptr && interaction->features == features && interaction->output == output)
      return *interaction;
  }
  throw std::runtime_error("no such interaction");
}

const Figure& left(const Result& result, const std::string& output = "prediction") {
  for (const ResultItem& item : result.results) {
    const auto* figure = item.as<Figure>();
    if (figure != nullptr && figure->output == output) return *figure;
  }
  throw std::runtime_error("no figure");
}

struct Expected {
  double h2, strength, pd_sd;
};

// The definition, from dense partial dependence.
Expected dense_h(const DensePd& dense, const std::vector<unsigned>& features) {
  const auto single = [&](unsigned j) { return dense.centred(dense.pd(1U << j)); };
  const auto f = dense.centred(dense.prediction());
  std::vector<long double> numerator, denominator;
  if (features.size() == 1) {
    denominator = f;
    numerator = minus(minus(f, single(features[0])), dense.centred(dense.pd(0b1111U & ~(1U << features[0]))));
  } else if (features.size() == 2) {
    denominator = dense.centred(dense.pd(1U << features[0] | 1U << features[1]));
    numerator = minus(minus(denominator, single(features[0])), single(features[1]));
  } else {
    denominator = dense.centred(dense.pd(1U << features[0] | 1U << features[1] | 1U << features[2]));
    numerator = denominator;
    for (std::size_t out = 0; out < 3; ++out) {
      unsigned mask = 0;
      for (std::size_t j = 0; j < 3; ++j) mask |= j == out ? 0U : 1U << features[j];
      numerator = plus(minus(numerator, dense.centred(dense.pd(mask))), single(features[out]));
    }
  }
  const long double above = dense.covariance(numerator, numerator);
  const long double below = dense.covariance(denominator, denominator);
  return {static_cast<double>(above / below), static_cast<double>(std::sqrt(above)),
          static_cast<double>(std::sqrt(below))};
}

const std::vector<std::string> names = {"a", "b", "c", "d"};

void expect_as_dense(const Result& result, const DensePd& dense, const std::string& output) {
  const auto compare = [&](const std::vector<unsigned>& features) {
    std::vector<std::string> called;
    for (const unsigned j : features) called.push_back(names[j]);
    SCOPED_TRACE(::testing::PrintToString(called) + " " + output);
    const Interaction& interaction = find(result, called, output);
    const Expected expected = dense_h(dense, features);
    const double sd = static_cast<double>(std::sqrt(dense.covariance(dense.prediction(), dense.prediction())));
    if (expected.strength * expected.strength < 1e-10 * sd * sd) {
      EXPECT_EQ(interaction.h2, 0);
      EXPECT_EQ(interaction.strength, 0);
    } else {
      EXPECT_NEAR(interaction.h2, expected.h2, 1e-9 * expected.h2);
      EXPECT_NEAR(interaction.h, std::sqrt(expected.h2), 1e-9);
      EXPECT_NEAR(interaction.strength, expected.strength, 1e-9 * expected.strength);
    }
    if (features.size() > 1) {
      EXPECT_NEAR(interaction.details.find("pd_sd")->as_number(), expected.pd_sd, 1e-9 * expected.pd_sd);
      EXPECT_EQ(interaction.details.find("in_findings")->as_bool(), expected.pd_sd >= 0.05 * sd);
    }
  };
  for (unsigned a = 0; a < 4; ++a) {
    compare({a});
    for (unsigned b = a + 1; b < 4; ++b) {
      compare({a, b});
      for (unsigned c = b + 1; c < 4; ++c) compare({a, b, c});
    }
  }
  auto rest = dense.centred(dense.prediction());
  const long double variance = dense.covariance(rest, rest);
  for (unsigned j = 0; j < 4; ++j) rest = minus(rest, dense.centred(dense.pd(1U << j)));
  EXPECT_NEAR(left(result, output).value, static_cast<double>(dense.covariance(rest, rest) / variance), 1e-9);
}

const std::vector<std::string> all_triples = {"a:b:c", "a:b:d", "d:c:a", "b:c:d"};

TEST(Interactions, EqualsTheDefinitionWithWeightsTiesCategoriesAndMissingValues) {
  for (const bool weighted : {false, true}) {
    const Table plain = random_table(7, 60);
    const Table table = weighted ? plain.with_weights(4) : plain;
    const FunctionModel model(names, entangled, {"margin", "chance"});
    const Result result = explain(model, table, Value::object({{"triples", all_triples}}));
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
      const DensePd dense(table, 4, [k](const auto& x) { return entangled(x)[k]; });
      expect_as_dense(result, dense, k == 0 ? "margin" : "chance");
    }
  }
}

TEST(Interactions, EqualsTheDefinitionForTreesWhichShareCells) {
  for (const auto& [family, options] : testing::tree_families()) {
    SCOPED_TRACE(family);
    const auto model = testing::random_trees(3, options);
    const Table table = random_table(8, 50);
    Context context(1);
    const Result result =
        explain(*model, table, Value::object({{"triples", all_triples}, {"scale", "response"}, {"batch", 16}}));
    const std::string output = result.results.at(0).get<Figure>().output;
    const auto bound = model->bind(table.schema(), {});
    // The model itself, a row at a time.
    const DensePd dense(table, 4, [&](const std::vector<double>& x) {
      std::vector<Override> overrides;
      for (std::uint32_t j = 0; j < 4; ++j) overrides.push_back({j, Scalar::of(x[j])});
      std::vector<ColumnView> columns;
      for (std::size_t j = 0; j < table.schema().size(); ++j) columns.push_back(table.column(j).slice(0, 1));
      Matrix out(1, result.model.find("outputs")->as_array().size());
      bound->predict({.rows = 1, .columns = columns, .overrides = overrides}, {}, out.span(), context);
      return out(0, 0);
    });
    expect_as_dense(result, dense, output);
  }
}

// A full grid: features are exactly independent and centred.
Table grid_table(std::size_t features, const std::vector<double>& values, double scale = 1) {
  std::size_t rows = 1;
  for (std::size_t j = 0; j < features; ++j) rows *= values.size();
  std::vector<ColumnInfo> infos;
  std::vector<Column> columns;
  std::size_t step = 1;
  for (std::size_t j = 0; j < features; ++j) {
    std::vector<double> column(rows);
    for (std::size_t row = 0; row < rows; ++row) column[row] = scale * values[row / step % values.size()];
    step *= values.size();
    infos.push_back({.name = "x" + std::to_string(j + 1)});
    columns.push_back(column_of(std::move(column)));
  }
  return Table(Schema(std::move(infos)), std::move(columns));
}

TEST(Interactions, AnAdditiveModelHasNone) {
  const FunctionModel model({"x1", "x2", "x3", "x4"}, [](const auto& x) {
    return std::vector<double>{std::sin(x[0]) + x[1] * x[1] - std::exp(x[2]) + 1e6 + 0.3 * x[3]};
  });
  const Result result = explain(model, grid_table(4, {-1.3, 0.1, 0.7, 1.9}),
                                Value::object({{"triples", std::vector<std::string>{"x1:x2:x3"}}}));
  std::size_t seen = 0;
  for (const ResultItem& item : result.results) {
    if (const auto* interaction = item.as<Interaction>()) {
      EXPECT_EQ(interaction->h2, 0);
      EXPECT_EQ(interaction->strength, 0);
      ++seen;
    }
  }
  EXPECT_EQ(seen, 4U + 6U + 1U);
  EXPECT_EQ(left(result).value, 0);
}

TEST(Interactions, AProductOfCentredFeaturesIsNothingButInteraction) {
  const FunctionModel model({"x1", "x2", "x3"}, [](const auto& x) { return std::vector<double>{x[0] * x[1] + x[2]}; });
  const Result result = explain(model, grid_table(3, {-2, -1, 0, 1, 2}));
  EXPECT_DOUBLE_EQ(find(result, {"x1", "x2"}).h2, 1);
  EXPECT_DOUBLE_EQ(find(result, {"x1", "x2"}).strength, 2);  // Var x = 2, so sd(x1 x2) = 2
  EXPECT_EQ(find(result, {"x1", "x3"}).h2, 0);
  EXPECT_EQ(find(result, {"x3"}).h2, 0);
  // Var f = 4 + 2.
  EXPECT_NEAR(find(result, {"x1"}).h2, 4.0 / 6, 1e-12);
  EXPECT_NEAR(left(result).value, 4.0 / 6, 1e-12);
  EXPECT_EQ(find(result, {"x1", "x2"}).details.find("rank")->as_integer(), 1);
  EXPECT_FALSE(find(result, {"x1", "x2"}).se.has_value());
}

TEST(Interactions, ExclusiveOrAndTheParityOfThree) {
  const FunctionModel two({"x1", "x2"}, [](const auto& x) { return std::vector<double>{x[0] != x[1] ? 1.0 : 0.0}; });
  const Result both = explain(two, grid_table(2, {0, 1}));
  EXPECT_DOUBLE_EQ(find(both, {"x1", "x2"}).h2, 1);
  EXPECT_DOUBLE_EQ(find(both, {"x1", "x2"}).strength, 0.5);
  EXPECT_DOUBLE_EQ(find(both, {"x1"}).h2, 1);
  const FunctionModel three({"x1", "x2", "x3", "x4"}, [](const auto& x) {
    return std::vector<double>{static_cast<double>(static_cast<int>(x[0] + x[1] + x[2]) % 2)};
  });
  const Result result = explain(three, grid_table(4, {0, 1}),
                                Value::object({{"triples", std::vector<std::string>{"x1:x2:x3", "x1:x2:x4"}}}));
  EXPECT_DOUBLE_EQ(find(result, {"x1", "x2", "x3"}).h2, 1);
  EXPECT_EQ(find(result, {"x1", "x2", "x4"}).h2, 0);
  EXPECT_EQ(find(result, {"x1", "x2"}).h2, 0);
}

TEST(Interactions, HugeAndTinyPredictionsDoNotOverflow) {
  const Table table = grid_table(3, {-2, -1, 0, 1, 2});
  for (const double scale : {1e300, 1e-300, 1.0}) {
    const FunctionModel model({"x1", "x2", "x3"},
                              [scale](const auto& x) { return std::vector<double>{scale * (x[0] * x[1] + x[2])}; });
    const Result result = explain(model, table);
    EXPECT_NEAR(find(result, {"x1", "x2"}).h2, 1, 1e-12);
    EXPECT_NEAR(find(result, {"x1", "x2"}).strength / scale, 2, 1e-12);
    EXPECT_NEAR(find(result, {"x1"}).h2, 4.0 / 6, 1e-12);
  }
  const FunctionModel product({"x1", "x2"}, [](const auto& x) { return std::vector<double>{x[0] / 1e150 * x[1]}; });
  EXPECT_NEAR(find(explain(product, grid_table(2, {-1, 0, 1}, 1e200)), {"x1", "x2"}).h2, 1, 1e-12);
}

TEST(Interactions, OnlyWhatWasAskedFor) {
  const Table table = random_table(9, 40);
  const FunctionModel model(names, entangled, {"margin", "chance"});
  const Result pairs = explain(model, table,
                               Value::object({{"pairs", std::vector<std::string>{"c:a", "a:c", "b:d"}},
                                              {"triples", std::vector<std::string>{"a:b:c"}},
                                              {"output", "margin"}}));
  std::set<std::vector<std::string>> seen;
  for (const ResultItem& item : pairs.results) {
    if (const auto* interaction = item.as<Interaction>()) {
      EXPECT_TRUE(seen.insert(interaction->features).second);
    }
  }
  EXPECT_EQ(seen,
            (std::set<std::vector<std::string>>{{"a"}, {"b"}, {"c"}, {"d"}, {"a", "c"}, {"b", "d"}, {"a", "b", "c"}}));
  const Result some = explain(model, table, Value::object({{"features", std::vector<std::string>{"d", "a"}}}));
  EXPECT_EQ(some.results.size(), 2U * 3U) << "no share of variance without all features";
  EXPECT_NO_THROW((void)find(some, {"a", "d"}, "chance"));
}

TEST(Interactions, RankedByStrengthTiesInTheModelsOrder) {
  const FunctionModel model({"x1", "x2", "x3", "x4"}, [](const auto& x) {
    return std::vector<double>{x[0] * x[1] + 3 * x[2] * x[3] + 10 * x[0]};
  });
  const Result result = explain(model, grid_table(4, {-1, 1}));
  std::vector<std::vector<std::string>> pairs;
  for (const ResultItem& item : result.results) {
    const auto* interaction = item.as<Interaction>();
    if (interaction == nullptr || interaction->features.size() != 2) continue;
    pairs.push_back(interaction->features);
    EXPECT_EQ(interaction->details.find("rank")->as_integer(), static_cast<std::int64_t>(pairs.size()));
  }
  ASSERT_EQ(pairs.size(), 6U);
  EXPECT_EQ(pairs[0], (std::vector<std::string>{"x3", "x4"}));
  EXPECT_EQ(pairs[1], (std::vector<std::string>{"x1", "x2"}));
  EXPECT_EQ(pairs[2], (std::vector<std::string>{"x1", "x3"}));
}

TEST(Interactions, AboveOneIsKeptAndNoted) {
  // Where the features are the same, which they are in the data, the joint effect is nearly flat; its parts are not.
  std::vector<double> x1;
  for (int i = -10; i <= 10; ++i) x1.push_back(i);
  const Table table(Schema({{.name = "x1"}, {.name = "x2"}}), {column_of(x1), column_of(x1)});
  const auto function = [](const std::vector<double>& x) { return (x[0] - x[1]) * (x[0] - x[1]) + x[0]; };
  const FunctionModel model({"x1", "x2"}, [&](const auto& x) { return std::vector<double>{function(x)}; });
  const Result result = explain(model, table);
  const DensePd dense(table, 2, function);
  const auto joint = dense.centred(dense.prediction());
  const auto numerator = minus(minus(joint, dense.centred(dense.pd(1))), dense.centred(dense.pd(2)));
  const auto expected = static_cast<double>(dense.covariance(numerator, numerator) / dense.covariance(joint, joint));
  EXPECT_GT(expected, 10);
  EXPECT_NEAR(find(result, {"x1", "x2"}).h2, expected, 1e-9 * expected);
  EXPECT_TRUE(has_caveat(result, "h-above-one"));
}

// Of a pair that moves nothing where the rows are, H² would be one rounding over another.
TEST(Interactions, AFlatJointEffectHasNoH2) {
  TreeEnsemble::Parts parts;
  parts.signature.features = {{.name = "x1"}, {.name = "x2"}, {.name = "x3"}};
  parts.signature.outputs = {"prediction"};
  parts.base = {0.3};
  const auto split = [](std::int32_t left, std::int32_t right, std::int32_t feature) {
    return TreeNode{.left = left, .right = right, .feature = feature, .threshold = 0};
  };
  parts.nodes = {split(1, 2, 0),     split(3, 4, 1),     split(5, 6, 1), {.threshold = 0.7},  {.threshold = 0.1},
                 {.threshold = 0.1}, {.threshold = 0.7}, split(8, 9, 2), {.threshold = 0.13}, {.threshold = 0.77}};
  parts.trees = {{0, 0}, {7, 0}};
  const TreeEnsemble model(std::move(parts), "exclusive or");
  std::vector<double> x1, x3;
  for (int i = 0; i < 70; ++i) {
    x1.push_back(i % 7 < 2 ? -1 : 1);
    x3.push_back(i % 3 - 1.5);
  }
  const Table table(Schema({{.name = "x1"}, {.name = "x2"}, {.name = "x3"}}),
                    {column_of(x1), column_of(x1), column_of(x3)});
  for (const char* engine : {"trees", "blackbox"}) {
    const Result result = explain(model, table, Value::object({{"engine", engine}}));
    const Interaction& pair = find(result, {"x1", "x2"});
    EXPECT_EQ(pair.h2, 0) << engine;
    EXPECT_EQ(pair.h, 0) << engine;
    EXPECT_GT(pair.strength, 0.1) << engine;
    EXPECT_TRUE(has_caveat(result, "h-above-one")) << engine;
    EXPECT_EQ(pair.details.find("in_findings")->as_bool(), false) << engine;
  }
}

// The rows handed to the model, counted.
std::uint64_t model_rows(const Model& model, const Table& table, const Value& options) {
  Context context(1);
  const auto [told, own] = split_options(options, find_method("interactions").options);
  const RunSession session(model, table, read_options<RunOptions>(told), context);
  (void)session.run(find_method("interactions"), own);
  return session.evaluator().model_rows();
}

TEST(Interactions, EachRowIsAskedOnceForEachDifferentValue) {
  const Table table = random_table(10, 80);
  const FunctionModel model(names, entangled, {"margin", "chance"});
  // Different values of every subset that has to be asked for; three of four features are the complement of one.
  std::size_t expected = 1;
  for (unsigned mask = 1; mask < 16; ++mask) {
    const int size = __builtin_popcount(mask);
    if (size > 2) continue;
    std::set<std::vector<double>> distinct;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      std::vector<double> values;
      for (std::size_t j = 0; j < 4; ++j) {
        const double value = table.column(j).number(row);
        if ((mask >> j & 1U) != 0) values.push_back(std::isnan(value) ? 1e9 : value);
      }
      distinct.insert(values);
    }
    expected += distinct.size();
  }
  EXPECT_EQ(model_rows(model, table, Value::object({{"triples", all_triples}, {"batch", 32}})),
            expected * table.rows());
  // Two features: the pair is the prediction itself.
  const FunctionModel two({"a", "d"}, [](const auto& x) { return std::vector<double>{x[0] * x[1]}; });
  EXPECT_EQ(model_rows(two, table, Value::object()), (1 + 80 + 12) * 80U);
}

TEST(Interactions, SamplesAreStatedAndHaveStandardErrors) {
  const Table table = random_table(11, 600);
  const FunctionModel model(names, entangled, {"margin", "chance"});
  const Value options = Value::object({{"sample_rows", 100}, {"samples", 3}, {"output", "margin"}});
  const Result sampled = explain(model, table, options);
  EXPECT_TRUE(has_caveat(sampled, "sampled-rows"));
  EXPECT_THAT(sampled.caveats.at(0).message.plain(), HasSubstr("300 of 600"));
  EXPECT_THAT(sampled.caveats.at(0).advice.plain(), HasSubstr("rows to 600"));
  const Result all = explain(model, table, Value::object({{"sample_rows", 600}, {"output", "margin"}}));
  EXPECT_FALSE(has_caveat(all, "sampled-rows"));
  for (const std::vector<std::string>& pair : {std::vector<std::string>{"a", "b"}, {"c", "d"}, {"c"}}) {
    const Interaction& guess = find(sampled, pair, "margin");
    ASSERT_TRUE(guess.se.has_value());
    EXPECT_GT(*guess.se, 0);
    EXPECT_NEAR(guess.h2, find(all, pair, "margin").h2, 6 * *guess.se + 0.02);
  }
  // The budget decides by itself, and is kept.
  const Value tight = Value::object({{"predictions", 100'000}});
  EXPECT_TRUE(has_caveat(explain(model, table, tight), "sampled-rows"));
  EXPECT_LE(model_rows(model, table, tight), 100'000U);
  EXPECT_GE(model_rows(model, table, tight), 40'000U);
  EXPECT_FALSE(has_caveat(explain(model, table, tight), "over-budget"));
  // But for one that no sample could keep to: then it says so.
  const Result over = explain(model, table, Value::object({{"predictions", 10}}));
  ASSERT_TRUE(has_caveat(over, "over-budget"));
  for (const Caveat& caveat : over.caveats) {
    if (caveat.id != "over-budget") continue;
    EXPECT_GT(caveat.evidence.find("predictions")->as_number(), 10);
  }
}

TEST(Interactions, ManyFeaturesAndFewPredictionsLeavePairsOut) {
  const Table table = scattered_table(30);
  const FunctionModel model(numbered_names(30), [](const auto& x) { return std::vector<double>{x[3] * x[17] + x[5]}; });
  const Result result = explain(model, table, Value::object({{"predictions", 1'000'000}}));
  EXPECT_TRUE(has_caveat(result, "pairs-left-out"));
  EXPECT_GT(find(result, {"x3", "x17"}).strength, 0);
  EXPECT_EQ(find(result, {"x3", "x17"}).details.find("rank")->as_integer(), 1);
}

TEST(Interactions, TheMarginScaleWhereTheModelHasOne) {
  class Logistic : public FunctionModel {
   public:
    Logistic() : FunctionModel({"x1", "x2"}, [](const auto&) { return std::vector<double>{0}; }) {
      described_ = FunctionModel::signature();
      described_.has_margin = true;
    }
    [[nodiscard]] const Signature& signature() const override { return described_; }
    [[nodiscard]] std::unique_ptr<BoundModel> bind(const Schema& schema,
                                                   std::span<const std::uint32_t> excluded) const override {
      return std::make_unique<Bound>(FunctionModel::bind(schema, excluded));
    }

   private:
    class Bound : public BoundModel {
     public:
      explicit Bound(std::unique_ptr<BoundModel> base) : base_(std::move(base)) {}
      [[nodiscard]] const std::vector<std::uint32_t>& columns() const override { return base_->columns(); }
      void predict(const RowBlock& block, const PredictOptions& options, MatrixSpan<double> out,
                   Context&) const override {
        for (std::size_t row = 0; row < block.rows; ++row) {
          double margin = 0;
          for (const std::uint32_t column : base_->columns()) {
            const Override* override = block.override_of(column);
            margin +=
                override == nullptr ? block.columns[column].number(row) : std::get<Scalar>(override->value).number;
          }
          out(row, 0) = options.scale == Scale::margin ? margin : 1 / (1 + std::exp(-margin));
        }
      }

     private:
      std::unique_ptr<BoundModel> base_;
    };
    Signature described_;
  };
  const Logistic model;
  const Table table = grid_table(2, {-2, -1, 0, 1});
  const Result margin = explain(model, table);
  EXPECT_EQ(margin.options.find("scale")->as_string(), "margin");
  EXPECT_TRUE(has_caveat(margin, "margin-scale"));
  EXPECT_EQ(find(margin, {"x1", "x2"}).h2, 0);
  const Result response = explain(model, table, Value::object({{"scale", "response"}}));
  EXPECT_EQ(response.options.find("scale")->as_string(), "response");
  EXPECT_FALSE(has_caveat(response, "margin-scale"));
  EXPECT_GT(find(response, {"x1", "x2"}).h2, 0);
  Context context(1);
  EXPECT_EQ(run("pdp", model, table, Value::object(), context).options.find("scale")->as_string(), "response");
}

TEST(Interactions, OddButLegal) {
  const FunctionModel model({"x1", "x2"},
                            [](const auto& x) {
                              return std::vector<double>{(std::isnan(x[0]) ? 1 : x[0]) * (std::isnan(x[1]) ? 1 : x[1]),
                                                         0.0};
                            },
                            {"some", "never"});
  const std::vector<double> none(6, NAN), same(6, 2.5), varied = {0, 1, 2, 3, 4, 5}, infinite = {0, 1, 2, 3, 4, 1e300};
  for (const auto& first : {none, same, varied, infinite}) {
    for (const auto& second : {none, same, varied}) {
      const Table table(Schema({{.name = "x1"}, {.name = "x2"}}), {column_of(first), column_of(second)});
      const Result result = explain(model, table);
      EXPECT_TRUE(has_caveat(result, "constant-prediction"));  // the class that is never predicted
      for (const ResultItem& item : result.results) {
        if (const auto* interaction = item.as<Interaction>()) {
          EXPECT_TRUE(std::isfinite(interaction->h2) && std::isfinite(interaction->strength));
          if (interaction->output == "never") {
            EXPECT_EQ(interaction->h2, 0);
          }
        }
      }
    }
  }
  const Table one(Schema({{.name = "x1"}, {.name = "x2"}}),
                  {column_of(std::vector<double>{3}), column_of(std::vector<double>{0.1})});
  const Result single = explain(model, one);
  EXPECT_TRUE(has_caveat(single, "one-row"));
  EXPECT_EQ(find(single, {"x1", "x2"}, "some").h2, 0);
  EXPECT_EQ(find(single, {"x1"}, "some").h2, 0);
  const FunctionModel lone({"x1"}, [](const auto& x) { return std::vector<double>{x[0]}; });
  EXPECT_TRUE(has_caveat(explain(lone, grid_table(1, {1, 2, 3})), "one-feature"));
}

TEST(Interactions, OptionsThatMakeNoSense) {
  const Table table = random_table(1, 20);
  const FunctionModel model(names, entangled, {"margin", "chance"});
  for (const Value& options :
       {Value::object({{"pairs", "a"}}), Value::object({{"pairs", "a:a"}}), Value::object({{"pairs", "a:nobody"}}),
        Value::object({{"pairs", "a:w"}}), Value::object({{"triples", "a:b"}}), Value::object({{"triples", "a:b:a"}}),
        Value::object({{"features", "nobody"}}), Value::object({{"predictions", 0}}),
        Value::object({{"sample_rows", -1}}), Value::object({{"samples", 0}})}) {
    EXPECT_THROW((void)explain(model, table, options), Error);
  }
}

}  // namespace
}  // namespace sightglass
