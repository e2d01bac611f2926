#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/render/html/payload_internal.h"
#include "sightglass/result/json.h"
#include "sightglass/result/shapes/attributions.h"
#include "sightglass/result/shapes/counterfactuals.h"
#include "sightglass/result/shapes/importance.h"
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

// The most worth reading first, with the truth, and every column in one format.
TEST(RowsChapter, ATableOfRowsHasTheTruthAndTheOrderOfWhatIsWorthReading) {
  Attributions item = rows_of({3, 8, 9}, "yes", 0);
  item.prediction = {0.125, 0.9, 0.5};
  item.data = {10, 2.25, 3};
  item.details.set("why", std::vector<std::string>{"typical", "worst", "closest"});
  item.details.set("place", Value::array().push_back(2).push_back(0).push_back(1));
  item.details.set("truth", std::vector<std::string>{"no", "no", "yes"});
  Result result = result_of("shap", {item});
  result.model.set("task", "binary");
  const Value payload = page_payload({result}, "");
  const Value* table = nullptr;
  for (const Value& chapter : payload.find("chapters")->as_array()) {
    if (chapter.find("id")->as_string() == "rows") table = chapter.find("rows");
  }
  ASSERT_NE(table, nullptr);
  std::vector<std::string> titles, rows;
  for (const Value& column : table->find("columns")->as_array()) titles.push_back(column.find("title")->as_string());
  EXPECT_THAT(titles, ::testing::ElementsAre("Predicted probability of yes", "Truth", "a"));
  for (const Value& row : table->find("rows")->as_array())
    rows.push_back(row.find("title")->as_string() + " " + to_json(*row.find("cells")));
  EXPECT_THAT(rows, ::testing::ElementsAre(R"(Row 8 ["90 %","no","2.25"])", R"(Row 9 ["50 %","yes","3.00"])",
                                           R"(Row 3 ["12 %","no","10.00"])"));
}

// Which features change the answer is no ranking of what matters, and many rows are summed up.
TEST(RowsChapter, AMapOfChangesStandsBeforeTheRowsThatItIsAbout) {
  std::vector<ResultItem> items;
  for (const auto& [name, share] : {std::pair{"a", 0.75}, std::pair{"a & b", 0.25}}) {
    Importance entry{.feature = name, .output = "prediction", .importance = share};
    entry.measure.kind = MeasureKind::recourse;
    entry.details.set("of", 8);
    items.emplace_back(entry);
  }
  for (std::uint64_t row = 0; row < 9; ++row) {
    Counterfactuals item;
    item.output = "prediction";
    item.row = row;
    item.data = Value::object({{"a", 1}, {"b", 1}});
    item.at_least = 9;
    item.status = row == 0 ? RecourseStatus::already : RecourseStatus::found;
    const Value values = row < 7 ? Value::object({{"a", 2}}) : Value::object({{"a", 2}, {"b", 2}});
    if (row > 0) item.changes.push_back({.values = values, .costs = Value::object({{"a", 1}, {"b", 1}}), .cost = 1});
    items.emplace_back(item);
  }
  const Value payload = page_payload({result_of("counterfactuals", items)}, "");
  const Value::Array& chapters = payload.find("chapters")->as_array();
  ASSERT_EQ(chapters.size(), 1U);
  EXPECT_EQ(chapters[0].find("id")->as_string(), "rows");
  EXPECT_EQ(chapters[0].find("lead")->as_string(),
            "The smallest changes of single rows with which the model says something else.");
  const Value::Array& sections = payload.find("sections")->as_array();
  const auto described = [&](const Value& section) {
    return sections[static_cast<std::size_t>(section.as_number())].find("charts")->as_array()[0];
  };
  const Value::Array& shown = chapters[0].find("sections")->as_array();
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_THAT(to_json(described(shown[0])),
              ::testing::HasSubstr("Of 8 rows that are to have another outcome, the smallest change is of a for "
                                   "75 %, of a & b for 25 %."));
  EXPECT_THAT(to_json(described(shown[1])),
              ::testing::HasSubstr("Of 9 rows 1 has the wanted outcome already, 6 reach it by a change of one feature "
                                   "and 2 reach it by a change of two features."));
}

}  // namespace
}  // namespace sightglass
