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

using Entries = std::vector<std::string>;

TEST(SplitList, CutsAtCommas) {
  EXPECT_EQ(split_list("age,region"), (Entries{"age", "region"}));
  EXPECT_EQ(split_list("age, region"), (Entries{"age", " region"}));
  EXPECT_EQ(split_list(""), (Entries{""}));
  EXPECT_EQ(split_list("a,,b"), (Entries{"a", "", "b"}));
}

TEST(SplitList, QuotesAndBackslashesKeepACommaTogether) {
  EXPECT_EQ(split_list(R"("price, net",region)"), (Entries{"price, net", "region"}));
  EXPECT_EQ(split_list(R"(region, 'price, net')"), (Entries{"region", " price, net"}));
  EXPECT_EQ(split_list(R"(price\, net,region)"), (Entries{"price, net", "region"}));
  EXPECT_EQ(split_list(R"("price, net":region,a:"b, c")"), (Entries{"price, net:region", "a:b, c"}));
  EXPECT_EQ(split_list(R"("so-called ""x",b)"), (Entries{R"(so-called ""x)", "b"}));
  EXPECT_EQ(split_list(R"("a \" b",c)"), (Entries{R"(a " b)", "c"}));
  EXPECT_EQ(split_list(R"("price, net"=EUR)"), (Entries{"price, net=EUR"}));
}

TEST(SplitList, OtherQuotesAndBackslashesAreLetters) {
  EXPECT_EQ(split_list("Côte d'Ivoire,O'Neill"), (Entries{"Côte d'Ivoire", "O'Neill"}));
  EXPECT_EQ(split_list(R"(C:\data,"x)"), (Entries{R"(C:\data)", R"("x)"}));
  EXPECT_EQ(split_list(R"("a"b,c)"), (Entries{R"("a"b)", "c"}));
}

TEST(JoinedToNames, WholeNamesComeFirst) {
  const Schema schema({{.name = "a"}, {.name = "b"}, {.name = "price, net, EUR"}, {.name = "a,b"}});
  const auto is_name = [&](std::string_view text) { return find_given(schema, text).has_value(); };
  EXPECT_EQ(joined_to_names(split_list("b,price, net, EUR,a"), is_name), (Entries{"b", "price, net, EUR", "a"}));
  EXPECT_EQ(joined_to_names({"a", "b"}, is_name), (Entries{"a", "b"})) << "both are names already";
  EXPECT_EQ(joined_to_names({"x", "price", "b"}, is_name), (Entries{"x", "price", "b"}));
}

}  // namespace
}  // namespace sightglass
