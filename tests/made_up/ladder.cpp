#include "made_up/ladder.h"

#include "sightglass/result/fields.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

static void describe_fields(Rung& rung, Fields& fields) {
  fields.text({"name", "", Presence::required}, rung.name);
  fields.number({"height", "Above the ground.", Presence::required}, rung.height);
  fields.flag({"loose"}, rung.loose);
  fields.only_if(!rung.feet.empty(), [&] { fields.indices({"feet", "Who stands on it."}, rung.feet); });
}

void describe_fields(Ladder& ladder, Fields& fields) {
  fields.about("Named rungs at heights.");
  describe_output(ladder.output, ladder.group, fields);
  describe_records(fields, {"rungs", "From the ground up.", Presence::required}, ladder.rungs);
}

void tidy_rows(const Ladder& ladder, TidyRows& rows) {
  static const TableKind ladder_table{
      .priority = 50, .columns = {"rung", "height", "output", "group"}, .always = {"rung"}};
  for (const Rung& rung : ladder.rungs)
    rows.row(ladder_table, ladder).set("rung", rung.name).set("height", rung.height).set("loose", rung.loose);
}

}  // namespace sightglass
