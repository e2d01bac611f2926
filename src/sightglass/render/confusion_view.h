// How confusion matrices are shown, in every format.
#pragma once

#include "sightglass/render/shape_view.h"
#include "sightglass/result/shapes/confusion.h"

namespace sightglass {

template <>
struct ViewOf<Confusion> {
  static ShapeView view();
};

}  // namespace sightglass
