#include "sightglass/methods/effects/curves/curve_picks.h"

#include <algorithm>

#include "sightglass/methods/effects/curves/effect_moments.h"
#include "sightglass/methods/run/ticks.h"

namespace sightglass {

namespace {

struct PickWork {
  MethodInput input;
  Ticks ticks;
  std::size_t wanted;
  std::size_t output = 0;
  std::function<Next(CurvePicks)> then;
};

class PredictionStage : public Stage {
 public:
  explicit PredictionStage(std::shared_ptr<const PickWork> work) : work_(std::move(work)) {}
  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return {}; }
  [[nodiscard]] bool needs_model() const override { return true; }
  [[nodiscard]] std::uint64_t cost_per_row() const override { return 1; }

 protected:
  std::shared_ptr<const PickWork> work_;
};

// The plain predictions of all rows.
class PredictionList : public Partial {
 public:
  std::vector<std::pair<double, std::uint64_t>> rows;  // prediction of one output, row
  std::vector<ValueRange> ranges;                      // per explained output

  void merge(const Partial& partial) override {
    const auto& other = dynamic_cast<const PredictionList&>(partial);
    rows.insert(rows.end(), other.rows.begin(), other.rows.end());
    for (std::size_t k = 0; k < ranges.size(); ++k) ranges[k].add(other.ranges[k]);
  }
  void save(ByteSink& sink) const override {
    sink.u64(rows.size());
    for (const auto& [prediction, row] : rows) {
      sink.f64(prediction);
      sink.u64(row);
    }
    for (const ValueRange& range : ranges) range.save(sink);
  }
  void load(ByteSource& source) override {
    rows.resize(source.count(16));
    for (auto& [prediction, row] : rows) {
      prediction = source.f64();
      row = source.u64();
    }
    for (ValueRange& range : ranges) range.load(source);
  }
};

class PickStage : public PredictionStage {
 public:
  using PredictionStage::PredictionStage;
  [[nodiscard]] std::unique_ptr<Partial> empty() const override {
    auto partial = std::make_unique<PredictionList>();
    partial->ranges.resize(work_->input.explained.size());
    return partial;
  }

  void map(const RowBlock& block, Partial& partial, Evaluator& evaluator) const override {
    auto& list = dynamic_cast<PredictionList&>(partial);
    Matrix predictions;
    evaluator.evaluate(block, predictions);
    const auto& outputs = work_->input.explained;
    for (std::size_t row = 0; row < block.rows; ++row) {
      if (work_->ticks.of(block, row) == 0) continue;
      list.rows.emplace_back(predictions(row, outputs[work_->output]), block.row_id(row));
      for (std::size_t k = 0; k < outputs.size(); ++k) list.ranges[k].add(predictions(row, outputs[k]));
    }
  }

  [[nodiscard]] Next next(const Partial& merged) const override {
    const auto& list = dynamic_cast<const PredictionList&>(merged);
    auto rows = list.rows;
    std::sort(rows.begin(), rows.end());
    const std::size_t wanted = std::min(work_->wanted, rows.size());
    CurvePicks picks{.output = work_->output, .predictions = list.ranges};
    for (std::size_t k = 0; k < wanted; ++k)
      picks.rows.push_back(rows[(2 * k + 1) * rows.size() / (2 * wanted)].second);
    std::sort(picks.rows.begin(), picks.rows.end());
    return work_->then(std::move(picks));
  }
};

class PredictionSpread : public Partial {
 public:
  WeightSums weights;
  std::vector<ExactMoments> outputs;

  void merge(const Partial& partial) override {
    const auto& other = dynamic_cast<const PredictionSpread&>(partial);
    weights.merge(other.weights);
    for (std::size_t k = 0; k < outputs.size(); ++k) outputs[k].merge(other.outputs[k]);
  }
  void save(ByteSink& sink) const override {
    weights.save(sink);
    for (const ExactMoments& moments : outputs) moments.save(sink);
  }
  void load(ByteSource& source) override {
    weights.load(source);
    for (ExactMoments& moments : outputs) moments.load(source);
  }
};

// Finds the output that varies most. A pass of its own: keeping every output of every row until it is known would
// take memory for rows × classes.
class SpreadStage : public PredictionStage {
 public:
  using PredictionStage::PredictionStage;
  [[nodiscard]] std::unique_ptr<Partial> empty() const override {
    auto partial = std::make_unique<PredictionSpread>();
    partial->outputs.resize(work_->input.explained.size());
    return partial;
  }

  void map(const RowBlock& block, Partial& partial, Evaluator& evaluator) const override {
    auto& spread = dynamic_cast<PredictionSpread&>(partial);
    Matrix predictions;
    evaluator.evaluate(block, predictions);
    spread.weights.add(block);
    for (std::size_t row = 0; row < block.rows; ++row) {
      const double weight = block.weight(row);
      if (!(weight > 0)) continue;
      for (std::size_t k = 0; k < spread.outputs.size(); ++k)
        spread.outputs[k].add(predictions(row, work_->input.explained[k]), weight);
    }
  }

  [[nodiscard]] Next next(const Partial& merged) const override {
    const auto& spread = dynamic_cast<const PredictionSpread&>(merged);
    auto work = std::make_shared<PickWork>(*work_);
    double largest = -1;
    for (std::size_t k = 0; k < spread.outputs.size(); ++k) {
      const double variance = spread.outputs[k].variance(spread.weights.total());
      // Rounding must not decide: the two classes of a binary model vary alike.
      if (variance > largest * (1 + 1e-9)) {
        largest = variance;
        work->output = k;
      }
    }
    return std::make_unique<PickStage>(std::move(work));
  }
};

}  // namespace

std::unique_ptr<Stage> pick_curves(const MethodInput& input, std::size_t wanted, std::function<Next(CurvePicks)> then) {
  auto work = std::make_shared<PickWork>(
      PickWork{.input = input, .ticks = Ticks(input), .wanted = wanted, .then = std::move(then)});
  if (input.explained.size() > 1) return std::make_unique<SpreadStage>(std::move(work));
  return std::make_unique<PickStage>(std::move(work));
}

}  // namespace sightglass
