#include "sightglass/learn/panels/panel_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace sightglass {

namespace {

constexpr std::size_t distance_points = 100;
// No row on the wrong side is worth this to any border: more is the same, and would overflow.
constexpr double most_cost = 1e15;
constexpr std::size_t kernels_between_checks = 1 << 22;
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
// Down to a quarter of the median distance: narrower kernels learn rows by heart.
constexpr std::array<double, 3> widths = {1, 0.5, 0.25};

// Where a feature's values lie along an axis, of the rows of a task.
struct AxisScale {
  std::vector<double> positions;  // of levels
  Moments moments;
};

// Levels in the order of their share of positive rows, so that neighbours are alike.
std::vector<double> level_positions(const TrainingFeature& feature, const PanelTask& task) {
  const std::size_t levels = feature.info.levels.size();
  std::vector<double> positive(levels, 0), all(levels, 0);
  for (std::size_t i = 0; i < task.rows.size(); ++i) {
    const double value = feature.values[task.rows[i]];
    if (std::isnan(value)) continue;
    const auto level = static_cast<std::size_t>(value);
    all[level] += task.costs[i];
    if (task.labels[i] > 0) positive[level] += task.costs[i];
  }
  std::vector<std::size_t> order;
  for (std::size_t level = 0; level < levels; ++level) {
    if (all[level] > 0) order.push_back(level);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return positive[a] / all[a] < positive[b] / all[b]; });
  std::vector<double> positions(levels, nothing);
  for (std::size_t place = 0; place < order.size(); ++place) positions[order[place]] = static_cast<double>(place);
  return positions;
}

double position(const AxisScale& axis, double value) {
  if (!std::isfinite(value)) return nothing;
  return axis.positions.empty() ? value : axis.positions[static_cast<std::size_t>(value)];
}

AxisScale axis_scale(const TrainingData& data, const PanelTask& task, std::uint32_t feature) {
  AxisScale axis;
  const TrainingFeature& from = data.features[feature];
  if (from.info.categorical) axis.positions = level_positions(from, task);
  std::vector<double> values(task.rows.size()), weights(task.rows.size());
  for (std::size_t i = 0; i < task.rows.size(); ++i) {
    values[i] = position(axis, from.values[task.rows[i]]);
    weights[i] = data.weight(task.rows[i]);
  }
  axis.moments = moments_of(values, weights);
  return axis;
}

// Points of the places of a task that have values of all features, in units of their spread.
struct TaskPoints {
  std::vector<std::uint32_t> places;  // within the list that was asked for
  std::vector<std::vector<double>> z;
  std::vector<double> labels, costs, weights;

  [[nodiscard]] SvmPoints points() const {
    SvmPoints points{{}, labels, costs};
    for (const auto& coordinate : z) points.coordinates.emplace_back(coordinate);
    return points;
  }
  [[nodiscard]] bool two_kinds() const {
    return std::find(labels.begin(), labels.end(), 1.0) != labels.end() &&
           std::find(labels.begin(), labels.end(), -1.0) != labels.end();
  }
};

TaskPoints task_points(const TrainingData& data, const PanelTask& task, const StratifiedSample& sample,
                       std::span<const std::vector<double>* const> z, double cost) {
  const std::vector<std::uint32_t>& places = sample.places;
  TaskPoints found;
  found.z.resize(z.size());
  for (std::uint32_t k = 0; k < places.size(); ++k) {
    bool whole = true;
    for (const auto* coordinate : z) whole = whole && !std::isnan((*coordinate)[k]);
    if (!whole) continue;
    found.places.push_back(k);
    for (std::size_t i = 0; i < z.size(); ++i) found.z[i].push_back((*z[i])[k]);
    found.labels.push_back(task.labels[places[k]]);
    found.costs.push_back(std::min(most_cost, cost * task.costs[places[k]] * (task.unbiased ? sample.factors[k] : 1)));
    found.weights.push_back(data.weight(task.rows[places[k]]));
  }
  return found;
}

// Weighted median distance between points; of more than a hundred, between a hundred of them that stand evenly by
// weight. A point of weight 3 counts as three in one place.
double median_distance(const TaskPoints& points) {
  std::vector<std::size_t> some(points.weights.size());
  std::iota(some.begin(), some.end(), 0);
  const bool all = some.size() <= distance_points;
  if (!all) {
    const double total = std::accumulate(points.weights.begin(), points.weights.end(), 0.0);
    double up_to = 0;  // weight of the points up to this one
    some.clear();
    for (std::size_t k = 0; k < points.weights.size(); ++k) {
      up_to += points.weights[k];
      while (some.size() < distance_points &&
             static_cast<double>(some.size()) * total < up_to * static_cast<double>(distance_points))
        some.push_back(k);
    }
  }
  std::vector<std::pair<double, double>> distances;  // squared, and what they weigh
  double total = 0;
  for (std::size_t a = 0; a < some.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      double sum = 0;
      for (const auto& coordinate : points.z) {
        const double difference = coordinate[some[a]] - coordinate[some[b]];
        sum += difference * difference;
      }
      if (!(sum > 0)) continue;
      distances.emplace_back(sum, all ? points.weights[some[a]] * points.weights[some[b]] : 1);
      total += distances.back().second;
    }
  }
  if (distances.empty()) return 0;
  if (!all) {
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    return std::sqrt(middle->first);
  }
  std::sort(distances.begin(), distances.end());
  double below = 0;
  for (const auto& [distance, weight] : distances) {
    below += weight;
    if (2 * below > total) return std::sqrt(distance);
  }
  return std::sqrt(distances.back().first);
}

