// What predictions do when rows are moved a step along one feature, or along two at once: exact sums per step,
// from which accumulated local effects are put together.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sightglass/methods/effects/accumulated/feature_bins.h"
#include "sightglass/methods/run/method.h"
#include "sightglass/numeric/exact_sum.h"

namespace sightglass {

// The differences of one feature, per step.
class StepEffects {
 public:
  StepEffects() = default;
  StepEffects(std::size_t steps, std::size_t outputs) : outputs_(outputs), steps_(steps), moments_(steps * outputs) {}

  [[nodiscard]] std::size_t steps() const { return steps_.size(); }
  [[nodiscard]] std::size_t outputs() const { return outputs_; }
  [[nodiscard]] std::uint64_t rows(std::size_t step) const { return steps_[step].rows; }
  [[nodiscard]] double weight(std::size_t step) const { return steps_[step].weight.value(); }
  // (Σw)²/Σw²: how many rows of equal weight would tell as much.
  [[nodiscard]] double effective_rows(std::size_t step) const;
  [[nodiscard]] double mean(std::size_t step, std::size_t output) const;
  // Σ w (difference − mean)² / Σ w.
  [[nodiscard]] double variance(std::size_t step, std::size_t output) const;

  // Rows sorted by step: those of step s are [begin[s], begin[s + 1]) of `weights` (empty: all 1) …
  void add_rows(std::span<const std::size_t> begin, std::span<const double> weights);
  // … and of the differences of one output.
  void add_differences(std::size_t output, std::span<const std::size_t> begin, std::span<const double> weights,
                       std::span<const double> differences);
  static auto members() { return std::tuple(&StepEffects::steps_, &StepEffects::moments_); }

 private:
  struct Step {
    std::uint64_t rows = 0;
    ExactSum weight, squares;
    static auto members() { return std::tuple(&Step::rows, &Step::weight, &Step::squares); }
  };
  std::size_t outputs_ = 0;
  std::vector<Step> steps_;
  std::vector<ExactMoments> moments_;  // [step][output]
};

// The differences of differences of two features, per cell of a step of the first and a step of the second. Most
// cells of two features with many levels hold no row and take no memory.
struct CellEffects {
  std::size_t bins[2] = {0, 0}, steps[2] = {0, 0}, outputs = 0;
  std::map<std::uint64_t, ExactSum> weights;            // by first bin × bins[1] + second bin
  std::map<std::uint64_t, std::vector<ExactSum>> sums;  // by first step × steps[1] + second step, per output

  void merge(const CellEffects& other);
  void save(ByteSink& sink) const;
  void load(ByteSource& source);
};

struct LocalEffects {
  std::vector<StepEffects> features;
  std::vector<CellEffects> pairs;

  static auto members() { return std::tuple(&LocalEffects::features, &LocalEffects::pairs); }
};

[[nodiscard]] Chain<LocalEffects> measure_local_effects(const MethodInput& input, std::vector<FeatureBins> features,
                                                        std::vector<std::pair<FeatureBins, FeatureBins>> pairs);

}  // namespace sightglass
