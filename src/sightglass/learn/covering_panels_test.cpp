#include "sightglass/learn/covering_panels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "sightglass/base/error.h"
#include "sightglass/learn/fit.h"
#include "sightglass/learn/panels/covering.h"
#include "sightglass/learn/training_fit.h"
#include "sightglass/model/load.h"
#include "sightglass/result/json.h"
#include "support/panel_test_data.h"

namespace sightglass {
namespace {

using testing::cubes;
using ::testing::HasSubstr;
using testing::panel_item;
using testing::random_classes;
using testing::row_values;

Learned fit(const TrainingData& data, Value options = Value::object(), int threads = 1) {
  const Context context(threads);
  return covering_panels().fit(data, options, context);
}

const CoveringStructure& covering(const Learned& learned) { return std::get<CoveringStructure>(learned.structure); }

// Rows by what they are and what they are taken for, as places in the order.
struct Errors {
  std::size_t missed = 0, safe_side = 0;
};
Errors errors_of(const CoveringStructure& structure, const TrainingData& data) {
  Errors errors;
  for (std::size_t row = 0; row < data.rows; ++row) {
    const std::size_t predicted = panel_way(structure, row_values(data, row)).end;
    const auto own = static_cast<std::size_t>(
        std::find(structure.order.begin(), structure.order.end(), static_cast<std::uint32_t>(data.outcome[row])) -
        structure.order.begin());
    if (predicted > own) ++errors.missed;
    if (predicted < own) ++errors.safe_side;
  }
  return errors;
}

TEST(CoveringPanels, CubesNeedTwo) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const TrainingData data = cubes(seed);
    const Learned learned = fit(data);
    EXPECT_EQ(covering(learned).panels.size(), 2U);
    EXPECT_EQ(learned.size, 2U);
    const Errors errors = errors_of(covering(learned), data);
    EXPECT_EQ(errors.missed, 0U);
    EXPECT_EQ(errors.safe_side, 0U);
    const ShownPanels shown = panel_item(learned);
    EXPECT_EQ(shown.unclaimed, 0);
    EXPECT_EQ(shown.order.front(), "safe");  // the rarest
    EXPECT_EQ(shown.panels[0].axes.size(), 2U);
    EXPECT_GE(shown.panels[0].claimed, 200);
    EXPECT_EQ(shown.panels[0].wrong, 0);
    EXPECT_EQ(shown.panels[1].axes.size(), 1U);  // of equal gains the one with fewer features
    EXPECT_EQ(shown.panels[0].score + shown.panels[1].score, 300);
    EXPECT_FALSE(shown.panels[0].runners_up.empty());
  }
}

// The promise: whatever the data, no critical training row is claimed, also by the model that a file makes.
TEST(CoveringPanels, NoCriticalTrainingRowIsMissed) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const std::size_t classes = 2 + seed % 3;
    const TrainingData data = random_classes(seed, 90 + 30 * seed, classes);
    const Value options =
        Value::object({{"holdout_share", 0.0}, {"max_models", 4}, {"min_gain", 0.0}, {"order", Value(data.classes)}});
    const Learned learned = fit(data, options, 1);
    EXPECT_EQ(errors_of(covering(learned), data).missed, 0U) << seed;
    const auto model = make_model(covering_panels(), data, learned, "test");
    EXPECT_EQ(to_json(to_value(learned.structure)), to_json(to_value(fit(data, options, 3).structure))) << seed;

    const Table table = table_of(data);
    Context context(2);
    std::vector<ColumnInfo> infos(table.schema().columns());
    std::vector<Column> columns(table.columns());
    std::vector<std::int32_t> codes;
    for (const double outcome : data.outcome) codes.push_back(static_cast<std::int32_t>(outcome));
    ColumnInfo& target = infos.emplace_back();
    target.name = "y";
    target.type = DType::categorical;
    target.dictionary = std::make_shared<const Dictionary>(data.classes);
    columns.push_back(column_of(std::move(codes), target.dictionary.get()));
    Value all = options;
    all.set("target", "y");
    const FittedModel fitted = sightglass::fit("covering-2d", Table(Schema(infos), columns), all, context);
    const auto read = parse_model(fitted.file, "saved.json");
    const auto& order = covering(learned).order;
    const Matrix predicted = predict(*read, data, context);
    for (std::size_t row = 0; row < data.rows; ++row) {
      std::size_t best = 0;
      if (classes == 2) {
        best = predicted(row, 0) > 0.5 ? 1 : 0;
      } else {
        for (std::size_t k = 1; k < classes; ++k) {
          if (predicted(row, k) > predicted(row, best)) best = k;
        }
      }
      // What is predicted is what the way says, and never less critical than the row.
      if (data.weights.empty()) {
        EXPECT_EQ(best, panel_way(covering(learned), row_values(data, row)).predicted) << seed << " " << row;
      }
      const auto place = [&](std::size_t one) {
        return std::find(order.begin(), order.end(), static_cast<std::uint32_t>(one)) - order.begin();
      };
      EXPECT_LE(place(best), place(static_cast<std::size_t>(data.outcome[row]))) << seed << " " << row;
    }
  }
}

