#include <algorithm>
#include <cmath>
#include <limits>

#include "sightglass/methods/local/recourse/wanted_outcome_internal.h"
#include "sightglass/model/trees/predict/predict_codes_internal.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// Around the least margin whose answer is at least so much: the link may round so near to it.
struct Border {
  double margin = 0, rounding = 0;  // infinity: no margin is enough; minus infinity: all are
};

Border least_margin(const TreeEnsemble::Parts& parts, double wanted) {
  const double most = parts.float32_sums ? 1e30 : 1e300;
  const auto enough = [&](double margin) {
    apply_link(parts, std::span(&margin, 1));
    return margin >= wanted;
  };
  double low = -1, high = 1;
  while (enough(low) && low > -most) low *= 2;
  while (!enough(high) && high < most) high *= 2;
  if (enough(low)) return {-never, 0};
  if (!enough(high)) return {never, 0};
  for (int i = 0; i < 2000; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (enough(middle) ? high : low) = middle;
  }
  return {high, parts.float32_sums ? 1e-6 * std::max(1.0, std::abs(high)) : 1e-9 * std::max(1e-9, std::abs(high))};
}

double next_above(double value) { return std::nextafter(value, never); }

LeafGoal::Sum sum_of(std::size_t outputs, std::size_t output, double sign, double least) {
  LeafGoal::Sum sum{.weights = std::vector<double>(outputs), .least = least};
  sum.weights[output] = sign;
  return sum;
}

// Each other class is less likely, but for margins so near to one another that the link makes them the same.
void add_lead(std::size_t outputs, std::size_t chosen, double sign, double same, LeafGoal& goal) {
  for (std::size_t other = 0; other < outputs; ++other) {
    if (other == chosen) continue;
    LeafGoal::Sum sum = sum_of(outputs, chosen, sign, -same);
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
  // Large margins have the same probability: which class comes first is then no question of margins.
  if (wanted.chosen_class && !classes.one_output() && !adds_up && !softmax) return std::nullopt;
  // Small shares become 0 where exp does.
  if (softmax && !wanted.chosen_class && wanted.at_most && *wanted.at_most <= 0) return std::nullopt;
  const double same = adds_up ? 0 : parts.float32_sums ? 0x1p-20 : 0x1p-49;
  LeafGoal goal;
  if (wanted.chosen_class && !classes.one_output()) {
    add_lead(outputs, *wanted.chosen_class, 1, same, goal);
  } else if (softmax) {
    if (wanted.at_least && wanted.at_most) return std::nullopt;
    const double share = wanted.at_least ? *wanted.at_least : *wanted.at_most;
    goal.rule = wanted.at_least ? LeafGoal::Rule::few_rest : LeafGoal::Rule::much_rest;
    // Odds against the class, wide enough for what exp rounds: the last check decides.
    const double odds = share <= 0 ? never : std::max(0.0, (1 - share) / share);
    const double rounding = parts.float32_sums ? 1e-6 : 1e-9, least_odds = parts.float32_sums ? 1e-6 : 1e-15;
    goal.rest = wanted.at_least ? std::max(odds + rounding * (1 + odds), least_odds) : odds - rounding * (1 + odds);
    add_lead(outputs, wanted.output, wanted.at_least ? 1 : -1, 0, goal);
  } else {
    std::optional<double> least = wanted.at_least, most = wanted.at_most;
    const std::size_t output = wanted.chosen_class ? 0 : wanted.output;
    if (wanted.chosen_class) (*wanted.chosen_class == 1 ? least : most) = classes.middle();
    const auto border = [&](double wanted_number) {
      return adds_up ? Border{wanted_number, 0} : least_margin(parts, wanted_number);
    };
    if (least) {
      const Border at = border(*least);
      goal.sums.push_back(sum_of(outputs, output, 1, at.margin - at.rounding));
    }
    if (most) {
      const Border at = border(adds_up ? *most : next_above(*most));
      goal.sums.push_back(sum_of(outputs, output, -1, -(at.margin + at.rounding)));
    }
  }
  for (LeafGoal::Sum& sum : goal.sums) sum.least = std::clamp(sum.least, -1e300, 1e300);
  const Scale scale = input.scale;
  goal.holds = [=, &parts](std::span<const double> margins) {
    std::vector<double> predictions(margins.begin(), margins.end());
    if (scale == Scale::response) apply_link(parts, predictions);
    return wanted.holds(classes, predictions);
  };
  return goal;
}

}  // namespace sightglass
