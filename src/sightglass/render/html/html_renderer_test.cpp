#include "sightglass/render/html/html_renderer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "sightglass/render/html/payload_internal.h"
#include "sightglass/result/json.h"

namespace sightglass {
namespace {

Result golden(const std::string& name) {
  const std::string path = SIGHTGLASS_SOURCE_DIR "/tests/golden/results/" + name;
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return result_from_json(text.str(), path);
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const auto start = text.find(from) + from.size();
  return text.substr(start, text.find(to, start) - start);
}

TEST(Html, DataCannotLeaveTheirElement) {
  const std::string page = render_html({golden("hostile.json")}, "</title><script>alert(1)</script>");
  const std::string data = between(page, "id=\"sightglass-data\">", "</script>");
  EXPECT_EQ(data.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(data.find("\xE2\x80\xA8"), std::string::npos);
  const Value payload = value_from_json(data, "payload");
  EXPECT_EQ(payload.find("title")->as_string(), "</title><script>alert(1)</script>");
  EXPECT_EQ(between(page, "<title>", "</title>"), "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
}

TEST(Html, PolicyAllowsOnlyHashes) {
  const std::string page = render_html({golden("categorical.json")});
  const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\"");
  EXPECT_THAT(policy, testing::StartsWith("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(policy, testing::HasSubstr("style-src 'sha256-"));
  EXPECT_THAT(policy, testing::Not(testing::HasSubstr("unsafe")));
  EXPECT_THAT(policy, testing::Not(testing::HasSubstr("http")));
}

TEST(Html, OneSectionPerFeatureOverAllResults) {
  const Value payload = page_payload({golden("numeric.json"), golden("ice.json")}, "");
  std::vector<std::string> titles;
  for (const auto& section : payload.find("sections")->as_array()) {
    titles.push_back(section.find("title")->as_string() + " " +
                     std::to_string(section.find("charts")->as_array().size()));
  }
  EXPECT_THAT(titles, testing::ElementsAre("hour 1", "temp (°C) 2", "humidity (%) 1", "holiday_code 1",
                                           "feels_like (°C) 1", "weather 1"));
  // A caution about a feature stands in that feature's section; the worst comes first.
  const Value& first = payload.find("caveats")->as_array()[0];
  EXPECT_EQ(first.find("severity")->as_string(), "warning");
  EXPECT_EQ(first.find("section")->as_integer(), 1);
  // The largest effect leads the overview.
  EXPECT_EQ(payload.find("glance")->as_array()[0].find("title")->as_string(), "hour");
}

TEST(Html, TheSameChartTwiceIsShownOnce) {
  const Value payload = page_payload({golden("categorical.json"), golden("categorical.json")}, "");
  EXPECT_EQ(payload.find("sections")->as_array()[0].find("charts")->as_array().size(), 1u);
  EXPECT_EQ(payload.find("glance")->as_array().size(), 1u);
}

TEST(Html, RankingsHaveASectionAndFiguresAPlaceOfTheirOwn) {
  const Value payload = page_payload({golden("interactions.json"), golden("ranking.json")}, "");
  std::vector<std::string> titles;
  for (const auto& section : payload.find("sections")->as_array()) {
    titles.push_back(section.find("title")->as_string() + " " +
                     std::to_string(section.find("charts")->as_array().size()));
  }
  EXPECT_THAT(titles, testing::ElementsAre("Interactions 3", "Feature importance 1"));
  EXPECT_EQ(payload.find("figures")->as_array().size(), 4u);
  EXPECT_EQ(payload.find("figures")->as_array()[0].find("value")->as_string(), "0.231 ± 0.0078");
}

TEST(Html, AtAGlanceHasOneMethodPerFeature) {
  const Value payload = page_payload({golden("compare.json"), golden("ale.json"), golden("noise.json")}, "");
  std::vector<std::string> titles;
  for (const auto& glance : payload.find("glance")->as_array()) titles.push_back(glance.find("title")->as_string());
  EXPECT_THAT(titles, testing::UnorderedElementsAre("hour", "temp (°C)", "weather"));
}

TEST(Html, NothingToShowIsStillAPage) {
  EXPECT_THAT(render_html({}), testing::HasSubstr("<title>Sightglass</title>"));
  EXPECT_EQ(render_html({golden("ice.json")}), render_html({golden("ice.json")}));
}

}  // namespace
}  // namespace sightglass
