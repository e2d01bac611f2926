#include "sightglass/insight/effects.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "sightglass/insight/axis_height.h"
#include "sightglass/insight/readable.h"
#include "sightglass/insight/shown_levels.h"
#include "sightglass/result/caveat_subject.h"

namespace sightglass {

namespace {

std::optional<EffectMethod> method_of(const Curve& curve) {
  switch (curve.estimand) {
    case Estimand::partial_dependence: return EffectMethod::partial_dependence;
    case Estimand::conditional_mean: return EffectMethod::m_plot;
    case Estimand::accumulated_local_effect: return EffectMethod::ale;
    default: return std::nullopt;
  }
}

bool has_surface(const Result& result) {
  return std::any_of(result.results.begin(), result.results.end(),
                     [](const ResultItem& item) { return item.is<Surface>(); });
}

struct Found {
  const Result* result;
  EffectMethod method;
  const Curve* curve;
  bool beside_pairs;  // it only came along
};

// All that is known about one feature.
struct EffectCandidate {
  std::vector<Found> curves;
  std::vector<const Curves*> rows;
  std::vector<const Result*> results;
  std::set<const void*> items;
  bool contradicts = false;

  void add(const Found& found) {
    items.insert(found.curve);
    for (auto& known : curves) {
      if (known.method != found.method || known.curve->output != found.curve->output) continue;
      const bool same =
          known.curve->mean == found.curve->mean && known.curve->axis.numbers == found.curve->axis.numbers;
      if (!same && known.beside_pairs == found.beside_pairs) contradicts = true;
      if (known.beside_pairs && !found.beside_pairs) known = found;
      return;
    }
    curves.push_back(found);
  }
  void add(const Curves& single) {
    items.insert(&single);
    for (const auto& known : rows) {
      if (known->output == single.output) contradicts = contradicts || known->values != single.values;
      if (known->output == single.output) return;
    }
    rows.push_back(&single);
  }
};

// Only what is about the same model and the same quantity can share a chart.
std::string key_of(const Result& result, const Axis& axis) {
  std::string key = prediction_title(result, Quantity::mean, "") + '\n' + rows_condition(result) + '\n';
  for (const auto& [name, value] : facts(result.model)) key += name + '=' + value + '\n';
  return key + (axis.is_categorical() ? "levels\n" : "numbers\n") + axis.feature;
}

// Every row is counted at one point, so the heights add up to the mean prediction: exactly for an M-plot, nearly for
// partial dependence.
std::optional<double> mean_over_rows(const Curve& curve) {
  double sum = 0, rows = 0;
  const auto add = [&](double height, double count) {
    if (!std::isfinite(height) || !(count > 0) || !std::isfinite(count)) return;
    rows += count;
    sum += (height - sum) * count / rows;
  };
  for (std::size_t i = 0; i < curve.mean.size() && i < curve.count.size(); ++i) add(curve.mean[i], curve.count[i]);
  if (curve.missing) add(curve.missing->mean, curve.missing->count);
  return rows > 0 ? std::optional(sum) : std::nullopt;
}

// The height of a curve at the value where centred curves are 0.
std::optional<double> height_of(const Curve& curve, const Curves& centred) {
  const Axis& axis = curve.axis;
  if (axis.is_categorical()) {
    const auto place = level_place(axis, centred.anchor_level);
    return place ? std::optional(curve.mean[*place]) : std::nullopt;
  }
  if (!centred.anchor || axis.numbers.empty()) return std::nullopt;
  // Their grid may begin before the curve's, or end after it.
  return height_at(axis, curve.mean, std::clamp(*centred.anchor, axis.numbers.front(), axis.numbers.back()));
}

bool warns_of(const Result& result, const std::string& feature) {
  return std::any_of(result.caveats.begin(), result.caveats.end(), [&](const Caveat& caveat) {
    return caveat.id == "correlated-features" && caveat.severity != Severity::note &&
           features_named(caveat).contains(feature);
  });
}

void lift(Curve& curve, double by) {
  for (double& height : curve.mean) height += by;
  if (curve.missing) curve.missing->mean += by;
}

void lift(Curves& curves, double by) {
  for (auto& line : curves.values) {
    for (double& value : line) value += by;
  }
  for (auto& value : curves.missing) {
    if (value) *value += by;
  }
}

// Evenly spread over the rows.
void thin_out(Curves& curves, std::size_t most) {
  if (curves.values.size() <= most) return;
  const auto thin = [&](auto& list) {
    if (list.empty()) return;
    auto kept = list;
    kept.clear();
    for (std::size_t k = 0; k < most; ++k) kept.push_back(list[k * (list.size() - 1) / (most - 1)]);
    list = std::move(kept);
  };
  thin(curves.values);
  thin(curves.rows);
  thin(curves.missing);
  thin(curves.own_value);
  thin(curves.own_level);
}

// One output: its curves in the order of the methods, all at one height.
void add_output(Effect& effect, const EffectCandidate& candidate, const std::string& output) {
  std::vector<std::pair<EffectMethod, Curve>> lines;
  std::optional<double> height;
  for (const EffectMethod method : effect_methods) {
    for (const auto& found : candidate.curves) {
      if (found.method == method && found.curve->output == output) lines.emplace_back(method, *found.curve);
    }
  }
  for (const auto& [method, curve] : lines) {
    const bool better = method == EffectMethod::m_plot || !height;
    if (curve.measure == Measure::mean && better) height = mean_over_rows(curve);
  }
  for (auto& [method, curve] : lines) {
    curve.series = effect_label(method);
    if (curve.measure == Measure::effect && height) {
      lift(curve, *height);
      curve.measure = Measure::mean;
    }
  }
  for (const Curves* rows : candidate.rows) {
    if (rows->output != output) continue;
    // Partial dependence is their mean, so it comes first.
    const auto start = lines.empty() ? std::nullopt : height_of(lines[0].second, *rows);
    if (!start) continue;
    Curves lifted = *rows;
    thin_out(lifted, effect.outputs.size() > 1 ? rows_of_many_outputs : rows_in_effect);
    lift(lifted, *start);
    effect.rows.push_back(std::move(lifted));
  }
  for (auto& [method, curve] : lines) {
    effect.methods.push_back(method);
    effect.curves.push_back(std::move(curve));
  }
}

std::optional<Effect> effect_of(const EffectCandidate& candidate) {
  const std::size_t rows = candidate.rows.empty() ? 0 : 1;
  std::set<EffectMethod> methods;
  for (const auto& found : candidate.curves) methods.insert(found.method);
  if (candidate.contradicts || methods.empty() || methods.size() + rows < 2) return std::nullopt;
  Effect effect;
  effect.result = candidate.curves[0].result;
  effect.items = candidate.items;
  for (const auto& found : candidate.curves) {
    const auto& output = found.curve->output;
    if (found.curve->axis.size() == 0) return std::nullopt;
    if (std::find(effect.outputs.begin(), effect.outputs.end(), output) == effect.outputs.end())
      effect.outputs.push_back(output);
  }
  for (const auto& output : effect.outputs) add_output(effect, candidate, output);
  // Effects beside predictions: nothing says how high they belong.
  const Measure measure = effect.curves[0].measure;
  for (const auto& curve : effect.curves) {
    if (curve.measure != measure) return std::nullopt;
  }
  effect.goes_together = std::any_of(candidate.results.begin(), candidate.results.end(),
                                     [&](const Result* result) { return warns_of(*result, effect.axis().feature); });
  return effect;
}

}  // namespace

const char* effect_label(EffectMethod method) {
  static constexpr const char* labels[] = {"partial dependence", "M-plot", "ALE"};
  return labels[static_cast<std::size_t>(method)];
}

const char* effect_signal(EffectMethod method) {
  static constexpr const char* names[] = {"show_pdp", "show_mplot", "show_ale"};
  return names[static_cast<std::size_t>(method)];
}

bool Effect::has(EffectMethod method) const {
  return std::find(methods.begin(), methods.end(), method) != methods.end();
}

bool Effect::shows(EffectMethod method) const {
  const bool local = has(EffectMethod::ale);
  switch (method) {
    case EffectMethod::ale: return local;
    case EffectMethod::partial_dependence: return has(method) && !(local && goes_together);
    case EffectMethod::m_plot: return !local && !has(EffectMethod::partial_dependence);
  }
  return false;
}

CurveLines Effect::group(const std::string& output) const {
  CurveLines lines;
  lines.result = result;
  lines.levels = levels;
  lines.lines = LinesBy::series;
  for (const auto& curve : curves) {
    if (curve.output == output) lines.curve.push_back(&curve);
  }
  return lines;
}

DrawnEffect drawn_effect(const Effect& effect) {
  DrawnEffect drawn{effect, {}};
  if (!effect.axis().is_categorical()) return drawn;
  // Of all outputs together, so that the levels stay when another output is shown.
  CurveLines all;
  all.result = effect.result;
  all.lines = LinesBy::series;
  all.levels = effect.levels;
  for (const Curve& curve : effect.curves) all.curve.push_back(&curve);
  DrawnLines lines = drawn_lines(all);
  drawn.effect.curves = std::move(lines.curves);
  drawn.shared = std::move(lines.shared);
  for (Curves& rows : drawn.effect.rows) rows = drawn_curves(rows, effect.levels);
  return drawn;
}

std::vector<Effect> merged_effects(const std::vector<Result>& results, const std::set<const void*>& without,
                                   const LevelPlanPtr& levels) {
  std::vector<std::string> order;
  std::map<std::string, EffectCandidate> candidates;
  const auto at = [&](const Result& result, const Axis& axis) -> EffectCandidate& {
    const auto [place, added] = candidates.try_emplace(key_of(result, axis));
    if (added) order.push_back(place->first);
    auto& known = place->second.results;
    if (std::find(known.begin(), known.end(), &result) == known.end()) known.push_back(&result);
    return place->second;
  };
  for (const auto& result : results) {
    const bool beside_pairs = has_surface(result);
    for (const auto& item : result.results) {
      if (const auto* curve = item.as<Curve>()) {
        const auto method = method_of(*curve);
        const bool plain = method && curve->group.empty() && curve->series.empty();
        if (plain && !without.contains(curve)) at(result, curve->axis).add({&result, *method, curve, beside_pairs});
      }
      if (const auto* rows = item.as<Curves>()) {
        // Centred, because the heights of rows spread much wider than what one feature does.
        const bool plain = rows->group.empty() && !rows->derivative && !anchor_of(*rows).empty();
        if (plain && !without.contains(rows)) at(result, rows->axis).add(*rows);
      }
    }
  }
  std::vector<Effect> effects;
  for (const auto& key : order) {
    if (auto effect = effect_of(candidates[key])) effects.push_back(std::move(*effect));
  }
  const LevelPlanPtr plan = levels ? levels : level_plan(results);
  for (Effect& effect : effects) {
    effect.levels = plan;
  }
  return effects;
}

}  // namespace sightglass
