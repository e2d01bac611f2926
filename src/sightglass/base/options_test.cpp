#include "sightglass/base/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sightglass {
namespace {

using ::testing::HasSubstr;

struct SomeOptions {
  std::int64_t bins = 40;
  double gain = 0.1;
  std::vector<double> noise;
  std::string rule = "quantiles";
  std::int64_t predictions = 1000;
  std::vector<std::string> features;

  static void fields(auto&& field) {
    field("bins", &SomeOptions::bins,
          {.help = "bins with {option:rule} quantiles", .type = OptionType::count, .range = between(1, 10, "bins")});
    field("gain", &SomeOptions::gain,
          {.help = "", .type = OptionType::share, .range = {.least = 0, .most = 1, .above = true, .unit = {}}});
    field("noise", &SomeOptions::noise, {.help = "", .range = above(0)});
    field("rule", &SomeOptions::rule, {"", {"quantiles", "uniform"}});
    field("predictions", &SomeOptions::predictions,
          {.help = "", .type = OptionType::predictions, .aliases = {"budget"}});
    field("features", &SomeOptions::features, {.help = "", .type = OptionType::features});
  }
};

std::string message_of(const Value& given) {
  try {
    (void)read_options<SomeOptions>(given);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Options, SayWhatTheyMean) {
  const auto specs = describe_options<SomeOptions>();
  ASSERT_EQ(specs.size(), 6U);
  EXPECT_EQ(specs[0].type, OptionType::count);
  EXPECT_EQ(specs[0].value, ValueType::integer);
  EXPECT_EQ(specs[0].help.plain(), "bins with rule quantiles");
  EXPECT_EQ(specs[2].type, OptionType::numbers);
  EXPECT_TRUE(specs[2].many);
  EXPECT_EQ(specs[3].type, OptionType::choice);
  EXPECT_EQ(specs[5].type, OptionType::features);
}

TEST(Options, AreCheckedByTheirDescription) {
  EXPECT_EQ(message_of(Value::object({{"bins", 0}})), "option bins: between 1 and 10 bins, please");
  EXPECT_EQ(message_of(Value::object({{"bins", 10}})), "");
  EXPECT_EQ(message_of(Value::object({{"gain", 0.0}})), "option gain: above 0 and up to 1, please");
  EXPECT_EQ(message_of(Value::object({{"noise", Value(std::vector<double>{std::numeric_limits<double>::infinity()})}})),
            "option noise: each must be a number above 0");
  EXPECT_EQ(message_of(Value::object({{"gain", std::nan("")}})), "option gain: above 0 and up to 1, please");
  EXPECT_EQ(message_of(Value::object({{"noise", Value(std::vector<double>{1, -1})}})),
            "option noise: each must be a number above 0");
  EXPECT_EQ(message_of(Value::object({{"rule", "odd"}})), "option rule cannot be odd; it is one of quantiles, uniform");
  EXPECT_EQ(message_of(Value::object({{"predictions", -1}})), "option predictions: 0 or more, please");
  EXPECT_THAT(message_of(Value::object({{"bins", "many"}})), HasSubstr("option bins: "));
  EXPECT_THAT(message_of(Value::object({{"bin", 1}})), HasSubstr("did you mean bins?"));
}

TEST(Options, HaveFormerNames) {
  EXPECT_EQ(read_options<SomeOptions>(Value::object({{"budget", 7}})).predictions, 7);
  EXPECT_THAT(message_of(Value::object({{"budget", 7}, {"predictions", 8}})), HasSubstr("given twice"));
}

}  // namespace
}  // namespace sightglass
