#include "sightglass/learn/gam.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"
#include "sightglass/learn/additive/bins.h"
#include "sightglass/learn/additive/components.h"
#include "sightglass/learn/additive/pieces.h"
#include "sightglass/result/json.h"
#include "sightglass/result/result.h"
#include "sightglass/result/shapes/curve.h"
#include "sightglass/result/shapes/figure.h"
#include "sightglass/result/shapes/importance.h"
#include "sightglass/result/shapes/surface.h"

namespace sightglass {

namespace {

const double missing = std::nan("");

double uniform(std::uint64_t stream, std::uint64_t index) {
  return static_cast<double>(random_bits(17, stream, index) >> 11U) * 0x1p-53;
}
double normal(std::uint64_t stream, std::uint64_t index) {
  double sum = -6;
  for (std::uint64_t i = 0; i < 12; ++i) sum += uniform(stream, 12 * index + i);
  return sum;
}

TrainingData columns(std::vector<std::vector<double>> features, std::vector<double> outcome) {
  TrainingData data;
  data.rows = outcome.size();
  data.target = "y";
  data.outcome = std::move(outcome);
  for (std::size_t i = 0; i < features.size(); ++i)
    data.features.push_back({{.name = "x" + std::to_string(i)}, std::move(features[i])});
  return data;
}

// Uniform numbers between -1 and 1, and an outcome that follows from them.
TrainingData made(std::size_t rows, std::size_t features, double noise,
                  const std::function<double(const std::vector<double>&)>& truth) {
  std::vector<std::vector<double>> values(features);
  std::vector<double> outcome;
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<double> x;
    for (std::size_t i = 0; i < features; ++i) {
      x.push_back(2 * uniform(i, row) - 1);
      values[i].push_back(x.back());
    }
    outcome.push_back(truth(x) + noise * normal(100, row));
  }
  return columns(std::move(values), std::move(outcome));
}

void make_classes(TrainingData& data, std::vector<double> cuts) {
  for (double& value : data.outcome)
    value = static_cast<double>(std::upper_bound(cuts.begin(), cuts.end(), value) - cuts.begin());
  for (std::size_t k = 0; k <= cuts.size(); ++k) data.classes.push_back("class " + std::to_string(k));
}

void make_levels(TrainingFeature& feature, std::size_t levels) {
  feature.info.categorical = true;
  for (std::size_t level = 0; level < levels; ++level) feature.info.levels.push_back("l" + std::to_string(level));
}

Learned fit(const TrainingData& data, const Value& options = Value::object(), int threads = 1) {
  return gam().fit(data, options, Context(threads));
}
const StepStructure& steps(const Learned& learned) { return std::get<StepStructure>(learned.structure); }

std::size_t bin_of(const TrainingData& data, const StepTerm& term, std::size_t side, std::size_t row) {
  const TrainingFeature& feature = data.features[term.features[side]];
  const double x = feature.values[row];
  const std::vector<double>& edges = term.edges[side];
  if (feature.info.categorical) return std::isnan(x) ? feature.info.levels.size() : static_cast<std::size_t>(x);
  if (std::isnan(x)) return edges.size() + 1;
  std::size_t bin = 0;
  while (bin < edges.size() && edges[bin] < x) ++bin;
  return bin;
}
std::size_t bins_of(const TrainingData& data, const StepTerm& term, std::size_t side) {
  const FeatureInfo& info = data.features[term.features[side]].info;
  return info.categorical ? info.levels.size() + 1 : term.edges[side].size() + 2;
}
double contribution(const TrainingData& data, const StepTerm& term, std::size_t row, std::size_t output = 0,
                    std::size_t outputs = 1) {
  std::size_t bin = bin_of(data, term, 0, row);
  if (term.features.size() == 2) bin = bin * bins_of(data, term, 1) + bin_of(data, term, 1, row);
  return term.values.at(bin * outputs + output);
}
double margin(const TrainingData& data, const StepStructure& structure, std::size_t row, std::size_t output = 0) {
  double sum = structure.intercept[output];
  for (const StepTerm& term : structure.terms) sum += contribution(data, term, row, output, structure.intercept.size());
  return sum;
}
double r2(const TrainingData& data, const StepStructure& structure) {
  double mean = 0, error = 0, spread = 0;
  for (const double y : data.outcome) mean += y / static_cast<double>(data.rows);
  for (std::size_t row = 0; row < data.rows; ++row) {
    error += std::pow(data.outcome[row] - margin(data, structure, row), 2);
    spread += std::pow(data.outcome[row] - mean, 2);
  }
  return 1 - error / spread;
}

// Whatever the data: weighted means over rows are 0, also in each line of a pair.
void expect_pure(const TrainingData& data, const StepStructure& structure) {
  const std::size_t outputs = structure.intercept.size();
  for (const StepTerm& term : structure.terms) {
    for (std::size_t k = 0; k < outputs; ++k) {
      double sum = 0;
      std::vector<std::vector<double>> lines(2);
      for (std::size_t side = 0; side < term.features.size(); ++side) lines[side].resize(bins_of(data, term, side));
      for (std::size_t row = 0; row < data.rows; ++row) {
        const double value = data.weight(row) * contribution(data, term, row, k, outputs);
        sum += value;
        for (std::size_t side = 0; term.features.size() == 2 && side < 2; ++side)
          lines[side][bin_of(data, term, side, row)] += value;
      }
      EXPECT_NEAR(sum / static_cast<double>(data.rows), 0, 1e-10);
      for (const auto& line : lines) {
        for (const double of_line : line) EXPECT_NEAR(of_line / static_cast<double>(data.rows), 0, 1e-10);
      }
    }
  }
}

std::string bytes_of(const Learned& learned) {
  Result result;
  result.results = learned.shown;
  return to_json(to_value(learned.structure)) + to_json(result);
}

TEST(GamBins, GroupsWeighTheSameAndHeavyOnesStandAlone) {
  EXPECT_EQ(additive::equal_groups(std::vector<double>{1, 1, 1, 1, 1, 1}, 3), (std::vector<std::size_t>{2, 4, 6}));
  EXPECT_EQ(additive::equal_groups(std::vector<double>{1, 2, 3}, 5), (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(additive::equal_groups(std::vector<double>{1, 1, 20, 1, 1}, 3), (std::vector<std::size_t>{2, 3, 5}));
}

TEST(GamBins, CodesFollowTheEdges) {
  TrainingData data = columns({{3, 1, missing, 2, 1}}, {0, 0, 0, 0, 0});
  const auto bins = additive::bin_features(data, 256, 32, Context(1));
  EXPECT_EQ(bins[0].edges, (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(bins[0].codes, (std::vector<std::uint8_t>{2, 0, 3, 1, 0}));
  EXPECT_EQ(bins[0].weights, (std::vector<double>{2, 1, 1, 1}));
}

TEST(GamPieces, TheBestCutsAreFound) {
  additive::BinSums sums(6);  // the last bin is for missing values
  sums.gradient = {-2, -2, 0, 0, 6, 0};
  sums.curvature = sums.weight = {2, 2, 2, 2, 2, 0};
  std::vector<float> step(6);
  additive::PieceFinder finder({.leaves = 3});
  ASSERT_TRUE(finder.along_one(sums, additive::BinOrder::numbers, Monotone::free, step));
  EXPECT_EQ(step, (std::vector<float>{-1, -1, 0, 0, 3, 0}));
  ASSERT_FALSE(finder.along_one(sums, additive::BinOrder::numbers, Monotone::decreasing, step));
}

TEST(GamPieces, FourLeavesOfTwoFeatures) {
  additive::BinSums sums(9);
  sums.gradient = {1, 1, -1, 1, 1, -1, -2, -2, 2};
  sums.curvature = sums.weight = std::vector<double>(9, 1);
  std::vector<float> step(9);
  additive::PieceFinder finder({});
  ASSERT_TRUE(finder.along_two(sums, additive::BinOrder::numbers, additive::BinOrder::levels, 3, step));
  EXPECT_EQ(step, (std::vector<float>{1, 1, -1, 1, 1, -1, -2, -2, 2}));
}

TEST(GamComponents, PairsArePurifiedToMainEffects) {
  std::vector<double> table = {1, 2, 3, 5}, rows(2), columns_(2);
  const std::vector<double> weights = {1, 2, 3, 1}, before = table;
  additive::purify_pair(table, weights, rows, columns_);
  for (std::size_t a : {0U, 1U}) {
    EXPECT_NEAR(weights[2 * a] * table[2 * a] + weights[2 * a + 1] * table[2 * a + 1], 0, 1e-13);
    EXPECT_NEAR(weights[a] * table[a] + weights[2 + a] * table[2 + a], 0, 1e-13);
    for (std::size_t b : {0U, 1U}) EXPECT_NEAR(table[2 * a + b] + rows[a] + columns_[b], before[2 * a + b], 1e-13);
  }
}

TEST(Gam, ShapesOfAdditiveDataAreFound) {
  const auto truth = [](const std::vector<double>& x) { return std::sin(3 * x[0]) + (x[1] > 0.2 ? 1.0 : 0.0); };
  const TrainingData data = made(4000, 3, 0.1, truth);
  const Learned learned = fit(data, Value::object({{"pairs", 0}, {"bags", 4}}));
  EXPECT_EQ(learned.link.link, Link::identity);
  const double step_mean = 0.4;
  int curves = 0;
  for (const ResultItem& item : learned.shown) {
    const Curve* curve = item.as<Curve>();
    if (curve == nullptr) continue;
    ++curves;
    EXPECT_EQ(curve->output, "prediction");
    EXPECT_EQ(curve->axis.size(), 255U);  // all the model's steps
    EXPECT_EQ(curve->se_shape.size(), curve->axis.size());
    EXPECT_NEAR(std::accumulate(curve->count.begin(), curve->count.end(), 0.0), 4000, 1e-9);
    for (std::size_t i = 1; i + 1 < curve->axis.size(); ++i) {
      const double x = curve->axis.numbers[i];
      if (std::abs(x - 0.2) < 0.03) continue;
      const double expected = curve->axis.feature == "x0"   ? std::sin(3 * x)
                              : curve->axis.feature == "x1" ? (x > 0.2 ? 1.0 : 0.0) - step_mean
                                                            : 0.0;
      EXPECT_NEAR(curve->mean[i], expected, 0.1) << curve->axis.feature << " at " << x;
    }
  }
  EXPECT_EQ(curves, 3);
  EXPECT_GT(r2(data, steps(learned)), 0.98);
  expect_pure(data, steps(learned));
}

TEST(Gam, PairsAreFoundAndToldApartFromMainEffects) {
  const auto truth = [](const std::vector<double>& x) { return x[0] + 2 * x[1] * x[3]; };
  const TrainingData data = made(4000, 5, 0.1, truth);
  const Learned learned = fit(data, Value::object({{"pairs", 1}, {"bags", 2}}));
  ASSERT_EQ(steps(learned).terms.back().features, (std::vector<std::uint32_t>{1, 3}));
  expect_pure(data, steps(learned));
  EXPECT_GT(r2(data, steps(learned)), 0.97);
  for (const ResultItem& item : learned.shown) {
    if (const auto* importance = item.as<Importance>(); importance && importance->feature == "x1") {
      EXPECT_LT(importance->importance, 0.05);
    }
    if (const auto* surface = item.as<Surface>()) {
      EXPECT_EQ(surface->first.feature + surface->second.feature, "x1x3");
      EXPECT_GT(surface->mean.front().front(), 1);
      EXPECT_LT(surface->mean.front().back(), -1);
    }
  }
  const Learned named = fit(data, Value::object({{"named_pairs", std::vector<std::string>{"x3:x1"}}, {"bags", 2}}));
  EXPECT_EQ(to_json(to_value(named.structure)), to_json(to_value(learned.structure)));
}

TEST(Gam, ClassesMissingValuesAndLevels) {
  TrainingData data = made(1500, 4, 0.3, [](const std::vector<double>& x) { return 2 * x[0] + x[1] * x[2]; });
  for (std::size_t row = 0; row < data.rows; row += 7) data.features[0].values[row] = missing;
  for (double& value : data.features[3].values) value = std::floor(4 * (value + 1) / 2);
  make_levels(data.features[3], 6);  // two levels have no rows
  data.weights.assign(data.rows, 1);
  for (std::size_t row = 0; row < data.rows; row += 3) data.weights[row] = 2.5;
  for (const std::size_t classes : {2U, 3U}) {
    TrainingData classified = data;
    make_classes(classified, classes == 2 ? std::vector<double>{0} : std::vector<double>{-0.5, 0.7});
    const Learned learned = fit(classified, Value::object({{"pairs", 2}, {"bags", 2}}));
    const std::size_t outputs = classes == 2 ? 1 : classes;
    EXPECT_EQ(learned.link.link, classes == 2 ? Link::logistic : Link::softmax);
    ASSERT_EQ(steps(learned).intercept.size(), outputs);
    expect_pure(classified, steps(learned));
    std::size_t right = 0;
    for (std::size_t row = 0; row < data.rows; ++row) {
      std::vector<double> margins;
      for (std::size_t k = 0; k < outputs; ++k) margins.push_back(margin(classified, steps(learned), row, k));
      const auto best =
          outputs == 1 ? (margins[0] > 0 ? 1 : 0) : std::max_element(margins.begin(), margins.end()) - margins.begin();
      right += static_cast<double>(best) == classified.outcome[row] ? 1 : 0;
    }
    EXPECT_GT(right, classes == 2 ? 1250U : 1100U);
    for (const StepTerm& term : steps(learned).terms) {
      if (term.features == std::vector<std::uint32_t>{3}) {
        EXPECT_EQ(term.values.size(), 7 * outputs);
      }
    }
  }
}

TEST(Gam, CountsByPoisson) {
  TrainingData data = made(3000, 2, 0, [](const std::vector<double>& x) { return 20 * std::exp(x[0]); });
  for (double& count : data.outcome) count = std::round(count);
  const Learned learned = fit(data, Value::object({{"loss", "poisson"}, {"pairs", 0}, {"bags", 2}}));
  EXPECT_EQ(learned.link.link, Link::exponential);
  for (std::size_t row = 0; row < data.rows; row += 100)
    EXPECT_NEAR(std::exp(margin(data, steps(learned), row)), data.outcome[row], 0.1 * data.outcome[row] + 1);
  data.outcome[5] = -1;
  EXPECT_THROW(fit(data, Value::object({{"loss", "poisson"}})), Error);
}

TEST(Gam, WeightsAreDuplicatedRows) {
  const auto truth = [](const std::vector<double>& x) { return std::sin(3 * x[0]) + x[1] * x[2]; };
  TrainingData weighted = made(399, 3, 0.2, truth), duplicated = weighted;  // which weigh 2 on average
  for (TrainingFeature& feature : duplicated.features) feature.values.clear();
  duplicated.outcome.clear();
  for (std::size_t row = 0; row < weighted.rows; ++row) {
    weighted.weights.push_back(static_cast<double>(1 + row % 3));
    for (std::size_t copy = 0; copy <= row % 3; ++copy) {
      for (std::size_t i = 0; i < 3; ++i) duplicated.features[i].values.push_back(weighted.features[i].values[row]);
      duplicated.outcome.push_back(weighted.outcome[row]);
    }
  }
  duplicated.rows = duplicated.outcome.size();
  const auto options = [](int min_leaf_rows) {
    return Value::object(
        {{"validation", 0}, {"rounds", 60}, {"smoothing_rounds", 30}, {"pairs", 1}, {"min_leaf_rows", min_leaf_rows}});
  };
  const Learned a = fit(weighted, options(10)), b = fit(duplicated, options(20));
  ASSERT_EQ(a.size, b.size);
  for (std::size_t row = 0; row < weighted.rows; ++row)
    EXPECT_NEAR(margin(weighted, steps(a), row), margin(weighted, steps(b), row), 1e-4);
}

TEST(Gam, TheUnitOfTheWeightsDoesNotMatter) {
  TrainingData data = made(500, 3, 0.2, [](const std::vector<double>& x) { return x[0] + 2 * x[1] * x[2]; });
  for (std::size_t row = 0; row < data.rows; ++row) data.weights.push_back(0.5 + 2 * uniform(200, row));
  const Value options = Value::object({{"bags", 2}, {"pairs", 1}});
  for (const bool classes : {false, true}) {
    if (classes) make_classes(data, {-0.5, 0.5});
    const Learned one = fit(data, options);
    for (const double unit : {1000.0, 0.1, 1e-9}) {
      TrainingData scaled = data;
      for (double& weight : scaled.weights) weight *= unit;
      const Learned other = fit(scaled, options);
      ASSERT_EQ(one.size, other.size);
      const std::size_t outputs = steps(one).intercept.size();
      for (std::size_t row = 0; row < data.rows; ++row) {
        for (std::size_t k = 0; k < outputs; ++k)
          ASSERT_NEAR(margin(data, steps(one), row, k), margin(data, steps(other), row, k), 1e-9) << unit;
      }
    }
  }
}

TEST(Gam, PairsThatNoiseWouldExplainHaveNoTerm) {
  const auto additive = [](const std::vector<double>& x) { return std::sin(3 * x[0]) + x[1]; };
  for (const std::size_t rows : {200U, 1000U}) {
    const Learned learned = fit(made(rows, 6, 0.5, additive), Value::object({{"bags", 2}}));
    for (const StepTerm& term : steps(learned).terms) EXPECT_EQ(term.features.size(), 1U) << rows;
  }
}

TEST(Gam, SaysWhenNothingWasLearned) {
  const auto id_of = [](const Learned& learned) { return learned.caveats.empty() ? "" : learned.caveats[0].id; };
  EXPECT_EQ(id_of(fit(columns({{1, 2, 3}}, {1, 5, 3}))), "nothing-learned");
  TrainingData data = made(40, 2, 0.3, [](const std::vector<double>& x) { return 2 * x[0]; });
  EXPECT_EQ(id_of(fit(data, Value::object({{"min_leaf_rows", 40}}))), "nothing-learned");
  const Learned learned = fit(data, Value::object({{"bags", 1}}));  // a tenth of 40 rows is enough for a leaf
  EXPECT_EQ(id_of(learned), "");
  EXPECT_GT(r2(data, steps(learned)), 0.5);
  data.outcome.assign(40, 2);
  EXPECT_EQ(id_of(fit(data)), "nothing-learned");
}

TEST(Gam, SameBytesForAnyNumberOfThreads) {
  TrainingData data = made(700, 4, 0.2, [](const std::vector<double>& x) { return x[0] + x[1] * x[2]; });
  const Value options = Value::object({{"bags", 5}, {"pairs", 3}});
  EXPECT_EQ(bytes_of(fit(data, options, 1)), bytes_of(fit(data, options, 4)));
  make_classes(data, {-0.4, 0.3});
  EXPECT_EQ(bytes_of(fit(data, options, 1)), bytes_of(fit(data, options, 4)));
}

TEST(Gam, MonotoneTermsOnlyRiseOrFall) {
  const TrainingData data =
      made(2000, 3, 0.5, [](const std::vector<double>& x) { return std::sin(4 * x[0]) - x[1] + x[0] * x[2]; });
  const Learned learned =
      fit(data, Value::object({{"monotone", std::vector<std::string>{"x0=increasing", "x1=decreasing"}}, {"bags", 3}}));
  int seen = 0;
  for (const StepTerm& term : steps(learned).terms) {
    EXPECT_EQ(term.features.size(), 1U);  // pairs would not be monotone
    if (term.features[0] == 2) continue;
    ++seen;
    for (std::size_t i = 1; i + 1 < term.values.size(); ++i)
      EXPECT_GE((term.features[0] == 0 ? 1 : -1) * (term.values[i] - term.values[i - 1]), -1e-12);
  }
  EXPECT_EQ(seen, 2);
  for (const char* wrong : {"x0", "x0=up", "none=increasing"})
    EXPECT_THROW(fit(data, Value::object({{"monotone", std::vector<std::string>{wrong}}})), Error);
  EXPECT_THROW(fit(data, Value::object({{"monotone", std::vector<std::string>{"x0=increasing"}},
                                        {"named_pairs", std::vector<std::string>{"x0:x1"}}})),
               Error);
}

TEST(Gam, StrangeData) {
  // Three rows, a constant outcome, columns without values or without differences.
  EXPECT_EQ(fit(columns({{1, 2, 3}}, {1, 5, 3})).size, 0U);
  EXPECT_NEAR(steps(fit(columns({{1, 2, 3}}, {1, 5, 3}))).intercept[0], 3, 1e-12);
  TrainingData data = made(300, 4, 0.1, [](const std::vector<double>& x) { return 1e150 * x[0]; });
  data.features[1].values.assign(300, missing);
  data.features[2].values.assign(300, 7);
  data.features[3].values = data.features[0].values;
  const Learned learned = fit(data, Value::object({{"bags", 2}}));
  for (std::size_t row = 0; row < 300; ++row) EXPECT_TRUE(std::isfinite(margin(data, steps(learned), row)));
  EXPECT_GT(r2(data, steps(learned)), 0.9);
  data.outcome.assign(300, 4.25);
  EXPECT_EQ(fit(data).size, 0U);
  EXPECT_EQ(steps(fit(data)).intercept[0], 4.25);
}

TEST(Gam, SeparableClassesAndOneRowOfAClass) {
  TrainingData data = made(200, 2, 0, [](const std::vector<double>& x) { return x[0]; });
  make_classes(data, {0});
  const Learned separable = fit(data, Value::object({{"bags", 2}}));
  for (std::size_t row = 0; row < 200; ++row) EXPECT_TRUE(std::isfinite(margin(data, steps(separable), row)));
  data.classes = {"a", "b", "c"};
  data.outcome[10] = 2;
  EXPECT_EQ(steps(fit(data, Value::object({{"bags", 2}}))).intercept.size(), 3U);
}

TEST(Gam, ManyLevels) {
  TrainingData data = made(3000, 2, 0.1, [](const std::vector<double>& x) { return x[0]; });
  make_levels(data.features[1], 100000);
  for (std::size_t row = 0; row < data.rows; ++row) {
    data.features[1].values[row] = row < 1500 ? static_cast<double>(row % 5) : static_cast<double>(20 * row);
    if (row < 1500) data.outcome[row] += static_cast<double>(row % 5);
  }
  const Learned learned = fit(data, Value::object({{"bags", 2}}));
  ASSERT_EQ(learned.caveats.size(), 1U);
  EXPECT_EQ(learned.caveats[0].id, "levels-grouped");
  ASSERT_EQ(steps(learned).terms.size(), 2U);  // no pair
  EXPECT_EQ(steps(learned).terms[1].values.size(), 100001U);
  // Levels that share a bin have the same value.
  EXPECT_EQ(steps(learned).terms[1].values[59000], steps(learned).terms[1].values[59900]);
  EXPECT_NEAR(steps(learned).terms[1].values[4] - steps(learned).terms[1].values[0], 4, 0.2);
  expect_pure(data, steps(learned));
}

TEST(Gam, OptionsThatMakeNoSense) {
  TrainingData data = made(50, 2, 0.1, [](const std::vector<double>& x) { return x[0]; });
  EXPECT_THROW(fit(data, Value::object({{"named_pairs", std::vector<std::string>{"x0:x9"}}})), Error);
  EXPECT_THROW(fit(data, Value::object({{"named_pairs", std::vector<std::string>{"x0"}}})), Error);
  EXPECT_THROW(fit(data, Value::object({{"loss", "log-loss"}})), Error);
  EXPECT_THROW(fit(data, Value::object({{"bins", 300}})), Error);
  make_classes(data, {0});
  EXPECT_THROW(fit(data, Value::object({{"loss", "poisson"}})), Error);
}

}  // namespace

}  // namespace sightglass
