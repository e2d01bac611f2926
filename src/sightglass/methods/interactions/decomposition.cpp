#include "sightglass/methods/interactions/decomposition.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sightglass/base/error.h"
#include "sightglass/methods/caveats/caveat_text_internal.h"
#include "sightglass/methods/effects/accumulated/ale_complexity.h"
#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/interactions/dependence/pd_at_rows.h"
#include "sightglass/methods/interactions/dependence/pd_moments.h"
#include "sightglass/numeric/largest_first.h"
#include "sightglass/result/curve_shape.h"

namespace sightglass {

namespace {

// Components above order 2 are many: all subsets of 11 features are 2,047.
constexpr std::size_t most_components = 2047;
// Levels of a drawn pair's feature, at the most.
constexpr std::size_t most_levels_drawn = 24;

struct Agenda {
  MethodInput input;
  DecompositionOptions options;
  std::vector<FeatureGrid> grids;
  std::size_t order = 2;
  std::vector<PdSubset> joint;  // components of two and more features, by size
  bool lowered = false;         // pairs were asked for, but are too many

  [[nodiscard]] std::size_t features() const { return input.features.size(); }
  // All features, or all but one: what singles know already.
  [[nodiscard]] bool known(const PdSubset& subset) const { return subset.size() + 1 >= features(); }
};

// f_S at the points of each sample, scaled.
struct Component {
  std::vector<PdPoints> points;
  std::vector<std::vector<double>> values;  // [sample][point × outputs + output]
};

// Σ w (f_S − its mean)(f − its mean), and Σ w (f_S − its mean)², per sample.
struct Share {
  std::string name;
  PdSubset subset;                 // empty: the remainder
  std::vector<PdRatio> outputs;    // numerator: with f; denominator: Σ w f²
  std::vector<PdRatio> variances;  // numerator: of the component itself
};

struct State {
  std::vector<int> exponents;
  std::vector<std::vector<double>> mean;        // [sample][output]: f_0, scaled
  std::vector<std::vector<double>> prediction;  // [sample][row × outputs + output]: scaled, centred
  std::vector<std::vector<double>> remainder;   // the same, minus all components so far
  std::vector<PdRatio> variance;                // per output
  std::map<PdSubset, std::shared_ptr<const Component>> components;
  std::map<PdSubset, std::shared_ptr<const PdFunction>> whole;  // with complements, where joint functions need them
  std::vector<Share> shares;
  std::vector<std::uint64_t> used;  // per output: features that change some prediction
};
using StatePtr = std::shared_ptr<const State>;

class Computation {
 public:
  Computation(std::shared_ptr<const Agenda> agenda, std::shared_ptr<const PdRows> rows)
      : agenda_(std::move(agenda)), rows_(std::move(rows)), outputs_(agenda_->input.explained.size()) {}

  void add(State& state, const std::vector<PdFunction>& functions) const {
    for (const PdFunction& function : functions) {
      if (function.task.subset.empty()) {
        add_prediction(state, function);
      } else {
        add_component(state, function);
        for (std::size_t k = 0; k < function.matters.size(); ++k) state.used[k] += function.matters[k] ? 1 : 0;
      }
      if (function.task.complement && agenda_->features() <= agenda_->order + 1)
        state.whole[function.task.subset] = std::make_shared<const PdFunction>(function);
    }
  }

  void add_known(State& state) const {
    for (const PdSubset& subset : agenda_->joint) {
      if (!agenda_->known(subset)) continue;
      PdSubset rest;
      for (std::size_t feature = 0; feature < agenda_->features(); ++feature) {
        if (!std::binary_search(subset.begin(), subset.end(), feature)) rest.push_back(feature);
      }
      add_component(state, pd_from_complement(*rows_, subset, *state.whole.at(rest)));
    }
  }

  void add_remainder(State& state) const {
    Share share{.name = "remainder", .outputs = std::vector<PdRatio>(outputs_), .variances = share_of_all()};
    for (std::size_t sample = 0; sample < rows_->samples().size(); ++sample) {
      const PdSample& rows = rows_->samples()[sample];
      std::vector<double> left = state.remainder[sample];
      pd_centre(left, outputs_, rows.rows.weights, rows.weight);
      measure(state, sample, share, [&](std::size_t row, std::size_t k) { return left[row * outputs_ + k]; });
    }
    state.shares.push_back(std::move(share));
  }

