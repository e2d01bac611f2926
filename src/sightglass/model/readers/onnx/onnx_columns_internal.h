// The columns that the operators before the trees make of the inputs, one by one: each is a function of one feature.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sightglass/model/derived/derived_column.h"
#include "sightglass/model/readers/onnx/onnx_file_internal.h"
#include "sightglass/model/readers/onnx/onnx_graph_internal.h"

namespace sightglass {

struct OnnxColumn {
  std::uint32_t source = 0;  // feature
  // Of a text: what becomes of each, and of all others; a missing text is the empty one.
  std::optional<std::map<std::string, double>> table = {};
  double otherwise = 0;
  bool refuses_others = false;
  std::vector<Step> steps = {};

  [[nodiscard]] bool changed() const { return table.has_value() || !steps.empty(); }
};

struct OnnxColumns {
  std::vector<OnnxColumn> columns;
  OnnxType type = OnnxType::undefined;
};

class OnnxColumnReader {
 public:
  OnnxColumnReader(const OnnxFile& file, const std::vector<OnnxFeature>& features, std::string_view where);
  // Throws NotExact for an operator that is more than that.
  void take(const OnnxNode& node);
  // Null: no columns are known by that name.
  [[nodiscard]] const OnnxColumns* find(std::string_view name) const;

 private:
  [[nodiscard]] OnnxColumns made_by(const OnnxNode& node) const;
  [[nodiscard]] std::vector<double> constant(const OnnxNode& node, std::string_view name) const;

  const OnnxFile& file_;
  std::string_view where_;
  std::unordered_map<std::string_view, OnnxColumns> known_;
};

[[nodiscard]] bool is_whole(OnnxType type);

// As the folding of trees wants them; text features get the levels that any column asks for.
[[nodiscard]] std::vector<DerivedColumn> derived_columns(const OnnxColumns& columns,
                                                         std::vector<FeatureInfo>& features);

}  // namespace sightglass
