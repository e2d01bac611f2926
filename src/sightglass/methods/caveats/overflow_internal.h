// Numbers that predictions were too large for: items of any shape are looked through by the description of their
// fields.
#pragma once

#include "sightglass/result/result.h"

namespace sightglass {

// Adds the caveat "overflow" where a number is not finite, unless the method itself said why.
void add_overflow_caveat(Result& result);

}  // namespace sightglass