  // The pairs that are worth a picture, the strongest first.
  [[nodiscard]] std::vector<PdSubset> drawn_pairs(const State& state) const {
    std::vector<double> strengths;
    std::vector<PdSubset> strong, pairs;
    for (const Share& share : state.shares) {
      if (share.subset.size() != 2) continue;
      if (std::any_of(share.subset.begin(), share.subset.end(), [&](std::size_t feature) {
            const Axis& axis = agenda_->grids[feature].axis;
            return axis.size() < 2 || (axis.is_categorical() && axis.size() > most_levels_drawn);
          })) {
        continue;
      }
      double most = 0;
      for (std::size_t k = 0; k < outputs_; ++k) {
        const double variance = variance_of(state, k);
        const double own = share.variances[k].means(*rows_, rows_->samples().size()).numerator;
        if (own > pd_least_square && variance > pd_least_square) most = std::max(most, own / variance);
      }
      if (!(most > 1e-10)) continue;
      strengths.push_back(most);
      strong.push_back(share.subset);
    }
    for (const std::size_t at : largest_first(strengths)) {
      if (pairs.size() < static_cast<std::size_t>(agenda_->options.surfaces)) pairs.push_back(strong[at]);
    }
    return pairs;
  }

  // The points of a drawn pair's grid at which it is not known yet.
  [[nodiscard]] PdTask surface_task(const State& state, const PdSubset& pair) const {
    PdTask task{.subset = pair};
    for (std::size_t sample = 0; sample < rows_->samples().size(); ++sample) {
      PdPoints points{.parts = std::vector<std::vector<std::uint32_t>>(2)};
      for (const std::size_t a : drawn_points(pair[0])) {
        for (const std::size_t b : drawn_points(pair[1])) {
          const auto [first, second] = parts(sample, pair, a, b);
          if (find(*state.components.at(pair), sample, first, second)) continue;
          // Values that a tree model cannot tell apart may stand several times in the grid.
          bool twice = false;
          for (std::size_t at = 0; at < points.size(); ++at)
            twice = twice || (points.parts[0][at] == first && points.parts[1][at] == second);
          if (twice) continue;
          points.parts[0].push_back(first);
          points.parts[1].push_back(second);
          points.weights.push_back(0);
        }
      }
      task.points.push_back(std::move(points));
    }
    return task;
  }

  [[nodiscard]] Result result(const State& state, const std::vector<PdSubset>& pairs,
                              const std::vector<PdFunction>& surfaces) const {
    Result result;
    std::vector<std::string> constant;
    std::vector<std::pair<double, std::string>> negative;
    for (std::size_t k = 0; k < outputs_; ++k) {
      const std::string& output = output_name(k);
      if (!(variance_of(state, k) > pd_least_square)) constant.push_back(output);
      std::vector<Importance> shares;
      for (const Share& share : state.shares) {
        if (!is_group_column(share.subset)) shares.push_back(importance(state, share, k));
      }
      std::vector<double> numbers;
      for (const Importance& share : shares) numbers.push_back(share.importance);
      numbers.back() = -INFINITY;  // the remainder stays last
      for (const std::size_t at : largest_first(numbers)) {
        if (shares[at].importance <= -0.01) negative.emplace_back(shares[at].importance, shares[at].feature);
        result.results.emplace_back(std::move(shares[at]));
      }
      result.results.emplace_back(mean_prediction(state, k));
      result.results.emplace_back(Figure{.name = "features used",
                                         .id = FigureId::features_used,
                                         .output = output,
                                         .value = static_cast<double>(state.used[k]),
                                         .meaning = "features that change the prediction of some row, of " +
                                                    std::to_string(agenda_->features()) + " that the model is given"});
    }
    for (std::size_t feature = 0; feature < agenda_->features(); ++feature) {
      if (is_group_column({feature})) continue;
      for (std::size_t k = 0; k < outputs_; ++k) result.results.emplace_back(curve(state, feature, k));
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      for (std::size_t k = 0; k < outputs_; ++k) result.results.emplace_back(surface(state, pairs[i], surfaces, k));
    }
    add_pd_row_caveats(agenda_->input, pd_row_options(agenda_->options), *rows_, result.caveats);
    add_constant_caveat(constant, result.caveats);
    add_caveats(negative, result.caveats);
    return result;
  }

