#include "sightglass/methods/effects/accumulated/ale_complexity.h"

#include <algorithm>
#include <cmath>

#include "sightglass/methods/effects/accumulated/local_effects.h"
#include "sightglass/methods/effects/curves/effect_moments.h"
#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/grid/level_order.h"
#include "sightglass/numeric/accumulation.h"
#include "sightglass/numeric/segments.h"

namespace sightglass {

namespace {

constexpr std::size_t most_points = 300;
// Features × outputs whose local effects fit into memory together: each takes about 100 KB.
constexpr std::size_t most_features = 3000;
constexpr std::size_t ale_bins = 40;
constexpr double tolerated = 0.05;  // ε of Molnar et al.
// Squares of scaled numbers below this are rounding.
constexpr double least_square = 1e-28;

struct AleComplexity {
  std::vector<double> interaction_strength, main_effect_complexity;  // per explained output
  std::vector<Caveat> caveats;                                       // about the order of levels
};

// A feature's accumulated local effect, scaled.
struct Effect {
  FeatureBins axis;
  std::vector<double> points;                // numeric: edges
  std::vector<double> weights;               // per point, for the straight pieces
  std::vector<std::vector<double>> heights;  // [output][point]

  // At a row in bin or level `bin`; value: of a numeric feature.
  [[nodiscard]] double at(std::size_t output, std::uint32_t bin, double value) const {
    if (bin == FeatureBins::nowhere || axis.steps() == 0) return 0;
    const auto& height = heights[output];
    if (!axis.between()) return height[bin];
    // Halves, so that no difference overflows.
    const double width = points[bin + 1] / 2 - points[bin] / 2;
    const double share = std::clamp((value / 2 - points[bin] / 2) / width, 0.0, 1.0);
    return height[bin] + share * (height[bin + 1] - height[bin]);
  }
};

struct Work {
  MethodInput input;
  std::vector<int> exponents;
  std::vector<Caveat> caveats = {};
  std::vector<Effect> effects = {};
};

struct FitSums {
  WeightSums weights;
  std::vector<ExactMoments> prediction, left;  // per output
  std::vector<ExactMoments> effects;           // [feature × outputs + output]

  static auto members() {
    return std::tuple(&FitSums::weights, &FitSums::prediction, &FitSums::left, &FitSums::effects);
  }
};

class FitPass : public Pass<FitSums, AleComplexity> {
 public:
  explicit FitPass(std::shared_ptr<const Work> work) : work_(std::move(work)) {}
  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return work_->input.features; }
  [[nodiscard]] bool needs_model() const override { return true; }
  [[nodiscard]] std::uint64_t cost_per_row() const override { return 1; }
  [[nodiscard]] FitSums empty() const override {
    FitSums sums;
    sums.prediction.resize(outputs());
    sums.left.resize(outputs());
    sums.effects.resize(work_->effects.size() * outputs());
    return sums;
  }

  void map(const RowBlock& block, FitSums& sums, Evaluator& evaluator) const override {
    sums.weights.add(block);
    Matrix predictions;
    evaluator.evaluate(block, predictions);
    std::vector<std::vector<std::uint32_t>> bins;
    std::vector<std::vector<double>> values;
    for (const Effect& effect : work_->effects) {
      effect.axis.locate(block, bins.emplace_back(block.rows));
      read_numbers(block.columns[effect.axis.column()], values.emplace_back(block.rows));
    }
    evaluator.context().parallel_for(outputs(), [&](std::size_t k) {
      for (std::size_t row = 0; row < block.rows; ++row) {
        const double weight = block.weight(row);
        if (!(weight > 0)) continue;
        const double prediction = std::ldexp(predictions(row, work_->input.explained[k]), -work_->exponents[k]);
        double left = prediction;
        for (std::size_t j = 0; j < work_->effects.size(); ++j) {
          const double effect = work_->effects[j].at(k, bins[j][row], values[j][row]);
          sums.effects[j * outputs() + k].add(effect, weight);
          left -= effect;
        }
        sums.prediction[k].add(prediction, weight);
        sums.left[k].add(left, weight);
      }
    });
  }

