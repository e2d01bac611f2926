#include "sightglass/insight/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "sightglass/result/json.h"
#include "support/result_items.h"

namespace sightglass {
namespace {

using ::testing::ElementsAre;
using testing::figure_of;
using ::testing::HasSubstr;
using testing::importance_of;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

Result result_of(const std::string& method, std::vector<ResultItem> items = {}) {
  Result result = testing::result_of(method, std::move(items));
  result.model.set("task", "regression");
  result.data.set("target", "rentals").set("target_unit", "bikes/hour").set("rows", 1000).set("rows_available", 1000);
  return result;
}

Result classifier(const std::string& method, std::vector<ResultItem> items = {}) {
  Result result = result_of(method, std::move(items));
  result.model = Value::object({{"task", "classification"}});
  result.data = Value::object({{"target", "species"}, {"rows", 300}});
  return result;
}

Importance shuffled(const std::string& feature, double before, double after,
                    const std::string& measure = "increase of rmse") {
  Importance entry = importance_of(feature, std::abs(after - before), measure);
  entry.details.set("baseline", before).set("after", after);
  return entry;
}

Curve curve(const std::string& feature, const std::vector<double>& mean, const std::string& output = "prediction") {
  Curve curve = testing::curve_of(feature, mean, Measure::mean, output);
  curve.axis.unit = "°C";
  return curve;
}

Interaction pair(const std::string& a, const std::string& b, double strength, double h2) {
  Interaction entry;
  entry.features = {a, b};
  entry.output = "prediction";
  entry.strength = strength;
  entry.h2 = h2;
  entry.details.set("pd_sd", strength / std::sqrt(h2)).set("in_findings", true);
  return entry;
}

std::vector<std::string> texts(const std::vector<Result>& results) {
  std::vector<std::string> list;
  for (const Finding& finding : findings(results)) list.push_back(finding.text);
  return list;
}

TEST(Findings, NothingFromNothing) {
  EXPECT_THAT(findings({}), IsEmpty());
  EXPECT_THAT(findings({Result{}}), IsEmpty());
}

TEST(Findings, WhatTheModelIsWorth) {
  EXPECT_THAT(texts({result_of("report", {figure_of("r2", 0.94), figure_of("absolute error", 41.2),
                                          figure_of("skill by absolute error", 0.8)})}),
              ElementsAre("The model explains 94 % of the variance of rentals on these 1,000 rows; it is off by 41 "
                          "bikes/hour on average, a constant prediction by 206."));
  // R² from the rmse: the best constant is the mean.
  EXPECT_THAT(texts({result_of("permutation-importance", {figure_of("rmse", 30), figure_of("skill by rmse", 0.7)})}),
              ElementsAre("The model explains 91 % of the variance of rentals on these 1,000 rows; its typical error "
                          "(rmse) is 30 bikes/hour, that of a constant prediction 100."));
  EXPECT_THAT(texts({classifier("report", {figure_of("accuracy", 0.96), figure_of("skill by accuracy", 0.92),
                                           figure_of("auc", 0.9923)})}),
              ElementsAre("The model names the right class of species in 96 % of these 300 rows (AUC 0.992); always "
                          "naming the most frequent one would be right in 50 %."));
  EXPECT_THAT(
      texts({classifier("report", {figure_of("log-loss", 0.2), figure_of("skill by log-loss", 0.6)})}),
      ElementsAre("The model takes away 60 % of the log-loss that a constant prediction of species has on these "
                  "300 rows."));
  // As the method performance has it.
  Result told = result_of("performance", {figure_of("r2", 0.94), figure_of("absolute error", 41.2)});
  told.data.set("best_constant", Value::object({{"absolute error", 206.0}}));
  EXPECT_THAT(texts({told})[0], HasSubstr("off by 41 bikes/hour on average, a constant prediction by 206."));
  Result right = classifier("performance", {figure_of("accuracy", 0.96), figure_of("auc", 0.9923)});
  right.data.set("best_constant", Value::object({{"accuracy", 0.5045}}));
  EXPECT_THAT(texts({right}),
              ElementsAre("The model names the right class of species in 96 % of these 300 rows (AUC 0.992); "
                          "always naming the most frequent one would be right in 50 %."));
  // Nearly all is not all.
  EXPECT_THAT(texts({result_of("report", {figure_of("r2", 0.99996)})})[0], HasSubstr("more than 99.9 %"));
  EXPECT_THAT(texts({result_of("report", {figure_of("r2", 0.03)})})[0], HasSubstr("explains only 3 %"));
}

// Where nothing can be told of what matters most, what hardly matters does not take its place.
TEST(Findings, UnimportantFeaturesAreNotWhatToKnowFirst) {
  std::vector<ResultItem> importances;
  for (std::size_t i = 0; i < 7; ++i)
    importances.push_back(shuffled("f" + std::to_string(i), 10, 90 - 10 * static_cast<double>(i)));
  const auto told_of = [&](const std::string& feature) {
    const auto list = texts({result_of("permutation-importance", importances),
                             result_of("partial-dependence", {curve(feature, {0, 10, 20, 30})})});
    return std::any_of(list.begin(), list.end(),
                       [&](const std::string& text) { return text.find("with " + feature) != std::string::npos; });
  };
  EXPECT_TRUE(told_of("f4"));
  EXPECT_FALSE(told_of("f5"));
}

// No number is taken from prose.
TEST(Findings, WordsOfAFigureAreNoNumbers) {
  Figure told = figure_of("absolute error", 41.2);
  told.meaning = "the lower, the better; the best constant prediction has 206";
  EXPECT_THAT(texts({result_of("performance", {told})}),
              ElementsAre("Predicting rentals on these 1,000 rows, it is off by 41 bikes/hour on average."));
}

TEST(Findings, ATargetThatDoesNotVaryJudgesNothing) {
  const std::string said =
      "The target rentals does not vary on these 1,000 rows: no score of the model can be judged by it.";
  Result right = result_of("performance", {figure_of("r2", 1), figure_of("absolute error", 0)});
  right.caveats.push_back({.id = "constant-target"});
  EXPECT_THAT(texts({right}), ElementsAre(said));
  // Nor is wrong worse than a constant in any way that counts: more than two things may be said.
  Result wrong = result_of("performance", {figure_of("r2", 0), figure_of("rmse", 3)});
  wrong.caveats.push_back({.id = "constant-target"});
  const auto told = texts({wrong, result_of("ale", {curve("a", {0, 5, 9, 10, 7, 3}), curve("b", {0, 4, 2, 6})})});
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[0], said);
  Result classes = classifier("performance", {figure_of("accuracy", 1)});
  classes.caveats.push_back({.id = "one-class"});
  EXPECT_THAT(texts({classes}), ElementsAre(HasSubstr("The target species does not vary on these 300 rows")));
}

TEST(Findings, RowsOfAScoreAreThoseThatCount) {
  Result scored = result_of("performance", {figure_of("r2", 0.9)});
  scored.data.set("scored_rows", 900);
  EXPECT_THAT(texts({scored})[0], HasSubstr("on the 900 rows with a weight."));
  scored.caveats.push_back({.id = "missing-target", .evidence = Value::object({{"rows", 100}})});
  EXPECT_THAT(texts({scored})[0], HasSubstr("on the 900 rows whose target is known."));
  scored.data.set("scored_rows", 850);
  EXPECT_THAT(texts({scored})[0], HasSubstr("on the 850 rows with a weight whose target is known."));
}

TEST(Findings, WhatIsTooGoodIsDoubted) {
  const std::string doubt = "the model may have been trained on these, or a feature may give the answer away.";
  EXPECT_THAT(texts({result_of("report", {figure_of("r2", 0.9991)})})[0], HasSubstr(doubt));
  EXPECT_THAT(texts({result_of("report", {figure_of("r2", 1)})})[0],
              StartsWith("The model explains all of the variance of rentals on these 1,000 rows; so good a score"));
  EXPECT_THAT(texts({result_of("report", {figure_of("r2", 0.998)})})[0], Not(HasSubstr(doubt)));
  EXPECT_THAT(texts({classifier("report", {figure_of("auc", 0.9995)})})[0], HasSubstr(doubt));
  EXPECT_THAT(texts({classifier("report", {figure_of("auc", 0.998)})})[0], Not(HasSubstr(doubt)));
  Result named = classifier("report", {figure_of("accuracy", 0.9995)});
  named.data.set("best_constant", Value::object({{"accuracy", 0.5}}));
  EXPECT_THAT(texts({named})[0], HasSubstr(doubt));
  // Where nearly all rows are of one class, that is no achievement.
  named.data.set("best_constant", Value::object({{"accuracy", 0.995}}));
  EXPECT_THAT(texts({named})[0], Not(HasSubstr(doubt)));
  // Who says that they are training data need not be asked.
  Result trained = result_of("report", {figure_of("r2", 0.9999)});
  trained.options.set("training_data", true);
  EXPECT_THAT(texts({trained})[0], Not(HasSubstr(doubt)));
  named.options.set("training_data", true);
  EXPECT_THAT(texts({named})[0], HasSubstr("of these 300 rows it was trained on"));
}

TEST(Findings, OfAModelThatKnowsNothingLittleElseIsSaid) {
  const auto told = texts({result_of("permutation-importance", {figure_of("r2", -0.2), figure_of("skill by r2", -0.2),
                                                                shuffled("a", 10, 30), shuffled("b", 10, 12)}),
                           result_of("ale", {curve("a", {0, 5, 9, 10, 7, 3}), curve("b", {0, 1, 2, 3})}),
                           result_of("interactions", {pair("a", "b", 3, 0.2)})});
  ASSERT_EQ(told.size(), 2u);
  EXPECT_THAT(told[0], StartsWith("The model predicts rentals no better than a constant does"));
  EXPECT_THAT(texts({classifier("report", {figure_of("auc", 0.45)})})[0], HasSubstr("no better than a constant"));
  // The caveat alone says it, too.
  Result weak = result_of("ale", {curve("a", {0, 5, 9, 10, 7, 3})});
  weak.caveats.push_back({.id = "weak-model", .evidence = Value::object({{"value", -0.01}})});
  EXPECT_THAT(texts({weak})[0], StartsWith("The model predicts rentals no better than a constant does"));
  // An imbalanced target: always naming the frequent class is as right, but the model still tells classes apart.
  EXPECT_THAT(texts({classifier("report", {figure_of("accuracy", 0.9), figure_of("skill by accuracy", 0),
                                           figure_of("auc", 0.85), figure_of("skill by auc", 0.7)})})[0],
              StartsWith("The model names the right class"));
}

TEST(Findings, MeasuresAgreeOrNot) {
  const Result shuffling = result_of("permutation-importance", {shuffled("hour", 30, 93), shuffled("temp", 30, 45)});
  const auto shap = [](double hour, double temp) {
    return result_of("shap", {importance_of("hour", hour, "mean |SHAP|"), importance_of("temp", temp, "mean |SHAP|")});
  };
  EXPECT_THAT(texts({shuffling}),
              ElementsAre("hour matters most: shuffling it makes the rmse 3.1 times as large; next is "
                          "temp (1.5 times)."));
  EXPECT_THAT(texts({shuffling, shap(50, 20)})[0],
              StartsWith("hour matters most by both measures (shuffling, Shapley values): shuffling it"));
  EXPECT_THAT(
      texts({shuffling, shap(20, 50)}),
      ElementsAre("hour and temp matter most by both measures (shuffling, Shapley values), which do not agree on the "
                  "order: shuffling them, each alone, makes the rmse 210 % and 50 % larger."));
  const Result other =
      result_of("shap", {importance_of("wind", 50, "mean |SHAP|"), importance_of("temp", 20, "mean |SHAP|")});
  EXPECT_THAT(texts({shuffling, other}),
              ElementsAre("What matters most depends on the measure: hour by shuffling; wind by Shapley values."));
  EXPECT_THAT(texts({shap(64.4, 20)}),
              ElementsAre("hour matters most: it moves a prediction by 64 bikes/hour on average (mean |SHAP|)."));
  const std::string auc = "decrease of auc";
  EXPECT_THAT(
      texts({classifier("permutation-importance", {shuffled("a", 0.99, 0.81, auc), shuffled("b", 0.99, 0.98, auc)})}),
      ElementsAre("a matters most: shuffling it lowers the auc from 0.99 to 0.81."));
  // Nor is one next that may be so by chance.
  Importance perhaps = shuffled("temp", 30, 31);
  perhaps.se = 0.6;
  EXPECT_THAT(texts({result_of("permutation-importance", {shuffled("hour", 30, 93), perhaps})}),
              ElementsAre("hour matters most: shuffling it makes the rmse 3.1 times as large."));
  // Within chance nothing matters.
  Importance chance = shuffled("a", 10, 10.1);
  chance.se = 0.2;
  EXPECT_THAT(texts({result_of("permutation-importance", {chance, shuffled("b", 10, 10)})}), IsEmpty());
}

TEST(Findings, AModelThatAnswersAsItLikes) {
  Result report = result_of("report", {figure_of("r2", 0.5)});
  report.caveats.push_back({.id = "changing-answers", .evidence = Value::object({{"largest_change", 0.283}})});
  Curve uneven = curve("temp", {0, 1, 2, 4});
  uneven.heterogeneity = 0.8;
  const auto told = texts({report, result_of("partial-dependence", {uneven})});
  ASSERT_GE(told.size(), 2u);
  EXPECT_THAT(told[0], StartsWith("The model explains 50 %"));
  EXPECT_EQ(told[1],
            "Asked twice about the same rows, the model does not answer the same (by up to 0.28): what is said here is "
            "partly chance.");
  EXPECT_THAT(told, Not(::testing::Contains(HasSubstr("Single rows move differently"))));
}

TEST(Findings, EqualFeaturesAreNamedTogether) {
  const std::string shap = "mean |SHAP|", both = " by both measures (shuffling, Shapley values)";
  const auto shuffling = [](double x2, double x3) {
    return result_of("permutation-importance",
                     {shuffled("x1", 10, 30), shuffled("x2", 10, x2), shuffled("x3", 10, x3)});
  };
  const auto values = [&](double x2, double x3) {
    return result_of("shap",
                     {importance_of("x1", 5, shap), importance_of("x2", x2, shap), importance_of("x3", x3, shap)});
  };
  EXPECT_THAT(texts({shuffling(30, 12), values(5, 1)}),
              ElementsAre("x1 and x2 matter equally, and more than all others," + both +
                          ": shuffling them, each alone, makes the rmse 3.0 times as large."));
  EXPECT_THAT(texts({shuffling(29.2, 12), values(4.9, 1)}),
              ElementsAre("x1 and x2 matter about equally, and more than all others," + both +
                          ": shuffling them, each alone, makes the rmse 3.0 and 2.9 times as large."));
  EXPECT_THAT(texts({shuffling(30, 30)})[0], StartsWith("x1, x2 and x3 matter equally: shuffling them"));
  // One measure tells them apart.
  EXPECT_THAT(texts({shuffling(30, 12), values(4.5, 1)})[0], StartsWith("x1 matters most by both measures"));
  // By another a third one is as good.
  EXPECT_THAT(texts({shuffling(30, 12), values(5, 5)})[0], Not(HasSubstr("more than all others")));
  EXPECT_THAT(texts({shuffling(28.9, 12)})[0], StartsWith("x1 matters most: "));
  // A ratio of 1 is nothing.
  const auto ratio = [](const std::string& name, double value) { return importance_of(name, value, "ratio of rmse"); };
  EXPECT_THAT(texts({result_of("permutation-importance", {ratio("a", 1.04), ratio("b", 1.0)})})[0],
              StartsWith("a matters most"));
  std::vector<ResultItem> many;
  for (const char* name : {"a", "b", "c", "d", "e"}) many.emplace_back(importance_of(name, 5, shap));
  EXPECT_THAT(texts({result_of("shap", many)}), ElementsAre("All 5 features matter equally."));
  many.emplace_back(importance_of("f", 1, shap));
  EXPECT_THAT(texts({result_of("shap", many)}),
              ElementsAre("5 of the 6 features matter equally, and more than all others."));
}

TEST(Findings, FlatButImportant) {
  const std::string measure = "sd of partial dependence over the data";
  const auto told = texts(
      {result_of("permutation-importance", {shuffled("hour", 30, 157), shuffled("workingday", 30, 61)}),
       result_of("pd-importance", {importance_of("hour", 88, measure), importance_of("workingday", 5, measure)})});
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(
      told[1],
      "workingday hardly moves the average prediction, yet shuffling it makes the rmse 2.0 times as large: what it "
      "does depends on other features.");
}

TEST(Findings, FlatButImportantHasItsLimits) {
  const std::string measure = "sd of partial dependence over the data";
  const auto told = [&](double after, double dependence) {
    return texts({result_of("permutation-importance", {shuffled("hour", 30, 130), shuffled("day", 30, after)}),
                  result_of("pd-importance",
                            {importance_of("hour", 100, measure), importance_of("day", dependence, measure)})})
        .size();
  };
  EXPECT_EQ(told(51, 9), 2u);   // 21 % of the first by shuffling, 9 % by partial dependence
  EXPECT_EQ(told(49, 9), 1u);   // 19 %
  EXPECT_EQ(told(51, 11), 1u);  // 11 %
}

TEST(Findings, WhatDoesNotMatter) {
  const auto told = [](std::vector<double> after) {
    std::vector<ResultItem> items{shuffled("first", 10, 110)};
    for (std::size_t i = 0; i < after.size(); ++i) items.emplace_back(shuffled("x" + std::to_string(i), 10, after[i]));
    return texts({result_of("permutation-importance", items)}).back();
  };
  EXPECT_EQ(told({10.05, 10.09}), "Shuffling x1 and x0, each alone, changes the rmse by next to nothing.");
  EXPECT_EQ(told({10, 10, 10, 10, 30}),
            "Shuffling x0, x1, x2 and x3, each alone, changes the rmse by next to nothing.");
  EXPECT_EQ(told({10, 10, 10, 10, 10, 30}),
            "Shuffling any one of 5 of the 7 features changes the rmse by next to nothing.");
  EXPECT_THAT(told({10.05, 11.1}), StartsWith("first matters most"));   // one only, the other has 1.1 % of the first
  EXPECT_THAT(told({10.05, 10.11}), StartsWith("first matters most"));  // 0.11 % of the first, 1.1 % of the rmse
}

TEST(Findings, ASingleRowIsToldByTheClassThatIsPredicted) {
  const auto rows_of = [](const char* output, double prediction) {
    Attributions rows;
    rows.features = {{.feature = "temp"}, {.feature = "wind"}};
    rows.output = output;
    rows.base = 0.3;
    rows.rows = {3};
    rows.prediction = {prediction};
    rows.values = {prediction - 0.3, 0};
    rows.data = {25, 1};
    return rows;
  };
  Result result = result_of("shap", {rows_of("a", 0.1), rows_of("b", 0.7), rows_of("c", 0.2)});
  result.model = Value::object({{"task", "multiclass"}});
  EXPECT_THAT(texts({result}), ElementsAre(HasSubstr("b is 70 %")));
}

TEST(Findings, ASingleRowWhereThereIsLittleElse) {
  Attributions rows;
  rows.features = {{.feature = "temp"}, {.feature = "wind"}};
  rows.output = "prediction";
  rows.base = 40;
  rows.rows = {3, 7};
  rows.prediction = {80, 45};
  rows.values = {26, 14, 3, 2};
  rows.data = {25, 1, 20, 2};
  const auto told = [&] { return texts({result_of("shap", {rows})}); };
  EXPECT_THAT(told(),
              ElementsAre("Of 2 rows explained, row 3 is furthest from the average: the prediction of rentals is "
                          "80 bikes/hour, where the average is 40; temp = 25 adds 26."));
  rows.values = {19, 21, 3, 2};
  rows.values[0] = 19.9, rows.values[1] = 20.1;
  EXPECT_THAT(told(), ElementsAre(HasSubstr("wind = 1 adds 20.")));
  EXPECT_EQ(texts({result_of("report", {figure_of("r2", 0.5)}), result_of("shap", {rows})}).size(), 2u);
  // No feature makes most of it.
  rows.features.push_back({.feature = "hour"});
  rows.values = {14, 13, 13, 3, 1, 1};
  rows.data = {25, 1, 5, 20, 2, 5};
  EXPECT_THAT(told(), IsEmpty());
  // Another row is nearly as far.
  rows.values = {38, 1, 1, -38, -1, 0};
  rows.prediction = {80, 1};
  EXPECT_THAT(told(), IsEmpty());
  rows.prediction[1] = 40 - 37;
  EXPECT_EQ(told().size(), 1u);
}

TEST(Findings, EffectsOfTheTopFeatures) {
  const auto told =
      findings({result_of("partial-dependence", {curve("temp", {9, 5, 0})}),
                result_of("ale", {curve("temp", {0, 50, 90, 110, 70, 30}), curve("wind", {0, 1, 2, 1})})});
  ASSERT_EQ(told.size(), 1u);  // wind moves too little beside temp
  EXPECT_EQ(told[0].text,
            "The prediction of rentals rises with temp up to 3 °C, then falls; range 110 bikes/hour (ALE).");
  EXPECT_THAT(told[0].features, ElementsAre("temp"));
  EXPECT_EQ(told[0].chapter, "effects");
}

TEST(Findings, TheClassThatMovesMost) {
  Result three =
      classifier("ale", {curve("bill", {0, 0.1, 0.2, 0.3}, "Adelie"), curve("bill", {0.5, 0.4, 0.2, -0.3}, "Gen too"),
                         curve("bill", {0, 0, 0.1, 0}, "Chinstrap")});
  const std::string said =
      "The probability of class “Gen too” falls with bill; range 80 percentage points; no other class";
  EXPECT_THAT(texts({three}), ElementsAre(said + " moves as far."));
  three.model.set("outputs", std::vector<std::string>{"Adelie", "Gen too", "Chinstrap", "Rockhopper"});
  EXPECT_THAT(texts({three}), ElementsAre(said + " shown moves as far."));
  // Two that mirror each other: the second is meant.
  EXPECT_THAT(texts({classifier(
                  "ale", {curve("bill", {0, 0.1, 0.3, 0.2}, "no"), curve("bill", {0, -0.1, -0.3, -0.2}, "yes")})})[0],
              StartsWith("The probability of class yes falls"));
  Result margin = classifier("ale", {curve("bill", {0, 1, 2, 3}, "yes")});
  margin.model = Value::object({{"task", "binary"}, {"objective", "binary:logistic"}});
  margin.options.set("scale", "margin");
  EXPECT_THAT(texts({margin}), ElementsAre("The margin (log-odds) of class yes rises evenly with bill, by about 1 in "
                                           "log-odds per °C; range 3 in log-odds."));
}

TEST(Findings, PairsAndSums) {
  const std::string share = "share of variance";
  auto told =
      findings({result_of("interactions", {pair("hour", "workingday", 41, 0.31), pair("temp", "hour", 4, 0.02)})});
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(
      told[0].text,
      "hour × workingday: their joint effect differs from the sum of the two, typically by 41 bikes/hour (H² 31 %).");
  EXPECT_THAT(told[0].features, ElementsAre("hour", "workingday"));
  // A second one from half of the first one's strength on; none that is weak beside the largest joint effect.
  const auto pairs_told = [](double second) {
    return texts({result_of("interactions", {pair("a", "b", 40, 0.3), pair("c", "d", second, 0.3)})}).size();
  };
  EXPECT_EQ(pairs_told(21), 2u);
  EXPECT_EQ(pairs_told(19), 1u);
  Interaction weak = pair("a", "b", 9, 0.3);
  Interaction faded = pair("c", "d", 20, 0.04);
  faded.details.set("pd_sd", 100.0);
  EXPECT_THAT(texts({result_of("interactions", {weak, faded})}), IsEmpty());
  weak.strength = 11;
  EXPECT_EQ(texts({result_of("interactions", {weak, faded})}).size(), 1u);
  weak.se = 0.16;
  EXPECT_THAT(texts({result_of("interactions", {weak, faded})}), IsEmpty());
  // Two that go together make rows that do not occur.
  Result tied = result_of("interactions", {pair("temp", "feels_like", 41, 0.31)});
  tied.caveats.push_back(
      {.id = "correlated-features", .evidence = Value::object({{"feature", "feels_like"}, {"other", "temp"}})});
  EXPECT_THAT(texts({tied}), IsEmpty());
  EXPECT_EQ(texts({result_of("interactions", {pair("a", "b", 41, 0.06)})}).size(), 1u);
  EXPECT_THAT(texts({result_of("interactions", {pair("a", "b", 41, 0.04)})}), IsEmpty());
  // H² above 1 means nothing.
  EXPECT_THAT(texts({result_of("interactions", {pair("a", "b", 41, 1.3)})}), IsEmpty());
  Importance both = importance_of("a:b", 0.1, share);
  both.features = {"a", "b"};
  const Result parts =
      result_of("decomposition", {importance_of("a", 0.6, share), importance_of("b", 0.28, share), both});
  EXPECT_THAT(texts({parts}).back(),
              "Single features alone explain 88 % of how the predictions vary; pairs of them another 10 %.");
  const auto of_shares = [&](double a, double b) {
    return texts({result_of("decomposition", {importance_of("a", a, share), importance_of("b", b, share)})}).back();
  };
  EXPECT_EQ(of_shares(0.6, 0.36),
            "The model is nearly additive: single features alone explain 96 % of how the predictions vary.");
  EXPECT_EQ(of_shares(0.6, 0.34), "Single features alone explain 94 % of how the predictions vary.");
  EXPECT_EQ(of_shares(0.64, 0.36),
            "The model is additive: single features alone explain all of how the predictions vary.");
  EXPECT_THAT(of_shares(0.9, -0.06), Not(HasSubstr("alone explain")));
  // Another measure that says something else: silence.
  EXPECT_THAT(
      texts({parts, result_of("interactions", {figure_of("share of variance that PD main effects leave", 0.5)})}),
      Not(::testing::Contains(HasSubstr("alone explain"))));
}

TEST(Findings, WhatTheLinkAloneCanDoIsNoFactOfTheModel) {
  Interaction pair;
  pair.features = {"hour", "workingday"};
  pair.output = "prediction";
  pair.strength = 0.1;
  pair.h2 = 0.3;
  pair.details = Value::object({{"pd_sd", 0.2}});
  Curve uneven = curve("hour", {0, 1, 2, 4});
  uneven.heterogeneity = 0.8;
  std::vector<Result> results{
      result_of("partial-dependence", {uneven}), result_of("interactions", {pair}),
      result_of("decomposition", {figure_of("share of variance that PD main effects leave", 0.4)})};
  EXPECT_THAT(texts(results), ::testing::Contains(HasSubstr("alone explain 60 %")));
  EXPECT_THAT(texts(results), ::testing::Contains(HasSubstr("Single rows move differently")));
  EXPECT_THAT(texts(results), ::testing::Contains(::testing::EndsWith("(H² 30 %).")));
  for (auto& result : results) result.caveats.push_back({.id = "response-scale"});
  EXPECT_THAT(texts(results), Not(::testing::Contains(HasSubstr("alone explain"))));
  EXPECT_THAT(texts(results), Not(::testing::Contains(HasSubstr("Single rows move differently"))));
  EXPECT_THAT(texts(results), ::testing::Contains(::testing::EndsWith("alone makes features interact.")));
}

TEST(Findings, WhatRowsDependOnIsNamed) {
  Curve uneven = curve("temp", {0, 1, 2, 4});
  uneven.heterogeneity = 0.8;
  const auto told = [&](std::vector<ResultItem> pairs, std::vector<Caveat> caveats = {}) {
    Result interactions = result_of("interactions", std::move(pairs));
    interactions.caveats = std::move(caveats);
    return texts({result_of("partial-dependence", {uneven}), interactions}).back();
  };
  const std::string start =
      "Single rows move differently along temp: 80 % of how they move is not in the average curve";
  EXPECT_EQ(told({pair("temp", "wind", 3, 0.2), pair("hour", "temp", 8, 0.3), pair("hour", "wind", 20, 0.4)}),
            start + "; of its 2 pairs examined, the one with hour is strongest (8 bikes/hour, H² 30 %).");
  // Nothing is said of pairs that nobody looked at, nor is one the strongest where a stronger one cannot be trusted.
  EXPECT_EQ(told({pair("temp", "wind", 3, 0.2)}),
            start + "; with wind, the only feature examined, it acts together (3 bikes/hour, H² 20 %).");
  EXPECT_EQ(told({pair("temp", "wind", 3, 0.2), pair("hour", "temp", 8, 0.01)}),
            start +
                "; of its 2 pairs examined, of those that can be judged, the one with wind is strongest "
                "(3 bikes/hour, H² 20 %).");
  EXPECT_EQ(told({pair("hour", "wind", 20, 0.4)}), start + ".");
  EXPECT_EQ(told({pair("temp", "wind", 3, 0.01)}), start + ".");
  EXPECT_EQ(
      told({pair("temp", "season", 3, 0.2)},
           {{.id = "correlated-features", .evidence = Value::object({{"feature", "season"}, {"other", "temp"}})}}),
      start + ".");
  // Of a feature that is not the first, too.
  EXPECT_EQ(texts({result_of("partial-dependence", {uneven, curve("hour", {0, 2, 5, 9})})}).back(), start + ".");
  // On probabilities the link alone makes rows differ.
  const auto of_classes = [&](const std::vector<ResultItem>& pairs) {
    return texts({classifier("partial-dependence", {uneven}), classifier("interactions", pairs)});
  };
  EXPECT_THAT(of_classes({pair("temp", "wind", 3, 0.2)}),
              ::testing::Contains(HasSubstr("Single rows move differently")));
  EXPECT_THAT(of_classes({pair("hour", "wind", 3, 0.2)}),
              Not(::testing::Contains(HasSubstr("Single rows move differently"))));
  uneven.heterogeneity = 0.45;
  EXPECT_THAT(told({}), StartsWith("The prediction of rentals"));
}

TEST(Findings, RegionsThatDiffer) {
  const auto region = [](const std::string& group, const std::vector<double>& mean) {
    Curve each = curve("wind", mean);
    each.group = group;
    return each;
  };
  const std::vector<ResultItem> figures{figure_of("wind: heterogeneity before", 0.5),
                                        figure_of("wind: share explained", 0.6)};
  const auto told = [&](const Curve& a, const Curve& b) {
    std::vector<ResultItem> items{a, b};
    for (auto item : figures) {
      item.get<Figure>().output = "prediction";
      items.push_back(item);
    }
    return texts({result_of("ale", {curve("wind", {0, 1, 2, 4})}), result_of("regional-effects", items)}).back();
  };
  EXPECT_EQ(
      told(region("temp ≤ 13", {0, 2, 5, 9}), region("temp > 13", {5, 4, 3, 1})),
      "The prediction of rentals rises with wind where temp ≤ 13 (range 9 bikes/hour), but falls where temp > 13 (4).");
  EXPECT_EQ(told(region("hour ≤ 6", {0, 2, 5, 9}), region("hour > 6", {0, 20, 50, 90})),
            "The prediction of rentals moves by 90 bikes/hour along wind where hour > 6, by 9 where hour ≤ 6.");
  EXPECT_EQ(told(region("hour ≤ 6", {0, 9, 2, 1}), region("hour > 6", {0, 2, 9, 1})),
            "Along wind, the prediction of rentals is highest at 1 °C where hour ≤ 6, but at 2 °C where hour > 6.");
  EXPECT_THAT(told(region("hour ≤ 6", {0, 2, 5, 9}), region("hour > 6", {0, 4, 10, 17})),
              StartsWith("The prediction of rentals rises"));  // not twice as far
  // Alike: nothing to tell but the effect itself.
  EXPECT_THAT(told(region("hour ≤ 6", {0, 2, 5, 9}), region("hour > 6", {0, 2, 5, 8})),
              StartsWith("The prediction of rentals rises"));
}

TEST(Findings, WhatComesWithOtherFeatures) {
  Curve alone = curve("temp", {0, 5, 9, 20});
  alone.measure = Measure::effect;
  const auto told = [&](const std::vector<double>& rows, bool tied = true) {
    Result marginal = result_of("m-plot", {curve("temp", rows)});
    const Value evidence = Value::object({{"feature", "temp"}, {"other", "season"}});
    if (tied) marginal.caveats.push_back({.id = "correlated-features", .evidence = evidence});
    const Result shap =
        result_of("shap", {importance_of("temp", 50, "mean |SHAP|"), importance_of("season", 20, "mean |SHAP|")});
    return texts({result_of("ale", {alone}), marginal, shap}).back();
  };
  EXPECT_EQ(
      told({100, 130, 180, 200}),
      "Along temp, the prediction of rentals differs by 100 bikes/hour between rows as they are, but by only 20 with "
      "temp alone: season goes together with it.");
  EXPECT_EQ(
      told({100, 90, 80, 60}),
      "Of rows with higher temp, the prediction of rentals is lower (by 40 bikes/hour), although with temp alone it "
      "rises (by 20): season goes together with it.");
  EXPECT_THAT(told({100, 110, 120, 130}), StartsWith("The prediction of rentals rises"));
  EXPECT_THAT(told({100, 130, 180, 200}, false), StartsWith("The prediction of rentals rises"));
}

TEST(Findings, MissingValuesThatStandApart) {
  Curve temp = curve("temp", {0, 5, 9, 20});
  temp.missing = MissingPoint{.mean = 60, .count = 30};
  EXPECT_EQ(texts({result_of("partial-dependence", {temp})}).back(),
            "Where temp is missing (30 rows), the prediction of rentals is 40 bikes/hour higher than at any value.");
  Result weighted = result_of("partial-dependence", {temp});
  weighted.data.set("weights", "w");
  EXPECT_THAT(texts({weighted}).back(), StartsWith("Where temp is missing (7 % by weight), "));
  temp.missing->count = 4;
  EXPECT_EQ(texts({result_of("partial-dependence", {temp})}).size(), 1u);
}

TEST(Findings, OtherModelsAndOtherRowsSayNothing) {
  Result other = result_of("ale", {curve("wind", {0, 5, 9, 20})});
  other.model.set("file", "other.json");
  Result part = result_of("ale", {curve("hour", {0, 5, 9, 20})});
  part.options.set("where", "temp > 20");
  EXPECT_EQ(texts({result_of("ale", {curve("temp", {0, 5, 9, 20})}), other, part}).size(), 1u);
}

TEST(Findings, SevenAtTheMostAndInOrder) {
  std::vector<ResultItem> importances{figure_of("r2", 0.9)}, curves, pairs;
  const std::string names = "abcdefghij";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name(1, names[i]);
    importances.emplace_back(shuffled(name, 10, 60 - 5.0 * static_cast<double>(i)));
    curves.emplace_back(curve(name, {0, 5, 9, 10, 7, 3}));
    if (i > 0) pairs.emplace_back(pair(name, "a", 20, 0.3));
  }
  const auto told = findings(
      {result_of("interactions", pairs), result_of("ale", curves), result_of("permutation-importance", importances)});
  std::vector<std::string> chapters;
  for (const Finding& finding : told) chapters.push_back(finding.chapter);
  EXPECT_THAT(chapters,
              ElementsAre("other", "importance", "effects", "effects", "effects", "interactions", "interactions"));
}

