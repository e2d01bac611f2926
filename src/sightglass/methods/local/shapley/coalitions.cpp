#include "sightglass/methods/local/shapley/coalitions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"
#include "sightglass/data/column_like.h"
#include "sightglass/methods/run/row_sample.h"
#include "sightglass/numeric/shapley.h"

namespace sightglass {

namespace {

constexpr std::uint64_t background_stream = 0x6261'636b'6772;  // "backgr"
constexpr std::uint64_t order_stream = 0x6f72'6465'7273;       // "orders"
// Hybrid rows are laid out as plain columns: so many rows, and numbers, at a time. Along orders fewer suffice, which
// stay in cache on their way to the model.
constexpr std::size_t hybrids_at_once = std::size_t{1} << 16;
constexpr std::size_t ordered_at_once = std::size_t{1} << 13;
constexpr std::size_t numbers_at_once = std::size_t{1} << 22;

// Mean and spread of what a feature changed, over the rounds of one background row.
struct Changes {
  double mean = 0, squares = 0;

  // share: 1 / how many there are with this one.
  void add(double value, double share) {
    const double apart = value - mean;
    mean += apart * share;
    squares += apart * (value - mean);
  }
};

// A row that takes the values of some players from the subject (their bits), the others from a background row.
struct Mixture {
  std::uint32_t background = 0, players = 0;
};

// A background row in one round.
struct OrderedRow {
  std::size_t background = 0;
  double share = 0;       // of the round in those so far
  std::size_t first = 0;  // of its predictions
};

class Coalitions : public RowAttributor {
 public:
  Coalitions(const MethodInput& input, const CoalitionOptions& options, RowSample background)
      : features_(input.features),
        groups_(options.groups),
        explained_(input.explained),
        width_(input.schema.size()),
        seed_(input.seed),
        options_(options),
        background_(std::move(background)) {
    const double total = std::accumulate(background_.weights.begin(), background_.weights.end(), 0.0);
    for (const double weight : background_.weights) shares_.push_back(weight / total);
    if (groups_.empty()) {
      for (std::size_t j = 0; j < features_.size(); ++j) groups_.push_back({j});
    }
    player_of_.resize(features_.size());
    for (std::size_t player = 0; player < groups_.size(); ++player) {
      for (const std::size_t feature : groups_[player]) player_of_[feature] = player;
    }
  }

  [[nodiscard]] std::uint64_t cost_per_row() const override {
    const double cost = coalition_cost(groups_.size(), background_.rows(), options_.exact);
    return 1 + static_cast<std::uint64_t>(options_.exact ? cost : cost * static_cast<double>(options_.rounds));
  }
  [[nodiscard]] bool estimates() const override { return !options_.exact; }

  void attribute(const RowBlock& rows, Evaluator& evaluator, BlockAttributions& out) const override {
    const std::size_t p = groups_.size(), outputs = explained_.size();
    out.prediction.resize(rows.rows * outputs);
    out.values.assign(rows.rows * outputs * p, 0);
    out.se.assign(options_.exact ? 0 : out.values.size(), 0);
    out.interactions.assign(options_.interactions ? out.values.size() * p : 0, 0);

    Matrix predictions;
    evaluator.evaluate(rows, predictions);
    for (std::size_t row = 0; row < rows.rows; ++row) {
      for (std::size_t k = 0; k < outputs; ++k) out.prediction[row * outputs + k] = predictions(row, explained_[k]);
    }
    const std::vector<double> own = numbers_of(rows);
    const std::vector<double> alone = background_predictions(rows, evaluator);
    out.base.resize(outputs);
    for (std::size_t k = 0; k < outputs; ++k) out.base[k] = mean(alone.data() + k, outputs);
    for (std::size_t row = 0; row < rows.rows; ++row) {
      const Subject subject{rows, rows.row_id(row), own.data() + row * features_.size()};
      const std::size_t at = row * outputs;
      if (options_.exact) {
        enumerate(subject, evaluator, alone, out.base.data(), &out.prediction[at], &out.values[at * p],
                  options_.interactions ? &out.interactions[at * p * p] : nullptr);
      } else {
        sample(subject, evaluator, alone, &out.prediction[at], &out.values[at * p], &out.se[at * p]);
      }
    }
  }

