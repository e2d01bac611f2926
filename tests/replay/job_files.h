// What processes that work on one job exchange in tests: files of bytes. Models are made by name, so that each process
// has its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>

#include "sightglass/base/bytes.h"
#include "sightglass/data/column_like.h"
#include "sightglass/data/table.h"
#include "sightglass/model/load.h"
#include "sightglass/model/no_model.h"
#include "support/fitted_model.h"
#include "support/function_model.h"
#include "support/random_trees.h"

namespace sightglass::testing {

inline std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Some rows of a table, with what every part must know of the columns.
inline std::string part_bytes(const Table& table, std::size_t first, std::size_t count) {
  ByteSink sink;
  sink.u64(first);
  sink.u64(count);
  sink.u64(table.weight_column() ? *table.weight_column() + 1 : 0);
  sink.u64(table.schema().size());
  for (std::size_t i = 0; i < table.schema().size(); ++i) {
    const ColumnInfo& column = table.schema()[i];
    sink.text(column.name);
    sink.u64(static_cast<std::uint64_t>(column.type));
    sink.u64(column.is_categorical() ? column.dictionary->size() : 0);
    for (std::size_t k = 0; column.is_categorical() && k < column.dictionary->size(); ++k)
      sink.text(column.dictionary->levels()[k]);
    for (std::size_t row = first; row < first + count; ++row) sink.f64(table.column(i).number(row));
  }
  return sink.bytes();
}

struct LoadedPart {
  std::uint64_t first_row = 0;
  Table rows;
};

inline LoadedPart load_part(const std::string& bytes) {
  ByteSource source(bytes);
  LoadedPart part{.first_row = source.u64(), .rows = {}};
  const std::uint64_t count = source.u64(), weights = source.u64(), width = source.u64();
  std::vector<ColumnInfo> infos;
  std::vector<Column> columns;
  for (std::uint64_t i = 0; i < width; ++i) {
    ColumnInfo info{.name = source.text(), .type = static_cast<DType>(source.u64())};
    std::vector<std::string> levels(source.u64());
    for (std::string& level : levels) level = source.text();
    std::vector<double> numbers(count);
    for (double& number : numbers) number = source.f64();
    if (info.is_categorical()) info.dictionary = std::make_shared<Dictionary>(levels);
    columns.push_back(column_like({.type = info.type, .dictionary = info.dictionary.get()}, numbers));
    infos.push_back(std::move(info));
  }
  part.rows = Table(Schema(std::move(infos)), std::move(columns));
  if (weights > 0) part.rows = part.rows.with_weights(static_cast<std::uint32_t>(weights - 1));
  return part;
}

// "trees", "classes" (of trees), "function": a model of which only predictions are known, "none", the name of a
// learner, or the path of a model file.
inline std::shared_ptr<const Model> job_model(const std::string& name) {
  if (name == "none") return {std::shared_ptr<const void>(), &no_model()};
  if (name.starts_with('/')) return load_model(name);
  const auto& learners = fitted_learners();
  if (std::find(learners.begin(), learners.end(), name) != learners.end()) return fitted_model(name);
  if (name == "trees") return random_trees(9, tree_families().at("lightgbm"));
  if (name == "classes") return random_trees(12, averaged_classes());
  return std::make_shared<FunctionModel>(
      std::vector<std::string>{"a", "b", "c", "d"},
      [](const std::vector<double>& x) {
        const double b = std::isnan(x[1]) ? 0.3 : x[1], c = std::isnan(x[2]) ? -1 : x[2];
        return std::vector<double>{std::sin(x[0]) * b + (x[3] > 5 ? 2.0 : -1.0) * c + 0.1 * x[0]};
      },
      std::vector<std::string>{"height"});
}

}  // namespace sightglass::testing
