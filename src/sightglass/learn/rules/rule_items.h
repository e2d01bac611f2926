// How a rule model shows itself: its rules and linear terms, what matters in it, the path to its penalty.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/learn/rules/rule_lasso.h"
#include "sightglass/learn/rules/rule_model.h"
#include "sightglass/learn/training_data.h"
#include "sightglass/result/item.h"

namespace sightglass {

// A mean loss of rows that the fit has not seen, over folds.
struct FoldLoss {
  double mean = 0, se = 0;
};

struct FittedRules {
  const TrainingData& data;
  const RuleTerms& terms;
  const std::vector<RulePathPoint>& path;
  std::size_t chosen;  // place in the path
  const RuleModel& model;
  bool refitted = false;                                  // coefficients without a penalty
  std::optional<FoldLoss> honest = std::nullopt;          // with rules grown anew for each fold
  std::optional<std::size_t> chosen_from = std::nullopt;  // place in the path whose terms were those that were refitted
};

[[nodiscard]] std::vector<ResultItem> rule_items(const FittedRules& fitted);

}  // namespace sightglass
