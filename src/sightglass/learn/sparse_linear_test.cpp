#include "sightglass/learn/sparse_linear.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "sightglass/base/error.h"
#include "sightglass/result/json.h"
#include "sightglass/result/shapes/terms.h"
#include "support/linear_test_data.h"

namespace sightglass {
namespace {

using testing::bell;
using testing::coefficients_of;
using testing::data_of;
using testing::error_of;
using testing::figure_of;
using testing::learn;
using testing::levels;
using testing::margin;
using testing::mixed;
using testing::none;
using testing::number;
using testing::path_of;
using testing::tables_of;
using testing::uniform;

TEST(SparseLinear, EqualsScikitLearnAndStatsmodels) {
  std::ifstream file(SIGHTGLASS_SOURCE_DIR "/tests/golden/learners/sparse_linear.json");
  std::stringstream text;
  text << file.rdbuf();
  const Value golden = value_from_json(text.str(), "sparse_linear.json");
  const auto numbers = [](const Value& values) {
    std::vector<double> list;
    for (const Value& value : values.as_array()) list.push_back(value.is_null() ? none : value.as_number());
    return list;
  };
  std::vector<std::string> seasons;
  for (const Value& level : golden.find("levels")->as_array()) seasons.push_back(level.as_string());
  std::vector<TrainingFeature> features;
  for (const auto& [name, values] : golden.find("features")->as_object())
    features.push_back(number(name, numbers(values)));
  features.push_back(levels("season", seasons, numbers(*golden.find("season"))));

  std::size_t cases = 0;
  for (const Value& each : golden.find("cases")->as_array()) {
    SCOPED_TRACE(each.find("name")->as_string());
    ++cases;
    const std::string& target = each.find("target")->as_string();
    const std::vector<std::string> classes = target == "two"     ? std::vector<std::string>{"no", "yes"}
                                             : target == "three" ? std::vector<std::string>{"k0", "k1", "k2"}
                                                                 : std::vector<std::string>{};
    const TrainingData data =
        data_of(features, numbers(*golden.find("outcomes")->find(target)), classes,
                each.find("weighted")->as_bool() ? numbers(*golden.find("weights")) : std::vector<double>{});
    const Learned learned = learn(data, *each.find("options"));
    const auto& wanted = each.find("coefficients")->as_array();
    const auto tables = tables_of(learned);
    ASSERT_EQ(tables.size(), wanted.size());
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      auto found = coefficients_of(*tables[k]);
      const auto values = numbers(wanted[k]);
      const double intercept = each.find("intercepts")->as_array()[k].as_number();
      EXPECT_NEAR(found[""], intercept, 1e-6 * std::max(1.0, std::abs(intercept)));
      for (std::size_t t = 0; t < values.size(); ++t) {
        const std::string& name = each.find("terms")->as_array()[t].as_string();
        EXPECT_NEAR(found[name], values[t], 1e-6) << name;
        EXPECT_TRUE(values[t] != 0 || found[name] == 0) << name;
        const Value* se = each.find("se");
        if (const Value* by_class = each.find("se_by_class")) se = &by_class->as_array()[k];
        if (se == nullptr) continue;
        const auto term = std::find_if(tables[k]->terms.begin(), tables[k]->terms.end(), [&](const LinearTerm& one) {
          return name == (one.conditions.empty() ? one.features[0] : conditions_text(one.conditions));
        });
        ASSERT_TRUE(term != tables[k]->terms.end() && term->se);
        EXPECT_NEAR(*term->se, numbers(*se)[t], 1e-6) << name;
        if (each.find("p_values") == nullptr) continue;
        EXPECT_NEAR(*term->p_value, numbers(*each.find("p_values"))[t], 1e-6) << name;
        EXPECT_NEAR(*term->low, numbers(*each.find("low"))[t], 2e-6) << name;
        EXPECT_NEAR(*term->high, numbers(*each.find("high"))[t], 2e-6) << name;
        EXPECT_NEAR(*tables[k]->intercept_se, each.find("intercept_se")->as_number(), 1e-5);
      }
    }
  }
  EXPECT_EQ(cases, 15U);
}

// The derivative of half the mean deviance by each standardised column, by brute force.
struct Slopes {
  std::map<std::string, double> by_term;
  double intercept = 0;
};
Slopes slopes_of(const TrainingData& data, const Learned& learned, std::size_t output, const std::string& outcome) {
  const auto& structure = std::get<TermStructure>(learned.structure);
  const std::size_t outputs = structure.intercept.size();
  const auto n = static_cast<double>(data.rows);
  std::vector<double> residuals(data.rows);
  Slopes slopes;
  for (std::size_t r = 0; r < data.rows; ++r) {
    const double m = margin(structure, data, r, output), y = data.outcome[r];
    double sum = 0;
    for (std::size_t k = 0; k < outputs; ++k) sum += std::exp(margin(structure, data, r, k));
    residuals[r] = outcome == "number"  ? m - y
                   : outcome == "two"   ? 1 / (1 + std::exp(-m)) - y
                   : outcome == "three" ? std::exp(m) / sum - (y == static_cast<double>(output) ? 1 : 0)
                   : outcome == "count" ? std::exp(m) - y
                                        : 1 - y / std::exp(m);
    slopes.intercept += residuals[r] / n;
  }
  const auto add = [&](const std::string& name, const std::vector<double>& x) {
    double mean = 0, square = 0, slope = 0;
    for (const double v : x) mean += v / n;
    for (const double v : x) square += (v - mean) * (v - mean) / n;
    if (square == 0) return;
    for (std::size_t r = 0; r < data.rows; ++r) slope += residuals[r] * (x[r] - mean) / std::sqrt(square) / n;
    slopes.by_term[name] = slope;
  };
  for (const TrainingFeature& feature : data.features) {
    const auto where = [&](auto test) {
      std::vector<double> x(data.rows);
      for (std::size_t r = 0; r < data.rows; ++r) x[r] = test(feature.values[r]) ? 1 : 0;
      return x;
    };
    add(feature.info.name + " is missing", where([](double x) { return std::isnan(x); }));
    for (std::size_t level = 0; level < feature.info.levels.size(); ++level) {
      add(feature.info.name + " = " + feature.info.levels[level],
          where([&](double x) { return x == static_cast<double>(level); }));
    }
    if (feature.info.categorical) continue;
    double sum = 0, there = 0;
    for (const double x : feature.values) {
      if (!std::isnan(x)) sum += x, ++there;
    }
    std::vector<double> filled = feature.values;
    for (double& x : filled) x = std::isnan(x) ? sum / there : x;
    add(feature.info.name, filled);
  }
  return slopes;
}

TEST(SparseLinear, MeetsTheConditionsOfTheMinimum) {
  for (const std::string outcome : {"number", "two", "three", "count", "amount"}) {
    const TrainingData data = mixed(800, outcome);
    for (const double l1_ratio : {1.0, 0.6}) {
      for (const double penalty : {0.1, 0.02, 0.002}) {
        SCOPED_TRACE(outcome + " " + std::to_string(penalty) + " " + std::to_string(l1_ratio));
        Value options = Value::object({{"penalty", penalty}, {"l1_ratio", l1_ratio}});
        if (outcome == "count") options.set("family", "poisson");
        if (outcome == "amount") options.set("family", "gamma");
        const Learned learned = learn(data, options);
        const auto tables = tables_of(learned);
        for (std::size_t k = 0; k < tables.size(); ++k) {
          const Slopes slopes = slopes_of(data, learned, k, outcome);
          EXPECT_NEAR(slopes.intercept, 0, 1e-7);
          std::map<std::string, double> standardized;
          for (const LinearTerm& term : tables[k]->terms) {
            standardized[term.conditions.empty() ? term.features[0] : conditions_text(term.conditions)] =
                *term.standardized;
          }
          EXPECT_EQ(slopes.by_term.size(), 4U + 1 + 4 + 10);
          for (const auto& [name, slope] : slopes.by_term) {
            const double beta = standardized[name];
            if (beta == 0) {
              EXPECT_LE(std::abs(slope), penalty * l1_ratio * (1 + 1e-6)) << name;
            } else {
              EXPECT_NEAR(slope, -std::copysign(penalty * l1_ratio, beta) - penalty * (1 - l1_ratio) * beta, 1e-6)
                  << name;
            }
          }
        }
      }
    }
  }
}

// Without a penalty all derivatives vanish, and so coefficients have no more error than rounding leaves.
TEST(SparseLinear, WithoutAPenaltyTheScoreVanishes) {
  for (const std::string outcome : {"number", "two", "count", "amount"}) {
    SCOPED_TRACE(outcome);
    const TrainingData data = mixed(800, outcome);
    Value options = Value::object({{"penalty", 0}});
    if (outcome == "count") options.set("family", "poisson");
    if (outcome == "amount") options.set("family", "gamma");
    const Slopes slopes = slopes_of(data, learn(data, options), 0, outcome);
    EXPECT_NEAR(slopes.intercept, 0, 1e-13);
    for (const auto& [name, slope] : slopes.by_term) EXPECT_NEAR(slope, 0, 1e-13) << name;
  }
}

TEST(SparseLinear, WeightsAreRepeatedRows) {
  for (const std::string outcome : {"number", "two", "three", "count", "amount"}) {
    const TrainingData once = mixed(500, outcome);
    TrainingData weighted = once, repeated = once;
    for (TrainingFeature& feature : repeated.features) feature.values.clear();
    repeated.outcome.clear();
    for (std::size_t r = 0; r < once.rows; ++r) {
      const std::size_t times = 1 + r % 3;
      weighted.weights.push_back(static_cast<double>(times));
      for (std::size_t i = 0; i < times; ++i) {
        for (std::size_t f = 0; f < once.features.size(); ++f) {
          repeated.features[f].values.push_back(once.features[f].values[r]);
        }
        repeated.outcome.push_back(once.outcome[r]);
      }
    }
    repeated.rows = repeated.outcome.size();
    for (const Value& more :
         {Value::object({{"penalty", 0.01}}), Value::object({{"penalty", 0}}),
          Value::object({{"penalty", 0.02}, {"categories", "grouped"}}), Value::object({{"terms", 3}})}) {
      Value options = more;
      if (outcome == "count") options.set("family", "poisson");
      if (outcome == "amount") options.set("family", "gamma");
      const Learned a = learn(weighted, options), b = learn(repeated, options);
      ASSERT_EQ(tables_of(a).size(), tables_of(b).size());
      for (std::size_t k = 0; k < tables_of(a).size(); ++k) {
        auto left = coefficients_of(a, k), right = coefficients_of(b, k);
        EXPECT_EQ(left.size(), right.size()) << outcome << to_json(options);
        for (const auto& [name, value] : left) {
          EXPECT_NEAR(value, right[name], 1e-6 * std::max(1.0, std::abs(value))) << name << outcome << to_json(options);
        }
        for (const LinearTerm& term : tables_of(a)[k]->terms) {
          EXPECT_EQ(term.se.has_value(), more == Value::object({{"penalty", 0}}));
        }
      }
    }
  }
}

TEST(SparseLinear, AnyNumberOfThreadsFindsTheSameBytes) {
  for (const std::string outcome : {"number", "two", "three"}) {
    const TrainingData data = mixed(5000, outcome);
    const Value options = Value::object({{"path_length", 20}, {"folds", 3}});
    const Learned one = learn(data, options, 1), four = learn(data, options, 4);
    EXPECT_EQ(to_json(to_value(one.structure)), to_json(to_value(four.structure)));
    EXPECT_EQ(path_of(one).cv_mean, path_of(four).cv_mean);
    EXPECT_EQ(path_of(one).cv_se, path_of(four).cv_se);
  }
}

// Held-out errors by fits to each fold's other rows.
TEST(SparseLinear, CrossValidatesByFitsToTheOtherFolds) {
  for (const std::string outcome : {"number", "two"}) {
    const TrainingData data = mixed(300, outcome);
    Value options = Value::object({{"folds", 4}, {"path_length", 8}, {"standardize", false}, {"seed", 3}});
    const Learned learned = learn(data, options);
    const PenaltyPath& path = path_of(learned);
    ASSERT_EQ(path.cv_mean.size(), 8U);
    const auto folds = folds_of(data.rows, 4, 3);
    for (const std::size_t i : {0U, 4U, 7U}) {
      double sum = 0;
      std::vector<double> means;
      for (std::uint32_t fold = 0; fold < 4; ++fold) {
        TrainingData part = data;
        part.weights.clear();
        for (TrainingFeature& feature : part.features) feature.values.clear();
        part.outcome.clear();
        for (std::size_t r = 0; r < data.rows; ++r) {
          if (folds[r] == fold) continue;
          for (std::size_t f = 0; f < data.features.size(); ++f)
            part.features[f].values.push_back(data.features[f].values[r]);
          part.outcome.push_back(data.outcome[r]);
        }
        part.rows = part.outcome.size();
        // What a missing number is taken for is the mean of all rows, in every fold.
        double mean = 0, there = 0;
        for (const double x : data.features[3].values) {
          if (!std::isnan(x)) mean += x, ++there;
        }
        TrainingData filled = data;
        std::vector<double> gone(part.rows), all_gone(data.rows);
        for (std::size_t r = 0; r < part.rows; ++r) gone[r] = std::isnan(part.features[3].values[r]) ? 1 : 0;
        for (std::size_t r = 0; r < data.rows; ++r) all_gone[r] = std::isnan(data.features[3].values[r]) ? 1 : 0;
        for (double& x : part.features[3].values) x = std::isnan(x) ? mean / there : x;
        for (double& x : filled.features[3].values) x = std::isnan(x) ? mean / there : x;
        part.features.push_back(number("d gone", gone));
        filled.features.push_back(number("d gone", all_gone));
        const Learned fitted = learn(part, Value::object({{"penalty", path.penalties[i]}, {"standardize", false}}));
        double loss = 0, rows = 0;
        for (std::size_t r = 0; r < data.rows; ++r) {
          if (folds[r] != fold) continue;
          const double m = margin(std::get<TermStructure>(fitted.structure), filled, r, 0), y = data.outcome[r];
          loss += outcome == "number" ? (y - m) * (y - m) : std::log1p(std::exp(m)) - y * m;
          ++rows;
        }
        means.push_back(loss / rows);
        sum += loss;
      }
      EXPECT_NEAR(path.cv_mean[i], sum / 300, 2e-4 * sum / 300);
      double square = 0;
      for (const double mean : means) square += (mean - sum / 300) * (mean - sum / 300) / 4;
      EXPECT_NEAR(path.cv_se[i], std::sqrt(square / 3), 1e-2 * std::sqrt(square / 3) + 1e-6);
    }
    // The smallest mean, and the largest penalty within a standard error of it.
    const std::size_t minimum = *path.minimum, one_se = *path.one_se;
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_GE(path.cv_mean[i], path.cv_mean[minimum]);
      EXPECT_TRUE(i >= one_se || path.cv_mean[i] > path.cv_mean[minimum] + path.cv_se[minimum]);
    }
    EXPECT_LE(path.cv_mean[one_se], path.cv_mean[minimum] + path.cv_se[minimum]);
    EXPECT_EQ(path.chosen, path.one_se);
    EXPECT_EQ(figure_of(learned, "penalty"), path.penalties[one_se]);
    options.set("choose", "min");
    EXPECT_EQ(path_of(learn(data, options)).chosen, minimum);
  }
}

