#include "sightglass/result/shapes/frontier.h"

#include "sightglass/base/error.h"
#include "sightglass/result/fields.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

static void describe_fields(FrontierPoint& point, Fields& fields) {
  fields.text({"learner", "Its name: \"tree\".", Presence::required}, point.learner);
  fields.text({"title", "Of the learner: \"Decision tree\"."}, point.title);
  fields.count({"size", "", Presence::required}, point.size);
  fields.number({"value", "The measure on held-out rows.", Presence::required}, point.value);
  describe_some(fields, {"se"}, point.se);
  describe_some(fields, {"low"}, point.low);
  describe_some(fields, {"high", "With low: an interval."}, point.high);
  fields.flag({"best", "Whether it is on the frontier: no smaller one is better."}, point.best);
  fields.flag({"chosen", "The one from which on more size brings little."}, point.chosen);
}

void describe_fields(Frontier& frontier, Fields& fields) {
  fields.about(
      "Quality against size: surrogates of several kinds and sizes, one model along its penalty, or one learner with "
      "each of several sizes.");
  describe_output(frontier.output, frontier.group, fields);
  fields.text({"measure", "\"r2\", \"agreement\", \"log-loss\"."}, frontier.measure);
  fields.only_if(frontier.loss.has_value(), [&] {
    describe_choice(fields, {"loss", "What values are, where they are of the outcome and not fidelity to a model."},
                    loss_names, frontier.loss);
  });
  fields.text({"size_name", "What sizes count: \"leaves, rules or terms\"."}, frontier.size_name);
  describe_records(fields, {"points", "", Presence::required}, frontier.points);
  fields.object({"details", "Free-form."}, frontier.details);
}

void tidy_rows(const Frontier& frontier, TidyRows& rows) {
  static const TableKind frontier_table{
      .priority = 22,
      .columns = {"learner", "size", "measure", "value", "se", "low", "high", "best", "chosen", "output", "group"},
      .always = {"learner", "size", "value"}};
  for (const FrontierPoint& point : frontier.points) {
    rows.row(frontier_table, frontier).set("learner", point.learner).set("size", point.size);
    rows.set("measure", frontier.measure).set("value", point.value).set("se", point.se);
    rows.set("low", point.low).set("high", point.high).set("best", point.best).set("chosen", point.chosen);
  }
}

std::string item_title(const Frontier& frontier) {
  if (!frontier.loss) return "Fidelity against size";
  return "Rows left out, by the number of " + printable(frontier.size_name, 60);
}

}  // namespace sightglass
