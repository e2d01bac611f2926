#include "sightglass/result/tidy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/result/result.h"

namespace sightglass {
namespace {

std::vector<std::string> names(const TidyFrame& frame) {
  std::vector<std::string> list;
  for (const auto& column : frame.columns) list.push_back(column.name);
  return list;
}

const std::vector<TidyFrame::Cell>& cells(const TidyFrame& frame, const std::string& name) {
  for (const auto& column : frame.columns) {
    if (column.name == name) return column.cells;
  }
  throw std::out_of_range(name);
}

Importance entry(const std::string& feature, double importance) {
  return {.feature = feature, .features = {feature}, .measure = measure_from_text("spread"), .importance = importance};
}

TEST(TidyFrame, RankingsComeFirstAndAreSorted) {
  Result result;
  result.results = {Figure{.name = "r2", .value = 1}, entry("a", 1), entry("b", 3)};
  result.results.push_back(Importance{.feature = "both",
                                      .features = {"a", "b"},
                                      .measure = measure_from_text("spread"),
                                      .importance = 2,
                                      .details = Value::object({{"repeats", 5}, {"list", Value::array()}})});
  const TidyFrame frame = tidy_frame(result);
  EXPECT_THAT(names(frame),
              ::testing::ElementsAre("feature", "measure", "importance", "rank", "features", "details.repeats"));
  using Cell = TidyFrame::Cell;
  EXPECT_THAT(cells(frame, "feature"), ::testing::ElementsAre(Cell("b"), Cell("both"), Cell("a")));
  EXPECT_THAT(cells(frame, "rank"),
              ::testing::ElementsAre(Cell(std::int64_t{1}), Cell(std::int64_t{2}), Cell(std::int64_t{3})));
  EXPECT_THAT(cells(frame, "features"), ::testing::ElementsAre(Cell(), Cell("a, b"), Cell()));
  EXPECT_THAT(names(tidy_frame(result, "figure")), ::testing::ElementsAre("name", "figure"));
}

TEST(TidyFrame, NumbersThatJsonCannotHoldAreNumbers) {
  Curve curve;
  curve.axis = {.feature = "a", .numbers = {-INFINITY, 2}};
  curve.mean = {3, 4};
  Result result;
  result.results = {curve};
  EXPECT_EQ(cells(tidy_frame(result), "value")[0], TidyFrame::Cell(-INFINITY));
}

TEST(TidyFrame, MarksAreColumnsOnlyWhereThereAreAny) {
  Curve curve;
  curve.axis = {.feature = "a", .numbers = {1, 2}};
  curve.mean = {3, 4};
  curve.missing = MissingPoint{.mean = 5};
  Result result;
  result.results = {curve};
  EXPECT_THAT(names(tidy_frame(result)), ::testing::ElementsAre("feature", "value", "output", "mean", "count"));
  curve.sparse = {1};
  result.results = {curve};
  using Cell = TidyFrame::Cell;
  EXPECT_THAT(cells(tidy_frame(result), "sparse"), ::testing::ElementsAre(Cell(false), Cell(true), Cell(false)));
  EXPECT_EQ(cells(tidy_frame(result), "value")[2], Cell());
}

// Two kinds of rows that no kind of table here knows.
struct Pebble {
  static constexpr std::string_view type = "pebble";
  std::string output, group;
  bool other_kind = false;
};
void describe_fields(Pebble&, Fields&) {}
void tidy_rows(const Pebble& pebble, TidyRows& rows) {
  static const TableKind one{.priority = 50, .columns = {"name"}}, other{.priority = 50, .columns = {"colour"}};
  if (pebble.other_kind) {
    rows.row(other, pebble).set("colour", "grey");
  } else {
    rows.row(one, pebble).set("round", true).set("name", "flint");
  }
}

TEST(TidyFrame, LosesNoColumnAndOfEqualKindsTheFirstOne) {
  Result result;
  result.results = {Pebble{}, Pebble{.output = {}, .group = {}, .other_kind = true}};
  EXPECT_THAT(names(tidy_frame(result)), ::testing::ElementsAre("name", "round"));
  EXPECT_EQ(cells(tidy_frame(result), "name").size(), 1U);
}

}  // namespace
}  // namespace sightglass
