// What a model is, what data are, and whether they fit: what `sightglass inspect` and Explainer.inspect show.
#pragma once

#include <string>
#include <string_view>

#include "sightglass/base/value.h"
#include "sightglass/data/table.h"
#include "sightglass/model/model.h"

namespace sightglass {

[[nodiscard]] Value describe_model(const Model& model);
[[nodiscard]] Value describe_data(const Table& table);
// Whether the model takes the data, and why not. The target (may be empty) is no feature; `what` is the option that
// named it.
[[nodiscard]] Value describe_fit(const Model& model, const Table& table, const std::string& target,
                                 std::string_view what);

}  // namespace sightglass
