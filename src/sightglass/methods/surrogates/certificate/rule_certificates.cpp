#include "sightglass/methods/surrogates/certificate/rule_certificates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "sightglass/methods/surrogates/fidelity/regions.h"
#include "sightglass/model/trees/bounds/margin_range_internal.h"
#include "sightglass/model/trees/tree_rows.h"
#include "sightglass/numeric/exact_sum.h"

namespace sightglass {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// The number with the fewest decimals from `low` on that is below `end`: for people to read.
double readable_between(double low, double end) {
  for (double scale = 1; scale <= 1e9; scale *= 10) {
    const double rounded = std::ceil(low * scale) / scale;
    if (rounded >= low && rounded < end) return rounded;
  }
  return low;
}

// Which values of a feature the data have.
struct Observed {
  double least = infinite, greatest = -infinite;
  bool missing = false;
  std::vector<bool> levels;
};

Observed observe(const std::vector<double>& values, std::size_t levels) {
  Observed seen;
  seen.levels.resize(levels);
  for (const double value : values) {
    if (std::isnan(value)) {
      seen.missing = true;
    } else if (levels > 0) {
      seen.levels[static_cast<std::size_t>(value)] = true;
    } else {
      seen.least = std::min(seen.least, value);
      seen.greatest = std::max(seen.greatest, value);
    }
  }
  return seen;
}

// Codes that a rule's inputs can have in one slot, each with a value that has it.
using CodeValues = std::map<std::uint32_t, double>;

class RuleInputs {
 public:
  RuleInputs(const MethodInput& input, const std::vector<Observed>& observed, const Rule& rule)
      : input_(input), observed_(observed), rule_(rule) {}

  // Per slot; empty if no input within the ranges of the data meets the rule.
  [[nodiscard]] std::vector<CodeValues> codes() const {
    const TreeRows& trees = *input_.trees;
    std::vector<CodeValues> slots(trees.codes().slots());
    for (std::size_t j = 0; j < input_.features.size(); ++j) {
      const auto slot = trees.slot(input_.features[j]);
      const std::vector<double> values = candidates(j);
      if (values.empty()) return {};
      if (!slot) continue;
      for (const double value : values) slots[*slot].emplace(trees.code(*slot, value), value);
    }
    return slots;
  }

 private:
  // Values of a feature that stand for all that the rule allows: the model says the same in between.
  [[nodiscard]] std::vector<double> candidates(std::size_t j) const {
    const ColumnInfo& column = input_.schema[input_.features[j]];
    const Observed& seen = observed_[j];
    double low = seen.least, high = seen.greatest;
    bool missing = seen.missing, present = true;
    std::vector<bool> levels = seen.levels;
    for (const ShownCondition& condition : rule_.conditions) {
      if (condition.feature != column.name) continue;
      missing = missing && condition.missing;
      if (condition.above) low = std::max(low, std::nextafter(*condition.above, infinite));
      if (condition.at_least) low = std::max(low, *condition.at_least);
      if (condition.below) high = std::min(high, std::nextafter(*condition.below, -infinite));
      if (condition.at_most) high = std::min(high, *condition.at_most);
      const bool bounded = condition.above || condition.at_least || condition.below || condition.at_most;
      if (!bounded && condition.levels.empty()) present = present && !condition.missing;
      if (condition.levels.empty()) continue;
      const std::vector<std::string> names = column.levels();
      for (std::size_t level = 0; level < levels.size(); ++level) {
        const auto& kept = condition.levels;
        if (std::find(kept.begin(), kept.end(), names[level]) == kept.end()) levels[level] = false;
      }
    }
    std::vector<double> values;
    if (missing) values.push_back(std::numeric_limits<double>::quiet_NaN());
    if (!present) return values;
    for (std::size_t level = 0; level < levels.size(); ++level) {
      if (levels[level]) values.push_back(static_cast<double>(level));
    }
    if (!levels.empty() || !(low <= high)) return values;
    std::vector<double> starts = {low};
    for (const double point : input_.breakpoints(input_.features[j])) {
      if (point > low && point <= high) starts.push_back(point);
    }
    starts.push_back(std::nextafter(high, infinite));
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) values.push_back(readable_between(starts[i], starts[i + 1]));
    return values;
  }

  const MethodInput& input_;
  const std::vector<Observed>& observed_;
  const Rule& rule_;
};

// What is known of one rule, inputs per feature as ColumnView::number; NaN where it does not matter.
struct Found {
  double low = 0, high = 0, least = 0, greatest = 0;
  std::vector<double> at_least, at_greatest;
};