TEST(Findings, NamesAreSafeAndQuoted) {
  Result result = result_of("ale", {curve("a\nb </script> \xE2\x80\xAE" + std::string(5000, 'x'), {0, 1, 5, 3, 2})});
  result.data.set("target", "<b>\ty</b>");
  const auto told = texts({result});
  ASSERT_EQ(told.size(), 1u);
  EXPECT_THAT(told[0], Not(HasSubstr("\n")));
  EXPECT_THAT(told[0], Not(HasSubstr("\t")));
  EXPECT_THAT(told[0], Not(HasSubstr("\xE2\x80\xAE")));
  EXPECT_THAT(told[0], HasSubstr("“a b </script>"));
  EXPECT_LT(told[0].size(), 300u);
}

// Every saved result there is, alone and all together: whole sentences, no blame, nothing that is not a number.
TEST(Findings, GoldenResultsGiveSentences) {
  std::vector<Result> all;
  for (const auto& entry : std::filesystem::directory_iterator(SIGHTGLASS_SOURCE_DIR "/tests/golden/results")) {
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    all.push_back(result_from_json(text.str(), entry.path().string()));
  }
  ASSERT_GT(all.size(), 10u);
  const auto check = [](const std::vector<Result>& results) {
    const auto told = findings(results);
    EXPECT_LE(told.size(), 7u);
    for (const Finding& finding : told) {
      SCOPED_TRACE(finding.text);
      EXPECT_TRUE(finding.text.ends_with("."));
      for (const char* word : {"cause", "nan", "inf ", "∞", "–", "  ", ".."})
        EXPECT_THAT(finding.text, Not(HasSubstr(word)));
      EXPECT_THAT((std::vector<std::string>{"importance", "effects", "interactions", "rows", "other"}),
                  ::testing::Contains(finding.chapter));
    }
  };
  for (const Result& result : all) check({result});
  check(all);
}

}  // namespace
}  // namespace sightglass
