#include "sightglass/learn/tree/prune.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace sightglass {

PruningPath pruning_path(const GrownTree& tree) {
  // What each node has below it that is still there.
  struct Branch {
    std::int32_t parent = -1;
    double own = 0;    // impurity if it is a leaf, by its share of the weight
    double below = 0;  // impurity of its leaves
    std::uint64_t leaves = 1;
    std::uint32_t version = 0;
    bool split = false;

    [[nodiscard]] double link() const { return (own - below) / static_cast<double>(leaves - 1); }
  };
  const std::size_t count = tree.nodes.size();
  std::vector<Branch> branches(count);
  for (std::size_t i = count; i-- > 0;) {
    const GrownNode& node = tree.nodes[i];
    Branch& branch = branches[i];
    branch.own = branch.below = node.impurity * (node.weight / tree.nodes[0].weight);
    if (node.is_leaf()) continue;
    Branch &left = branches[node.left], &right = branches[node.right];
    left.parent = right.parent = static_cast<std::int32_t>(i);
    branch.below = left.below + right.below;
    branch.leaves = left.leaves + right.leaves;
    branch.split = true;
  }

  struct Link {
    double alpha = 0;
    std::uint32_t node = 0, version = 0;
    bool operator<(const Link& other) const {  // the weakest one is on top
      return alpha != other.alpha ? alpha > other.alpha : node > other.node;
    }
  };
  std::priority_queue<Link> links;
  const auto add_link = [&](std::size_t node) {
    links.push({branches[node].link(), static_cast<std::uint32_t>(node), branches[node].version});
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (branches[i].split) add_link(i);
  }

  PruningPath path;
  path.alphas.assign(count, 0);
  path.steps.push_back({0, branches[0].leaves, branches[0].below});
  while (branches[0].split) {
    const Link weakest = links.top();
    links.pop();
    Branch& branch = branches[weakest.node];
    if (!branch.split || branch.version != weakest.version) continue;
    // Rounding must not let the path go back.
    const double alpha = std::max(weakest.alpha, path.steps.back().alpha);
    std::vector<std::uint32_t> below = {weakest.node};
    while (!below.empty()) {
      const std::uint32_t node = below.back();
      below.pop_back();
      if (!branches[node].split) continue;
      branches[node].split = false;
      path.alphas[node] = alpha;
      below.push_back(static_cast<std::uint32_t>(tree.nodes[node].left));
      below.push_back(static_cast<std::uint32_t>(tree.nodes[node].right));
    }
    const double more = branch.own - branch.below;
    const std::uint64_t fewer = branch.leaves - 1;
    for (std::int32_t node = static_cast<std::int32_t>(weakest.node); node >= 0; node = branches[node].parent) {
      branches[node].below += more;
      branches[node].leaves -= fewer;
      ++branches[node].version;
      if (branches[node].split) add_link(static_cast<std::size_t>(node));
    }
    path.steps.push_back({alpha, branches[0].leaves, branches[0].below});
  }
  return path;
}

GrownTree prune(const GrownTree& tree, const PruningPath& path, double alpha) {
  std::vector<bool> becomes_leaf(tree.nodes.size());
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) becomes_leaf[i] = path.alphas[i] <= alpha;
  return cut_back(tree, becomes_leaf);
}

namespace {

// What a node's prediction costs for a row: squared error, Brier score.
double row_error(const GrownTree& tree, std::size_t node, double outcome) {
  if (tree.classes == 0) {
    const double difference = outcome - tree.nodes[node].value;
    return difference * difference;
  }
  double sum = 0;
  const auto shares = tree.shares_of(node);
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const double difference = (static_cast<double>(k) == outcome ? 1.0 : 0.0) - shares[k];
    sum += difference * difference;
  }
  return sum;
}

