// How rows that say something are shown, in every format: as a table and on a map.
#pragma once

#include "sightglass/render/shape_view.h"
#include "sightglass/result/shapes/examples.h"

namespace sightglass {

template <>
struct ViewOf<Examples> {
  static ShapeView view();
};

}  // namespace sightglass
