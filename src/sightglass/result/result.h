// What a method hands back: plain data, no model and no rows, so that a saved result can be drawn again
// later. JSON in and out is in json.h. An item has one of the shapes in shapes/, each in a file of its own.
#pragma once

#include <string>
#include <vector>

#include "sightglass/base/value.h"
#include "sightglass/result/caveat.h"
#include "sightglass/result/item.h"
#include "sightglass/result/method_info.h"
#include "sightglass/result/shapes/attributions.h"
#include "sightglass/result/shapes/curve.h"
#include "sightglass/result/shapes/curves.h"
#include "sightglass/result/shapes/figure.h"
#include "sightglass/result/shapes/importance.h"
#include "sightglass/result/shapes/interaction.h"
#include "sightglass/result/shapes/surface.h"
#include "sightglass/result/unread.h"

namespace sightglass {

struct Result {
  std::string method;
  MethodInfo about;     // what the method is
  std::string version;  // of sightglass
  Value model = Value::object();
  Value data = Value::object();
  Value options = Value::object();
  std::vector<ResultItem> results;
  std::vector<Caveat> caveats;
  Unread unread = {};  // what a file of a newer version says besides
};

}  // namespace sightglass
