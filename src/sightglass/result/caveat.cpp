#include "sightglass/result/caveat.h"

namespace sightglass {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::caution: return "caution";
    case Severity::warning: return "warning";
  }
  return "note";
}

}  // namespace sightglass
