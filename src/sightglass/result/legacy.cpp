#include <algorithm>
#include <iterator>
#include <utility>

#include "sightglass/result/legacy_internal.h"

namespace sightglass {

namespace {

struct KnownMethod {
  std::string_view name;
  MethodInfo about;
  Estimand estimand = Estimand::other;
};

const KnownMethod* known_method(std::string_view name) {
  static const KnownMethod known[] = {
      {"partial-dependence", {"Partial dependence", "PDP", Family::effects}, Estimand::partial_dependence},
      {"ice", {"Individual conditional expectation", "ICE", Family::effects}},
      {"regional-effects", {"Regional effects", "", Family::effects}, Estimand::regional_dependence},
      {"ale", {"Accumulated local effects", "ALE", Family::effects}, Estimand::accumulated_local_effect},
      {"m-plot", {"M-plot", "", Family::effects}, Estimand::conditional_mean},
      {"interactions", {"Interactions", "", Family::interactions}},
      {"decomposition", {"Decomposition", "", Family::interactions}, Estimand::component},
      {"performance", {"Performance", "", Family::performance}},
      {"permutation-importance", {"Permutation importance", "PFI", Family::importance}, Estimand::loss_under_noise},
      {"model-reliance", {"Model reliance", "", Family::importance}},
      {"pd-importance", {"Importance from partial dependence", "", Family::importance}},
      {"shap", {"Shapley values", "SHAP", Family::local, {shapley_values_term()}}},
      {"compare", {"Effects compared", "", Family::effects}},
      {"ranking", {"Rankings compared", "", Family::importance}},
      {"report", {"Report", "", Family::report}},
  };
  const auto* found =
      std::find_if(std::begin(known), std::end(known), [&](const auto& one) { return one.name == name; });
  return found == std::end(known) ? nullptr : found;
}

// Of compared methods, what each series was called.
Estimand estimand_of_series(std::string_view series) {
  if (series.starts_with("ALE")) return Estimand::accumulated_local_effect;
  if (series.starts_with("PD") || series.starts_with("partial dep")) return Estimand::partial_dependence;
  if (series.starts_with("M-plot")) return Estimand::conditional_mean;
  return Estimand::other;
}

void add_to(Figure& figure) {
  if (figure.id != FigureId::other || figure.id.is_new()) return;
  static constexpr std::pair<std::string_view, FigureId> names[] = {
      {"mean prediction", FigureId::mean_prediction},
      {"features used", FigureId::features_used},
      {"share of variance that PD main effects leave", FigureId::left_by_main_effects},
      {"interaction strength", FigureId::left_by_local_effects},
      {"main-effect complexity", FigureId::main_effect_complexity}};
  for (const auto& [name, id] : names) {
    if (figure.name == name) figure.id = id;
  }
  constexpr std::string_view skill = "skill by ";
  const bool of_skill = figure.name.starts_with(skill);
  figure.loss = loss_by_label(std::string_view(figure.name).substr(of_skill ? skill.size() : 0));
  if (figure.loss) figure.id = of_skill ? FigureId::skill : FigureId::loss;
  static constexpr std::pair<std::string_view, FigureId> endings[] = {
      {": heterogeneity before", FigureId::heterogeneity_before},
      {": heterogeneity after", FigureId::heterogeneity_after},
      {": share explained", FigureId::heterogeneity_explained}};
  for (const auto& [ending, id] : endings) {
    if (!figure.name.ends_with(ending)) continue;
    figure.id = id;
    figure.feature = figure.name.substr(0, figure.name.size() - ending.size());
  }
}

}  // namespace

void add_missing_meaning(Result& result) {
  const KnownMethod* method = known_method(result.method);
  if (method != nullptr && (result.about.title.empty() || result.about.title == method->about.title)) {
    auto terms = std::move(result.about.terms);
    if (result.about.title.empty()) result.about = method->about;
    result.about.terms = terms.empty() ? method->about.terms : std::move(terms);
  }
  const Estimand usual = method != nullptr ? method->estimand : Estimand::other;
  for (ResultItem& item : result.results) {
    if (auto* curve = item.as<Curve>()) {
      if (curve->estimand == Estimand::other && !curve->estimand.is_new())
        curve->estimand = usual != Estimand::other ? usual : estimand_of_series(curve->series);
      if (curve->measure == Measure::loss && !curve->loss) curve->loss = loss_by_label(curve->series);
    } else if (auto* surface = item.as<Surface>()) {
      if (surface->estimand == Estimand::other && !surface->estimand.is_new()) surface->estimand = usual;
    } else if (auto* figure = item.as<Figure>()) {
      add_to(*figure);
    }
  }
}

}  // namespace sightglass
