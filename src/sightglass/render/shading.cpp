#include "sightglass/render/shading.h"

#include <cmath>

namespace sightglass {

std::vector<Doubt> doubts_of(const Curve& curve) {
  std::vector<Doubt> doubts(curve.axis.size());
  for (const auto i : curve.sparse) {
    if (i < doubts.size()) doubts[i].sparse = true;
  }
  for (const auto i : curve.extrapolated) {
    if (i < doubts.size()) doubts[i].extrapolated = true;
  }
  return doubts;
}

std::vector<ShadedSpan> shaded_spans(const Curve& curve) {
  std::vector<ShadedSpan> spans;
  if (curve.axis.is_categorical()) return spans;
  const auto& grid = curve.axis.numbers;
  const auto doubts = doubts_of(curve);
  for (const bool extrapolated : {false, true}) {
    bool open = false;
    for (std::size_t i = 0; i < grid.size(); ++i) {
      if (!(extrapolated ? doubts[i].extrapolated : doubts[i].sparse) || !std::isfinite(grid[i])) {
        open = false;
        continue;
      }
      const double low = i > 0 && std::isfinite(grid[i - 1]) ? grid[i] / 2 + grid[i - 1] / 2 : grid[i];
      const bool last = i + 1 == grid.size() || !std::isfinite(grid[i + 1]);
      const double high = last ? grid[i] : grid[i] / 2 + grid[i + 1] / 2;
      if (open) {
        spans.back().high = high;
      } else {
        spans.push_back({low, high, extrapolated});
      }
      open = true;
    }
  }
  return spans;
}

std::vector<ShadedSpan> shaded_spans(const ItemGroup& group) {
  const bool several = group.curve.size() > 1;
  if (group.curve.empty() || (several && group.lines == LinesBy::group)) return {};
  auto spans = shaded_spans(*group.curve[0]);
  if (several && group.lines == LinesBy::series) {
    std::erase_if(spans, [](const ShadedSpan& span) { return span.extrapolated; });
  }
  return spans;
}

bool no_rows_at(const Surface& surface, std::size_t i, std::size_t j) {
  const auto& count = surface.count;
  if (count.empty()) return false;
  if (surface.measure != Measure::effect) return !(count[i][j] > 0);
  for (std::size_t a = i > 0 ? i - 1 : 0; a <= i && a < count.size(); ++a) {
    for (std::size_t b = j > 0 ? j - 1 : 0; b <= j && b < count[a].size(); ++b) {
      if (count[a][b] > 0) return false;
    }
  }
  return true;
}

}  // namespace sightglass
