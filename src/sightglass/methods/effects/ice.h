// How does the prediction of each single row change when one feature is set to a value?
//   ICE_i(v) = f(v, x_C^(i)), optionally minus its own value at an anchor (c-ICE), or its slope per grid step
//   (d-ICE): (ICE_i(v_k+1) − ICE_i(v_k)) / (v_k+1 − v_k)
// Goldstein et al. (2015), Peeking inside the black box. Cost: grid points × rows predictions per feature.
// Curves that are not parallel show interactions; the partial dependence is their mean.
#pragma once

#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

struct IceOptions {
  std::vector<std::string> features;
  std::int64_t grid = 64;
  std::string grid_rule = "quantiles";
  std::vector<double> values;
  std::vector<std::int64_t> rows;
  std::int64_t curves = 250;
  bool center = false;
  std::optional<double> anchor;
  bool derivative = false;

  static void fields(auto&& field) {
    grid_fields<IceOptions>(field);
    field("rows", &IceOptions::rows, {.help = "only these rows, counted from 0", .type = OptionType::rows});
    field("curves", &IceOptions::curves,
          {.help = "curves to keep, picked by quantiles of the prediction; 0 = all. Mean and bands are over all rows",
           .type = OptionType::count});
    field("center", &IceOptions::center, {"subtract each curve's value at the anchor"});
    field("anchor", &IceOptions::anchor,
          {.help = "grid value at which centred curves are 0, a number or a date; default: the smallest",
           .type = OptionType::numbers});
    field("derivative", &IceOptions::derivative,
          {"slopes per grid step instead of curves: where they differ between rows, the feature interacts"});
  }
};

[[nodiscard]] MethodEntry ice();

}  // namespace sightglass
