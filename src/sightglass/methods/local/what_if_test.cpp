#include "sightglass/methods/local/what_if.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/model/trees/ensemble.h"
#include "sightglass/result/json.h"
#include "support/function_model.h"
#include "support/law_cases.h"
#include "support/random_data.h"
#include "support/random_trees.h"

namespace sightglass {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::FunctionModel;
using ::testing::HasSubstr;

const testing::LawCase laws("what-if", {.options = Value::object({{"grid", 9}, {"explain", 3}})});

// Predicts classes.
class Classifier : public FunctionModel {
 public:
  Classifier(const std::vector<std::string>& features, testing::RowFunction function, std::vector<std::string> outputs)
      : FunctionModel(features, std::move(function), std::move(outputs)), signature_(FunctionModel::signature()) {
    signature_.task = signature_.outputs.size() > 1 ? Task::multiclass : Task::binary;
  }
  [[nodiscard]] const Signature& signature() const override { return signature_; }

 private:
  Signature signature_;
};

// x: 0 … 10; z: 4, 0, …; c: red, red, blue, …
Table small_table() {
  std::vector<double> x, z;
  std::vector<std::int32_t> c;
  for (int i = 0; i <= 10; ++i) {
    x.push_back(i);
    z.push_back(i % 2 == 0 ? 4 : 0);
    c.push_back(i % 3 == 2 ? 0 : 1);
  }
  z[10] = NAN;
  const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"blue", "red"});
  return Table(
      Schema({{.name = "x"}, {.name = "z"}, {.name = "c", .type = DType::categorical, .dictionary = dictionary}}),
      {column_of(std::move(x)), column_of(std::move(z)), column_of(std::move(c), dictionary.get())});
}

// x + 2 z, 3 more where c is red; z counts as −1 where it is missing.
std::vector<double> plain(const std::vector<double>& v) {
  return {v[0] + 2 * (std::isnan(v[1]) ? -1 : v[1]) + 3 * v[2]};
}

Result explain(const Model& model, const Table& table, const Value& options) {
  Context context(1);
  return run("what-if", model, table, options, context);
}

Value of_row(std::int64_t row) { return Value::object({{"rows", Value::array().push_back(row)}}); }

const Curves& curves_of(const Result& result, const std::string& feature, std::size_t place = 0) {
  for (const ResultItem& item : result.results) {
    const auto& curves = item.get<Curves>();
    if (curves.axis.feature == feature && place-- == 0) return curves;
  }
  throw std::runtime_error("no curves of " + feature);
}

bool has(const Result& result, const std::string& id) {
  return std::any_of(result.caveats.begin(), result.caveats.end(), [&](const Caveat& each) { return each.id == id; });
}

TEST(WhatIf, FeaturesComeByTheirSwing) {
  const Result result = explain(FunctionModel({"x", "z", "c"}, plain), small_table(), of_row(3));
  std::vector<std::string> order;
  for (const ResultItem& item : result.results) order.push_back(item.get<Curves>().axis.feature);
  // From 0 to 10; from −2 (missing) to 8; 0 or 3.
  EXPECT_THAT(order, ElementsAre("x", "z", "c"));
  const Curves& x = curves_of(result, "x");
  EXPECT_THAT(x.rows, ElementsAre(3));
  EXPECT_THAT(x.prediction, ElementsAre(6));
  EXPECT_THAT(x.values[0], ElementsAre(3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13));
  EXPECT_THAT(x.own_value, ElementsAre(3));
  EXPECT_THAT(x.swing, ElementsAre(10));
  const Curves& z = curves_of(result, "z");
  EXPECT_THAT(z.values[0], ElementsAre(6, 14));
  EXPECT_THAT(z.missing, ElementsAre(4));
  EXPECT_THAT(z.swing, ElementsAre(10));
  const Curves& c = curves_of(result, "c");
  EXPECT_THAT(c.axis.levels, ElementsAre("blue", "red"));
  EXPECT_THAT(c.values[0], ElementsAre(3, 6));
  EXPECT_THAT(c.own_level, ElementsAre("red"));
  EXPECT_TRUE(c.flips.empty() && c.predicted_class.empty()) << "numbers have no classes";
}

TEST(WhatIf, TheOwnValueIsOnTheCurve) {
  Value options = of_row(3);
  options.set("grid_rule", "values").set("values", Value::array().push_back(1.0).push_back(9.0)).set("features", "x");
  const Result result = explain(FunctionModel({"x", "z", "c"}, plain), small_table(), options);
  EXPECT_THAT(curves_of(result, "x").axis.numbers, ElementsAre(1, 3, 9));
  EXPECT_THAT(curves_of(result, "x").values[0], ElementsAre(4, 6, 12));
}

