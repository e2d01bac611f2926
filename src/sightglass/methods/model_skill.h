// How much better the model predicts the target than a constant does: 1 = perfectly, 0 = no better. From a small
// sample of rows, to say when an explanation describes a model that knows little.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/methods/method.h"

namespace sightglass {

struct ModelSkill {
  std::string measure;  // "r2": 1 − Σ(y−f)²/Σ(y−ȳ)²; "log-loss": 1 − log loss / that of the classes' shares
  double skill = 0;
  std::uint64_t rows = 0;  // with a target, of those that were asked for
};

// At most `limit` (0 = all) of the given rows, drawn at random; ascending.
[[nodiscard]] std::vector<std::uint64_t> skill_rows(const MethodInput& input, const std::vector<std::uint64_t>& ids,
                                                    std::uint64_t limit);

// Whether there is a target that the predictions can be held against: on the response scale, a number for
// regression, a class whose name or number an output has for classes.
[[nodiscard]] bool can_measure_skill(const MethodInput& input);

// Predicts the given rows (ascending), nothing else. Nothing follows where the target does not vary.
[[nodiscard]] std::unique_ptr<Stage> measure_skill(const MethodInput& input, std::vector<std::uint64_t> ids,
                                                   std::function<Next(std::optional<ModelSkill>)> then);

}  // namespace sightglass
