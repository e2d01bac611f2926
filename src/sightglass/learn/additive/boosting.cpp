#include "sightglass/learn/additive/boosting.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sightglass/base/random.h"

namespace sightglass::additive {

namespace {

constexpr std::uint64_t bag_stream = 0x67616d2d62616773;  // "gam-bags"
constexpr std::uint64_t cut_stream = 0x67616d2d63757473;  // "gam-cuts"

PieceRules rules_of(PieceRules rules, const Bag& bag) {
  rules.stream = cut_stream + bag.number;
  return rules;
}

// A round counts as better if it lowers the held-out loss by more than this share.
constexpr double least_improvement = 1e-5;

// The codes of a term's rows: its feature's, or both of a pair in one number.
template <class Code>
std::vector<Code> term_codes(const std::vector<FeatureBins>& features, const TermBins& term, const Bag& bag) {
  std::vector<Code> codes(bag.rows.size());
  const FeatureBins& first = features[term.features[0]];
  if (term.features.size() == 1) {
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = first.codes[bag.rows[i]];
    return codes;
  }
  const FeatureBins& second = features[term.features[1]];
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const std::uint32_t row = bag.rows[i];
    codes[i] = static_cast<Code>(first.pair_bin[first.codes[row]] * (second.pair_bins + 1) +
                                 second.pair_bin[second.codes[row]]);
  }
  return codes;
}

// Where rows stand while one score is boosted.
struct RowState {
  float* scores;
  const float *z, *h;  // gradient = z - h · score
  std::size_t rows;
};

// The step of one term is taken, and the gradients that then are there are summed up by the bins of the next: both in
// one pass over the rows. Four sums of each bin take turns, so that rows of one bin do not wait for each other.
constexpr std::size_t lanes = 4;

template <class Code>
void step_and_sum(const Code* __restrict taken, const float* __restrict step, const Code* __restrict next,
                  const RowState& state, std::size_t bins, double* __restrict gradients) {
  float* __restrict scores = state.scores;
  const float* __restrict z = state.z;
  const auto one = [&](std::size_t row, double* __restrict sums) {
    const float score = scores[row] + step[taken[row]];
    scores[row] = score;
    sums[next[row]] += static_cast<double>(z[row] - score);
  };
  std::size_t row = 0;
  for (; row + lanes <= state.rows; row += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) one(row + lane, gradients + lane * bins);
  }
  for (; row < state.rows; ++row) one(row, gradients);
}

// The same where curvatures differ: they are summed up as well, beside the gradients.
template <class Code>
void step_and_sum_both(const Code* __restrict taken, const float* __restrict step, const Code* __restrict next,
                       const RowState& state, std::size_t bins, double* __restrict sums) {
  float* __restrict scores = state.scores;
  const float* __restrict z = state.z, * __restrict h = state.h;
  const auto one = [&](std::size_t row, double* __restrict lane) {
    const float score = scores[row] + step[taken[row]];
    scores[row] = score;
    double* sum = lane + 2 * std::size_t{next[row]};
    sum[0] += static_cast<double>(z[row] - h[row] * score);
    sum[1] += static_cast<double>(h[row]);
  };
  std::size_t row = 0;
  for (; row + lanes <= state.rows; row += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) one(row + lane, sums + lane * 2 * bins);
  }
  for (; row < state.rows; ++row) one(row, sums);
}

template <class Code>
void take_step(const Code* codes, const float* step, float* scores, std::size_t rows) {
  for (std::size_t row = 0; row < rows; ++row) scores[row] += step[codes[row]];
}

template <class Code>
class Booster {
 public:
  Booster(const std::vector<FeatureBins>& features, const std::vector<TermBins>& terms, const Outcome& outcome,
          const Bag& bag, const std::vector<float>& scores, const BoostingRules& rules)
      : features_(features), terms_(terms), outcome_(outcome), bag_(bag), finder_(rules_of(rules.pieces, bag)) {
    const std::size_t rows = bag.rows.size(), all_rows = outcome.values.size();
    for (const std::uint32_t row : bag.rows) {
      rows_.values.push_back(outcome.values[row]);
      rows_.weights.push_back(outcome.weights[row]);
    }
    for (std::size_t k = 0; k < outcome.scores; ++k) {
      for (const std::uint32_t row : bag.rows) scores_.push_back(scores[k * all_rows + row]);
    }
    parabolas_.z.resize(rows * outcome.scores);
    parabolas_.h.resize(rows * outcome.scores);
    for (const TermBins& term : terms) {
      codes_.push_back(term_codes<Code>(features, term, bag));
      BinSums& sums = sums_.emplace_back(table_size(term, features));
      for (std::size_t i = 0; i < bag.fitted; ++i) sums.weight[codes_.back()[i]] += double{rows_.weights[i]};
      sums.curvature = sums.weight;  // which it is of squared errors
      steps_.emplace_back(sums.size());
      tables_.emplace_back(sums.size() * outcome.scores);
    }
    if (outcome.loss == Loss::squared) expand(outcome_, rows_, bag_.fitted, rows, scores_, parabolas_);
  }

