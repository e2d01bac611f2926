#include "sightglass/base/version.h"

namespace sightglass {

std::string_view version() { return SIGHTGLASS_VERSION; }

}  // namespace sightglass
