#include "sightglass/result/shapes/rules.h"

#include <set>

#include "sightglass/base/error.h"
#include "sightglass/result/fields.h"
#include "sightglass/result/item.h"
#include "sightglass/result/json_node_internal.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

static void describe_fields(Rule& rule, Fields& fields) {
  describe_records(fields, {"conditions", "All of them hold; none: every row.", Presence::required}, rule.conditions);
  fields.optional_number({"effect", "What is added where it holds, or what is predicted there; effects_add says which.",
                          Presence::required},
                         rule.effect);
  fields.only_if(!rule.predicted_class.empty(),
                 [&] { fields.text({"class", "What it predicts, where that is a class."}, rule.predicted_class); });
  fields.number({"support", "Share of (weighted) rows for which it holds.", Presence::required}, rule.support);
  describe_some(fields, {"precision", "Share of these that it is right about."}, rule.precision);
  describe_some(fields, {"low"}, rule.low);
  describe_some(fields, {"high", "With low: an interval for the precision."}, rule.high);
  describe_some(fields, {"perturbed_precision", "The precision over rows that were made up with the rule held."},
                rule.perturbed_precision);
  describe_some(fields, {"perturbed_low"}, rule.perturbed_low);
  describe_some(fields, {"perturbed_high", "With perturbed_low: an interval for it."}, rule.perturbed_high);
  fields.only_if(rule.perturbed_estimator.has_value(), [&] {
    describe_choice(fields,
                    {"perturbed_estimator",
                     "Whether these rows were drawn, or are all that there are: then the precision "
                     "is exact."},
                    share_estimators, rule.perturbed_estimator);
  });
  describe_some(fields, {"base_rate", "Share of all rows that it would be right about."}, rule.base_rate);
  describe_some(fields, {"tolerance", "How far from the effect a prediction may be for the rule to be right."},
                rule.tolerance);
  fields.only_if(rule.certain, [&] {
    fields.flag({"certain", "Whether it is proven to be right for every input, whatever the other features."},
                rule.certain);
  });
  fields.only_if(rule.minimal, [&] {
    fields.flag({"minimal",
                 "Of one that is certain: none of its conditions can be left out; whether fewer of other "
                 "features would do, its proof says."},
                rule.minimal);
  });
  describe_some(fields, {"importance"}, rule.importance);
  describe_some(fields, {"stability", "Share of refits on resampled rows in which it came back."}, rule.stability);
  describe_proof(rule.proof, fields);
  describe_range(rule.range, fields);
  fields.check([&](const JsonNode& node) {
    const auto check_share = [&](const char* key, const std::optional<double>& share) {
      if (share && !(*share >= 0 && *share <= 1)) node.at(key).fail("expected a share between 0 and 1");
    };
    check_share("support", rule.support);
    check_share("precision", rule.precision);
    check_share("perturbed_precision", rule.perturbed_precision);
    check_share("base_rate", rule.base_rate);
    check_share("stability", rule.stability);
  });
}

void describe_fields(Rules& rules, Fields& fields) {
  fields.about("If-then rules, most important first: of a rule model, a surrogate, or a single row.");
  fields.only_if(!rules.name.empty(), [&] { fields.text({"name", "What a picture of them is called."}, rules.name); });
  describe_output(rules.output, rules.group, fields);
  fields.text({"unit", "Of effects; empty if unknown."}, rules.unit);
  fields.flag({"effects_add", "Whether effects add up; else an effect is what is predicted where the rule holds."},
              rules.effects_add);
  describe_count(fields, {"row", "The row that they explain, counted from 0; null: they are about all."}, rules.row);
  describe_row_label(fields, rules.row_label);
  fields.only_if(rules.perturbation.has_value(), [&] {
    describe_choice(fields,
                    {"perturbation",
                     "What is made up of rows with the conditions held: other features are drawn from the "
                     "data, or other words left out."},
                    rule_perturbations, rules.perturbation);
  });
  fields.optional_number({"intercept", "What is predicted where no rule holds."}, rules.intercept);
  describe_records(fields, {"rules", "", Presence::required}, rules.rules);
  fields.object({"details", "How they were found; free-form."}, rules.details);
}