  [[nodiscard]] Value details() const override {
    Value details = Value::object({{"estimator", options_.exact ? "exact" : "sampling"},
                                   {"background", "rows"},
                                   {"background_rows", background_.rows()},
                                   {"background_available", background_.available}});
    if (!options_.exact) details.set("most_permutations", options_.rounds).set("precision", options_.precision);
    return details;
  }

  void add_caveats(std::vector<Caveat>& caveats) const override {
    if (!background_.complete()) {
      caveats.push_back(
          {.id = "sampled-background",
           .severity = Severity::note,
           .message = "compared with " + std::to_string(background_.rows()) + " of " +
                      std::to_string(background_.available) +
                      " rows, drawn at random: base and values are those of "
                      "this background",
           .evidence = Value::object({{"rows", background_.rows()}, {"available", background_.available}}),
           .advice = marked("raise {option:background_rows}; 0 compares with all rows")});
    }
    if (options_.exact) return;
    const bool few = groups_.size() <= most_enumerated;
    caveats.push_back(
        {.id = "sampled-values",
         .severity = Severity::note,
         .message = "values are estimated from random orders of the features, each with its reverse; standard errors "
                    "are given",
         .evidence = Value::object({{"most_permutations", options_.rounds},
                                    {"background_rows", background_.rows()},
                                    {"precision", options_.precision},
                                    {"features", features_.size()}}),
         .advice = marked("lower {option:precision}, raise {option:permutations} and raise {option:predictions} for "
                          "smaller errors") +
                   marked(few ? ", or set {option:estimator} to exact" : "")});
  }

  [[nodiscard]] std::optional<double> only_value(std::size_t player) const override {
    if (groups_[player].size() > 1) return std::nullopt;
    const auto& values = background_.values[groups_[player][0]];
    const double first = values.front();
    const bool same = std::all_of(values.begin(), values.end(), [&](double value) {
      return value == first || (std::isnan(value) && std::isnan(first));
    });
    return same ? std::optional(first) : std::nullopt;
  }

 private:
  // A row that is explained: its block, which knows the columns' types, and its own numbers.
  struct Subject {
    const RowBlock& block;
    std::uint64_t id;
    const double* own;
  };

  // [row × features + feature]
  [[nodiscard]] std::vector<double> numbers_of(const RowBlock& rows) const {
    const std::size_t p = features_.size();
    std::vector<double> numbers(rows.rows * p), column(rows.rows);
    for (std::size_t j = 0; j < p; ++j) {
      read_numbers(rows.columns[features_[j]], column);
      for (std::size_t row = 0; row < rows.rows; ++row) numbers[row * p + j] = column[row];
    }
    return numbers;
  }

  // Weighted mean of every `stride`-th number, one per background row. Around the first, so that equal numbers have
  // themselves as their mean.
  [[nodiscard]] double mean(const double* numbers, std::size_t stride) const {
    double sum = 0;
    for (std::size_t b = 1; b < shares_.size(); ++b) sum += shares_[b] * (numbers[b * stride] - numbers[0]);
    return numbers[0] + sum;
  }