TEST(WhatIf, AMissingOwnValueIsNoPointOfTheAxis) {
  const Result result = explain(FunctionModel({"x", "z", "c"}, plain), small_table(), of_row(10));
  const Curves& z = curves_of(result, "z");
  EXPECT_THAT(z.own_value, ElementsAre(std::nullopt));
  EXPECT_THAT(z.missing, ElementsAre(11));
  EXPECT_THAT(z.prediction, ElementsAre(11));
}

// 1 above 7.3 of x, or where c is blue.
std::vector<double> steps(const std::vector<double>& v) { return {v[0] > 7.3 || v[2] == 0 ? 0.9 : 0.2}; }

TEST(WhatIf, FlipsAreFoundBetweenGridPoints) {
  const Result result = explain(Classifier({"x", "z", "c"}, steps, {"late"}), small_table(), of_row(3));
  const Curves& x = curves_of(result, "x");
  EXPECT_THAT(x.predicted_class, ElementsAre("not late"));
  ASSERT_EQ(x.flips.size(), 1U);
  EXPECT_GT(*x.flips[0].value, 7.3);
  EXPECT_LE(*x.flips[0].value - x.flips[0].within, 7.3);
  EXPECT_THAT(x.flips[0].within, DoubleNear(1.0 / 256, 1e-12));
  // From 3 it can fall as far as it likes.
  EXPECT_THAT(x.slack_down, ElementsAre(std::nullopt));
  EXPECT_THAT(x.slack_up, ElementsAre(*x.flips[0].value - 3));
  EXPECT_EQ(x.flips[0].from, "not late");
  EXPECT_EQ(x.flips[0].to, "late");
  const Curves& c = curves_of(result, "c");
  ASSERT_EQ(c.flips.size(), 1U);
  EXPECT_EQ(c.flips[0].level, "blue");
  EXPECT_TRUE(c.slack_up.empty() && c.slack_down.empty()) << "levels do not rise";
  EXPECT_EQ(c.flips[0].to, "late");
  EXPECT_TRUE(curves_of(result, "z").flips.empty());
  EXPECT_FALSE(has(result, "no-flip"));
}

TEST(WhatIf, WholeNumbersFlipAtWholeNumbers) {
  auto d = std::make_shared<std::vector<std::int32_t>>(std::vector<std::int32_t>{0, 10, 40});
  const Column whole{.view = view_of(std::span<const std::int32_t>(*d), DType::int32), .owner = d};
  const Table table(Schema({{.name = "d", .type = DType::int32}}), {whole});
  const Classifier model({"d"}, [](const auto& v) { return std::vector<double>{v[0] > 22.5 ? 1.0 : 0.0}; },
                         {"prediction"});
  const Result result = explain(model, table, of_row(0));
  const Curves& curves = curves_of(result, "d");
  ASSERT_EQ(curves.flips.size(), 1U);
  EXPECT_EQ(curves.flips[0].value, 23);
  EXPECT_EQ(curves.flips[0].within, 0);
  EXPECT_THAT(curves.slack_up, ElementsAre(23));
  const Result of_last = explain(model, table, of_row(2));
  EXPECT_THAT(curves_of(of_last, "d").slack_down, ElementsAre(17)) << "from 40 to 23";
  EXPECT_THAT(curves_of(of_last, "d").slack_up, ElementsAre(std::nullopt));
  EXPECT_EQ(curves.flips[0].from, "0");
  EXPECT_EQ(curves.flips[0].to, "1");
}

TEST(WhatIf, WithoutAValueTheClassMayBeAnother) {
  const auto model = Classifier(
      {"x", "z", "c"}, [](const auto& v) { return std::vector<double>{std::isnan(v[1]) ? 0.9 : 0.1}; }, {"gap"});
  const Result result = explain(model, small_table(), of_row(0));
  const Curves& z = curves_of(result, "z");
  ASSERT_EQ(z.flips.size(), 1U);
  EXPECT_TRUE(z.flips[0].missing);
  EXPECT_EQ(z.flips[0].to, "gap");
}

