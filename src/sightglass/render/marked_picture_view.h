// How a picture with marked regions is shown, in every format.
#pragma once

#include "sightglass/render/shape_view.h"
#include "sightglass/result/shapes/marked_picture.h"

namespace sightglass {

template <>
struct ViewOf<MarkedPicture> {
  static ShapeView view();
};

}  // namespace sightglass
