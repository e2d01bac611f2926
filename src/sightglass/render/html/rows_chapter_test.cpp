#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/render/html/payload_internal.h"
#include "sightglass/result/shapes/attributions.h"
#include "sightglass/result/shapes/counterfactuals.h"
#include "sightglass/result/shapes/rules.h"

namespace sightglass {
namespace {

Result result_of(const char* method, std::vector<ResultItem> items) {
  Result result;
  result.method = method;
  result.about.family = Family::local;
  result.results = std::move(items);
  return result;
}

Attributions rows_of(std::vector<std::uint64_t> rows, const char* output, double prediction) {
  Attributions item;
  item.features = {{.feature = "a"}};
  item.output = output;
  item.rows = std::move(rows);
  item.prediction.assign(item.rows.size(), prediction);
  item.values = item.prediction;
  item.data.assign(item.rows.size(), 1);
  return item;
}

TEST(RowsChapter, ARowHasAllThatIsAboutIt) {
  Rules rule;
  rule.name = "Anchor of row 3";
  rule.output = "prediction";
  rule.row = 3;
  rule.rules.push_back({.conditions = {{.feature = "a", .above = 1}}, .support = 0.5});
  std::vector<ResultItem> changes;  // which share a picture elsewhere
  for (const std::uint64_t row : {3U, 8U}) {
    Counterfactuals item;
    item.output = "prediction";
    item.row = row;
    item.data = Value::object({{"a", 1}});
    item.at_least = 9;
    item.status = RecourseStatus::found;
    item.changes.push_back({.values = Value::object({{"a", 2}}), .costs = Value::object({{"a", 1}}), .cost = 1});
    changes.emplace_back(item);
  }
  const Value payload = page_payload({result_of("shap", {rows_of({3, 8}, "prediction", 7)}),
                                      result_of("anchors", {rule}), result_of("counterfactuals", changes)},
                                     "");
  ASSERT_EQ(payload.find("chapters")->as_array().size(), 1U);
  const auto told = [&](std::uint64_t section) {
    std::vector<std::string> names;
    for (const Value& chart : payload.find("sections")->as_array()[section].find("charts")->as_array())
      names.push_back(chart.find("method")->as_string());
    return names;
  };
  EXPECT_THAT(told(0), ::testing::ElementsAre(::testing::_, "Anchor of row 3", "What would change the answer"));
  EXPECT_THAT(told(1), ::testing::ElementsAre(::testing::_, "What would change the answer"));
  const Value& of_8 = payload.find("sections")->as_array()[1].find("charts")->as_array()[1];
  EXPECT_THAT(of_8.find("description")->as_string(), ::testing::Not(::testing::HasSubstr("Row 3")));
}

}  // namespace
}  // namespace sightglass
