#include "sightglass/methods/examples/neighbors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/result/shapes/examples.h"
#include "support/function_model.h"
#include "support/law_cases.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using testing::FunctionModel;

const testing::LawCase laws("neighbors",
                            {.options = Value::object({{"explain", 3}, {"use_rows", 40}}), .about_features = false});

Table colours() {
  const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"blue", "red"});
  return Table(
      Schema({{.name = "x"}, {.name = "c", .type = DType::categorical, .dictionary = dictionary}, {.name = "y"}}),
      {column_of(std::vector<double>{0, 1, 4, 10, 2}),
       column_of(std::vector<std::int32_t>{0, 0, 1, 1, 1}, dictionary.get()),
       column_of(std::vector<double>{5, 6, 7, 8, 9})});
}

const FunctionModel doubled({"x", "c"},
                            [](const auto& v) { return std::vector<double>{std::isnan(v[0]) ? 7 : 2 * v[0]}; });

Result explain(const Value& options, const Table& table = colours()) {
  Context context(1);
  return run("neighbors", doubled, table, options, context);
}

Value of_row(std::int64_t row) { return Value::object({{"rows", Value::array().push_back(row)}}); }

TEST(Neighbors, TheNearestByGowersDistance) {
  const Result result = explain(of_row(0).set("neighbors", 3).set("target", "y"));
  ASSERT_EQ(result.results.size(), 1U);
  const auto& found = result.results[0].get<Examples>();
  EXPECT_EQ(found.role, ExampleRole::neighbor);
  EXPECT_EQ(found.of_row, 0U);
  std::vector<std::uint64_t> rows;
  std::vector<double> distances, predictions, targets;
  for (const Example& example : found.rows) {
    rows.push_back(example.row);
    distances.push_back(*example.score);
    predictions.push_back(*example.prediction);
    targets.push_back(*example.target);
  }
  // Of the range, 10: 0.1 and no other level; 0.2 and another; 0.4 and another. The mean of both features.
  EXPECT_THAT(rows, ElementsAre(1, 4, 2));
  EXPECT_THAT(distances, ElementsAre(::testing::DoubleNear(0.05, 1e-12), ::testing::DoubleNear(0.6, 1e-12),
                                     ::testing::DoubleNear(0.7, 1e-12)));
  EXPECT_THAT(predictions, ElementsAre(2, 4, 8));
  EXPECT_THAT(targets, ElementsAre(6, 9, 7));
  ASSERT_EQ(found.rows[1].special.size(), 2U);
  EXPECT_EQ(found.rows[1].special[0].feature, "c");
  EXPECT_EQ(found.rows[1].special[0].difference, 1);
  EXPECT_NEAR(*found.rows[1].special[1].difference, 0.2, 1e-12);
  EXPECT_EQ(found.details.find("own_prediction")->as_number(), 0);
  EXPECT_EQ(found.details.find("own")->find("c")->as_string(), "blue");
}

TEST(Neighbors, ARowIsNoNeighbourOfItsOwn) {
  for (std::int64_t row = 0; row < 5; ++row) {
    const Result result = explain(of_row(row).set("neighbors", 10));
    const auto& found = result.results[0].get<Examples>();
    EXPECT_EQ(found.rows.size(), 4U);
    for (const Example& example : found.rows) EXPECT_NE(example.row, static_cast<std::uint64_t>(row));
  }
}

TEST(Neighbors, ARowWithoutValuesHasNone) {
  const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"blue"});
  const Table table(
      Schema({{.name = "x"}, {.name = "c", .type = DType::categorical, .dictionary = dictionary}}),
      {column_of(std::vector<double>{NAN, 1, 2}), column_of(std::vector<std::int32_t>{-1, 0, 0}, dictionary.get())});
  const Result result = explain(of_row(0), table);
  EXPECT_TRUE(result.results[0].get<Examples>().rows.empty());
}

// Row 1 agrees with row 0 in the one value that it has of three, and is not therefore the most similar.
TEST(Neighbors, RowsWithHardlyAnyValueAreNobodysNeighbours) {
  const Table table(Schema({{.name = "x"}, {.name = "c"}, {.name = "z"}}),
                    {column_of(std::vector<double>{1, NAN, 2, 5}), column_of(std::vector<double>{0, NAN, 1, NAN}),
                     column_of(std::vector<double>{3, 3, 4, 9})});
  const FunctionModel sum({"x", "c", "z"}, [](const auto&) { return std::vector<double>{1}; });
  Context context(1);
  const Result result = run("neighbors", sum, table, of_row(0), context);
  const auto& rows = result.results[0].get<Examples>().rows;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].row, 2U);
  EXPECT_EQ(rows[1].row, 3U);  // two of three values are known
  // Where there are no others, they are.
  const Table sparse(Schema({{.name = "x"}, {.name = "c"}, {.name = "z"}}),
                     {column_of(std::vector<double>{NAN, NAN}), column_of(std::vector<double>{NAN, NAN}),
                      column_of(std::vector<double>{3, 4})});
  EXPECT_EQ(run("neighbors", sum, sparse, of_row(0), context).results[0].get<Examples>().rows.size(), 1U);
}

TEST(Neighbors, RowsThatAreNotThereAreRefused) {
  for (const std::int64_t row : {-1, 5}) {
    try {
      (void)explain(of_row(row));
      FAIL() << row;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
    }
  }
}

}  // namespace
}  // namespace sightglass
