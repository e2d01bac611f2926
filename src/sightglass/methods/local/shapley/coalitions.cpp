#include "sightglass/methods/local/shapley/coalitions.h"

#include <algorithm>
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
// Hybrid rows are laid out as plain columns: so many rows, and numbers, at a time.
constexpr std::size_t hybrids_at_once = std::size_t{1} << 16;
constexpr std::size_t numbers_at_once = std::size_t{1} << 22;

// Mean and spread of what a feature changed, over the rounds of one background row.
struct Changes {
  double mean = 0, squares = 0;

  void add(double value, double count) {
    const double apart = value - mean;
    mean += apart / count;
    squares += apart * (value - mean);
  }
};

class Coalitions : public RowAttributor {
 public:
  Coalitions(const MethodInput& input, const CoalitionOptions& options, RowSample background)
      : features_(input.features),
        explained_(input.explained),
        width_(input.schema.size()),
        seed_(input.seed),
        options_(options),
        background_(std::move(background)) {
    const double total = std::accumulate(background_.weights.begin(), background_.weights.end(), 0.0);
    for (const double weight : background_.weights) shares_.push_back(weight / total);
  }

  [[nodiscard]] std::uint64_t cost_per_row() const override {
    const double cost = coalition_cost(features_.size(), background_.rows(), options_.exact);
    return 1 + static_cast<std::uint64_t>(options_.exact ? cost : cost * static_cast<double>(options_.rounds));
  }
  [[nodiscard]] bool estimates() const override { return !options_.exact; }

