// Small models of what the model predicts for the prototypes alone: find prototypes, ask the model, read the surrogate.
// Each prototype counts as many rows as it stands for; how well the surrogate follows the model is measured on all
// rows.
#pragma once

#include "sightglass/methods/examples/shown/prototypes_options.h"
#include "sightglass/methods/rows/labelled_rows.h"
#include "sightglass/result/result.h"
#include "sightglass/result/shapes/examples.h"

namespace sightglass {

void add_surrogates(const MethodInput& input, const PrototypesOptions& options, const LabelledRows& rows,
                    const Examples& prototypes, Result& result);

}  // namespace sightglass
