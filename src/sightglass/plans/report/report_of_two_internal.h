// A report of two models.
#pragma once

#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/data/source.h"
#include "sightglass/model/model_option.h"
#include "sightglass/result/result.h"

namespace sightglass {

// How two models differ: one result, which says of itself what a report says of its first.
[[nodiscard]] std::vector<Result> report_of_two(const Model& model, const ModelOption& other, const Source& source,
                                                const Value& given, Context& context, double spent);

}  // namespace sightglass
