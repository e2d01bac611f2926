// How coefficients change along an axis (a penalty, a width): one line per term, the largest in color with their names
// at the right end, the others thin behind them.
#pragma once

#include <string>
#include <vector>

#include "sightglass/base/value.h"

namespace sightglass::vega {

struct LinePoint {
  double x = 0, y = 0;
  Value told = Value::object();  // further fields, for the tooltip
};

struct NamedLine {
  std::string name;
  std::vector<LinePoint> points;
};

struct NamedLines {
  std::vector<NamedLine> lines;  // the most important first
  Value x;                       // encoding of the axis
  std::string y_title;
  Value tooltip;
  bool dots = false;   // at every point
  Value::Array marks;  // layers above the lines and below their names
};

Value named_lines_panel(NamedLines chart);

}  // namespace sightglass::vega
