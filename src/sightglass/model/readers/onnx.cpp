// ONNX (https://onnx.ai). Two ways, chosen by what is in the file: tree ensembles go to the exact engine, everything
// else runs in onnxruntime.
#include "sightglass/base/error.h"
#include "sightglass/model/readers/onnx/onnx_file_internal.h"
#include "sightglass/model/readers/onnx/onnx_graph_internal.h"
#include "sightglass/model/readers/onnx/onnx_runtime_internal.h"
#include "sightglass/model/readers/onnx/onnx_trees_internal.h"
#include "sightglass/model/readers/readers_internal.h"

namespace sightglass {

bool is_onnx_model(std::string_view content) { return is_onnx(content); }

std::unique_ptr<Model> read_onnx(std::string_view content, std::string_view where, const LoadOptions& options) {
  if (options.rounds != 0) {
    throw Error(ErrorKind::usage, "an ONNX file keeps no rounds to choose from", "leave the number of rounds out");
  }
  const OnnxFile file = read_onnx_file(content, where);
  try {
    return read_onnx_graph(file, where, options);
  } catch (const NotExact& reason) {
    return open_onnx_runtime(file, content, where, options, reason.what());
  }
}

}  // namespace sightglass
