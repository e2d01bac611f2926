#include "sightglass/methods/local/shapley/coalitions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/data/column_like.h"
#include "sightglass/methods/local/shapley/order_sampling_internal.h"
#include "sightglass/methods/run/row_sample.h"
#include "sightglass/numeric/shapley.h"

namespace sightglass {

namespace {

constexpr std::uint64_t background_stream = 0x6261'636b'6772;  // "backgr"

class Coalitions : public RowAttributor {
 public:
  Coalitions(const MethodInput& input, const CoalitionOptions& options, RowSample background)
      : seed_(input.seed), options_(options) {
    game_.features = input.features;
    game_.groups = options.groups;
    game_.explained = input.explained;
    const double total = std::accumulate(background.weights.begin(), background.weights.end(), 0.0);
    for (const double weight : background.weights) game_.shares.push_back(weight / total);
    if (game_.groups.empty()) {
      for (std::size_t j = 0; j < game_.features.size(); ++j) game_.groups.push_back({j});
    }
    game_.player_of.resize(game_.features.size());
    for (std::size_t player = 0; player < game_.players(); ++player) {
      for (const std::size_t feature : game_.groups[player]) game_.player_of[feature] = player;
    }
    game_.background = std::move(background);
  }

  [[nodiscard]] std::uint64_t cost_per_row() const override {
    const double cost = coalition_cost(game_.players(), game_.background.rows(), options_.exact);
    return 1 + static_cast<std::uint64_t>(options_.exact ? cost : cost * static_cast<double>(options_.rounds));
  }
  [[nodiscard]] bool estimates() const override { return !options_.exact; }

  void attribute(const RowBlock& rows, Evaluator& evaluator, BlockAttributions& out) const override {
    const std::size_t p = game_.players(), outputs = game_.explained.size();
    out.prediction.resize(rows.rows * outputs);
    out.values.assign(rows.rows * outputs * p, 0);
    out.se.assign(options_.exact ? 0 : out.values.size(), 0);
    out.interactions.assign(options_.interactions ? out.values.size() * p : 0, 0);

    Matrix predictions;
    evaluator.evaluate(rows, predictions);
    for (std::size_t row = 0; row < rows.rows; ++row) {
      for (std::size_t k = 0; k < outputs; ++k)
        out.prediction[row * outputs + k] = predictions(row, game_.explained[k]);
    }
    const std::vector<double> own = numbers_of(rows);
    const std::vector<double> alone = background_predictions(rows, evaluator);
    out.base.resize(outputs);
    for (std::size_t k = 0; k < outputs; ++k) out.base[k] = mean(alone.data() + k, outputs);
    MixedRows mixed(rows, game_.features, game_.background, evaluator);
    for (std::size_t row = 0; row < rows.rows; ++row) {
      const std::size_t at = row * outputs;
      const ShapleyRow subject{rows.row_id(row), own.data() + row * game_.features.size(), &out.prediction[at]};
      if (options_.exact) {
        enumerate(subject, alone, out.base.data(), mixed, &out.values[at * p],
                  options_.interactions ? &out.interactions[at * p * p] : nullptr);
      } else {
        sample_orders(game_, options_, seed_, subject, alone, mixed, &out.values[at * p], &out.se[at * p]);
      }
    }
  }

  [[nodiscard]] Value details() const override {
    Value details = Value::object({{"estimator", options_.exact ? "exact" : "sampling"},
                                   {"background", "rows"},
                                   {"background_rows", game_.background.rows()},
                                   {"background_available", game_.background.available}});
    if (!options_.exact) details.set("most_permutations", options_.rounds).set("precision", options_.precision);
    return details;
  }

  void add_caveats(std::vector<Caveat>& caveats) const override {
    if (!game_.background.complete()) {
      caveats.push_back(
          {.id = "sampled-background",
           .severity = Severity::note,
           .message = "compared with " + std::to_string(game_.background.rows()) + " of " +
                      std::to_string(game_.background.available) +
                      " rows, drawn at random: base and values are those of "
                      "this background",
           .evidence = Value::object({{"rows", game_.background.rows()}, {"available", game_.background.available}}),
           .advice = marked("raise {option:background_rows}; 0 compares with all rows")});
    }
    if (options_.exact) return;
    const bool few = game_.players() <= most_enumerated;
    caveats.push_back(
        {.id = "sampled-values",
         .severity = Severity::note,
         .message = "values are estimated from random orders of the features, each with its reverse; standard errors "
                    "are given",
         .evidence = Value::object({{"most_permutations", options_.rounds},
                                    {"background_rows", game_.background.rows()},
                                    {"precision", options_.precision},
                                    {"features", game_.features.size()}}),
         .advice = marked("lower {option:precision}, raise {option:permutations} and raise {option:predictions} for "
                          "smaller errors") +
                   marked(few ? ", or set {option:estimator} to exact" : "")});
  }

  [[nodiscard]] std::optional<double> only_value(std::size_t player) const override {
    if (game_.groups[player].size() > 1) return std::nullopt;
    const auto& values = game_.background.values[game_.groups[player][0]];
    const double first = values.front();
    const bool same = std::all_of(values.begin(), values.end(), [&](double value) {
      return value == first || (std::isnan(value) && std::isnan(first));
    });
    return same ? std::optional(first) : std::nullopt;
  }

 private:
  // [row × features + feature]
  [[nodiscard]] std::vector<double> numbers_of(const RowBlock& rows) const {
    const std::size_t p = game_.features.size();
    std::vector<double> numbers(rows.rows * p), column(rows.rows);
    for (std::size_t j = 0; j < p; ++j) {
      read_numbers(rows.columns[game_.features[j]], column);
      for (std::size_t row = 0; row < rows.rows; ++row) numbers[row * p + j] = column[row];
    }
    return numbers;
  }

