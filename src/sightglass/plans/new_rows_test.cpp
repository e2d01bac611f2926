#include "sightglass/plans/new_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/plans/explain.h"
#include "sightglass/plans/verify.h"
#include "sightglass/result/json.h"
#include "sightglass/result/shapes/counterfactuals.h"
#include "sightglass/result/shapes/examples.h"
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

const FunctionModel& model() {
  static const FunctionModel model({"a", "b", "c", "d"}, [](const std::vector<double>& x) {
    return std::vector<double>{x[0] * (std::isnan(x[2]) ? 3 : x[2]) + x[3] + (std::isnan(x[1]) ? 1 : x[1])};
  });
  return model;
}

std::shared_ptr<const Table> table_of(std::uint64_t seed, std::size_t rows) {
  return std::make_shared<const Table>(random_table(seed, rows));
}

Result explained(const char* method, const Model& of, const Table& data, const Value& options,
                 const OtherTables& tables = {}, int threads = 2) {
  Context context(threads);
  return explain(method, of, data, options, context, nullptr, {}, tables);
}

std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what() + std::string(" | ") + error.advice();
  }
  return "";
}

// Whatever speaks of rows speaks of places in the new table.
TEST(NewRowsRun, EveryMethodOfSingleRowsExplainsOthers) {
  const Table data = random_table(1, 200);
  const OtherTables tables{.rows_from = table_of(9, 4)};
  std::size_t methods = 0;
  for (const std::string& variant : testing::law_variants()) {
    const MethodEntry& entry = find_method(testing::method_of(variant));
    if (!takes_other_tables(entry) || entry.needs.texts) continue;
    SCOPED_TRACE(variant);
    ++methods;
    Value options = Value::object({{"target", "y"}});
    for (const Value& given : {testing::law_case(variant).options, testing::law_case(variant).required}) {
      for (const auto& [name, value] : given.as_object()) {
        if (name != "explain" && name != "rows") options.set(name, value);
      }
    }
    Result result = explained(entry.name.c_str(), model(), data, options, tables);
    const std::string json = to_json(result);
    EXPECT_THAT(json, Not(HasSubstr("2814749767"))) << "a number of our own";
    EXPECT_EQ(json, to_json(explained(entry.name.c_str(), model(), data, options, tables, 1)));
    EXPECT_EQ(result.data.find("rows")->as_integer(), 200);
    EXPECT_EQ(result.data.find("new_rows")->find("explained")->as_integer(), 4);
    std::set<std::uint64_t> rows;
    for (ResultItem& item : result.results) {
      if (const auto* examples = item.as<Examples>()) {
        if (examples->of_row) rows.insert(*examples->of_row);
      } else {
        item.each_row([&](std::uint64_t& row, std::string&) {
          if (!item.is<Counterfactuals>()) rows.insert(row);
        });
        if (const auto* changes = item.as<Counterfactuals>()) rows.insert(changes->row);
      }
    }
    // A pick is some of them.
    if (options.find("pick") == nullptr) {
      EXPECT_EQ(rows, (std::set<std::uint64_t>{0, 1, 2, 3}));
    }
    EXPECT_LE(*rows.rbegin(), 3U);
  }
  EXPECT_GE(methods, 7U);
}

// The same values say the same, whether they stand in the data or beside them.
TEST(NewRowsRun, RowsOfTheDataSayTheSameAsNewOnes) {
  const Table data = random_table(1, 200);
  const std::vector<std::uint64_t> chosen = {3, 17, 120};
  const OtherTables tables{.rows_from = std::make_shared<const Table>(testing::rows_of(data, chosen))};
  const auto trees = testing::random_trees(5, testing::tree_families().at("xgboost"));
  const std::pair<const char*, Value> cases[] = {
      {"shap", Value::object({{"background_rows", 0}, {"estimator", "exact"}})},
      {"shap", Value::object({{"interactions", true}, {"background_rows", 0}})},
      {"what-if", Value::object({{"grid", 9}})},
      {"ice", Value::object({{"features", "a"}, {"grid", 9}})},
  };
  for (const Model* of : {static_cast<const Model*>(&model()), static_cast<const Model*>(trees.get())}) {
    for (const auto& [method, options] : cases) {
      if (of == trees.get() && options.find("estimator") != nullptr) continue;
      Value named = options;
      named.set("rows", std::vector<std::int64_t>{3, 17, 120});
      const Result inside = explained(method, *of, data, named);
      const Result beside = explained(method, *of, data, options, tables);
      ASSERT_EQ(inside.results.size(), beside.results.size()) << method;
      for (std::size_t i = 0; i < inside.results.size(); ++i) {
        ResultItem expected = inside.results[i];
        expected.each_row([&](std::uint64_t& row, std::string&) {
          row = static_cast<std::uint64_t>(std::find(chosen.begin(), chosen.end(), row) - chosen.begin());
        });
        if (auto* item = expected.as<Attributions>()) item->total_rows = 3;
        if (auto* item = expected.as<Curves>()) item->total_rows = 3;
        Result a, b;
        a.results.push_back(expected);
        b.results.push_back(beside.results[i]);
        EXPECT_EQ(to_json(a), to_json(b)) << method;
      }
    }
  }
}

