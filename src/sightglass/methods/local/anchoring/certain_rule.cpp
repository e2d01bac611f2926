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

// Of each output: what base and leaves come to at the most, without their signs.
std::vector<double> margin_sizes(const TreeEnsemble::Parts& parts) {
  const std::size_t outputs = parts.base.size();
  std::vector<double> sizes(outputs), largest(outputs);
  for (std::size_t k = 0; k < outputs; ++k) sizes[k] = std::abs(parts.base[k]);
  std::vector<std::uint32_t> stack;
  for (const Tree& tree : parts.trees) {
    std::fill(largest.begin(), largest.end(), 0.0);
    stack.assign(1, tree.root);
    while (!stack.empty()) {
      const TreeNode& node = parts.nodes[stack.back()];
      stack.pop_back();
      if (!node.is_leaf()) {
        stack.insert(stack.end(), {static_cast<std::uint32_t>(node.left), static_cast<std::uint32_t>(node.right)});
      } else if (node.leaf < 0) {
        largest[tree.output] = std::max(largest[tree.output], std::abs(node.threshold));
      } else {
        const double* values = parts.leaf_values.data() + static_cast<std::size_t>(node.leaf) * outputs;
        for (std::size_t k = 0; k < outputs; ++k) largest[k] = std::max(largest[k], std::abs(values[k]));
      }
    }
    for (std::size_t k = 0; k < outputs; ++k) sizes[k] += largest[k];
  }
  for (double& size : sizes) size /= parts.divisor;
  return sizes;
}

bool monotone(Link link) { return link == Link::identity || link == Link::logistic || link == Link::exponential; }

}  // namespace

CertainRules::CertainRules(const MethodInput& input, const LabelledRows& rows, std::uint64_t boxes)
    : input_(input), rows_(rows), boxes_(boxes) {
  for (const auto& values : rows.values)
    has_missing_.push_back(std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); }));
  if (input.trees != nullptr) margin_sizes_ = margin_sizes(input.trees->parts());
}

bool CertainRules::available(const AnchorOutcome& outcome) const {
  if (input_.trees == nullptr) return false;
  const Link link = input_.trees->parts().link.link;
  const bool by_class = outcome.kind == AnchorOutcomeKind::top_class || outcome.kind == AnchorOutcomeKind::one_class;
  if (input_.trees->adds_up(input_.scale)) return true;
  // Of several outputs large margins have the same probability: which is the largest is then no question of margins.
  return by_class && input_.outputs.size() > 1 ? link == Link::softmax : monotone(link);
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

// Behind a link, margins that are so near to one another may have the same prediction.
double CertainRules::same_margins() const {
  if (input_.trees->adds_up(input_.scale)) return 0;
  const TreeEnsemble::Parts& parts = input_.trees->parts();
  return (parts.float32_sums ? 0x1p-20 : 0x1p-49) / std::min(1.0, std::abs(parts.link.scale));
}

std::vector<Violation> CertainRules::violations(const LabelledRow& row, const AnchorOutcome& outcome) const {
  std::vector<Violation> found;
  const std::size_t outputs = input_.outputs.size();
  using Factors = std::vector<std::pair<std::size_t, double>>;
  const auto sum = [&](const Factors& factors, double level) {
    Violation::Sum made{.factors = std::vector<double>(outputs)};
    double size = std::isfinite(level) ? std::abs(level) : 0;
    for (const auto& [output, factor] : factors) {
      made.factors[output] = factor;
      size += margin_sizes_[output];
    }
    made.level = level - summation_error(input_.trees->parts(), size) - same_margins();
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
    may_miss[*slot] = has_missing_[j] && !parts.refuses_missing &&
                      (parts.accepted.empty() || parts.accepted[codes.features()[*slot]].missing);
  }
  asked.broken = [this, &parts, &codes, &row, outcome](std::span<const std::uint32_t> at) {
    const PredictOptions as_predicted{.scale = input_.scale, .arithmetic = Arithmetic::framework};
    return !outcome.same(predict_codes(parts, codes, as_predicted, at), row.predictions);
  };
  asked.on_border = asked.broken(asked.own);
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
  // Levels are compared by their codes: rows may be many.
  std::vector<std::vector<bool>> levels(conditions.size());
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const ColumnInfo& column = input_.schema[input_.features[rule.features[i]]];
    if (column.has_levels()) levels[i].resize(column.level_count());
    for (const std::string& level : conditions[i].levels) {
      if (const auto code = column.find_level(level)) levels[i][static_cast<std::size_t>(*code)] = true;
    }
  }
  double all = 0, met = 0;
  for (std::size_t at = 0; at < rows_.of_data; ++at) {
    all += rows_.weights[at];
    bool meets = true;
    for (std::size_t i = 0; i < conditions.size() && meets; ++i) {
      const double value = rows_.values[rule.features[i]][at];
      meets = levels[i].empty() || std::isnan(value)
                  ? row_meets(conditions[i], input_.schema[input_.features[rule.features[i]]], value)
                  : levels[i][static_cast<std::size_t>(value)];
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