// Panels are trained on 5,000 rows, and thresholds are of all: the promise holds on every row, at any number of
// threads, and after the model was saved and loaded.
TEST(CoveringPanels, NoCriticalRowIsMissedBeyondThoseTrainedOn) {
  TrainingData data = random_classes(3, 9000, 2);
  data.features.resize(2);
  const Value options = Value::object(
      {{"holdout_share", 0.0}, {"max_models", 2}, {"min_gain", 0.0}, {"search_rows", 200}, {"prefer", "class 1"}});
  const Learned learned = fit(data, options, 1);
  EXPECT_EQ(learned.detail.find("fit_rows")->as_integer(), 5000);
  ASSERT_FALSE(covering(learned).panels.empty());
  EXPECT_EQ(errors_of(covering(learned), data).missed, 0U);
  EXPECT_EQ(to_json(to_value(learned.structure)), to_json(to_value(fit(data, options, 3).structure)));
  // The threshold is a row's own value, one that training may not have seen: with any lower one it would be claimed.
  for (const Panel& panel : covering(learned).panels) {
    bool met = panel.threshold == 0;
    for (std::size_t row = 0; row < data.rows && !met; ++row) {
      const auto visits = panel_way(covering(learned), row_values(data, row)).visits;
      met = data.outcome[row] == 1 && std::any_of(visits.begin(), visits.end(), [&](const PanelVisit& visit) {
              return visit.decision == panel.threshold;
            });
    }
    EXPECT_TRUE(met);
  }
  const auto model = make_model(covering_panels(), data, learned, "test");
  Context context(2);
  const Matrix predicted = predict(*model, data, context);
  for (std::size_t row = 0; row < data.rows; ++row) {
    if (data.outcome[row] == 1) {
      EXPECT_GT(predicted(row, 0), 0.5) << row;
    }
  }
}

// 12 critical rows of 6,000: a sample of 200 rows that went by chance would not have one in two cases of three.
TEST(CoveringPanels, FewCriticalRowsAreNotLostInSamples) {
  TrainingData data;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  data.rows = 6000;
  data.target = "y";
  data.classes = {"rare", "common"};
  for (const char* name : {"a", "b", "c"}) data.features.push_back({.info = {.name = name}, .values = {}});
  for (std::size_t row = 0; row < data.rows; ++row) {
    data.outcome.push_back(row % 500 == 0 ? 0 : 1);
    for (TrainingFeature& feature : data.features) feature.values.push_back(normal(random));
    if (row % 500 == 0) data.features[1].values.back() += 6;
  }
  for (std::int64_t seed = 0; seed < 4; ++seed) {
    const Learned learned =
        fit(data, Value::object({{"holdout_share", 0.0}, {"search_rows", 200}, {"fit_rows", 400}, {"seed", seed}}), 2);
    const ShownPanels shown = panel_item(learned);
    ASSERT_FALSE(shown.panels.empty()) << seed;
    EXPECT_LT(shown.unclaimed, 0.05) << seed;
    EXPECT_EQ(shown.missed, 0);
    EXPECT_EQ(std::count(shown.panels[0].marks.classes.begin(), shown.panels[0].marks.classes.end(), 0U), 12);
  }
}

