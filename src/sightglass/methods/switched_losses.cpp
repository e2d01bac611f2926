#include "sightglass/methods/switched_losses.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "sightglass/base/each_processor.h"
#include "sightglass/base/random.h"
#include "sightglass/data/picked_block.h"
#include "sightglass/methods/prices.h"
#include "sightglass/model/trees/feature_codes_internal.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

namespace {

constexpr std::uint64_t sample_stream = 0x4D52;
// Numbers that are kept for rows at once: the features at work, and their sums.
constexpr std::size_t numbers_at_once = std::size_t{1} << 23;
constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();
// Different values that are predicted together: what a tree ensemble needs for more of them leaves the cache.
constexpr std::size_t donors_at_once = 1024;
// Rows that one thread works on at a time.
constexpr std::size_t tile_rows = 256;

struct Setup {
  SwitchRequest request;
  std::function<void(const SwitchedUnit&, SwitchFindings&)> take;
  std::function<Next(SwitchFindings)> then;
  [[nodiscard]] const std::vector<double>& weights() const { return request.scored->weights; }
};

// What is switched for one unit: which rows, and the different values that they lend one another.
struct Plan {
  std::size_t unit = 0;
  std::vector<std::size_t> rows;        // positions, ascending
  std::vector<std::uint64_t> donor_of;  // per row: which of the different values is its own
  std::vector<Variant> donors;          // the different values
  std::vector<double> donor_weights;    // of the rows that have each
  std::vector<std::size_t> partners;    // per row: the one it exchanges with, or nobody
  std::uint64_t needed = 0;             // of the budget, if all rows are used
};

struct State {
  std::size_t first = 0, count = 0;  // units at work
  SwitchFindings findings;
};

// The place of each row's value among the different ones, ascending, missing last; what trees cannot tell apart is
// one value. count: of the places there are.
std::vector<std::uint64_t> value_places(const TreeRows* trees, std::uint32_t column, const std::vector<double>& values,
                                        const std::vector<std::size_t>& rows, std::uint64_t& count) {
  std::vector<std::uint64_t> places(rows.size(), 0);
  if (trees != nullptr) {
    const auto slot = trees->slot(column);
    count = slot ? trees->codes().codes(*slot) : 1;
    for (std::size_t k = 0; slot && k < rows.size(); ++k) places[k] = trees->code(*slot, values[rows[k]]);
    return places;
  }
  std::vector<double> different;
  for (const std::size_t row : rows) {
    if (!std::isnan(values[row])) different.push_back(values[row]);
  }
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  count = different.size() + 1;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double value = values[rows[k]];
    const auto at = std::isnan(value) ? different.end() : std::lower_bound(different.begin(), different.end(), value);
    places[k] = static_cast<std::uint64_t>(at - different.begin());
  }
  return places;
}

// Numbers below `count` become ranks among those that occur; returns how many do.
std::uint64_t rank(std::vector<std::uint64_t>& numbers, std::uint64_t count) {
  if (count <= 4 * numbers.size() + 1024) {
    std::vector<std::uint64_t> ranks(count, 0);
    for (const std::uint64_t number : numbers) ranks[number] = 1;
    std::uint64_t before = 0;
    for (std::uint64_t& each : ranks) before += std::exchange(each, before);
    for (std::uint64_t& number : numbers) number = ranks[number];
    return before;
  }
  std::vector<std::uint64_t> different = numbers;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  for (std::uint64_t& number : numbers) {
    const auto at = std::lower_bound(different.begin(), different.end(), number);
    number = static_cast<std::uint64_t>(at - different.begin());
  }
  return different.size();
}

