#include "sightglass/data/texts/word_breaks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "sightglass/base/error.h"

namespace sightglass {

namespace {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> list;
  for (const TextPiece& word : words_of(text)) list.emplace_back(word.of(text));
  return list;
}

void append_utf8(std::string& text, std::uint32_t code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += {static_cast<char>(0xC0 | (code >> 6)), static_cast<char>(0x80 | (code & 0x3F))};
  } else if (code < 0x10000) {
    text += {static_cast<char>(0xE0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3F)),
             static_cast<char>(0x80 | (code & 0x3F))};
  } else {
    text += {static_cast<char>(0xF0 | (code >> 18)), static_cast<char>(0x80 | ((code >> 12) & 0x3F)),
             static_cast<char>(0x80 | ((code >> 6) & 0x3F)), static_cast<char>(0x80 | (code & 0x3F))};
  }
}

}  // namespace

TEST(WordBreaks, WordsOfManyScripts) {
  using ::testing::ElementsAre;
  EXPECT_THAT(words("Can't fool 3.14 times, o.k.?"), ElementsAre("Can't", "fool", "3.14", "times", "o.k"));
  EXPECT_THAT(words("snake_case naïve Grüße"), ElementsAre("snake_case", "naïve", "Grüße"));
  EXPECT_THAT(words("мир, שלום"), ElementsAre("мир", "שלום"));
  EXPECT_THAT(words("東京"), ElementsAre("東", "京"));
  EXPECT_THAT(words("good 👍🏽 🇩🇪🇫🇷"), ElementsAre("good", "👍🏽", "🇩🇪", "🇫🇷"));
  EXPECT_THAT(words(" ,.!\n"), ElementsAre());
  EXPECT_THAT(words(""), ElementsAre());
}

TEST(WordBreaks, PlacesInBytesAndCharacters) {
  const std::string text = "é 東 b";
  const auto found = words_of(text);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[1].begin, 3U);
  EXPECT_EQ(found[1].end, 6U);
  EXPECT_EQ(found[1].first, 2U);
  EXPECT_EQ(found[1].last, 3U);
  EXPECT_EQ(found[2].first, 4U);
}

TEST(WordBreaks, SegmentsAreTheWholeText) {
  const std::string text = "Two  spaces\r\nand a line.";
  std::string joined;
  for (const TextPiece& piece : text_segments(text)) joined += piece.of(text);
  EXPECT_EQ(joined, text);
  EXPECT_EQ(text_segments(text).size(), 10U);
}

TEST(WordBreaks, TextThatIsNotUtf8) {
  try {
    (void)words_of("good \xff bad");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("byte 5"));
  }
}

// Unicode's own test: every line is a text as ÷ 0061 × 0308 ÷ 0020 ÷.
TEST(WordBreaks, ConformsToUnicode) {
  std::ifstream file(std::string(SIGHTGLASS_SOURCE_DIR) + "/tests/golden/texts/word_breaks.txt");
  ASSERT_TRUE(file);
  std::size_t lines = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    ++lines;
    std::string text, token;
    std::vector<std::size_t> wanted;
    std::size_t characters = 0;
    for (std::istringstream tokens(line); tokens >> token;) {
      if (token == "÷") {
        if (characters > 0) wanted.push_back(characters);
      } else if (token != "×") {
        append_utf8(text, static_cast<std::uint32_t>(std::stoul(token, nullptr, 16)));
        ++characters;
      }
    }
    std::vector<std::size_t> found;
    for (const TextPiece& piece : text_segments(text)) found.push_back(piece.last);
    EXPECT_EQ(found, wanted) << line;
  }
  EXPECT_EQ(lines, 1823U);
}

}  // namespace sightglass
