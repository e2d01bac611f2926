#include "sightglass/methods/local/anchors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <random>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/model/evaluator.h"
#include "sightglass/result/json.h"
#include "sightglass/result/shapes/rules.h"
#include "support/function_model.h"
#include "support/law_cases.h"
#include "support/random_data.h"
#include "support/random_trees.h"

namespace sightglass {
namespace {

using testing::FunctionModel;
using ::testing::HasSubstr;
using testing::random_table;

const testing::LawCase laws("anchors", {.options = Value::object({{"explain", 3},
                                                                  {"perturbed_rows", 1000},
                                                                  {"max_conditions", 3},
                                                                  {"tolerance", 0.8},
                                                                  {"certain", true},
                                                                  {"boxes", 30}}),
                                        .engines = Value::object({{"certain", false}, {"exact_rows", 0}}),
                                        .about_features = false});
const testing::LawCase sampling_laws("anchors:sampling", {.options = Value::object({{"explain", 3},
                                                                                    {"perturbed_rows", 1000},
                                                                                    {"search", "sampling"},
                                                                                    {"max_conditions", 2},
                                                                                    {"outcome", "label"}}),
                                                          .engines = Value::object({{"exact_rows", 0}}),
                                                          .about_features = false});

Result anchored(const Model& model, const Source& source, Value options, int threads = 2) {
  Context context(threads);
  if (options.find("perturbed_rows") == nullptr) options.set("perturbed_rows", 5000);
  return run("anchors", model, source, options, context);
}

const Rules& only_rules(const Result& result, std::size_t item = 0) { return result.results.at(item).get<Rules>(); }

const Caveat* caveat(const Result& result, const std::string& id) {
  for (const Caveat& each : result.caveats) {
    if (each.id == id) return &each;
  }
  return nullptr;
}

// Three numbers, uniform on 0 to 1, and a colour.
Table uniform_table(std::size_t rows, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<double> u(rows), v(rows), w(rows);
  std::vector<std::int32_t> colour(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    for (auto* column : {&u, &v, &w}) (*column)[i] = static_cast<double>(random() % 1000) / 1000;
    colour[i] = static_cast<std::int32_t>(random() % 3);
  }
  const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"blue", "green", "red"});
  return Table(Schema({{.name = "u"},
                       {.name = "v"},
                       {.name = "w"},
                       {.name = "colour", .type = DType::categorical, .dictionary = dictionary}}),
               {column_of(std::move(u)), column_of(std::move(v)), column_of(std::move(w)),
                column_of(std::move(colour), dictionary.get())});
}

// The median as the lower of the two in the middle.
double median(const Table& table, std::size_t column) {
  std::vector<double> values;
  for (std::size_t row = 0; row < table.rows(); ++row) values.push_back(table.column(column).number(row));
  std::sort(values.begin(), values.end());
  return values[values.size() / 2 - 1];
}

// A model that is a rule: its borders are those of the cells.
class RuleModel : public ::testing::TestWithParam<const char*> {};

