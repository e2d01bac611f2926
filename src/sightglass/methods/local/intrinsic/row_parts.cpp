#include "sightglass/methods/local/intrinsic/row_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "sightglass/learn/shown_parts.h"
#include "sightglass/methods/local/intrinsic/neighbor_parts.h"
#include "sightglass/methods/local/intrinsic/panel_parts.h"
#include "sightglass/model/feature_columns_internal.h"
#include "sightglass/result/shapes/rules.h"
#include "sightglass/result/shapes/terms.h"

namespace sightglass {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// Trees of which it is not known how many rows came where count as if all nodes had the same.
double covers_of(const TreeStructure& tree, std::size_t node) { return tree.covers.empty() ? 1 : tree.covers[node]; }

// Means of the training rows at each node, [node × outputs]: children stand behind their parents.
std::vector<double> means_at_nodes(const TreeStructure& tree, std::size_t outputs) {
  std::vector<double> means(tree.nodes.size() * outputs);
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    const TreeNode& node = tree.nodes[i];
    for (std::size_t k = 0; k < outputs; ++k) {
      double& mean = means[i * outputs + k];
      if (node.is_leaf()) {
        mean = node.leaf < 0 ? node.threshold : tree.leaf_values[static_cast<std::size_t>(node.leaf) * outputs + k];
        continue;
      }
      const auto left = static_cast<std::size_t>(node.left), right = static_cast<std::size_t>(node.right);
      const double both = covers_of(tree, left) + covers_of(tree, right);
      const double share = both > 0 ? covers_of(tree, left) / both : 0.5;
      mean = share * means[left * outputs + k] + (1 - share) * means[right * outputs + k];
    }
  }
  return means;
}

class RowReader {
 public:
  RowReader(const LearnedModel& model, const ExplainedRow& row, std::span<const std::size_t> outputs, Scale predicted,
            std::span<const double> node_means, const NeighborSearch* search)
      : model_(model), row_(row), outputs_(outputs), predicted_(predicted), node_means_(node_means), search_(search) {}

  [[nodiscard]] std::vector<ResultItem> read() {
    std::visit([&](const auto& structure) { add(structure); }, model_.structure());
    return std::move(items_);
  }

 private:
  [[nodiscard]] const FeatureInfo& feature(std::size_t index) const { return model_.signature().features[index]; }

  [[nodiscard]] Terms empty_terms(std::size_t output) const {
    return {.output = model_.signature().outputs[output],
            .row = row_.row,
            .link = predicted_ == Scale::margin ? TermLink::identity : shown_link(model_.link()),
            .prediction = row_.predictions[output]};
  }

  void finish(Terms terms) {
    if (!terms.in_sequence) {
      std::stable_sort(terms.terms.begin(), terms.terms.end(), [](const LinearTerm& a, const LinearTerm& b) {
        return std::abs(*a.contribution) > std::abs(*b.contribution);
      });
    }
    items_.emplace_back(std::move(terms));
  }

  // "season = winter", or that it is missing.
  [[nodiscard]] ShownCondition own_level(std::size_t index) const {
    ShownCondition condition{.feature = feature(index).name, .categorical = true};
    const double value = row_.values[index];
    if (value >= 0) {
      condition.levels = {feature(index).levels[static_cast<std::size_t>(value)]};
    } else if (!row_.unseen[index].empty()) {
      condition.levels = {row_.unseen[index]};
    } else {
      condition.missing = true;
    }
    return condition;
  }

  // Whether the term is what a feature becomes in a linear model: its number, one level of it, or that it is missing.
  [[nodiscard]] static std::optional<std::uint32_t> column_of(const Term& term) {
    if (term.conditions.empty()) return term.feature;
    if (term.conditions.size() > 1) return std::nullopt;
    const TermCondition& only = term.conditions.front();
    const bool none_but_missing = only.missing && only.levels.empty() && only.above == infinite;
    if (none_but_missing || (only.levels.size() == 1 && !only.missing)) return only.feature;
    return std::nullopt;
  }

  void add(const NeighborStructure& structure) {
    items_.emplace_back(neighbor_parts(model_.signature(), structure, *search_, row_));
  }