// The different values of a unit among some rows. One that stands for several is that of the first row.
void find_donors(const Setup& setup, const std::map<std::uint32_t, std::vector<double>>& values, Plan& plan) {
  const auto& columns = setup.request.units[plan.unit].columns;
  plan.donor_of.assign(plan.rows.size(), 0);
  std::uint64_t donors = 1;
  for (const std::uint32_t column : columns) {
    std::uint64_t count = 0;
    const auto places = value_places(setup.request.input.trees, column, values.at(column), plan.rows, count);
    for (std::size_t k = 0; k < places.size(); ++k) plan.donor_of[k] = plan.donor_of[k] * count + places[k];
    donors = rank(plan.donor_of, donors * count);
  }
  std::vector<ExactSum> sums(donors);
  plan.donors.assign(donors, {});
  for (std::size_t k = 0; k < plan.rows.size(); ++k) {
    Variant& variant = plan.donors[plan.donor_of[k]];
    sums[plan.donor_of[k]].add(setup.weights()[plan.rows[k]]);
    if (!variant.empty()) continue;
    for (const std::uint32_t column : columns)
      variant.push_back({column, Scalar::of(values.at(column)[plan.rows[k]] + 0.0)});
  }
  plan.donor_weights.clear();
  for (const ExactSum& sum : sums) plan.donor_weights.push_back(sum.value());
}

// All rows where the budget allows it, else as many as it does, drawn at random.
Plan make_plan(const Setup& setup, std::size_t unit, const std::map<std::uint32_t, std::vector<double>>& values) {
  const ScoredRows& scored = *setup.request.scored;
  Plan plan{.unit = unit};
  plan.rows.resize(scored.rows());
  std::iota(plan.rows.begin(), plan.rows.end(), std::size_t{0});
  find_donors(setup, values, plan);
  const auto budget = static_cast<double>(setup.request.budget);
  const Prices prices(setup.request.input);
  const double each = prices.of(static_cast<double>(plan.donors.size()));
  plan.needed = static_cast<std::uint64_t>(std::ceil(each * static_cast<double>(scored.rows())));
  if (static_cast<double>(plan.needed) > budget) {
    // No more values than rows.
    const auto size = std::min<std::size_t>(
        scored.rows(), static_cast<std::size_t>(std::max(std::sqrt(budget / prices.point), budget / each)));
    std::vector<std::pair<std::uint64_t, std::size_t>> keys;
    for (const std::size_t row : plan.rows)
      keys.emplace_back(random_bits(setup.request.input.seed, sample_stream, scored.ids[row]), row);
    std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(size - 1), keys.end());
    plan.rows.clear();
    for (std::size_t k = 0; k < size; ++k) plan.rows.push_back(keys[k].second);
    std::sort(plan.rows.begin(), plan.rows.end());
    find_donors(setup, values, plan);
  }
  const std::size_t half = plan.rows.size() / 2;
  plan.partners.assign(plan.rows.size(), nobody);
  for (std::size_t k = 0; setup.request.divide && k < half; ++k) {
    plan.partners[k] = k + half;
    plan.partners[k + half] = k;
  }
  return plan;
}

// Sums over rows must not depend on their order, and exact ones cost more than the predictions. Only the standard error
// needs what a value did to the rows that got it: these numbers are rounded to a grain, far finer than that error, so
// that as many as a tile has rows add up in doubles without any rounding. Those beyond the largest are added exactly.
struct Grain {
  double cutter = 0;  // adding and subtracting it leaves whole grains
  double most = -1;   // none is that small: all are added exactly

  explicit Grain(double usual) {
    constexpr int grain_bits = 34, sum_bits = 53, tile_bits = std::bit_width(tile_rows);
    constexpr int largest_exponent = 900;
    if (!(usual > 0) || !std::isfinite(usual) || std::abs(std::ilogb(usual)) > largest_exponent) return;
    const int exponent = std::ilogb(usual) - grain_bits;
    cutter = std::ldexp(1.5, exponent + sum_bits - 1);
    most = std::ldexp(1.0, exponent + sum_bits - tile_bits);
  }
  [[nodiscard]] double cut(double number) const { return (number + cutter) - cutter; }
};

