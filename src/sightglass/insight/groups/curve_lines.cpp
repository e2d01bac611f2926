#include "sightglass/insight/groups/curve_lines.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "sightglass/base/error.h"
#include "sightglass/insight/groups.h"
#include "sightglass/insight/readable.h"

namespace sightglass {

namespace {

constexpr std::size_t lines_per_chart = 8;

using FeatureKey = std::pair<std::string, bool>;  // name, categorical

FeatureKey feature_key(const Curve& curve) { return {curve.axis.feature, curve.axis.is_categorical()}; }

double mean_height(const Curve& curve) {
  double sum = 0, weight = 0;
  const auto add = [&](double height, double count) {
    if (!std::isfinite(height) || !(count > 0) || !std::isfinite(count)) return;
    weight += count;
    sum += (height - sum) * count / weight;  // never larger than the heights themselves
  };
  const bool counted = curve.count.size() == curve.mean.size();
  for (std::size_t i = 0; i < curve.mean.size(); ++i) add(curve.mean[i], counted ? curve.count[i] : 1);
  if (weight > 0) return sum;
  for (const double height : curve.mean) add(height, 1);
  return sum;
}

}  // namespace

std::string CurveLines::output() const { return lines == LinesBy::output ? std::string() : curve[0]->output; }

std::string CurveLines::rows() const { return lines == LinesBy::group ? std::string() : curve[0]->group; }

bool CurveLines::is_empty() const {
  return std::all_of(curve.begin(), curve.end(), [](const Curve* line) { return line->axis.size() == 0; });
}

std::vector<PlacedGroup> group_curves(const Result& result, const std::vector<const ResultItem*>& items) {
  std::set<FeatureKey> by_series, by_group;
  for (const ResultItem* item : items) {
    const auto& curve = item->get<Curve>();
    if (!curve.series.empty() && curve.measure != Measure::loss) by_series.insert(feature_key(curve));
    if (!curve.group.empty()) by_group.insert(feature_key(curve));
  }
  std::vector<std::pair<std::size_t, CurveLines>> charts;
  std::map<std::tuple<FeatureKey, LinesBy, std::string, std::string, std::string, Measure>, std::size_t> open;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto& curve = items[i]->get<Curve>();
    const FeatureKey feature = feature_key(curve);
    const LinesBy lines = by_series.contains(feature)  ? LinesBy::series
                          : by_group.contains(feature) ? LinesBy::group
                                                       : LinesBy::output;
    // Everything that lines of one chart share. Series may measure different things: that is their point; but
    // losses of different kinds have nothing in common.
    const std::tuple key(feature, lines, lines == LinesBy::output ? "" : curve.output,
                         lines == LinesBy::group ? "" : curve.group, lines == LinesBy::series ? "" : curve.series,
                         lines == LinesBy::series ? Measure::mean : curve.measure);
    const auto found = open.find(key);
    const bool room = found != open.end() && charts[found->second].second.curve.size() < lines_per_chart;
    if (!room) {
      open[key] = charts.size();
      CurveLines& chart = charts.emplace_back(i, CurveLines()).second;
      chart.result = &result;
      chart.lines = lines;
    }
    charts[open[key]].second.curve.push_back(&curve);
  }
  std::vector<PlacedGroup> groups;
  for (auto& [place, chart] : charts) groups.push_back({place, std::move(chart)});
  return groups;
}

std::vector<std::string> line_labels(const CurveLines& group) {
  std::vector<std::string> names;
  for (const Curve* curve : group.curve) {
    names.push_back(group.lines == LinesBy::output  ? curve->output
                    : group.lines == LinesBy::group ? rows_label(curve->group)
                                                    : curve->series);
  }
  if (group.lines == LinesBy::output && names.size() == 1 && names[0].empty()) names[0] = "prediction";
  return unique_labels(names);
}

LineHeights line_heights(const CurveLines& group) {
  LineHeights heights;
  heights.offset.resize(group.curve.size());
  if (group.curve.empty()) return heights;
  heights.measure = group.curve[0]->measure;
  const auto is_effect = [](const Curve* curve) { return curve->measure == Measure::effect; };
  const auto effects = std::count_if(group.curve.begin(), group.curve.end(), is_effect);
  if (effects == 0 || static_cast<std::size_t>(effects) == group.curve.size()) return heights;
  heights.measure = Measure::effect;
  heights.shifted = true;
  for (std::size_t k = 0; k < group.curve.size(); ++k) {
    if (!is_effect(group.curve[k])) heights.offset[k] = mean_height(*group.curve[k]);
  }
  return heights;
}

std::string height_title(const Result& result, const CurveLines& group, std::string_view output) {
  const Measure measure = line_heights(group).measure;
  const std::string title = prediction_title(result, quantity_of(measure), output);
  if (measure != Measure::loss || group.curve[0]->series.empty()) return title;
  // Lines of one chart have the same loss.
  const auto& loss = group.curve[0]->loss;
  return loss && is_score(*loss) ? loss_noun(loss) : title + " (" + printable(group.curve[0]->series, 40) + ")";
}

SharedLevels shared_levels(const CurveLines& group) {
  SharedLevels shared;
  for (const Curve* curve : group.curve) {
    // A level that stands twice in one line (in a file from elsewhere) keeps two places.
    std::map<std::string, std::size_t> seen;
    std::map<std::pair<std::string, std::size_t>, std::size_t> known;
    std::map<std::string, std::size_t> counted;
    for (std::size_t i = 0; i < shared.levels.size(); ++i) known[{shared.levels[i], counted[shared.levels[i]]++}] = i;
    auto& places = shared.place.emplace_back();
    for (const auto& level : curve->axis.levels) {
      const auto found = known.find({level, seen[level]++});
      places.push_back(found != known.end() ? found->second : shared.levels.size());
      if (found == known.end()) shared.levels.push_back(level);
    }
  }
  return shared;
}

double range_of(const std::vector<double>& heights) {
  double low = INFINITY, high = -INFINITY;
  for (const double height : heights) {
    if (!std::isfinite(height)) continue;
    low = std::min(low, height);
    high = std::max(high, height);
  }
  return high >= low ? high - low : 0;
}

std::vector<std::size_t> widest_first(const CurveLines& group) {
  std::vector<std::size_t> order(group.curve.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> width;
  for (const Curve* curve : group.curve) width.push_back(range_of(curve->mean));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return width[a] > width[b]; });
  return order;
}

}  // namespace sightglass
