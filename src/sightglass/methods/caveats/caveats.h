// The cautions that are raised by the data rather than by a method: which features go together, where a curve has
// no rows to stand on, what its average hides, whether the model knows anything. Measured each time, never
// boilerplate; docs/caveats.md says what each means. Added to every result at one place, MethodRun::finish().
#pragma once

#include <optional>

#include "sightglass/methods/run/data_profile.h"
#include "sightglass/methods/run/method.h"
#include "sightglass/methods/run/model_skill.h"
#include "sightglass/methods/run/run_options.h"

namespace sightglass {

// Marks the grid points of curves that are not to be trusted and adds the caveats.
void attach_caveats(Result& result, const MethodEntry& entry, const MethodInput& input, const RunOptions& options,
                    const std::optional<ModelSkill>& skill, const Context& context);

}  // namespace sightglass
