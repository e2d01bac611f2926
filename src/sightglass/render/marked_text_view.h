// How a text with marked words is shown, in every format.
#pragma once

#include "sightglass/render/shape_view.h"
#include "sightglass/result/shapes/marked_text.h"

namespace sightglass {

template <>
struct ViewOf<MarkedText> {
  static ShapeView view();
};

}  // namespace sightglass
