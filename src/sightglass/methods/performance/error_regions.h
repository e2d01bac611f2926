// Where is the model wrong? Regions of the data in which its errors are largest, in words.
//   a shallow regression tree of the loss l(y_i, f(x_i)) on the features, grown on a random half of the rows; the mean
//   loss of each leaf, with its standard error, is of the other half, so that no region looks bad by having been looked
//   for
// Cost: each row is predicted once; one small tree. A tree finds regions that a few conditions tell; what errors have
// to do with anything that is no feature it cannot see.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct ErrorRegionsOptions {
  std::string loss = "auto";
  std::vector<std::string> features;
  std::int64_t max_depth = 3;
  std::int64_t min_leaf_rows = 0;
  std::int64_t use_rows = 100'000;

  static void fields(auto&& field) {
    field("loss", &ErrorRegionsOptions::loss,
          {.help = "what an error is; auto: absolute for numbers, log-loss for classes",
           .choices = {"auto", "absolute", "squared", "log-loss", "brier", "poisson"}});
    field("features", &ErrorRegionsOptions::features,
          {.help = "features by which regions may be told; default: all", .type = OptionType::features});
    field("max_depth", &ErrorRegionsOptions::max_depth,
          {.help = "the most conditions of a region", .range = between(1, 10)});
    field("min_leaf_rows", &ErrorRegionsOptions::min_leaf_rows,
          {.help = "the fewest rows of a region; 0 = one in thirty, and at least 20",
           .type = OptionType::count,
           .range = at_least(0),
           .aliases = {"min_samples_leaf"}});
    field("use_rows", &ErrorRegionsOptions::use_rows,
          {.help = "rows that are used, at the most, drawn at random; 0 = all", .type = OptionType::row_count});
  }
};

[[nodiscard]] MethodEntry error_regions();

}  // namespace sightglass
