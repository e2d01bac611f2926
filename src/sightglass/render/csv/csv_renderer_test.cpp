#include "sightglass/render/csv/csv_renderer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace sightglass {
namespace {

TEST(CsvRenderer, OneLinePerGridPoint) {
  Curve curve;
  curve.axis = {"a,b", "", {0.1, INFINITY}, {}, false};
  curve.output = "say \"y\"";
  curve.mean = {1.5, std::nan("")};
  curve.sd = {0.25, 0};
  curve.missing = MissingPoint{3, 0, 0, 0, 2};
  Surface surface;
  surface.first = {"x", "", {1}, {}, false};
  surface.second = {"z", "", {}, {"", "two\nlines"}, false};
  surface.mean = {{7, 8}};
  surface.count = {{4, 0}};
  Curves curves;
  curves.axis = {"x", "", {1, 2}, {}, false};
  curves.rows = {17};
  curves.values = {{5, 6}};
  Result result;
  result.results = {curve, surface, curves};
  // Only columns that hold anything, in an order of their own.
  EXPECT_EQ(render_csv(result),
            "type,feature,value,feature_2,value_2,output,row,prediction,mean,sd,count,measure\n"
            "curve,\"a,b\",0.1,,,\"say \"\"y\"\"\",,,1.5,0.25,,mean\n"
            "curve,\"a,b\",Infinity,,,\"say \"\"y\"\"\",,,NaN,0,,mean\n"
            "curve,\"a,b\",,,,\"say \"\"y\"\"\",,,3,0,2,mean\n"
            "surface,x,1,z,\"\",,,,7,,4,mean\n"
            "surface,x,1,z,\"two\nlines\",,,,8,,0,mean\n"
            "curves,x,1,,,,17,5,,,,\n"
            "curves,x,2,,,,17,6,,,,\n");
  EXPECT_EQ(render_csv(Result()), "type\n");
}

// The named cells of the line, empty ones left out.
std::string cells(const std::string& csv, std::size_t line) {
  std::istringstream stream(csv);
  std::string header, found, out;
  std::getline(stream, header);
  for (std::size_t i = 0; i <= line; ++i) std::getline(stream, found);
  std::istringstream names(header), values(found);
  for (std::string name, value; std::getline(names, name, ',');) {
    value.clear();
    std::getline(values, value, ',');
    if (!value.empty()) out += (out.empty() ? "" : " ") + name + "=" + value;
  }
  return out;
}

TEST(CsvRenderer, EffectsSlopesAndRankingsHaveColumnsOfTheirOwn) {
  Curve curve;
  curve.axis = {"a", "", {0, 1}, {}, false};
  curve.measure = Measure::effect;
  curve.group = "k = 1";
  curve.series = "ALE";
  curve.mean = {-1, 1};
  curve.se_shape = {0.5, 0.25};
  curve.bin_count = {7};
  curve.slope = {2};
  curve.sparse = {1};
  curve.extrapolated = {1};
  curve.outside = {0, 0.5};
  Curve loss;
  loss.axis = {"a", "", {0.5}, {}, false};
  loss.measure = Measure::loss;
  loss.mean = {3};
  Curves slopes;
  slopes.axis = {"a", "", {0.5}, {}, false};
  slopes.derivative = true;
  slopes.rows = {4};
  slopes.values = {{9}};
  Surface surface;
  surface.first = {"a", "", {0, 1}, {}, false};
  surface.second = {"b", "", {0, 1}, {}, false};
  surface.measure = Measure::effect;
  surface.mean = {{1, 2}, {3, 4}};
  surface.count = {{5}};
  Importance importance;
  importance.feature = "a";
  importance.output = "y";
  importance.measure = measure_from_text("increase of rmse");
  importance.importance = 2;
  importance.sd = 0.5;
  importance.low = 1;
  importance.high = 3;
  importance.details = Value::object({{"ratio", 2}});
  Interaction interaction;
  interaction.features = {"a", "b", "c"};
  interaction.h2 = 0.25;
  interaction.h = 0.5;
  interaction.strength = 4;
  interaction.se = 0.125;
  Figure figure;
  figure.name = "features used";
  figure.value = 3;
  figure.meaning = "of all";
  Result result;
  result.results = {curve, loss, slopes, surface, importance, interaction, figure};
  const std::string csv = render_csv(result);
  EXPECT_EQ(cells(csv, 0),
            "type=curve feature=a value=0 group=k = 1 series=ALE measure=effect effect=-1 se=0.5 bin_count=7 slope=2 "
            "outside=0");
  EXPECT_EQ(cells(csv, 1),
            "type=curve feature=a value=1 group=k = 1 series=ALE measure=effect effect=1 se=0.25 outside=0.5 "
            "caution=sparse extrapolated");
  EXPECT_EQ(cells(csv, 2), "type=curve feature=a value=0.5 measure=loss loss=3");
  EXPECT_EQ(cells(csv, 3), "type=curves feature=a value=0.5 row=4 slope=9");
  EXPECT_EQ(cells(csv, 4), "type=surface feature=a value=0 feature_2=b value_2=0 measure=effect effect=1 bin_count=5");
  EXPECT_EQ(cells(csv, 5), "type=surface feature=a value=0 feature_2=b value_2=1 measure=effect effect=2");
  EXPECT_EQ(cells(csv, 8),
            "type=importance feature=a output=y sd=0.5 measure=increase of rmse importance=2 low=1 high=3 "
            "details=\"{\"\"ratio\"\":2}\"");
  EXPECT_EQ(cells(csv, 9), "type=interaction feature=a feature_2=b se=0.125 feature_3=c h2=0.25 h=0.5 strength=4");
  EXPECT_EQ(cells(csv, 10), "type=figure name=features used figure=3 meaning=of all");
}

TEST(CsvRenderer, GroupsOfFeaturesHaveTheirMembers) {
  Importance group, single;
  group.feature = "size";
  group.features = {"rooms", "beds"};
  single.feature = "age";
  single.features = {"age"};
  Result result;
  result.results = {group, single};
  const std::string csv = render_csv(result);
  EXPECT_NE(csv.find(",\"[\"\"rooms\"\",\"\"beds\"\"]\"\n"), std::string::npos) << csv;
  EXPECT_EQ(cells(csv, 1), "type=importance feature=age importance=0");
}

TEST(CsvRenderer, AttributionsHaveALinePerRowAndFeature) {
  Attributions item;
  item.features = {{"temp", "°C", {}, {}, false}, {"weather", "", {}, {"clear", "rain"}, false}};
  item.output = "y";
  item.base = 2;
  item.rows = {17};
  item.prediction = {3.5};
  item.values = {1, 0.5};
  item.data = {std::nan(""), 1};
  item.se = {0.1, 0};
  item.interactions = {0.75, 0.25, 0.25, 0.25};
  Result result;
  result.results = {item};
  const std::string csv = render_csv(result);
  EXPECT_EQ(cells(csv, 0), "type=attribution feature=temp output=y row=17 prediction=3.5 se=0.1 base=2 attribution=1");
  EXPECT_EQ(cells(csv, 1),
            "type=attribution feature=weather value=rain output=y row=17 prediction=3.5 se=0 base=2 attribution=0.5");
  EXPECT_EQ(cells(csv, 2),
            "type=attribution feature=temp feature_2=weather value_2=rain output=y row=17 prediction=3.5 base=2 "
            "attribution=0.5");
}

}  // namespace
}  // namespace sightglass
