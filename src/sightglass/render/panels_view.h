// How panels are shown, in every format.
#pragma once

#include "sightglass/render/shape_view.h"
#include "sightglass/result/shapes/panels.h"

namespace sightglass {

template <>
struct ViewOf<ShownPanels> {
  static ShapeView view();
};

}  // namespace sightglass
