#include "sightglass/methods/local/lime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <random>

#include "sightglass/base/error.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/result/shapes/examples.h"
#include "sightglass/result/shapes/terms.h"
#include "support/function_model.h"
#include "support/law_cases.h"
#include "support/lime_lines.h"
#include "support/random_data.h"
#include "support/random_trees.h"

namespace sightglass {
namespace {

using testing::coefficient;
using testing::column_values;
using testing::FunctionModel;
using ::testing::HasSubstr;
using testing::lime_result;
using testing::normals;
using testing::numbers_table;
using testing::quartile;
using testing::random_table;
using testing::random_trees;
using testing::RowFunction;
using testing::terms_of;
using testing::tree_families;

// Samples are the same whichever engine answers.
const testing::LawCase laws("lime", {.options = Value::object({{"explain", 5}, {"samples", 300}, {"repeats", 2}}),
                                     .engines = Value::object({{"estimator", "sampling"}})});
const testing::LawCase laws_numbers("lime:numbers", {.options = Value::object({{"explain", 4},
                                                                               {"samples", 200},
                                                                               {"repeats", 2},
                                                                               {"terms", 2},
                                                                               {"select", "lasso-path"},
                                                                               {"bins", "none"},
                                                                               {"around", "row"}}),
                                                     .engines = Value::object({{"estimator", "sampling"}})});
const testing::LawCase laws_pick(
    "lime:pick",
    {.options = Value::object(
         {{"explain", 20}, {"samples", 200}, {"repeats", 1}, {"terms", 2}, {"pick", 3}, {"draw", "normal"}}),
     .engines = Value::object({{"estimator", "sampling"}})});

double detail(const Terms& terms, const char* name) { return terms.details.find(name)->as_number(); }

const Caveat* caveat(const Result& result, const std::string& id) {
  for (const Caveat& each : result.caveats) {
    if (each.id == id) return &each;
  }
  return nullptr;
}

// Solves a small system by elimination.
std::vector<double> solved(std::vector<std::vector<double>> matrix, std::vector<double> right) {
  const std::size_t size = right.size();
  for (std::size_t i = 0; i < size; ++i) {
    std::size_t pivot = i;
    for (std::size_t row = i; row < size; ++row) {
      if (std::abs(matrix[row][i]) > std::abs(matrix[pivot][i])) pivot = row;
    }
    std::swap(matrix[i], matrix[pivot]);
    std::swap(right[i], right[pivot]);
    for (std::size_t row = i + 1; row < size; ++row) {
      const double by = matrix[row][i] / matrix[i][i];
      for (std::size_t k = i; k < size; ++k) matrix[row][k] -= by * matrix[i][k];
      right[row] -= by * right[i];
    }
  }
  for (std::size_t i = size; i-- > 0;) {
    for (std::size_t k = i + 1; k < size; ++k) right[i] -= matrix[i][k] * right[k];
    right[i] /= matrix[i][i];
  }
  return right;
}

// Weighted ridge regression with an intercept, which comes first.
std::vector<double> ridge(const std::vector<std::vector<double>>& z, const std::vector<double>& y,
                          const std::vector<double>& weights, double alpha) {
  const std::size_t size = z[0].size() + 1;
  std::vector<std::vector<double>> matrix(size, std::vector<double>(size, 0));
  std::vector<double> right(size, 0);
  for (std::size_t i = 0; i < z.size(); ++i) {
    std::vector<double> line{1};
    line.insert(line.end(), z[i].begin(), z[i].end());
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b < size; ++b) matrix[a][b] += weights[i] * line[a] * line[b];
      right[a] += weights[i] * line[a] * y[i];
    }
  }
  for (std::size_t a = 1; a < size; ++a) matrix[a][a] += alpha;
  return solved(std::move(matrix), std::move(right));
}

