// Which model a structure becomes. What is constant between thresholds becomes trees, so that the exact engine explains
// it.
#include <algorithm>
#include <cmath>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/model/learned/learned_model.h"
#include "sightglass/model/learned/neighbor_model_internal.h"
#include "sightglass/model/learned/panel_model_internal.h"
#include "sightglass/model/learned/structure.h"
#include "sightglass/model/learned/term_model_internal.h"

namespace sightglass {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

[[noreturn]] void fail(std::string_view where, const std::string& what) {
  throw Error(ErrorKind::model, printable(where) + ": the model " + what, "fit the model again");
}

TreeEnsemble::Parts empty_ensemble(Signature signature, LinkFunction link) {
  TreeEnsemble::Parts parts;
  parts.signature = std::move(signature);
  parts.comparison = Comparison::float64_less_equal;
  parts.link = link;
  parts.unseen_is_missing = true;
  return parts;
}

// Grows trees of one kind into an ensemble: leaves hold a value, or one per output.
class TreeBuilder {
 public:
  explicit TreeBuilder(TreeEnsemble::Parts& parts) : parts_(parts), outputs_(parts.base.size()) {}

  std::int32_t leaf(std::span<const double> values) {
    TreeNode node;
    if (outputs_ == 1) {
      node.threshold = values[0];
    } else {
      node.leaf = static_cast<std::int32_t>(parts_.leaf_values.size() / outputs_);
      parts_.leaf_values.insert(parts_.leaf_values.end(), values.begin(), values.end());
    }
    return add(node);
  }
  // Numbers up to the threshold go left.
  std::int32_t numbers(std::uint32_t feature, double threshold, bool missing_left) {
    TreeNode node;
    node.feature = static_cast<std::int32_t>(feature);
    node.threshold = threshold;
    node.missing_left = missing_left;
    return add(node);
  }
  // These levels go left.
  std::int32_t levels(std::uint32_t feature, std::span<const std::uint32_t> left, bool missing_left) {
    TreeNode node;
    node.feature = static_cast<std::int32_t>(feature);
    node.categories = static_cast<std::int32_t>(parts_.category_sets.size());
    node.categories_left = true;
    node.missing_left = missing_left;
    CategorySet& set = parts_.category_sets.emplace_back();
    for (const std::uint32_t level : left) {
      if (set.bits.size() <= level / 64) set.bits.resize(level / 64 + 1);
      set.bits[level / 64] |= std::uint64_t{1} << (level % 64);
    }
    return add(node);
  }
  void set_children(std::int32_t node, std::int32_t left, std::int32_t right) {
    parts_.nodes[static_cast<std::size_t>(node)].left = left;
    parts_.nodes[static_cast<std::size_t>(node)].right = right;
  }
  void add_tree(std::int32_t root) { parts_.trees.push_back({static_cast<std::uint32_t>(root), 0}); }
  [[nodiscard]] std::size_t outputs() const { return outputs_; }
  [[nodiscard]] const FeatureInfo& feature(std::uint32_t index) const { return parts_.signature.features[index]; }

 private:
  std::int32_t add(const TreeNode& node) {
    parts_.nodes.push_back(node);
    return static_cast<std::int32_t>(parts_.nodes.size() - 1);
  }

  TreeEnsemble::Parts& parts_;
  std::size_t outputs_;
};

// A rule as a tree: whoever fails a condition goes to a leaf of zeros.
class RuleTree {
 public:
  RuleTree(TreeBuilder& builder, const Term& term) : builder_(builder), term_(term), zeros_(builder.outputs(), 0.0) {}

  void grow() { builder_.add_tree(from(0)); }

 private:
  std::int32_t from(std::size_t number) {
    if (number == term_.conditions.size()) return builder_.leaf(term_.weights);
    const TermCondition& condition = term_.conditions[number];
    const auto fails = [&] { return builder_.leaf(zeros_); };
    if (builder_.feature(condition.feature).categorical) {
      const std::int32_t node = builder_.levels(condition.feature, condition.levels, condition.missing);
      const std::int32_t holds = from(number + 1);
      builder_.set_children(node, holds, fails());
      return node;
    }
    const bool below = condition.above > -infinite;
    const auto upper = [&] {
      if (condition.at_most == infinite && below) return from(number + 1);
      const std::int32_t node = builder_.numbers(condition.feature, condition.at_most, condition.missing);
      const std::int32_t holds = from(number + 1);
      builder_.set_children(node, holds, fails());
      return node;
    };
    if (!below) return upper();
    const std::int32_t node = builder_.numbers(condition.feature, condition.above, !condition.missing);
    const std::int32_t holds = upper();
    builder_.set_children(node, fails(), holds);
    return node;
  }

