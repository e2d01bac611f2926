#include "sightglass/learn/knn.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "sightglass/base/error.h"
#include "sightglass/learn/fit.h"
#include "sightglass/learn/nearest_prototype.h"
#include "sightglass/learn/training_fit.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/model/learned/model_file.h"
#include "sightglass/model/load.h"
#include "sightglass/result/json.h"
#include "sightglass/result/shapes/examples.h"
#include "sightglass/result/shapes/frontier.h"
#include "support/number_tables.h"

namespace sightglass {
namespace {

using testing::numbers_table;

Table penguins(std::size_t rows) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  std::vector<double> bill, mass;
  std::vector<std::int32_t> island, species;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto kind = static_cast<std::int32_t>(i % 3);
    species.push_back(kind);
    bill.push_back(random() % 12 == 0 ? NAN : 40 + 6 * kind + normal(random));
    mass.push_back(4000 + 400 * (kind == 2 ? 2 : 0) + 200 * normal(random));
    island.push_back(kind == 2 ? 1 : static_cast<std::int32_t>(random() % 2));
  }
  const auto islands = std::make_shared<Dictionary>(std::vector<std::string>{"Biscoe", "Dream"});
  const auto kinds = std::make_shared<Dictionary>(std::vector<std::string>{"Adelie", "Chinstrap", "Gentoo"});
  return Table(Schema({{.name = "bill"},
                       {.name = "mass"},
                       {.name = "island", .type = DType::categorical, .dictionary = islands},
                       {.name = "species", .type = DType::categorical, .dictionary = kinds}}),
               {column_of(bill), column_of(mass), column_of(island, islands.get()), column_of(species, kinds.get())});
}

FittedModel fitted(const char* learner, const Table& table, std::vector<Value::Member> told) {
  Value options = Value::object();
  for (auto& [name, value] : told) options.set(name, value);
  Context context(2);
  return fit(learner, table, options, context);
}

TEST(Knn, IsTheMeanOfTheNearestOutcomes) {
  // Ranges are 10 and 1: the row at (3, 0) is 0.3/2 from the first, (0.2 + 1)/2 from the second, 0.7/2 from the third.
  const Table table = numbers_table({"a", "b", "y"}, {{0, 5, 10}, {0, 1, 0}, {6, 100, 12}});
  const FittedModel model = fitted("knn", table, {{"target", "y"}, {"neighbors", 2}});
  const Table asked = numbers_table({"a", "b"}, {{3, NAN, 100}, {0, 1, NAN}});
  Context context(1);
  const auto bound = model.model->bind(asked.schema(), {});
  Matrix out(3, 1);
  std::vector<ColumnView> views{asked.column(0), asked.column(1)};
  bound->predict({.rows = 3, .columns = views}, {}, out.span(), context);
  EXPECT_DOUBLE_EQ(out(0, 0), 9);   // the first and the third
  EXPECT_DOUBLE_EQ(out(1, 0), 53);  // of b alone: the second, then, of two as far, the first
  EXPECT_DOUBLE_EQ(out(2, 0), 56);  // of a alone: the third, then the second
}

Matrix predicted_for(const FittedModel& model, const Table& asked) {
  Context context(1);
  Matrix out(asked.rows(), model.model->signature().outputs.size());
  std::vector<ColumnView> views;
  for (std::size_t j = 0; j < asked.schema().size(); ++j) views.push_back(asked.column(j));
  model.model->bind(asked.schema(), {})->predict({.rows = asked.rows(), .columns = views}, {}, out.span(), context);
  return out;
}

TEST(Knn, WhoSharesNoValueGetsWhatAllRowsSay) {
  const Table table =
      numbers_table({"a", "b", "y", "w"}, {{0, 5, 10, NAN}, {0, 1, 0, 1}, {6, 100, 12, 20}, {1, 2, 1, 1}})
          .with_weights(3);
  const FittedModel model = fitted("knn", table, {{"target", "y"}, {"neighbors", 1}});
  const Table asked = numbers_table({"a", "b"}, {{NAN, INFINITY, 1e308, -INFINITY}, {NAN, NAN, NAN, 0}});
  const Matrix said = predicted_for(model, asked);
  for (const std::size_t row : {0U, 1U, 2U})
    EXPECT_DOUBLE_EQ(said(row, 0), 47.6) << row;  // (6 + 2 · 100 + 12 + 20) / 5
  EXPECT_DOUBLE_EQ(said(3, 0), 6);                // by b alone
}

