#include "sightglass/methods/examples/shown/row_oddities.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sightglass {

namespace {

constexpr std::size_t oddities_shown = 3;
constexpr double least_oddity = 1;  // standard deviations
constexpr double rare_level = 0.1;  // share of rows

}  // namespace

RowOddities::RowOddities(const Schema& schema, const std::vector<std::uint32_t>& columns, const RowSample& sample,
                         const std::vector<ColumnScale>& scales)
    : schema_(schema), columns_(columns), sample_(sample), scales_(scales), shares_(columns.size()) {
  const double total = std::accumulate(sample.weights.begin(), sample.weights.end(), 0.0);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::vector<double>& values = sample.of(columns[j]);
    for (std::size_t row = 0; row < values.size(); ++row) {
      const bool missing = std::isnan(values[row]);
      if (missing || schema[columns[j]].has_levels())
        shares_[j][missing ? -1 : values[row]] += sample.weights[row] / total;
    }
  }
}

std::vector<Oddity> RowOddities::of(std::uint32_t row) const {
  std::vector<std::pair<double, Oddity>> found;  // how odd
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const ColumnInfo& info = schema_[columns_[j]];
    const double value = sample_.of(columns_[j])[row];
    if (info.has_levels() || std::isnan(value)) {
      const double share = shares_[j].at(std::isnan(value) ? -1 : value);
      // As far out as a number of which so few are farther from the middle: P(|z| > s) ≈ exp(−s²/2).
      if (share < rare_level)
        found.emplace_back(std::sqrt(-2 * std::log(share)),
                           Oddity{.feature = info.name, .deviation = std::nullopt, .share = share});
      continue;
    }
    const double deviation = scales_[j].scaled(value);
    if (std::abs(deviation) >= least_oddity)
      found.emplace_back(std::abs(deviation), Oddity{.feature = info.name, .deviation = deviation});
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (found.size() > oddities_shown) found.resize(oddities_shown);
  std::vector<Oddity> made;
  for (auto& each : found) made.push_back(std::move(each.second));
  return made;
}

}  // namespace sightglass
