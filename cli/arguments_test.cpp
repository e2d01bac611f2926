#include "arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "sightglass/base/error.h"
#include "sightglass/methods/registry.h"
#include "sightglass/model/load.h"
#include "sightglass/model/no_model.h"
#include "sightglass/result/json.h"
#include "spelling.h"

namespace sightglass::cli {
namespace {

using ::testing::HasSubstr;

// What a command line of a catalogue's method gives as its options, as JSON.
std::string given(const std::string& method, const std::string& words) {
  CLI::App app("", method);
  DescribedOptions options;
  options.add_to(app, find_method(method).options);
  app.parse(words);
  return to_json(options.given());
}

std::string complaint(const std::string& method, const std::string& words) {
  try {
    (void)given(method, words);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.message();
  }
  return "none";
}

TEST(DescribedOptions, HoldOnlyWhatWasGiven) {
  EXPECT_EQ(given("ice", ""), "{}");
  EXPECT_EQ(given("ice", "--curves 7"), R"({"curves":7})");
}

TEST(DescribedOptions, AreListsWhereSeveralAreMeant) {
  EXPECT_EQ(given("partial-dependence", "--features temp,hour"), R"({"features":["temp","hour"]})");
  EXPECT_EQ(given("partial-dependence", "--features temp --features hour"), R"({"features":["temp","hour"]})");
}

TEST(DescribedOptions, QuotesKeepTheCommaOfAName) {
  EXPECT_EQ(given("partial-dependence", R"(--features '"price, net",hour')"), R"({"features":["price, net","hour"]})");
  EXPECT_EQ(given("partial-dependence", R"(--pairs 'price\, net:hour')"), R"({"pairs":["price, net:hour"]})");
}

TEST(DescribedOptions, AWholeNameNeedsNoQuotes) {
  CLI::App app;
  DescribedOptions options;
  options.add_to(app, find_method("partial-dependence").options);
  app.parse(R"(--features "hour,price, net" --pairs "price, net:hour")");
  const Schema schema({{.name = "hour"}, {.name = "price, net"}});
  Value given = options.given();
  options.keep_names_whole(given, schema);
  EXPECT_EQ(to_json(given), R"({"features":["hour","price, net"],"pairs":["price, net:hour"]})");
  CLI::App second;
  DescribedOptions wrong;
  wrong.add_to(second, find_method("partial-dependence").options);
  second.parse("--features price");
  given = wrong.given();
  try {
    wrong.keep_names_whole(given, schema);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.advice(), HasSubstr(R"('"price, net"')"));
  }
}

TEST(DescribedOptions, KeepTheCommasOfAGroup) {
  EXPECT_EQ(given("permutation-importance", "--groups weather=temp,humidity --groups time=hour,month"),
            R"({"groups":["weather=temp,humidity","time=hour,month"]})");
}

TEST(DescribedOptions, CanBeTurnedOnAndOff) {
  EXPECT_EQ(given("ice", "--derivative"), R"({"derivative":true})");
  EXPECT_EQ(given("partial-dependence", "--spread=false"), R"({"spread":false})");
}

TEST(DescribedOptions, NameTheFlagWhereANumberIsNone) {
  EXPECT_THAT(complaint("ice", "--curves many"), HasSubstr("--curves: many is not a whole number"));
  EXPECT_THAT(complaint("ice", "--curves 1.5"), HasSubstr("--curves: 1.5 is not a whole number"));
}

TEST(DescribedOptions, AreUnderstoodUnderFormerNames) {
  EXPECT_EQ(given("interactions", "--budget 7"), R"({"predictions":7})");
}

TEST(Spelling, MakesFlagsOfOptions) {
  EXPECT_EQ(flag_name({.name = "pair_grid"}), "--pair-grid");
  EXPECT_EQ(with_flags(marked("{Option:pair_grid}: leave out {option:sample}, or use {method:m-plot}")),
            "--pair-grid: leave out --sample, or use m-plot");
  EXPECT_EQ(with_flags(marked("choose one with {option:output}")), "choose one with --class");
  EXPECT_EQ(with_flags(Text("{option:sample} of a file")), "{option:sample} of a file");
}

TEST(ShortName, IsTheFilesNameOrWhatRuns) {
  EXPECT_EQ(shown_model("/some/where/model.json"), "model.json");
  EXPECT_EQ(shown_model("exec:TOKEN=x /usr/bin/python model.py"), "exec:python");
}

std::string format_of(const std::string& words, const std::string& formats = "table, json, csv, vega, html, svg, png") {
  CLI::App app;
  OutputArguments output;
  output.add_to(app, formats);
  app.parse(words);
  return output.resolve("for a terminal", "for a pipe");
}

TEST(OutputFormat, IsWhatWasAskedForBeforeWhatTheEndingSays) {
  EXPECT_EQ(format_of("-o out.json -f csv"), "csv");
  EXPECT_EQ(format_of("-o out.json"), "json");
}

TEST(OutputFormat, FollowsTheEnding) {
  EXPECT_EQ(format_of("-o a.vl.json"), "vega");
  EXPECT_EQ(format_of("-o a.vega.json"), "vega");
  EXPECT_EQ(format_of("-o a.htm"), "html");
  EXPECT_EQ(format_of("-o a.html"), "html");
  EXPECT_EQ(format_of("-o a.svg"), "svg");
  EXPECT_EQ(format_of("-o a.txt"), "table");
}

TEST(OutputFormat, NeedsAnEndingThatSaysSomething) {
  try {
    (void)format_of("-o folder/picture.gif", "json, csv");
    FAIL() << "a format was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.message(), HasSubstr("folder/picture.gif says no format"));
    EXPECT_EQ(error.advice(), "add --format, one of json, csv");
  }
}

TEST(DescribedOptions, OfOneTypeHaveFlagsOfTheirOwn) {
  CLI::App app;
  DescribedOptions options;
  options.add_to(app, {{.name = "output", .flag = "class", .type = OptionType::output},
                       {.name = "other_output", .type = OptionType::output}});
  app.parse("--class cat --other-output dog", false);
  EXPECT_EQ(options.given().find("output")->as_string(), "cat");
  EXPECT_EQ(options.given().find("other_output")->as_string(), "dog");
}

TEST(ModelArguments, MayBeLeftOutWhereNoneIsNeeded) {
  ModelArguments model{.need = Need::none};
  EXPECT_TRUE(is_no_model(*model.load()));
  model.rounds = 3;
  EXPECT_THROW((void)model.load(), Error);
  EXPECT_FALSE(ModelArguments{}.left_out());
}

TEST(ModelArguments, AreCheckedBeforeAnythingIsRead) {
  ModelArguments model{.locations = {"/nowhere/model.json"}, .rounds = -1};
  EXPECT_THROW((void)model.load(), Error);
  model.rounds = 0;
  model.timeout = 0;
  try {
    (void)model.load();
    FAIL() << "a model was loaded";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("--timeout"));
  }
}

}  // namespace
}  // namespace sightglass::cli
