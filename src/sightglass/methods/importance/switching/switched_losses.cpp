#include "sightglass/methods/importance/switching/switched_losses.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include "sightglass/base/each_processor.h"
#include "sightglass/data/picked_block.h"
#include "sightglass/methods/importance/switching/row_switches_internal.h"
#include "sightglass/methods/importance/switching/tree_curves.h"
#include "sightglass/methods/run/prices.h"
#include "sightglass/model/trees/rows/feature_codes_internal.h"
#include "sightglass/model/trees/tree_rows.h"
#include "sightglass/model/trees/variants/tree_variants_internal.h"

namespace sightglass {

namespace {

// Numbers that are kept for rows at once: the features at work, and their sums.
constexpr std::size_t numbers_at_once = std::size_t{1} << 23;
// Different values that a model is asked about together: what is kept of their predictions would leave the cache.
constexpr std::size_t donors_at_once = 1024;
// Rows that one thread works on at a time.
constexpr std::size_t tile_rows = TreeCurves::tile_rows;
// Tiles that a thread takes, so that what is known about the trees for one unit stays in its cache.
constexpr std::size_t tiles_at_once = 8;
// So often for each thread, and then progress is told.
constexpr std::size_t tasks_per_round = 4;
// What is known about trees for several units at once, in bytes.
constexpr std::size_t ways_at_once = std::size_t{1} << 27;

struct Setup {
  SwitchRequest request;
  std::function<void(const SwitchedUnit&, SwitchFindings&)> take;
  [[nodiscard]] const std::vector<double>& weights() const { return request.scored->weights; }
};

struct State {
  std::size_t first = 0, count = 0;  // units at work
  SwitchFindings findings;
};

// Sums over rows must not depend on their order, and exact ones cost more than the predictions. Only the standard error
// needs what a value did to the rows that got it: these numbers are rounded to a unit, far finer than that error, so
// that as many as a tile has rows add up in doubles without any rounding. Those beyond the largest are added exactly.
struct RoundingUnit {
  double cutter = 0;  // adding and subtracting it leaves whole units
  double most = -1;   // none is that small: all are added exactly

