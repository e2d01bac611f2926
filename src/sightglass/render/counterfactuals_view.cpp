#include "sightglass/render/counterfactuals_view.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sightglass/base/error.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"
#include "sightglass/render/vega/labelled_bars_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t rows_told_in_full = 5;
constexpr std::size_t counterfactuals_in_text = 40;
constexpr std::size_t bars_in_picture = 30;

std::vector<const Counterfactuals*> counterfactuals_of(const ItemGroup& group) {
  std::vector<const Counterfactuals*> items;
  if (const auto* plain = group.as<PlainItems>()) {
    for (const ResultItem* item : plain->items) {
      if (const auto* found = item->as<Counterfactuals>()) items.push_back(found);
    }
  }
  return items;
}

// "Gentoo", "at least 300", "between 3 and 4".
std::string wanted_text(const Counterfactuals& item) {
  if (!item.wanted_class.empty()) return printable(item.wanted_class, 40);
  if (item.at_least && item.at_most) return "between " + readable(*item.at_least) + " and " + readable(*item.at_most);
  if (item.at_least) return "at least " + readable(*item.at_least);
  return item.at_most ? "at most " + readable(*item.at_most) : "another answer";
}

// "Adelie (Gentoo 0.02)": of which output the number is, where that is another; "213".
std::string answer_text(const Counterfactuals& item, const std::string& predicted, double prediction) {
  if (predicted.empty()) return readable(prediction);
  const std::string name = printable(predicted, 40);
  const Value* of = item.details.find("prediction_of");
  const bool other = of != nullptr && of->is_string() && of->as_string() != predicted;
  return name + " (" + (other ? printable(of->as_string(), 40) + ": " : std::string()) + readable(prediction) + ")";
}

std::string names_of(const CounterfactualRow& change) {
  std::string text;
  const auto& members = change.values.as_object();
  for (std::size_t i = 0; i < members.size(); ++i)
    text += (i == 0 ? "" : i + 1 == members.size() ? " and " : ", ") + printable(members[i].first, 60);
  return text;
}

std::string so_many(std::uint64_t features) {
  static constexpr const char* words[] = {"no", "one", "two", "three", "four", "five"};
  return features < std::size(words) ? words[features] : std::to_string(features);
}

// What the rungs below a size say together: "no single feature can" if proven, else that none was found.
std::vector<std::string> ladder_sentences(const Counterfactuals& item) {
  std::vector<std::string> told;
  std::vector<std::string> names;
  for (const LadderRung& rung : item.ladder) {
    const std::string size = rung.features == 1 ? "one feature alone" : so_many(rung.features) + " features together";
    if (rung.status == RungStatus::unreachable) {
      told.push_back(std::string("No change of ") + size + " can (proven)");
    } else if (rung.status == RungStatus::not_found) {
      told.push_back("Of " + size + " no change was found within the limit of the search; one may exist" +
                     (rung.bound && *rung.bound > 0 ? ", but none cheaper than " + readable(*rung.bound) : ""));
    } else {
      for (const CounterfactualRow& change : item.changes) {
        if (change.values.as_object().size() == rung.features) names.push_back(names_of(change));
      }
      if (names.empty()) continue;
      std::string can = names[0] + (rung.features == 1 ? " alone can" : " together can");
      for (std::size_t i = 1; i < names.size(); ++i) can += (i == 1 ? "; so can " : "; ") + names[i];
      names.clear();
      told.push_back(can);
    }
  }
  return told;
}

// Whether it is known that no feature may change; older files do not say.
bool nothing_may_change(const Counterfactuals& item) {
  const Value* features = item.details.find("may_change");
  return item.status != RecourseStatus::already && item.changes.empty() && features != nullptr &&
         features->is_number() && features->as_number() == 0;
}

// Of a row without a change, in a table.
std::string status_text(const Counterfactuals& item) {
  if (nothing_may_change(item)) return "no feature may change";
  if (item.status == RecourseStatus::not_found && is_proven_unreached(item))
    return "none of up to " + so_many(item.ladder.back().features) +
           (item.ladder.back().features == 1 ? " feature" : " features") + " (proven)";
  return words(recourse_statuses[static_cast<std::size_t>(item.status)]);
}

