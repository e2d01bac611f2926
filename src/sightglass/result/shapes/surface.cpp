#include "sightglass/result/shapes/surface.h"

#include "sightglass/result/fields.h"
#include "sightglass/result/item.h"
#include "sightglass/result/json_node_internal.h"
#include "sightglass/result/json_writer_internal.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

namespace {

Value reference(const char* name) { return Value::object({{"$ref", std::string("#/$defs/") + name}}); }

Value pair_of(Value schema) {
  return Value::object({{"type", "array"}, {"items", std::move(schema)}, {"minItems", 2}, {"maxItems", 2}});
}

// What is there for each of the two features stands in a list of two.
template <class Write, class Read>
void describe_pair(Surface& surface, Fields& fields, const Key& key, Value schema, Write write, Read read) {
  Fields::Special special;
  special.schema = pair_of(std::move(schema));
  special.write = [&](JsonWriter& out) {
    out.begin_array();
    for (const Axis* axis : {&surface.first, &surface.second}) write(out, *axis);
    out.end_array();
  };
  special.read = [&](const JsonNode& pair) {
    const auto nodes = pair.items();
    if (nodes.size() != 2) pair.fail_length(nodes.size(), 2);
    read(nodes[0], surface.first);
    read(nodes[1], surface.second);
  };
  fields.special(key, special);
}

void describe_axes(Surface& surface, Fields& fields) {
  const Value text = Value::object({{"type", "string"}});
  describe_pair(
      surface, fields, {"features", "", Presence::required}, text,
      [](JsonWriter& out, const Axis& axis) { out.text(axis.feature); },
      [](const JsonNode& node, Axis& axis) { axis.feature = node.text(); });
  describe_pair(
      surface, fields, {"kinds", "", Presence::required}, reference("kind"),
      [](JsonWriter& out, const Axis& axis) { out.text(kind_word(axis)); },
      [](const JsonNode& node, Axis& axis) {
        axis.categorical = node.text() == "categorical";
        if (!axis.categorical && node.text() != "numeric") node.fail("expected numeric or categorical");
      });
  describe_pair(
      surface, fields, {"units"}, text, [](JsonWriter& out, const Axis& axis) { out.text(axis.unit); },
      [](const JsonNode& node, Axis& axis) { axis.unit = node.text(); });
  describe_pair(
      surface, fields, {"ordered"}, Value::object({{"type", "boolean"}}),
      [](JsonWriter& out, const Axis& axis) { out.boolean(axis.ordered); },
      [](const JsonNode& node, Axis& axis) { axis.ordered = node.boolean(); });
}

void describe_grids(Surface& surface, Fields& fields) {
  describe_pair(
      surface, fields, {"grid", "", Presence::required}, reference("grid"),
      [](JsonWriter& out, const Axis& axis) {
        if (axis.is_categorical()) {
          out.texts(axis.levels);
        } else {
          out.numbers(axis.numbers);
        }
      },
      [](const JsonNode& node, Axis& axis) {
        if (axis.categorical) {
          axis.levels = node.texts();
        } else {
          axis.numbers = node.numbers();
        }
      });
}

// Repeats where the counts are 0, so it is not read.
void describe_empty_cells(Surface& surface, Fields& fields) {
  Fields::Special special;
  special.schema =
      Value::object({{"type", "array"}, {"items", pair_of(Value::object({{"type", "integer"}, {"minimum", 0}}))}});
  special.write = [&](JsonWriter& out) {
    out.begin_array();
    for (std::size_t i = 0; i < surface.count.size(); ++i) {
      for (std::size_t j = 0; j < surface.count[i].size(); ++j) {
        if (surface.count[i][j] > 0) continue;
        out.begin_array().integer(std::uint64_t{i}).integer(std::uint64_t{j}).end_array();
      }
    }
    out.end_array();
  };
  fields.special({"empty", "Cells without rows, as pairs of indices."}, special);
}

}  // namespace

void describe_fields(Surface& surface, Fields& fields) {
  fields.about("A function of two features; pairs are in the order of features.");
  describe_axes(surface, fields);
  describe_output(surface.output, surface.group, fields);
  describe_measure(surface.measure, fields);
  describe_choice(fields, {"estimand", "What the surface estimates."}, surface.estimand);
  describe_grids(surface, fields);
  std::size_t rows = surface.first.size();
  std::size_t columns = surface.second.size();
  const bool effect = surface.measure == Measure::effect;
  fields.choose(
      effect,
      [&] {
        fields.matrix({"effect", "The same for measure \"effect\".", Presence::required}, surface.mean, rows, columns);
      },
      [&] {
        fields.matrix({"mean", "Per grid point of the first feature, of the second.", Presence::required}, surface.mean,
                      rows, columns);
      });
  if (effect) {  // counted between the grid points
    rows -= rows > 0 ? 1 : 0;
    columns -= columns > 0 ? 1 : 0;
  }
  fields.matrix(
      {"count",
       "(Weighted) rows nearest to each cell, or empty; of effects: rows between a grid point and the next in "
       "both directions, one fewer each way."},
      surface.count, rows, columns);
  describe_empty_cells(surface, fields);
}

void tidy_rows(const Surface& surface, TidyRows& rows) {
  const std::string_view count = surface.measure == Measure::effect ? "bin_count" : "count";
  for (std::size_t i = 0; i < surface.first.size(); ++i) {
    for (std::size_t j = 0; j < surface.second.size(); ++j) {
      rows.row(effect_table, surface)
          .set("feature", surface.first.feature)
          .set("value", surface.first, i)
          .set("feature_2", surface.second.feature)
          .set("value_2", surface.second, j)
          .set("measure", to_string(surface.measure))
          .set(height_column(surface.measure), surface.mean[i], j);
      if (i < surface.count.size()) rows.set(count, surface.count[i], j);
    }
  }
}

std::vector<const Axis*> item_axes(const Surface& surface) { return {&surface.first, &surface.second}; }

ItemFeatures item_features(const Surface& surface) {
  return {FeatureUse::effect, {{surface.first.feature, surface.second.feature}}};
}

void item_set_dates(Surface& item, const Dates& dates) {
  for (Axis* axis : {&item.first, &item.second}) axis->dates = date_kind(dates, axis->feature);
}

}  // namespace sightglass
