#include "sightglass/methods/local/pieces/text_writer.h"

#include <gtest/gtest.h>

#include <random>

namespace sightglass {
namespace {

std::string word_by_word(const TextWords& words, const std::vector<std::uint64_t>& bits, const std::string& mask) {
  std::string text;
  std::size_t at = 0;
  for (std::size_t i = 0; i < words.places.size(); ++i) {
    text.append(words.text, at, words.places[i].begin - at);
    const bool stays = ((bits[words.word[i] / 64] >> (words.word[i] % 64)) & 1) != 0;
    text += stays ? std::string(words.places[i].of(words.text)) : mask;
    at = words.places[i].end;
  }
  return text + words.text.substr(at);
}

// Text after text of one batch, of drawn words; bits behind the last word mean nothing.
void expect_texts(const std::string& text, bool places_apart, std::size_t most, const std::string& mask) {
  const TextWords words = text_words(text, places_apart, most);
  const TextWriter writer(words, mask);
  std::mt19937_64 random(text.size());
  TextBatch texts;
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < 20; ++i) {
    std::vector<std::uint64_t> bits(words.words / 64 + 1);
    for (std::uint64_t& each : bits) each = i == 0 ? ~std::uint64_t{0} : i == 1 ? 0 : random();
    writer.write(bits.data(), texts);
    expected.push_back(word_by_word(words, bits, mask));
    EXPECT_LE(expected.back().size(), writer.longest());
  }
  EXPECT_EQ(expected[0], text);
  ASSERT_EQ(texts.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(texts.text(i), expected[i]) << words.words << " words";
}

TEST(TextWriter, WritesWhatIsLeftHoweverManyWords) {
  for (std::size_t count = 0; count <= 150; ++count) {
    std::string different = "¿", repeated = "- ";
    for (std::size_t i = 0; i < count; ++i) {
      different += "w" + std::to_string(i) + (i % 7 == 0 ? ", " : " ");
      repeated += "r" + std::to_string(i * i % 23) + " ";
    }
    for (const std::string mask : {"", "MASK", "a mask that is longer than what is copied at once"}) {
      expect_texts(different, false, 500, mask);
      expect_texts(different, false, 70, mask);  // the others stay
      expect_texts(repeated, false, 500, mask);
      expect_texts(repeated, true, 500, mask);
    }
  }
}

// Groups whose words follow one another begin at any bit, also so that they reach over the end of 64.
TEST(TextWriter, WritesGroupsThatBeginAnywhere) {
  for (std::size_t again = 0; again < 9; ++again) {
    std::string text;
    for (std::size_t i = 0; i < again; ++i) text += "w0 ";
    for (std::size_t i = 0; i < 140; ++i) text += "w" + std::to_string(i) + " ";
    expect_texts(text, false, 500, "");
  }
}

TEST(TextWriter, WritesWordsOfAnyLength) {
  std::string text;
  for (std::size_t length = 1; length < 90; ++length) text += std::string(length, 'x') + std::string(length % 40, ' ');
  for (const char* mask : {"", "?"}) {
    expect_texts(text, false, 500, mask);
    expect_texts(text.substr(0, 1000), true, 500, mask);
  }
}

// Both ways, below and above the length whose parts are written beforehand.
TEST(TextWriter, WritesLongTexts) {
  for (const std::size_t length : {TextWriter::longest_together - 100, TextWriter::longest_together + 1}) {
    std::string text;
    for (std::size_t i = 0; text.size() + 40 < length; ++i) text += "word" + std::to_string(i % 3001) + " ";
    text.resize(length - 32, '.');
    expect_texts(text, false, 500, "");
    expect_texts(text, true, 100000, "");
    expect_texts(text, false, 100000, "[gone]");
  }
}

}  // namespace
}  // namespace sightglass
