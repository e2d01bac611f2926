#include "sightglass/methods/local/pieces/piece_samples.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"

namespace sightglass {

namespace {

// Samples × pieces: a quarter of a gigabyte, of which fitting makes copies.
constexpr double most_values = 1 << 25;

constexpr std::uint64_t pieces_stream = 0x7069'6563'6573;  // "pieces"
constexpr std::size_t most_enumerated_pieces = 20;

// Random numbers of one row of the data, one after the other.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t row)
      : seed_(seed), stream_(pieces_stream ^ ((row + 1) * 0x9E37'79B9'7F4A'7C15ULL)) {}
  std::uint64_t next() {
    const std::uint64_t low = half();
    return low | std::uint64_t{half()} << 32;
  }
  // Below `end`, which is far below 2³², so that the rounding does not show.
  std::size_t below(std::size_t end) { return static_cast<std::size_t>((std::uint64_t{half()} * end) >> 32); }

 private:
  std::uint32_t half() {
    if (at_ == halves_.size()) refill();
    return halves_[at_++];
  }
  void refill() {
    for (std::size_t i = 0; i < halves_.size();) {
      for (const std::uint64_t number : random_block(seed_, stream_, index_++)) {
        halves_[i++] = static_cast<std::uint32_t>(number);
        halves_[i++] = static_cast<std::uint32_t>(number >> 32);
      }
    }
    at_ = 0;
  }

  std::uint64_t seed_, stream_, index_ = 0;
  std::array<std::uint32_t, 64> halves_{};  // of numbers of 64 bits
  std::size_t at_ = halves_.size();
};

std::uint64_t bits_of_word(std::size_t pieces, std::size_t word) {
  const std::size_t rest = pieces - word * 64;
  return rest >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rest) - 1;
}

PieceSamples enumerate(std::size_t pieces, std::size_t samples, PieceDraw draw) {
  PieceSamples all{.pieces = pieces, .rows = std::size_t{1} << pieces, .exact = true};
  const std::uint64_t whole = bits_of_word(pieces, 0);
  const auto drawn = static_cast<double>(samples - 1);
  std::vector<double> ways{1};  // n over k
  for (std::size_t n = 0; n < pieces; ++n) {
    ways.push_back(1);
    for (std::size_t k = n; k > 0; --k) ways[k] += ways[k - 1];
  }
  for (std::uint64_t left_out = 0; left_out <= whole; ++left_out) {
    const auto size = static_cast<std::size_t>(std::popcount(left_out));
    all.bits.push_back(whole ^ left_out);
    all.kept.push_back(static_cast<std::uint32_t>(pieces - size));
    double count = draw == PieceDraw::coins ? drawn / static_cast<double>(all.rows)
                   : size > 0               ? drawn / (static_cast<double>(pieces) * ways[size])
                                            : 0;
    if (left_out == 0) count += 1;
    all.counts.push_back(count);
  }
  return all;
}

// Samples that are the same become one, where the first of them was.
void join_same(PieceSamples& samples) {
  const std::size_t words = samples.words_per_row();
  const auto row = [&](std::size_t i) { return samples.bits.data() + i * words; };
  constexpr std::uint32_t free = ~std::uint32_t{0};
  const std::size_t places = std::bit_ceil(2 * samples.rows);
  std::vector<std::uint32_t> known(places, free);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples.rows; ++i) {
    std::uint64_t hash = 0;
    for (std::size_t word = 0; word < words; ++word) {
      hash = (hash ^ row(i)[word]) * 0x9E37'79B9'7F4A'7C15ULL;
      hash ^= hash >> 32;
    }
    std::size_t at = hash & (places - 1);
    while (known[at] != free && !std::equal(row(i), row(i) + words, row(known[at]))) at = (at + 1) & (places - 1);
    if (known[at] != free) {
      samples.counts[known[at]] += samples.counts[i];
      samples.first_half[known[at]] += samples.first_half[i];
      continue;
    }
    known[at] = static_cast<std::uint32_t>(kept);
    std::copy_n(row(i), words, row(kept));
    samples.kept[kept] = samples.kept[i];
    samples.counts[kept] = samples.counts[i];
    samples.first_half[kept] = samples.first_half[i];
    ++kept;
  }
  samples.rows = kept;
  samples.bits.resize(kept * words);
  samples.kept.resize(kept);
  samples.counts.resize(kept);
  samples.first_half.resize(kept);
}

}  // namespace

PieceSamples draw_pieces(std::size_t pieces, std::size_t samples, PieceDraw draw, std::uint64_t seed,
                         std::uint64_t row) {
  if (pieces <= most_enumerated_pieces && (std::size_t{1} << pieces) <= samples)
    return enumerate(pieces, samples, draw);
  if (static_cast<double>(pieces) * static_cast<double>(samples) > most_values)
    throw Error(ErrorKind::usage,
                std::to_string(samples) + " samples of " + std::to_string(pieces) + " pieces do not fit into memory",
                marked("lower {option:samples}"));
  PieceSamples drawn{.pieces = pieces, .rows = samples};
  const std::size_t words = drawn.words_per_row();
  drawn.bits.reserve(samples * words);
  drawn.counts.reserve(samples);
  drawn.first_half.reserve(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    for (std::size_t word = 0; word < words; ++word) drawn.bits.push_back(bits_of_word(pieces, word));
    drawn.counts.push_back(1);
    // The whole belongs to both halves alike.
    drawn.first_half.push_back(i == 0 ? 0.5 : i % 2 == 0 ? 1 : 0);
  }
  drawn.kept.resize(samples, static_cast<std::uint32_t>(pieces));
  Draws draws(seed, row);
  std::vector<std::uint32_t> order(pieces);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  for (std::size_t i = 1; i < samples; ++i) {
    std::uint64_t* bits = drawn.bits.data() + i * words;
    if (draw == PieceDraw::coins) {
      std::size_t kept = 0;
      for (std::size_t word = 0; word < words; ++word) {
        bits[word] &= draws.next();
        kept += static_cast<std::size_t>(std::popcount(bits[word]));
      }
      drawn.kept[i] = static_cast<std::uint32_t>(kept);
      continue;
    }
    // Whichever are fewer are drawn: those that are left out, or those that stay.
    const std::size_t size = 1 + draws.below(pieces), fewer = std::min(size, pieces - size);
    if (fewer < size) std::fill_n(bits, words, std::uint64_t{0});
    for (std::size_t at = 0; at < fewer; ++at) {
      // Kept at hand: what was just stored is slow to read again.
      std::uint32_t& other = order[at + draws.below(pieces - at)];
      const std::uint32_t chosen = other;
      other = order[at];
      order[at] = chosen;
      bits[chosen / 64] ^= std::uint64_t{1} << (chosen % 64);
    }
    drawn.kept[i] = static_cast<std::uint32_t>(pieces - size);
  }
  join_same(drawn);
  return drawn;
}

double piece_weight(std::size_t kept, std::size_t pieces, double width) {
  const double distance = 1 - std::sqrt(static_cast<double>(kept) / static_cast<double>(pieces));
  return std::exp(-distance * distance / (2 * width * width));
}

}  // namespace sightglass
