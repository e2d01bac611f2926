#include <algorithm>
#include <cmath>
#include <limits>

#include "sightglass/base/error.h"
#include "sightglass/methods/local/recourse/tree_changes_internal.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

namespace {

constexpr double not_there = std::numeric_limits<double>::infinity();

// A row's moves along a slot, and the values that they mean.
struct ValuedMoves {
  SlotMoves moves;
  std::vector<double> values;  // per code
};

// The value of a code that is nearest to those below it (up) or above it, where doubles are compared.
double nearest_double(const std::vector<double>& cuts, std::uint32_t code, bool up) {
  return up ? cuts[code - 1] : std::nextafter(cuts[code], -not_there);
}

// The same where values are rounded to float first: half of the doubles before a float become that float.
double nearest_before_rounding(const std::vector<double>& cuts, std::uint32_t code, bool up) {
  const auto cut = static_cast<float>(up ? cuts[code - 1] : cuts[code]);
  const float before = std::nextafter(cut, -std::numeric_limits<float>::infinity());
  const double middle = static_cast<double>(before) / 2 + static_cast<double>(cut) / 2;
  const bool rises = static_cast<float>(middle) == cut;
  if (up) return rises ? middle : std::nextafter(middle, not_there);
  return rises ? std::nextafter(middle, -not_there) : middle;
}

ValuedMoves moves_along(const TreeRows& trees, std::size_t slot, const FeatureMoves& feature, double own) {
  const FeatureCodes& codes = trees.codes();
  ValuedMoves found;
  found.moves.own = trees.code(slot, own);
  found.moves.costs.assign(codes.codes(slot), not_there);
  found.values.assign(codes.codes(slot), own);
  found.moves.costs[found.moves.own] = 0;
  if (!feature.moves(own)) return found;
  const auto offer = [&](std::uint32_t code, double value) {
    const double cost = feature.cost(own, value);
    if (code == found.moves.own || !feature.allows(own, value) || !(cost < found.moves.costs[code])) return;
    found.moves.costs[code] = cost;
    found.values[code] = value;
  };
  if (feature.levels) {
    // Of levels that the trees do not tell apart, the one that most rows have.
    std::vector<double> weights(found.values.size(), -1);
    for (std::size_t i = 0; i < feature.seen.size(); ++i) {
      const std::uint32_t code = trees.code(slot, feature.seen[i]);
      if (!(feature.weights[i] > weights[code]) || !feature.allows(own, feature.seen[i])) continue;
      weights[code] = feature.weights[i];
      found.moves.costs[code] = code == found.moves.own ? 0 : not_there;
      offer(code, feature.seen[i]);
    }
    return found;
  }
  if (found.moves.own == codes.missing(slot)) return found;
  const std::vector<double>& cuts = codes.cuts(slot);
  const bool doubles = trees.parts().comparison == Comparison::float64_less_equal;
  for (std::uint32_t code = 0; code <= cuts.size(); ++code) {
    if (code == found.moves.own) continue;
    const bool up = code > found.moves.own;
    double edge = doubles ? nearest_double(cuts, code, up) : nearest_before_rounding(cuts, code, up);
    if (!std::isfinite(edge)) continue;
    // Zero itself reads better than the smallest number that counts as zero.
    if (std::abs(edge) <= zero_threshold && trees.code(slot, 0) == code) edge = 0;
    const double value = feature.settled(own, edge);
    if (std::isfinite(value) && trees.code(slot, value) == code) offer(code, value);
  }
  return found;
}

}  // namespace

TreeChanges::TreeChanges(const MethodInput& input, const std::vector<FeatureMoves>& features, const LeafGoal& goal)
    : input_(input), features_(features), search_(input.trees->parts(), input.trees->codes(), goal) {
  feature_of_slot_.resize(input.trees->codes().slots());
  for (std::size_t j = 0; j < features.size(); ++j) {
    if (const auto slot = input.trees->slot(features[j].column)) feature_of_slot_[*slot] = j;
  }
}

FoundChanges TreeChanges::find(const std::vector<double>& values, const ChangeLimits& limits) const {
  std::vector<SlotMoves> moves;
  std::vector<std::vector<double>> targets;
  for (std::size_t slot = 0; slot < feature_of_slot_.size(); ++slot) {
    const std::size_t j = feature_of_slot_[slot];
    ValuedMoves along = moves_along(*input_.trees, slot, features_[j], values[j]);
    moves.push_back(std::move(along.moves));
    targets.push_back(std::move(along.values));
  }
  const ChangesFound found = search_.search(moves, limits, *input_.context);
  FoundChanges changes;
  changes.proven = true;
  changes.explored = found.explored;
  for (const CodeChange& change : found.changes) {
    std::vector<std::pair<std::size_t, double>> ordered;
    for (std::size_t i = 0; i < change.slots.size(); ++i)
      ordered.emplace_back(feature_of_slot_[change.slots[i]], targets[change.slots[i]][change.codes[i]]);
    std::sort(ordered.begin(), ordered.end());
    FoundChange& each = changes.changes.emplace_back();
    each.cost = change.cost;
    each.cheapest = change.cheapest;
    for (const auto& [feature, value] : ordered) {
      each.features.push_back(feature);
      each.values.push_back(value);
    }
  }
  bool reached = false;
  for (const Rung& rung : found.ladder) {
    // Beyond the smallest size only sets are looked at that hold none of those that can: what these cannot says nothing
    // of all changes of as many features.
    if (reached && rung.reach != RungReach::reached) continue;
    reached = reached || rung.reach == RungReach::reached;
    static constexpr RungStatus statuses[] = {RungStatus::reached, RungStatus::unreachable, RungStatus::not_found};
    LadderRung& shown = changes.ladder.emplace_back(
        LadderRung{.features = rung.features, .status = statuses[static_cast<std::size_t>(rung.reach)]});
    if (std::isfinite(rung.bound)) shown.bound = rung.bound;
  }
  const auto movable = static_cast<std::size_t>(std::count_if(moves.begin(), moves.end(), [](const SlotMoves& each) {
    return std::any_of(each.costs.begin(), each.costs.end(),
                       [](double cost) { return cost > 0 && std::isfinite(cost); });
  }));
  // All sizes that there are were looked at and refuted; without a feature that may move there are none.
  const bool refuted = found.ladder.size() == movable &&
                       std::all_of(found.ladder.begin(), found.ladder.end(),
                                   [](const Rung& rung) { return rung.reach == RungReach::unreachable; });
  changes.status = !changes.changes.empty()      ? RecourseStatus::found
                   : found.impossible || refuted ? RecourseStatus::unreachable
                                                 : RecourseStatus::not_found;
  return changes;
}

}  // namespace sightglass