TEST(SparseLinear, ExactlySoManyTermsAreTheBestOnes) {
  // The first two explain the outcome together, the third alone is nearest to it.
  const std::size_t rows = 400;
  std::vector<double> a(rows), b(rows), c(rows), d(rows), y(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    a[r] = bell(21, r);
    b[r] = bell(22, r);
    y[r] = a[r] + b[r] + 0.05 * bell(23, r);
    c[r] = a[r] + b[r] + 0.8 * bell(24, r);
    d[r] = bell(25, r);
  }
  const TrainingData data = data_of({number("c", c), number("d", d), number("a", a), number("b", b)}, y);
  const Learned one = learn(data, Value::object({{"terms", 1}})), two = learn(data, Value::object({{"terms", 2}}));
  EXPECT_EQ(one.size, 1U);
  EXPECT_TRUE(coefficients_of(one).contains("c"));
  EXPECT_EQ(two.size, 2U);
  EXPECT_TRUE(coefficients_of(two).contains("a") && coefficients_of(two).contains("b"));
  EXPECT_NEAR(coefficients_of(two)["a"], 1, 0.02);

  for (const std::string outcome : {"number", "two", "count"}) {
    const TrainingData hard = mixed(200, outcome);
    Value options = Value::object({{"terms", 3}});
    if (outcome == "count") options.set("family", "poisson");
    EXPECT_EQ(learn(hard, options).size, 3U);
    options.set("categories", "grouped");
    EXPECT_EQ(learn(hard, options).size, 3U);
  }
  EXPECT_EQ(learn(data, Value::object({{"terms", 0}})).size, 0U);
  EXPECT_EQ(learn(data, Value::object({{"terms", 99}})).size, 4U);
}

