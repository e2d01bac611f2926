// The list of all shapes. What must be there for each of them is made by going through it, so that what was forgotten
// for a new shape does not compile.
#pragma once

#include <stdexcept>
#include <string>

#include "sightglass/result/item.h"
#include "sightglass/result/shapes/attributions.h"
#include "sightglass/result/shapes/curve.h"
#include "sightglass/result/shapes/curves.h"
#include "sightglass/result/shapes/figure.h"
#include "sightglass/result/shapes/importance.h"
#include "sightglass/result/shapes/interaction.h"
#include "sightglass/result/shapes/surface.h"

namespace sightglass {

template <ResultShape... Shapes>
struct ShapeList {};

using AllShapes = ShapeList<Curve, Curves, Surface, Importance, Interaction, Attributions, Figure>;

namespace detail {
template <class Visitor, class... Shapes>
void visit_item(const ResultItem& item, Visitor& visitor, ShapeList<Shapes...>) {
  const auto offer = [&](const auto* shape) {
    if (shape != nullptr) visitor(*shape);
    return shape != nullptr;
  };
  if (!(offer(item.as<Shapes>()) || ...)) throw std::logic_error("not in AllShapes: " + std::string(item.type()));
}
}  // namespace detail

// Calls the visitor with what the item holds.
template <class Visitor>
void visit(const ResultItem& item, Visitor&& visitor) {
  detail::visit_item(item, visitor, AllShapes());
}

}  // namespace sightglass