  [[nodiscard]] AleComplexity find(const FitSums& sums) const override {
    const ExactSum::Pair total = sums.weights.total();
    AleComplexity result{.caveats = work_->caveats};
    for (std::size_t k = 0; k < outputs(); ++k) {
      const double variance = sums.prediction[k].variance(total);
      // Variances: effects are centred by their mean over the rows, which that over the middles of bins only is near.
      const double left = sums.left[k].variance(total);
      result.interaction_strength.push_back(left > least_square && variance > least_square ? left / variance : 0);
      double weighted = 0, weights = 0;
      for (std::size_t j = 0; j < work_->effects.size(); ++j) {
        const double square = sums.effects[j * outputs() + k].variance(total);
        if (!(square > least_square)) continue;
        const Effect& effect = work_->effects[j];
        // Cutting levels into groups costs their third power.
        if (effect.heights[k].size() > most_points) continue;
        weighted +=
            square * static_cast<double>(pieces_needed(effect.points, effect.heights[k], effect.weights, tolerated));
        weights += square;
      }
      result.main_effect_complexity.push_back(weights > 0 ? weighted / weights : 0);
    }
    return result;
  }

 private:
  [[nodiscard]] std::size_t outputs() const { return work_->input.explained.size(); }
  std::shared_ptr<const Work> work_;
};

Effect effect_of(const FeatureGrid& grid, const StepEffects& steps, const std::vector<int>& exponents) {
  Effect effect{.axis = FeatureBins(grid)};
  const bool numeric = !grid.axis.is_categorical();
  std::vector<double> bins;
  for (std::size_t s = 0; s < steps.steps(); ++s) bins.push_back(steps.weight(s));
  effect.weights = grid.count;
  if (numeric) {
    effect.points = grid.axis.numbers;
    for (std::size_t s = 0; s < effect.weights.size(); ++s) {
      effect.weights[s] = ((s > 0 ? bins[s - 1] : 0) + (s < bins.size() ? bins[s] : 0)) / 2;
    }
  }
  const std::vector<double> no_errors(bins.size(), 0.0);
  for (std::size_t k = 0; k < exponents.size(); ++k) {
    std::vector<double> means;
    for (std::size_t s = 0; s < steps.steps(); ++s) means.push_back(std::ldexp(steps.mean(s, k), -exponents[k]));
    effect.heights.push_back(accumulate(means, no_errors, numeric ? bins : grid.count,
                                        numeric ? RowsLie::between_points : RowsLie::on_points, Centering::midpoint)
                                 .effect);
  }
  return effect;
}

// Σ w (height − fit)² of points [begin, end): a line, or a constant without positions.
double misfit(std::span<const double> positions, std::span<const double> heights, std::span<const double> weights,
              std::size_t begin, std::size_t end) {
  double weight = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (!(weights[i] > 0)) continue;
    // Means and squares around them, updated point by point.
    const double before = weight;
    weight += weights[i];
    const double dx = positions.empty() ? 0 : positions[i] - x;
    const double dy = heights[i] - y;
    const double share = weights[i] / weight;
    xx += dx * dx * before * share;
    xy += dx * dy * before * share;
    yy += dy * dy * before * share;
    x += dx * share;
    y += dy * share;
  }
  return std::max(0.0, xx > 0 ? yy - xy / xx * xy : yy);
}

}  // namespace