  Boosted run(const BoostingRules& rules, const Context& context) {
    Boosted best{.tables = tables_, .start_loss = held_out_loss()};
    best.loss = best.start_loss;
    bool smoothing = true;
    std::size_t worse = 0;  // rounds since the best one
    for (std::size_t round = 1; round <= rules.rounds && !terms_.empty(); ++round) {
      context.check();
      if (smoothing && (round > rules.smoothing || worse >= rules.early_stopping)) {
        smoothing = false;
        worse = 0;
      }
      finder_.draw_cuts(smoothing);
      const bool moved = one_round();
      const double loss = held_out_loss();
      ++worse;
      // Without held-out rows the last round is the best.
      if (!(loss >= best.loss * (1 - least_improvement))) {
        best = {tables_, round, best.start_loss, loss};
        worse = 0;
      }
      if (!smoothing && (!moved || worse >= rules.early_stopping)) break;
    }
    return best;
  }

 private:
  bool one_round() {
    if (outcome_.loss != Loss::squared) expand(outcome_, rows_, bag_.fitted, rows(), scores_, parabolas_);
    bool moved = false;
    for (std::size_t score = 0; score < outcome_.scores; ++score) moved |= one_cycle(score);
    return moved;
  }

  // One piece for each term.
  bool one_cycle(std::size_t score) {
    bool moved = false;
    std::size_t last = 0;
    std::fill(steps_[last].begin(), steps_[last].end(), 0.0F);
    for (std::size_t term = 0; term < terms_.size(); ++term) {
      sum_gradients(last, term, score);
      std::vector<float>& step = steps_[term];
      if (find_piece(term)) {
        moved = true;
        double* table = tables_[term].data() + score * step.size();
        for (std::size_t bin = 0; bin < step.size(); ++bin) table[bin] += double{step[bin]};
        take_step(codes_[term].data() + bag_.fitted, step.data(), scores_.data() + score * rows() + bag_.fitted,
                  rows() - bag_.fitted);
      } else {
        std::fill(step.begin(), step.end(), 0.0F);
      }
      last = term;
    }
    take_step(codes_[last].data(), steps_[last].data(), scores_.data() + score * rows(), bag_.fitted);
    return moved;
  }

  void sum_gradients(std::size_t last, std::size_t term, std::size_t score) {
    const RowState state{.scores = scores_.data() + score * rows(),
                         .z = parabolas_.z.data() + score * rows(),
                         .h = parabolas_.h.data() + score * rows(),
                         .rows = bag_.fitted};
    BinSums& sums = sums_[term];
    const std::size_t bins = sums.size();
    const bool plain = outcome_.loss == Loss::squared && !outcome_.weighted;
    lanes_.assign(lanes * bins * (plain ? 1 : 2), 0);
    std::fill(sums.gradient.begin(), sums.gradient.end(), 0);
    if (plain) {
      step_and_sum(codes_[last].data(), steps_[last].data(), codes_[term].data(), state, bins, lanes_.data());
      for (std::size_t i = 0; i < lanes * bins; ++i) sums.gradient[i % bins] += lanes_[i];
    } else {
      step_and_sum_both(codes_[last].data(), steps_[last].data(), codes_[term].data(), state, bins, lanes_.data());
      std::fill(sums.curvature.begin(), sums.curvature.end(), 0);
      for (std::size_t i = 0; i < lanes * bins; ++i) {
        sums.gradient[i % bins] += lanes_[2 * i];
        sums.curvature[i % bins] += lanes_[2 * i + 1];
      }
    }
  }

  bool find_piece(std::size_t term) {
    const auto order = [&](std::size_t feature) {
      return features_[feature].categorical ? BinOrder::levels : BinOrder::numbers;
    };
    const std::vector<std::size_t>& features = terms_[term].features;
    if (features.size() == 1)
      return finder_.along_one(sums_[term], order(features[0]), terms_[term].direction, steps_[term]);
    return finder_.along_two(sums_[term], order(features[0]), order(features[1]), features_[features[1]].pair_bins + 1,
                             steps_[term]);
  }

