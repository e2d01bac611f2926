#include "sightglass/methods/local/lime/leaf_lines.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/methods/local/lime/split_shares.h"
#include "sightglass/methods/local/shapley/leaf_shapley.h"
#include "sightglass/methods/run/made_rows.h"
#include "sightglass/model/trees/counts/path_conditions_internal.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

namespace {

constexpr std::size_t lanes = swept_widths;
using Lanes = std::array<double, lanes>;

struct Leaf {
  std::uint32_t node, tree;
};

// Where the processor reads memory in one piece: what lies across two of them takes twice as long.
struct alignas(64) InPlace {
  Lanes lanes{};
};
using ManyLanes = std::vector<InPlace>;
Eight* eights(ManyLanes& numbers) { return reinterpret_cast<Eight*>(numbers.data()); }
const Eight* eights(const ManyLanes& numbers) { return reinterpret_cast<const Eight*>(numbers.data()); }

class TreeLines : public ExactLines {
 public:
  TreeLines(const MethodInput& input, const Perturbation& perturbation, const std::vector<LabelledRow>& explained);

  [[nodiscard]] std::vector<std::vector<ExactLine>> lines(
      std::span<const std::vector<TiltedFeature>> rows) const override;
  [[nodiscard]] std::vector<double> margins(const std::vector<std::vector<double>>& values) const override;

 private:
  struct Slot {
    std::optional<std::size_t> feature;  // of the method's
    std::vector<PathCondition> conditions = {};
    std::vector<double> edges = {};                     // of codes, as whole numbers are drawn: where each begins
    std::vector<double> masses = {};                    // per code, over all rows
    std::vector<std::vector<double>> cell_masses = {};  // per bin and code; levels have one code each
    std::map<std::uint32_t, std::vector<ConditionShares>> tables = {};  // per cell and condition
  };
  void find_splits();
  [[nodiscard]] std::uint32_t put_last_splits_last(std::size_t first);
  void find_masses(const MethodInput& input);
  void add_table(Slot& slot, std::uint32_t cell);
  [[nodiscard]] double mass_of(const PathCondition& condition, const std::vector<double>& sums,
                               const std::vector<double>& masses) const;
  [[nodiscard]] double leaf_value(const Leaf& leaf, std::size_t output) const;
  void fill_shares(const std::vector<TiltedFeature>& features, ManyLanes& met, ManyLanes& slope) const;
  // What is added up for one row, per explained output.
  struct RowSums {
    ManyLanes betas, means;               // of each slot and turn; of the trees so far
    std::vector<std::uint32_t> own_cell;  // of each slot, among those of rows that are looked at together
  };
  [[nodiscard]] RowSums empty_sums() const;
  // How the splits of one tree divide, in as many ways as rows have cells, and room for a row.
  struct Scratch {
    ManyLanes shares, reach, mean;
    std::vector<std::uint32_t> first_share;
  };
  [[nodiscard]] TreeSplits splits_of(std::size_t tree) const;
  [[nodiscard]] bool counts(std::size_t tree) const;
  void add(std::size_t tree, std::span<RowSums> rows, Scratch& scratch) const;
  void add_rows_in_cells(std::span<const std::vector<TiltedFeature>* const> rows, std::span<RowSums> sums) const;
  void add_any_row(const std::vector<TiltedFeature>& features, RowSums& sums) const;
  [[nodiscard]] std::vector<ExactLine> lines_of(const std::vector<TiltedFeature>& features, const RowSums& sums) const;

  const MethodInput& input_;
  const Perturbation& perturbation_;
  const TreeRows& trees_;
  PathConditions path_conditions_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> first_condition_;  // of each slot, among those of all
  std::vector<LineSplit> splits_;
  std::vector<Leaf> leaves_;
  // Of each tree: where its splits end, and, of a tree without any, its leaf.
  struct TreeEnd {
    std::uint32_t splits = 0;
    std::uint32_t inner = 0;  // where those with two leaves begin
    std::int32_t leaf = -1;
  };
  std::vector<TreeEnd> ends_;
  std::uint32_t most_splits_ = 0;            // of a tree
  std::vector<std::vector<double>> values_;  // per explained output, of each leaf
};

}  // namespace