TEST_P(RuleModel, IsFound) {
  const Table table = uniform_table(2000);
  const double border = median(table, 0);
  const FunctionModel model({"u", "v", "w", "colour"}, [=](const std::vector<double>& x) {
    return std::vector{x[0] > border && x[3] == 2 ? 1.0 : 0.0};
  });
  std::vector<std::int64_t> inside, outside;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const bool both = table.column(0).number(row) > border && table.column(3).number(row) == 2;
    (both ? inside : outside).push_back(static_cast<std::int64_t>(row));
  }
  inside.resize(3);
  const Result result =
      anchored(model, table, Value::object({{"rows", inside}, {"search", GetParam()}, {"outcome", "label"}}));
  for (std::size_t i = 0; i < 3; ++i) {
    const Rule& rule = only_rules(result, i).rules.at(0);
    ASSERT_EQ(rule.conditions.size(), 2U);
    EXPECT_EQ(conditions_text(rule.conditions),
              conditions_text(
                  {{.feature = "u", .above = border}, {.feature = "colour", .categorical = true, .levels = {"red"}}}));
    EXPECT_EQ(rule.precision, 1);
    EXPECT_EQ(rule.perturbed_precision, 1);
    EXPECT_GT(*rule.low, 0.85);
    EXPECT_EQ(*rule.high, 1);
    EXPECT_NEAR(*rule.base_rate, 1.0 / 6, 0.03);
    EXPECT_DOUBLE_EQ(rule.support, *rule.base_rate);
    EXPECT_EQ(rule.predicted_class, "1");
    EXPECT_TRUE(only_rules(result, i).details.find("holds")->as_bool());
  }
  // Without a rule five of six rows are outside: one condition makes it sure.
  outside.resize(8);
  const Result others =
      anchored(model, table, Value::object({{"rows", outside}, {"search", GetParam()}, {"outcome", "label"}}));
  for (std::size_t i = 0; i < 8; ++i) {
    const Rule& rule = only_rules(others, i).rules.at(0);
    EXPECT_EQ(rule.conditions.size(), 1U);
    EXPECT_EQ(rule.precision, 1);
    EXPECT_EQ(rule.predicted_class, "0");
  }
}

INSTANTIATE_TEST_SUITE_P(Searches, RuleModel, ::testing::Values("rows", "sampling"),
                         [](const auto& test) { return std::string(test.param); });

TEST(Anchors, BordersAtSplitPointsFindRulesThatQuantilesMiss) {
  // One tree: u < 0.9 → 0, else 1.
  TreeEnsemble::Parts parts;
  parts.signature.features = {{.name = "u"}, {.name = "v"}};
  parts.signature.outputs = {"prediction"};
  parts.comparison = Comparison::float64_less_equal;
  parts.base = {0};
  parts.nodes = {{.left = 1, .right = 2, .feature = 0, .threshold = 0.9}, {.threshold = 0}, {.threshold = 1}};
  parts.trees = {{0, 0}};
  const TreeEnsemble model(std::move(parts), "one tree");
  const Table table = uniform_table(3000);
  std::int64_t row = 0;
  while (table.column(0).number(static_cast<std::size_t>(row)) <= 0.9) ++row;
  Value options = Value::object({{"rows", std::vector{row}}, {"outcome", "label"}});
  const Result plain = anchored(model, table, options);
  ASSERT_NE(caveat(plain, "no-anchor"), nullptr);
  EXPECT_THAT(caveat(plain, "no-anchor")->message.plain(), HasSubstr("is right for 95 % of rows; best found for row"));
  EXPECT_FALSE(only_rules(plain).details.find("holds")->as_bool());
  const Result split = anchored(model, table, options.set("borders", "splits").set("certain", true));
  EXPECT_EQ(caveat(split, "no-anchor"), nullptr);
  const Rules& rules = only_rules(split);
  EXPECT_EQ(conditions_text(rules.rules.at(0).conditions), "u >= 0.9");
  EXPECT_EQ(rules.rules[0].precision, 1);
  EXPECT_EQ(rules.rules[0].proof->status, ProofStatus::optimal);
  EXPECT_EQ(rules.rules[0].proof->bound, rules.rules[0].support);
  // What holds for certain is the same here.
  EXPECT_TRUE(rules.rules.at(1).certain);
  EXPECT_EQ(conditions_text(rules.rules[1].conditions), "u >= 0.9");
  EXPECT_DOUBLE_EQ(rules.rules[1].support, rules.rules[0].support);
}

