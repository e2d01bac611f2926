// Model files are hostile input: whatever the bytes, parse_model either gives a model that predicts or throws
// Error(model). Seeds: tests/formats/xgboost/*.json.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "sightglass/base/error.h"
#include "sightglass/data/table.h"
#include "sightglass/model/load.h"

namespace {

// A model that was accepted must predict without harm.
void predict(const sightglass::Model& model) {
  using namespace sightglass;
  const auto& features = model.signature().features;
  if (features.size() > 1000) return;
  std::vector<ColumnInfo> infos;
  std::vector<Column> columns;
  for (const FeatureInfo& feature : features) {
    infos.push_back({.name = feature.name});
    columns.push_back(column_of({0, -1e30, 1e30, NAN, 3, INFINITY, -INFINITY, 1}));
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
    std::vector<double> out(block->rows * model.signature().outputs.size());
    bound->predict(*block, {}, {out.data(), block->rows, model.signature().outputs.size()}, context);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    predict(*sightglass::parse_model({reinterpret_cast<const char*>(data), size}, "fuzz.json"));
  } catch (const sightglass::Error& error) {
    if (error.kind() != sightglass::ErrorKind::model) std::abort();
  }
  return 0;
}