 private:
  // Whether a component has the column in which all rows are alike: there is nothing to see.
  [[nodiscard]] bool is_group_column(const PdSubset& subset) const {
    return std::any_of(subset.begin(), subset.end(), [&](std::size_t feature) {
      return agenda_->input.group_column == agenda_->input.features[feature];
    });
  }
  [[nodiscard]] const std::string& output_name(std::size_t k) const {
    return agenda_->input.outputs[agenda_->input.explained[k]];
  }
  [[nodiscard]] std::vector<PdRatio> share_of_all() const { return std::vector<PdRatio>(outputs_); }
  [[nodiscard]] double variance_of(const State& state, std::size_t k) const {
    return state.variance[k].means(*rows_, rows_->samples().size()).numerator;
  }

  void add_prediction(State& state, const PdFunction& function) const {
    state.exponents = pd_exponents(function, outputs_);
    state.variance.resize(outputs_);
    state.used.resize(outputs_);
    for (std::size_t sample = 0; sample < rows_->samples().size(); ++sample) {
      const PdSample& rows = rows_->samples()[sample];
      state.mean.push_back(pd_scaled(function.values[sample], state.exponents));
      auto prediction = pd_scaled(function.complement[sample], state.exponents);
      auto& remainder = state.remainder.emplace_back(prediction);
      for (std::size_t at = 0; at < remainder.size(); ++at) remainder[at] -= state.mean.back()[at % outputs_];
      pd_centre(prediction, outputs_, rows.rows.weights, rows.weight);
      for (std::size_t k = 0; k < outputs_; ++k) {
        const double squares =
            pd_square_sum(rows.rows.weights, [&](std::size_t row) { return prediction[row * outputs_ + k]; });
        state.variance[k].numerator.push_back(squares);
        state.variance[k].denominator.push_back(squares);
      }
      state.prediction.push_back(std::move(prediction));
    }
  }

  // Sums over the rows of a component's values, which are centred.
  template <class Values>
  void measure(const State& state, std::size_t sample, Share& share, const Values& values) const {
    const auto& weights = rows_->samples()[sample].rows.weights;
    for (std::size_t k = 0; k < outputs_; ++k) {
      ExactSum with_prediction;
      for (std::size_t row = 0; row < weights.size(); ++row)
        with_prediction.add_product(weights[row], values(row, k) * state.prediction[sample][row * outputs_ + k]);
      share.outputs[k].numerator.push_back(with_prediction.value());
      share.outputs[k].denominator.push_back(state.variance[k].numerator[sample]);
      share.variances[k].numerator.push_back(pd_square_sum(weights, [&](std::size_t row) { return values(row, k); }));
      share.variances[k].denominator.push_back(state.variance[k].numerator[sample]);
    }
  }

