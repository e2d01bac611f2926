// What a method hands back: plain data, no model and no rows, so that a saved result can be drawn again
// later. JSON in and out is in json.h; every shape here has one renderer per output format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sightglass/base/value.h"

namespace sightglass {

// One axis of an effect: the values of a feature at which it was computed.
struct Axis {
  std::string feature;
  std::string unit;                 // empty if unknown
  std::vector<double> numbers;      // numeric features: ascending grid
  std::vector<std::string> levels;  // categorical features: one per level
  bool ordered = false;             // levels have an order of their own
  bool categorical = false;         // also where there is no level, because every row misses the feature

  [[nodiscard]] bool is_categorical() const { return categorical || !levels.empty(); }
  [[nodiscard]] std::size_t size() const { return is_categorical() ? levels.size() : numbers.size(); }
};

// How a feature is distributed in the data: drawn under its curve.
struct Distribution {
  std::vector<double> edges;   // numeric: histogram edges, one more than counts
  std::vector<double> counts;  // (weighted) rows per histogram bin, or per level
  std::vector<double> rug;     // numeric: deciles (type 1)
  double missing = 0;          // (weighted) rows without a value
};

// The effect where the feature is missing: a level of its own, drawn apart.
struct MissingPoint {
  double mean = 0, sd = 0, se_level = 0, se_shape = 0, count = 0;
};

enum class Shape { constant, linear, monotone, complex };
[[nodiscard]] std::string_view to_string(Shape shape);

// What the heights of a curve or a surface are: predictions, effects around zero (ALE), or the model's loss.
enum class Measure { mean, effect, loss };
[[nodiscard]] std::string_view to_string(Measure measure);

// A function of one feature, with its uncertainty: partial dependence, M-plots, accumulated local effects.
struct Curve {
  Axis axis;
  std::string output;
  std::string group;   // of rows: "species = Adelie"; empty = all rows
  std::string series;  // what drew it, where one chart shows several: "ALE"
  Measure measure = Measure::mean;
  std::vector<double> mean;      // the heights, whatever they measure
  std::vector<double> sd;        // over rows
  std::vector<double> se_level;  // of the curve's height
  std::vector<double> se_shape;  // of its shape: what the drawn band shows; the se of an effect
  std::vector<double> count;     // (weighted) rows near each grid point
  // Effects only, one fewer than grid points: (weighted) rows between two edges (of two neighbouring levels),
  // and the effect's slope there (numeric features).
  std::vector<double> bin_count, slope;
  std::optional<MissingPoint> missing;
  Distribution distribution;
  std::optional<Shape> shape;           // numeric features
  std::optional<double> heterogeneity;  // 0 = every row's curve has this shape; 1 = none has
  // Where not to trust it: grid points with too few rows, and those at which too many rows are evaluated
  // at combinations that the data do not contain; `outside` is that share of rows per grid point.
  std::vector<std::uint64_t> sparse, extrapolated;
  std::vector<double> outside;
};

// Many functions of one feature, one per row: individual conditional expectation.
struct Curves {
  Axis axis;  // of derivatives: the middles of the grid's steps
  std::string output;
  std::string group;                             // of rows; empty = all
  bool derivative = false;                       // values are slopes
  std::vector<std::uint64_t> rows;               // 0-based rows of the data, ascending
  std::vector<std::vector<double>> values;       // per row, per grid point
  std::vector<std::optional<double>> missing;    // per row: the value where the feature is missing; may be empty
  std::vector<std::optional<double>> own_value;  // per row: its own value of a numeric feature
  std::vector<std::string> own_level;            // per row: its own level of a categorical feature
  std::optional<double> anchor;                  // centred curves: the grid value at which each is 0
  std::string anchor_level;
  std::vector<double> mean;                // over all rows, not only those kept
  std::vector<double> sd;                  // of derivatives, over all rows
  std::vector<double> band_levels;         // 0.05, 0.25, …
  std::vector<std::vector<double>> bands;  // per level, per grid point; over all rows
  std::uint64_t total_rows = 0;            // how many rows there were to choose from
  Distribution distribution;
  std::optional<double> heterogeneity;
};

// A function of two features.
struct Surface {
  Axis first, second;
  std::string output;
  std::string group;  // of rows; empty = all
  Measure measure = Measure::mean;
  std::vector<std::vector<double>> mean;  // [first][second]: the heights, whatever they measure
  // (Weighted) rows whose nearest grid point this is. Of effects: rows in the cell between this grid point and
  // the next in both directions, so one fewer each way.
  std::vector<std::vector<double>> count;
};

// How much one feature (or a group of features, or what is left) matters. Entries of the same measure, output
// and group of rows are one ranking.
struct Importance {
  std::string feature;                // how the entry is called
  std::vector<std::string> features;  // the features it stands for; empty: none ("remainder")
  std::string output;                 // empty: all outputs together
  std::string group;                  // of rows; empty = all
  std::string measure;                // "increase of rmse"
  double importance = 0;
  std::optional<double> se, sd, low, high;  // low and high: an interval, of which `details` says what it covers
  Value details = Value::object();          // what else was measured: {"ratio": 1.4, …}
};

// How much of the effect of two or three features is not the sum of what fewer do; of one feature: with all
// others together.
struct Interaction {
  std::vector<std::string> features;
  std::string output;
  std::string group;
  double h2 = 0, h = 0;
  double strength = 0;       // √ of the mean squared interaction effect, in units of the prediction
  std::optional<double> se;  // of h2, over samples
  Value details = Value::object();
};

// What each feature adds to the predictions of single rows: base + Σ values = prediction (Shapley values). One
// item holds all rows of one output.
struct Attributions {
  std::vector<Axis> features;  // without a grid; the levels of a categorical feature are those it may have
  std::string output;
  std::string group;                // of rows; empty = all
  double base = 0;                  // what is predicted on average, before anything is known of a row
  std::uint64_t total_rows = 0;     // how many rows there were to choose from
  std::vector<std::uint64_t> rows;  // 0-based rows of the data, ascending
  std::vector<double> prediction;   // per row
  std::vector<double> values;       // [row × features + feature]
  std::vector<double> se;           // of the values, the same way; empty if they are exact
  std::vector<double> data;         // the row's own feature values: numbers, or positions of levels; NaN = missing
  // [(row × features + feature) × features + other]: what two features add together, half of it on each side of the
  // diagonal; a row of the matrix adds up to the feature's value. Empty if not asked for.
  std::vector<double> interactions;
  Value details = Value::object();  // how they were computed: {"estimator": "exact", "background_rows": 100, …}