  // f of rows that are laid out by fill(feature, its player, numbers).
  template <class Fill>
  void predict(const Subject& subject, std::size_t count, const Fill& fill, Evaluator& evaluator, Matrix& out) const {
    std::vector<Column> columns(features_.size());
    evaluator.context().parallel_for(features_.size(), [&](std::size_t j) {
      std::vector<double> numbers(count);
      fill(j, player_of_[j], numbers);
      columns[j] = column_like(subject.block.columns[features_[j]], std::move(numbers));
    });
    std::vector<ColumnView> views(width_);
    for (std::size_t j = 0; j < features_.size(); ++j) views[features_[j]] = columns[j].view;
    const std::vector<std::uint64_t> ids(count, subject.id);
    evaluator.evaluate({.first_row = subject.id, .rows = count, .columns = views, .row_ids = ids}, out);
  }

  // Whether the subject's values of a player are other than those of a background row.
  [[nodiscard]] bool differs(const Subject& subject, std::size_t player, std::size_t b) const {
    return std::any_of(groups_[player].begin(), groups_[player].end(), [&](std::size_t feature) {
      const double own = subject.own[feature], other = background_.values[feature][b];
      return own != other && !(std::isnan(own) && std::isnan(other));
    });
  }

  // [background row × outputs + output]
  [[nodiscard]] std::vector<double> background_predictions(const RowBlock& like, Evaluator& evaluator) const {
    std::vector<Column> columns;
    std::vector<ColumnView> views(width_);
    for (std::size_t j = 0; j < features_.size(); ++j) {
      columns.push_back(column_like(like.columns[features_[j]], background_.values[j]));
      views[features_[j]] = columns.back().view;
    }
    Matrix predictions;
    evaluator.evaluate(
        {.first_row = background_.ids[0], .rows = background_.rows(), .columns = views, .row_ids = background_.ids},
        predictions);
    std::vector<double> alone;
    for (std::size_t b = 0; b < background_.rows(); ++b) {
      for (const std::size_t output : explained_) alone.push_back(predictions(b, output));
    }
    return alone;
  }

  // Every coalition but none and all, which are known. With a background row only players differ whose values differ:
  // its coalitions are the subsets of these.
  void enumerate(const Subject& subject, Evaluator& evaluator, const std::vector<double>& alone, const double* base,
                 const double* prediction, double* values, double* interactions) const {
    const std::size_t p = groups_.size(), outputs = explained_.size(), rows = background_.rows();
    const std::uint32_t coalitions = std::uint32_t{1} << p;
    std::vector<double> games(outputs * coalitions);  // [output × coalitions + coalition]
    std::vector<double> of_first(games.size());       // with the first background row, around which means are taken
    std::vector<Mixture> asked;
    std::vector<std::uint32_t> differing;  // of background rows whose coalitions are asked for together
    std::vector<std::uint32_t> code(coalitions);
    for (std::size_t begin = 0; begin < rows;) {
      asked.clear();
      differing.clear();
      for (std::size_t b = begin; b < rows && (b == begin || asked.size() + coalitions <= hybrids_at_once); ++b) {
        std::uint32_t all = 0;
        for (std::size_t player = 0; player < p; ++player)
          all |= differs(subject, player, b) ? std::uint32_t{1} << player : 0;
        differing.push_back(all);
        for (std::uint32_t part = (0 - all) & all; part != all && part != 0; part = (part - all) & all)
          asked.push_back({static_cast<std::uint32_t>(b), part});
      }
      const std::vector<double> answers = predict_mixtures(subject, asked, evaluator);
      std::size_t first = 0;  // of the background row's answers
      for (std::size_t i = 0; i < differing.size(); ++i) {
        const std::size_t b = begin + i;
        const std::uint32_t all = differing[i];
        // Subsets were asked for in ascending order: a subset's place is its bits, those of `all` pushed together.
        for (std::uint32_t coalition = 1; coalition < coalitions; ++coalition) {
          const std::uint32_t lowest = coalition & (0 - coalition);
          const std::uint32_t bit =
              (lowest & all) != 0 ? std::uint32_t{1} << std::popcount(all & (lowest - 1)) : std::uint32_t{0};
          code[coalition] = code[coalition ^ lowest] | bit;
        }
        const std::uint32_t complete = (std::uint32_t{1} << std::popcount(all)) - 1;
        for (std::size_t k = 0; k < outputs; ++k) {
          for (std::uint32_t coalition = 1; coalition + 1 < coalitions; ++coalition) {
            const std::uint32_t at = code[coalition];
            const double value = at == complete ? prediction[k]
                                 : at == 0      ? alone[b * outputs + k]
                                                : answers[(first + at - 1) * outputs + k];
            double &game = games[k * coalitions + coalition], &before = of_first[k * coalitions + coalition];
            if (b == 0) before = value;
            game += shares_[b] * (value - before);
          }
        }
        if (complete > 1) first += complete - 1;
      }
      begin += differing.size();
    }
    // As mean() does, so that a feature which changes nothing gets exactly nothing.
    for (std::size_t i = 0; i < games.size(); ++i) games[i] += of_first[i];
    for (std::size_t k = 0; k < outputs; ++k) {
      const std::span game(games.data() + k * coalitions, coalitions);
      game.front() = base[k];
      game.back() = prediction[k];
      const std::span of_output(values + k * p, p);
      shapley_values(game, p, of_output);
      if (interactions != nullptr) shapley_interactions(game, p, of_output, {interactions + k * p * p, p * p});
    }
  }

