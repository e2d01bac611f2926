// Rows whose texts or pictures are explained piece by piece: a line for each row and output, and what is said of all of
// them; or of a few of them, which are picked so that they show most of what the model does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/methods/local/pieces/piece_line.h"
#include "sightglass/methods/local/pieces/text_columns.h"
#include "sightglass/methods/rows/explained_rows.h"

namespace sightglass {

// The lines of a row, one for each output.
struct PieceRow {
  std::size_t at = 0;      // among the rows that were asked for
  std::size_t pieces = 0;  // of its text or picture
  std::vector<PieceLine> lines;
};

// What pieces of different rows are compared by: the kind of each piece of a row, and what kinds are called.
struct PieceKinds {
  std::vector<std::vector<std::size_t>> of;  // [explained row][piece]
  std::vector<std::string> names;
};

struct PieceRows {
  MethodInput input;
  TextPlace place;
  PieceLineOptions options;
  ExplainedRows asked;
  std::vector<LabelledRow> rows;
  std::vector<PieceRow> explained;

  // Puts lines through the model's answers about samples of a row.
  const PieceRow& add(std::size_t at, const PieceSamples& samples, const Matrix& answers);
  // What is not to be trusted about the lines, and how many of the rows these are.
  void add_caveats(const char* piece, Result& result) const;
  // A few of the explained rows, by place, that cover most: examples with their data (texts too, where asked for).
  [[nodiscard]] std::vector<std::size_t> pick(const PieceKinds& kinds, std::size_t budget, bool with_texts,
                                              Result& result) const;
};

// Of options that call them so.
template <class Options>
[[nodiscard]] PieceLineOptions line_options(const Options& options) {
  return {.terms = static_cast<std::size_t>(options.terms),
          .width = options.width,
          .penalty = options.penalty,
          .select = options.select};
}

// How many rows are drawn where none are named; where some are picked from them, more are needed.
inline constexpr std::int64_t pieces_shown_by_default = 3, pieces_picked_from_by_default = 100;

// The rows, with what the model says of them.
[[nodiscard]] Chain<PieceRows> piece_rows(const MethodInput& input, const TextPlace& place,
                                          const PieceLineOptions& options, const std::vector<std::int64_t>& rows,
                                          const std::optional<std::int64_t>& explain, bool picked);

// What every line says of itself.
[[nodiscard]] Value piece_details(const MethodInput& input, const TextPlace& place, const PieceLine& line);

}  // namespace sightglass
