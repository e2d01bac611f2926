// Short texts by which processes know that they talk about the same model and the same columns.
#pragma once

#include <string>

#include "sightglass/model/model.h"

namespace sightglass {

// Of what the model is: its signature, and what it adds itself (Model::add_to).
[[nodiscard]] std::string fingerprint(const Model& model);

// Of names, types, levels and units.
[[nodiscard]] std::string fingerprint(const Schema& schema);

}  // namespace sightglass
