#include "sightglass/methods/grid/value_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sightglass/methods/grid/feature_grid.h"

namespace sightglass {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

ValueCells::ValueCells(const std::vector<double>& points, double low, double high, const std::vector<double>& edges) {
  const double reach = near_reach(low, high);
  struct Window {
    double begin, end;  // a value at `end` is no longer near
  };
  std::vector<Window> windows;
  for (const double point : points) {
    // Differences decide, which are exact near the point; the border itself is rounded at the size of the point.
    Window window{point - reach, point + reach};
    while (window.begin < point && point - window.begin > reach) window.begin = std::nextafter(window.begin, infinity);
    while (window.end > point && window.end - point > reach) window.end = std::nextafter(window.end, -infinity);
    window.end = std::nextafter(window.end, infinity);
    windows.push_back(window);
    cuts_.insert(cuts_.end(), {windows.back().begin, windows.back().end});
  }
  if (edges.size() > 2) cuts_.insert(cuts_.end(), edges.begin() + 1, edges.end() - 1);
  std::sort(cuts_.begin(), cuts_.end());
  cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
  search_ = BucketSearch<double>(cuts_);
  for (const Window& window : windows) near_.push_back({of(window.begin), of(window.end)});
  for (std::size_t bin = 0; bin + 1 < edges.size(); ++bin) {
    bins_.push_back({bin == 0 ? 0 : of(edges[bin]), bin + 2 == edges.size() ? size() : of(edges[bin + 1])});
  }
}

std::vector<std::uint64_t> ValueCells::near_points(std::span<const std::uint64_t> cells) const {
  return sums(cells, near_);
}

std::vector<std::uint64_t> ValueCells::in_bins(std::span<const std::uint64_t> cells) const {
  return sums(cells, bins_);
}

std::vector<std::uint64_t> ValueCells::sums(std::span<const std::uint64_t> cells, const std::vector<Run>& runs) {
  std::vector<std::uint64_t> before(cells.size() + 1, 0);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) before[cell + 1] = before[cell] + cells[cell];
  std::vector<std::uint64_t> sums;
  for (const Run& run : runs) sums.push_back(before[run.end] - before[run.begin]);
  return sums;
}

}  // namespace sightglass
