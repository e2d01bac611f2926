#include "sightglass/methods/local/lime/leaf_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <tuple>

#include "sightglass/base/each_processor.h"
#include "sightglass/base/error.h"
#include "sightglass/methods/local/shapley/leaf_shapley.h"
#include "sightglass/model/trees/counts/path_conditions_internal.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

namespace {

constexpr std::size_t lanes = swept_widths;
using Lanes = std::array<double, lanes>;

double density(double z) { return std::isfinite(z) ? std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi) : 0; }

struct Shares {  // P₀ and D of a condition
  double other, difference;
};
struct Position {
  std::uint32_t slot, condition;
};
struct Leaf {
  std::uint32_t node, tree, end;  // of its positions, which begin where those of the leaf before end
};

// What leaves add, for all widths; numbers of a slot are `lanes` side by side. before: products of A in front of each
// position, met: A of each, for the longest path.
struct LeafSums {
  double* beta;
  double* mean;
  double* before;
  double* met;
};

// Of features with bins or levels: A follows from q (own_share), and D is one number.
SIGHTGLASS_FOR_EACH_PROCESSOR
void add_cell_leaves(const Leaf* leaves, std::size_t count, const Position* positions, const Shares* const* tables,
                     const double* own_share, const double* values, LeafSums sums) {
  std::size_t first = 0;
  for (std::size_t l = 0; l < count; ++l) {
    const std::size_t begin = first, size = leaves[l].end - first;
    first = leaves[l].end;
    if (values[l] == 0) continue;
    double* before = sums.before;
    for (std::size_t lane = 0; lane < lanes; ++lane) before[lane] = values[l];
    for (std::size_t i = 0; i < size; ++i) {
      const Position& position = positions[begin + i];
      const Shares shares = tables[position.slot][position.condition];
      const double* q = own_share + position.slot * lanes;
      double* met = sums.met + i * lanes;
      for (std::size_t lane = 0; lane < lanes; ++lane) met[lane] = shares.other + q[lane] * shares.difference;
      for (std::size_t lane = 0; lane < lanes; ++lane)
        before[(i + 1) * lanes + lane] = before[i * lanes + lane] * met[lane];
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) sums.mean[lane] += before[size * lanes + lane];
    double behind[lanes];
    for (std::size_t lane = 0; lane < lanes; ++lane) behind[lane] = 1;
    for (std::size_t i = size; i-- > 0;) {
      const Position& position = positions[begin + i];
      const double difference = tables[position.slot][position.condition].difference;
      const double* met = sums.met + i * lanes;
      double* to = sums.beta + position.slot * lanes;
      for (std::size_t lane = 0; lane < lanes; ++lane)
        to[lane] += difference * (before[i * lanes + lane] * behind[lane]);
      for (std::size_t lane = 0; lane < lanes; ++lane) behind[lane] *= met[lane];
    }
  }
}

// Of any features: A and D of each condition are given for each width. first_condition: where those of a slot begin.
SIGHTGLASS_FOR_EACH_PROCESSOR
void add_leaves(const Leaf* leaves, std::size_t count, const Position* positions, const std::uint32_t* first_condition,
                const double* all_met, const double* all_slope, const double* values, LeafSums sums) {
  std::size_t first = 0;
  for (std::size_t l = 0; l < count; ++l) {
    const std::size_t begin = first, size = leaves[l].end - first;
    first = leaves[l].end;
    if (values[l] == 0) continue;
    double* before = sums.before;
    for (std::size_t lane = 0; lane < lanes; ++lane) before[lane] = values[l];
    for (std::size_t i = 0; i < size; ++i) {
      const Position& position = positions[begin + i];
      const double* met = all_met + (first_condition[position.slot] + position.condition) * lanes;
      for (std::size_t lane = 0; lane < lanes; ++lane)
        before[(i + 1) * lanes + lane] = before[i * lanes + lane] * met[lane];
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) sums.mean[lane] += before[size * lanes + lane];
    double behind[lanes];
    for (std::size_t lane = 0; lane < lanes; ++lane) behind[lane] = 1;
    for (std::size_t i = size; i-- > 0;) {
      const Position& position = positions[begin + i];
      const std::size_t at = (first_condition[position.slot] + position.condition) * lanes;
      double* to = sums.beta + position.slot * lanes;
      for (std::size_t lane = 0; lane < lanes; ++lane)
        to[lane] += all_slope[at + lane] * (before[i * lanes + lane] * behind[lane]);
      for (std::size_t lane = 0; lane < lanes; ++lane) behind[lane] *= all_met[at + lane];
    }
  }
}