SvmKernel kernel_of(const PanelSetting& setting, double median) {
  const double width = setting.width * median;
  return {.linear = setting.linear, .gamma = 1 / (2 * width * width)};
}

// A kind of which there are few rows is not lost.
StratifiedSample sample_of(const PanelTask& task, std::size_t most, std::uint64_t seed) {
  std::vector<std::uint32_t> kinds;
  for (const double label : task.labels) kinds.push_back(label > 0 ? 1 : 0);
  return stratified_sample(kinds, 2, most, seed);
}

std::vector<PanelSetting> settings_of(const PanelLimits& limits) {
  std::vector<PanelSetting> settings;
  if (limits.linear) settings.push_back({.linear = true});
  if (limits.radial) {
    for (const double width : widths) settings.push_back({.linear = false, .width = width});
  }
  return settings;
}

}  // namespace

Moments moments_of(std::span<const double> values, std::span<const double> weights) {
  const auto weight = [&](std::size_t k) { return weights.empty() ? 1.0 : weights[k]; };
  double low = std::numeric_limits<double>::infinity(), high = -low, heaviest = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isfinite(values[k])) continue;
    heaviest = std::max(heaviest, weight(k));
    low = std::min(low, values[k]);
    high = std::max(high, values[k]);
  }
  if (!(heaviest > 0)) return {};
  if (!(low < high)) return {low, 1, true};
  // In units of their range and of the largest weight, so that squares neither overflow nor vanish.
  const double middle = low / 2 + high / 2, half = high / 2 - low / 2;
  double sum = 0, squares = 0, total = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isfinite(values[k])) continue;
    total += weight(k) / heaviest;
    sum += weight(k) / heaviest * ((values[k] - middle) / half);
  }
  const double mean = sum / total;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isfinite(values[k])) continue;
    const double difference = (values[k] - middle) / half - mean;
    squares += weight(k) / heaviest * difference * difference;
  }
  const Moments moments{middle + half * mean, half * std::sqrt(squares / total), false};
  // Neighbours among the smallest numbers there are.
  return moments.sd > 0 ? moments : Moments{moments.mean, 1, true};
}

std::vector<PanelCandidate> rank_panels(const TrainingData& data, const PanelTask& task,
                                        const std::vector<PanelSubset>& subsets, const PanelLimits& limits,
                                        const PanelJudge& judge, const Context& context) {
  const StratifiedSample sample = sample_of(task, limits.search_rows, limits.seed);
  const std::vector<std::uint32_t>& places = sample.places;
  std::vector<std::uint32_t> features;
  for (const PanelSubset& subset : subsets) features.insert(features.end(), subset.begin(), subset.end());
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  std::vector<std::vector<double>> z(features.size());
  std::vector<char> constant(features.size());
  context.parallel_for(features.size(), [&](std::size_t i) {
    context.check();
    const AxisScale axis = axis_scale(data, task, features[i]);
    constant[i] = axis.moments.constant ? 1 : 0;
    z[i].resize(places.size());
    for (std::size_t k = 0; k < places.size(); ++k) {
      const double value = position(axis, data.features[features[i]].values[task.rows[places[k]]]);
      z[i][k] = (value - axis.moments.mean) / axis.moments.sd;
    }
  });
  const auto index = [&](std::uint32_t feature) {
    return static_cast<std::size_t>(std::lower_bound(features.begin(), features.end(), feature) - features.begin());
  };

  const std::vector<PanelSetting> settings = settings_of(limits);
  std::vector<std::optional<PanelCandidate>> best(subsets.size());
  context.parallel_for(subsets.size(), [&](std::size_t s) {
    context.check();
    std::vector<const std::vector<double>*> axes;
    for (const std::uint32_t feature : subsets[s]) {
      if (constant[index(feature)] != 0) return;
      axes.push_back(&z[index(feature)]);
    }
    const TaskPoints points = task_points(data, task, sample, axes, limits.cost);
    if (!points.two_kinds()) return;
    const double median = median_distance(points);
    std::vector<double> decisions(places.size(), nothing);
    for (const PanelSetting& setting : settings) {
      if (!setting.linear && !(median > 0)) continue;
      const SvmFit fit = train_svm(points.points(), kernel_of(setting, median), {}, context);
      for (std::size_t k = 0; k < points.places.size(); ++k) decisions[points.places[k]] = fit.decisions[k];
      const PanelScore score = judge(sample, decisions);
      if (!(score.score > 0)) continue;
      const bool better = !best[s] || score.score > best[s]->score.score ||
                          (score.score == best[s]->score.score && score.margin > best[s]->score.margin);
      if (better) best[s] = PanelCandidate{s, setting, score};
    }
  });
  std::vector<PanelCandidate> ranked;
  for (const auto& candidate : best) {
    if (candidate) ranked.push_back(*candidate);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [&](const PanelCandidate& a, const PanelCandidate& b) {
    if (a.score.score != b.score.score) return a.score.score > b.score.score;
    if (subsets[a.subset].size() != subsets[b.subset].size())
      return subsets[a.subset].size() < subsets[b.subset].size();
    return a.score.margin > b.score.margin;
  });
  return ranked;
}

