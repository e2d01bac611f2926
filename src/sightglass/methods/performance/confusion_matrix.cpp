#include "sightglass/methods/performance/confusion_matrix.h"

#include "sightglass/base/error.h"
#include "sightglass/methods/losses/predicted_rows.h"
#include "sightglass/result/shapes/confusion.h"

namespace sightglass {

namespace {

std::size_t predicted_class(const PredictedRows& rows, std::size_t row, double middle,
                            const std::optional<double>& threshold) {
  if (rows.outputs() == 1) {
    const double score = rows.prediction(row);
    return (threshold ? score >= *threshold : score > middle) ? 1 : 0;
  }
  std::size_t best = 0;
  for (std::size_t k = 1; k < rows.outputs(); ++k) {
    if (rows.prediction(row, k) > rows.prediction(row, best)) best = k;
  }
  return best;
}

Result matrix_of(const MethodInput& input, const PredictedRows& rows, const std::optional<double>& threshold) {
  Result result = rows.result();
  Confusion confusion{.output = rows.outcome().output_name(),
                      .group = {},
                      .classes = class_names(input, rows.outcome()),
                      .count = {},
                      .threshold = threshold};
  const std::size_t size = confusion.classes.size();
  if (threshold && rows.outputs() > 1) {
    throw Error(ErrorKind::usage,
                "a threshold is for one class against the rest, and there are " + std::to_string(size),
                marked("choose one with {option:output}"));
  }
  const double middle = input.scale == Scale::margin ? 0.0 : 0.5;
  std::vector<ExactSum> sums(size * size);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const auto truth = static_cast<std::size_t>(rows.known->truths[row]);
    sums[truth * size + predicted_class(rows, row, middle, threshold)].add(rows.known->weights[row]);
  }
  confusion.count.assign(size, std::vector<double>(size));
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) confusion.count[i][j] = sums[i * size + j].value();
  }
  result.results.emplace_back(std::move(confusion));
  return result;
}

Chain<Result> start_confusion_matrix(const MethodInput& input, const Value& given) {
  const auto options = read_options<ConfusionMatrixOptions>(given);
  // A single output tells two classes apart by the middle of its scale; of several the highest counts.
  const bool chosen = input.explained.size() == 1 && input.outputs.size() > 1;
  const bool one_margin = input.outputs.size() == 1 && input.scale == Scale::margin;
  const bool order_only = !chosen && !options.threshold && (input.outputs.size() > 2 || one_margin);
  return predict_rows(input, order_only ? PredictedAs::scores : PredictedAs::probabilities)
      .then(
          [=](const std::shared_ptr<const PredictedRows>& rows) { return matrix_of(input, *rows, options.threshold); });
}

}  // namespace

MethodEntry confusion_matrix() {
  return {.name = "confusion-matrix",
          .alias = "",
          .about = {.title = "Confusion matrix", .short_name = "", .family = Family::performance},
          .question = "Which classes does the model take for which?",
          .when = "after performance says how many rows are wrong: how they are wrong, and which class suffers",
          .when_not =
              "probabilities are what is used, not classes: see calibration; one class is rare and its "
              "threshold is yet to be chosen: see threshold",
          .formula = "n_jk = weight of rows of class j for which class k is predicted",
          .paper = "Stehman 1997, Selecting and interpreting measures of thematic classification accuracy",
          .results = {"confusion"},
          .expresses = "how many rows of each class are taken for each other",
          .cost = "rows predictions",
          .needs = {.target = Need::required},
          .access = Access::columns,
          .change = RowChange::none,
          .as_predicted = true,
          .options = describe_options<ConfusionMatrixOptions>(),
          .start = start_confusion_matrix};
}

}  // namespace sightglass
