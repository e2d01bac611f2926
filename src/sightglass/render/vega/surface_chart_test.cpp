#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/json.h"

namespace sightglass {
namespace {

// The colours of the labels in a matrix of levels, per label.
std::map<std::string, std::string> inks(const Value& spec, const std::string& output) {
  std::map<std::string, std::string> found;
  for (const Value& layer : spec.find("layer")->as_array()) {
    const Value* data = layer.find("data");
    if (data == nullptr) continue;
    for (const Value& row : data->find("values")->as_array()) {
      if (row.find("output")->as_string() == output)
        found[row.find("label")->as_string()] = layer.find("mark")->find("color")->as_string();
    }
  }
  return found;
}

// Of the first class 1 is the highest, and light; beside another that reaches 10 it is dark.
TEST(SurfaceChart, LabelsCanBeReadOnColoursThatClassesShare) {
  Surface first;
  first.first = {"a", "", {}, {"x", "y"}, false};
  first.second = {"b", "", {}, {"u", "v"}, false};
  first.output = "small";
  first.mean = {{0, 0.25}, {0.5, 1}};
  Surface second = first;
  second.output = "large";
  second.mean = {{0, 2}, {9, 10}};
  Result result;
  const Value spec = vega_spec(result, std::vector<const Surface*>{&first, &second});
  EXPECT_EQ(to_json(*spec.find("layer")->as_array()[0].find("encoding")->find("color")->find("scale")->find("domain")),
            "[0,10]");
  for (const auto& [label, ink] : inks(spec, "small")) EXPECT_EQ(ink, "#ffffff") << label;
  const auto large = inks(spec, "large");
  ASSERT_EQ(large.size(), 4u);
  EXPECT_EQ(large.at("2"), "#ffffff");
  EXPECT_EQ(large.at("10"), "#1a1f27");
}

// ALE of a number and a feature of 0 and 1: rows are counted in cells, of which the last has one.
TEST(SurfaceChart, TwoValuesKeepTheirMarksOfFewRows) {
  Surface surface;
  surface.first = {"a", "", {0, 10, 20, 30}, {}, false};
  surface.second = {"b", "", {0, 1}, {}, false};
  surface.measure = Measure::effect;
  surface.mean = {{0, 1}, {1, 0}, {0, 1}, {1, 0}};
  surface.count = {{400}, {300}, {1}};
  Result result;
  result.method = "ale";
  result.results = {surface};
  const std::string spec = to_json(vega_spec(result));
  EXPECT_NE(spec.find("few rows here"), std::string::npos);
  surface.count = {{400}, {300}, {200}};
  result.results = {surface};
  EXPECT_EQ(to_json(vega_spec(result)).find("few rows here"), std::string::npos);
}

}  // namespace
}  // namespace sightglass