  explicit RoundingUnit(double usual) {
    constexpr int unit_bits = 34, sum_bits = 53, tile_bits = std::bit_width(tile_rows);
    constexpr int largest_exponent = 900;
    if (!(usual > 0) || !std::isfinite(usual) || std::abs(std::ilogb(usual)) > largest_exponent) return;
    const int exponent = std::ilogb(usual) - unit_bits;
    cutter = std::ldexp(1.5, exponent + sum_bits - 1);
    most = std::ldexp(1.0, exponent + sum_bits - tile_bits);
  }
  [[nodiscard]] double cut(double number) const { return (number + cutter) - cutter; }
};

constexpr std::size_t lanes = 4;
using Lanes = double __attribute__((vector_size(lanes * sizeof(double))));
using LaneBits = std::int64_t __attribute__((vector_size(lanes * sizeof(double))));

// Adds to each row's sum what a value made of it, weight × (term − the term before). Returns the sum of the terms,
// rounded to units; wrong if `beyond` is set. rows: a multiple of the lanes.
SIGHTGLASS_FOR_EACH_PROCESSOR
double add_tile(const double* terms, const double* before, const double* row_weights, std::size_t rows, double weight,
                const RoundingUnit& unit, double* added, bool& beyond) {
  for (std::size_t row = 0; row < rows; ++row) added[row] += weight * (terms[row] - before[row]);
  const double cutter = unit.cutter, most = unit.most;
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

// Of one unit: for each row Σ_d W_d [L(row, d) − L(row)] of every loss and then its loss with its partner's value; for
// each different value d the sum of w L over the rows.
struct UnitSums {
  RowTerms rows;
  std::vector<ExactSum> donors;  // [value × losses + loss]

  static auto members() { return std::tuple(&UnitSums::rows, &UnitSums::donors); }
};

struct SwitchSums {
  std::vector<UnitSums> units;  // [unit]
  std::uint64_t done = 0;       // rows × units, for progress alone

  static auto members() { return std::tuple(&SwitchSums::units); }
};

class SwitchPass : public Pass<SwitchSums, State> {
 public:
  SwitchPass(std::shared_ptr<const Setup> setup, State state, std::vector<RowSwitches> per_unit)
      : setup_(std::move(setup)), state_(std::move(state)), per_unit_(std::move(per_unit)) {
    const ScoredRows& scored = *setup_->request.scored;
    const double heaviest = *std::max_element(setup_->weights().begin(), setup_->weights().end());
    for (std::size_t l = 0; l < scored.losses.size(); ++l) {
      const double largest = *std::max_element(scored.terms[l].begin(), scored.terms[l].end());
      // A model may be right about every row as it is.
      const double constant = scored.losses[l].info().row_mean ? scored.constants[l] : largest;
      // And so may be a constant, of rows of one class: but these losses are of the size of 1.
      const double usual = scored.losses[l].info().of_classes ? 1 : 0;
      rounding_units_.emplace_back(heaviest * std::max({largest, constant, usual}));
    }
    by_trees_ = std::all_of(per_unit_.begin(), per_unit_.end(), [&](const RowSwitches& switches) {
      return TreeCurves::possible(setup_->request.input, switches.donors.size());
    });
  }

  [[nodiscard]] std::vector<std::uint32_t> columns() const override {
    return by_trees_ ? setup_->request.input.features : std::vector<std::uint32_t>();
  }
  // In larger blocks than a model is asked for, more rows go the same ways down the trees.
  [[nodiscard]] bool needs_model() const override { return !by_trees_; }
  [[nodiscard]] std::uint64_t cost_per_row() const override {
    std::size_t cost = 0;
    const std::size_t all = std::max<std::size_t>(1, setup_->request.scored->rows());
    for (const RowSwitches& switches : per_unit_) cost += switches.donors.size() * switches.rows.size() / all;
    return cost;
  }
  [[nodiscard]] SwitchSums empty() const override {
    SwitchSums sums;
    const std::size_t losses = setup_->request.scored->losses.size();
    for (const RowSwitches& switches : per_unit_)
      sums.units.push_back({RowTerms(2 * losses), std::vector<ExactSum>(switches.donors.size() * losses)});
    return sums;
  }

  void map(const RowBlock& block, SwitchSums& sums, Evaluator& evaluator) const override {
    const auto positions = setup_->request.scored->positions(block);
    for (std::size_t i = 0; i < per_unit_.size();) {
      const UsedRows used(per_unit_[i], positions, setup_->request.scored->rows());
      std::size_t end = i + 1;
      while (by_trees_ && end < per_unit_.size() && per_unit_[end].rows == per_unit_[i].rows) ++end;
      if (!used.in_block.empty()) {
        const PickedBlock picked(block, used.in_block);
        if (by_trees_) {
          add_by_trees(picked.block(), i, end, used.in_switches, sums, evaluator);
        } else {
          add_by_predictions(picked.block(), i, used.in_switches, sums, evaluator);
        }
      }
      i = end;
    }
  }

  [[nodiscard]] State find(const SwitchSums& sums) const override {
    State state = state_;
    for (std::size_t i = 0; i < per_unit_.size(); ++i)
      finish(per_unit_[i], sums.units[i].rows, sums.units[i].donors, state.findings);
    state.first += state.count;
    return state;
  }

 private:
  // A number beyond what the unit allows, of one of the sums.
  struct Stray {
    std::size_t sum;
    double number;
  };
  struct Tile {
    std::size_t losses = 0;
    std::vector<double> sums;  // [value][loss]
    std::vector<Stray> strays;
  };

  // The rows of a block that are switched: where they are in both.
  struct UsedRows {
    std::vector<std::uint64_t> in_block;
    std::vector<std::size_t> in_switches;

    // positions: of the block's rows among the scored ones.
    UsedRows(const RowSwitches& switches, std::span<const std::size_t> positions, std::size_t scored) {
      for (std::size_t row = 0; row < positions.size(); ++row) {
        if (positions[row] >= scored) continue;
        std::size_t at = positions[row];
        if (switches.rows.size() < scored) {
          const auto found = std::lower_bound(switches.rows.begin(), switches.rows.end(), positions[row]);
          if (found == switches.rows.end() || *found != positions[row]) continue;
          at = static_cast<std::size_t>(found - switches.rows.begin());
        }
        in_block.push_back(row);
        in_switches.push_back(at);
      }
    }
  };

  // local: where the block's rows are among those switched.
  void add_by_predictions(const RowBlock& block, std::size_t i, std::span<const std::size_t> local, SwitchSums& sums,
                          Evaluator& evaluator) const {
    const RowSwitches& switches = per_unit_[i];
    Matrix predictions;
    for_each_slice(block, rows_per_request(std::min(switches.donors.size(), donors_at_once)),
                   [&](const RowBlock& part) {
                     const auto here = local.first(part.rows);
                     local = local.subspan(part.rows);
                     double* room = sums.units[i].rows.add(here, switches.rows.size());
                     std::vector<Tile> tiles((part.rows + tile_rows - 1) / tile_rows);
                     for (std::size_t first = 0; first < switches.donors.size(); first += donors_at_once) {
                       const Donors donors(switches, first, std::min(donors_at_once, switches.donors.size() - first));
                       evaluator.evaluate(part, std::span(switches.donors).subspan(first, donors.count()), predictions,
                                          !TreeCurves::last_digit_counts(setup_->request.input));
                       evaluator.context().parallel_for(tiles.size(), [&](std::size_t tile) {
                         const std::size_t begin = tile * tile_rows, rows = std::min(tile_rows, part.rows - begin);
                         const auto predict = [&](std::size_t d) {
                           return std::optional(std::as_const(predictions).span().rows(d * part.rows + begin, rows));
                         };
                         const auto of_tile = here.subspan(begin, rows);
                         const TileRows known(*setup_->request.scored, switches, of_tile);
                         add(switches, donors, known, of_tile, predict, room + begin, part.rows, tiles[tile]);
                       });
                       for (const Tile& tile : tiles) give(tile, first, sums.units[i].donors);
                     }
                   });
  }

  // The same for units whose rows are the same. Tile by tile, since most of what is found out about one serves all.
  void add_by_trees(const RowBlock& block, std::size_t begin, std::size_t end, std::span<const std::size_t> local,
                    SwitchSums& sums, Evaluator& evaluator) const {
    const MethodInput& input = setup_->request.input;
    Context& context = evaluator.context();
    const TreeCurves curves(input, block, context);
    std::vector<std::size_t> sorted;
    for (const std::uint32_t row : curves.rows()) sorted.push_back(local[row]);
    for (std::size_t i = begin; i < end;) {
      std::vector<TreeVariants> variants;
      std::vector<Donors> donors;
      std::vector<double*> rooms;
      for (std::size_t bytes = 0; i + variants.size() < end && bytes < ways_at_once;) {
        const RowSwitches& switches = per_unit_[i + variants.size()];
        TreeVariants ways = TreeCurves::variants(input, switches.donors, context);
        if (!TreeCurves::fit(ways)) break;
        bytes += variants.emplace_back(std::move(ways)).bytes();
        rooms.push_back(sums.units[i + rooms.size()].rows.add(sorted, switches.rows.size()));
        donors.emplace_back(switches, 0, switches.donors.size());
      }
      if (variants.empty()) {
        add_by_predictions(block, i++, local, sums, evaluator);
        sums.done += block.rows;
        continue;
      }
      // In rounds, so that progress shows.
      const std::size_t round = tiles_at_once * tasks_per_round * static_cast<std::size_t>(context.threads());
      std::vector<Tile> found(variants.size() * round);
      for (std::size_t first = 0; first < curves.tiles(); first += round) {
        const std::size_t tiles = std::min(round, curves.tiles() - first);
        context.parallel_for((tiles + tiles_at_once - 1) / tiles_at_once, [&](std::size_t task) {
          const std::size_t from = task * tiles_at_once, count = std::min(tiles_at_once, tiles - from);
          TreeCurves::Tiles work(curves);
          work.take(first + from, count);
          std::vector<TileRows> known;
          const auto rows_of = [&](std::size_t tile) {
            const std::size_t at = (first + tile) * tile_rows;
            return std::span(sorted).subspan(at, std::min(tile_rows, sorted.size() - at));
          };
          for (std::size_t tile = from; tile < from + count; ++tile)
            known.emplace_back(*setup_->request.scored, per_unit_[i], rows_of(tile));
          // Unit by unit, since ways down the trees are many.
          for (std::size_t k = 0; k < variants.size(); ++k) {
            const RowSwitches& switches = per_unit_[i + k];
            for (std::size_t tile = from; tile < from + count; ++tile) {
              context.check();
              const auto rows = rows_of(tile);
              std::uint32_t own[tile_rows];
              for (std::size_t row = 0; row < rows.size(); ++row)
                own[row] = static_cast<std::uint32_t>(switches.donor_of[rows[row]]);
              work.find(tile - from, variants[k], {own, rows.size()});
              const auto predict = [&](std::size_t d) -> std::optional<MatrixSpan<const double>> {
                if (!work.changes(d)) return std::nullopt;
                return work.predictions(d);
              };
              add(switches, donors[k], known[tile - from], rows, predict, rooms[k] + (first + tile) * tile_rows,
                  sorted.size(), found[k * round + tile]);
            }
          }
        });
        for (std::size_t k = 0; k < variants.size(); ++k) {
          for (std::size_t tile = 0; tile < tiles; ++tile) give(found[k * round + tile], 0, sums.units[i + k].donors);
        }
        const std::size_t done = std::min(sorted.size(), (first + tiles) * tile_rows) * variants.size();
        context.report({"switched losses", sums.done + done, rows_to_switch()});
      }
      sums.done += sorted.size() * variants.size();
      i += variants.size();
    }
  }

  [[nodiscard]] std::uint64_t rows_to_switch() const {
    std::uint64_t rows = 0;
    for (const RowSwitches& switches : per_unit_) rows += switches.rows.size();
    return rows;
  }

  static void give(const Tile& tile, std::size_t first_donor, std::vector<ExactSum>& donors) {
    const std::size_t first = first_donor * tile.losses;
    for (std::size_t k = 0; k < tile.sums.size(); ++k) donors[first + k].add(tile.sums[k]);
    for (const Stray& stray : tile.strays) donors[first + stray.sum].add(stray.number);
  }

  // Some of a unit's different values.
  struct Donors {
    std::size_t first;
    std::vector<double> weights_from;  // of each and all behind it

    Donors(const RowSwitches& switches, std::size_t from, std::size_t count) : first(from), weights_from(count) {
      double weight = 0;
      for (std::size_t d = count; d-- > 0;) weights_from[d] = weight += switches.donor_weights[from + d];
    }
    [[nodiscard]] std::size_t count() const { return weights_from.size(); }
  };
  // What is known of a tile's rows, whatever is switched.
  struct TileRows {
    std::size_t rows;
    double truths[tile_rows], weights[tile_rows] = {};
    std::vector<std::array<double, tile_rows>> own;  // [loss]

    // local: where they are among those switched. Rows that are not there leave zeros behind.
    TileRows(const ScoredRows& scored, const RowSwitches& switches, std::span<const std::size_t> local)
        : rows(local.size()), own(scored.losses.size()) {
      for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t position = switches.rows[local[row]];
        truths[row] = scored.truths[position];
        weights[row] = scored.weights[position];
        for (std::size_t l = 0; l < own.size(); ++l) own[l][row] = scored.terms[l][position];
      }
    }
    [[nodiscard]] std::size_t padded() const { return (rows + lanes - 1) / lanes * lanes; }
  };

  // local: where a tile's rows are among those switched. predict(d): their predictions with a donor's values; nothing
  // if they are those with the donor's before. room: for their numbers, each `stride` behind the one before.
  template <class Predict>
  void add(const RowSwitches& switches, const Donors& donors, const TileRows& tile, std::span<const std::size_t> local,
           Predict&& predict, double* room, std::size_t stride, Tile& sums) const {
    const ScoredRows& scored = *setup_->request.scored;
    const std::size_t losses = scored.losses.size(), rows = tile.rows;
    std::vector<std::array<double, tile_rows>> added(losses), terms(losses), before = tile.own;
    for (std::size_t l = 0; l < losses; ++l) std::copy_n(room + l * stride, rows, added[l].begin());
    std::vector<std::pair<std::uint64_t, std::size_t>> exchanges;  // donor and row
    for (std::size_t row = 0; row < rows && setup_->request.divide; ++row) {
      const std::size_t partner = switches.partners[local[row]];
      if (partner != RowSwitches::nobody) exchanges.emplace_back(switches.donor_of[partner], row);
    }
    std::sort(exchanges.begin(), exchanges.end());
    auto exchange = std::lower_bound(exchanges.begin(), exchanges.end(), std::pair(donors.first, std::size_t{0}));
    sums.losses = losses;
    sums.sums.assign(donors.count() * losses, 0.0);
    sums.strays.clear();
    std::optional<MatrixSpan<const double>> predictions;
    for (std::size_t d = 0; d < donors.count(); ++d) {
      // Σ_d w_d (L_d − L) as Σ_d (w_d + w_(d+1) + …) (L_d − L_(d−1)): what does not change a row adds exactly nothing
      // to it, whatever other rows are in the tile, and may be passed over.
      if (auto changed = predict(d)) {
        predictions = changed;
        for (std::size_t l = 0; l < losses; ++l) {
          scored.losses[l].terms_of_rows(*predictions, {tile.truths, rows}, terms[l].data());
          bool beyond = false;
          const double sum =
              add_tile(terms[l].data(), before[l].data(), scored.weighted ? tile.weights : nullptr, tile.padded(),
                       donors.weights_from[d], rounding_units_[l], added[l].data(), beyond);
          sums.sums[d * losses + l] =
              beyond ? sort_out(terms[l].data(), tile.weights, rows, l, d * losses + l, sums.strays) : sum;
        }
        std::swap(terms, before);
      } else {
        repeat_sums(d, sums);
      }
      for (; exchange != exchanges.end() && exchange->first == donors.first + d; ++exchange) {
        const std::size_t row = exchange->second;
        for (std::size_t l = 0; l < losses; ++l)
          scored.losses[l].terms(predictions->row(row), tile.truths[row], {room + (losses + l) * stride + row, 1});
      }
    }
    for (std::size_t l = 0; l < losses; ++l) std::copy_n(added[l].begin(), rows, room + l * stride);
  }

  // A value that makes of the tile's rows what the one before did.
  static void repeat_sums(std::size_t donor, Tile& tile) {
    const std::size_t first = donor * tile.losses;
    std::copy_n(tile.sums.begin() + static_cast<std::ptrdiff_t>(first - tile.losses), tile.losses,
                tile.sums.begin() + static_cast<std::ptrdiff_t>(first));
    const auto own = std::find_if(tile.strays.rbegin(), tile.strays.rend(),
                                  [&](const Stray& stray) { return stray.sum < first - tile.losses; });
    const auto strays = static_cast<std::size_t>(own - tile.strays.rbegin());
    for (std::size_t at = tile.strays.size() - strays, end = tile.strays.size(); at < end; ++at)
      tile.strays.push_back({tile.strays[at].sum + tile.losses, tile.strays[at].number});
  }

  // The sum of what is not beyond what the unit allows; the rest are strays.
  double sort_out(const double* terms, const double* weights, std::size_t rows, std::size_t l, std::size_t sum,
                  std::vector<Stray>& strays) const {
    double rounded = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const double number = weights[row] * terms[row];
      if (number == 0) continue;
      if (number <= rounding_units_[l].most) {
        rounded += rounding_units_[l].cut(number);
      } else {
        strays.push_back({sum, number});
      }
    }
    return rounded;
  }

