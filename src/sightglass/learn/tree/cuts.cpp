#include "sightglass/learn/tree/cuts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "sightglass/learn/tree/impurity_sums.h"

namespace sightglass {

namespace {

bool has_missing(const SortedFeature& feature) {
  return !feature.entries.empty() && feature.entries.back().code == missing_code;
}

// A level's rows, as sums by which levels are ordered: of numbers and two classes by their mean, which is the best
// order for one split; of more classes along the first principal component of their shares (tree/grow.h).
std::vector<std::uint32_t> ordered_levels(const TrainingData& data, const SortedFeature& sorted) {
  const bool numbers = data.classes.size() <= 2;
  std::vector<std::uint32_t> levels;
  std::vector<MeanSums> means;
  std::vector<ClassSums> shares;
  for (const SortedEntry& entry : sorted.entries) {
    if (entry.code == missing_code) break;
    if (levels.empty() || levels.back() != entry.code) {
      levels.push_back(entry.code);
      means.emplace_back();
      if (!numbers) shares.push_back({0, std::vector<double>(data.classes.size())});
    }
    const double weight = data.weight(entry.row), outcome = data.outcome[entry.row];
    means.back().add({weight, weight * outcome});
    if (numbers) continue;
    shares.back().weight += weight;
    shares.back().classes[static_cast<std::size_t>(outcome)] += weight;
  }
  if (levels.empty()) return levels;
  const std::vector<double> positions = numbers ? level_positions(means) : level_positions(shares);
  std::vector<std::size_t> order(levels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return positions[a] < positions[b]; });
  std::vector<std::uint32_t> ordered;
  for (const std::size_t i : order) ordered.push_back(levels[i]);
  return ordered;
}

// Groups of levels, each without its complement: all there are of few levels; of more, each level by itself and what
// comes first in their order.
constexpr std::size_t few_levels = 4;
std::vector<std::vector<std::uint32_t>> level_groups(const std::vector<std::uint32_t>& ordered) {
  std::vector<std::vector<std::uint32_t>> groups;
  if (ordered.empty()) return groups;
  if (ordered.size() <= few_levels) {
    for (std::size_t members = 1; members < std::size_t{1} << (ordered.size() - 1); ++members) {
      auto& group = groups.emplace_back();
      for (std::size_t i = 0; i + 1 < ordered.size(); ++i) {
        if ((members >> i & 1) != 0) group.push_back(ordered[i]);
      }
    }
  } else {
    for (const std::uint32_t level : ordered) groups.push_back({level});
    for (std::size_t first = 2; first + 1 < ordered.size(); ++first) {
      groups.emplace_back(ordered.begin(), ordered.begin() + static_cast<std::ptrdiff_t>(first));
    }
  }
  for (auto& group : groups) std::sort(group.begin(), group.end());
  std::sort(groups.begin(), groups.end());
  return groups;
}

std::size_t count_levels(const SortedFeature& sorted) {
  std::size_t levels = 0;
  std::uint32_t before = missing_code;
  for (const SortedEntry& entry : sorted.entries) {
    if (entry.code == missing_code) break;
    levels += entry.code != before ? 1 : 0;
    before = entry.code;
  }
  return levels;
}

// Every cut of one feature, unless they are more than `most`.
std::vector<Cut> all_cuts(const TrainingData& data, const SortedFeature& sorted, std::uint32_t index,
                          std::size_t most) {
  std::vector<Cut> cuts;
  const bool missing = has_missing(sorted);
  const auto add = [&](Cut cut) {
    cut.feature = index;
    cuts.push_back(cut);
    if (!missing) return;
    cut.missing = true;
    cuts.push_back(std::move(cut));
  };
  if (sorted.categorical) {
    if (count_levels(sorted) > most + 1) return std::vector<Cut>(most + 1);
    const std::vector<std::uint32_t> ordered = ordered_levels(data, sorted);
    for (auto& group : level_groups(ordered)) add({.levels = std::move(group)});
  } else {
    if (sorted.values.size() > most + 1) return std::vector<Cut>(most + 1);
    for (std::size_t i = 0; i + 1 < sorted.values.size(); ++i) {
      add({.threshold = threshold_between(sorted.values[i], sorted.values[i + 1])});
    }
  }
  if (missing && sorted.codes > 0) {
    cuts.push_back({.feature = index, .threshold = -std::numeric_limits<double>::infinity(), .missing = true});
  }
  return cuts;
}

// Every k-th row, with numbers replaced by their quantiles' indices; thresholds[feature][q] is the upper end of q.
struct Quantiles {
  TrainingData data;
  std::vector<std::vector<double>> thresholds;

