#include "sightglass/methods/effects/curves/curve_picks.h"

#include <algorithm>

#include "sightglass/methods/effects/curves/effect_moments.h"
#include "sightglass/methods/run/weight_units.h"

namespace sightglass {

namespace {

// The plain predictions of all rows.
struct PredictionList {
  RowNumbers rows;                 // of one output
  std::vector<ValueRange> ranges;  // per explained output

  static auto members() { return std::tuple(&PredictionList::rows, &PredictionList::ranges); }
};

class PickPass : public Pass<PredictionList, CurvePicks> {
 public:
  // output: of those explained, the one that ranks the rows.
  PickPass(const MethodInput& input, std::size_t wanted, std::size_t output)
      : explained_(input.explained), units_(input), wanted_(wanted), output_(output) {}
  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return {}; }
  [[nodiscard]] bool needs_model() const override { return true; }
  [[nodiscard]] std::uint64_t cost_per_row() const override { return 1; }
  [[nodiscard]] PredictionList empty() const override {
    return {.rows = RowNumbers(1), .ranges = std::vector<ValueRange>(explained_.size())};
  }

  void map(const RowBlock& block, PredictionList& list, Evaluator& evaluator) const override {
    Matrix predictions;
    evaluator.evaluate(block, predictions);
    for (std::size_t row = 0; row < block.rows; ++row) {
      if (units_.of(block, row) == 0) continue;
      list.rows.rows.push_back(block.row_id(row));
      list.rows.numbers.push_back(predictions(row, explained_[output_]));
      for (std::size_t k = 0; k < explained_.size(); ++k) list.ranges[k].add(predictions(row, explained_[k]));
    }
  }

  [[nodiscard]] CurvePicks find(const PredictionList& list) const override {
    std::vector<std::pair<double, std::uint64_t>> rows;
    for (std::size_t i = 0; i < list.rows.rows.size(); ++i) rows.emplace_back(list.rows.numbers[i], list.rows.rows[i]);
    std::sort(rows.begin(), rows.end());
    const std::size_t wanted = std::min(wanted_, rows.size());
    CurvePicks picks{.output = output_, .predictions = list.ranges};
    for (std::size_t k = 0; k < wanted; ++k)
      picks.rows.push_back(rows[(2 * k + 1) * rows.size() / (2 * wanted)].second);
    std::sort(picks.rows.begin(), picks.rows.end());
    return picks;
  }

 private:
  std::vector<std::size_t> explained_;
  WeightUnits units_;
  std::size_t wanted_, output_;
};

struct PredictionSpread {
  WeightSums weights;
  std::vector<ExactMoments> outputs;

  static auto members() { return std::tuple(&PredictionSpread::weights, &PredictionSpread::outputs); }
};

// Finds the output that varies most. A pass of its own: keeping every output of every row until it is known would
// take memory for rows × classes.
class SpreadPass : public Pass<PredictionSpread, std::size_t> {
 public:
  explicit SpreadPass(const MethodInput& input) : explained_(input.explained) {}
  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return {}; }
  [[nodiscard]] bool needs_model() const override { return true; }
  [[nodiscard]] std::uint64_t cost_per_row() const override { return 1; }
  [[nodiscard]] PredictionSpread empty() const override {
    return {.weights = {}, .outputs = std::vector<ExactMoments>(explained_.size())};
  }

  void map(const RowBlock& block, PredictionSpread& spread, Evaluator& evaluator) const override {
    Matrix predictions;
    evaluator.evaluate(block, predictions);
    spread.weights.add(block);
    for (std::size_t row = 0; row < block.rows; ++row) {
      const double weight = block.weight(row);
      if (!(weight > 0)) continue;
      for (std::size_t k = 0; k < spread.outputs.size(); ++k)
        spread.outputs[k].add(predictions(row, explained_[k]), weight);
    }
  }

  [[nodiscard]] std::size_t find(const PredictionSpread& spread) const override {
    std::size_t output = 0;
    double largest = -1;
    for (std::size_t k = 0; k < spread.outputs.size(); ++k) {
      const double variance = spread.outputs[k].variance(spread.weights.total());
      // Rounding must not decide: the two classes of a binary model vary alike.
      if (variance > largest * (1 + 1e-9)) {
        largest = variance;
        output = k;
      }
    }
    return output;
  }

 private:
  std::vector<std::size_t> explained_;
};

}  // namespace

Chain<CurvePicks> pick_curves(const MethodInput& input, std::size_t wanted) {
  Chain<std::size_t> output = input.explained.size() > 1 ? over_rows<SpreadPass>(input) : Chain<std::size_t>(0);
  return std::move(output).then([=](std::size_t ranking) { return over_rows<PickPass>(input, wanted, ranking); });
}

}  // namespace sightglass
