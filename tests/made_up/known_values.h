// A made-up method: how many rows have a value of each feature, as a ladder.
#pragma once

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct KnownValuesOptions {
  std::int64_t rungs = 3;

  static void fields(auto&& field) { field("rungs", &KnownValuesOptions::rungs, {"features to show"}); }
};

[[nodiscard]] MethodEntry known_values();

}  // namespace sightglass
