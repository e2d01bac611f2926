// How decision trees are shown, in every format.
#pragma once

#include "sightglass/render/shape_view.h"
#include "sightglass/result/shapes/tree.h"

namespace sightglass {

template <>
struct ViewOf<ShownTree> {
  static ShapeView view();
};

}  // namespace sightglass
