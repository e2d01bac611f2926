#include "sightglass/methods/effects/regional_effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/result/json.h"
#include "support/function_model.h"
#include "support/law_cases.h"
#include "support/random_data.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using testing::FunctionModel;
using testing::random_table;
using testing::RowFunction;

const testing::LawCase laws(
    "regional-effects", {.options = Value::object({{"grid", 5}, {"splits", 4}, {"min_gain", 0.02}, {"min_rows", 20}})});

Result explain(const Model& model, const Table& table, const Value& options) {
  Context context(1);
  return run("regional-effects", model, table, options, context);
}

std::vector<Curve> curves_of(const Result& result) {
  std::vector<Curve> curves;
  for (const ResultItem& item : result.results) {
    if (const auto* curve = item.as<Curve>()) curves.push_back(*curve);
  }
  return curves;
}

std::vector<std::string> groups_of(const Result& result) {
  std::vector<std::string> groups;
  for (const Curve& curve : curves_of(result)) groups.push_back(curve.group);
  return groups;
}

double figure(const Result& result, const std::string& name) {
  for (const ResultItem& item : result.results) {
    if (const auto* figure = item.as<Figure>(); figure != nullptr && figure->name == name) return figure->value;
  }
  ADD_FAILURE() << name;
  return 0;
}

bool says(const Result& result, const std::string& id) {
  return std::any_of(result.caveats.begin(), result.caveats.end(), [&](const Caveat& c) { return c.id == id; });
}

// Even, unrelated numbers from −1 to 1.
std::vector<double> spread(std::size_t rows, std::size_t step) {
  std::vector<double> values(rows);
  for (std::size_t i = 0; i < rows; ++i)
    values[i] = (static_cast<double>((i * step) % rows) + 0.5) / static_cast<double>(rows) * 2 - 1;
  return values;
}

Table three_columns(std::size_t rows = 1000) {
  return Table(Schema({{.name = "x1"}, {.name = "x2"}, {.name = "x3"}}),
               {column_of(spread(rows, 7)), column_of(spread(rows, 77)), column_of(spread(rows, 333))});
}

TEST(RegionalEffects, ASignThatFlipsIsFound) {
  const FunctionModel model({"x1", "x2", "x3"},
                            [](const auto& v) { return std::vector<double>{v[1] > 0 ? v[0] : -v[0]}; });
  const Result result = explain(model, three_columns(), Value::object({{"features", "x1"}}));
  EXPECT_THAT(groups_of(result), ElementsAre("x2 ≤ 0", "x2 > 0"));
  EXPECT_NEAR(figure(result, "x1: heterogeneity before"), 1, 1e-3);
  EXPECT_NEAR(figure(result, "x1: heterogeneity after"), 0, 1e-12);
  EXPECT_NEAR(figure(result, "x1: share explained"), 1, 1e-9);
  const auto curves = curves_of(result);
  ASSERT_EQ(curves.size(), 2U);
  for (const Curve& curve : curves) {
    EXPECT_EQ(curve.axis.size(), 20U);
    EXPECT_EQ(curve.shape, CurveShape::linear);
    EXPECT_NEAR(*curve.heterogeneity, 0, 1e-12);
    EXPECT_DOUBLE_EQ(std::accumulate(curve.distribution.counts.begin(), curve.distribution.counts.end(), 0.0), 500);
  }
  for (std::size_t k = 0; k < 20; ++k) {
    EXPECT_DOUBLE_EQ(curves[0].mean[k], -curves[0].axis.numbers[k]);
    EXPECT_DOUBLE_EQ(curves[1].mean[k], curves[1].axis.numbers[k]);
  }
}

