// Where effects are computed: for each feature the values of its grid, and how the data lie around them.
// Found in a few passes over the feature columns alone, so that it works on streams of any length in memory
// that does not grow with them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sightglass/methods/grid/value_cells.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

// A row is near a grid point within this share of the range, to either side. A little more, so that of decimal numbers
// those at the border are in whichever way they were rounded.
inline constexpr double near_share = 0.025;
[[nodiscard]] inline double near_reach(double low, double high) { return near_share * (high - low) * (1 + 1e-9); }

struct GridRequest {
  std::uint32_t column = 0;
  std::size_t size = 64;           // points at the most, unless the rule says otherwise
  std::string rule = "quantiles";  // uniform, sklearn, values, breakpoints, edges of `size` bins; bins: edges or values
  std::vector<double> values;      // of the rules values and breakpoints
  double low = 0.05, high = 0.95;  // of the rule sklearn
};

struct FeatureGrid {
  std::uint32_t column = 0;
  Axis axis;
  std::vector<Scalar> values;  // what the model is given at each point of the axis
  bool all_values = false;     // numeric: whether the points are all values that there are
  std::vector<double> count;   // (weighted) rows near each point: within 2.5 % of the range, or of the level
  Distribution distribution;
  ValueCells cells;            // numeric: those that the counts and the distribution were made of
  std::uint64_t infinite = 0;  // rows whose value is infinite: they have no place on the axis

  [[nodiscard]] bool has_missing() const { return distribution.missing > 0; }
};

[[nodiscard]] Chain<std::vector<FeatureGrid>> find_grids(const MethodInput& input, std::vector<GridRequest> requests);

inline constexpr OptionRange grid_points = between(1, 100000, "points");

// The options that decide about grids, of an option struct that has members of these names and calls
// grid_fields<itself> from its own fields(). They are no base struct: C++ programs name options where they call, {.grid
// = 20}, and that is for members of the struct itself.
template <class Options>
void grid_fields(auto&& field) {
  field("features", &Options::features,
        {.help = "features to explain; default: all that the model uses", .type = OptionType::features});
  field("grid", &Options::grid,
        {.help = "grid points of a numeric feature, at the most",
         .type = OptionType::count,
         .range = grid_points,
         .aliases = {"grid_resolution"}});
  field("grid_rule", &Options::grid_rule,
        {"how the grid is laid: quantiles of the data, uniform, as scikit-learn, at every split of a tree model "
         "(breakpoints), or the given values",
         {"quantiles", "uniform", "sklearn", "breakpoints", "values"}});
  field("values", &Options::values,
        {"grid of numeric features with {option:grid_rule} values: numbers, or dates (2020-01-31)"});
}

// The schema's columns that are meant, the model's own features if none are named. Throws Error(usage) on a
// name that is not a feature; `option` is where it was given.
[[nodiscard]] std::vector<std::uint32_t> chosen_features(const MethodInput& input,
                                                         const std::vector<std::string>& names,
                                                         const Text& option = option_name("features"));
// Asking the model about each feature anew, every row with all its features at so many points, takes time in the square
// of the features. Throws Error(usage) where they are thousands and the work would never end.
void check_width(const MethodInput& input, std::size_t features, std::int64_t points);
// "temp:hour" as two columns. Throws Error(usage) on what is no pair of features.
[[nodiscard]] std::pair<std::uint32_t, std::uint32_t> chosen_pair(const MethodInput& input, const std::string& pair);
// Throws Error(usage) where surfaces would have more cells than memory should be spent on; `cells` counts those of the
// pairs so far.
void check_cells(const FeatureGrid& first, const FeatureGrid& second, std::size_t outputs, std::size_t& cells);
// Checks the options and makes the request for one feature, of so many points.
[[nodiscard]] GridRequest grid_request(const MethodInput& input, const std::string& grid_rule,
                                       const std::vector<double>& values, std::uint32_t column, std::int64_t size);
// "12 rows have no finite value of temp", where there are any.
void add_grid_caveats(const std::vector<FeatureGrid>& grids, std::vector<Caveat>& caveats);

}  // namespace sightglass