// Five rows of a, three of b and one prototype each.
TEST(NearestPrototype, WhoSharesNoValueGetsTheSharesOfTheClasses) {
  const auto classes = std::make_shared<Dictionary>(std::vector<std::string>{"a", "b"});
  const std::vector<double> x{1, 2, 3, 4, 5, 11, 12, 13};
  const std::vector<std::int32_t> y{0, 0, 0, 0, 0, 1, 1, 1};
  const Table table(Schema({{.name = "x"}, {.name = "y", .type = DType::categorical, .dictionary = classes}}),
                    {column_of(x), column_of(y, classes.get())});
  const FittedModel model = fitted("nearest-prototype", table, {{"target", "y"}, {"prototypes", 2}});
  const Matrix said = predicted_for(model, numbers_table({"x"}, {{NAN, INFINITY, 4}}));
  EXPECT_DOUBLE_EQ(said(0, 0), 0.375);
  EXPECT_DOUBLE_EQ(said(1, 0), 0.375);
  EXPECT_DOUBLE_EQ(said(2, 0), 0);
}

// Both prototypes of a row in the middle are as near: the lower row speaks, though the other stands for more rows.
TEST(NearestPrototype, TiesGoToTheLowerRow) {
  const auto classes = std::make_shared<Dictionary>(std::vector<std::string>{"a", "b"});
  const std::vector<double> x{1, 3, 3, 3};
  const std::vector<std::int32_t> y{0, 1, 1, 1};
  const Table table(Schema({{.name = "x"}, {.name = "y", .type = DType::categorical, .dictionary = classes}}),
                    {column_of(x), column_of(y, classes.get())});
  const FittedModel model = fitted("nearest-prototype", table, {{"target", "y"}, {"prototypes", 2}});
  EXPECT_DOUBLE_EQ(predicted_for(model, numbers_table({"x"}, {{2}}))(0, 0), 0);
}

TEST(Knn, OnTheFrontierIsWhatNoSmallerNumberBeats) {
  const Table table =
      numbers_table({"a", "b", "y"}, {{1, 2, NAN, NAN, NAN}, {NAN, NAN, 3, 4, 5}, {10, 20, 30, 40, 50}});
  const FittedModel model = fitted("knn", table, {{"target", "y"}, {"neighbors", 3}});
  for (const ResultItem& item : model.result.results) {
    const auto* curve = item.as<Frontier>();
    if (curve == nullptr) continue;
    for (const FrontierPoint& point : curve->points) {
      EXPECT_EQ(point.best, point.size == 1) << point.size;
      EXPECT_EQ(point.chosen, point.size == 3) << point.size;
    }
  }
}

TEST(Knn, WeightsAreNumbersOfRows) {
  const std::vector<double> a{0, 1, 4, 9}, y{1, 5, 7, 11};
  const Table weighted = numbers_table({"a", "y", "w"}, {a, y, {1, 2, 1, 3}}).with_weights(2);
  const Table repeated = numbers_table({"a", "y"}, {{0, 1, 1, 4, 9, 9, 9}, {1, 5, 5, 7, 11, 11, 11}});
  const Table asked = numbers_table({"a"}, {{0.2, 3, 8}});
  Context context(1);
  for (const int k : {1, 2, 3, 5}) {
    std::vector<double> said[2];
    for (const int which : {0, 1}) {
      const FittedModel model = fitted("knn", which == 0 ? weighted : repeated, {{"target", "y"}, {"neighbors", k}});
      Matrix out(3, 1);
      std::vector<ColumnView> views{asked.column(0)};
      model.model->bind(asked.schema(), {})->predict({.rows = 3, .columns = views}, {}, out.span(), context);
      for (std::size_t row = 0; row < 3; ++row) said[which].push_back(out(row, 0));
    }
    EXPECT_EQ(said[0], said[1]) << k;
  }
}

