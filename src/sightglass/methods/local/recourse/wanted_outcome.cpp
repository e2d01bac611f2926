#include <algorithm>
#include <cmath>
#include <limits>

#include "sightglass/methods/local/recourse/wanted_outcome_internal.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

double answer(const LinkFunction& link, double margin) {
  link.apply(&margin, 1, 1);
  return margin;
}

// The least margin whose answer is at least so much, but for what the link rounds; infinity: none is.
double least_margin(const LinkFunction& link, double wanted) {
  double low = -1, high = 1;
  while (answer(link, low) >= wanted && low > -1e300) low *= 2;
  while (answer(link, high) < wanted && high < 1e300) high *= 2;
  if (answer(link, low) >= wanted) return -never;
  if (answer(link, high) < wanted) return never;
  for (int i = 0; i < 2000; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (answer(link, middle) >= wanted ? high : low) = middle;
  }
  return high - 1e-9 * std::max(1e-9, std::abs(high));
}

double next_above(double value) { return std::nextafter(value, never); }

LeafGoal::Sum sum_of(std::size_t outputs, std::size_t output, double sign, double least) {
  LeafGoal::Sum sum{.weights = std::vector<double>(outputs), .least = least};
  sum.weights[output] = sign;
  return sum;
}

// Each other class is less likely.
void add_lead(std::size_t outputs, std::size_t chosen, double sign, LeafGoal& goal) {
  for (std::size_t other = 0; other < outputs; ++other) {
    if (other == chosen) continue;
    LeafGoal::Sum sum = sum_of(outputs, chosen, sign, 0);
    sum.weights[other] = -sign;
    goal.sums.push_back(std::move(sum));
  }
}

}  // namespace

bool WantedOutcome::holds(const PredictedClass& classes, std::span<const double> predictions) const {
  if (chosen_class) return classes.of(predictions) == *chosen_class;
  return !(at_least && predictions[output] < *at_least) && !(at_most && predictions[output] > *at_most);
}

double WantedOutcome::nearness(const PredictedClass& classes, std::span<const double> predictions) const {
  if (chosen_class && classes.one_output()) return (*chosen_class == 1 ? 1 : -1) * (predictions[0] - classes.middle());
  if (chosen_class) {
    double nearest = never;
    for (std::size_t other = 0; other < predictions.size(); ++other) {
      if (other != *chosen_class) nearest = std::min(nearest, predictions[*chosen_class] - predictions[other]);
    }
    return nearest;
  }
  double nearest = never;
  if (at_least) nearest = std::min(nearest, predictions[output] - *at_least);
  if (at_most) nearest = std::min(nearest, *at_most - predictions[output]);
  return nearest;
}

std::optional<LeafGoal> leaf_goal(const MethodInput& input, const PredictedClass& classes,
                                  const WantedOutcome& wanted) {
  const TreeEnsemble::Parts& parts = input.trees->parts();
  const std::size_t outputs = parts.base.size();
  if (outputs != input.outputs.size()) return std::nullopt;
  const bool adds_up = input.trees->adds_up(input.scale);
  const bool softmax = !adds_up && parts.link.link == Link::softmax;
  if (!adds_up && parts.link.link == Link::logistic && !(parts.link.scale > 0)) return std::nullopt;
  const LinkFunction link = adds_up ? LinkFunction{} : parts.link;
  LeafGoal goal;
  if (wanted.chosen_class && !classes.one_output()) {
    add_lead(outputs, *wanted.chosen_class, 1, goal);
  } else if (softmax) {
    if (wanted.at_least && wanted.at_most) return std::nullopt;
    const double share = wanted.at_least ? *wanted.at_least : *wanted.at_most;
    goal.rule = wanted.at_least ? LeafGoal::Rule::few_rest : LeafGoal::Rule::much_rest;
    // Odds against the class, wide enough for what exp rounds: the last check decides.
    const double odds = share <= 0 ? never : std::max(0.0, (1 - share) / share);
    goal.rest = wanted.at_least ? std::max(odds * (1 + 1e-9), 1e-15) : odds * (1 - 1e-9);
    add_lead(outputs, wanted.output, wanted.at_least ? 1 : -1, goal);
  } else {
    std::optional<double> least = wanted.at_least, most = wanted.at_most;
    const std::size_t output = wanted.chosen_class ? 0 : wanted.output;
    if (wanted.chosen_class) (*wanted.chosen_class == 1 ? least : most) = classes.middle();
    if (least) goal.sums.push_back(sum_of(outputs, output, 1, adds_up ? *least : least_margin(link, *least)));
    if (most) {
      const double margin = adds_up ? *most : least_margin(link, next_above(*most));
      goal.sums.push_back(sum_of(outputs, output, -1, -margin));
      // What was taken off is the wrong way here.
      if (!adds_up && std::isfinite(margin)) goal.sums.back().least -= 2e-9 * std::max(1e-9, std::abs(margin));
    }
  }
  for (LeafGoal::Sum& sum : goal.sums) sum.least = std::clamp(sum.least, -1e300, 1e300);
  const Scale scale = input.scale;
  const LinkFunction own = parts.link;
  goal.holds = [=](std::span<const double> margins) {
    std::vector<double> predictions(margins.begin(), margins.end());
    if (scale == Scale::response) own.apply(predictions.data(), predictions.size(), 1);
    return wanted.holds(classes, predictions);
  };
  return goal;
}

}  // namespace sightglass
