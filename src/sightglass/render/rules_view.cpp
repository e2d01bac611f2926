#include "sightglass/render/rules_view.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/interval.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"
#include "sightglass/render/vega/labelled_bars_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t rules_in_picture = 20;
constexpr std::size_t all_levels = 40;  // in tooltips

const Rules& rules_of(const ItemGroup& group) { return *group.item<Rules>(); }

// Of regions in which errors are told: what an error is, in words; empty of other rules.
std::string loss_of(const Rules& rules) {
  const Value* loss = rules.details.find("loss");
  return loss != nullptr && loss->is_string() ? printable(loss->as_string(), 60) : std::string();
}
std::optional<double> mean_loss(const Rules& rules) {
  const Value* mean = loss_of(rules).empty() ? nullptr : rules.details.find("mean");
  return mean != nullptr && mean->is_number() ? std::optional(mean->as_number()) : std::nullopt;
}
// The standard error of a region's mean.
std::optional<double> loss_error(const Rules& rules, std::size_t place) {
  const Value* errors = loss_of(rules).empty() ? nullptr : rules.details.find("se");
  if (errors == nullptr || !errors->is_array() || place >= errors->as_array().size()) return std::nullopt;
  const Value& error = errors->as_array()[place];
  return error.is_number() ? std::optional(error.as_number()) : std::nullopt;
}

std::string effect_text(const Rules& rules, const Rule& rule, bool with_unit) {
  std::string text = printable(rule.predicted_class, 40);
  if (rule.effect) {
    const std::string sign = rules.effects_add && *rule.effect > 0 ? "+" : "";
    text += (text.empty() ? "" : " ") + sign + readable(*rule.effect);
    if (with_unit && !rules.unit.empty()) text += " " + printable(rules.unit, 30);
  }
  return text;
}

// "temp > 13 & workingday = yes → +82 bikes/hour (31 % of rows)".
std::string sentence(const Rules& rules, const Rule& rule, const char* arrow) {
  const std::string effect = effect_text(rules, rule, true);
  std::string text = conditions_text(rule.conditions) + (effect.empty() ? "" : arrow + effect);
  text += " (" + percent(rule.support) + " of rows";
  if (rule.precision) text += ", right for " + percent(*rule.precision) + " of them";
  return text + ")";
}

// Whether these are rules of a single row, told as a card: what holds for certain, over perturbed rows, over rows.
bool is_card(const Rules& rules) {
  return rules.row && std::any_of(rules.rules.begin(), rules.rules.end(), [](const Rule& rule) {
           return rule.certain || rule.perturbed_precision.has_value();
         });
}

// "Gentoo", "112 ± 13 bikes/hour".
std::string promised_text(const Rules& rules, const Rule& rule) {
  std::string text = effect_text(rules, rule, false);
  // Models that know no names of their classes number them.
  const bool numbered =
      !rule.predicted_class.empty() && rule.predicted_class.find_first_not_of("0123456789") == std::string::npos;
  if (numbered && !rule.effect) text = "class " + text;
  if (rule.tolerance) text += " ± " + readable(*rule.tolerance);
  if (rule.effect && !rules.unit.empty()) text += " " + printable(rules.unit, 30);
  return text;
}

// "98 % (94 to 99 %)".
std::string share_text(double share, const std::optional<double>& low, const std::optional<double>& high) {
  std::string text = percent(share);
  if (low && high) text += " (" + percent(*low) + " to " + percent(*high) + ")";
  return text;
}

std::string certain_text(const Rules& rules, const Rule& rule) {
  const std::string outcome = promised_text(rules, rule);
  if (rule.conditions.empty()) return "the model says " + outcome + " for every input";
  std::string text = conditions_text(rule.conditions) + ": " + outcome + " whatever else, proven for every input";
  if (!rule.proof) return text;
  const std::optional<double>& least = rule.proof->bound;
  const bool smallest = rule.proof->status == ProofStatus::optimal;
  if (smallest && least) return text + "; no fewer features do that (proven)";
  const bool bounded = least && *least > 1;
  if (bounded) text += "; fewer than " + readable(*least) + " features cannot (proven)";
  if (smallest || rule.minimal) return text + (bounded ? ", and none" : "; none") + " of these can be left out";
  return text + (bounded ? "; more than that" : "; whether all of these are needed") + " is open";
}

// Of rules over the words of a column, these are left out; of others, features take values of other rows.
std::string perturbation_text(const Rules& rules) {
  return rules.perturbation == RulePerturbation::words ? "the other words left out at random"
                                                       : "the other features drawn at random";
}

