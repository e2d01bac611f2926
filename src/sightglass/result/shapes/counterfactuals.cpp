#include "sightglass/result/shapes/counterfactuals.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/result/fields.h"
#include "sightglass/result/json_node_internal.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/shapes/shown_condition.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

namespace {

void check_values(const JsonNode& node, const char* key, const Value& values) {
  for (const auto& [feature, value] : values.as_object()) {
    if (!value.is_null() && !value.is_number() && !value.is_string())
      node.at(key).fail("\"" + printable(feature, 60) + "\" is no number, level or null");
  }
}

void describe_class(Fields& fields, const Key& key, std::string& name) {
  fields.only_if(!name.empty(), [&] { fields.text(key, name); });
}

std::string value_text(const Value& value, DateKind dates) {
  if (dates && value.is_number()) return date_text(dates, value.as_number());
  if (value.is_string()) return printable(value.as_string(), 60);
  return value.is_number() ? condition_number(value.as_number()) : "missing";
}

}  // namespace

static void describe_fields(LadderRung& rung, Fields& fields) {
  fields.count({"features", "How many change.", Presence::required}, rung.features);
  describe_choice(fields,
                  {"status", "unreachable: proven; not_found: within the limit of the search.", Presence::required},
                  rung_statuses, rung.status);
  describe_some(fields,
                {"bound",
                 "Proven: no change of so many features costs less, of sets of features in which no smaller set "
                 "reaches what is wanted."},
                rung.bound);
}

static void describe_other(std::optional<OtherAnswer>& other, Fields& fields) {
  bool there = other.has_value();
  OtherAnswer held = other.value_or(OtherAnswer());
  fields.only_if(there, [&] {
    fields.optional_group({"other_model", "What a second model says of these values."}, there, [&](Fields& inside) {
      inside.number({"prediction", "", Presence::required}, held.prediction);
      describe_class(inside, {"predicted", "The most likely class."}, held.predicted_class);
      inside.flag({"kept", "Whether it is what was wanted.", Presence::required}, held.kept);
    });
  });
  if (there) other = held;
}

static void describe_fields(CounterfactualRow& change, Fields& fields) {
  fields.object({"values", "Only what changes, by feature: numbers or levels.", Presence::required}, change.values);
  fields.object({"costs", "What each of them adds to the cost."}, change.costs);
  fields.number({"prediction", "With these values.", Presence::required}, change.prediction);
  describe_class(fields, {"predicted", "The most likely class with these values."}, change.predicted_class);
  fields.number({"cost",
                 "Of a number its change as a share of the median absolute deviation (of the range where that is 0), "
                 "of another level 1; summed up.",
                 Presence::required},
                change.cost);
  describe_some(fields, {"distance_to_data", "Gower's, to the nearest row with the wanted outcome."},
                change.distance_to_data);
  describe_count(fields, {"nearest_row", "That row; null: there is none."}, change.nearest_row);
  describe_other(change.other, fields);
  describe_proof(change.proof, fields);
  fields.check([&](const JsonNode& node) {
    check_values(node, "values", change.values);
    for (const auto& [feature, cost] : change.costs.as_object()) {
      if (!cost.is_number()) node.at("costs").fail("\"" + printable(feature, 60) + "\" is no number");
    }
  });
}

void describe_fields(Counterfactuals& item, Fields& fields) {
  fields.about("Changes of one row with which the model says something else.");
  describe_output(item.output, item.group, fields);
  fields.count({"row", "Of the data, counted from 0.", Presence::required}, item.row);
  describe_row_label(fields, item.row_label);
  fields.object({"data", "Own values by feature: numbers or levels; null = missing.", Presence::required}, item.data);
  fields.number({"prediction", "Of the row as it is; of classes the wanted one's.", Presence::required},
                item.prediction);
  describe_class(fields, {"predicted", "The row's most likely class."}, item.predicted_class);
  fields.group({"wanted", "The outcome that was asked for: class, or at_least and at_most.", Presence::required},
               [&](Fields& inside) {
                 describe_class(inside, {"class", "Is to be the most likely one."}, item.wanted_class);
                 describe_some(inside, {"at_least", "The prediction is to be this or more."}, item.at_least);
                 describe_some(inside, {"at_most", "The prediction is to be this or less."}, item.at_most);
               });
  describe_choice(fields,
                  {"status",
                   "found; already: the row has the outcome as it is; unreachable: proven that no change reaches it; "
                   "not_found: none was found; the ladder has what is proven.",
                   Presence::required},
                  recourse_statuses, item.status);
  describe_records(fields, {"changes", "Fewest features first, then cheapest.", Presence::required}, item.changes);
  describe_records(fields, {"ladder", "What is known of changes of one feature, of two, and so on."}, item.ladder);
  describe_proof(item.proof, fields);
  fields.object({"details", "How they were found; free-form."}, item.details);
  fields.check([&](const JsonNode& node) { check_values(node, "data", item.data); });
}

void show_rows(Counterfactuals& item, const RowVisitor& visit) {
  visit(item.row, item.row_label);
  std::string label;
  for (CounterfactualRow& change : item.changes) {
    if (change.nearest_row) visit(*change.nearest_row, label);
  }
}

