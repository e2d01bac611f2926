// What several methods say about one feature, made to share a chart: all at the height of the predictions, as
// partial dependence is. ALE, which is around zero, is lifted to the mean prediction; centred curves of single rows
// start where the average does.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sightglass/insight/groups/curve_lines.h"
#include "sightglass/result/result.h"

namespace sightglass {

enum class EffectMethod { partial_dependence, m_plot, ale };
// In the order of their colours.
constexpr EffectMethod effect_methods[] = {EffectMethod::partial_dependence, EffectMethod::m_plot, EffectMethod::ale};
// "partial dependence", "M-plot", "ALE".
[[nodiscard]] const char* effect_label(EffectMethod method);
// What a chart calls the signal that shows it: "show_pdp".
[[nodiscard]] const char* effect_signal(EffectMethod method);

// Curves of single rows in a chart, at the most: every output has as many.
constexpr std::size_t rows_in_effect = 60, rows_of_many_outputs = 30;

struct Effect {
  const Result* result = nullptr;    // whose words describe the prediction
  std::vector<std::string> outputs;  // in order of appearance
  // By output, then by method; `series` is the label. All of the same measure: predictions, or effects around zero if
  // nothing says how high the predictions are.
  std::vector<Curve> curves;
  std::vector<EffectMethod> methods;  // per curve
  std::vector<Curves> rows;           // single rows, one per output at the most
  // A caution says that the feature goes strongly together with another: only ALE should be read without care.
  bool goes_together = false;
  std::set<const void*> items;                        // of the results, that it tells
  std::shared_ptr<const LevelPlan> levels = nullptr;  // which are drawn

  [[nodiscard]] const Axis& axis() const { return curves[0].axis; }
  [[nodiscard]] bool has(EffectMethod method) const;
  // At first: partial dependence and ALE; ALE alone where features go together.
  [[nodiscard]] bool shows(EffectMethod method) const;
  // The curves of one output, as lines of one chart.
  [[nodiscard]] CurveLines group(const std::string& output) const;
};

// As it is drawn: of many levels only those that are shown, and the others as one.
struct DrawnEffect {
  Effect effect;
  SharedLevels shared;  // of its curves; empty where the feature is numeric
};
[[nodiscard]] DrawnEffect drawn_effect(const Effect& effect);

// Features that at least two methods explain, for all rows, and for the same prediction; without the given items.
// Where results contradict one another (two models, say), there is no telling them as one.
[[nodiscard]] std::vector<Effect> merged_effects(const std::vector<Result>& results,
                                                 const std::set<const void*>& without = {},
                                                 const std::shared_ptr<const LevelPlan>& levels = nullptr);

}  // namespace sightglass
