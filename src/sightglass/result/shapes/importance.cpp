#include "sightglass/result/shapes/importance.h"

#include "sightglass/result/fields.h"
#include "sightglass/result/item.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

namespace {

void describe_measure(ImportanceMeasure& measure, Fields& fields) {
  std::string words = measure.text();
  fields.text({"measure", "In words."}, words);
  // Files that have the words alone.
  if (words != measure.text()) measure = measure_from_text(words);
  fields.group({"measured", "The same as data."}, [&](Fields& inside) {
    describe_choice(inside, {"kind", "What was done to measure it."}, measure.kind);
    describe_choice(inside, {"loss", "Whose change it is, or null."}, loss_names, measure.loss);
    describe_choice(inside, {"change", "Of the loss, or null."}, loss_changes, measure.change);
    inside.flag({"over_rows", "Of partial dependence: over the rows rather than over the grid."}, measure.over_rows);
  });
}

}  // namespace

void describe_fields(Importance& entry, Fields& fields) {
  fields.about("How much a feature matters; entries of one measure, output and group are a ranking.");
  fields.text({"feature", "How the entry is called.", Presence::required}, entry.feature);
  fields.texts({"features", "The features it stands for."}, entry.features);
  describe_output(entry.output, entry.group, fields, "Empty: all outputs together.");
  describe_measure(entry.measure, fields);
  fields.number({"importance", "", Presence::required}, entry.importance);
  fields.optional_number({"se"}, entry.se);
  fields.optional_number({"sd"}, entry.sd);
  fields.optional_number({"low"}, entry.low);
  fields.optional_number({"high"}, entry.high);
  fields.object({"details", "What else was measured; free-form."}, entry.details);
}

void tidy_rows(const Importance& entry, TidyRows& rows) {
  rows.row(ranking_table, entry).set("feature", entry.feature);
  // Of a group of features its members.
  const bool itself = entry.features.size() == 1 && entry.features[0] == entry.feature;
  if (!itself && !entry.features.empty()) rows.set("features", Value(entry.features));
  rows.set("measure", entry.measure.text())
      .set("importance", entry.importance)
      .set("se", entry.se)
      .set("sd", entry.sd)
      .set("low", entry.low)
      .set("high", entry.high)
      .set("details", entry.details);
}

ItemFeatures item_features(const Importance& entry) { return {FeatureUse::importance, {entry.features}}; }

}  // namespace sightglass
