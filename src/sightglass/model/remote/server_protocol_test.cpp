#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/model/remote/server_protocol_internal.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const JsonBlame blame_server{ErrorKind::prediction, "server", ""};

// The predictions that a list of rows holds, and their names.
ServerAnswer rows_in(const std::string& json, std::size_t rows, const std::vector<std::string>& wanted = {}) {
  ServerAnswer answer;
  read_json(json, blame_server, [&](const JsonValue& root) { read_rows(root, rows, wanted, answer); });
  return answer;
}

std::string problem_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ServerProtocol, RowsAreNumbersListsOrObjects) {
  EXPECT_THAT(rows_in("[1, 2.5, true]", 3).predictions, ElementsAre(1, 2.5, 1));
  EXPECT_THAT(rows_in("[[1], [2]]", 2).predictions, ElementsAre(1, 2));
  EXPECT_THAT(rows_in("[[[0.25, 0.75]], [[0.5, 0.5]]]", 2).predictions, ElementsAre(0.25, 0.75, 0.5, 0.5));
  const ServerAnswer named = rows_in(R"([{"b": 1, "a": 2}, {"a": 3, "b": 4}])", 2);
  EXPECT_THAT(named.names, ElementsAre("a", "b"));
  EXPECT_THAT(named.predictions, ElementsAre(2, 1, 3, 4));
  EXPECT_THAT(rows_in(R"([{"b": 1, "a": 2}])", 1, {"b"}).predictions, ElementsAre(1));
  EXPECT_THAT(rows_in(R"([{"p": [0.25, 0.75], "label": "x"}])", 1, {"p"}).predictions, ElementsAre(0.25, 0.75));
  const ServerAnswer gaps = rows_in("[null, NaN, -Infinity]", 3);
  EXPECT_TRUE(std::isnan(gaps.predictions[0]) && std::isnan(gaps.predictions[1]) && std::isinf(gaps.predictions[2]));
}

TEST(ServerProtocol, RowsThatAreWrongAreNamed) {
  const auto problem = [](const std::string& json, std::size_t rows, const std::vector<std::string>& wanted = {}) {
    return problem_of([&] { (void)rows_in(json, rows, wanted); });
  };
  EXPECT_THAT(problem("[1]", 2), HasSubstr("has 1 items for 2 rows"));
  EXPECT_THAT(problem("[1, 2, 3]", 2), HasSubstr("more items than the request has rows, 2"));
  EXPECT_THAT(problem("[[1, 2], [3]]", 2), HasSubstr("[1] has 1 numbers for a row where 2 were expected"));
  EXPECT_THAT(problem("[[]]", 1), HasSubstr("[0] has no number"));
  EXPECT_THAT(problem("[\"NaN\"]", 1), HasSubstr("[0] is not a number"));
  EXPECT_THAT(problem("5", 1), HasSubstr("should be a list"));
  EXPECT_THAT(problem(R"([{"a": 1, "b": 2}, {"a": 1}])", 2), HasSubstr("[1] lacks b"));
  EXPECT_THAT(problem(R"([{"a": 1, "a": 2}])", 1), HasSubstr("the key a twice"));
  EXPECT_THAT(problem(R"([{"p": [1, 2], "q": 1}])", 1), HasSubstr("several outputs, p, q"));
  EXPECT_THAT(problem(R"([{"p": 1}])", 1, {"q"}), HasSubstr("lacks q"));
}

TEST(ServerProtocol, CellsSayWhatTheyCan) {
  const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"rain", "1.5"});
  const Schema schema({{.name = "t"},
                       {.name = "n", .type = DType::int64},
                       {.name = "b", .type = DType::boolean},
                       {.name = "w", .type = DType::categorical, .dictionary = dictionary},
                       {.name = "d", .type = DType::int32, .dates = {DateUnit::days, DateDetail::day}},
                       {.name = "s", .dates = {DateUnit::seconds, DateDetail::second}}});
  const auto text = [&](std::uint32_t column, std::vector<double> values) {
    std::string out;
    cells_with_dates(schema, column).append_list(out, values);
    return out;
  };
  EXPECT_EQ(text(0, {1, 0.1, 0.1, NAN, 1e300, INFINITY}), "1.0,0.1,0.1,null,1e+300,\"Infinity\"");
  EXPECT_EQ(text(1, {3, 3, -4, 2.5}), "3,3,-4,2.5");
  EXPECT_EQ(text(2, {1, 0, 0.5}), "true,false,0.5");
  EXPECT_EQ(text(3, {0, 1, 7, -1}), "\"rain\",\"1.5\",null,null");
  EXPECT_EQ(text(4, {0, 18750, 18750.5}), "\"1970-01-01\",\"2021-05-03\",\"2021-05-03T12:00:00\"");
  EXPECT_EQ(text(5, {1620050405, 1620050400}), "\"2021-05-03T14:00:05\",\"2021-05-03T14:00:00\"");

  JsonCells whole = cells_of(schema, 1);
  whole.only_whole = true;
  std::string out;
  EXPECT_THAT(problem_of([&] { whole.append(out, 2.5); }), HasSubstr("whole numbers for n"));
  JsonCells levels = cells_of(schema, 3);
  EXPECT_THAT(problem_of([&] { levels_as_numbers(levels, schema, "FP32"); }), HasSubstr("holds text (rain)"));
}

TEST(ServerProtocol, ErrorsOfServersAreRead) {
  EXPECT_EQ(words_of_error(R"({"error": "no such model"})"), "no such model");
  EXPECT_EQ(words_of_error(R"({"error_code": "X", "message": "bad\ncolumn"})"), "bad column");
  EXPECT_EQ(words_of_error("<html>hello"), "");
  EXPECT_EQ(words_of_error("busy"), "busy");
  EXPECT_EQ(words_of_error(""), "");
}

}  // namespace
}  // namespace sightglass