  // PD_S minus all components of fewer of its features.
  void add_component(State& state, const PdFunction& function) const {
    const PdSubset& subset = function.task.subset;
    auto component = std::make_shared<Component>(Component{.points = function.task.points});
    Share share{.name = name_of(subset),
                .subset = subset,
                .outputs = std::vector<PdRatio>(outputs_),
                .variances = share_of_all()};
    for (std::size_t sample = 0; sample < rows_->samples().size(); ++sample) {
      const PdSample& rows = rows_->samples()[sample];
      const PdPoints& points = component->points[sample];
      std::vector<double> values = pd_scaled(function.values[sample], state.exponents);
      for (std::size_t at = 0; at < values.size(); ++at) values[at] -= state.mean[sample][at % outputs_];
      for (std::size_t mask = 1; mask + 1 < std::size_t{1} << subset.size(); ++mask) {
        PdSubset fewer;
        for (std::size_t part = 0; part < subset.size(); ++part) {
          if ((mask >> part & 1U) != 0) fewer.push_back(subset[part]);
        }
        const Component& lower = *state.components.at(fewer);
        for (std::size_t point = 0; point < points.size(); ++point) {
          const std::size_t at = lower.points[sample].of_row[points.row[point]];
          for (std::size_t k = 0; k < outputs_; ++k)
            values[point * outputs_ + k] -= lower.values[sample][at * outputs_ + k];
        }
      }
      std::vector<double> centred = values;
      pd_centre(centred, outputs_, points.weights, rows.weight);
      measure(state, sample, share,
              [&](std::size_t row, std::size_t k) { return centred[points.of_row[row] * outputs_ + k]; });
      for (std::size_t row = 0; row < rows.rows.rows(); ++row) {
        for (std::size_t k = 0; k < outputs_; ++k)
          state.remainder[sample][row * outputs_ + k] -= values[points.of_row[row] * outputs_ + k];
      }
      component->values.push_back(std::move(values));
    }
    state.components[subset] = std::move(component);
    state.shares.push_back(std::move(share));
  }

  [[nodiscard]] std::string name_of(const PdSubset& subset) const {
    std::string text;
    for (const std::size_t feature : subset)
      text += (text.empty() ? "" : ":") + agenda_->input.schema[agenda_->input.features[feature]].name;
    return text;
  }

  [[nodiscard]] Importance importance(const State& state, const Share& share, std::size_t k) const {
    const auto estimate = [&](std::size_t without) {
      const auto [numerator, denominator] = share.outputs[k].means(*rows_, without);
      const double own = share.variances[k].means(*rows_, without).numerator;
      return own > pd_least_square && denominator > pd_least_square ? numerator / denominator : 0;
    };
    const std::size_t samples = rows_->samples().size();
    const double own = share.variances[k].means(*rows_, samples).numerator;
    Importance item{.feature = share.name,
                    .output = output_name(k),
                    .measure = {.kind = MeasureKind::variance},
                    .importance = estimate(samples),
                    .se = pd_standard_error(samples, estimate)};
    for (const std::size_t feature : share.subset)
      item.features.push_back(agenda_->input.schema[agenda_->input.features[feature]].name);
    item.details.set("order", static_cast<std::int64_t>(share.subset.size()));
    item.details.set("sd", own > pd_least_square ? std::ldexp(std::sqrt(own), state.exponents[k]) : 0.0);
    return item;
  }

  [[nodiscard]] Figure mean_prediction(const State& state, std::size_t k) const {
    return {.name = "mean prediction",
            .id = FigureId::mean_prediction,
            .output = output_name(k),
            .value =
                std::ldexp(over_samples([&](std::size_t sample) { return state.mean[sample][k]; }), state.exponents[k]),
            .meaning = "the average, to which what features do is added"};
  }

  // The weighted mean of one number per sample.
  template <class Number>
  [[nodiscard]] double over_samples(const Number& number) const {
    if (rows_->samples().size() == 1) return number(0);
    double sum = 0;
    for (std::size_t sample = 0; sample < rows_->samples().size(); ++sample)
      sum += rows_->samples()[sample].weight * number(sample);
    return sum / rows_->weight();
  }

  [[nodiscard]] double main_effect(const State& state, std::size_t feature, double value, std::size_t k) const {
    const Component& component = *state.components.at({feature});
    return std::ldexp(over_samples([&](std::size_t sample) {
                        const std::size_t point = rows_->samples()[sample].point_of(feature, value);
                        return component.values[sample][point * outputs_ + k];
                      }),
                      state.exponents[k]);
  }

  [[nodiscard]] Curve curve(const State& state, std::size_t feature, std::size_t k) const {
    const FeatureGrid& grid = agenda_->grids[feature];
    Curve curve{.axis = grid.axis,
                .output = output_name(k),
                .measure = Measure::effect,
                .count = grid.count,
                .distribution = grid.distribution};
    for (const Scalar& value : grid.values) curve.mean.push_back(main_effect(state, feature, value.number, k));
    if (grid.has_missing()) {
      curve.missing = MissingPoint{.mean = main_effect(state, feature, NAN, k), .count = grid.distribution.missing};
    }
    if (!grid.axis.is_categorical() && grid.axis.size() > 1) curve.shape = shape_of(curve);
    return curve;
  }

