// What a model is, what the data are, and whether they go together: what a report finds out first, without the report.
#pragma once

#include <optional>
#include <string>

#include "sightglass/base/context.h"
#include "sightglass/base/value.h"
#include "sightglass/data/table.h"
#include "sightglass/model/model.h"
#include "sightglass/result/result.h"

namespace sightglass {

struct Inspection {
  Value model, data, fit;             // as describe_model(), describe_data() and describe_fit() say (model/inspect.h)
  std::optional<Result> performance;  // how well the model predicts the target, with what to beware of

  // All of it, by these names.
  [[nodiscard]] Value to_value() const;
  [[nodiscard]] bool fits() const { return fit.find("fits")->as_bool(); }
};

// target: the column with the true outcome; with one the model predicts some of the rows. A target that is not the
// model's makes data that do not fit.
[[nodiscard]] Inspection inspect(const Model& model, const Table& table, const std::string& target, Context& context);

}  // namespace sightglass