// One class against the rest: no training row is claimed for a class that is not its own, and what contradicts itself
// or is claimed by none goes to the safe side.
TEST(CoveringPanels, OneAgainstTheRest) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const TrainingData data = random_classes(seed, 240, 3);
    const Value options =
        Value::object({{"one_vs_rest", true}, {"max_models", 3}, {"min_gain", 0.0}, {"order", Value(data.classes)}});
    const Learned learned = fit(data, options);
    const CoveringStructure& structure = covering(learned);
    ASSERT_TRUE(structure.one_vs_rest);
    ASSERT_EQ(structure.shares.size(), 4U);
    EXPECT_EQ(structure.panels.back().claims, 0U);
    double none = 0, all = 0;
    for (std::size_t row = 0; row < data.rows; ++row) {
      const PanelWay way = panel_way(structure, row_values(data, row));
      const auto own = static_cast<std::uint32_t>(data.outcome[row]);
      if (way.claimed_as.empty()) {
        EXPECT_EQ(way.predicted, 0U);
        EXPECT_EQ(way.end, 3U);
        none += data.weight(row);
      } else {
        EXPECT_THAT(way.claimed_as, ::testing::ElementsAre(own));
        EXPECT_EQ(way.predicted, own);
      }
      all += data.weight(row);
    }
    EXPECT_NEAR(panel_item(learned).details.find("none")->as_number(), none / all, 1e-12);
    EXPECT_EQ(panel_item(learned).details.find("contradiction")->as_number(), 0);
    // New rows may contradict: the model, read from its file, predicts what a plain walk says.
    const auto model = make_model(covering_panels(), data, learned, "test");
    const TrainingData fresh = random_classes(seed + 50, 500, 3);
    Context context(2);
    const Matrix predicted = predict(*model, fresh, context);
    std::size_t contradictions = 0;
    for (std::size_t row = 0; row < fresh.rows; ++row) {
      const PanelWay way = panel_way(structure, row_values(fresh, row));
      contradictions += way.claimed_as.size() > 1 ? 1 : 0;
      for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(predicted(row, c), structure.shares[way.end][c]) << row;
      if (way.claimed_as.size() > 1) {
        EXPECT_EQ(way.predicted, *std::min_element(way.claimed_as.begin(), way.claimed_as.end()));
      }
    }
    EXPECT_GT(contradictions, 0U) << seed;
  }
}

TEST(CoveringPanels, ThresholdsAgainstPlainLoops) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> critical(1 + random() % 12), others(1 + random() % 12);
    for (double& d : critical) d = static_cast<double>(random() % 9) - 5;
    for (double& d : others) d = static_cast<double>(random() % 9) - 3;
    others[0] = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> critical_weights(critical.size(), 1.5), other_weights(others.size(), 1);
    const std::size_t tolerate = random() % 4;
    const PanelThreshold found = find_threshold(critical, critical_weights, others, other_weights, tolerate);
    double best = -1;
    for (double t = 0; t <= 10; ++t) {
      double lost = 0, gain = 0;
      for (const double d : critical) lost += d > t ? 1 : 0;
      for (const double d : others) gain += d > t ? 1 : 0;
      if (lost <= static_cast<double>(tolerate)) best = std::max(best, gain - 1.5 * lost);
    }
    double lost = 0, gain = 0;
    for (const double d : critical) lost += d > found.threshold ? 1 : 0;
    for (const double d : others) gain += d > found.threshold ? 1 : 0;
    EXPECT_LE(lost, static_cast<double>(tolerate));
    EXPECT_EQ(gain, found.gain);
    EXPECT_GE(found.threshold, 0);
    EXPECT_EQ(gain - 1.5 * lost, best);
  }
}

TEST(CoveringPanels, BinomialBound) {
  EXPECT_NEAR(binomial_upper_bound(0, 30), 0.0950342, 1e-6);  // 1 - 0.05^(1/30)
  EXPECT_NEAR(binomial_upper_bound(3, 63), 0.1185, 1e-4);     // R: binom.test(3, 63, alternative = "less")
  EXPECT_EQ(binomial_upper_bound(5, 5), 1);
  EXPECT_EQ(binomial_upper_bound(0, 0), 1);
}

// A wrongly labelled row keeps others unclaimed unless it may be left out; then it is named.
TEST(CoveringPanels, ToleratesRowsThatItNames) {
  TrainingData data = cubes(4);
  data.features.resize(1);
  data.rows = 200;  // the origin and e1
  data.outcome.resize(200);
  data.features[0].values.resize(200);
  data.features[0].values[150] = 1.2;
  data.outcome[150] = 0;
  const Value plain = Value::object({{"holdout_share", 0.0}, {"kernel", "linear"}, {"prefer", "safe"}});
  const Learned strict = fit(data, plain);
  EXPECT_GT(panel_item(strict).unclaimed, 0.8);
  EXPECT_EQ(errors_of(covering(strict), data).missed, 0U);
  for (const int tolerate : {1, 50}) {  // no row is left out that costs more than it gains
    Value options = plain;
    options.set("tolerate", tolerate);
    const Learned learned = fit(data, options);
    EXPECT_THAT(panel_item(learned).tolerated, ::testing::ElementsAre(150U));
    EXPECT_EQ(panel_item(learned).unclaimed, 0);
    EXPECT_EQ(errors_of(covering(learned), data).missed, 1U);
  }
}

