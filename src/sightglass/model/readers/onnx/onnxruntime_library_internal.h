// onnxruntime's C functions, loaded when the first model is opened that needs them.
#pragma once

#include <onnxruntime_c_api.h>

#include <string>
#include <vector>

namespace sightglass {

struct OnnxRuntime {
  const OrtApi* api = nullptr;
  std::string version;
};

// Loads the library on first use; any thread. Throws Error(model) that says how to install it.
[[nodiscard]] const OnnxRuntime& onnxruntime();

// Where to look, best first: the environment variable SIGHTGLASS_ONNXRUNTIME alone if it is set, else the Python
// package onnxruntime beside ours, in the virtual environment that is active, or of the first python3 of the PATH, else
// the library this was built with.
[[nodiscard]] std::vector<std::string> onnxruntime_candidates();

}  // namespace sightglass
