#include "sightglass/methods/effects/ale.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/methods/feature_grid.h"
#include "sightglass/methods/local_effects.h"
#include "sightglass/numeric/accumulation.h"
#include "sightglass/result/shape.h"

namespace sightglass {

namespace {

constexpr std::int64_t most_bins = 10'000;

// What all stages know.
struct Plan {
  MethodInput input;
  Centering centering = Centering::midpoint;
  std::vector<FeatureGrid> grids;
  std::vector<Caveat> caveats;
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

Curve curve_of(const Plan& plan, const FeatureGrid& grid, const StepEffects& effects, std::size_t output,
               const StepErrors& errors) {
  Curve curve{.axis = grid.axis,
              .output = plan.input.outputs[plan.input.explained[output]],
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
                                              numeric ? RowsLie::between_points : RowsLie::on_points, plan.centering);
  curve.mean = effect.effect;
  curve.se_shape = effect.se;
  if (numeric && grid.axis.size() > 1) curve.shape = shape_of(grid.axis.numbers, curve.mean);
  return curve;
}

void add_row_caveats(const FeatureGrid& grid, std::vector<Caveat>& caveats) {
  if (!grid.has_missing() || grid.axis.size() == 0) return;
  const std::string& name = grid.axis.feature;
  caveats.push_back({.id = "missing-values",
                     .severity = Severity::note,
                     .message = name + " is missing in some rows: they have no neighbours on its axis and are left out",
                     .evidence = Value::object({{"feature", name}, {"rows", grid.distribution.missing}}),
                     .advice = "partial dependence shows what the model does where the feature is missing"});
}

Result result_of(const Plan& plan, const LocalEffects& effects) {
  Result result;
  result.caveats = plan.caveats;
  for (std::size_t i = 0; i < plan.grids.size(); ++i) {
    bool known = true;
    for (std::size_t k = 0; k < plan.input.explained.size(); ++k) {
      const StepErrors errors = step_errors(effects.features[i], k);
      known = known && errors.known;
      result.results.push_back(curve_of(plan, plan.grids[i], effects.features[i], k, errors));
    }
    add_row_caveats(plan.grids[i], result.caveats);
    if (known) continue;
    const std::string& name = plan.grids[i].axis.feature;
    result.caveats.push_back({.id = "one-row-bins",
                              .severity = Severity::caution,
                              .message = "no bin of " + name + " has two rows: standard errors of 0 mean unknown",
                              .evidence = Value::object({{"feature", name}}),
                              .advice = "use more rows or fewer bins"});
  }
  add_grid_caveats(plan.grids, result.caveats);
  return result;
}

Next measure(std::shared_ptr<const Plan> plan) {
  std::vector<LocalMoves> features;
  for (const FeatureGrid& grid : plan->grids) features.emplace_back(grid);
  const MethodInput& input = plan->input;
  return measure_local_effects(input, std::move(features), {},
                               [plan](const LocalEffects& effects) -> Next { return result_of(*plan, effects); });
}

GridRequest edges_request(std::uint32_t column, std::int64_t bins, const char* option) {
  if (bins < 1 || bins > most_bins) {
    throw Error(ErrorKind::usage,
                std::string("option ") + option + ": between 1 and " + std::to_string(most_bins) + " bins, please");
  }
  return {.column = column, .size = static_cast<std::size_t>(bins), .rule = "edges"};
}

std::unique_ptr<Stage> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<AleOptions>(given);
  std::vector<GridRequest> requests;
  for (const std::uint32_t column : chosen_features(input, options.features))
    requests.push_back(edges_request(column, options.bins, "bins"));
  const Centering centering = options.centering == "right" ? Centering::right : Centering::midpoint;
  return find_grids(input, std::move(requests), [input, centering](std::vector<FeatureGrid> grids) -> Next {
    return measure(std::make_shared<Plan>(Plan{.input = input, .centering = centering, .grids = std::move(grids)}));
  });
}

}  // namespace

MethodEntry ale() {
  return {.name = "ale",
          .alias = "accumulated-local-effects",
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
          .kind = "post hoc, model-agnostic",
          .scope = "global",
          .expresses = "main effects of single features, with uncertainty",
          .cost = "2 × rows predictions per feature, whatever the number of bins",
          .access = Access::stream,
          .options = describe_options<AleOptions>(),
          .start = start};
}

}  // namespace sightglass
