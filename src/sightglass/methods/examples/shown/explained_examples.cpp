#include "sightglass/methods/examples/shown/explained_examples.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/data/level_text_internal.h"
#include "sightglass/data/picked_block.h"
#include "sightglass/methods/local/shapley/coalitions.h"
#include "sightglass/methods/local/shapley/leaf_shapley.h"
#include "sightglass/methods/rows/predicted_class.h"

namespace sightglass {

namespace {

constexpr std::uint64_t background_rows = 50;
constexpr double most_predictions = 2e6;

class ExplainPass : public Pass<RowNumbers, std::vector<AnsweredRow>> {
 public:
  // attributor: null if no attributions are wanted. rows: ascending.
  ExplainPass(const MethodInput& input, std::vector<std::uint64_t> rows, AttributorPtr attributor)
      : input_(input), rows_(std::move(rows)), attributor_(std::move(attributor)) {}

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return input_.features; }
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> rows() const override { return rows_; }
  [[nodiscard]] bool needs_model() const override { return true; }
  [[nodiscard]] std::uint64_t cost_per_row() const override {
    const std::uint64_t each = 1 + (attributor_ != nullptr ? attributor_->cost_per_row() : 0);
    return each * rows_.size() / std::max<std::uint64_t>(1, input_.rows) + 1;
  }
  [[nodiscard]] RowNumbers empty() const override { return RowNumbers(input_.outputs.size() + values()); }

  void map(const RowBlock& block, RowNumbers& sums, Evaluator& evaluator) const override {
    std::vector<std::uint64_t> chosen;
    for (std::size_t row = 0; row < block.rows; ++row) {
      if (std::binary_search(rows_.begin(), rows_.end(), block.row_id(row))) chosen.push_back(row);
    }
    if (chosen.empty()) return;
    const PickedBlock picked(block, chosen);
    RowBlock rows = picked.block();
    rows.weights = {};
    Matrix predictions;
    evaluator.evaluate(rows, predictions);
    BlockAttributions found;
    if (attributor_ != nullptr) attributor_->attribute(rows, evaluator, found);
    for (std::size_t row = 0; row < rows.rows; ++row) {
      sums.rows.push_back(rows.row_id(row));
      for (std::size_t k = 0; k < input_.outputs.size(); ++k) sums.numbers.push_back(predictions(row, k));
      for (std::size_t i = 0; i < values(); ++i) sums.numbers.push_back(found.values[row * values() + i]);
    }
  }

  [[nodiscard]] std::vector<AnsweredRow> find(const RowNumbers& sums) const override {
    std::vector<AnsweredRow> found;
    const double* numbers = sums.numbers.data();
    for (const std::uint64_t row : sums.rows) {
      AnsweredRow& each = found.emplace_back();
      each.row = row;
      each.predictions.assign(numbers, numbers + input_.outputs.size());
      numbers += input_.outputs.size();
      each.attributions.assign(numbers, numbers + values());
      numbers += values();
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
    return found;
  }

 private:
  [[nodiscard]] std::size_t values() const {
    return attributor_ != nullptr ? input_.explained.size() * input_.features.size() : 0;
  }

  MethodInput input_;
  std::vector<std::uint64_t> rows_;
  AttributorPtr attributor_;
};

Chain<AttributorPtr> attributor_of(const MethodInput& input, const std::vector<std::uint64_t>& rows) {
  if (why_not_by_leaves(input).empty()) {
    return count_shapley(input, {.rows = rows});
  }
  const std::size_t p = input.features.size();
  const std::uint64_t background = std::min(background_rows, input.rows);
  const double each = most_predictions / static_cast<double>(std::max<std::size_t>(1, rows.size()));
  CoalitionOptions options{.background_rows = background};
  options.exact = p <= most_enumerated && coalition_cost(p, background, true) <= each;
  const double rounds = each / std::max(1.0, coalition_cost(p, background, false));
  options.rounds = static_cast<std::uint64_t>(
      std::clamp(rounds, static_cast<double>(fewest_rounds), static_cast<double>(options.rounds)));
  return draw_coalitions(input, options);
}

}  // namespace

Chain<std::vector<AnsweredRow>> explain_rows(const MethodInput& input, std::vector<std::uint64_t> rows,
                                             bool attributions) {
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  if (!attributions || input.features.empty()) return over_rows<ExplainPass>(input, std::move(rows), nullptr);
  return attributor_of(input, rows).then([input, rows](AttributorPtr attributor) {
    return over_rows<ExplainPass>(input, rows, std::move(attributor));
  });
}

TrueOutcomes::TrueOutcomes(const MethodInput& input, const RowSample& sample) {
  if (const PredictedClass classes(input); classes.one_output()) {
    names_[0] = classes.name(0);
    names_[1] = classes.name(1);
  }
  if (!input.target) return;
  const std::vector<double>& values = sample.of(*input.target);
  MethodInput all = input;  // which class is explained says nothing about which is true
  if (input.task != Task::regression) {
    all.explained.resize(input.outputs.size());
    std::iota(all.explained.begin(), all.explained.end(), std::size_t{0});
  }
  try {
    outcome_.emplace(all, false, values);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::data) throw;
    return;
  }
  rows_ = sample.ids;
  const ColumnInfo& column = input.schema[*input.target];
  char text[number_text_bytes];
  for (const double value : values) {
    values_.push_back(outcome_->truth(value));
    if (!are_classes() || outcome_->model_outputs() != 1 || std::isnan(values_.back())) continue;
    names_[values_.back() == 1 ? 1 : 0] =
        column.has_levels() ? column.levels()[static_cast<std::size_t>(value)] : std::string(print_number(text, value));
  }
}

