// XGBoost's JSON. Seeds: tests/formats/xgboost/*.json.
#include "predict_accepted.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sightglass::fuzzing::parse_and_predict(data, size);
}
