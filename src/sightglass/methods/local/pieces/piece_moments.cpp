#include "sightglass/methods/local/pieces/piece_moments.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

#include "sightglass/methods/local/pieces/common_bits_internal.h"

namespace sightglass {

namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};
constexpr std::size_t words_together = 8;  // as common_bits() takes them

// Samples in an order in which those of one kind follow one another.
std::vector<std::uint32_t> by_kind(const PieceSamples& samples) {
  const auto kind = [&](std::uint32_t i) {
    return std::tuple(samples.kept[i], samples.counts[i], samples.exact ? 0 : samples.first_half[i]);
  };
  // Nearly all differ by how many pieces they have alone: first by that, without comparisons.
  std::vector<std::uint32_t> begin(samples.pieces + 2), order(samples.rows);
  for (const std::uint32_t kept : samples.kept) ++begin[kept + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::uint32_t> next = begin;
  for (std::uint32_t i = 0; i < samples.rows; ++i) order[next[samples.kept[i]]++] = i;
  for (std::size_t kept = 0; kept <= samples.pieces; ++kept) {
    std::stable_sort(order.begin() + begin[kept], order.begin() + begin[kept + 1],
                     [&](std::uint32_t a, std::uint32_t b) { return kind(a) < kind(b); });
  }
  return order;
}

bool same_kind(const PieceSamples& samples, std::uint32_t a, std::uint32_t b) {
  return samples.kept[a] == samples.kept[b] && samples.counts[a] == samples.counts[b] &&
         (samples.exact || samples.first_half[a] == samples.first_half[b]);
}

}  // namespace

PieceSets::PieceSets(const PieceSamples& samples) {
  const std::vector<std::uint32_t> order = by_kind(samples);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && !same_kind(samples, order[i - 1], order[i]))
      sample_.resize((sample_.size() + word_bits - 1) / word_bits * word_bits, none);
    sample_.push_back(order[i]);
  }
  words_ = (sample_.size() + word_bits - 1) / word_bits;
  sample_.resize(words_ * word_bits, none);
  left_out_.resize(samples.pieces * words_);
  const std::size_t row_words = samples.words_per_row();
  for (std::size_t at = 0; at < sample_.size(); ++at) {
    if (sample_[at] == none) continue;
    const std::uint64_t* row = samples.bits.data() + sample_[at] * row_words;
    for (std::size_t word = 0; word < row_words; ++word) {
      const std::size_t rest = samples.pieces - word * 64;
      const std::uint64_t whole = rest >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rest) - 1;
      for (std::uint64_t left = ~row[word] & whole; left != 0; left &= left - 1) {
        const std::size_t piece = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
        left_out_[piece * words_ + at / word_bits] |= std::uint32_t{1} << (at % word_bits);
      }
    }
  }
}

// Of what is left out: that is little where weights are, so that nothing cancels out when the means are taken off.
WeightedMoments PieceSets::moments(const std::vector<std::size_t>& pieces, std::span<const double> weights,
                                   MatrixSpan<const double> y, const ForEach& for_each) const {
  const std::size_t features = pieces.size();
  WeightedMoments moments;
  moments.features = features;
  moments.outputs = y.columns();
  // Words of samples that weigh something, close together.
  std::vector<std::uint32_t> words;
  std::vector<double> word_weights;
  for (std::uint32_t word = 0; word < words_; ++word) {
    const double weight = weights[sample_[word * word_bits]];
    if (!(weight > 0)) continue;
    words.push_back(word);
    word_weights.push_back(weight);
  }
  const std::size_t size = (words.size() + words_together - 1) / words_together * words_together;
  word_weights.resize(size);
  std::vector<std::uint32_t> bits(features * size);
  for (std::size_t j = 0; j < features; ++j) {
    for (std::size_t i = 0; i < words.size(); ++i) bits[j * size + i] = left_out_[pieces[j] * words_ + words[i]];
  }
  for (const double weight : weights) moments.weight += weight;
  const double total = moments.weight > 0 ? moments.weight : 1;
  std::vector<double> outputs(moments.outputs * words.size() * word_bits);  // weighted, means taken off
  for (std::size_t k = 0; k < moments.outputs; ++k) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) mean += weights[i] * y(i, k);
    mean /= total;
    double* out = outputs.data() + k * words.size() * word_bits;
    for (std::size_t i = 0; i < words.size(); ++i) {
      for (std::size_t bit = 0; bit < word_bits; ++bit) {
        const std::uint32_t sample = sample_[words[i] * word_bits + bit];
        if (sample == none) break;
        const double apart = y(sample, k) - mean;
        out[i * word_bits + bit] = word_weights[i] * apart;
        square += word_weights[i] * apart * apart;
      }
    }
    moments.means.push_back(mean);
    moments.squares.push_back(square);
  }
  const CommonBits common = common_bits();
  std::vector<double> missing(features);  // weight of the samples that lack a piece
  for (std::size_t j = 0; j < features; ++j) {
    missing[j] = common(bits.data() + j * size, bits.data() + j * size, word_weights.data(), size);
    moments.mean.push_back(1 - missing[j] / total);
  }
  moments.products.resize(features * features);
  moments.with.resize(moments.outputs * features);
  for_each("products", features, [&](std::size_t j) {
    const std::uint32_t* own = bits.data() + j * size;
    double* to = moments.products.data() + j * features;
    for (std::size_t k = 0; k < j; ++k)
      to[k] = common(own, bits.data() + k * size, word_weights.data(), size) - missing[j] * (missing[k] / total);
    to[j] = missing[j] * moments.mean[j];
    for (std::size_t k = 0; k < moments.outputs; ++k) {
      const double* out = outputs.data() + k * words.size() * word_bits;
      double sum = 0;
      for (std::size_t i = 0; i < words.size(); ++i) {
        for (std::uint32_t left = own[i]; left != 0; left &= left - 1)
          sum += out[i * word_bits + static_cast<std::size_t>(std::countr_zero(left))];
      }
      moments.with[k * features + j] = -sum;
    }
  });
  for (std::size_t j = 0; j < features; ++j) {
    for (std::size_t k = 0; k < j; ++k) moments.products[k * features + j] = moments.products[j * features + k];
  }
  settle(moments);
  return moments;
}

std::vector<double> piece_columns(const PieceSamples& samples, const std::vector<std::size_t>& pieces) {
  std::vector<double> list(pieces.size() * samples.rows);
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    for (std::size_t row = 0; row < samples.rows; ++row)
      list[k * samples.rows + row] = samples.has(row, pieces[k]) ? 1 : 0;
  }
  return list;
}

}  // namespace sightglass
