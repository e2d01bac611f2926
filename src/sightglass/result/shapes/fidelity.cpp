#include "sightglass/result/shapes/fidelity.h"

#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/result/fields.h"
#include "sightglass/result/json_node_internal.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

static void describe_fields(FidelityPart& part, Fields& fields) {
  describe_choice(fields, {"rows", "Those it was fitted to, others, or a region of the data.", Presence::required},
                  fidelity_rows, part.rows);
  fields.only_if(!part.conditions.empty(),
                 [&] { describe_records(fields, {"conditions", "Of a region."}, part.conditions); });
  fields.number({"count", "(Weighted) rows."}, part.count);
  fields.number({"fidelity", "To the model.", Presence::required}, part.fidelity);
  describe_some(fields, {"se"}, part.se);
  describe_some(fields, {"low"}, part.low);
  describe_some(fields, {"high", "With low: an interval."}, part.high);
  describe_some(fields, {"error", "Root mean squared difference to the model."}, part.error);
  describe_some(fields, {"model", "The same measure of the model, to the truth."}, part.model);
  describe_some(fields, {"surrogate", "Of the surrogate, to the truth."}, part.surrogate);
  fields.check([&](const JsonNode& node) {
    if (!std::isfinite(part.count) || part.count < 0) node.at("count").fail("expected a number of at least 0");
  });
}

void describe_fields(Fidelity& fidelity, Fields& fields) {
  fields.about("How well a surrogate follows the model, by parts of the data.");
  describe_output(fidelity.output, fidelity.group, fields);
  fields.text({"surrogate", "Which learner: \"tree\"."}, fidelity.surrogate);
  fields.text({"title", "Of the learner: \"Decision tree\"."}, fidelity.title);
  fields.count({"size", "Leaves, rules or terms."}, fidelity.size);
  fields.text({"size_unit", "What the size counts: \"leaves\"."}, fidelity.size_unit);
  fields.text({"measure", "\"r2\", \"agreement\", \"log-loss\".", Presence::required}, fidelity.measure);
  describe_records(fields, {"parts", "", Presence::required}, fidelity.parts);
  fields.object({"details", "How it was measured; free-form."}, fidelity.details);
}

std::string fidelity_part_text(const FidelityPart& part, std::size_t most_levels) {
  switch (part.rows) {
    case FidelityRows::fitted: return "rows it was fitted to";
    case FidelityRows::held_out: return "held-out rows";
    case FidelityRows::region: break;
  }
  return conditions_text(part.conditions, most_levels);
}

void tidy_rows(const Fidelity& fidelity, TidyRows& rows) {
  static const TableKind fidelity_table{
      .priority = 21,
      .columns = {"surrogate", "size", "rows", "region", "count", "measure", "fidelity", "se", "low", "high", "error",
                  "model", "truth", "output", "group"},
      .always = {"rows", "fidelity"}};
  for (const FidelityPart& part : fidelity.parts) {
    rows.row(fidelity_table, fidelity).set("surrogate", fidelity.surrogate).set("size", fidelity.size);
    rows.set("rows", fidelity_rows[static_cast<std::size_t>(part.rows)]);
    if (part.rows == FidelityRows::region) rows.set("region", conditions_text(part.conditions, any_size - 1));
    rows.set("count", part.count).set("measure", fidelity.measure).set("fidelity", part.fidelity);
    rows.set("se", part.se).set("low", part.low).set("high", part.high).set("error", part.error);
    rows.set("model", part.model).set("truth", part.surrogate);
  }
}

std::string item_title(const Fidelity& fidelity) {
  const std::string& learner = fidelity.title.empty() ? fidelity.surrogate : fidelity.title;
  return learner.empty() ? "Fidelity" : "Fidelity: " + printable(learner, 80);
}

}  // namespace sightglass