// at: splits, ascending, and what is predicted from each on.
void expect_slack(const Curves& curves, const std::vector<double>& at, const std::vector<std::size_t>& classes) {
  if (!curves.own_value[0]) return;
  const double own = *curves.own_value[0];
  std::size_t place = 0;
  while (place + 1 < at.size() && at[place + 1] <= own) ++place;
  std::optional<double> down, up, below, above;
  for (std::size_t i = place + 1; i < at.size() && !up; ++i) {
    if (classes[i] != classes[place]) up = at[i] - own, above = at[i];
  }
  for (std::size_t i = place; i > 0 && !down; --i) {
    if (classes[i - 1] != classes[place]) down = own - at[i], below = at[i];
  }
  // But for rounding, of which the sum has to come out right: rising by it flips, falling by it does not yet.
  ASSERT_EQ(curves.slack_up.at(0).has_value(), up.has_value());
  ASSERT_EQ(curves.slack_down.at(0).has_value(), down.has_value());
  if (up) {
    EXPECT_DOUBLE_EQ(*curves.slack_up[0], *up);
    EXPECT_GE(own + *curves.slack_up[0], *above);
  }
  if (down) {
    EXPECT_DOUBLE_EQ(*curves.slack_down[0], *down);
    EXPECT_GE(own - *curves.slack_down[0], *below);
  }
}

// Where the class of trees changes, by asking on both sides of every split.
TEST(WhatIf, TreesFlipExactlyAtTheirSplits) {
  const Table table = testing::random_table(5, 300);
  std::size_t flips = 0;
  for (const auto& [name, family] : testing::tree_families()) {
    testing::TreeFamily of_classes = family;
    of_classes.vector_leaves = true;
    of_classes.shares = true;
    of_classes.link = {Link::identity};
    const auto trees = testing::random_trees(7, of_classes);
    for (const char* engine : {"trees", "blackbox"}) {
      for (const std::int64_t row : {0, 11, 23, 40, 77}) {
        const Result result = explain(*trees, table, of_row(row).set("grid", 5).set("engine", engine));
        const Curves& a = curves_of(result, "a");
        std::vector<double> at = trees->breakpoints(0);
        for (const ClassFlip& flip : a.flips) {
          ++flips;
          if (flip.missing) continue;
          EXPECT_EQ(flip.within, 0) << name;
          EXPECT_TRUE(std::find(at.begin(), at.end(), *flip.value) != at.end()) << name << " " << *flip.value;
        }
        // Every change between two neighbouring splits is there.
        std::size_t changes = 0;
        std::erase_if(
            at, [&](double value) { return !(value > a.axis.numbers.front() && value <= a.axis.numbers.back()); });
        std::sort(at.begin(), at.end());
        at.erase(std::unique(at.begin(), at.end()), at.end());
        at.insert(at.begin(), a.axis.numbers.front());
        Value grid = Value::array();
        for (const double value : at) grid.push_back(value);
        Context context(1);
        const Result dense =
            run("ice", *trees, table, of_row(row).set("features", "a").set("grid_rule", "values").set("values", grid),
                context);
        std::vector<std::size_t> classes(at.size());
        for (std::size_t i = 0; i < at.size(); ++i) {
          double best = -INFINITY;
          for (std::size_t k = 0; k < dense.results.size(); ++k) {
            const double height = dense.results[k].get<Curves>().values[0][i];
            if (dense.results.size() == 1) classes[i] = height > 0.5 ? 1 : 0;
            if (dense.results.size() > 1 && height > best) classes[i] = k;
            best = std::max(best, height);
          }
          if (i > 0 && classes[i] != classes[i - 1]) ++changes;
        }
        SCOPED_TRACE(name + " " + engine + " row " + std::to_string(row));
        expect_slack(a, at, classes);
        const auto along =
            std::count_if(a.flips.begin(), a.flips.end(), [](const auto& flip) { return !flip.missing; });
        EXPECT_EQ(static_cast<std::size_t>(along), changes) << name << " row " << row;
      }
    }
  }
  EXPECT_GT(flips, 5U);
}

