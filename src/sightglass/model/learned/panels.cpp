#include "sightglass/model/learned/panels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sightglass/base/each_processor.h"
#include "sightglass/numeric/plain_exp.h"

namespace sightglass {

namespace {

constexpr double undecided = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t tile = 128;

SIGHTGLASS_FOR_EACH_PROCESSOR
void add_radial(const double* x, const double* y, std::size_t rows, double at_x, double at_y, double gamma,
                double coefficient, double* out) {
  for (std::size_t row = 0; row < rows; ++row) {
    const double dx = x[row] - at_x, dy = y[row] - at_y;
    out[row] += coefficient * plain_exp(-gamma * (dx * dx + dy * dy));
  }
}

std::size_t class_of(std::span<const double> shares) {
  return static_cast<std::size_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
}

struct Decided {
  std::array<double, 2> xs;
  double decision;
};

Decided decide(const Panel& panel, std::span<const double> row) {
  Decided decided{{0, 0}, 0};
  std::array<std::span<const double>, 2> spans;
  for (std::size_t i = 0; i < panel.inputs.size(); ++i) {
    decided.xs[i] = panel_position(panel.inputs[i], row[panel.inputs[i].feature]);
    spans[i] = {&decided.xs[i], 1};
  }
  panel_decisions(panel, {spans.data(), panel.inputs.size()}, {&decided.decision, 1});
  return decided;
}

}  // namespace

double panel_position(const Panel::Input& input, double value) {
  if (!std::isfinite(value)) return undecided;  // no axis reaches there
  if (input.positions.empty()) return value;
  const bool known = value >= 0 && value < static_cast<double>(input.positions.size());
  return known ? input.positions[static_cast<std::size_t>(value)] : undecided;
}

void panel_decisions(const Panel& panel, std::span<const std::span<const double>> xs, std::span<double> out) {
  std::array<std::array<double, tile>, 2> z{};
  for (std::size_t first = 0; first < out.size(); first += tile) {
    const std::size_t rows = std::min(tile, out.size() - first);
    std::array<bool, tile> missing{};
    for (std::size_t i = 0; i < panel.inputs.size(); ++i) {
      const Panel::Input& input = panel.inputs[i];
      for (std::size_t row = 0; row < rows; ++row) {
        const double value = (xs[i][first + row] - input.center) / input.scale;
        missing[row] = missing[row] || std::isnan(value);
        z[i][row] = std::isnan(value) ? 0 : value;
      }
    }
    double* to = out.data() + first;
    std::fill(to, to + rows, panel.bias);
    if (panel.linear) {
      for (std::size_t i = 0; i < panel.inputs.size(); ++i) {
        for (std::size_t row = 0; row < rows; ++row) to[row] += panel.coefficients[i] * z[i][row];
      }
    } else {
      const bool flat = panel.inputs.size() == 1;
      for (std::size_t s = 0; s < panel.coefficients.size(); ++s) {
        add_radial(z[0].data(), z[1].data(), rows, panel.support[0][s], flat ? 0 : panel.support[1][s], panel.gamma,
                   panel.coefficients[s], to);
      }
    }
    for (std::size_t row = 0; row < rows; ++row) {
      if (missing[row]) to[row] = undecided;
    }
  }
}

bool panel_claims(const Panel& panel, std::span<const double> xs, double decision) {
  if (!(decision > panel.threshold)) return false;
  for (std::size_t i = 0; i < panel.inputs.size(); ++i) {
    const Panel::Input& input = panel.inputs[i];
    const double z = (xs[i] - input.center) / input.scale;
    if (!(z >= input.low && z <= input.high)) return false;
  }
  return true;
}

std::size_t unclaimed_end(const CoveringStructure& structure) {
  return structure.one_vs_rest ? structure.order.size() : 0;
}

std::size_t decided_place(const CoveringStructure& structure, std::size_t end) {
  return end == structure.order.size() ? 0 : end;
}

PanelWay panel_way(const CoveringStructure& structure, std::span<const double> row) {
  PanelWay way;
  way.end = unclaimed_end(structure);
  for (std::size_t p = 0; p < structure.panels.size(); ++p) {
    const Panel& panel = structure.panels[p];
    const Decided decided = decide(panel, row);
    const bool claims = panel_claims(panel, {decided.xs.data(), panel.inputs.size()}, decided.decision);
    const bool inside = claims || !(decided.decision > panel.threshold);
    way.visits.push_back({p, decided.decision, panel.threshold, inside, claims});
    if (!claims || (!way.claimed_as.empty() && way.claimed_as.back() == panel.claims)) continue;
    way.claimed_as.push_back(panel.claims);
    if (way.decides && !structure.one_vs_rest) continue;
    way.decides = p;
    way.end = static_cast<std::size_t>(std::find(structure.order.begin(), structure.order.end(), panel.claims) -
                                       structure.order.begin());
  }
  way.predicted = structure.order[decided_place(structure, way.end)];
  return way;
}

PanelWay panel_way(const PanelTreeStructure& structure, std::span<const double> row) {
  PanelWay way;
  std::int32_t at = structure.nodes.empty() ? -1 : 0;
  double votes = 0;
  std::size_t heard = 0;
  while (at >= 0) {
    const auto place = static_cast<std::size_t>(at);
    const PanelTreeStructure::Node& node = structure.nodes[place];
    const double decision = decide(node.panel, row).decision;
    const bool missing = std::isnan(decision);
    const bool above = missing ? node.missing_above : decision > node.panel.threshold;
    way.visits.push_back({place, decision, node.panel.threshold, true, above});
    if (!missing) {
      const double vote = 1 / (1 + std::exp(-decision / node.panel.spread));
      votes += node.panel.claims == 1 ? vote : 1 - vote;
      ++heard;
    }
    at = above ? node.above : node.below;
  }
  way.end = static_cast<std::size_t>(-1 - at);
  const std::vector<double>& shares = structure.leaves[way.end];
  way.predicted = class_of(shares);
  if (shares.size() == 2 && heard > 0) way.vote = votes / static_cast<double>(heard);
  return way;
}

}  // namespace sightglass
