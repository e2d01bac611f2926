// A model that onnxruntime runs: neural networks, support vector machines, linear models, any operator.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sightglass/model/load.h"
#include "sightglass/model/readers/onnx/onnx_file_internal.h"

namespace sightglass {

// why: the exact engine does not take it. The content is not needed any more when this returns.
[[nodiscard]] std::unique_ptr<Model> open_onnx_runtime(const OnnxFile& file, std::string_view content,
                                                       std::string_view where, const LoadOptions& options,
                                                       const std::string& why);

}  // namespace sightglass
