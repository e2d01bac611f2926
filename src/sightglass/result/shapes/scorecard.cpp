#include "sightglass/result/shapes/scorecard.h"

#include "sightglass/base/error.h"
#include "sightglass/result/fields.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

static void describe_fields(Score& score, Fields& fields) {
  fields.text({"subject", "Which explanation: \"tree\".", Presence::required}, score.subject);
  fields.text({"title", "Of it: \"Decision tree\"."}, score.title);
  fields.text({"quality", "Which quality: \"stability\".", Presence::required}, score.quality);
  fields.number({"value", "", Presence::required}, score.value);
  describe_some(fields, {"low"}, score.low);
  describe_some(fields, {"high", "With low: an interval."}, score.high);
  fields.only_if(!score.note.empty(), [&] { fields.text({"note", "What there is to say of it."}, score.note); });
}

void describe_fields(Scorecard& scorecard, Fields& fields) {
  fields.about("How good several explanations are, each by the same qualities.");
  fields.text({"name", "What is compared."}, scorecard.name);
  describe_output(scorecard.output, scorecard.group, fields);
  fields.text({"measure", "Of fidelity and accuracy: \"r2\", \"agreement\"."}, scorecard.measure);
  describe_records(fields, {"scores", "", Presence::required}, scorecard.scores);
  fields.object({"details", "Free-form."}, scorecard.details);
}

void tidy_rows(const Scorecard& scorecard, TidyRows& rows) {
  static const TableKind score_table{
      .priority = 39,
      .columns = {"subject", "quality", "value", "low", "high", "note", "output", "group"},
      .always = {"subject", "quality", "value"}};
  for (const Score& score : scorecard.scores) {
    rows.row(score_table, scorecard).set("subject", score.subject).set("quality", score.quality);
    rows.set("value", score.value).set("low", score.low).set("high", score.high);
    if (!score.note.empty()) rows.set("note", score.note);
  }
}

std::string item_title(const Scorecard& scorecard) {
  return scorecard.name.empty() ? "Scorecard" : printable(scorecard.name, 80);
}

}  // namespace sightglass