// Every combination of the values that the features have in some row is a sample, as often as it would be drawn: what
// the line of infinitely many samples is.
TEST(Lime, TheExactLineIsThatOfEverySampleThereCouldBe) {
  const Table table = random_table(3, 9);
  for (const char* family : {"xgboost", "lightgbm", "forest"}) {
    const auto model = random_trees(9, tree_families().at(family));
    for (const std::uint64_t row : {0, 4}) {
      const Result result =
          lime_result(*model, table,
                      Value::object({{"rows", std::vector<std::int64_t>{static_cast<std::int64_t>(row)}},
                                     {"scale", "margin"},
                                     {"samples", 50}}));
      std::vector<std::vector<double>> columns;
      for (std::size_t j = 0; j < 4; ++j) columns.push_back(column_values(table, j));
      std::vector<std::uint64_t> own{row};
      std::vector<std::vector<double>> z;
      std::vector<double> weights;
      std::vector<std::vector<double>> made(4);
      const double sigma2 = 0.75 * 0.75 * 4;
      for (int code = 0; code < 9 * 9 * 9 * 9; ++code) {
        int rest = code, changed = 0;
        std::vector<double> line;
        for (std::size_t j = 0; j < 4; ++j, rest /= 9) {
          const double value = columns[j][static_cast<std::size_t>(rest % 9)], here = columns[j][row];
          const bool same = j == 2 ? value == here || (std::isnan(value) && std::isnan(here))
                                   : quartile(columns[j], value) == quartile(columns[j], here);
          made[j].push_back(value);
          line.push_back(same ? 1 : 0);
          changed += same ? 0 : 1;
        }
        z.push_back(line);
        weights.push_back(std::sqrt(std::exp(-changed / sigma2)));
      }
      // The model is asked about all of them.
      const auto dictionary = table.schema()[2].dictionary;
      std::vector<std::int32_t> levels, whole;
      for (const double value : made[2]) levels.push_back(std::isnan(value) ? -1 : static_cast<std::int32_t>(value));
      const Table all(
          Schema({{.name = "a"},
                  {.name = "b"},
                  {.name = "c", .type = DType::categorical, .dictionary = dictionary},
                  {.name = "d"}}),
          {column_of(made[0]), column_of(made[1]), column_of(levels, dictionary.get()), column_of(made[3])});
      Context context(1);
      const auto bound = model->bind(all.schema(), {});
      Matrix answers(all.rows(), model->signature().outputs.size());
      std::vector<ColumnView> views;
      for (std::size_t j = 0; j < 4; ++j) views.push_back(all.column(j));
      bound->predict(RowBlock{.rows = all.rows(), .columns = views}, {.scale = Scale::margin}, answers.span(), context);
      for (std::size_t k = 0; k < answers.columns(); ++k) {
        std::vector<double> y;
        for (std::size_t i = 0; i < all.rows(); ++i) y.push_back(answers(i, k));
        const std::vector<double> expected = ridge(z, y, weights, 0);
        const Terms& terms = terms_of(result, k);
        ASSERT_EQ(terms.details.find("estimator")->as_string(), "exact");
        EXPECT_NEAR(terms.intercept, expected[0], 1e-5) << family << " " << k;
        const char* names[] = {"a", "b", "c", "d"};
        for (std::size_t j = 0; j < 4; ++j)
          EXPECT_NEAR(coefficient(terms, names[j]), expected[j + 1], 1e-5) << family << " " << names[j];
      }
    }
  }
}

TEST(Lime, MoreSamplesComeNearerToTheExactLine) {
  const Table table = random_table(5, 400).with_weights(4);
  const auto model = random_trees(9, tree_families().at("xgboost"));
  for (const char* bins : {"quartiles", "deciles", "none"}) {
    for (const char* draw : {"data", "normal"}) {
      if (std::string(bins) == "none" && std::string(draw) == "normal") continue;
      const auto line = [&](const char* estimator, std::int64_t samples) {
        return lime_result(*model, table,
                           Value::object({{"rows", std::vector<std::int64_t>{7}},
                                          {"bins", bins},
                                          {"draw", draw},
                                          {"estimator", estimator},
                                          {"samples", samples},
                                          {"repeats", 1},
                                          {"width", 1.2},
                                          {"penalty", 0}}));
      };
      const Result exact = line("exact", 100), few = line("sampling", 2000), many = line("sampling", 200000);
      double near = 0, far = 0;
      for (const char* name : {"a", "b", "c", "d"}) {
        const double limit = coefficient(terms_of(exact), name);
        far += std::pow(coefficient(terms_of(few), name) - limit, 2);
        near += std::pow(coefficient(terms_of(many), name) - limit, 2);
        const LinearTerm* term = nullptr;
        for (const LinearTerm& each : terms_of(many).terms) {
          if (each.features.front() == name) term = &each;
        }
        EXPECT_NEAR(coefficient(terms_of(many), name), limit, 4.5 * *term->se + 1e-12)
            << bins << " " << draw << " " << name;
      }
      EXPECT_LT(near, far / 4) << bins << " " << draw;
      EXPECT_NEAR(terms_of(many).intercept, terms_of(exact).intercept, 0.05);
    }
  }
}

