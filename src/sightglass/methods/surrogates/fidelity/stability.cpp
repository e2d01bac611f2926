#include "sightglass/methods/surrogates/fidelity/stability.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "sightglass/base/random.h"
#include "sightglass/methods/surrogates/fidelity/regions.h"
#include "sightglass/result/shapes/rules.h"
#include "sightglass/result/shapes/terms.h"
#include "sightglass/result/shapes/tree.h"

namespace sightglass {

namespace {

constexpr std::uint64_t resample_stream = 0x7265'7361'6d70;  // "resamp"
constexpr double same_place = 0.1;                           // share of rows between two thresholds
constexpr double same_rows = 0.8;                            // of those for which either rule holds

std::vector<std::size_t> depths(const ShownTree& tree) {
  std::vector<std::size_t> depth(tree.nodes.size(), 0);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    for (const std::uint64_t child : tree.nodes[i].children) depth[child] = depth[i] + 1;
  }
  return depth;
}

std::optional<double> threshold(const ShownCondition& split) {
  if (split.at_most) return split.at_most;
  if (split.below) return split.below;
  return split.above ? split.above : split.at_least;
}

// The share of rows with a value up to this one.
double place(const TrainingData& data, const std::string& feature, double value) {
  for (const TrainingFeature& each : data.features) {
    if (each.info.name != feature) continue;
    const auto below = std::count_if(each.values.begin(), each.values.end(), [&](double v) { return v <= value; });
    return static_cast<double>(below) / static_cast<double>(std::max<std::size_t>(1, each.values.size()));
  }
  return 0;
}

template <class Shape>
const Shape* find_shape(const std::vector<ResultItem>& items, const std::string& output) {
  for (const ResultItem& item : items) {
    const Shape* shape = item.as<Shape>();
    if (shape != nullptr && shape->output == output) return shape;
  }
  return nullptr;
}

bool splits_alike(const TrainingData& data, const ShownTree& tree, const ShownCondition& split, std::size_t depth) {
  const std::vector<std::size_t> depth_of = depths(tree);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (!tree.nodes[i].split || depth_of[i] != depth || tree.nodes[i].split->feature != split.feature) continue;
    const auto mine = threshold(split), other = threshold(*tree.nodes[i].split);
    if (!mine || !other) return true;
    if (std::abs(place(data, split.feature, *mine) - place(data, split.feature, *other)) <= same_place) return true;
  }
  return false;
}

bool holds_alike(const TrainingData& data, const RowList& all, const RowList& mine, const Rules& rules, double effect) {
  return std::any_of(rules.rules.begin(), rules.rules.end(), [&](const Rule& rule) {
    if (rule.effect && (*rule.effect > 0) != (effect > 0)) return false;
    const RowList rows = rows_meeting(data, all, rule.conditions);
    RowList shared;
    std::set_intersection(mine.begin(), mine.end(), rows.begin(), rows.end(), std::back_inserter(shared));
    const std::size_t both = shared.size();
    const std::size_t either = mine.size() + rows.size() - both;
    return either > 0 && static_cast<double>(both) >= same_rows * static_cast<double>(either);
  });
}

}  // namespace

TrainingData resampled(const TrainingData& data, std::uint64_t seed, std::uint64_t draw) {
  std::vector<double> times(data.rows, 0);
  for (std::size_t i = 0; i < data.rows; ++i) {
    times[random_bits(seed, resample_stream + draw, i) % data.rows] += 1;
  }
  std::vector<std::uint32_t> rows;
  for (std::size_t row = 0; row < data.rows; ++row) {
    if (times[row] > 0) rows.push_back(static_cast<std::uint32_t>(row));
  }
  TrainingData drawn = rows_of(data, rows);
  drawn.weights.clear();
  for (const std::uint32_t row : rows) drawn.weights.push_back(data.weight(row) * times[row]);
  return drawn;
}

std::optional<double> add_stability(std::vector<ResultItem>& shown, const std::vector<Learned>& refits,
                                    const TrainingData& data) {
  if (refits.empty()) return std::nullopt;
  double sum = 0;
  std::size_t count = 0;
  const auto share_of = [&](const auto& comes_back) {
    const auto times = std::count_if(refits.begin(), refits.end(), comes_back);
    const double share = static_cast<double>(times) / static_cast<double>(refits.size());
    sum += share;
    ++count;
    return share;
  };
  RowList all(data.rows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const bool has_tree =
      std::any_of(shown.begin(), shown.end(), [](const ResultItem& item) { return item.is<ShownTree>(); });
  for (ResultItem& item : shown) {
    if (auto* tree = item.as<ShownTree>()) {
      const std::vector<std::size_t> depth = depths(*tree);
      for (std::size_t i = 0; i < tree->nodes.size(); ++i) {
        ShownNode& node = tree->nodes[i];
        if (!node.split) continue;
        node.stability = share_of([&](const Learned& refit) {
          const auto* other = find_shape<ShownTree>(refit.shown, tree->output);
          return other != nullptr && splits_alike(data, *other, *node.split, depth[i]);
        });
      }
    } else if (auto* terms = item.as<Terms>()) {
      for (LinearTerm& term : terms->terms) {
        term.stability = share_of([&](const Learned& refit) {
          const auto* other = find_shape<Terms>(refit.shown, terms->output);
          return other != nullptr && std::any_of(other->terms.begin(), other->terms.end(), [&](const LinearTerm& t) {
                   return t.features == term.features && t.conditions == term.conditions &&
                          t.coefficient * term.coefficient > 0;
                 });
        });
      }
    } else if (auto* rules = item.as<Rules>(); rules != nullptr && !has_tree) {  // those of a tree are its leaves
      for (Rule& rule : rules->rules) {
        const RowList mine = rows_meeting(data, all, rule.conditions);
        rule.stability = share_of([&](const Learned& refit) {
          const auto* other = find_shape<Rules>(refit.shown, rules->output);
          return other != nullptr && holds_alike(data, all, mine, *other, rule.effect.value_or(0));
        });
      }
    }
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

}  // namespace sightglass
