#include "sightglass/render/width_sweep_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/render/text/text_renderer.h"
#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/json.h"
#include "support/result_items.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

WidthSweep sweep() {
  WidthSweep made;
  made.output = "rentals";
  made.row = 17;
  made.widths = {0.5, 1, 2};
  made.chosen = 1;
  made.terms = {{"temp > 20", {std::nullopt, 5, 6}}, {"humid", {2, 1, -2}}, {"windy", {0.1, 0, -0.1}}};
  made.r2 = {std::nullopt, 0.5, 0.4};
  made.locality = {0.9, 0.5, 0.1};
  return made;
}

TEST(WidthSweep, KnowsWhichTermsTurn) {
  const WidthSweep made = sweep();
  EXPECT_FALSE(turns(made, made.terms[0]));
  EXPECT_TRUE(turns(made, made.terms[1]));
  EXPECT_FALSE(turns(made, made.terms[2]));  // too small to matter
}

TEST(WidthSweep, ComesBackFromJson) {
  const Result result = testing::result_of("lime", {sweep()});
  const Result read = result_from_json(to_json(result), "sweep.json");
  const auto& back = read.results[0].get<WidthSweep>();
  EXPECT_EQ(back.widths, sweep().widths);
  EXPECT_EQ(back.terms[0].coefficients, sweep().terms[0].coefficients);
  EXPECT_EQ(back.r2, sweep().r2);
  EXPECT_EQ(back.row, 17U);
  EXPECT_EQ(to_json(read), to_json(result));
}

TEST(WidthSweep, PicturesAndTextNameTermsThatTurn) {
  const Result result = testing::result_of("lime", {sweep()});
  const std::string text = render_text(result);
  EXPECT_THAT(text, HasSubstr("from local to global"));
  EXPECT_THAT(text, HasSubstr("changes its sign"));
  const std::string chart = render_vega(result);
  EXPECT_THAT(chart, HasSubstr("temp > 20"));
  EXPECT_THAT(chart, Not(HasSubstr("NaN")));
}

}  // namespace
}  // namespace sightglass