TEST(SparseLinear, GroupedLevelsAreOneTerm) {
  const TrainingData data = mixed(600, "number");
  bool in = false, out = false;
  for (const double penalty : {0.3, 0.1, 0.03}) {
    const Learned learned = learn(data, Value::object({{"penalty", penalty}, {"categories", "grouped"}}));
    auto found = coefficients_of(learned);
    int seasons = 0, places = 0;
    double mean = 0;
    for (const auto& [name, value] : found) {
      seasons += name.starts_with("season") ? 1 : 0;
      places += name.starts_with("place") ? 1 : 0;
    }
    EXPECT_TRUE(seasons == 0 || seasons == 4) << seasons;
    EXPECT_TRUE(places == 0 || places == 10) << places;
    for (std::size_t r = 0; r < data.rows; ++r) {
      mean += found["season = s" + std::to_string(static_cast<int>(data.features[4].values[r]))] / 600;
    }
    EXPECT_NEAR(mean, 0, 1e-12);
    in = in || seasons > 0;
    out = out || places == 0;
  }
  EXPECT_TRUE(in && out);
  // A feature with two levels is a standardised column.
  std::vector<double> code, y;
  for (std::size_t r = 0; r < 100; ++r) {
    code.push_back(r % 4 == 0 ? 1 : 0);
    y.push_back(static_cast<double>(r % 7) + 3 * code.back());
  }
  const TrainingData two = data_of({levels("f", {"u", "v"}, code)}, y);
  const TrainingData same = data_of({number("f", code)}, y);
  const double effect = coefficients_of(learn(same, Value::object({{"penalty", 0.2}})))["f"];
  auto grouped = coefficients_of(learn(two, Value::object({{"penalty", 0.2}, {"categories", "grouped"}})));
  EXPECT_NEAR(grouped["f = v"] - grouped["f = u"], effect, 1e-9);
}

