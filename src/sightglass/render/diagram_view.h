// How diagrams of numbers against numbers are shown, in every format.
#pragma once

#include "sightglass/render/shape_view.h"
#include "sightglass/result/shapes/diagram.h"

namespace sightglass {

template <>
struct ViewOf<Diagram> {
  static ShapeView view();
};

}  // namespace sightglass
