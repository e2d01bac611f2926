#include "sightglass/insight/shading.h"

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

std::string marks_explained(const Doubt& any, bool levels) {
  if (!any.any()) return {};
  std::string text = levels ? "Faded: " : "Shaded: ";
  if (any.sparse) text += any.extrapolated ? "few rows, or " : "few rows there.";
  if (any.extrapolated)
    text += std::string(extrapolated_words) + ": many rows set to such a value are unlike any in the data.";
  return text;
}

std::vector<ShadedSpan> shaded_spans(const Curve& curve) {
  std::vector<ShadedSpan> spans;
  if (curve.axis.is_categorical()) return spans;
  for (const bool extrapolated : {false, true}) {
    for (const auto& range : marked_ranges(curve.axis.numbers, extrapolated ? curve.extrapolated : curve.sparse)) {
      spans.push_back({range, extrapolated});
    }
  }
  return spans;
}

std::vector<ShadedSpan> shaded_spans(const CurveLines& group) {
  const bool several = group.curve.size() > 1;
  if (group.curve.empty() || (several && group.lines == LinesBy::group)) return {};
  auto spans = shaded_spans(*group.curve[0]);
  if (several && group.lines == LinesBy::series) {
    std::erase_if(spans, [](const ShadedSpan& span) { return span.extrapolated; });
  }
  return spans;
}

namespace {

constexpr double least_rows = 5;
constexpr double window = 0.05;  // of a feature's range

// The part of the step from a grid point to the next that a window covers; levels have no width.
std::vector<double> covered_parts(const Axis& axis) {
  std::vector<double> parts;
  for (std::size_t i = 0; i + 1 < axis.size(); ++i) {
    double part = 1;
    if (!axis.is_categorical()) {
      const double range = axis.numbers.back() / 2 - axis.numbers.front() / 2;
      const double width = axis.numbers[i + 1] / 2 - axis.numbers[i] / 2;
      if (width > window * range) part = window * range / width;
    }
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

ThinCells::ThinCells(const Surface& surface) : surface_(surface) {
  if (surface.measure != Measure::effect || surface.count.empty()) return;
  const auto first = covered_parts(surface.first), second = covered_parts(surface.second);
  bool enough = false;
  for (std::size_t i = 0; i < surface.count.size(); ++i) {
    auto& row = thin_.emplace_back();
    for (std::size_t j = 0; j < surface.count[i].size(); ++j) {
      const double rows = surface.count[i][j];
      const double part = (i < first.size() ? first[i] : 1) * (j < second.size() ? second[j] : 1);
      row.push_back(rows > 0 && (rows < least_rows || rows * part < 1));
      any_ = any_ || row.back();
      enough = enough || (rows > 0 && !row.back());
    }
  }
  any_ = any_ && enough;
}

bool ThinCells::at(std::size_t i, std::size_t j) const {
  if (!any_) return false;
  bool thin = false;
  for (std::size_t a = i > 0 ? i - 1 : 0; a <= i && a < thin_.size(); ++a) {
    for (std::size_t b = j > 0 ? j - 1 : 0; b <= j && b < thin_[a].size(); ++b) {
      if (!thin_[a][b] && surface_.count[a][b] > 0) return false;
      thin = thin || thin_[a][b];
    }
  }
  return thin;
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

bool lies_between_points(const Surface& surface) {
  return surface.measure == Measure::effect && !surface.first.is_categorical() && !surface.second.is_categorical() &&
         surface.first.size() > 1 && surface.second.size() > 1;
}

std::vector<std::vector<double>> drawn_heights(const Surface& surface) {
  const auto& heights = surface.mean;
  if (!lies_between_points(surface)) return heights;
  std::vector<std::vector<double>> cells(surface.first.size() - 1);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (std::size_t j = 0; j + 1 < surface.second.size(); ++j)
      cells[i].push_back(heights[i][j] / 4 + heights[i + 1][j] / 4 + heights[i][j + 1] / 4 + heights[i + 1][j + 1] / 4);
  }
  return cells;
}

}  // namespace sightglass