// Rows that are named are those that panels claim in the end, no others: safe mode may have raised a threshold that
// left them out.
TEST(CoveringPanels, ToleratedRowsAreTheMissedOnes) {
  std::size_t named = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const TrainingData data = random_classes(seed, 240, 2);
    const Value options = Value::object({{"holdout_share", 0.0},
                                         {"tolerate", 8},
                                         {"prefer", data.classes[0]},
                                         {"safe", seed % 3 > 0},
                                         {"calibration_share", 0.5}});
    const Learned learned = fit(data, options, 2);
    std::vector<std::uint64_t> missed;
    for (std::size_t row = 0; row < data.rows; ++row) {
      if (data.outcome[row] == 0 && panel_way(covering(learned), row_values(data, row)).predicted != 0)
        missed.push_back(row);
    }
    EXPECT_EQ(panel_item(learned).tolerated, missed) << seed;
    named += missed.size();
  }
  EXPECT_GT(named, 5U);
}

// Thrice as many rows of a weight of 1, or a weight of 3: the same panels, and the same share is claimed.
TEST(CoveringPanels, AWeightIsThatManyRows) {
  for (const std::uint64_t seed : {0U, 2U, 4U}) {
    TrainingData weighted = random_classes(seed, 150, 2), copied = weighted;
    copied.rows = 0;
    copied.outcome.clear();
    for (TrainingFeature& feature : copied.features) feature.values.clear();
    for (std::size_t row = 0; row < weighted.rows; ++row) {
      weighted.weights.push_back(static_cast<double>(1 + (row + seed) % 3));
      for (double copy = 0; copy < weighted.weights[row]; ++copy) {
        ++copied.rows;
        copied.outcome.push_back(weighted.outcome[row]);
        for (std::size_t f = 0; f < 4; ++f) copied.features[f].values.push_back(weighted.features[f].values[row]);
      }
    }
    const Value options = Value::object({{"holdout_share", 0.0}, {"prefer", "class 1"}, {"max_models", 1}});
    const Learned one = fit(weighted, options), other = fit(copied, options);
    const auto &panels = covering(one).panels, &of_copies = covering(other).panels;
    ASSERT_FALSE(panels.empty());
    ASSERT_EQ(panels.size(), of_copies.size()) << seed;
    for (std::size_t p = 0; p < panels.size(); ++p) {
      ASSERT_EQ(panels[p].inputs.size(), of_copies[p].inputs.size());
      for (std::size_t i = 0; i < panels[p].inputs.size(); ++i) {
        EXPECT_EQ(panels[p].inputs[i].feature, of_copies[p].inputs[i].feature);
        EXPECT_NEAR(panels[p].inputs[i].center, of_copies[p].inputs[i].center, 1e-9);
        EXPECT_NEAR(panels[p].inputs[i].scale, of_copies[p].inputs[i].scale, 1e-9);
      }
      EXPECT_NEAR(panels[p].gamma, of_copies[p].gamma, 1e-9);
      EXPECT_NEAR(panels[p].spread, of_copies[p].spread, 0.01 * panels[p].spread);
    }
    EXPECT_NEAR(panel_item(one).unclaimed, panel_item(other).unclaimed, 0.02) << seed;
  }
}

TEST(CoveringPanels, CalibrationRows) {
  EXPECT_EQ(calibration_rows(0.125, 1000), 125U);  // not 13 %
  EXPECT_EQ(calibration_rows(0.29, 100), 29U);
  EXPECT_EQ(calibration_rows(0.01, 20), 1U);
}

