#include "sightglass/learn/rules/rule_terms.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace sightglass {

namespace {

struct Weighted {
  double value = 0, weight = 0;
};

// The smallest value with at least this share of the weight at or below it.
double quantile(const std::vector<Weighted>& ascending, double total, double share) {
  double below = 0;
  for (const Weighted& next : ascending) {
    below += next.weight;
    if (below >= share * total) return next.value;
  }
  return ascending.back().value;
}

std::optional<LinearColumn> linear_column(const TrainingData& data, std::size_t feature, const FoldedRows& rows) {
  const std::vector<double>& values = data.features[feature].values;
  std::vector<Weighted> known;
  double weight = 0;
  for (std::size_t row = 0; row < data.rows; ++row) {
    if (std::isnan(values[row])) continue;
    known.push_back({values[row], data.weight(row)});
    weight += data.weight(row);
  }
  if (known.empty()) return std::nullopt;
  std::sort(known.begin(), known.end(), [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  LinearColumn column{.feature = static_cast<std::uint32_t>(feature),
                      .low = quantile(known, weight, 0.025),
                      .high = quantile(known, weight, 0.975)};
  if (!(column.low < column.high)) return std::nullopt;
  const double width = column.high - column.low;
  if (!std::isfinite(width)) return std::nullopt;
  // In units of the width, so that nothing overflows.
  double mean = 0, square = 0;
  for (const Weighted& next : known)
    mean += next.weight * ((std::clamp(next.value, column.low, column.high) - column.low) / width);
  mean /= weight;
  for (const Weighted& next : known) {
    const double off = (std::clamp(next.value, column.low, column.high) - column.low) / width - mean;
    square += next.weight * off * off;
  }
  column.mean = column.low + mean * width;
  column.sd = std::sqrt(square / data.total_weight()) * width;
  column.scale = 0.4 / column.sd;
  if (!(column.sd > 0) || !std::isfinite(column.scale)) return std::nullopt;
  column.values.resize(rows.positions());
  for (std::size_t row = 0; row < data.rows; ++row) {
    if (std::isnan(values[row])) continue;
    column.values[rows.position_of[row]] =
        (std::clamp(values[row], column.low, column.high) - column.mean) * column.scale;
  }
  return column;
}

}  // namespace

std::vector<TermCondition> RuleTerms::conditions(std::size_t rule) const {
  std::vector<TermCondition> conditions;
  for (const auto& [feature, codes] : rules[rule].conditions)
    conditions.push_back(rows.features[feature].condition(codes));
  return conditions;
}

std::vector<LinearColumn> linear_columns(const TrainingData& data, const FoldedRows& rows) {
  std::vector<LinearColumn> columns;
  for (std::size_t feature = 0; feature < data.features.size(); ++feature) {
    if (data.features[feature].info.categorical) continue;
    if (auto column = linear_column(data, feature, rows)) columns.push_back(std::move(*column));
  }
  return columns;
}

RuleTerms find_rule_terms(const TrainingData& data, FoldedRows rows, bool linear, const RuleTreeOptions& options,
                          const Context& context) {
  RuleTerms terms;
  terms.rows = code_rows(data, std::move(rows), context);
  const std::vector<double> outcome = terms.rows.rows.placed(data.outcome);
  RuleTrees trees = grow_rules(terms.rows, outcome, data.task(), data.classes.size(), options, context);
  terms.rules = trees.rules.rules();
  terms.sets = trees.rules.take_rows();
  terms.generated = trees.generated;
  terms.leaves = std::move(trees.leaves);
  if (linear) terms.linear = linear_columns(data, terms.rows.rows);

  std::vector<std::uint32_t> all(terms.rules.size());
  for (std::size_t rule = 0; rule < all.size(); ++rule) all[rule] = static_cast<std::uint32_t>(rule);
  terms.supports.resize(all.size());
  add_sums(terms.sets, all, terms.rows.weights.data(), 0, terms.sets.words(), terms.supports.data());
  for (double& support : terms.supports) support /= data.total_weight();
  return terms;
}

}  // namespace sightglass
