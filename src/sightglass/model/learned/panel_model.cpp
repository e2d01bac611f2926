#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

#include "sightglass/base/digest.h"
#include "sightglass/base/error.h"
#include "sightglass/model/feature_columns_internal.h"
#include "sightglass/model/learned/panel_model_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t tile_rows = 256;
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

// The values of some rows, feature after feature.
struct Tile {
  std::size_t rows = 0;
  std::vector<double> values;

  [[nodiscard]] std::span<const double> of(std::size_t feature) const {
    return {values.data() + feature * tile_rows, rows};
  }
};

// Positions and decision values of the rows of a list in one panel.
class PanelRows {
 public:
  void read(const Panel& panel, const Tile& tile, std::span<const std::size_t> rows) {
    for (std::size_t i = 0; i < panel.inputs.size(); ++i) {
      const auto values = tile.of(panel.inputs[i].feature);
      positions_[i].resize(rows.size());
      for (std::size_t k = 0; k < rows.size(); ++k) {
        positions_[i][k] = panel_position(panel.inputs[i], values[rows[k]]);
      }
    }
    const std::span<const double> xs[] = {positions_[0], positions_[1]};
    decisions.resize(rows.size());
    panel_decisions(panel, {xs, panel.inputs.size()}, decisions);
  }
  [[nodiscard]] bool claimed(const Panel& panel, std::size_t k) const {
    const double xs[] = {positions_[0][k], panel.inputs.size() > 1 ? positions_[1][k] : 0};
    return panel_claims(panel, {xs, panel.inputs.size()}, decisions[k]);
  }
  std::vector<double> decisions;

 private:
  std::vector<double> positions_[2];
};

// The shares that each row of the tile gets: those of a place in the order, or of a leaf.
std::vector<const std::vector<double>*> shares_of(const CoveringStructure& structure, const Tile& tile) {
  std::vector<const std::vector<double>*> found(tile.rows, &structure.shares[unclaimed_end(structure)]);
  std::vector<std::size_t> waiting(tile.rows), left;
  for (std::size_t row = 0; row < tile.rows; ++row) waiting[row] = row;
  PanelRows rows;
  for (const Panel& panel : structure.panels) {
    if (waiting.empty()) break;
    rows.read(panel, tile, waiting);
    const auto place = std::find(structure.order.begin(), structure.order.end(), panel.claims);
    const auto* shares = structure.shares.data() + (place - structure.order.begin());
    left.clear();
    for (std::size_t k = 0; k < waiting.size(); ++k) {
      const bool claimed = rows.claimed(panel, k);
      if (claimed) found[waiting[k]] = shares;
      // One against the rest, a panel of a more critical class may still claim it.
      if (!claimed || structure.one_vs_rest) left.push_back(waiting[k]);
    }
    waiting.swap(left);
  }
  return found;
}

std::vector<const std::vector<double>*> shares_of(const PanelTreeStructure& structure, const Tile& tile) {
  std::vector<const std::vector<double>*> found(tile.rows, structure.leaves.data());
  if (structure.nodes.empty()) return found;
  std::vector<std::vector<std::size_t>> at(structure.nodes.size());
  for (std::size_t row = 0; row < tile.rows; ++row) at[0].push_back(row);
  PanelRows rows;
  for (std::size_t n = 0; n < structure.nodes.size(); ++n) {  // a child stands behind its parent
    if (at[n].empty()) continue;
    const PanelTreeStructure::Node& node = structure.nodes[n];
    rows.read(node.panel, tile, at[n]);
    for (std::size_t k = 0; k < at[n].size(); ++k) {
      const double decision = rows.decisions[k];
      const bool above = std::isnan(decision) ? node.missing_above : decision > node.panel.threshold;
      const std::int32_t next = above ? node.above : node.below;
      if (next >= 0) {
        at[static_cast<std::size_t>(next)].push_back(at[n][k]);
      } else {
        found[at[n][k]] = structure.leaves.data() + (-1 - next);
      }
    }
  }
  return found;
}

class BoundPanels : public BoundModel {
 public:
  BoundPanels(const PanelModel& model, FeatureColumns columns)
      : model_(model), features_(std::move(columns.features)), notes_(std::move(columns.notes)) {
    for (const FeatureColumn& feature : features_) columns_.push_back(feature.column);
    used_.resize(features_.size(), false);
    const auto use = [&](const Panel& panel) {
      for (const Panel::Input& input : panel.inputs) used_[input.feature] = true;
    };
    if (const auto* covering = std::get_if<CoveringStructure>(&model.panels())) {
      for (const Panel& panel : covering->panels) use(panel);
    } else {
      for (const auto& node : std::get<PanelTreeStructure>(model.panels()).nodes) use(node.panel);
    }
  }