std::array<double, swept_widths> widths_around(double width) {
  std::array<double, swept_widths> widths{};
  // Half powers of two where most changes; a width of 1/8 sees next to nothing but the row.
  constexpr double powers[swept_widths] = {-3, -2, -1.5, -1, -0.5, 0, 1, 2};
  for (std::size_t i = 0; i < swept_widths; ++i) widths[i] = width * std::exp2(powers[i]);
  return widths;
}

TiltedFeature tilted(const Perturbation& perturbation, std::size_t feature, double value) {
  const PerturbedFeature& known = perturbation.feature(feature);
  TiltedFeature found;
  found.kind = perturbation.kind(feature, value);
  found.own_cell = perturbation.cell(feature, value);
  if (found.kind == TermKind::number) found.own = perturbation.scaled(feature, value);
  const auto widths = widths_around(perturbation.width());
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const double decay = perturbation.decay(widths[lane]);
    if (found.kind == TermKind::cell) {
      const double share = known.shares[found.own_cell], weight = std::exp(-decay);
      const double total = share + weight * (1 - share);
      const double q = total > 0 ? share / total : 0;
      found.mean[lane] = q;
      found.variance[lane] = q > 0 && q < 1 ? q * (1 - q) : 0;
      found.unchanged[lane] = q;
      const double squares = share + weight * weight * (1 - share);
      found.effective[lane] = squares > 0 ? total * total / squares : 1;
    } else {
      const double centre = perturbation.around_row() ? found.own : 0, off = centre - found.own;
      const double precision = 1 + 2 * decay, mean = (centre + 2 * decay * found.own) / precision;
      const double s = 1 / std::sqrt(precision);
      found.mean[lane] = mean;
      found.variance[lane] = s * s;
      found.unchanged[lane] = normal_share((found.own + 1 - mean) / s) - normal_share((found.own - 1 - mean) / s);
      const double first = s * std::exp(-decay * off * off / precision);
      const double second = std::exp(-2 * decay * off * off / (1 + 4 * decay)) / std::sqrt(1 + 4 * decay);
      found.effective[lane] = second > 0 ? first * first / second : 0;
    }
  }
  return found;
}

std::string why_not_by_leaves(const MethodInput& input, const LimeOptions& options) {
  if (input.trees == nullptr) return why_not_by_leaves(input);
  const FeatureCodes& codes = input.trees->codes();
  std::size_t known = 0;
  for (const std::uint32_t column : input.features) {
    const auto slot = input.trees->slot(column);
    if (!slot) continue;
    ++known;
    const bool normal = options.bins == "none" || options.draw == "normal";
    if (normal && codes.categorical(*slot) && !input.schema[column].has_levels())
      return "the model takes numbers of " + printable(input.schema[column].name, 60) + " for categories";
  }
  return known == codes.slots() ? "" : "the data lack some of its features";
}

TreeLines::TreeLines(const MethodInput& input, const Perturbation& perturbation,
                     const std::vector<LabelledRow>& explained)
    : input_(input),
      perturbation_(perturbation),
      trees_(*input.trees),
      path_conditions_(trees_.codes()),
      slots_(trees_.codes().slots()) {
  for (std::size_t j = 0; j < input.features.size(); ++j) {
    if (const auto slot = trees_.slot(input.features[j])) slots_[*slot].feature = j;
  }
  find_splits();
  for (const std::size_t output : input.explained) {
    std::vector<double>& values = values_.emplace_back();
    for (const Leaf& leaf : leaves_) values.push_back(leaf_value(leaf, output));
  }
  find_masses(input);
  for (Slot& slot : slots_) {
    if (!slot.feature) continue;
    for (const LabelledRow& row : explained) {
      const double value = row.values[*slot.feature];
      if (perturbation.kind(*slot.feature, value) != TermKind::cell) continue;
      const std::uint32_t cell = perturbation.cell(*slot.feature, value);
      if (!slot.tables.contains(cell)) add_table(slot, cell);
    }
  }
  std::uint32_t conditions = 0;
  for (const Slot& slot : slots_) {
    first_condition_.push_back(conditions);
    conditions += static_cast<std::uint32_t>(slot.conditions.size());
  }
  first_condition_.push_back(conditions);
}

