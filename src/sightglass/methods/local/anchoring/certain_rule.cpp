#include "sightglass/methods/local/anchoring/certain_rule.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <span>

#include "sightglass/methods/local/anchoring/certain_search_internal.h"
#include "sightglass/model/trees/predict/predict_codes_internal.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

namespace {

// How far a sum of leaves in the framework's arithmetic can be from the exact one.
double rounding_of(const TreeEnsemble::Parts& parts) {
  double size = 0;
  for (const double base : parts.base) size = std::max(size, std::abs(base));
  double leaf = 0;
  for (const double value : parts.leaf_values) leaf = std::max(leaf, std::abs(value));
  for (const TreeNode& node : parts.nodes) {
    if (node.is_leaf() && node.leaf < 0) leaf = std::max(leaf, std::abs(node.threshold));
  }
  const double trees = static_cast<double>(parts.trees.size()) + 1;
  const double unit = parts.float32_sums ? 0x1p-24 : 0x1p-53;
  // Errors of a sum in a row grow with the partial sums, which are as large as half of all at most, on average.
  // Two of them are compared.
  const double sum = 2 * trees * unit * (size + 0.5 * trees * leaf) / parts.divisor;
  // Behind a link, margins that are close may be the same.
  return sum + (parts.link.link == Link::identity ? 0 : 16 * unit);
}

bool monotone(Link link) { return link == Link::identity || link == Link::logistic || link == Link::exponential; }

}  // namespace

CertainRules::CertainRules(const MethodInput& input, const LabelledRows& rows, std::uint64_t boxes)
    : input_(input), rows_(rows), boxes_(boxes) {
  for (const auto& values : rows.values)
    has_missing_.push_back(std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); }));
  if (input.trees != nullptr) rounding_ = rounding_of(input.trees->parts());
}

bool CertainRules::available(const AnchorOutcome& outcome) const {
  if (input_.trees == nullptr) return false;
  const Link link = input_.trees->parts().link.link;
  const bool by_class = outcome.kind == AnchorOutcomeKind::top_class || outcome.kind == AnchorOutcomeKind::one_class;
  return input_.trees->adds_up(input_.scale) || monotone(link) || (by_class && link == Link::softmax);
}

std::size_t CertainRules::features() const { return input_.trees->codes().slots(); }

// Where the link takes it, on the other side of it.
double CertainRules::margin_of(double prediction) const {
  const LinkFunction& link = input_.trees->parts().link;
  if (input_.trees->adds_up(input_.scale)) return prediction;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (prediction <= 0) return -infinite;
  if (link.link == Link::exponential) return std::log(prediction);
  return prediction >= 1 ? infinite : std::log(prediction / (1 - prediction)) / link.scale;
}

std::vector<Violation> CertainRules::violations(const LabelledRow& row, const AnchorOutcome& outcome) const {
  std::vector<Violation> found;
  const std::size_t outputs = input_.outputs.size();
  using Factors = std::vector<std::pair<std::size_t, double>>;
  const auto sum = [&](const Factors& factors, double level) {
    Violation::Sum made{.factors = std::vector<double>(outputs), .level = level - rounding_};
    for (const auto& [output, factor] : factors) made.factors[output] = factor;
    return made;
  };
  const auto add = [&](const Factors& factors, double level) {
    if (level < std::numeric_limits<double>::infinity()) found.push_back({.sums = {sum(factors, level)}});
  };
  const auto label = [&](std::size_t output) {
    const double even = margin_of(outcome.even);
    if (row.predictions[output] > outcome.even) {
      add({{output, -1}}, -even);
    } else {
      add({{output, 1}}, even);
    }
  };
  switch (outcome.kind) {
    case AnchorOutcomeKind::number: {
      const double here = row.predictions[outcome.output];
      const double unit = input_.trees->parts().float32_sums ? 0x1p-22 : 0x1p-50;
      const double within = outcome.tolerance - unit * (std::abs(here) + outcome.tolerance);
      add({{outcome.output, 1}}, margin_of(here + within));
      add({{outcome.output, -1}}, -margin_of(here - within));
      break;
    }
    case AnchorOutcomeKind::label: label(outcome.output); break;
    case AnchorOutcomeKind::labels:
      for (std::size_t k = 0; k < outputs; ++k) label(k);
      break;
    case AnchorOutcomeKind::top_class:
    case AnchorOutcomeKind::one_class: {
      const std::size_t own = top_class(row.predictions);
      const bool of_another = outcome.kind == AnchorOutcomeKind::one_class && own != outcome.output;
      if (of_another) found.emplace_back();
      for (std::size_t k = 0; k < outputs; ++k) {
        if (of_another && k != outcome.output) {
          // It becomes of that class where that is above all others.
          found[0].sums.push_back(sum({{outcome.output, 1}, {k, -1}}, 0));
        } else if (!of_another && k != own) {
          add({{k, 1}, {own, -1}}, 0);
        }
      }
      break;
    }
  }
  return found;
}

