// How the terms of linear models are shown, in every format.
#pragma once

#include "sightglass/render/shape_view.h"
#include "sightglass/result/shapes/terms.h"

namespace sightglass {

template <>
struct ViewOf<Terms> {
  static ShapeView view();
};

}  // namespace sightglass
