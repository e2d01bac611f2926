#include "sightglass/methods/importance/model_reliance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"
#include "sightglass/methods/feature_groups.h"
#include "sightglass/methods/scored_rows.h"

namespace sightglass {

namespace {

constexpr std::uint64_t sample_stream = 0x4D52;
// Numbers that are kept for rows at once: the features at work, and their sums.
constexpr std::size_t numbers_at_once = std::size_t{1} << 23;
constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

struct Setup {
  MethodInput input;
  ModelRelianceOptions options;
  std::vector<FeatureGroup> units;
  std::shared_ptr<const ScoredRows> scored;
  std::vector<double> weights;  // as counts of rows
  bool scaled = false;          // whether they are others than the data's
};

// What is switched for one unit: which rows, and the different values that they lend one another.
struct Plan {
  std::size_t unit = 0;
  std::vector<std::size_t> rows;      // positions, ascending
  std::vector<std::size_t> donor_of;  // per row: which of the different values is its own
  std::vector<Variant> donors;        // the different values
  std::vector<double> donor_weights;  // of the rows that have each
  std::vector<std::size_t> partners;  // per row: the one it exchanges with for e_divide, or nobody
  std::uint64_t needed = 0;           // predictions that all rows would take
};

struct State {
  std::size_t first = 0, count = 0;                          // units at work
  std::vector<std::vector<Importance>> ratios, differences;  // [loss][unit]
  std::vector<Caveat> caveats;
};

// The different values of a unit among some rows, in ascending order, missing last.
void find_donors(const Setup& setup, const std::map<std::uint32_t, std::vector<double>>& values, Plan& plan) {
  const auto& columns = setup.units[plan.unit].columns;
  const auto compare = [&](std::size_t a, std::size_t b) {
    for (const std::uint32_t column : columns) {
      const double x = values.at(column)[plan.rows[a]], y = values.at(column)[plan.rows[b]];
      if (std::isnan(x) != std::isnan(y)) return std::isnan(x) ? 1 : -1;
      if (x < y || x > y) return x < y ? -1 : 1;
    }
    return 0;
  };
  std::vector<std::size_t> order(plan.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const int which = compare(a, b);
    return which != 0 ? which < 0 : a < b;
  });
  plan.donor_of.assign(plan.rows.size(), 0);
  plan.donors.clear();
  std::vector<ExactSum> sums;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k == 0 || compare(order[k - 1], order[k]) != 0) {
      Variant variant;
      for (const std::uint32_t column : columns)
        variant.push_back({column, Scalar::of(values.at(column)[plan.rows[order[k]]] + 0.0)});
      plan.donors.push_back(std::move(variant));
      sums.emplace_back();
    }
    plan.donor_of[order[k]] = plan.donors.size() - 1;
    sums.back().add(setup.weights[plan.rows[order[k]]]);
  }
  plan.donor_weights.clear();
  for (const ExactSum& sum : sums) plan.donor_weights.push_back(sum.value());
}

// All rows where the budget allows it, else as many as it does, drawn at random.
Plan make_plan(const Setup& setup, std::size_t unit, const std::map<std::uint32_t, std::vector<double>>& values) {
  const ScoredRows& scored = *setup.scored;
  Plan plan{.unit = unit};
  plan.rows.resize(scored.rows());
  std::iota(plan.rows.begin(), plan.rows.end(), std::size_t{0});
  find_donors(setup, values, plan);
  const auto budget = static_cast<std::uint64_t>(setup.options.budget);
  plan.needed = std::uint64_t{scored.rows()} * plan.donors.size();
  if (plan.needed > budget) {
    const auto square = static_cast<std::size_t>(std::sqrt(static_cast<double>(budget)));
    const std::size_t size =
        std::min<std::size_t>(scored.rows(), std::max<std::size_t>(square, budget / plan.donors.size()));
    std::vector<std::pair<std::uint64_t, std::size_t>> keys;
    for (const std::size_t row : plan.rows)
      keys.emplace_back(random_bits(setup.input.seed, sample_stream, scored.ids[row]), row);
    std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(size - 1), keys.end());
    plan.rows.clear();
    for (std::size_t k = 0; k < size; ++k) plan.rows.push_back(keys[k].second);
    std::sort(plan.rows.begin(), plan.rows.end());
    find_donors(setup, values, plan);
  }
  const std::size_t half = plan.rows.size() / 2;
  plan.partners.assign(plan.rows.size(), nobody);
  for (std::size_t k = 0; setup.options.divide && k < half; ++k) {
    plan.partners[k] = k + half;
    plan.partners[k + half] = k;
  }
  return plan;
}

