#include "sightglass/methods/effects/ale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/methods/effects/accumulated/local_effects.h"
#include "sightglass/methods/effects/curves/effect_moments.h"
#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/grid/level_order.h"
#include "sightglass/numeric/accumulation.h"
#include "sightglass/numeric/segments.h"
#include "sightglass/result/curve_shape.h"

namespace sightglass {

namespace {

// Adaptive bins are put together from this many times as many fine ones, though not from more than can be cut in the
// best way quickly. One more bin must explain this share of the variance of the local slopes.
constexpr std::int64_t fine_bins = 5, most_fine_bins = 400;
constexpr double bin_penalty = 0.005;

// Where effects are measured: steps along single features, cells of pairs.
struct Bins {
  std::vector<FeatureGrid> grids;
  std::vector<std::pair<FeatureGrid, FeatureGrid>> pairs;
  std::vector<Caveat> caveats;
};

struct Measured {
  Bins bins;
  LocalEffects effects;
};

struct StepErrors {
  std::vector<double> squared;  // of each step's mean
  bool known = true;
};

// s²/n per step. A step with one row cannot know its own spread and takes that of all steps together.
StepErrors step_errors(const StepEffects& effects, std::size_t output) {
  const std::size_t steps = effects.steps();
  std::vector<double> effective(steps), spread(steps, 0);
  double squares = 0, freedom = 0;
  for (std::size_t s = 0; s < steps; ++s) {
    effective[s] = effects.effective_rows(s);
    if (effects.rows(s) < 2 || !(effective[s] > 1)) continue;
    spread[s] = effects.variance(s, output) * effective[s] / (effective[s] - 1);
    squares += spread[s] * (effective[s] - 1);
    freedom += effective[s] - 1;
  }
  StepErrors errors{.known = steps == 0 || freedom > 0};
  for (std::size_t s = 0; s < steps; ++s) {
    const bool own = effects.rows(s) > 1 && effective[s] > 1;
    const double variance = own ? spread[s] : freedom > 0 ? squares / freedom : 0;
    errors.squared.push_back(effective[s] > 0 ? variance / effective[s] : 0);
  }
  return errors;
}

// Σ w (local effect − its bin's mean)² as a share of Σ w (local effect)²: 0 where all rows of a bin move alike.
std::optional<double> heterogeneity_of(const StepEffects& effects, std::size_t output) {
  double within = 0, all = 0;
  for (std::size_t s = 0; s < effects.steps(); ++s) {
    const double mean = effects.mean(s, output);
    const double squares = effects.weight(s) * effects.variance(s, output);
    within += squares;
    all += squares + effects.weight(s) * mean * mean;
  }
  if (!(all > 0) || !std::isfinite(all)) return std::nullopt;
  // Rounding of predictions is not heterogeneity.
  const double share = std::min(1.0, within / all);
  return share > 1e-12 ? share : 0;
}

Curve curve_of(const MethodInput& input, Centering centering, const FeatureGrid& grid, const StepEffects& effects,
               std::size_t output, const StepErrors& errors) {
  Curve curve{.axis = grid.axis,
              .output = input.outputs[input.explained[output]],
              .measure = Measure::effect,
              .count = grid.count,
              .distribution = grid.distribution};
  if (grid.axis.size() == 0) return curve;
  const bool numeric = !grid.axis.is_categorical();
  std::vector<double> steps;
  for (std::size_t s = 0; s < effects.steps(); ++s) {
    steps.push_back(effects.mean(s, output));
    curve.bin_count.push_back(effects.weight(s));
    if (numeric) curve.slope.push_back(steps[s] / (grid.axis.numbers[s + 1] - grid.axis.numbers[s]));
  }
  const AccumulatedEffect effect = accumulate(steps, errors.squared, numeric ? curve.bin_count : grid.count,
                                              numeric ? RowsLie::between_points : RowsLie::on_points, centering);
  curve.mean = effect.effect;
  curve.se_shape = effect.se;
  curve.heterogeneity = heterogeneity_of(effects, output);
  if (numeric && grid.axis.size() > 1) curve.shape = shape_of(curve);
  return curve;
}

// "158 rows"; a sum of weights is no number of rows.
std::string missing_rows(const Distribution& distribution, bool weighted) {
  if (!weighted)
    return fmt::format("{} {}", std::llround(distribution.missing), distribution.missing == 1 ? "row" : "rows");
  const double known = std::accumulate(distribution.counts.begin(), distribution.counts.end(), 0.0);
  return fmt::format("rows with {:.2g} % of the weight", 100 * distribution.missing / (distribution.missing + known));
}

void add_row_caveats(const FeatureGrid& grid, bool weighted, std::vector<Caveat>& caveats) {
  if (!grid.has_missing() || grid.axis.size() == 0) return;
  const std::string& name = grid.axis.feature;
  caveats.push_back({.id = "missing-values",
                     .severity = Severity::note,
                     .message = feature_name(name) + " is missing in " + missing_rows(grid.distribution, weighted) +
                                ": they have no neighbours on its axis and are left out",
                     .evidence = Value::object({{"feature", name}, {"rows", grid.distribution.missing}}),
                     .advice = "partial dependence shows what the model does where the feature is missing"});
}

// Where the points of a surface are, for distances between its cells: levels are one apart.
std::vector<double> positions(const Axis& axis) {
  if (!axis.is_categorical()) return axis.numbers;
  std::vector<double> positions(axis.size());
  std::iota(positions.begin(), positions.end(), 0.0);
  return positions;
}

CellGrid cell_grid(const std::pair<FeatureGrid, FeatureGrid>& pair, const CellEffects& effects) {
  const auto lie = [](const Axis& axis) {
    return axis.is_categorical() ? RowsLie::on_points : RowsLie::between_points;
  };
  CellGrid grid{.first = lie(pair.first.axis),
                .second = lie(pair.second.axis),
                .first_points = positions(pair.first.axis),
                .second_points = positions(pair.second.axis)};
  grid.weights.assign(effects.bins[0], std::vector<double>(effects.bins[1], 0.0));
  for (const auto& [bin, weight] : effects.weights) {
    grid.weights[bin / effects.bins[1]][bin % effects.bins[1]] = weight.value();
  }
  return grid;
}

void add_surfaces(const MethodInput& input, const std::pair<FeatureGrid, FeatureGrid>& pair, const CellEffects& effects,
                  Result& result) {
  const CellGrid grid = cell_grid(pair, effects);
  const auto counts = grid.cell_weights();
  for (std::size_t k = 0; k < input.explained.size(); ++k) {
    std::vector<std::vector<double>> differences(effects.steps[0], std::vector<double>(effects.steps[1], 0.0));
    for (const auto& [cell, sums] : effects.sums) {
      const std::size_t i = cell / effects.steps[1];
      const std::size_t j = cell % effects.steps[1];
      differences[i][j] = sums[k].value() / counts[i][j];
    }
    result.results.push_back(Surface{.first = pair.first.axis,
                                     .second = pair.second.axis,
                                     .output = input.outputs[input.explained[k]],
                                     .measure = Measure::effect,
                                     .mean = accumulate_cells(grid, std::move(differences)),
                                     .count = counts});
  }
  const std::size_t cells = effects.steps[0] * effects.steps[1];
  if (effects.sums.size() == cells) return;
  const std::string name = pair.first.axis.feature + " and " + pair.second.axis.feature;
  const std::size_t empty = cells - effects.sums.size();
  const bool none = effects.sums.empty();
  result.caveats.push_back(
      {.id = none ? "no-rows" : "empty-cells",
       .severity = none ? Severity::caution : Severity::note,
       .message = none ? "no row has values of both " + name + ": their surface is flat because nothing is known"
                       : std::to_string(empty) + " of " + std::to_string(cells) + " cells of " + name +
                             " hold no row: they take the difference of the nearest cell that does",
       .evidence =
           Value::object({{"features", std::vector<std::string>{pair.first.axis.feature, pair.second.axis.feature}},
                          {"empty", empty},
                          {"cells", cells}}),
       .advice = "do not read the surface where its count is 0"});
}

Result result_of(const MethodInput& input, Centering centering, const Measured& measured) {
  const auto& [bins, effects] = measured;
  Result result;
  result.caveats = bins.caveats;
  std::vector<FeatureGrid> seen;
  const auto see = [&](const FeatureGrid& grid) {
    if (std::any_of(seen.begin(), seen.end(), [&](const auto& other) { return other.column == grid.column; })) return;
    add_row_caveats(grid, input.weighted, result.caveats);
    seen.push_back(grid);
  };
  for (std::size_t i = 0; i < bins.grids.size(); ++i) {
    bool known = true, finite = true;
    for (std::size_t k = 0; k < input.explained.size(); ++k) {
      const StepErrors errors = step_errors(effects.features[i], k);
      known = known && errors.known;
      const Curve curve = curve_of(input, centering, bins.grids[i], effects.features[i], k, errors);
      for (const double height : curve.mean) finite = finite && std::isfinite(height);
      result.results.push_back(curve);
    }
    see(bins.grids[i]);
    const std::string& name = bins.grids[i].axis.feature;
    if (!finite) {
      result.caveats.push_back(
          {.id = "overflow",
           .severity = Severity::warning,
           .message = "predictions differ by more than the largest number can say along " + feature_name(name),
           .evidence = Value::object({{"feature", name}}),
           .advice = "explain the model on another scale"});
    }
    if (known) continue;
    result.caveats.push_back(
        {.id = "one-row-bins",
         .severity = Severity::caution,
         .message = "no bin of " + feature_name(name) + " has two rows: standard errors of 0 mean unknown",
         .evidence = Value::object({{"feature", name}}),
         .advice = marked("use more rows or fewer {option:bins|bins}")});
  }
  for (std::size_t i = 0; i < bins.pairs.size(); ++i) {
    add_surfaces(input, bins.pairs[i], effects.pairs[i], result);
    see(bins.pairs[i].first);
    see(bins.pairs[i].second);
  }
  add_grid_caveats(seen, result.caveats);
  return result;
}

// Where the effects on margins of classes start: with it they can be told as probabilities.
struct MarginSums {
  WeightSums weights;
  std::vector<ExactMoments> outputs;

