#include "sightglass/methods/performance/error_regions.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/losses/losses.h"
#include "sightglass/methods/performance/regions/large_value_regions.h"
#include "sightglass/methods/rows/labelled_rows.h"

namespace sightglass {

namespace {

class ErrorSearch {
 public:
  ErrorSearch(const MethodInput& input, const ErrorRegionsOptions& options, const LabelledRows& rows)
      : input_(input), options_(options), rows_(rows), columns_(chosen_features(input, options.features)) {}

  Result run() {
    measure();
    if (too_few_for_regions(judged_.size() + fitted_.size())) {
      result_.caveats.push_back({.id = "too-few-rows",
                                 .severity = Severity::caution,
                                 .message = "only " + std::to_string(judged_.size() + fitted_.size()) +
                                            " rows have a truth: too few to tell regions apart",
                                 .evidence = Value::object({{"rows", judged_.size() + fitted_.size()}}),
                                 .advice = "use more rows"});
      if (judged_.empty()) return std::move(result_);
    }
    show(large_value_regions(numbered(fitted_), numbered(judged_),
                             {.max_depth = options_.max_depth, .min_leaf_rows = options_.min_leaf_rows},
                             *input_.context));
    return std::move(result_);
  }

 private:
  void measure() {
    const std::string name = options_.loss != "auto"           ? options_.loss
                             : input_.task == Task::regression ? "absolute"
                                                               : "log-loss";
    const LossInfo& info = loss_info(name);
    const Outcome outcome(input_, info.of_classes, rows_.truths);
    const Loss loss(info, outcome);
    label_ = info.label;
    output_ = outcome.output_name();
    result_.caveats = outcome.caveats();
    losses_.assign(rows_.rows(), 0);
    std::uint64_t left_out = 0;
    for (std::size_t row = 0; row < rows_.rows(); ++row) {
      const double truth = outcome.truth(rows_.truths[row]);
      if (std::isnan(truth)) {
        ++left_out;
        continue;
      }
      if (!(rows_.weights[row] > 0)) continue;
      loss.terms(rows_.answer(row), truth, {&losses_[row], 1});
      (is_for_fitting(input_.seed, rows_.ids[row]) ? fitted_ : judged_).push_back(row);
    }
    if (left_out > 0) {
      const std::string& target = input_.schema[*input_.target].name;
      result_.caveats.push_back({.id = "missing-target",
                                 .severity = Severity::note,
                                 .message = std::to_string(left_out) + " of " + std::to_string(rows_.rows()) +
                                            " rows have no (finite) " + target + " and were left out",
                                 .evidence = Value::object({{"target", target}, {"rows", left_out}}),
                                 .advice = "check the column"});
    }
    // A single row is judged.
    if (judged_.empty()) std::swap(judged_, fitted_);
  }

  [[nodiscard]] NumberedRows numbered(const std::vector<std::size_t>& chosen) const {
    NumberedRows numbered{.data = features_of(input_, rows_, columns_, chosen), .values = {}, .weights = {}};
    for (const std::size_t row : chosen) {
      numbered.values.push_back(losses_[row]);
      numbered.weights.push_back(rows_.weights[row]);
    }
    return numbered;
  }

  void show(LargeValueRegions regions) {
    Rules& rules = regions.rules;
    rules.name = "Where the model errs";
    rules.output = output_;
    rules.unit = label_;
    rules.details = Value::object({{"loss", label_}, {"mean", regions.mean}, {"fitted_rows", fitted_.size()}});
    rules.details.set("judged_rows", judged_.size());
    rules.details.set("se", regions.se);
    result_.results.emplace_back(std::move(rules));
    if (!regions.found) {
      result_.caveats.push_back({.id = "no-error-region",
                                 .severity = Severity::note,
                                 .message = "no region was found in which the model errs more than elsewhere by more "
                                            "than chance",
                                 .evidence = Value::object({{"rows", judged_.size()}}),
                                 .advice = marked("use more rows, or smaller regions with {option:min_leaf_rows}")});
    }
  }

  const MethodInput& input_;
  const ErrorRegionsOptions& options_;
  const LabelledRows& rows_;
  std::vector<std::uint32_t> columns_;
  std::vector<double> losses_;                // per row
  std::vector<std::size_t> fitted_, judged_;  // rows
  std::string label_, output_;
  Result result_;
};

Chain<Result> start_error_regions(const MethodInput& input, const Value& given) {
  const auto options = read_options<ErrorRegionsOptions>(given);
  if (!input.target) {
    throw Error(ErrorKind::usage, "without the true outcomes nobody knows how good predictions are",
                marked("name their column with {option:target}"));
  }
  return label_rows(input, static_cast<std::uint64_t>(std::max<std::int64_t>(0, options.use_rows)))
      .then([=](const LabelledRows& rows) { return ErrorSearch(input, options, rows).run(); });
}

}  // namespace

MethodEntry error_regions() {
  return {.name = "error-regions",
          .alias = "",
          .about = {.title = "Where the model errs", .short_name = "", .family = Family::performance},
          .question = "In which regions of the data are the model's errors largest?",
          .when = "the model is good on average: where to collect more data, or not to use it",
          .when_not = "rows that the model was trained on: its errors there are not those to come; few rows",
          .formula = "a regression tree of l(y_i, f(x_i)) on x_i, judged on other rows than those it was grown on",
          .paper = "Chung, Kraska, Polyzotis, Tae and Whang 2019, Slice Finder",
          .results = {"rules"},
          .expresses = "regions in which errors are larger or smaller than elsewhere",
          .cost = "rows predictions",
          .needs = {.target = Need::required},
          .access = Access::columns,
          .change = RowChange::none,
          .random = true,
          .options = describe_options<ErrorRegionsOptions>(),
          .start = start_error_regions};
}

}  // namespace sightglass
