#include "sightglass/methods/local/lime/local_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

#include "sightglass/methods/local/lime/sample_moments.h"
#include "sightglass/methods/local/lime/submodular_pick.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/result/json.h"
#include "sightglass/result/shapes/terms.h"
#include "support/function_model.h"
#include "support/number_tables.h"

namespace sightglass {
namespace {

Value golden_lines() {
  std::ifstream file(SIGHTGLASS_SOURCE_DIR "/tests/golden/lime/lines.json");
  std::stringstream text;
  text << file.rdbuf();
  return value_from_json(text.str(), "lines.json");
}

// The package's own fit to the same samples: the same features are chosen, and coefficients are equal.
TEST(LocalFit, EqualsThePackageLime) {
  const Value golden = golden_lines();
  std::size_t compared = 0;
  for (const Value& given : golden.find("given")->as_array()) {
    const bool binary = given.find("binary")->as_bool();
    const auto& z = given.find("z")->as_array();
    const auto& y = given.find("y")->as_array();
    const std::size_t p = z[0].as_array().size();
    // The first sample is the row itself.
    Samples samples{.count = z.size() - 1};
    samples.cells.assign(p, std::vector<std::uint32_t>(samples.count, 0));
    samples.scaled.assign(p, std::vector<double>(samples.count, 0));
    std::vector<TiltedFeature> features(p);
    std::vector<double> own;
    for (std::size_t j = 0; j < p; ++j) {
      features[j].kind = binary ? TermKind::cell : TermKind::number;
      features[j].own_cell = 1;
      features[j].own = z[0].as_array()[j].as_number();
      own.push_back(features[j].own);
      for (std::size_t i = 0; i < samples.count; ++i) {
        const double value = z[i + 1].as_array()[j].as_number();
        samples.cells[j][i] = value == 1 ? 1 : 0;
        samples.scaled[j][i] = value;
      }
    }
    const double first = y[0].as_number();
    std::vector<double> answers;
    for (std::size_t i = 0; i < samples.count; ++i) answers.push_back(y[i + 1].as_number() - first);
    const SampleMoments moments(samples, features, {answers});
    const double decay = 0.5 / std::pow(given.find("width")->as_number(), 2);
    const LineMoments at_width = moments.moments(decay);
    for (const Value& expected : given.find("lines")->as_array()) {
      const std::string& select = expected.find("select")->as_string();
      const auto terms = static_cast<std::size_t>(expected.find("terms")->as_number());
      const FittedLine line =
          fit_line(at_width, 0, choose_terms(at_width, 0, term_choice(select, terms), terms, own, 0.01), 1);
      const auto& coefficients = expected.find("coefficients")->as_object();
      ASSERT_EQ(line.terms.size(), coefficients.size()) << select << " " << terms;
      double value = line.intercept + first;
      for (std::size_t i = 0; i < line.terms.size(); ++i) {
        const Value* coefficient = expected.find("coefficients")->find(std::to_string(line.terms[i]));
        ASSERT_NE(coefficient, nullptr) << select << " " << terms << " has no " << line.terms[i];
        EXPECT_NEAR(line.coefficients[i], coefficient->as_number(), 1e-9) << select << " " << terms;
        value += line.coefficients[i] * own[line.terms[i]];
      }
      EXPECT_NEAR(line.intercept + first, expected.find("intercept")->as_number(), 1e-9);
      EXPECT_NEAR(value, expected.find("line")->as_number(), 1e-9);
      EXPECT_NEAR(r_squared(at_width, 0, line), expected.find("r2")->as_number(), 1e-9);
      EXPECT_NEAR(moments.residuals(decay, 0, line).r2, expected.find("r2")->as_number(), 1e-9);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 30U);
}

// Bins, frequencies, cut-off normal distributions, kernel and scale: both agree within what samples leave open.
TEST(LocalFit, AgreesWithExplanationsOfThePackageLime) {
  const Value golden = golden_lines();
  const auto& rows = golden.find("drawn")->find("X")->as_array();
  std::vector<std::vector<double>> columns(4);
  for (const Value& row : rows) {
    for (std::size_t j = 0; j < 4; ++j) columns[j].push_back(row.as_array()[j].as_number());
  }
  const Table table = testing::numbers_table({"x0", "x1", "x2", "x3"}, columns);
  const testing::FunctionModel model({"x0", "x1", "x2", "x3"}, [](const std::vector<double>& x) {
    return std::vector<double>{std::sin(2 * x[0]) + x[1] * x[2] - 0.5 * x[2] + 0.3 * std::abs(x[3])};
  });
  for (const Value& expected : golden.find("drawn")->find("lines")->as_array()) {
    const std::string& bins = expected.find("bins")->as_string();
    Value options = Value::object({{"rows", std::vector<std::int64_t>{7}}, {"bins", bins}, {"samples", 200000}});
    options.set("repeats", 1);
    if (bins != "none") options.set("draw", "normal");
    options.set("around", expected.find("around")->as_string());
    Context context(2);
    const Result result = run("lime", model, table, options, context);
    const auto& terms = result.results[0].get<Terms>();
    ASSERT_EQ(terms.terms.size(), 4U);
    const auto& mean = expected.find("mean")->as_array();
    const auto& se = expected.find("se")->as_array();
    EXPECT_NEAR(*terms.base, mean[0].as_number(), 0.03) << bins;
    for (const LinearTerm& term : terms.terms) {
      const std::size_t j = static_cast<std::size_t>(term.features[0][1] - '0');
      const double coefficient = bins == "none" ? *term.standardized : term.coefficient;
      const double own_se = *term.se * coefficient / term.coefficient;
      const double error = std::hypot(own_se, se[j + 1].as_number());
      EXPECT_NEAR(coefficient, mean[j + 1].as_number(), 4.5 * error) << bins << " " << term.features[0];
      EXPECT_LT(error, 0.02);
    }
  }
}

// Moments of random terms.
LineMoments random_moments(std::uint64_t seed, std::size_t p) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const std::size_t rows = 200;
  std::vector<std::vector<double>> columns(p + 1, std::vector<double>(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    const double shared = normal(random);
    for (std::size_t j = 0; j < p; ++j) columns[j][i] = normal(random) + 0.7 * shared;
    for (std::size_t j = 0; j < p; ++j) columns[p][i] += columns[j][i] * static_cast<double>(j + 1) * (j % 2 ? 1 : -1);
    columns[p][i] += 3 * normal(random);
  }
  LineMoments moments{.terms = p, .outputs = 1};
  moments.weight = 1;
  moments.mean.assign(p, 0);
  moments.covariance.assign(p * p, 0);
  moments.with_y.assign(p, 0);
  moments.y_mean = {0};
  moments.y_variance = {0};
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t k = 0; k < p; ++k) moments.covariance[j * p + k] += columns[j][i] * columns[k][i] / rows;
      moments.with_y[j] += columns[j][i] * columns[p][i] / rows;
    }
    moments.y_variance[0] += columns[p][i] * columns[p][i] / rows;
  }
  return moments;
}

