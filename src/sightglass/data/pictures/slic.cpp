#include "sightglass/data/pictures/slic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "sightglass/base/each_processor.h"

namespace sightglass {

namespace {

constexpr int rounds = 10;
// Colours are smoothed where noise would count beside places: down to this much of the compactness, unless that takes
// less than this σ, in pixels.
constexpr double most_noise = 0.25, least_sigma = 0.5;

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

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

// How far colours are from the mean of the four beside them, in the median: 0 where areas are plain, whatever edges
// they have, and of independent noise near its standard deviation.
double noise_of(const Lab& lab, std::size_t width, std::size_t height) {
  if (width < 3 || height < 3) return 0;
  std::vector<float> squares;
  squares.reserve((width - 2) * (height - 2));
  for (std::size_t y = 1; y + 1 < height; ++y) {
    for (std::size_t i = y * width + 1; i + 1 < (y + 1) * width; ++i) {
      float square = 0;
      for (const auto* of : {&lab.l, &lab.a, &lab.b}) {
        const float* at = of->data() + i;
        const float off = *at - (*(at - 1) + *(at + 1) + *(at - width) + *(at + width)) / 4;
        square += off * off;
      }
      squares.push_back(square);
    }
  }
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  return std::sqrt(*middle / 1.25);
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void add_times(float times, const float* from, float* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] += times * from[i];
}

// By a Gaussian; beyond the edges all is as at them.
void smooth(std::vector<float>& values, std::size_t width, std::size_t height, double sigma, const Context& context) {
  const auto radius = static_cast<std::size_t>(std::ceil(3 * sigma));
  std::vector<float> weights;
  double sum = 0;
  for (std::size_t i = 0; i <= 2 * radius; ++i) {
    const double z = (static_cast<double>(i) - static_cast<double>(radius)) / sigma;
    weights.push_back(static_cast<float>(std::exp(-z * z / 2)));
    sum += weights.back();
  }
  for (float& weight : weights) weight = static_cast<float>(weight / sum);
  std::vector<float> down(values.size()), padded(width + 2 * radius);
  for (std::size_t y = 0; y < height; ++y) {
    context.check();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const std::size_t from = std::min(height - 1, y + i < radius ? 0 : y + i - radius);
      add_times(weights[i], values.data() + from * width, down.data() + y * width, width);
    }
  }
  std::fill(values.begin(), values.end(), 0.0F);
  for (std::size_t y = 0; y < height; ++y) {
    context.check();
    const float* line = down.data() + y * width;
    std::fill_n(padded.begin(), radius, line[0]);
    std::copy_n(line, width, padded.begin() + static_cast<std::ptrdiff_t>(radius));
    std::fill_n(padded.end() - static_cast<std::ptrdiff_t>(radius), radius, line[width - 1]);
    for (std::size_t i = 0; i < weights.size(); ++i)
      add_times(weights[i], padded.data() + i, values.data() + y * width, width);
  }
}

struct Grid {
  std::size_t width = 0, height = 0;

