#include "sightglass/methods/local/intrinsic/panel_parts.h"

#include <algorithm>
#include <cmath>

#include "sightglass/learn/panels/show_panel.h"

namespace sightglass {

namespace {

constexpr std::size_t grid_points = 41;
constexpr double drawn_spreads = 3;  // of a feature, to both sides of its mean
constexpr double room = 0.05;        // beyond that, so that nothing lies on the edge

// The model has no rows: numbers are drawn as far as the row, support vectors and the rows that set bounds reach.
Axis axis_of(const Panel& panel, std::size_t i, const FeatureInfo& info, double position) {
  const Panel::Input& input = panel.inputs[i];
  if (info.categorical) return level_axis(input, info);
  Axis axis;
  axis.feature = info.name;
  double low = input.low, high = input.high;
  if (panel.linear && !(low < high)) {
    low = -drawn_spreads;
    high = drawn_spreads;
  }
  const auto reach = [&](double z) {
    if (!std::isfinite(z)) return;
    low = std::min(low, z);
    high = std::max(high, z);
  };
  if (!panel.linear) std::for_each(panel.support[i].begin(), panel.support[i].end(), reach);
  reach((position - input.center) / input.scale);
  const double beyond = room * (high > low ? high - low : 1);
  low -= beyond;
  high += beyond;
  for (std::size_t k = 0; k < grid_points; ++k) {
    const double z = low + (high - low) * static_cast<double>(k) / (grid_points - 1);
    const double number = z * input.scale + input.center;
    if (std::isfinite(number) && (axis.numbers.empty() || number > axis.numbers.back())) axis.numbers.push_back(number);
  }
  if (axis.numbers.empty()) axis.numbers.push_back(0);
  return axis;
}

ShownPanel shown(const Panel& panel, const PanelVisit& visit, const Signature& signature,
                 const std::vector<std::string>& classes, const ExplainedRow& row, std::size_t predicted, bool box) {
  ShownPanel shown;
  shown.number = visit.panel;
  shown.threshold = panel.threshold;
  shown.claims = classes[panel.claims];
  if (!std::isnan(visit.decision)) shown.decision = visit.decision;
  double at[2] = {0, 0};
  for (std::size_t i = 0; i < panel.inputs.size(); ++i) {
    const Panel::Input& input = panel.inputs[i];
    at[i] = panel_position(input, row.values[input.feature]);
    shown.axes.push_back(axis_of(panel, i, signature.features[input.feature], at[i]));
  }
  if (box) shown.box = panel_box(panel);
  shown.region = panel_region(panel, shown.axes);
  if (shown.decision && std::isfinite(at[0]) && std::isfinite(at[1])) {
    shown.marks.rows = {row.row};
    shown.marks.x = {at[0]};
    if (shown.axes.size() > 1) shown.marks.y = {at[1]};
    shown.marks.classes = {predicted};
    shown.marks.above = {visit.above ? 1U : 0U};
  }
  return shown;
}

std::uint64_t drawn_numbers(const Panel& panel) {
  return panel.inputs.size() > 1 ? grid_points * grid_points : grid_points;
}

std::uint64_t drawn_on_the_way(const PanelTreeStructure& tree, std::int32_t at) {
  if (at < 0 || tree.nodes.empty()) return 0;
  const PanelTreeStructure::Node& node = tree.nodes[static_cast<std::size_t>(at)];
  return drawn_numbers(node.panel) + std::max(drawn_on_the_way(tree, node.below), drawn_on_the_way(tree, node.above));
}

ShownPanels empty(const Signature& signature, const ExplainedRow& row, PanelForm form) {
  ShownPanels item;
  item.form = form;
  item.row = row.row;
  item.classes = class_names(signature);
  if (signature.outputs.size() == 1) item.output = signature.outputs[0];
  return item;
}

}  // namespace

std::uint64_t drawn_numbers(const Structure& structure) {
  if (const auto* tree = std::get_if<PanelTreeStructure>(&structure)) return drawn_on_the_way(*tree, 0);
  std::uint64_t numbers = 0;
  if (const auto* covering = std::get_if<CoveringStructure>(&structure)) {
    for (const Panel& panel : covering->panels) numbers += drawn_numbers(panel);
  }
  return numbers;
}

ShownPanels panel_parts(const Signature& signature, const CoveringStructure& structure, const ExplainedRow& row) {
  ShownPanels item = empty(signature, row, PanelForm::covering);
  for (const std::uint32_t one : structure.order) item.order.push_back(item.classes[one]);
  const PanelWay way = panel_way(structure, row.values);
  for (const PanelVisit& visit : way.visits) {
    item.panels.push_back(
        shown(structure.panels[visit.panel], visit, signature, item.classes, row, way.predicted, true));
  }
  item.predicted = item.classes[way.predicted];
  item.details.set("share", structure.shares[way.end][way.predicted]);
  if (way.decides) item.details.set("decided_by", std::uint64_t{*way.decides});
  if (structure.one_vs_rest) {
    Value claimed = Value::array();
    for (const std::uint32_t one : way.claimed_as) claimed.push_back(item.classes[one]);
    const char* const verdicts[] = {"none", "claimed", "contradiction"};
    item.details.set("verdict", verdicts[std::min<std::size_t>(way.claimed_as.size(), 2)]).set("claimed_as", claimed);
  }
  return item;
}

ShownPanels panel_parts(const Signature& signature, const PanelTreeStructure& structure, const ExplainedRow& row) {
  ShownPanels item = empty(signature, row, PanelForm::hierarchical);
  const PanelWay way = panel_way(structure, row.values);
  for (const PanelVisit& visit : way.visits) {
    item.panels.push_back(
        shown(structure.nodes[visit.panel].panel, visit, signature, item.classes, row, way.predicted, false));
  }
  item.predicted = item.classes[way.predicted];
  item.details.set("share", structure.leaves[way.end][way.predicted]);
  if (way.vote) item.details.set("vote", *way.vote);
  return item;
}

}  // namespace sightglass