TEST(Anchors, ANumberIsHeldWithinItsTolerance) {
  const Table table = uniform_table(1000);
  const double border = median(table, 1);
  // Far apart on the two sides of v, close on each.
  const FunctionModel model({"u", "v", "w", "colour"}, [=](const std::vector<double>& x) {
    return std::vector{(x[1] > border ? 10.0 : 0.0) + 0.1 * x[0]};
  });
  const Result result = anchored(model, table, Value::object({{"rows", std::vector{5}}}));
  const Rule& rule = only_rules(result).rules.at(0);
  ASSERT_EQ(rule.conditions.size(), 1U);
  EXPECT_EQ(rule.conditions[0].feature, "v");
  EXPECT_NEAR(*rule.tolerance, 0.5, 0.01);
  EXPECT_NEAR(*rule.effect, table.column(1).number(5) > border ? 10 : 0, 0.1);
  EXPECT_EQ(rule.precision, 1);
}

TEST(Anchors, ClassesAreHeldTogetherOrOneByOne) {
  const Table table = uniform_table(900);
  class Classes : public FunctionModel {
   public:
    Classes()
        : FunctionModel({"u", "v", "w", "colour"},
                        [](const std::vector<double>& x) {
                          return std::vector{x[3] == 0 ? 0.9 : 0.1, x[3] == 1 ? 0.8 : 0.2, x[3] == 2 ? 0.7 : 0.3};
                        },
                        {"b", "g", "r"}) {
      signature_ = FunctionModel::signature();
      signature_.task = Task::multiclass;
    }
    [[nodiscard]] const Signature& signature() const override { return signature_; }

   private:
    Signature signature_;
  };
  const Classes model;
  std::int64_t row = 0;
  while (table.column(3).number(static_cast<std::size_t>(row)) != 1) ++row;
  const Value options = Value::object({{"rows", std::vector{row}}});
  const Result all = anchored(model, table, options);
  ASSERT_EQ(all.results.size(), 1U);
  EXPECT_EQ(only_rules(all).rules[0].predicted_class, "g");
  EXPECT_EQ(only_rules(all).output, "g");
  EXPECT_EQ(conditions_text(only_rules(all).rules[0].conditions), "colour = green");
  Value named = options;
  const Result red = anchored(model, table, named.set("output", "r"));
  ASSERT_EQ(red.results.size(), 1U);
  EXPECT_EQ(only_rules(red).rules[0].predicted_class, "not r");
  Value labels = options;
  const Result set = anchored(model, table, labels.set("outcome", "labels"));
  ASSERT_EQ(set.results.size(), 1U);
  EXPECT_EQ(only_rules(set).rules[0].predicted_class, "g");
  Value each = options;
  EXPECT_EQ(anchored(model, table, each.set("outcome", "label")).results.size(), 3U);
}

TEST(Anchors, RulesThatOverlapAndDisagreeAreListed) {
  const Table table = uniform_table(4000);
  const double u = median(table, 0), v = median(table, 1);
  // Where both are high either outcome occurs, by w.
  const FunctionModel model({"u", "v", "w"}, [=](const std::vector<double>& x) {
    if (x[0] > u && x[1] > v) return std::vector{x[2] > 0.5 ? 1.0 : 0.0};
    return std::vector{x[0] > u ? 1.0 : 0.0};
  });
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < 40; ++row) rows.push_back(row);
  const Result result =
      anchored(model, table, Value::object({{"rows", rows}, {"outcome", "label"}, {"precision", 0.7}}));
  const Caveat* found = caveat(result, "conflicting-anchors");
  ASSERT_NE(found, nullptr);
  EXPECT_THAT(found->message.plain(), HasSubstr("overlap and disagree"));
  // They do: some row of the data meets both rules.
  const Value& pair = found->evidence.find("largest")->as_array().at(0);
  const auto rule_of = [&](const char* key) -> const Rules& {
    for (const ResultItem& item : result.results) {
      if (static_cast<std::int64_t>(*item.get<Rules>().row) == pair.find(key)->as_integer()) return item.get<Rules>();
    }
    throw std::logic_error("no such row");
  };
  const auto meets = [&](const Rules& rules, std::size_t row) {
    for (const ShownCondition& condition : rules.rules[0].conditions) {
      const double value = table.column(static_cast<std::size_t>(condition.feature[0] - 'u')).number(row);
      if ((condition.above && !(value > *condition.above)) || (condition.at_most && !(value <= *condition.at_most)))
        return false;
    }
    return true;
  };
  std::int64_t shared = 0;
  for (std::size_t row = 0; row < table.rows(); ++row)
    shared += meets(rule_of("row"), row) && meets(rule_of("other_row"), row);
  EXPECT_EQ(shared, pair.find("rows")->as_integer());
  EXPECT_GT(shared, 0);
  EXPECT_NE(rule_of("row").rules[0].predicted_class, rule_of("other_row").rules[0].predicted_class);
}

