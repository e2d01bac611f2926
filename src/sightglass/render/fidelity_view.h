// How fidelity, by parts of the data, is shown in every format.
#pragma once

#include "sightglass/render/shape_view.h"
#include "sightglass/result/shapes/fidelity.h"

namespace sightglass {

template <>
struct ViewOf<Fidelity> {
  static ShapeView view();
};

}  // namespace sightglass