  static auto members() { return std::tuple(&MarginSums::weights, &MarginSums::outputs); }
};

class AveragePass : public Pass<MarginSums, std::vector<double>> {
 public:
  explicit AveragePass(const MethodInput& input) : explained_(input.explained) {}
  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return {}; }
  [[nodiscard]] bool needs_model() const override { return true; }
  [[nodiscard]] std::uint64_t cost_per_row() const override { return 1; }
  [[nodiscard]] MarginSums empty() const override {
    return {.weights = {}, .outputs = std::vector<ExactMoments>(explained_.size())};
  }

  void map(const RowBlock& block, MarginSums& sums, Evaluator& evaluator) const override {
    Matrix predictions;
    evaluator.evaluate(block, predictions);
    sums.weights.add(block);
    for (std::size_t row = 0; row < block.rows; ++row) {
      const double weight = block.weight(row);
      if (!(weight > 0)) continue;
      for (std::size_t k = 0; k < explained_.size(); ++k) sums.outputs[k].add(predictions(row, explained_[k]), weight);
    }
  }

  [[nodiscard]] std::vector<double> find(const MarginSums& sums) const override {
    std::vector<double> means;
    for (const ExactMoments& output : sums.outputs) means.push_back(output.mean(sums.weights.total().high));
    return means;
  }