TEST(Anchors, ARuleThatCoversNextToNothingIsToldSo) {
  const Table table = uniform_table(20'000);
  const FunctionModel model({"u", "v", "w", "colour"}, [](const std::vector<double>& x) {
    return std::vector{x[0] > 0.9 && x[1] > 0.9 && x[3] == 2 ? 1.0 : 0.0};
  });
  std::int64_t row = 0;
  const auto inside = [&](std::size_t at) {
    return table.column(0).number(at) > 0.9 && table.column(1).number(at) > 0.9 && table.column(3).number(at) == 2;
  };
  while (!inside(static_cast<std::size_t>(row))) ++row;
  const Result result =
      anchored(model, table,
               Value::object({{"rows", std::vector{row}}, {"outcome", "label"}, {"bins", 10}, {"precision", 0.9}}));
  ASSERT_NE(caveat(result, "unstable-local"), nullptr);
  EXPECT_LT(only_rules(result).rules[0].support, 0.01);
}

// Values of features that stand for all: the trees cannot tell others from these.
struct Inputs {
  std::vector<std::vector<double>> values;  // [feature]

  [[nodiscard]] std::vector<std::vector<double>> all() const {
    std::vector<std::vector<double>> columns(values.size());
    std::vector<std::size_t> at(values.size(), 0);
    while (true) {
      for (std::size_t j = 0; j < values.size(); ++j) columns[j].push_back(values[j][at[j]]);
      std::size_t j = 0;
      while (j < values.size() && ++at[j] == values[j].size()) at[j++] = 0;
      if (j == values.size()) return columns;
    }
  }
};

bool meets(const ShownCondition& condition, double value) {
  static const std::vector<std::string> levels = {"blue", "green", "red"};
  if (std::isnan(value)) return condition.missing;
  if (condition.categorical)
    return std::find(condition.levels.begin(), condition.levels.end(), levels[static_cast<std::size_t>(value)]) !=
           condition.levels.end();
  if (condition.missing) return false;
  return (!condition.at_least || value >= *condition.at_least) && (!condition.below || value < *condition.below) &&
         (!condition.above || value > *condition.above) && (!condition.at_most || value <= *condition.at_most);
}

// Of all sets of features, how many the smallest has that settles the outcome: no input that is like the row in these
// has another one.
std::size_t fewest_that_settle(const std::vector<std::vector<double>>& all,
                               const std::function<bool(std::size_t, double)>& alike,
                               const std::function<bool(std::size_t)>& same) {
  std::size_t fewest = all.size();
  for (std::uint32_t chosen = 0; chosen < 1U << all.size(); ++chosen) {
    bool settles = true;
    for (std::size_t at = 0; at < all[0].size() && settles; ++at) {
      bool like = true;
      for (std::size_t j = 0; j < all.size() && like; ++j) like = (chosen >> j & 1) == 0 || alike(j, all[j][at]);
      settles = !like || same(at);
    }
    if (settles) fewest = std::min(fewest, static_cast<std::size_t>(std::popcount(chosen)));
  }
  return fewest;
}

class CertainRulesOf : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(CertainRulesOf, HoldForEveryInputAndNoFeatureCanBeLeftOut) {
  const auto [family, outcome] = GetParam();
  std::size_t rules_seen = 0, short_rules = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    testing::TreeBuilder builder(
        seed, family == std::string("classes") ? testing::averaged_classes() : testing::tree_families().at(family));
    const TreeEnsemble model(builder.build(6, 3), "small trees");
    // d as a plain number, so that it can be anything.
    const Table mixed = random_table(seed, 120);
    std::vector<double> d(mixed.rows());
    for (std::size_t row = 0; row < d.size(); ++row) d[row] = mixed.column(3).number(row);
    const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"blue", "green", "red"});
    const Schema schema({{.name = "a"},
                         {.name = "b"},
                         {.name = "c", .type = DType::categorical, .dictionary = dictionary},
                         {.name = "d"}});
    const Table table(schema, {mixed.columns()[0], mixed.columns()[1], mixed.columns()[2], column_of(d)});
    Inputs inputs;
    for (std::size_t j = 0; j < 4; ++j) {
      auto& values = inputs.values.emplace_back();
      if (j == 2) {
        values = {0, 1, 2};
      } else {
        values = {-1e6, 0};
        for (const double point : model.breakpoints(j)) values.push_back(point);
      }
      if (j == 1 || j == 2) values.push_back(NAN);  // those that the data have
    }
    const auto all = inputs.all();
    const MadeRows every(schema, {0, 1, 2, 3}, all);
    Context context(2);
    Evaluator evaluator(model, table, {}, {}, context);
    Matrix said;
    evaluator.evaluate(every.block(), said);
    const std::vector<std::int64_t> rows = {0, 1, 2, 3, 4, 5, 6, 7};
    const Result result = anchored(model, table,
                                   Value::object({{"rows", rows},
                                                  {"certain", true},
                                                  {"boxes", 1'000'000},
                                                  {"outcome", outcome},
                                                  {"tolerance", 1.0},
                                                  {"search", "rows"},
                                                  {"perturbed_rows", 1000}}));
    Matrix own;
    const auto stream = table.open(evaluator.columns(), table.rows());
    evaluator.evaluate(*stream->next(), own);
    for (const ResultItem& item : result.results) {
      const Rules& rules = item.get<Rules>();
      if (rules.rules.size() < 2) continue;
      const Rule& rule = rules.rules[1];
      ASSERT_TRUE(rule.certain);
      EXPECT_EQ(rule.proof->status, ProofStatus::optimal);
      ++rules_seen;
      short_rules += rule.conditions.size() < 4;
      const auto row = static_cast<std::size_t>(*rules.row);
      const auto output = static_cast<std::size_t>(
          std::find(model.signature().outputs.begin(), model.signature().outputs.end(), rules.output) -
          model.signature().outputs.begin());
      const auto same = [&](std::size_t at) {
        if (outcome == std::string("class")) {
          const auto most = [](auto row_of) { return std::max_element(row_of.begin(), row_of.end()) - row_of.begin(); };
          return most(said.span().row(at)) == most(own.span().row(row));
        }
        if (outcome == std::string("label")) return (said(at, output) > 0.5) == (own(row, output) > 0.5);
        return std::abs(said(at, output) - own(row, output)) <= *rule.tolerance;
      };
      const auto breaks_without = [&](std::size_t left_out) {
        for (std::size_t at = 0; at < all[0].size(); ++at) {
          bool met = true;
          for (std::size_t i = 0; i < rule.conditions.size() && met; ++i) {
            if (i == left_out) continue;
            const auto j = static_cast<std::size_t>(rule.conditions[i].feature[0] - 'a');
            met = meets(rule.conditions[i], all[j][at]);
          }
          if (met && !same(at)) return true;
        }
        return false;
      };
      EXPECT_FALSE(breaks_without(99)) << seed << " row " << row << ": " << conditions_text(rule.conditions);
      for (std::size_t i = 0; i < rule.conditions.size(); ++i)
        EXPECT_TRUE(breaks_without(i)) << seed << " row " << row << ": " << conditions_text(rule.conditions);
      const auto alike = [&](std::size_t j, double value) {
        const double here = table.column(j).number(row);
        if (std::isnan(here) || std::isnan(value) || j == 2)
          return here == value || (std::isnan(here) && std::isnan(value));
        const auto points = model.breakpoints(j);
        return std::upper_bound(points.begin(), points.end(), here) ==
               std::upper_bound(points.begin(), points.end(), value);
      };
      EXPECT_EQ(rule.conditions.size(), fewest_that_settle(all, alike, same))
          << seed << " row " << row << ": " << conditions_text(rule.conditions);
      EXPECT_EQ(rule.proof->bound, static_cast<double>(rule.conditions.size()));
      EXPECT_TRUE(rule.minimal);
    }
  }
  EXPECT_GT(rules_seen, 10U);
  EXPECT_GT(short_rules, 0U);
}

