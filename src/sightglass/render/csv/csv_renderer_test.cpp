#include "sightglass/render/csv/csv_renderer.h"

#include <gtest/gtest.h>

#include <cmath>

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
  EXPECT_EQ(render_csv(result),
            "type,feature,value,feature_2,value_2,output,row,prediction,mean,sd,se_level,se_shape,count\n"
            "curve,\"a,b\",0.1,,,\"say \"\"y\"\"\",,,1.5,0.25,,,\n"
            "curve,\"a,b\",Infinity,,,\"say \"\"y\"\"\",,,NaN,0,,,\n"
            "curve,\"a,b\",,,,\"say \"\"y\"\"\",,,3,0,0,0,2\n"
            "surface,x,1,z,\"\",,,,7,,,,4\n"
            "surface,x,1,z,\"two\nlines\",,,,8,,,,0\n"
            "curves,x,1,,,,17,5,,,,,\n"
            "curves,x,2,,,,17,6,,,,,\n");
}

}  // namespace
}  // namespace sightglass