TrainedPanel train_panel(const TrainingData& data, const PanelTask& task, const PanelSubset& subset,
                         const PanelSetting& setting, const PanelLimits& limits, const Context& context) {
  const StratifiedSample sample = sample_of(task, limits.fit_rows, limits.seed);
  const std::vector<std::uint32_t>& places = sample.places;
  Panel panel;
  std::vector<std::vector<double>> z(subset.size());
  std::vector<const std::vector<double>*> axes;
  for (std::size_t i = 0; i < subset.size(); ++i) {
    AxisScale axis = axis_scale(data, task, subset[i]);
    for (const std::uint32_t place : places) {
      const double value = position(axis, data.features[subset[i]].values[task.rows[place]]);
      z[i].push_back((value - axis.moments.mean) / axis.moments.sd);
    }
    axes.push_back(&z[i]);
    panel.inputs.push_back({.feature = subset[i],
                            .center = axis.moments.mean,
                            .scale = axis.moments.sd,
                            .positions = std::move(axis.positions)});
  }
  const TaskPoints points = task_points(data, task, sample, axes, limits.cost);
  const SvmKernel kernel = kernel_of(setting, std::max(median_distance(points), 1e-9));
  const SvmLimits svm;
  const SvmFit fit = train_svm(points.points(), kernel, svm, context);
  panel.linear = setting.linear;
  panel.gamma = kernel.gamma;
  panel.bias = fit.bias;
  panel.spread = moments_of(fit.decisions, points.weights).sd;
  if (panel.linear) {
    panel.coefficients.assign(subset.size(), 0);
  } else {
    panel.support.resize(subset.size());
  }
  for (std::size_t k = 0; k < fit.coefficients.size(); ++k) {
    const double coefficient = fit.coefficients[k];
    if (coefficient == 0) continue;
    for (std::size_t i = 0; i < subset.size(); ++i) {
      if (panel.linear) {
        panel.coefficients[i] += coefficient * points.z[i][k];
      } else {
        panel.support[i].push_back(points.z[i][k]);
      }
    }
    if (!panel.linear) panel.coefficients.push_back(coefficient);
  }
  return {std::move(panel), fit.gap <= svm.tolerance};
}

PanelPoints panel_points(const Panel& panel, const TrainingData& data, std::span<const std::uint32_t> rows,
                         const Context& context) {
  PanelPoints points;
  points.xs.resize(panel.inputs.size());
  for (std::size_t i = 0; i < panel.inputs.size(); ++i) {
    const auto& values = data.features[panel.inputs[i].feature].values;
    points.xs[i].resize(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) points.xs[i][k] = panel_position(panel.inputs[i], values[rows[k]]);
  }
  points.decisions.resize(rows.size());
  const std::size_t slice = kernels_between_checks / (panel.coefficients.size() + 1) + 1;
  for (std::size_t first = 0; first < rows.size(); first += slice) {
    context.check();
    const std::size_t count = std::min(slice, rows.size() - first);
    std::vector<std::span<const double>> spans;
    for (const auto& xs : points.xs) spans.push_back(std::span(xs).subspan(first, count));
    panel_decisions(panel, spans, std::span(points.decisions).subspan(first, count));
  }
  return points;
}

void set_range(Panel& panel, const TrainingData& data, std::span<const std::uint32_t> rows, const Context& context) {
  const PanelPoints points = panel_points(panel, data, rows, context);
  for (std::size_t i = 0; i < panel.inputs.size(); ++i) {
    Panel::Input& input = panel.inputs[i];
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double z = (points.xs[i][k] - input.center) / input.scale;  // as panel_claims has it
      if (std::isnan(points.decisions[k])) continue;
      low = std::min(low, z);
      high = std::max(high, z);
    }
    if (low > high) low = high = 0;
    input.low = low;
    input.high = high;
  }
}

}  // namespace sightglass