void tidy_rows(const Counterfactuals& item, TidyRows& rows) {
  static const TableKind change_table{.priority = 20,
                                      .columns = {"row",
                                                  "status",
                                                  "change",
                                                  "feature",
                                                  "from",
                                                  "to",
                                                  "prediction",
                                                  "new_prediction",
                                                  "predicted",
                                                  "new_predicted",
                                                  "wanted",
                                                  "at_least",
                                                  "at_most",
                                                  "cost",
                                                  "features",
                                                  "distance_to_data",
                                                  "nearest_row",
                                                  "proof",
                                                  "bound",
                                                  "other_prediction",
                                                  "other_predicted",
                                                  "kept",
                                                  "output",
                                                  "group"},
                                      .always = {"row", "status"}};
  const auto begin = [&] {
    rows.row(change_table, item).set("row", item.row);
    if (!item.row_label.empty()) rows.set("label", item.row_label);
    rows.set("status", recourse_statuses[static_cast<std::size_t>(item.status)]);
    rows.set("prediction", item.prediction).set("at_least", item.at_least).set("at_most", item.at_most);
    if (!item.predicted_class.empty()) rows.set("predicted", item.predicted_class);
    if (!item.wanted_class.empty()) rows.set("wanted", item.wanted_class);
  };
  if (item.changes.empty()) begin();
  std::uint64_t number = 0;
  for (const CounterfactualRow& change : item.changes) {
    ++number;
    for (const auto& [feature, value] : change.values.as_object()) {
      begin();
      rows.set("change", number).set("feature", feature);
      const Value* own = item.data.find(feature);
      const DateKind dates = date_kind(item.dates, feature);
      if (own != nullptr && !own->is_null()) rows.set("from", value_text(*own, dates));
      rows.set("to", value_text(value, dates)).set("new_prediction", change.prediction).set("cost", change.cost);
      rows.set("features", static_cast<std::uint64_t>(change.values.as_object().size()));
      if (!change.predicted_class.empty()) rows.set("new_predicted", change.predicted_class);
      rows.set("distance_to_data", change.distance_to_data);
      if (change.nearest_row) rows.set("nearest_row", *change.nearest_row);
      if (change.other) {
        rows.set("other_prediction", change.other->prediction).set("kept", change.other->kept);
        if (!change.other->predicted_class.empty()) rows.set("other_predicted", change.other->predicted_class);
      }
      if (!change.proof) continue;
      rows.set("proof", proof_statuses[static_cast<std::size_t>(change.proof->status)]);
      rows.set("bound", change.proof->bound);
    }
  }
}

std::string item_title(const Counterfactuals&) { return "What would change the answer"; }

std::optional<std::string> item_picture_key(const Counterfactuals& item) {
  return "counterfactuals " + item.output + " " + item.group;
}

std::string past_text(double own, double value) {
  if (!std::isfinite(own) || !std::isfinite(value) || own == value) return condition_number(value);
  // Numbers as people write them are shown as they are.
  char exact[40];
  const std::string all(exact, std::to_chars(exact, exact + sizeof exact, value).ptr);
  if (all.size() <= 8 || (std::round(value) == value && std::abs(value) < 1e15)) return condition_number(value);
  // Decimals until what is written is no more than a hundredth of the way farther.
  for (int decimals = 0; decimals <= 12; ++decimals) {
    const double unit = std::pow(10.0, decimals);
    const double shown = (value > own ? std::ceil(value * unit) : std::floor(value * unit)) / unit;
    if (!(std::abs(shown - value) <= 0.01 * std::abs(value - own))) continue;
    char buffer[400];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, shown, std::chars_format::fixed, decimals).ptr;
    return {buffer, end};
  }
  return all;
}

std::string change_text(const std::string& feature, const Value& own, const Value& value, DateKind dates) {
  const std::string name = printable(feature, 60);
  if (!own.is_number() || !value.is_number())
    return name + " from " + value_text(own, dates) + " to " + value_text(value, dates);
  if (dates) {
    const auto texts = date_texts(dates, std::vector<double>{own.as_number(), value.as_number()});
    return name + " from " + texts[0] + " to " + texts[1];
  }
  const bool up = value.as_number() > own.as_number();
  return name + " from " + condition_number(own.as_number()) + (up ? " up to " : " down to ") +
         past_text(own.as_number(), value.as_number());
}

bool is_proven_unreached(const Counterfactuals& item) {
  if (item.status == RecourseStatus::unreachable) return true;
  return item.status == RecourseStatus::not_found && !item.ladder.empty() &&
         std::all_of(item.ladder.begin(), item.ladder.end(),
                     [](const LadderRung& rung) { return rung.status == RungStatus::unreachable; });
}

std::string changes_text(const Counterfactuals& item, const CounterfactualRow& change) {
  std::string text;
  const auto& members = change.values.as_object();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Value* own = item.data.find(members[i].first);
    text += i == 0 ? "" : i + 1 == members.size() ? " and " : ", ";
    text += change_text(members[i].first, own == nullptr ? Value() : *own, members[i].second,
                        date_kind(item.dates, members[i].first));
  }
  return text;
}

void item_set_dates(Counterfactuals& item, const Dates& dates) { item.dates = dates; }

}  // namespace sightglass
