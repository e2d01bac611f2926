// Saved results of tests/golden/results.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "sightglass/result/json.h"

namespace sightglass::testing {

inline const std::string golden_results = SIGHTGLASS_SOURCE_DIR "/tests/golden/results";

inline Result golden(const std::string& name) {
  const std::string path = golden_results + "/" + name;
  std::ifstream file(path);
  return result_from_json(std::string(std::istreambuf_iterator<char>(file), {}), path);
}

}  // namespace sightglass::testing