  [[nodiscard]] const std::vector<std::uint32_t>& columns() const override { return columns_; }
  [[nodiscard]] const std::vector<FitNote>& notes() const override { return notes_; }

  void predict(const RowBlock& block, const PredictOptions&, MatrixSpan<double> out, Context& context) const override {
    Tile tile{.rows = 0, .values = std::vector<double>(features_.size() * tile_rows)};
    for (std::size_t first = 0; first < block.rows; first += tile_rows) {
      context.check();
      tile.rows = std::min(tile_rows, block.rows - first);
      for (std::size_t feature = 0; feature < features_.size(); ++feature) {
        if (!used_[feature]) continue;
        const FeatureColumn& from = features_[feature];
        from.read(block, block.override_of(from.column), first, {tile.values.data() + feature * tile_rows, tile.rows});
      }
      const auto found = std::visit([&](const auto& panels) { return shares_of(panels, tile); }, model_.panels());
      for (std::size_t row = 0; row < tile.rows; ++row) {
        const std::vector<double>& shares = *found[row];
        if (shares.size() == 2) {
          out(first + row, 0) = shares[1];
        } else {
          for (std::size_t k = 0; k < shares.size(); ++k) out(first + row, k) = shares[k];
        }
      }
    }
  }

 private:
  const PanelModel& model_;
  std::vector<FeatureColumn> features_;
  std::vector<bool> used_;
  std::vector<std::uint32_t> columns_;
  std::vector<FitNote> notes_;
};

class Checks {
 public:
  Checks(const Signature& signature, std::string_view where)
      : signature_(signature), where_(where), classes_(signature.outputs.size() == 1 ? 2 : signature.outputs.size()) {}

  void features() const {
    std::unordered_set<std::string_view> names;
    for (const FeatureInfo& feature : signature_.features) {
      check(names.insert(feature.name).second, "has two features called " + printable(feature.name, 60));
      const std::unordered_set<std::string_view> levels(feature.levels.begin(), feature.levels.end());
      check(levels.size() == feature.levels.size(), "has a level of " + printable(feature.name, 60) + " twice");
    }
  }
  void panel(const Panel& panel, std::size_t number) const {
    const std::string name = "panel " + std::to_string(number);
    const std::size_t inputs = panel.inputs.size();
    check(inputs == 1 || inputs == 2, "does not have one or two features in " + name);
    check(inputs == 1 || panel.inputs[0].feature != panel.inputs[1].feature, "has a feature twice in " + name);
    for (const Panel::Input& input : panel.inputs) {
      check(input.feature < signature_.features.size(), "has no feature for " + name);
      const FeatureInfo& feature = signature_.features[input.feature];
      check(input.positions.size() == (feature.categorical ? feature.levels.size() : 0),
            "does not have a place for each level in " + name);
      for (const double position : input.positions) check(!std::isinf(position), "has an endless place in " + name);
      check(std::isfinite(input.center) && std::isfinite(input.scale) && input.scale > 0,
            "has units that make no sense in " + name);
      check(std::isfinite(input.low) && std::isfinite(input.high) && input.low <= input.high,
            "has bounds that contradict each other in " + name);
    }
    if (panel.linear) {
      check(panel.coefficients.size() == inputs && panel.support.empty(),
            "does not have a coefficient for each feature in " + name);
    } else {
      check(std::isfinite(panel.gamma) && panel.gamma > 0, "has a kernel of no width in " + name);
      check(panel.support.size() == inputs, "does not have support vectors of as many features in " + name);
      for (const auto& coordinates : panel.support) {
        check(coordinates.size() == panel.coefficients.size(),
              "does not have a coefficient for each support vector in " + name);
        check(finite(coordinates), "has a number that is not finite in " + name);
      }
    }
    check(finite(panel.coefficients) && std::isfinite(panel.bias) && std::isfinite(panel.threshold),
          "has a number that is not finite in " + name);
    check(std::isfinite(panel.spread) && panel.spread > 0, "has no spread in " + name);
    check(panel.claims < classes_, "claims rows for a class that there is not in " + name);
  }
  void shares(const std::vector<std::vector<double>>& all) const {
    for (const auto& shares : all) {
      check(shares.size() == classes_, "does not have a share for each class");
      double sum = 0;
      for (const double share : shares) {
        check(share >= 0 && share <= 1, "has a share that is not between 0 and 1");
        sum += share;
      }
      check(std::abs(sum - 1) < 1e-6, "has shares that are not 1 in sum");
    }
  }
  void structure(const CoveringStructure& covering) const {
    check(covering.order.size() == classes_, "does not order all classes");
    std::vector<std::size_t> place(classes_, classes_);
    for (std::size_t i = 0; i < covering.order.size(); ++i) {
      check(covering.order[i] < classes_ && place[covering.order[i]] == classes_, "has a class twice in its order");
      place[covering.order[i]] = i;
    }
    check(covering.shares.size() == classes_ + (covering.one_vs_rest ? 1 : 0),
          "does not have shares for each class of its order");
    shares(covering.shares);
    std::size_t last = classes_;
    for (std::size_t p = 0; p < covering.panels.size(); ++p) {
      panel(covering.panels[p], p);
      const std::size_t here = place[covering.panels[p].claims];
      check((here > 0 || covering.one_vs_rest) && here <= last, "has panels out of order");
      last = here;
    }
  }
  void structure(const PanelTreeStructure& tree) const {
    check(!tree.leaves.empty(), "has no leaves");
    shares(tree.leaves);
    const auto nodes = static_cast<std::int64_t>(tree.nodes.size());
    const auto leaves = static_cast<std::int64_t>(tree.leaves.size());
    std::vector<bool> reached(tree.nodes.size(), false);
    for (std::int64_t n = 0; n < nodes; ++n) {
      const auto& node = tree.nodes[static_cast<std::size_t>(n)];
      panel(node.panel, static_cast<std::size_t>(n));
      check(n == 0 || reached[static_cast<std::size_t>(n)], "has a panel that no row reaches");
      for (const std::int64_t next : {node.below, node.above}) {
        if (next < 0) {
          check(-1 - next < leaves, "has no leaf for panel " + std::to_string(n));
          continue;
        }
        check(next > n && next < nodes && !reached[static_cast<std::size_t>(next)],
              "has panels that do not make a tree");
        reached[static_cast<std::size_t>(next)] = true;
      }
    }
  }

