#include "sightglass/result/shapes/attributions.h"

#include <cmath>
#include <limits>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "sightglass/result/fields.h"
#include "sightglass/result/item.h"
#include "sightglass/result/json.h"
#include "sightglass/result/json_node_internal.h"
#include "sightglass/result/json_writer_internal.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

namespace {

void describe_features(Attributions& item, Fields& fields) {
  fields.records({"features", "", Presence::required},
                 {.size = item.features.size(),
                  .resize = [&](std::size_t size) { item.features.resize(size); },
                  .describe =
                      [&](std::size_t i, Fields& feature) {
                        Axis& axis = item.features[i];
                        describe_feature(axis, feature);
                        feature.only_if(axis.is_categorical(),
                                        [&] { feature.texts({"levels", "Of a categorical feature."}, axis.levels); });
                        feature.check([&](const JsonNode& node) {
                          if (axis.is_categorical()) static_cast<void>(node.at("levels"));
                        });
                      }});
  fields.check([&](const JsonNode& node) {
    std::unordered_set<std::string_view> names;
    for (const Axis& feature : item.features) {
      if (!names.insert(feature.feature).second)
        node.at("features").fail("\"" + printable(feature.feature, 60) + "\" is there twice");
    }
  });
}

// Numbers of one row under the names of their features.
void write_by_feature(JsonWriter& out, const std::vector<Axis>& features, const double* numbers) {
  out.begin_object();
  for (const Axis& feature : features) out.key(feature.feature).number(*numbers++);
  out.end_object();
}

// The row's own values: a level by its name, nothing where it is missing.
void write_own_values(JsonWriter& out, const std::vector<Axis>& features, const double* numbers) {
  out.begin_object();
  for (const Axis& feature : features) {
    const double number = *numbers++;
    out.key(feature.feature);
    if (std::isnan(number)) {
      out.null();
    } else if (feature.is_categorical()) {
      out.text(feature.levels[static_cast<std::size_t>(number)]);
    } else {
      out.number(number);
    }
  }
  out.end_object();
}

void write_row(JsonWriter& out, const Attributions& item, std::size_t row) {
  const std::size_t width = item.features.size();
  out.line().begin_object();
  out.key("row").integer(item.rows[row]);
  out.key("output").text(item.output);
  out.key("base").number(item.base);
  out.key("prediction").number(item.prediction[row]);
  out.key("values");
  write_by_feature(out, item.features, item.values.data() + row * width);
  if (!item.se.empty()) {
    out.key("se");
    write_by_feature(out, item.features, item.se.data() + row * width);
  }
  out.key("data");
  write_own_values(out, item.features, item.data.data() + row * width);
  if (!item.interactions.empty()) {
    out.key("interactions").begin_array();
    for (std::size_t i = 0; i < width; ++i)
      out.numbers(std::span(item.interactions).subspan((row * width + i) * width, width));
    out.end_array();
  }
  out.end_object();
}

// Looks up the members of an object that has exactly one for each feature, usually in their order.
template <class Read>
void read_by_feature(const JsonNode& node, const std::vector<Axis>& features, Read read) {
  if (!node.value().is_object()) node.fail("expected an object");
  const Value::Object& members = node.value().as_object();
  if (members.size() != features.size()) node.fail_length(members.size(), features.size());
  std::unordered_map<std::string_view, const Value::Member*> by_name;
  for (std::size_t i = 0; i < features.size(); ++i) {
    const std::string& name = features[i].feature;
    const Value::Member* member = &members[i];
    if (member->first != name) {
      if (by_name.empty()) {
        for (const Value::Member& each : members) by_name.emplace(each.first, &each);
      }
      const auto found = by_name.find(name);
      if (found == by_name.end()) node.fail("the key \"" + name + "\" is missing");
      member = found->second;
    }
    read(features[i], node.member(*member));
  }
}

void read_rows(Attributions& item, const JsonNode& list) {
  const std::size_t width = item.features.size();
  std::vector<std::unordered_map<std::string_view, std::size_t>> levels;
  for (const Axis& feature : item.features) {
    auto& positions = levels.emplace_back();
    for (std::size_t i = 0; i < feature.levels.size(); ++i) positions.try_emplace(feature.levels[i], i);
  }
  const auto read_numbers = [&](const JsonNode& node, std::vector<double>& into) {
    read_by_feature(node, item.features, [&](const Axis&, const JsonNode& number) { into.push_back(number.number()); });
  };
  for (const JsonNode& row : list.items()) {
    const bool first = item.rows.empty();
    item.rows.push_back(row.at("row").count());
    item.prediction.push_back(row.at("prediction").number());
    read_numbers(row.at("values"), item.values);
    const auto se = row.find_set("se");
    const auto interactions = row.find_set("interactions");
    if (!first && (se.has_value() == item.se.empty() || interactions.has_value() == item.interactions.empty()))
      row.fail("all rows have \"se\" and \"interactions\", or none has");
    if (se) read_numbers(*se, item.se);
    read_by_feature(row.at("data"), item.features, [&](const Axis& feature, const JsonNode& own) {
      if (own.value().is_null()) {
        item.data.push_back(std::numeric_limits<double>::quiet_NaN());
      } else if (feature.is_categorical()) {
        const auto& positions = levels[static_cast<std::size_t>(&feature - item.features.data())];
        const auto at = positions.find(own.text());
        if (at == positions.end()) own.fail("not a level of the feature");
        item.data.push_back(static_cast<double>(at->second));
      } else {
        item.data.push_back(own.number());
      }
    });
    if (!interactions) continue;
    for (const auto& numbers : interactions->matrix(width, width))
      item.interactions.insert(item.interactions.end(), numbers.begin(), numbers.end());
  }
}

// One object per row, which can be read alone.
void describe_rows(Attributions& item, Fields& fields) {
  Fields::Special special;
  special.schema = value_from_json(R"({"type": "array", "items": {
      "description": "One row of the data.",
      "required": ["row", "prediction", "values", "data"],
      "properties": {
        "row": {"type": "integer", "minimum": 0},
        "output": {"type": "string"},
        "base": {"$ref": "#/$defs/number"},
        "prediction": {"$ref": "#/$defs/number"},
        "values": {"type": "object", "additionalProperties": {"$ref": "#/$defs/number"}, "description": "Per feature."},
        "se": {"type": "object", "additionalProperties": {"$ref": "#/$defs/number"},
               "description": "Standard errors of estimated values; absent if they are exact."},
        "data": {"type": "object",
                 "description": "The row's own feature values: numbers or levels; null = missing."},
        "interactions": {"$ref": "#/$defs/matrix",
          "description": "Features by features in their order, half of what a pair adds on each side of the diagonal; a row adds up to the feature's value. Only if asked for."}}}})",
                                   "schema");
  special.write = [&](JsonWriter& out) {
    out.begin_array();
    for (std::size_t row = 0; row < item.rows.size(); ++row) write_row(out, item, row);
    out.end_array();
  };
  special.read = [&](const JsonNode& node) { read_rows(item, node); };
  special.has_arrays = true;
  fields.special({"attributions", "", Presence::required}, special);
  const std::size_t rows = item.rows.size(), width = item.features.size();
  const auto array = [&](const Key& key, const std::vector<double>& numbers, std::vector<std::size_t> shape) {
    fields.array(key, std::span<const double>(numbers), shape);
  };
  fields.array({"rows", "Rows of the data, counted from 0.", Presence::required},
               std::span<const std::uint64_t>(item.rows), {rows});
  array({"predictions", "Per row.", Presence::required}, item.prediction, {rows});
  array({"values", "Rows × features: what each feature adds.", Presence::required}, item.values, {rows, width});
  array({"se", "Standard errors of the values; none if they are exact."}, item.se, {rows, width});
  array({"data", "Rows × features: numbers, or positions of levels; nan = missing.", Presence::required}, item.data,
        {rows, width});
  array({"interactions",
         "Rows × features × features, half of what a pair adds on each side of the diagonal; none if not "
         "asked for."},
        item.interactions, {rows, width, width});
}

}  // namespace