// Rows of the data may go further than what the search came across.
void add_rows(const LabelledRows& rows, const TrainingData& features, const Rule& rule, std::size_t output,
              Found& found) {
  RowList every(rows.rows());
  std::iota(every.begin(), every.end(), std::size_t{0});
  for (const std::size_t row : rows_meeting(features, every, rule.conditions)) {
    const double says = rows.prediction(row, output);
    const auto values = [&] {
      std::vector<double> of_row;
      for (const auto& column : rows.values) of_row.push_back(column[row]);
      return of_row;
    };
    if (says < found.least && says >= found.low) {
      found.least = says;
      found.at_least = values();
    }
    if (says > found.greatest && says <= found.high) {
      found.greatest = says;
      found.at_greatest = values();
    }
  }
}

// By feature, without those that do not matter or are not to be spoken of.
Value input_at(const MethodInput& input, const std::vector<std::uint32_t>& named, const std::vector<double>& values) {
  Value at = Value::object();
  for (std::size_t j = 0; j < values.size(); ++j) {
    const std::uint32_t feature = input.features[j];
    if (std::find(named.begin(), named.end(), feature) == named.end() || !input.trees->slot(feature)) continue;
    const ColumnInfo& column = input.schema[feature];
    if (std::isnan(values[j])) {
      at.set(column.name, Value());
    } else if (column.has_levels()) {
      at.set(column.name, column.levels()[static_cast<std::size_t>(values[j])]);
    } else {
      at.set(column.name, values[j]);
    }
  }
  return at;
}

double mean_prediction(const LabelledRows& rows, std::size_t output) {
  ExactSum sum, weight;
  for (std::size_t row = 0; row < rows.of_data; ++row) {
    sum.add(rows.weights[row] * rows.prediction(row, output));
    weight.add(rows.weights[row]);
  }
  return weight.value() > 0 ? sum.value() / weight.value() : 0;
}

}  // namespace

bool certify_rules(const MethodInput& input, const LabelledRows& rows, const TrainingData& features,
                   const std::vector<std::uint32_t>& named, std::size_t output, std::uint64_t boxes, Rules& rules) {
  if (input.trees == nullptr || !input.breakpoints || boxes == 0) return false;
  const TreeEnsemble::Parts& parts = input.trees->parts();
  const bool bent = !input.trees->adds_up(input.scale);
  if (bent && parts.link.link != Link::logistic && parts.link.link != Link::exponential) return false;
  std::vector<Observed> observed;
  for (std::size_t j = 0; j < input.features.size(); ++j) {
    const ColumnInfo& column = input.schema[input.features[j]];
    observed.push_back(observe(rows.values[j], column.has_levels() ? column.levels().size() : 0));
  }
  const FeatureCodes& codes = input.trees->codes();
  const auto on_scale = [&](double margin) {
    if (bent) parts.link.apply(&margin, 1, 1);
    return margin;
  };
  std::vector<std::optional<Found>> proven(rules.rules.size());
  input.for_each("certificate", rules.rules.size(), [&](std::size_t i) {
    const Rule& rule = rules.rules[i];
    const std::vector<CodeValues> slots = RuleInputs(input, observed, rule).codes();
    if (slots.empty() || !rule.effect) return;
    CodeBox box(codes);
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      for (std::uint32_t code = 0; code < codes.codes(slot); ++code) {
        if (!slots[slot].contains(code)) box.forbid(slot, code);
      }
    }
    const MarginRange range = margin_range(parts, codes, box, output, boxes, *input.context);
    const auto values_at = [&](const std::vector<std::uint32_t>& at) {
      std::vector<double> values(input.features.size(), std::numeric_limits<double>::quiet_NaN());
      for (std::size_t j = 0; j < values.size(); ++j) {
        if (const auto slot = input.trees->slot(input.features[j])) values[j] = slots[*slot].at(at[*slot]);
      }
      return values;
    };
    Found found{.low = on_scale(range.low),
                .high = on_scale(range.high),
                .least = on_scale(range.least),
                .greatest = on_scale(range.greatest),
                .at_least = values_at(range.at_least),
                .at_greatest = values_at(range.at_greatest)};
    add_rows(rows, features, rule, output, found);
    proven[i] = std::move(found);
  });
  const double mean = mean_prediction(rows, output);
  bool any = false;
  for (std::size_t i = 0; i < proven.size(); ++i) {
    if (!proven[i]) continue;
    const Found& found = *proven[i];
    Rule& rule = rules.rules[i];
    any = true;
    ProvenRange range{.low = found.low, .high = found.high, .least = found.least, .greatest = found.greatest};
    range.at_least = input_at(input, named, found.at_least);
    range.at_greatest = input_at(input, named, found.at_greatest);
    range.bound = mean;
    range.claims_more = *rule.effect >= (rules.effects_add ? 0 : mean);
    const bool holds = range.claims_more ? found.low >= mean : found.high <= mean;
    const bool breaks = range.claims_more ? found.least < mean : found.greatest > mean;
    range.status = holds ? ClaimStatus::proven : breaks ? ClaimStatus::refuted : ClaimStatus::open;
    rule.range = std::move(range);
  }
  return any;
}

}  // namespace sightglass
