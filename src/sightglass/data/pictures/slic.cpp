#include "sightglass/data/pictures/slic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sightglass/base/each_processor.h"

namespace sightglass {

namespace {

constexpr int rounds = 10;

// The three numbers of each pixel's colour.
struct Lab {
  std::vector<float> l, a, b;
};

// sRGB under D65.
Lab to_lab(const Picture& picture) {
  std::array<double, 256> linear{};
  for (std::size_t i = 0; i < linear.size(); ++i) {
    const double c = static_cast<double>(i) / 255;
    linear[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  const auto bent = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const std::size_t pixels = picture.pixels();
  Lab lab{.l = std::vector<float>(pixels), .a = std::vector<float>(pixels), .b = std::vector<float>(pixels)};
  for (std::size_t i = 0; i < pixels; ++i) {
    // Neighbours often have the same colour.
    if (i > 0 &&
        std::equal(picture.rgb.data() + 3 * i, picture.rgb.data() + 3 * i + 3, picture.rgb.data() + 3 * i - 3)) {
      lab.l[i] = lab.l[i - 1];
      lab.a[i] = lab.a[i - 1];
      lab.b[i] = lab.b[i - 1];
      continue;
    }
    const double r = linear[picture.rgb[3 * i]], g = linear[picture.rgb[3 * i + 1]], b = linear[picture.rgb[3 * i + 2]];
    const double x = bent((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
    const double y = bent(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
    const double z = bent((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
    lab.l[i] = static_cast<float>(116 * y - 16);
    lab.a[i] = static_cast<float>(500 * (x - y));
    lab.b[i] = static_cast<float>(200 * (y - z));
  }
  return lab;
}

struct Centre {
  double l = 0, a = 0, b = 0, x = 0, y = 0;
};

// Where a line of pixels meets a centre.
struct Meeting {
  const float *l = nullptr, *a = nullptr, *b = nullptr;  // of the pixels
  std::size_t first = 0, count = 0;                      // x of the first, and how many
  float centre_l = 0, centre_a = 0, centre_b = 0, centre_x = 0, squared_dy = 0, place_weight = 0;
  std::uint32_t number = 0;  // of the centre
};

// Pixels that are nearer to this centre than to all before become its own.
SIGHTGLASS_FOR_EACH_PROCESSOR
void meet(const Meeting& meeting, float* distance, std::uint32_t* nearest) {
  const float *l = meeting.l, *a = meeting.a, *b = meeting.b;
  const auto first = static_cast<std::int32_t>(meeting.first), count = static_cast<std::int32_t>(meeting.count);
  for (std::int32_t i = 0; i < count; ++i) {
    const float dx = static_cast<float>(first + i) - meeting.centre_x;
    const float dl = l[i] - meeting.centre_l, da = a[i] - meeting.centre_a, db = b[i] - meeting.centre_b;
    const float d = dl * dl + da * da + db * db + meeting.place_weight * (dx * dx + meeting.squared_dy);
    const float known = distance[i];
    const std::uint32_t own = nearest[i];
    nearest[i] = d < known ? meeting.number : own;
    distance[i] = d < known ? d : known;
  }
}

// Pieces that hang together get numbers in the order of their first pixels; small ones join the one before them.
Segments connected(const std::vector<std::uint32_t>& nearest, std::size_t width, std::size_t height,
                   std::size_t smallest) {
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  Segments found{.of = std::vector<std::uint32_t>(nearest.size(), none)};
  std::vector<std::size_t> piece;
  for (std::size_t start = 0; start < nearest.size(); ++start) {
    if (found.of[start] != none) continue;
    const auto number = static_cast<std::uint32_t>(found.count);
    std::uint32_t before = none;
    if (start % width > 0) before = found.of[start - 1];
    if (before == none && start >= width) before = found.of[start - width];
    piece.assign(1, start);
    found.of[start] = number;
    for (std::size_t at = 0; at < piece.size(); ++at) {
      const std::size_t x = piece[at] % width, y = piece[at] / width;
      const auto visit = [&](std::size_t other) {
        if (found.of[other] != none || nearest[other] != nearest[start]) return;
        found.of[other] = number;
        piece.push_back(other);
      };
      if (x > 0) visit(piece[at] - 1);
      if (x + 1 < width) visit(piece[at] + 1);
      if (y > 0) visit(piece[at] - width);
      if (y + 1 < height) visit(piece[at] + width);
    }
    if (piece.size() < smallest && before != none) {
      for (const std::size_t pixel : piece) found.of[pixel] = before;
    } else {
      ++found.count;
    }
  }
  return found;
}

}  // namespace

Segments superpixels(const Picture& picture, std::size_t segments, const Context& context, double compactness) {
  const std::size_t width = picture.width, height = picture.height;
  const Lab lab = to_lab(picture);
  const std::size_t pixels = picture.pixels();
  const double step = std::max(1.0, std::sqrt(static_cast<double>(pixels) / static_cast<double>(segments)));
  const auto along = [&](std::size_t side) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(static_cast<double>(side) / step)));
  };
  const std::size_t columns = along(width), lines = along(height);
  std::vector<Centre> centres;
  for (std::size_t line = 0; line < lines; ++line) {
    for (std::size_t column = 0; column < columns; ++column) {
      const std::size_t x = (2 * column + 1) * width / (2 * columns), y = (2 * line + 1) * height / (2 * lines);
      const std::size_t at = y * width + x;
      centres.push_back({lab.l[at], lab.a[at], lab.b[at], static_cast<double>(x), static_cast<double>(y)});
    }
  }
  const auto place_weight = static_cast<float>(compactness * compactness / (step * step));
  std::vector<std::uint32_t> nearest(pixels);
  std::vector<float> distance(pixels);
  const auto reach = static_cast<std::ptrdiff_t>(std::ceil(2 * step));
  for (int round = 0; round < rounds; ++round) {
    std::fill(distance.begin(), distance.end(), std::numeric_limits<float>::max());
    for (std::size_t c = 0; c < centres.size(); ++c) {
      context.check();
      const Centre& centre = centres[c];
      const auto middle_x = static_cast<std::ptrdiff_t>(centre.x), middle_y = static_cast<std::ptrdiff_t>(centre.y);
      const auto first = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, middle_x - reach));
      const std::size_t last = std::min(width, static_cast<std::size_t>(middle_x + reach + 1));
      const auto top = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, middle_y - reach));
      const std::size_t bottom = std::min(height, static_cast<std::size_t>(middle_y + reach + 1));
      for (std::size_t y = top; y < bottom; ++y) {
        const float dy = static_cast<float>(y) - static_cast<float>(centre.y);
        const std::size_t at = y * width + first;
        meet({.l = lab.l.data() + at,
              .a = lab.a.data() + at,
              .b = lab.b.data() + at,
              .first = first,
              .count = last - first,
              .centre_l = static_cast<float>(centre.l),
              .centre_a = static_cast<float>(centre.a),
              .centre_b = static_cast<float>(centre.b),
              .centre_x = static_cast<float>(centre.x),
              .squared_dy = dy * dy,
              .place_weight = place_weight,
              .number = static_cast<std::uint32_t>(c)},
             distance.data() + at, nearest.data() + at);
      }
    }
    std::vector<Centre> sums(centres.size());
    std::vector<double> counts(centres.size());
    for (std::size_t i = 0, y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x, ++i) {
        Centre& sum = sums[nearest[i]];
        sum.l += lab.l[i];
        sum.a += lab.a[i];
        sum.b += lab.b[i];
        sum.x += static_cast<double>(x);
        sum.y += static_cast<double>(y);
        ++counts[nearest[i]];
      }
    }
    for (std::size_t c = 0; c < centres.size(); ++c) {
      if (counts[c] > 0)
        centres[c] = {sums[c].l / counts[c], sums[c].a / counts[c], sums[c].b / counts[c], sums[c].x / counts[c],
                      sums[c].y / counts[c]};
    }
  }
  return connected(nearest, width, height, static_cast<std::size_t>(step * step / 4));
}

}  // namespace sightglass