  void for_each_neighbour(std::size_t pixel, auto&& visit) const {
    const std::size_t x = pixel % width;
    if (x > 0) visit(pixel - 1);
    if (x + 1 < width) visit(pixel + 1);
    if (pixel >= width) visit(pixel - width);
    if (pixel + width < width * height) visit(pixel + width);
  }
};

// Pixels that hang together and are nearest to the same centre.
struct Pieces {
  std::vector<std::uint32_t> of, centre;  // of each pixel, of each piece
  std::vector<std::size_t> sizes;
};

Pieces pieces_of(const std::vector<std::uint32_t>& nearest, const Grid& grid) {
  Pieces pieces{.of = std::vector<std::uint32_t>(nearest.size(), none)};
  std::vector<std::size_t> piece;
  for (std::size_t start = 0; start < nearest.size(); ++start) {
    if (pieces.of[start] != none) continue;
    const auto number = static_cast<std::uint32_t>(pieces.sizes.size());
    piece.assign(1, start);
    pieces.of[start] = number;
    for (std::size_t at = 0; at < piece.size(); ++at) {
      grid.for_each_neighbour(piece[at], [&](std::size_t other) {
        if (pieces.of[other] != none || nearest[other] != nearest[start]) return;
        pieces.of[other] = number;
        piece.push_back(other);
      });
    }
    pieces.centre.push_back(nearest[start]);
    pieces.sizes.push_back(piece.size());
  }
  return pieces;
}

// Pixels without a region join one beside them, layer by layer, so that none swallows the others and each still hangs
// together; where several are beside one, the one with the nearest centre.
void grow(std::vector<std::uint32_t>& regions, const Grid& grid, const Context& context,
          const std::function<float(std::size_t, std::uint32_t)>& distance) {
  std::vector<std::size_t> layer, next;
  std::vector<std::uint32_t> chosen;
  std::vector<bool> waits(regions.size());
  const auto wait = [&](std::size_t pixel) {
    if (regions[pixel] != none || waits[pixel]) return;
    waits[pixel] = true;
    next.push_back(pixel);
  };
  for (std::size_t i = 0; i < regions.size(); ++i) {
    if (regions[i] != none) grid.for_each_neighbour(i, wait);
  }
  while (!next.empty()) {
    context.check();
    layer.swap(next);
    next.clear();
    chosen.clear();
    for (const std::size_t pixel : layer) {
      std::uint32_t best = none;
      float least = std::numeric_limits<float>::infinity();
      grid.for_each_neighbour(pixel, [&](std::size_t other) {
        if (regions[other] == none || regions[other] == best) return;
        const float d = distance(pixel, regions[other]);
        if (best != none && d >= least) return;
        best = regions[other];
        least = d;
      });
      chosen.push_back(best);
    }
    for (std::size_t i = 0; i < layer.size(); ++i) regions[layer[i]] = chosen[i];
    for (const std::size_t pixel : layer) grid.for_each_neighbour(pixel, wait);
  }
}

// Large pieces stay, and so does the largest of each centre, from which noise may have taken all others; small ones
// are divided among those around them. What is still small then goes the same way.
Segments connected(const Pieces& pieces, std::size_t centres, const Grid& grid, std::size_t smallest,
                   const Context& context, const std::function<float(std::size_t, std::uint32_t)>& distance) {
  std::vector<std::uint32_t> largest(centres, none);
  for (std::uint32_t i = 0; i < pieces.sizes.size(); ++i) {
    std::uint32_t& known = largest[pieces.centre[i]];
    if (known == none || pieces.sizes[i] > pieces.sizes[known]) known = i;
  }
  // Regions have the numbers of the pieces from which they grow.
  const auto to_centre = [&](std::size_t pixel, std::uint32_t piece) { return distance(pixel, pieces.centre[piece]); };
  Segments found{.of = pieces.of};
  for (std::uint32_t& region : found.of) {
    if (pieces.sizes[region] < smallest && largest[pieces.centre[region]] != region) region = none;
  }
  grow(found.of, grid, context, to_centre);
  std::vector<std::size_t> sizes(pieces.sizes.size());
  for (const std::uint32_t region : found.of) ++sizes[region];
  for (std::uint32_t& region : found.of) {
    if (sizes[region] < smallest) region = none;
  }
  grow(found.of, grid, context, to_centre);
  std::vector<std::uint32_t> numbers(pieces.sizes.size(), none);  // in the order of first pixels
  for (std::uint32_t& region : found.of) {
    if (numbers[region] == none) numbers[region] = static_cast<std::uint32_t>(found.count++);
    region = numbers[region];
  }
  return found;
}

}  // namespace

Segments superpixels(const Picture& picture, std::size_t segments, const Context& context, double compactness) {
  const std::size_t width = picture.width, height = picture.height;
  Lab lab = to_lab(picture);
  const std::size_t pixels = picture.pixels();
  double step = std::max(1.0, std::sqrt(static_cast<double>(pixels) / static_cast<double>(segments)));
  // A picture that is only one region high or wide.
  if (static_cast<double>(std::min(width, height)) < step)
    step = std::max(1.0, static_cast<double>(std::max(width, height)) / static_cast<double>(segments));
  // A Gaussian of σ leaves 1 / (2 √π σ) of noise.
  const double sigma =
      std::min(step / 4, noise_of(lab, width, height) / (2 * std::sqrt(std::numbers::pi) * most_noise * compactness));
  if (sigma > least_sigma) {
    for (auto* values : {&lab.l, &lab.a, &lab.b}) smooth(*values, width, height, sigma, context);
  }
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
  const Grid grid{.width = width, .height = height};
  const auto distance_to = [&](std::size_t pixel, std::uint32_t c) {
    const Centre& centre = centres[c];
    const double dl = lab.l[pixel] - centre.l, da = lab.a[pixel] - centre.a, db = lab.b[pixel] - centre.b;
    const std::size_t x = pixel % width, y = pixel / width;
    const double dx = static_cast<double>(x) - centre.x, dy = static_cast<double>(y) - centre.y;
    return static_cast<float>(dl * dl + da * da + db * db + place_weight * (dx * dx + dy * dy));
  };
  return connected(pieces_of(nearest, grid), centres.size(), grid, pixels / centres.size() / 4, context, distance_to);
}

}  // namespace sightglass