std::string perturbed_text(const Rules& rules, const Rule& rule) {
  if (rule.perturbed_estimator != ShareEstimator::exact)
    return share_text(*rule.perturbed_precision, rule.perturbed_low, rule.perturbed_high) + ", " +
           perturbation_text(rules);
  return share_text(*rule.perturbed_precision, std::nullopt, std::nullopt) + ", " + perturbation_text(rules) +
         ": exact, over all that can be drawn";
}

// What is known of a rule of a row, most certain first: a heading and a sentence each.
std::vector<std::pair<std::string, std::string>> card_lines(const Rules& rules) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Rule& rule : rules.rules) {
    if (rule.certain) lines.emplace_back("Certain", certain_text(rules, rule));
  }
  for (const Rule& rule : rules.rules) {
    if (rule.certain) continue;
    if (rule.perturbed_precision) {
      lines.emplace_back("Perturbed rows", "right for " + perturbed_text(rules, rule));
    }
    std::string rows = "holds for " + percent(rule.support) + " of rows";
    if (rule.precision) rows += ", right for " + share_text(*rule.precision, rule.low, rule.high) + " of these";
    if (rule.base_rate) rows += "; of all rows it would be for " + percent(*rule.base_rate);
    lines.emplace_back("Rows of the data", rows);
  }
  return lines;
}

// The precision that was asked for and that no rule has; nothing: this one has it, or nobody says.
std::optional<double> missed_precision(const Rules& rules) {
  const Value *holds = rules.details.find("holds"), *wanted = rules.details.find("wanted_precision");
  if (holds == nullptr || !holds->is_bool() || holds->as_bool()) return std::nullopt;
  return wanted != nullptr && wanted->is_number() ? std::optional(wanted->as_number()) : std::nullopt;
}

// "If flipper_length > 213 → Gentoo".
std::string card_rule(const Rules& rules, const char* arrow) {
  for (const Rule& rule : rules.rules) {
    if (rule.certain) continue;
    const std::string text = conditions_text(rule.conditions) + arrow + promised_text(rules, rule);
    const auto missed = missed_precision(rules);
    return missed ? "No rule is sure to reach " + percent(*missed) + "; the best that was found: if " + text
                  : "If " + text;
  }
  return "No rule";
}

// "proven: no prediction outside 12 to 340 wherever it holds; not always above the average of 189: 12 at hour = 4".
std::string range_text(const Rules& rules, const ProvenRange& range) {
  std::string text = "proven: wherever it holds, the model predicts " + readable(range.low) + " to " +
                     readable(range.high) + ", whatever the other features";
  const std::string claim =
      std::string(range.claims_more ? "above" : "below") + " the average of " + readable(range.bound);
  if (range.status == ClaimStatus::proven) return text + ", always " + claim;
  const Value& at = range.claims_more ? range.at_least : range.at_greatest;
  const double found = range.claims_more ? range.least : range.greatest;
  if (range.status == ClaimStatus::refuted) {
    return text + "; that it is " + claim + " is refuted by " + readable(found) + " for " + input_text(at, rules.dates);
  }
  return text + "; whether it is always " + claim + " is open, farthest found: " + readable(found) + " for " +
         input_text(at, rules.dates);
}

// Of a leaf, the input for which the model is farthest from what it says, unless that is what refutes its claim.
std::string farthest_text(const Rules& rules, const Rule& rule) {
  if (rules.effects_add || !rule.effect) return "";
  const ProvenRange& range = *rule.range;
  const bool up = range.greatest - *rule.effect > *rule.effect - range.least;
  if (range.status != ClaimStatus::proven && up != range.claims_more) return "; no input was found that is farther off";
  return "; farthest off: " + readable(up ? range.greatest : range.least) + " for " +
         input_text(up ? range.at_greatest : range.at_least, rules.dates);
}

// For places that are short of room.
std::string short_range_text(const ProvenRange& range) {
  static constexpr const char* said[] = {"open", "proven", "refuted"};
  return "Proven " + readable(range.low) + " to " + readable(range.high) + "; " +
         (range.claims_more ? "above " : "below ") + readable(range.bound) + ": " +
         said[static_cast<std::size_t>(range.status)];
}

std::size_t claims_with(const Rules& rules, ClaimStatus status) {
  return static_cast<std::size_t>(std::count_if(rules.rules.begin(), rules.rules.end(), [&](const Rule& rule) {
    return rule.range && rule.range->status == status;
  }));
}

