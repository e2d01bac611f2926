#include "sightglass/model/category_hashes.h"

#include <gtest/gtest.h>

#include <charconv>
#include <sstream>

#include "formats/fixture.h"
#include "sightglass/base/error.h"

namespace sightglass {
namespace {

TEST(CategoryHash, IsCatboosts) {
  EXPECT_EQ(category_hash("3"), 593172586U);
  EXPECT_EQ(category_hash("-1"), 288298918U);
  EXPECT_EQ(category_hash(""), 797982799U);
  EXPECT_EQ(category_hash("vwx"), 2188266485U);
}

// Texts of every length up to 139 bytes, and some beyond ASCII, as CatBoost wrote them.
TEST(CategoryHash, IsCatboostsAtEveryLength) {
  std::istringstream lines(testing::read_bytes(testing::formats_folder("catboost") / "hashes.txt"));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const std::size_t tab = line.find('\t');
    EXPECT_EQ(std::to_string(category_hash(line.substr(0, tab))), line.substr(tab + 1)) << line;
  }
  EXPECT_EQ(count, 142U);
}

TEST(CategoryHashes, KnowTheirOwn) {
  const CategoryHashes known({{category_hash("red"), 0}, {category_hash("7"), 1}, {category_hash("-2"), 0}});
  EXPECT_EQ(known.code("red"), 0);
  EXPECT_EQ(known.code("Red"), std::nullopt);
  EXPECT_EQ(known.code(7.0), 1);
  EXPECT_EQ(known.code(-2.0), 0);
  EXPECT_EQ(known.code(8.0), std::nullopt);
  EXPECT_EQ(known.code("7.0"), std::nullopt);
}

TEST(CategoryHashes, OfAModelThatTellsAllApartAreTheirCodes) {
  const CategoryHashes all;
  EXPECT_EQ(all.code("red"), category_hash("red"));
  EXPECT_EQ(all.code(-3.0), category_hash("-3"));
}

TEST(CategoryHashes, FractionsAreNoCategories) {
  EXPECT_THROW((void)CategoryHashes().code(2.5), Error);
  EXPECT_THROW((void)CategoryHashes().code(1e300), Error);
}

}  // namespace
}  // namespace sightglass
