#include "sightglass/methods/effects/regions/region_sums.h"

#include <algorithm>
#include <cmath>

#include "sightglass/result/curve_shape.h"

namespace sightglass {

bool RegionRows::inside(const RowRegion& region, std::size_t row) const {
  return std::all_of(region.limits.begin(), region.limits.end(),
                     [&](const RowRegion::Limit& limit) { return limit.bins[bins[limit.column][row]]; });
}

RegionSums::RegionSums(const FeatureGrid& grid, const std::vector<std::size_t>& columns)
    : points_(grid.values.size()),
      variants_(points_ + (grid.has_missing() ? 1 : 0)),
      moments_(points_, grid.has_missing(), {0}),
      cells_(grid.axis.is_categorical() ? points_ : grid.cells.size()) {
  for (const std::size_t bins : columns) columns_.emplace_back(bins, points_);
}

void RegionSums::add(const FeatureGrid& grid, const RegionRows& rows, const std::vector<std::uint32_t>& chosen,
                     MatrixSpan<const double> predictions, std::size_t output,
                     const std::vector<std::size_t>& candidates, bool weighted, const Context& context) {
  if (chosen.empty()) return;
  // The region's rows alone, as a block of their own.
  Matrix own(variants_ * chosen.size(), 1);
  std::vector<double> weights(chosen.size());
  for (std::size_t at = 0; at < chosen.size(); ++at) weights[at] = rows.weights[chosen[at]];
  for (std::size_t v = 0; v < variants_; ++v) {
    for (std::size_t at = 0; at < chosen.size(); ++at)
      own.span()(v * chosen.size() + at, 0) = predictions(v * rows.count + chosen[at], output);
  }
  RowBlock block{.rows = chosen.size()};
  if (weighted) block.weights = view_of(weights);
  weights_.add(block);
  moments_.add(block, own.span(), context);
  count_values(grid, rows, chosen);
  if (!columns_.empty() && points_ > 0) add_columns(rows, chosen, weights, own, candidates, context);
}

void RegionSums::count_values(const FeatureGrid& grid, const RegionRows& rows,
                              const std::vector<std::uint32_t>& chosen) {
  const bool categorical = grid.axis.is_categorical();
  std::vector<std::size_t> point_of_code;
  for (std::size_t point = 0; categorical && point < points_; ++point) {
    const auto code = static_cast<std::size_t>(grid.values[point].number);
    if (code >= point_of_code.size()) point_of_code.resize(code + 1);
    point_of_code[code] = point;
  }
  for (const std::uint32_t row : chosen) {
    const double value = rows.values[row];
    const std::uint64_t units = rows.units[row];
    // A weight that vanishes beside the others: the grid need not know its level.
    if (units == 0) continue;
    if (std::isnan(value)) {
      missing_ += units;
    } else if (categorical) {
      cells_[point_of_code[static_cast<std::size_t>(value)]] += units;
    } else if (std::isfinite(value)) {
      cells_[grid.cells.of(value)] += units;
    }
  }
}

// Adds the centred curves to the bins of every column that may divide the region.
void RegionSums::add_columns(const RegionRows& rows, const std::vector<std::uint32_t>& chosen,
                             const std::vector<double>& weights, const Matrix& own,
                             const std::vector<std::size_t>& candidates, const Context& context) {
  const std::size_t count = chosen.size();
  std::vector<double> centred(points_ * count), means(count, 0.0);
  for (std::size_t point = 0; point < points_; ++point) {
    for (std::size_t at = 0; at < count; ++at) means[at] += own(point * count + at, 0);
  }
  for (double& mean : means) mean /= static_cast<double>(points_);
  for (std::size_t point = 0; point < points_; ++point) {
    for (std::size_t at = 0; at < count; ++at)
      centred[point * count + at] = weights[at] * (own(point * count + at, 0) - means[at]);
  }
  context.parallel_for(columns_.size(), [&](std::size_t c) {
    const std::uint16_t* bin_of = rows.bins[candidates[c]];
    BinSums& into = columns_[c];
    // Rows sorted by bin, so that each bin's values lie side by side.
    std::vector<std::size_t> starts(into.units.size() + 1, 0);
    for (const std::uint32_t row : chosen) {
      ++starts[bin_of[row] + std::size_t{1}];
      into.units[bin_of[row]] += rows.units[row];
    }
    for (std::size_t bin = 1; bin < starts.size(); ++bin) starts[bin] += starts[bin - 1];
    std::vector<std::size_t> next = starts, order(count);
    for (std::size_t at = 0; at < count; ++at) order[next[bin_of[chosen[at]]]++] = at;
    std::vector<double> sorted(count);
    for (std::size_t point = 0; point < points_; ++point) {
      for (std::size_t at = 0; at < count; ++at) sorted[at] = centred[point * count + order[at]];
      for (std::size_t bin = 0; bin + 1 < starts.size(); ++bin) {
        if (starts[bin] == starts[bin + 1]) continue;
        into.sums[bin * points_ + point].add_all({sorted.data() + starts[bin], starts[bin + 1] - starts[bin]});
      }
    }
  });
}

Curve RegionSums::curve(const FeatureGrid& grid, const WeightUnits& units, bool whole) const {
  const ExactSum::Pair total = weights_.total();
  const double root_rows = std::sqrt(weights_.effective_rows());
  Curve curve{.axis = grid.axis, .count = grid.count, .distribution = grid.distribution};
  if (!whole) {
    const bool levels = grid.axis.is_categorical();
    curve.count = units.weights(levels ? cells_ : grid.cells.near_points(cells_));
    curve.distribution.counts = levels ? curve.count : units.weights(grid.cells.in_bins(cells_));
    curve.distribution.rug.clear();  // deciles are of all rows
    curve.distribution.missing = units.weight(missing_);
  }
  for (std::size_t point = 0; point < points_; ++point) {
    const auto at = moments_.point(point, 0, total);
    curve.mean.push_back(at.mean);
    curve.sd.push_back(at.sd);
    curve.se_level.push_back(at.sd / root_rows);
    curve.se_shape.push_back(at.shape_sd / root_rows);
  }
  if (grid.has_missing()) {
    const auto at = moments_.point(points_, 0, total);
    curve.missing = {.mean = at.mean,
                     .sd = at.sd,
                     .se_level = at.sd / root_rows,
                     .se_shape = at.shape_sd / root_rows,
                     .count = curve.distribution.missing};
  }
  if (!grid.axis.is_categorical() && grid.axis.size() > 1) curve.shape = shape_of(curve);
  curve.heterogeneity = heterogeneity();
  return curve;
}

}  // namespace sightglass
