#include "sightglass/result/shapes/examples.h"

#include <cmath>
#include <cstdio>

#include "sightglass/base/error.h"
#include "sightglass/result/fields.h"
#include "sightglass/result/json_node_internal.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

static void describe_fields(Oddity& oddity, Fields& fields) {
  fields.text({"feature", "", Presence::required}, oddity.feature);
  describe_some(fields, {"deviation", "From the mean, in standard deviations."}, oddity.deviation);
  describe_some(fields, {"share", "Of rows with the same level, or without a value as this one."}, oddity.share);
  describe_some(fields, {"difference", "From the value of of_row, as a share of the range; another level: 1."},
                oddity.difference);
}

static void describe_fields(Contribution& contribution, Fields& fields) {
  fields.text({"feature", "", Presence::required}, contribution.feature);
  fields.number({"value", "What it adds to the prediction.", Presence::required}, contribution.value);
}

static void describe_fields(Example& example, Fields& fields) {
  const auto some_text = [&](const Key& key, std::string& text) {
    fields.only_if(!text.empty(), [&] { fields.text(key, text); });
  };
  fields.count({"row", "Of the data, counted from 0.", Presence::required}, example.row);
  describe_row_label(fields, example.row_label);
  fields.object({"data", "Own values by feature: numbers or levels; null = missing.", Presence::required},
                example.data);
  some_text({"class", "Outcome, where that is a class."}, example.own_class);
  describe_some(fields, {"target", "Outcome, where that is a number."}, example.target);
  some_text({"predicted", "Where the model predicts classes: the most likely one."}, example.predicted_class);
  describe_some(
      fields,
      {"prediction",
       "The number; of classes that of the most likely one, or of the class that details.prediction_of names."},
      example.prediction);
  some_text({"other_predicted", "The same of another model, which details.models names."}, example.other_class);
  describe_some(fields, {"other_prediction", "The number; of classes that of its own most likely one."},
                example.other_prediction);
  describe_some(fields, {"error", "Prediction minus target; of classes 1 where the prediction is wrong, else 0."},
                example.error);
  describe_some(fields, {"score", "What makes it special; measure says what that is."}, example.score);
  describe_some(fields, {"objective", "Reached with this row and those before it."}, example.objective);
  describe_some(fields,
                {"stands_for",
                 "(Weighted) rows to which it is the nearest of these; of a neighbour: with how many rows it votes."},
                example.stands_for);
  describe_some(fields, {"accuracy", "Share of rows that have the class of the nearest of these rows so far."},
                example.accuracy);
  describe_some(fields, {"x"}, example.x);
  describe_some(fields, {"y", "With x: its place on the map."}, example.y);
  fields.only_if(!example.special.empty(), [&] {
    describe_records(fields,
                     {"special",
                      "Values that are farthest from the middle, oddest first; of a neighbour: those that differ from "
                      "of_row, most first."},
                     example.special);
  });
  fields.only_if(!example.attributions.empty(), [&] {
    describe_records(fields, {"attributions", "What features add to the prediction, largest first."},
                     example.attributions);
  });
  fields.check([&](const JsonNode& node) {
    for (const auto& [feature, value] : example.data.as_object()) {
      if (!value.is_null() && !value.is_number() && !value.is_string())
        node.at("data").fail("\"" + printable(feature, 60) + "\" is no number, level or null");
    }
  });
}

static void describe_map(std::optional<ExampleMap>& map, Fields& fields) {
  bool there = map.has_value();
  fields.optional_group({"map", "The rows in two dimensions; null: there is none."}, there, [&](Fields& inside) {
    if (!map) map.emplace();
    inside.texts({"axes", "What x and y are.", Presence::required}, map->axes, 2);
    describe_some(inside, {"shown", "Share of the variance of all features that these show."}, map->shown);
    inside.numbers({"x", "Of rows in the background.", Presence::required}, map->x);
    inside.numbers({"y", "", Presence::required}, map->y, map->x.size());
    inside.only_if(!map->classes.empty(), [&] { inside.texts({"classes", "Of these rows."}, map->classes); });
    inside.check([&](const JsonNode& node) {
      if (map->axes.size() != 2) node.at("axes").fail_length(map->axes.size(), 2);
      if (map->y.size() != map->x.size()) node.at("y").fail_length(map->y.size(), map->x.size());
      if (!map->classes.empty() && map->classes.size() != map->x.size())
        node.at("classes").fail_length(map->classes.size(), map->x.size());
    });
  });
}

void describe_fields(Examples& examples, Fields& fields) {
  fields.about("Rows of the data that say something: prototypes, criticisms, neighbours, picked explanations.");
  describe_output(examples.output, examples.group, fields);
  describe_choice(fields, {"role", "", Presence::required}, examples.role);
  describe_count(fields, {"of_row", "Whose neighbours they are; null: of none."}, examples.of_row);
  fields.only_if(!examples.of_row_label.empty(), [&] {
    fields.text({"of_row_label", "What that row is called in its table."}, examples.of_row_label);
  });
  fields.text({"measure", "What score is: \"witness\", \"distance\"."}, examples.measure);
  fields.text({"objective", "What objective is: \"mmd2\"."}, examples.objective);
  fields.texts({"features", "In the order of the data."}, examples.features);
  describe_records(fields, {"rows", "In the order in which they were chosen.", Presence::required}, examples.rows);
  describe_map(examples.map, fields);
  fields.object({"details", "How they were found; free-form."}, examples.details);
}