// What the model was asked about is fitted again by plain loops.
TEST(Lime, IsAWeightedRidgeRegressionOnItsSamples) {
  std::vector<std::vector<double>> asked;
  const RowFunction function = [&](const std::vector<double>& x) {
    asked.push_back(x);
    return std::vector<double>{std::sin(x[0]) + x[1] * x[2] - 0.3 * x[2]};
  };
  const FunctionModel model({"x0", "x1", "x2"}, function, {"prediction"}, Concurrency::caller_thread);
  const Table table = normals(3, 100);
  for (const char* bins : {"quartiles", "none"}) {
    for (const char* kernel : {"root", "plain"}) {
      asked.clear();
      const Result result = lime_result(model, table,
                                        Value::object({{"rows", std::vector<std::int64_t>{5}},
                                                       {"bins", bins},
                                                       {"kernel", kernel},
                                                       {"samples", 400},
                                                       {"repeats", 1},
                                                       {"penalty", 3},
                                                       {"skill_rows", 1}}));
      const bool scaled = bins == std::string("none");
      // Made rows are what is asked about last.
      const std::vector<std::vector<double>> samples(asked.end() - 399, asked.end());
      std::vector<double> own, mean(3, 0), sd(3, 0);
      for (std::size_t j = 0; j < 3; ++j) {
        const auto values = column_values(table, j);
        own.push_back(values[5]);
        for (const double value : values) mean[j] += value / 100;
        for (const double value : values) sd[j] += (value - mean[j]) * (value - mean[j]) / 100;
        sd[j] = std::sqrt(sd[j]);
      }
      std::vector<std::vector<double>> z;
      std::vector<double> y, weights;
      const auto add = [&](const std::vector<double>& x) {
        std::vector<double> line;
        double square = 0;
        for (std::size_t j = 0; j < 3; ++j) {
          const double here = scaled ? (own[j] - mean[j]) / sd[j] : 1;
          line.push_back(scaled ? (x[j] - mean[j]) / sd[j]
                                : quartile(column_values(table, j), x[j]) == quartile(column_values(table, j), own[j]));
          square += (line.back() - here) * (line.back() - here);
        }
        z.push_back(line);
        y.push_back(function(x)[0]);
        const double weight = std::exp(-square / (0.75 * 0.75 * 3));
        weights.push_back(kernel == std::string("root") ? std::sqrt(weight) : weight);
      };
      add(own);
      for (const auto& sample : samples) add(sample);
      const std::vector<double> expected = ridge(z, y, weights, 3);
      const Terms& terms = terms_of(result);
      EXPECT_NEAR(*terms.base, expected[0], 1e-9) << bins << " " << kernel;
      double line = expected[0], errors = 0, total = 0, sum = 0, weight_sum = 0;
      for (std::size_t i = 0; i < z.size(); ++i) {
        sum += weights[i] * y[i];
        weight_sum += weights[i];
      }
      for (std::size_t i = 0; i < z.size(); ++i) {
        double error = y[i] - expected[0];
        for (std::size_t j = 0; j < 3; ++j) error -= expected[j + 1] * z[i][j];
        errors += weights[i] * error * error;
        total += weights[i] * std::pow(y[i] - sum / weight_sum, 2);
      }
      for (std::size_t j = 0; j < 3; ++j) {
        const double per_unit = scaled ? expected[j + 1] / sd[j] : expected[j + 1];
        EXPECT_NEAR(coefficient(terms, "x" + std::to_string(j)), per_unit, 1e-9) << bins << " " << kernel;
        line += expected[j + 1] * z[0][j];
      }
      EXPECT_NEAR(*terms.line, line, 1e-9);
      EXPECT_NEAR(detail(terms, "r2"), 1 - errors / total, 1e-9);
    }
  }
}

