#include "sightglass/methods/importance/pd_importance.h"

#include <algorithm>
#include <cmath>

#include "sightglass/methods/effects/curves/leaf_counts.h"
#include "sightglass/methods/effects/curves/mean_effects.h"
#include "sightglass/methods/grid/feature_groups.h"

namespace sightglass {

namespace {

struct CurveSums {
  MeanEffects curves;
  std::vector<std::vector<ExactSum>> nearest;  // [numeric feature][point]: weight of the rows nearest to it

  static auto members() { return std::tuple(&CurveSums::curves, &CurveSums::nearest); }
};

// Σ w (x − mean)², and Σ w.
struct Spread {
  double squares = 0, weight = 0;
};

Spread spread_of(const std::vector<double>& values, const std::vector<double>& weights) {
  Spread spread;
  double sum = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    // From the first value on, so that a constant curve has a mean of its own value.
    sum += weights[k] * (values[k] - values[0]);
    spread.weight += weights[k];
  }
  if (!(spread.weight > 0)) return spread;
  const double mean = values[0] + sum / spread.weight;
  for (std::size_t k = 0; k < values.size(); ++k)
    spread.squares += weights[k] * (values[k] - mean) * (values[k] - mean);
  return spread;
}

class CurvePass : public Pass<CurveSums, Result> {
 public:
  // known: [grid][value × outputs + output], where the means need no predictions; else empty.
  CurvePass(const MethodInput& input, std::vector<FeatureGrid> grids, std::vector<std::vector<double>> known)
      : outputs_(input.outputs), explained_(input.explained), grids_(std::move(grids)), known_(std::move(known)) {}

  [[nodiscard]] std::vector<std::uint32_t> columns() const override {
    std::vector<std::uint32_t> columns;
    for (const FeatureGrid& grid : grids_) columns.push_back(grid.column);
    return columns;
  }
  [[nodiscard]] bool needs_model() const override { return known_.empty(); }
  [[nodiscard]] std::uint64_t cost_per_row() const override {
    return known_.empty() ? MeanEffects::cost_per_row(grids_) : 0;
  }
  [[nodiscard]] CurveSums empty() const override {
    CurveSums sums{.curves = MeanEffects(grids_, explained_), .nearest = {}};
    for (const FeatureGrid& grid : grids_)
      sums.nearest.emplace_back(grid.axis.is_categorical() ? 0 : grid.values.size());
    return sums;
  }

  void map(const RowBlock& block, CurveSums& sums, Evaluator& evaluator) const override {
    if (known_.empty()) sums.curves.add(grids_, block, evaluator);
    evaluator.context().parallel_for(grids_.size(), [&](std::size_t i) {
      // How many rows have each level is known.
      if (grids_[i].axis.is_categorical()) return;
      std::vector<double> values(block.rows);
      read_numbers(block.columns[grids_[i].column], values);
      for (std::size_t row = 0; row < block.rows; ++row) {
        if (const auto point = nearest_point(grids_[i], values[row])) sums.nearest[i][*point].add(block.weight(row));
      }
    });
  }

  [[nodiscard]] Result find(const CurveSums& sums) const override {
    Result result;
    for (std::size_t output = 0; output < explained_.size(); ++output) {
      std::vector<Importance> plain, by_data;
      for (std::size_t i = 0; i < grids_.size(); ++i) measure(sums, i, output, plain, by_data);
      for (auto* entries : {&plain, &by_data}) {
        add_ranks(*entries);
        result.results.insert(result.results.end(), entries->begin(), entries->end());
      }
    }
    add_grid_caveats(grids_, result.caveats);
    return result;
  }

 private:
  void measure(const CurveSums& sums, std::size_t i, std::size_t output, std::vector<Importance>& plain,
               std::vector<Importance>& by_data) const {
    const FeatureGrid& grid = grids_[i];
    const std::string& name = outputs_[explained_[output]];
    const Curve curve = known_.empty() ? sums.curves.curve(grids_, i, output, name)
                                       : mean_curve(grid, known_[i], output, explained_.size(), name);
    const std::vector<double>& mean = curve.mean;
    Importance entry;
    entry.feature = grid.axis.feature;
    entry.features = {grid.axis.feature};
    entry.output = curve.output;
    entry.measure.kind = MeasureKind::dependence;
    const bool levels = grid.axis.is_categorical();
    double range = 0;
    if (!mean.empty()) {
      const auto [low, high] = std::minmax_element(mean.begin(), mean.end());
      range = *high - *low;
    }
    entry.details.set("range", range).set("points", std::uint64_t{mean.size()});
    entry.details.set("rule", levels ? "range / 4" : "sd over the grid");
    if (curve.missing) entry.details.set("missing", curve.missing->mean);

    const std::vector<double> equal(mean.size(), 1.0);
    const double steps = static_cast<double>(mean.size()) - 1;
    entry.importance = levels ? range / 4 : steps > 0 ? std::sqrt(spread_of(mean, equal).squares / steps) : 0;
    plain.push_back(entry);

    entry.measure.over_rows = true;
    entry.details.set("rule", "sd over the rows, each at its nearest grid point");
    std::vector<double> weights = grid.count;
    for (std::size_t k = 0; !levels && k < weights.size(); ++k) weights[k] = sums.nearest[i][k].value();
    const Spread spread = spread_of(mean, weights);
    entry.importance = spread.weight > 0 ? std::sqrt(spread.squares / spread.weight) : 0;
    by_data.push_back(std::move(entry));
  }

  std::vector<std::string> outputs_;
  std::vector<std::size_t> explained_;
  std::vector<FeatureGrid> grids_;
  std::vector<std::vector<double>> known_;
};

using Means = std::vector<std::vector<double>>;

// What can be read off the leaves of a tree ensemble.
Chain<Means> known_means(const MethodInput& input, const std::vector<FeatureGrid>& grids) {
  if (!LeafCounts::possible(input, 1)) return Means{};
  return count_leaves(input, 1).then([=](const LeafCountsPtr& counts) {
    std::vector<LeafCounts::Axis> axes;
    for (const FeatureGrid& grid : grids) axes.push_back(axis_of(grid, true));
    return counts->singles(axes, input.explained);
  });
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<PdImportanceOptions>(given);
  std::vector<GridRequest> requests;
  for (const std::uint32_t column : chosen_features(input, options.features))
    requests.push_back(grid_request(input, options.grid_rule, options.values, column, options.grid));
  check_width(input, requests.size(), options.grid);
  return find_grids(input, std::move(requests)).then([=](const std::vector<FeatureGrid>& grids) {
    return known_means(input, grids).then([=](Means means) {
      return over_rows<CurvePass>(input, grids, std::move(means));
    });
  });
}

}  // namespace

MethodEntry pd_importance() {
  return {
      .name = "pd-importance",
      .alias = "",
      .about = {.title = "Importance from partial dependence", .short_name = "", .family = Family::importance},
      .question = "How much does the average prediction move along a feature?",
      .when = "a ranking of main effects, also without a target",
      .when_not = "features that act through interactions: a flat average may hide them; use permutation-importance",
      .formula = "sd over the grid of PD_j (of a categorical feature: range / 4), and the same over the data",
      .paper = "Greenwell, Boehmke and McCarthy 2018, A simple and effective model-based variable importance measure",
      .results = {"importance"},
      .expresses = "the size of main effects, in units of the prediction",
      .cost = "grid × rows predictions per feature",
      .access = Access::stream,
      .options = describe_options<PdImportanceOptions>(),
      .start = start};
}

}  // namespace sightglass