TEST(LocalFit, ForwardSelectionAddsTheTermThatExplainsMost) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const std::size_t p = 7;
    const LineMoments moments = random_moments(seed, p);
    std::vector<std::size_t> chosen;
    for (std::size_t most = 1; most < p; ++most) {
      // By refitting with every term that is left.
      std::size_t best = p;
      double best_r2 = -1;
      for (std::size_t j = 0; j < p; ++j) {
        if (std::find(chosen.begin(), chosen.end(), j) != chosen.end()) continue;
        std::vector<std::size_t> with = chosen;
        with.push_back(j);
        const double r2 = r_squared(moments, 0, fit_line(moments, 0, with, 0));
        if (r2 > best_r2) {
          best = j;
          best_r2 = r2;
        }
      }
      chosen.push_back(best);
      std::sort(chosen.begin(), chosen.end());
      EXPECT_EQ(choose_terms(moments, 0, TermChoice::forward, most, {}, 0), chosen) << seed << " " << most;
    }
  }
}

TEST(LocalFit, TheLassoPathIsThatOfCoordinateDescent) {
  for (const std::uint64_t seed : {5, 6, 7, 8, 9}) {
    const std::size_t p = 6;
    const LineMoments moments = random_moments(seed, p);
    // Sets of terms along a fine grid of penalties, from the smallest one on: the first that is small enough counts.
    for (std::size_t most = 1; most < p; ++most) {
      std::vector<double> beta(p, 0);
      std::vector<std::size_t> expected;
      const double start = std::abs(*std::max_element(moments.with_y.begin(), moments.with_y.end(),
                                                      [](double a, double b) { return std::abs(a) < std::abs(b); }));
      for (double penalty = start; penalty > start * 1e-4; penalty *= 0.995) {
        for (int round = 0; round < 300; ++round) {
          for (std::size_t j = 0; j < p; ++j) {
            double left = moments.with_y[j];
            for (std::size_t k = 0; k < p; ++k) left -= k == j ? 0 : moments.covariance[j * p + k] * beta[k];
            beta[j] = std::copysign(std::max(0.0, std::abs(left) - penalty), left) / moments.covariance[j * p + j];
          }
        }
        std::vector<std::size_t> there;
        for (std::size_t j = 0; j < p; ++j) {
          if (beta[j] != 0) there.push_back(j);
        }
        if (there.size() <= most) expected = there;
      }
      EXPECT_EQ(choose_terms(moments, 0, TermChoice::lasso_path, most, {}, 0), expected) << seed << " " << most;
    }
  }
}

TEST(SubmodularPick, CoversWhatMattersMostFirst) {
  // Components 0 to 3; importance is the root of the summed weights: 3, 2, 1 and 0.5.
  const std::vector<std::vector<Covered>> rows = {
      {{0, 4.5}, {2, 0.5}}, {{0, -4.5}, {1, 2}}, {{1, 2}, {2, 0.5}}, {{3, 0.25}}, {}};
  const std::vector<double> once(5, 1.0);
  const Pick two = pick_rows(rows, once, 4, 2);
  EXPECT_EQ(two.importance, (std::vector<double>{3, 2, 1, 0.5}));
  EXPECT_EQ(two.rows, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(two.gains, (std::vector<double>{5, 1}));
  EXPECT_EQ(two.total, 6.5);
  EXPECT_FALSE(two.covered[3]);
  // Rows that add nothing are not picked, however many are asked for.
  EXPECT_EQ(pick_rows(rows, once, 4, 10).rows, (std::vector<std::size_t>{1, 0, 3}));
  // A row that counts four times.
  EXPECT_EQ(pick_rows(rows, std::vector<double>{1, 1, 1, 4, 1}, 4, 1).importance[3], 1);
}

TEST(NormalQuantile, IsTheInverseOfTheDistribution) {
  for (const double z : {-8.0, -3.2, -1.0, -0.1, 0.0, 0.4, 1.9, 5.0})
    EXPECT_NEAR(normal_quantile(normal_share(z)), z, 1e-9);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
}

}  // namespace
}  // namespace sightglass
