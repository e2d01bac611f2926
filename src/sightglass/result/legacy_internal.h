// Results that were saved before they said what they are: the parts that methods write now are found from what the
// file has. The only place that knows methods, series and figures by their words.
#pragma once

#include "sightglass/result/result.h"

namespace sightglass {

void add_missing_meaning(Result& result);

}  // namespace sightglass