  [[nodiscard]] double value(std::size_t row, std::size_t feature) const {
    return values[row * features.size() + feature];
  }
  [[nodiscard]] double own(std::size_t row, std::size_t feature) const { return data[row * features.size() + feature]; }
  [[nodiscard]] double interaction(std::size_t row, std::size_t feature, std::size_t other) const {
    return interactions[(row * features.size() + feature) * features.size() + other];
  }
};

// A number about the model as a whole.
struct Figure {
  std::string name;  // "share of variance that main effects leave"
  std::string output;
  std::string group;
  double value = 0;
  std::optional<double> se;
  std::string meaning;  // how to read it, in a sentence
};

enum class Severity { note, caution, warning };
[[nodiscard]] std::string_view to_string(Severity severity);

struct Caveat {
  std::string id;  // "sparse-region"
  Severity severity = Severity::note;
  std::string message;
  Value evidence = Value::object();
  std::string advice;
};

using ResultItem = std::variant<Curve, Curves, Surface, Importance, Interaction, Attributions, Figure>;

struct Result {
  std::string method;
  std::string version;  // of sightglass
  Value model = Value::object();
  Value data = Value::object();
  Value options = Value::object();
  std::vector<ResultItem> results;
  std::vector<Caveat> caveats;
};

}  // namespace sightglass