class TreeLines : public LeafLines {
 public:
  TreeLines(const MethodInput& input, const Perturbation& perturbation, const std::vector<LabelledRow>& explained);

  [[nodiscard]] std::vector<ExactLine> lines(const std::vector<TiltedFeature>& features) const override;

 private:
  struct Slot {
    std::optional<std::size_t> feature;  // of the method's
    std::vector<PathCondition> conditions = {};
    std::vector<double> edges = {};                     // of codes, as whole numbers are drawn: where each begins
    std::vector<double> masses = {};                    // per code, over all rows
    std::vector<std::vector<double>> cell_masses = {};  // per bin and code; levels have one code each
    std::map<std::uint32_t, std::vector<Shares>> tables = {};  // per cell and condition
  };
  void find_leaves();
  void find_masses(const MethodInput& input);
  void add_table(Slot& slot, std::uint32_t cell);
  [[nodiscard]] double mass_of(const PathCondition& condition, const std::vector<double>& sums,
                               const std::vector<double>& masses) const;
  [[nodiscard]] double leaf_value(const Leaf& leaf, std::size_t output) const;
  void fill_shares(const std::vector<TiltedFeature>& features, std::vector<double>& met,
                   std::vector<double>& slope) const;

  const MethodInput& input_;
  const Perturbation& perturbation_;
  const TreeRows& trees_;
  PathConditions path_conditions_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> first_condition_;  // of each slot, among those of all
  std::vector<Position> positions_;
  std::vector<Leaf> leaves_;
  std::vector<std::vector<double>> values_;  // per explained output, of each leaf
  std::size_t longest_ = 0;
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

std::string why_not_exact(const MethodInput& input, const LimeOptions& options) {
  if (std::string why = why_not_by_leaves(input); !why.empty()) return why;
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
  find_leaves();
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

// Every leaf with the conditions of its path, those on one feature taken together. Leaves that share a condition share
// its place in the tables.
void TreeLines::find_leaves() {
  const TreeEnsemble::Parts& parts = trees_.parts();
  const FeatureCodes& codes = trees_.codes();
  using Key = std::tuple<std::uint32_t, std::uint32_t, bool, std::int32_t>;
  std::vector<std::map<Key, std::uint32_t>> known(slots_.size());
  struct Step {
    std::uint32_t node;
    std::vector<PathCondition> path;
  };
  for (std::size_t tree = 0; tree < parts.trees.size(); ++tree) {
    std::vector<Step> open{{parts.trees[tree].root, {}}};
    while (!open.empty()) {
      Step step = std::move(open.back());
      open.pop_back();
      const TreeNode& node = parts.nodes[step.node];
      if (!node.is_leaf()) {
        const FeatureCodes::Condition& condition = codes.conditions()[codes.condition_of(step.node)];
        for (const bool right : {true, false}) {
          Step next{static_cast<std::uint32_t>(right ? node.right : node.left), step.path};
          auto on_slot = std::find_if(next.path.begin(), next.path.end(),
                                      [&](const PathCondition& each) { return each.slot == condition.slot; });
          if (on_slot == next.path.end())
            on_slot = next.path.insert(next.path.end(), path_conditions_.any(condition.slot));
          path_conditions_.narrow(*on_slot, condition, right);
          open.push_back(std::move(next));
        }
        continue;
      }
      for (const PathCondition& condition : step.path) {
        const Key key{condition.first, condition.end, condition.missing, condition.members};
        auto& of_slot = slots_[condition.slot].conditions;
        const auto [at, added] = known[condition.slot].try_emplace(key, static_cast<std::uint32_t>(of_slot.size()));
        if (added) of_slot.push_back(condition);
        positions_.push_back({condition.slot, at->second});
      }
      longest_ = std::max(longest_, step.path.size());
      leaves_.push_back({step.node, static_cast<std::uint32_t>(tree), static_cast<std::uint32_t>(positions_.size())});
    }
  }
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
  std::vector<Shares>& table = slot.tables[cell];
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
void TreeLines::fill_shares(const std::vector<TiltedFeature>& features, std::vector<double>& met,
                            std::vector<double>& slope) const {
  met.assign(first_condition_.back() * lanes, 0);
  slope.assign(met.size(), 0);
  std::vector<double> shares, slopes;
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    const Slot& slot = slots_[s];
    if (!slot.feature) continue;
    const TiltedFeature& feature = features[*slot.feature];
    double* met_of = met.data() + first_condition_[s] * lanes;
    double* slope_of = slope.data() + first_condition_[s] * lanes;
    if (feature.kind == TermKind::cell) {
      const std::vector<Shares>& table = slot.tables.at(feature.own_cell);
      for (std::size_t c = 0; c < table.size(); ++c) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          met_of[c * lanes + lane] = table[c].other + feature.mean[lane] * table[c].difference;
          slope_of[c * lanes + lane] = table[c].difference;
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
        slope_of_code[code] = (density(from) - density(to)) / s_lane;
      }
      std::partial_sum(of_code.begin(), of_code.end(), shares.begin() + 1);
      std::partial_sum(slope_of_code.begin(), slope_of_code.end(), slopes.begin() + 1);
      for (std::size_t c = 0; c < slot.conditions.size(); ++c) {
        const PathCondition& condition = slot.conditions[c];
        met_of[c * lanes + lane] = mass_of(condition, shares, of_code);
        double sum = 0;
        if (condition.members < 0) {
          sum = condition.end > condition.first ? slopes[condition.end] - slopes[condition.first] : 0;
        } else {
          const std::vector<std::uint64_t>& members = path_conditions_.members(condition);
          for (std::size_t code = 0; code < codes; ++code) {
            if (((members[code / 64] >> (code % 64)) & 1) != 0) sum += slope_of_code[code];
          }
        }
        slope_of[c * lanes + lane] = sum;
      }
    }
  }
}

std::vector<ExactLine> TreeLines::lines(const std::vector<TiltedFeature>& features) const {
  const TreeEnsemble::Parts& parts = trees_.parts();
  const bool cells = std::all_of(features.begin(), features.end(),
                                 [](const TiltedFeature& feature) { return feature.kind == TermKind::cell; });
  std::vector<const Shares*> tables(slots_.size(), nullptr);
  std::vector<double> met, slope, own_share(slots_.size() * lanes, 0);
  if (cells) {
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      const TiltedFeature& feature = features[*slots_[s].feature];
      tables[s] = slots_[s].tables.at(feature.own_cell).data();
      std::copy(feature.mean.begin(), feature.mean.end(), own_share.begin() + static_cast<std::ptrdiff_t>(s * lanes));
    }
  } else {
    fill_shares(features, met, slope);
  }
  std::vector<double> betas(slots_.size() * lanes), mean(lanes), before((longest_ + 1) * lanes),
      own_met(longest_ * lanes);
  std::vector<ExactLine> found(input_.explained.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    std::fill(betas.begin(), betas.end(), 0);
    std::fill(mean.begin(), mean.end(), 0);
    const LeafSums sums{betas.data(), mean.data(), before.data(), own_met.data()};
    if (cells) {
      add_cell_leaves(leaves_.data(), leaves_.size(), positions_.data(), tables.data(), own_share.data(),
                      values_[k].data(), sums);
    } else {
      add_leaves(leaves_.data(), leaves_.size(), positions_.data(), first_condition_.data(), met.data(), slope.data(),
                 values_[k].data(), sums);
    }
    ExactLine& line = found[k];
    line.coefficients.assign(features.size(), Lanes{});
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      line.mean[lane] = (parts.base[input_.explained[k]] + mean[lane]) / parts.divisor;
      for (std::size_t s = 0; s < slots_.size(); ++s) {
        if (features[*slots_[s].feature].variance[lane] > 0)
          line.coefficients[*slots_[s].feature][lane] = betas[s * lanes + lane] / parts.divisor;
      }
    }
  }
  return found;
}

std::unique_ptr<const LeafLines> LeafLines::of(const MethodInput& input, const Perturbation& perturbation,
                                               const std::vector<LabelledRow>& explained) {
  return std::make_unique<const TreeLines>(input, perturbation, explained);
}

}  // namespace sightglass
