#include "sightglass/learn/decision_tree.h"

#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/learn/tree/prune.h"
#include "sightglass/learn/tree/show.h"

namespace sightglass {

namespace {

Impurity read_criterion(const std::string& criterion, const TrainingData& data) {
  const bool numbers = data.classes.empty();
  if (criterion == "auto") return numbers ? Impurity::variance : Impurity::gini;
  if (numbers != (criterion == "variance")) {
    throw Error(ErrorKind::usage,
                option_text("criterion") + ": " + criterion + " is for " +
                    (numbers ? "classes, and the outcome is a number" : "numbers, and the outcome is a class"),
                "leave it out");
  }
  if (numbers) return Impurity::variance;
  return criterion == "entropy" ? Impurity::entropy : Impurity::gini;
}

GrowOptions read_limits(const DecisionTreeOptions& options, const TrainingData& data) {
  constexpr std::int64_t readable_depth = 4;
  const auto limit = [](std::int64_t given) {
    return given == 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(given);
  };
  GrowOptions limits;
  limits.impurity = read_criterion(options.criterion, data);
  limits.max_depth = limit(options.max_depth.value_or(options.max_leaves > 0 ? 0 : readable_depth));
  limits.max_leaves = limit(options.max_leaves);
  limits.min_leaf_rows = static_cast<std::size_t>(options.min_leaf_rows);
  limits.min_split_rows = static_cast<std::size_t>(options.min_split_rows);
  limits.min_decrease = options.min_decrease;
  limits.monotone = read_monotone(options.monotone, data);
  return limits;
}

Learned fit_decision_tree(const TrainingData& data, const Value& given, const Context& context) {
  const auto options = read_options<DecisionTreeOptions>(given);
  const GrowOptions limits = read_limits(options, data);
  const bool cross_validated = options.prune == "cv", pruned = cross_validated || options.alpha > 0;
  if (cross_validated && options.alpha > 0) {
    throw Error(ErrorKind::usage, option_text("alpha") + ": cross-validation chooses it",
                marked("leave out {option:alpha} or {option:prune}"));
  }
  if (cross_validated && static_cast<std::size_t>(options.folds) > data.rows) {
    throw Error(ErrorKind::usage, option_text("folds") + ": there are only " + std::to_string(data.rows) + " rows",
                marked("lower {option:folds}"));
  }

  const SortedFeatures sorted(data, context);
  const TreeOutcome outcome{data.outcome, data.classes.size(), data.weights};
  GrownTree tree = grow(sorted, outcome, limits, context);
  Value detail = Value::object();
  if (pruned) {
    const PruningPath path = pruning_path(tree);
    double alpha = options.alpha;
    if (cross_validated) {
      const auto rule = options.rule == "min" ? PruningRule::minimum : PruningRule::one_standard_error;
      const PruningChoice choice =
          choose_alpha(data, sorted, outcome, path, limits, rule, static_cast<std::uint32_t>(options.folds),
                       static_cast<std::uint64_t>(options.seed), context);
      alpha = choice.alpha;
      detail.set("alphas", choice.alphas);
      detail.set("errors", choice.errors);
      detail.set("standard_errors", choice.standard_errors);
    }
    detail.set("alpha", alpha);
    detail.set("leaves_before", static_cast<std::uint64_t>(tree.leaves()));
    tree = prune(tree, path, alpha);
  }

  Learned learned = learned_tree(tree, data);
  if (pruned) learned.detail.set("pruning", std::move(detail));
  return learned;
}

}  // namespace

LearnerEntry decision_tree() {
  LearnerEntry entry;
  entry.name = "tree";
  entry.alias = "cart";
  entry.about = {.title = "Decision tree", .short_name = "Tree", .family = Family::learners};
  entry.question = "Which few questions tell high outcomes from low ones?";
  entry.when = "effects come in steps and depend on one another, and people are to follow each prediction";
  entry.when_not = "the outcome changes smoothly or is a sum of many effects: a tree needs many leaves for a line";
  entry.formula = "maximise i(t) - w_L/w_t i(t_L) - w_R/w_t i(t_R); a leaf predicts its mean or its class shares";
  entry.paper = "Breiman, Friedman, Olshen, Stone 1984, Classification and Regression Trees";
  entry.cost = "rows × features per level";
  entry.size_unit = "leaves";
  entry.size_option = "max_leaves";
  entry.results = {"tree", "rules", "figure"};
  entry.options = describe_options<DecisionTreeOptions>();
  entry.fit = fit_decision_tree;
  return entry;
}

}  // namespace sightglass