// The mean error of the rows of a fold under each alpha, which are ascending. Down a row's path, a node is what
// predicts from its own alpha up to that of the one above it, so each costs one search among the alphas.
std::vector<double> errors_of_fold(const GrownTree& tree, const PruningPath& path, const TrainingData& data,
                                   const TreeOutcome& outcome, const std::vector<std::uint32_t>& rows,
                                   const std::vector<double>& alphas) {
  std::vector<double> changes(alphas.size() + 1);
  double weight_sum = 0;
  for (const std::uint32_t row : rows) {
    const double weight = outcome.weights.empty() ? 1.0 : outcome.weights[row];
    weight_sum += weight;
    std::size_t end = alphas.size();  // alphas from here on are taken by nodes above
    for (std::size_t index = 0;;) {
      const GrownNode& node = tree.nodes[index];
      const auto begin = static_cast<std::size_t>(
          std::lower_bound(alphas.begin(), alphas.end(), node.is_leaf() ? 0.0 : path.alphas[index]) - alphas.begin());
      if (begin < end) {
        const double error = weight * row_error(tree, index, outcome.values[row]);
        changes[begin] += error;
        changes[end] -= error;
        end = begin;
      }
      if (node.is_leaf()) break;
      const TrainingFeature& feature = data.features[node.feature];
      index = static_cast<std::size_t>(goes_left(node, feature.info.categorical, feature.values[row]) ? node.left
                                                                                                      : node.right);
    }
  }
  std::vector<double> errors;
  double sum = 0;
  for (std::size_t i = 0; i < alphas.size(); ++i) errors.push_back((sum += changes[i]) / weight_sum);
  return errors;
}

}  // namespace

PruningChoice choose_alpha(const TrainingData& data, const SortedFeatures& sorted, const TreeOutcome& outcome,
                           const PruningPath& path, const GrowOptions& options, PruningRule rule, std::uint32_t folds,
                           std::uint64_t seed, const Context& context) {
  PruningChoice choice;
  for (std::size_t i = 0; i < path.steps.size(); ++i) {
    const bool last = i + 1 == path.steps.size();
    const double alpha = last ? path.steps[i].alpha : std::sqrt(path.steps[i].alpha * path.steps[i + 1].alpha);
    if (choice.alphas.empty() || alpha > choice.alphas.back()) choice.alphas.push_back(alpha);
  }

  const std::vector<std::uint32_t> fold_of_row = folds_of(data.rows, folds, seed);
  std::vector<std::vector<double>> errors;  // per fold and alpha
  for (std::uint32_t fold = 0; fold < folds; ++fold) {
    std::vector<double> weights(data.rows);
    std::vector<std::uint32_t> held_out;
    for (std::uint32_t row = 0; row < data.rows; ++row) {
      const double weight = outcome.weights.empty() ? 1.0 : outcome.weights[row];
      if (fold_of_row[row] != fold) {
        weights[row] = weight;
      } else if (weight > 0) {
        held_out.push_back(row);
      }
    }
    const auto weighs = [](double weight) { return weight > 0; };
    if (held_out.empty() || std::none_of(weights.begin(), weights.end(), weighs)) continue;
    const GrownTree tree = grow(sorted, {outcome.values, outcome.classes, weights}, options, context);
    errors.push_back(errors_of_fold(tree, pruning_path(tree), data, outcome, held_out, choice.alphas));
  }

  const auto count = static_cast<double>(errors.size());
  std::size_t best = 0;
  for (std::size_t i = 0; i < choice.alphas.size(); ++i) {
    double mean = 0, squares = 0;
    for (const auto& fold : errors) mean += fold[i] / count;
    for (const auto& fold : errors) squares += (fold[i] - mean) * (fold[i] - mean);
    choice.errors.push_back(mean);
    choice.standard_errors.push_back(count > 1 ? std::sqrt(squares / (count * (count - 1))) : 0.0);
    if (mean <= choice.errors[best]) best = i;  // of equals the smallest tree
  }
  std::size_t chosen = best;
  if (rule == PruningRule::one_standard_error) {
    const double limit = choice.errors[best] + choice.standard_errors[best];
    for (std::size_t i = best; i < choice.alphas.size(); ++i) {
      if (choice.errors[i] <= limit) chosen = i;
    }
  }
  choice.alpha = choice.alphas[chosen];
  return choice;
}

}  // namespace sightglass