void describe_fields(Attributions& item, Fields& fields) {
  fields.about("What each feature adds to the predictions of single rows: base + sum of the values = prediction.");
  describe_output(item.output, item.group, fields);
  fields.number({"base", "What is predicted on average.", Presence::required}, item.base);
  fields.count({"total_rows", "How many rows there were to choose from."}, item.total_rows);
  fields.object({"details", "How the values were computed; free-form."}, item.details);
  describe_features(item, fields);
  describe_rows(item, fields);
  fields.only_if(!item.row_labels.empty(),
                 [&] { fields.texts({"row_labels", "Per row: what it is called in its table."}, item.row_labels); });
  fields.check([&](const JsonNode& node) {
    if (item.features.empty() && !item.rows.empty()) node.at("features").fail("at least one feature, please");
    if (!item.row_labels.empty() && item.row_labels.size() != item.rows.size())
      node.at("row_labels").fail_length(item.row_labels.size(), item.rows.size());
    if (!node.find_set("total_rows")) item.total_rows = item.rows.size();
  });
}

// A row for each row of the data and feature; a pair of features has one besides, with both halves of what it adds.
void tidy_rows(const Attributions& item, TidyRows& rows) {
  static const TableKind feature_table{
      .priority = 30,
      .columns = {"row", "feature", "value", "attribution", "se", "output", "group", "prediction", "base"},
      .always = {"row", "feature", "value", "attribution", "output"}};
  static const TableKind pair_table{.priority = 31,
                                    .columns = {"row", "feature", "value", "feature_2", "value_2", "attribution",
                                                "output", "group", "prediction", "base"}};
  const std::size_t width = item.features.size();
  const auto set_own = [&](std::string_view column, std::size_t row, std::size_t feature) {
    const double own = item.own(row, feature);
    if (std::isnan(own)) return;
    const Axis& axis = item.features[feature];
    if (axis.is_categorical()) {
      rows.set(column, axis, static_cast<std::size_t>(own));
    } else {
      rows.set(column, own, axis.dates);
    }
  };
  for (std::size_t r = 0; r < item.rows.size(); ++r) {
    const auto begin = [&](const TableKind& kind, std::size_t feature) -> TidyRows& {
      rows.row(kind, item, "attribution").set("feature", item.features[feature].feature).set("row", item.rows[r]);
      if (r < item.row_labels.size()) rows.set("label", item.row_labels[r]);
      rows.set("prediction", item.prediction[r]).set("base", item.base);
      set_own("value", r, feature);
      return rows;
    };
    for (std::size_t j = 0; j < width; ++j) {
      begin(feature_table, j).set("attribution", item.value(r, j)).set("se", item.se, r * width + j);
    }
    for (std::size_t j = 0; j < width && !item.interactions.empty(); ++j) {
      for (std::size_t k = j + 1; k < width; ++k) {
        begin(pair_table, j).set("feature_2", item.features[k].feature);
        set_own("value_2", r, k);
        rows.set("attribution", 2 * item.interaction(r, j, k));
      }
    }
  }
}

void show_rows(Attributions& item, const RowVisitor& visit) { show_rows(item.rows, item.row_labels, visit); }

ItemFeatures item_features(const Attributions& item) {
  ItemFeatures features{FeatureUse::attribution, {}};
  for (const Axis& axis : item.features) features.together.push_back({axis.feature});
  return features;
}

void item_set_dates(Attributions& item, const Dates& dates) {
  for (Axis& axis : item.features) axis.dates = date_kind(dates, axis.feature);
}

}  // namespace sightglass
