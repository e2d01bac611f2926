#include "sightglass/learn/training_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"

namespace sightglass {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;

// A number with a gap, levels of which one is not used, a class with a gap, an outcome with a gap, weights.
Table mixed() {
  const auto colours = std::make_shared<const Dictionary>(std::vector<std::string>{"blue", "green", "red"});
  const auto kinds = std::make_shared<const Dictionary>(std::vector<std::string>{"a", "b", "c"});
  Schema schema({{.name = "x"},
                 {.name = "colour", .type = DType::categorical, .dictionary = colours},
                 {.name = "kind", .type = DType::categorical, .dictionary = kinds},
                 {.name = "y"},
                 {.name = "w"}});
  return Table(std::move(schema), {column_of({1, NAN, 3, 4, 5}), column_of({0, 2, -1, 2, 0}, colours.get()),
                                   column_of({0, 1, 0, -1, 1}, kinds.get()), column_of({10, 20, NAN, 40, 50}),
                                   column_of({1, 2, 3, 0, 5})});
}

std::vector<std::string> names_of(const TrainingData& data) {
  std::vector<std::string> names;
  for (const TrainingFeature& feature : data.features) names.push_back(feature.info.name);
  return names;
}

ErrorKind refusal(const Table& table, const TrainingColumns& columns, const std::string& words) {
  try {
    (void)training_data(table, columns);
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(words));
    return error.kind();
  }
  ADD_FAILURE() << "accepted: " << words;
  return ErrorKind::internal;
}

TEST(TrainingData, NumbersAndWhatIsLeftOut) {
  const TrainingData data = training_data(mixed(), {.target = "y"});
  EXPECT_EQ(data.task(), Task::regression);
  EXPECT_EQ(data.rows, 4U);
  EXPECT_EQ(data.target, "y");
  EXPECT_THAT(data.outcome, ElementsAre(10, 20, 40, 50));
  EXPECT_THAT(data.classes, IsEmpty());
  EXPECT_THAT(names_of(data), ElementsAre("x", "colour", "kind", "w"));
  EXPECT_THAT(data.notes, ElementsAre("1 row without an outcome left out"));
  EXPECT_TRUE(std::isnan(data.features[0].values[1]));
  EXPECT_THAT(data.weights, IsEmpty());
  EXPECT_EQ(data.total_weight(), 4);
  EXPECT_EQ(data.weight(3), 1);
}

TEST(TrainingData, LevelsThatNoRowHasAreLeftOut) {
  const TrainingData data = training_data(mixed(), {.target = "y"});
  const TrainingFeature& colour = data.features[1];
  EXPECT_TRUE(colour.info.categorical);
  EXPECT_THAT(colour.info.levels, ElementsAre("blue", "red"));
  EXPECT_THAT(colour.values, ElementsAre(0, 1, 1, 0));
}

TEST(TrainingData, WeightsAreNoFeatureAndZeroIsLeftOut) {
  const TrainingData data = training_data(mixed().with_weights(4), {.target = "y"});
  EXPECT_EQ(data.rows, 3U);
  EXPECT_THAT(data.weights, ElementsAre(1, 2, 5));
  EXPECT_EQ(data.total_weight(), 8);
  EXPECT_THAT(names_of(data), ElementsAre("x", "colour", "kind"));
  EXPECT_THAT(data.notes, ElementsAre("1 row without an outcome left out", "1 row of weight 0 left out"));
}