INSTANTIATE_TEST_SUITE_P(Trees, CertainRulesOf,
                         ::testing::Values(std::tuple("xgboost", "label"), std::tuple("xgboost", "number"),
                                           std::tuple("lightgbm", "label"), std::tuple("lightgbm", "number"),
                                           std::tuple("forest", "class"), std::tuple("classes", "class")),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param);
                         });

TEST(Anchors, CertainRulesSayWhenTheLimitWasReached) {
  const Table table = random_table(2, 300);
  const auto model = testing::random_trees(4, testing::tree_families().at("xgboost"));
  const Result result =
      anchored(*model, table,
               Value::object(
                   {{"explain", 20}, {"certain", true}, {"boxes", 1}, {"outcome", "label"}, {"perturbed_rows", 1000}}));
  const Caveat* open = caveat(result, "certain-rule-open");
  ASSERT_NE(open, nullptr);
  EXPECT_THAT(open->message.plain(), HasSubstr("could perhaps be left out"));
  // What is shown says the same: valid, with a bound that holds.
  const Result known =
      anchored(*model, table,
               Value::object({{"explain", 20}, {"certain", true}, {"outcome", "label"}, {"perturbed_rows", 1000}}));
  std::size_t opens = 0;
  for (std::size_t i = 0; i < result.results.size(); ++i) {
    const Rule& rule = only_rules(result, i).rules.at(1);
    const Rule& smallest = only_rules(known, i).rules.at(1);
    EXPECT_EQ(smallest.proof->status, ProofStatus::optimal);
    EXPECT_GE(rule.conditions.size(), smallest.conditions.size());
    EXPECT_LE(*rule.proof->bound, *smallest.proof->bound);
    EXPECT_EQ(rule.proof->status == ProofStatus::optimal,
              *rule.proof->bound == static_cast<double>(rule.conditions.size()));
    opens += !rule.minimal;
  }
  EXPECT_GT(opens, 0U);
  const FunctionModel opaque({"a"}, [](const std::vector<double>& x) { return std::vector{x[0]}; });
  EXPECT_NE(caveat(anchored(opaque, table, Value::object({{"certain", true}})), "no-certain-rule"), nullptr);
}