 private:
  std::vector<std::size_t> explained_;
};

Chain<Result> with_average(const MethodInput& input, Result result) {
  const bool effects = std::any_of(result.results.begin(), result.results.end(),
                                   [](const ResultItem& item) { return item.is<Curve>(); });
  if (input.scale != Scale::margin || input.task == Task::regression || !effects) return result;
  return over_rows<AveragePass>(input).then([input, result](const std::vector<double>& means) {
    Result with = result;
    for (std::size_t k = 0; k < means.size(); ++k) {
      with.results.push_back(Figure{.name = "mean prediction",
                                    .id = FigureId::mean_prediction,
                                    .output = input.outputs[input.explained[k]],
                                    .value = means[k],
                                    .meaning = "the average, to which what features do is added"});
    }
    return with;
  });
}

Chain<Measured> measure(const MethodInput& input, const Bins& bins) {
  std::vector<FeatureBins> features;
  for (const FeatureGrid& grid : bins.grids) features.emplace_back(grid);
  std::vector<std::pair<FeatureBins, FeatureBins>> pairs;
  for (const auto& [first, second] : bins.pairs) pairs.emplace_back(FeatureBins(first), FeatureBins(second));
  return measure_local_effects(input, std::move(features), std::move(pairs)).then([=](LocalEffects effects) {
    return Measured{bins, std::move(effects)};
  });
}

// How unlike the local slopes within runs of fine bins are: Σ w (slope − mean of the run)², as a share of that of all
// bins, averaged over the outputs.
class SlopeSpread {
 public:
  SlopeSpread(const std::vector<double>& edges, const StepEffects& effects) {
    for (std::size_t k = 0; k < effects.outputs(); ++k) {
      std::vector<Bin>& bins = outputs_.emplace_back();
      for (std::size_t s = 0; s < effects.steps(); ++s) {
        const double width = edges[s + 1] - edges[s];
        const double weight = effects.weight(s);
        bins.push_back({weight, effects.mean(s, k) / width, effects.variance(s, k) / width / width * weight});
      }
      const Bin all = joined(bins, 0, bins.size());
      // A straight line's slopes differ by rounding only.
      const bool alike = !(all.squares > 1e-12 * all.weight * all.mean * all.mean);
      totals_.push_back(alike || !std::isfinite(all.squares) ? 0 : all.squares);
    }
  }
  [[nodiscard]] double operator()(std::size_t begin, std::size_t end) const {
    double share = 0;
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      if (totals_[k] > 0) share += joined(outputs_[k], begin, end).squares / totals_[k];
    }
    return share / static_cast<double>(outputs_.size());
  }

