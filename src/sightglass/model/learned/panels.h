// Classifiers that are made of panels: submodels of one or two features, whose decisions can be drawn. Several of them
// either claim rows one after the other (covering) or are the nodes of a tree (hierarchical).
//
// S. Nusser, C. Otte, W. Hauptmann, Interpretable ensembles of local models for safety-related applications, ESANN
// 2008; S. Nusser, C. Otte, W. Hauptmann, R. Kruse, Learning verifiable ensembles for classification problems with high
// safety requirements, 2009.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sightglass {

// d(x) = bias + Σ_i c_i K(s_i, z), with z the features in units of their spread, K(s, z) = exp(-γ |s - z|²); linear:
// d(x) = bias + Σ_f c_f z_f.
struct Panel {
  struct Input {
    std::uint32_t feature = 0;
    double center = 0, scale = 1;        // z = (x - center) / scale
    std::vector<double> positions = {};  // of a categorical feature: x of each level; NaN: as if missing
    // Where z may lie in rows that are claimed.
    double low = 0, high = 0;
  };
  std::vector<Input> inputs;  // one or two
  bool linear = false;
  double gamma = 1;
  std::vector<std::vector<double>> support = {};  // per input the coordinates of support vectors; linear: none
  std::vector<double> coefficients;               // one per support vector; linear: per input
  double bias = 0;
  double threshold = 0;      // d above it: on the panel's positive side
  double spread = 1;         // of d in the training rows
  std::uint32_t claims = 0;  // the class of its positive side
};

// x of a feature's value in the panel; NaN: missing, infinite, or a level without a place.
[[nodiscard]] double panel_position(const Panel::Input& input, double value);

// Decision values of many rows; xs holds, per input, positions. NaN where one is missing. Sums, products and bits
// alone, in one order: a row's value is the same to the last bit on every processor and among any other rows, so that
// thresholds which are rows' own values hold.
void panel_decisions(const Panel& panel, std::span<const std::span<const double>> xs, std::span<double> out);
// Whether a row with this decision value is claimed: above the threshold, and between the rows that were.
[[nodiscard]] bool panel_claims(const Panel& panel, std::span<const double> xs, double decision);

// The panels' classes stand in the order in which they are asked: the least critical class first. The first claim wins;
// who is claimed by none is of the most critical class. One against the rest, panels of a class claim nothing of any
// other, the most critical one has panels too, and of contradicting claims that for the most critical class wins.
struct CoveringStructure {
  std::vector<std::uint32_t> order;  // classes, the most critical first
  std::vector<Panel> panels;         // by class from the end of the order; none claims the first of it
  // Per place in the order: predicted shares of the classes; one against the rest, one more for who is claimed by none.
  std::vector<std::vector<double>> shares;
  bool one_vs_rest = false;
};
// Where a row ends: a place in the order, or, one against the rest, behind it if no panel claims the row.
[[nodiscard]] std::size_t unclaimed_end(const CoveringStructure& structure);
// The place in the order of the class that is predicted there.
[[nodiscard]] std::size_t decided_place(const CoveringStructure& structure, std::size_t end);

// Rows with d > threshold go on at `above`, others at `below`: a later panel, or, negative, leaf -1 - n.
struct PanelTreeStructure {
  struct Node {
    Panel panel;
    std::int32_t below = -1, above = -1;
    bool missing_above = false;
  };
  std::vector<Node> nodes;                  // the root first; none: everything is leaf 0
  std::vector<std::vector<double>> leaves;  // shares of the classes
};

// How a row comes to its prediction.
struct PanelVisit {
  std::size_t panel = 0;
  double decision = 0;  // NaN: a value is missing
  double threshold = 0;
  bool inside = true;  // between the claimed rows; always, in a tree
  bool above = false;  // it claims the row, or the row goes on above
};
struct PanelWay {
  std::vector<PanelVisit> visits;                     // covering: every panel, also behind the one that decides
  std::vector<std::uint32_t> claimed_as = {};         // covering: classes, each once, as they were asked
  std::optional<std::size_t> decides = std::nullopt;  // covering: the visit whose claim wins
  std::size_t end = 0;                                // place in the order or behind it, or leaf
  std::size_t predicted = 0;                          // class
  // Tree of two classes: mean over the way of 1 / (1 + exp(-d / spread)), the votes for the second class.
  std::optional<double> vote = std::nullopt;
};
// Values of all features: numbers or levels, NaN missing, below 0 a level that was never seen.
[[nodiscard]] PanelWay panel_way(const CoveringStructure& structure, std::span<const double> row);
[[nodiscard]] PanelWay panel_way(const PanelTreeStructure& structure, std::span<const double> row);

}  // namespace sightglass