TEST(SparseLinear, MissingNumbersHaveATermOfTheirOwn) {
  const TrainingData data = data_of({number("x", {1, 2, 3, none, none, 6})}, {1, 2, 3, 10, 12, 6});
  auto found = coefficients_of(learn(data, Value::object({{"penalty", 0}})));
  EXPECT_NEAR(found["x"], 1, 1e-9);
  EXPECT_NEAR(found[""], 0, 1e-9);
  EXPECT_NEAR(found["x is missing"], 11 - 3, 1e-9);  // a missing value is taken for 3, the mean
  const Learned learned = learn(data, Value::object({{"penalty", 0}}));
  EXPECT_NEAR(margin(std::get<TermStructure>(learned.structure), data, 3, 0), 11, 1e-9);
  // What each term was on these rows: a missing value at the mean, and the share of missing values.
  const auto& terms = std::get<TermStructure>(learned.structure).terms;
  ASSERT_EQ(terms.size(), 2U);
  EXPECT_NEAR(terms[0].moments->mean, 3, 1e-12);
  EXPECT_NEAR(terms[0].moments->sd, std::sqrt(14.0 / 6), 1e-12);
  EXPECT_NEAR(terms[1].moments->mean, 2.0 / 6, 1e-12);
  EXPECT_NEAR(terms[1].moments->sd, std::sqrt(2.0 / 9), 1e-12);
  EXPECT_EQ(error_of(data, Value::object({{"missing", "refuse"}})), "data: x has 2 missing values");
  const TrainingData whole = data_of({number("x", {1, 2, 3, 6})}, {1, 2, 3, 7});
  EXPECT_TRUE(std::get<TermStructure>(learn(whole, Value::object({{"missing", "refuse"}})).structure).refuses_missing);
}

