#include "sightglass/render/neighbor_table.h"

#include <gtest/gtest.h>

#include "sightglass/render/data_table.h"
#include "sightglass/render/text/text_renderer.h"
#include "sightglass/render/vega/vega_renderer.h"
#include "sightglass/result/json.h"
#include "sightglass/result/result.h"

namespace sightglass {
namespace {

Examples neighbors() {
  Examples made{.output = {}, .group = {}, .role = ExampleRole::neighbor, .of_row = 5};
  made.measure = "distance";
  made.features = {"age", "sex", "bmi"};
  const auto add = [&](std::uint64_t row, const char* outcome, Value age, const char* sex, double score) {
    Example example{.row = row, .data = Value::object({{"age", std::move(age)}, {"sex", sex}, {"bmi", 21.5}})};
    example.own_class = outcome;
    example.score = score;
    example.stands_for = 1;
    made.rows.push_back(example);
  };
  add(8, "ill", 44, "male", 0.02);
  made.rows[0].special = {{.feature = "age", .difference = 0.05}};
  add(2, "well", Value(), "female", 0.5);
  made.rows[1].special = {{.feature = "sex", .difference = 1}};
  add(7, "ill", 12, "male", 0.2);
  made.rows[2].special = {{.feature = "age", .difference = -0.4}};
  made.details = Value::object({{"vote", Value::object({{"well", 1.0 / 3}, {"ill", 2.0 / 3}})},
                                {"own", Value::object({{"age", 40}, {"sex", "male"}, {"bmi", 21.5}})}});
  return made;
}

Result result_of(Examples item) {
  Result result;
  result.method = "intrinsic";
  result.about = {.title = "The model's own explanation of a row", .short_name = "", .family = Family::local};
  result.results.emplace_back(std::move(item));
  return result;
}

TEST(NeighborTable, ARowWithoutNeighborsSaysSo) {
  Examples none = neighbors();
  none.rows.clear();
  none.details = Value::object();
  const std::string text = render_text(result_of(none));
  EXPECT_NE(text.find("no rows can be compared with this one"), std::string::npos);
  EXPECT_EQ(text.find("* another level"), std::string::npos);
  EXPECT_NE(render_vega(result_of(none)).find("no rows can be compared"), std::string::npos);
}

TEST(NeighborTable, HasTheRowFirstAndItsDifferences) {
  const NeighborTable table = neighbor_table(neighbors(), 2, 2);
  EXPECT_EQ(table.columns, (std::vector<std::string>{"this row", "row 8", "row 2"}));
  EXPECT_EQ(table.neighbors_left_out, 1U);
  EXPECT_EQ(table.features_left_out, 1U);  // bmi, which differs least
  ASSERT_EQ(table.lines.size(), 4U);
  EXPECT_EQ(table.lines[0].title, "outcome");
  EXPECT_EQ(table.lines[1].title, "distance");
  EXPECT_EQ(table.lines[2].title, "age");
  EXPECT_EQ(table.lines[2].cells[0].text, "40");
  EXPECT_EQ(table.lines[2].cells[1].difference, 0.05);
  EXPECT_EQ(table.lines[2].cells[2].text, "missing");
  EXPECT_EQ(table.lines[2].cells[2].difference, 0);
  EXPECT_EQ(table.lines[3].title, "sex");
  EXPECT_TRUE(table.lines[3].cells[2].other_level);
  EXPECT_FALSE(table.lines[3].cells[1].other_level);
}

TEST(NeighborTable, TextMarksClearDifferences) {
  const std::string text = render_text(result_of(neighbors()), {.width = 90, .unicode = false});
  for (const char* said : {"this row", "row 8", "12*", "female*", "Together they say: well 33 %, ill 67 %."})
    EXPECT_NE(text.find(said), std::string::npos) << said << "\n" << text;
  EXPECT_EQ(text.find("44*"), std::string::npos) << text;
}

TEST(NeighborTable, ChartHasTheVoteAndFewerColumnsOnPhones) {
  Examples many = neighbors();
  for (std::uint64_t row = 20; row < 40; ++row) {
    many.rows.push_back(many.rows[0]);
    many.rows.back().row = row;
  }
  const std::string wide = to_json(neighbor_chart(many, false)), narrow = to_json(neighbor_chart(many, true));
  for (const char* said : {"share of the vote", "another level", "\"row 7\"", "\"this row\""}) {
    EXPECT_NE(wide.find(said), std::string::npos) << said;
    EXPECT_NE(narrow.find(said), std::string::npos) << said;
  }
  EXPECT_NE(wide.find("\"row 23\""), std::string::npos);
  EXPECT_NE(wide.find("\"resolve\":{\"scale\":{\"color\":\"independent\"}}"), std::string::npos);
  EXPECT_EQ(wide.find("\"row 24\""), std::string::npos);
  EXPECT_EQ(narrow.find("\"row 20\""), std::string::npos);
}

TEST(NeighborTable, TheRowItselfStandsFirstInTheDataTable) {
  const Result result = result_of(neighbors());
  const DataTable table = data_table(group_items(result)[0]);
  ASSERT_EQ(table.rows.size(), 4U);
  EXPECT_EQ(table.rows[0][0], "this row");
  EXPECT_EQ(table.rows[0][1], "5");
  EXPECT_EQ(table.rows[0].back(), "21.5");
  EXPECT_EQ(table.rows[1][1], "8");
}

TEST(NeighborTable, ForeignDetailsAreLegal) {
  Examples odd = neighbors();
  odd.details = Value::object({{"vote", 3}, {"own", "nothing"}});
  EXPECT_NO_THROW((void)render_text(result_of(odd), {}));
  EXPECT_NO_THROW((void)vega_spec(result_of(odd)));
}

}  // namespace
}  // namespace sightglass
