// CatBoost's own binary format. Seeds: tests/formats/catboost/*.cbm.
#include "predict_accepted.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sightglass::fuzzing::parse_and_predict(data, size);
}