// What all inputs are asked about one row.
struct CertainRules::Question {
  std::vector<std::uint32_t> own;         // codes
  std::vector<std::uint32_t> feature_of;  // position in MethodInput::features, by slot
  std::function<bool(std::span<const std::uint32_t>)> broken;
  std::unique_ptr<const CounterexampleSearch> search;
  bool on_border = false;
};

CertainRules::Question CertainRules::question(const LabelledRow& row, const AnchorOutcome& outcome) const {
  const TreeEnsemble::Parts& parts = input_.trees->parts();
  const FeatureCodes& codes = input_.trees->codes();
  Question asked;
  asked.own.resize(codes.slots());
  asked.feature_of.resize(codes.slots());
  std::vector<bool> may_miss(codes.slots());
  for (std::size_t j = 0; j < input_.features.size(); ++j) {
    const auto slot = input_.trees->slot(input_.features[j]);
    if (!slot) continue;
    asked.own[*slot] = input_.trees->code(*slot, row.values[j]);
    asked.feature_of[*slot] = static_cast<std::uint32_t>(j);
    may_miss[*slot] = has_missing_[j] && !parts.refuses_missing;
  }
  const auto in_float = [this, &parts, &codes](std::span<const std::uint32_t> at) {
    return predict_codes(parts, codes, {.scale = input_.scale, .arithmetic = Arithmetic::framework}, at);
  };
  std::vector<double> own_in_float;
  if (parts.float32_sums) {
    own_in_float = in_float(asked.own);
    const bool number = outcome.kind == AnchorOutcomeKind::number;
    asked.on_border = !number && !outcome.same(own_in_float, row.predictions);
  }
  asked.broken = [this, &parts, &codes, &row, outcome, in_float, own_in_float](std::span<const std::uint32_t> at) {
    if (!outcome.same(predict_codes(parts, codes, {.scale = input_.scale}, at), row.predictions)) return true;
    return parts.float32_sums && !outcome.same(in_float(at), own_in_float);
  };
  asked.on_border = asked.on_border || asked.broken(asked.own);
  asked.search = std::make_unique<CounterexampleSearch>(
      parts, codes, violations(row, outcome),
      CounterexampleSearch::Row{.own = asked.own, .may_miss = std::move(may_miss)}, asked.broken);
  return asked;
}

std::optional<CertainRule> CertainRules::find(const LabelledRow& row, const AnchorOutcome& outcome) const {
  const Question asked = question(row, outcome);
  if (asked.on_border) return std::nullopt;
  const CertainSlots found = fewest_certain_slots(*asked.search, asked.own, asked.broken, boxes_, *input_.context);
  CertainRule rule{.features = {}, .open = found.open, .least = found.least, .explored = found.explored};
  for (const std::uint32_t slot : found.slots) rule.features.push_back(asked.feature_of[slot]);
  std::sort(rule.features.begin(), rule.features.end());
  return rule;
}

// Of values that meet the condition.
std::vector<bool> CertainRules::allowed_codes(std::size_t slot, const ColumnInfo& column,
                                              const ShownCondition& condition) const {
  const TreeRows& trees = *input_.trees;
  const std::uint32_t missing = trees.codes().missing(slot);
  std::vector<bool> allowed(missing + 1);
  allowed[missing] = condition.missing;
  for (const std::string& level : condition.levels) {
    if (const auto code = column.find_level(level)) allowed[trees.code(slot, *code)] = true;
  }
  const bool bounded = condition.above || condition.at_least || condition.below || condition.at_most;
  if (column.has_levels() || !bounded) return allowed;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  double low = -std::numeric_limits<double>::max(), high = -low;
  if (condition.at_least) low = std::max(low, *condition.at_least);
  if (condition.above) low = std::max(low, std::nextafter(*condition.above, infinite));
  if (condition.at_most) high = std::min(high, *condition.at_most);
  if (condition.below) high = std::min(high, std::nextafter(*condition.below, -infinite));
  if (!(low <= high)) return allowed;
  if (trees.codes().categorical(slot) && low != high) {
    // Numbers that are names: which of them lie between two others is nothing that trees know.
    std::fill(allowed.begin(), allowed.end() - 1, true);
    return allowed;
  }
  for (std::uint32_t code = trees.code(slot, low); code <= trees.code(slot, high) && code < missing; ++code)
    allowed[code] = true;
  return allowed;
}