TEST(RegionalEffects, TwoSplitsWhereTwoAreNeeded) {
  // Not quite balanced: of a balanced exclusive or, no first split explains anything.
  const FunctionModel model({"x1", "x2", "x3"}, [](const auto& v) {
    return std::vector<double>{(v[1] > 0.4) != (v[2] > 0.4) ? v[0] : -v[0]};
  });
  const Result two = explain(model, three_columns(), Value::object({{"features", "x1"}, {"splits", 100}}));
  EXPECT_EQ(curves_of(two).size(), 4U);
  EXPECT_LT(figure(two, "x1: heterogeneity after"), 0.02);
  for (const Curve& curve : curves_of(two)) EXPECT_NE(curve.group.find(" and "), std::string::npos) << curve.group;
  const Result one =
      explain(model, three_columns(), Value::object({{"features", "x1"}, {"splits", 100}, {"depth", 1}}));
  EXPECT_EQ(curves_of(one).size(), 2U);
  EXPECT_GT(figure(one, "x1: heterogeneity after"), 0.3);
}

TEST(RegionalEffects, AnAdditiveModelHasOneRegion) {
  const FunctionModel model({"x1", "x2", "x3"}, [](const auto& v) {
    return std::vector<double>{std::exp(v[0]) + 1e6 * v[1] - std::abs(v[2])};
  });
  const Result result = explain(model, three_columns(), Value());
  EXPECT_THAT(groups_of(result), ElementsAre("", "", ""));
  EXPECT_TRUE(says(result, "no-split"));
  for (const Curve& curve : curves_of(result)) EXPECT_LT(*curve.heterogeneity, 1e-6);
  EXPECT_EQ(figure(result, "x1: share explained"), 0);
}

TEST(RegionalEffects, ConditionsReadWell) {
  const auto days = std::make_shared<Dictionary>(std::vector<std::string>{"no", "yes"});
  const auto sizes = std::make_shared<Dictionary>(std::vector<std::string>{"S", "M", "L", "XL"}, true);
  const auto kinds = std::make_shared<Dictionary>(std::vector<std::string>{"fog", "rain", "sun"});
  constexpr std::size_t rows = 400;
  std::vector<std::int32_t> day(rows), size(rows), kind(rows);
  std::vector<double> hour(rows), x = spread(rows, 7);
  for (std::size_t i = 0; i < rows; ++i) {
    day[i] = static_cast<std::int32_t>(i % 2);
    size[i] = static_cast<std::int32_t>(i / 2 % 4);
    kind[i] = static_cast<std::int32_t>(i / 8 % 4) - 1;
    hour[i] = i % 5 == 4 ? NAN : static_cast<double>(i / 3 % 24);
  }
  const Table table(Schema({{.name = "x"},
                            {.name = "day", .type = DType::categorical, .dictionary = days},
                            {.name = "size", .type = DType::categorical, .dictionary = sizes},
                            {.name = "kind", .type = DType::categorical, .dictionary = kinds},
                            {.name = "hour"}}),
                    {column_of(x), column_of(day, days.get()), column_of(size, sizes.get()),
                     column_of(kind, kinds.get()), column_of(hour)});
  const auto groups = [&](auto&& slope, std::int64_t depth = 1) {
    const FunctionModel model({"x", "day", "size", "kind", "hour"},
                              [&](const auto& v) { return std::vector<double>{slope(v) * v[0]}; });
    return groups_of(explain(model, table, Value::object({{"features", "x"}, {"splits", 30}, {"depth", depth}})));
  };
  EXPECT_THAT(groups([](const auto& v) { return v[1] == 0 ? 1 : -1; }), ElementsAre("day = no", "day = yes"));
  EXPECT_THAT(groups([](const auto& v) { return v[2] <= 1 ? 1 : -1; }), ElementsAre("size ≤ M", "size > M"));
  EXPECT_THAT(groups([](const auto& v) { return v[3] == 1 ? 1 : -1; }), ElementsAre("kind = rain", "kind ≠ rain"));
  EXPECT_THAT(groups([](const auto& v) { return std::isnan(v[3]) ? 1 : -1; }),
              ElementsAre("kind not missing", "kind missing"));
  EXPECT_THAT(groups([](const auto& v) { return v[4] <= 6 ? 1 : -1; }),
              ElementsAre("hour ≤ 6.5", "hour > 6.5 or missing"));
  EXPECT_THAT(groups([](const auto& v) { return v[4] > 6 ? 1 : -1; }),
              ElementsAre("hour ≤ 6.5 or missing", "hour > 6.5"));
  EXPECT_THAT(groups([](const auto& v) { return std::isnan(v[4]) ? 1 : -1; }),
              ElementsAre("hour not missing", "hour missing"));
  EXPECT_THAT(groups([](const auto& v) { return v[4] > 6 && v[4] < 18 ? 2 : -1; }, 2),
              ::testing::Contains("6.5 < hour ≤ 17.5"));
  EXPECT_THAT(groups([](const auto& v) { return v[3] == 1   ? 1
                                                : v[3] == 2 ? 0.2
                                                            : -1; }, 2),
              ::testing::Contains("kind ≠ rain and kind ≠ sun"));
  EXPECT_THAT(groups([](const auto& v) { return v[1] == 0 ? (v[4] <= 6 ? 1 : -1) : 2; }, 2),
              ElementsAre("day = no and hour ≤ 6.5", "day = no and hour > 6.5 or missing", "day = yes"));
}