 private:
  void check(bool holds, const std::string& otherwise) const {
    if (!holds) throw Error(ErrorKind::model, printable(where_) + ": the model " + otherwise, "fit the model again");
  }
  static bool finite(const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
  }

  const Signature& signature_;
  std::string_view where_;
  std::size_t classes_;
};

void add(Digest& digest, const Panel& panel) {
  for (const Panel::Input& input : panel.inputs) {
    digest.u64(input.feature).f64(input.center).f64(input.scale).f64(input.low).f64(input.high);
    digest.numbers(input.positions);
  }
  digest.u64(panel.linear ? 1 : 0).f64(panel.gamma).numbers(panel.coefficients);
  for (const auto& coordinates : panel.support) digest.numbers(coordinates);
  digest.f64(panel.bias).f64(panel.threshold).f64(panel.spread).u64(panel.claims);
}

}  // namespace

PanelModel::PanelModel(Signature signature, Panels panels, std::string_view where)
    : signature_(std::move(signature)), panels_(std::move(panels)) {
  const Checks checks(signature_, where);
  checks.features();
  std::visit([&](const auto& structure) { checks.structure(structure); }, panels_);
}

std::unique_ptr<BoundModel> PanelModel::bind(const Schema& schema, std::span<const std::uint32_t> excluded) const {
  return std::make_unique<BoundPanels>(*this, match_columns(signature_, schema, excluded, nothing));
}

void PanelModel::add_to(Digest& digest) const {
  if (const auto* covering = std::get_if<CoveringStructure>(&panels_)) {
    digest.u64(covering->panels.size()).u64(covering->one_vs_rest ? 1 : 0);
    for (const std::uint32_t of_order : covering->order) digest.u64(of_order);
    for (const Panel& panel : covering->panels) add(digest, panel);
    for (const auto& shares : covering->shares) digest.numbers(shares);
    return;
  }
  const auto& tree = std::get<PanelTreeStructure>(panels_);
  digest.u64(tree.nodes.size());
  for (const auto& node : tree.nodes) {
    add(digest, node.panel);
    digest.u64(static_cast<std::uint64_t>(node.below)).u64(static_cast<std::uint64_t>(node.above));
    digest.u64(node.missing_above ? 1 : 0);
  }
  for (const auto& shares : tree.leaves) digest.numbers(shares);
}

}  // namespace sightglass