// Whether the first change is the smallest there is.
std::string proof_sentence(const Counterfactuals& item) {
  if (nothing_may_change(item)) {
    const auto& own = item.data.as_object();
    const bool all_missing =
        std::all_of(own.begin(), own.end(), [](const auto& each) { return each.second.is_null(); });
    return all_missing ? "No feature may change: the row has no values, and what is missing stays missing."
                       : "No feature may change: each is fixed, missing or has nowhere to go.";
  }
  const std::optional<Proof>& proof = item.proof;
  switch (item.status) {
    case RecourseStatus::already: return "The row has this outcome as it is: nothing needs to change.";
    case RecourseStatus::unreachable:
      return "Proven: no change of the features that may change reaches this outcome, however many change.";
    case RecourseStatus::not_found: {
      if (is_proven_unreached(item))
        return "Proven: no change of up to " + so_many(item.ladder.back().features) +
               (item.ladder.back().features == 1 ? " feature" : " features") +
               " reaches this outcome; changes of more features were not looked at.";
      return "Nothing that reaches this outcome was found within the limit of the search, which does not prove that "
             "there is nothing.";
    }
    case RecourseStatus::found: break;
  }
  if (!proof || proof->status == ProofStatus::none || proof->status == ProofStatus::sampled)
    return "Found by search; a smaller change may exist.";
  if (proof->status == ProofStatus::optimal)
    return "Proven: no change of fewer features can, and none of as few at less cost.";
  std::string text = "The best that was found";
  if (proof->bound) text += "; proven: no change of as few features costs less than " + readable(*proof->bound);
  return text + ".";
}

std::string change_line(const Counterfactuals& item, const CounterfactualRow& change, const char* arrow) {
  return changes_text(item, change) + arrow + answer_text(item, change.predicted_class, change.prediction);
}

// "cost 0.48; the nearest row with this outcome, 215, is 0.05 away".
std::string aside_text(const Counterfactuals& item, const CounterfactualRow& change) {
  std::string text = "cost " + readable(change.cost);
  if (change.distance_to_data) {
    text += "; nearest row with this outcome: " +
            (change.nearest_row ? std::to_string(*change.nearest_row) + ", " : std::string()) +
            readable(*change.distance_to_data) + " away";
  }
  if (change.other) {
    text += "; the other model " + std::string(change.other->kept ? "agrees: " : "does not: ") +
            answer_text(item, change.other->predicted_class, change.other->prediction);
  }
  return text;
}

void row_section(text::Page& page, const Counterfactuals& item) {
  const char* arrow = page.unicode() ? " → " : " -> ";
  page.line("  " + page.bold(page.ascii(row_title(item.row, item.row_label))) + ": " +
            page.ascii(answer_text(item, item.predicted_class, item.prediction)) +
            "; wanted: " + page.ascii(wanted_text(item)));
  for (const std::string& sentence : ladder_sentences(item)) page.wrapped(page.ascii(sentence) + ".", 4);
  std::size_t number = 0;
  for (const CounterfactualRow& change : item.changes) {
    const std::string head = std::to_string(++number) + ". ";
    page.wrapped(page.ascii(head + change_line(item, change, arrow)), 4);
    page.wrapped(page.ascii(aside_text(item, change)), 7);
  }
  page.wrapped(page.ascii(proof_sentence(item)), 4);
}

bool has_other_model(const ItemGroup& group) {
  const auto items = counterfactuals_of(group);
  return std::any_of(items.begin(), items.end(), [](const Counterfactuals* item) {
    return !item->changes.empty() && item->changes.front().other.has_value();
  });
}

void counterfactuals_section(text::Page& page, const ItemGroup& group) {
  const auto items = counterfactuals_of(group);
  const std::string qualifier = group_qualifier(page.result(), group);
  page.title(group_title(group) + (qualifier.empty() ? "" : page.dot() + qualifier),
             std::to_string(items.size()) + (items.size() == 1 ? " row" : " rows"));
  if (items.size() <= rows_told_in_full) {
    for (const Counterfactuals* item : items) row_section(page, *item);
    return;
  }
  text::TableColumn rows{.title = "row"}, from{.title = "answer", .left = true},
      best{.title = "smallest change", .left = true}, cost{.title = "cost"},
      other{.title = "other model", .left = true};
  const bool compared = has_other_model(group);
  const std::size_t shown = std::min(items.size(), counterfactuals_in_text);
  for (std::size_t i = 0; i < shown; ++i) {
    const Counterfactuals& item = *items[i];
    rows.cells.push_back(std::to_string(item.row));
    from.cells.push_back(page.fitted(page.ascii(answer_text(item, item.predicted_class, item.prediction)), 24));
    const bool any = !item.changes.empty();
    best.cells.push_back(page.fitted(page.ascii(any ? changes_text(item, item.changes[0]) : status_text(item)),
                                     std::max(20, page.width() - (compared ? 62 : 50))));
    cost.cells.push_back(any ? page.number(item.changes[0].cost) : "");
    other.cells.push_back(!any || !item.changes[0].other ? "" : item.changes[0].other->kept ? "agrees" : "does not");
  }
  if (compared) {
    page.table({rows, from, best, cost, other});
  } else {
    page.table({rows, from, best, cost});
  }
  page.shown_of(shown, items.size(), "rows");
}