std::optional<double> TrueOutcomes::of(std::uint64_t row) const {
  const auto at = std::lower_bound(rows_.begin(), rows_.end(), row);
  if (at == rows_.end() || *at != row) return std::nullopt;
  const double value = values_[static_cast<std::size_t>(at - rows_.begin())];
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

void add_explanations(const MethodInput& input, const std::vector<AnsweredRow>& explained, const TrueOutcomes& truths,
                      std::size_t most, Examples& examples) {
  const bool one_of_two = input.task == Task::binary && input.outputs.size() == 1;
  if (one_of_two) examples.details.set("prediction_of", truths.name(true));
  // Of a class that was asked for, prediction and attributions are its own, whichever is the most likely.
  const bool one_of_several = input.task != Task::regression && input.outputs.size() > 1 && input.explained.size() == 1;
  if (one_of_several) {
    examples.output = input.outputs[input.explained[0]];
    examples.details.set("prediction_of", examples.output);
  }
  for (Example& example : examples.rows) {
    const auto at = std::lower_bound(explained.begin(), explained.end(), example.row,
                                     [](const AnsweredRow& each, std::uint64_t row) { return each.row < row; });
    if (at == explained.end() || at->row != example.row) continue;
    std::size_t likely = input.explained[0];
    if (input.task != Task::regression && input.outputs.size() > 1) {
      likely = static_cast<std::size_t>(std::max_element(at->predictions.begin(), at->predictions.end()) -
                                        at->predictions.begin());
      example.predicted_class = input.outputs[likely];
    }
    const std::size_t output = one_of_several ? input.explained[0] : likely;
    example.prediction = at->predictions[output];
    bool second = false;
    if (one_of_two) {
      second = *example.prediction > (input.scale == Scale::response ? 0.5 : 0.0);
      example.predicted_class = truths.name(second);
    }
    if (const auto truth = truths.of(example.row)) {
      const double said = one_of_two ? (second ? 1 : 0) : static_cast<double>(likely);
      if (truths.are_classes()) {
        example.error = said == *truth ? 0 : 1;
      } else if (input.scale == Scale::response) {
        example.error = *example.prediction - *truth;
      }
    }
    const auto place = std::find(input.explained.begin(), input.explained.end(), output);
    if (at->attributions.empty() || place == input.explained.end()) continue;
    const auto k = static_cast<std::size_t>(place - input.explained.begin());
    const double* values = at->attributions.data() + k * input.features.size();
    std::vector<std::size_t> order(input.features.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return std::abs(values[a]) > std::abs(values[b]); });
    for (const std::size_t j : order) {
      if (example.attributions.size() >= most || values[j] == 0) break;
      example.attributions.push_back({.feature = input.schema[input.features[j]].name, .value = values[j]});
    }
  }
}

}  // namespace sightglass