// Safe mode: of the rows kept apart at most k - 1 are claimed, and new rows are missed as rarely as promised, on
// average over draws.
TEST(CoveringPanels, SafeModeKeepsItsPromise) {
  double missed = 0, promised = 0;
  constexpr int draws = 30;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const TrainingData data = random_classes(100 + seed, 240, 2, false),
                       fresh = random_classes(500 + seed, 2000, 2, false);
    const Value options = Value::object({{"holdout_share", 0.0},
                                         {"safe", true},
                                         {"allowed_misses", 2},
                                         {"kernel", "rbf"},
                                         {"max_models", 3},
                                         {"prefer", data.classes[0]}});
    const Learned learned = fit(data, options, 2);
    const Value& safe = *learned.detail.find("safe");
    promised += safe.find("promised")->as_number() / draws;
    std::size_t critical = 0, wrong = 0;
    for (std::size_t row = 0; row < fresh.rows; ++row) {
      if (fresh.outcome[row] != 0) continue;
      ++critical;
      if (panel_way(covering(learned), row_values(fresh, row)).predicted != 0) ++wrong;
    }
    missed += static_cast<double>(wrong) / static_cast<double>(critical) / draws;
    const ShownPanels shown = panel_item(learned);
    ASSERT_FALSE(shown.trade_off.empty());
    for (std::size_t i = 1; i < shown.trade_off.size(); ++i) {
      EXPECT_LE(shown.trade_off[i].unclaimed, shown.trade_off[i - 1].unclaimed);
      EXPECT_GT(shown.trade_off[i].promised, shown.trade_off[i - 1].promised);
    }
    EXPECT_LE(errors_of(covering(learned), data).missed, 1U);
    EXPECT_EQ(shown.trade_off[1].unclaimed, shown.unclaimed);  // what was chosen
    EXPECT_TRUE(shown.trade_off[1].chosen);
  }
  EXPECT_LT(missed, promised * 1.15);
}

// Values on a coarse grid, so that rows of both kinds lie where a row that was kept apart lies: the curve and the model
// agree on them.
TEST(CoveringPanels, TradeOffIsThatOfTheModel) {
  double raised = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    TrainingData data = random_classes(seed, 160, seed % 3 == 0 ? 3 : 2);
    for (double& value : data.features[0].values) value = 2 * std::round(value / 2);
    for (double& value : data.features[1].values) value = std::round(value);
    const Learned learned = fit(data, Value::object({{"holdout_share", 0.0},
                                                     {"safe", true},
                                                     {"one_vs_rest", seed % 2 == 1},
                                                     {"allowed_misses", 2},
                                                     {"seed", std::int64_t(seed)}}));
    const ShownPanels shown = panel_item(learned);
    EXPECT_EQ(shown.trade_off[1].unclaimed, shown.unclaimed) << seed;
    raised += learned.detail.find("safe")->find("raised_by")->as_number();
    // By a plain walk: who is of another class and claimed by no panel.
    double others = 0, left = 0;
    for (std::size_t row = 0; row < data.rows; ++row) {
      if (static_cast<std::uint32_t>(data.outcome[row]) == covering(learned).order[0]) continue;
      others += data.weight(row);
      if (panel_way(covering(learned), row_values(data, row)).claimed_as.empty()) left += data.weight(row);
    }
    EXPECT_NEAR(shown.unclaimed, left / others, 1e-12) << seed;
  }
  EXPECT_GT(raised, 0);
}

TEST(CoveringPanels, MoreMissesThanRowsKeptApartPromiseNothing) {
  const TrainingData data = cubes(1);  // 100 critical rows, of which 30 are kept apart
  const auto options = [](std::int64_t allowed) {
    return Value::object({{"holdout_share", 0.0}, {"safe", true}, {"prefer", "safe"}, {"allowed_misses", allowed}});
  };
  EXPECT_NEAR(fit(data, options(30)).detail.find("safe")->find("promised")->as_number(), 30.0 / 31, 1e-12);
  try {
    (void)fit(data, options(31));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("31 misses are allowed, and 30 critical rows are kept apart"));
  }
}

TEST(CoveringPanels, AbstainsOutsideAndWhereValuesAreMissing) {
  const TrainingData data = cubes(1);
  const Learned learned =
      fit(data, Value::object({{"holdout_share", 0.0}, {"veto", Value(std::vector<std::string>{"a:c", "b:c"})}}));
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  const auto predicted = [&](std::vector<double> row) { return panel_way(covering(learned), row).predicted; };
  EXPECT_EQ(predicted({1, 0, 0}), 1U);
  EXPECT_EQ(predicted({0, 0, 1}), 1U);
  EXPECT_EQ(predicted({1000, 0, 0}), 0U);
  EXPECT_EQ(predicted({nothing, nothing, nothing}), 0U);
  EXPECT_EQ(predicted({nothing, nothing, 1}), 1U);  // one panel needs c alone
  const PanelWay way = panel_way(covering(learned), std::vector<double>{1, 0, nothing});
  ASSERT_EQ(way.visits.size(), 2U);
  EXPECT_TRUE(way.visits[0].above);
  EXPECT_GT(way.visits[0].decision, way.visits[0].threshold);
  EXPECT_TRUE(std::isnan(way.visits[1].decision));
  EXPECT_EQ(way.decides, 0U);
}

