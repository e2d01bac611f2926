#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/base/error.h"
#include "sightglass/data/scan/json_bounds_internal.h"
#include "sightglass/data/scan/scan.h"
#include "support/temporary_folder.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;

// What the scan says about a text, however it is cut into pieces; "" if nothing.
std::string complaint(const std::string& text, JsonText kind, JsonBounds bounds) {
  std::string first;
  for (const std::size_t piece : {text.size() + 1, std::size_t{1}, std::size_t{7}}) {
    std::string said;
    try {
      JsonScan scan(bounds, kind, "f");
      for (std::size_t at = 0; at < text.size(); at += piece) scan.feed(std::string_view(text).substr(at, piece));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      said = error.what();
    }
    if (piece > text.size()) first = said;
    EXPECT_EQ(said, first) << "in pieces of " << piece;
  }
  return first;
}

std::string lines(const std::string& text, JsonBounds bounds) { return complaint(text, JsonText::lines, bounds); }
std::string array(const std::string& text, JsonBounds bounds) { return complaint(text, JsonText::array, bounds); }

TEST(JsonBounds, Depth) {
  EXPECT_EQ(lines("{\"a\":[[1]]}\n{\"a\":[[2]]}\n", {.depth = 3}), "");
  EXPECT_THAT(lines("{\"a\":1}\n{\"a\":[[2]]}\n", {.depth = 2}), HasSubstr("f, line 2: values are nested more than 2"));
  EXPECT_EQ(array("[{\"a\":[1]},\n {\"a\":[1]}]", {.depth = 3}), "");
  EXPECT_THAT(array("[{\"a\":1},\n {\"a\":[[1]]}]", {.depth = 3}), HasSubstr("f, line 2, byte 17: "));
  EXPECT_EQ(lines("{\"a\":\"[[[[\\\"[[[[\\\\\"}\n", {.depth = 1}), "") << "brackets in texts are no nesting";
  EXPECT_NE(lines("{\"a\":\"\\\\\",\"b\":[1]}\n", {.depth = 1}), "") << "an escaped \\ does not escape the quote";
  EXPECT_NE(lines("{\"a\":\"\n[[[[\n", {.depth = 3}), "") << "a text that never ends hides no other line";
  EXPECT_EQ(lines("{{{\n{{{\n", {.depth = 3}), "") << "each line stands alone";
  EXPECT_EQ(lines("}}]]}\n", {.depth = 1}), "") << "what is no JSON is left to the reader";
}

TEST(JsonBounds, Keys) {
  EXPECT_EQ(lines("{\"a\":1,\"b\":\"c\"}\n{\"b\":2,\"a\":3}\n", {.keys = 2}), "");
  EXPECT_THAT(lines("{\"a\":1}\n{\"b\":2}\n{\"c d\":3}\n", {.keys = 2}),
              HasSubstr("f, line 3: key c d is one too many"));
  EXPECT_EQ(lines("{\"a\":{\"b\":1}}\n{\"a\":{\"b\":2}}\n", {.keys = 2}), "");
  EXPECT_NE(lines("{\"a\":{\"b\":1}}\n{\"b\":1}\n", {.keys = 2}), "") << "b inside a is another column than b";
  EXPECT_EQ(array("[{\"a\":[{\"b\":1},{\"b\":2}]},{\"a\":[{\"b\":3}]}]", {.keys = 2}), "");
  EXPECT_NE(lines("{\"a\\\"x\":1,\"a\\\"y\":2}\n", {.keys = 1}), "");
}

TEST(JsonBounds, TablesOfHoles) {
  std::string text, dense;
  for (int i = 0; i < 100; ++i) text += "{\"k" + std::to_string(i) + "\":1}\n";
  EXPECT_THAT(lines(text, {.cells = 1000, .cells_per_byte = 2}),
              HasSubstr("line 32: 32 rows have 32 different keys, the last one k31"));
  EXPECT_EQ(lines(text, {.cells = 10000, .cells_per_byte = 2}), "");
  for (int i = 0; i < 100; ++i) dense += "{\"a\":1,\"b\":2,\"c\":3}\n";
  EXPECT_EQ(lines(dense, {.cells = 10, .cells_per_byte = 2}), "");
}

// DuckDB's reader would take these for a few rows, and end the process or fill the memory.
TEST(JsonBounds, FilesThatWouldEndTheProcess) {
  const TemporaryFolder folder;
  const auto problem = [&](const std::string& name, const std::string& content) -> std::string {
    try {
      (void)scan({.path = folder.write(name, content)});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      return error.what();
    }
    return "";
  };
  const std::string deep = std::string(60'000, '[') + std::string(60'000, ']');
  std::string objects, keys;
  for (int i = 0; i < 60'000; ++i) objects += "{\"a\":";
  for (int i = 0; i < 30'000; ++i) keys += "{\"k" + std::to_string(i) + "\":1}\n";
  EXPECT_THAT(problem("a.jsonl", "{\"x\":1}\n{\"x\":" + deep + "}\n"), HasSubstr("a.jsonl, line 2: values are nested"));
  EXPECT_THAT(problem("b.jsonl", objects + "1" + std::string(60'000, '}') + "\n"), HasSubstr("nested more than 128"));
  EXPECT_THAT(problem("c.json", "[{\"x\":1},\n{\"x\":" + deep + "}]"), HasSubstr("line 2, byte 141"));
  EXPECT_THAT(problem("d.json", deep), HasSubstr("nested"));
  EXPECT_THAT(problem("e.jsonl", keys), HasSubstr("different keys, the last one k57"));
}

}  // namespace
}  // namespace sightglass
