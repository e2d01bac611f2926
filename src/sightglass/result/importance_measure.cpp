#include "sightglass/result/importance_measure.h"

namespace sightglass {

namespace {

constexpr std::string_view reliance = "reliance: ";
constexpr std::string_view dependence = "sd of partial dependence";
constexpr std::string_view over_rows = " over the data";
constexpr std::string_view changes[] = {"increase of ", "decrease of ", "ratio of "};

std::string_view without_reliance(std::string_view measure) {
  return measure.starts_with(reliance) ? measure.substr(reliance.size()) : measure;
}

bool is_change_of_loss(std::string_view measure) {
  for (const auto change : changes) {
    if (measure.starts_with(change)) return true;
  }
  return false;
}

}  // namespace

MeasureKind kind_of(const std::string& measure) {
  if (is_change_of_loss(measure)) return MeasureKind::permutation;
  if (measure.starts_with(reliance)) return MeasureKind::reliance;
  if (measure.starts_with(dependence)) return MeasureKind::dependence;
  if (measure == "mean |SHAP|") return MeasureKind::shapley;
  if (measure == "share of variance") return MeasureKind::variance;
  if (measure == interaction_strength) return MeasureKind::interaction;
  return MeasureKind::other;
}

bool is_over_rows(const std::string& measure) {
  return kind_of(measure) == MeasureKind::dependence && measure.ends_with(over_rows);
}

std::string over_grid(const std::string& measure) {
  return is_over_rows(measure) ? measure.substr(0, measure.size() - over_rows.size()) : measure;
}

bool in_units_of_prediction(const std::string& measure) {
  const MeasureKind kind = kind_of(measure);
  return kind == MeasureKind::dependence || kind == MeasureKind::shapley || kind == MeasureKind::interaction;
}

std::string loss_in(const std::string& measure) {
  const std::string_view change = without_reliance(measure);
  if (!is_change_of_loss(change)) return measure;
  return std::string(change.substr(change.find(" of ") + 4));
}

bool is_ratio(const std::string& measure) { return without_reliance(measure).starts_with("ratio of "); }

}  // namespace sightglass