  // [row × outputs + output]
  [[nodiscard]] std::vector<double> predict_mixtures(const Subject& subject, const std::vector<Mixture>& asked,
                                                     Evaluator& evaluator) const {
    const auto fill = [&](std::size_t first, std::size_t feature, std::size_t player, std::vector<double>& numbers) {
      const double own = subject.own[feature];
      const std::vector<double>& others = background_.values[feature];
      for (std::size_t h = 0; h < numbers.size(); ++h) {
        const Mixture& row = asked[first + h];
        numbers[h] = ((row.players >> player) & 1) != 0 ? own : others[row.background];
      }
    };
    return predict_in_parts(subject, asked.size(), fill, evaluator);
  }

  // All rows that are laid out by fill(first of the part, feature, its player, numbers); [row × outputs + output].
  template <class Fill>
  [[nodiscard]] std::vector<double> predict_in_parts(const Subject& subject, std::size_t count, const Fill& fill,
                                                     Evaluator& evaluator) const {
    const std::size_t outputs = explained_.size();
    const std::size_t at_once =
        std::max<std::size_t>(256, std::min(hybrids_at_once, numbers_at_once / features_.size()));
    std::vector<double> answers(count * outputs);
    Matrix predictions;
    for (std::size_t first = 0; first < count; first += at_once) {
      const std::size_t part = std::min(at_once, count - first);
      predict(
          subject, part,
          [&](std::size_t feature, std::size_t player, std::vector<double>& numbers) {
            fill(first, feature, player, numbers);
          },
          evaluator, predictions);
      for (std::size_t h = 0; h < part; ++h) {
        for (std::size_t k = 0; k < outputs; ++k) answers[(first + h) * outputs + k] = predictions(h, explained_[k]);
      }
    }
    return answers;
  }

