// The mean prediction at every value of a feature's grid, as exact sums over rows: partial dependence. Shared by
// the methods that show it or measure something on it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sightglass/methods/effects/curves/effect_moments.h"
#include "sightglass/methods/effects/curves/leaf_counts.h"
#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

// The sums behind the curves of several features. Every member is given the same grids.
class MeanEffects {
 public:
  using Grids = std::vector<FeatureGrid>;

  // outputs: those of the model that curves are about.
  MeanEffects(const Grids& grids, const std::vector<std::size_t>& outputs);

  // Model rows that add() asks for, per data row.
  [[nodiscard]] static std::uint64_t cost_per_row(const Grids& grids);
  void add(const Grids& grids, const RowBlock& block, Evaluator& evaluator);
  static auto members() { return std::tuple(&MeanEffects::weights_, &MeanEffects::curves_); }

  [[nodiscard]] const WeightSums& weights() const { return weights_; }
  // The curve of grids[feature]; output is the position among the outputs, `name` what it is called.
  [[nodiscard]] Curve curve(const Grids& grids, std::size_t feature, std::size_t output, const std::string& name) const;

 private:
  WeightSums weights_;
  std::vector<EffectMoments> curves_;
};

// What a grid sets its column to; with a missing value last, if it has one and that is wanted.
[[nodiscard]] LeafCounts::Axis axis_of(const FeatureGrid& grid, bool with_missing);
// A curve of means alone: [value × outputs + output], a missing value last where the grid has one.
[[nodiscard]] Curve mean_curve(const FeatureGrid& grid, const std::vector<double>& means, std::size_t output,
                               std::size_t outputs, const std::string& name);

// The grid point nearest to a row's value (the lower one of two equally near), or nothing if it is missing.
[[nodiscard]] std::optional<std::size_t> nearest_point(const FeatureGrid& grid, double value);

}  // namespace sightglass
