// ONNX files of trees; what is none is refused before anything runs. Seeds: tests/formats/onnx/*.onnx.
#include "predict_accepted.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sightglass::fuzzing::parse_and_predict(data, size);
}
