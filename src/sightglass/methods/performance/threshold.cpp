#include "sightglass/methods/performance/threshold.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "sightglass/base/error.h"
#include "sightglass/methods/losses/predicted_rows.h"
#include "sightglass/result/shapes/confusion.h"
#include "sightglass/result/shapes/diagram.h"

namespace sightglass {

namespace {

// What comes of a threshold.
struct Outcomes {
  double right = 0, wrong = 0;  // of the rows that are predicted as the class, by weight
};

class ThresholdCosts {
 public:
  ThresholdCosts(const ClassScores& scores, const ThresholdOptions& options)
      : scores_(scores), options_(options), from_(from_scores(scores)) {}

  [[nodiscard]] double cost(const Outcomes& outcomes) const {
    return (options_.false_positive_cost * outcomes.wrong +
            options_.false_negative_cost * (scores_.positives - outcomes.right)) /
           scores_.total();
  }
  // Of rows with at least this score.
  [[nodiscard]] Outcomes at(double threshold) const {
    std::size_t low = 0, high = from_.size();  // how many entries are at least that high
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (from_[middle].score >= threshold) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == 0 ? Outcomes{} : Outcomes{from_[low - 1].right, from_[low - 1].wrong};
  }
  // The lowest cost; of equal ones the highest threshold. Infinite: the class is better never predicted.
  struct Best {
    double threshold = std::numeric_limits<double>::infinity();
    Outcomes outcomes;
  };
  [[nodiscard]] Best best() const {
    Best best;
    for (const FromScore& from : from_) {
      const Outcomes outcomes{from.right, from.wrong};
      // Rounding must not decide between equal costs.
      if (cost(outcomes) < cost(best.outcomes) * (1 - 1e-12)) best = {from.score, outcomes};
    }
    return best;
  }

