#include "sightglass/result/shapes/curve.h"

#include "sightglass/result/fields.h"
#include "sightglass/result/item.h"
#include "sightglass/result/json_writer_internal.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

namespace {

constexpr std::string_view verdicts[] = {"constant", "linear", "monotone", "complex"};

std::vector<bool> marked(const std::vector<std::uint64_t>& points, std::size_t size) {
  std::vector<bool> marks(size);
  for (const auto point : points) {
    if (point < size) marks[point] = true;
  }
  return marks;
}

}  // namespace

std::string_view to_string(CurveShape shape) { return verdicts[static_cast<std::size_t>(shape)]; }

void describe_fields(Curve& curve, Fields& fields) {
  fields.about(
      "A function of one feature with its uncertainty. Accumulated local effects (measure \"effect\") have effect, se, "
      "edges, bin_count and slope in place of mean, sd, se_level and se_shape.");
  describe_feature(curve.axis, fields);
  describe_output(curve.output, curve.group, fields);
  fields.text({"series", "What drew it, where one chart shows several methods, or empty."}, curve.series);
  describe_measure(curve.measure, fields);
  describe_choice(fields, {"estimand", "What the curve estimates."}, curve.estimand);
  fields.choose(
      curve.measure == Measure::loss,
      [&] { describe_choice(fields, {"loss", "Which one, where the heights are losses."}, loss_names, curve.loss); },
      [] {});
  describe_grid(curve.axis, fields);
  const std::size_t size = curve.axis.size();
  fields.choose(
      curve.measure == Measure::effect,
      [&] {
        const std::size_t bins = size > 0 ? size - 1 : 0;
        fields.numbers({"effect", "Differences to the average effect.", Presence::required}, curve.mean, size);
        fields.numbers({"se", "Standard error of the effect."}, curve.se_shape, size);
        // The grid under the name that people look for; it is not read again.
        fields.special({"edges", "Edges of the bins: the grid of a numeric feature."},
                       {.schema = Value::object({{"$ref", "#/$defs/numbers"}}),
                        .write = [&](JsonWriter& out) { out.numbers(curve.axis.numbers); },
                        .read = {}});
        fields.numbers(
            {"bin_count", "(Weighted) rows between two edges, or of two neighbouring levels: one fewer than the grid."},
            curve.bin_count, bins);
        fields.numbers({"slope", "Of the effect between two edges: one fewer than the grid."}, curve.slope, bins);
      },
      [&] {
        fields.numbers({"mean", "", Presence::required}, curve.mean, size);
        fields.numbers({"sd", "Over rows."}, curve.sd, size);
        fields.numbers({"se_level", "Standard error of the curve's height."}, curve.se_level, size);
        fields.numbers({"se_shape", "Standard error of its shape."}, curve.se_shape, size);
      });
  fields.numbers({"count", "(Weighted) rows near each grid point."}, curve.count, size);
  bool has_missing = curve.missing.has_value();
  MissingPoint missing = curve.missing.value_or(MissingPoint());
  fields.optional_group({"missing", "The effect where the feature is missing."}, has_missing, [&](Fields& inside) {
    inside.number({"mean", "", Presence::required}, missing.mean);
    // Unknown where the curve itself does not know them.
    inside.only_if(!curve.sd.empty(), [&] { inside.number({"sd"}, missing.sd); });
    inside.only_if(!curve.se_level.empty(), [&] { inside.number({"se_level"}, missing.se_level); });
    inside.only_if(!curve.se_shape.empty(), [&] { inside.number({"se_shape"}, missing.se_shape); });
    inside.number({"count"}, missing.count);
  });
  if (has_missing && !curve.missing) curve.missing = missing;
  describe_distribution(curve.distribution, curve.axis, fields);
  describe_choice(fields, {"verdict", "Numeric features: the shape of the curve."}, verdicts, curve.shape);
  fields.optional_number({"heterogeneity", "0: every row's curve has this shape; 1: none has."}, curve.heterogeneity);
  fields.indices({"sparse", "Grid points with too few rows nearby."}, curve.sparse, size);
  fields.indices({"extrapolated",
                  "Grid points at which too many rows are evaluated at combinations that the data do not contain."},
                 curve.extrapolated, size);
  fields.numbers({"outside", "That share of rows, per grid point."}, curve.outside, size);
}

void tidy_rows(const Curve& curve, TidyRows& rows) {
  const std::string_view height = height_column(curve.measure);
  const std::string_view se = curve.measure == Measure::effect ? "se" : "se_shape";
  const auto begin = [&]() -> TidyRows& {
    return rows.row(effect_table, curve)
        .set("feature", curve.axis.feature)
        .set("series", curve.series)
        .set("measure", to_string(curve.measure));
  };
  const auto sparse = marked(curve.sparse, curve.axis.size());
  const auto extrapolated = marked(curve.extrapolated, curve.axis.size());
  for (std::size_t i = 0; i < curve.axis.size(); ++i) {
    begin()
        .set("value", curve.axis, i)
        .set(height, curve.mean, i)
        .set("sd", curve.sd, i)
        .set("se_level", curve.se_level, i)
        .set(se, curve.se_shape, i)
        .set("count", curve.count, i)
        .set("bin_count", curve.bin_count, i)
        .set("slope", curve.slope, i)
        .set("outside", curve.outside, i)
        .mark("sparse", static_cast<bool>(sparse[i]))
        .mark("extrapolated", static_cast<bool>(extrapolated[i]));
  }
  if (!curve.missing) return;
  begin().set(height, curve.missing->mean).set("count", curve.missing->count);
  if (!curve.sd.empty()) rows.set("sd", curve.missing->sd);
  if (!curve.se_level.empty()) rows.set("se_level", curve.missing->se_level);
  if (!curve.se_shape.empty()) rows.set(se, curve.missing->se_shape);
  rows.mark("sparse", false).mark("extrapolated", false);
}

std::vector<const Axis*> item_axes(const Curve& curve) { return {&curve.axis}; }

ItemFeatures item_features(const Curve& curve) { return {FeatureUse::effect, {{curve.axis.feature}}}; }

void item_set_dates(Curve& item, const Dates& dates) { item.axis.dates = date_kind(dates, item.axis.feature); }

}  // namespace sightglass