// Every split with the condition that its path has on its feature already. Splits that share a condition share its
// place in the tables.
void TreeLines::find_splits() {
  const TreeEnsemble::Parts& parts = trees_.parts();
  const FeatureCodes& codes = trees_.codes();
  using Key = std::tuple<std::uint32_t, std::uint32_t, bool, std::int32_t>;
  std::vector<std::map<Key, std::uint32_t>> known(slots_.size());
  const auto number_of = [&](const PathCondition& condition) {
    auto& of_slot = slots_[condition.slot].conditions;
    const Key key{condition.first, condition.end, condition.missing, condition.members};
    const auto [at, added] = known[condition.slot].try_emplace(key, static_cast<std::uint32_t>(of_slot.size()));
    if (added) of_slot.push_back(condition);
    return at->second;
  };
  struct Step {
    std::uint32_t node;
    std::int32_t from;  // split above; −1: none
    bool right;
    std::vector<PathCondition> path;
  };
  for (std::size_t tree = 0; tree < parts.trees.size(); ++tree) {
    const std::size_t first = splits_.size();
    TreeEnd end;
    // Level by level: splits that follow one another do not wait for one another then.
    std::deque<Step> open{{parts.trees[tree].root, -1, false, {}}};
    while (!open.empty()) {
      Step step = std::move(open.front());
      open.pop_front();
      const TreeNode& node = parts.nodes[step.node];
      std::int32_t own = 0;
      if (node.is_leaf()) {
        own = ~static_cast<std::int32_t>(leaves_.size());
        leaves_.push_back({step.node, static_cast<std::uint32_t>(tree)});
      } else {
        own = static_cast<std::int32_t>(splits_.size());
        const FeatureCodes::Condition& condition = codes.conditions()[codes.condition_of(step.node)];
        LineSplit split{.slot = condition.slot};
        auto on_slot = std::find_if(step.path.begin(), step.path.end(),
                                    [&](const PathCondition& each) { return each.slot == condition.slot; });
        if (on_slot == step.path.end()) {
          on_slot = step.path.insert(step.path.end(), path_conditions_.any(condition.slot));
        } else {
          split.parent = number_of(*on_slot);
        }
        const auto at = static_cast<std::size_t>(on_slot - step.path.begin());
        for (const bool right : {false, true}) {
          Step next{static_cast<std::uint32_t>(right ? node.right : node.left), own, right, step.path};
          path_conditions_.narrow(next.path[at], condition, right);
          if (!right) split.left_condition = number_of(next.path[at]);
          open.push_back(std::move(next));
        }
        splits_.push_back(split);
      }
      if (step.from < 0) {
        if (own < 0) end.leaf = ~own;
      } else {
        LineSplit& above = splits_[static_cast<std::size_t>(step.from)];
        (step.right ? above.right : above.left) = own;
      }
    }
    end.splits = static_cast<std::uint32_t>(splits_.size());
    end.inner = put_last_splits_last(first);
    most_splits_ = std::max(most_splits_, static_cast<std::uint32_t>(splits_.size() - first));
    ends_.push_back(end);
  }
}

