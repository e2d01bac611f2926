#include "sightglass/result/json_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "sightglass/result/json.h"

namespace sightglass {
namespace {

// SIGHTGLASS_WRITE_SCHEMA=1 writes the file anew.
TEST(ResultSchema, TheFileInDocsIsUpToDate) {
  const std::string path = SIGHTGLASS_SOURCE_DIR "/docs/result.schema.json";
  const std::string schema = to_json(result_schema(), 2) + "\n";
  if (std::getenv("SIGHTGLASS_WRITE_SCHEMA") != nullptr) std::ofstream(path) << schema;
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(text.str() == schema) << "docs/result.schema.json is out of date; tools/write_schema.sh writes it";
}

TEST(ResultSchema, HasWhatShapesDescribe) {
  const Value schema = result_schema();
  const Value& shapes = *schema.find("$defs");
  const Value& figure = *shapes.find("figure");
  EXPECT_EQ(to_json(*figure.find("required")), R"(["name","value"])");
  EXPECT_EQ(to_json(*figure.find("properties")->find("type")), R"({"const":"figure"})");
  EXPECT_EQ(to_json(*shapes.find("curve")->find("oneOf")), R"([{"required":["mean"]},{"required":["effect"]}])");
  // Those that are known; others may come.
  EXPECT_EQ(to_json(*shapes.find("curve")->find("properties")->find("verdict")->find("anyOf")),
            R"([{"enum":["constant","linear","monotone","complex",null]},{"type":"string"}])");
}

}  // namespace
}  // namespace sightglass
