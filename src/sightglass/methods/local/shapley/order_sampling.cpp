#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/base/random.h"
#include "sightglass/methods/local/shapley/order_sampling_internal.h"
#include "sightglass/numeric/shapley.h"

namespace sightglass {

namespace {

constexpr std::uint64_t order_stream = 0x6f72'6465'7273;  // "orders"
// 2^5 − 2 coalitions are fewer than the rows of four orders and their reverses, 4 · 2 · (5 − 1).
constexpr std::size_t most_listed = 5;
static_assert((std::size_t{1} << most_listed) - 2 <= fewest_rounds * 2 * (most_listed - 1));
// Pairs of orders, over all background rows, before their spread is believed.
constexpr double fewest_pairs = 32;
// A player whose changes happened to be alike is not thereby certain: its variance is drawn to that of all players, as
// if so many of the observations had been made of them.
constexpr double borrowed_pairs = 2;

// Mean and spread of what a player changed, over the rounds of one background row.
struct Changes {
  double mean = 0, squares = 0;

  // share: 1 / how many there are with this one.
  void add(double value, double share) {
    const double apart = value - mean;
    mean += apart * share;
    squares += apart * (value - mean);
  }
};

// How much wider than the normal's the 95 % interval of Student's distribution is (Cornish-Fisher; within 1 % from
// three degrees of freedom on).
double student_width(double freedom) {
  constexpr double z = 1.959963984540054, z2 = z * z;
  const double n = 1 / freedom;
  return 1 + n * ((z2 + 1) / 4 +
                  n * ((5 * z2 * z2 + 16 * z2 + 3) / 96 + n * (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / 384));
}

class Sampler {
 public:
  Sampler(const CoalitionGame& game, const CoalitionOptions& options, std::uint64_t key, const ShapleyRow& row,
          std::span<const double> alone, MixedRows& rows)
      : game_(game),
        options_(options),
        key_(key),
        row_(row),
        alone_(alone),
        rows_(rows),
        at_once_(rows.rows_at_once()),
        ranks_(game.features.size()),
        bits_(game.features.size()),
        place_(game.players()) {
    for (std::size_t b = 0; b < game.background.rows(); ++b) {
      const auto players = game.differing(row.own, b);
      first_.push_back(players_.size());
      players_.insert(players_.end(), players.begin(), players.end());
      if (players.size() > most_listed) sampled_.push_back(b);
    }
    first_.push_back(players_.size());
    changes_.resize(players_.size() * game.explained.size());
    rows_.set_subject(row.id, {row.own, game.features.size()});
  }

  void run(double* values, double* errors) {
    list_all();
    ask();
    std::uint64_t done = 0;
    // Few looks: who looks after every round stops where errors happen to look small.
    for (std::uint64_t look = first_look(); !sampled_.empty() && done < options_.rounds; look *= 2) {
      for (const std::uint64_t until = std::min(look, options_.rounds); done < until; ++done) {
        for (const std::size_t b : sampled_) add_order(done, b);
      }
      ask();
      if (settle(done, values, errors)) return;
    }
    if (done == 0) (void)settle(0, values, errors);
  }

 private:
  // A background row in one round, or (share 0) with all its coalitions.
  struct Asked {
    std::size_t background = 0;
    std::size_t first = 0;  // of its predictions
    double share = 0;       // of the round in those so far
    std::size_t order = 0;  // where it begins
  };

  [[nodiscard]] std::size_t count(std::size_t b) const { return first_[b + 1] - first_[b]; }
  [[nodiscard]] std::span<const std::uint32_t> players(std::size_t b) const {
    return std::span(players_).subspan(first_[b], count(b));
  }
  // Of a background row's players, one after the other.
  [[nodiscard]] Changes* changes(std::size_t b, std::size_t k) {
    return changes_.data() + first_[b] * game_.explained.size() + k * count(b);
  }

  [[nodiscard]] std::uint64_t first_look() const {
    double sum = 0, squares = 0;
    for (const std::size_t b : sampled_) {
      sum += game_.shares[b];
      squares += game_.shares[b] * game_.shares[b];
    }
    const double effective = squares > 0 ? sum * sum / squares : 1;
    return std::max(fewest_rounds, static_cast<std::uint64_t>(std::ceil(fewest_pairs / effective)));
  }

  void list_all() {
    for (std::size_t b = 0; b < game_.background.rows(); ++b) {
      const std::size_t d = count(b);
      if (d == 0 || d > most_listed) continue;
      const std::size_t coalitions = (std::size_t{1} << d) - 2;
      make_room(coalitions);
      asked_.push_back({.background = b, .first = rows_.rows()});
      std::fill(place_.begin(), place_.end(), 0);
      for (std::size_t i = 0; i < d; ++i) place_[players(b)[i]] = std::uint32_t{1} << i;
      for (std::size_t j = 0; j < bits_.size(); ++j) bits_[j] = place_[game_.player_of[j]];
      if (coalitions > 0) rows_.add_coalitions(b, bits_, 1, coalitions);
    }
  }

  void add_order(std::uint64_t round, std::size_t b) {
    const std::size_t d = count(b);
    make_room(2 * (d - 1));
    const std::size_t begin = orders_.size();
    orders_.resize(begin + d);
    const std::span order = std::span(orders_).subspan(begin, d);
    draw(round * game_.background.rows() + b, order);
    asked_.push_back({b, rows_.rows(), 1 / static_cast<double>(round + 1), begin});
    for (std::size_t rank = 0; rank < d; ++rank) place_[players(b)[order[rank]]] = static_cast<std::uint32_t>(rank);
    for (std::size_t j = 0; j < ranks_.size(); ++j) ranks_[j] = static_cast<double>(place_[game_.player_of[j]]);
    rows_.add_order(b, ranks_, d);
  }

  // A random order. One random number of the stratum's own begins a sequence of cheap ones (SplitMix64, Steele et
  // al. 2014), each of which serves two places.
  void draw(std::uint64_t stratum, std::span<std::uint32_t> order) const {
    std::iota(order.begin(), order.end(), 0U);
    std::uint64_t state = random_bits(key_, order_stream, stratum), bits = 0;
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

  void make_room(std::size_t rows) {
    if (rows_.rows() + rows > at_once_) ask();
  }

  void ask() {
    if (rows_.rows() > 0) rows_.predict(predictions_);
    for (const Asked& each : asked_) {
      for (std::size_t k = 0; k < game_.explained.size(); ++k) {
        if (each.share == 0) {
          take_listed(each, k);
        } else {
          take_order(each, k);
        }
      }
    }
    asked_.clear();
    orders_.clear();
  }

  [[nodiscard]] double nobody(std::size_t b, std::size_t k) const { return alone_[b * game_.explained.size() + k]; }

  void take_listed(const Asked& asked, std::size_t k) {
    const std::size_t d = count(asked.background), coalitions = std::size_t{1} << d;
    listed_.resize(coalitions);
    listed_.front() = nobody(asked.background, k);
    for (std::size_t i = 1; i + 1 < coalitions; ++i) listed_[i] = predictions_(asked.first + i - 1, game_.explained[k]);
    listed_.back() = row_.prediction[k];
    found_.resize(d);
    shapley_values(listed_, d, found_);
    for (std::size_t i = 0; i < d; ++i) changes(asked.background, k)[i].mean = found_[i];
  }

  // What each player changed when it joined, mean of the order and its reverse.
  void take_order(const Asked& asked, std::size_t k) {
    const std::size_t d = count(asked.background), output = game_.explained[k];
    const std::uint32_t* order = orders_.data() + asked.order;
    Changes* of_row = changes(asked.background, k);
    double before = nobody(asked.background, k), behind = row_.prediction[k];
    for (std::size_t rank = 0; rank < d; ++rank) {
      // On the way back the player of this rank joins when all behind it have.
      const bool last = rank + 1 == d;
      const double forth = last ? row_.prediction[k] : predictions_(asked.first + rank, output);
      const double back =
          last ? nobody(asked.background, k) : predictions_(asked.first + 2 * (d - 1) - 1 - rank, output);
      of_row[order[rank]].add((forth - before) / 2 + (behind - back) / 2, asked.share);
      before = forth;
      behind = back;
    }
  }

  // Estimates after so many rounds; whether they are as precise as was asked for.
  [[nodiscard]] bool settle(std::uint64_t rounds, double* values, double* errors) {
    const std::size_t p = game_.players();
    bool precise = true;
    for (std::size_t k = 0; k < game_.explained.size(); ++k) {
      add_up(k, {values + k * p, p});
      if (rounds > 0) find_errors(k, static_cast<double>(rounds), {errors + k * p, p});
      double largest = 0, worst = 0;
      for (std::size_t j = 0; j < p; ++j) {
        largest = std::max(largest, std::abs(values[k * p + j]));
        worst = std::max(worst, errors[k * p + j]);
      }
      precise = precise && worst <= options_.precision * largest;
    }
    return precise;
  }

  void add_up(std::size_t k, std::span<double> values) {
    std::fill(values.begin(), values.end(), 0.0);
    for (std::size_t b = 0; b < game_.background.rows(); ++b) {
      for (std::size_t i = 0; i < count(b); ++i) values[players(b)[i]] += game_.shares[b] * changes(b, k)[i].mean;
    }
  }

  // Only what varies within a background row is error. Degrees of freedom by Satterthwaite (1946), with R + 1 for
  // R − 1, which corrects for squares of variances that are themselves estimated.
  void find_errors(std::size_t k, double rounds, std::span<double> errors) {
    const std::size_t p = game_.players();
    std::vector<double> variance(p), squares(p), observed(p);
    for (const std::size_t b : sampled_) {
      const double share = game_.shares[b];
      for (std::size_t i = 0; i < count(b); ++i) {
        const std::size_t j = players(b)[i];
        const double part = share * share * changes(b, k)[i].squares / (rounds * (rounds - 1));
        variance[j] += part;
        squares[j] += part * part;
        observed[j] += rounds - 1;
      }
    }
    double pooled = 0, pools = 0;
    for (std::size_t j = 0; j < p; ++j) {
      pooled += variance[j];
      pools += observed[j] > 0 ? 1 : 0;
    }
    if (pools > 0) pooled /= pools;
    for (std::size_t j = 0; j < p; ++j) {
      if (observed[j] == 0) continue;
      const double freedom =
          squares[j] > 0 ? std::clamp(variance[j] * variance[j] * (rounds + 1) / squares[j], rounds - 1, observed[j])
                         : observed[j];
      const double shrunk = (freedom * variance[j] + borrowed_pairs * pooled) / (freedom + borrowed_pairs);
      errors[j] = std::sqrt(std::max(shrunk, variance[j])) * student_width(freedom);
    }
  }

  const CoalitionGame& game_;
  const CoalitionOptions& options_;
  std::uint64_t key_;
  const ShapleyRow& row_;
  std::span<const double> alone_;
  MixedRows& rows_;
  std::size_t at_once_;
  std::vector<std::uint32_t> players_;  // that differ, background row by background row
  std::vector<std::size_t> first_;      // of a background row's players
  std::vector<std::size_t> sampled_;    // background rows with too many players to list all coalitions
  std::vector<Changes> changes_;
  std::vector<Asked> asked_;
  std::vector<std::uint32_t> orders_;
  std::vector<double> ranks_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> place_;  // per player: its rank, or its bit
  std::vector<double> listed_, found_;
  Matrix predictions_;
};

}  // namespace

std::vector<std::uint32_t> CoalitionGame::differing(const double* own, std::size_t background_row) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t player = 0; player < players(); ++player) {
    const bool differs = std::any_of(groups[player].begin(), groups[player].end(), [&](std::size_t feature) {
      const double mine = own[feature], other = background.values[feature][background_row];
      return mine != other && !(std::isnan(mine) && std::isnan(other));
    });
    if (differs) found.push_back(player);
  }
  return found;
}

void sample_orders(const CoalitionGame& game, const CoalitionOptions& options, std::uint64_t seed,
                   const ShapleyRow& row, std::span<const double> alone, MixedRows& rows, double* values,
                   double* errors) {
  // An order of a row belongs to it alone, whatever else is explained.
  Sampler(game, options, random_bits(seed, order_stream, row.id), row, alone, rows).run(values, errors);
}

}  // namespace sightglass
