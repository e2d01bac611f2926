// Can the model's probabilities be taken at their word?
//   rows are put into bins by their probability; per bin the mean probability against the share of rows that are of the
//   class, with a 95 % interval by Wilson; expected calibration error Σ n_b/n |mean probability − share|
// Niculescu-Mizil and Caruana 2005. Cost: each row is predicted once. With few rows per bin shares are off by chance:
// the intervals say by how much; with few bins, errors within a bin are hidden.
#pragma once

#include <cstdint>
#include <string>

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct CalibrationOptions {
  std::int64_t bins = 10;
  std::string strategy = "quantile";

  static void fields(auto&& field) {
    field("bins", &CalibrationOptions::bins,
          {.help = "bins of rows", .type = OptionType::count, .range = between(1, 1000), .aliases = {"n_bins"}});
    field("strategy", &CalibrationOptions::strategy,
          {.help = "quantile: as many rows in each bin; uniform: bins of the same width",
           .choices = {"quantile", "uniform"}});
  }
};

[[nodiscard]] MethodEntry calibration();

}  // namespace sightglass