 private:
  struct Bin {
    double weight = 0, mean = 0, squares = 0;
  };
  static Bin joined(const std::vector<Bin>& bins, std::size_t begin, std::size_t end) {
    Bin all;
    for (std::size_t s = begin; s < end; ++s) {
      const double weight = all.weight + bins[s].weight;
      const double gap = bins[s].mean - all.mean;
      all.squares += bins[s].squares + gap * gap * all.weight * (bins[s].weight / weight);
      all.mean += gap * (bins[s].weight / weight);
      all.weight = weight;
    }
    return all;
  }
  std::vector<std::vector<Bin>> outputs_;
  std::vector<double> totals_;
};

// The grid with only those of its edges at which the slopes change.
FeatureGrid merged(const FeatureGrid& fine, const StepEffects& effects, std::int64_t bins) {
  if (effects.steps() == 0) return fine;
  const SlopeSpread spread(fine.axis.numbers, effects);
  std::vector<std::size_t> edges = best_segments(effects.steps(), static_cast<std::size_t>(bins), bin_penalty, spread);
  edges.insert(edges.begin(), 0);
  FeatureGrid grid = fine;
  grid.axis.numbers.clear();
  grid.values.clear();
  grid.count.clear();
  for (const std::size_t edge : edges) {
    grid.axis.numbers.push_back(fine.axis.numbers[edge]);
    grid.values.push_back(fine.values[edge]);
    grid.count.push_back(fine.count[edge]);
  }
  return grid;
}