Value counterfactuals_bars(const Result&, const ItemGroup& group, std::size_t letters) {
  const auto items = counterfactuals_of(group);
  vega::LabelledBars chart;
  chart.title = "how far a feature moves, in median absolute deviations (another level: 1)";
  chart.groups = {"up", "down", "another level"};
  chart.colors = {vega::raises_color, vega::lowers_color, "#CC79A7"};
  chart.tooltip = {{"change", "change", false}, {"answer", "answer then", false}, {"aside", "", false}};
  const bool many = items.size() > rows_told_in_full;
  for (const Counterfactuals* item : items) {
    std::size_t number = 0;
    for (const CounterfactualRow& change : item->changes) {
      ++number;
      if (many && number > 1) break;
      for (const auto& [feature, value] : change.values.as_object()) {
        if (chart.bars.size() == bars_in_picture) {
          ++chart.left_out;
          continue;
        }
        const Value* own = item->data.find(feature);
        const Value* cost = change.costs.find(feature);
        const bool numbers = own != nullptr && own->is_number() && value.is_number();
        const bool up = numbers && value.as_number() > own->as_number();
        // What belongs together is told once: "Row 5, change 2 → 304: month from 1 up to 5", "and hour from 9 down to
        // 8".
        const bool first = &feature == &change.values.as_object().front().first;
        std::string label = "and ";
        if (first) {
          label = items.size() > 1 ? row_title(item->row, item->row_label) + ", " : std::string();
          label += (items.size() > 1 ? "change " : "Change ") + std::to_string(number) + " → " +
                   answer_text(*item, change.predicted_class, change.prediction) + ": ";
        }
        label += change_text(feature, own == nullptr ? Value() : *own, value, date_kind(item->dates, feature));
        vega::LabelledBar bar{.label = label,
                              .value = cost == nullptr ? std::nan("") : (numbers && !up ? -1 : 1) * cost->as_number(),
                              .group = !numbers ? "another level"
                                       : up     ? "up"
                                                : "down"};
        bar.told.set("change", printable(changes_text(*item, change), 400))
            .set("answer", answer_text(*item, change.predicted_class, change.prediction))
            .set("aside", aside_text(*item, change));
        chart.bars.push_back(std::move(bar));
      }
    }
  }
  if (chart.bars.empty()) return vega::message_chart(items.size() == 1 ? proof_sentence(*items[0]) : "no changes");
  return labelled_bars(chart, letters);
}

// "Of 442 rows 118 have the outcome already; 300 can be brought to it by one feature, 24 by two."
std::string describe_many(const std::vector<const Counterfactuals*>& items) {
  std::size_t already = 0, without = 0;
  std::map<std::size_t, std::size_t> by_size;
  for (const Counterfactuals* item : items) {
    if (item->status == RecourseStatus::already) {
      ++already;
    } else if (item->changes.empty()) {
      ++without;
    } else {
      ++by_size[item->changes.front().values.as_object().size()];
    }
  }
  std::vector<std::string> parts;
  if (already > 0)
    parts.push_back(std::to_string(already) + (already == 1 ? " has" : " have") + " the wanted outcome already");
  for (const auto& [features, rows] : by_size) {
    parts.push_back(std::to_string(rows) + (rows == 1 ? " reaches" : " reach") + " it by a change of " +
                    so_many(features) + (features == 1 ? " feature" : " features"));
  }
  if (without > 0) parts.push_back("for " + std::to_string(without) + " no change was found");
  std::string text = "Of " + std::to_string(items.size()) + " rows ";
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 < parts.size() ? ", " : " and ") + parts[i];
  return text + ". The table has each of them.";
}

