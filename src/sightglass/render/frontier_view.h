// How frontiers of quality against size are shown, in every format.
#pragma once

#include "sightglass/render/shape_view.h"
#include "sightglass/result/shapes/frontier.h"

namespace sightglass {

template <>
struct ViewOf<Frontier> {
  static ShapeView view();
};

}  // namespace sightglass
