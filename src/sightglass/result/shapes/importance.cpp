#include "sightglass/result/shapes/importance.h"

#include "sightglass/result/fields.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

void describe_fields(Importance& entry, Fields& fields) {
  fields.about("How much a feature matters; entries of one measure, output and group are a ranking.");
  fields.text({"feature", "How the entry is called.", Presence::required}, entry.feature);
  fields.texts({"features", "The features it stands for."}, entry.features);
  describe_output(entry.output, entry.group, fields, "Empty: all outputs together.");
  fields.text({"measure"}, entry.measure);
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
  rows.set("measure", entry.measure)
      .set("importance", entry.importance)
      .set("se", entry.se)
      .set("sd", entry.sd)
      .set("low", entry.low)
      .set("high", entry.high)
      .set("details", entry.details);
}

}  // namespace sightglass
