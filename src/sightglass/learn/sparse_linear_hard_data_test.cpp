#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "sightglass/learn/sparse_linear.h"
#include "sightglass/result/json.h"
#include "support/linear_test_data.h"

namespace sightglass {
namespace {

using testing::bell;
using testing::coefficients_of;
using testing::data_of;
using testing::error_of;
using testing::learn;
using testing::levels;
using testing::none;
using testing::number;
using testing::uniform;
using testing::warns;

TEST(SparseLinear, HardData) {
  const auto constant = learn(data_of({number("x", {1, 2, 3})}, {5, 5, 5}));
  EXPECT_TRUE(warns(constant, "constant-outcome"));
  EXPECT_NEAR(coefficients_of(constant)[""], 5, 1e-12);
  EXPECT_EQ(constant.size, 0U);

  const auto nothing = learn(data_of({number("x", {1, 1, 1}), number("z", {none, none, none})}, {5, 6, 7}));
  EXPECT_TRUE(warns(nothing, "constant-features"));
  EXPECT_NEAR(coefficients_of(nothing)[""], 6, 1e-12);

  // Three rows, with each way to choose.
  const TrainingData three = data_of({number("x", {1, 2, 4}), number("z", {0, 1, 0})}, {1, 2, 3});
  for (const Value& options : {Value::object(), Value::object({{"penalty", 0}}), Value::object({{"terms", 2}}),
                               Value::object({{"penalty", 0.1}})}) {
    const Learned learned = learn(three, options);
    EXPECT_TRUE(std::isfinite(coefficients_of(learned)[""]));
  }
  EXPECT_TRUE(warns(learn(three, Value::object({{"penalty", 0}})), "saturated"));

  // Twice the same column.
  std::vector<double> x, y;
  for (std::size_t r = 0; r < 60; ++r) {
    x.push_back(bell(31, r));
    y.push_back(2 * x.back() + bell(32, r));
  }
  const TrainingData twice = data_of({number("x", x), number("again", x)}, y);
  const auto plain = learn(twice, Value::object({{"penalty", 0}}));
  EXPECT_TRUE(warns(plain, "terms-left-out"));
  EXPECT_EQ(plain.size, 1U);
  EXPECT_TRUE(warns(learn(twice, Value::object({{"penalty", 0.1}, {"l1_ratio", 0.5}})), "collinear-terms"));

  // More features than rows.
  std::vector<TrainingFeature> many;
  for (std::size_t f = 0; f < 100; ++f) {
    std::vector<double> values(20);
    for (std::size_t r = 0; r < 20; ++r) values[r] = bell(40 + f, r);
    many.push_back(number("x" + std::to_string(f), values));
  }
  const TrainingData wide = data_of(many, std::vector<double>(y.begin(), y.begin() + 20));
  EXPECT_LE(learn(wide).size, 20U);
  EXPECT_TRUE(warns(learn(wide, Value::object({{"penalty", 0}})), "saturated"));

  // A level that is there once, and very large and very small numbers.
  std::vector<double> code(60, 0.0), large = x, small = x;
  code[7] = 1;
  for (double& v : large) v *= 1e200;
  for (double& v : small) v *= 1e-200;
  const auto odd = learn(data_of({levels("f", {"a", "b"}, code), number("large", large), number("small", small)}, y));
  for (const auto& [name, value] : coefficients_of(odd)) EXPECT_TRUE(std::isfinite(value)) << name;
}

TEST(SparseLinear, SeparableClassesStayFinite) {
  std::vector<double> x, z, y;
  for (int r = 0; r < 40; ++r) {
    x.push_back(r);
    z.push_back(r % 5);
    y.push_back(r < 20 ? 0 : 1);
  }
  const TrainingData data = data_of({number("x", x), number("z", z)}, y, {"no", "yes"});
  for (const Value& options : {Value::object(), Value::object({{"penalty", 0}}), Value::object({{"terms", 1}})}) {
    const Learned learned = learn(data, options);
    for (const auto& [name, value] : coefficients_of(learned)) EXPECT_TRUE(std::isfinite(value)) << name;
    EXPECT_GT(coefficients_of(learned)["x"], 0);
  }
  EXPECT_TRUE(warns(learn(data, Value::object({{"penalty", 0}})), "separable"));
}

TEST(SparseLinear, VeryManyLevels) {
  const std::size_t rows = 20'000, count = 10'000;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  std::vector<double> code(rows), x(rows), y(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    code[r] = static_cast<double>(r % count);
    x[r] = bell(51, r);
    y[r] = 3 * x[r] + (code[r] == 17 ? 40 : 0) + bell(52, r);
  }
  const TrainingData data = data_of({levels("who", names, code), number("x", x)}, y);
  auto found = coefficients_of(learn(data, Value::object({{"path_ratio", 0.1}, {"path_length", 10}, {"folds", 2}})));
  EXPECT_GT(found["x"], 2);
  EXPECT_TRUE(error_of(data, Value::object({{"penalty", 0}})).starts_with("usage: option penalty: a model without"));
  EXPECT_TRUE(warns(learn(data, Value::object({{"categories", "grouped"}, {"terms", 1}})), "path-cut"));
  EXPECT_EQ(found.size(), 2U + (found.contains("who = 17") ? 1 : 0));
}

// As many levels as rows: no product of columns fits anywhere.
TEST(SparseLinear, AsManyLevelsAsRows) {
  const std::size_t rows = 100'000;
  std::vector<std::string> names;
  std::vector<double> code(rows), x(rows), y(rows), two(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    names.push_back(std::to_string(r));
    code[r] = static_cast<double>(r);
    x[r] = bell(61, r);
    y[r] = 3 * x[r] + bell(62, r);
    two[r] = uniform(63, r) < 1 / (1 + std::exp(-x[r])) ? 1 : 0;
  }
  const Value options = Value::object({{"path_length", 30}, {"folds", 2}, {"choose", "min"}});
  const Learned learned = learn(data_of({levels("who", names, code), number("x", x)}, y), options);
  EXPECT_TRUE(warns(learned, "path-cut"));
  EXPECT_NEAR(coefficients_of(learned)["x"], 3, 0.1);
  const Learned classes = learn(data_of({levels("who", names, code), number("x", x)}, two, {"no", "yes"}), options);
  EXPECT_NEAR(coefficients_of(classes)["x"], 1, 0.2);
}

TEST(SparseLinear, HardDataWithSoManyTerms) {
  std::vector<double> x, again, gone(60, none), y, two;
  std::vector<TrainingFeature> wide;
  for (std::size_t r = 0; r < 60; ++r) {
    x.push_back(bell(81, r));
    again.push_back(2 * x.back());
    y.push_back(x.back() + 0.1 * bell(82, r));
    two.push_back(x.back() > 0 ? 1 : 0);
  }
  for (std::size_t f = 0; f < 50; ++f) {
    std::vector<double> values(20);
    for (std::size_t r = 0; r < 20; ++r) values[r] = bell(90 + f, r);
    wide.push_back(number("x" + std::to_string(f), values));
  }
  // More terms than there are columns; one that says the same twice; one without values.
  const TrainingData twice = data_of({number("x", x), number("again", again), number("gone", gone)}, y);
  const Learned all = learn(twice, Value::object({{"terms", 7}}));
  EXPECT_EQ(all.size, 1U);
  EXPECT_NEAR(coefficients_of(all)["x"] + 2 * coefficients_of(all)["again"], 1, 0.05);
  EXPECT_FALSE(coefficients_of(all).contains("gone"));
  // More columns than rows: exactly so many of them.
  const TrainingData few = data_of(wide, std::vector<double>(y.begin(), y.begin() + 20));
  EXPECT_EQ(learn(few, Value::object({{"terms", 3}})).size, 3U);
  // Classes that one term tells apart.
  const Learned apart = learn(data_of({number("x", x)}, two, {"no", "yes"}), Value::object({{"terms", 1}}));
  EXPECT_TRUE(warns(apart, "separable"));
  EXPECT_GT(coefficients_of(apart)["x"], 0);
  // Rows without weight might as well not be there.
  std::vector<double> weights(60, 1.0);
  TrainingData less = data_of({number("x", x)}, y);
  std::vector<double> wrong = y;
  for (std::size_t r = 40; r < 60; ++r) {
    weights[r] = 0;
    wrong[r] = 1e3;
  }
  for (const Value& options :
       {Value::object({{"terms", 1}}), Value::object({{"penalty", 0}}), Value::object({{"penalty", 0.1}})}) {
    less.features[0].values.resize(40);
    less.outcome.resize(40);
    less.rows = 40;
    auto with = coefficients_of(learn(data_of({number("x", x)}, wrong, {}, weights), options));
    auto without = coefficients_of(learn(less, options));
    EXPECT_NEAR(with["x"], without["x"], 1e-9) << to_json(options);
    EXPECT_NEAR(with[""], without[""], 1e-9) << to_json(options);
  }
}

TEST(SparseLinear, RefusesWhatMakesNoSense) {
  const TrainingData data = data_of({number("x", {1, 2, 3, 4})}, {-1, 0, 2, 5});
  EXPECT_EQ(error_of(data, Value::object({{"terms", 1}, {"penalty", 1}})),
            "usage: option terms and penalty exclude each other");
  EXPECT_EQ(error_of(data, Value::object({{"family", "poisson"}})),
            "usage: option family: poisson is for counts, and there are outcomes below 0");
  EXPECT_EQ(error_of(data, Value::object({{"family", "gamma"}})),
            "usage: option family: gamma is for numbers above 0, and there are others");
  EXPECT_EQ(error_of(data, Value::object({{"family", "binomial"}})),
            "usage: option family: binomial is for two classes, or numbers that are 0 or 1");
  EXPECT_EQ(error_of(data_of({number("x", {1, 2})}, {0, 1}, {"a", "b"}), Value::object({{"family", "poisson"}})),
            "usage: option family: poisson is for numbers, and the outcome has classes");
  EXPECT_TRUE(error_of(data, Value::object({{"l1_ratio", 2}})).starts_with("usage"));
  EXPECT_TRUE(error_of(data, Value::object({{"penalty", -1}})).starts_with("usage"));
  EXPECT_TRUE(error_of(data, Value::object({{"folds", 1}})).starts_with("usage"));
}

// Each of two levels says what the other says, and rounding may give one of them a little: that is no term.
TEST(SparseLinear, RoundingIsNoTerm) {
  const Context context(1);
  for (std::size_t seed = 1; seed <= 20; ++seed) {
    TrainingData data;
    data.rows = 300;
    for (const char* name : {"c", "d", "e", "f"}) {
      TrainingFeature& feature = data.features.emplace_back();
      feature.info = {.name = name, .categorical = true, .levels = {"no", "yes"}};
      const std::size_t by = 2 + data.features.size();
      for (std::size_t row = 0; row < data.rows; ++row)
        feature.values.push_back(static_cast<double>((row * seed / by + row) % by % 2));
    }
    for (std::size_t row = 0; row < data.rows; ++row) {
      double sum = std::cos(static_cast<double>(seed * row));
      for (const TrainingFeature& feature : data.features) sum = 2 * sum + feature.values[row];
      data.outcome.push_back(sum);
    }
    const Learned learned = sparse_linear().fit(data, Value::object({{"penalty", 0.3}}), context);
    double largest = 0, smallest = 1e9;
    for (const Term& term : std::get<TermStructure>(learned.structure).terms) {
      const double size = std::abs(term.weights[0]) * term.moments->sd;
      largest = std::max(largest, size);
      smallest = std::min(smallest, size);
    }
    EXPECT_GT(smallest, 0.9e-8 * largest) << seed;
    EXPECT_EQ(learned.size, std::get<TermStructure>(learned.structure).terms.size());
  }
}

}  // namespace
}  // namespace sightglass
