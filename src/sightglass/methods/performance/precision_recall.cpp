#include "sightglass/methods/performance/precision_recall.h"

#include <limits>

#include "sightglass/methods/losses/predicted_rows.h"
#include "sightglass/methods/performance/curves/thinned.h"
#include "sightglass/result/shapes/diagram.h"

namespace sightglass {

namespace {

struct Precision {
  DiagramSeries curve{.name = "model", .mark = SeriesMark::steps};
  double average = 0;
};

Precision precision_curve(const ClassScores& scores) {
  Precision found;
  found.curve.x = {0};
  found.curve.y = {1};
  found.curve.threshold = {std::numeric_limits<double>::infinity()};
  double before = 0;
  for (const FromScore& each : from_scores(scores)) {
    const double precision = each.right / (each.right + each.wrong), recall = each.right / scores.positives;
    found.average += (recall - before) * precision;
    before = recall;
    found.curve.x.push_back(recall);
    found.curve.y.push_back(precision);
    found.curve.threshold.push_back(each.score);
  }
  return found;
}

Result precisions_of(const MethodInput& input, const PredictedRows& rows, std::size_t points) {
  Result result = rows.result();
  const auto classes = class_scores(input, rows);
  for (const ClassScores& scores : classes) {
    if (!scores.both()) continue;
    Precision found = precision_curve(scores);
    const double share = scores.positives / scores.total();
    Diagram diagram{.name = "Precision and recall",
                    .kind = DiagramKind::precision_recall,
                    .output = scores.output,
                    .group = {},
                    .x = {.name = "recall", .share = true},
                    .y = {.name = "precision", .share = true},
                    .series = {},
                    .figures = {{.name = "average precision", .value = found.average},
                                {.name = "share of the class", .value = share}},
                    .meaning = "as the threshold falls, more rows of " + scores.name +
                               " are found (recall, to the right), and usually fewer of those that are predicted as it "
                               "are right (precision). The dashed line is guessing"};
    DiagramSeries ring = at_one_half(input, rows, found.curve);
    diagram.series.push_back({.name = "guessing", .mark = SeriesMark::reference, .x = {0, 1}, .y = {share, share}});
    diagram.series.push_back(thinned(std::move(found.curve), points));
    if (!ring.x.empty()) diagram.series.push_back(std::move(ring));
    result.results.emplace_back(std::move(diagram));
  }
  add_rare_classes(input, classes, result.caveats);
  return result;
}

Chain<Result> start_precision_recall(const MethodInput& input, const Value& given) {
  const auto options = read_options<PrecisionRecallOptions>(given);
  return predict_rows(input, PredictedAs::scores).then([=](const std::shared_ptr<const PredictedRows>& rows) {
    return precisions_of(input, *rows, static_cast<std::size_t>(options.points));
  });
}

}  // namespace

MethodEntry precision_recall() {
  return {.name = "precision-recall",
          .alias = "",
          .about = {.title = "Precision and recall",
                    .short_name = "",
                    .family = Family::performance,
                    .terms = {{"precision", "of the rows that are predicted as a class, the share that are of it"},
                              {"recall", "of the rows of a class, the share that are predicted as it"}}},
          .question = "Of the rows that are predicted as a class, how many are of it, and how many are found?",
          .when = "the class that matters is rare, or false alarms cost",
          .when_not =
              "models are compared on data in which the class is differently frequent: precision changes with "
              "that, see roc",
          .formula = "precision = TP / (TP + FP) against recall = TP / P for all t; AP = Σ (R_n − R_{n−1}) P_n",
          .paper = "Davis and Goadrich 2006, The relationship between precision-recall and ROC curves",
          .results = {"diagram"},
          .expresses = "precision against recall over all thresholds",
          .cost = "rows predictions",
          .needs = {.target = Need::required},
          .access = Access::columns,
          .change = RowChange::none,
          .as_predicted = true,
          .options = describe_options<PrecisionRecallOptions>(),
          .start = start_precision_recall};
}

}  // namespace sightglass