void card(text::Page& page, const Rules& rules) {
  page.wrapped(page.ascii(card_rule(rules, page.unicode() ? " → " : " -> ")), 2);
  std::size_t widest = 0;
  for (const auto& [heading, sentence] : card_lines(rules)) widest = std::max(widest, heading.size());
  for (const auto& [heading, sentence] : card_lines(rules)) {
    bool first = true;
    for (const auto& part : wrap(page.ascii(sentence), page.width() - static_cast<int>(widest) - 6)) {
      page.line("    " + pad_right(first ? heading : "", static_cast<int>(widest)) + "  " + part);
      first = false;
    }
  }
  for (const Rule& rule : rules.rules) {
    if (!rule.certain && rule.proof && !proof_text(*rule.proof).empty())
      page.wrapped(page.dim(capitalised(proof_text(*rule.proof)) + "."), 4);
  }
}

void rules_section(text::Page& page, const ItemGroup& group) {
  const Rules& rules = rules_of(group);
  const std::string qualifier = group_qualifier(page.result(), group);
  page.title(group_title(group) + (qualifier.empty() ? "" : page.dot() + qualifier),
             is_card(rules) ? "" : std::to_string(rules.rules.size()) + (rules.rules.size() == 1 ? " rule" : " rules"));
  if (is_card(rules)) return card(page, rules);
  if (const auto mean = mean_loss(rules))
    page.line("  Mean " + loss_of(rules) + " of the judged rows: " + page.ascii(readable(*mean)));
  if (rules.intercept) {
    page.line("  " + std::string(rules.effects_add ? "Start with " : "Where no rule holds: ") +
              page.ascii(readable(*rules.intercept)) +
              (rules.effects_add && !rules.rules.empty() ? " and add what holds:" : ""));
  }
  const std::size_t shown = std::min(rules.rules.size(), rules_in_picture);
  const int digits = static_cast<int>(std::to_string(shown).size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Rule& rule = rules.rules[i];
    std::string text = sentence(rules, rule, page.unicode() ? " → " : " -> ");
    if (rule.stability) text += page.dot() + std::string("came back in ") + percent(*rule.stability) + " of refits";
    bool first = true;
    for (const auto& part : wrap(text, page.width() - digits - 5)) {
      page.line((first ? "  " + pad_left(std::to_string(i + 1), digits) + ". " : repeat(" ", digits + 4)) + part);
      first = false;
    }
    if (rule.proof && !proof_text(*rule.proof).empty())
      page.wrapped(capitalised(proof_text(*rule.proof)) + ".", digits + 4);
    if (!rule.range) continue;
    page.wrapped(page.ascii(capitalised(range_text(rules, *rule.range) + farthest_text(rules, rule))) + ".",
                 digits + 4);
  }
  if (rules.rules.size() > shown)
    page.line(page.dim("  " + std::to_string(rules.rules.size() - shown) + " more; csv and json have all"));
}

// The precisions of a row's rule beside what no rule at all would have.
Value card_bars(const Rules& rules, std::size_t letters) {
  vega::LabelledBars chart;
  chart.title = "share of rows with the same outcome";
  chart.groups = {"rule", "no rule"};
  chart.colors = {vega::lowers_color, "#999999"};
  chart.domain.add(0);
  chart.domain.add(1);
  chart.fixed = true;
  chart.tooltip = {{"what", "over", false}, {"share", "right for", false}};
  const auto add = [&](const std::string& what, double share, const std::optional<double>& low,
                       const std::optional<double>& high, const char* kind, const std::string& label) {
    vega::LabelledBar bar{.label = label, .value = share, .low = low, .high = high, .group = kind};
    bar.told.set("what", what).set("share", share_text(share, low, high));
    chart.bars.push_back(std::move(bar));
  };
  for (const Rule& rule : rules.rules) {
    if (rule.certain) {
      add("every input", 1, std::nullopt, std::nullopt, "rule", "Certain: " + certain_text(rules, rule));
      continue;
    }
    const std::string text = card_rule(rules, " → ");
    if (rule.precision)
      add("rows of the data", *rule.precision, rule.low, rule.high, "rule",
          text + ". Rows of the data that meet it (" + percent(rule.support) + ")");
    if (rule.perturbed_precision)
      add("perturbed rows", *rule.perturbed_precision, rule.perturbed_low, rule.perturbed_high, "rule",
          "Perturbed rows: the same conditions, " + perturbation_text(rules));
    if (rule.base_rate)
      add("all rows", *rule.base_rate, std::nullopt, std::nullopt, "no rule", "All rows, without a rule");
  }
  return labelled_bars(chart, letters);
}