// The definition, written down without bins, prefixes or exact sums.
class BruteForce {
 public:
  BruteForce(const Table& table, RowFunction f, std::size_t output, std::size_t feature, std::vector<double> grid)
      : table_(table), grid_(std::move(grid)) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
      std::vector<double> values;
      for (std::size_t column = 0; column < 4; ++column) values.push_back(table.column(column).number(row));
      weights.push_back(table.column(4).number(row));
      std::vector<double> curve;
      for (const double point : grid_) {
        values[feature] = point;
        curve.push_back(f(values)[output]);
      }
      const double mean = std::accumulate(curve.begin(), curve.end(), 0.0) / static_cast<double>(curve.size());
      raw.push_back(curve);
      for (double& value : curve) value -= mean;
      for (const double value : curve) total += weights.back() * value * value;
      centred.push_back(curve);
    }
    // Curves that are flat but for rounding have no shape.
    if (total > 1e-20) return;
    for (auto& curve : centred) std::fill(curve.begin(), curve.end(), 0.0);
    total = 0;
  }

  using Rows = std::vector<std::size_t>;
  [[nodiscard]] double weight(const Rows& rows) const {
    double sum = 0;
    for (const std::size_t row : rows) sum += weights[row];
    return sum;
  }
  [[nodiscard]] std::vector<double> mean(const Rows& rows, const std::vector<std::vector<double>>& of) const {
    std::vector<double> means(grid_.size(), 0.0);
    for (const std::size_t row : rows) {
      for (std::size_t k = 0; k < means.size(); ++k) means[k] += weights[row] * of[row][k] / weight(rows);
    }
    return means;
  }
  [[nodiscard]] double differing(const Rows& rows) const {
    const auto means = mean(rows, centred);
    double sum = 0;
    for (const std::size_t row : rows) {
      for (std::size_t k = 0; k < means.size(); ++k) sum += weights[row] * std::pow(centred[row][k] - means[k], 2);
    }
    return sum;
  }

  // Every way to cut rows in two by columns other than the feature.
  [[nodiscard]] std::vector<std::pair<Rows, Rows>> cuts(const Rows& rows, std::size_t feature) const {
    std::vector<std::pair<Rows, Rows>> cuts;
    for (std::size_t column = 0; column < 4; ++column) {
      if (column == feature) continue;
      std::set<double> values;
      for (std::size_t row = 0; row < table_.rows(); ++row) {
        const double value = table_.column(column).number(row);
        if (!std::isnan(value) && weights[row] > 0) values.insert(value);
      }
      const auto cut = [&](auto&& near) {
        cuts.emplace_back();
        for (const std::size_t row : rows)
          (near(table_.column(column).number(row)) ? cuts.back().first : cuts.back().second).push_back(row);
      };
      for (const double value : values) {
        if (column == 2) {
          cut([&](double v) { return v == value; });
        } else if (value != *values.rbegin()) {
          cut([&](double v) { return v <= value; });
          cut([&](double v) { return std::isnan(v) || v <= value; });
        }
      }
      cut([&](double v) { return !std::isnan(v); });
    }
    return cuts;
  }

  [[nodiscard]] std::vector<Rows> regions(const Rows& rows, std::size_t feature, int depth, double min_gain,
                                          double min_rows) const {
    std::pair<Rows, Rows> best;
    double gained = 0;
    bool found = false;
    if (depth > 0) {
      for (const auto& [near, far] : cuts(rows, feature)) {
        if (near.empty() || far.empty() || weight(near) < min_rows || weight(far) < min_rows) continue;
        const double gain = differing(rows) - differing(near) - differing(far);
        if (found && gain <= gained + 1e-9 * total) continue;
        best = {near, far};
        gained = gain;
        found = true;
      }
    }
    if (!found || total == 0 || gained < min_gain * total) return {rows};
    auto all = regions(best.first, feature, depth - 1, min_gain, min_rows);
    const auto more = regions(best.second, feature, depth - 1, min_gain, min_rows);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  std::vector<std::vector<double>> raw, centred;
  std::vector<double> weights;
  double total = 0;

 private:
  const Table& table_;
  std::vector<double> grid_;
};