// Of the tree that begins there; where they begin.
std::uint32_t TreeLines::put_last_splits_last(std::size_t first) {
  std::vector<std::size_t> order(splits_.size() - first);
  std::iota(order.begin(), order.end(), first);
  // Alike ones side by side: what comes next can be foreseen.
  const auto rank = [&](std::size_t at) {
    const LineSplit& split = splits_[at];
    return split.left >= 0 || split.right >= 0 ? 0 : split.parent == no_condition ? 1 : 2;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  std::vector<std::int32_t> place(order.size());
  std::vector<LineSplit> ordered;
  std::size_t inner = first;
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i] - first] = static_cast<std::int32_t>(first + i);
    ordered.push_back(splits_[order[i]]);
    if (rank(order[i]) == 0) ++inner;
  }
  for (LineSplit& split : ordered) {
    if (split.left >= 0) split.left = place[static_cast<std::size_t>(split.left) - first];
    if (split.right >= 0) split.right = place[static_cast<std::size_t>(split.right) - first];
  }
  std::copy(ordered.begin(), ordered.end(), splits_.begin() + static_cast<std::ptrdiff_t>(first));
  return static_cast<std::uint32_t>(inner);
}

// How the rows are spread over the codes of each feature, bin by bin.
void TreeLines::find_masses(const MethodInput& input) {
  const FeatureCodes& codes = trees_.codes();
  const LabelledRows& rows = perturbation_.rows();
  input.for_each("lime", slots_.size(), [&](std::size_t s) {
    Slot& slot = slots_[s];
    if (!slot.feature) return;
    const PerturbedFeature& feature = perturbation_.feature(*slot.feature);
    const bool numeric = !codes.categorical(s) && !feature.levels;
    if (numeric) {
      slot.edges.push_back(-std::numeric_limits<double>::infinity());
      for (const double edge : input.breakpoints(feature.column))
        slot.edges.push_back(feature.whole ? std::ceil(edge) - 0.5 : edge);
    }
    slot.masses.assign(codes.codes(s), 0);
    if (!feature.levels) slot.cell_masses.assign(feature.shares.size(), std::vector<double>(codes.codes(s), 0));
    double total = 0;
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const std::uint16_t code = trees_.code(s, rows.values[*slot.feature][row]);
      total += rows.weights[row];
      slot.masses[code] += rows.weights[row];
      if (!feature.levels) slot.cell_masses[feature.cell_of_row[row]][code] += rows.weights[row];
    }
    for (double& mass : slot.masses) mass /= total;
    for (auto& cell : slot.cell_masses) {
      for (double& mass : cell) mass /= total;
    }
    // Numbers that are drawn from normal distributions fall between rows.
    const bool in_bins = perturbation_.normal() && !feature.bins.empty();
    if (feature.levels || !(in_bins || (feature.bins.empty() && feature.sd > 0))) return;
    if (!numeric) return;
    for (std::uint32_t c = 0; c < feature.missing_cell(); ++c) {
      const PerturbedFeature::Bin bin =
          in_bins ? feature.bins[c]
                  : PerturbedFeature::Bin{feature.mean, feature.sd, -std::numeric_limits<double>::infinity(),
                                          std::numeric_limits<double>::infinity()};
      if (!(bin.sd > 0) || !std::isfinite(bin.sd)) continue;
      const auto below = [&](double edge) {
        return normal_share((std::clamp(edge, bin.low, bin.high) - bin.mean) / bin.sd);
      };
      const double low = below(bin.low), high = below(bin.high);
      std::vector<double>& masses = slot.cell_masses[c];
      for (std::size_t code = 0; code < slot.edges.size(); ++code) {
        const double next = code + 1 < slot.edges.size() ? below(slot.edges[code + 1]) : high;
        masses[code] = feature.shares[c] * (next - below(slot.edges[code])) / (high - low);
      }
    }
    std::fill(slot.masses.begin(), slot.masses.end(), 0);
    for (const auto& cell : slot.cell_masses) {
      for (std::size_t code = 0; code < cell.size(); ++code) slot.masses[code] += cell[code];
    }
  });
}

double TreeLines::mass_of(const PathCondition& condition, const std::vector<double>& sums,
                          const std::vector<double>& masses) const {
  if (condition.members < 0) {
    const double within = condition.end > condition.first ? sums[condition.end] - sums[condition.first] : 0;
    return std::max(0.0, within) + (condition.missing ? masses.back() : 0);
  }
  const std::vector<std::uint64_t>& members = path_conditions_.members(condition);
  double sum = 0;
  for (std::size_t code = 0; code < masses.size(); ++code) {
    if (((members[code / 64] >> (code % 64)) & 1) != 0) sum += masses[code];
  }
  return sum;
}

