#include "sightglass/methods/importance/performance.h"

#include <cmath>

#include "sightglass/methods/losses/scored_rows.h"

namespace sightglass {

namespace {

std::vector<std::string> losses_of(Task task) {
  if (task == Task::regression) return {"r2", "rmse", "absolute"};
  return {"accuracy", "auc", "log-loss", "brier"};
}

Result result_of(const ScoredRows& scored) {
  Result result;
  result.caveats = scored.caveats;
  scored.add_figures(result, FigureKind::beside_constant);
  return result;
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  auto options = read_options<PerformanceOptions>(given);
  if (options.losses.empty()) options.losses = losses_of(input.task);
  return score_rows(input, options.losses, "rmse").then([](const std::shared_ptr<const ScoredRows>& scored) {
    return result_of(*scored);
  });
}

}  // namespace

MethodEntry performance() {
  return {.name = "performance",
          .alias = "",
          .about = {.title = "Performance", .short_name = "", .family = Family::performance},
          .question = "How good are the model's predictions of these rows?",
          .when = "first: explanations of a model that predicts badly explain little; on rows it was not trained on",
          .when_not = "rows that the model was trained on: it looks better there than it is",
          .formula = "mean loss of f(x_i) against y_i, and of the best constant c against y_i",
          .paper = "Gneiting and Raftery 2007, Strictly proper scoring rules, prediction, and estimation",
          .results = {"figure"},
          .expresses = "how far predictions are from the truth, and how much better than knowing nothing",
          .cost = "rows predictions",
          .needs = {.target = Need::required},
          .access = Access::columns,
          .change = RowChange::none,
          .options = describe_options<PerformanceOptions>(),
          .start = start};
}

}  // namespace sightglass
