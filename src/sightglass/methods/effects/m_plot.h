// What does the model predict, on average, for the rows that have such a value?
//   M(bin) = mean over rows i of the bin of f(x^(i)); where there are no more values than bins, each is its own
// Apley & Zhu (2020) call it the M-plot (marginal plot). One prediction per row, whatever the number of features. It
// mixes the feature's own effect with those of everything that goes with it: a conditional mean, not an effect.
#pragma once

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct MPlotOptions {
  std::vector<std::string> features;
  std::int64_t bins = 40;
  std::string smoothing = "bins";
  double bandwidth = 0.08;

  static void fields(auto&& field) {
    field("features", &MPlotOptions::features,
          {.help = "features to show; default: all that the model uses", .type = OptionType::features});
    field("bins", &MPlotOptions::bins,
          {.help =
               "bins of a numeric feature, at the most: each value where there are no more of them, else those of ale",
           .type = OptionType::count,
           .range = between(1, 10000, "bins")});
    field("smoothing", &MPlotOptions::smoothing,
          {"which rows are near a value: those of its bin, or all, weighted by a Gaussian kernel around each edge",
           {"bins", "kernel"}});
    field("bandwidth", &MPlotOptions::bandwidth,
          {.help = "standard deviation of the kernel, as a share of the distance between the first and the last decile",
           .range = above(0)});
  }
};

[[nodiscard]] MethodEntry m_plot();

}  // namespace sightglass
