// Reads what fixture.py wrote: rows made from pools of values, and a framework's own answers for them.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "sightglass/base/error.h"
#include "sightglass/base/matrix.h"
#include "sightglass/data/table.h"
#include "sightglass/model/model.h"

namespace sightglass::testing {

struct Fixture {
  nlohmann::json expected;  // the whole NAME.expected.json
  Table table;
  Matrix margin;
  Matrix response;  // of the first rows; may be empty
  double tolerance = 0;
  bool float32 = false;  // margins and responses were float32
};

inline std::filesystem::path formats_folder(const std::string& framework) {
  return std::filesystem::path(SIGHTGLASS_SOURCE_DIR) / "tests/formats" / framework;
}

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

inline std::uint64_t splitmix64(std::uint64_t n) {
  std::uint64_t z = n + 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

inline double pool_number(const nlohmann::json& value) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_string()) return value == "Infinity" ? infinity : -infinity;
  return value.get<double>();
}

inline Table fixture_table(const nlohmann::json& expected) {
  std::vector<ColumnInfo> infos;
  std::vector<Column> columns;
  const auto rows = expected.at("rows").get<std::size_t>();
  const auto& described = expected.at("columns");
  for (std::size_t j = 0; j < described.size(); ++j) {
    const auto& pool = described[j].at("pool");
    const auto pick = [&](std::size_t row) { return splitmix64(row * described.size() + j) % pool.size(); };
    ColumnInfo info{.name = described[j].at("name").get<std::string>()};
    const auto type = described[j].at("type").get<std::string>();
    if (type == "text") {
      // The pool's order of levels, which is neither the model's nor the alphabet's.
      std::vector<std::string> levels;
      std::vector<std::int32_t> codes_of_pool;
      for (const auto& value : pool) {
        if (value.is_null()) {
          codes_of_pool.push_back(-1);
          continue;
        }
        const auto at = std::find(levels.begin(), levels.end(), value.get<std::string>());
        codes_of_pool.push_back(static_cast<std::int32_t>(at - levels.begin()));
        if (at == levels.end()) levels.push_back(value.get<std::string>());
      }
      info.type = DType::categorical;
      info.dictionary = std::make_shared<Dictionary>(levels);
      std::vector<std::int32_t> codes(rows);
      for (std::size_t row = 0; row < rows; ++row) codes[row] = codes_of_pool[pick(row)];
      columns.push_back(column_of(std::move(codes), info.dictionary.get()));
    } else {
      std::vector<double> numbers_of_pool;
      for (const auto& value : pool) numbers_of_pool.push_back(pool_number(value));
      std::vector<double> numbers(rows);
      for (std::size_t row = 0; row < rows; ++row) numbers[row] = numbers_of_pool[pick(row)];
      columns.push_back(column_of(std::move(numbers)));
    }
    infos.push_back(std::move(info));
  }
  return Table(Schema(std::move(infos)), std::move(columns));
}

inline Matrix fixture_matrix(const std::filesystem::path& path, std::size_t columns, bool float32) {
  const std::string bytes = read_bytes(path);
  const std::size_t width = float32 ? sizeof(float) : sizeof(double);
  const std::size_t rows = bytes.size() / (width * columns);
  Matrix matrix(rows, columns);
  for (std::size_t i = 0; i < rows * columns; ++i) {
    const char* at = bytes.data() + i * width;
    if (float32) {
      float value = 0;
      std::memcpy(&value, at, width);
      matrix.span().data()[i] = static_cast<double>(value);
    } else {
      std::memcpy(matrix.span().data() + i, at, width);
    }
  }
  return matrix;
}

inline Fixture read_fixture(const std::string& framework, const std::string& name) {
  const auto folder = formats_folder(framework);
  auto expected = nlohmann::json::parse(read_bytes(folder / (name + ".expected.json")));
  const bool float32 = expected.at("dtype") == "float32";
  const auto outputs = expected.at("outputs").get<std::size_t>();
  Matrix margin = fixture_matrix(folder / (name + ".margin.bin"), outputs, float32);
  Matrix response;
  if (expected.contains("response_rows")) {
    response = fixture_matrix(folder / (name + ".response.bin"), outputs, float32);
  }
  Table table = fixture_table(expected);
  const double tolerance = expected.at("tolerance").get<double>();
  return {std::move(expected), std::move(table), std::move(margin), std::move(response), tolerance, float32};
}

// The names of all fixtures of a framework.
inline std::vector<std::string> fixture_names(const std::string& framework) {
  std::vector<std::string> names;
  const std::string ending = ".expected.json";
  for (const auto& entry : std::filesystem::directory_iterator(formats_folder(framework))) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(ending)) names.push_back(name.substr(0, name.size() - ending.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// All of a table's rows in one block.
inline Matrix predict_table(const Model& model, const Table& table, Scale scale, Arithmetic arithmetic) {
  const auto bound = model.bind(table.schema());
  Matrix out(table.rows(), model.signature().outputs.size());
  Context context(1);
  const auto stream = table.open(bound->columns(), std::max<std::size_t>(1, table.rows()));
  if (const auto block = stream->next()) {
    bound->predict(*block, {.scale = scale, .arithmetic = arithmetic}, out.span(), context);
  }
  return out;
}

}  // namespace sightglass::testing
