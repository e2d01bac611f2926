#include "sightglass/learn/optimal_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/learn/tree/cuts.h"
#include "sightglass/learn/tree/optimal_search.h"
#include "sightglass/learn/tree/scaled_outcome.h"
#include "sightglass/learn/tree/show.h"

namespace sightglass {

namespace {

LeafScore read_score(const std::string& criterion, const TrainingData& data) {
  const bool numbers = data.classes.empty();
  if (criterion != "auto" && numbers != (criterion == "variance")) {
    throw Error(ErrorKind::usage,
                option_text("criterion") + ": " + criterion + " is for " +
                    (numbers ? "classes, and the outcome is a number" : "numbers, and the outcome is a class"),
                "leave it out");
  }
  if (numbers) return LeafScore::mean;
  return criterion == "misclassification" ? LeafScore::most_frequent : LeafScore::gini;
}

// What a node's rows are like: weight, value, shares, impurity.
GrownNode summary(const std::vector<std::uint32_t>& rows, const TrainingData& data, LeafScore score,
                  std::vector<double>& shares) {
  GrownNode node;
  node.rows = rows.size();
  shares.assign(data.classes.size(), 0.0);
  const double first = data.outcome[rows[0]];
  double surplus = 0;  // over the first outcome, which keeps sums small
  for (const std::uint32_t row : rows) {
    node.weight += data.weight(row);
    surplus += data.weight(row) * (data.outcome[row] - first);
    if (!data.classes.empty()) shares[static_cast<std::size_t>(data.outcome[row])] += data.weight(row);
  }
  if (data.classes.empty()) {
    node.value = first + surplus / node.weight;
    for (const std::uint32_t row : rows) {
      node.impurity += data.weight(row) / node.weight * std::pow(data.outcome[row] - node.value, 2);
    }
    return node;
  }
  double squares = 0;
  for (double& share : shares) {
    share /= node.weight;
    squares += share * share;
  }
  const double most = *std::max_element(shares.begin(), shares.end());
  node.value = shares.size() == 2 ? shares[1] : most;
  node.impurity = std::max(0.0, 1 - (score == LeafScore::gini ? squares : most));
  return node;
}

// The tree that was planned, in reading order. Numbers <= the threshold go left, and of levels the lighter group.
GrownTree grown(const std::vector<PlannedNode>& planned, const std::vector<Cut>& cuts, const RowsByCuts& coded,
                const TrainingData& data, LeafScore score) {
  GrownTree tree;
  tree.classes = data.classes.size();
  tree.node_of_row.assign(data.rows, GrownTree::no_node);
  struct Place {
    std::uint32_t node;
    std::int32_t parent;
    bool left;
  };
  std::vector<Place> waiting = {{0, -1, false}};
  std::vector<double> shares;
  while (!waiting.empty()) {
    const Place place = waiting.back();
    waiting.pop_back();
    const PlannedNode& plan = planned[place.node];
    const auto index = static_cast<std::int32_t>(tree.nodes.size());
    if (place.parent >= 0) (place.left ? tree.nodes[place.parent].left : tree.nodes[place.parent].right) = index;
    GrownNode& node = tree.nodes.emplace_back(summary(plan.rows, data, score, shares));
    tree.shares.insert(tree.shares.end(), shares.begin(), shares.end());
    if (plan.cut == PlannedNode::no_cut) {
      for (const std::uint32_t row : plan.rows) tree.node_of_row[row] = static_cast<std::uint32_t>(index);
      continue;
    }
    const Cut& cut = cuts[plan.cut];
    const TrainingFeature& feature = data.features[cut.feature];
    const auto weight_of = [&](std::uint32_t child) {
      double weight = 0;
      for (const std::uint32_t row : planned[child].rows) weight += data.weight(row);
      return weight;
    };
    // As the question is asked, before bins were turned.
    const std::uint32_t met = coded.turned[plan.cut] ? plan.no : plan.yes, other = plan.yes + plan.no - met;
    const double met_weight = weight_of(met), other_weight = weight_of(other);
    const bool met_left = !feature.info.categorical || met_weight <= other_weight;
    node.feature = cut.feature;
    node.threshold = cut.threshold;
    node.missing_left = cut.missing == met_left;
    if (feature.info.categorical) {
      node.threshold = 0;
      for (std::uint32_t level = 0; level < feature.info.levels.size(); ++level) {
        if (meets(cut, true, level) == met_left) node.levels.push_back(level);
      }
    }
    if (std::none_of(feature.values.begin(), feature.values.end(), [](double value) { return std::isnan(value); })) {
      node.missing_left = (met_left ? met_weight : other_weight) > node.weight / 2;
    }
    node.left = node.right = 0;  // to be known when they are placed
    waiting.push_back({met_left ? other : met, index, false});
    waiting.push_back({met_left ? met : other, index, true});
  }
  return tree;
}

double impurity_of(const GrownTree& tree) {
  double sum = 0;
  for (const GrownNode& node : tree.nodes) {
    if (node.is_leaf()) sum += node.impurity * (node.weight / tree.nodes[0].weight);
  }
  return sum;
}

void fill_gains(GrownTree& tree) {
  for (GrownNode& node : tree.nodes) {
    if (node.is_leaf()) continue;
    const auto share = [&](const GrownNode& each) { return each.impurity * (each.weight / tree.nodes[0].weight); };
    node.gain = share(node) - share(tree.nodes[node.left]) - share(tree.nodes[node.right]);
  }
}

Learned fit_optimal_tree(const TrainingData& data, const Value& given, const Context& context) {
  const auto options = read_options<OptimalTreeOptions>(given);
  const LeafScore score = read_score(options.criterion, data);
  const ChosenCuts chosen = choose_cuts(data, static_cast<std::size_t>(options.max_cuts), context,
                                        static_cast<std::size_t>(options.min_leaf_rows));
  const RowsByCuts coded(data, chosen.cuts);
  const ScaledOutcome scaled({data.outcome, data.classes.size(), data.weights});

  // In units of the search.
  const double total = std::accumulate(scaled.weights.begin(), scaled.weights.end(), 0.0);
  const double average = total / static_cast<double>(data.rows), unit = scaled.scale * scaled.scale / total;
  OptimalOptions limits{.score = score,
                        .max_depth = static_cast<std::size_t>(options.max_depth),
                        .max_nodes = static_cast<std::uint64_t>(options.max_nodes),
                        .seconds = options.seconds};
  // Just below, for sums that are rounded.
  limits.min_leaf_weight = static_cast<double>(options.min_leaf_rows) * average * (1 - 1e-9);
  if (options.min_leaf_rows == 1) {
    // Any row is enough, but not what rounding leaves of none.
    double lightest = total;
    for (const double weight : scaled.weights) lightest = weight > 0 ? std::min(lightest, weight) : lightest;
    limits.min_leaf_weight = std::max(lightest / 2, total * 1e-12);
  }
  OptimalSearch search(coded, scaled.values, scaled.weights, data.classes.size(), limits, context);
  const BestScores scores = search.solve();

  // Of all numbers of leaves the one that costs least; of equals the smallest.
  std::size_t most_leaves = std::size_t{1} << limits.max_depth;
  if (options.max_leaves > 0) most_leaves = std::min(most_leaves, static_cast<std::size_t>(options.max_leaves));
  const auto cost = [&](double reached, std::size_t leaves) {
    return options.alpha * static_cast<double>(leaves) - reached * unit;
  };
  std::size_t leaves = 1;
  double least_cost = cost(scores.limit[1], 1);  // that no tree undercuts
  for (std::size_t more = 2; more <= most_leaves; ++more) {
    const double now = cost(scores.found[leaves], leaves);
    if (cost(scores.found[more], more) < now - 1e-10 * std::abs(now)) leaves = more;
    least_cost = std::min(least_cost, cost(scores.limit[more], more));
  }
  GrownTree tree = grown(search.plan(leaves), chosen.cuts, coded, data, score);
  fill_gains(tree);

  const double objective = impurity_of(tree) + options.alpha * static_cast<double>(tree.leaves());
  const double found = cost(scores.found[leaves], leaves);
  const double gap = found - least_cost > 1e-9 * std::abs(found) ? found - least_cost : 0;
  Learned learned = learned_tree(tree, data);
  auto& shown = learned.shown[0].get<ShownTree>();
  Proof proof;
  proof.status = gap > 0 ? ProofStatus::bounded : ProofStatus::optimal;
  proof.bound = std::max(0.0, objective - gap);
  proof.among = "trees of depth " + std::to_string(limits.max_depth) + " or less on " +
                (chosen.all ? "all " : "these ") + std::to_string(chosen.cuts.size()) + " cuts";
  proof.explored = search.explored();
  shown.name = gap > 0 ? "Decision tree" : "Optimal decision tree";
  shown.proof = proof;
  Value cuts = Value::array();
  for (const Cut& cut : chosen.cuts) cuts.push_back(condition_text(shown_cut(cut, data)));
  shown.details.set("cuts", std::move(cuts));
  shown.details.set("objective", objective);
  shown.details.set("gap", std::min(gap, objective));
  learned.detail.set("cuts", static_cast<std::uint64_t>(chosen.cuts.size()));
  learned.detail.set("objective", objective);
  learned.detail.set("bound", *proof.bound);
  learned.detail.set("explored", search.explored());
  if (gap > 0) {
    learned.caveats.push_back({.id = "unproven-tree",
                               .severity = Severity::note,
                               .message = "the search ended before it was proven that no tree of this size is better",
                               .evidence = Value::object({{"objective", objective}, {"bound", *proof.bound}}),
                               .advice = search.stopped_by_time()
                                             ? marked("raise {option:seconds}, or lower {option:max_cuts}")
                                             : marked("raise {option:max_nodes}, or lower {option:max_cuts}")});
  }
  return learned;
}

}  // namespace

LearnerEntry optimal_tree() {
  LearnerEntry entry;
  entry.name = "optimal-tree";
  entry.alias = "optimal_tree";
  entry.about = {.title = "Optimal decision tree", .short_name = "Optimal tree", .family = Family::learners};
  entry.question = "Which is the best of all small trees?";
  entry.when = "a tree must be small and as good as a small tree can be, or none better must be known to exist";
  entry.when_not = "there may be many leaves: greedy trees are nearly as good then, and much faster";
  entry.formula = "minimise Σ_leaves w i(leaf) / w_total + alpha leaves, over all trees on the cuts";
  entry.paper = "Demirović et al. 2022, MurTree; van der Linden et al. 2023, STreeD";
  entry.cost = "cuts × (rows × features² + cuts²); depth 4: × cuts";
  entry.size_unit = "leaves";
  entry.size_option = "max_leaves";
  entry.results = {"tree", "rules", "figure"};
  entry.options = describe_options<OptimalTreeOptions>();
  entry.fit = fit_optimal_tree;
  return entry;
}

}  // namespace sightglass
