// Predictions behind the link of rows that are explained before it.
#pragma once

#include "sightglass/methods/run/session.h"

namespace sightglass {

// Adds them to attributions on the margin scale: details.probability, or details.response. A model that cannot say is
// no reason to be without the rows.
void add_responses(Result& examples, const Model& model, const Source& source, RunOptions told, Context& context);

}  // namespace sightglass
