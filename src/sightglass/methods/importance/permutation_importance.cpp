#include "sightglass/methods/importance/permutation_importance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/data/column_like.h"
#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/grid/feature_groups.h"
#include "sightglass/methods/importance/switching/shuffles.h"
#include "sightglass/methods/importance/switching/switched_losses.h"
#include "sightglass/methods/losses/mean_losses.h"
#include "sightglass/methods/losses/scored_rows.h"
#include "sightglass/numeric/order_statistics.h"

namespace sightglass {

namespace {

// Numbers that are kept for rows at once, in each of two places: the features at work, and the losses of the
// shuffles at work.
constexpr std::size_t numbers_at_once = std::size_t{1} << 23;

// Model rows (rows × tasks) that are prepared and predicted at a time.
constexpr std::size_t model_rows_at_once = std::size_t{1} << 17;

// What does not change from pass to pass.
struct Setup {
  MethodInput input;
  PermutationImportanceOptions options;
  std::vector<FeatureGroup> units;
  std::shared_ptr<const ScoredRows> scored;
  Shuffles shuffles;

  [[nodiscard]] std::uint64_t repeats() const { return static_cast<std::uint64_t>(options.repeats); }
  [[nodiscard]] std::size_t levels() const { return 1 + options.noise.size(); }
};

// One way to spoil one unit's values.
struct Task {
  std::size_t unit = 0;  // of all
  std::uint64_t repeat = 0;
  std::size_t level = 0;  // 0 = shuffled; from 1 on the sizes of noise
};

struct ColumnValues {
  std::vector<double> values;  // by position
  double sd = 0;               // of finite values
};
using ColumnsAtWork = std::map<std::uint32_t, ColumnValues>;

// What is known of one unit so far.
struct UnitSums {
  std::vector<std::vector<std::vector<double>>> values;  // [level][loss][repeat]
  std::vector<std::vector<double>> recipients;           // [loss][position]: sums of terms over repeats
  std::vector<std::vector<double>> donors;               // the same: by how much terms rose with its values, × weight
};

struct State {
  std::size_t first = 0, count = 0;  // units at work
  std::size_t done = 0;              // of their tasks
  std::shared_ptr<const ColumnsAtWork> columns;
  std::vector<UnitSums> sums;                        // of the units at work
  std::vector<double> donated;                       // by position: weight of the rows that had it as donor
  std::vector<std::vector<Importance>> importances;  // [loss][unit]; those without a value are missing
  std::vector<ResultItem> curves;
  std::vector<Caveat> caveats;
};

double mean_of(const std::vector<double>& values) {
  ExactSum sum;
  sum.add_all(values);
  return sum.value() / static_cast<double>(values.size());
}

// Divides by their number, as scikit-learn's importances_std.
double sd_of(const std::vector<double>& values) {
  ExactMoments moments;
  moments.add_all(values);
  return std::sqrt(moments.variance(static_cast<double>(values.size())));
}

double quantile_of(std::vector<double> values, std::uint64_t per_mille) {
  std::sort(values.begin(), values.end());
  return values[quantile_rank(values.size(), per_mille, 1000)];
}

double sd_of_column(const ScoredRows& scored, const std::vector<double>& values) {
  double scale = 0;
  for (const double value : values) {
    if (std::isfinite(value)) scale = std::max(scale, std::abs(value));
  }
  if (scale == 0) return 0;
  ExactMoments moments;
  ExactSum total;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (!std::isfinite(values[row])) continue;
    moments.add(values[row] / scale, scored.weights[row]);
    total.add(scored.weights[row]);
  }
  return scale * std::sqrt(moments.variance(total.pair()));
}

std::optional<double> standard_error(const Setup& setup, const UnitSums& sums, const std::vector<double>& donated,
                                     std::size_t l) {
  const ScoredRows& scored = *setup.scored;
  const Loss& loss = scored.losses[l];
  if (!averages_terms(loss)) return std::nullopt;
  const auto repeats = static_cast<double>(setup.repeats());
  const std::vector<double>& before = scored.terms[l];
  const std::vector<double>& after = sums.recipients[l];  // × repeats
  const double m0 = scored.mean(before), m1 = scored.mean(after) / repeats;
  const RowParts part(loss, setup.options.kind == "ratio", m0, m1, TruthMoments(loss, scored.truths, scored.weights));
  if (!part.known()) return std::nullopt;
  std::vector<double> parts(scored.rows());
  for (std::size_t row = 0; row < scored.rows(); ++row) {
    // With weights a row may never have been a donor: then it counts as one like all others.
    const double donor = donated[row] > 0 ? m0 + sums.donors[l][row] / donated[row] : m1;
    parts[row] = part(after[row] / repeats, donor, before[row], scored.truths[row]);
  }
  const double se = scored.standard_error(parts);
  return std::isfinite(se) ? std::optional(se) : std::nullopt;
}

ImportanceMeasure measure_of(const Loss& loss, bool ratio) {
  return {.kind = MeasureKind::permutation,
          .loss = loss.info().kind,
          .change = ratio               ? LossChange::ratio
                    : loss.info().score ? LossChange::decrease
                                        : LossChange::increase};
}

void no_value(const Loss& loss, const FeatureGroup& unit, bool ratio, double before, std::vector<Caveat>& caveats) {
  const std::string label = loss.info().label;
  // Said once for all losses as they are.
  if (!std::isfinite(before)) return;
  caveats.push_back(
      {.id = ratio ? "zero-loss" : "overflow",
       .severity = Severity::caution,
       .message = unit.name + (ratio ? ": " + label + " is 0, so that a ratio to it has no value"
                                     : ": " + label + " after shuffling is beyond the largest number"),
       .evidence = Value::object({{"feature", unit.name}, {"loss", loss.info().name}, {"baseline", before}}),
       .advice = ratio ? marked("use {option:kind} difference") : Text("use absolute, or scale the target")});
}

Result make_result(const ScoredRows& scored, std::vector<std::vector<Importance>> importances,
                   const std::vector<ResultItem>& curves, const std::vector<Caveat>& caveats) {
  Result result;
  for (auto& entries : importances) {
    add_ranks(entries);
    result.results.insert(result.results.end(), entries.begin(), entries.end());
  }
  result.results.insert(result.results.end(), curves.begin(), curves.end());
  scored.add_figures(result);
  result.caveats = scored.caveats;
  result.caveats.insert(result.caveats.end(), caveats.begin(), caveats.end());
  return result;
}

void add_curve(const Setup& setup, const FeatureGroup& unit, std::size_t l, const UnitSums& sums, State& state) {
  const ScoredRows& scored = *setup.scored;
  Curve curve{.output = scored.outcome.output_name(),
              .series = scored.losses[l].info().label,
              .measure = Measure::loss,
              .loss = scored.losses[l].info().kind};
  curve.axis.feature = unit.name;
  curve.axis.unit = std::all_of(unit.columns.begin(), unit.columns.end(),
                                [&](std::uint32_t column) { return setup.input.schema[column].has_levels(); })
                        ? "share of rows replaced"
                        : "noise, sd of the feature";
  curve.axis.numbers = {0};
  curve.mean = {scored.values[l]};
  curve.sd = {0};
  for (std::size_t k = 1; k < setup.levels(); ++k) {
    curve.axis.numbers.push_back(setup.options.noise[k - 1]);
    curve.mean.push_back(mean_of(sums.values[k][l]));
    curve.sd.push_back(sd_of(sums.values[k][l]));
  }
  for (const double sd : curve.sd) {
    curve.se_level.push_back(sd / std::sqrt(static_cast<double>(setup.options.repeats)));
    curve.count.push_back(scored.total_weight());
  }
  curve.se_shape = curve.se_level;
  state.curves.emplace_back(std::move(curve));
}

void finish_unit(const Setup& setup, std::size_t u, State& state) {
  const ScoredRows& scored = *setup.scored;
  const FeatureGroup& unit = setup.units[state.first + u];
  const UnitSums& sums = state.sums[u];
  const bool ratio = setup.options.kind == "ratio";
  for (std::size_t l = 0; l < scored.losses.size(); ++l) {
    const Loss& loss = scored.losses[l];
    const double before = scored.values[l];
    const std::vector<double>& after = sums.values[0][l];
    std::vector<double> repeats, differences, ratios;
    for (const double value : after) {
      differences.push_back(loss.worsening(before, value));
      ratios.push_back(loss.info().score ? before / value : value / before);
    }
    repeats = ratio ? ratios : differences;
    const auto finite = [](const std::vector<double>& values) {
      return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
    };
    if (!finite(repeats)) {
      no_value(loss, unit, ratio, before, state.caveats);
    } else {
      Importance entry{.feature = unit.name,
                       .features = unit.features,
                       .output = scored.outcome.output_name(),
                       .measure = measure_of(loss, ratio),
                       .importance = mean_of(repeats),
                       .se = standard_error(setup, sums, state.donated, l),
                       .sd = sd_of(repeats),
                       .low = quantile_of(repeats, 25),
                       .high = quantile_of(repeats, 975)};
      entry.details.set("loss", loss.info().name)
          .set("estimator", "shuffled")
          .set("baseline", before)
          .set("after", mean_of(after))
          .set("difference", mean_of(differences))
          .set("ratio", finite(ratios) ? Value(mean_of(ratios)) : Value())
          .set("interval", "2.5 % to 97.5 % of the repeats: shuffling only")
          .set("repeats", repeats);
      state.importances[l].push_back(std::move(entry));
    }
    if (setup.levels() > 1) add_curve(setup, unit, l, sums, state);
  }
}

// Some of the tasks of the units at work: as many as there is memory for their losses.
class ShufflePass : public Pass<RowTerms, State> {
 public:
  ShufflePass(std::shared_ptr<const Setup> setup, State state)
      : setup_(std::move(setup)), state_(std::move(state)), width_(setup_->scored->width()) {
    const std::size_t at_once = numbers_at_once / std::max<std::size_t>(1, setup_->scored->rows() * width_);
    const std::size_t all = state_.count * setup_->repeats() * setup_->levels();
    const std::size_t end = std::min(all, state_.done + std::max<std::size_t>(1, at_once));
    for (std::size_t k = state_.done; k < end; ++k) {
      const std::size_t levels = setup_->levels();
      tasks_.push_back({state_.first + k / levels % state_.count, k / levels / state_.count, k % levels});
      const std::uint64_t repeat = tasks_.back().repeat;
      if (!donors_.contains(repeat)) donors_[repeat] = setup_->shuffles.donors(repeat);
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return {}; }
  [[nodiscard]] bool needs_model() const override { return true; }
  [[nodiscard]] std::uint64_t cost_per_row() const override { return tasks_.size(); }
  [[nodiscard]] RowTerms empty() const override { return RowTerms(tasks_.size() * width_); }

  void map(const RowBlock& block, RowTerms& terms, Evaluator& evaluator) const override {
    const ScoredRows& scored = *setup_->scored;
    const auto positions = scored.positions(block);
    std::vector<std::size_t> used;
    for (std::size_t row = 0; row < block.rows; ++row) {
      if (positions[row] < scored.rows()) used.push_back(row);
    }
    if (used.empty()) return;
    double* room = terms.add(positions, scored.rows());
    // A few tasks at a time: what they need then stays in the cache and is the same memory every time.
    const std::size_t at_once = std::max<std::size_t>(1, model_rows_at_once / block.rows);
    Matrix predictions;
    std::vector<Variant> variants;
    std::vector<std::vector<Column>> columns;
    for (std::size_t begin = 0; begin < tasks_.size(); begin += at_once) {
      const std::size_t count = std::min(at_once, tasks_.size() - begin);
      variants.assign(count, {});
      columns.assign(count, {});
      evaluator.context().parallel_for(count, [&](std::size_t t) {
        for (const std::uint32_t column : setup_->units[tasks_[begin + t].unit].columns) {
          columns[t].push_back(
              column_like(block.columns[column], spoiled(tasks_[begin + t], column, block, positions)));
          variants[t].push_back({column, columns[t].back().view});
        }
      });
      evaluator.evaluate(block, variants, predictions);
      evaluator.context().parallel_for(count, [&](std::size_t t) {
        for (std::size_t k = 0; k < used.size(); ++k) {
          scored.add_terms(predictions.span().row(t * block.rows + used[k]), scored.truths[positions[used[k]]],
                           room + (begin + t) * width_ * used.size() + k, used.size());
        }
      });
    }
  }

  [[nodiscard]] State find(const RowTerms& terms_of) const override {
    const ScoredRows& scored = *setup_->scored;
    State state = state_;
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      const Task& task = tasks_[t];
      UnitSums& sums = state.sums[task.unit - state.first];
      const auto& donors = donors_.at(task.repeat);
      if (task.level == 0 && task.unit == state.first) {
        for (std::size_t row = 0; row < scored.rows(); ++row) state.donated[donors[row]] += scored.weights[row];
      }
      std::size_t first = t * width_;
      for (std::size_t l = 0; l < scored.losses.size(); ++l) {
        const Loss& loss = scored.losses[l];
        const std::vector<double> terms = terms_of.numbers(scored.rows(), first, loss.width());
        first += loss.width();
        LossSum sum(loss);
        sum.add_all(terms, scored.truths, scored.sum_weights());
        sums.values[task.level][l].push_back(sum.value());
        if (task.level > 0 || !averages_terms(loss)) continue;
        for (std::size_t row = 0; row < scored.rows(); ++row) {
          sums.recipients[l][row] += terms[row];
          // Not the terms themselves: which few rows a donor met would count, though the importance does not
          // depend on it.
          sums.donors[l][donors[row]] += scored.weights[row] * (terms[row] - scored.terms[l][row]);
        }
      }
    }
    state.done += tasks_.size();
    return state;
  }

