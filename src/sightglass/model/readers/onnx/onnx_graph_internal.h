// A graph around one tree operator: which columns of which inputs it splits, and what becomes of what it answers.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/model/load.h"
#include "sightglass/model/readers/onnx/onnx_file_internal.h"
#include "sightglass/model/trees/ensemble.h"

namespace sightglass {

// Format, version, opsets, operators, inputs and outputs: what inspect says of any ONNX file.
[[nodiscard]] Signature describe_onnx(const OnnxFile& file, std::string_view format);

// The features of the inputs: a matrix has one for each column, any other tensor is one by its own name. Inputs that
// are neither, and such of types that no table has, throw Error(model).
struct OnnxFeature {
  FeatureInfo info;
  std::size_t input = 0;   // of the file
  std::size_t column = 0;  // of that input
};
[[nodiscard]] std::vector<OnnxFeature> onnx_features(const OnnxFile& file, std::string_view where);

// The exact engine's model of a file whose only model is one tree operator. Throws NotExact with the reason for others,
// Error(model) for trees that are none.
[[nodiscard]] std::unique_ptr<Model> read_onnx_graph(const OnnxFile& file, std::string_view where,
                                                     const LoadOptions& options);

}  // namespace sightglass
