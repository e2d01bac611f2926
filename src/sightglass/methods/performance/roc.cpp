#include "sightglass/methods/performance/roc.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sightglass/methods/losses/predicted_rows.h"
#include "sightglass/methods/performance/curves/thinned.h"
#include "sightglass/numeric/normal.h"
#include "sightglass/result/shapes/diagram.h"

namespace sightglass {

namespace {

DiagramSeries roc_curve(const ClassScores& scores, const std::vector<FromScore>& from) {
  DiagramSeries curve{.name = "model", .mark = SeriesMark::line};
  curve.x = {0};
  curve.y = {0};
  curve.threshold = {std::numeric_limits<double>::infinity()};
  for (const FromScore& each : from) {
    curve.x.push_back(each.wrong / scores.negatives);
    curve.y.push_back(each.right / scores.positives);
    curve.threshold.push_back(each.score);
  }
  return curve;
}

// The area, and its standard error by the share of the other class that each row is on the right side of.
DiagramFigure area_under(const ClassScores& scores) {
  struct Side {
    double weight = 0, squares = 0, sum = 0, sum_of_squares = 0;
    void add(double w, double value) {
      weight += w;
      squares += w * w;
      sum += w * value;
      sum_of_squares += w * value * value;
    }
    [[nodiscard]] double mean() const { return sum / weight; }
    // Of the mean, as many rows as there are for all that weights say.
    [[nodiscard]] double variance() const {
      const double rows = weight * weight / squares;
      if (!(rows > 1)) return 0;
      return std::max(0.0, sum_of_squares / weight - mean() * mean()) / (rows - 1);
    }
  } positives, negatives;
  double right = 0, wrong = 0;  // above
  for (std::size_t begin = 0; begin < scores.rows.size();) {
    std::size_t end = begin;
    double tied_right = 0, tied_wrong = 0;
    for (; end < scores.rows.size() && scores.rows[end].score == scores.rows[begin].score; ++end)
      (scores.rows[end].positive ? tied_right : tied_wrong) += scores.rows[end].weight;
    for (std::size_t i = begin; i < end; ++i) {
      const auto& row = scores.rows[i];
      if (row.positive) {
        positives.add(row.weight, (scores.negatives - wrong - tied_wrong / 2) / scores.negatives);
      } else {
        negatives.add(row.weight, (right + tied_right / 2) / scores.positives);
      }
    }
    right += tied_right;
    wrong += tied_wrong;
    begin = end;
  }
  DiagramFigure area{.name = "AUC", .value = positives.mean()};
  const double half = z_95 * std::sqrt(positives.variance() + negatives.variance());
  if (half > 0) {
    area.low = std::max(0.0, area.value - half);
    area.high = std::min(1.0, area.value + half);
  }
  return area;
}

Result curves_of(const MethodInput& input, const PredictedRows& rows, std::size_t points) {
  Result result = rows.result();
  const auto classes = class_scores(input, rows);
  for (const ClassScores& scores : classes) {
    if (!scores.both()) continue;
    Diagram diagram{
        .name = "ROC curve",
        .kind = DiagramKind::roc,
        .output = scores.output,
        .group = {},
        .x = {.name = "false positive rate", .share = true},
        .y = {.name = "true positive rate", .share = true},
        .series = {},
        .figures = {area_under(scores)},
        .meaning = "as the threshold falls, more rows of " + scores.name +
                   " are found (up), and more others are taken for it (right). The nearer the line comes to "
                   "the upper left corner, the better; the dashed diagonal is guessing"};
    DiagramSeries curve = roc_curve(scores, from_scores(scores));
    DiagramSeries ring = at_one_half(input, rows, curve);
    diagram.series.push_back({.name = "guessing", .mark = SeriesMark::reference, .x = {0, 1}, .y = {0, 1}});
    diagram.series.push_back(thinned(std::move(curve), points));
    if (!ring.x.empty()) diagram.series.push_back(std::move(ring));
    result.results.emplace_back(std::move(diagram));
  }
  add_rare_classes(input, classes, result.caveats);
  return result;
}

Chain<Result> start_roc(const MethodInput& input, const Value& given) {
  const auto options = read_options<RocOptions>(given);
  return predict_rows(input, PredictedAs::scores).then([=](const std::shared_ptr<const PredictedRows>& rows) {
    return curves_of(input, *rows, static_cast<std::size_t>(options.points));
  });
}

}  // namespace

MethodEntry roc() {
  return {.name = "roc",
          .alias = "",
          .about = {.title = "ROC curve",
                    .short_name = "ROC",
                    .family = Family::performance,
                    .terms = {{"ROC curve",
                               "the share of a class that is found against the share of the others that are taken for "
                               "it, for every threshold"},
                              {"AUC",
                               "the area under the ROC curve: the chance that a row of the class has a higher "
                               "prediction than another; 0.5 is guessing, 1 is perfect"}}},
          .question = "How well does the model put rows of a class before the others?",
          .when = "rows are to be put in an order, or the threshold is open",
          .when_not =
              "the class is rare: many false alarms look like few beside all the others, see precision-recall; "
              "probabilities are used as such: see calibration",
          .formula = "(share of negatives with f ≥ t, share of positives with f ≥ t) for all t",
          .paper = "Fawcett 2006, An introduction to ROC analysis",
          .results = {"diagram"},
          .expresses = "true against false positive rate over all thresholds",
          .cost = "rows predictions",
          .needs = {.target = Need::required},
          .access = Access::columns,
          .change = RowChange::none,
          .as_predicted = true,
          .options = describe_options<RocOptions>(),
          .start = start_roc};
}

}  // namespace sightglass
