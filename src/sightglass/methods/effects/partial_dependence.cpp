#include "sightglass/methods/effects/partial_dependence.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/methods/effects/curves/leaf_counts.h"
#include "sightglass/methods/effects/curves/mean_effects.h"
#include "sightglass/result/curve_shape.h"

namespace sightglass {

namespace {

struct Pair {
  FeatureGrid first, second;
  [[nodiscard]] std::size_t cells() const { return first.values.size() * second.values.size(); }
};

// The sums behind one surface, and how many rows lie nearest to each of its cells.
struct PairSums {
  std::vector<ExactSum> sums;    // [cell][output]
  std::vector<ExactSum> counts;  // [cell]

  static auto members() { return std::tuple(&PairSums::sums, &PairSums::counts); }
};

struct EffectSums {
  MeanEffects curves;
  std::vector<PairSums> surfaces;

  static auto members() { return std::tuple(&EffectSums::curves, &EffectSums::surfaces); }
};

// Surfaces have no place for missing values: says how many rows that leaves out of their cells.
void add_pair_caveats(const std::vector<Pair>& pairs, std::vector<Caveat>& caveats) {
  for (const Pair& pair : pairs) {
    for (const FeatureGrid* grid : {&pair.first, &pair.second}) {
      if (!grid->has_missing()) continue;
      const std::string& name = grid->axis.feature;
      caveats.push_back(
          {.id = "missing-not-drawn",
           .severity = Severity::note,
           .message = "rows without a value of " + feature_name(name) + " are not drawn in the pair " +
                      feature_name(pair.first.axis.feature) + ":" + feature_name(pair.second.axis.feature) +
                      ": they count in its means, but in no cell, and there is no cell for "
                      "missing values",
           .evidence =
               Value::object({{"pair", std::vector<std::string>{pair.first.axis.feature, pair.second.axis.feature}},
                              {"feature", name},
                              {"rows", grid->distribution.missing}}),
           .advice = "the curve of " + feature_name(name) + " alone shows the effect of a missing value"});
    }
  }
}

void leave_means(Curve& curve) {
  for (auto* numbers : {&curve.sd, &curve.se_level, &curve.se_shape}) numbers->clear();
  curve.heterogeneity.reset();
  if (curve.shape) curve.shape = shape_of(curve);
}

// What was read off the leaves of a tree ensemble.
struct KnownMeans {
  std::vector<std::vector<double>> curves;    // [grid][value × outputs + output], a missing value last
  std::vector<std::vector<double>> surfaces;  // [pair][cell × outputs + output]
};

class EffectPass : public Pass<EffectSums, Result> {
 public:
  // known: means that need no predictions; the others are empty.
  EffectPass(const MethodInput& input, bool spread, std::vector<FeatureGrid> grids, std::vector<Pair> pairs,
             KnownMeans known)
      : outputs_(input.outputs),
        explained_(input.explained),
        spread_(spread),
        grids_(std::move(grids)),
        pairs_(std::move(pairs)),
        known_(std::move(known)) {
    if (known_.curves.empty()) asked_ = grids_;
  }

  [[nodiscard]] std::vector<std::uint32_t> columns() const override {
    std::vector<std::uint32_t> columns;
    for (const auto& pair : pairs_) columns.insert(columns.end(), {pair.first.column, pair.second.column});
    return columns;
  }
  [[nodiscard]] bool needs_model() const override {
    return !asked_.empty() || (!pairs_.empty() && known_.surfaces.empty());
  }
  [[nodiscard]] std::uint64_t cost_per_row() const override {
    std::uint64_t cost = MeanEffects::cost_per_row(asked_);
    for (const auto& pair : pairs_) cost += known_.surfaces.empty() ? pair.cells() : 0;
    return cost;
  }

  [[nodiscard]] EffectSums empty() const override {
    EffectSums empty{.curves = MeanEffects(asked_, explained_), .surfaces = {}};
    for (const auto& pair : pairs_) {
      const std::size_t sums = known_.surfaces.empty() ? pair.cells() * explained_.size() : 0;
      empty.surfaces.push_back({std::vector<ExactSum>(sums), std::vector<ExactSum>(pair.cells())});
    }
    return empty;
  }