TEST(Lime, LinearModelsHaveClosedForms) {
  const FunctionModel model({"x0", "x1"},
                            [](const std::vector<double>& x) { return std::vector<double>{2 * x[0] - 3 * x[1] + 1}; });
  const Table table = normals(2, 1000);
  const auto options = [](const char* bins) {
    return Value::object(
        {{"rows", std::vector<std::int64_t>{5}}, {"bins", bins}, {"samples", 200000}, {"penalty", 0}, {"repeats", 1}});
  };
  // Without bins it is the model itself: the coefficient per unit, and per standard deviation.
  const Result plain = lime_result(model, table, options("none"));
  EXPECT_NEAR(coefficient(terms_of(plain), "x0"), 2, 1e-9);
  EXPECT_NEAR(coefficient(terms_of(plain), "x1"), -3, 1e-9);
  EXPECT_NEAR(terms_of(plain).intercept, 1, 1e-9);
  EXPECT_NEAR(detail(terms_of(plain), "r2"), 1, 1e-9);
  const auto sd_of = [&](std::size_t j) {
    const auto values = column_values(table, j);
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / 1000;
    double square = 0;
    for (const double value : values) square += (value - mean) * (value - mean) / 1000;
    return std::sqrt(square);
  };
  for (const LinearTerm& term : terms_of(plain).terms)
    EXPECT_NEAR(*term.standardized, term.features[0] == "x0" ? 2 * sd_of(0) : -3 * sd_of(1), 1e-9);
  // With bins: the slope times how far the mean of the own bin is from that of the others.
  const Result binned = lime_result(model, table, options("quartiles"));
  for (std::size_t j = 0; j < 2; ++j) {
    const auto values = column_values(table, j);
    double inside = 0, outside = 0, in = 0, out = 0;
    for (const double value : values) {
      const bool own = quartile(values, value) == quartile(values, values[5]);
      (own ? inside : outside) += value;
      (own ? in : out) += 1;
    }
    const double expected = (j == 0 ? 2 : -3) * (inside / in - outside / out);
    EXPECT_NEAR(coefficient(terms_of(binned), "x" + std::to_string(j)), expected, 0.05);
  }
  EXPECT_THAT(term_text(terms_of(binned).terms[0]), HasSubstr("x1"));
}

// Looks at x0 alone on rows that it knows, at x1 alone on all others (Slack et al. 2020).
TEST(Lime, AModelThatBehavesOtherwiseOffTheDataIsCaught) {
  Table table = normals(4, 400, 3);
  std::vector<std::vector<double>> columns;
  for (std::size_t j = 0; j < 4; ++j) columns.push_back(column_values(table, j));
  // Features that go together: made-up rows stand out.
  for (std::size_t i = 0; i < 400; ++i) columns[3][i] = columns[2][i] + 0.01 * columns[3][i];
  table = numbers_table({"x0", "x1", "x2", "x3"}, columns);
  const auto known = [](const std::vector<double>& x) { return std::abs(x[3] - x[2]) < 0.1; };
  const FunctionModel scaffolded({"x0", "x1", "x2", "x3"}, [&](const std::vector<double>& x) {
    return std::vector<double>{known(x) ? (x[0] > 0 ? 1.0 : 0.0) : (x[1] > 0 ? 1.0 : 0.0)};
  });
  const FunctionModel honest({"x0", "x1", "x2", "x3"},
                             [](const std::vector<double>& x) { return std::vector<double>{x[0] > 0 ? 1.0 : 0.0}; });
  const Value options = Value::object({{"explain", 20}, {"samples", 2000}});
  const Result fooled = lime_result(scaffolded, table, options), right = lime_result(honest, table, options);
  // The innocuous feature is named first.
  EXPECT_EQ(terms_of(fooled).terms[0].features[0], "x1");
  const Caveat* caught = caveat(fooled, "off-data-behaviour");
  ASSERT_NE(caught, nullptr);
  EXPECT_GT(caught->evidence.find("r2_on_rows")->as_number(), 0.8);
  EXPECT_LT(caught->evidence.find("r2_on_samples")->as_number(), 0.2);
  EXPECT_LT(caught->evidence.find("line_r2_near")->as_number(), caught->evidence.find("line_r2")->as_number());
  EXPECT_EQ(caveat(right, "off-data-behaviour"), nullptr);
  EXPECT_EQ(terms_of(right).terms[0].features[0], "x0");
}

