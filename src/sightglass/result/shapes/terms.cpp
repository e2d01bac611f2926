#include "sightglass/result/shapes/terms.h"

#include <algorithm>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/result/fields.h"
#include "sightglass/result/item.h"
#include "sightglass/result/json_node_internal.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

static void describe_fields(LinearTerm& term, Fields& fields) {
  fields.texts({"features", "More than one: their product.", Presence::required}, term.features);
  fields.only_if(!term.conditions.empty(), [&] {
    describe_records(
        fields,
        {"conditions",
         "Of a term that is 1 where they hold, else 0: a level, a rule, a missing value. They stand in place "
         "of features that they name."},
        term.conditions);
  });
  fields.number({"coefficient", "Per unit of the feature.", Presence::required}, term.coefficient);
  fields.optional_number({"standardized", "Per standard deviation of the term."}, term.standardized);
  describe_some(fields, {"se"}, term.se);
  describe_some(fields, {"low"}, term.low);
  describe_some(fields, {"high", "With low: an interval for the coefficient."}, term.high);
  describe_some(fields, {"p_value"}, term.p_value);
  describe_some(fields, {"stability", "Share of refits on resampled rows in which it came back."}, term.stability);
  describe_some(fields,
                {"value", "What the term is for the row that is explained: a number, or 1 where its conditions hold."},
                term.value);
  describe_some(fields,
                {"contribution", "What it adds for that row: base + sum of contributions = what the link takes."},
                term.contribution);
  fields.check([&](const JsonNode& node) {
    if (term.features.empty() && term.conditions.empty()) node.fail("at least one feature or condition, please");
    if (term.stability && !(*term.stability >= 0 && *term.stability <= 1))
      node.at("stability").fail("expected a share between 0 and 1");
  });
}

void describe_fields(Terms& terms, Fields& fields) {
  fields.about(
      "The terms of a linear model or of a local line: prediction = link(intercept + sum of coefficient × value).");
  describe_output(terms.output, terms.group, fields);
  fields.text({"unit", "Of the prediction; empty if unknown."}, terms.unit);
  describe_count(fields, {"row", "The row that they explain, counted from 0; null: they are about all."}, terms.row);
  describe_row_label(fields, terms.row_label);
  describe_choice(fields, {"link"}, term_links, terms.link);
  fields.number({"intercept", "", Presence::required}, terms.intercept);
  describe_some(fields, {"intercept_se"}, terms.intercept_se);
  describe_some(fields, {"base", "With contributions: what an average row has, before the link."}, terms.base);
  describe_some(fields, {"prediction", "Of the row that is explained."}, terms.prediction);
  describe_some(fields, {"line", "Of a local line, which only comes near the prediction: base + sum of contributions."},
                terms.line);
  fields.only_if(terms.in_sequence, [&] {
    fields.flag({"in_sequence", "Terms follow one another, as the splits of a path do."}, terms.in_sequence);
  });
  describe_records(fields, {"terms", "Largest standardized coefficient first.", Presence::required}, terms.terms);
  fields.object({"details", "How they were found; free-form."}, terms.details);
}

std::string term_text(const LinearTerm& term, std::size_t most_levels) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : " × ") + part; };
  for (const std::string& feature : term.features) {
    const bool told = std::any_of(term.conditions.begin(), term.conditions.end(),
                                  [&](const ShownCondition& condition) { return condition.feature == feature; });
    const std::string name = printable(feature, 60);
    if (!told) add(name.empty() ? "(no name)" : name);
  }
  if (!term.conditions.empty()) add(conditions_text(term.conditions, most_levels));
  return text;
}

void show_rows(Terms& terms, const RowVisitor& visit) {
  if (terms.row) visit(*terms.row, terms.row_label);
}

void tidy_rows(const Terms& terms, TidyRows& rows) {
  static const TableKind term_table{.priority = 23,
                                    .columns = {"term", "coefficient", "standardized", "se", "low", "high", "p_value",
                                                "stability", "value", "contribution", "output", "group", "row"},
                                    .always = {"term", "coefficient"}};
  const auto begin = [&](const std::string& term, double coefficient) {
    rows.row(term_table, terms).set("term", term).set("coefficient", coefficient);
    if (terms.row) rows.set("row", *terms.row);
    if (!terms.row_label.empty()) rows.set("label", terms.row_label);
  };
  begin("(intercept)", terms.intercept);
  rows.set("se", terms.intercept_se);
  for (const LinearTerm& term : terms.terms) {
    begin(term_text(term, any_size - 1), term.coefficient);
    rows.set("standardized", term.standardized).set("se", term.se).set("low", term.low).set("high", term.high);
    rows.set("p_value", term.p_value).set("stability", term.stability);
    const bool plain = term.conditions.empty() && term.features.size() == 1;
    if (term.value) rows.set("value", *term.value, plain ? date_kind(terms.dates, term.features[0]) : DateKind{});
    rows.set("contribution", term.contribution);
  }
}

std::string item_title(const Terms& terms) {
  if (!terms.row) return "Terms";
  return row_title(*terms.row, terms.row_label) + (terms.in_sequence ? ", split by split" : ", term by term");
}

ItemFeatures item_features(const Terms& terms) {
  ItemFeatures features{FeatureUse::importance, {}};
  std::set<std::string> known;
  const auto add = [&](const std::string& name) {
    if (known.insert(name).second) features.together.push_back({name});
  };
  for (const LinearTerm& term : terms.terms) {
    for (const std::string& name : term.features) add(name);
    for (const ShownCondition& condition : term.conditions) add(condition.feature);
  }
  return features;
}

void item_set_dates(Terms& item, const Dates& dates) {
  item.dates = dates;
  for (LinearTerm& term : item.terms) set_dates(term.conditions, dates);
}

}  // namespace sightglass