TEST(Anchors, ASearchThatStoppedDoesNotSayThatThereIsNoRule) {
  const Table table = uniform_table(1000);
  const double border = median(table, 0);
  const FunctionModel model({"u", "v", "w", "colour"}, [=](const std::vector<double>& x) {
    return std::vector{x[0] > border && x[1] < 0.5 ? 1.0 : 0.0};
  });
  std::int64_t row = 0;
  while (!(table.column(0).number(static_cast<std::size_t>(row)) > border &&
           table.column(1).number(static_cast<std::size_t>(row)) < 0.5))
    ++row;
  Value options =
      Value::object({{"rows", std::vector{row}}, {"outcome", "label"}, {"search", "rows"}, {"precision", 0.9}});
  EXPECT_EQ(caveat(anchored(model, table, options), "no-anchor"), nullptr);
  const Result stopped = anchored(model, table, options.set("max_rules", 5));
  const Caveat* none = caveat(stopped, "no-anchor");
  ASSERT_NE(none, nullptr);
  EXPECT_THAT(none->message.plain(),
              HasSubstr("the search stopped after 5 rules: whether another one reaches it is not known"));
  EXPECT_THAT(none->advice.plain(), HasSubstr("max_rules"));
}

TEST(Anchors, AConstantModelHasTheRuleWithoutConditions) {
  const Table table = random_table(3, 250);
  const FunctionModel model({"a", "b", "c"}, [](const std::vector<double>&) { return std::vector{4.0}; });
  for (const char* search : {"rows", "sampling"}) {
    const Result result = anchored(model, table, Value::object({{"rows", std::vector{7}}, {"search", search}}));
    const Rule& rule = only_rules(result).rules[0];
    EXPECT_TRUE(rule.conditions.empty()) << search;
    EXPECT_EQ(rule.support, 1);
    EXPECT_EQ(rule.precision, 1);
    EXPECT_EQ(rule.base_rate, 1);
    EXPECT_EQ(rule.perturbed_precision, 1);
    EXPECT_EQ(rule.tolerance, 0);
  }
}