TEST(Lime, AWidthThatDecidesIsSaid) {
  // Near the row, where x1 is large, x0 > 0 adds; elsewhere it takes away.
  const FunctionModel model({"x0", "x1"}, [](const std::vector<double>& x) {
    return std::vector<double>{(x[0] > 0.7 ? 1.0 : 0.0) * (x[1] > 0.7 ? 1.0 : -1.0)};
  });
  Table table = normals(2, 500);
  std::vector<double> x0 = column_values(table, 0), x1 = column_values(table, 1);
  x0[0] = x1[0] = 2;
  table = numbers_table({"x0", "x1"}, {x0, x1});
  const Value options = Value::object({{"rows", std::vector<std::int64_t>{0}}, {"samples", 20000}});
  const Result result = lime_result(model, table, options);
  const Caveat* found = caveat(result, "width-decides");
  ASSERT_NE(found, nullptr);
  EXPECT_THAT(found->message.plain(), HasSubstr("x0"));
  const FunctionModel additive({"x0", "x1"},
                               [](const std::vector<double>& x) { return std::vector<double>{x[0] + x[1]}; });
  EXPECT_EQ(caveat(lime_result(additive, table, options), "width-decides"), nullptr);
}

TEST(Lime, FewSamplesOfAWildModelAreUnstable) {
  const Table table = normals(12, 200);
  std::vector<std::string> names;
  for (int j = 0; j < 12; ++j) names.push_back("x" + std::to_string(j));
  const FunctionModel wild(names, [](const std::vector<double>& x) {
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += std::sin(1e4 * x[j]);
    return std::vector<double>{sum};
  });
  const Result result =
      lime_result(wild, table, Value::object({{"rows", std::vector<std::int64_t>{0}}, {"samples", 100}}));
  ASSERT_NE(caveat(result, "unstable-local"), nullptr);
  EXPECT_LT(detail(terms_of(result), "stability"), 0.7);
  ASSERT_NE(caveat(result, "low-fidelity"), nullptr);
  const FunctionModel plain(names, [](const std::vector<double>& x) {
    return std::vector<double>{16 * x[0] + 8 * x[1] + 4 * x[2] + 2 * x[3] + x[4]};
  });
  const Result steady =
      lime_result(plain, table, Value::object({{"rows", std::vector<std::int64_t>{0}}, {"bins", "none"}}));
  EXPECT_EQ(caveat(steady, "unstable-local"), nullptr);
}

TEST(Lime, AKernelThatSeesNothingButTheRowIsCalledSo) {
  const Table table = normals(3, 200);
  const FunctionModel model({"x0", "x1", "x2"}, [](const std::vector<double>& x) { return std::vector<double>{x[0]}; });
  const auto at_width = [&](double width) {
    return lime_result(model, table,
                       Value::object({{"rows", std::vector<std::int64_t>{0}}, {"samples", 500}, {"width", width}}));
  };
  const Result narrow = at_width(0.01);
  const Caveat* found = caveat(narrow, "few-near-rows");
  ASSERT_NE(found, nullptr);
  EXPECT_LT(found->evidence.find("effective_samples")->as_number(), 30);
  EXPECT_EQ(caveat(at_width(1.3), "few-near-rows"), nullptr);
}

