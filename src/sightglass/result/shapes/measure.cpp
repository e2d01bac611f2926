#include "sightglass/result/shapes/measure.h"

#include "sightglass/result/fields.h"

namespace sightglass {

namespace {
constexpr std::string_view measures[] = {"mean", "effect", "loss"};
}

std::string_view to_string(Measure measure) { return measures[static_cast<std::size_t>(measure)]; }

void describe_measure(Measure& measure, Fields& fields) {
  describe_choice(fields, {"measure", "What the heights are."}, measures, measure);
}

std::string_view height_column(Measure measure) { return to_string(measure); }

}  // namespace sightglass
