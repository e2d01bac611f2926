#include "sightglass/model/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sightglass/model/trees/ensemble.h"
#include "sightglass/result/json.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;

TreeEnsemble model_of(std::vector<FeatureInfo> features) {
  TreeEnsemble::Parts parts;
  parts.signature.format = "test";
  parts.signature.features = std::move(features);
  parts.signature.outputs = {"prediction"};
  parts.base = {0};
  return TreeEnsemble(std::move(parts), "t");
}

ColumnInfo text(const std::string& name, std::vector<std::string> levels) {
  return {.name = name, .type = DType::categorical, .dictionary = std::make_shared<Dictionary>(std::move(levels))};
}

std::string fit_of(const TreeEnsemble& model, std::vector<ColumnInfo> columns,
                   std::span<const std::uint32_t> excluded = {}) {
  return to_json(describe_fit(model, Schema(std::move(columns)), excluded));
}

TEST(Inspect, NamesEveryObstacleAtOnce) {
  const auto model = model_of({{.name = "temp"},
                               {.name = "wind"},
                               {.name = "colour", .categorical = true, .levels = {"red", "blue"}},
                               {.name = "size", .categorical = true, .levels = {"S", "L"}}});
  const std::string fit =
      fit_of(model, {{.name = "Temp"}, text("wind", {"strong"}), text("colour", {"pink", "red"}), {.name = "size"}});
  EXPECT_THAT(fit, HasSubstr(R"("fits":false)"));
  EXPECT_THAT(fit, HasSubstr(R"("missing_columns":[{"feature":"temp","nearest":"Temp"}])"));
  EXPECT_THAT(fit, HasSubstr(R"({"column":"wind","problem":"holds text (strong) where the model wants a number"})"));
  EXPECT_THAT(fit,
              HasSubstr(R"({"column":"size","problem":"holds numbers where the model knows the categories S, L"})"));
  EXPECT_THAT(fit, HasSubstr(R"("unknown_categories":{"colour":["pink"]})"));
}

TEST(Inspect, TextWhereOnlyCodesAreKnown) {
  const auto model = model_of({{.name = "district", .categorical = true}});
  EXPECT_THAT(fit_of(model, {text("district", {"Mitte"})}),
              HasSubstr(R"({"column":"district","problem":"holds text (Mitte), but the model file does not hold the )"
                        R"(names of its categories: give their codes 0, 1, … instead"})"));
}

TEST(Inspect, SaysWhyTextIsNoNumber) {
  const auto model = model_of({{.name = "district", .categorical = true, .levels_lost = true}, {.name = "area"}});
  const std::string fit = fit_of(model, {text("district", {"Köln"}), text("area", {"1.020,5"})});
  EXPECT_THAT(fit, HasSubstr("holds text (Köln), but XGBoost damaged the names of the categories"));
  EXPECT_THAT(fit, HasSubstr("holds text (1.020,5) where the model wants a number: the decimal commas must be points"));
}

TEST(Inspect, NearestIsAlsoAColumnThatHasTheSameLetters) {
  const auto model = model_of({{.name = "Room_type__as_booked__not_as_assigned_"}});
  EXPECT_THAT(fit_of(model, {{.name = "Room type (as booked, not as assigned)"}, {.name = "b"}}),
              HasSubstr(R"x("nearest":"Room type (as booked, not as assigned)")x"));
}

TEST(Inspect, ListsOfLevelsEnd) {
  std::vector<std::string> ids;
  for (int i = 0; i < 300; ++i) ids.push_back("id" + std::to_string(1000 + i));
  const ColumnInfo info = text("id", ids);
  const Table table(Schema({info}), {column_of(std::vector<std::int32_t>(3, 0), info.dictionary.get())});
  const Value column = describe_data(table).find("columns")->as_array()[0];
  EXPECT_EQ(column.find("levels")->as_array().size(), 100);
  EXPECT_EQ(column.find("level_count")->as_integer(), 300);
}

TEST(Inspect, TellsOrderAndUnusedColumns) {
  const auto model = model_of({{.name = "a"}, {.name = "b"}});
  const std::uint32_t target[] = {0};
  EXPECT_EQ(fit_of(model, {{.name = "y"}, {.name = "a"}, {.name = "b"}}, target),
            R"({"fits":true,"order":"as in the model","used_columns":["a","b"]})");
  EXPECT_EQ(fit_of(model, {{.name = "y"}, {.name = "b"}, {.name = "id"}, {.name = "a"}}, target),
            R"({"fits":true,"order":"another than the model's: columns are matched by name",)"
            R"("used_columns":["a","b"],"unused_columns":["id"]})");
}

TEST(Inspect, NamelessModelsTakeColumnsByPosition) {
  const auto model = model_of({{.name = "f0"}, {.name = "f1"}});
  EXPECT_THAT(fit_of(model, {{.name = "p"}, {.name = "q"}}), HasSubstr("by position"));
  const std::string fit = fit_of(model, {{.name = "p"}, {.name = "q"}, {.name = "r"}});
  EXPECT_THAT(fit, HasSubstr(R"("fits":false)"));
  EXPECT_THAT(fit, HasSubstr("wants 2 columns, the data have 3"));
}

}  // namespace
}  // namespace sightglass
