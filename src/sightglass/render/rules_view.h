// How if-then rules are shown, in every format.
#pragma once

#include "sightglass/render/shape_view.h"
#include "sightglass/result/shapes/rules.h"

namespace sightglass {

template <>
struct ViewOf<Rules> {
  static ShapeView view();
};

}  // namespace sightglass
