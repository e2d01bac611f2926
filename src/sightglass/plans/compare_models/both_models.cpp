#include "sightglass/plans/compare_models/both_models.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/methods/losses/losses.h"
#include "sightglass/methods/rows/predicted_class.h"

namespace sightglass {

namespace {

std::string named(const std::vector<std::string>& classes) {
  std::string text;
  for (std::size_t i = 0; i < classes.size() && i < 6; ++i) text += (i > 0 ? ", " : "") + printable(classes[i], 40);
  return text + (classes.size() > 6 ? ", …" : "");
}

// Columns of the model's outputs, for each of the wanted numbers.
struct OutputPlaces {
  bool one_output = false;          // the probability of the second class
  std::vector<std::size_t> places;  // of each wanted number among the model's own
};

OutputPlaces places_of(const MethodInput& input, const std::vector<std::string>& classes, std::size_t numbers) {
  const PredictedClass own(input);
  OutputPlaces found;
  if (classes.empty() != !own.any()) {
    throw Error(ErrorKind::usage, "one of the models predicts numbers, the other classes",
                "compare models that predict the same");
  }
  if (classes.empty()) {
    if (input.explained.size() != numbers) {
      throw Error(ErrorKind::usage,
                  "the first model has " + std::to_string(numbers) + " outputs to explain, the second " +
                      std::to_string(input.explained.size()),
                  marked("choose one with {option:output}"));
    }
    found.places = input.explained;
    return found;
  }
  found.one_output = own.one_output();
  for (const std::string& name : classes) {
    const auto at = std::find(own.names().begin(), own.names().end(), name);
    if (at == own.names().end() || own.names().size() != classes.size()) {
      throw Error(
          ErrorKind::usage,
          "the models predict other classes: " + named(classes) + " the first, " + named(own.names()) + " the second",
          marked("where only the names differ, give them with {option:classes}"));
    }
    found.places.push_back(static_cast<std::size_t>(at - own.names().begin()));
  }
  return found;
}

}  // namespace

BothModels::BothModels(const RunSession& first, const RunSession& second) {
  const MethodInput& input = first.input("response");
  classes_ = PredictedClass(input).names();
  numbers_ = classes_.empty() ? input.explained.size() : classes_.size();
  predict(first, 0);
  predict(second, 1);
  distances_.resize(rows());
  for (std::size_t row = 0; row < rows(); ++row) {
    double sum = 0;
    for (std::size_t k = 0; k < numbers_; ++k) sum += std::abs(prediction(1, row, k) - prediction(0, row, k));
    distances_[row] = classes_.empty() ? sum / static_cast<double>(numbers_) : sum / 2;
  }
  find_truths(first);
}

void BothModels::predict(const RunSession& session, std::size_t model) {
  const MethodInput& input = session.input("response");
  const OutputPlaces outputs = places_of(input, classes_, numbers_);
  Evaluator& evaluator = session.evaluator("response");
  std::vector<double>& all = predictions_[model];
  const auto stream = session.rows().open(evaluator.columns(), static_cast<std::size_t>(session.options().batch));
  Matrix predicted;
  while (const auto block = stream->next()) {
    evaluator.evaluate(*block, predicted);
    for (std::size_t row = 0; row < block->rows; ++row) {
      if (model == 0) {
        ids_.push_back(block->row_id(row));
        weights_.push_back(block->weight(row));
      }
      for (const std::size_t place : outputs.places) {
        const double number = predicted(row, outputs.one_output ? 0 : place);
        all.push_back(outputs.one_output && place == 0 ? 1 - number : number);
      }
    }
  }
}

void BothModels::find_truths(const RunSession& session) {
  MethodInput input = session.input("response");
  if (!input.target) return;
  if (classes_.empty() && numbers_ > 1) return;  // of which is it the truth?
  if (!classes_.empty()) {
    input.explained.resize(input.outputs.size());
    std::iota(input.explained.begin(), input.explained.end(), std::size_t{0});
  }
  const std::vector<std::uint32_t> columns = {*input.target};
  const auto stream = session.rows().open(columns, static_cast<std::size_t>(session.options().batch));
  while (const auto block = stream->next()) {
    for (std::size_t row = 0; row < block->rows; ++row) truths_.push_back(block->columns[*input.target].number(row));
  }
  const Outcome outcome(input, !classes_.empty(), truths_);
  for (double& truth : truths_) truth = outcome.truth(truth);
}

std::size_t BothModels::class_of(std::size_t model, std::size_t row) const {
  std::size_t best = 0;
  for (std::size_t k = 1; k < numbers_; ++k) {
    if (prediction(model, row, k) > prediction(model, row, best)) best = k;
  }
  return best;
}

std::optional<double> BothModels::difference(std::size_t row) const {
  if (classes_.size() == 2) return prediction(1, row, 1) - prediction(0, row, 1);
  if (!classes_.empty() || numbers_ > 1) return std::nullopt;
  return prediction(1, row, 0) - prediction(0, row, 0);
}

std::optional<double> BothModels::error(std::size_t model, std::size_t row) const {
  if (truths_.empty() || std::isnan(truths_[row])) return std::nullopt;
  if (classes_.empty()) return std::abs(prediction(model, row, 0) - truths_[row]);
  return static_cast<double>(class_of(model, row)) == truths_[row] ? 0 : 1;
}

std::vector<std::size_t> BothModels::farthest(std::size_t most) const {
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < rows(); ++row) {
    if (weights_[row] > 0 && distances_[row] > 0) order.push_back(row);
  }
  const std::size_t count = std::min(most, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return distances_[a] != distances_[b] ? distances_[a] > distances_[b] : a < b;
                    });
  order.resize(count);
  return order;
}

}  // namespace sightglass
