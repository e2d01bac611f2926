#include "sightglass/result/shapes/shown_condition.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sightglass {
namespace {

TEST(ShownCondition, IsWrittenOneWay) {
  EXPECT_EQ(condition_text({.feature = "temp", .above = 13}), "temp > 13");
  EXPECT_EQ(condition_text({.feature = "temp", .at_least = 13.120000000000001}), "temp >= 13.12");
  EXPECT_EQ(condition_text({.feature = "hour", .above = 7, .at_most = 9}), "7 < hour <= 9");
  EXPECT_EQ(condition_text({.feature = "hour", .at_least = 7, .below = 9}), "7 <= hour < 9");
  EXPECT_EQ(condition_text({.feature = "hour", .at_least = 7, .at_most = 7}), "hour = 7");
  EXPECT_EQ(condition_text({.feature = "price", .below = 1234567}), "price < 1234567");
  EXPECT_EQ(condition_text({.feature = "price", .below = 1234567.25}), "price < 1234567");
  EXPECT_EQ(condition_text({.feature = "rate", .above = 1.5e-7}), "rate > 1.5e-07");
  EXPECT_EQ(condition_text({.feature = "x", .above = -INFINITY}), "x > -infinity");
  // Of two bounds on one side the tighter one.
  EXPECT_EQ(condition_text({.feature = "x", .above = 3, .at_least = 2}), "x > 3");
  EXPECT_EQ(condition_text({.feature = "x", .below = 3, .at_most = 2}), "x <= 2");
}

TEST(ShownCondition, LevelsAreNamedOrCounted) {
  ShownCondition season{.feature = "season", .categorical = true, .levels = {"winter"}};
  EXPECT_EQ(condition_text(season), "season = winter");
  season.levels = {"winter", "spring"};
  EXPECT_EQ(condition_text(season), "season = winter or spring");
  season.levels = {"a", "b", "c", "d", "e"};
  EXPECT_EQ(condition_text(season), "season = a, b, c, d or e");
  season.levels = {"a", "b", "c", "d", "e", "f"};
  EXPECT_EQ(condition_text(season), "season = a, b, c, d or 2 more");
  EXPECT_EQ(condition_text(season, 40), "season = a, b, c, d, e or f");
  season.levels = {};
  EXPECT_EQ(condition_text(season), "season = no level");
}

TEST(ShownCondition, MissingValuesAreSaid) {
  EXPECT_EQ(condition_text({.feature = "temp", .above = 13, .missing = true}), "temp > 13 or missing");
  EXPECT_EQ(condition_text({.feature = "humidity", .missing = true}), "humidity is missing");
  EXPECT_EQ(condition_text({.feature = "humidity"}), "humidity is not missing");
  EXPECT_EQ(condition_text({.feature = "s", .categorical = true, .missing = true}), "s is missing");
  EXPECT_EQ(conditions_text({{.feature = "temp", .above = 13, .missing = true}, {.feature = "hour", .below = 9}}),
            "(temp > 13 or missing) & hour < 9");
  EXPECT_EQ(conditions_text({}), "all rows");
}

TEST(ShownCondition, TheOppositeHoldsElsewhere) {
  EXPECT_EQ(opposite_text({.feature = "temp", .above = 13, .missing = true}), "temp <= 13");
  EXPECT_EQ(opposite_text({.feature = "temp", .at_most = 13}), "temp > 13");
  EXPECT_EQ(opposite_text({.feature = "hour", .above = 7, .at_most = 9}), "not 7 < hour <= 9");
  EXPECT_EQ(opposite_text({.feature = "s", .categorical = true, .levels = {"a", "b"}}), "s is not a or b");
  EXPECT_EQ(opposite_text({.feature = "s", .missing = true}), "s is not missing");
  EXPECT_FALSE(opposite({.feature = "hour", .above = 7, .at_most = 9}));
}

TEST(ShownCondition, TwoBecomeOne) {
  const auto joint = both({.feature = "t", .above = 3, .at_most = 9}, {.feature = "t", .above = 5, .missing = true});
  ASSERT_TRUE(joint);
  EXPECT_EQ(condition_text(*joint), "5 < t <= 9");
  EXPECT_FALSE(both({.feature = "t", .above = 3}, {.feature = "u", .above = 5}));
  EXPECT_FALSE(both({.feature = "t", .above = 3}, {.feature = "t", .missing = true}));
  const auto levels = both({.feature = "s", .categorical = true, .levels = {"a", "b", "c"}},
                           {.feature = "s", .categorical = true, .levels = {"c", "b"}});
  ASSERT_TRUE(levels);
  EXPECT_EQ(condition_text(*levels), "s = b or c");
}

TEST(ShownCondition, HostileNamesStayOnOneLine) {
  const std::string text = condition_text({.feature = std::string(500, 'x') + "\n", .above = 1});
  EXPECT_LT(text.size(), 90u);
  EXPECT_EQ(condition_text({.feature = "a\nb", .above = 1}).find('\n'), std::string::npos);
  EXPECT_EQ(condition_text({.feature = "", .above = 1}), "(no name) > 1");
}

}  // namespace
}  // namespace sightglass