std::string counterfactuals_description(const Result&, const ItemGroup& group) {
  const auto items = counterfactuals_of(group);
  if (items.size() > rows_told_in_full) return describe_many(items);
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Counterfactuals& item = *items[i];
    text += (text.empty() ? "Row " : " Row ") + std::to_string(item.row) + ", " +
            answer_text(item, item.predicted_class, item.prediction) + ", wanted " + wanted_text(item) + ":";
    for (const std::string& sentence : ladder_sentences(item)) text += " " + sentence + ".";
    if (!item.changes.empty())
      text +=
          " Smallest: " + change_line(item, item.changes[0], " → ") + " (" + aside_text(item, item.changes[0]) + ").";
    text += " " + proof_sentence(item);
  }
  return text.empty() ? "no rows" : text;
}

std::string counterfactuals_reading(const Result&, const ItemGroup&) {
  return "Each bar is one feature of a change: how far it goes, measured by how far values usually are from the "
         "middle. "
         "All bars of a change go together. They say what the model would answer, not what would happen in the world "
         "if "
         "somebody changed these values.";
}

std::vector<std::string> counterfactuals_chips(const ItemGroup& group) {
  std::vector<std::string> list;
  std::size_t found = 0, proven = 0, kept = 0;
  const auto items = counterfactuals_of(group);
  for (const Counterfactuals* item : items) {
    kept += !item->changes.empty() && item->changes.front().other && item->changes.front().other->kept ? 1 : 0;
    found += item->status == RecourseStatus::found ? 1 : 0;
    proven +=
        item->status == RecourseStatus::found && item->proof && item->proof->status == ProofStatus::optimal ? 1 : 0;
  }
  if (items.size() > 1) list.push_back(std::to_string(found) + " of " + std::to_string(items.size()) + " rows can");
  if (proven > 0) list.push_back(items.size() == 1 ? "proven smallest" : std::to_string(proven) + " proven smallest");
  if (has_other_model(group))
    list.push_back(std::to_string(kept) + " of " + std::to_string(found) + " hold under the other model");
  return list;
}

DataTable counterfactuals_table(const ItemGroup& group, std::size_t limit) {
  DataTable table;
  table.columns = {{"row", true},          {"answer", false}, {"wanted", false},          {"change", false},
                   {"answer then", false}, {"cost", true},    {"nearest such row", true}, {"distance to it", true},
                   {"proof", false}};
  if (has_other_model(group)) table.columns.push_back({"other model", false});
  for (const Counterfactuals* item : counterfactuals_of(group)) {
    const auto begin = [&]() -> std::vector<std::string> {
      return {std::to_string(item->row), answer_text(*item, item->predicted_class, item->prediction),
              wanted_text(*item)};
    };
    if (item->changes.empty()) {
      if (table.rows.size() == limit) {
        ++table.left_out;
        continue;
      }
      std::vector<std::string> row = begin();
      row.insert(row.end(), {status_text(*item), "", "", "", "", ""});
      row.resize(table.columns.size());
      table.rows.push_back(std::move(row));
    }
    for (const CounterfactualRow& change : item->changes) {
      if (table.rows.size() == limit) {
        ++table.left_out;
        continue;
      }
      std::vector<std::string> row = begin();
      const bool proven = change.proof && change.proof->status == ProofStatus::optimal;
      row.insert(row.end(), {changes_text(*item, change), answer_text(*item, change.predicted_class, change.prediction),
                             readable(change.cost), change.nearest_row ? std::to_string(*change.nearest_row) : "",
                             change.distance_to_data ? readable(*change.distance_to_data) : "",
                             proven ? "proven smallest" : "found"});
      if (change.other) {
        row.push_back((change.other->kept ? "also: " : "not: ") +
                      answer_text(*item, change.other->predicted_class, change.other->prediction));
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace

ShapeView ViewOf<Counterfactuals>::view() {
  return {.text = counterfactuals_section,
          .chart = [](const Result& result, const ItemGroup& group,
                      int) { return counterfactuals_bars(result, group, vega::letters_per_line); },
          .chapter = PageChapter{"changes", "What would change the answer",
                                 "The smallest changes of single rows with which the model says something else.", 6},
          .words = {.describe = counterfactuals_description,
                    .how_to_read = counterfactuals_reading,
                    .badges = counterfactuals_chips},
          .table = counterfactuals_table,
          .narrow_chart =
              [](const Result& result, const ItemGroup& group) {
                return counterfactuals_bars(result, group, vega::letters_per_narrow_line);
              }};
}

}  // namespace sightglass
