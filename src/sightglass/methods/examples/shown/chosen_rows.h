// Prototypes and criticisms of rows in memory, with what there is to say about each without a model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/methods/examples/shown/prototypes_options.h"
#include "sightglass/methods/run/row_sample.h"
#include "sightglass/result/shapes/examples.h"

namespace sightglass {

struct ChosenRows {
  Examples prototypes, criticisms;
  std::vector<ResultItem> figures;
  std::vector<Caveat> caveats;
};

// columns: by which rows are alike. The outcome of the rows is among the sample's columns where there is a target.
[[nodiscard]] ChosenRows choose_rows(const MethodInput& input, const PrototypesOptions& options,
                                     const std::vector<std::uint32_t>& columns, const RowSample& sample);

}  // namespace sightglass