  TreeBuilder& builder_;
  const Term& term_;
  std::vector<double> zeros_;
};

// Steps along one or two features as a balanced tree. Neighbouring bins with the same values are one.
class StepTree {
 public:
  StepTree(TreeBuilder& builder, const StepTerm& term) : builder_(builder), term_(term) {
    for (std::size_t i = 0; i < term.features.size(); ++i) bins_.push_back(bins(i));
  }

  void grow() { builder_.add_tree(missing_apart(0, 0)); }

 private:
  // Bins of a feature: those of numbers or levels, and the last one.
  [[nodiscard]] std::size_t bins(std::size_t i) const {
    const FeatureInfo& feature = builder_.feature(term_.features[i]);
    return (feature.categorical ? feature.levels.size() : term_.edges[i].size() + 1) + 1;
  }
  [[nodiscard]] std::size_t width(std::size_t i) const {
    return i + 1 == bins_.size() ? builder_.outputs() : bins_[i + 1] * builder_.outputs();
  }
  // Whether two bins of feature i, behind `offset`, have the same values.
  [[nodiscard]] bool same(std::size_t i, std::size_t offset, std::size_t a, std::size_t b) const {
    const double* values = term_.values.data() + offset;
    return std::equal(values + a * width(i), values + (a + 1) * width(i), values + b * width(i));
  }

  // The last bin is for missing values.
  std::int32_t missing_apart(std::size_t i, std::size_t offset) {
    const std::size_t last = bins_[i] - 1;
    const std::uint32_t feature = term_.features[i];
    std::vector<std::uint32_t> groups = {0};  // the first bin of each run of equal ones
    for (std::size_t bin = 1; bin < last; ++bin) {
      if (!same(i, offset, bin, groups.back())) groups.push_back(static_cast<std::uint32_t>(bin));
    }
    if (last == 0 || (groups.size() == 1 && same(i, offset, 0, last))) return next(i, offset, last);
    std::int32_t node = 0;
    if (builder_.feature(feature).categorical) {
      std::vector<std::uint32_t> all(last);
      for (std::size_t level = 0; level < last; ++level) all[level] = static_cast<std::uint32_t>(level);
      node = builder_.levels(feature, all, false);
    } else {
      node = builder_.numbers(feature, infinite, false);
    }
    const std::int32_t present = between(i, offset, groups, 0, groups.size());
    const std::int32_t missing = next(i, offset, last);
    builder_.set_children(node, present, missing);
    return node;
  }

  std::int32_t between(std::size_t i, std::size_t offset, const std::vector<std::uint32_t>& groups, std::size_t first,
                       std::size_t end) {
    if (end - first == 1) return next(i, offset, groups[first]);
    const std::size_t middle = first + (end - first) / 2;
    const std::uint32_t feature = term_.features[i];
    std::int32_t node = 0;
    if (builder_.feature(feature).categorical) {
      std::vector<std::uint32_t> left;
      for (std::uint32_t level = groups[first]; level < groups[middle]; ++level) left.push_back(level);
      node = builder_.levels(feature, left, false);
    } else {
      node = builder_.numbers(feature, term_.edges[i][groups[middle] - 1], false);
    }
    const std::int32_t left = between(i, offset, groups, first, middle);
    const std::int32_t right = between(i, offset, groups, middle, end);
    builder_.set_children(node, left, right);
    return node;
  }

  std::int32_t next(std::size_t i, std::size_t offset, std::size_t bin) {
    const std::size_t at = offset + bin * width(i);
    if (i + 1 < bins_.size()) return missing_apart(i + 1, at);
    return builder_.leaf({term_.values.data() + at, builder_.outputs()});
  }