  void map(const RowBlock& block, EffectSums& sums, Evaluator& evaluator) const override {
    sums.curves.add(asked_, block, evaluator);
    for (std::size_t i = 0; i < pairs_.size(); ++i) add_surface(block, pairs_[i], sums.surfaces[i], evaluator);
  }

  [[nodiscard]] Result find(const EffectSums& sums) const override {
    const WeightSums& weights = sums.curves.weights();
    Result result;
    for (std::size_t i = 0; i < grids_.size(); ++i) {
      for (std::size_t k = 0; k < explained_.size(); ++k) {
        const std::string& output = outputs_[explained_[k]];
        result.results.push_back(known_.curves.empty()
                                     ? sums.curves.curve(grids_, i, k, output)
                                     : mean_curve(grids_[i], known_.curves[i], k, explained_.size(), output));
        if (!spread_) leave_means(result.results.back().get<Curve>());
      }
    }
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      for (std::size_t k = 0; k < explained_.size(); ++k)
        result.results.push_back(surface(i, sums.surfaces[i], k, weights.total().high));
    }
    add_grid_caveats(grids_, result.caveats);
    add_pair_caveats(pairs_, result.caveats);
    if (weights.effective_rows() < 2) {
      result.caveats.push_back(
          {.id = "one-row",
           .severity = Severity::caution,
           .message = "there is only one row (or one with weight): standard errors of 0 mean unknown",
           .evidence = Value::object({{"effective_rows", weights.effective_rows()}}),
           .advice = "use more rows"});
    }
    return result;
  }

 private:
  void add_surface(const RowBlock& block, const Pair& pair, PairSums& sums, Evaluator& evaluator) const {
    const std::size_t width = pair.second.values.size();
    if (known_.surfaces.empty()) {
      for_each_slice(block, rows_per_request(std::min(pair.cells(), variants_at_once)),
                     [&](const RowBlock& part) { add_cells(part, pair, sums, evaluator); });
    }
    for (std::size_t row = 0; row < block.rows; ++row) {
      const auto first = nearest_point(pair.first, block.columns[pair.first.column].number(row));
      const auto second = nearest_point(pair.second, block.columns[pair.second.column].number(row));
      if (first && second) sums.counts[*first * width + *second].add(block.weight(row));
    }
  }

  void add_cells(const RowBlock& block, const Pair& pair, PairSums& sums, Evaluator& evaluator) const {
    const std::size_t width = pair.second.values.size(), outputs = explained_.size();
    std::vector<double> weights(block.rows, 1.0);
    if (block.weights.size > 0) read_numbers(block.weights, weights);
    Matrix predictions;
    for (std::size_t begin = 0; begin < pair.cells(); begin += variants_at_once) {
      const std::size_t count = std::min(variants_at_once, pair.cells() - begin);
      std::vector<Variant> variants;
      for (std::size_t cell = begin; cell < begin + count; ++cell) {
        variants.push_back({{pair.first.column, pair.first.values[cell / width]},
                            {pair.second.column, pair.second.values[cell % width]}});
      }
      evaluator.evaluate(block, variants, predictions);
      evaluator.context().parallel_for(count, [&](std::size_t v) {
        for (std::size_t k = 0; k < outputs; ++k) {
          ExactSum& sum = sums.sums[(begin + v) * outputs + k];
          for (std::size_t row = 0; row < block.rows; ++row)
            sum.add_product(weights[row], predictions(v * block.rows + row, explained_[k]));
        }
      });
    }
  }

  [[nodiscard]] Surface surface(std::size_t number, const PairSums& sums, std::size_t output, double total) const {
    const Pair& pair = pairs_[number];
    Surface surface{.first = pair.first.axis, .second = pair.second.axis, .output = outputs_[explained_[output]]};
    const std::size_t width = pair.second.values.size();
    for (std::size_t a = 0; a < pair.first.values.size(); ++a) {
      surface.mean.emplace_back();
      surface.count.emplace_back();
      for (std::size_t b = 0; b < width; ++b) {
        const std::size_t cell = (a * width + b) * explained_.size() + output;
        surface.mean.back().push_back(known_.surfaces.empty() ? sums.sums[cell].value() / total
                                                              : known_.surfaces[number][cell]);
        surface.count.back().push_back(sums.counts[a * width + b].value());
      }
    }
    return surface;
  }