 private:
  const ClassScores& scores_;
  const ThresholdOptions& options_;
  std::vector<FromScore> from_;
};

std::string cost_meaning(const ClassScores& scores, const ThresholdOptions& options) {
  return fmt::format(
      "what a row costs on average if rows are taken for {} from the threshold on, with {:g} for each row that is "
      "wrongly taken for it and {:g} for each that is missed. Dashed: the cheaper of always and never",
      scores.name, options.false_positive_cost, options.false_negative_cost);
}

void add_threshold(const ClassScores& scores, const ThresholdOptions& options, Result& result) {
  const ThresholdCosts costs(scores, options);
  DiagramSeries precision{.name = "precision"}, recall{.name = "recall"}, f1{.name = "F1"},
      share{.name = "share of rows"};
  DiagramSeries cost{.name = "cost per row"};
  const auto points = static_cast<std::size_t>(options.points);
  const auto add = [](DiagramSeries& series, double x, double y) {
    series.x.push_back(x);
    series.y.push_back(y);
  };
  for (std::size_t i = 0; i < points; ++i) {
    const double at = static_cast<double>(i) / static_cast<double>(points - 1);
    const Outcomes outcomes = costs.at(at);
    const double predicted = outcomes.right + outcomes.wrong;
    if (predicted > 0) add(precision, at, outcomes.right / predicted);
    add(recall, at, outcomes.right / scores.positives);
    add(f1, at, 2 * outcomes.right / (predicted + scores.positives));
    add(share, at, predicted / scores.total());
    add(cost, at, costs.cost(outcomes));
  }
  const ThresholdCosts::Best best = costs.best();
  const bool ever = std::isfinite(best.threshold);
  const double never = costs.cost({}), always = costs.cost({scores.positives, scores.negatives});
  const DiagramAxis axis{.name = "threshold for " + scores.name, .share = true};
  Diagram rates{
      .name = "Rates by threshold",
      .kind = DiagramKind::thresholds,
      .output = scores.output,
      .group = {},
      .x = axis,
      .y = {.name = "share", .share = true},
      .series = {precision, recall, f1, share},
      .figures = {},
      .meaning = "what comes of taking rows for " + scores.name +
                 " from a threshold on: the share of these that are right (precision), the share of the class "
                 "that is found (recall), both together (F1), and how many rows that is"};
  Diagram money{.name = "Cost by threshold",
                .kind = DiagramKind::costs,
                .output = scores.output,
                .group = {},
                .x = axis,
                .y = {.name = "cost per row"},
                .series = {},
                .figures = {},
                .meaning = cost_meaning(scores, options)};
  const double without = std::min(always, never);
  money.series.push_back(
      {.name = "without a model", .mark = SeriesMark::reference, .x = {0, 1}, .y = {without, without}});
  money.series.push_back(cost);
  if (ever) {
    const double lowest = costs.cost(best.outcomes);
    money.series.push_back({.name = "lowest cost", .mark = SeriesMark::ring, .x = {best.threshold}, .y = {lowest}});
    money.figures.push_back({.name = "best threshold", .value = best.threshold});
    money.figures.push_back({.name = "cost there", .value = lowest});
  }
  money.figures.push_back({.name = "cost at 0.5", .value = costs.cost(costs.at(0.5))});
  money.figures.push_back({.name = "cost without a model", .value = without});
  result.results.emplace_back(std::move(money));
  result.results.emplace_back(std::move(rates));
  if (!ever) {
    result.caveats.push_back(
        {.id = "never-predicted",
         .severity = Severity::note,
         .message = "with these costs no threshold is cheaper than never predicting " + scores.name,
         .evidence = Value::object({{"class", scores.name},
                                    {"false_positive_cost", options.false_positive_cost},
                                    {"false_negative_cost", options.false_negative_cost}}),
         .advice = marked("check {option:false_positive_cost} and {option:false_negative_cost}")});
    return;
  }
  Confusion confusion{.output = scores.output,
                      .group = {},
                      .classes = {scores.other, scores.name},
                      .count = {{scores.negatives - best.outcomes.wrong, best.outcomes.wrong},
                                {scores.positives - best.outcomes.right, best.outcomes.right}},
                      .threshold = best.threshold};
  result.results.emplace_back(std::move(confusion));
}

Result thresholds_of(const MethodInput& input, const PredictedRows& rows, const ThresholdOptions& options) {
  Result result = rows.result();
  const auto classes = class_scores(input, rows);
  for (const ClassScores& scores : classes) {
    if (scores.both()) add_threshold(scores, options, result);
  }
  add_rare_classes(input, classes, result.caveats);
  return result;
}

Chain<Result> start_threshold(const MethodInput& input, const Value& given) {
  const auto options = read_options<ThresholdOptions>(given);
  if (!(options.false_positive_cost + options.false_negative_cost > 0)) {
    throw Error(ErrorKind::usage, "if no mistake costs anything, every threshold is as good as any other",
                marked("give {option:false_positive_cost} or {option:false_negative_cost}"));
  }
  return predict_rows(input, PredictedAs::probabilities).then([=](const std::shared_ptr<const PredictedRows>& rows) {
    return thresholds_of(input, *rows, options);
  });
}

}  // namespace

MethodEntry threshold() {
  return {.name = "threshold",
          .alias = "",
          .about = {.title = "Choice of a threshold", .short_name = "", .family = Family::performance},
          .question = "From which probability on should a row be taken for the class?",
          .when = "mistakes of one kind cost more than those of the other; then judge the choice on other rows",
          .when_not = "nothing is decided by the prediction; the costs of a mistake differ from row to row",
          .formula = "argmin_t (c_FP · FP(t) + c_FN · FN(t)) / n",
          .paper = "Elkan 2001, The foundations of cost-sensitive learning",
          .results = {"diagram", "confusion"},
          .expresses = "precision, recall, F1 and costs against the threshold",
          .cost = "rows predictions",
          .needs = {.target = Need::required},
          .access = Access::columns,
          .change = RowChange::none,
          .as_predicted = true,
          .options = describe_options<ThresholdOptions>(),
          .start = start_threshold};
}

}  // namespace sightglass
