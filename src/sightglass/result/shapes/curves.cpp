#include "sightglass/result/shapes/curves.h"

#include "sightglass/result/fields.h"
#include "sightglass/result/item.h"
#include "sightglass/result/json_node_internal.h"
#include "sightglass/result/json_writer_internal.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

namespace {

Value one_of(std::initializer_list<const char*> types) {
  Value list = Value::array();
  for (const char* type : types) list.push_back(type);
  return Value::object({{"type", list}});
}

// Numbers, or levels of a categorical feature.
void describe_own_values(Curves& curves, Fields& fields) {
  Fields::Special special;
  special.schema = Value::object({{"type", "array"}, {"items", one_of({"number", "string", "null"})}});
  special.write = [&](JsonWriter& out) {
    if (curves.axis.is_categorical()) {
      out.texts(curves.own_level);
    } else {
      out.optional_numbers(curves.own_value);
    }
  };
  special.read = [&](const JsonNode& own) {
    const std::size_t rows = curves.rows.size();
    if (!curves.axis.is_categorical()) {
      curves.own_value = own.optional_numbers(rows);
      return;
    }
    curves.own_level = own.texts();
    if (curves.own_level.size() != rows && !curves.own_level.empty()) own.fail_length(curves.own_level.size(), rows);
  };
  fields.special({"own", "Per row, or empty: its own value or level."}, special);
}

void describe_anchor(Curves& curves, Fields& fields) {
  Fields::Special special;
  special.schema = one_of({"number", "string", "null"});
  special.write = [&](JsonWriter& out) {
    if (curves.axis.is_categorical() && !curves.anchor_level.empty()) {
      out.text(curves.anchor_level);
    } else {
      out.optional_number(curves.anchor);
    }
  };
  special.read = [&](const JsonNode& anchor) {
    if (curves.axis.is_categorical() && anchor.value().is_string()) {
      curves.anchor_level = anchor.text();
    } else {
      curves.anchor = anchor.number();
    }
  };
  fields.special({"anchor", "Centred curves: the grid value or level at which each is 0."}, special);
}

void describe_bands(Curves& curves, Fields& fields) {
  fields.records({"bands", "Quantiles over all rows, by ascending level."},
                 {.size = std::min(curves.bands.size(), curves.band_levels.size()),
                  .resize =
                      [&](std::size_t size) {
                        curves.bands.resize(size);
                        curves.band_levels.resize(size);
                      },
                  .describe =
                      [&](std::size_t i, Fields& band) {
                        band.number({"level", "", Presence::required}, curves.band_levels[i]);
                        band.numbers({"values", "", Presence::required}, curves.bands[i], curves.axis.size());
                      }});
}

}  // namespace

void describe_fields(ClassFlip& flip, Fields& fields) {
  fields.count({"row", "0-based.", Presence::required}, flip.row);
  fields.optional_number({"value", "Of a numeric feature: the class `to` is predicted from here on, `from` below."},
                         flip.value);
  fields.number({"within", "How far below the value the change may be; 0: exactly there."}, flip.within);
  fields.only_if(!flip.level.empty(), [&] {
    fields.text({"level", "Of a categorical feature: the class `to` is predicted at this level."}, flip.level);
  });
  fields.only_if(flip.missing, [&] {
    fields.flag({"missing", "The class `to` is predicted where the feature has no value."}, flip.missing);
  });
  fields.text({"from", "", Presence::required}, flip.from);
  fields.text({"to", "", Presence::required}, flip.to);
}

void describe_fields(Curves& curves, Fields& fields) {
  fields.about("One function of one feature per row.");
  describe_feature(curves.axis, fields);
  describe_output(curves.output, curves.group, fields);
  fields.flag({"derivative", "Values are slopes, the grid is the middles of its steps."}, curves.derivative);
  fields.count({"total_rows", "How many rows there were to choose from."}, curves.total_rows);
  fields.indices({"rows", "0-based.", Presence::required}, curves.rows);
  fields.only_if(!curves.row_labels.empty(),
                 [&] { fields.texts({"row_labels", "Per row: what it is called in its table."}, curves.row_labels); });
  describe_grid(curves.axis, fields);
  const std::size_t rows = curves.rows.size();
  const std::size_t size = curves.axis.size();
  fields.matrix({"values", "Per row, per grid point.", Presence::required}, curves.values, rows, size);
  fields.optional_numbers({"missing", "Per row, or empty: the value where the feature is missing."}, curves.missing,
                          rows);
  describe_own_values(curves, fields);
  describe_anchor(curves, fields);
  fields.numbers({"mean", "Over all rows, not only those kept."}, curves.mean, size);
  fields.numbers({"sd", "Of derivatives, over all rows."}, curves.sd, size);
  describe_bands(curves, fields);
  describe_distribution(curves.distribution, curves.axis, fields);
  fields.optional_number({"heterogeneity", "0: every row's curve has the mean's shape; 1: none has."},
                         curves.heterogeneity);
  fields.only_if(curves.explains_rows(), [&] {
    fields.numbers({"prediction", "Per row: what is predicted for it as it is."}, curves.prediction, rows);
    fields.numbers({"swing", "Per row: the highest value of its curve minus the lowest, missing included."},
                   curves.swing, rows);
  });
  fields.only_if(!curves.predicted_class.empty(), [&] {
    fields.texts({"predicted", "Per row: the class that is predicted for it as it is."}, curves.predicted_class);
    describe_records(fields, {"flips", "Where the predicted class changes, along the axis."}, curves.flips);
    const bool slack = !curves.slack_down.empty();
    fields.only_if(slack, [&] {
      fields.optional_numbers({"slack_down",
                               "Per row: how far a number may fall before the class is another; null: as far as was "
                               "tried."},
                              curves.slack_down, rows);
      fields.optional_numbers({"slack_up", "Per row: the same of its rise."}, curves.slack_up, rows);
    });
  });
  fields.check([&](const JsonNode& item) {
    if (!item.find_set("total_rows")) curves.total_rows = curves.rows.size();
    if (!curves.predicted_class.empty() && curves.predicted_class.size() != curves.rows.size())
      item.fail("predicted must have an entry for each row");
    if (!curves.row_labels.empty() && curves.row_labels.size() != curves.rows.size())
      item.fail("row_labels must have an entry for each row");
  });
}

void show_rows(Curves& curves, const RowVisitor& visit) {
  show_rows(curves.rows, curves.row_labels, visit);
  std::string label;
  for (ClassFlip& flip : curves.flips) visit(flip.row, label);
}

void tidy_rows(const Curves& curves, TidyRows& rows) {
  const std::string_view height = curves.derivative ? "slope" : "prediction";
  for (std::size_t r = 0; r < curves.rows.size(); ++r) {
    const auto begin = [&]() -> TidyRows& {
      rows.row(effect_table, curves).set("feature", curves.axis.feature).set("row", curves.rows[r]);
      return r < curves.row_labels.size() ? rows.set("label", curves.row_labels[r]) : rows;
    };
    for (std::size_t i = 0; i < curves.axis.size(); ++i)
      begin().set("value", curves.axis, i).set(height, curves.values[r], i);
    if (r < curves.missing.size() && curves.missing[r]) begin().set(height, *curves.missing[r]);
  }
}

std::vector<const Axis*> item_axes(const Curves& curves) { return {&curves.axis}; }

ItemFeatures item_features(const Curves& curves) { return {FeatureUse::single_rows, {{curves.axis.feature}}}; }

void item_set_dates(Curves& item, const Dates& dates) { item.axis.dates = date_kind(dates, item.axis.feature); }

}  // namespace sightglass
