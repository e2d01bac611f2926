#include "sightglass/plans/explain_row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/plans/explain.h"
#include "sightglass/result/shapes/examples.h"
#include "support/function_model.h"
#include "support/random_data.h"

namespace sightglass {
namespace {

using testing::FunctionModel;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const FunctionModel model({"a", "d"}, [](const auto& v) { return std::vector<double>{v[0] * (1 + v[1])}; });

Result explained(const Value& options) {
  Context context(1);
  return explain("explain-row", model, testing::random_table(3, 200), options, context);
}

TEST(ExplainRow, SaysAllThatIsKnownOfARow) {
  const Result result = explained(Value::object({{"rows", Value::array().push_back(17)}, {"neighbors", 3}}));
  EXPECT_EQ(result.method, "explain-row");
  const Attributions* values = nullptr;
  const Examples* near = nullptr;
  std::vector<const Curves*> curves;
  for (const ResultItem& item : result.results) {
    if (const auto* found = item.as<Attributions>()) values = found;
    if (const auto* found = item.as<Examples>(); found != nullptr && found->role == ExampleRole::neighbor) near = found;
    if (const auto* found = item.as<Curves>()) curves.push_back(found);
  }
  ASSERT_NE(values, nullptr);
  ASSERT_NE(near, nullptr);
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(values->rows, std::vector<std::uint64_t>{17});
  EXPECT_EQ(near->rows.size(), 3U);
  // All of one quantity.
  EXPECT_DOUBLE_EQ(values->prediction[0], curves[0]->prediction[0]);
  EXPECT_DOUBLE_EQ(near->details.find("own_prediction")->as_number(), values->prediction[0]);
}

TEST(ExplainRow, AdviceSaysWhoseOptionItIs) {
  const Result result = explained(Value::object({{"rows", Value::array().push_back(17)}}));
  const auto found = std::find_if(result.caveats.begin(), result.caveats.end(),
                                  [](const Caveat& caveat) { return caveat.id == "no-anchor"; });
  ASSERT_NE(found, result.caveats.end());
  EXPECT_THAT(found->advice.plain(), StartsWith("with anchors by itself: the model changes its mind nearby"));
}

TEST(ExplainRow, WithoutARowThereIsNothingToSay) {
  try {
    (void)explained(Value::object());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.message(), HasSubstr("which row"));
  }
}

TEST(ExplainRow, ARowThatIsNotThereIsRefused) {
  try {
    (void)explained(Value::object({{"rows", Value::array().push_back(200)}}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
  }
}

}  // namespace
}  // namespace sightglass
