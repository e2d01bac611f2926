#include "sightglass/methods/effects/m_plot.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/methods/effects/accumulated/feature_bins.h"
#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/numeric/exact_sum.h"
#include "sightglass/numeric/search.h"
#include "sightglass/result/curve_shape.h"

namespace sightglass {

namespace {

// The rows near one value: their weights, where they are, and what is predicted for them.
struct NearSums {
  ExactSum weight, squares;
  ExactSum position;                  // Σ w x, of bins
  std::vector<ExactMoments> outputs;  // of the predictions

  static auto members() {
    return std::tuple(&NearSums::weight, &NearSums::squares, &NearSums::position, &NearSums::outputs);
  }
};

// Per feature and bin, and one more for rows without a value.
using MarginalSums = std::vector<std::vector<NearSums>>;

struct Feature {
  FeatureGrid grid;
  FeatureBins bins;
  double bandwidth = 0;  // 0: bins

  [[nodiscard]] bool smooth() const { return bandwidth > 0 && !grid.axis.is_categorical(); }
  // Few values need no bins: each has its own rows. One that does not vary has no bin around it, with a kernel neither.
  [[nodiscard]] bool by_value() const {
    return !smooth() && !grid.axis.is_categorical() && (grid.all_values || grid.axis.size() == 1);
  }
  [[nodiscard]] bool binned() const { return !smooth() && !grid.axis.is_categorical() && !by_value(); }
  [[nodiscard]] std::size_t points() const { return smooth() || by_value() ? grid.axis.size() : bins.bins(); }
  // Nowhere if no row that counts has the value: the row's weight is next to nothing.
  [[nodiscard]] std::uint32_t bin_of(double value) const {
    const std::size_t bin = count_below(grid.axis.numbers, value);
    const bool found = bin < grid.axis.size() && grid.axis.numbers[bin] == value;
    return found ? static_cast<std::uint32_t>(bin) : FeatureBins::nowhere;
  }
};

class MarginalPass : public Pass<MarginalSums, Result> {
 public:
  MarginalPass(const MethodInput& input, std::vector<Feature> features)
      : outputs_(input.outputs), explained_(input.explained), features_(std::move(features)) {}

  [[nodiscard]] std::vector<std::uint32_t> columns() const override {
    std::vector<std::uint32_t> columns;
    for (const auto& feature : features_) columns.push_back(feature.grid.column);
    return columns;
  }
  [[nodiscard]] bool needs_model() const override { return true; }
  [[nodiscard]] std::uint64_t cost_per_row() const override { return 1; }
  [[nodiscard]] MarginalSums empty() const override {
    MarginalSums sums;
    for (const auto& feature : features_) {
      sums.emplace_back(feature.points() + 1, NearSums{.outputs = std::vector<ExactMoments>(explained_.size())});
    }
    return sums;
  }

  void map(const RowBlock& block, MarginalSums& sums, Evaluator& evaluator) const override {
    for_each_slice(block, rows_at_once, [&](const RowBlock& part) {
      Matrix predictions;
      evaluator.evaluate(part, predictions);
      std::vector<double> weights(part.rows, 1.0);
      if (part.weights.size > 0) read_numbers(part.weights, weights);
      evaluator.context().parallel_for(features_.size(),
                                       [&](std::size_t i) { add(part, weights, predictions, features_[i], sums[i]); });
    });
  }

  [[nodiscard]] Result find(const MarginalSums& sums) const override {
    Result result;
    std::vector<FeatureGrid> grids;
    for (std::size_t i = 0; i < features_.size(); ++i) {
      for (std::size_t k = 0; k < explained_.size(); ++k) result.results.push_back(curve(features_[i], sums[i], k));
      grids.push_back(features_[i].grid);
    }
    add_grid_caveats(grids, result.caveats);
    return result;
  }

 private:
  void add(const RowBlock& block, const std::vector<double>& weights, const Matrix& predictions, const Feature& feature,
           std::vector<NearSums>& sums) const {
    std::vector<double> values(block.rows);
    read_numbers(block.columns[feature.grid.column], values);
    std::vector<std::uint32_t> bin_of_row(block.rows);
    if (feature.by_value()) {
      for (std::size_t row = 0; row < block.rows; ++row) bin_of_row[row] = feature.bin_of(values[row]);
    } else if (!feature.smooth()) {
      feature.bins.locate(block, bin_of_row);
    }
    const auto count = [&](NearSums& to, std::size_t row, double weight) {
      to.weight.add(weight);
      to.squares.add_product(weight, weight);
      for (std::size_t k = 0; k < explained_.size(); ++k) to.outputs[k].add(predictions(row, explained_[k]), weight);
    };
    for (std::size_t row = 0; row < block.rows; ++row) {
      if (!(weights[row] > 0)) continue;
      if (std::isnan(values[row])) {
        count(sums.back(), row, weights[row]);
      } else if (feature.smooth() && std::isfinite(values[row])) {
        for (std::size_t point = 0; point < feature.grid.axis.size(); ++point) {
          const double distance = (values[row] - feature.grid.axis.numbers[point]) / feature.bandwidth;
          const double weight = weights[row] * std::exp(-0.5 * distance * distance);
          if (weight > 0) count(sums[point], row, weight);
        }
      } else if (!feature.smooth() && bin_of_row[row] != FeatureBins::nowhere && std::isfinite(values[row])) {
        count(sums[bin_of_row[row]], row, weights[row]);
        sums[bin_of_row[row]].position.add_product(weights[row], values[row]);
      }
    }
  }

