// How a curve over a number goes, told in pieces: up, down, level. Points that nobody should go by (few rows,
// unusual combinations, not finite) carry nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass::finders {

// A move back counts from this share of the curve's range on, and only if it is more than its uncertainty. Where that
// makes too many turns to tell, larger ones may show a way on the whole.
inline constexpr double least_turn = 0.1;
inline constexpr double least_large_turn = 0.25;
// At an end a smaller one counts, if what cannot be trusted beyond it goes on the same way.
inline constexpr double least_turn_at_end = 0.05;
inline constexpr std::size_t most_pieces = 4;
// A curve is level where it stays within this share of its range, over at least these shares of its width and rows,
// and so many points.
inline constexpr double level_share = 0.05;
inline constexpr double least_level_width = 0.25;
inline constexpr double least_level_rows = 0.1;
inline constexpr std::size_t least_level_points = 3;
// Most of the way in one step: this share of the range within this share of the width.
inline constexpr double step_share = 0.6;
inline constexpr double step_width = 0.12;
inline constexpr std::size_t least_points_for_step = 5;
inline constexpr std::size_t least_points_for_line = 4;
// What moves less, beside the widest effect, is not told.
inline constexpr double least_range = 0.1;
// A curve is told if the points that can be trusted stand for this share of its rows.
inline constexpr double least_trusted_rows = 0.5;

// Grid points to go by: finite, with enough rows, inside the data; ascending.
[[nodiscard]] std::vector<std::size_t> trusted_points(const Curve& curve);
// Whether enough of the rows are at those points.
[[nodiscard]] bool trusted_enough(const Curve& curve, const std::vector<std::size_t>& trusted);
// The curve's range over them; 0 if they are too few.
[[nodiscard]] double trusted_range(const Curve& curve);
// 1.96 standard errors of the distance of two heights; 0 if unknown.
[[nodiscard]] double uncertainty(const Curve& curve, std::size_t a, std::size_t b);

enum class Move { up, down, level };

struct Piece {
  Move move = Move::level;
  std::size_t from = 0, to = 0;  // grid points
};

struct Course {
  std::vector<std::size_t> trusted;
  std::vector<Piece> pieces;          // one after the other
  std::vector<std::size_t> vertices;  // where it turns, with both ends
  std::size_t low = 0, high = 0;      // grid points
  double range = 0;
  bool even = false;                                        // one move along a straight line
  std::optional<std::pair<std::size_t, std::size_t>> step;  // one move, most of it between these two
  double turn = least_turn;                                 // what counts as a move back, as a share of the range
  // What cannot be trusted does not contradict the pieces, nor the range.
  bool everywhere = true, range_everywhere = true;
};

// Nothing if the curve is about levels, has fewer than two points to go by, or does not move by more than its
// uncertainty.
[[nodiscard]] std::optional<Course> course_of(const Curve& curve);

}  // namespace sightglass::finders
