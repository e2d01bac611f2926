// How much better the model predicts the target than a constant does: 1 = perfectly, 0 = no better. From a small
// sample of rows, to say when an explanation describes a model that knows little.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct ModelSkill {
  std::string measure;  // "r2": 1 − Σ(y−f)²/Σ(y−ȳ)²; "log-loss": 1 − log loss / that of the classes' shares
  double skill = 0;
  std::uint64_t rows = 0;  // with a target
  // Of two classes whose order is so surely the wrong way round that they look swapped: the area under the ROC curve.
  std::optional<double> reversed_auc;
};

// Rows whose target is known.
struct SkillRows {
  std::vector<std::uint64_t> ids;  // ascending
  std::vector<double> targets;     // as ColumnView::number has them
  std::vector<double> weights;

  // At most `limit` (0 = all) of them, drawn at random.
  [[nodiscard]] SkillRows drawn(std::uint64_t limit, std::uint64_t seed) const;
};

// Predicts these rows, nothing else. Nothing where there is nothing to measure: no target, one that does not vary or
// does not fit the model's outputs, predictions on the margin scale.
[[nodiscard]] Chain<std::optional<ModelSkill>> measure_skill(const MethodInput& input, const SkillRows& rows);

}  // namespace sightglass