  Quantiles(const TrainingData& whole, const SortedFeatures& sorted) {
    constexpr std::size_t most_rows = 20000, most_quantiles = 64;
    const std::size_t step = (whole.rows + most_rows - 1) / most_rows;
    const auto thinned = [&](const std::vector<double>& values) {
      std::vector<double> kept;
      for (std::size_t row = 0; row < values.size(); row += step) kept.push_back(values[row]);
      return kept;
    };
    data.outcome = thinned(whole.outcome);
    data.weights = thinned(whole.weights);
    data.classes = whole.classes;
    data.rows = data.outcome.size();
    for (std::size_t index = 0; index < whole.features.size(); ++index) {
      const SortedFeature& feature = sorted.features[index];
      TrainingFeature binned{whole.features[index].info, thinned(whole.features[index].values)};
      std::vector<double>& ends = thresholds.emplace_back();
      if (!feature.categorical) {
        std::size_t present = feature.entries.size();
        while (present > 0 && feature.entries[present - 1].code == missing_code) --present;
        for (std::size_t q = 1; q < most_quantiles; ++q) {
          const std::size_t at = q * present / most_quantiles;
          if (at == 0) continue;
          const std::uint32_t code = feature.entries[at - 1].code;
          if (code + 1 >= feature.values.size()) break;
          const double end = threshold_between(feature.values[code], feature.values[code + 1]);
          if (ends.empty() || end > ends.back()) ends.push_back(end);
        }
        for (double& value : binned.values) {
          if (std::isnan(value)) continue;
          value = static_cast<double>(std::lower_bound(ends.begin(), ends.end(), value) - ends.begin());
        }
      }
      data.features.push_back(std::move(binned));
    }
  }
};

Cut cut_of(const GrownNode& node, const SortedFeatures& sorted) {
  Cut cut{.feature = node.feature, .levels = node.levels};
  const SortedFeature& feature = sorted.features[node.feature];
  if (!feature.categorical) cut.threshold = node.threshold;
  cut.missing = node.missing_left && has_missing(feature);
  return cut;
}

// What the greedy tree splits on: with these among the cuts no tree that is found can be worse than it.
std::vector<Cut> greedy_cuts(const TrainingData& data, const SortedFeatures& sorted, std::size_t min_leaf_rows,
                             const Context& context) {
  constexpr std::size_t deepest = 4;  // of an optimal tree
  const GrowOptions options{.impurity = data.classes.empty() ? Impurity::variance : Impurity::gini,
                            .max_depth = deepest,
                            .min_leaf_rows = min_leaf_rows};
  const GrownTree tree = grow(sorted, {data.outcome, data.classes.size(), data.weights}, options, context);
  std::vector<Cut> cuts;
  for (const GrownNode& node : tree.nodes) {
    if (!node.is_leaf()) cuts.push_back(cut_of(node, sorted));
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) { return !(a < b) && !(b < a); }),
             cuts.end());
  return cuts;
}

// What small boosted trees split on, and what that gained them.
std::map<Cut, double> boosted_cuts(const Quantiles& quantiles, std::size_t enough, const Context& context) {
  constexpr int rounds = 60;
  constexpr double shrinkage = 0.3;
  const TrainingData& data = quantiles.data;
  const SortedFeatures sorted(data, context);
  // Two classes have one score, others one each, whose turn comes in each round.
  const std::size_t scores = data.classes.size() > 2 ? data.classes.size() : 1;
  std::vector<std::vector<double>> residuals(scores, data.outcome);
  for (std::size_t k = 0; k < scores && scores > 1; ++k) {
    for (double& value : residuals[k]) value = value == static_cast<double>(k) ? 1 : 0;
  }
  std::map<Cut, double> gains;
  for (int round = 0; round < rounds && gains.size() < enough; ++round) {
    for (std::vector<double>& residual : residuals) {
      context.check();
      const GrownTree tree = grow(sorted, {residual, 0, data.weights}, {.max_depth = 3, .min_leaf_rows = 2}, context);
      for (const GrownNode& node : tree.nodes) {
        if (node.is_leaf()) continue;
        Cut cut = cut_of(node, sorted);
        const auto& ends = quantiles.thresholds[node.feature];
        if (!std::isinf(node.threshold) && !sorted.features[node.feature].categorical)
          cut.threshold = ends[static_cast<std::size_t>(node.threshold)];
        gains[cut] += node.gain;
      }
      for (std::size_t row = 0; row < data.rows; ++row) {
        const std::uint32_t leaf = tree.node_of_row[row];
        // A weight that vanishes beside the largest one counts as none.
        if (leaf != GrownTree::no_node) residual[row] -= shrinkage * tree.nodes[leaf].value;
      }
    }
  }
  return gains;
}

}  // namespace

bool meets(const Cut& cut, bool categorical, double value) {
  if (std::isnan(value)) return cut.missing;
  if (!categorical) return value <= cut.threshold;
  return std::binary_search(cut.levels.begin(), cut.levels.end(), static_cast<std::uint32_t>(value));
}

ShownCondition shown_cut(const Cut& cut, const TrainingData& data) {
  const FeatureInfo& info = data.features[cut.feature].info;
  ShownCondition shown;
  shown.feature = info.name;
  shown.categorical = info.categorical;
  shown.dates = info.dates;
  if (!info.categorical && std::isfinite(cut.threshold)) shown.at_most = cut.threshold;
  for (const std::uint32_t level : cut.levels) shown.levels.push_back(info.levels[level]);
  shown.missing = cut.missing;
  return shown;
}