  static MissingPoint point_of(const NearSums& sums, std::size_t output) {
    MissingPoint point{.count = sums.weight.value()};
    if (!(point.count > 0)) return point;
    const double effective = point.count * point.count / sums.squares.value();
    point.mean = sums.outputs[output].mean(point.count);
    point.sd = std::sqrt(sums.outputs[output].variance(sums.weight.pair()));
    // Each point has rows of its own, so the errors of height and of shape are the same.
    point.se_level = point.se_shape = point.sd / std::sqrt(effective);
    return point;
  }

  [[nodiscard]] Curve curve(const Feature& feature, const std::vector<NearSums>& sums, std::size_t output) const {
    const FeatureGrid& grid = feature.grid;
    Curve curve{.axis = grid.axis, .output = outputs_[explained_[output]], .distribution = grid.distribution};
    for (std::size_t bin = 0; bin < feature.points(); ++bin) {
      const MissingPoint point = point_of(sums[bin], output);
      curve.mean.push_back(point.mean);
      curve.sd.push_back(point.sd);
      curve.se_level.push_back(point.se_level);
      curve.se_shape.push_back(point.se_shape);
      curve.count.push_back(feature.smooth() ? grid.count[bin] : point.count);
    }
    if (feature.binned()) {
      curve.axis.numbers.clear();
      for (std::size_t bin = 0; bin < feature.points(); ++bin) {
        // Rounding must not carry a mean out of its bin: points stay in order.
        const double low = bin == 0 ? grid.axis.numbers[0] : std::nextafter(grid.axis.numbers[bin], INFINITY);
        const double mean = sums[bin].position.value() / sums[bin].weight.value();
        curve.axis.numbers.push_back(std::isfinite(mean) ? std::clamp(mean, low, grid.axis.numbers[bin + 1]) : low);
      }
    }
    if (grid.has_missing()) curve.missing = point_of(sums.back(), output);
    if (!grid.axis.is_categorical() && curve.axis.size() > 1) curve.shape = shape_of(curve);
    return curve;
  }

  std::vector<std::string> outputs_;
  std::vector<std::size_t> explained_;
  std::vector<Feature> features_;
};

// A share of the distance between the first and the last decile; of the range where most rows have the same value.
double bandwidth_of(const FeatureGrid& grid, double share) {
  if (grid.axis.is_categorical() || grid.axis.size() < 2) return 0;
  const auto& rug = grid.distribution.rug;
  const double deciles = rug.empty() ? 0 : rug.back() - rug.front();
  const double range = grid.axis.numbers.back() - grid.axis.numbers.front();
  const double width = share * (deciles > 0 ? deciles : range);
  return std::isfinite(width) && width > 0 ? width : range;
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<MPlotOptions>(given);
  if (!std::isfinite(options.bandwidth)) {
    throw Error(ErrorKind::usage, marked("{Option:bandwidth}: a number above 0, please"));
  }
  const double share = options.smoothing == "kernel" ? options.bandwidth : 0;
  std::vector<GridRequest> requests;
  for (const std::uint32_t column : chosen_features(input, options.features)) {
    requests.push_back(
        {.column = column, .size = static_cast<std::size_t>(options.bins), .rule = share > 0 ? "edges" : "bins"});
  }
  return find_grids(input, std::move(requests)).then([=](const std::vector<FeatureGrid>& grids) {
    std::vector<Feature> features;
    for (const FeatureGrid& grid : grids) {
      features.push_back({grid, FeatureBins(grid), share > 0 ? bandwidth_of(grid, share) : 0});
    }
    return over_rows<MarginalPass>(input, std::move(features));
  });
}

}  // namespace

MethodEntry m_plot() {
  return {.name = "m-plot",
          .alias = "marginal-plot",
          .about = {.title = "M-plot", .short_name = "", .family = Family::effects},
          .question = "What does the model predict, on average, for the rows that have such a value?",
          .when =
              "what goes with a feature in the data; beside partial dependence and ALE it shows how much of that is "
              "other features' work",
          .when_not = "as the effect of the feature: everything that is correlated with it shows as if it were its own",
          .formula = "M(bin) = mean over the rows i of the bin of f(x^(i))",
          .paper =
              "Apley & Zhu 2020, Visualizing the effects of predictor variables in black box supervised learning "
              "models",
          .estimand = Estimand::conditional_mean,
          .results = {"curve"},
          .expresses = "conditional means of the prediction, with uncertainty",
          .cost = "1 × rows predictions for all features together",
          .access = Access::stream,
          .change = RowChange::none,
          .options = describe_options<MPlotOptions>(),
          .start = start};
}

}  // namespace sightglass
