#include "sightglass/methods/performance/threshold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sightglass/base/error.h"
#include "sightglass/methods/run/session.h"
#include "sightglass/result/shapes/confusion.h"
#include "sightglass/result/shapes/diagram.h"
#include "support/function_model.h"
#include "support/law_cases.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using testing::FunctionModel;

const testing::LawCase laws("threshold", {.options = Value::object({{"points", 11}, {"false_negative_cost", 3}}),
                                          .about_features = false,
                                          .target = testing::LawTarget::classes});

Result chosen(std::vector<double> x, std::vector<double> y, std::vector<double> w, Value options) {
  const FunctionModel model({"x"}, [](const auto& row) { return std::vector<double>{row[0]}; });
  const Table table(Schema({{.name = "x"}, {.name = "y"}, {.name = "w"}}),
                    {column_of(std::move(x)), column_of(std::move(y)), column_of(std::move(w))});
  Context context(1);
  return run("threshold", model, table.with_weights(2), options.set("target", "y"), context);
}

const Diagram& costs(const Result& result) { return result.results.at(0).get<Diagram>(); }
const Diagram& rates(const Result& result) { return result.results.at(1).get<Diagram>(); }

double figure(const Diagram& diagram, const std::string& name) {
  for (const DiagramFigure& each : diagram.figures) {
    if (each.name == name) return each.value;
  }
  return NAN;
}

TEST(Threshold, ByHand) {
  const Result result = chosen({0.9, 0.7, 0.4, 0.2}, {1, 0, 1, 0}, {1, 1, 1, 1},
                               Value::object({{"points", 3}, {"false_negative_cost", 3}}));
  // From 0.4 on: one wrongly taken, none missed.
  EXPECT_DOUBLE_EQ(figure(costs(result), "best threshold"), 0.4);
  EXPECT_DOUBLE_EQ(figure(costs(result), "cost there"), 0.25);
  EXPECT_DOUBLE_EQ(figure(costs(result), "cost at 0.5"), (1 + 3) / 4.0);
  EXPECT_DOUBLE_EQ(figure(costs(result), "cost without a model"), 0.5) << "always";
  const auto own = own_series(rates(result));
  ASSERT_EQ(own.size(), 4U);
  EXPECT_THAT(own[0]->y, ElementsAre(0.5, 0.5)) << "nothing is predicted from 1 on, so nothing is right about it";
  EXPECT_THAT(own[1]->y, ElementsAre(1, 0.5, 0));
  EXPECT_THAT(own[2]->y, ElementsAre(4.0 / 6, 0.5, 0));
  EXPECT_THAT(own[3]->y, ElementsAre(1, 0.5, 0));
  const auto& confusion = result.results.at(2).get<Confusion>();
  EXPECT_THAT(confusion.count[0], ElementsAre(1, 1));
  EXPECT_THAT(confusion.count[1], ElementsAre(0, 2));
  EXPECT_DOUBLE_EQ(confusion.threshold.value(), 0.4);
}

TEST(Threshold, BestIsTheCheapestOfAll) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> x, y, w;
    for (int i = 0; i < 60; ++i) {
      x.push_back(static_cast<double>(random() % 31) / 30);
      y.push_back(static_cast<double>(random() % 30) < 30 * x.back() ? 1 : 0);
      w.push_back(1 + static_cast<double>(random() % 3));
    }
    const double wrong = static_cast<double>(random() % 5) + 0.5, missed = static_cast<double>(random() % 5);
    const Result result =
        chosen(x, y, w, Value::object({{"false_positive_cost", wrong}, {"false_negative_cost", missed}}));
    double best = INFINITY, total = 0;
    for (const double weight : w) total += weight;
    for (int t = 0; t <= 31; ++t) {
      double cost = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const bool taken = x[i] * 30 >= t - 1e-9;
        if (taken && y[i] == 0) cost += wrong * w[i];
        if (!taken && y[i] == 1) cost += missed * w[i];
      }
      best = std::min(best, cost / total);
    }
    const double found = figure(costs(result), "cost there");
    if (std::isnan(found)) {
      EXPECT_NEAR(figure(costs(result), "cost without a model"), best, 1e-12) << "never";
    } else {
      EXPECT_NEAR(found, best, 1e-12);
    }
  }
}

TEST(Threshold, SaysWhereItIsCheaperNeverToPredict) {
  const Result result = chosen({0.9, 0.1}, {0, 1}, {1, 1}, Value::object({{"false_positive_cost", 100}}));
  EXPECT_TRUE(std::isnan(figure(costs(result), "best threshold")));
  EXPECT_EQ(result.results.size(), 2U);
  EXPECT_TRUE(std::any_of(result.caveats.begin(), result.caveats.end(),
                          [](const Caveat& caveat) { return caveat.id == "never-predicted"; }));
  EXPECT_THROW((void)chosen({0.9}, {0}, {1}, Value::object({{"false_positive_cost", 0}, {"false_negative_cost", 0}})),
               Error);
}

}  // namespace
}  // namespace sightglass