void TreeLines::add_table(Slot& slot, std::uint32_t cell) {
  const PerturbedFeature& feature = perturbation_.feature(*slot.feature);
  const double share = feature.shares[cell];
  std::vector<double> own(slot.masses.size(), 0);
  if (!feature.levels) {
    own = slot.cell_masses[cell];
  } else {
    const double level = cell == feature.missing_cell() ? std::numeric_limits<double>::quiet_NaN() : cell;
    own[trees_.code(*trees_.slot(feature.column), level)] = share;
  }
  const auto running = [](const std::vector<double>& masses) {
    std::vector<double> sums(masses.size() + 1, 0);
    std::partial_sum(masses.begin(), masses.end(), sums.begin() + 1);
    return sums;
  };
  const std::vector<double> sums = running(slot.masses), own_sums = running(own);
  std::vector<ConditionShares>& table = slot.tables[cell];
  for (const PathCondition& condition : slot.conditions) {
    const double all = mass_of(condition, sums, slot.masses), here = mass_of(condition, own_sums, own);
    const double inside = share > 0 ? here / share : 0;
    // A cell that has every row, or none, leaves nothing to compare.
    const double outside = share < 1 ? std::max(0.0, all - here) / (1 - share) : inside;
    table.push_back({outside, share > 0 ? inside - outside : 0});
  }
}

double TreeLines::leaf_value(const Leaf& leaf, std::size_t output) const {
  const TreeEnsemble::Parts& parts = trees_.parts();
  const TreeNode& node = parts.nodes[leaf.node];
  if (parts.leaf_values.empty()) return parts.trees[leaf.tree].output == output ? node.threshold : 0;
  return parts.leaf_values[static_cast<std::size_t>(node.leaf) * parts.base.size() + output];
}

// A and D of every condition, for each width.
void TreeLines::fill_shares(const std::vector<TiltedFeature>& features, ManyLanes& met, ManyLanes& slope) const {
  met.assign(first_condition_.back(), {});
  slope.assign(met.size(), {});
  std::vector<double> shares, slopes;
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    const Slot& slot = slots_[s];
    if (!slot.feature) continue;
    const TiltedFeature& feature = features[*slot.feature];
    InPlace* met_of = met.data() + first_condition_[s];
    InPlace* slope_of = slope.data() + first_condition_[s];
    if (feature.kind == TermKind::cell) {
      const std::vector<ConditionShares>& table = slot.tables.at(feature.own_cell);
      for (std::size_t c = 0; c < table.size(); ++c) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          met_of[c].lanes[lane] = table[c].other + feature.mean[lane] * table[c].difference;
          slope_of[c].lanes[lane] = table[c].difference;
        }
      }
      continue;
    }
    const PerturbedFeature& known = perturbation_.feature(*slot.feature);
    const std::size_t codes = slot.masses.size();
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const double mean = feature.mean[lane], s_lane = std::sqrt(feature.variance[lane]);
      shares.assign(codes + 1, 0);
      slopes.assign(codes + 1, 0);
      std::vector<double> of_code(codes, 0), slope_of_code(codes, 0);
      const auto place = [&](std::size_t edge) { return ((slot.edges[edge] - known.mean) / known.sd - mean) / s_lane; };
      for (std::size_t code = 0; code < slot.edges.size(); ++code) {
        const double from = code == 0 ? -std::numeric_limits<double>::infinity() : place(code);
        const double to = code + 1 < slot.edges.size() ? place(code + 1) : std::numeric_limits<double>::infinity();
        of_code[code] = normal_share(to) - normal_share(from);
        slope_of_code[code] = (normal_density(from) - normal_density(to)) / s_lane;
      }
      std::partial_sum(of_code.begin(), of_code.end(), shares.begin() + 1);
      std::partial_sum(slope_of_code.begin(), slope_of_code.end(), slopes.begin() + 1);
      for (std::size_t c = 0; c < slot.conditions.size(); ++c) {
        const PathCondition& condition = slot.conditions[c];
        met_of[c].lanes[lane] = mass_of(condition, shares, of_code);
        double sum = 0;
        if (condition.members < 0) {
          sum = condition.end > condition.first ? slopes[condition.end] - slopes[condition.first] : 0;
        } else {
          const std::vector<std::uint64_t>& members = path_conditions_.members(condition);
          for (std::size_t code = 0; code < codes; ++code) {
            if (((members[code / 64] >> (code % 64)) & 1) != 0) sum += slope_of_code[code];
          }
        }
        slope_of[c].lanes[lane] = sum;
      }
    }
  }
}

