#include "sightglass/plans/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/result/json.h"
#include "support/function_model.h"
#include "support/random_data.h"
#include "support/text_model.h"

namespace sightglass {
namespace {

using testing::FunctionModel;
using testing::random_table;

const FunctionModel& model() {
  static const FunctionModel model({"a", "b", "c", "d"}, [](const std::vector<double>& x) {
    return std::vector<double>{x[0] * (std::isnan(x[2]) ? 3 : x[2]) + x[3]};
  });
  return model;
}

Result explained(const Table& table, Value options) {
  Context context(1);
  return explain("pdp", model(), table, options, context);
}

// The rows that hold the condition, as a table of their own: the long way to the same numbers.
Result of_rows(const Table& table, const std::vector<std::uint64_t>& rows, const Value& options) {
  return explained(testing::rows_of(table, rows), options);
}

std::vector<double> first_mean(const Result& result) { return result.results.at(0).get<Curve>().mean; }

TEST(Explain, WhereUsesTheRowsThatFulfilTheCondition) {
  const Table table = random_table(1, 200);
  std::vector<std::uint64_t> rows;
  for (std::uint64_t row = 0; row < table.rows(); ++row) {
    if (table.column(3).number(row) > 4 && table.column(2).number(row) == 1) rows.push_back(row);
  }
  const Value plain = Value::object({{"features", "a"}, {"grid", 7}});
  Value where = plain;
  where.set("where", "d > 4 and c = green");
  const Result result = explained(table, where);
  EXPECT_EQ(first_mean(result), first_mean(of_rows(table, rows, plain)));
  EXPECT_EQ(result.data.find("rows")->as_integer(), static_cast<std::int64_t>(rows.size()));
  EXPECT_EQ(result.data.find("rows_available")->as_integer(), 200);
  EXPECT_EQ(to_json(result).find("sampled-rows"), std::string::npos) << "a condition is no sample";
}

TEST(Explain, ByRepeatsItForEachGroup) {
  const Table table = random_table(2, 200);
  const Value plain = Value::object({{"features", "a"}, {"grid", 7}});
  Value by = plain;
  by.set("by", "c").set("where", "d > 2");
  const Result result = explained(table, by);
  ASSERT_EQ(result.results.size(), 4u);
  const std::vector<std::string> names = {"c = blue", "c = green", "c = red", "c is missing"};
  std::size_t total = 0;
  for (std::size_t g = 0; g < names.size(); ++g) {
    std::vector<std::uint64_t> rows;
    for (std::uint64_t row = 0; row < table.rows(); ++row) {
      const double code = table.column(2).number(row);
      const bool here = g == 3 ? std::isnan(code) : code == static_cast<double>(g);
      if (here && table.column(3).number(row) > 2) rows.push_back(row);
    }
    total += rows.size();
    const auto& curve = result.results[g].get<Curve>();
    EXPECT_EQ(curve.group, names[g]);
    EXPECT_EQ(curve.mean, first_mean(of_rows(table, rows, plain)));
  }
  EXPECT_EQ(result.data.find("rows")->as_integer(), static_cast<std::int64_t>(total));
  EXPECT_EQ(result.options.find("by")->as_string(), "c");
}

TEST(Explain, SamplesWithinGroupsAndConditions) {
  const Table table = random_table(3, 300);
  const Result result = explained(
      table, Value::object({{"features", "a"}, {"grid", 3}, {"by", "c"}, {"where", "d < 9"}, {"sample", 20}}));
  EXPECT_EQ(result.data.find("rows")->as_integer(), 80);
  EXPECT_NE(to_json(result).find("sampled-rows"), std::string::npos);
}

TEST(Explain, AGroupWithoutWeightIsLeftOut) {
  const auto letters = std::make_shared<Dictionary>(std::vector<std::string>{"x", "y"});
  const FunctionModel identity({"a"}, [](const std::vector<double>& x) { return std::vector<double>{x[0]}; });
  const Table table(
      Schema({{.name = "a"}, {.name = "g", .type = DType::categorical, .dictionary = letters}, {.name = "w"}}),
      {column_of(std::vector<double>{0, 1, 2, 3}), column_of(std::vector<std::int32_t>{0, 0, 1, 1}, letters.get()),
       column_of(std::vector<double>{1, 2, 0, 0})});
  Context context(1);
  const Result result =
      explain("pdp", identity, table.with_weights(2), Value::object({{"features", "a"}, {"by", "g"}}), context);
  ASSERT_EQ(result.results.size(), 1u);
  EXPECT_EQ(result.results[0].get<Curve>().group, "g = x");
  EXPECT_NE(to_json(result).find("group-left-out"), std::string::npos);
}

const Caveat* caveat_of(const Result& result, const std::string& id) {
  const auto at = std::find_if(result.caveats.begin(), result.caveats.end(), [&](const auto& c) { return c.id == id; });
  return at == result.caveats.end() ? nullptr : &*at;
}

TEST(Explain, WhatGroupsHaveInCommonIsSaidOnce) {
  // In both groups z follows x, but not to the same number.
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> x(400), z(400);
  std::vector<std::int32_t> g(400);
  for (std::size_t row = 0; row < x.size(); ++row) {
    x[row] = normal(random);
    z[row] = x[row] + 0.1 * normal(random);
    g[row] = static_cast<std::int32_t>(row % 2);
  }
  const auto letters = std::make_shared<Dictionary>(std::vector<std::string>{"p", "q"});
  const Table table(
      Schema({{.name = "x"}, {.name = "z"}, {.name = "g", .type = DType::categorical, .dictionary = letters}}),
      {column_of(x), column_of(z), column_of(g, letters.get())});
  const FunctionModel sum({"x", "z", "g"}, [](const auto& v) { return std::vector<double>{v[0] + v[1] + v[2]}; });
  Context context(1);
  const Result result = explain("pdp", sum, table, Value::object({{"by", "g"}}), context);
  // The column that makes the groups is no feature to explain: it does not vary in them.
  EXPECT_EQ(result.results.size(), 4u);
  EXPECT_EQ(caveat_of(result, "constant-feature"), nullptr);
  ASSERT_NE(caveat_of(result, "correlated-features"), nullptr);
  EXPECT_EQ(std::count_if(result.caveats.begin(), result.caveats.end(),
                          [](const auto& c) { return c.id == "correlated-features"; }),
            1);
  EXPECT_NE(caveat_of(result, "correlated-features")->message.plain().find("; g = q: x and z"), std::string::npos);
  // Unless it is named.
  const Result named = explain("pdp", sum, table, Value::object({{"by", "g"}, {"features", "g"}}), context);
  EXPECT_EQ(named.results.size(), 2u);
}

TEST(Compare, AleOfFewValuesIsOnTheHeightOfTheMeanPrediction) {
  const Table table(Schema({{.name = "x"}}), {column_of(std::vector<double>{0, 1, 1, 1, NAN})});
  const FunctionModel line({"x"}, [](const auto& v) { return std::vector<double>{std::isnan(v[0]) ? 9 : 4 * v[0]}; });
  Context context(1);
  const Result result = explain("compare", line, table, Value::object({{"features", "x"}}), context);
  ASSERT_EQ(result.results.size(), 3u);
  EXPECT_EQ(result.results[1].get<Curve>().axis.numbers, (std::vector<double>{0, 1}));
  EXPECT_EQ(result.results[1].get<Curve>().mean, (std::vector<double>{0, 4}));
  // The mean prediction is (0 + 4 + 4 + 4 + 9) / 5 = 4.2.
  const auto& ale = result.results[2].get<Curve>();
  EXPECT_NEAR(ale.mean[1] - ale.mean[0], 4, 1e-12);
  const Result alone = explain("ale", line, table, Value::object({{"features", "x"}}), context);
  EXPECT_NEAR(ale.mean[0] - alone.results[0].get<Curve>().mean[0], 4.2, 1e-12);
}

TEST(Compare, PutsAleOnTheHeightOfTheOthers) {
  const Table table = random_table(6, 300);
  const FunctionModel line({"a", "d"}, [](const auto& v) { return std::vector<double>{v[0] + 3 * v[1]}; });
  Context context(1);
  const Result result =
      explain("compare", line, table, Value::object({{"features", "d"}, {"grid", 5}, {"bins", 5}}), context);
  ASSERT_EQ(result.results.size(), 3u);
  const auto& dependence = result.results[0].get<Curve>();
  const auto& m_plot = result.results[1].get<Curve>();
  const auto& ale = result.results[2].get<Curve>();
  EXPECT_EQ(dependence.series, "partial dependence");
  EXPECT_EQ(m_plot.series, "M-plot");
  EXPECT_EQ(ale.measure, Measure::mean);
  double mean = 0;
  for (std::size_t row = 0; row < table.rows(); ++row)
    mean += (table.column(0).number(row) + 3 * table.column(3).number(row)) / static_cast<double>(table.rows());
  // Along a line, ALE is the slope times the distance from where the mean is.
  const Curve plain =
      explain("ale", line, table, Value::object({{"features", "d"}, {"bins", 5}}), context).results.at(0).get<Curve>();
  for (std::size_t k = 0; k < ale.mean.size(); ++k) EXPECT_NEAR(ale.mean[k], plain.mean[k] + mean, 1e-9);
}

TEST(Ranking, SaysWhichFeaturesOnlyActWithOthers) {
  // x moves the prediction up for half of the rows and down for the others: flat on average.
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  std::vector<double> x(300), s(300), z(300), y(300);
  for (std::size_t row = 0; row < x.size(); row += 2) {
    for (std::size_t k = row; k < row + 2; ++k) {
      x[k] = k == row ? normal(random) : x[row];
      s[k] = k == row ? 1 : -1;
      z[k] = normal(random);
      y[k] = x[k] * s[k] + z[k];
    }
  }
  const Table table(Schema({{.name = "x"}, {.name = "s"}, {.name = "z"}, {.name = "y"}}),
                    {column_of(x), column_of(s), column_of(z), column_of(y)});
  const FunctionModel model({"x", "s", "z"}, [](const auto& v) { return std::vector<double>{v[0] * v[1] + v[2]}; });
  Context context(1);
  const Value options = Value::object({{"target", "y"}, {"repeats", 3}});
  const Result result = explain("ranking", model, table, options, context);
  // Both factors do.
  std::set<std::string> flat;
  for (const Caveat& caveat : result.caveats) {
    if (caveat.id != "flat-but-important") continue;
    flat.insert(caveat.evidence.find("feature")->as_string());
    EXPECT_LT(caveat.evidence.find("pd_share_of_largest")->as_number(), 0.1);
    EXPECT_GT(caveat.evidence.find("share_of_largest")->as_number(), 0.3);
  }
  EXPECT_EQ(flat, (std::set<std::string>{"s", "x"}));
  std::set<std::string> measures;
  for (const ResultItem& item : result.results) measures.insert(item.get<Importance>().measure.text());
  EXPECT_TRUE(measures.contains("interaction strength"));
  EXPECT_GE(measures.size(), 3u);
  // The average effect of s is near nothing, that of x is nothing.
  Value strict = options;
  const Result fewer = explain("ranking", model, table, strict.set("flat_share", 1e-9), context);
  ASSERT_NE(caveat_of(fewer, "flat-but-important"), nullptr);
  EXPECT_EQ(caveat_of(fewer, "flat-but-important")->evidence.find("feature")->as_string(), "x");
  EXPECT_THROW((void)explain("ranking", model, table, strict.set("flat_share", 2.0), context), Error);
}

// What was asked about texts or pictures is answered by the method for these, which the result names.
TEST(Explain, AnOptionOrTheDataLeadToAnotherMethod) {
  const testing::TextModel letters(
      "text", [](const std::string& text) { return std::vector<double>{static_cast<double>(text.size())}; });
  const Table table = testing::text_table({"a bb a", "ccc"});
  const auto ask = [&](const char* method, const Table& data, const Value& options) {
    Context context(1);
    return explain(method, letters, data, options, context);
  };
  const Value named = Value::object({{"text_column", "text"}, {"rows", Value::array().push_back(0)}});
  const Result words = ask("lime", table, named);
  EXPECT_EQ(words.method, "lime-text");
  EXPECT_EQ(to_json(words), to_json(ask("lime-text", table, named)));
  EXPECT_EQ(ask("anchor", table, named).method, "anchors-text");
  EXPECT_EQ(ask("lime", table, Value::object({{"samples", 20}})).method, "lime");

  // Most are of one word: they may be names.
  EXPECT_EQ(ask("lime", testing::text_table({"a bb a", "ccc", "d"}), Value::object({{"samples", 20}})).method, "lime");
  const Table sentences = testing::text_table({"not a good film", "the food was fine", "fine"});
  EXPECT_EQ(ask("lime", sentences, Value::object()).method, "lime-text");
  EXPECT_EQ(ask("anchors", sentences, Value::object()).method, "anchors-text");
  EXPECT_EQ(ask("shap", sentences, Value::object({{"rows", Value::array().push_back(0)}})).method, "shap");

  const Table pictures = testing::text_table({"rgb:2x1:AAAA////"});
  EXPECT_EQ(ask("lime", pictures, Value::object()).method, "lime-image");
  EXPECT_EQ(ask("lime", pictures, Value::object({{"image_column", "text"}})).method, "lime-image");
  try {
    (void)ask("lime", table, Value(named).set("bins", "none"));
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "what is asked for is lime-text, which does not have the option bins");
  }
}

TEST(Explain, ComplainsAboutWhatIsNotThere) {
  const Table table = random_table(4, 50);
  const auto kind_of = [&](const Value& options) {
    try {
      (void)explained(table, options);
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  };
  EXPECT_EQ(kind_of(Value::object({{"by", "colour"}})), ErrorKind::usage);
  EXPECT_EQ(kind_of(Value::object({{"where", "colour = red"}})), ErrorKind::usage);
  EXPECT_EQ(kind_of(Value::object({{"where", "d > 1000"}})), ErrorKind::data);
  EXPECT_EQ(kind_of(Value::object({{"where", "d > 1000"}, {"by", "c"}})), ErrorKind::data);
}

// What one run found out about the data serves the next; it must not serve one with other rows, or another target.
TEST(Explain, SharedSessionsChangeNothing) {
  const Table table = random_table(7, 300);
  Context shared(2);
  RunSessions sessions(model(), table, shared);
  for (const char* method : {"ale", "m-plot", "pdp", "permutation-importance"}) {
    for (const char* target : {"d", "a"}) {
      for (const int sample : {0, 100}) {
        Value options = Value::object({{"target", target}, {"sample", sample}, {"skill_rows", 50}});
        Context context(2);
        const Result alone = explain(method, model(), table, options, context);
        EXPECT_EQ(to_json(explain(method, model(), table, options, context, &sessions)), to_json(alone));
        options.set("where", "d > 3");
        EXPECT_EQ(to_json(explain(method, model(), table, options, context, &sessions)),
                  to_json(explain(method, model(), table, options, context)));
      }
    }
  }
  EXPECT_EQ(sessions.size(), 8U);
  Context context(1);
  for (const char* engine : {"blackbox", ""}) {
    for (const int rows : {20, 0}) {
      const Value options = Value::object({{"target", "d"}, {"skill_rows", rows}, {"engine", engine}});
      EXPECT_EQ(to_json(explain("ale", model(), table, options, context, &sessions)),
                to_json(explain("ale", model(), table, options, context)));
    }
  }
}

}  // namespace
}  // namespace sightglass
