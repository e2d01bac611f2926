#include "sightglass/learn/hierarchical_panels.h"

#include <algorithm>

#include "sightglass/learn/panels/panel_facts.h"
#include "sightglass/learn/panels/panel_tree.h"
#include "sightglass/learn/panels/show_panel.h"
#include "sightglass/result/shapes/figure.h"

namespace sightglass {

namespace {

std::size_t depth_of(const PanelTreeStructure& tree, std::int32_t at) {
  if (at < 0 || tree.nodes.empty()) return 0;
  const auto& node = tree.nodes[static_cast<std::size_t>(at)];
  return 1 + std::max(depth_of(tree, node.below), depth_of(tree, node.above));
}

PanelSide side_of(const PanelTreeFit& fit, std::int32_t next, const TrainingData& data) {
  PanelSide side;
  std::vector<double> shares;
  if (next >= 0) {
    side.panel = static_cast<std::uint64_t>(next);
    shares.resize(data.classes.size(), 0);
    for (const std::uint32_t row : fit.rows[static_cast<std::size_t>(next)]) {
      shares[static_cast<std::size_t>(data.outcome[row])] += data.weight(row);
      side.count += data.weight(row);
    }
    for (double& share : shares) share /= side.count;
  } else {
    shares = fit.structure.leaves[static_cast<std::size_t>(-1 - next)];
    side.count = fit.leaf_weights[static_cast<std::size_t>(-1 - next)];
  }
  const auto most = std::max_element(shares.begin(), shares.end());
  side.predicted_class = data.classes[static_cast<std::size_t>(most - shares.begin())];
  side.share = *most;
  return side;
}

ShownPanels shown_panels(const PanelTreeFit& fit, const TrainingData& data, const Context& context) {
  ShownPanels shown;
  shown.form = PanelForm::hierarchical;
  shown.classes = data.classes;
  if (data.classes.size() == 2) shown.output = data.classes[1];
  for (std::size_t n = 0; n < fit.structure.nodes.size(); ++n) {
    const auto& node = fit.structure.nodes[n];
    ShownPanel panel = shown_panel(node.panel, data, fit.rows[n], PanelBounds::none, context);
    panel.score = fit.gains[n];
    panel.runners_up = fit.runners_up[n];
    panel.below = side_of(fit, node.below, data);
    panel.above = side_of(fit, node.above, data);
    shown.panels.push_back(std::move(panel));
  }
  return shown;
}

// Share of the rows whose vote is for another class than their leaf.
double vote_disagreement(const PanelTreeStructure& structure, const TrainingData& data, const Context& context) {
  constexpr std::size_t part = 256;  // rows
  std::vector<char> disagrees(data.rows, 0);
  context.parallel_for((data.rows + part - 1) / part, [&](std::size_t number) {
    context.check();
    std::vector<double> row(data.features.size());
    for (std::size_t r = number * part; r < std::min(data.rows, (number + 1) * part); ++r) {
      for (std::size_t f = 0; f < row.size(); ++f) row[f] = data.features[f].values[r];
      const PanelWay way = panel_way(structure, row);
      disagrees[r] = way.vote && (*way.vote > 0.5 ? 1U : 0U) != way.predicted ? 1 : 0;
    }
  });
  double all = 0, other = 0;
  for (std::size_t r = 0; r < data.rows; ++r) {
    all += data.weight(r);
    if (disagrees[r] != 0) other += data.weight(r);
  }
  return other / all;
}

Learned fit_hierarchical_panels(const TrainingData& data, const Value& given, const Context& context) {
  const auto options = read_options<HierarchicalPanelsOptions>(given);
  const PanelTreeLimits limits{.panels = read_panel_limits(options),
                               .max_depth = static_cast<std::size_t>(options.max_depth),
                               .min_rows = static_cast<std::size_t>(options.min_rows),
                               .min_gain = options.min_gain,
                               .folds = static_cast<std::uint32_t>(options.folds)};
  const PanelSubsets subsets = panel_subsets(data, limits.panels, context);
  PanelTreeFit found = grow_panel_tree(data, subsets.list, limits, context);

  Learned learned;
  learned.size = found.structure.nodes.size();
  const std::size_t depth = depth_of(found.structure, 0);
  learned.detail.set("panels", std::uint64_t{learned.size})
      .set("leaves", std::uint64_t{found.structure.leaves.size()})
      .set("depth", std::uint64_t{depth});
  describe_search(subsets, limits.panels, data, learned);
  describe_convergence(found.unsolved, learned);
  if (found.structure.nodes.empty()) {
    learned.caveats.push_back({.id = "no-panel",
                               .severity = Severity::caution,
                               .message =
                                   "no panel parts the classes better than chance: every row is predicted by the "
                                   "shares of all",
                               .evidence = Value::object({{"panels", 0}}),
                               .advice = marked("lower {option:min_gain}, or use another kind of model")});
  }
  learned.shown.emplace_back(
      panel_figure("panels", "panels", static_cast<double>(learned.size), "pictures that decide"));
  learned.shown.emplace_back(
      panel_figure("depth", "depth", static_cast<double>(depth), "the most panels that a row is shown to"));
  if (data.classes.size() == 2) {
    const double disagreement = vote_disagreement(found.structure, data, context);
    learned.detail.set("vote_disagrees", disagreement);
    learned.shown.emplace_back(
        panel_figure("vote against the leaf", "vote-disagrees", disagreement,
                     "share of training rows for which the mean vote of the panels on their way is for "
                     "another class than their leaf, which decides"));
  }
  learned.shown.emplace_back(shown_panels(found, data, context));
  learned.structure = std::move(found.structure);
  return learned;
}

}  // namespace

LearnerEntry hierarchical_panels() {
  LearnerEntry entry;
  entry.name = "hierarchical-2d";
  entry.about = {.title = "Tree of panels", .short_name = "Panels", .family = Family::learners};
  entry.question = "Which pictures of two features, asked one after the other, tell the classes apart?";
  entry.when = "borders between classes are curved or oblique, and people are to see every one of them";
  entry.when_not = "a decision needs many features at once, or is to be said in words: use a tree or rules";
  entry.formula =
      "rows part by the sign of d_j(x), a support vector machine on two features; a leaf predicts its class shares";
  entry.paper = "Nusser, Otte, Hauptmann 2008, Interpretable ensembles of local models for safety-related applications";
  entry.cost = "pairs of features × kernels × a support vector machine, for each panel";
  entry.size_unit = "panels";
  entry.takes_numbers = false;
  entry.results = {"panels", "figure"};
  entry.options = describe_options<HierarchicalPanelsOptions>();
  entry.fit = fit_hierarchical_panels;
  return entry;
}

}  // namespace sightglass
