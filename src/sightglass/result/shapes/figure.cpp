#include "sightglass/result/shapes/figure.h"

#include "sightglass/result/fields.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

void describe_fields(Figure& figure, Fields& fields) {
  fields.about("A number about the model as a whole, or about one feature.");
  fields.text({"name", "In words.", Presence::required}, figure.name);
  describe_choice(fields, {"id", "What it is."}, figure.id);
  describe_choice(fields, {"loss", "By which it is measured, or null."}, loss_names, figure.loss);
  fields.text({"feature", "That it is about; empty: all."}, figure.feature);
  describe_output(figure.output, figure.group, fields);
  fields.number({"value", "", Presence::required}, figure.value);
  fields.optional_number({"se"}, figure.se);
  fields.text({"meaning", "How to read it, in a sentence."}, figure.meaning);
}

void tidy_rows(const Figure& figure, TidyRows& rows) {
  static const TableKind figure_table{
      .priority = 40,
      .columns = {"name", "figure", "se", "feature", "output", "group", "series", "meaning"},
      .always = {"name"}};
  rows.row(figure_table, figure).set("name", figure.name);
  if (!figure.feature.empty()) rows.set("feature", figure.feature);
  rows.set("figure", figure.value).set("se", figure.se).set("meaning", figure.meaning);
}

}  // namespace sightglass