  // Rules one by one; all that a linear model makes of one feature (levels, an indicator of missing values) together,
  // as only one of them is the row's.
  void add(const TermStructure& structure) {
    for (const std::size_t output : outputs_) {
      Terms terms = empty_terms(output);
      terms.intercept = structure.intercept[output];
      terms.base = terms.intercept;
      std::map<std::uint32_t, LinearTerm> columns;
      for (const Term& term : structure.terms) {
        const double value = term_value(term, row_.values);
        const double weight = term.weights[output];
        const double mean = term.moments ? term.moments->mean : 0;
        *terms.base += weight * mean;
        const double contribution = weight * (value - mean);
        const auto column = column_of(term);
        if (!column) {
          LinearTerm rule{.coefficient = weight, .value = value, .contribution = contribution};
          for (const TermCondition& condition : term.conditions) {
            rule.features.push_back(feature(condition.feature).name);
            rule.conditions.push_back(shown_condition(feature(condition.feature), condition));
          }
          if (weight != 0) terms.terms.push_back(std::move(rule));
          continue;
        }
        LinearTerm& own = columns[*column];
        own.contribution = own.contribution.value_or(0) + contribution;
        if (term.conditions.empty() ? !std::isnan(row_.values[*column]) : value == 1) {
          own.coefficient = weight;
          own.value = value;
        }
      }
      for (auto& [column, term] : columns) {
        if (*term.contribution == 0 && term.coefficient == 0) continue;
        describe_column(column, term);
        terms.terms.push_back(std::move(term));
      }
      finish(std::move(terms));
    }
  }

  void describe_column(std::uint32_t column, LinearTerm& term) const {
    term.features = {feature(column).name};
    if (feature(column).categorical) {
      term.conditions = {own_level(column)};
      term.value = 1;
    } else if (std::isnan(row_.values[column])) {
      term.conditions = {{.feature = feature(column).name, .missing = true}};
      term.value = 1;
    }
  }

  // Of a feature of a step term: which of its bins the row is in, and what that bin is.
  [[nodiscard]] std::pair<std::size_t, ShownCondition> bin_of(const StepTerm& term, std::size_t i) const {
    const std::uint32_t index = term.features[i];
    const double value = row_.values[index];
    const auto& edges = term.edges[i];
    if (feature(index).categorical) {
      return {value >= 0 ? static_cast<std::size_t>(value) : feature(index).levels.size(), own_level(index)};
    }
    ShownCondition condition{.feature = feature(index).name};
    if (std::isnan(value)) {
      condition.missing = true;
      return {edges.size() + 1, condition};
    }
    const auto bin = static_cast<std::size_t>(std::lower_bound(edges.begin(), edges.end(), value) - edges.begin());
    if (bin > 0) condition.above = edges[bin - 1];
    if (bin < edges.size()) condition.at_most = edges[bin];
    return {bin, condition};
  }

  void add(const StepStructure& structure) {
    const std::size_t width = structure.intercept.size();
    for (const std::size_t output : outputs_) {
      Terms terms = empty_terms(output);
      terms.intercept = structure.intercept[output];
      terms.base = terms.intercept;
      for (const StepTerm& step : structure.terms) {
        LinearTerm term;
        std::size_t cell = 0;
        for (std::size_t i = 0; i < step.features.size(); ++i) {
          const FeatureInfo& info = feature(step.features[i]);
          const std::size_t bins = (info.categorical ? info.levels.size() : step.edges[i].size() + 1) + 1;
          const auto [bin, condition] = bin_of(step, i);
          cell = cell * bins + bin;
          term.features.push_back(info.name);
          if (condition.above || condition.at_most || condition.categorical || condition.missing)
            term.conditions.push_back(condition);
        }
        term.coefficient = step.values[cell * width + output];
        term.contribution = term.coefficient;
        term.value = 1;
        if (step.features.size() == 1 && !feature(step.features[0]).categorical &&
            !std::isnan(row_.values[step.features[0]])) {
          term.conditions.clear();  // the number itself says more than its bin
          term.value = row_.values[step.features[0]];
        }
        terms.terms.push_back(std::move(term));
      }
      finish(std::move(terms));
    }
  }

  // What sends rows to one side of a split: a missing value is mentioned where the row's is.
  [[nodiscard]] ShownCondition side(const TreeStructure& tree, const TreeNode& node, bool left) const {
    const auto index = static_cast<std::size_t>(node.feature);
    const FeatureInfo& info = feature(index);
    ShownCondition condition{.feature = info.name, .categorical = info.categorical};
    if (info.categorical) {
      const CategorySet& set = tree.category_sets[static_cast<std::size_t>(node.categories)];
      for (std::size_t level = 0; level < info.levels.size(); ++level) {
        if (set.contains(static_cast<std::int64_t>(level)) == left) condition.levels.push_back(info.levels[level]);
      }
    } else if (std::isfinite(node.threshold)) {
      (left ? condition.at_most : condition.above) = node.threshold;
    }
    condition.missing = std::isnan(row_.values[index]);
    return condition;
  }

