#include "sightglass/render/shape_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/render/csv/csv_renderer.h"
#include "sightglass/render/html/page_charts.h"
#include "sightglass/render/text/text_renderer.h"
#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/json.h"

namespace sightglass {
namespace {

Result from_a_newer_version() {
  return result_from_json(R"({"schema":"sightglass.result/1","method":"newer","results":[
      {"type":"figure","name":"r2","output":"y","value":0.5},
      {"type":"crystal_ball","output":"y","group":"","glass":[1,2]}]})",
                          "test");
}

TEST(ShapeView, ItemsOfUnknownTypeSaySo) {
  const Result result = from_a_newer_version();
  const std::string message = "this version does not know \"crystal_ball\"";
  const std::string text = render_text(result, {});
  EXPECT_THAT(text, ::testing::HasSubstr("Crystal ball"));
  EXPECT_THAT(text, ::testing::HasSubstr(message));
  EXPECT_THAT(to_json(vega_spec(result, group_items(result).at(1))), ::testing::HasSubstr("does not know"));
  EXPECT_THAT(render_csv(result), ::testing::HasSubstr("\ncrystal_ball,"));
  const auto charts = page_charts({result});
  ASSERT_EQ(charts.size(), 1u);
  EXPECT_THAT(charts[0].name, ::testing::StartsWith("other/"));
}

TEST(ShapeView, ShapesThatStandAloneHaveAPictureEach) {
  const Result result = from_a_newer_version();
  const auto groups = group_items(result);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].type(), "figure");
  EXPECT_EQ(groups[1].type(), "crystal_ball");
  EXPECT_EQ(groups[1].as<PlainItems>()->items[0], &result.results[1]);
  EXPECT_EQ(data_table(groups[1]).columns.at(0).title, "type");
}

}  // namespace
}  // namespace sightglass