// Many levels in the model: found by rows. The conditions of the minimum, by brute force.
TEST(SparseLinear, ManyLevelsInTheModelMeetTheConditionsOfTheMinimum) {
  const std::size_t rows = 6000, count = 1800;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("v" + std::to_string(i));
  for (const std::string outcome : {"number", "two"}) {
    std::vector<double> code(rows), x(rows), y(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      code[r] = std::floor(static_cast<double>(count) * uniform(74, r));
      x[r] = bell(71, r) + (code[r] < 900 ? 1 : 0);
      const double eta = x[r] + (std::fmod(code[r], 3) == 0 ? 1 : 0);
      y[r] = outcome == "number" ? eta + bell(72, r) : uniform(73, r) < 1 / (1 + std::exp(-eta)) ? 1 : 0;
    }
    const TrainingData data =
        data_of({levels("who", names, code), number("x", x)}, y,
                outcome == "two" ? std::vector<std::string>{"no", "yes"} : std::vector<std::string>{});
    const double penalty = outcome == "number" ? 0.01 : 0.004;
    const Learned learned = learn(data, Value::object({{"penalty", penalty}}));
    const Slopes slopes = slopes_of(data, learned, 0, outcome);
    EXPECT_GT(learned.size, 250U);
    EXPECT_LT(learned.size, slopes.by_term.size());
    EXPECT_NEAR(slopes.intercept, 0, 1e-6);
    auto found = coefficients_of(learned);
    for (const auto& [name, slope] : slopes.by_term) {
      if (found.contains(name)) {
        EXPECT_NEAR(slope, -std::copysign(penalty, found[name]), 1e-5) << name;
      } else {
        EXPECT_LE(std::abs(slope), penalty + 1e-6) << name;
      }
    }
  }
}

}  // namespace
}  // namespace sightglass