// Some rows of a block, in memory of their own.
class PickedBlock {
 public:
  PickedBlock(const RowBlock& block, const std::vector<std::uint64_t>& rows, const std::vector<std::uint32_t>& columns)
      : views_(block.columns.size()) {
    for (const std::uint32_t column : columns) {
      owners_.push_back(gather(block.columns[column], rows));
      views_[column] = owners_.back().view;
    }
    for (const std::uint64_t row : rows) ids_.push_back(block.row_id(row));
    block_ = {.first_row = ids_.front(),
              .rows = rows.size(),
              .columns = views_,
              .overrides = {},
              .weights = {},
              .row_ids = ids_};
  }
  [[nodiscard]] const RowBlock& block() const { return block_; }

 private:
  std::vector<Column> owners_;
  std::vector<ColumnView> views_;
  std::vector<std::uint64_t> ids_;
  RowBlock block_;
};

// Per unit: for each row Σ_d W_d [L(row, d) − L(row)] of every loss and then its loss with its partner's value; for
// each different value d the sum of w L over the rows.
class SwitchSums : public Partial {
 public:
  std::vector<RowTerms> rows;
  std::vector<std::vector<ExactSum>> donors;  // [plan][value][loss]

  void merge(const Partial& partial) override {
    const auto& other = dynamic_cast<const SwitchSums&>(partial);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].merge(other.rows[i]);
      for (std::size_t k = 0; k < donors[i].size(); ++k) donors[i][k].merge(other.donors[i][k]);
    }
  }
  void save(ByteSink& sink) const override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].save(sink);
      for (const ExactSum& sum : donors[i]) sum.save(sink);
    }
  }
  void load(ByteSource& source) override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].load(source);
      for (ExactSum& sum : donors[i]) sum.load(source);
    }
  }
};

