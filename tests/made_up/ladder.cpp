#include "made_up/ladder.h"

#include "sightglass/result/fields.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

void describe_fields(Ladder& ladder, Fields& fields) {
  fields.about("Named rungs at heights.");
  describe_output(ladder.output, ladder.group, fields);
  fields.texts({"rungs", "From the ground up.", Presence::required}, ladder.rungs, 1);
  fields.numbers({"heights", "One per rung.", Presence::required}, ladder.heights, ladder.rungs.size());
}

void tidy_rows(const Ladder& ladder, TidyRows& rows) {
  static const TableKind ladder_table{
      .priority = 50, .columns = {"rung", "height", "output", "group"}, .always = {"rung"}};
  for (std::size_t i = 0; i < ladder.rungs.size(); ++i)
    rows.row(ladder_table, ladder).set("rung", ladder.rungs[i]).set("height", ladder.heights, i);
}

}  // namespace sightglass
