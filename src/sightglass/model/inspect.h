// What a model is, and whether data give it what it wants: for people to read, in the CLI and in Python.
#pragma once

#include <span>

#include "sightglass/base/value.h"
#include "sightglass/data/table.h"
#include "sightglass/model/model.h"

namespace sightglass {

// format, version, objective, task, outputs, detail (trees, depth, missing, …), features with types and levels.
[[nodiscard]] Value describe_model(const Signature& signature);

// rows, columns with types, levels, units and numbers of missing values, notes.
[[nodiscard]] Value describe_data(const Table& table);

// fits, and why not; missing_columns, wrong_columns, unknown_categories, used_columns, unused_columns, order: each
// by name. `excluded` are columns that are no features (target, weights). Throws only if the model itself does.
[[nodiscard]] Value describe_fit(const Model& model, const Schema& schema, std::span<const std::uint32_t> excluded);

}  // namespace sightglass