// Rows are taken together where that is faster: as many as there are, each is explained as if it were alone.
TEST(Lime, RowsTogetherAreExplainedAsEachAlone) {
  const Table table = random_table(5, 60);
  const auto model = random_trees(8, tree_families().at("xgboost"));
  const auto lines = [&](std::int64_t first, std::int64_t count) {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), first);
    const Result result =
        lime_result(*model, table, Value::object({{"rows", rows}, {"scale", "margin"}, {"samples", 50}}));
    std::vector<std::vector<double>> found;
    for (const ResultItem& item : result.results) {
      const auto* terms = item.as<Terms>();
      if (terms == nullptr) continue;
      std::vector<double>& line = found.emplace_back(std::vector{terms->intercept, terms->line.value_or(0)});
      for (const LinearTerm& term : terms->terms) line.push_back(term.coefficient);
    }
    return found;
  };
  constexpr std::int64_t rows = 31;
  std::vector<std::vector<double>> alone;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (auto& line : lines(row, 1)) alone.push_back(std::move(line));
  }
  for (std::int64_t count = 2; count <= rows; ++count) {
    const std::vector<std::vector<double>> together = lines(0, count);
    ASSERT_EQ(together.size(), 2 * static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < together.size(); ++i)
      EXPECT_EQ(together[i], alone[i]) << i << " of " << count << " rows";
  }
}

TEST(Lime, KeepsTheFeaturesThatMatter) {
  const Table table = normals(6, 300);
  const FunctionModel model({"x0", "x1", "x2", "x3", "x4", "x5"}, [](const std::vector<double>& x) {
    return std::vector<double>{3 * x[1] - 2 * x[4] + 0.01 * x[0]};
  });
  for (const char* select : {"forward", "weights", "lasso-path", "auto"}) {
    const Result result = lime_result(
        model, table, Value::object({{"rows", std::vector<std::int64_t>{3}}, {"terms", 2}, {"select", select}}));
    ASSERT_EQ(terms_of(result).terms.size(), 2U) << select;
    EXPECT_NE(coefficient(terms_of(result), "x1"), 0) << select;
    EXPECT_NE(coefficient(terms_of(result), "x4"), 0) << select;
  }
}

TEST(Lime, PicksRowsThatCoverDifferentThings) {
  const Table table = normals(3, 200);
  const FunctionModel model(
      {"x0", "x1", "x2"}, [](const std::vector<double>& x) { return std::vector<double>{std::abs(x[0]) + 2 * x[1]}; });
  const Result result =
      lime_result(model, table, Value::object({{"pick", 3}, {"explain", 50}, {"terms", 2}, {"samples", 500}}));
  const Examples* picked = nullptr;
  for (const ResultItem& item : result.results) {
    if (item.is<Examples>()) picked = item.as<Examples>();
  }
  ASSERT_NE(picked, nullptr);
  ASSERT_EQ(picked->rows.size(), 3U);
  // Each next row adds no more than the one before, and together they cover what is told.
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (i > 0) {
      EXPECT_LE(*picked->rows[i].score, *picked->rows[i - 1].score + 1e-12);
    }
    sum += *picked->rows[i].score;
    EXPECT_NEAR(*picked->rows[i].objective, sum, 1e-12);
  }
  EXPECT_NEAR(picked->details.find("coverage")->as_number(), sum, 1e-12);
  EXPECT_EQ(terms_of(result, 2).row, picked->rows[2].row);
}

// Leaves of single splits, with a link.
std::unique_ptr<Model> stumps(const std::vector<std::pair<std::int32_t, double>>& splits) {
  TreeEnsemble::Parts parts;
  parts.signature.format = "stumps";
  parts.signature.features = {{.name = "x0"}, {.name = "x1"}};
  parts.signature.outputs = {"yes"};
  parts.signature.task = Task::binary;
  parts.signature.has_margin = true;
  parts.link = {Link::logistic, 1};
  parts.comparison = Comparison::float64_less_equal;
  parts.base = {0};
  for (const auto& [feature, size] : splits) {
    const auto at = static_cast<std::int32_t>(parts.nodes.size());
    parts.nodes.push_back({.left = at + 1, .right = at + 2, .feature = feature, .threshold = 0});
    parts.nodes.push_back({.threshold = -size});
    parts.nodes.push_back({.threshold = size});
    parts.trees.push_back({static_cast<std::uint32_t>(at), 0});
  }
  return std::make_unique<TreeEnsemble>(std::move(parts), "stumps");
}

