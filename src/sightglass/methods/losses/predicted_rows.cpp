#include "sightglass/methods/losses/predicted_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "sightglass/base/error.h"
#include "sightglass/methods/rows/predicted_class.h"

namespace sightglass {

namespace {

// A class with fewer rows says little about what a cut-off does.
constexpr std::uint64_t few_rows = 30;
constexpr double rare_share = 0.05;
// Probabilities may be this far outside, as those of a float32 softmax are.
constexpr double rounding = 1e-6;

class PredictionPass : public Pass<RowTerms, std::shared_ptr<const PredictedRows>> {
 public:
  PredictionPass(std::shared_ptr<const PredictedRows> rows, PredictedAs wanted)
      : rows_(std::move(rows)), wanted_(wanted) {}

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return {}; }
  [[nodiscard]] bool needs_model() const override { return true; }
  [[nodiscard]] std::uint64_t cost_per_row() const override { return 1; }
  [[nodiscard]] RowTerms empty() const override { return RowTerms(rows_->outputs()); }

  void map(const RowBlock& block, RowTerms& terms, Evaluator& evaluator) const override {
    const auto positions = rows_->known->positions(block);
    Matrix predictions;
    evaluator.evaluate(block, predictions);
    std::vector<std::size_t> used;
    for (std::size_t row = 0; row < block.rows; ++row) {
      if (positions[row] < rows_->rows()) used.push_back(row);
    }
    if (used.empty()) return;
    double* room = terms.add(positions, rows_->rows());
    const auto& outputs = rows_->outcome().outputs();
    for (std::size_t k = 0; k < used.size(); ++k) {
      for (std::size_t o = 0; o < outputs.size(); ++o)
        room[o * used.size() + k] = checked(predictions.span().row(used[k])[outputs[o]]);
    }
  }

  [[nodiscard]] std::shared_ptr<const PredictedRows> find(const RowTerms& terms) const override {
    auto found = std::make_shared<PredictedRows>(*rows_);
    found->predictions = terms.numbers(found->rows(), 0, found->outputs());
    return found;
  }

 private:
  [[nodiscard]] double checked(double prediction) const {
    if (wanted_ != PredictedAs::probabilities) return prediction;
    if (prediction >= -rounding && prediction <= 1 + rounding) return std::clamp(prediction, 0.0, 1.0);
    throw Error(ErrorKind::prediction,
                "probabilities are needed, but the model predicted " + fmt::format("{:.4g}", prediction),
                "use a model that predicts probabilities; roc and precision-recall need only an order");
  }

  std::shared_ptr<const PredictedRows> rows_;
  PredictedAs wanted_;
};

// Whether the target can be anything but a number. Two different numbers may well be classes.
bool may_be_classes(const MethodInput& input, const std::vector<double>& targets) {
  if (input.task != Task::regression || input.schema[*input.target].is_categorical()) return true;
  std::set<double> different;
  for (const double value : targets) {
    if (std::isfinite(value)) different.insert(value);
    if (different.size() > 2) return false;
  }
  return true;
}

void check_fit(const MethodInput& input, PredictedAs wanted, const std::vector<double>& targets) {
  const std::string target = printable(input.schema[*input.target].name);
  if (wanted == PredictedAs::numbers) {
    if (input.task == Task::regression) return;
    throw Error(ErrorKind::usage, "the model predicts classes: its errors are no numbers",
                "use confusion-matrix, roc or calibration");
  }
  if (!may_be_classes(input, targets)) {
    throw Error(ErrorKind::usage,
                "the model predicts numbers and the target " + target + " holds numbers: there are no classes",
                "use residuals");
  }
  if (wanted == PredictedAs::probabilities && input.scale == Scale::margin) {
    throw Error(ErrorKind::usage, "probabilities are needed, and the margin scale has none",
                marked("leave out {option:scale} margin"));
  }
}

}  // namespace

Result PredictedRows::result() const {
  Result result;
  result.caveats = known->caveats;
  if (rows() < known->rows_used) result.data.set("scored_rows", rows());
  return result;
}