TreeLines::RowSums TreeLines::empty_sums() const {
  const std::size_t outputs = input_.explained.size();
  return {.betas = ManyLanes(outputs * turns_at_once * slots_.size()),
          .means = ManyLanes(outputs),
          .own_cell = std::vector<std::uint32_t>(slots_.size(), 0)};
}

TreeSplits TreeLines::splits_of(std::size_t tree) const {
  return {splits_.data(), tree == 0 ? 0 : ends_[tree - 1].splits, ends_[tree].inner, ends_[tree].splits};
}

// Whether any output that is explained depends on it.
bool TreeLines::counts(std::size_t tree) const {
  const TreeEnsemble::Parts& parts = trees_.parts();
  return !parts.leaf_values.empty() || std::find(input_.explained.begin(), input_.explained.end(),
                                                 parts.trees[tree].output) != input_.explained.end();
}

// Shares are in the scratch.
void TreeLines::add(std::size_t tree, std::span<RowSums> rows, Scratch& scratch) const {
  const TreeEnsemble::Parts& parts = trees_.parts();
  const TreeSplits splits = splits_of(tree);
  for (RowSums& sums : rows) {
    for (std::size_t k = 0; k < input_.explained.size(); ++k) {
      if (parts.leaf_values.empty() && parts.trees[tree].output != input_.explained[k]) continue;
      Lanes& mean_of = sums.means[k].lanes;
      if (splits.first == splits.end) {
        for (double& mean : mean_of) mean += values_[k][static_cast<std::size_t>(ends_[tree].leaf)];
        continue;
      }
      add_tree(splits, values_[k].data(), reinterpret_cast<const SplitShare*>(scratch.shares.data()),
               scratch.first_share.data(), sums.own_cell.data(), eights(scratch.reach), eights(scratch.mean),
               eights(sums.betas) + k * turns_at_once * slots_.size());
      for (std::size_t lane = 0; lane < lanes; ++lane) mean_of[lane] += scratch.mean.front().lanes[lane];
    }
  }
}

// A tree for all rows, then the next.
void TreeLines::add_rows_in_cells(std::span<const std::vector<TiltedFeature>* const> rows,
                                  std::span<RowSums> sums) const {
  std::vector<std::uint32_t> first_cell{0};
  std::vector<SlotCell> cells;
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    std::map<std::uint32_t, std::uint32_t> known;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const TiltedFeature& feature = (*rows[i])[*slots_[s].feature];
      const auto [at, added] = known.try_emplace(feature.own_cell, static_cast<std::uint32_t>(known.size()));
      if (added)
        cells.push_back(
            {slots_[s].tables.at(feature.own_cell).data(), reinterpret_cast<const Eight*>(feature.mean.data())});
      sums[i].own_cell[s] = at->second;
    }
    first_cell.push_back(static_cast<std::uint32_t>(cells.size()));
  }
  Scratch scratch{.shares = {}, .reach = ManyLanes(most_splits_), .mean = ManyLanes(most_splits_), .first_share = {}};
  for (std::size_t tree = 0; tree < ends_.size(); ++tree) {
    if (!counts(tree)) continue;
    const TreeSplits splits = splits_of(tree);
    std::uint32_t shares = 0;
    scratch.first_share.clear();
    for (std::size_t at = splits.first; at < splits.end; ++at) {
      scratch.first_share.push_back(shares);
      shares += first_cell[splits_[at].slot + 1] - first_cell[splits_[at].slot];
    }
    if (scratch.shares.size() < 2 * shares) scratch.shares.resize(2 * shares);
    share_cells(splits, first_cell.data(), cells.data(), reinterpret_cast<SplitShare*>(scratch.shares.data()));
    add(tree, sums, scratch);
  }
}

