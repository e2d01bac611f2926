// How ladders are shown, in every format.
#pragma once

#include "made_up/ladder.h"
#include "sightglass/render/shape_view.h"

namespace sightglass {

template <>
struct ViewOf<Ladder> {
  static ShapeView view();
};

}  // namespace sightglass
