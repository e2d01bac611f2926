// What does each piece of a text or a picture add to a prediction? A weighted line through the model's answers to
// samples with pieces left out, of K pieces; and what there is to know about how far to trust it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sightglass/methods/local/local_line/weighted_ridge.h"
#include "sightglass/methods/local/pieces/piece_samples.h"
#include "sightglass/result/caveat.h"

namespace sightglass {

struct PieceLineOptions {
  std::size_t terms = 10;  // 0 = all
  double width = 0.25;
  double penalty = 1;
  std::string select = "auto";  // forward, weights
};

struct PieceLine {
  double base = 0;                  // what the line says where all pieces are left out
  double prediction = 0;            // the model's for the whole
  std::vector<std::size_t> pieces;  // ascending
  std::vector<double> values, se;   // of these; se: 0 where all samples were taken
  double r2 = 0;
  // Of the pieces whose values can be told from 0 (or the one that comes nearest to that): the share of both halves of
  // the samples that name the same ones (Jaccard), 1 where all samples were taken.
  double stability = 1;
  std::size_t clear = 0;                // how many those are
  double far_share = 0;                 // of the weight, on samples that lack more than half of the pieces
  std::vector<double> least, greatest;  // of the values, over narrower and wider kernels
  bool exact = false;
  std::size_t samples = 0;

  [[nodiscard]] double local_prediction() const;
  // Whether the value of the i-th of the pieces can be told from 0.
  [[nodiscard]] bool is_clear(std::size_t i) const;
  // Whether a piece that can be told from 0 speaks for the prediction under one width and against it under another.
  [[nodiscard]] bool width_decides() const;
};

// One for each output of predictions (samples × outputs).
[[nodiscard]] std::vector<PieceLine> piece_lines(const PieceSamples& samples, MatrixSpan<const double> predictions,
                                                 const PieceLineOptions& options, const ForEach& for_each);

// Widths that a line is tried under, as multiples of the one that was asked for.
inline constexpr double tried_widths[] = {0.5, 1, 2, 4};

// Says which lines are not to be trusted. where: "row 3 (positive)", one for each line.
void add_line_caveats(const std::vector<PieceLine>& lines, const std::vector<std::string>& where, const char* piece,
                      std::vector<Caveat>& caveats);

}  // namespace sightglass