  // A random order of the players. One random number of the stratum's own begins a sequence of cheap ones (SplitMix64,
  // Steele et al. 2014), each of which serves two players.
  void draw_order(std::uint64_t key, std::uint64_t stratum, std::vector<std::uint32_t>& order) const {
    std::iota(order.begin(), order.end(), 0U);
    std::uint64_t state = random_bits(key, order_stream, stratum), bits = 0;
    for (std::size_t i = order.size(); i-- > 1;) {
      if ((order.size() - i) % 2 == 1) {
        state += 0x9e37'79b9'7f4a'7c15;
        bits = (state ^ (state >> 30)) * 0xbf58'476d'1ce4'e5b9;
        bits = (bits ^ (bits >> 27)) * 0x94d0'49bb'1331'11eb;
        bits ^= bits >> 31;
      } else {
        bits >>= 32;
      }
      std::swap(order[i], order[((bits & 0xffff'ffff) * (i + 1)) >> 32]);
    }
  }

  // In a round every background row meets the players in an order of its own, forth and back. Only those whose values
  // differ leave a trace: d of them take d − 1 rows each way, in the i-th of which i + 1 have joined.
  void sample(const Subject& subject, Evaluator& evaluator, const std::vector<double>& alone, const double* prediction,
              double* values, double* errors) const {
    const std::size_t p = groups_.size(), outputs = explained_.size(), rows = background_.rows();
    // An order of a row belongs to it alone, whatever else is explained.
    const std::uint64_t key = random_bits(seed_, order_stream, subject.id);
    std::vector<Changes> changes(rows * outputs * p);
    std::vector<char> differing(rows * p);
    std::vector<std::size_t> count(rows);  // of those that differ
    for (std::size_t b = 0; b < rows; ++b) {
      for (std::size_t player = 0; player < p; ++player) {
        differing[b * p + player] = differs(subject, player, b) ? 1 : 0;
        count[b] += static_cast<std::size_t>(differing[b * p + player]);
      }
    }
    const std::size_t at_once =
        std::max<std::size_t>(256, std::min(ordered_at_once, numbers_at_once / features_.size()));
    std::vector<OrderedRow> chunk;
    std::vector<std::uint32_t> ranks, order(p);  // [place in the chunk × players + player]: how many differ before it
    std::array<std::vector<double>, 2> paths{std::vector<double>(p + 1), std::vector<double>(p + 1)};
    Matrix predictions;
    std::size_t asked = 0;
    const auto ask = [&] {
      if (asked > 0) {
        const auto fill = [&](std::size_t feature, std::size_t player, std::vector<double>& numbers) {
          const double own = subject.own[feature];
          const std::vector<double>& others = background_.values[feature];
          double* at = numbers.data();
          for (std::size_t i = 0; i < chunk.size(); ++i) {
            const std::size_t b = chunk[i].background, steps = count[b] - 1, rank = ranks[i * p + player];
            // Looked up one by one: ends of runs of random length would be mispredicted.
            const double either[] = {others[b], own};
            for (std::size_t step = 0; step < steps; ++step) *at++ = either[step >= rank ? 1 : 0];
            for (std::size_t step = 0; step < steps; ++step) *at++ = either[step + rank >= steps ? 1 : 0];
          }
        };
        predict(subject, asked, fill, evaluator, predictions);
        for (std::size_t i = 0; i < chunk.size(); ++i)
          add_changes(chunk[i], count[chunk[i].background], ranks.data() + i * p, differing, predictions, alone,
                      prediction, paths, changes);
      }
      chunk.clear();
      ranks.clear();
      asked = 0;
    };
    // Few looks: who looks after every round stops where errors happen to look small.
    for (std::uint64_t done = 0, look = fewest_rounds; done < options_.rounds; look *= 2) {
      for (const std::uint64_t until = std::min(look, options_.rounds); done < until; ++done) {
        for (std::size_t b = 0; b < rows; ++b) {
          if (count[b] == 0) continue;
          const std::size_t steps = 2 * (count[b] - 1);
          if (asked + steps > at_once) ask();
          draw_order(key, done * rows + b, order);
          chunk.push_back({b, 1 / static_cast<double>(done + 1), asked});
          ranks.resize(chunk.size() * p);
          std::uint32_t before = 0;
          for (const std::uint32_t player : order) {
            ranks[(chunk.size() - 1) * p + player] = before;
            before += static_cast<std::uint32_t>(differing[b * p + player]);
          }
          asked += steps;
          // One player alone makes all the difference: there is nothing to ask.
          if (count[b] == 1)
            add_changes(chunk.back(), 1, ranks.data() + (chunk.size() - 1) * p, differing, predictions, alone,
                        prediction, paths, changes);
          if (count[b] == 1) chunk.pop_back();
        }
      }
      ask();
      if (settle(changes, static_cast<double>(done), values, errors)) break;
    }
  }

  // What each player changed when it joined, mean of the order and its reverse. Those that do not differ change
  // nothing.
  void add_changes(const OrderedRow& row, std::size_t count, const std::uint32_t* ranks,
                   const std::vector<char>& differing, const Matrix& predictions, const std::vector<double>& alone,
                   const double* prediction, std::array<std::vector<double>, 2>& paths,
                   std::vector<Changes>& changes) const {
    const std::size_t p = groups_.size(), outputs = explained_.size(), b = row.background;
    std::vector<double>& forth = paths[0];
    std::vector<double>& back = paths[1];
    for (std::size_t k = 0; k < outputs; ++k) {
      // Predictions after so many players have joined.
      for (const bool turned : {false, true}) {
        std::vector<double>& path = paths[turned ? 1 : 0];
        const std::size_t first = row.first + (turned ? count - 1 : 0);
        path.front() = alone[b * outputs + k];
        for (std::size_t joined = 1; joined < count; ++joined)
          path[joined] = predictions(first + joined - 1, explained_[k]);
        path[count] = prediction[k];
      }
      for (std::size_t player = 0; player < p; ++player) {
        if (differing[b * p + player] == 0) continue;
        const std::size_t rank = ranks[player], turned = count - 1 - rank;
        const double forth_change = forth[rank + 1] - forth[rank], back_change = back[turned + 1] - back[turned];
        changes[(b * outputs + k) * p + player].add(forth_change / 2 + back_change / 2, row.share);
      }
    }
  }

  // Estimates after so many rounds; whether they are as precise as was asked for. Background rows are strata: each
  // is seen equally often, so only what varies within one counts as error.
  [[nodiscard]] bool settle(const std::vector<Changes>& changes, double rounds, double* values, double* errors) const {
    const std::size_t p = groups_.size(), outputs = explained_.size();
    bool precise = true;
    for (std::size_t k = 0; k < outputs; ++k) {
      double largest = 0, worst = 0;
      for (std::size_t j = 0; j < p; ++j) {
        double value = 0, variance = 0;
        for (std::size_t b = 0; b < shares_.size(); ++b) {
          const Changes& of_row = changes[(b * outputs + k) * p + j];
          value += shares_[b] * of_row.mean;
          variance += shares_[b] * shares_[b] * of_row.squares;
        }
        values[k * p + j] = value;
        errors[k * p + j] = std::sqrt(variance / (rounds * (rounds - 1)));
        largest = std::max(largest, std::abs(value));
        worst = std::max(worst, errors[k * p + j]);
      }
      precise = precise && worst <= options_.precision * largest;
    }
    return precise;
  }

  std::vector<std::uint32_t> features_;
  std::vector<std::vector<std::size_t>> groups_;  // the players: places of features
  std::vector<std::size_t> player_of_;            // per feature
  std::vector<std::size_t> explained_;
  std::size_t width_;
  std::uint64_t seed_;
  CoalitionOptions options_;
  RowSample background_;
  std::vector<double> shares_;  // of the background rows in the weight of all
};

}  // namespace

double coalition_cost(std::size_t players, std::uint64_t background_rows, bool exact) {
  const auto rows = static_cast<double>(background_rows);
  if (exact) return (std::ldexp(1.0, static_cast<int>(std::min<std::size_t>(players, 1000))) - 2) * rows;
  return 2 * static_cast<double>(players - 1) * rows;
}

Chain<AttributorPtr> draw_coalitions(const MethodInput& input, const CoalitionOptions& options) {
  return draw_rows(input, input.features, options.background_rows, background_stream)
      .then([=](RowSample background) -> AttributorPtr {
        return std::make_shared<const Coalitions>(input, options, std::move(background));
      });
}

}  // namespace sightglass
