#include "sightglass/methods/local/anchoring/certain_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sightglass/model/trees/bounds/margin_range_internal.h"
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
  return trees * unit * (size + 0.5 * trees * leaf) / parts.divisor;
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

std::vector<CertainRules::Claim> CertainRules::claims(const LabelledRow& row, const AnchorOutcome& outcome) const {
  std::vector<Claim> found;
  const std::size_t outputs = input_.outputs.size();
  const auto add = [&](std::vector<std::pair<std::size_t, double>> factors, double level) {
    Claim claim{.factors = std::vector<double>(outputs), .level = level - rounding_};
    for (const auto& [output, factor] : factors) claim.factors[output] = factor;
    if (level < std::numeric_limits<double>::infinity()) found.push_back(std::move(claim));
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
      add({{outcome.output, 1}}, margin_of(here + outcome.tolerance));
      add({{outcome.output, -1}}, -margin_of(here - outcome.tolerance));
      break;
    }
    case AnchorOutcomeKind::label: label(outcome.output); break;
    case AnchorOutcomeKind::labels:
      for (std::size_t k = 0; k < outputs; ++k) label(k);
      break;
    case AnchorOutcomeKind::top_class:
    case AnchorOutcomeKind::one_class: {
      // That a row is not of a class is settled by the class that it is of.
      const std::size_t own = top_class(row.predictions);
      for (std::size_t k = 0; k < outputs; ++k) {
        if (k != own) add({{k, 1}, {own, -1}}, 0);
      }
      break;
    }
  }
  return found;
}

std::optional<CertainRule> CertainRules::find(const LabelledRow& row, const AnchorOutcome& outcome) const {
  const TreeEnsemble::Parts& parts = input_.trees->parts();
  const FeatureCodes& codes = input_.trees->codes();
  const std::vector<Claim> asked = claims(row, outcome);
  CertainRule rule;
  std::vector<std::uint32_t> own(codes.slots());
  std::vector<std::uint32_t> feature_of(codes.slots());
  for (std::size_t j = 0; j < input_.features.size(); ++j) {
    if (const auto slot = input_.trees->slot(input_.features[j])) {
      own[*slot] = input_.trees->code(*slot, row.values[j]);
      feature_of[*slot] = static_cast<std::uint32_t>(j);
    }
  }
  const auto box_of = [&](const std::vector<bool>& fixed) {
    CodeBox box(codes);
    for (std::size_t slot = 0; slot < codes.slots(); ++slot) {
      const bool missing = has_missing_[feature_of[slot]] && !parts.refuses_missing;
      for (std::uint32_t code = 0; code < codes.codes(slot); ++code) {
        const bool allowed = code == own[slot] || (!fixed[slot] && (code != codes.missing(slot) || missing));
        if (!allowed) box.forbid(slot, code);
      }
    }
    return box;
  };
  enum class Answer { holds, fails, open };
  const auto settled = [&](const std::vector<bool>& fixed) {
    const CodeBox box = box_of(fixed);
    Answer answer = Answer::holds;
    for (const Claim& claim : asked) {
      const MarginLimit limit = margin_limit(parts, codes, box, claim.factors, claim.level, boxes_, *input_.context);
      rule.explored += limit.explored;
      if (limit.reached > claim.level) return Answer::fails;
      if (limit.bound > claim.level) answer = Answer::open;
    }
    return answer;
  };
  std::vector<bool> fixed(codes.slots(), true);
  if (settled(fixed) != Answer::holds) return std::nullopt;
  // How far each feature alone can move what was claimed, at the most.
  std::vector<std::pair<double, std::size_t>> swings;
  for (std::size_t slot = 0; slot < codes.slots(); ++slot) {
    fixed[slot] = false;
    double swing = 0;
    for (const Claim& claim : asked) {
      const auto limit = margin_limit(parts, codes, box_of(fixed), claim.factors, claim.level, 1, *input_.context);
      swing = std::max(swing, limit.bound - claim.level);
    }
    fixed[slot] = true;
    swings.emplace_back(swing, slot);
  }
  std::sort(swings.begin(), swings.end());
  for (const auto& [swing, slot] : swings) {
    fixed[slot] = false;
    const Answer answer = settled(fixed);
    if (answer == Answer::holds) continue;
    fixed[slot] = true;
    if (answer == Answer::open) ++rule.open;
    rule.features.push_back(feature_of[slot]);
  }
  std::sort(rule.features.begin(), rule.features.end());
  return rule;
}

std::vector<ShownCondition> CertainRules::conditions(const CertainRule& rule, const LabelledRow& row) const {
  std::vector<ShownCondition> shown;
  for (const std::uint32_t j : rule.features) {
    const ColumnInfo& column = input_.schema[input_.features[j]];
    const double value = row.values[j];
    ShownCondition& condition = shown.emplace_back();
    condition.feature = column.name;
    if (std::isnan(value)) {
      condition.missing = true;
      continue;
    }
    if (column.has_levels()) {
      condition.categorical = true;
      condition.levels = {column.level(static_cast<std::size_t>(value))};
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

double CertainRules::support(const CertainRule& rule, const LabelledRow& row) const {
  double all = 0, met = 0;
  std::vector<std::pair<std::size_t, std::uint32_t>> wanted;  // slot of a feature, and the row's code
  for (const std::uint32_t j : rule.features) {
    const std::size_t slot = *input_.trees->slot(input_.features[j]);
    wanted.emplace_back(slot, input_.trees->code(slot, row.values[j]));
  }
  for (std::size_t at = 0; at < rows_.of_data; ++at) {
    all += rows_.weights[at];
    bool meets = true;
    for (std::size_t i = 0; i < wanted.size() && meets; ++i)
      meets = input_.trees->code(wanted[i].first, rows_.values[rule.features[i]][at]) == wanted[i].second;
    if (meets) met += rows_.weights[at];
  }
  return all > 0 ? met / all : 0;
}

}  // namespace sightglass