TEST(TrainingData, ClassesByTheirNames) {
  const TrainingData data = training_data(mixed(), {.target = "kind", .features = {"x", "colour"}});
  EXPECT_EQ(data.task(), Task::binary);
  EXPECT_THAT(data.classes, ElementsAre("a", "b"));
  EXPECT_THAT(data.outcome, ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(names_of(data), ElementsAre("x", "colour"));
}

TEST(TrainingData, NumbersAsClassesIfTold) {
  const TrainingData data = training_data(mixed(), {.target = "y", .outcome = OutcomeKind::classes});
  EXPECT_EQ(data.task(), Task::multiclass);
  EXPECT_THAT(data.classes, ElementsAre("10", "20", "40", "50"));
  EXPECT_THAT(data.outcome, ElementsAre(0, 1, 2, 3));
}

TEST(TrainingData, FeaturesOnceAndInTheirOrder) {
  EXPECT_THAT(names_of(training_data(mixed(), {.target = "y", .features = {"colour", "x", "colour"}})),
              ElementsAre("colour", "x"));
}

TEST(TrainingData, RefusesWhatCannotBe) {
  EXPECT_EQ(refusal(mixed(), {.target = "z"}, "no column z"), ErrorKind::usage);
  EXPECT_EQ(refusal(mixed(), {.target = "y", .features = {"q"}}, "no column q"), ErrorKind::usage);
  EXPECT_EQ(refusal(mixed(), {.target = "y", .features = {"y"}}, "y is the target"), ErrorKind::usage);
  EXPECT_EQ(refusal(mixed(), {.target = "kind", .outcome = OutcomeKind::number}, "holds text, not numbers"),
            ErrorKind::usage);
  const Table infinite(Schema({{.name = "x"}, {.name = "y"}}), {column_of({1, INFINITY}), column_of({1, 2})});
  EXPECT_EQ(refusal(infinite, {.target = "y"}, "row 1 of x is infinite"), ErrorKind::data);
  EXPECT_EQ(refusal(infinite, {.target = "x"}, "row 1 of x is infinite"), ErrorKind::data);
  const Table alone(Schema({{.name = "y"}}), {column_of({1, 2})});
  EXPECT_EQ(refusal(alone, {.target = "y"}, "no column to learn from"), ErrorKind::data);
  const Table gaps(Schema({{.name = "x"}, {.name = "y"}}), {column_of({1, 2}), column_of({NAN, NAN})});
  EXPECT_EQ(refusal(gaps, {.target = "y"}, "no row has an outcome in the target y"), ErrorKind::data);
  const auto one = std::make_shared<const Dictionary>(std::vector<std::string>{"a", "b"});
  const Table single(Schema({{.name = "x"}, {.name = "k", .type = DType::categorical, .dictionary = one}}),
                     {column_of({1, 2}), column_of({1, 1}, one.get())});
  EXPECT_EQ(refusal(single, {.target = "k"}, "has only one class, b"), ErrorKind::data);
  const Table weightless(Schema({{.name = "x"}, {.name = "y"}, {.name = "w"}}),
                         {column_of({1, 2}), column_of({NAN, 2}), column_of({1, 0})});
  EXPECT_EQ(refusal(weightless.with_weights(2), {.target = "y"}, "has a weight of zero"), ErrorKind::data);
}

TEST(TrainingData, ColumnsWithoutAValueAreLeftOut) {
  const auto none = std::make_shared<const Dictionary>(std::vector<std::string>{"a"});
  const Schema schema(
      {{.name = "x"}, {.name = "c", .type = DType::categorical, .dictionary = none}, {.name = "z"}, {.name = "y"}});
  // z has a value only where there is no outcome.
  const Table table(schema, {column_of({NAN, NAN, 1}), column_of({-1, -1, -1}, none.get()), column_of({NAN, NAN, 1}),
                             column_of({1, 2, NAN})});
  EXPECT_EQ(refusal(table, {.target = "y"}, "no row has a value of any column to learn from"), ErrorKind::data);
  const Table with_one(schema, {column_of({NAN, 3, 1}), column_of({-1, -1, -1}, none.get()), column_of({NAN, NAN, 1}),
                                column_of({1, 2, NAN})});
  const TrainingData data = training_data(with_one, {.target = "y"});
  EXPECT_THAT(names_of(data), ElementsAre("x"));
  EXPECT_THAT(data.notes,
              ElementsAre("1 row without an outcome left out", "column c left out: no row has a value of it",
                          "column z left out: no row has a value of it"));
}

TEST(Folds, AreOfOneSizeAndOfTheSeed) {
  const auto folds = folds_of(103, 5, 7);
  EXPECT_EQ(folds, folds_of(103, 5, 7));
  EXPECT_NE(folds, folds_of(103, 5, 8));
  for (std::uint32_t fold = 0; fold < 5; ++fold) {
    EXPECT_THAT(std::count(folds.begin(), folds.end(), fold), AllOf(Ge(20), Le(21)));
  }
  EXPECT_THAT(folds_of(3, 10, 0), Each(Le(2U)));
}

TEST(TrainingData, SomeRows) {
  TrainingData data;
  data.rows = 3;
  data.classes = {"a", "b"};
  data.outcome = {0, 1, 0};
  data.weights = {1, 2, 3};
  data.features = {{{.name = "x"}, {7, 8, 9}}};
  const TrainingData part = rows_of(data, std::vector<std::uint32_t>{2, 0, 2});
  EXPECT_EQ(part.rows, 3U);
  EXPECT_EQ(part.features[0].values, (std::vector<double>{9, 7, 9}));
  EXPECT_EQ(part.outcome, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(part.weights, (std::vector<double>{3, 1, 3}));
  EXPECT_EQ(part.classes, data.classes);
}

TEST(TrainingData, ThresholdsLieBelowTheUpperValue) {
  EXPECT_EQ(threshold_between(1, 2), 1.5);
  EXPECT_EQ(threshold_between(1, std::nextafter(1, 2)), 1);
  EXPECT_EQ(threshold_between(-1e308, 1e308), 0);
}

}  // namespace
}  // namespace sightglass
