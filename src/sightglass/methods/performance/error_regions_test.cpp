#include "sightglass/methods/performance/error_regions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sightglass/methods/run/session.h"
#include "sightglass/result/shapes/rules.h"
#include "support/function_model.h"
#include "support/law_cases.h"

namespace sightglass {
namespace {

using testing::FunctionModel;

const testing::LawCase laws("error-regions",
                            {.options = Value::object({{"min_leaf_rows", 15}}), .about_features = false});

bool has_caveat(const Result& result, const std::string& id) {
  return std::any_of(result.caveats.begin(), result.caveats.end(),
                     [&](const Caveat& caveat) { return caveat.id == id; });
}

// The truth is x but for noise, which is large where x > 0.8 and z > 0.5, or nowhere.
Table noisy(std::uint64_t seed, std::size_t rows, double large) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  std::vector<double> x, z, y;
  for (std::size_t i = 0; i < rows; ++i) {
    x.push_back(uniform(random));
    z.push_back(uniform(random));
    y.push_back(x.back() + normal(random) * (x.back() > 0.6 && z.back() > 0.5 ? large : 1));
  }
  return Table(Schema({{.name = "x"}, {.name = "z"}, {.name = "y"}}), {column_of(x), column_of(z), column_of(y)});
}

Result found(const Table& table, Value options = Value::object()) {
  const FunctionModel model({"x", "z"}, [](const auto& x) { return std::vector<double>{x[0]}; });
  Context context(1);
  return run("error-regions", model, table, options.set("target", "y"), context);
}

TEST(ErrorRegions, FindsWhereErrorsAreLarge) {
  const Result result = found(noisy(1, 4000, 10));
  const auto& rules = result.results.at(0).get<Rules>();
  const Rule& worst = rules.rules.at(0);
  ASSERT_EQ(worst.conditions.size(), 2U);
  for (const ShownCondition& condition : worst.conditions) {
    EXPECT_NEAR(condition.above.value(), condition.feature == "x" ? 0.6 : 0.5, 0.03);
    EXPECT_FALSE(condition.at_most.has_value());
  }
  EXPECT_NEAR(worst.support, 0.2, 0.02);
  // The mean of |10 z| is 10 √(2/π).
  EXPECT_NEAR(worst.effect.value(), 7.98, 0.8);
  EXPECT_NEAR(worst.importance.value(), 0.2 * 7.98 / (0.2 * 7.98 + 0.8 * 0.798), 0.05);
  double support = 0, mean = 0;
  for (const Rule& rule : rules.rules) {
    support += rule.support;
    mean += rule.support * *rule.effect;
  }
  EXPECT_NEAR(support, 1, 1e-12);
  EXPECT_NEAR(mean, rules.details.find("mean")->as_number(), 1e-9);
  EXPECT_EQ(result.results.size(), 1U);
  const auto& errors = rules.details.find("se")->as_array();
  ASSERT_EQ(errors.size(), rules.rules.size());
  // Of about 400 values with a spread of 10 √(1 − 2/π).
  EXPECT_NEAR(errors[0].as_number(), 6.03 / std::sqrt(2000 * worst.support), 0.05);
}

// Numbers are of rows that had no say in where the regions are.
TEST(ErrorRegions, FindsNoneWhereThereAreNone) {
  int none = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Result result = found(noisy(seed, 600, 1));
    none += has_caveat(result, "no-error-region") ? 1 : 0;
  }
  EXPECT_GE(none, 15);
}

TEST(ErrorRegions, OfFewRowsSaysSo) {
  const Result result = found(noisy(1, 30, 10));
  EXPECT_TRUE(has_caveat(result, "too-few-rows"));
  EXPECT_EQ(result.results.at(0).get<Rules>().rules.size(), 1U);
}

}  // namespace
}  // namespace sightglass
