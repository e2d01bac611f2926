#include "sightglass/insight/readable.h"

#include <gtest/gtest.h>

#include "support/result_items.h"

namespace sightglass {
namespace {

TEST(Readable, SharesAreToldInPlainWords) {
  Figure left = testing::figure_of("share of variance that PD main effects leave", 0.2618);
  EXPECT_EQ(figure_title(Result{}, left), "not explained by single features alone");
  EXPECT_EQ(figure_text(left).value, "26 %");
  EXPECT_EQ(figure_text(left).half, "");
  left.se = 0.01;
  EXPECT_EQ(figure_text(left).half, "2 %");
  // What is no share is no percentage.
  left.value = 1.3;
  EXPECT_EQ(figure_text(left).value, "1.3");
  EXPECT_EQ(figure_text(testing::figure_of("interaction strength", 0.1)).value, "10 %");
  Figure rmse = testing::figure_of("rmse", 0.25);
  rmse.se = 0.01;
  EXPECT_EQ(figure_title(Result{}, rmse), "RMSE");
  EXPECT_EQ(figure_text(rmse).value, "0.25");
  EXPECT_EQ(figure_text(rmse).half, "0.02");
}

}  // namespace
}  // namespace sightglass