TEST(WhatIf, TheHighestOfSeveralOutputsIsTheClass) {
  const auto model =
      Classifier({"x", "z", "c"},
                 [](const auto& v) {
                   return std::vector<double>{v[0] < 2.5 ? 0.8 : 0.1, v[0] >= 2.5 && v[0] < 6.5 ? 0.8 : 0.1, 0.3};
                 },
                 {"low", "middle", "high"});
  const Result result = explain(model, small_table(), of_row(4).set("features", "x"));
  ASSERT_EQ(result.results.size(), 3U);
  for (const ResultItem& item : result.results) {
    const auto& curves = item.get<Curves>();
    EXPECT_THAT(curves.predicted_class, ElementsAre("middle"));
    ASSERT_EQ(curves.flips.size(), 2U);
    EXPECT_EQ(curves.flips[0].from, "low");
    EXPECT_EQ(curves.flips[0].to, "middle");
    EXPECT_EQ(curves.flips[1].to, "high");
    EXPECT_THAT(*curves.flips[1].value, DoubleNear(6.5, 0.01));
  }
}

TEST(WhatIf, AConstantModelMovesNothing) {
  const Classifier model({"x"}, [](const auto&) { return std::vector<double>{0.3}; }, {"prediction"});
  const Table table(Schema({{.name = "x"}}), {column_of(std::vector<double>{1, 2, 3})});
  const Result result = explain(model, table, of_row(1));
  EXPECT_THAT(curves_of(result, "x").swing, ElementsAre(0));
  EXPECT_TRUE(has(result, "no-flip"));
}

TEST(WhatIf, ARowWithoutAnyValueIsExplained) {
  const Table table(Schema({{.name = "x"}, {.name = "z"}}),
                    {column_of(std::vector<double>{NAN, 1, 2}), column_of(std::vector<double>{NAN, 3, 5})});
  const FunctionModel model({"x", "z"}, [](const auto& v) {
    return std::vector<double>{(std::isnan(v[0]) ? 10 : v[0]) + (std::isnan(v[1]) ? 100 : v[1])};
  });
  const Result result = explain(model, table, of_row(0));
  EXPECT_THAT(curves_of(result, "x").prediction, ElementsAre(110));
  EXPECT_THAT(curves_of(result, "x").values[0], ElementsAre(101, 102));
  EXPECT_THAT(curves_of(result, "z").missing, ElementsAre(110));
}

TEST(WhatIf, AStrangeRowIsSaidToBeOne) {
  std::vector<double> x, z;
  for (int i = 0; i < 300; ++i) {
    x.push_back(i % 20);
    z.push_back(i % 17);
  }
  x.push_back(500);
  z.push_back(-400);
  const Table table(Schema({{.name = "x"}, {.name = "z"}}), {column_of(std::move(x)), column_of(std::move(z))});
  const FunctionModel model({"x", "z"}, [](const auto& v) { return std::vector<double>{v[0] + v[1]}; });
  EXPECT_TRUE(has(explain(model, table, of_row(300)), "out-of-distribution"));
  EXPECT_FALSE(has(explain(model, table, of_row(7)), "out-of-distribution"));
}

TEST(WhatIf, RowsThatAreNotThereAreRefused) {
  const FunctionModel model({"x", "z", "c"}, plain);
  for (const std::int64_t row : {-1, 11}) {
    try {
      (void)explain(model, small_table(), of_row(row));
      FAIL() << row;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
    }
  }
}

TEST(WhatIf, AModelThatAnswersNothingIsAnError) {
  const FunctionModel model({"x", "z", "c"}, [](const auto& v) { return std::vector<double>{v[0] > 5 ? NAN : 1.0}; });
  try {
    (void)explain(model, small_table(), of_row(0));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::prediction);
  }
}

TEST(WhatIf, TooManyRowsAreRefused) {
  const FunctionModel model({"x"}, [](const auto& v) { return v; });
  const Table table(Schema({{.name = "x"}}), {column_of(std::vector<double>(100'001, 1.0))});
  try {
    (void)explain(model, table, Value::object({{"explain", 0}}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("100001 rows are too many"));
  }
}

TEST(WhatIf, FlipsSurviveJson) {
  const Result result = explain(Classifier({"x", "z", "c"}, steps, {"late"}), small_table(), of_row(3));
  const Result again = result_from_json(to_json(result), "test");
  const Curves &before = curves_of(result, "x"), &after = curves_of(again, "x");
  ASSERT_EQ(after.flips.size(), 1U);
  EXPECT_EQ(after.flips[0].value, before.flips[0].value);
  EXPECT_EQ(after.flips[0].within, before.flips[0].within);
  EXPECT_EQ(after.flips[0].to, "late");
  EXPECT_EQ(after.predicted_class, before.predicted_class);
  EXPECT_EQ(after.swing, before.swing);
  EXPECT_EQ(curves_of(again, "c").flips[0].level, "blue");
}

}  // namespace
}  // namespace sightglass
