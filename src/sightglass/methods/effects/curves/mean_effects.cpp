#include "sightglass/methods/effects/curves/mean_effects.h"

#include <algorithm>
#include <cmath>

#include "sightglass/result/curve_shape.h"

namespace sightglass {

MeanEffects::MeanEffects(const Grids& grids, const std::vector<std::size_t>& outputs) {
  for (const FeatureGrid& grid : grids) curves_.emplace_back(grid.values.size(), grid.has_missing(), outputs);
}

std::uint64_t MeanEffects::cost_per_row(const Grids& grids) {
  std::uint64_t cost = 0;
  for (const FeatureGrid& grid : grids) cost += grid.values.size() + (grid.has_missing() ? 1 : 0);
  return cost;
}

void MeanEffects::add(const Grids& grids, const RowBlock& block, Evaluator& evaluator) {
  weights_.add(block);
  Matrix predictions;
  for (std::size_t i = 0; i < grids.size(); ++i) {
    std::vector<Variant> variants;
    for (const Scalar& value : grids[i].values) variants.push_back({{grids[i].column, value}});
    if (grids[i].has_missing()) variants.push_back({{grids[i].column, Scalar::missing()}});
    for_each_slice(block, rows_per_request(variants.size()), [&](const RowBlock& part) {
      evaluator.evaluate(part, variants, predictions);
      curves_[i].add(part, predictions.span(), evaluator.context());
    });
  }
}

Curve MeanEffects::curve(const Grids& grids, std::size_t feature, std::size_t output, const std::string& name) const {
  const FeatureGrid& grid = grids[feature];
  const EffectMoments& moments = curves_[feature];
  const ExactSum::Pair total = weights_.total();
  const double root_rows = std::sqrt(weights_.effective_rows());
  Curve curve{.axis = grid.axis, .output = name, .count = grid.count, .distribution = grid.distribution};
  for (std::size_t point = 0; point < grid.values.size(); ++point) {
    const auto at = moments.point(point, output, total);
    curve.mean.push_back(at.mean);
    curve.sd.push_back(at.sd);
    curve.se_level.push_back(at.sd / root_rows);
    curve.se_shape.push_back(at.shape_sd / root_rows);
  }
  if (grid.has_missing()) {
    const auto at = moments.point(grid.values.size(), output, total);
    curve.missing = {.mean = at.mean,
                     .sd = at.sd,
                     .se_level = at.sd / root_rows,
                     .se_shape = at.shape_sd / root_rows,
                     .count = grid.distribution.missing};
  }
  if (!grid.axis.is_categorical() && grid.axis.size() > 1) curve.shape = shape_of(curve);
  curve.heterogeneity = moments.heterogeneity(output, total);
  return curve;
}

LeafCounts::Axis axis_of(const FeatureGrid& grid, bool with_missing) {
  LeafCounts::Axis axis{.column = grid.column};
  for (const Scalar& value : grid.values) axis.values.push_back(value.number);
  if (with_missing && grid.has_missing()) axis.values.push_back(Scalar::missing().number);
  return axis;
}

Curve mean_curve(const FeatureGrid& grid, const std::vector<double>& means, std::size_t output, std::size_t outputs,
                 const std::string& name) {
  Curve curve{.axis = grid.axis, .output = name, .count = grid.count, .distribution = grid.distribution};
  for (std::size_t point = 0; point < grid.values.size(); ++point)
    curve.mean.push_back(means[point * outputs + output]);
  if (grid.has_missing())
    curve.missing = {.mean = means[grid.values.size() * outputs + output], .count = grid.distribution.missing};
  if (!grid.axis.is_categorical() && grid.axis.size() > 1) curve.shape = shape_of(curve);
  return curve;
}

std::optional<std::size_t> nearest_point(const FeatureGrid& grid, double value) {
  if (!std::isfinite(value) || grid.values.empty()) return std::nullopt;
  if (grid.axis.is_categorical()) {
    for (std::size_t point = 0; point < grid.values.size(); ++point) {
      if (grid.values[point].number == value) return point;
    }
    return std::nullopt;
  }
  const auto at = std::lower_bound(grid.values.begin(), grid.values.end(), value,
                                   [](const Scalar& point, double v) { return point.number < v; });
  if (at == grid.values.begin()) return 0;
  if (at == grid.values.end()) return grid.values.size() - 1;
  const auto above = static_cast<std::size_t>(at - grid.values.begin());
  return value - grid.values[above - 1].number <= at->number - value ? above - 1 : above;
}

}  // namespace sightglass
