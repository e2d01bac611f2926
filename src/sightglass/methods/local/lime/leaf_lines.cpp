#include "sightglass/methods/local/lime/leaf_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/methods/local/lime/line_splits_internal.h"
#include "sightglass/methods/local/lime/split_shares_internal.h"
#include "sightglass/methods/local/shapley/leaf_shapley.h"
#include "sightglass/methods/run/made_rows.h"
#include "sightglass/model/trees/counts/path_conditions_internal.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

namespace {

constexpr std::size_t lanes = swept_widths;
using Lanes = std::array<double, lanes>;

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
    std::optional<std::size_t> feature;                 // of the method's
    std::vector<double> edges = {};                     // of codes, as whole numbers are drawn: where each begins
    std::vector<double> masses = {};                    // per code, over all rows
    std::vector<std::vector<double>> cell_masses = {};  // per bin and code; levels have one code each
    std::map<std::uint32_t, std::vector<ConditionShares>> tables = {};  // per cell and condition
  };
  void find_masses(const MethodInput& input);
  void add_table(std::size_t slot, std::uint32_t cell);
  [[nodiscard]] double mass_of(const PathCondition& condition, const std::vector<double>& sums,
                               const std::vector<double>& masses) const;
  [[nodiscard]] double leaf_value(const LineLeaf& leaf, std::size_t output) const;
  void fill_shares(const std::vector<TiltedFeature>& features, ManyLanes& met, ManyLanes& slope) const;
  // What is added up for some rows, of each and each explained output; cells are counted among those of these rows.
  struct Sums {
    ManyLanes betas, means;
    std::vector<std::uint32_t> own_cells;
    std::vector<std::vector<RowSums>> rows;  // of each output
  };
  [[nodiscard]] Sums empty_sums(std::size_t rows) const;
  // How the splits of one tree divide, in as many ways as rows have cells, and room for a row.
  struct Scratch {
    std::vector<std::uint32_t> first_share;  // of each split, and the end
    std::vector<TreeSteps::Inner> inner;
    std::vector<TreeSteps::Last> last;
    ManyLanes shares, turns, reach, means;
  };
  [[nodiscard]] std::span<const LineSplit> splits_of(const LineTree& tree) const;
  void lay_out(const LineTree& tree, const std::vector<std::uint32_t>& first_cell, Scratch& scratch) const;
  // Calls share(splits, shares), which says how splits divide, for each tree that counts.
  template <class Share>
  void add_trees(const std::vector<std::uint32_t>& first_cell, Sums& sums, const Share& share) const;
  void add(std::size_t tree, const Sums& sums, Scratch& scratch) const;
  [[nodiscard]] Sums sums_in_cells(std::span<const std::vector<TiltedFeature>* const> rows) const;
  [[nodiscard]] Sums sums_of_any_row(const std::vector<TiltedFeature>& features) const;
  [[nodiscard]] bool counts(std::size_t tree, std::size_t output) const;
  [[nodiscard]] std::vector<ExactLine> lines_of(const std::vector<TiltedFeature>& features, const Sums& sums,
                                                std::size_t row) const;

  const MethodInput& input_;
  const Perturbation& perturbation_;
  const TreeRows& trees_;
  PathConditions path_conditions_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> first_condition_;  // of each slot, among those of all
  LineSplits lines_;
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
      slots_(trees_.codes().slots()),
      lines_(find_line_splits(trees_, path_conditions_)) {
  for (std::size_t j = 0; j < input.features.size(); ++j) {
    if (const auto slot = trees_.slot(input.features[j])) slots_[*slot].feature = j;
  }
  for (const std::size_t output : input.explained) {
    std::vector<double>& values = values_.emplace_back();
    for (const LineLeaf& leaf : lines_.leaves) values.push_back(leaf_value(leaf, output));
  }
  find_masses(input);
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    const auto& feature = slots_[s].feature;
    if (!feature) continue;
    for (const LabelledRow& row : explained) {
      const double value = row.values[*feature];
      if (perturbation.kind(*feature, value) != TermKind::cell) continue;
      const std::uint32_t cell = perturbation.cell(*feature, value);
      if (!slots_[s].tables.contains(cell)) add_table(s, cell);
    }
  }
  std::uint32_t conditions = 0;
  for (const auto& of_slot : lines_.conditions) {
    first_condition_.push_back(conditions);
    conditions += static_cast<std::uint32_t>(of_slot.size());
  }
  first_condition_.push_back(conditions);
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