  std::vector<std::string> outputs_;
  std::vector<std::size_t> explained_;
  bool spread_;
  std::vector<FeatureGrid> grids_;
  std::vector<Pair> pairs_;
  KnownMeans known_;
  std::vector<FeatureGrid> asked_;  // of the curves that need predictions
};

// What the curves and surfaces are drawn over.
struct Grids {
  std::vector<FeatureGrid> singles;
  std::vector<Pair> pairs;
};

Grids divide(const MethodInput& input, std::vector<FeatureGrid> found, std::size_t singles) {
  Grids grids;
  std::size_t cells = 0;
  for (std::size_t i = singles; i < found.size(); i += 2) {
    check_cells(found[i], found[i + 1], input.explained.size(), cells);
    grids.pairs.push_back({found[i], found[i + 1]});
  }
  found.resize(singles);
  grids.singles = std::move(found);
  return grids;
}

// Means alone are read off the leaves of a tree ensemble. A single pass over the rows is left: what lies in cells.
Chain<KnownMeans> known_means(const MethodInput& input, bool spread, const Grids& grids) {
  const bool curves = !spread && !grids.singles.empty();
  const int order = grids.pairs.empty() ? 1 : 2;
  if ((!curves && grids.pairs.empty()) || !LeafCounts::possible(input, order)) return KnownMeans{};
  return count_leaves(input, order).then([=](const LeafCountsPtr& counts) {
    KnownMeans known;
    if (curves) {
      std::vector<LeafCounts::Axis> axes;
      for (const FeatureGrid& grid : grids.singles) axes.push_back(axis_of(grid, true));
      known.curves = counts->singles(axes, input.explained);
    }
    std::vector<LeafCounts::Pair> axes;
    for (const Pair& pair : grids.pairs) axes.emplace_back(axis_of(pair.first, false), axis_of(pair.second, false));
    known.surfaces = counts->pairs(axes, input.explained);
    return known;
  });
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<PartialDependenceOptions>(given);
  std::vector<GridRequest> requests;
  // Pairs alone are meant alone.
  std::vector<std::uint32_t> features;
  if (!options.features.empty() || options.pairs.empty()) features = chosen_features(input, options.features);
  check_width(input, features.size(), options.grid);
  for (const std::uint32_t column : features)
    requests.push_back(grid_request(input, options.grid_rule, options.values, column, options.grid));
  for (const auto& pair : options.pairs) {
    const auto [first, second] = chosen_pair(input, pair);
    requests.push_back(grid_request(input, options.grid_rule, options.values, first, options.pair_grid));
    requests.push_back(grid_request(input, options.grid_rule, options.values, second, options.pair_grid));
  }
  return find_grids(input, std::move(requests))
      .then([=, singles = features.size(), spread = options.spread](std::vector<FeatureGrid> found) {
        const Grids grids = divide(input, std::move(found), singles);
        return known_means(input, spread, grids).then([=](KnownMeans known) {
          return over_rows<EffectPass>(input, spread, grids.singles, grids.pairs, std::move(known));
        });
      });
}

}  // namespace

MethodEntry partial_dependence() {
  return {
      .name = "partial-dependence",
      .alias = "pdp",
      .about = {.title = "Partial dependence", .short_name = "PDP", .family = Family::effects},
      .question = "How does the prediction change on average when one or two features are set to a value?",
      .when = "a first look at the average effect of a feature that is not strongly tied to others",
      .when_not = "features that are strongly correlated: rows are evaluated at values they could not have; use ALE",
      .formula = "PD_S(v) = mean over rows i of f(v, x_C^(i))",
      .paper = "Friedman 2001, Greedy function approximation: a gradient boosting machine",
      .estimand = Estimand::partial_dependence,
      .results = {"curve", "surface"},
      .expresses = "main effects of single features and joint effects of pairs, with uncertainty",
      .cost = "grid × rows predictions per feature, pair_grid² × rows per pair",
      .access = Access::stream,
      .options = describe_options<PartialDependenceOptions>(),
      .start = start};
}

}  // namespace sightglass