// Gower's distance as knn.h says it, of the first `features` columns.
double gower(const Table& table, std::size_t features, std::size_t a, std::size_t b) {
  double sum = 0, both = 0;
  for (std::size_t j = 0; j < features; ++j) {
    const double first = table.column(j).number(a), second = table.column(j).number(b);
    double low = INFINITY, high = -INFINITY;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const double value = table.column(j).number(row);
      if (std::isnan(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    if (std::isnan(first) || std::isnan(second) || low == high) continue;
    both += 1;
    const bool levels = table.schema()[j].has_levels();
    sum += levels ? (first == second ? 0 : 1) : std::abs(first - second) / (high - low);
  }
  return both > 0 ? sum / both : INFINITY;
}

// Share of rows that the k nearest of the others give another class; of equal votes the first.
double left_out_error(const Table& table, std::size_t k) {
  double wrong = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::vector<std::pair<double, std::size_t>> others;
    for (std::size_t other = 0; other < table.rows(); ++other) {
      if (other != row) others.emplace_back(gower(table, 3, row, other), other);
    }
    std::sort(others.begin(), others.end());
    std::vector<int> votes(3);
    for (std::size_t i = 0; i < k; ++i) ++votes[static_cast<std::size_t>(table.column(3).number(others[i].second))];
    const auto most = std::max_element(votes.begin(), votes.end()) - votes.begin();
    wrong += static_cast<double>(most) == table.column(3).number(row) ? 0 : 1;
  }
  return wrong / static_cast<double>(table.rows());
}

std::vector<std::int64_t> sizes_tried(const FittedModel& model) {
  std::vector<std::int64_t> sizes;
  for (const Value& size : model.model->signature().detail.find("tried")->as_array())
    sizes.push_back(size.as_integer());
  return sizes;
}

TEST(Knn, ChoosesItsSizeByRowsLeftOut) {
  const Table table = penguins(90);
  const FittedModel model = fitted("knn", table, {{"target", "species"}});
  const auto& errors = model.model->signature().detail.find("errors")->as_array();
  const std::vector<std::int64_t> tried = sizes_tried(model);
  EXPECT_EQ(tried, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 50}));
  double best = 1;
  std::int64_t chosen = 0;
  for (std::size_t s = 0; s < tried.size(); ++s) {
    const double expected = left_out_error(table, static_cast<std::size_t>(tried[s]));
    EXPECT_DOUBLE_EQ(errors[s].as_number(), expected) << tried[s];
    if (expected > best) continue;
    best = expected;
    chosen = tried[s];
  }
  EXPECT_EQ(model.model->signature().detail.find("neighbors")->as_integer(), chosen);
  EXPECT_LT(best, 0.1);
  EXPECT_GT(errors.back().as_number(), best);
}

