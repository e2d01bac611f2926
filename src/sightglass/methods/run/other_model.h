// The second model of a method that has an option for one.
#pragma once

#include <memory>
#include <vector>

#include "sightglass/model/model_option.h"

namespace sightglass {

// Null where options name none. given: by whoever calls, loaded already where it has a model; else it is loaded from
// the place that the options name. Throws Error(usage) if a model is given and no option takes one, and what
// load_model() throws, with the option's name before it.
[[nodiscard]] std::shared_ptr<const Model> other_model(const std::vector<OptionSpec>& specs, const Value& options,
                                                       const ModelOption& given = {});

// What results say of options: of a model no more than its name.
[[nodiscard]] Value recorded(const OptionSpec& spec, const Value& value);

}  // namespace sightglass
