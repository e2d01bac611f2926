// Weighted sums of products of pieces, counted instead of multiplied. A piece is in a sample or not, and a sample's
// weight depends only on how many it lacks and how often it was drawn: samples that weigh the same stand together as
// bits, and what two pieces have in common is a count of bits times a weight.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/methods/local/local_line/weighted_ridge.h"
#include "sightglass/methods/local/pieces/piece_samples.h"

namespace sightglass {

class PieceSets {
 public:
  explicit PieceSets(const PieceSamples& samples);

  // Of these pieces. weights: of each sample, the same for samples that have as many pieces and were drawn as often, in
  // each half; y: samples × outputs. The same bytes whatever the threads.
  [[nodiscard]] WeightedMoments moments(const std::vector<std::size_t>& pieces, std::span<const double> weights,
                                        MatrixSpan<const double> y, const ForEach& for_each) const;

 private:
  static constexpr std::size_t word_bits = 32;

  std::size_t words_ = 0;
  std::vector<std::uint32_t> left_out_;  // [piece × words_ + word]: samples that lack it
  std::vector<std::uint32_t> sample_;    // [word × word_bits + bit]; none behind the last of its kind
};

// 1 where a sample has the piece: [place in the list × samples + sample].
[[nodiscard]] std::vector<double> piece_columns(const PieceSamples& samples, const std::vector<std::size_t>& pieces);

}  // namespace sightglass
