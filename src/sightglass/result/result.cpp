#include "sightglass/result/result.h"

namespace sightglass {

std::string_view to_string(CurveShape shape) {
  switch (shape) {
    case CurveShape::constant: return "constant";
    case CurveShape::linear: return "linear";
    case CurveShape::monotone: return "monotone";
    case CurveShape::complex: return "complex";
  }
  return "complex";
}

std::string_view to_string(Measure measure) {
  switch (measure) {
    case Measure::mean: return "mean";
    case Measure::effect: return "effect";
    case Measure::loss: return "loss";
  }
  return "mean";
}

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::caution: return "caution";
    case Severity::warning: return "warning";
  }
  return "note";
}

}  // namespace sightglass
