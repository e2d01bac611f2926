// How changes that alter the answer are shown, in every format.
#pragma once

#include "sightglass/render/shape_view.h"
#include "sightglass/result/shapes/counterfactuals.h"

namespace sightglass {

template <>
struct ViewOf<Counterfactuals> {
  static ShapeView view();
};

}  // namespace sightglass
