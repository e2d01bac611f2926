#include "sightglass/plans/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/base/error.h"
#include "support/function_model.h"
#include "support/number_tables.h"
#include "support/random_data.h"

namespace sightglass {
namespace {

using testing::FunctionModel;
using ::testing::HasSubstr;
using testing::numbers_table;

FunctionModel twice() {
  return FunctionModel({"x"}, [](const std::vector<double>& row) { return std::vector<double>{2 * row[0]}; });
}

TEST(InspectPlan, SaysHowGoodTheModelIsHere) {
  Context context(1);
  const Table table = numbers_table({"x", "y"}, {{1, 2, 3, 4}, {2, 4, 6, 8}});
  const Inspection found = inspect(twice(), table, "y", context);
  EXPECT_TRUE(found.fits());
  ASSERT_TRUE(found.performance);
  EXPECT_EQ(found.performance->method, "performance");
  EXPECT_NE(found.to_value().find("performance"), nullptr);
  EXPECT_FALSE(inspect(twice(), table, "", context).performance);
}

TEST(InspectPlan, ATargetThatIsNotTheModelsDoesNotFit) {
  Context context(1);
  const Table table = testing::random_table(1, 40);
  const Inspection found =
      inspect(testing::FunctionModel({"a"}, [](const std::vector<double>& row) { return row; }), table, "c", context);
  EXPECT_FALSE(found.fits());
  EXPECT_THAT(found.fit.find("why")->as_string(), HasSubstr("c"));
  EXPECT_FALSE(found.performance);
}

}  // namespace
}  // namespace sightglass