std::optional<bool> CertainRules::settled_by(const std::vector<ShownCondition>& conditions, const LabelledRow& row,
                                             const AnchorOutcome& outcome) const {
  const Question asked = question(row, outcome);
  if (asked.on_border) return false;
  std::vector<std::vector<bool>> allowed(asked.own.size());
  for (const ShownCondition& condition : conditions) {
    for (const std::uint32_t column : input_.features) {
      const auto slot = input_.trees->slot(column);
      if (!slot || input_.schema[column].name != condition.feature) continue;
      std::vector<bool> codes = allowed_codes(*slot, input_.schema[column], condition);
      for (std::size_t code = 0; code < allowed[*slot].size(); ++code)
        codes[code] = codes[code] && allowed[*slot][code];
      allowed[*slot] = std::move(codes);
      if (!allowed[*slot][asked.own[*slot]]) return false;
    }
  }
  const CounterexampleAnswer answer = asked.search->find_among(allowed, boxes_, *input_.context);
  if (answer.kind == CounterexampleAnswer::Kind::open) return std::nullopt;
  return answer.kind == CounterexampleAnswer::Kind::none;
}

std::vector<ShownCondition> CertainRules::conditions(const CertainRule& rule, const LabelledRow& row) const {
  std::vector<ShownCondition> shown;
  for (const std::uint32_t j : rule.features) {
    const ColumnInfo& column = input_.schema[input_.features[j]];
    const double value = row.values[j];
    ShownCondition& condition = shown.emplace_back();
    condition.feature = column.name;
    condition.categorical = column.has_levels();
    if (std::isnan(value)) {
      condition.missing = true;
      continue;
    }
    if (column.has_levels()) {
      // All that the trees do not tell from the row's own.
      const std::size_t slot = *input_.trees->slot(input_.features[j]);
      for (std::size_t level = 0; level < column.level_count(); ++level) {
        if (input_.trees->code(slot, static_cast<double>(level)) == input_.trees->code(slot, value))
          condition.levels.push_back(column.level(level));
      }
      continue;
    }
    const auto steps = input_.steps ? input_.steps(input_.features[j]) : std::nullopt;
    if (!steps) {
      condition.at_least = condition.at_most = value;
      continue;
    }
    const auto behind = std::upper_bound(steps->begin(), steps->end(), value);
    if (behind != steps->begin()) condition.at_least = *(behind - 1);
    if (behind != steps->end()) condition.below = *behind;
  }
  return shown;
}

double CertainRules::support(const CertainRule& rule, const std::vector<ShownCondition>& conditions) const {
  double all = 0, met = 0;
  for (std::size_t at = 0; at < rows_.of_data; ++at) {
    all += rows_.weights[at];
    bool meets = true;
    for (std::size_t i = 0; i < conditions.size() && meets; ++i) {
      const std::uint32_t j = rule.features[i];
      meets = row_meets(conditions[i], input_.schema[input_.features[j]], rows_.values[j][at]);
    }
    if (meets) met += rows_.weights[at];
  }
  return all > 0 ? met / all : 0;
}

bool row_meets(const ShownCondition& condition, const ColumnInfo& column, double value) {
  if (std::isnan(value)) return condition.missing;
  if (column.has_levels()) {
    return std::find(condition.levels.begin(), condition.levels.end(), column.level(static_cast<std::size_t>(value))) !=
           condition.levels.end();
  }
  const bool bounded = condition.above || condition.at_least || condition.below || condition.at_most;
  return bounded && !(condition.above && !(value > *condition.above)) &&
         !(condition.at_least && !(value >= *condition.at_least)) &&
         !(condition.below && !(value < *condition.below)) && !(condition.at_most && !(value <= *condition.at_most));
}

}  // namespace sightglass