  // The same where the row has no value: that alone sent it there.
  [[nodiscard]] ShownCondition own_side(const ShownCondition& side, std::size_t index) const {
    if (!std::isnan(row_.values[index])) return side;
    if (side.categorical) return own_level(index);
    return {.feature = side.feature, .missing = true};
  }

  [[nodiscard]] static bool goes_left(const TreeStructure& tree, const TreeNode& node, double value) {
    if (std::isnan(value)) return node.missing_left;
    if (node.categories < 0) return value <= node.threshold;
    return tree.category_sets[static_cast<std::size_t>(node.categories)].contains(static_cast<std::int64_t>(value));
  }

  void add(const TreeStructure& tree) {
    const std::size_t width = model_.signature().outputs.size();
    const std::span<const double> means = node_means_;
    std::vector<std::size_t> path = {0};
    std::vector<ShownCondition> sides;
    while (!tree.nodes[path.back()].is_leaf()) {
      const TreeNode& node = tree.nodes[path.back()];
      const bool left = goes_left(tree, node, row_.values[static_cast<std::size_t>(node.feature)]);
      sides.push_back(side(tree, node, left));
      path.push_back(static_cast<std::size_t>(left ? node.left : node.right));
    }
    for (const std::size_t output : outputs_) {
      Terms terms = empty_terms(output);
      terms.in_sequence = true;
      terms.intercept = means[output];
      terms.base = terms.intercept;
      for (std::size_t step = 0; step < sides.size(); ++step) {
        const double change = means[path[step + 1] * width + output] - means[path[step] * width + output];
        terms.terms.push_back(
            {.features = {sides[step].feature},
             .conditions = {own_side(sides[step], static_cast<std::size_t>(tree.nodes[path[step]].feature))},
             .coefficient = change,
             .value = 1,
             .contribution = change});
      }
      finish(std::move(terms));
      Rules rules{.output = model_.signature().outputs[output], .effects_add = false, .row = row_.row};
      rules.rules.push_back({.conditions = joined(sides),
                             .effect = means[path.back() * width + output],
                             .support = covers_of(tree, path.back()) / covers_of(tree, 0)});
      items_.emplace_back(std::move(rules));
    }
  }

  void add(const CoveringStructure& panels) { items_.emplace_back(panel_parts(model_.signature(), panels, row_)); }
  void add(const PanelTreeStructure& panels) { items_.emplace_back(panel_parts(model_.signature(), panels, row_)); }

  // One condition per feature where two can be said as one.
  [[nodiscard]] static std::vector<ShownCondition> joined(const std::vector<ShownCondition>& conditions) {
    std::vector<ShownCondition> found;
    for (const ShownCondition& condition : conditions) {
      bool is_joined = false;
      for (ShownCondition& known : found) {
        if (known.feature != condition.feature) continue;
        if (const auto one = both(known, condition)) {
          known = *one;
          is_joined = true;
        }
      }
      if (!is_joined) found.push_back(condition);
    }
    return found;
  }

  const LearnedModel& model_;
  const ExplainedRow& row_;
  std::span<const std::size_t> outputs_;
  Scale predicted_;
  std::span<const double> node_means_;
  const NeighborSearch* search_;
  std::vector<ResultItem> items_;
};

}  // namespace

std::vector<std::string> class_names(const Signature& signature) {
  if (signature.task == Task::regression) return {};
  if (signature.outputs.size() > 1) return signature.outputs;
  const std::string& second = signature.outputs[0];
  return {signature.other_class.empty() ? "not " + second : signature.other_class, second};
}

double unseen_level(const Structure& structure) {
  // Rules have no level for it, and no neighbour is of it; trees and steps take it for missing.
  const bool is_level =
      std::holds_alternative<TermStructure>(structure) || std::holds_alternative<NeighborStructure>(structure);
  return is_level ? unseen_category : std::nan("");
}

StructureReader::StructureReader(const LearnedModel& model, std::span<const std::size_t> outputs, Scale predicted)
    : model_(model), outputs_(outputs.begin(), outputs.end()), predicted_(predicted) {
  if (const auto* tree = std::get_if<TreeStructure>(&model.structure()))
    node_means_ = means_at_nodes(*tree, model.signature().outputs.size());
  if (const auto* rows = std::get_if<NeighborStructure>(&model.structure()))
    search_ = std::make_unique<NeighborSearch>(*rows, categorical_features(model.signature()));
}

StructureReader::~StructureReader() = default;

std::vector<ResultItem> StructureReader::of(const ExplainedRow& row) const {
  return RowReader(model_, row, outputs_, predicted_, node_means_, search_.get()).read();
}

}  // namespace sightglass