TEST(Anchors, OddInputIsLegalOrRefusedWithAReason) {
  // Binary features only, one of them constant; one feature; a row without any value; few rows.
  std::vector<double> bit(300), same(300, 1.0), gaps(300);
  for (std::size_t i = 0; i < 300; ++i) {
    bit[i] = i % 3 == 0 ? 1 : 0;
    gaps[i] = i % 2 == 0 ? NAN : static_cast<double>(i);
  }
  bit[4] = NAN;
  const Table table(Schema({{.name = "bit"}, {.name = "same"}, {.name = "gaps"}}),
                    {column_of(bit), column_of(same), column_of(gaps)});
  const FunctionModel bits({"bit", "same"},
                           [](const std::vector<double>& x) { return std::vector{x[0] == 1 ? 1.0 : 0.0}; });
  const Result first = anchored(bits, table, Value::object({{"rows", std::vector{3}}, {"outcome", "label"}}));
  EXPECT_EQ(conditions_text(only_rules(first).rules[0].conditions), "bit > 0");
  const FunctionModel missing({"gaps"},
                              [](const std::vector<double>& x) { return std::vector{std::isnan(x[0]) ? 1.0 : 0.0}; });
  for (const char* search : {"rows", "sampling"}) {
    const Result gap =
        anchored(missing, table, Value::object({{"rows", std::vector{4}}, {"outcome", "label"}, {"search", search}}));
    EXPECT_EQ(conditions_text(only_rules(gap).rules[0].conditions), "gaps is missing");
  }
  const FunctionModel all({"bit", "gaps"},
                          [](const std::vector<double>& x) { return std::vector{x[0] == 1 ? 1.0 : 0.0}; });
  // bit is missing in this row alone.
  const Result none = anchored(all, table, Value::object({{"rows", std::vector{4}}, {"outcome", "label"}}));
  EXPECT_EQ(only_rules(none).rules[0].predicted_class, "0");
  const Result few = anchored(all, table.slice(0, 5), Value::object({{"rows", std::vector{4}}, {"outcome", "label"}}));
  EXPECT_EQ(only_rules(few).details.find("search")->as_string(), "sampling");
  const auto refused = [&](const Model& model, const Value& options, ErrorKind kind) {
    try {
      (void)anchored(model, table, options);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
    }
  };
  refused(all, Value::object({{"rows", std::vector{300}}}), ErrorKind::usage);
  refused(all, Value::object({{"outcome", "class"}}), ErrorKind::usage);
  refused(all, Value::object({{"precision", 1.5}}), ErrorKind::usage);
  const FunctionModel broken({"bit", "gaps"}, [](const std::vector<double>&) { return std::vector{double(NAN)}; });
  refused(broken, Value::object({{"rows", std::vector{3}}}), ErrorKind::prediction);
}

}  // namespace
}  // namespace sightglass