constexpr std::size_t lanes = 4;
using Lanes = double __attribute__((vector_size(lanes * sizeof(double))));
using LaneBits = std::int64_t __attribute__((vector_size(lanes * sizeof(double))));

// Adds to each row's sum what a value made of it, weight × (term − own). Returns the sum of the terms, rounded to
// grains; wrong if `beyond` is set. rows: a multiple of the lanes.
SIGHTGLASS_FOR_EACH_PROCESSOR
double add_tile(const double* terms, const double* own, const double* row_weights, std::size_t rows, double weight,
                const Grain& grain, double* added, bool& beyond) {
  for (std::size_t row = 0; row < rows; ++row) added[row] += weight * (terms[row] - own[row]);
  const double cutter = grain.cutter, most = grain.most;
  Lanes sums = {};
  LaneBits over = {};
  for (std::size_t row = 0; row < rows; row += lanes) {
    Lanes number, factor;
    std::memcpy(&number, terms + row, sizeof number);
    if (row_weights != nullptr) {
      std::memcpy(&factor, row_weights + row, sizeof factor);
      number *= factor;
    }
    sums += (number + cutter) - cutter;
    over |= ~(number <= most);
  }
  beyond = (over[0] | over[1] | over[2] | over[3]) != 0;
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

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
      : setup_(std::move(setup)), state_(std::move(state)), plans_(std::move(plans)) {
    const ScoredRows& scored = *setup_->request.scored;
    const double heaviest = *std::max_element(setup_->weights().begin(), setup_->weights().end());
    for (std::size_t l = 0; l < scored.losses.size(); ++l) {
      const double largest = *std::max_element(scored.terms[l].begin(), scored.terms[l].end());
      // A model may be right about every row as it is.
      const double constant = scored.losses[l].info().row_mean ? scored.constants[l] : largest;
      grains_.emplace_back(heaviest * std::max(largest, constant));
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return {}; }
  [[nodiscard]] bool needs_model() const override { return true; }
  [[nodiscard]] std::uint64_t cost_per_row() const override {
    std::size_t cost = 0;
    const std::size_t all = std::max<std::size_t>(1, setup_->request.scored->rows());
    for (const Plan& plan : plans_) cost += plan.donors.size() * plan.rows.size() / all;
    return cost;
  }
  [[nodiscard]] std::unique_ptr<Partial> empty() const override {
    auto sums = std::make_unique<SwitchSums>();
    const std::size_t losses = setup_->request.scored->losses.size();
    for (const Plan& plan : plans_) {
      sums->rows.emplace_back(2 * losses);
      sums->donors.emplace_back(plan.donors.size() * losses);
    }
    return sums;
  }

  void map(const RowBlock& block, Partial& partial, Evaluator& evaluator) const override {
    auto& sums = dynamic_cast<SwitchSums&>(partial);
    const std::size_t scored = setup_->request.scored->rows();
    const auto positions = setup_->request.scored->positions(block);
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      const auto& rows = plans_[i].rows;
      std::vector<std::uint64_t> used;
      std::vector<std::size_t> local;
      for (std::size_t row = 0; row < block.rows; ++row) {
        if (positions[row] >= scored) continue;
        std::size_t at = positions[row];
        if (rows.size() < scored) {
          const auto found = std::lower_bound(rows.begin(), rows.end(), positions[row]);
          if (found == rows.end() || *found != positions[row]) continue;
          at = static_cast<std::size_t>(found - rows.begin());
        }
        used.push_back(row);
        local.push_back(at);
      }
      if (used.empty()) continue;
      const PickedBlock picked(block, used);
      std::size_t first = 0;
      const std::size_t donors = std::min(plans_[i].donors.size(), donors_at_once);
      for_each_slice(picked.block(), rows_per_request(donors), [&](const RowBlock& part) {
        add(part, plans_[i], std::span(local).subspan(first, part.rows), sums.rows[i], sums.donors[i], evaluator);
        first += part.rows;
      });
    }
  }

  [[nodiscard]] Next next(const Partial& merged) const override {
    const auto& sums = dynamic_cast<const SwitchSums&>(merged);
    State state = state_;
    for (std::size_t i = 0; i < plans_.size(); ++i) finish(plans_[i], sums.rows[i], sums.donors[i], state.findings);
    state.first += state.count;
    return begin(setup_, std::move(state));
  }

  // The next units, as many as fit into memory; after the last the result.
  static Next begin(std::shared_ptr<const Setup> setup, State state) {
    const SwitchRequest& request = setup->request;
    const ScoredRows& scored = *request.scored;
    std::vector<std::uint32_t> columns;
    std::size_t numbers = 0;
    state.count = 0;
    // The budget allows no more different values than this.
    const double affordable = static_cast<double>(request.budget) / Prices(request.input).point;
    const auto most_donors = static_cast<std::size_t>(std::sqrt(affordable)) + 1;
    for (std::size_t u = state.first; u < request.units.size(); ++u) {
      const auto& unit = request.units[u].columns;
      const std::size_t donors = std::min({scored.rows(), most_donors, most_values(request.input.trees, unit)});
      numbers += (unit.size() + 2 * scored.losses.size() + 3) * scored.rows() +
                 donors * scored.losses.size() * sizeof(ExactSum) / sizeof(double);
      if (state.count > 0 && numbers > numbers_at_once) break;
      ++state.count;
      for (const std::uint32_t column : unit) {
        if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
      }
    }
    if (state.count == 0) return setup->then(std::move(state.findings));
    return draw_rows(request.input, columns, 0, 0, [setup, state](const RowSample& sample) -> Next {
      State next = state;
      const Schema& schema = setup->request.input.schema;
      std::map<std::uint32_t, std::vector<double>> values;
      for (const std::uint32_t column : sample.columns) {
        values[column] = setup->request.scored->values_of(sample, column);
        auto& caveats = next.findings.caveats;
        const bool known = std::any_of(caveats.begin(), caveats.end(), [&](const Caveat& caveat) {
          const Value* feature = caveat.evidence.find("feature");
          return caveat.id != "sampled-rows" && feature != nullptr && *feature == Value(schema[column].name);
        });
        if (!known) add_value_caveats(schema, column, values[column], "switching it changes nothing", caveats);
      }
      std::vector<Plan> plans;
      for (std::size_t u = next.first; u < next.first + next.count; ++u) plans.push_back(make_plan(*setup, u, values));
      return std::make_unique<SwitchStage>(setup, std::move(next), std::move(plans));
    });
  }

 private:
  // Different values that trees can tell apart.
  static std::size_t most_values(const TreeRows* trees, const std::vector<std::uint32_t>& columns) {
    constexpr std::size_t many = std::size_t{1} << 32;
    std::size_t product = 1;
    for (const std::uint32_t column : columns) {
      if (trees == nullptr || product >= many) return std::numeric_limits<std::size_t>::max();
      if (const auto slot = trees->slot(column)) product *= trees->codes().codes(*slot);
    }
    return product;
  }

  // A number beyond the grain's, of one of the sums.
  struct Stray {
    std::size_t sum;
    double number;
  };
  struct Tile {
    std::vector<double> sums;  // [value][loss]
    std::vector<Stray> strays;
  };

  // local: where the part's rows are in the plan.
  void add(const RowBlock& part, const Plan& plan, std::span<const std::size_t> local, RowTerms& rows,
           std::vector<ExactSum>& donors, Evaluator& evaluator) const {
    const std::size_t losses = setup_->request.scored->losses.size();
    double* room = rows.add(local, plan.rows.size());
    Matrix predictions;
    std::vector<Tile> tiles((part.rows + tile_rows - 1) / tile_rows);
    for (std::size_t first = 0; first < plan.donors.size(); first += donors_at_once) {
      const std::size_t count = std::min(donors_at_once, plan.donors.size() - first);
      evaluator.evaluate(part, std::span(plan.donors).subspan(first, count), predictions);
      evaluator.context().parallel_for(tiles.size(), [&](std::size_t tile) {
        add(tile, plan, first, count, local, predictions, room, tiles[tile]);
      });
      for (const Tile& tile : tiles) {
        for (std::size_t k = 0; k < tile.sums.size(); ++k) donors[first * losses + k].add(tile.sums[k]);
        for (const Stray& stray : tile.strays) donors[first * losses + stray.sum].add(stray.number);
      }
    }
  }

  void add(std::size_t tile, const Plan& plan, std::size_t first_donor, std::size_t donors,
           std::span<const std::size_t> local, const Matrix& predictions, double* room, Tile& sums) const {
    const ScoredRows& scored = *setup_->request.scored;
    const std::size_t losses = scored.losses.size();
    const std::size_t first = tile * tile_rows, rows = std::min(tile_rows, local.size() - first);
    // Rows that are not there leave zeros behind.
    const std::size_t padded = (rows + lanes - 1) / lanes * lanes;
    double truths[tile_rows], weights[tile_rows] = {}, own[tile_rows] = {}, terms[tile_rows] = {},
                              added[tile_rows] = {};
    for (std::size_t row = 0; row < rows; ++row) {
      truths[row] = scored.truths[plan.rows[local[first + row]]];
      weights[row] = setup_->weights()[plan.rows[local[first + row]]];
    }
    sums.sums.assign(donors * losses, 0.0);
    sums.strays.clear();
    for (std::size_t l = 0; l < losses; ++l) {
      double* kept = room + l * local.size() + first;
      for (std::size_t row = 0; row < rows; ++row) own[row] = scored.terms[l][plan.rows[local[first + row]]];
      std::copy_n(kept, rows, added);
      for (std::size_t d = 0; d < donors; ++d) {
        scored.losses[l].terms_of_rows(predictions.span().rows(d * local.size() + first, rows), {truths, rows}, terms);
        bool beyond = false;
        // Differences, so that a feature that changes nothing leaves exactly nothing.
        const double sum = add_tile(terms, own, scored.weighted ? weights : nullptr, padded,
                                    plan.donor_weights[first_donor + d], grains_[l], added, beyond);
        sums.sums[d * losses + l] = beyond ? sort_out(terms, weights, rows, l, d * losses + l, sums.strays) : sum;
      }
      std::copy_n(added, rows, kept);
      for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t partner = plan.partners[local[first + row]];
        if (partner == nobody) continue;
        const std::uint64_t donor = plan.donor_of[partner];
        if (donor < first_donor || donor - first_donor >= donors) continue;
        const std::size_t at = (donor - first_donor) * local.size() + first + row;
        scored.losses[l].terms(predictions.span().row(at), truths[row],
                               {room + (losses + l) * local.size() + first + row, 1});
      }
    }
  }

  // The sum of what is not beyond the grain's largest; the rest are strays.
  double sort_out(const double* terms, const double* weights, std::size_t rows, std::size_t l, std::size_t sum,
                  std::vector<Stray>& strays) const {
    double grains = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const double number = weights[row] * terms[row];
      if (number <= grains_[l].most) {
        grains += grains_[l].cut(number);
      } else {
        strays.push_back({sum, number});
      }
    }
    return grains;
  }

  void finish(const Plan& plan, const RowTerms& terms, const std::vector<ExactSum>& donors,
              SwitchFindings& findings) const {
    const ScoredRows& scored = *setup_->request.scored;
    const std::size_t losses = scored.losses.size();
    if (plan.rows.size() < scored.rows()) {
      const std::string& name = setup_->request.units[plan.unit].name;
      findings.caveats.push_back(
          {.id = "sampled-rows",
           .severity = Severity::note,
           .message = name + ": all pairs of " + std::to_string(plan.rows.size()) + " of " +
                      std::to_string(scored.rows()) + " rows, drawn at random to keep to the budget",
           .evidence = Value::object({{"feature", name}, {"rows", plan.rows.size()}, {"available", scored.rows()}}),
           .advice = "set budget to " + std::to_string(plan.needed) + " to use all rows"});
    }
    SwitchedUnit unit{.unit = plan.unit,
                      .rows = plan.rows,
                      .weights = {},
                      .weighted = scored.weighted,
                      .values = plan.donors.size(),
                      .losses = {}};
    ExactSum total, squares;
    for (const std::size_t row : plan.rows) unit.weights.push_back(setup_->weights()[row]);
    total.add_all(unit.weights);
    // Weights that are below 1 on average cannot count rows: only their ratios are known.
    const auto rows = static_cast<double>(plan.rows.size());
    const double scale = total.value() < rows ? rows / total.value() : 1;
    unit.scaled = scale != 1;
    for (double& weight : unit.weights) weight *= scale;
    for (std::size_t k = 0; scored.weighted && k < unit.weights.size(); ++k)
      squares.add_product(unit.weights[k], unit.weights[k]);
    unit.total = unit.scaled ? rows : total.value();
    unit.effective = scored.weighted ? unit.total * unit.total / squares.value() : unit.total;
    const auto sum = [&](const std::vector<double>& numbers) {
      ExactSum all;
      if (!scored.weighted) all.add_all(numbers);
      for (std::size_t k = 0; scored.weighted && k < numbers.size(); ++k) all.add_product(unit.weights[k], numbers[k]);
      return all.value();
    };
    for (std::size_t l = 0; l < losses; ++l) {
      SwitchedLoss found{.loss = &scored.losses[l],
                         .own = {},
                         .added = terms.numbers(plan.rows.size(), l),
                         .lent = {},
                         .divided = std::nullopt};
      std::vector<double> of_donor;
      for (std::size_t d = 0; d < plan.donors.size(); ++d) of_donor.push_back(donors[d * losses + l].value());
      for (std::size_t k = 0; k < plan.rows.size(); ++k) {
        found.own.push_back(scored.terms[l][plan.rows[k]]);
        found.lent.push_back(scale * of_donor[plan.donor_of[k]]);
        found.added[k] *= scale;
      }
      found.original = sum(found.own) / unit.total;
      found.switched = sum(found.added);
      if (setup_->request.divide && plan.rows.size() > 1) {
        const std::vector<double> exchanged = terms.numbers(plan.rows.size(), losses + l);
        ExactSum divided, weight;
        for (std::size_t k = 0; k < plan.rows.size(); ++k) {
          if (plan.partners[k] == nobody) continue;
          divided.add_product(unit.weights[k], exchanged[k]);
          weight.add(unit.weights[k]);
        }
        found.divided = divided.value() / weight.value();
      }
      unit.losses.push_back(std::move(found));
    }
    setup_->take(unit, findings);
  }

  std::shared_ptr<const Setup> setup_;
  State state_;
  std::vector<Plan> plans_;
  std::vector<Grain> grains_;  // [loss]
};

}  // namespace

std::optional<double> SwitchedUnit::standard_error(std::span<const double> parts) const {
  ExactMoments moments;
  ExactSum sum;
  sum.add_all(weights);
  if (!weighted) moments.add_all(parts);
  for (std::size_t k = 0; weighted && k < parts.size(); ++k) moments.add(parts[k], weights[k]);
  const double se = std::sqrt(moments.variance(sum.pair()) / effective);
  return std::isfinite(se) ? std::optional(se) : std::nullopt;
}

Next switch_rows(SwitchRequest request, SwitchFindings findings,
                 std::function<void(const SwitchedUnit&, SwitchFindings&)> take,
                 std::function<Next(SwitchFindings)> then) {
  auto setup = std::make_shared<Setup>(Setup{std::move(request), std::move(take), std::move(then)});
  return SwitchStage::begin(std::move(setup), State{.findings = std::move(findings)});
}

}  // namespace sightglass