void TreeLines::add_any_row(const std::vector<TiltedFeature>& features, RowSums& sums) const {
  ManyLanes met, slope;
  fill_shares(features, met, slope);
  Scratch scratch{.shares = ManyLanes(2 * most_splits_),
                  .reach = ManyLanes(most_splits_),
                  .mean = ManyLanes(most_splits_),
                  .first_share = std::vector<std::uint32_t>(most_splits_)};
  std::iota(scratch.first_share.begin(), scratch.first_share.end(), 0U);
  for (std::size_t tree = 0; tree < ends_.size(); ++tree) {
    if (!counts(tree)) continue;
    share_any(splits_of(tree), first_condition_.data(), eights(std::as_const(met)), eights(std::as_const(slope)),
              reinterpret_cast<SplitShare*>(scratch.shares.data()));
    add(tree, {&sums, 1}, scratch);
  }
}

std::vector<ExactLine> TreeLines::lines_of(const std::vector<TiltedFeature>& features, const RowSums& sums) const {
  const TreeEnsemble::Parts& parts = trees_.parts();
  std::vector<ExactLine> found(input_.explained.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    ExactLine& line = found[k];
    const InPlace* betas = sums.betas.data() + k * turns_at_once * slots_.size();
    line.coefficients.assign(features.size(), Lanes{});
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      line.mean[lane] = (parts.base[input_.explained[k]] + sums.means[k].lanes[lane]) / parts.divisor;
      for (std::size_t s = 0; s < slots_.size(); ++s) {
        if (!(features[*slots_[s].feature].variance[lane] > 0)) continue;
        double sum = 0;
        for (std::size_t t = 0; t < turns_at_once; ++t) sum += betas[turns_at_once * s + t].lanes[lane];
        line.coefficients[*slots_[s].feature][lane] = sum / parts.divisor;
      }
    }
  }
  return found;
}

std::vector<std::vector<ExactLine>> TreeLines::lines(std::span<const std::vector<TiltedFeature>> rows) const {
  std::vector<std::vector<ExactLine>> found(rows.size());
  std::vector<std::size_t> in_cells;
  std::vector<const std::vector<TiltedFeature>*> features;
  std::vector<RowSums> sums;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::all_of(rows[i].begin(), rows[i].end(),
                    [](const TiltedFeature& feature) { return feature.kind == TermKind::cell; })) {
      in_cells.push_back(i);
      features.push_back(&rows[i]);
      sums.push_back(empty_sums());
    } else {
      RowSums own = empty_sums();
      add_any_row(rows[i], own);
      found[i] = lines_of(rows[i], own);
    }
  }
  if (!in_cells.empty()) add_rows_in_cells(features, sums);
  for (std::size_t i = 0; i < in_cells.size(); ++i) found[in_cells[i]] = lines_of(rows[in_cells[i]], sums[i]);
  return found;
}

std::vector<double> TreeLines::margins(const std::vector<std::vector<double>>& values) const {
  const MadeRows made(input_.schema, input_.features, values);
  Matrix all(made.rows(), trees_.parts().base.size());
  Context alone(1);
  trees_.margins(made.block(), 0, all.span(), alone);
  std::vector<double> found;
  for (std::size_t row = 0; row < made.rows(); ++row) {
    for (const std::size_t output : input_.explained) found.push_back(all(row, output));
  }
  return found;
}

std::unique_ptr<const ExactLines> lines_of_leaves(const MethodInput& input, const Perturbation& perturbation,
                                                  const std::vector<LabelledRow>& explained) {
  return std::make_unique<const TreeLines>(input, perturbation, explained);
}

}  // namespace sightglass
