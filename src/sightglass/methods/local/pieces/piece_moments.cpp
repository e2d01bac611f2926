#include "sightglass/methods/local/pieces/piece_moments.h"

#include <algorithm>
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
  // Nearly all were drawn once and differ by how many pieces they have alone, and by the half they are of: first by
  // that, without comparisons; the others come behind.
  constexpr std::size_t halves = 3;
  std::vector<std::size_t> bucket(samples.rows);
  for (std::size_t i = 0; i < samples.rows; ++i) {
    const bool once = !samples.exact && samples.counts[i] == 1;
    const std::size_t half = once && samples.first_half[i] == 0 ? 0 : once && samples.first_half[i] == 1 ? 1 : 2;
    bucket[i] = samples.kept[i] * halves + half;
  }
  std::vector<std::uint32_t> begin((samples.pieces + 1) * halves + 1), order(samples.rows);
  for (const std::size_t at : bucket) ++begin[at + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::uint32_t> next = begin;
  for (std::uint32_t i = 0; i < samples.rows; ++i) order[next[bucket[i]]++] = i;
  for (std::size_t at = halves - 1; at + 1 < begin.size(); at += halves) {
    std::stable_sort(order.begin() + begin[at], order.begin() + begin[at + 1],
                     [&](std::uint32_t a, std::uint32_t b) { return kind(a) < kind(b); });
  }
  return order;
}

bool same_kind(const PieceSamples& samples, std::uint32_t a, std::uint32_t b) {
  return samples.kept[a] == samples.kept[b] && samples.counts[a] == samples.counts[b] &&
         (samples.exact || samples.first_half[a] == samples.first_half[b]);
}

// Bit k of number i becomes bit i of number k: halves of each other's squares change places, then quarters.
void transpose(std::uint32_t* square) {
  std::uint32_t low = 0x0000'FFFF;
  for (std::size_t half = 16; half != 0; half /= 2, low ^= low << half) {
    for (std::size_t i = 0; i < 32; i = ((i | half) + 1) & ~half) {
      const std::uint32_t change = ((square[i] >> half) ^ square[i | half]) & low;
      square[i] ^= change << half;
      square[i | half] ^= change;
    }
  }
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
  for (std::size_t word = 0; word < words_; ++word) {
    for (std::size_t first = 0; first < samples.pieces; first += word_bits) {
      std::uint32_t square[word_bits];
      for (std::size_t i = 0; i < word_bits; ++i) {
        const std::uint32_t sample = sample_[word * word_bits + i];
        const bool there = sample != none;
        const std::uint64_t kept = there ? samples.bits[sample * row_words + first / 64] >> (first % 64) : 0;
        square[i] = there ? ~static_cast<std::uint32_t>(kept) : 0;
      }
      transpose(square);
      const std::size_t count = std::min(word_bits, samples.pieces - first);
      for (std::size_t k = 0; k < count; ++k) left_out_[(first + k) * words_ + word] = square[k];
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
      moments.with[k * features + j] = -sum_of_bits(own, out, words.size());
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
    const std::uint64_t* bits = samples.bits.data() + pieces[k] / 64;
    const std::size_t words = samples.words_per_row(), bit = pieces[k] % 64;
    double* column = list.data() + k * samples.rows;
    for (std::size_t row = 0; row < samples.rows; ++row)
      column[row] = static_cast<double>(static_cast<std::uint32_t>(bits[row * words] >> bit) & 1);
  }
  return list;
}

}  // namespace sightglass