TEST(NewRowsRun, NamedAndDrawnRowsAreThoseOfTheNewTable) {
  const Table data = random_table(1, 100);
  const OtherTables tables{.rows_from = table_of(9, 30)};
  const auto rows_of = [&](const Value& options) {
    const Result result = explained("shap", model(), data, options, tables);
    for (const ResultItem& item : result.results) {
      if (const auto* found = item.as<Attributions>()) return std::pair(found->rows, result);
    }
    return std::pair(std::vector<std::uint64_t>(), result);
  };
  EXPECT_EQ(rows_of(Value::object({{"rows", std::vector<std::int64_t>{7, 2}}})).first,
            (std::vector<std::uint64_t>{2, 7}));
  EXPECT_EQ(rows_of(Value::object({{"rows", 7}})).first, std::vector<std::uint64_t>{7});
  EXPECT_EQ(rows_of(Value::object()).first.size(), 30U);
  const auto [drawn, result] = rows_of(Value::object({{"explain", 5}}));
  EXPECT_EQ(drawn.size(), 5U);
  EXPECT_THAT(to_json(result), HasSubstr("5 of 30 rows are explained, drawn at random"));
  EXPECT_TRUE(result.options.find("rows")->as_array().empty()) << "nobody named them";
  EXPECT_THAT(error_of([&] { (void)rows_of(Value::object({{"rows", 30}})); }), HasSubstr("there is no row 30"));
  // A sample of the data is no sample of these.
  EXPECT_EQ(rows_of(Value::object({{"sample", 50}, {"rows", 3}})).first, std::vector<std::uint64_t>{3});
}

// Explaining the data against a background is explaining them as new rows of that background.
TEST(NewRowsRun, TheBackgroundIsWhatRowsAreComparedWith) {
  const auto data = table_of(1, 60), background = table_of(2, 80);
  const Value options = Value::object({{"background_rows", 0}, {"explain", 0}, {"target", "y"}});
  const Result one = explained("shap", model(), *data, options, {.background_data = background});
  const Result other = explained("shap", model(), *background, options, {.rows_from = data});
  ASSERT_EQ(one.results.size(), other.results.size());
  const auto& found = one.results.back().get<Attributions>();
  EXPECT_EQ(found.rows.size(), 60U);
  EXPECT_EQ(found.values, other.results.back().get<Attributions>().values);
  EXPECT_EQ(found.base, other.results.back().get<Attributions>().base);
  EXPECT_EQ(one.data.find("rows")->as_integer(), 80);
}

TEST(NewRowsRun, SaysWhatDoesNotFit) {
  const Table data = random_table(1, 100);
  const auto without = [&](const char* column) {
    const Table rows = random_table(2, 3);
    std::vector<std::uint32_t> kept;
    for (std::uint32_t i = 0; i < rows.schema().size(); ++i) {
      if (rows.schema()[i].name != column) kept.push_back(i);
    }
    return OtherTables{.rows_from = std::make_shared<const Table>(rows.select(kept))};
  };
  const Value target = Value::object({{"target", "y"}});
  EXPECT_THAT(error_of([&] { (void)explained("shap", model(), data, target, without("b")); }),
              HasSubstr("rows_from: the table has no column b, which the model is given"));
  EXPECT_EQ(error_of([&] { (void)explained("shap", model(), data, target, without("y")); }), "");
  EXPECT_THAT(error_of([&] {
                (void)explained("shap", model(), data, Value::object({{"by", "c"}}), {.rows_from = table_of(2, 3)});
              }),
              HasSubstr("by is about the data"));
  EXPECT_THAT(error_of([&] { (void)explained("pdp", model(), data, Value::object({{"rows_from", "x.csv"}})); }),
              HasSubstr("rows_from"));
  const Result saved =
      explained("counterfactuals", model(), data, Value::object({{"at_least", 0.0}, {"rows_from", "new"}}),
                {.rows_from = table_of(2, 3)});
  Context context(1);
  EXPECT_THAT(error_of([&] { (void)verify(saved, model(), data, context); }), HasSubstr("rows of another table"));
}

TEST(NewRowsRun, RowsHaveTheNamesOfTheirTable) {
  const auto named = [](std::uint64_t seed, std::size_t rows, const std::string& prefix) {
    auto labels = std::make_shared<RowLabels>();
    labels->of = [prefix](std::uint64_t row) { return prefix + std::to_string(row); };
    return std::make_shared<const Table>(random_table(seed, rows).with_row_labels(std::move(labels)));
  };
  const auto data = named(1, 100, "D-");
  Result result = explained("neighbors", model(), *data, Value::object(), {.rows_from = named(2, 3, "N-")});
  const auto& examples = result.results.at(1).get<Examples>();
  EXPECT_EQ(examples.of_row_label, "N-1");
  EXPECT_EQ(item_title(examples), "Rows most like N-1 (row 1)");
  EXPECT_EQ(examples.rows[0].row_label, "D-" + std::to_string(examples.rows[0].row));
  // There and back.
  const std::string json = to_json(result);
  EXPECT_EQ(to_json(result_from_json(json, "test")), json);
  result = explained("shap", model(), *data, Value::object({{"rows", std::vector<std::int64_t>{5, 7}}}));
  EXPECT_EQ(result.results.back().get<Attributions>().row_labels, (std::vector<std::string>{"D-5", "D-7"}));
  EXPECT_EQ(to_json(result_from_json(to_json(result), "test")), to_json(result));
  result = explained("anchors", model(), *data, Value::object({{"rows", 5}, {"perturbed_rows", 1000}}));
  EXPECT_EQ(result.results.at(0).get<Rules>().name, "Anchor of D-5 (row 5)");
}

}  // namespace
}  // namespace sightglass