  TreeBuilder& builder_;
  const StepTerm& term_;
  std::vector<std::size_t> bins_;
};

void check_steps(const Signature& signature, const StepStructure& structure, std::string_view where) {
  const std::size_t outputs = structure.intercept.size();
  if (outputs == 0) fail(where, "has no outputs");
  if (signature.outputs.size() != outputs) fail(where, "names another number of outputs than it has");
  for (std::size_t t = 0; t < structure.terms.size(); ++t) {
    const StepTerm& term = structure.terms[t];
    const std::string name = "term " + std::to_string(t);
    if (term.features.empty() || term.features.size() > 2 || term.edges.size() != term.features.size()) {
      fail(where, "does not have one or two features with edges in " + name);
    }
    if (term.features.size() == 2 && term.features[0] == term.features[1])
      fail(where, "has a feature twice in " + name);
    std::size_t cells = outputs;
    for (std::size_t i = 0; i < term.features.size(); ++i) {
      if (term.features[i] >= signature.features.size()) fail(where, "has no feature for " + name);
      const FeatureInfo& feature = signature.features[term.features[i]];
      const auto& edges = term.edges[i];
      const auto finite = [](double edge) { return std::isfinite(edge); };
      if (!std::all_of(edges.begin(), edges.end(), finite) || !std::is_sorted(edges.begin(), edges.end()) ||
          std::adjacent_find(edges.begin(), edges.end()) != edges.end()) {
        fail(where, "has edges that do not ascend in " + name);
      }
      if (feature.categorical && !edges.empty()) fail(where, "has edges of a categorical feature in " + name);
      const std::size_t bins = (feature.categorical ? feature.levels.size() : edges.size() + 1) + 1;
      // A file may claim more bins than numbers can count.
      cells = cells > term.values.size() / bins ? 0 : cells * bins;
    }
    if (cells == 0 || term.values.size() != cells) fail(where, "does not have a value for each bin of " + name);
  }
}

std::unique_ptr<Model> make(Signature signature, LinkFunction link, TreeStructure tree, std::string_view where) {
  TreeEnsemble::Parts parts = empty_ensemble(std::move(signature), link);
  parts.base.assign(parts.signature.outputs.size(), 0.0);
  for (TreeNode& node : tree.nodes) {
    if (node.is_leaf() || node.threshold != -infinite) continue;
    // No number goes left: the same as all of them, the other way round.
    node.threshold = infinite;
    node.missing_left = !node.missing_left;
    std::swap(node.left, node.right);
  }
  parts.nodes = std::move(tree.nodes);
  parts.covers = std::move(tree.covers);
  parts.category_sets = std::move(tree.category_sets);
  parts.leaf_values = std::move(tree.leaf_values);
  parts.trees = {{0, 0}};
  if (parts.base.size() > 1 && parts.leaf_values.empty()) fail(where, "has leaves without a value for each output");
  return std::make_unique<TreeEnsemble>(std::move(parts), where);
}

// A condition of a categorical feature without levels: no level meets it, only a missing value may.
void settle_levels(const Signature& signature, TermStructure& structure) {
  for (Term& term : structure.terms) {
    for (TermCondition& condition : term.conditions) {
      const bool known = condition.feature < signature.features.size();  // checked later
      if (known && signature.features[condition.feature].categorical && condition.levels.empty())
        condition.above = infinite;
    }
  }
}

std::unique_ptr<Model> make(Signature signature, LinkFunction link, TermStructure structure, std::string_view where) {
  check_terms(signature, structure, where);
  const bool rules_only =
      !structure.refuses_missing && std::none_of(structure.terms.begin(), structure.terms.end(),
                                                 [](const Term& term) { return term.conditions.empty(); });
  if (!rules_only || structure.terms.empty()) {
    return std::make_unique<TermModel>(std::move(signature), link, std::move(structure), where);
  }
  TreeEnsemble::Parts parts = empty_ensemble(std::move(signature), link);
  parts.unseen_is_missing = false;  // a level that was never seen meets no condition
  parts.base = structure.intercept;
  TreeBuilder builder(parts);
  for (const Term& term : structure.terms) RuleTree(builder, term).grow();
  return std::make_unique<TreeEnsemble>(std::move(parts), where);
}

std::unique_ptr<Model> make(Signature signature, LinkFunction link, StepStructure structure, std::string_view where) {
  check_steps(signature, structure, where);
  TreeEnsemble::Parts parts = empty_ensemble(std::move(signature), link);
  parts.base = structure.intercept;
  TreeBuilder builder(parts);
  for (const StepTerm& term : structure.terms) StepTree(builder, term).grow();
  if (parts.trees.empty()) builder.add_tree(builder.leaf(std::vector<double>(parts.base.size(), 0.0)));
  return std::make_unique<TreeEnsemble>(std::move(parts), where);
}

template <class Panels>
  requires std::is_constructible_v<PanelModel::Panels, Panels>
std::unique_ptr<Model> make(Signature signature, LinkFunction link, Panels panels, std::string_view where) {
  if (link.link != Link::identity) fail(where, "has panels and a link, which do not go together");
  return std::make_unique<PanelModel>(std::move(signature), std::move(panels), where);
}

std::unique_ptr<Model> make(Signature signature, LinkFunction link, std::shared_ptr<const NeighborStructure> structure,
                            std::string_view where) {
  if (link.link != Link::identity) fail(where, "has a link, and its rows have outcomes as they are");
  return std::make_unique<NeighborModel>(std::move(signature), std::move(structure), where);
}

}  // namespace

std::unique_ptr<Model> make_model(Signature signature, LinkFunction link, Structure structure, std::string_view where) {
  if (auto* terms = std::get_if<TermStructure>(&structure)) settle_levels(signature, *terms);
  const auto kept = std::make_shared<const Structure>(std::move(structure));
  auto predicts = std::visit(
      [&]<class What>(const What& what) {
        if constexpr (std::is_same_v<What, NeighborStructure>) {
          return make(std::move(signature), link, std::shared_ptr<const What>(kept, &what), where);
        } else {
          return make(std::move(signature), link, What(what), where);
        }
      },
      *kept);
  return std::make_unique<LearnedModel>(std::move(predicts), link, kept);
}

}  // namespace sightglass
