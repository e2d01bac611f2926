#include "sightglass/base/text.h"

#include <gtest/gtest.h>

namespace sightglass {

namespace {

std::string flags(const Reference& reference) {
  return reference.kind == Reference::Kind::option ? "--" + reference.name : reference.name;
}

TEST(Text, RefersToOptionsAndMethods) {
  const Text text = marked("raise {option:sample}, or use {method:m-plot} with fewer {option:bins|bins}");
  EXPECT_EQ(text.plain(), "raise sample, or use m-plot with fewer bins");
  EXPECT_EQ(text.spelled(flags).plain(), "raise --sample, or use m-plot with fewer bins");
  ASSERT_EQ(text.references().size(), 3U);
  EXPECT_EQ(text.references()[1].name, "m-plot");
  EXPECT_EQ(text.references()[1].kind, Reference::Kind::method);
  EXPECT_EQ(text.references()[2].words, "bins");
  EXPECT_FALSE(text.starts_with_reference());
}

TEST(Text, NamesAnOptionWithItsNounWhereThatIsNeeded) {
  const Text text = option_text("grid") + ": at least 1, please";
  EXPECT_EQ(text.plain(), "option grid: at least 1, please");
  EXPECT_EQ(text.spelled(flags).plain(), "--grid: at least 1, please");
  EXPECT_TRUE(text.starts_with_reference());
  EXPECT_EQ(option_name("grid").plain(), "grid");
  const Text other = marked("{method:ice} with {the option:ice.center}");
  EXPECT_EQ(other.plain(), "ice with the option center");
  EXPECT_EQ(other.spelled(flags).plain(), "ice with --center");
  EXPECT_EQ(other.references()[1].method, "ice");
  EXPECT_EQ(Text::from_markup(other.markup()), other);
}

TEST(Text, NamesFromTheDataReferToNothing) {
  for (const std::string name : {"{option:sample}", "{{option:sample}}", "{", "}", "{the option:x|", "a|b", "{{{"}) {
    const Text text = Text(name) + " and " + option_name("by");
    EXPECT_EQ(text.plain(), name + " and by");
    EXPECT_EQ(text.spelled(flags).plain(), name + " and --by");
    EXPECT_EQ(text.references().size(), 1U);
    EXPECT_EQ(Text::from_markup(text.markup()), text);
  }
}

TEST(Text, RefersToFeaturesOfAnyName) {
  for (const std::string name : {"temp", "wind speed", "{option:sample}", "}", "a|b", "100 %", "%7D", "a.b", "größe"}) {
    const Text text = feature_name(name) + " is missing";
    EXPECT_EQ(text.plain(), name + " is missing");
    EXPECT_EQ(text.spelled(flags), text);
    ASSERT_EQ(text.references().size(), 1U);
    EXPECT_EQ(text.references()[0].kind, Reference::Kind::feature);
    EXPECT_EQ(text.references()[0].name, name);
    EXPECT_EQ(Text::from_markup(text.markup()), text);
    EXPECT_EQ(text.without_end(" is missing"), feature_name(name));
  }
  EXPECT_EQ(feature_name("a}b").markup(), "{feature:a%7Db}");
  EXPECT_TRUE(feature_name("").empty());
}

TEST(Text, TakesAsItIsWhatLooksLikeAReference) {
  for (const std::string markup : {"{", "{}", "{option}", "{option:}", "{option:A b}", "{feature:}", "{feature:a%}",
                                   "{feature:%41}", "{option:x"}) {
    EXPECT_EQ(marked(markup).plain(), markup);
    EXPECT_TRUE(marked(markup).references().empty());
  }
}

}  // namespace

}  // namespace sightglass
