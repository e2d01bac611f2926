#include "sightglass/model/answered_classes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/function_model.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using testing::FunctionModel;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::RowFunction;

// x of 0, 1, …, and the outcome, whose values repeat; levels: it is text.
Table outcomes(const std::vector<double>& truths, const std::vector<std::string>& levels = {}) {
  constexpr std::size_t rows = 60;
  std::vector<double> x, y;
  std::vector<std::int32_t> codes;
  for (std::size_t row = 0; row < rows; ++row) {
    x.push_back(static_cast<double>(row % truths.size()));
    y.push_back(truths[row % truths.size()]);
    codes.push_back(static_cast<std::int32_t>(y.back()));
  }
  if (levels.empty()) return {Schema({{.name = "x"}, {.name = "y"}}), {column_of(x), column_of(y)}};
  const auto dictionary = std::make_shared<Dictionary>(levels, true);
  return {Schema({{.name = "x"}, {.name = "y", .type = DType::categorical, .dictionary = dictionary}}),
          {column_of(x), column_of(codes, nullptr)}};
}

std::optional<AnsweredClasses> found(const Table& table, const RowFunction& function,
                                     const std::vector<std::string>& outputs) {
  Context context(1);
  return answered_classes(FunctionModel({"x"}, function, outputs), table, "y", 7, context);
}

// The probability 0.8 for the class of this number, of so many.
RowFunction sure_of(std::size_t classes, const std::vector<std::size_t>& order) {
  return [=](const std::vector<double>& row) {
    std::vector<double> answer(classes, 0.2 / static_cast<double>(classes - 1));
    answer[order[static_cast<std::size_t>(row[0])]] = 0.8;
    return answer;
  };
}

TEST(AnsweredClasses, OneNumberIsTheProbabilityOfTheSecondValue) {
  const RowFunction half = [](const auto& row) { return std::vector<double>{row[0] / 4}; };
  const auto classes = found(outcomes({-1, 1}), half, {"prediction"});
  ASSERT_TRUE(classes);
  EXPECT_THAT(classes->names, ElementsAre("-1", "1"));
  EXPECT_THAT(classes->said.plain(), HasSubstr("taken for the probability of 1; classes in the order 1, -1"));
  EXPECT_THAT(found(outcomes({0, 1}, {"no", "yes"}), half, {"no"})->names, ElementsAre("yes", "no"));
  EXPECT_FALSE(found(outcomes({1, 2, 3}), half, {"prediction"}));
  EXPECT_FALSE(found(outcomes({0, 1}), [](const auto& row) { return std::vector<double>{row[0] * 2}; }, {"p"}));
}

TEST(AnsweredClasses, ColumnsAreTheValuesInTheOrderThatTheAnswersFit) {
  const std::vector<std::string> outputs = {"0", "1", "2"};
  EXPECT_THAT(found(outcomes({1, 2, 3}), sure_of(3, {0, 1, 2}), outputs)->names, ElementsAre("1", "2", "3"));
  const Table sizes = outcomes({0, 1, 2}, {"small", "medium", "big"});
  EXPECT_THAT(found(sizes, sure_of(3, {2, 1, 0}), outputs)->names, ElementsAre("big", "medium", "small"));
  EXPECT_THAT(found(sizes, sure_of(3, {0, 1, 2}), outputs)->names, ElementsAre("small", "medium", "big"));
  EXPECT_THAT(found(sizes, sure_of(3, {0, 1, 2}), {"medium", "big", "small"})->names,
              ElementsAre("medium", "big", "small"));
  // Numbers that count the classes, of which one is not there.
  EXPECT_THAT(found(outcomes({0, 2}), sure_of(3, {0, 2}), outputs)->names, ElementsAre("0", "1", "2"));
}

TEST(AnsweredClasses, WhatNothingNamesIsSaidToHaveNoNames) {
  const auto classes = found(outcomes({0, 1}, {"a", "b"}), sure_of(3, {0, 1, 2}), {"0", "1", "2"});
  ASSERT_TRUE(classes);
  EXPECT_THAT(classes->names, IsEmpty());
  EXPECT_THAT(classes->said.plain(), HasSubstr("y has 2 values; name them in the model's order with classes"));
  EXPECT_FALSE(found(outcomes({1, 2, 3, 4}), sure_of(3, {0, 1, 2, 0}), {"0", "1", "2"}));
  EXPECT_FALSE(found(outcomes({1.5, 2.5, 3.5}), sure_of(3, {0, 1, 2}), {"0", "1", "2"}));
}

}  // namespace
}  // namespace sightglass