  [[nodiscard]] std::size_t rows() const { return bag_.rows.size(); }
  [[nodiscard]] double held_out_loss() const {
    if (bag_.fitted == rows()) return std::numeric_limits<double>::quiet_NaN();
    return mean_loss(outcome_, rows_, bag_.fitted, rows(), scores_);
  }

  const std::vector<FeatureBins>& features_;
  const std::vector<TermBins>& terms_;
  const Outcome& outcome_;
  const Bag& bag_;
  PieceFinder finder_;
  OutcomeRows rows_;
  std::vector<float> scores_;
  Parabolas parabolas_;
  std::vector<std::vector<Code>> codes_;
  std::vector<BinSums> sums_;
  std::vector<std::vector<float>> steps_;
  std::vector<std::vector<double>> tables_;
  std::vector<double> lanes_;
};

}  // namespace

std::size_t table_size(const TermBins& term, const std::vector<FeatureBins>& features) {
  const FeatureBins& first = features[term.features[0]];
  if (term.features.size() == 1) return first.bins + 1;
  return (first.pair_bins + 1) * (features[term.features[1]].pair_bins + 1);
}

Bag draw_bag(const TrainingData& data, double held_out, std::uint64_t seed, std::size_t bag) {
  std::vector<std::vector<std::uint32_t>> groups(std::max<std::size_t>(data.classes.size(), 1));
  for (std::size_t row = 0; row < data.rows; ++row)
    groups[data.classes.empty() ? 0 : static_cast<std::size_t>(data.outcome[row])].push_back(
        static_cast<std::uint32_t>(row));
  Bag drawn{.rows = {}, .number = bag};
  std::vector<std::uint32_t> out;
  for (std::vector<std::uint32_t>& group : groups) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;
    for (const std::uint32_t row : group) keys.emplace_back(random_bits(seed, bag_stream + bag, row), row);
    const auto first_out = keys.end() - static_cast<std::ptrdiff_t>(held_out * static_cast<double>(group.size()));
    std::nth_element(keys.begin(), first_out, keys.end());
    for (auto key = keys.begin(); key != keys.end(); ++key) (key < first_out ? drawn.rows : out).push_back(key->second);
  }
  std::sort(drawn.rows.begin(), drawn.rows.end());
  std::sort(out.begin(), out.end());
  drawn.fitted = drawn.rows.size();
  drawn.rows.insert(drawn.rows.end(), out.begin(), out.end());
  return drawn;
}

Boosted boost(const std::vector<FeatureBins>& features, const std::vector<TermBins>& terms, const Outcome& outcome,
              const Bag& bag, const std::vector<float>& scores, const BoostingRules& rules, const Context& context) {
  const bool pairs = !terms.empty() && terms[0].features.size() == 2;
  if (pairs) return Booster<std::uint16_t>(features, terms, outcome, bag, scores, rules).run(rules, context);
  return Booster<std::uint8_t>(features, terms, outcome, bag, scores, rules).run(rules, context);
}

std::vector<std::vector<double>> mean_tables(const std::vector<Boosted>& bags) {
  std::vector<std::vector<double>> mean = bags[0].tables;
  for (std::size_t term = 0; term < mean.size(); ++term) {
    for (std::size_t i = 0; i < mean[term].size(); ++i) {
      double sum = 0;
      for (const Boosted& bag : bags) sum += bag.tables[term][i];
      mean[term][i] = sum / static_cast<double>(bags.size());
    }
  }
  return mean;
}

void add_tables(const std::vector<FeatureBins>& features, const std::vector<TermBins>& terms,
                const std::vector<std::vector<double>>& tables, std::size_t scores_per_row,
                std::vector<float>& scores) {
  const std::size_t rows = scores.size() / scores_per_row;
  Bag all{.rows = std::vector<std::uint32_t>(rows), .fitted = rows};
  std::iota(all.rows.begin(), all.rows.end(), 0U);
  for (std::size_t term = 0; term < terms.size(); ++term) {
    const auto codes = term_codes<std::uint16_t>(features, terms[term], all);
    const std::size_t bins = tables[term].size() / scores_per_row;
    for (std::size_t k = 0; k < scores_per_row; ++k) {
      const std::vector<float> table(tables[term].begin() + static_cast<std::ptrdiff_t>(k * bins),
                                     tables[term].begin() + static_cast<std::ptrdiff_t>((k + 1) * bins));
      take_step(codes.data(), table.data(), scores.data() + k * rows, rows);
    }
  }
}

}  // namespace sightglass::additive
