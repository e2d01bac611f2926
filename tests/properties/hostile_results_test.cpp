// Saved results come from anywhere: whatever of one is replaced, reading and drawing it ends with pictures or with an
// error that says what is wrong, never with anything else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <random>

#include "sightglass/base/error.h"
#include "sightglass/render/csv/csv_renderer.h"
#include "sightglass/render/html/html_renderer.h"
#include "sightglass/render/text/text_renderer.h"
#include "support/golden_results.h"

namespace sightglass {
namespace {

struct Part {
  std::size_t begin, end;
};

// Where the strings, numbers and words of a JSON text stand; names of fields too.
std::vector<Part> scalars(const std::string& json) {
  std::vector<Part> parts;
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t begin = at;
    if (json[at] == '"') {
      for (++at; at < json.size() && json[at] != '"'; ++at) at += json[at] == '\\' ? 1 : 0;
      ++at;
    } else {
      while (at < json.size() && (std::isalnum(static_cast<unsigned char>(json[at])) != 0 || json[at] == '-' ||
                                  json[at] == '+' || json[at] == '.')) {
        ++at;
      }
    }
    if (at > begin) {
      parts.push_back({begin, std::min(at, json.size())});
    } else {
      ++at;
    }
  }
  return parts;
}

// Up to three scalars are others than they were, or gone from their list.
std::string damaged(std::string json, std::mt19937_64& random) {
  static const std::vector<std::string> odd = {"null", "-1",     "0",  "1e308", "-1e-320",      "18446744073709551615",
                                               "true", "\"\"",   "[]", "{}",    "[[]]",         "\"\\u0000\"",
                                               "2.5",  "[null]", "1",  "1e15",  "\"__proto__\""};
  for (std::size_t count = 1 + random() % 3; count > 0; --count) {
    const std::vector<Part> parts = scalars(json);
    const Part part = parts[random() % parts.size()];
    const Part other = parts[random() % parts.size()];
    const std::size_t kind = random() % 4;
    if (kind == 0 && part.end < json.size() && json[part.end] == ',') {
      json.erase(part.begin, part.end + 1 - part.begin);
    } else if (kind == 1) {
      json.replace(part.begin, part.end - part.begin, json.substr(other.begin, other.end - other.begin));
    } else {
      json.replace(part.begin, part.end - part.begin, odd[random() % odd.size()]);
    }
  }
  return json;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Whether it was understood.
bool read_and_draw(const std::string& json) {
  try {
    const Result result = result_from_json(json, "damaged");
    EXPECT_FALSE(to_json(result).empty());
    EXPECT_FALSE(render_text(result).empty());
    EXPECT_FALSE(render_csv(result).empty());
    EXPECT_FALSE(render_html({result}).empty());
    return true;
  } catch (const Error& error) {
    EXPECT_FALSE(error.message().empty());
    return false;
  }
}

TEST(HostileResults, AreDrawnOrAnError) {
  constexpr int damages = 20;
  std::size_t understood = 0, refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(testing::golden_results)) {
    const std::string json = text_of(entry.path());
    if (json.size() > 60'000) continue;  // larger ones are hostile as they are
    SCOPED_TRACE(entry.path().filename());
    std::mt19937_64 random(json.size());
    EXPECT_TRUE(read_and_draw(json));
    for (int trial = 0; trial < damages; ++trial) (read_and_draw(damaged(json, random)) ? understood : refused) += 1;
  }
  // Neither is so rare that nothing was tried.
  EXPECT_GT(understood, 20);
  EXPECT_GT(refused, 20);
}

TEST(HostileResults, AreErrorsWhereTheyEndEarly) {
  const std::string json = text_of(testing::golden_results + "/compare.json");
  for (std::size_t length = 0; length + 2 < json.size(); length += 97)
    EXPECT_FALSE(read_and_draw(json.substr(0, length)));
}

}  // namespace
}  // namespace sightglass
