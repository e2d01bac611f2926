// Which pieces of a text or a picture are there in which sample? The first sample is the whole; in each other some
// pieces are left out. Where all ways to leave pieces out are no more than the samples asked for, each is taken once
// and counts as often as it would be drawn: what infinitely many samples would say, with no more questions to the
// model.
#pragma once

#include <cstdint>
#include <vector>

namespace sightglass {

enum class PieceDraw {
  sizes,  // how many are left out is uniform in 1, …, p, then which: of texts (lime_text)
  coins,  // each is left out with probability one half: of pictures (lime_image)
};

struct PieceSamples {
  std::size_t pieces = 0;
  std::size_t rows = 0;  // different samples
  bool exact = false;
  std::vector<std::uint64_t> bits;  // [row × words_per_row() + word]: pieces that are there
  std::vector<std::uint32_t> kept;  // how many those are
  std::vector<double> counts;       // how often it was drawn, or is expected to be
  std::vector<double> first_half;   // of these among every other draw; none where exact

  [[nodiscard]] std::size_t words_per_row() const { return (pieces + 63) / 64; }
  [[nodiscard]] const std::uint64_t* row(std::size_t i) const { return bits.data() + i * words_per_row(); }
  [[nodiscard]] bool has(std::size_t row, std::size_t piece) const {
    return ((bits[row * words_per_row() + piece / 64] >> (piece % 64)) & 1) != 0;
  }
};

// samples: with the whole, which is always row 0. The same whoever asks: random numbers go by seed and row of the data.
[[nodiscard]] PieceSamples draw_pieces(std::size_t pieces, std::size_t samples, PieceDraw draw, std::uint64_t seed,
                                       std::uint64_t row);

// √exp(−D²/σ²) with D = 1 − cosine between a sample and the whole, which is 1 − √(kept / pieces).
[[nodiscard]] double piece_weight(std::size_t kept, std::size_t pieces, double width);

}  // namespace sightglass