  // Positions in the grid of a feature of a drawn pair.
  [[nodiscard]] std::vector<std::size_t> drawn_points(std::size_t feature) const {
    const std::size_t size = agenda_->grids[feature].values.size();
    const std::size_t most = agenda_->grids[feature].axis.is_categorical()
                                 ? size
                                 : std::min(size, static_cast<std::size_t>(agenda_->options.pair_grid));
    std::vector<std::size_t> points;
    for (std::size_t i = 0; i < most; ++i) points.push_back(most < 2 ? 0 : i * (size - 1) / (most - 1));
    return points;
  }

  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> parts(std::size_t sample, const PdSubset& pair, std::size_t a,
                                                              std::size_t b) const {
    const PdSample& rows = rows_->samples()[sample];
    return {rows.point_of(pair[0], agenda_->grids[pair[0]].values[a].number),
            rows.point_of(pair[1], agenda_->grids[pair[1]].values[b].number)};
  }

  // The point of a pair's component with these values, if rows have them.
  [[nodiscard]] static std::optional<std::size_t> find(const Component& component, std::size_t sample,
                                                       std::uint32_t first, std::uint32_t second) {
    const auto& parts = component.points[sample].parts;
    const auto begin = std::lower_bound(parts[0].begin(), parts[0].end(), first) - parts[0].begin();
    const auto end = std::upper_bound(parts[0].begin(), parts[0].end(), first) - parts[0].begin();
    const auto at = std::lower_bound(parts[1].begin() + begin, parts[1].begin() + end, second);
    if (at == parts[1].begin() + end || *at != second) return std::nullopt;
    return static_cast<std::size_t>(at - parts[1].begin());
  }

  [[nodiscard]] Axis drawn_axis(std::size_t feature) const {
    Axis axis = agenda_->grids[feature].axis;
    if (axis.is_categorical()) return axis;
    axis.numbers.clear();
    for (const std::size_t point : drawn_points(feature))
      axis.numbers.push_back(agenda_->grids[feature].axis.numbers[point]);
    return axis;
  }

  [[nodiscard]] Surface surface(const State& state, const PdSubset& pair, const std::vector<PdFunction>& evaluated,
                                std::size_t k) const {
    Surface surface{.first = drawn_axis(pair[0]),
                    .second = drawn_axis(pair[1]),
                    .output = output_name(k),
                    .measure = Measure::effect};
    const Component& component = *state.components.at(pair);
    const auto more = std::find_if(evaluated.begin(), evaluated.end(),
                                   [&](const PdFunction& function) { return function.task.subset == pair; });
    for (const std::size_t a : drawn_points(pair[0])) {
      auto& line = surface.mean.emplace_back();
      for (const std::size_t b : drawn_points(pair[1])) {
        line.push_back(
            std::ldexp(over_samples([&](std::size_t sample) {
                         const auto [first, second] = parts(sample, pair, a, b);
                         if (const auto at = find(component, sample, first, second))
                           return component.values[sample][*at * outputs_ + k];
                         const auto& points = more->task.points[sample].parts;
                         std::size_t at = 0;
                         while (points[0][at] != first || points[1][at] != second) ++at;
                         const double joint = std::ldexp(more->values[sample][at * outputs_ + k], -state.exponents[k]);
                         const auto single = [&](std::size_t feature, std::size_t point) {
                           return state.components.at({feature})->values[sample][point * outputs_ + k];
                         };
                         return joint - state.mean[sample][k] - single(pair[0], first) - single(pair[1], second);
                       }),
                       state.exponents[k]));
      }
    }
    return surface;
  }

