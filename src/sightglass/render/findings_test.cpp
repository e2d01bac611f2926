#include "sightglass/render/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "sightglass/result/json.h"

namespace sightglass {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

Result result_of(const std::string& method, std::vector<ResultItem> items = {}) {
  Result result;
  result.method = method;
  result.model.set("task", "regression");
  result.data.set("target", "rentals").set("target_unit", "bikes/hour").set("rows", 1000).set("rows_available", 1000);
  result.results = std::move(items);
  return result;
}

Result classifier(const std::string& method, std::vector<ResultItem> items = {}) {
  Result result = result_of(method, std::move(items));
  result.model = Value::object({{"task", "classification"}});
  result.data = Value::object({{"target", "species"}, {"rows", 300}});
  return result;
}

Figure figure(const std::string& name, double value) {
  Figure figure;
  figure.name = name;
  figure.value = value;
  return figure;
}

Importance shuffled(const std::string& feature, double before, double after,
                    const std::string& measure = "increase of rmse") {
  Importance entry;
  entry.feature = feature;
  entry.features = {feature};
  entry.measure = measure;
  entry.importance = std::abs(after - before);
  entry.details.set("baseline", before).set("after", after);
  return entry;
}

Importance ranked(const std::string& feature, double value, const std::string& measure,
                  const std::string& output = "") {
  Importance entry;
  entry.feature = feature;
  entry.features = {feature};
  entry.output = output;
  entry.measure = measure;
  entry.importance = value;
  return entry;
}

Curve curve(const std::string& feature, const std::vector<double>& mean, const std::string& output = "prediction") {
  Curve curve;
  curve.axis.feature = feature;
  curve.axis.unit = "°C";
  curve.output = output;
  curve.mean = mean;
  curve.count.assign(mean.size(), 100);
  for (std::size_t i = 0; i < mean.size(); ++i) curve.axis.numbers.push_back(static_cast<double>(i));
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
  EXPECT_THAT(texts({result_of("report", {figure("r2", 0.94), figure("absolute error", 41.2),
                                          figure("skill by absolute error", 0.8)})}),
              ElementsAre("The model explains 94 % of the variance of rentals on these 1,000 rows; it is off by 41 "
                          "bikes/hour on average, a constant prediction by 206."));
  // R² from the rmse: the best constant is the mean.
  EXPECT_THAT(texts({result_of("permutation-importance", {figure("rmse", 30), figure("skill by rmse", 0.7)})}),
              ElementsAre("The model explains 91 % of the variance of rentals on these 1,000 rows; its typical error "
                          "(rmse) is 30 bikes/hour, that of a constant prediction 100."));
  EXPECT_THAT(texts({classifier("report",
                                {figure("accuracy", 0.96), figure("skill by accuracy", 0.92), figure("auc", 0.9923)})}),
              ElementsAre("The model names the right class of species in 96 % of these 300 rows (AUC 0.992); always "
                          "naming the most frequent one would be right in 50 %."));
  EXPECT_THAT(
      texts({classifier("report", {figure("log-loss", 0.2), figure("skill by log-loss", 0.6)})}),
      ElementsAre("The model takes away 60 % of the log-loss that a constant prediction of species has on these "
                  "300 rows."));
  // As the method performance has it.
  Figure told = figure("absolute error", 41.2);
  told.meaning = "the lower, the better; the best constant prediction has 206";
  EXPECT_THAT(texts({result_of("performance", {figure("r2", 0.94), told})})[0],
              HasSubstr("off by 41 bikes/hour on average, a constant prediction by 206."));
  Figure right = figure("accuracy", 0.96);
  right.meaning = "the higher, the better; the best constant prediction has 0.5045";
  EXPECT_THAT(texts({classifier("performance", {right, figure("auc", 0.9999)})}),
              ElementsAre("The model names the right class of species in 96 % of these 300 rows (AUC above 0.999); "
                          "always naming the most frequent one would be right in 50 %."));
  // Nearly all is not all.
  EXPECT_THAT(texts({result_of("report", {figure("r2", 0.99996)})})[0], HasSubstr("more than 99.9 %"));
  EXPECT_THAT(texts({result_of("report", {figure("r2", 0.03)})})[0], HasSubstr("explains only 3 %"));
}

TEST(Findings, OfAModelThatKnowsNothingLittleElseIsSaid) {
  const auto told = texts({result_of("permutation-importance", {figure("r2", -0.2), figure("skill by r2", -0.2),
                                                                shuffled("a", 10, 30), shuffled("b", 10, 12)}),
                           result_of("ale", {curve("a", {0, 5, 9, 10, 7, 3}), curve("b", {0, 1, 2, 3})}),
                           result_of("interactions", {pair("a", "b", 3, 0.2)})});
  ASSERT_EQ(told.size(), 2u);
  EXPECT_THAT(told[0], StartsWith("The model predicts rentals no better than a constant does"));
  // The caveat alone says it, too.
  Result weak = result_of("ale", {curve("a", {0, 5, 9, 10, 7, 3})});
  weak.caveats.push_back({.id = "weak-model", .evidence = Value::object({{"value", -0.01}})});
  EXPECT_THAT(texts({weak})[0], StartsWith("The model predicts rentals no better than a constant does"));
  // An imbalanced target: always naming the frequent class is as right, but the model still tells classes apart.
  EXPECT_THAT(texts({classifier("report", {figure("accuracy", 0.9), figure("skill by accuracy", 0), figure("auc", 0.85),
                                           figure("skill by auc", 0.7)})})[0],
              StartsWith("The model names the right class"));
}

TEST(Findings, MeasuresAgreeOrNot) {
  const Result shuffling = result_of("permutation-importance", {shuffled("hour", 30, 93), shuffled("temp", 30, 45)});
  const auto shap = [](double hour, double temp) {
    return result_of("shap", {ranked("hour", hour, "mean |SHAP|"), ranked("temp", temp, "mean |SHAP|")});
  };
  EXPECT_THAT(texts({shuffling}),
              ElementsAre("hour matters most: shuffling it makes the rmse 3.1 times as large; next is "
                          "temp (1.5 times)."));
  EXPECT_THAT(texts({shuffling, shap(50, 20)})[0], StartsWith("hour matters most by both measures: shuffling it"));
  EXPECT_THAT(texts({shuffling, shap(20, 50)}),
              ElementsAre("hour and temp matter most by both measures, which do not agree on the order."));
  const Result other = result_of("shap", {ranked("wind", 50, "mean |SHAP|"), ranked("temp", 20, "mean |SHAP|")});
  EXPECT_THAT(texts({shuffling, other}),
              ElementsAre("What matters most depends on the measure: hour by shuffling; wind by Shapley values."));
  EXPECT_THAT(texts({shap(64.4, 20)}),
              ElementsAre("hour matters most: it moves a prediction by 64 bikes/hour on average (mean |SHAP|)."));
  const std::string auc = "decrease of auc";
  EXPECT_THAT(
      texts({classifier("permutation-importance", {shuffled("a", 0.99, 0.81, auc), shuffled("b", 0.99, 0.98, auc)})}),
      ElementsAre("a matters most: shuffling it lowers the auc from 0.99 to 0.81."));
  // Within chance nothing matters.
  Importance chance = shuffled("a", 10, 10.1);
  chance.se = 0.2;
  EXPECT_THAT(texts({result_of("permutation-importance", {chance, shuffled("b", 10, 10)})}), IsEmpty());
}

TEST(Findings, FlatButImportant) {
  const std::string measure = "sd of partial dependence over the data";
  const auto told =
      texts({result_of("permutation-importance", {shuffled("hour", 30, 157), shuffled("workingday", 30, 61)}),
             result_of("pd-importance", {ranked("hour", 88, measure), ranked("workingday", 5, measure)})});
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(
      told[1],
      "workingday hardly moves the average prediction, yet shuffling it makes the rmse 2.0 times as large: what it "
      "does depends on other features.");
}

TEST(Findings, EffectsOfTheTopFeatures) {
  const auto told =
      findings({result_of("partial-dependence", {curve("temp", {9, 5, 0})}),
                result_of("ale", {curve("temp", {0, 50, 90, 110, 70, 30}), curve("wind", {0, 1, 2, 1})})});
  ASSERT_EQ(told.size(), 1u);  // wind moves too little beside temp
  EXPECT_EQ(told[0].text, "The prediction of rentals rises with temp up to 3 °C, then falls; range 110 bikes/hour.");
  EXPECT_THAT(told[0].features, ElementsAre("temp"));
  EXPECT_EQ(told[0].chapter, "effects");
}

TEST(Findings, TheClassThatMovesMost) {
  const auto told = texts(
      {classifier("ale", {curve("bill", {0, 0.1, 0.2, 0.3}, "Adelie"), curve("bill", {0.5, 0.4, 0.2, -0.3}, "Gen too"),
                          curve("bill", {0, 0, 0.1, 0}, "Chinstrap")})});
  EXPECT_THAT(
      told, ElementsAre("The probability of class “Gen too” falls with bill; range 0.8; no other class moves as far."));
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
      "hour × workingday: their joint effect differs from the sum of the two, typically by 41 bikes/hour (H² 0.31).");
  EXPECT_THAT(told[0].features, ElementsAre("hour", "workingday"));
  // Two that go together make rows that do not occur.
  Result tied = result_of("interactions", {pair("temp", "feels_like", 41, 0.31)});
  tied.caveats.push_back(
      {.id = "correlated-features", .evidence = Value::object({{"feature", "feels_like"}, {"other", "temp"}})});
  EXPECT_THAT(texts({tied}), IsEmpty());
  // H² above 1 means nothing.
  EXPECT_THAT(texts({result_of("interactions", {pair("a", "b", 41, 1.3)})}), IsEmpty());
  Importance both = ranked("a:b", 0.1, share);
  both.features = {"a", "b"};
  const Result parts = result_of("decomposition", {ranked("a", 0.6, share), ranked("b", 0.28, share), both});
  EXPECT_THAT(texts({parts}).back(),
              "What single features do adds up to 88 % of the variance of the predictions; what they do in "
              "pairs, to another 10 %.");
  // Another measure that says something else: silence.
  EXPECT_THAT(texts({parts, result_of("interactions", {figure("share of variance that PD main effects leave", 0.5)})}),
              Not(testing::Contains(HasSubstr("adds up"))));
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
      result_of("decomposition", {figure("share of variance that PD main effects leave", 0.4)})};
  EXPECT_THAT(texts(results), testing::Contains(HasSubstr("adds up to 60 %")));
  EXPECT_THAT(texts(results), testing::Contains(HasSubstr("Single rows move differently")));
  EXPECT_THAT(texts(results), testing::Contains(testing::EndsWith("(H² 0.3).")));
  for (auto& result : results) result.caveats.push_back({.id = "response-scale"});
  EXPECT_THAT(texts(results), Not(testing::Contains(HasSubstr("adds up"))));
  EXPECT_THAT(texts(results), Not(testing::Contains(HasSubstr("Single rows move differently"))));
  EXPECT_THAT(texts(results), testing::Contains(testing::EndsWith("alone makes features interact.")));
}

