#include "sightglass/methods/local/anchoring/outcome.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/methods/rows/predicted_class.h"
#include "sightglass/numeric/exact_sum.h"

namespace sightglass {

namespace {

double spread_of(const LabelledRows& rows, std::size_t output) {
  ExactSum weight, sum, square;
  for (std::size_t row = 0; row < rows.of_data; ++row) {
    weight.add(rows.weights[row]);
    sum.add(rows.weights[row] * rows.prediction(row, output));
  }
  if (!(weight.value() > 0)) return 0;
  const double mean = sum.value() / weight.value();
  for (std::size_t row = 0; row < rows.of_data; ++row) {
    const double off = rows.prediction(row, output) - mean;
    square.add(rows.weights[row] * off * off);
  }
  return std::sqrt(square.value() / weight.value());
}

std::string label_name(const MethodInput& input, std::size_t output, bool there) {
  if (const PredictedClass classes(input); classes.one_output()) return classes.name(there ? 1 : 0);
  const std::string& name = input.outputs[output];
  if (name == "prediction") return there ? "1" : "0";
  return (there ? "" : "not ") + name;
}

}  // namespace

std::size_t top_class(std::span<const double> predictions) {
  return static_cast<std::size_t>(std::max_element(predictions.begin(), predictions.end()) - predictions.begin());
}

bool AnchorOutcome::same(std::span<const double> a, std::span<const double> b) const {
  switch (kind) {
    case AnchorOutcomeKind::number: return std::abs(a[output] - b[output]) <= tolerance;
    case AnchorOutcomeKind::label: return (a[output] > even) == (b[output] > even);
    case AnchorOutcomeKind::labels:
      return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                        [&](double left, double right) { return (left > even) == (right > even); });
    case AnchorOutcomeKind::top_class: return top_class(a) == top_class(b);
    case AnchorOutcomeKind::one_class: return (top_class(a) == output) == (top_class(b) == output);
  }
  return false;
}

std::vector<AnchorOutcome> outcomes_of(const MethodInput& input, const LabelledRows& rows, std::string_view asked,
                                       double tolerance) {
  const double even = input.scale == Scale::margin ? 0 : 0.5;
  const bool classes = input.task != Task::regression && input.outputs.size() > 1;
  if (asked == "class" && input.outputs.size() < 2)
    throw Error(ErrorKind::usage, marked("{Option:outcome}: a model with one output has no most probable class"),
                marked("{option:outcome} label says whether it is above one half"));
  if (asked == "labels") return {{.kind = AnchorOutcomeKind::labels, .even = even}};
  const bool by_class = asked == "class" || (asked == "auto" && classes);
  if (by_class && input.explained.size() == input.outputs.size()) return {{.kind = AnchorOutcomeKind::top_class}};
  std::vector<AnchorOutcome> outcomes;
  for (const std::size_t output : input.explained) {
    AnchorOutcome outcome{.output = output, .even = even};
    if (by_class) {
      outcome.kind = AnchorOutcomeKind::one_class;
    } else if (asked == "label" || (asked == "auto" && input.task != Task::regression)) {
      outcome.kind = AnchorOutcomeKind::label;
    } else {
      outcome.tolerance = tolerance * spread_of(rows, output);
    }
    outcomes.push_back(outcome);
  }
  return outcomes;
}

std::string outcome_output(const MethodInput& input, const AnchorOutcome& outcome,
                           std::span<const double> predictions) {
  switch (outcome.kind) {
    case AnchorOutcomeKind::labels: return "labels";
    case AnchorOutcomeKind::top_class: return input.outputs[top_class(predictions)];
    default: return input.outputs[outcome.output];
  }
}

std::string outcome_class(const MethodInput& input, const AnchorOutcome& outcome, std::span<const double> predictions) {
  switch (outcome.kind) {
    case AnchorOutcomeKind::number: return {};
    case AnchorOutcomeKind::label: return label_name(input, outcome.output, predictions[outcome.output] > outcome.even);
    case AnchorOutcomeKind::labels: {
      std::string set;
      for (std::size_t k = 0; k < predictions.size(); ++k) {
        if (predictions[k] > outcome.even) set += (set.empty() ? "" : " and ") + input.outputs[k];
      }
      return set.empty() ? "no label" : set;
    }
    case AnchorOutcomeKind::top_class: return input.outputs[top_class(predictions)];
    case AnchorOutcomeKind::one_class:
      return label_name(input, outcome.output, top_class(predictions) == outcome.output);
  }
  return {};
}

}  // namespace sightglass
