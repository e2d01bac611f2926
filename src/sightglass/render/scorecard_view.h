// How scorecards are shown, in every format: as a table.
#pragma once

#include "sightglass/render/shape_view.h"
#include "sightglass/result/shapes/scorecard.h"

namespace sightglass {

template <>
struct ViewOf<Scorecard> {
  static ShapeView view();
};

}  // namespace sightglass