TEST(Findings, RegionsThatDiffer) {
  const auto region = [](const std::string& group, const std::vector<double>& mean) {
    Curve each = curve("wind", mean);
    each.group = group;
    return each;
  };
  const std::vector<ResultItem> figures{figure("wind: heterogeneity before", 0.5),
                                        figure("wind: share explained", 0.6)};
  const auto told = [&](const Curve& a, const Curve& b) {
    std::vector<ResultItem> items{a, b};
    for (auto item : figures) {
      std::get<Figure>(item).output = "prediction";
      items.push_back(item);
    }
    return texts({result_of("ale", {curve("wind", {0, 1, 2, 4})}), result_of("regional-effects", items)}).back();
  };
  EXPECT_EQ(
      told(region("temp ≤ 13", {0, 2, 5, 9}), region("temp > 13", {5, 4, 3, 1})),
      "The prediction of rentals rises with wind where temp ≤ 13 (range 9 bikes/hour), but falls where temp > 13 (4).");
  EXPECT_EQ(told(region("hour ≤ 6", {0, 2, 5, 9}), region("hour > 6", {0, 20, 50, 90})),
            "The prediction of rentals moves by 90 bikes/hour along wind where hour > 6, by 9 where hour ≤ 6.");
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
    const Result shap = result_of("shap", {ranked("temp", 50, "mean |SHAP|"), ranked("season", 20, "mean |SHAP|")});
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
  std::vector<ResultItem> importances{figure("r2", 0.9)}, curves, pairs;
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
                  testing::Contains(finding.chapter));
    }
  };
  for (const Result& result : all) check({result});
  check(all);
}

}  // namespace
}  // namespace sightglass