class SwitchStage : public Stage {
 public:
  SwitchStage(std::shared_ptr<const Setup> setup, State state, std::vector<Plan> plans)
      : setup_(std::move(setup)), state_(std::move(state)), plans_(std::move(plans)) {}

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return {}; }
  [[nodiscard]] bool needs_model() const override { return true; }
  [[nodiscard]] std::uint64_t cost_per_row() const override {
    std::uint64_t cost = 0;
    for (const Plan& plan : plans_) cost += std::uint64_t{plan.rows.size()} * plan.donors.size();
    return cost / std::max<std::uint64_t>(1, setup_->input.rows);
  }
  [[nodiscard]] std::unique_ptr<Partial> empty() const override {
    auto sums = std::make_unique<SwitchSums>();
    const std::size_t losses = setup_->scored->losses.size();
    for (const Plan& plan : plans_) {
      sums->rows.emplace_back(2 * losses);
      sums->donors.emplace_back(plan.donors.size() * losses);
    }
    return sums;
  }

  void map(const RowBlock& block, Partial& partial, Evaluator& evaluator) const override {
    auto& sums = dynamic_cast<SwitchSums&>(partial);
    const auto positions = setup_->scored->positions(block);
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      const auto& rows = plans_[i].rows;
      std::vector<std::uint64_t> used;
      std::vector<std::size_t> local;
      for (std::size_t row = 0; row < block.rows; ++row) {
        const auto at = std::lower_bound(rows.begin(), rows.end(), positions[row]);
        if (at == rows.end() || *at != positions[row]) continue;
        used.push_back(row);
        local.push_back(static_cast<std::size_t>(at - rows.begin()));
      }
      if (used.empty()) continue;
      const PickedBlock picked(block, used, evaluator.columns());
      std::size_t first = 0;
      for_each_slice(picked.block(), rows_per_request(plans_[i].donors.size()), [&](const RowBlock& part) {
        add(part, plans_[i], std::span(local).subspan(first, part.rows), sums.rows[i], sums.donors[i], evaluator);
        first += part.rows;
      });
    }
  }

  [[nodiscard]] Next next(const Partial& merged) const override {
    const auto& sums = dynamic_cast<const SwitchSums&>(merged);
    State state = state_;
    for (std::size_t i = 0; i < plans_.size(); ++i) finish(plans_[i], sums.rows[i], sums.donors[i], state);
    state.first += state.count;
    return begin(setup_, std::move(state));
  }

  // The next units, as many as fit into memory; after the last the result.
  static Next begin(std::shared_ptr<const Setup> setup, State state) {
    const ScoredRows& scored = *setup->scored;
    std::vector<std::uint32_t> columns;
    std::size_t numbers = 0;
    state.count = 0;
    // The budget allows no more different values than its root.
    const auto most_donors = static_cast<std::size_t>(std::sqrt(static_cast<double>(setup->options.budget))) + 1;
    const std::size_t donors = std::min(scored.rows(), most_donors) * scored.losses.size();
    for (std::size_t u = state.first; u < setup->units.size(); ++u) {
      numbers += (setup->units[u].columns.size() + 2 * scored.losses.size() + 3) * scored.rows() +
                 donors * sizeof(ExactSum) / sizeof(double);
      if (state.count > 0 && numbers > numbers_at_once) break;
      ++state.count;
      for (const std::uint32_t column : setup->units[u].columns) {
        if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
      }
    }
    if (state.count == 0) return result(*setup, std::move(state));
    return draw_rows(setup->input, columns, 0, 0, [setup, state](const RowSample& sample) -> Next {
      State next = state;
      std::map<std::uint32_t, std::vector<double>> values;
      for (const std::uint32_t column : sample.columns) {
        values[column] = setup->scored->values_of(sample, column);
        const std::string& name = setup->input.schema[column].name;
        const bool known = std::any_of(next.caveats.begin(), next.caveats.end(), [&](const Caveat& caveat) {
          const Value* feature = caveat.evidence.find("feature");
          return caveat.id != "sampled-rows" && feature != nullptr && *feature == Value(name);
        });
        if (!known) {
          add_value_caveats(setup->input.schema, column, values[column], "switching it changes nothing", next.caveats);
        }
      }
      std::vector<Plan> plans;
      for (std::size_t u = next.first; u < next.first + next.count; ++u) plans.push_back(make_plan(*setup, u, values));
      return std::make_unique<SwitchStage>(setup, std::move(next), std::move(plans));
    });
  }

 private:
  // local: where the part's rows are in the plan.
  void add(const RowBlock& part, const Plan& plan, std::span<const std::size_t> local, RowTerms& rows,
           std::vector<ExactSum>& donors, Evaluator& evaluator) const {
    const ScoredRows& scored = *setup_->scored;
    const std::size_t losses = scored.losses.size();
    const std::size_t values = plan.donors.size();
    Matrix predictions;
    evaluator.evaluate(part, plan.donors, predictions);
    double* room = rows.add(local, plan.rows.size());
    std::vector<double> terms(losses * values * part.rows);  // [loss][value][row]
    evaluator.context().parallel_for(values, [&](std::size_t d) {
      std::vector<double> of_row(losses);
      for (std::size_t row = 0; row < part.rows; ++row) {
        scored.add_terms(predictions.span().row(d * part.rows + row), scored.truths[plan.rows[local[row]]],
                         of_row.data(), 1);
        for (std::size_t l = 0; l < losses; ++l) terms[(l * values + d) * part.rows + row] = of_row[l];
      }
      for (std::size_t l = 0; l < losses; ++l) {
        const std::span<const double> all(&terms[(l * values + d) * part.rows], part.rows);
        ExactSum& sum = donors[d * losses + l];
        if (!scored.weighted) {
          sum.add_all(all);
          continue;
        }
        for (std::size_t row = 0; row < part.rows; ++row)
          sum.add_product(setup_->weights[plan.rows[local[row]]], all[row]);
      }
    });
    evaluator.context().parallel_for(losses, [&](std::size_t l) {
      // Differences, so that a feature that changes nothing leaves exactly nothing.
      std::vector<double> own(part.rows), added(part.rows);
      for (std::size_t row = 0; row < part.rows; ++row) own[row] = scored.terms[l][plan.rows[local[row]]];
      for (std::size_t d = 0; d < values; ++d) {
        const double* switched = &terms[(l * values + d) * part.rows];
        for (std::size_t row = 0; row < part.rows; ++row)
          added[row] += plan.donor_weights[d] * (switched[row] - own[row]);
      }
      for (std::size_t row = 0; row < part.rows; ++row) {
        const std::size_t partner = plan.partners[local[row]];
        room[l * part.rows + row] = added[row];
        room[(losses + l) * part.rows + row] =
            partner == nobody ? 0 : terms[(l * values + plan.donor_of[partner]) * part.rows + row];
      }
    });
  }

  void finish(const Plan& plan, const RowTerms& terms, const std::vector<ExactSum>& donors, State& state) const {
    const ScoredRows& scored = *setup_->scored;
    const FeatureGroup& unit = setup_->units[plan.unit];
    const std::size_t losses = scored.losses.size();
    const bool sampled = plan.rows.size() < scored.rows();
    if (sampled) {
      state.caveats.push_back(
          {.id = "sampled-rows",
           .severity = Severity::note,
           .message = unit.name + ": all pairs of " + std::to_string(plan.rows.size()) + " of " +
                      std::to_string(scored.rows()) + " rows, drawn at random to keep to the budget",
           .evidence =
               Value::object({{"feature", unit.name}, {"rows", plan.rows.size()}, {"available", scored.rows()}}),
           .advice = "set budget to " + std::to_string(plan.needed) + " to use all rows"});
    }
    for (std::size_t l = 0; l < losses; ++l) {
      const Loss& loss = scored.losses[l];
      const std::vector<double> added = terms.numbers(plan.rows.size(), l);
      const std::vector<double> exchanged = terms.numbers(plan.rows.size(), losses + l);
      ExactSum total_sum, original, switched, divided, divided_weight, squares;
      for (std::size_t k = 0; k < plan.rows.size(); ++k) {
        const double weight = setup_->weights[plan.rows[k]];
        const double own = scored.terms[l][plan.rows[k]];
        total_sum.add(weight);
        squares.add_product(weight, weight);
        original.add_product(weight, own);
        switched.add_product(weight, added[k]);
        if (plan.partners[k] == nobody) continue;
        divided.add_product(weight, exchanged[k]);
        divided_weight.add(weight);
      }
      const double total = total_sum.value();
      const double e_orig = original.value() / total;
      // One row has no other to switch with.
      const bool alone = !(total > 1);
      const double increase = alone ? 0 : switched.value() / (total * (total - 1));
      const double e_switch = e_orig + increase;
      if (!std::isfinite(e_orig) || !std::isfinite(e_switch)) {
        no_value(loss, unit, "overflow", "the loss is beyond the largest number", "use absolute, or scale the target",
                 state);
        continue;
      }
      const double difference = loss.info().score ? -increase : increase;
      const double above = loss.info().score ? e_orig : e_switch;
      const double below = loss.info().score ? e_switch : e_orig;
      Importance entry{.feature = unit.name, .features = unit.features, .output = scored.outcome.output_name()};
      entry.details.set("loss", loss.info().name).set("e_orig", e_orig).set("e_switch", e_switch);
      if (setup_->options.divide)
        entry.details.set("e_divide",
                          divided_weight.value() > 0 ? Value(divided.value() / divided_weight.value()) : Value());
      entry.details.set("difference", difference)
          .set("ratio", below > 0 ? Value(above / below) : Value())
          .set("expected_permutation_importance", alone ? 0 : difference * (total - 1) / total)
          .set("rows", std::uint64_t{plan.rows.size()})
          .set("values", std::uint64_t{plan.donors.size()});
      if (setup_->scaled) entry.details.set("weights", "divided by the smallest, to count rows");

      // Each row's part in a function of e_switch and e_orig, by its derivatives.
      const auto standard_error = [&](double of_switch, double of_original) -> std::optional<double> {
        if (alone) return std::nullopt;
        ExactMoments moments;
        for (std::size_t k = 0; k < plan.rows.size(); ++k) {
          const double own = scored.terms[l][plan.rows[k]];
          const double got = own + added[k] / (total - 1);
          const double lent = (donors[plan.donor_of[k] * losses + l].value() - own) / (total - 1);
          moments.add(of_switch * (got + lent) + of_original * own, setup_->weights[plan.rows[k]]);
        }
        const double effective = total * total / squares.value();
        const double se = std::sqrt(moments.variance(total_sum.pair()) / effective);
        return std::isfinite(se) ? std::optional(se) : std::nullopt;
      };
      const std::string label = loss.info().label;
      entry.measure = std::string("reliance: ") + (loss.info().score ? "decrease of " : "increase of ") + label;
      entry.importance = difference;
      entry.se = standard_error(1, -1);
      state.differences[l].push_back(entry);
      if (!(below > 0)) {
        no_value(loss, unit, "zero-loss", "a loss of 0 has no ratio to it", "read the difference", state);
        continue;
      }
      entry.measure = "reliance: ratio of " + label;
      entry.importance = above / below;
      entry.se = loss.info().score ? standard_error(-above / (below * below), 1 / below)
                                   : standard_error(1 / below, -above / (below * below));
      state.ratios[l].push_back(std::move(entry));
    }
  }

  static void no_value(const Loss& loss, const FeatureGroup& unit, const char* id, const char* why, const char* advice,
                       State& state) {
    state.caveats.push_back({.id = id,
                             .severity = Severity::caution,
                             .message = unit.name + ", " + loss.info().label + ": " + why,
                             .evidence = Value::object({{"feature", unit.name}, {"loss", loss.info().name}}),
                             .advice = advice});
  }

  static Result result(const Setup& setup, State state) {
    Result result;
    for (auto* measures : {&state.ratios, &state.differences}) {
      for (auto& entries : *measures) {
        add_ranks(entries);
        result.results.insert(result.results.end(), entries.begin(), entries.end());
      }
    }
    setup.scored->add_figures(result);
    result.caveats = setup.scored->caveats;
    result.caveats.insert(result.caveats.end(), state.caveats.begin(), state.caveats.end());
    return result;
  }

  std::shared_ptr<const Setup> setup_;
  State state_;
  std::vector<Plan> plans_;
};