Chain<std::shared_ptr<const PredictedRows>> predict_rows(const MethodInput& input, PredictedAs wanted,
                                                         std::vector<std::uint32_t> columns) {
  if (!input.target) {
    throw Error(ErrorKind::usage, "without the true outcomes nobody knows how good predictions are",
                marked("name their column with {option:target}"));
  }
  if (std::find(columns.begin(), columns.end(), *input.target) == columns.end()) columns.push_back(*input.target);
  return draw_rows(input, std::move(columns), 0, 0).then([=](RowSample sample) {
    const std::vector<double>& targets = sample.of(*input.target);
    check_fit(input, wanted, targets);
    Outcome outcome(input, wanted != PredictedAs::numbers, targets);
    if (wanted == PredictedAs::numbers && input.scale == Scale::margin) {
      throw Error(ErrorKind::usage, "the target is on the scale of the response, the predictions are not",
                  marked("leave out {option:scale} margin"));
    }
    auto rows = std::make_shared<PredictedRows>();
    rows->known = rows_with_truth(input, sample, std::move(outcome), {});
    rows->sample = std::move(sample);
    return over_rows<PredictionPass>(std::move(rows), wanted);
  });
}

std::vector<std::string> class_names(const MethodInput& input, const Outcome& outcome) {
  const bool chosen = !outcome.output_name().empty() && outcome.classes() == 2;
  if (chosen) return {"not " + outcome.output_name(), outcome.output_name()};
  const PredictedClass known(input);
  if (known.names().size() == outcome.classes()) return known.names();
  return {"0", "1"};  // of a function that says nothing of classes
}

std::vector<ClassScores> class_scores(const MethodInput& input, const PredictedRows& rows) {
  const Outcome& outcome = rows.outcome();
  const std::vector<std::string> names = class_names(input, outcome);
  const std::size_t outputs = rows.outputs();
  std::vector<ClassScores> classes(outputs);
  for (std::size_t k = 0; k < outputs; ++k) {
    ClassScores& scores = classes[k];
    const double positive = outputs == 1 ? 1 : static_cast<double>(k);
    scores.name = names[outputs == 1 ? 1 : k];
    scores.other = outputs == 1 ? names[0] : "not " + scores.name;
    scores.output = outputs == 1 ? outcome.output_name() : input.outputs[outcome.outputs()[k]];
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const double weight = rows.known->weights[row];
      if (!(weight > 0)) continue;
      scores.rows.push_back({rows.prediction(row, k), weight, rows.known->truths[row] == positive});
    }
    std::sort(scores.rows.begin(), scores.rows.end(), [](const auto& a, const auto& b) {
      return std::tie(b.score, b.positive, b.weight) < std::tie(a.score, a.positive, a.weight);
    });
    for (const auto& row : scores.rows) {
      (row.positive ? scores.positives : scores.negatives) += row.weight;
      ++(row.positive ? scores.positive_rows : scores.negative_rows);
    }
  }
  return classes;
}

std::vector<FromScore> from_scores(const ClassScores& scores) {
  std::vector<FromScore> found;
  double right = 0, wrong = 0;
  for (std::size_t i = 0; i < scores.rows.size(); ++i) {
    (scores.rows[i].positive ? right : wrong) += scores.rows[i].weight;
    if (i + 1 < scores.rows.size() && scores.rows[i + 1].score == scores.rows[i].score) continue;
    found.push_back({scores.rows[i].score, right, wrong});
  }
  return found;
}

void add_rare_classes(const MethodInput& input, const std::vector<ClassScores>& classes, std::vector<Caveat>& caveats) {
  for (const ClassScores& scores : classes) {
    // Where there is but one class, somebody has said so.
    if (!scores.both() && classes.size() > 1 && scores.negatives > 0) {
      caveats.push_back(
          {.id = "class-without-rows",
           .severity = Severity::note,
           .message = "no row is of " + scores.name + ", so there is no curve for it",
           .evidence = Value::object({{"target", input.schema[*input.target].name}, {"class", scores.name}}),
           .advice = "use rows of all classes"});
    }
    if (!scores.both()) continue;
    const double share = scores.positives / scores.total();
    const std::uint64_t fewer = std::min(scores.positive_rows, scores.negative_rows);
    if (fewer >= few_rows && std::min(share, 1 - share) >= rare_share) continue;
    const std::string name = scores.positive_rows <= scores.negative_rows ? scores.name : scores.other;
    caveats.push_back(
        {.id = "rare-class",
         .severity = fewer < few_rows ? Severity::caution : Severity::note,
         .message = "only " + std::to_string(fewer) + " of " + std::to_string(scores.rows.size()) + " rows are of " +
                    name +
                    (fewer < few_rows ? ": numbers about it may be off by much"
                                      : ": what is right about the other class hides what is wrong about it"),
         .evidence = Value::object({{"target", input.schema[*input.target].name},
                                    {"class", scores.name},
                                    {"rows", fewer},
                                    {"share", std::min(share, 1 - share)}}),
         .advice = fewer < few_rows ? "use more rows of it" : "look at precision and recall rather than at accuracy"});
  }
}

}  // namespace sightglass