  void finish(const RowSwitches& switches, const RowTerms& terms, const std::vector<ExactSum>& donors,
              SwitchFindings& findings) const {
    const ScoredRows& scored = *setup_->request.scored;
    const std::size_t losses = scored.losses.size();
    if (switches.rows.size() < scored.rows()) {
      const std::string& name = setup_->request.units[switches.unit].name;
      findings.caveats.push_back(
          {.id = "sampled-rows",
           .severity = Severity::note,
           .message = name + ": all pairs of " + std::to_string(switches.rows.size()) + " of " +
                      std::to_string(scored.rows()) + " rows, drawn at random to keep to the budget",
           .evidence = Value::object({{"feature", name}, {"rows", switches.rows.size()}, {"available", scored.rows()}}),
           .advice = marked("set {option:predictions} to ") + std::to_string(switches.needed) + " to use all rows"});
    }
    SwitchedUnit unit{.unit = switches.unit,
                      .rows = switches.rows,
                      .weights = {},
                      .weighted = scored.weighted,
                      .values = switches.donors.size(),
                      .losses = {}};
    ExactSum total, squares;
    for (const std::size_t row : switches.rows) unit.weights.push_back(setup_->weights()[row]);
    total.add_all(unit.weights);
    // Weights that are below 1 on average cannot count rows: only their ratios are known.
    const auto rows = static_cast<double>(switches.rows.size());
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
                         .added = terms.numbers(switches.rows.size(), l),
                         .lent = {},
                         .divided = std::nullopt};
      std::vector<double> of_donor;
      for (std::size_t d = 0; d < switches.donors.size(); ++d) of_donor.push_back(donors[d * losses + l].value());
      for (std::size_t k = 0; k < switches.rows.size(); ++k) {
        found.own.push_back(scored.terms[l][switches.rows[k]]);
        found.lent.push_back(scale * of_donor[switches.donor_of[k]]);
        found.added[k] *= scale;
      }
      found.original = sum(found.own) / unit.total;
      found.switched = sum(found.added);
      if (setup_->request.divide && switches.rows.size() > 1) {
        const std::vector<double> exchanged = terms.numbers(switches.rows.size(), losses + l);
        ExactSum divided, weight;
        for (std::size_t k = 0; k < switches.rows.size(); ++k) {
          if (switches.partners[k] == RowSwitches::nobody) continue;
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
  std::vector<RowSwitches> per_unit_;
  std::vector<RoundingUnit> rounding_units_;  // [loss]
  bool by_trees_ = false;
};

// Different values that trees can tell apart.
std::size_t most_values(const TreeRows* trees, const std::vector<std::uint32_t>& columns) {
  constexpr std::size_t many = std::size_t{1} << 32;
  std::size_t product = 1;
  for (const std::uint32_t column : columns) {
    if (trees == nullptr || product >= many) return std::numeric_limits<std::size_t>::max();
    if (const auto slot = trees->slot(column)) product *= trees->codes().codes(*slot);
  }
  return product;
}

// Unit by unit; as many at once as fit into memory.
Chain<State> switch_units(const std::shared_ptr<const Setup>& setup, State state) {  // NOLINT(misc-no-recursion)
  const SwitchRequest& request = setup->request;
  if (state.first == request.units.size()) return state;
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
  return draw_rows(request.input, columns, 0, 0)
      .then([=](const RowSample& sample) {
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
        std::vector<RowSwitches> per_unit;
        for (std::size_t u = next.first; u < next.first + next.count; ++u)
          per_unit.push_back(choose_switches(setup->request, u, values));
        return over_rows<SwitchPass>(setup, std::move(next), std::move(per_unit));
      })
      .then([setup](State next) { return switch_units(setup, std::move(next)); });  // NOLINT(misc-no-recursion)
}

}  // namespace

std::optional<double> SwitchedUnit::standard_error(const SwitchedLoss& loss, std::span<const double> parts) const {
  if (std::all_of(loss.added.begin(), loss.added.end(), [](double added) { return added == 0; })) return 0;
  ExactMoments moments;
  ExactSum sum;
  sum.add_all(weights);
  if (!weighted) moments.add_all(parts);
  for (std::size_t k = 0; weighted && k < parts.size(); ++k) moments.add(parts[k], weights[k]);
  const double se = std::sqrt(moments.variance(sum.pair()) / effective);
  return std::isfinite(se) ? std::optional(se) : std::nullopt;
}

Chain<SwitchFindings> switch_rows(SwitchRequest request, SwitchFindings findings,
                                  std::function<void(const SwitchedUnit&, SwitchFindings&)> take) {
  const auto setup = std::make_shared<const Setup>(Setup{std::move(request), std::move(take)});
  return switch_units(setup, State{.findings = std::move(findings)}).then([](State state) {
    return std::move(state.findings);
  });
}

}  // namespace sightglass