void TreeLines::add_table(std::size_t s, std::uint32_t cell) {
  Slot& slot = slots_[s];
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
  for (const PathCondition& condition : lines_.conditions[s]) {
    const double all = mass_of(condition, sums, slot.masses), here = mass_of(condition, own_sums, own);
    const double inside = share > 0 ? here / share : 0;
    // A cell that has every row, or none, leaves nothing to compare.
    const double outside = share < 1 ? std::max(0.0, all - here) / (1 - share) : inside;
    table.push_back({outside, share > 0 ? inside - outside : 0});
  }
}

double TreeLines::leaf_value(const LineLeaf& leaf, std::size_t output) const {
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
      for (std::size_t c = 0; c < lines_.conditions[s].size(); ++c) {
        const PathCondition& condition = lines_.conditions[s][c];
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

TreeLines::Sums TreeLines::empty_sums(std::size_t rows) const {
  const std::size_t outputs = input_.explained.size(), slots = slots_.size();
  Sums sums{.betas = ManyLanes(outputs * rows * slots),
            .means = ManyLanes(outputs * rows),
            .own_cells = std::vector<std::uint32_t>(rows * (slots + 2)),
            .rows = std::vector<std::vector<RowSums>>(outputs)};
  // Those that are left over are taken alone.
  for (std::size_t i = 0; i < rows - rows % rows_together; ++i)
    sums.own_cells[i * (slots + 2) + slots + 1] = static_cast<std::uint32_t>(i % rows_together);
  for (std::size_t k = 0; k < outputs; ++k) {
    for (std::size_t i = 0; i < rows; ++i)
      sums.rows[k].push_back({.own_cell = sums.own_cells.data() + i * (slots + 2),
                              .beta = eights(sums.betas) + (k * rows + i) * slots,
                              .mean = eights(sums.means) + k * rows + i});
  }
  return sums;
}

// Whether an output that is explained depends on it.
bool TreeLines::counts(std::size_t tree, std::size_t output) const {
  const TreeEnsemble::Parts& parts = trees_.parts();
  return !parts.leaf_values.empty() || parts.trees[tree].output == input_.explained[output];
}

std::span<const LineSplit> TreeLines::splits_of(const LineTree& tree) const {
  return std::span(lines_.splits).subspan(tree.first, tree.end - tree.first);
}

// Where things of a tree stand while rows are looked at that are in these cells.
void TreeLines::lay_out(const LineTree& tree, const std::vector<std::uint32_t>& first_cell, Scratch& scratch) const {
  const std::span<const LineSplit> splits = splits_of(tree);
  const auto count = static_cast<std::uint32_t>(splits.size()), inner = tree.inner - tree.first;
  constexpr std::uint32_t each = rows_together;
  const auto in_no_cell = static_cast<std::uint32_t>(slots_.size()), of_row = in_no_cell + 1;
  std::vector<std::uint32_t>& first_share = scratch.first_share;
  first_share.assign(1, 0);
  for (const LineSplit& split : splits)
    first_share.push_back(first_share.back() + first_cell[split.slot + 1] - first_cell[split.slot]);
  // Below inner splits are all others but the first one, and leaves.
  std::uint32_t leaf = inner * each;
  const std::uint32_t first_last = leaf + 2 * inner + 1 - count;
  const auto side = [&](std::int32_t below) -> TreeSteps::Side {
    if (below < 0) return {.reach = count * each, .mean = leaf++, .slot = in_no_cell};
    const std::uint32_t place = static_cast<std::uint32_t>(below) - tree.first;
    if (place < inner) return {.reach = place * each, .mean = place * each, .slot = of_row};
    return {.reach = place * each,
            .mean = first_last + first_share[place] - first_share[inner],
            .slot = splits[place].slot};
  };
  scratch.inner.clear();
  scratch.last.clear();
  for (std::uint32_t at = 0; at < inner; ++at) {
    const TreeSteps::Side left = side(splits[at].left), right = side(splits[at].right);
    scratch.inner.push_back({.slot = splits[at].slot, .share = first_share[at], .left = left, .right = right});
  }
  for (std::uint32_t at = inner; at < count; ++at)
    scratch.last.push_back({.slot = splits[at].slot, .turn = first_share[at] - first_share[inner]});
  const std::size_t last_shares = first_share.back() - first_share[inner];
  const auto make_room = [](ManyLanes& lanes, std::size_t needed) {
    if (lanes.size() < needed) lanes.resize(needed);
  };
  make_room(scratch.shares, 2 * std::size_t{first_share.back()});
  make_room(scratch.turns, last_shares);
  make_room(scratch.means, first_last + last_shares);
  make_room(scratch.reach, (std::size_t{count} + 1) * each);
}

// Shares are in the scratch.
void TreeLines::add(std::size_t tree, const Sums& sums, Scratch& scratch) const {
  const LineTree& line = lines_.trees[tree];
  const auto* shares = reinterpret_cast<const SplitShare*>(scratch.shares.data());
  const TreeSteps steps{.inner = scratch.inner.data(),
                        .inner_count = scratch.inner.size(),
                        .last = scratch.last.data(),
                        .last_count = scratch.last.size()};
  for (std::size_t k = 0; k < input_.explained.size(); ++k) {
    if (!counts(tree, k)) continue;
    settle_tree(splits_of(line), steps.inner_count, values_[k].data(), shares, scratch.first_share.data(),
                eights(scratch.means), eights(scratch.turns));
    add_tree(steps, shares, eights(std::as_const(scratch.turns)), eights(scratch.reach), eights(scratch.means),
             sums.rows[k].data(), sums.rows[k].size());
  }
}

// A tree for all rows, then the next.
template <class Share>
void TreeLines::add_trees(const std::vector<std::uint32_t>& first_cell, Sums& sums, const Share& share) const {
  Scratch scratch;
  for (std::size_t tree = 0; tree < lines_.trees.size(); ++tree) {
    const LineTree& line = lines_.trees[tree];
    std::size_t explained = 0;
    for (std::size_t k = 0; k < input_.explained.size(); ++k) explained += counts(tree, k) ? 1 : 0;
    if (explained == 0) continue;
    if (line.first < line.end) {
      lay_out(line, first_cell, scratch);
      share(splits_of(line), reinterpret_cast<SplitShare*>(scratch.shares.data()));
      add(tree, sums, scratch);
      continue;
    }
    for (std::size_t k = 0; k < input_.explained.size(); ++k) {
      if (!counts(tree, k)) continue;
      for (const RowSums& row : sums.rows[k]) *row.mean += values_[k][static_cast<std::size_t>(line.leaf)];
    }
  }
}

TreeLines::Sums TreeLines::sums_in_cells(std::span<const std::vector<TiltedFeature>* const> rows) const {
  Sums sums = empty_sums(rows.size());
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
      sums.own_cells[i * (slots_.size() + 2) + s] = at->second;
    }
    first_cell.push_back(static_cast<std::uint32_t>(cells.size()));
  }
  add_trees(first_cell, sums, [&](std::span<const LineSplit> splits, SplitShare* shares) {
    share_cells(splits, first_cell.data(), cells.data(), shares);
  });
  return sums;
}

