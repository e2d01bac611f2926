#include "sightglass/result/shapes/fidelity.h"

#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/result/fidelity_measure.h"
#include "sightglass/result/fields.h"
#include "sightglass/result/json_node_internal.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

static void describe_fields(FidelityPart& part, Fields& fields) {
  describe_choice(fields,
                  {"rows",
                   "Those it was fitted to, others, a region of the data; rows made of the data's values, or, where it "
                   "was fitted to such, rows of the data.",
                   Presence::required},
                  fidelity_rows, part.rows);
  fields.only_if(!part.conditions.empty(),
                 [&] { describe_records(fields, {"conditions", "Of a region."}, part.conditions); });
  fields.number({"count", "(Weighted) rows."}, part.count);
  fields.number(
      {"fidelity", "To the model. R² of a region: 1 - its mean squared difference / the variance over all rows.",
       Presence::required},
      part.fidelity);
  describe_some(fields, {"se"}, part.se);
  describe_some(fields, {"low"}, part.low);
  describe_some(fields, {"high", "With low: an interval."}, part.high);
  describe_some(fields, {"error", "Root mean squared difference to the model."}, part.error);
  describe_some(fields, {"within", "Of a region: R² about its own mean."}, part.within);
  describe_some(fields, {"agreement", "Of classes: share of rows for which both name the same."}, part.agreement);
  describe_some(fields, {"log_loss", "Of classes: cross-entropy to the model's probabilities."}, part.log_loss);
  describe_some(fields, {"entropy", "Of the model's probabilities: no log-loss is lower."}, part.entropy);
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

const FidelityPart* overall_part(const Fidelity& fidelity) {
  for (const FidelityRows wanted : {FidelityRows::data, FidelityRows::held_out, FidelityRows::fitted}) {
    for (const FidelityPart& part : fidelity.parts) {
      if (part.rows == wanted) return &part;
    }
  }
  return nullptr;
}

namespace {

double loss_of(const Fidelity& fidelity, double value) { return lower_is_better(fidelity.measure) ? value : 1 - value; }

}  // namespace

const FidelityPart* worst_region(const Fidelity& fidelity) {
  const FidelityPart* worst = nullptr;
  for (const FidelityPart& part : fidelity.parts) {
    if (part.rows != FidelityRows::region || std::isnan(part.fidelity)) continue;
    if (worst == nullptr || loss_of(fidelity, part.fidelity) > loss_of(fidelity, worst->fidelity)) worst = &part;
  }
  return worst;
}

bool is_uneven(const Fidelity& fidelity, const FidelityPart& region) {
  constexpr double times = 2, least = 0.05;
  const FidelityPart* overall = overall_part(fidelity);
  if (overall == nullptr) return false;
  const double here = loss_of(fidelity, region.fidelity), everywhere = loss_of(fidelity, overall->fidelity);
  return here >= times * everywhere && here - everywhere >= least;
}

std::string fidelity_part_text(const FidelityPart& part, std::size_t most_levels) {
  switch (part.rows) {
    case FidelityRows::fitted: return "rows it was fitted to";
    case FidelityRows::held_out: return "held-out rows";
    case FidelityRows::made: return "rows made of all values";
    case FidelityRows::data: return "rows of the data";
    case FidelityRows::region: break;
  }
  return conditions_text(part.conditions, most_levels);
}

void tidy_rows(const Fidelity& fidelity, TidyRows& rows) {
  static const TableKind fidelity_table{
      .priority = 21,
      .columns = {"surrogate", "size", "rows", "region", "count", "measure", "fidelity", "se", "low", "high", "error",
                  "within", "agreement", "log_loss", "entropy", "model", "truth", "output", "group"},
      .always = {"rows", "fidelity"}};
  for (const FidelityPart& part : fidelity.parts) {
    rows.row(fidelity_table, fidelity).set("surrogate", fidelity.surrogate).set("size", fidelity.size);
    rows.set("rows", fidelity_rows[static_cast<std::size_t>(part.rows)]);
    if (part.rows == FidelityRows::region) rows.set("region", conditions_text(part.conditions, any_size - 1));
    rows.set("count", part.count).set("measure", fidelity.measure).set("fidelity", part.fidelity);
    rows.set("se", part.se).set("low", part.low).set("high", part.high).set("error", part.error);
    rows.set("within", part.within).set("agreement", part.agreement);
    rows.set("log_loss", part.log_loss).set("entropy", part.entropy);
    rows.set("model", part.model).set("truth", part.surrogate);
  }
}

std::string item_title(const Fidelity& fidelity) {
  const std::string& learner = fidelity.title.empty() ? fidelity.surrogate : fidelity.title;
  return learner.empty() ? "Fidelity" : "Fidelity: " + printable(learner, 80);
}

void item_set_dates(Fidelity& item, const Dates& dates) {
  for (FidelityPart& part : item.parts) set_dates(part.conditions, dates);
}

}  // namespace sightglass
