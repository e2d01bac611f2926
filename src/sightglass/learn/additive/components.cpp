#include "sightglass/learn/additive/components.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sightglass::additive {

namespace {

constexpr int most_sweeps = 100'000;

double weighted_mean(std::span<const double> values, std::span<const double> weights) {
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += weights[i] * values[i];
    total += weights[i];
  }
  return total > 0 ? sum / total : 0;
}

// One table of one score.
std::span<double> part_of(std::vector<double>& table, std::size_t scores, std::size_t score) {
  const std::size_t bins = table.size() / scores;
  return std::span(table).subspan(score * bins, bins);
}

// Scores of classes are only known up to a number that all of them share.
void center_over_scores(std::vector<double>& table, std::size_t scores) {
  const std::size_t bins = table.size() / scores;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    double mean = 0;
    for (std::size_t k = 0; k < scores; ++k) mean += table[k * bins + bin] / static_cast<double>(scores);
    for (std::size_t k = 0; k < scores; ++k) table[k * bins + bin] -= mean;
  }
}

}  // namespace

std::vector<std::vector<double>> bin_weights(const std::vector<FeatureBins>& features,
                                             const std::vector<TermBins>& terms, const TrainingData& data) {
  std::vector<std::vector<double>> weights;
  for (const TermBins& term : terms) {
    if (term.features.size() == 1) {
      weights.push_back(features[term.features[0]].weights);
      continue;
    }
    const FeatureBins &first = features[term.features[0]], &second = features[term.features[1]];
    std::vector<double>& cells = weights.emplace_back(table_size(term, features));
    for (std::size_t row = 0; row < data.rows; ++row) {
      cells[first.pair_bin[first.codes[row]] * (second.pair_bins + 1) + second.pair_bin[second.codes[row]]] +=
          data.weight(row);
    }
  }
  return weights;
}

void purify_pair(std::span<double> table, std::span<const double> weights, std::span<double> rows,
                 std::span<double> columns) {
  const std::size_t height = rows.size(), width = columns.size();
  std::vector<double> row_weights(height), column_weights(width);
  double largest = 0;
  for (std::size_t a = 0; a < height; ++a) {
    for (std::size_t b = 0; b < width; ++b) {
      row_weights[a] += weights[a * width + b];
      column_weights[b] += weights[a * width + b];
      largest = std::max(largest, std::abs(table[a * width + b]));
    }
  }
  for (std::size_t a = 0; a < height; ++a) {
    for (std::size_t b = 0; b < width; ++b) {
      if (row_weights[a] == 0 || column_weights[b] == 0) table[a * width + b] = 0;
    }
  }
  // Lines along one feature and along the other in turn, until none has anything left.
  std::vector<double> shift(std::max(height, width));
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double moved = 0;
    for (std::size_t a = 0; a < height; ++a) {
      if (row_weights[a] == 0) continue;
      const double mean = weighted_mean(table.subspan(a * width, width), weights.subspan(a * width, width));
      for (std::size_t b = 0; b < width; ++b) table[a * width + b] -= column_weights[b] > 0 ? mean : 0;
      rows[a] += mean;
      moved = std::max(moved, std::abs(mean));
    }
    std::fill(shift.begin(), shift.end(), 0);
    for (std::size_t a = 0; a < height; ++a) {
      for (std::size_t b = 0; b < width; ++b) shift[b] += weights[a * width + b] * table[a * width + b];
    }
    for (std::size_t b = 0; b < width; ++b) {
      shift[b] = column_weights[b] > 0 ? shift[b] / column_weights[b] : 0;
      columns[b] += shift[b];
      moved = std::max(moved, std::abs(shift[b]));
    }
    for (std::size_t a = 0; a < height; ++a) {
      for (std::size_t b = 0; b < width; ++b) table[a * width + b] -= row_weights[a] > 0 ? shift[b] : 0;
    }
    if (moved <= 1e-15 * largest) break;
  }
}

void purify(const std::vector<FeatureBins>& features, const std::vector<TermBins>& terms,
            const std::vector<std::vector<double>>& weights, const Outcome& outcome, Components& components) {
  const std::size_t scores = outcome.scores;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    for (double& value : components.tables[i]) value *= outcome.scale;
    if (scores > 1) center_over_scores(components.tables[i], scores);
  }
  for (double& value : components.intercept) value = outcome.center + outcome.scale * value;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].features.size() == 1) continue;
    for (std::size_t k = 0; k < scores; ++k) {
      std::vector<double> sides[2];
      for (std::size_t side : {0, 1}) sides[side].resize(features[terms[i].features[side]].pair_bins + 1);
      purify_pair(part_of(components.tables[i], scores, k), weights[i], sides[0], sides[1]);
      for (std::size_t side : {0, 1}) {
        const std::size_t feature = terms[i].features[side];
        const std::span<double> main = part_of(components.tables[feature], scores, k);
        for (std::size_t bin = 0; bin < main.size(); ++bin) main[bin] += sides[side][features[feature].pair_bin[bin]];
      }
    }
  }
  for (std::size_t i = 0; i < features.size(); ++i) {
    for (std::size_t k = 0; k < scores; ++k) {
      const std::span<double> main = part_of(components.tables[i], scores, k);
      const double mean = weighted_mean(main, weights[i]);
      components.intercept[k] += mean;
      for (std::size_t bin = 0; bin < main.size(); ++bin) main[bin] = weights[i][bin] > 0 ? main[bin] - mean : 0;
    }
  }
}

Averaged average(const std::vector<Components>& bags, double held_out) {
  Averaged averaged{.mean = bags[0], .se = {}};
  const auto count = static_cast<double>(bags.size());
  for (std::size_t k = 0; k < averaged.mean.intercept.size(); ++k) {
    double sum = 0;
    for (const Components& bag : bags) sum += bag.intercept[k];
    averaged.mean.intercept[k] = sum / count;
  }
  const double factor = std::sqrt((1 - held_out) / held_out);
  for (std::size_t term = 0; term < averaged.mean.tables.size(); ++term) {
    std::vector<double>& mean = averaged.mean.tables[term];
    std::vector<double> se(mean.size());
    for (std::size_t i = 0; i < mean.size(); ++i) {
      double sum = 0, squares = 0;
      for (const Components& bag : bags) sum += bag.tables[term][i];
      mean[i] = sum / count;
      for (const Components& bag : bags) squares += (bag.tables[term][i] - mean[i]) * (bag.tables[term][i] - mean[i]);
      se[i] = factor * std::sqrt(squares / (count - 1));
    }
    if (bags.size() > 1) averaged.se.push_back(std::move(se));
  }
  return averaged;
}

}  // namespace sightglass::additive