TreeLines::Sums TreeLines::sums_of_any_row(const std::vector<TiltedFeature>& features) const {
  Sums sums = empty_sums(1);
  ManyLanes met, slope;
  fill_shares(features, met, slope);
  // One of each slot: the row's own.
  std::vector<std::uint32_t> first_cell(slots_.size() + 1);
  std::iota(first_cell.begin(), first_cell.end(), 0U);
  add_trees(first_cell, sums, [&](std::span<const LineSplit> splits, SplitShare* shares) {
    share_any(splits, first_condition_.data(), eights(std::as_const(met)), eights(std::as_const(slope)), shares);
  });
  return sums;
}

std::vector<ExactLine> TreeLines::lines_of(const std::vector<TiltedFeature>& features, const Sums& sums,
                                           std::size_t row) const {
  const TreeEnsemble::Parts& parts = trees_.parts();
  std::vector<ExactLine> found(input_.explained.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    ExactLine& line = found[k];
    const RowSums& of_row = sums.rows[k][row];
    line.coefficients.assign(features.size(), Lanes{});
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      line.mean[lane] = (parts.base[input_.explained[k]] + (*of_row.mean)[lane]) / parts.divisor;
      for (std::size_t s = 0; s < slots_.size(); ++s) {
        if (features[*slots_[s].feature].variance[lane] > 0)
          line.coefficients[*slots_[s].feature][lane] = of_row.beta[s][lane] / parts.divisor;
      }
    }
  }
  return found;
}

std::vector<std::vector<ExactLine>> TreeLines::lines(std::span<const std::vector<TiltedFeature>> rows) const {
  std::vector<std::vector<ExactLine>> found(rows.size());
  std::vector<std::size_t> in_cells;
  std::vector<const std::vector<TiltedFeature>*> features;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::all_of(rows[i].begin(), rows[i].end(),
                    [](const TiltedFeature& feature) { return feature.kind == TermKind::cell; })) {
      in_cells.push_back(i);
      features.push_back(&rows[i]);
    } else {
      found[i] = lines_of(rows[i], sums_of_any_row(rows[i]), 0);
    }
  }
  if (in_cells.empty()) return found;
  const Sums sums = sums_in_cells(features);
  for (std::size_t i = 0; i < in_cells.size(); ++i) found[in_cells[i]] = lines_of(*features[i], sums, i);
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