// Weights below 1 cannot be counts of rows; only their ratios matter, so they are scaled until they can.
void take_weights(Setup& setup) {
  setup.weights = setup.scored->weights;
  const double smallest = *std::min_element(setup.weights.begin(), setup.weights.end());
  setup.scaled = smallest < 1;
  if (!setup.scaled) return;
  for (double& weight : setup.weights) weight /= smallest;
}

std::unique_ptr<Stage> start(const MethodInput& input, const Value& given) {
  const auto options = read_options<ModelRelianceOptions>(given);
  if (options.budget < 100) throw Error(ErrorKind::usage, "option budget: at least 100 predictions, please");
  for (const std::string& name : options.losses) {
    if (loss_info(name).row_mean) continue;
    throw Error(ErrorKind::usage, "loss " + name + " is not a mean over rows, so that pairs of rows have none",
                "use squared, absolute, poisson, log-loss, brier or accuracy, or permutation-importance");
  }
  const auto units = chosen_groups(input, options.features, options.groups);
  return score_rows(input, options.losses, "squared",
                    [input, options, units](std::shared_ptr<const ScoredRows> scored) -> Next {
                      auto setup = std::make_shared<Setup>(Setup{input, options, units, std::move(scored), {}});
                      take_weights(*setup);
                      State state;
                      state.ratios.resize(setup->scored->losses.size());
                      state.differences.resize(setup->scored->losses.size());
                      return SwitchStage::begin(std::move(setup), std::move(state));
                    });
}

}  // namespace

MethodEntry model_reliance() {
  return {.name = "model-reliance",
          .alias = "mr",
          .question = "How much does the model rely on a feature, over all ways to exchange its values between rows?",
          .when = "importance without the noise of shuffling, and as a ratio that compares between models",
          .when_not = "strongly correlated features: rows get values they could not have; switch them as a group",
          .formula = "MR = e_switch / e_orig, e_switch = mean over pairs i ≠ j of L(y_i, f(x_j,S ; x_i,C))",
          .paper = "Fisher, Rudin and Dominici 2019, All models are wrong, but many are useful",
          .kind = "post hoc, model-agnostic",
          .scope = "global",
          .expresses = "how much performance depends on a feature or group, interactions included, with uncertainty",
          .cost = "rows × distinct values predictions per feature, at most budget; rows once more",
          .needs = "target",
          .access = Access::columns,
          .options = describe_options<ModelRelianceOptions>(),
          .start = start};
}

}  // namespace sightglass
