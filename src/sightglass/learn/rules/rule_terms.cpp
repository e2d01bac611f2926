#include "sightglass/learn/rules/rule_terms.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace sightglass {

namespace {

struct SharedRows {
  std::uint64_t a = 0, b = 0, both = 0;
};
SharedRows shared_rows(const RowSetTable& sets, std::size_t a, std::size_t b) {
  const std::size_t words = sets.words();
  return {count_rows(sets[a], words), count_rows(sets[b], words), count_shared(sets[a], sets[b], words)};
}
bool enough(std::uint64_t both, std::uint64_t either) {
  return static_cast<double>(both) > 0.95 * static_cast<double>(either);
}

struct WeightedValue {
  double value = 0, weight = 0;
};

// The smallest value with at least this share of the weight at or below it.
double quantile(const std::vector<WeightedValue>& ascending, double total, double share) {
  double below = 0;
  for (const WeightedValue& next : ascending) {
    below += next.weight;
    if (below >= share * total) return next.value;
  }
  return ascending.back().value;
}

std::optional<LinearColumn> linear_column(const TrainingData& data, std::size_t feature, const FoldedRows& rows) {
  const std::vector<double>& values = data.features[feature].values;
  std::vector<WeightedValue> known;
  double weight = 0;
  for (std::size_t row = 0; row < data.rows; ++row) {
    if (std::isnan(values[row])) continue;
    known.push_back({values[row], data.weight(row)});
    weight += data.weight(row);
  }
  if (known.empty()) return std::nullopt;
  std::sort(known.begin(), known.end(),
            [](const WeightedValue& a, const WeightedValue& b) { return a.value < b.value; });
  LinearColumn column{.feature = static_cast<std::uint32_t>(feature),
                      .low = quantile(known, weight, 0.025),
                      .high = quantile(known, weight, 0.975)};
  if (!(column.low < column.high)) return std::nullopt;
  const double width = column.high - column.low;
  if (!std::isfinite(width)) return std::nullopt;
  // In units of the width, so that nothing overflows.
  double mean = 0, square = 0;
  for (const WeightedValue& next : known)
    mean += next.weight * ((std::clamp(next.value, column.low, column.high) - column.low) / width);
  mean /= weight;
  for (const WeightedValue& next : known) {
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

double RuleTerms::value_at(std::size_t term, std::size_t position) const {
  if (term < rules.size()) return has_row(sets[term], position) ? 1 : 0;
  return linear[term - rules.size()].values[position];
}

void RuleTerms::add_predictions(std::size_t term, double weight, std::size_t first_word, std::size_t end_word,
                                double* out) const {
  if (term < rules.size()) {
    add_where(sets[term] + first_word, end_word - first_word, weight, out);
    return;
  }
  const double* values = linear[term - rules.size()].values.data() + first_word * rows_per_word;
  for (std::size_t i = 0; i < (end_word - first_word) * rows_per_word; ++i) out[i] += weight * values[i];
}

double RuleTerms::sd(std::size_t term) const {
  if (term >= rules.size()) return linear[term - rules.size()].sd * linear[term - rules.size()].scale;
  const double support = std::clamp(supports[term], 0.0, 1.0);
  return std::sqrt(support * (1 - support));
}

bool RuleTerms::share_rows(std::size_t a, std::size_t b) const {
  if (a >= rules.size() || b >= rules.size()) return false;
  const SharedRows rows_of = shared_rows(sets, a, b);
  return enough(rows_of.both, rows_of.a + rows_of.b - rows_of.both);
}

bool RuleTerms::nearly_same(std::size_t a, std::size_t b) const {
  if (a >= rules.size() || b >= rules.size()) return false;
  // Of a and all rows but b's: those of a that are not b's, and all but those of b that are not a's.
  const SharedRows rows_of = shared_rows(sets, a, b);
  const std::uint64_t all = rows.rows.position_of.size();
  return share_rows(a, b) || enough(rows_of.a - rows_of.both, all - (rows_of.b - rows_of.both));
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