TEST(CoveringPanels, VetoedPanelsAreNotUsed) {
  const TrainingData data = cubes(1);
  const ShownPanels before = panel_item(fit(data, Value::object({{"holdout_share", 0.0}})));
  const std::string pair = before.panels[0].axes[0].feature + ":" + before.panels[0].axes[1].feature;
  const ShownPanels after = panel_item(
      fit(data, Value::object({{"holdout_share", 0.0}, {"veto", Value(std::vector<std::string>{pair, "c"})}})));
  for (const ShownPanel& panel : after.panels) {
    EXPECT_FALSE(panel.axes.size() == 1 && panel.axes[0].feature == "c");
    if (panel.axes.size() == 2) {
      EXPECT_NE(panel.axes[0].feature + ":" + panel.axes[1].feature, pair);
    }
  }
  try {
    static_cast<void>(fit(data, Value::object({{"veto", Value(std::vector<std::string>{"a:nowhere"})}})));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), HasSubstr("names no features"));
  }
}

TEST(CoveringPanels, OrdersThatMakeNoSense) {
  const TrainingData data = cubes(1);
  const auto complaint = [&](Value options) -> std::string {
    try {
      static_cast<void>(fit(data, std::move(options)));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(complaint(Value::object({{"prefer", "nobody"}})), HasSubstr("no row is of class nobody"));
  EXPECT_THAT(complaint(Value::object({{"order", Value(std::vector<std::string>{"safe"})}})), HasSubstr("2 classes"));
  EXPECT_THAT(complaint(Value::object({{"order", Value(std::vector<std::string>{"safe", "safe"})}})),
              HasSubstr("twice"));
  EXPECT_THAT(
      complaint(Value::object({{"order", Value(std::vector<std::string>{"safe", "other"})}, {"prefer", "other"}})),
      HasSubstr("contradict"));
}

TEST(CoveringPanels, ManyFeaturesAreCappedAndItIsSaid) {
  TrainingData data = cubes(1);
  std::mt19937_64 random(3);
  for (int f = 0; f < 300; ++f) {
    TrainingFeature noise{.info = {.name = "noise " + std::to_string(f)}, .values = {}};
    for (std::size_t row = 0; row < data.rows; ++row) {
      noise.values.push_back(f == 0 ? 7 : static_cast<double>(random() % 1000));
    }
    data.features.insert(data.features.begin(), std::move(noise));
  }
  const Learned learned =
      fit(data, Value::object({{"holdout_share", 0.0}, {"max_subsets", 60}, {"kernel", "linear"}}), 2);
  EXPECT_EQ(panel_item(learned).unclaimed, 0);  // a, b and c say most by themselves
  std::vector<std::string> ids;
  for (const Caveat& caveat : learned.caveats) ids.push_back(caveat.id);
  EXPECT_THAT(ids, ::testing::UnorderedElementsAre("subsets-not-tried", "features-without-a-panel"));
  EXPECT_LE(learned.detail.find("subsets_tried")->as_integer(), 60);
}

TEST(CoveringPanels, NothingToClaim) {
  TrainingData data = cubes(1);
  for (auto& feature : data.features) std::fill(feature.values.begin(), feature.values.end(), 1.0);
  const Learned learned = fit(data);
  EXPECT_EQ(learned.size, 0U);
  EXPECT_EQ(panel_item(learned).unclaimed, 1);
  EXPECT_TRUE(std::any_of(learned.caveats.begin(), learned.caveats.end(),
                          [](const Caveat& caveat) { return caveat.id == "nothing-claimed"; }));
  for (const Caveat& caveat : fit(cubes(1)).caveats) EXPECT_NE(caveat.id, "nothing-claimed");
  const auto model = make_model(covering_panels(), data, learned, "test");
  Context context(1);
  // Predicted is the preferred class, although three in four rows are not.
  EXPECT_LT(std::abs(predict(*model, data, context)(0, 0) - 0.49), 1e-12);
}

}  // namespace
}  // namespace sightglass