 private:
  // A column's values for a part of the rows under one task. Rows that do not count keep their own.
  [[nodiscard]] std::vector<double> spoiled(const Task& task, std::uint32_t column, const RowBlock& part,
                                            const std::vector<std::size_t>& positions) const {
    const ScoredRows& scored = *setup_->scored;
    const ColumnValues& all = state_.columns->at(column);
    const auto& donors = donors_.at(task.repeat);
    const std::uint64_t seed = setup_->input.seed;
    std::vector<double> values(part.rows);
    const bool levels = setup_->input.schema[column].has_levels();
    const double size = task.level == 0 ? 1 : setup_->options.noise[task.level - 1];
    for (std::size_t row = 0; row < part.rows; ++row) {
      const std::size_t at = positions[row];
      if (at >= scored.rows()) {
        values[row] = part.columns[column].number(row);
      } else if (task.level == 0) {
        values[row] = all.values[donors[at]];
      } else if (levels) {
        const bool replaced = random_uniform(seed, column, task.repeat, scored.ids[at]) < size;
        values[row] = all.values[replaced ? donors[at] : at];
      } else {
        values[row] = all.values[at];
        if (size > 0 && std::isfinite(values[row]))
          values[row] += size * all.sd * random_normal(seed, column, task.repeat, scored.ids[at]);
      }
    }
    return values;
  }

