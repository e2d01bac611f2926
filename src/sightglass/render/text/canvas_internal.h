// Drawing with characters: text of a known width on screen, lines of dots, bars, shades.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sightglass {

// Columns that a terminal gives to the text: wide East Asian characters and emoji take two, combining ones none.
[[nodiscard]] int text_width(std::string_view text);
// Cut with an ellipsis if wider than `width`.
[[nodiscard]] std::string fit(std::string_view text, int width, bool unicode);
[[nodiscard]] std::string pad_left(std::string_view text, int width);
[[nodiscard]] std::string pad_right(std::string_view text, int width);
// Lines of at most `width` columns, broken at spaces.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, int width);
[[nodiscard]] std::string repeat(std::string_view text, int times);

// A grid of cells with 2 × 4 dots each (braille), or one mark per cell without Unicode.
class DotCanvas {
 public:
  DotCanvas(int columns, int rows, bool unicode);
  // Coordinates in [0, 1], y upwards. Points outside are cut off, not moved.
  void line(double x0, double y0, double x1, double y1);
  void point(double x, double y);
  [[nodiscard]] std::string row(int index) const;

 private:
  void dot(int x, int y);
  int columns_, rows_;
  int per_x_, per_y_;
  bool unicode_;
  std::vector<unsigned char> cells_;
};

// One character per value between low and high.
[[nodiscard]] std::string sparkline(std::span<const double> values, double low, double high, bool unicode);
// A bar of `length` columns (fractions in eighths with Unicode).
[[nodiscard]] std::string bar(double length, bool unicode);

}  // namespace sightglass