TEST(Lime, CountsPredictionsThatRestOnNoise) {
  const Table table = normals(2, 400);
  const Value options = Value::object({{"noisy", std::vector<std::string>{"x1"}}, {"explain", 100}});
  const auto share = [&](const Model& model) {
    const Result result = lime_result(model, table, options);
    for (const ResultItem& item : result.results) {
      if (item.is<Figure>()) return item.as<Figure>()->value;
    }
    throw std::runtime_error("no figure");
  };
  const auto sound = stumps({{0, 2.0}, {1, 0.1}}), noise = stumps({{0, 0.5}, {1, 2.0}});
  EXPECT_EQ(share(*sound), 0);
  EXPECT_GT(share(*noise), 0.1);
  ASSERT_NE(caveat(lime_result(*noise, table, options), "untrustworthy-predictions"), nullptr);
}

TEST(Lime, BadInputIsRefusedOrExplained) {
  const Table table = random_table(2, 60);
  const FunctionModel model({"a", "b", "c", "d"},
                            [](const std::vector<double>& x) { return std::vector<double>{x[0]}; });
  const auto complaint = [&](const Value& options) {
    try {
      (void)lime_result(model, table, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_THAT(complaint(Value::object({{"rows", std::vector<std::int64_t>{60}}})), HasSubstr("60"));
  EXPECT_THAT(complaint(Value::object({{"estimator", "exact"}})), HasSubstr("shows no trees"));
  EXPECT_THAT(complaint(Value::object({{"around", "row"}})), HasSubstr("bins"));
  EXPECT_THAT(complaint(Value::object({{"draw", "normal"}, {"bins", "none"}})), HasSubstr("draw"));
  EXPECT_THAT(complaint(Value::object({{"noisy", std::vector<std::string>{"a"}}})), HasSubstr("number"));
  EXPECT_THAT(complaint(Value::object({{"noisy", std::vector<std::string>{"q"}}})), HasSubstr("q"));
  EXPECT_THAT(complaint(Value::object({{"width", 0.0}})), HasSubstr("width"));
  EXPECT_THAT(complaint(Value::object({{"samples", 1000000}, {"repeats", 100}})), HasSubstr("memory"));
  const FunctionModel broken({"a", "b", "c", "d"}, [](const std::vector<double>&) { return std::vector<double>{NAN}; });
  EXPECT_THROW((void)lime_result(broken, table, Value::object({})), Error);
}

TEST(Lime, RowsWithoutAnyValueAndConstantModelsHaveExplanations) {
  const Table table = numbers_table({"x0", "x1"}, {{NAN, 1, 2, 3, 4, 5}, {NAN, 5, 5, 1, 2, NAN}});
  const FunctionModel counts({"x0", "x1"}, [](const std::vector<double>& x) {
    return std::vector<double>{(std::isnan(x[0]) ? 7 : 0) + (std::isnan(x[1]) ? 1.0 : 0.0)};
  });
  for (const char* bins : {"quartiles", "none"}) {
    const Result result = lime_result(
        counts, table,
        Value::object({{"rows", std::vector<std::int64_t>{0}}, {"samples", 2000}, {"penalty", 0}, {"bins", bins}}));
    EXPECT_NEAR(coefficient(terms_of(result), "x0"), 7, 1e-9) << bins;
    EXPECT_NEAR(coefficient(terms_of(result), "x1"), 1, 1e-9) << bins;
    EXPECT_EQ(term_text(terms_of(result).terms[0]), "x0 is missing");
  }
  const FunctionModel constant({"x0"}, [](const std::vector<double>&) { return std::vector<double>{4}; });
  const Result same = lime_result(constant, table, Value::object({{"rows", std::vector<std::int64_t>{1, 2}}}));
  EXPECT_NEAR(coefficient(terms_of(same), "x0"), 0, 1e-12);
  EXPECT_NEAR(*terms_of(same).line, 4, 1e-12);
  EXPECT_EQ(caveat(same, "unstable-local"), nullptr);
}

}  // namespace
}  // namespace sightglass