  std::shared_ptr<const Setup> setup_;
  State state_;
  std::size_t width_;
  std::vector<Task> tasks_;
  std::map<std::uint64_t, std::vector<std::uint32_t>> donors_;  // by repeat
};

// Takes up the next units, as many as fit into memory: their values, and nothing known of their losses yet.
Chain<State> read_units(const std::shared_ptr<const Setup>& setup, State state) {
  const ScoredRows& scored = *setup->scored;
  std::size_t kept = 0;  // numbers per row for one unit
  for (const Loss& loss : scored.losses) kept += averages_terms(loss) ? 2 : 0;
  std::vector<std::uint32_t> columns;
  std::size_t numbers = 0;
  state.count = 0;
  for (std::size_t u = state.first; u < setup->units.size(); ++u) {
    numbers += (kept + setup->units[u].columns.size()) * scored.rows();
    if (state.count > 0 && numbers > numbers_at_once) break;
    ++state.count;
    for (const std::uint32_t column : setup->units[u].columns) {
      if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
    }
  }
  return draw_rows(setup->input, columns, 0, 0).then([=](const RowSample& sample) {
    State next = state;
    const ScoredRows& rows = *setup->scored;
    auto at_work = std::make_shared<ColumnsAtWork>();
    for (const std::uint32_t column : sample.columns) {
      ColumnValues& values = (*at_work)[column];
      values.values = rows.values_of(sample, column);
      if (!setup->options.noise.empty()) values.sd = sd_of_column(rows, values.values);
      const bool known = std::any_of(next.caveats.begin(), next.caveats.end(), [&](const Caveat& caveat) {
        const Value* feature = caveat.evidence.find("feature");
        return feature != nullptr && *feature == Value(setup->input.schema[column].name);
      });
      if (!known) {
        add_value_caveats(setup->input.schema, column, values.values, "shuffling it changes nothing", next.caveats);
      }
    }
    next.columns = std::move(at_work);
    next.done = 0;
    next.donated.assign(rows.rows(), 0.0);
    UnitSums empty{.values = std::vector(setup->levels(), std::vector<std::vector<double>>(rows.losses.size())),
                   .recipients = {},
                   .donors = {}};
    for (const Loss& loss : rows.losses) {
      empty.recipients.emplace_back(averages_terms(loss) ? rows.rows() : 0, 0.0);
      empty.donors.emplace_back(averages_terms(loss) ? rows.rows() : 0, 0.0);
    }
    next.sums.assign(next.count, empty);
    return next;
  });
}

// All tasks of the units at work.
Chain<State> spoil_units(const std::shared_ptr<const Setup>& setup, State state) {  // NOLINT(misc-no-recursion)
  if (state.done == state.count * setup->repeats() * setup->levels()) return state;
  return over_rows<ShufflePass>(setup, std::move(state)).then([setup](State next) {  // NOLINT(misc-no-recursion)
    return spoil_units(setup, std::move(next));
  });
}

State finish_units(const Setup& setup, State state) {
  for (std::size_t u = 0; u < state.count; ++u) finish_unit(setup, u, state);
  state.first += state.count;
  state.sums.clear();
  state.columns.reset();
  state.donated.clear();
  return state;
}

Chain<State> shuffle(const std::shared_ptr<const Setup>& setup, State state) {  // NOLINT(misc-no-recursion)
  if (state.first == setup->units.size()) return state;
  return read_units(setup, std::move(state))
      .then([setup](State next) { return spoil_units(setup, std::move(next)); })
      .then([setup](State next) { return finish_units(*setup, std::move(next)); })
      .then([setup](State next) { return shuffle(setup, std::move(next)); });  // NOLINT(misc-no-recursion)
}

// The loss of the mean over all pairs of rows, each with itself too, as a shuffle may leave it where it is.
void take_expected(const SwitchRequest& request, bool ratio, const SwitchedUnit& switched, SwitchFindings& findings) {
  const FeatureGroup& unit = request.units[switched.unit];
  const double total = switched.total;
  std::vector<double> truths;
  for (const std::size_t row : switched.rows) truths.push_back(request.scored->truths[row]);
  for (std::size_t l = 0; l < switched.losses.size(); ++l) {
    const SwitchedLoss& found = switched.losses[l];
    const Loss& loss = *found.loss;
    const TruthMoments of_truths(loss, truths, switched.weights);
    const double m0 = found.original, rise = found.switched / total / total, m1 = m0 + rise;
    const double before = loss_of_mean(loss, m0, of_truths), after = loss_of_mean(loss, m1, of_truths);
    const double difference = loss.info().row_mean ? loss.worsening(0, rise) : loss.worsening(before, after);
    const double quotient = loss.info().score ? before / after : after / before;
    const double importance = ratio ? quotient : difference;
    if (!std::isfinite(importance)) {
      no_value(loss, unit, ratio, before, findings.caveats);
      continue;
    }
    Importance entry{.feature = unit.name,
                     .features = unit.features,
                     .output = request.scored->outcome.output_name(),
                     .measure = measure_of(loss, ratio),
                     .importance = importance,
                     .sd = 0};
    const RowParts part(loss, ratio, m0, m1, of_truths);
    if (part.known()) {
      std::vector<double> parts(switched.rows.size());
      for (std::size_t k = 0; k < parts.size(); ++k)
        parts[k] = part(found.own[k] + found.added[k] / total, found.lent[k] / total, found.own[k], truths[k]);
      entry.se = switched.standard_error(found, parts);
    }
    entry.details.set("loss", loss.info().name)
        .set("estimator", "expected")
        .set("baseline", before)
        .set("after", after)
        .set("difference", difference)
        .set("ratio", std::isfinite(quotient) ? Value(quotient) : Value())
        .set("rows", std::uint64_t{switched.rows.size()})
        .set("values", std::uint64_t{switched.values});
    findings.rankings[l].push_back(std::move(entry));
  }
}

Chain<Result> expect(const SwitchRequest& request, bool ratio) {
  SwitchFindings none;
  none.rankings.resize(request.scored->losses.size());
  return switch_rows(
             request, std::move(none),
             [=](const SwitchedUnit& unit, SwitchFindings& findings) { take_expected(request, ratio, unit, findings); })
      .then([scored = request.scored](SwitchFindings findings) {
        return make_result(*scored, std::move(findings.rankings), {}, findings.caveats);
      });
}

// Throws Error(usage) for what has no expected value, or none without shuffling.
void check_expected(const PermutationImportanceOptions& options) {
  for (const std::string& name : options.losses) {
    const LossKind kind = loss_info(name).kind;
    if (kind != LossKind::auc && kind != LossKind::f1) continue;
    throw Error(
        ErrorKind::usage,
        option_name("estimator") + " expected: " + name +
            " is made of all rows together and not of a mean over rows, so that pairs of rows do not add up "
            "to what is expected of it",
        marked("use {option:estimator} shuffled, or one of squared, absolute, rmse, r2, log-loss, brier, accuracy, "
               "poisson"));
  }
  if (!options.noise.empty()) {
    throw Error(ErrorKind::usage,
                marked("{option:estimator} expected: noise is made of random numbers, nothing is left to chance here"),
                marked("use {option:estimator} shuffled for the curves of noise"));
  }
}

Chain<Result> start(const MethodInput& input, const Value& given) {
  auto options = read_options<PermutationImportanceOptions>(given);
  for (const double size : options.noise) {
    if (!std::isfinite(size)) throw Error(ErrorKind::usage, marked("{Option:noise}: each must be a number above 0"));
  }
  std::sort(options.noise.begin(), options.noise.end());
  options.noise.erase(std::unique(options.noise.begin(), options.noise.end()), options.noise.end());
  const bool expected = options.estimator == "expected";
  if (expected) check_expected(options);
  const auto units = chosen_groups(input, options.features, options.groups);
  if (!expected) check_width(input, units.size(), options.repeats);
  return score_rows(input, options.losses, "rmse").then([=](const std::shared_ptr<const ScoredRows>& scored) {
    if (expected) return expect({input, units, scored, options.predictions}, options.kind == "ratio");
    const Shuffles shuffles(scored->weights, input.seed);
    const auto setup = std::make_shared<const Setup>(Setup{input, options, units, scored, shuffles});
    State nothing;
    nothing.importances.resize(scored->losses.size());
    return shuffle(setup, std::move(nothing)).then([scored](const State& state) {
      return make_result(*scored, state.importances, state.curves, state.caveats);
    });
  });
}

}  // namespace

MethodEntry permutation_importance() {
  return {
      .name = "permutation-importance",
      .alias = "pfi",
      .about = {.title = "Permutation importance", .short_name = "PFI", .family = Family::importance},
      .question = "How much worse do predictions become when a feature's values are shuffled between rows?",
      .when = "which features the model relies on for its performance; on data it was not trained on",
      .when_not =
          "strongly correlated features: rows get values they could not have, and features that say the same "
          "share their importance; shuffle them as a group",
      .formula = "PFI_j = mean over repeats of loss(f with feature j shuffled) − loss(f)",
      .paper =
          "Breiman 2001, Random forests; Fisher, Rudin and Dominici 2019, All models are wrong, but many are useful",
      .estimand = Estimand::loss_under_noise,
      .results = {"importance", "curve", "figure"},
      .expresses = "how much performance depends on a feature or group, interactions included, with uncertainty",
      .cost =
          "(repeats × features + 1) × rows predictions; noise: as much again for each size; expected: as "
          "model-reliance",
      .needs = {.target = Need::required},
      .access = Access::columns,
      .random = true,
      .options = describe_options<PermutationImportanceOptions>(),
      .start = start};
}

}  // namespace sightglass