void show_rows(Rules& rules, const RowVisitor& visit) {
  if (!rules.row) return;
  // A name that says which row it is about says it in the new words.
  const std::string before = row_name(*rules.row);
  visit(*rules.row, rules.row_label);
  if (!rules.name.ends_with(before)) return;
  rules.name.resize(rules.name.size() - before.size());
  rules.name += row_name(*rules.row, rules.row_label);
}

void tidy_rows(const Rules& rules, TidyRows& rows) {
  static const TableKind rule_table{.priority = 24,
                                    .columns = {"rule",
                                                "effect",
                                                "class",
                                                "support",
                                                "importance",
                                                "output",
                                                "group",
                                                "row",
                                                "precision",
                                                "low",
                                                "high",
                                                "perturbed_precision",
                                                "perturbed_low",
                                                "perturbed_high",
                                                "base_rate",
                                                "tolerance",
                                                "certain",
                                                "stability",
                                                "proof",
                                                "proven_low",
                                                "proven_high",
                                                "claim",
                                                "claim_status",
                                                "counterexample",
                                                "perturbed_estimator"},
                                    .always = {"rule", "support"}};
  const auto begin = [&](const std::string& rule) {
    rows.row(rule_table, rules).set("rule", rule);
    if (rules.row) rows.set("row", *rules.row);
    if (!rules.row_label.empty()) rows.set("label", rules.row_label);
  };
  for (const Rule& rule : rules.rules) {
    begin(conditions_text(rule.conditions, any_size - 1));
    rows.set("effect", rule.effect);
    if (!rule.predicted_class.empty()) rows.set("class", rule.predicted_class);
    rows.set("support", rule.support).set("importance", rule.importance).set("precision", rule.precision);
    rows.set("low", rule.low).set("high", rule.high).set("stability", rule.stability);
    rows.set("perturbed_precision", rule.perturbed_precision).set("perturbed_low", rule.perturbed_low);
    rows.set("perturbed_high", rule.perturbed_high).set("base_rate", rule.base_rate);
    rows.set("tolerance", rule.tolerance);
    if (rule.perturbed_estimator)
      rows.set("perturbed_estimator", share_estimators[static_cast<std::size_t>(*rule.perturbed_estimator)]);
    if (rule.certain) rows.set("certain", true);
    if (rule.proof) rows.set("proof", proof_statuses[static_cast<std::size_t>(rule.proof->status)]);
    if (!rule.range) continue;
    rows.set("proven_low", rule.range->low).set("proven_high", rule.range->high);
    rows.set("claim", (rule.range->claims_more ? ">= " : "<= ") + condition_number(rule.range->bound));
    rows.set("claim_status", claim_statuses[static_cast<std::size_t>(rule.range->status)]);
    if (rule.range->status == ClaimStatus::refuted)
      rows.set("counterexample", input_text(rule.range->claims_more ? rule.range->at_least : rule.range->at_greatest,
                                            rules.dates, any_size));
  }
  if (!rules.intercept) return;
  begin("(intercept)");
  rows.set("effect", *rules.intercept);
}

std::string item_title(const Rules& rules) {
  if (!rules.name.empty()) return printable(rules.name, 100);
  return rules.row ? row_title(*rules.row, rules.row_label) + ", the rule it falls under" : "Rules";
}

ItemFeatures item_features(const Rules& rules) {
  ItemFeatures features{FeatureUse::importance, {}};
  std::set<std::string> known;
  for (const Rule& rule : rules.rules) {
    for (const ShownCondition& condition : rule.conditions) {
      if (known.insert(condition.feature).second) features.together.push_back({condition.feature});
    }
  }
  return features;
}

void item_set_dates(Rules& item, const Dates& dates) {
  item.dates = dates;
  for (Rule& rule : item.rules) set_dates(rule.conditions, dates);
}

}  // namespace sightglass