std::size_t pieces_needed(std::span<const double> positions, std::span<const double> heights,
                          std::span<const double> weights, double epsilon) {
  const std::size_t size = heights.size();
  if (size < 2) return 0;
  std::vector<double> bins;
  if (!positions.empty()) {
    const double range = positions.back() / 2 - positions.front() / 2;
    for (const double position : positions) bins.push_back((position / 2 - positions.front() / 2) / range);
  }
  const double all = misfit({}, heights, weights, 0, size);
  if (!(all > 0)) return 0;
  const auto cost = [&](std::size_t begin, std::size_t end) { return misfit(bins, heights, weights, begin, end); };
  const auto enough = [&](std::size_t pieces) {
    double left = 0;
    std::size_t begin = 0;
    for (const std::size_t end : best_segments(size, pieces, 0, cost)) {
      left += cost(begin, end);
      begin = end;
    }
    return left <= epsilon * all;
  };
  // More pieces never fit worse, so the number can be found by halving.
  std::size_t low = 1, high = size;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (enough(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return bins.empty() ? low - 1 : low;
}

namespace {

// The two measures of each output, and a caveat where both are above their limits.
void add_complexity(const AleComplexity& complexity, const MethodInput& input, double most_interactions,
                    double most_pieces, Result& result) {
  result.caveats.insert(result.caveats.end(), complexity.caveats.begin(), complexity.caveats.end());
  for (std::size_t k = 0; k < input.explained.size(); ++k) {
    const std::string& output = input.outputs[input.explained[k]];
    const double strength = complexity.interaction_strength[k];
    const double pieces = complexity.main_effect_complexity[k];
    result.results.emplace_back(
        Figure{.name = "interaction strength",
               .id = FigureId::left_by_local_effects,
               .output = output,
               .value = strength,
               .meaning = "how much of how the predictions vary is not what single features do, each by itself (their "
                          "accumulated local effects added up); 0 for an additive model"});
    result.results.emplace_back(
        Figure{.name = "main-effect complexity",
               .id = FigureId::main_effect_complexity,
               .output = output,
               .value = pieces,
               .meaning = "how many straight pieces describe 95 % of a feature's accumulated local effect, on average, "
                          "features that move predictions more counting more; 1 for a linear model"});
    if (!(strength > most_interactions && pieces > most_pieces)) continue;
    result.caveats.push_back(
        {.id = "complex-model",
         .severity = Severity::note,
         .message = "many interactions and rough effects: no sum of simple curves describes this model well",
         .evidence = Value::object(
             {{"output", output}, {"interaction_strength", strength}, {"main_effect_complexity", pieces}}),
         .advice = "where a simpler model would do: shallower trees, fewer leaves, monotone constraints"});
  }
}

Caveat complexity_left_out(double predictions, std::int64_t budget) {
  return {.id = "complexity-left-out",
          .severity = Severity::note,
          .message =
              "interaction strength and main-effect complexity are left out: they would take more predictions "
              "than the budget, or more memory than they are worth",
          .evidence = Value::object({{"predictions", predictions}, {"budget", budget}}),
          .advice = marked("raise {option:predictions}, or set {option:sample} to use fewer rows")};
}

Chain<AleComplexity> measure_ale_complexity(const MethodInput& input, const std::vector<int>& exponents) {
  std::vector<GridRequest> requests;
  for (const std::uint32_t column : input.features)
    requests.push_back({.column = column, .size = ale_bins, .rule = "edges"});
  return find_grids(input, std::move(requests))
      .then([=](std::vector<FeatureGrid> grids) { return order_levels(input, std::move(grids)); })
      .then([=](const OrderedGrids& ordered) {
        std::vector<FeatureBins> axes;
        for (const FeatureGrid& grid : ordered.grids) axes.emplace_back(grid);
        return measure_local_effects(input, std::move(axes), {}).then([=](const LocalEffects& effects) {
          auto work = std::make_shared<Work>(Work{.input = input, .exponents = exponents, .caveats = ordered.caveats});
          for (std::size_t j = 0; j < ordered.grids.size(); ++j)
            work->effects.push_back(effect_of(ordered.grids[j], effects.features[j], exponents));
          return over_rows<FitPass>(std::move(work));
        });
      });
}

}  // namespace

Chain<Result> with_ale_complexity(const MethodInput& input, Result result, const AleComplexityOptions& options) {
  // Model rows per data row: at the most.
  const double cost = static_cast<double>(input.rows) * static_cast<double>(3 * input.features.size() + 1);
  if (input.features.size() * input.explained.size() > most_features || cost > static_cast<double>(options.budget)) {
    result.caveats.push_back(complexity_left_out(cost, options.budget));
    return result;
  }
  return measure_ale_complexity(input, options.exponents).then([=](const AleComplexity& complexity) {
    Result whole = result;
    add_complexity(complexity, input, options.most_interactions, options.most_pieces, whole);
    return whole;
  });
}

}  // namespace sightglass
