#include "sightglass/result/caveat.h"

namespace sightglass {

std::string_view to_string(Severity severity) { return severities[static_cast<std::size_t>(severity)]; }

}  // namespace sightglass