TEST(RegionalEffects, EqualTheDefinitionOverAllSplits) {
  const auto f = [](const std::vector<double>& v) {
    const double b = std::isnan(v[1]) ? -2 : v[1];
    const double c = std::isnan(v[2]) ? 3 : v[2] * v[2] - 1;
    return std::vector<double>{v[0] * (b > 0.5 ? 2 : c) + v[3] * (v[0] > 0 ? 1 : -0.3) * b, std::sin(v[0] * c) + v[3]};
  };
  const FunctionModel model({"a", "b", "c", "d"}, f, {"first", "second"});
  std::size_t split = 0;
  for (const std::uint64_t seed : {21, 22, 23}) {
    const Table table = random_table(seed, 120).with_weights(4);
    for (const double min_gain : {0.1, 0.01}) {
      for (const std::size_t feature : {0UL, 1UL, 2UL, 3UL}) {
        const std::string name = table.schema()[feature].name;
        const Result result =
            explain(model, table,
                    Value::object(
                        {{"features", name}, {"grid", 6}, {"splits", 500}, {"min_gain", min_gain}, {"min_rows", 12}}));
        const auto curves = curves_of(result);
        std::size_t at = 0;
        for (std::size_t output = 0; output < 2; ++output) {
          std::vector<double> grid = curves.at(at).axis.numbers;
          for (const std::string& level : curves[at].axis.levels)
            grid.push_back(static_cast<double>(*table.schema()[2].dictionary->find(level)));
          const BruteForce brute(table, f, output, feature, grid);
          BruteForce::Rows all;
          for (std::size_t row = 0; row < table.rows(); ++row) {
            if (brute.weights[row] > 0) all.push_back(row);
          }
          double after = 0;
          const auto regions = brute.regions(all, feature, 2, min_gain, 12);
          split += regions.size() > 1 ? 1 : 0;
          for (const auto& region : regions) {
            ASSERT_LT(at, curves.size());
            const Curve& curve = curves[at++];
            EXPECT_EQ(curve.output, output == 0 ? "first" : "second");
            const auto mean = brute.mean(region, brute.raw);
            for (std::size_t k = 0; k < mean.size(); ++k) EXPECT_NEAR(curve.mean[k], mean[k], 1e-9) << curve.group;
            double own = 0;
            for (const std::size_t row : region) {
              for (const double value : brute.centred[row]) own += brute.weights[row] * value * value;
            }
            EXPECT_NEAR(*curve.heterogeneity, own > 1e-20 ? brute.differing(region) / own : 0, 1e-9) << curve.group;
            after += brute.total > 0 ? brute.differing(region) / brute.total : 0;
            double near = 0;
            for (const double count : curve.distribution.counts) near += count;
            EXPECT_NEAR(near + curve.distribution.missing, brute.weight(region), 1e-9) << curve.group;
          }
          std::vector<double> figures;
          for (const ResultItem& item : result.results) {
            const auto* each = item.as<Figure>();
            if (each != nullptr && each->output == (output == 0 ? "first" : "second")) figures.push_back(each->value);
          }
          ASSERT_EQ(figures.size(), 3U);
          EXPECT_NEAR(figures[0], brute.total > 0 ? brute.differing(all) / brute.total : 0, 1e-9);
          EXPECT_NEAR(figures[1], after, 1e-9);
          EXPECT_EQ(regions.size() == 1, figures[2] == 0);
        }
        EXPECT_EQ(at, curves.size());
      }
    }
  }
  EXPECT_GT(split, 20U);  // the comparison is of something
}

