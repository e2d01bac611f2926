#include "sightglass/methods/local/pieces/region_kinds.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

namespace sightglass {

namespace {

constexpr std::size_t colour_steps = 4, texture_steps = 6;
constexpr std::size_t colour_cells = colour_steps * colour_steps * colour_steps;
constexpr double texture_weight = 0.5;
// Looks that are nearer are of one kind: without anything in common they are √2 apart.
constexpr double near_enough = 0.35;
constexpr int most_rounds = 30;

// A number in cells 0, …, steps − 1, divided among the two around it.
struct Divided {
  std::size_t low = 0, high = 0;
  double to_high = 0;
};

Divided divide(double share, std::size_t steps) {
  const double at = share * static_cast<double>(steps - 1);
  const auto low = std::min(static_cast<std::size_t>(at), steps - 1);
  return {.low = low, .high = std::min(low + 1, steps - 1), .to_high = at - static_cast<double>(low)};
}

double brightness(const std::uint8_t* rgb) { return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]; }

void add_pixel(RegionLook& look, const std::uint8_t* rgb, double change) {
  std::array<Divided, 3> parts;
  for (std::size_t c = 0; c < 3; ++c) {
    parts[c] = divide(rgb[c] / 255.0, colour_steps);
    look.colour[c] += rgb[c];
  }
  for (unsigned corner = 0; corner < 8; ++corner) {
    std::size_t cell = 0;
    double weight = 1;
    for (std::size_t c = 0; c < 3; ++c) {
      const bool high = ((corner >> c) & 1U) != 0;
      cell = cell * colour_steps + (high ? parts[c].high : parts[c].low);
      weight *= high ? parts[c].to_high : 1 - parts[c].to_high;
    }
    look.cells[cell] += weight;
  }
  const Divided size = divide(std::min(1.0, std::log2(1 + change) / 8), texture_steps);
  look.cells[colour_cells + size.low] += 1 - size.to_high;
  look.cells[colour_cells + size.high] += size.to_high;
  look.pixels += 1;
}

double distance(const std::array<double, look_cells>& a, const std::array<double, look_cells>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < look_cells; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

using Cells = std::array<double, look_cells>;

// The look that is farthest from all centres is the next one; the first is farthest from nothing at all.
std::vector<Cells> first_centres(const std::vector<RegionLook>& looks, std::size_t most) {
  std::vector<Cells> centres;
  if (looks.empty()) return centres;
  centres.push_back(looks[0].cells);
  std::vector<double> nearest(looks.size(), INFINITY);
  while (centres.size() < most) {
    std::size_t farthest = 0;
    for (std::size_t i = 0; i < looks.size(); ++i) {
      nearest[i] = std::min(nearest[i], distance(looks[i].cells, centres.back()));
      if (nearest[i] > nearest[farthest]) farthest = i;
    }
    if (!(nearest[farthest] > near_enough * near_enough)) break;
    centres.push_back(looks[farthest].cells);
  }
  return centres;
}

std::size_t nearest_centre(const Cells& cells, const std::vector<Cells>& centres) {
  std::size_t best = 0;
  double least = INFINITY;
  for (std::size_t k = 0; k < centres.size(); ++k) {
    const double apart = distance(cells, centres[k]);
    if (apart >= least) continue;
    least = apart;
    best = k;
  }
  return best;
}

void move_centres(const std::vector<RegionLook>& looks, const std::vector<std::size_t>& of,
                  std::vector<Cells>& centres) {
  std::vector<Cells> sums(centres.size(), Cells{});
  std::vector<double> counts(centres.size());
  for (std::size_t i = 0; i < looks.size(); ++i) {
    counts[of[i]] += 1;
    for (std::size_t c = 0; c < look_cells; ++c) sums[of[i]][c] += looks[i].cells[c];
  }
  for (std::size_t k = 0; k < centres.size(); ++k) {
    for (std::size_t c = 0; counts[k] > 0 && c < look_cells; ++c) centres[k][c] = sums[k][c] / counts[k];
  }
}

// What people call a colour, by its hue.
std::string colour_name(const std::array<double, 3>& rgb) {
  const double high = std::max({rgb[0], rgb[1], rgb[2]}), low = std::min({rgb[0], rgb[1], rgb[2]});
  const double range = high - low;
  if (high < 40) return "black";
  if (range < 0.18 * high) return high > 215 ? "white" : high < 100 ? "dark grey" : "grey";
  double hue = 0;  // in sixths of a turn
  if (high == rgb[0]) {
    hue = (rgb[1] - rgb[2]) / range;
  } else if (high == rgb[1]) {
    hue = 2 + (rgb[2] - rgb[0]) / range;
  } else {
    hue = 4 + (rgb[0] - rgb[1]) / range;
  }
  if (hue < -0.3) hue += 6;
  static constexpr std::pair<double, const char*> names[] = {{0.25, "red"},   {0.75, "orange"},   {1.15, "yellow"},
                                                             {2.75, "green"}, {3.3, "turquoise"}, {4.3, "blue"},
                                                             {5.0, "purple"}, {6, "pink"}};
  const char* name = "red";
  for (const auto& [until, called] : names) {
    name = called;
    if (hue < until) break;
  }
  return std::string(high < 120 ? "dark " : "") + name;
}

}  // namespace

std::vector<RegionLook> region_looks(const Picture& picture, const Segments& segments) {
  std::vector<RegionLook> looks(segments.count);
  for (std::size_t y = 0; y < picture.height; ++y) {
    for (std::size_t x = 0; x < picture.width; ++x) {
      const std::size_t at = y * picture.width + x;
      const std::uint32_t region = segments.of[at];
      // To neighbours in the region: its outline is no texture.
      double change = 0;
      for (const std::size_t next :
           {x + 1 < picture.width ? at + 1 : at, y + 1 < picture.height ? at + picture.width : at}) {
        if (segments.of[next] == region)
          change += std::abs(brightness(&picture.rgb[3 * next]) - brightness(&picture.rgb[3 * at])) / 2;
      }
      add_pixel(looks[region], &picture.rgb[3 * at], change);
    }
  }
  for (RegionLook& look : looks) {
    const double pixels = std::max(1.0, look.pixels);
    for (std::size_t c = 0; c < look_cells; ++c)
      look.cells[c] = (c < colour_cells ? 1 : texture_weight) * std::sqrt(look.cells[c] / pixels);
    for (double& channel : look.colour) channel /= pixels;
  }
  return looks;
}

RegionKinds region_kinds(const std::vector<RegionLook>& looks, std::size_t most) {
  std::vector<Cells> centres = first_centres(looks, most);
  RegionKinds kinds;
  kinds.of.resize(looks.size());
  for (int round = 0; round < most_rounds; ++round) {
    bool moved = round == 0;
    for (std::size_t i = 0; i < looks.size(); ++i) {
      const std::size_t nearest = nearest_centre(looks[i].cells, centres);
      moved = moved || nearest != kinds.of[i];
      kinds.of[i] = nearest;
    }
    if (!moved) break;
    move_centres(looks, kinds.of, centres);
  }
  std::vector<std::array<double, 4>> sums(centres.size());  // colours, pixels
  for (std::size_t i = 0; i < looks.size(); ++i) {
    auto& sum = sums[kinds.of[i]];
    for (std::size_t c = 0; c < 3; ++c) sum[c] += looks[i].colour[c] * looks[i].pixels;
    sum[3] += looks[i].pixels;
  }
  std::map<std::string, std::size_t> taken;
  for (const auto& sum : sums) {
    const double pixels = std::max(1.0, sum[3]);
    std::string name = colour_name({sum[0] / pixels, sum[1] / pixels, sum[2] / pixels});
    const std::size_t number = ++taken[name];
    kinds.names.push_back(number > 1 ? name + " " + std::to_string(number) : name);
  }
  return kinds;
}

}  // namespace sightglass