// Measures fine bins and merges those whose slopes are alike.
Chain<Bins> merge_bins(const MethodInput& input, const Bins& fine, std::int64_t most) {
  std::vector<std::size_t> numeric;
  std::vector<FeatureBins> features;
  for (std::size_t i = 0; i < fine.grids.size(); ++i) {
    if (fine.grids[i].axis.is_categorical()) continue;
    numeric.push_back(i);
    features.emplace_back(fine.grids[i]);
  }
  return measure_local_effects(input, std::move(features), {}).then([=](const LocalEffects& effects) {
    Bins coarse = fine;
    for (std::size_t k = 0; k < numeric.size(); ++k)
      coarse.grids[numeric[k]] = merged(fine.grids[numeric[k]], effects.features[k], most);
    return coarse;
  });
}

// The first grids are of single features, then come those of pairs.
Bins divide(const MethodInput& input, OrderedGrids ordered, std::size_t singles) {
  Bins bins{.grids = std::move(ordered.grids), .pairs = {}, .caveats = std::move(ordered.caveats)};
  std::size_t cells = 0;
  for (std::size_t i = singles; i < bins.grids.size(); i += 2) {
    check_cells(bins.grids[i], bins.grids[i + 1], input.explained.size(), cells);
    bins.pairs.emplace_back(bins.grids[i], bins.grids[i + 1]);
  }
  bins.grids.resize(singles);
  return bins;
}

GridRequest edges_request(std::uint32_t column, std::int64_t bins) {
  return {.column = column, .size = static_cast<std::size_t>(bins), .rule = "edges"};
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<AleOptions>(given);
  const bool adaptive = options.bins_rule == "adaptive";
  std::vector<GridRequest> requests;
  // Pairs alone are meant alone.
  if (!options.features.empty() || options.pairs.empty()) {
    const std::int64_t bins = adaptive ? std::min(options.bins * fine_bins, most_fine_bins) : options.bins;
    for (const std::uint32_t column : chosen_features(input, options.features))
      requests.push_back(edges_request(column, bins));
    if (input.trees == nullptr) check_width(input, requests.size(), 2);
  }
  const std::size_t singles = requests.size();
  for (const auto& pair : options.pairs) {
    const auto [first, second] = chosen_pair(input, pair);
    requests.push_back(edges_request(first, options.pair_bins));
    requests.push_back(edges_request(second, options.pair_bins));
  }
  const Centering centering = options.centering == "right" ? Centering::right : Centering::midpoint;
  return find_grids(input, std::move(requests))
      .then([=](std::vector<FeatureGrid> grids) { return order_levels(input, std::move(grids)); })
      .then([=](OrderedGrids grids) { return divide(input, std::move(grids), singles); })
      .then([=](const Bins& bins) { return adaptive ? merge_bins(input, bins, options.bins) : Chain<Bins>(bins); })
      .then([=](const Bins& bins) { return measure(input, bins); })
      .then([=](const Measured& measured) { return with_average(input, result_of(input, centering, measured)); });
}

}  // namespace

MethodEntry ale() {
  return {.name = "ale",
          .alias = "accumulated-local-effects",
          .about = {.title = "Accumulated local effects", .short_name = "ALE", .family = Family::effects},
          .question = "How does the prediction change along a feature, among rows that could have such values?",
          .when = "the effect of a feature that is correlated with others; faster than partial dependence",
          .when_not =
              "strong interactions: neighbouring bins hold different rows, so the curve is nobody's path; look "
              "at ICE and at pairs too",
          .formula =
              "ALE(z_k) = sum over bins l up to k of the mean over their rows of f(z_l, x_C) - f(z_(l-1), x_C), "
              "minus the mean over all rows",
          .paper =
              "Apley & Zhu 2020, Visualizing the effects of predictor variables in black box supervised learning "
              "models",
          .estimand = Estimand::accumulated_local_effect,
          .results = {"curve", "surface", "figure"},
          .expresses = "main effects of single features with uncertainty; what pairs do beyond their main effects",
          .cost = "2 × rows predictions per feature and 4 to 9 × rows per pair, whatever the number of bins",
          .access = Access::stream,
          .change = RowChange::nearby,
          .options = describe_options<AleOptions>(),
          .start = start};
}

}  // namespace sightglass
