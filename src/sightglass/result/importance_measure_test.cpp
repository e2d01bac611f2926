#include "sightglass/result/importance_measure.h"

#include <gtest/gtest.h>

namespace sightglass {
namespace {

TEST(ImportanceMeasure, IsKnownByItsText) {
  EXPECT_EQ(kind_of("increase of rmse"), MeasureKind::permutation);
  EXPECT_EQ(kind_of("decrease of auc"), MeasureKind::permutation);
  EXPECT_EQ(kind_of("ratio of log-loss"), MeasureKind::permutation);
  EXPECT_EQ(kind_of("reliance: increase of rmse"), MeasureKind::reliance);
  EXPECT_EQ(kind_of("sd of partial dependence"), MeasureKind::dependence);
  EXPECT_EQ(kind_of("sd of partial dependence over the data"), MeasureKind::dependence);
  EXPECT_EQ(kind_of("mean |SHAP|"), MeasureKind::shapley);
  EXPECT_EQ(kind_of("share of variance"), MeasureKind::variance);
  EXPECT_EQ(kind_of("interaction strength"), MeasureKind::interaction);
  EXPECT_EQ(kind_of("weight"), MeasureKind::other);
}

TEST(ImportanceMeasure, WhatItIsMeasuredIn) {
  EXPECT_TRUE(is_over_rows("sd of partial dependence over the data"));
  EXPECT_FALSE(is_over_rows("sd of partial dependence"));
  EXPECT_EQ(over_grid("sd of partial dependence over the data"), "sd of partial dependence");
  EXPECT_EQ(over_grid("increase of loss over the data"), "increase of loss over the data");
  EXPECT_TRUE(in_units_of_prediction("mean |SHAP|"));
  EXPECT_TRUE(in_units_of_prediction("sd of partial dependence"));
  EXPECT_TRUE(in_units_of_prediction("interaction strength"));
  EXPECT_FALSE(in_units_of_prediction("increase of rmse"));
  EXPECT_FALSE(in_units_of_prediction("share of variance"));
  EXPECT_EQ(loss_in("increase of rmse"), "rmse");
  EXPECT_EQ(loss_in("reliance: ratio of squared error"), "squared error");
  EXPECT_EQ(loss_in("share of variance"), "share of variance");
  EXPECT_TRUE(is_ratio("ratio of rmse"));
  EXPECT_TRUE(is_ratio("reliance: ratio of rmse"));
  EXPECT_FALSE(is_ratio("increase of rmse"));
}

}  // namespace
}  // namespace sightglass