Value rules_bars(const Result& result, const ItemGroup& group, std::size_t letters) {
  const Rules& rules = rules_of(group);
  if (is_card(rules)) return card_bars(rules, letters);
  if (rules.rules.empty()) return vega::message_chart("no rules");
  const bool any_effect =
      std::any_of(rules.rules.begin(), rules.rules.end(), [](const Rule& rule) { return rule.effect.has_value(); });
  vega::LabelledBars chart;
  chart.groups = {"raises", "lowers"};
  chart.colors = {vega::raises_color, vega::lowers_color};
  const std::string quantity = prediction_title(result, Quantity::single, rules.output);
  // Rules that only name a class are as long as they are right.
  const std::string loss = loss_of(rules);
  chart.title = !loss.empty()        ? "mean " + loss
                : !any_effect        ? "share of rows that the rule is right about"
                : !rules.effects_add ? quantity
                : rules.unit.empty() ? "added to the " + quantity
                                     : "added, in " + printable(rules.unit, 30);
  if (any_effect && !rules.effects_add && rules.intercept) chart.base = *rules.intercept;
  chart.line = mean_loss(rules);
  const std::size_t shown = std::min(rules.rules.size(), rules_in_picture);
  chart.left_out = rules.rules.size() - shown;
  for (std::size_t i = 0; i < shown; ++i) {
    const Rule& rule = rules.rules[i];
    vega::LabelledBar bar{.label = sentence(rules, rule, " → "), .group = "raises"};
    if (rule.range) {
      bar.label += ". " + short_range_text(*rule.range);
      bar.told.set("range", printable(range_text(rules, *rule.range) + farthest_text(rules, rule), 600));
      if (!rules.effects_add && rule.effect) {
        bar.low = rule.range->low;
        bar.high = rule.range->high;
      }
    }
    if (const auto error = loss_error(rules, i); error && rule.effect) {
      bar.low = *rule.effect - interval_width * *error;
      bar.high = *rule.effect + interval_width * *error;
    }
    if (any_effect) {
      bar.value = rule.effect.value_or(std::nan(""));
      bar.group = bar.value < chart.base ? "lowers" : "raises";
    } else {
      bar.value = rule.precision.value_or(std::nan(""));
      bar.low = rule.low;
      bar.high = rule.high;
    }
    bar.told.set("rule", printable(conditions_text(rule.conditions, all_levels), 600))
        .set("share", percent(rule.support));
    bar.told.set("effect", effect_text(rules, rule, true));
    if (rule.precision) bar.told.set("precision", percent(*rule.precision));
    if (rule.importance) bar.told.set("importance", vega::plotted(*rule.importance, 4));
    if (rule.stability) bar.told.set("back", percent(*rule.stability));
    chart.bars.push_back(std::move(bar));
  }
  const auto any = [&](std::optional<double> Rule::* member) {
    return std::any_of(rules.rules.begin(), rules.rules.end(),
                       [&](const Rule& rule) { return (rule.*member).has_value(); });
  };
  chart.tooltip = {{"rule", "rows where", false},
                   {"effect",
                    !loss.empty()       ? "mean error"
                    : rules.effects_add ? "adds"
                                        : "predicts",
                    false},
                   {"share", "share of rows", false}};
  if (any(&Rule::precision)) chart.tooltip.push_back({"precision", "right for", false});
  if (any(&Rule::importance))
    chart.tooltip.push_back({"importance", loss.empty() ? "importance" : "share of all errors"});
  if (std::any_of(rules.rules.begin(), rules.rules.end(), [](const Rule& rule) { return rule.range.has_value(); }))
    chart.tooltip.push_back({"range", "for all inputs", false});
  if (any(&Rule::stability)) chart.tooltip.push_back({"back", "came back in refits", false});
  return labelled_bars(chart, letters);
}

