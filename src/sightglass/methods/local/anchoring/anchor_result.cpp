#include "sightglass/methods/local/anchoring/anchor_result.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sightglass/data/new_rows.h"
#include "sightglass/methods/caveats/caveat_text_internal.h"
#include "sightglass/methods/local/anchoring/share_bounds.h"
#include "sightglass/result/shapes/rules.h"

namespace sightglass {

namespace {

constexpr double tiny_coverage = 0.01;
// Rules that are held against one another: all pairs of them.
constexpr std::size_t most_compared = 300;
constexpr std::size_t shown_conflicts = 3;
// A rule that names more of the features than this has settled little.
constexpr double long_share = 0.7;

std::string rows_text(std::uint64_t row, std::size_t more) {
  return row_text(row) + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

Rule certain_item(const AnchorResults& of, const LabelledRow& row, const SettledAnchor& anchor) {
  const CertainRule& found = *anchor.certain;
  Rule rule;
  rule.conditions = of.certain->conditions(found, row);
  rule.support = of.certain->support(found, rule.conditions);
  rule.certain = true;
  rule.minimal = found.open == 0;
  rule.proof = Proof{.status = found.smallest() ? ProofStatus::optimal : ProofStatus::bounded,
                     .bound = static_cast<double>(found.least),
                     .among = "sets of features that settle the outcome for every input, by how many they are",
                     .explored = found.explored};
  return rule;
}

}  // namespace

std::vector<ShownCondition> AnchorResults::shown(const CellRule& rule) const {
  std::vector<ShownCondition> conditions;
  for (const CellCondition& condition : rule)
    conditions.push_back(features[condition.feature].shown(condition, input.schema[input.features[condition.feature]]));
  return conditions;
}

void AnchorResults::add_items(const std::vector<SettledAnchor>& anchors, Result& result) const {
  for (const SettledAnchor& anchor : anchors) {
    const LabelledRow& row = rows.named[anchor.row];
    const AnchorOutcome& outcome = outcomes[anchor.outcome];
    Rules item;
    item.name = "Anchor of row " + std::to_string(row.id);
    item.output = outcome_output(input, outcome, row.predictions);
    item.effects_add = false;
    item.row = row.id;
    item.perturbation = RulePerturbation::features;
    Rule rule;
    rule.conditions = shown(anchor.rule.conditions);
    rule.predicted_class = outcome_class(input, outcome, row.predictions);
    if (outcome.kind == AnchorOutcomeKind::number) {
      rule.effect = row.predictions[outcome.output];
      rule.tolerance = outcome.tolerance;
      if (input.target && input.scale == Scale::response) item.unit = input.schema[*input.target].unit;
    }
    const RuleCount& counted = anchor.rule.rows;
    rule.support = anchor.rows > 0 ? counted.covered / anchor.rows : 0;
    if (counted.covered > 0) {
      rule.precision = counted.precision();
      rule.low = lower_share(counted.good, counted.covered, anchor.level);
      rule.high = upper_share(counted.good, counted.covered, anchor.level);
    }
    if (anchor.check.count.covered > 0) {
      const CheckedShare share = checked_share(anchor.check, anchor.attempts, terms);
      rule.perturbed_estimator = anchor.check.exact ? ShareEstimator::exact : ShareEstimator::sampled;
      rule.perturbed_precision = share.precision;
      rule.perturbed_low = share.low;
      rule.perturbed_high = share.high;
    }
    rule.base_rate = anchor.rows > 0 ? anchor.base / anchor.rows : 0;
    if (anchor.holds && anchor.over_rows) {
      rule.proof = Proof{.status = anchor.complete ? ProofStatus::optimal : ProofStatus::bounded,
                         .bound = anchor.rows > 0 ? std::optional(anchor.bound / anchor.rows) : std::nullopt,
                         .among = "rules of at most " + std::to_string(terms.most_conditions) +
                                  " conditions with that precision, by the share of rows that they cover",
                         .explored = anchor.explored};
    }
    item.rules.push_back(std::move(rule));
    if (anchor.certain) {
      Rule certainly = certain_item(*this, row, anchor);
      certainly.predicted_class = item.rules[0].predicted_class;
      certainly.effect = item.rules[0].effect;
      certainly.tolerance = item.rules[0].tolerance;
      item.rules.push_back(std::move(certainly));
    }
    item.details = Value::object({{"search", anchor.over_rows ? "rows" : "sampling"},
                                  {"holds", anchor.holds},
                                  {"wanted_precision", terms.precision},
                                  {"confidence", 1 - terms.delta},
                                  {"rows", anchor.rows},
                                  {"covered_rows", counted.covered},
                                  {"perturbed_rows", anchor.check.count.covered},
                                  {"explored", anchor.explored}});
    result.results.emplace_back(std::move(item));
  }
}

void AnchorResults::add_caveats(const std::vector<SettledAnchor>& anchors, Result& result) const {
  add_failed(anchors, result);
  add_tiny(anchors, result);
  add_conflicts(anchors, result);
  if (certain != nullptr) add_certain(anchors, result);
}

void AnchorResults::add_failed(const std::vector<SettledAnchor>& anchors, Result& result) const {
  const SettledAnchor* first = nullptr;
  std::size_t failed = 0;
  for (const SettledAnchor& anchor : anchors) {
    if (anchor.holds) continue;
    if (first == nullptr) first = &anchor;
    ++failed;
  }
  if (first == nullptr) return;
  const std::uint64_t row = rows.named[first->row].id;
  const RuleCount& counted = first->rule.rows;
  std::string message = "no rule for " + rows_text(row, failed - 1) + " is right for " + percent_text(terms.precision) +
                        " of rows; best found for " + row_text(row) + ": " +
                        conditions_text(shown(first->rule.conditions)) + ", right for " +
                        percent_text(counted.precision()) + " of the rows that meet it and " +
                        percent_text(first->check.count.precision()) + " of perturbed ones";
  const bool few = counted.precision() >= terms.precision && first->check.count.precision() >= terms.precision;
  if (few)
    message += "; but " + number_text(counted.covered) +
               " rows are too few to be sure of that, after so many rules were tried";
  const bool stopped = first->over_rows && !first->complete;
  if (stopped)
    message += "; the search stopped after " + std::to_string(first->explored) +
               " rules: whether another one reaches it is not known";
  result.caveats.push_back(
      {.id = "no-anchor",
       .severity = Severity::caution,
       .message = message,
       .evidence = Value::object({{"row", row_number(row)},
                                  {"rows", failed},
                                  {"of", anchors.size()},
                                  {"precision", first->rule.rows.precision()},
                                  {"perturbed_precision", first->check.count.precision()},
                                  {"explored", first->explored},
                                  {"complete", first->complete}}),
       .advice =
           marked(stopped ? "raise {option:max_rules}, or look for a rule of fewer conditions: lower "
                            "{option:max_conditions}"
                  : few   ? "more rows of data would tell; or lower {option:precision}, or {option:max_conditions}: "
                            "fewer rules that are tried leave less doubt"
                          : "the model changes its mind nearby: look at the row's own curves, lower "
                            "{option:precision}, or raise {option:max_conditions}, {option:bins} or, for "
                            "numbers, {option:tolerance}")});
}

void AnchorResults::add_tiny(const std::vector<SettledAnchor>& anchors, Result& result) const {
  const SettledAnchor* least = nullptr;
  std::size_t tiny = 0;
  for (const SettledAnchor& anchor : anchors) {
    if (!anchor.holds || anchor.rule.rows.covered >= tiny_coverage * anchor.rows) continue;
    if (least == nullptr || anchor.rule.rows.covered < least->rule.rows.covered) least = &anchor;
    ++tiny;
  }
  if (least == nullptr) return;
  const std::uint64_t row = rows.named[least->row].id;
  const double coverage = least->rule.rows.covered / least->rows;
  result.caveats.push_back(
      {.id = "unstable-local",
       .severity = Severity::caution,
       .message = "the rule of " + rows_text(row, tiny - 1) + " covers less than 1 % of the rows (" +
                  number_text(100 * coverage) + " %): it speaks of little more than the row itself",
       .evidence = Value::object({{"row", row_number(row)}, {"rows", tiny}, {"coverage", coverage}}),
       .advice = "other data would give another rule; do not carry it over to other rows"});
}

void AnchorResults::add_conflicts(const std::vector<SettledAnchor>& anchors, Result& result) const {
  // Rows of the same outcome often have the same rule.
  std::vector<const SettledAnchor*> distinct;
  for (const SettledAnchor& anchor : anchors) {
    if (!anchor.holds || distinct.size() >= most_compared) continue;
    const bool known = std::any_of(distinct.begin(), distinct.end(), [&](const SettledAnchor* other) {
      return other->outcome == anchor.outcome && other->rule.conditions == anchor.rule.conditions &&
             outcomes[anchor.outcome].same(rows.named[other->row].predictions, rows.named[anchor.row].predictions);
    });
    if (!known) distinct.push_back(&anchor);
  }
  std::vector<std::vector<RowWord>> sets(distinct.size());
  input.for_each("conflicts", distinct.size(),
                 [&](std::size_t i) { sets[i] = celled.bits(distinct[i]->rule.conditions); });
  struct Conflict {
    std::uint64_t shared = 0;
    std::size_t a = 0, b = 0;
  };
  std::vector<std::vector<Conflict>> found(distinct.size());
  input.for_each("conflicts", distinct.size(), [&](std::size_t a) {
    for (std::size_t b = a + 1; b < distinct.size(); ++b) {
      if (distinct[a]->outcome != distinct[b]->outcome) continue;
      const AnchorOutcome& outcome = outcomes[distinct[a]->outcome];
      if (outcome.same(rows.named[distinct[a]->row].predictions, rows.named[distinct[b]->row].predictions)) continue;
      const std::uint64_t shared = count_shared(sets[a].data(), sets[b].data(), sets[a].size());
      if (shared > 0) found[a].push_back({shared, a, b});
    }
  });
  std::vector<Conflict> conflicts;
  for (const auto& each : found) conflicts.insert(conflicts.end(), each.begin(), each.end());
  if (conflicts.empty()) return;
  std::stable_sort(conflicts.begin(), conflicts.end(),
                   [](const Conflict& a, const Conflict& b) { return a.shared > b.shared; });
  const auto says = [&](const SettledAnchor& anchor) {
    const auto& predictions = rows.named[anchor.row].predictions;
    const AnchorOutcome& outcome = outcomes[anchor.outcome];
    const std::string name = outcome_class(input, outcome, predictions);
    return printable(name.empty() ? number_text(predictions[outcome.output]) : name, 40);
  };
  Value listed = Value::array();
  std::string text;
  for (std::size_t i = 0; i < std::min(conflicts.size(), shown_conflicts); ++i) {
    const SettledAnchor &a = *distinct[conflicts[i].a], &b = *distinct[conflicts[i].b];
    const std::uint64_t first = row_number(rows.named[a.row].id), second = row_number(rows.named[b.row].id);
    text +=
        (i == 0 ? "" : "; ") + ("rows " + std::to_string(first) + " (" + says(a) + ") and " + std::to_string(second) +
                                " (" + says(b) + "): " + std::to_string(conflicts[i].shared) + " rows in both");
    listed.push_back(Value::object({{"row", first}, {"other_row", second}, {"rows", conflicts[i].shared}}));
  }
  result.caveats.push_back(
      {.id = "conflicting-anchors",
       .severity = Severity::caution,
       .message = std::to_string(conflicts.size()) + (conflicts.size() == 1 ? " pair" : " pairs") +
                  " of rules overlap and disagree: " + text,
       .evidence = Value::object({{"pairs", conflicts.size()}, {"largest", std::move(listed)}}),
       .advice = "both are right most of the time, so rows that meet both lie near a border of the model: read both"});
}

void AnchorResults::add_certain(const std::vector<SettledAnchor>& anchors, Result& result) const {
  const SettledAnchor *unknown = nullptr, *open = nullptr, *longest = nullptr;
  std::size_t unknowns = 0, opens = 0, longs = 0;
  bool available = true;
  for (const SettledAnchor& anchor : anchors) {
    if (!certain->available(outcomes[anchor.outcome])) {
      available = false;
      continue;
    }
    if (!anchor.certain) {
      unknowns += 1;
      if (unknown == nullptr) unknown = &anchor;
      continue;
    }
    if (!anchor.certain->smallest()) {
      opens += 1;
      if (open == nullptr) open = &anchor;
    }
    if (static_cast<double>(anchor.certain->features.size()) > long_share * static_cast<double>(certain->features()) &&
        anchor.certain->features.size() > terms.most_conditions) {
      longs += 1;
      if (longest == nullptr || anchor.certain->features.size() > longest->certain->features.size()) longest = &anchor;
    }
  }
  if (!available) {
    result.caveats.push_back(
        {.id = "no-certain-rule",
         .severity = Severity::note,
         .message = "nothing can be proven for every input: that takes a tree ensemble whose trees are explained by "
                    "their structure, on a scale on which they add up or behind a link that only bends it",
         .advice = marked("leave out {option:certain}, or {option:engine} blackbox if that was given")});
  }
  if (unknown != nullptr) {
    const std::uint64_t row = rows.named[unknown->row].id;
    result.caveats.push_back({.id = "no-certain-rule",
                              .severity = Severity::note,
                              .message = rows_text(row, unknowns - 1) +
                                         ": the prediction lies on the border of its outcome, within rounding, so that "
                                         "nothing settles it",
                              .evidence = Value::object({{"row", row_number(row)}, {"rows", unknowns}}),
                              .advice = "a prediction on the border should not be read as a decision"});
  }
  if (open != nullptr) {
    const std::uint64_t row = rows.named[open->row].id;
    const CertainRule& rule = *open->certain;
    const std::string size = std::to_string(rule.features.size()), least = std::to_string(rule.least);
    std::string message = rows_text(row, opens - 1) + ": " + size + " features settle the outcome, ";
    if (rule.least > 1) message += "fewer than " + least + " cannot (proven), ";
    message += rule.open > 0 ? "and " + std::to_string(rule.open) + " of the " + size + " could perhaps be left out"
                             : "and none of the " + size + " can be left out, but fewer others might do";
    result.caveats.push_back({.id = "certain-rule-open",
                              .severity = Severity::note,
                              .message = message + ": the limit was reached before that was known",
                              .evidence = Value::object({{"row", row_number(row)},
                                                         {"rows", opens},
                                                         {"features", rule.features.size()},
                                                         {"least", rule.least},
                                                         {"open", rule.open},
                                                         {"explored", rule.explored}}),
                              .advice = marked("raise {option:boxes}")});
  }
  if (longest != nullptr) {
    const std::uint64_t row = rows.named[longest->row].id;
    result.caveats.push_back({.id = "long-certain-rule",
                              .severity = Severity::note,
                              .message = rows_text(row, longs - 1) + ": only " +
                                         std::to_string(longest->certain->features.size()) + " of " +
                                         std::to_string(certain->features()) +
                                         " features together settle the outcome for every input, which explains little",
                              .evidence = Value::object({{"row", row_number(row)},
                                                         {"rows", longs},
                                                         {"features", longest->certain->features.size()},
                                                         {"of", certain->features()}}),
                              .advice = "read the rule that holds for nearly all rows instead"});
  }
}

}  // namespace sightglass
