// A curve: partial dependence, M-plots, accumulated local effects.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/result/estimand.h"
#include "sightglass/result/loss_kind.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/shapes/measure.h"

namespace sightglass {

class Fields;
class TidyRows;
struct ItemFeatures;

// The effect where the feature is missing: a level of its own, drawn apart.
struct MissingPoint {
  double mean = 0, sd = 0, se_level = 0, se_shape = 0, count = 0;
};

enum class CurveShape { constant, linear, monotone, complex };
[[nodiscard]] std::string_view to_string(CurveShape shape);

// A function of one feature, with its uncertainty: partial dependence, M-plots, accumulated local effects.
struct Curve {
  static constexpr std::string_view type = "curve";  // its name in JSON

  Axis axis;
  std::string output;
  std::string group;   // of rows: "species = Adelie"; empty = all rows
  std::string series;  // what drew it, where one chart shows several: "ALE"
  Measure measure = Measure::mean;
  OpenWord<Estimand> estimand = Estimand::other;
  std::optional<LossKind> loss = std::nullopt;  // whose heights they are, of losses
  std::vector<double> mean;                     // the heights, whatever they measure
  std::vector<double> sd;                       // over rows
  std::vector<double> se_level;                 // of the curve's height
  std::vector<double> se_shape;                 // of its shape: what the drawn band shows; the se of an effect
  std::vector<double> count;                    // (weighted) rows near each grid point
  // Effects only, one fewer than grid points: (weighted) rows between two edges (of two neighbouring levels),
  // and the effect's slope there (numeric features).
  std::vector<double> bin_count, slope;
  std::optional<MissingPoint> missing;
  Distribution distribution;
  std::optional<CurveShape> shape;      // numeric features
  std::optional<double> heterogeneity;  // 0 = every row's curve has this shape; 1 = none has
  // Where not to trust it: grid points with too few rows, and those at which too many rows are evaluated
  // at combinations that the data do not contain; `outside` is that share of rows per grid point.
  std::vector<std::uint64_t> sparse, extrapolated;
  std::vector<double> outside;
};

void describe_fields(Curve& curve, Fields& fields);
void tidy_rows(const Curve& curve, TidyRows& rows);
void item_set_dates(Curve& item, const Dates& dates);
[[nodiscard]] std::vector<const Axis*> item_axes(const Curve& curve);
[[nodiscard]] ItemFeatures item_features(const Curve& curve);

}  // namespace sightglass