TEST(RegionalEffects, TiesGoToTheFirstFeature) {
  const auto twin = spread(300, 77);
  const Table table(Schema({{.name = "x"}, {.name = "first"}, {.name = "second"}}),
                    {column_of(spread(300, 7)), column_of(twin), column_of(twin)});
  const FunctionModel model({"x", "first", "second"},
                            [](const auto& v) { return std::vector<double>{v[1] + v[2] > 0 ? v[0] : -v[0]}; });
  EXPECT_THAT(groups_of(explain(model, table, Value::object({{"features", "x"}}))),
              ElementsAre("first ≤ 0", "first > 0"));
  EXPECT_THAT(groups_of(explain(model, table, Value::object({{"features", "x"}, {"split_by", "second"}}))),
              ElementsAre("second ≤ 0", "second > 0"));
}

TEST(RegionalEffects, EachOutputHasItsOwnRegions) {
  const FunctionModel model(
      {"x1", "x2", "x3"},
      [](const auto& v) { return std::vector<double>{v[1] > 0 ? v[0] : -v[0], v[2] > 0 ? v[0] : -v[0], v[0]}; },
      {"p", "q", "r"});
  const Result result = explain(model, three_columns(), Value::object({{"features", "x1"}}));
  EXPECT_THAT(groups_of(result), ElementsAre("x2 ≤ 0", "x2 > 0", "x3 ≤ 0", "x3 > 0", ""));
}

TEST(RegionalEffects, SmallRegionsAreNotMade) {
  const FunctionModel model({"x1", "x2", "x3"},
                            [](const auto& v) { return std::vector<double>{v[1] > 0.9 ? 5 * v[0] : -v[0]}; });
  const Value few = Value::object({{"features", "x1"}, {"splits", 100}, {"min_rows", 10}});
  EXPECT_THAT(groups_of(explain(model, three_columns(200), few)), ElementsAre("x2 ≤ 0.897", "x2 > 0.897"));
  const Result kept = explain(model, three_columns(200), Value::object({{"features", "x1"}, {"min_rows", 101}}));
  EXPECT_THAT(groups_of(kept), ElementsAre(""));
  EXPECT_TRUE(says(kept, "too-few-rows"));
  EXPECT_TRUE(says(kept, "no-split"));
}