std::string rules_description(const Result&, const ItemGroup& group) {
  const Rules& rules = rules_of(group);
  if (is_card(rules)) {
    std::string text = card_rule(rules, " → ") + ".";
    for (const auto& [heading, said] : card_lines(rules)) text += " " + heading + ": " + said + ".";
    return text;
  }
  const std::string loss = loss_of(rules);
  std::string text =
      std::to_string(rules.rules.size()) + (loss.empty() ? " rule" : " region") + (rules.rules.size() == 1 ? "" : "s");
  if (const auto mean = mean_loss(rules)) text += ", mean " + loss + " of the judged rows " + readable(*mean);
  if (rules.intercept)
    text += std::string(rules.effects_add ? ", added to " : "; elsewhere ") + readable(*rules.intercept);
  text += ".";
  for (std::size_t i = 0; i < std::min<std::size_t>(rules.rules.size(), 3); ++i)
    text += std::string(i > 0          ? "; "
                        : loss.empty() ? " Most important: "
                                       : " Worst: ") +
            sentence(rules, rules.rules[i], " → ");
  if (rules.rules.empty()) return text;
  text += ".";
  // What is known for all inputs, of the first that it is known of.
  std::size_t told = 0;
  for (const Rule& rule : rules.rules) {
    if (!rule.range || ++told > 3) continue;
    text += " Where " + conditions_text(rule.conditions) + ", " + range_text(rules, *rule.range) +
            farthest_text(rules, rule) + ".";
  }
  return text;
}

std::string rules_reading(const Result&, const ItemGroup& group) {
  const Rules& rules = rules_of(group);
  if (is_card(rules))
    return "Of rows that meet the rule's conditions a bar is the share of which the model says what it says of this "
           "one, the thin line an interval for it; the grey bar is the same share of all rows. Perturbed rows keep the "
           "conditions: " +
           perturbation_text(rules) + ".";
  if (const std::string loss = loss_of(rules); !loss.empty())
    return "Each bar is the mean " + loss +
           " of the rows that meet all conditions, the worst region first; the thin line is a 95 % interval. The "
           "dashed "
           "line is the mean of the judged rows.";
  if (std::none_of(rules.rules.begin(), rules.rules.end(), [](const Rule& rule) { return rule.effect.has_value(); }))
    return "Rows that meet all conditions of a rule belong to its class; a bar is how often that is right.";
  return rules.effects_add
             ? std::string(
                   "A rule adds its number to the prediction of every row that meets all of its conditions: orange "
                   "raises "
                   "the "
                   "prediction, blue lowers it. A row's prediction is the start value and all rules that hold for it.")
             : std::string("For rows that meet all conditions of a rule, its number is what is predicted.") +
                   (std::any_of(rules.rules.begin(), rules.rules.end(),
                                [](const Rule& rule) { return rule.range.has_value(); })
                        ? " The thin line is what the model can say there, proven for all inputs within the ranges of "
                          "the data and not only for its rows."
                        : "");
}

std::vector<std::string> rules_chips(const ItemGroup& group) {
  const Rules& rules = rules_of(group);
  if (is_card(rules)) {
    std::vector<std::string> list;
    for (const Rule& rule : rules.rules) {
      if (rule.certain) {
        list.push_back(std::to_string(rule.conditions.size()) + " features settle it for certain");
      } else {
        if (const auto missed = missed_precision(rules)) list.push_back("no rule is sure to reach " + percent(*missed));
        list.push_back("covers " + percent(rule.support));
        if (rule.proof && rule.proof->status == ProofStatus::optimal) list.push_back("proven: no rule covers more");
      }
    }
    return list;
  }
  if (!loss_of(rules).empty()) {
    std::vector<std::string> list{std::to_string(rules.rules.size()) +
                                  (rules.rules.size() == 1 ? " region" : " regions")};
    if (const auto mean = mean_loss(rules)) list.push_back("all rows " + readable(*mean));
    return list;
  }
  std::vector<std::string> list{std::to_string(rules.rules.size()) + (rules.rules.size() == 1 ? " rule" : " rules")};
  if (rules.intercept) list.push_back((rules.effects_add ? "start value " : "elsewhere ") + readable(*rules.intercept));
  const std::size_t proven = claims_with(rules, ClaimStatus::proven),
                    refuted = claims_with(rules, ClaimStatus::refuted);
  if (proven + refuted + claims_with(rules, ClaimStatus::open) > 0)
    list.push_back(std::to_string(proven) + " proven for all inputs, " + std::to_string(refuted) + " refuted");
  return list;
}

}  // namespace

ShapeView ViewOf<Rules>::view() {
  return {
      .text = rules_section,
      .chart = [](const Result& result, const ItemGroup& group,
                  int) { return rules_bars(result, group, vega::letters_per_line); },
      .chapter = model_chapter(30),
      .words = {.describe = rules_description, .how_to_read = rules_reading, .badges = rules_chips},
      .narrow_chart = [](const Result& result,
                         const ItemGroup& group) { return rules_bars(result, group, vega::letters_per_narrow_line); }};
}

}  // namespace sightglass