  void add_caveats(const std::vector<std::pair<double, std::string>>& negative, std::vector<Caveat>& caveats) const {
    if (!negative.empty()) {
      const auto& [share, name] = *std::min_element(negative.begin(), negative.end());
      caveats.push_back(
          {.id = "negative-share",
           .severity = Severity::note,
           .message = name + " has a negative share (" + percent_text(share) + ")" +
                      (negative.size() == 1 ? "" : ", the lowest of " + std::to_string(negative.size())) +
                      ": it takes back part of what features do that go together with it. Shares still add up to 100 %",
           .evidence = Value::object({{"components", negative.size()}, {"lowest", name}, {"share", share}}),
           .advice = "no error: without it predictions would vary more. How much it moves them by itself is its sd"});
    }
    if (agenda_->lowered) {
      caveats.push_back({.id = "order-lowered",
                         .severity = Severity::caution,
                         .message = "main effects only: the pairs of " + std::to_string(agenda_->features()) +
                                    " features are too many for the budget; they are part of the remainder",
                         .evidence = Value::object({{"features", agenda_->features()}, {"order", agenda_->order}}),
                         .advice = marked("raise {option:predictions}, or look at pairs with {method:interactions}")});
    }
  }

  std::shared_ptr<const Agenda> agenda_;
  std::shared_ptr<const PdRows> rows_;
  std::size_t outputs_;
};

using AgendaPtr = std::shared_ptr<const Agenda>;
using RowsPtr = std::shared_ptr<const PdRows>;

Chain<StatePtr> add_main_effects(const Agenda& agenda, const RowsPtr& rows, const Computation& computation) {
  auto subsets = std::make_shared<std::vector<PdSubset>>(1);
  for (std::size_t feature = 0; feature < agenda.features(); ++feature) subsets->push_back({feature});
  return pd_in_rounds<State>(
      agenda.input, rows, subsets, true, std::make_shared<const State>(),
      [computation](State& folded, const auto& functions) { computation.add(folded, functions); });
}

// What features do together, and what is left when all is added up.
Chain<StatePtr> add_joint_components(const Agenda& agenda, const RowsPtr& rows, const Computation& computation,
                                     const StatePtr& state) {
  auto asked = std::make_shared<std::vector<PdSubset>>();
  for (const PdSubset& subset : agenda.joint) {
    if (!agenda.known(subset)) asked->push_back(subset);
  }
  return pd_in_rounds<State>(
             agenda.input, rows, asked, false, state,
             [computation](State& folded, const auto& functions) { computation.add(folded, functions); })
      .then([=](const StatePtr& last) -> StatePtr {
        auto whole = std::make_shared<State>(*last);
        computation.add_known(*whole);
        computation.add_remainder(*whole);
        return whole;
      });
}

// The result, but for what is measured on accumulated local effects.
Chain<Result> draw_surfaces(const Agenda& agenda, const RowsPtr& rows, const Computation& computation,
                            const StatePtr& state) {
  const std::vector<PdSubset> pairs = computation.drawn_pairs(*state);
  std::vector<PdTask> tasks;
  for (const PdSubset& pair : pairs) {
    PdTask task = computation.surface_task(*state, pair);
    if (std::any_of(task.points.begin(), task.points.end(), [](const PdPoints& points) { return points.size() > 0; }))
      tasks.push_back(std::move(task));
  }
  if (tasks.empty()) return computation.result(*state, pairs, {});
  return pd_at_rows(agenda.input, rows, std::move(tasks)).then([=](const std::vector<PdFunction>& functions) {
    return computation.result(*state, pairs, functions);
  });
}

Chain<Result> decompose(const AgendaPtr& agenda, const RowsPtr& rows) {
  const Computation computation(agenda, rows);
  return add_main_effects(*agenda, rows, computation)
      .then([=](const StatePtr& state) { return add_joint_components(*agenda, rows, computation, state); })
      .then([=](const StatePtr& state) {
        return draw_surfaces(*agenda, rows, computation, state).then([=](Result result) {
          return with_ale_complexity(agenda->input, std::move(result),
                                     {.exponents = state->exponents,
                                      .budget = agenda->options.predictions,
                                      .most_interactions = agenda->options.complex_interactions,
                                      .most_pieces = agenda->options.complex_effects});
        });
      });
}

// What is to be computed, once it is known how many features there are.
std::shared_ptr<Agenda> make_agenda(const MethodInput& input, const DecompositionOptions& options) {
  auto agenda = std::make_shared<Agenda>(Agenda{.input = input, .options = options});
  const std::size_t features = agenda->features();
  agenda->order = std::min(static_cast<std::size_t>(options.order), features);
  if (agenda->order == 2) {
    const double cost = static_cast<double>(features) * static_cast<double>(features - 1) / 2 *
                        static_cast<double>(pd_subset_cost(input, pd_row_options(options), pd_fewest_rows));
    agenda->lowered = features > 3 && cost > static_cast<double>(options.predictions);
    if (agenda->lowered) agenda->order = 1;
  }
  double count = 0, term = 1;
  for (std::size_t size = 1; size <= agenda->order; ++size) {
    term *= static_cast<double>(features - size + 1) / static_cast<double>(size);
    count += term;
  }
  if (agenda->order > 2 && count > static_cast<double>(most_components)) {
    throw Error(ErrorKind::usage,
                option_text("order") + ": " + std::to_string(features) + " features have too many components",
                marked("use {option:order} 2: what more features do together is in the remainder"));
  }
  const double cost = count * static_cast<double>(pd_subset_cost(input, pd_row_options(options), pd_least_rows));
  if (agenda->order > 2 && cost > static_cast<double>(options.predictions)) {
    throw Error(ErrorKind::usage,
                option_text("order") + ": the " + std::to_string(static_cast<std::uint64_t>(count)) +
                    " components take more predictions than the budget, even of few rows",
                marked("use {option:order} 2, or raise {option:predictions} to ") +
                    std::to_string(static_cast<std::uint64_t>(cost)));
  }
  for (std::size_t size = 2; size <= agenda->order; ++size) add_subsets(features, size, agenda->joint);
  return agenda;
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<DecompositionOptions>(given);
  for (const auto& [name, limit] : {std::pair("complex_interactions", options.complex_interactions),
                                    {"complex_effects", options.complex_effects}}) {
    if (!std::isfinite(limit)) throw Error(ErrorKind::usage, option_text(name) + ": a number from 0 on, please");
  }
  const auto agenda = make_agenda(input, options);
  std::vector<GridRequest> requests;
  for (const std::uint32_t column : input.features)
    requests.push_back({.column = column, .size = static_cast<std::size_t>(options.grid)});
  return find_grids(input, std::move(requests)).then([=](std::vector<FeatureGrid> grids) {
    auto ready = std::make_shared<Agenda>(*agenda);
    PdRequest request{.features = input.features};
    for (std::size_t feature = 0; feature < grids.size(); ++feature) {
      request.subsets.push_back({feature});
      auto& values = request.extra.emplace_back();
      for (const Scalar& value : grids[feature].values) values.push_back(value.number);
      if (grids[feature].has_missing()) values.push_back(NAN);
    }
    for (const PdSubset& subset : agenda->joint) {
      if (!agenda->known(subset)) request.subsets.push_back(subset);
    }
    ready->grids = std::move(grids);
    return draw_pd_rows(input, pd_row_options(options), request).then([ready](const RowsPtr& rows) {
      return decompose(ready, rows);
    });
  });
}

}  // namespace

MethodEntry decomposition() {
  return {.name = "decomposition",
          .alias = "",
          .about = {.title = "Decomposition", .short_name = "", .family = Family::interactions},
          .question = "How much of the prediction do features explain one by one, in pairs, and how much is left?",
          .when = "to see whether a model is a sum of simple parts, and which parts",
          .when_not = "strongly correlated features: components overlap, and shares can be negative",
          .formula = "f_S = Σ_{T ⊆ S} (−1)^(|S|−|T|) PD_T; share of S = Cov(f_S, f) / Var f",
          .paper =
              "Hooker 2004, Discovering additive structure in black box functions; Molnar, Casalicchio, Bischl "
              "2020, Quantifying model complexity via functional decomposition",
          .estimand = Estimand::component,
          .results = {"importance", "curve", "surface", "figure"},
          .expresses = "main effects and pair effects that add up to the prediction, each with its share of variance",
          .cost = "rows × different values of each feature and pair; no more than the option predictions",
          .access = Access::columns,
          .prefers_margin = true,
          .options = describe_options<DecompositionOptions>(),
          .start = start};
}

}  // namespace sightglass
