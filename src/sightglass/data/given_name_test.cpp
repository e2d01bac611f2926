#include "sightglass/data/given_name.h"

#include <gtest/gtest.h>

#include "sightglass/base/error.h"

namespace sightglass {
namespace {

TEST(GivenName, BlanksAroundItDoNotMatter) {
  const Schema schema({{.name = "age"}, {.name = " region"}, {.name = "region"}, {.name = " only "}});
  EXPECT_EQ(find_given(schema, " age"), 0U);
  EXPECT_EQ(find_given(schema, "age\t"), 0U);
  EXPECT_EQ(find_given(schema, " region"), 1U) << "the name as it is comes first";
  EXPECT_EQ(find_given(schema, "  region"), 2U);
  EXPECT_EQ(find_given(schema, "only"), std::nullopt);
  EXPECT_EQ(find_given(schema, " "), std::nullopt);
  EXPECT_EQ(schema.require(" age ", "features"), 0U);
  EXPECT_THROW((void)schema.require("", "features"), Error);
}

}  // namespace
}  // namespace sightglass
