#include "sightglass/model/damaged_levels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using Names = std::vector<std::string>;

std::size_t letters_in(const std::string& name) {
  std::size_t letters = 0;
  for (const char byte : name) letters += (static_cast<unsigned char>(byte) & 0xC0) != 0x80 ? 1 : 0;
  return letters;
}

// What XGBoost 3.1 and 3.2 make of pandas categories.
Names pieces_of(const Names& names) {
  const std::string bytes = std::accumulate(names.begin(), names.end(), std::string());
  Names pieces;
  std::size_t at = 0;
  for (const std::string& name : names) {
    pieces.push_back(bytes.substr(at, letters_in(name)));
    at += letters_in(name);
  }
  return pieces;
}

const Names countries = {"Curaçao", "Côte d'Ivoire", "Zürich", "abc", "ß", "日本"};

TEST(DamagedLevels, TheDataInTheSameOrderProveThem) {
  const auto mended = mended_levels(pieces_of(countries), countries);
  ASSERT_TRUE(mended);
  EXPECT_EQ(mended->names, countries);
  EXPECT_FALSE(mended->guessed);
}

TEST(DamagedLevels, WhatIsWholeInTheFileNeedsNoData) {
  const auto mended = mended_levels(pieces_of(countries), Names{"Zürich", "Curaçao"});
  ASSERT_TRUE(mended);
  EXPECT_EQ(Names(mended->names.begin(), mended->names.begin() + 4), Names(countries.begin(), countries.begin() + 4));
  EXPECT_FALSE(mended->guessed);
}

TEST(DamagedLevels, WhatWasCutOffIsTheOnlyOneThatFits) {
  const auto mended = mended_levels(pieces_of(countries), Names{"日本", "ß", "Zürich"});
  ASSERT_TRUE(mended);
  EXPECT_EQ(mended->names, countries);
  EXPECT_TRUE(mended->guessed);
}

TEST(DamagedLevels, TwoThatFitAreNotToldApart) {
  EXPECT_FALSE(mended_levels(pieces_of(countries), Names{"Zürich", "ß", "ü"}));
  // Two places as long as each other.
  const Names alike = {"äöü", "b", "x", "y"};
  EXPECT_FALSE(mended_levels(pieces_of(alike), Names{"y", "äöü"}));
  EXPECT_TRUE(mended_levels(pieces_of(alike), alike)) << "but their order proves them";
}

TEST(DamagedLevels, ALevelThatFitsNowhereIsNoneOfThem) {
  const auto mended = mended_levels(pieces_of(countries), Names{"Zürich", "Atlantis"});
  ASSERT_TRUE(mended);
  EXPECT_THAT(mended->names, ::testing::Not(::testing::Contains("Atlantis")));
  // Nor one that would not have stood behind the others: pandas sorts.
  const auto sorted = mended_levels(pieces_of({"bä", "cö", "dü"}), Names{"aß", "bä", "cö"});
  ASSERT_TRUE(sorted);
  EXPECT_THAT(sorted->names, ::testing::Not(::testing::Contains("aß")));
}

TEST(DamagedLevels, LengthsInBytesAreThoseOfArrow) {
  const auto mended = mended_levels(countries, Names{"日本", "Zürich"});
  ASSERT_TRUE(mended);
  EXPECT_EQ(mended->names, countries);
  EXPECT_FALSE(mended->guessed);
  // Either may be meant, and nothing in the data speaks for one.
  EXPECT_FALSE(mended_levels(Names{"ö", "a"}, Names{"c"}));
  EXPECT_THAT(mended_levels(Names{"ö", "a"}, Names{"a"})->names, ElementsAre("ö", "a"));
  EXPECT_EQ(mended_levels(Names{"ö", "a"}, Names{"öa", "b"})->names, (Names{"öa", "b"}));
}

TEST(DamagedLevels, WhatIsNoTextIsRefused) {
  EXPECT_FALSE(mended_levels(Names{"\xFF\xFE\xFD\xFC", "a"}, Names{"a"}));
  EXPECT_FALSE(mended_levels(Names{}, Names{"a"}));
}

}  // namespace
}  // namespace sightglass
