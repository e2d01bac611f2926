// What every fuzzer of model files does: whatever the bytes, parse_model gives a model that predicts or throws
// Error(model).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "sightglass/base/error.h"
#include "sightglass/data/table.h"
#include "sightglass/model/load.h"

namespace sightglass::fuzzing {

// A model that was accepted must predict without harm.
inline void predict(const Model& model) {
  const auto& features = model.signature().features;
  const std::size_t outputs = model.signature().outputs.size();
  if (features.size() > 1000 || outputs > 10000) return;
  std::vector<ColumnInfo> infos;
  std::vector<Column> columns;
  std::size_t levels = 0;
  for (const FeatureInfo& feature : features) levels += feature.levels.size();
  if (levels > 10000) return;
  for (const FeatureInfo& feature : features) {
    infos.push_back({.name = feature.name});
    if (feature.levels.empty()) {
      columns.push_back(column_of({0, -1e30, 1e30, NAN, 3, INFINITY, -INFINITY, 1}));
      continue;
    }
    // Its own levels in another order, and one that it does not know.
    std::vector<std::string> words(feature.levels.rbegin(), feature.levels.rend());
    words.emplace_back("\x01 unknown");
    infos.back().type = DType::categorical;
    infos.back().dictionary = std::make_shared<Dictionary>(words);
    const auto last = static_cast<std::int32_t>(words.size()) - 1;
    columns.push_back(column_of({0, last, last / 2, -1, last, 0, -1, last / 3}, infos.back().dictionary.get()));
  }
  const Table table(Schema(std::move(infos)), std::move(columns));
  std::unique_ptr<BoundModel> bound;
  try {
    bound = model.bind(table.schema());
  } catch (const Error&) {
    return;  // its categories are text
  }
  Context context(1);
  const auto stream = table.open(bound->columns(), 8);
  if (const auto block = stream->next()) {
    std::vector<double> out(block->rows * outputs);
    const MatrixSpan<double> span(out.data(), block->rows, outputs);
    for (const Arithmetic arithmetic : {Arithmetic::exact, Arithmetic::framework}) {
      try {
        bound->predict(*block, {.arithmetic = arithmetic}, span, context);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::data) std::abort();  // some models refuse missing or infinite values
      }
    }
  }
}

inline int parse_and_predict(const std::uint8_t* data, std::size_t size) {
  try {
    predict(*parse_model({reinterpret_cast<const char*>(data), size}, "fuzz"));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::model) std::abort();
  }
  return 0;
}

}  // namespace sightglass::fuzzing
