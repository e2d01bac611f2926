#include "sightglass/data/new_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/base/error.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;

Column levels(const std::shared_ptr<const Dictionary>& dictionary, std::vector<std::int32_t> codes) {
  return column_of(std::move(codes), dictionary.get());
}

std::shared_ptr<const Table> data() {
  const auto seasons = std::make_shared<const Dictionary>(std::vector<std::string>{"spring", "winter"});
  return std::make_shared<const Table>(
      Schema({{.name = "temp"}, {.name = "season", .type = DType::categorical, .dictionary = seasons}}),
      std::vector<Column>{column_of({1.0, 2.0, 3.0}), levels(seasons, {0, 1, 1})});
}

TEST(NewRows, LevelsAreFoundByTheirNamesAndOthersAreAdded) {
  const auto other = std::make_shared<const Dictionary>(std::vector<std::string>{"autumn", "winter"});
  const Table rows(
      Schema({{.name = "season", .type = DType::categorical, .dictionary = other}, {.name = "more"}, {.name = "temp"}}),
      {levels(other, {1, 0, -1}), column_of({0.0, 0.0, 0.0}), column_of({9.0, 8.0, 7.0})});
  const auto both = with_new_rows(data(), rows, "rows_from");
  EXPECT_EQ(both.data->schema()[1].levels(), (std::vector<std::string>{"spring", "winter", "autumn"}));
  EXPECT_EQ(both.data->column(1).number(2), 1);
  const Table& found = both.rows->table;
  EXPECT_EQ(found.first_row(), first_new_row);
  EXPECT_EQ(found.column(0).number(0), 9);
  EXPECT_EQ(found.column(1).number(0), 1);
  EXPECT_EQ(found.column(1).number(1), 2);
  EXPECT_TRUE(std::isnan(found.column(1).number(2)));
  EXPECT_TRUE(both.rows->absent.empty());
}

TEST(NewRows, WhatIsNotThereHasNoValues) {
  const Table rows(Schema({{.name = "temp", .type = DType::float64}}), {column_of({4.0})});
  const auto before = data();
  const auto both = with_new_rows(before, rows, "rows_from");
  EXPECT_EQ(both.data, before);
  EXPECT_EQ(both.rows->absent, std::vector<std::uint32_t>{1});
  EXPECT_TRUE(std::isnan(both.rows->table.column(1).number(0)));
}

// Files say of a column without values that it is text, and of categories that are numbers that they are numbers.
TEST(NewRows, TypesAreThoseOfTheData) {
  const auto years = std::make_shared<const Dictionary>(std::vector<std::string>{"2011", "2012"});
  const auto data = std::make_shared<const Table>(
      Schema({{.name = "temp"}, {.name = "year", .type = DType::categorical, .dictionary = years}}),
      std::vector<Column>{column_of({1.0, 2.0}), levels(years, {0, 1})});
  const auto texts = std::make_shared<const Dictionary>(std::vector<std::string>{"1.5"});
  const Table rows(Schema({{.name = "temp", .type = DType::categorical, .dictionary = texts}, {.name = "year"}}),
                   {levels(texts, {0, -1}), column_of({2012.0, 2013.0})});
  const auto both = with_new_rows(data, rows, "rows_from");
  EXPECT_EQ(both.rows->table.column(0).number(0), 1.5);
  EXPECT_TRUE(std::isnan(both.rows->table.column(0).number(1)));
  EXPECT_EQ(both.rows->table.column(1).number(0), 1);
  EXPECT_EQ(both.data->schema()[1].levels().back(), "2013");

  const auto words = std::make_shared<const Dictionary>(std::vector<std::string>{"warm"});
  try {
    (void)with_new_rows(
        data,
        Table(Schema({{.name = "temp", .type = DType::categorical, .dictionary = words}}), {levels(words, {-1, 0})}),
        "rows_from");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_THAT(error.message(), HasSubstr("column temp, row 1: warm is no number"));
  }
}

TEST(NewRows, RowsAreCalledByAColumn) {
  const auto names = std::make_shared<const Dictionary>(std::vector<std::string>{"C-1", "C-2"});
  const Table table = Table(Schema({{.name = "id", .type = DType::categorical, .dictionary = names}, {.name = "x"}}),
                            {levels(names, {1, 0, -1}), column_of({1.0, 2.0, 3.0})})
                          .with_row_labels(0);
  EXPECT_EQ(table.schema().size(), 1U);
  EXPECT_EQ(table.row_labels()->name, "id");
  EXPECT_EQ(table.row_labels()->of(0), "C-2");
  EXPECT_EQ(table.row_labels()->of(2), "");
  const Table counted = Table(Schema({{.name = "id"}, {.name = "x"}}), {column_of({17.0, 18.5}), column_of({1.0, 2.0})})
                            .with_row_labels(0);
  EXPECT_EQ(counted.row_labels()->of(0), "17");
  EXPECT_EQ(counted.slice(0, 1).row_labels()->of(1), "18.5");
}

}  // namespace
}  // namespace sightglass