TEST(RegionalEffects, OddButLegalInput) {
  const auto many = [] {
    std::vector<std::string> levels;
    for (int i = 0; i < 1000; ++i) levels.push_back("level " + std::to_string(i));
    return std::make_shared<Dictionary>(levels);
  }();
  constexpr std::size_t rows = 2000;
  std::vector<std::int32_t> codes(rows);
  std::vector<double> huge(rows), tiny(rows), infinite(rows), weights(rows), same(rows, 7);
  for (std::size_t i = 0; i < rows; ++i) {
    codes[i] = static_cast<std::int32_t>(i * 7 % 1000);
    huge[i] = i % 2 == 0 ? 1e300 : -1e300;
    tiny[i] = static_cast<double>(i % 3) * 1e-300;
    infinite[i] = i % 4 == 0 ? INFINITY : i % 4 == 1 ? -INFINITY : static_cast<double>(i);
    weights[i] = i % 5 == 0 ? 0 : 0.5;
  }
  const Table table = Table(Schema({{.name = "x"},
                                    {.name = "many", .type = DType::categorical, .dictionary = many},
                                    {.name = "huge"},
                                    {.name = "tiny"},
                                    {.name = "infinite"},
                                    {.name = "same"},
                                    {.name = "w"}}),
                            {column_of(spread(rows, 7)), column_of(codes, many.get()), column_of(huge), column_of(tiny),
                             column_of(infinite), column_of(same), column_of(weights)})
                          .with_weights(6);
  const FunctionModel model({"x", "many", "huge", "tiny", "infinite", "same"}, [](const auto& v) {
    return std::vector<double>{v[0] * (v[1] < 500 ? 1 : -1) + (v[4] > 10 ? v[0] : 0) + (v[2] > 0 ? v[0] : 0)};
  });
  const Result result = explain(model, table, Value::object({{"min_gain", 0.01}}));
  EXPECT_EQ(to_json(result).find("NaN"), std::string::npos);
  EXPECT_TRUE(says(result, "constant-feature"));
  EXPECT_GT(curves_of(result).size(), 6U);

  // Predictions whose squares overflow.
  const FunctionModel vast({"x", "huge"}, [](const auto& v) { return std::vector<double>{v[0] * v[1]}; });
  EXPECT_TRUE(says(explain(vast, table, Value::object({{"features", "x"}})), "too-large"));

  // One feature: nothing to split by.
  const FunctionModel lonely({"x"}, [](const auto& v) { return std::vector<double>{v[0]}; });
  EXPECT_TRUE(says(explain(lonely, table, Value()), "nothing-to-split-by"));
}

TEST(RegionalEffects, FeaturesThatWouldTakeAllMemoryAreLeftOut) {
  std::vector<std::string> names;
  std::vector<std::int32_t> codes;
  std::vector<double> x;
  for (int i = 0; i < 40000; ++i) {
    names.push_back("id" + std::to_string(i));
    codes.push_back(i);
    x.push_back(i % 100);
  }
  const auto ids = std::make_shared<Dictionary>(names);
  const Table table(Schema({{.name = "id", .type = DType::categorical, .dictionary = ids}, {.name = "x"}}),
                    {column_of(codes, ids.get()), column_of(x)});
  const FunctionModel model({"id", "x"}, [](const auto& v) { return std::vector<double>{v[0] + v[1]}; });
  EXPECT_THROW((void)explain(model, table, Value::object({{"features", "id"}, {"splits", 30}})), Error);
  const Result result = explain(model, table, Value::object({{"grid", 3}, {"splits", 30}}));
  EXPECT_TRUE(says(result, "features-left-out"));
  for (const Curve& curve : curves_of(result)) EXPECT_EQ(curve.axis.feature, "x");
}

TEST(RegionalEffects, OptionsThatMakeNoSense) {
  const FunctionModel model({"x1"}, [](const auto& v) { return std::vector<double>{v[0]}; });
  for (const auto& [name, value] : std::vector<std::pair<std::string, Value>>{
           {"depth", 0}, {"depth", 3}, {"splits", 0}, {"min_gain", 0.0}, {"min_gain", 1.5}, {"min_rows", -1}}) {
    EXPECT_THROW((void)explain(model, three_columns(), Value::object({{name, value}})), Error) << name;
  }
}

}  // namespace
}  // namespace sightglass
