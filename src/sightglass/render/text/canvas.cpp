#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "sightglass/base/utf8.h"
#include "sightglass/render/text/canvas_internal.h"

namespace sightglass {

namespace {

struct Character {
  std::uint32_t code;
  std::size_t bytes;
};

// A byte that is no character takes one column, like the replacement that printable() makes of it.
Character first_character(std::string_view text) {
  std::uint32_t code = 0xFFFD;
  const std::size_t bytes = utf8_length(text, &code);
  return bytes == 0 ? Character{0xFFFD, 1} : Character{code, bytes};
}

int columns_of(std::uint32_t code) {
  const auto within = [code](std::uint32_t low, std::uint32_t high) { return code >= low && code <= high; };
  if (within(0x300, 0x36F) || within(0x200B, 0x200F) || within(0xFE00, 0xFE0F)) return 0;
  const bool wide = within(0x1100, 0x115F) || within(0x2E80, 0xA4CF) || within(0xAC00, 0xD7A3) ||
                    within(0xF900, 0xFAFF) || within(0xFE30, 0xFE6F) || within(0xFF00, 0xFF60) ||
                    within(0xFFE0, 0xFFE6) || within(0x1F300, 0x1FAFF) || within(0x20000, 0x3FFFD);
  return wide ? 2 : 1;
}

void append_character(std::string& out, std::uint32_t code) {
  out += static_cast<char>(0xE0 | (code >> 12));
  out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
  out += static_cast<char>(0x80 | (code & 0x3F));
}

}  // namespace

int text_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const auto [code, bytes] = first_character(text);
    width += columns_of(code);
    text.remove_prefix(bytes);
  }
  return width;
}

std::string fit(std::string_view text, int width, bool unicode) {
  if (text_width(text) <= width) return std::string(text);
  const std::string_view mark = unicode ? "…" : "~";
  std::string cut;
  int used = 0;
  while (!text.empty()) {
    const auto [code, bytes] = first_character(text);
    if (used + columns_of(code) > width - 1) break;
    used += columns_of(code);
    cut += text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return cut + std::string(mark);
}

std::string repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

std::string pad_left(std::string_view text, int width) {
  return repeat(" ", width - text_width(text)) + std::string(text);
}

std::string pad_right(std::string_view text, int width) {
  return std::string(text) + repeat(" ", width - text_width(text));
}

std::vector<std::string> wrap(std::string_view text, int width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const auto space = std::min(text.find(' '), text.size());
    std::string word(text.substr(0, space));
    text.remove_prefix(std::min(space + 1, text.size()));
    if (!line.empty() && text_width(line) + 1 + text_width(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    // A word longer than the line (a hostile name) is cut rather than left to run over.
    if (line.empty()) {
      line = fit(word, width, true);
    } else {
      line += " " + word;
    }
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

DotCanvas::DotCanvas(int columns, int rows, bool unicode)
    : columns_(std::max(columns, 1)),
      rows_(std::max(rows, 1)),
      per_x_(unicode ? 2 : 1),
      per_y_(unicode ? 4 : 1),
      unicode_(unicode),
      cells_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_)) {}

void DotCanvas::dot(int x, int y) {
  const int width = columns_ * per_x_, height = rows_ * per_y_;
  if (x < 0 || y < 0 || x >= width || y >= height) return;
  const int from_top = height - 1 - y;
  auto& cell = cells_[static_cast<std::size_t>(from_top / per_y_ * columns_ + x / per_x_)];
  // Braille numbers its dots down the left column, down the right one, then the bottom pair.
  static constexpr unsigned char bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  cell = static_cast<unsigned char>(cell | (unicode_ ? bits[from_top % 4][x % 2] : 1));
}

void DotCanvas::point(double x, double y) { line(x, y, x, y); }

void DotCanvas::line(double x0, double y0, double x1, double y1) {
  if (!std::isfinite(x0) || !std::isfinite(y0) || !std::isfinite(x1) || !std::isfinite(y1)) return;
  const double width = columns_ * per_x_ - 1, height = rows_ * per_y_ - 1;
  const double steps = std::max({std::abs(x1 - x0) * width, std::abs(y1 - y0) * height, 1.0});
  const int count = static_cast<int>(std::min(steps, 4000.0)) + 1;
  for (int i = 0; i <= count; ++i) {
    const double t = static_cast<double>(i) / count;
    dot(static_cast<int>(std::lround(std::clamp((x0 + t * (x1 - x0)) * width, -1.0, width + 1))),
        static_cast<int>(std::lround(std::clamp((y0 + t * (y1 - y0)) * height, -1.0, height + 1))));
  }
}

std::string DotCanvas::row(int index) const {
  std::string out;
  for (int i = 0; i < columns_; ++i) {
    const unsigned char cell = cells_[static_cast<std::size_t>(index * columns_ + i)];
    if (cell == 0) {
      out += ' ';
    } else if (unicode_) {
      append_character(out, 0x2800u + cell);
    } else {
      out += '*';
    }
  }
  return out;
}

std::string sparkline(std::span<const double> values, double low, double high, bool unicode) {
  static constexpr std::string_view ascii = "_.-=+*%#";
  std::string out;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      out += ' ';
      continue;
    }
    const double share = high > low ? (value - low) / (high - low) : 0.5;
    const int step = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * 7));
    if (unicode) {
      append_character(out, 0x2581u + static_cast<std::uint32_t>(step));
    } else {
      out += ascii[static_cast<std::size_t>(step)];
    }
  }
  return out;
}

std::string bar(double length, bool unicode) {
  if (!std::isfinite(length) || length <= 0) return "";
  if (!unicode) return repeat("#", static_cast<int>(std::lround(length)));
  const int eighths = static_cast<int>(std::lround(length * 8));
  std::string out = repeat("█", eighths / 8);
  // The left blocks run from ▏ (one eighth, U+258F) down to ▉ (seven eighths, U+2589).
  if (eighths % 8 > 0) append_character(out, 0x2590u - static_cast<std::uint32_t>(eighths % 8));
  return out;
}

}  // namespace sightglass
