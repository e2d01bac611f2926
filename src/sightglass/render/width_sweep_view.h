// How sweeps over the width of a kernel are shown, in every format.
#pragma once

#include "sightglass/render/shape_view.h"
#include "sightglass/result/shapes/width_sweep.h"

namespace sightglass {

template <>
struct ViewOf<WidthSweep> {
  static ShapeView view();
};

}  // namespace sightglass
