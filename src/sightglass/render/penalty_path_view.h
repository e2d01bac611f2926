// How paths of a penalty are shown, in every format.
#pragma once

#include "sightglass/render/shape_view.h"
#include "sightglass/result/shapes/penalty_path.h"

namespace sightglass {

template <>
struct ViewOf<PenaltyPath> {
  static ShapeView view();
};

}  // namespace sightglass