ChosenCuts choose_cuts(const TrainingData& data, std::size_t max_cuts, const Context& context,
                       std::size_t min_leaf_rows) {
  const SortedFeatures sorted(data, context);
  ChosenCuts chosen{.all = true};
  for (std::uint32_t index = 0; index < data.features.size() && chosen.cuts.size() <= max_cuts; ++index) {
    const SortedFeature& feature = sorted.features[index];
    for (Cut& cut : all_cuts(data, feature, index, max_cuts)) chosen.cuts.push_back(std::move(cut));
    chosen.all = chosen.all && (!feature.categorical || count_levels(feature) <= few_levels);
  }
  if (chosen.cuts.size() <= max_cuts) return chosen;

  const auto gains = boosted_cuts(Quantiles(data, sorted), 2 * max_cuts, context);
  std::vector<std::pair<double, Cut>> ranked;
  for (const auto& [cut, gain] : gains) ranked.emplace_back(gain, cut);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  chosen = {};
  chosen.cuts = greedy_cuts(data, sorted, min_leaf_rows, context);
  if (chosen.cuts.size() > max_cuts) chosen.cuts.clear();  // so few are wanted that the best ones must do
  const std::set<Cut> greedy(chosen.cuts.begin(), chosen.cuts.end());
  for (auto& [gain, cut] : ranked) {
    if (chosen.cuts.size() < max_cuts && !greedy.contains(cut)) chosen.cuts.push_back(std::move(cut));
  }
  std::sort(chosen.cuts.begin(), chosen.cuts.end());
  return chosen;
}

RowsByCuts::RowsByCuts(const TrainingData& data, const std::vector<Cut>& cuts_by_feature)
    : rows(data.rows), cuts(cuts_by_feature.size()), turned(cuts), yes(cuts), changes(cuts), starts_feature(cuts) {
  constexpr std::uint32_t left_out = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::vector<std::uint32_t>> bin_of_row;  // per feature with cuts
  for (auto& bits : yes) bits.assign((rows + 63) / 64, 0);
  for (std::size_t begin = 0, end = 0; begin < cuts; begin = end) {
    const std::uint32_t index = cuts_by_feature[begin].feature;
    while (end < cuts && cuts_by_feature[end].feature == index) ++end;
    starts_feature[begin] = true;
    const TrainingFeature& feature = data.features[index];

    // Rows by their answers to the feature's cuts; each different value answers once.
    std::map<std::vector<bool>, std::uint32_t> bin_of_answers;
    std::vector<std::vector<bool>> answers;
    std::vector<std::size_t> counts;
    std::vector<double> ends;
    for (std::size_t c = begin; c < end; ++c) ends.push_back(cuts_by_feature[c].threshold);
    std::sort(ends.begin(), ends.end());
    std::map<std::size_t, std::uint32_t> bin_of_value;  // by the interval, or the level
    std::vector<std::uint32_t>& bins_here = bin_of_row.emplace_back(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      const double value = feature.values[row];
      const std::size_t key =
          std::isnan(value) ? missing_code
          : feature.info.categorical
              ? static_cast<std::size_t>(value)
              : static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), value) - ends.begin());
      auto place = bin_of_value.find(key);
      if (place == bin_of_value.end()) {
        std::vector<bool> answer;
        for (std::size_t c = begin; c < end; ++c)
          answer.push_back(meets(cuts_by_feature[c], feature.info.categorical, value));
        const auto [bin, is_new] = bin_of_answers.emplace(answer, static_cast<std::uint32_t>(answers.size()));
        if (is_new) {
          answers.push_back(answer);
          counts.push_back(0);
        }
        place = bin_of_value.emplace(key, bin->second).first;
      }
      bins_here[row] = place->second;
      ++counts[place->second];
    }
    const auto most = static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());

    // Cuts, turned so that the most frequent bin means no.
    std::vector<bool> before(answers.size());
    std::vector<std::uint32_t> ids(answers.size(), left_out);
    for (std::size_t b = 0; b < answers.size(); ++b) {
      if (b != most) ids[b] = static_cast<std::uint32_t>(bins++);
    }
    for (std::size_t c = begin; c < end; ++c) {
      turned[c] = answers[most][c - begin];
      for (std::size_t b = 0; b < answers.size(); ++b) {
        const bool inside = answers[b][c - begin] != turned[c];
        if (inside != before[b]) changes[c].push_back({ids[b], inside});
        before[b] = inside;
      }
    }
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint32_t bin = bins_here[row];
      for (std::size_t c = begin; c < end; ++c) {
        if (answers[bin][c - begin] != turned[c]) yes[c][row / 64] |= std::uint64_t{1} << (row % 64);
      }
      bins_here[row] = ids[bin];
    }
  }
  for (std::size_t row = 0; row < rows; ++row) {
    starts.push_back(row_bins.size());
    for (const auto& bins_here : bin_of_row) {
      if (bins_here[row] != left_out) row_bins.push_back(bins_here[row]);
    }
  }
  starts.push_back(row_bins.size());
}

}  // namespace sightglass
