#include "sightglass/result/importance_measure.h"

namespace sightglass {

namespace {

constexpr std::string_view reliance = "reliance: ";
constexpr std::string_view over_rows_text = " over the data";
constexpr std::string_view of = " of ";
constexpr LossChange changes[] = {LossChange::increase, LossChange::decrease, LossChange::ratio};

std::string change_text(const ImportanceMeasure& measure) {
  if (!measure.change || !measure.loss) return measure.other;
  return std::string(to_string(*measure.change)) + std::string(of) + std::string(label_of(*measure.loss));
}

// "increase of rmse"
bool read_change(std::string_view text, ImportanceMeasure& measure) {
  for (const LossChange change : changes) {
    const std::string start = std::string(to_string(change)) + std::string(of);
    if (!text.starts_with(start)) continue;
    measure.change = change;
    measure.loss = loss_by_label(text.substr(start.size()));
    if (!measure.loss) measure.other = text;  // a loss that this version does not know
    return true;
  }
  return false;
}

}  // namespace

std::string_view to_string(LossChange change) { return loss_changes[static_cast<std::size_t>(change)]; }

std::string ImportanceMeasure::text() const {
  switch (kind) {
    case MeasureKind::permutation: return change_text(*this);
    case MeasureKind::reliance: return std::string(reliance) + change_text(*this);
    case MeasureKind::dependence: return "sd of partial dependence" + std::string(over_rows ? over_rows_text : "");
    case MeasureKind::shapley: return "mean |SHAP|";
    case MeasureKind::shapley_pairs: return "mean |SHAP interaction|";
    case MeasureKind::variance: return "share of variance";
    case MeasureKind::interaction: return "interaction strength";
    case MeasureKind::recourse: return "share of rows whose smallest change it is";
    case MeasureKind::other:
    default: return other;
  }
}

bool ImportanceMeasure::in_units_of_prediction() const {
  return kind == MeasureKind::dependence || kind == MeasureKind::shapley || kind == MeasureKind::interaction;
}

ImportanceMeasure ImportanceMeasure::over_grid() const {
  ImportanceMeasure grid = *this;
  grid.over_rows = false;
  return grid;
}

ImportanceMeasure measure_from_text(std::string_view text) {
  ImportanceMeasure measure;
  if (read_change(text, measure)) {
    measure.kind = MeasureKind::permutation;
    return measure;
  }
  if (text.starts_with(reliance)) {
    measure.kind = MeasureKind::reliance;
    if (!read_change(text.substr(reliance.size()), measure)) measure.other = text.substr(reliance.size());
    return measure;
  }
  for (const ImportanceMeasure& known :
       {ImportanceMeasure{.kind = MeasureKind::dependence},
        ImportanceMeasure{.kind = MeasureKind::dependence, .over_rows = true},
        ImportanceMeasure{.kind = MeasureKind::shapley}, ImportanceMeasure{.kind = MeasureKind::shapley_pairs},
        ImportanceMeasure{.kind = MeasureKind::variance}, interaction_strength(),
        ImportanceMeasure{.kind = MeasureKind::recourse}}) {
    if (known.text() == text) return known;
  }
  measure.other = text;
  return measure;
}

}  // namespace sightglass
