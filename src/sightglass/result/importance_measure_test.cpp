#include "sightglass/result/importance_measure.h"

#include <gtest/gtest.h>

namespace sightglass {
namespace {

TEST(ImportanceMeasure, HasWords) {
  const ImportanceMeasure rmse{
      .kind = MeasureKind::permutation, .loss = LossKind::rmse, .change = LossChange::increase};
  EXPECT_EQ(rmse.text(), "increase of rmse");
  ImportanceMeasure reliance{.kind = MeasureKind::reliance, .loss = LossKind::squared, .change = LossChange::ratio};
  EXPECT_EQ(reliance.text(), "reliance: ratio of squared error");
  EXPECT_TRUE(reliance.is_ratio());
  EXPECT_FALSE(rmse.is_ratio());
  const ImportanceMeasure weighted{.kind = MeasureKind::dependence, .over_rows = true};
  EXPECT_EQ(weighted.text(), "sd of partial dependence over the data");
  EXPECT_EQ(weighted.over_grid().text(), "sd of partial dependence");
  EXPECT_EQ(interaction_strength().text(), "interaction strength");
  EXPECT_TRUE(ImportanceMeasure().empty());
}

TEST(ImportanceMeasure, OfOldFilesIsFoundFromItsWords) {
  const std::pair<const char*, MeasureKind> known[] = {
      {"increase of rmse", MeasureKind::permutation},
      {"decrease of auc", MeasureKind::permutation},
      {"ratio of log-loss", MeasureKind::permutation},
      {"increase of something else", MeasureKind::permutation},
      {"reliance: increase of absolute error", MeasureKind::reliance},
      {"sd of partial dependence", MeasureKind::dependence},
      {"sd of partial dependence over the data", MeasureKind::dependence},
      {"mean |SHAP|", MeasureKind::shapley},
      {"mean |SHAP interaction|", MeasureKind::shapley_pairs},
      {"share of variance", MeasureKind::variance},
      {"interaction strength", MeasureKind::interaction},
      {"weight", MeasureKind::other},
      {"", MeasureKind::other},
  };
  for (const auto& [text, kind] : known) {
    EXPECT_EQ(measure_from_text(text).kind, kind) << text;
    EXPECT_EQ(measure_from_text(text).text(), text);
  }
  EXPECT_EQ(measure_from_text("reliance: ratio of squared error").loss, LossKind::squared);
}

TEST(ImportanceMeasure, WhatItIsMeasuredIn) {
  for (const char* text : {"mean |SHAP|", "sd of partial dependence", "interaction strength"})
    EXPECT_TRUE(measure_from_text(text).in_units_of_prediction()) << text;
  for (const char* text : {"increase of rmse", "share of variance", "weight"})
    EXPECT_FALSE(measure_from_text(text).in_units_of_prediction()) << text;
}

}  // namespace
}  // namespace sightglass