  void attribute(const RowBlock& rows, Evaluator& evaluator, BlockAttributions& out) const override {
    const std::size_t p = features_.size(), outputs = explained_.size();
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
      const Subject subject{rows, rows.row_id(row), own.data() + row * p};
      const std::size_t at = row * outputs;
      if (options_.exact) {
        enumerate(subject, evaluator, out.base.data(), &out.prediction[at], &out.values[at * p],
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
    const bool few = features_.size() <= most_enumerated;
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

  [[nodiscard]] std::optional<double> only_value(std::size_t feature) const override {
    const auto& values = background_.values[feature];
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

  // f of `count` rows that take some features from the subject, the others from a background row.
  // from(hybrid): its background row; takes(hybrid, feature): whether the feature is the subject's own.
  template <class From, class Takes>
  void predict(const Subject& subject, std::size_t count, const From& from, const Takes& takes, Evaluator& evaluator,
               Matrix& out) const {
    std::vector<Column> columns(features_.size());
    evaluator.context().parallel_for(features_.size(), [&](std::size_t j) {
      std::vector<double> numbers(count);
      const std::vector<double>& others = background_.values[j];
      for (std::size_t h = 0; h < count; ++h) numbers[h] = takes(h, j) ? subject.own[j] : others[from(h)];
      columns[j] = column_like(subject.block.columns[features_[j]], numbers);
    });
    std::vector<ColumnView> views(width_);
    for (std::size_t j = 0; j < features_.size(); ++j) views[features_[j]] = columns[j].view;
    const std::vector<std::uint64_t> ids(count, subject.id);
    evaluator.evaluate({.first_row = subject.id, .rows = count, .columns = views, .row_ids = ids}, out);
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

  // Every coalition but none and all, which are known.
  void enumerate(const Subject& subject, Evaluator& evaluator, const double* base, const double* prediction,
                 double* values, double* interactions) const {
    const std::size_t p = features_.size(), outputs = explained_.size(), rows = background_.rows();
    const std::size_t coalitions = std::size_t{1} << p;
    std::vector<double> games(outputs * coalitions);  // [output × coalitions + coalition]
    const std::size_t hybrids = std::min(hybrids_at_once, numbers_at_once / p);
    const std::size_t at_once = std::max<std::size_t>(1, hybrids / rows);
    Matrix predictions;
    for (std::size_t first = 1; first + 1 < coalitions; first += at_once) {
      const std::size_t count = std::min(at_once, coalitions - 1 - first);
      predict(
          subject, count * rows, [&](std::size_t h) { return h % rows; },
          [&](std::size_t h, std::size_t j) { return (((first + h / rows) >> j) & 1) != 0; }, evaluator, predictions);
      const std::size_t all = evaluator.outputs().size();
      for (std::size_t c = 0; c < count; ++c) {
        for (std::size_t k = 0; k < outputs; ++k) {
          games[k * coalitions + first + c] = mean(predictions.span().data() + c * rows * all + explained_[k], all);
        }
      }
    }
    for (std::size_t k = 0; k < outputs; ++k) {
      const std::span game(games.data() + k * coalitions, coalitions);
      game.front() = base[k];
      game.back() = prediction[k];
      const std::span of_output(values + k * p, p);
      shapley_values(game, p, of_output);
      if (interactions != nullptr) shapley_interactions(game, p, of_output, {interactions + k * p * p, p * p});
    }
  }

  // [background row × features + feature]: the place of each feature in that row's order.
  void draw_orders(std::uint64_t key, std::uint64_t round, std::vector<std::uint32_t>& places) const {
    const std::size_t p = features_.size();
    std::vector<std::uint32_t> order(p);
    for (std::size_t b = 0; b < background_.rows(); ++b) {
      std::iota(order.begin(), order.end(), 0U);
      const std::uint64_t first = (round * background_.rows() + b) * p;
      for (std::size_t i = p; i-- > 1;) std::swap(order[i], order[random_bits(key, order_stream, first + i) % (i + 1)]);
      for (std::size_t i = 0; i < p; ++i) places[b * p + order[i]] = static_cast<std::uint32_t>(i);
    }
  }

  void sample(const Subject& subject, Evaluator& evaluator, const std::vector<double>& alone, const double* prediction,
              double* values, double* errors) const {
    const std::size_t p = features_.size(), outputs = explained_.size(), rows = background_.rows();
    const std::size_t steps = p - 1;  // of one order, between none and all
    const std::size_t hybrids = rows * 2 * steps;
    // An order of a row belongs to it alone, whatever else is explained.
    const std::uint64_t key = random_bits(seed_, order_stream, subject.id);
    std::vector<std::uint32_t> places(rows * p);
    std::vector<Changes> changes(rows * outputs * p);
    std::vector<double> along(hybrids * outputs);  // predictions of a round, outputs explained
    Matrix predictions;
    const std::size_t at_once = std::max<std::size_t>(256, std::min(hybrids_at_once, numbers_at_once / p));
    for (std::uint64_t round = 0; round < options_.rounds; ++round) {
      draw_orders(key, round, places);
      for (std::size_t first = 0; first < hybrids; first += at_once) {
        const std::size_t count = std::min(at_once, hybrids - first);
        predict(
            subject, count, [&](std::size_t h) { return (first + h) / (2 * steps); },
            [&](std::size_t h, std::size_t j) {
              const std::size_t at = (first + h) % (2 * steps);
              const std::size_t place = places[(first + h) / (2 * steps) * p + j];
              // Forth: the first features of the order have joined; back: the last ones.
              return at < steps ? place <= at : place + (at - steps) + 1 >= p;
            },
            evaluator, predictions);
        for (std::size_t h = 0; h < count; ++h) {
          for (std::size_t k = 0; k < outputs; ++k) along[(first + h) * outputs + k] = predictions(h, explained_[k]);
        }
      }
      add_changes(places, along, alone, prediction, static_cast<double>(round + 1), changes);
      // Few looks: who looks after every round stops where errors happen to look small.
      const std::uint64_t done = round + 1;
      const bool look = done >= fewest_rounds && std::has_single_bit(done);
      if (!look && done < options_.rounds) continue;
      if (settle(changes, static_cast<double>(done), values, errors)) break;
    }
  }

  // What each feature changed when it joined, mean of the order and its reverse.
  void add_changes(const std::vector<std::uint32_t>& places, const std::vector<double>& along,
                   const std::vector<double>& alone, const double* prediction, double round,
                   std::vector<Changes>& changes) const {
    const std::size_t p = features_.size(), outputs = explained_.size(), steps = p - 1;
    for (std::size_t b = 0; b < background_.rows(); ++b) {
      for (std::size_t k = 0; k < outputs; ++k) {
        // After so many features have joined; forth and back.
        const auto after = [&](std::size_t joined, bool back) {
          if (joined == 0) return alone[b * outputs + k];
          if (joined == p) return prediction[k];
          return along[(b * 2 * steps + (back ? steps : 0) + joined - 1) * outputs + k];
        };
        for (std::size_t j = 0; j < p; ++j) {
          const std::size_t place = places[b * p + j], back = p - 1 - place;
          const double forth_change = after(place + 1, false) - after(place, false);
          const double back_change = after(back + 1, true) - after(back, true);
          changes[(b * outputs + k) * p + j].add(forth_change / 2 + back_change / 2, round);
        }
      }
    }
  }

  // Estimates after so many rounds; whether they are as precise as was asked for. Background rows are strata: each
  // is seen equally often, so only what varies within one counts as error.
  [[nodiscard]] bool settle(const std::vector<Changes>& changes, double rounds, double* values, double* errors) const {
    const std::size_t p = features_.size(), outputs = explained_.size();
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
  std::vector<std::size_t> explained_;
  std::size_t width_;
  std::uint64_t seed_;
  CoalitionOptions options_;
  RowSample background_;
  std::vector<double> shares_;  // of the background rows in the weight of all
};

}  // namespace

double coalition_cost(std::size_t features, std::uint64_t background_rows, bool exact) {
  const auto rows = static_cast<double>(background_rows);
  if (exact) return (std::ldexp(1.0, static_cast<int>(std::min<std::size_t>(features, 1000))) - 2) * rows;
  return 2 * static_cast<double>(features - 1) * rows;
}

Chain<AttributorPtr> draw_coalitions(const MethodInput& input, const CoalitionOptions& options) {
  return draw_rows(input, input.features, options.background_rows, background_stream)
      .then([=](RowSample background) -> AttributorPtr {
        return std::make_shared<const Coalitions>(input, options, std::move(background));
      });
}

}  // namespace sightglass