TEST(Knn, TriesAsManyAsItIsTold) {
  std::vector<double> a(2500), y(2500);
  for (std::size_t i = 0; i < a.size(); ++i) y[i] = a[i] = static_cast<double>(i);
  const Table table = numbers_table({"a", "y"}, {a, y});
  EXPECT_EQ(sizes_tried(fitted("knn", table, {{"target", "y"}, {"most", 6}})),
            (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
  const auto many = sizes_tried(fitted("knn", table, {{"target", "y"}, {"most", 1800}}));
  EXPECT_EQ(std::vector(many.end() - 9, many.end()),
            (std::vector<std::int64_t>{100, 150, 200, 300, 500, 700, 1000, 1500, 1800}));
  // No more than there are.
  EXPECT_EQ(sizes_tried(fitted("knn", table, {{"target", "y"}, {"most", 1000000000}})).back(), 2000);
}

// A neighbour is a row of weight 1: of weights that add up to 1 it would be all rows.
TEST(Knn, SaysWhereWeightsCountNoRows) {
  const auto weighing = [](double weight) {
    std::vector<double> a(300), w(300, weight);
    std::iota(a.begin(), a.end(), 0.0);
    return numbers_table({"a", "y", "w"}, {a, a, w}).with_weights(2);
  };
  const auto said = [&](double weight, int neighbors) -> std::string {
    try {
      for (const Caveat& caveat :
           fitted("knn", weighing(weight), {{"target", "y"}, {"neighbors", neighbors}}).result.caveats) {
        if (caveat.id == "neighbor-weights") return caveat.message.plain();
      }
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_NE(said(1.0 / 300, 0).find("weigh only 1 together"), std::string::npos) << said(1.0 / 300, 0);
  EXPECT_NE(said(0.1, 40).find("weigh only 30 together"), std::string::npos) << said(0.1, 40);
  EXPECT_NE(said(0.1, 5).find("5 neighbours are about 50 rows"), std::string::npos) << said(0.1, 5);
  EXPECT_NE(said(100, 5).find("5 neighbours are about one row"), std::string::npos) << said(100, 5);
  EXPECT_EQ(said(1, 5), "");
}

TEST(Knn, FilesAreReadWithEveryCheck) {
  const FittedModel model = fitted("knn", penguins(30), {{"target", "species"}, {"neighbors", 3}});
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string text = model.file.substr(model_file_start.size() + 18);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    // As the file would be had it been written so.
    return seal_model_file("{" + text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
  };
  EXPECT_NO_THROW((void)parse_model(model.file, "a file"));
  EXPECT_NO_THROW((void)parse_model(broken("\"k\":3", "\"k\":2"), "a file"));
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"\"k\":3", "\"k\":0"},
                                                        {"\"k\":3", "\"k\":-1"},
                                                        {"\"ranges\":[", "\"ranges\":[1,"},
                                                        {"\"outcome\":[0", "\"outcome\":[9"},
                                                        {"\"outcome\":[0", "\"outcome\":[0.5"},
                                                        {"\"outcome\":[0,", "\"outcome\":["},
                                                        {"\"values\":[[", "\"values\":[[7,"},
                                                        {"\"values\":[[", "\"values\":[[],["},
                                                        {"\"outcome\":[0", "\"rows\":[1],\"outcome\":[0"},
                                                        {"\"outcome\":[0", "\"rows\":[-1],\"outcome\":[0"},
                                                        {"\"link\":\"identity\"", "\"link\":\"logit\""}})
    EXPECT_THROW((void)parse_model(broken(from, to), "a file"), Error) << from << " as " << to;
}

// A range that does not hold the values would make all rows infinitely far.
TEST(Knn, RangesOfAFileHoldItsValues) {
  const Table table = numbers_table({"a", "y"}, {{0, 5, 10}, {6, 100, 12}});
  const FittedModel model = fitted("knn", table, {{"target", "y"}, {"neighbors", 2}});
  std::string text = model.file.substr(model_file_start.size() + 18);
  const std::string from = "\"ranges\":[10]";
  ASSERT_NE(text.find(from), std::string::npos);
  for (const auto& [range, legal] : {std::pair("11", true), {"10", true}, {"9", false}, {"1e-300", false}}) {
    std::string other = text;
    other.replace(other.find(from), from.size(), "\"ranges\":[" + std::string(range) + "]");
    const std::string file = seal_model_file("{" + other.substr(0, other.find_last_not_of(" \t\r\n") + 1));
    if (legal) {
      EXPECT_NO_THROW((void)parse_model(file, "a file")) << range;
    } else {
      EXPECT_THROW((void)parse_model(file, "a file"), Error) << range;
    }
  }
}

TEST(Knn, OddDataAreSaidOrLegal) {
  const Table table = numbers_table({"a", "b", "y"}, {{1, 2, 3, 4}, {5, 5, 5, 5}, {1, 0, 1, 0}});
  EXPECT_THROW((void)fitted("knn", table, {{"target", "y"}, {"neighbors", 5}}), Error);
  EXPECT_NO_THROW((void)fitted("knn", table, {{"target", "y"}, {"neighbors", 4}}));
  EXPECT_THROW((void)fitted("nearest-prototype", table, {{"target", "y"}}), Error);
  EXPECT_THROW((void)fitted("nearest-prototype", penguins(9), {{"target", "species"}, {"gamma", 1e308}}), Error);
  EXPECT_THROW((void)fitted("nearest-prototype", penguins(9), {{"target", "species"}, {"prototypes", 2}}), Error);
  const Table constant = numbers_table({"a", "y"}, {{1, 1, 1}, {3, 6, 9}});
  const FittedModel model = fitted("knn", constant, {{"target", "y"}, {"neighbors", 2}});
  ASSERT_EQ(model.result.caveats.size(), 1U);
  EXPECT_EQ(model.result.caveats[0].id, "no-differences");
  EXPECT_NE(model.model, nullptr);  // no feature counts: the first rows speak
}

TEST(NearestPrototype, HasTheClassOfTheNearestTypicalRow) {
  const Table table = penguins(150);
  const FittedModel model = fitted("nearest-prototype", table, {{"target", "species"}, {"prototypes", 7}});
  EXPECT_EQ(model.size, 7U);
  std::map<std::string, int> counts;
  for (const ResultItem& item : model.result.results) {
    if (const auto* examples = item.as<Examples>()) {
      for (const Example& example : examples->rows) ++counts[example.own_class];
    }
  }
  EXPECT_EQ(counts, (std::map<std::string, int>{{"Adelie", 3}, {"Chinstrap", 2}, {"Gentoo", 2}}));
  // Plain loops over the prototypes shown.
  Context context(1);
  std::vector<ColumnView> views{table.column(0), table.column(1), table.column(2)};
  Matrix out(150, 3);
  model.model->bind(table.schema(), {})->predict({.rows = 150, .columns = views}, {}, out.span(), context);
  const auto shown = std::find_if(model.result.results.begin(), model.result.results.end(),
                                  [](const ResultItem& item) { return item.is<Examples>(); });
  ASSERT_NE(shown, model.result.results.end());
  double right = 0;
  for (std::size_t row = 0; row < 150; ++row) {
    double least = INFINITY;
    std::map<double, std::vector<std::string>> nearest;
    for (const Example& example : shown->get<Examples>().rows) {
      const double apart = gower(table, 3, row, example.row);
      least = std::min(least, apart);
      nearest[apart].push_back(example.own_class);
    }
    const auto votes = out.span().row(row);
    const auto said = static_cast<std::size_t>(std::find(votes.begin(), votes.end(), 1.0) - votes.begin());
    ASSERT_LT(said, 3U);
    const auto& tied = nearest.at(least);
    EXPECT_NE(std::find(tied.begin(), tied.end(), model.model->signature().outputs[said]), tied.end()) << row;
    right += static_cast<double>(said) == table.column(3).number(row) ? 1 : 0;
  }
  EXPECT_DOUBLE_EQ(model.model->signature().detail.find("accuracy on training rows")->as_number(), right / 150);
  EXPECT_GT(right / 150, 0.85);
}

TEST(Knn, ExplainsARowByItsNeighbors) {
  const Table table = penguins(90);
  const FittedModel model = fitted("knn", table, {{"target", "species"}, {"neighbors", 5}});
  Context context(1);
  const Result result =
      run("intrinsic", *model.model, table, Value::object({{"rows", Value(std::vector<std::int64_t>{4})}}), context);
  ASSERT_EQ(result.results.size(), 1U);
  const Examples& neighbors = result.results[0].get<Examples>();
  EXPECT_EQ(neighbors.role, ExampleRole::neighbor);
  EXPECT_EQ(neighbors.of_row, 4U);
  ASSERT_EQ(neighbors.rows.size(), 5U);
  EXPECT_EQ(neighbors.rows[0].row, 4U);
  EXPECT_EQ(*neighbors.rows[0].score, 0);
  EXPECT_TRUE(neighbors.rows[0].special.empty());
  double votes = 0;
  for (const auto& [name, share] : neighbors.details.find("vote")->as_object()) votes += share.as_number();
  EXPECT_NEAR(votes, 1, 1e-12);
  EXPECT_EQ(to_json(result_from_json(to_json(result), "test")), to_json(result));
}

TEST(Knn, ExplainsARowWithoutNeighbors) {
  const Table table = numbers_table({"a", "y"}, {{1, 2, NAN}, {3, 5, 7}});
  const FittedModel model = fitted("knn", table, {{"target", "y"}, {"neighbors", 1}});
  Context context(1);
  const Result result =
      run("intrinsic", *model.model, table, Value::object({{"rows", Value(std::vector<std::int64_t>{2})}}), context);
  const Examples& neighbors = result.results.at(0).get<Examples>();
  EXPECT_TRUE(neighbors.rows.empty());
  EXPECT_DOUBLE_EQ(neighbors.details.find("vote")->find("prediction")->as_number(), 5);
  EXPECT_EQ(result_from_json(to_json(result), "test").results.size(), result.results.size());
}

// Each of four rows by the one or two others that are nearest: 0 → 1 (and 3), 1 → 0 (and 3), 3 → 1 (and 0), 7 → 3 (and
// 1).
TEST(Knn, RowsLeftOutAreACurve) {
  const Table table = numbers_table({"a", "y"}, {{0, 1, 3, 7}, {2, 4, 8, 6}});
  const FittedModel model = fitted("knn", table, {{"target", "y"}, {"neighbors", 2}});
  const Frontier* curve = nullptr;
  for (const ResultItem& item : model.result.results) {
    if (item.as<Frontier>() != nullptr) curve = item.as<Frontier>();
  }
  ASSERT_NE(curve, nullptr);
  EXPECT_EQ(curve->loss, LossKind::rmse);
  ASSERT_EQ(curve->points.size(), 3U);  // 1, 2, 3
  EXPECT_DOUBLE_EQ(curve->points[0].value, std::sqrt((4 + 4 + 16 + 4) / 4.0));
  EXPECT_DOUBLE_EQ(curve->points[1].value, std::sqrt((16 + 1 + 25 + 0) / 4.0));
  // Squared errors 16, 1, 25, 0 around 10.5: √(30.25 + 90.25 + 210.25 + 110.25) / 4, half of it per unit of the root.
  EXPECT_DOUBLE_EQ(*curve->points[1].se, std::sqrt(441) / 4 / (2 * std::sqrt(10.5)));
  EXPECT_TRUE(curve->points[1].chosen);
  EXPECT_FALSE(curve->points[0].chosen);
}

// Row 1 has no outcome, row 3 does not fulfil the condition.
TEST(Knn, NeighborsAreRowsOfTheData) {
  const Table table = numbers_table({"a", "b", "y"}, {{9, 0, 1, 5, 4, 8}, {0, 0, 0, 1, 0, 0}, {3, NAN, 4, 0, 5, 6}});
  const FittedModel model = fitted("knn", table, {{"target", "y"}, {"neighbors", 2}, {"where", "b = 0"}});
  Context context(1);
  const Result result =
      run("intrinsic", *model.model, table, Value::object({{"rows", Value(std::vector<std::int64_t>{3})}}), context);
  const Examples& neighbors = result.results.at(0).get<Examples>();
  ASSERT_EQ(neighbors.rows.size(), 2U);
  EXPECT_EQ(neighbors.rows[0].row, 4U);
  EXPECT_EQ(neighbors.rows[1].row, 5U);
}

TEST(NearestPrototype, CountsWhomEachSpeaksFor) {
  const Table table = penguins(150);
  const FittedModel model = fitted("nearest-prototype", table, {{"target", "species"}, {"prototypes", 6}});
  const Examples* shown = nullptr;
  for (const ResultItem& item : model.result.results) {
    if (item.as<Examples>() != nullptr) shown = item.as<Examples>();
  }
  ASSERT_NE(shown, nullptr);
  ASSERT_EQ(shown->rows.size(), 6U);
  ASSERT_TRUE(shown->map.has_value());
  EXPECT_EQ(shown->map->x.size(), shown->map->classes.size());
  // Whom the model itself asks: row after row.
  std::vector<std::int64_t> every(150);
  std::iota(every.begin(), every.end(), 0);
  Context context(1);
  const Result result = run("intrinsic", *model.model, table, Value::object({{"rows", Value(every)}}), context);
  std::map<std::uint64_t, double> speaks;
  for (const ResultItem& item : result.results) speaks[item.get<Examples>().rows.at(0).row] += 1;
  for (const Example& example : shown->rows) EXPECT_EQ(*example.stands_for, speaks[example.row]) << example.row;
  EXPECT_DOUBLE_EQ(*shown->rows.back().accuracy,
                   model.model->signature().detail.find("accuracy on training rows")->as_number());
  // One prototype gives all rows its class, which a third of them have.
  EXPECT_DOUBLE_EQ(*shown->rows[0].accuracy, 1.0 / 3);
}

}  // namespace
}  // namespace sightglass
