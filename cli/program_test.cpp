#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace sightglass::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Outcome {
  int exit_code = 0;
  std::string out, complaints;
};

Outcome run(std::vector<std::string> words) {
  words.insert(words.begin(), "sightglass");
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.exit_code = run_program(static_cast<int>(argv.size()), argv.data());
  outcome.out = ::testing::internal::GetCapturedStdout();
  outcome.complaints = ::testing::internal::GetCapturedStderr();
  return outcome;
}

TEST(Program, SaysItsVersion) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, StartsWith("sightglass "));
}

TEST(Program, NamesTheNearestCommand) {
  const Outcome outcome = run({"repot"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.complaints, "sightglass: there is no command repot; did you mean report?\n");
  EXPECT_THAT(run({"qqqqqqqqqqqq"}).complaints, HasSubstr("see sightglass --help"));
}

TEST(Program, NamesTheNearestOptionOfTheCommand) {
  // Also where a required option is missing, which the parser would mention instead.
  EXPECT_EQ(run({"ice", "--curvse", "3"}).complaints,
            "sightglass: there is no option --curvse; did you mean --curves?\n");
  // Of this command, not of another.
  EXPECT_THAT(run({"inspect", "--curves", "3"}).complaints, StartsWith("sightglass: there is no option --curves"));
}

// What leads to texts or pictures is an option of the command itself; what is told besides belongs to the other one.
TEST(Program, NamesTheCommandForTextsOrPictures) {
  for (const char* option : {"--text-column", "--image-column", "--image"}) {
    EXPECT_EQ(run({"lime", option, "a"}).complaints, "sightglass: --model is required; see sightglass lime --help\n")
        << option;
  }
  EXPECT_EQ(run({"lime", "--text-column", "review", "--mask", "x"}).complaints,
            "sightglass: there is no option --mask; sightglass lime-text has --mask\n");
  EXPECT_EQ(run({"anchors", "--text-column=review", "--mask=x"}).complaints,
            "sightglass: there is no option --mask; sightglass anchors-text has --mask\n");
}

TEST(Program, WhatFollowsTwoDashesIsNoOption) {
  EXPECT_THAT(run({"ice", "--", "--curvse"}).complaints, Not(HasSubstr("there is no option")));
}

TEST(Program, SaysWhichCommandsHelpToRead) {
  const Outcome outcome = run({"ice"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.complaints, AllOf(HasSubstr("--model"), HasSubstr("see sightglass ice --help")));
}

TEST(Program, ComplainsInOneLineAndLeavesNoFile) {
  const TemporaryFolder folder;
  const std::string model = folder.write("model.json", "{}");
  const std::string data = folder.write("data.csv", "a,b\n1,2\n");
  const Outcome outcome = run({"ice", "--model", model, "--data", data, "-o", folder.path("out.json")});
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_EQ(std::count(outcome.complaints.begin(), outcome.complaints.end(), '\n'), 1) << outcome.complaints;
  EXPECT_THAT(outcome.complaints, StartsWith("sightglass: "));
  EXPECT_EQ(folder.files(), 2U);
}

}  // namespace
}  // namespace sightglass::cli
