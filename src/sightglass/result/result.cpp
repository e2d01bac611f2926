#include "sightglass/result/result.h"

namespace sightglass {

std::string_view to_string(Shape shape) {
  switch (shape) {
    case Shape::constant: return "constant";
    case Shape::linear: return "linear";
    case Shape::monotone: return "monotone";
    case Shape::complex: return "complex";
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
