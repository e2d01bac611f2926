// Random tables with everything that real ones have: ties, missing values, categories, integers, weights.
#pragma once

#include <cmath>
#include <random>

#include "sightglass/data/table.h"

namespace sightglass::testing {

// Columns a (continuous), b (ties and missing), c (categorical with missing), d (int32), w (whole weights
// from 0 to 3, not all 0), y (a target with missing values).
inline Table random_table(std::uint64_t seed, std::size_t rows) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> a(rows), b(rows), w(rows), y(rows);
  std::vector<std::int32_t> c(rows);
  auto d = std::make_shared<std::vector<std::int32_t>>(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    a[i] = normal(random);
    b[i] = random() % 7 == 0 ? NAN : std::round(normal(random) * 2) / 2;
    c[i] = static_cast<std::int32_t>(random() % 4) - 1;
    (*d)[i] = static_cast<std::int32_t>(random() % 12);
    w[i] = i == 0 ? 2 : static_cast<double>(random() % 4);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    y[i] = i > 0 && random() % 20 == 0 ? NAN : a[i] + 0.2 * (*d)[i] + normal(random);
  }
  const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"blue", "green", "red"});
  Schema schema({{.name = "a"},
                 {.name = "b"},
                 {.name = "c", .type = DType::categorical, .dictionary = dictionary},
                 {.name = "d", .type = DType::int32},
                 {.name = "w"},
                 {.name = "y"}});
  Column integers{.view = view_of(std::span<const std::int32_t>(*d), DType::int32), .owner = d};
  return Table(std::move(schema),
               {column_of(std::move(a)), column_of(std::move(b)), column_of(std::move(c), dictionary.get()),
                std::move(integers), column_of(std::move(w)), column_of(std::move(y))});
}

// With a target of three classes, `class`, besides.
inline Table with_classes(const Table& table) {
  const auto dictionary = std::make_shared<Dictionary>(std::vector<std::string>{"none", "some", "all"});
  std::vector<ColumnInfo> infos;
  std::vector<Column> columns;
  std::vector<std::int32_t> classes;
  for (std::size_t column = 0; column < table.schema().size(); ++column) {
    infos.push_back(table.schema()[column]);
    columns.push_back(table.columns()[column]);
  }
  for (std::size_t row = 0; row < table.rows(); ++row) classes.push_back(static_cast<std::int32_t>(row % 3));
  infos.push_back({.name = "class", .type = DType::categorical, .dictionary = dictionary});
  columns.push_back(column_of(std::move(classes), dictionary.get()));
  Table wider(Schema(std::move(infos)), std::move(columns));
  return table.weight_column() ? wider.with_weights(*table.weight_column()) : wider;
}

// The same rows in another order, possibly repeated.
inline Table rows_of(const Table& table, const std::vector<std::uint64_t>& rows) {
  std::vector<Column> columns;
  for (std::size_t column = 0; column < table.schema().size(); ++column)
    columns.push_back(gather(table.column(column), rows));
  return Table(table.schema(), std::move(columns));
}

}  // namespace sightglass::testing
