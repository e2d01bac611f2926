// Results to JSON, straight into text. Never fails: what JSON cannot hold has a spelling of its own.
#include <cmath>
#include <span>

#include "sightglass/result/json.h"
#include "sightglass/result/json_writer_internal.h"
#include "sightglass/result/shapes/all_shapes.h"

namespace sightglass {

namespace {

std::string_view kind(const Axis& axis) { return axis.is_categorical() ? "categorical" : "numeric"; }

void write_grid(JsonWriter& out, const Axis& axis) {
  if (axis.is_categorical()) {
    out.texts(axis.levels);
  } else {
    out.numbers(axis.numbers);
  }
}

void write_optional(JsonWriter& out, const std::optional<double>& value) {
  if (value) {
    out.number(*value);
  } else {
    out.null();
  }
}

void write_optionals(JsonWriter& out, const std::vector<std::optional<double>>& values) {
  out.begin_array();
  for (const auto& value : values) write_optional(out, value);
  out.end_array();
}

void write_matrix(JsonWriter& out, const std::vector<std::vector<double>>& rows) {
  out.begin_array();
  for (const auto& row : rows) out.numbers(row);
  out.end_array();
}

void write_distribution(JsonWriter& out, const Distribution& distribution) {
  out.key("distribution").begin_object();
  out.key("edges").numbers(distribution.edges);
  out.key("counts").numbers(distribution.counts);
  out.key("rug").numbers(distribution.rug);
  out.key("missing").number(distribution.missing);
  out.end_object();
}

void write_indices(JsonWriter& out, const std::vector<std::uint64_t>& indices) {
  out.begin_array();
  for (const auto index : indices) out.integer(index);
  out.end_array();
}

void write_axis(JsonWriter& out, const Axis& axis, const std::string& output, const std::string& group) {
  out.key("feature").text(axis.feature);
  out.key("kind").text(kind(axis));
  out.key("unit").text(axis.unit);
  out.key("ordered").boolean(axis.ordered);
  out.key("output").text(output);
  out.key("group").text(group);
}

void write_item(JsonWriter& out, const Curve& curve) {
  out.begin_object();
  out.key("type").text("curve");
  write_axis(out, curve.axis, curve.output, curve.group);
  out.key("series").text(curve.series);
  out.key("measure").text(to_string(curve.measure));
  out.key("grid");
  write_grid(out, curve.axis);
  if (curve.measure == Measure::effect) {
    out.key("effect").numbers(curve.mean);
    out.key("se").numbers(curve.se_shape);
    // The grid is the edges; the key has them under the name that people look for.
    out.key("edges").numbers(curve.axis.numbers);
    out.key("bin_count").numbers(curve.bin_count);
    out.key("slope").numbers(curve.slope);
  } else {
    out.key("mean").numbers(curve.mean);
    out.key("sd").numbers(curve.sd);
    out.key("se_level").numbers(curve.se_level);
    out.key("se_shape").numbers(curve.se_shape);
  }
  out.key("count").numbers(curve.count);
  out.key("missing");
  if (curve.missing) {
    out.begin_object();
    out.key("mean").number(curve.missing->mean);
    // Unknown where the curve itself does not know them.
    if (!curve.sd.empty()) out.key("sd").number(curve.missing->sd);
    if (!curve.se_level.empty()) out.key("se_level").number(curve.missing->se_level);
    if (!curve.se_shape.empty()) out.key("se_shape").number(curve.missing->se_shape);
    out.key("count").number(curve.missing->count);
    out.end_object();
  } else {
    out.null();
  }
  write_distribution(out, curve.distribution);
  out.key("verdict");
  if (curve.shape) {
    out.text(to_string(*curve.shape));
  } else {
    out.null();
  }
  out.key("heterogeneity");
  write_optional(out, curve.heterogeneity);
  out.key("sparse");
  write_indices(out, curve.sparse);
  out.key("extrapolated");
  write_indices(out, curve.extrapolated);
  out.key("outside").numbers(curve.outside);
  out.end_object();
}

void write_item(JsonWriter& out, const Curves& curves) {
  out.begin_object();
  out.key("type").text("curves");
  write_axis(out, curves.axis, curves.output, curves.group);
  out.key("derivative").boolean(curves.derivative);
  out.key("total_rows").integer(curves.total_rows);
  out.key("rows");
  write_indices(out, curves.rows);
  out.key("grid");
  write_grid(out, curves.axis);
  out.key("values");
  write_matrix(out, curves.values);
  out.key("missing");
  write_optionals(out, curves.missing);
  out.key("own");
  if (curves.axis.is_categorical()) {
    out.texts(curves.own_level);
  } else {
    write_optionals(out, curves.own_value);
  }
  out.key("anchor");
  if (curves.axis.is_categorical() && !curves.anchor_level.empty()) {
    out.text(curves.anchor_level);
  } else {
    write_optional(out, curves.anchor);
  }
  out.key("mean").numbers(curves.mean);
  out.key("sd").numbers(curves.sd);
  out.key("bands").begin_array();
  for (std::size_t i = 0; i < curves.bands.size() && i < curves.band_levels.size(); ++i) {
    out.begin_object();
    out.key("level").number(curves.band_levels[i]);
    out.key("values").numbers(curves.bands[i]);
    out.end_object();
  }
  out.end_array();
  write_distribution(out, curves.distribution);
  out.key("heterogeneity");
  write_optional(out, curves.heterogeneity);
  out.end_object();
}

void write_item(JsonWriter& out, const Surface& surface) {
  const Axis* axes[] = {&surface.first, &surface.second};
  out.begin_object();
  out.key("type").text("surface");
  out.key("features").begin_array();
  for (const auto* axis : axes) out.text(axis->feature);
  out.end_array();
  out.key("kinds").begin_array();
  for (const auto* axis : axes) out.text(kind(*axis));
  out.end_array();
  out.key("units").begin_array();
  for (const auto* axis : axes) out.text(axis->unit);
  out.end_array();
  out.key("ordered").begin_array();
  for (const auto* axis : axes) out.boolean(axis->ordered);
  out.end_array();
  out.key("output").text(surface.output);
  out.key("group").text(surface.group);
  out.key("measure").text(to_string(surface.measure));
  out.key("grid").begin_array();
  for (const auto* axis : axes) write_grid(out, *axis);
  out.end_array();
  out.key(surface.measure == Measure::effect ? "effect" : "mean");
  write_matrix(out, surface.mean);
  out.key("count");
  write_matrix(out, surface.count);
  out.key("empty").begin_array();
  for (std::size_t i = 0; i < surface.count.size(); ++i) {
    for (std::size_t j = 0; j < surface.count[i].size(); ++j) {
      if (surface.count[i][j] > 0) continue;
      out.begin_array().integer(std::uint64_t{i}).integer(std::uint64_t{j}).end_array();
    }
  }
  out.end_array();
  out.end_object();
}

void write_item(JsonWriter& out, const Importance& entry) {
  out.begin_object();
  out.key("type").text("importance");
  out.key("feature").text(entry.feature);
  out.key("features").texts(entry.features);
  out.key("output").text(entry.output);
  out.key("group").text(entry.group);
  out.key("measure").text(entry.measure);
  out.key("importance").number(entry.importance);
  for (const auto& [name, value] :
       {std::pair("se", &entry.se), {"sd", &entry.sd}, {"low", &entry.low}, {"high", &entry.high}}) {
    out.key(name);
    write_optional(out, *value);
  }
  out.key("details").value(entry.details);
  out.end_object();
}

void write_item(JsonWriter& out, const Interaction& entry) {
  out.begin_object();
  out.key("type").text("interaction");
  out.key("features").texts(entry.features);
  out.key("output").text(entry.output);
  out.key("group").text(entry.group);
  out.key("h2").number(entry.h2);
  out.key("h").number(entry.h);
  out.key("strength").number(entry.strength);
  out.key("se");
  write_optional(out, entry.se);
  out.key("details").value(entry.details);
  out.end_object();
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

void write_item(JsonWriter& out, const Attributions& item) {
  const std::size_t width = item.features.size();
  out.begin_object();
  out.key("type").text("attributions");
  out.key("output").text(item.output);
  out.key("group").text(item.group);
  out.key("base").number(item.base);
  out.key("total_rows").integer(item.total_rows);
  out.key("details").value(item.details);
  out.key("features").begin_array();
  for (const Axis& feature : item.features) {
    out.begin_object();
    out.key("feature").text(feature.feature);
    out.key("kind").text(kind(feature));
    out.key("unit").text(feature.unit);
    out.key("ordered").boolean(feature.ordered);
    if (feature.is_categorical()) out.key("levels").texts(feature.levels);
    out.end_object();
  }
  out.end_array();
  out.key("attributions").begin_array();
  for (std::size_t row = 0; row < item.rows.size(); ++row) {
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
  out.end_array();
  out.end_object();
}

void write_item(JsonWriter& out, const Figure& figure) {
  out.begin_object();
  out.key("type").text("figure");
  out.key("name").text(figure.name);
  out.key("output").text(figure.output);
  out.key("group").text(figure.group);
  out.key("value").number(figure.value);
  out.key("se");
  write_optional(out, figure.se);
  out.key("meaning").text(figure.meaning);
  out.end_object();
}

void write_caveat(JsonWriter& out, const Caveat& caveat) {
  out.begin_object();
  out.key("id").text(caveat.id);
  out.key("severity").text(to_string(caveat.severity));
  out.key("message").text(caveat.message);
  out.key("evidence").value(caveat.evidence);
  out.key("advice").text(caveat.advice);
  out.end_object();
}

}  // namespace

std::string to_json(const Result& result) {
  JsonWriter out;
  out.begin_object();
  out.line().key("schema").text("sightglass.result/1");
  out.line().key("method").text(result.method);
  out.line().key("version").text(result.version);
  out.line().key("model").value(result.model);
  out.line().key("data").value(result.data);
  out.line().key("options").value(result.options);
  out.line().key("results").begin_array();
  for (const auto& item : result.results) {
    out.line();
    visit(item, [&](const auto& shape) { write_item(out, shape); });
  }
  out.line().end_array();
  out.line().key("caveats").begin_array();
  for (const auto& caveat : result.caveats) {
    out.line();
    write_caveat(out, caveat);
  }
  out.line().end_array();
  out.line().end_object();
  return out.take() + "\n";
}

}  // namespace sightglass