  // Weighted mean of every `stride`-th number, one per background row. Around the first, so that equal numbers have
  // themselves as their mean.
  [[nodiscard]] double mean(const double* numbers, std::size_t stride) const {
    double sum = 0;
    for (std::size_t b = 1; b < game_.shares.size(); ++b) sum += game_.shares[b] * (numbers[b * stride] - numbers[0]);
    return numbers[0] + sum;
  }

  // [background row × outputs + output]
  [[nodiscard]] std::vector<double> background_predictions(const RowBlock& like, Evaluator& evaluator) const {
    std::vector<Column> columns;
    std::vector<ColumnView> views(like.columns.size());
    for (std::size_t j = 0; j < game_.features.size(); ++j) {
      columns.push_back(column_like(like.columns[game_.features[j]], game_.background.values[j]));
      views[game_.features[j]] = columns.back().view;
    }
    Matrix predictions;
    evaluator.evaluate({.first_row = game_.background.ids[0],
                        .rows = game_.background.rows(),
                        .columns = views,
                        .row_ids = game_.background.ids},
                       predictions);
    std::vector<double> alone;
    for (std::size_t b = 0; b < game_.background.rows(); ++b) {
      for (const std::size_t output : game_.explained) alone.push_back(predictions(b, output));
    }
    return alone;
  }

  // Every coalition but none and all, which are known. With a background row only players differ whose values differ:
  // its coalitions are the subsets of these, and a subset's code is its bits, those of the others left out.
  void enumerate(const ShapleyRow& subject, const std::vector<double>& alone, const double* base, MixedRows& mixed,
                 double* values, double* interactions) const {
    const std::size_t p = game_.players(), outputs = game_.explained.size();
    const std::uint32_t coalitions = std::uint32_t{1} << p;
    std::vector<double> games(outputs * coalitions);  // [output × coalitions + coalition]
    std::vector<double> of_first(games.size());       // with the first background row, around which means are taken
    std::vector<std::uint32_t> code(coalitions);
    mixed.set_subject(subject.id, {subject.own, game_.features.size()});
    for (std::size_t begin = 0; begin < game_.background.rows();) {
      const Answers answers = ask_coalitions(subject, begin, mixed);
      for (std::size_t i = 0; i < answers.differing.size(); ++i) {
        const std::size_t b = begin + i;
        const std::uint32_t all = answers.differing[i];
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
            const double value = at == complete ? subject.prediction[k]
                                 : at == 0      ? alone[b * outputs + k]
                                                : answers.numbers[(answers.first[i] + at - 1) * outputs + k];
            double &game = games[k * coalitions + coalition], &before = of_first[k * coalitions + coalition];
            if (b == 0) before = value;
            game += game_.shares[b] * (value - before);
          }
        }
      }
      begin += answers.differing.size();
    }
    // As mean() does, so that a feature which changes nothing gets exactly nothing.
    for (std::size_t i = 0; i < games.size(); ++i) games[i] += of_first[i];
    for (std::size_t k = 0; k < outputs; ++k) {
      const std::span game(games.data() + k * coalitions, coalitions);
      game.front() = base[k];
      game.back() = subject.prediction[k];
      const std::span of_output(values + k * p, p);
      shapley_values(game, p, of_output);
      if (interactions != nullptr) shapley_interactions(game, p, of_output, {interactions + k * p * p, p * p});
    }
  }

  // Of some background rows, from one on.
  struct Answers {
    std::vector<std::uint32_t> differing;  // per background row: its players that differ, as bits
    std::vector<std::size_t> first;        // where its coalitions begin
    std::vector<double> numbers;           // [coalition × outputs + output]
  };

  // All coalitions of as many background rows as go together; of one at least.
  [[nodiscard]] Answers ask_coalitions(const ShapleyRow& subject, std::size_t begin, MixedRows& mixed) const {
    const std::size_t at_once = mixed.rows_at_once();
    const std::size_t most = std::size_t{1} << game_.players();
    Answers answers;
    Matrix predictions;
    std::size_t asked = 0;
    const auto ask = [&] {
      if (mixed.rows() == 0) return;
      mixed.predict(predictions);
      for (std::size_t h = 0; h < predictions.rows(); ++h) {
        for (const std::size_t output : game_.explained) answers.numbers.push_back(predictions(h, output));
      }
    };
    for (std::size_t b = begin; b < game_.background.rows() && (b == begin || asked + most <= at_once); ++b) {
      const auto players = game_.differing(subject.own, b);
      std::vector<std::uint64_t> bit_of(game_.players()), bits;
      std::uint32_t all = 0;
      for (std::size_t i = 0; i < players.size(); ++i) {
        all |= std::uint32_t{1} << players[i];
        bit_of[players[i]] = std::uint64_t{1} << i;
      }
      for (const std::size_t player : game_.player_of) bits.push_back(bit_of[player]);
      answers.differing.push_back(all);
      answers.first.push_back(asked);
      const std::size_t codes = players.empty() ? 0 : (std::size_t{1} << players.size()) - 2;
      for (std::size_t done = 0; done < codes;) {
        if (mixed.rows() == at_once) ask();
        const std::size_t part = std::min(codes - done, at_once - mixed.rows());
        mixed.add_coalitions(b, bits, done + 1, part);
        done += part;
      }
      asked += codes;
    }
    ask();
    return answers;
  }

  CoalitionGame game_;
  std::uint64_t seed_;
  CoalitionOptions options_;
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
