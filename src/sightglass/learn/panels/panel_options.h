// Options that learners of panels share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sightglass/base/options.h"
#include "sightglass/learn/panels/panel_search.h"

namespace sightglass {

// Of an option struct that has these members.
template <class Self>
void panel_fields(auto&& field) {
  field("dimensions", &Self::dimensions,
        {.help = "the most features of a panel", .type = OptionType::count, .range = between(1, 2)});
  field("kernel", &Self::kernel,
        {.help = "shape of a panel's border: linear, a straight line; rbf, any curve; both: whichever does better",
         .choices = {"both", "linear", "rbf"}});
  field("cost", &Self::cost,
        {.help = "C of the support vector machines: the larger, the closer panels follow single rows",
         .range = above(0),
         .aliases = {"C"}});
  field("veto", &Self::veto,
        {.help = "panels that must not be used: pairs of features as first:second, or one feature by itself"});
  field("max_subsets", &Self::max_subsets,
        {.help = "the most features and pairs of features that are tried; of more, those that part the classes best in "
                 "cells of equally many rows. 0 = all",
         .type = OptionType::count,
         .range = at_least(0)});
  field("search_rows", &Self::search_rows,
        {.help = "rows on which subsets are ranked before the ten best are fitted; 0 = all",
         .type = OptionType::row_count,
         .range = at_least(0)});
  field("fit_rows", &Self::fit_rows,
        {.help = "the most rows on which a panel is trained; thresholds and counts are always of all rows. 0 = all",
         .type = OptionType::row_count,
         .range = at_least(0)});
  field("seed", &Self::seed, {.help = "of rows that are drawn", .type = OptionType::seed});
}

template <class Options>
[[nodiscard]] PanelLimits read_panel_limits(const Options& options) {
  return {.dimensions = static_cast<std::size_t>(options.dimensions),
          .linear = options.kernel != "rbf",
          .radial = options.kernel != "linear",
          .cost = options.cost,
          .search_rows = static_cast<std::size_t>(options.search_rows),
          .fit_rows = static_cast<std::size_t>(options.fit_rows),
          .max_subsets = static_cast<std::size_t>(options.max_subsets),
          .veto = options.veto,
          .seed = static_cast<std::uint64_t>(options.seed)};
}

}  // namespace sightglass