void show_rows(Examples& examples, const RowVisitor& visit) {
  if (examples.of_row) visit(*examples.of_row, examples.of_row_label);
  for (Example& example : examples.rows) visit(example.row, example.row_label);
}

void tidy_rows(const Examples& examples, TidyRows& rows) {
  static const TableKind example_table{.priority = 21,
                                       .columns = {"role",
                                                   "row",
                                                   "class",
                                                   "target",
                                                   "predicted",
                                                   "prediction",
                                                   "other_predicted",
                                                   "other_prediction",
                                                   "error",
                                                   "score",
                                                   "objective",
                                                   "stands_for",
                                                   "accuracy",
                                                   "special",
                                                   "attributions",
                                                   "output",
                                                   "group",
                                                   "of_row",
                                                   "x",
                                                   "y"},
                                       .always = {"role", "row"}};
  std::string column;
  for (const Example& example : examples.rows) {
    rows.row(example_table, examples).set("role", examples.role.text()).set("row", example.row);
    if (!example.row_label.empty()) rows.set("label", example.row_label);
    if (examples.of_row) rows.set("of_row", *examples.of_row);
    if (!examples.of_row_label.empty()) rows.set("of_label", examples.of_row_label);
    if (!example.own_class.empty()) rows.set("class", example.own_class);
    if (!example.predicted_class.empty()) rows.set("predicted", example.predicted_class);
    if (!example.other_class.empty()) rows.set("other_predicted", example.other_class);
    rows.set("other_prediction", example.other_prediction);
    rows.set("target", example.target).set("prediction", example.prediction).set("error", example.error);
    rows.set("score", example.score);
    rows.set("objective", example.objective).set("stands_for", example.stands_for);
    rows.set("accuracy", example.accuracy).set("x", example.x).set("y", example.y);
    std::string special, attributions;
    for (const Oddity& oddity : example.special)
      special += (special.empty() ? "" : ", ") + oddity_text(oddity, example.data);
    for (const Contribution& each : example.attributions) {
      char number[32];
      std::snprintf(number, sizeof number, " %+.4g", each.value);
      attributions += (attributions.empty() ? "" : ", ") + printable(each.feature, 60) + number;
    }
    if (!special.empty()) rows.set("special", special);
    if (!attributions.empty()) rows.set("attributions", attributions);
    for (const auto& [feature, value] : example.data.as_object()) {
      column = "data." + feature;
      if (value.is_string()) rows.set(column, value.as_string());
      if (value.is_number()) rows.set(column, value.as_number(), date_kind(examples.dates, feature));
    }
  }
}

std::string item_title(const Examples& examples) {
  switch (examples.role) {
    case ExampleRole::prototype: return "Prototypes";
    case ExampleRole::criticism: return "Criticisms";
    case ExampleRole::neighbor:
      return examples.of_row ? "Rows most like " + row_name(*examples.of_row, examples.of_row_label) : "Neighbours";
    case ExampleRole::picked: {
      const Value* models = examples.details.find("models");
      if (models == nullptr) return "Rows that were picked";
      const bool named = models->is_array() && models->as_array().size() == 2 && models->as_array()[0].is_string() &&
                         models->as_array()[1].is_string();
      if (!named) return "Rows in which the models differ most";
      return "Rows in which " + printable(models->as_array()[0].as_string(), 40) + " and " +
             printable(models->as_array()[1].as_string(), 40) + " differ most";
    }
    default: return "Examples";
  }
}

std::optional<std::string> item_picture_key(const Examples& examples) {
  const bool together = examples.role == ExampleRole::prototype || examples.role == ExampleRole::criticism;
  if (!together) return std::nullopt;
  return "prototypes " + examples.output + " " + examples.group;
}

std::string oddity_text(const Oddity& oddity, const Value& data) {
  const std::string name = printable(oddity.feature, 60);
  char text[48];
  if (oddity.deviation) {
    std::snprintf(text, sizeof text, " %+.1f sd", *oddity.deviation);
    return name + text;
  }
  const Value* value = data.find(oddity.feature);
  if (oddity.difference && (value == nullptr || !value->is_string())) {
    std::snprintf(text, sizeof text, " %+.2g of the range", *oddity.difference);
    return name + text;
  }
  std::string level = " is missing";
  if (value != nullptr && value->is_string()) level = " = " + printable(value->as_string(), 60);
  if (!oddity.share) return name + level;
  std::snprintf(text, sizeof text, " (%.2g %% of rows)", 100 * *oddity.share);
  return name + level + text;
}

void item_set_dates(Examples& item, const Dates& dates) { item.dates = dates; }

}  // namespace sightglass
